// Written by `npm run rules`: run it after you add, rename or remove a rule.
import { type Rule } from '../rule';
import { TPU101 } from './slice/tpu101-accelerator';
import { TPU102 } from './slice/tpu102-topology';
import { TPU103 } from './slice/tpu103-equal-request-and-limit';
import { TPU104 } from './slice/tpu104-all-chips-of-host';
import { TPU105 } from './slice/tpu105-whole-chips';
import { TPU106 } from './slice/tpu106-selectors';
import { TPU107 } from './slice/tpu107-node-selector';
import { TPU108 } from './slice/tpu108-ambiguous-topology';
import { TPU109 } from './slice/tpu109-chips-requested';
import { TPU110 } from './slice/tpu110-one-container';
import { TPU111 } from './slice/tpu111-accelerator-count';
import { TPU112 } from './slice/tpu112-one-kind-of-capacity';
import { TPU113 } from './slice/tpu113-flex-start-generation';
import { TPU114 } from './slice/tpu114-flex-start-value';
import { TPU115 } from './slice/tpu115-flex-start-toleration';
import { TPU116 } from './slice/tpu116-run-duration';
import { TPU117 } from './slice/tpu117-compute-class';
import { TPU118 } from './slice/tpu118-reservation';
import { TPU119 } from './slice/tpu119-model-fits';
import { TPU120 } from './slice/tpu120-parallelism';
import { TPU121 } from './slice/tpu121-resource-claims';
import { TPU122 } from './slice/tpu122-gated-model';
import { TPU123 } from './slice/tpu123-untested-hosts';
import { TPU201 } from './hosts/tpu201-stated-hosts';
import { TPU202 } from './hosts/tpu202-pod-per-host';
import { TPU203 } from './hosts/tpu203-indexed-job';
import { TPU204 } from './hosts/tpu204-completions';
import { TPU205 } from './hosts/tpu205-parallelism';
import { TPU206 } from './hosts/tpu206-restart-policy';
import { TPU207 } from './hosts/tpu207-pod-names';
import { TPU208 } from './hosts/tpu208-subdomain';
import { TPU209 } from './hosts/tpu209-host-names';
import { TPU210 } from './hosts/tpu210-headless-service';
import { TPU211 } from './hosts/tpu211-names-before-ready';
import { TPU212 } from './hosts/tpu212-node-pool-per-slice';
import { TPU213 } from './hosts/tpu213-exclusive-topology';
import { TPU214 } from './hosts/tpu214-shared-node-pool';
import { TPU215 } from './hosts/tpu215-stateful-set';
import { TPU216 } from './hosts/tpu216-group-restart';
import { TPU217 } from './hosts/tpu217-leader-ready';
import { TPU218 } from './hosts/tpu218-group-service';
import { TPU219 } from './hosts/tpu219-one-slice';
import { TPU301 } from './startup/tpu301-startup-probe';
import { TPU302 } from './startup/tpu302-probe-answer';
import { TPU303 } from './startup/tpu303-probe-port';
import { TPU304 } from './startup/tpu304-probe-timeout';
import { TPU305 } from './startup/tpu305-max-surge';
import { TPU306 } from './startup/tpu306-ray-upgrade';
import { TPU307 } from './startup/tpu307-progress-deadline';
import { TPU308 } from './startup/tpu308-pre-stop';
import { TPU309 } from './startup/tpu309-liveness-probe';
import { TPU310 } from './startup/tpu310-checkpoint-time';
import { TPU311 } from './startup/tpu311-ray-grace-period';
import { TPU312 } from './startup/tpu312-startup-limit';
import { TPU320 } from './operations/tpu320-graceful-shutdown';
import { TPU321 } from './operations/tpu321-disruption-budget';
import { TPU322 } from './operations/tpu322-spread';
import { TPU323 } from './operations/tpu323-engine-timeout';
import { TPU324 } from './operations/tpu324-cpu-and-memory';
import { TPU325 } from './operations/tpu325-unbuffered-logs';
import { TPU326 } from './operations/tpu326-compile-cache';
import { TPU327 } from './operations/tpu327-server-metrics';
import { TPU328 } from './operations/tpu328-labels';
import { TPU329 } from './operations/tpu329-api-token';
import { TPU330 } from './operations/tpu330-privileges';
import { TPU331 } from './operations/tpu331-runtime-metrics';
import { TPU332 } from './operations/tpu332-backoff-limit';
import { TPU333 } from './operations/tpu333-libtpu-arguments';
import { TPU334 } from './operations/tpu334-server-restarts';
import { TPU335 } from './operations/tpu335-eviction-policy';
import { TPU336 } from './operations/tpu336-vllm-release';
import { TPU401 } from './storage/tpu401-sidecar-annotation';
import { TPU402 } from './storage/tpu402-unused-sidecar';
import { TPU403 } from './storage/tpu403-volume-mount';
import { TPU404 } from './storage/tpu404-bucket-name';
import { TPU405 } from './storage/tpu405-weights-on-volume';
import { TPU406 } from './storage/tpu406-size-limit';
import { TPU407 } from './storage/tpu407-medium';
import { TPU408 } from './storage/tpu408-memory-volumes';
import { TPU409 } from './storage/tpu409-sidecar-limit';
import { TPU410 } from './storage/tpu410-mount-options';
import { TPU411 } from './storage/tpu411-reserved-volumes';
import { TPU412 } from './storage/tpu412-file-cache';
import { TPU413 } from './storage/tpu413-shared-compile-cache';
import { TPU414 } from './storage/tpu414-cache-on-disk';
import { TPU415 } from './storage/tpu415-cache-size';
import { TPU416 } from './storage/tpu416-cache-volume';
import { TPU417 } from './storage/tpu417-single-node-volume';
import { TPU418 } from './storage/tpu418-model-path';
import { TPU501 } from './wiring/tpu501-service-selector';
import { TPU502 } from './wiring/tpu502-target-port';
import { TPU503 } from './wiring/tpu503-monitoring-selector';
import { TPU504 } from './wiring/tpu504-monitoring-port';
import { TPU505 } from './wiring/tpu505-interval';
import { TPU506 } from './wiring/tpu506-scale-target';
import { TPU507 } from './wiring/tpu507-metric-name';
import { TPU508 } from './wiring/tpu508-retired-metric';
import { TPU509 } from './wiring/tpu509-gauge';
import { TPU510 } from './wiring/tpu510-metric-collected';
import { TPU511 } from './wiring/tpu511-autoscaler-numbers';
import { TPU512 } from './wiring/tpu512-fixed-replicas';
import { TPU513 } from './wiring/tpu513-public-server';
import { TPU514 } from './wiring/tpu514-service-account';
import { TPU515 } from './wiring/tpu515-secrets';
import { TPU516 } from './wiring/tpu516-service-ports';
import { TPU517 } from './wiring/tpu517-server-port';
import { TPU518 } from './wiring/tpu518-worker-service';
import { TPU519 } from './wiring/tpu519-config-maps';
import { TPU520 } from './wiring/tpu520-public-route';
import { TPU521 } from './wiring/tpu521-saxml-ports';
import { TPU522 } from './wiring/tpu522-client-addresses';
import { TPU530 } from './wiring/tpu530-one-scaler';
import { TPU531 } from './wiring/tpu531-picker-metric-source';
import { TPU532 } from './wiring/tpu532-picker-metric-name';
import { TPU533 } from './wiring/tpu533-fast-scale-down';
import { TPU534 } from './wiring/tpu534-autoscaling-metric';
import { TPU535 } from './wiring/tpu535-scale-to-zero';
import { TPU536 } from './wiring/tpu536-flow-control';
import { TPU537 } from './wiring/tpu537-node-pool-limit';
import { TPU551 } from './gateway/tpu551-pool-selector';
import { TPU552 } from './gateway/tpu552-pool-port';
import { TPU553 } from './gateway/tpu553-picker-service';
import { TPU554 } from './gateway/tpu554-picker-configuration';
import { TPU555 } from './gateway/tpu555-picker-plugins';
import { TPU556 } from './gateway/tpu556-picker-flags';
import { TPU557 } from './gateway/tpu557-picker-replicas';
import { TPU558 } from './gateway/tpu558-pool-namespace';
import { TPU559 } from './gateway/tpu559-one-policy';
import { TPU560 } from './gateway/tpu560-pool-health-check';
import { TPU561 } from './gateway/tpu561-request-timeout';
import { TPU562 } from './gateway/tpu562-role-namespace';
import { TPU563 } from './gateway/tpu563-gateway-routes';
import { TPU564 } from './gateway/tpu564-route-backend';
import { TPU565 } from './gateway/tpu565-route-timeouts';
import { TPU566 } from './gateway/tpu566-failure-mode';
import { TPU567 } from './gateway/tpu567-picker-grace';
import { TPU568 } from './gateway/tpu568-extension-crds';
import { TPU569 } from './gateway/tpu569-pool-session-affinity';
import { TPU570 } from './gateway/tpu570-health-check-time';
import { TPU571 } from './gateway/tpu571-model-names';
import { TPU572 } from './gateway/tpu572-gateway-class';
import { TPU573 } from './gateway/tpu573-picker-health';
import { TPU601 } from './ray/tpu601-kuberay-labels';
import { TPU602 } from './ray/tpu602-image';
import { TPU603 } from './ray/tpu603-ray-name';
import { TPU604 } from './ray/tpu604-serve-config';
import { TPU605 } from './ray/tpu605-worker-replicas';
import { TPU606 } from './ray/tpu606-webhook-affinity';
import { TPU607 } from './ray/tpu607-ray-version';
import { TPU608 } from './ray/tpu608-network-policy';
import { TPU609 } from './ray/tpu609-pinned-code';
import { TPU701 } from './hygiene/tpu701-pinned-image';
import { TPU702 } from './hygiene/tpu702-token';
import { TPU703 } from './hygiene/tpu703-duplicate-object';
import { TPU704 } from './hygiene/tpu704-privileged';
import { TPU705 } from './hygiene/tpu705-host-network';
import { TPU706 } from './hygiene/tpu706-pod-security';
import { TPU711 } from './admission/tpu711-strings';
import { TPU712 } from './admission/tpu712-label-syntax';
import { TPU713 } from './admission/tpu713-names';
import { TPU714 } from './admission/tpu714-quantities';
import { TPU715 } from './admission/tpu715-duplicate-names';
import { TPU716 } from './admission/tpu716-ports';
import { TPU717 } from './admission/tpu717-named-ports';
import { TPU718 } from './admission/tpu718-own-selector';
import { TPU719 } from './admission/tpu719-refused-values';
import { TPU720 } from './admission/tpu720-empty-lists';
import { TPU721 } from './admission/tpu721-kinds';
import { TPU722 } from './admission/tpu722-unknown-fields';
import { TPU725 } from './admission/tpu725-group-values';
import { TPU801 } from './drift/tpu801-jobset-defaults';
import { TPU802 } from './drift/tpu802-ray-defaults';
import { TPU803 } from './drift/tpu803-quantity-strings';
import { TPU804 } from './drift/tpu804-unset-values';
import { TPU805 } from './drift/tpu805-stored-defaults';
import { TPU901 } from './document/tpu901-not-an-object';
import { TPU902 } from './document/tpu902-acceptance';
import { TPU903 } from './document/tpu903-unused-acceptance';
import { TPU904 } from './document/tpu904-placeholders';
import { TPU905 } from './document/tpu905-unknown-kind';
import { TPU906 } from './document/tpu906-kustomization';
import { TPU911 } from './synth/tpu911-lost-value';
import { TPU912 } from './synth/tpu912-lost-override';
import { TPU913 } from './synth/tpu913-stray-override';

/** Every rule over manifests, in the order of the codes. */
export const RULES: readonly Rule[] = [
  TPU101,
  TPU102,
  TPU103,
  TPU104,
  TPU105,
  TPU106,
  TPU107,
  TPU108,
  TPU109,
  TPU110,
  TPU111,
  TPU112,
  TPU113,
  TPU114,
  TPU115,
  TPU116,
  TPU117,
  TPU118,
  TPU119,
  TPU120,
  TPU121,
  TPU122,
  TPU123,
  TPU201,
  TPU202,
  TPU203,
  TPU204,
  TPU205,
  TPU206,
  TPU207,
  TPU208,
  TPU209,
  TPU210,
  TPU211,
  TPU212,
  TPU213,
  TPU214,
  TPU215,
  TPU216,
  TPU217,
  TPU218,
  TPU219,
  TPU301,
  TPU302,
  TPU303,
  TPU304,
  TPU305,
  TPU306,
  TPU307,
  TPU308,
  TPU309,
  TPU310,
  TPU311,
  TPU312,
  TPU320,
  TPU321,
  TPU322,
  TPU323,
  TPU324,
  TPU325,
  TPU326,
  TPU327,
  TPU328,
  TPU329,
  TPU330,
  TPU331,
  TPU332,
  TPU333,
  TPU334,
  TPU335,
  TPU336,
  TPU401,
  TPU402,
  TPU403,
  TPU404,
  TPU405,
  TPU406,
  TPU407,
  TPU408,
  TPU409,
  TPU410,
  TPU411,
  TPU412,
  TPU413,
  TPU414,
  TPU415,
  TPU416,
  TPU417,
  TPU418,
  TPU501,
  TPU502,
  TPU503,
  TPU504,
  TPU505,
  TPU506,
  TPU507,
  TPU508,
  TPU509,
  TPU510,
  TPU511,
  TPU512,
  TPU513,
  TPU514,
  TPU515,
  TPU516,
  TPU517,
  TPU518,
  TPU519,
  TPU520,
  TPU521,
  TPU522,
  TPU530,
  TPU531,
  TPU532,
  TPU533,
  TPU534,
  TPU535,
  TPU536,
  TPU537,
  TPU551,
  TPU552,
  TPU553,
  TPU554,
  TPU555,
  TPU556,
  TPU557,
  TPU558,
  TPU559,
  TPU560,
  TPU561,
  TPU562,
  TPU563,
  TPU564,
  TPU565,
  TPU566,
  TPU567,
  TPU568,
  TPU569,
  TPU570,
  TPU571,
  TPU572,
  TPU573,
  TPU601,
  TPU602,
  TPU603,
  TPU604,
  TPU605,
  TPU606,
  TPU607,
  TPU608,
  TPU609,
  TPU701,
  TPU702,
  TPU703,
  TPU704,
  TPU705,
  TPU706,
  TPU711,
  TPU712,
  TPU713,
  TPU714,
  TPU715,
  TPU716,
  TPU717,
  TPU718,
  TPU719,
  TPU720,
  TPU721,
  TPU722,
  TPU725,
  TPU801,
  TPU802,
  TPU803,
  TPU804,
  TPU805,
  TPU901,
  TPU902,
  TPU903,
  TPU904,
  TPU905,
  TPU906,
];

/** Every rule that needs to know what a construct was given. */
export const SYNTH_RULES: readonly Rule[] = [TPU911, TPU912, TPU913];
