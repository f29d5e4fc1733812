// Written by `npm run rules`: run it after you add, rename or remove a rule, or change its severities or kinds.
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
import { TPU215 } from './hosts/tpu215-stateful-set';
import { TPU217 } from './hosts/tpu217-leader-ready';
import { TPU218 } from './hosts/tpu218-group-service';
import { TPU219 } from './hosts/tpu219-one-slice';
import { TPU301 } from './startup/tpu301-startup-probe';
import { TPU303 } from './startup/tpu303-probe-port';
import { TPU308 } from './startup/tpu308-pre-stop';
import { TPU309 } from './startup/tpu309-liveness-probe';
import { TPU401 } from './storage/tpu401-sidecar-annotation';
import { TPU403 } from './storage/tpu403-volume-mount';
import { TPU404 } from './storage/tpu404-bucket-name';
import { TPU407 } from './storage/tpu407-medium';
import { TPU409 } from './storage/tpu409-sidecar-limit';
import { TPU411 } from './storage/tpu411-reserved-volumes';
import { TPU417 } from './storage/tpu417-single-node-volume';
import { TPU501 } from './wiring/tpu501-service-selector';
import { TPU502 } from './wiring/tpu502-target-port';
import { TPU503 } from './wiring/tpu503-monitoring-selector';
import { TPU504 } from './wiring/tpu504-monitoring-port';
import { TPU505 } from './wiring/tpu505-interval';
import { TPU506 } from './wiring/tpu506-scale-target';
import { TPU507 } from './wiring/tpu507-metric-name';
import { TPU508 } from './wiring/tpu508-retired-metric';
import { TPU509 } from './wiring/tpu509-gauge';
import { TPU511 } from './wiring/tpu511-autoscaler-numbers';
import { TPU515 } from './wiring/tpu515-secrets';
import { TPU516 } from './wiring/tpu516-service-ports';
import { TPU517 } from './wiring/tpu517-server-port';
import { TPU519 } from './wiring/tpu519-config-maps';
import { TPU530 } from './wiring/tpu530-one-scaler';
import { TPU531 } from './wiring/tpu531-picker-metric-source';
import { TPU534 } from './wiring/tpu534-autoscaling-metric';
import { TPU551 } from './gateway/tpu551-pool-selector';
import { TPU552 } from './gateway/tpu552-pool-port';
import { TPU553 } from './gateway/tpu553-picker-service';
import { TPU554 } from './gateway/tpu554-picker-configuration';
import { TPU555 } from './gateway/tpu555-picker-plugins';
import { TPU556 } from './gateway/tpu556-picker-flags';
import { TPU558 } from './gateway/tpu558-pool-namespace';
import { TPU560 } from './gateway/tpu560-pool-health-check';
import { TPU563 } from './gateway/tpu563-gateway-routes';
import { TPU564 } from './gateway/tpu564-route-backend';
import { TPU569 } from './gateway/tpu569-pool-session-affinity';
import { TPU570 } from './gateway/tpu570-health-check-time';
import { TPU601 } from './ray/tpu601-kuberay-labels';
import { TPU602 } from './ray/tpu602-image';
import { TPU603 } from './ray/tpu603-ray-name';
import { TPU604 } from './ray/tpu604-serve-config';
import { TPU605 } from './ray/tpu605-worker-replicas';
import { TPU608 } from './ray/tpu608-network-policy';
import { TPU702 } from './hygiene/tpu702-token';
import { TPU703 } from './hygiene/tpu703-duplicate-object';
import { TPU711 } from './admission/tpu711-strings';
import { TPU712 } from './admission/tpu712-label-syntax';
import { TPU713 } from './admission/tpu713-names';
import { TPU714 } from './admission/tpu714-quantities';
import { TPU715 } from './admission/tpu715-duplicate-names';
import { TPU716 } from './admission/tpu716-ports';
import { TPU717 } from './admission/tpu717-named-ports';
import { TPU718 } from './admission/tpu718-own-selector';
import { TPU719 } from './admission/tpu719-refused-values';
import { TPU721 } from './admission/tpu721-kinds';
import { TPU722 } from './admission/tpu722-unknown-fields';
import { TPU725 } from './admission/tpu725-group-values';
import { TPU911 } from './synth/tpu911-lost-value';
import { TPU912 } from './synth/tpu912-lost-override';
import { TPU913 } from './synth/tpu913-stray-override';

/** The codes of all rules. */
export const CODES: ReadonlySet<string> = new Set([
  'TPU911',
  'TPU912',
  'TPU913',
  'TPU101',
  'TPU102',
  'TPU103',
  'TPU104',
  'TPU105',
  'TPU106',
  'TPU107',
  'TPU108',
  'TPU109',
  'TPU110',
  'TPU111',
  'TPU112',
  'TPU113',
  'TPU114',
  'TPU115',
  'TPU116',
  'TPU117',
  'TPU118',
  'TPU119',
  'TPU120',
  'TPU121',
  'TPU122',
  'TPU123',
  'TPU201',
  'TPU202',
  'TPU203',
  'TPU204',
  'TPU205',
  'TPU206',
  'TPU207',
  'TPU208',
  'TPU209',
  'TPU210',
  'TPU211',
  'TPU212',
  'TPU213',
  'TPU214',
  'TPU215',
  'TPU216',
  'TPU217',
  'TPU218',
  'TPU219',
  'TPU301',
  'TPU302',
  'TPU303',
  'TPU304',
  'TPU305',
  'TPU306',
  'TPU307',
  'TPU308',
  'TPU309',
  'TPU310',
  'TPU311',
  'TPU312',
  'TPU320',
  'TPU321',
  'TPU322',
  'TPU323',
  'TPU324',
  'TPU325',
  'TPU326',
  'TPU327',
  'TPU328',
  'TPU329',
  'TPU330',
  'TPU331',
  'TPU332',
  'TPU333',
  'TPU334',
  'TPU335',
  'TPU336',
  'TPU401',
  'TPU402',
  'TPU403',
  'TPU404',
  'TPU405',
  'TPU406',
  'TPU407',
  'TPU408',
  'TPU409',
  'TPU410',
  'TPU411',
  'TPU412',
  'TPU413',
  'TPU414',
  'TPU415',
  'TPU416',
  'TPU417',
  'TPU418',
  'TPU501',
  'TPU502',
  'TPU503',
  'TPU504',
  'TPU505',
  'TPU506',
  'TPU507',
  'TPU508',
  'TPU509',
  'TPU510',
  'TPU511',
  'TPU512',
  'TPU513',
  'TPU514',
  'TPU515',
  'TPU516',
  'TPU517',
  'TPU518',
  'TPU519',
  'TPU520',
  'TPU521',
  'TPU522',
  'TPU530',
  'TPU531',
  'TPU532',
  'TPU533',
  'TPU534',
  'TPU535',
  'TPU536',
  'TPU537',
  'TPU551',
  'TPU552',
  'TPU553',
  'TPU554',
  'TPU555',
  'TPU556',
  'TPU557',
  'TPU558',
  'TPU559',
  'TPU560',
  'TPU561',
  'TPU562',
  'TPU563',
  'TPU564',
  'TPU565',
  'TPU566',
  'TPU567',
  'TPU568',
  'TPU569',
  'TPU570',
  'TPU571',
  'TPU572',
  'TPU573',
  'TPU601',
  'TPU602',
  'TPU603',
  'TPU604',
  'TPU605',
  'TPU606',
  'TPU607',
  'TPU608',
  'TPU609',
  'TPU701',
  'TPU702',
  'TPU703',
  'TPU704',
  'TPU705',
  'TPU706',
  'TPU711',
  'TPU712',
  'TPU713',
  'TPU714',
  'TPU715',
  'TPU716',
  'TPU717',
  'TPU718',
  'TPU719',
  'TPU720',
  'TPU721',
  'TPU722',
  'TPU725',
  'TPU801',
  'TPU802',
  'TPU803',
  'TPU804',
  'TPU805',
  'TPU901',
  'TPU902',
  'TPU903',
  'TPU904',
  'TPU905',
  'TPU906',
]);

/** A rule that loads at its first use. */
interface WaitingRule {
  readonly kinds: Rule['kinds'];
  readonly load: () => Rule;
}

/** The rules that can report errors, on which alone a synth fails. In the package, each loads when an app renders one of its kinds. */
export const ERROR_RULES: readonly WaitingRule[] = [
  { kinds: ['any'], load: () => TPU911 },
  { kinds: ['any'], load: () => TPU912 },
  { kinds: ['any'], load: () => TPU913 },
  { kinds: ['pods'], load: () => TPU101 },
  { kinds: ['pods'], load: () => TPU102 },
  { kinds: ['pods'], load: () => TPU103 },
  { kinds: ['pods'], load: () => TPU104 },
  { kinds: ['pods'], load: () => TPU105 },
  { kinds: ['pods'], load: () => TPU106 },
  { kinds: ['pods'], load: () => TPU107 },
  { kinds: ['pods'], load: () => TPU108 },
  { kinds: ['pods'], load: () => TPU109 },
  { kinds: ['pods'], load: () => TPU110 },
  { kinds: ['pods'], load: () => TPU111 },
  { kinds: ['pods'], load: () => TPU112 },
  { kinds: ['pods'], load: () => TPU113 },
  { kinds: ['pods'], load: () => TPU114 },
  { kinds: ['pods'], load: () => TPU115 },
  { kinds: ['pods'], load: () => TPU116 },
  { kinds: ['pods', 'ComputeClass'], load: () => TPU117 },
  { kinds: ['pods'], load: () => TPU118 },
  { kinds: ['pods'], load: () => TPU119 },
  { kinds: ['pods'], load: () => TPU120 },
  { kinds: ['pods'], load: () => TPU201 },
  { kinds: ['pods'], load: () => TPU202 },
  { kinds: ['pods'], load: () => TPU203 },
  { kinds: ['pods'], load: () => TPU204 },
  { kinds: ['pods'], load: () => TPU205 },
  { kinds: ['pods'], load: () => TPU206 },
  { kinds: ['pods'], load: () => TPU207 },
  { kinds: ['pods'], load: () => TPU208 },
  { kinds: ['pods', 'Service'], load: () => TPU209 },
  { kinds: ['pods', 'Service'], load: () => TPU210 },
  { kinds: ['pods', 'Service'], load: () => TPU211 },
  { kinds: ['pods', 'HorizontalPodAutoscaler', 'ScaledObject'], load: () => TPU212 },
  { kinds: ['pods'], load: () => TPU213 },
  { kinds: ['pods'], load: () => TPU215 },
  { kinds: ['LeaderWorkerSet'], load: () => TPU217 },
  { kinds: ['Service', 'LeaderWorkerSet'], load: () => TPU218 },
  { kinds: ['LeaderWorkerSet'], load: () => TPU219 },
  { kinds: ['pods', 'Service'], load: () => TPU301 },
  { kinds: ['pods'], load: () => TPU303 },
  { kinds: ['pods'], load: () => TPU308 },
  { kinds: ['pods'], load: () => TPU309 },
  { kinds: ['pods', 'PersistentVolume', 'PersistentVolumeClaim'], load: () => TPU401 },
  { kinds: ['pods'], load: () => TPU403 },
  { kinds: ['pods', 'PersistentVolume'], load: () => TPU404 },
  { kinds: ['pods'], load: () => TPU407 },
  { kinds: ['pods', 'PersistentVolume', 'PersistentVolumeClaim'], load: () => TPU409 },
  { kinds: ['pods', 'PersistentVolume', 'PersistentVolumeClaim'], load: () => TPU411 },
  { kinds: ['Deployment', 'LeaderWorkerSet'], load: () => TPU417 },
  { kinds: ['pods', 'Service'], load: () => TPU501 },
  { kinds: ['pods', 'Service'], load: () => TPU502 },
  { kinds: ['pods', 'ClusterPodMonitoring', 'PodMonitoring'], load: () => TPU503 },
  { kinds: ['pods', 'ClusterPodMonitoring', 'PodMonitoring'], load: () => TPU504 },
  { kinds: ['ClusterPodMonitoring', 'PodMonitoring'], load: () => TPU505 },
  { kinds: ['HorizontalPodAutoscaler', 'ScaledObject'], load: () => TPU506 },
  { kinds: ['HorizontalPodAutoscaler'], load: () => TPU507 },
  { kinds: ['HorizontalPodAutoscaler', 'ScaledObject'], load: () => TPU508 },
  { kinds: ['HorizontalPodAutoscaler'], load: () => TPU509 },
  { kinds: ['HorizontalPodAutoscaler', 'ScaledObject'], load: () => TPU511 },
  { kinds: ['pods', 'SecretProviderClass'], load: () => TPU515 },
  { kinds: ['Service'], load: () => TPU516 },
  { kinds: ['pods', 'ClusterPodMonitoring', 'PodMonitoring', 'Service'], load: () => TPU517 },
  { kinds: ['pods', 'ConfigMap'], load: () => TPU519 },
  { kinds: ['HorizontalPodAutoscaler', 'ScaledObject'], load: () => TPU530 },
  { kinds: ['HorizontalPodAutoscaler'], load: () => TPU531 },
  { kinds: ['AutoscalingMetric', 'HorizontalPodAutoscaler'], load: () => TPU534 },
  { kinds: ['pods', 'InferencePool'], load: () => TPU551 },
  { kinds: ['pods', 'InferencePool'], load: () => TPU552 },
  { kinds: ['InferencePool', 'Service'], load: () => TPU553 },
  { kinds: ['pods', 'ConfigMap'], load: () => TPU554 },
  { kinds: ['ConfigMap'], load: () => TPU555 },
  { kinds: ['pods'], load: () => TPU556 },
  { kinds: ['HealthCheckPolicy', 'GCPBackendPolicy', 'HTTPRoute'], load: () => TPU558 },
  { kinds: ['InferencePool', 'HealthCheckPolicy'], load: () => TPU560 },
  { kinds: ['HTTPRoute'], load: () => TPU563 },
  { kinds: ['HTTPRoute'], load: () => TPU564 },
  { kinds: ['GCPBackendPolicy'], load: () => TPU569 },
  { kinds: ['HealthCheckPolicy'], load: () => TPU570 },
  { kinds: ['pods'], load: () => TPU601 },
  { kinds: ['pods'], load: () => TPU602 },
  { kinds: ['any'], load: () => TPU603 },
  { kinds: ['RayService'], load: () => TPU604 },
  { kinds: ['pods'], load: () => TPU605 },
  { kinds: ['pods', 'NetworkPolicy'], load: () => TPU608 },
  { kinds: ['any'], load: () => TPU702 },
  { kinds: ['any'], load: () => TPU703 },
  { kinds: ['any'], load: () => TPU711 },
  { kinds: ['any'], load: () => TPU712 },
  { kinds: ['any'], load: () => TPU713 },
  { kinds: ['pods', 'PersistentVolumeClaim'], load: () => TPU714 },
  { kinds: ['pods', 'JobSet', 'Service'], load: () => TPU715 },
  { kinds: ['pods', 'Service'], load: () => TPU716 },
  { kinds: ['Service'], load: () => TPU717 },
  { kinds: ['pods'], load: () => TPU718 },
  { kinds: ['pods', 'HorizontalPodAutoscaler', 'PodMonitoring', 'ClusterPodMonitoring'], load: () => TPU719 },
  { kinds: ['any'], load: () => TPU721 },
  { kinds: ['any'], load: () => TPU722 },
  { kinds: ['LeaderWorkerSet'], load: () => TPU725 },
];
