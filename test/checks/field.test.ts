import { expectFindingDeclared } from './declared';
import { deployment, hosts, job, jobSet, leaderWorkerSet, rayJob, rayService, service } from './field-bases';
import { type Finding, findingsIn } from '../../lib/checks/check';
import { at, type Json, manifestObject } from '../../lib/manifest/manifest';
import { parse } from 'yaml';

// Regressions on public YAML, one manifest each: false findings, defects that no rule found, and values that the API server refuses.

function check(manifests: readonly Json[]): readonly Finding[] {
  const objects = manifests.map((manifest) => manifestObject(manifest));
  const findings = findingsIn(objects);
  for (const finding of findings) expectFindingDeclared(finding, objects);
  return findings;
}

const rows = (findings: readonly Finding[], codes: RegExp): readonly string[] =>
  findings
    .filter(({ code }) => codes.test(code))
    .map(
      ({ code, severity, path }) => `${code} ${severity} ${path.replace(/^.*containers\[[^\]]+\]\.?/, '…')}`,
    );

const yaml = (source: string): Json => parse(source) as Json;

/** A pod template of a Deployment. */
const pod = (patch: string): Json => deployment(`{ spec: { template: { spec: ${patch} } } }`);
/** The container of a Deployment's pods. */
const vllm = (patch: string, name = 'vllm-tpu'): Json => pod(`{ containers: [{ name: ${name}, ${patch} }] }`);

const probe = (seconds: number): string =>
  `{ httpGet: { path: /health, port: 8000 }, timeoutSeconds: 10, initialDelaySeconds: ${String(seconds)} }`;

/** A JobSet that is annotated for exclusive topologies in its replicated job alone. */
function placed(start: string): Json {
  const annotation = '{ alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool }';
  const end = '}'.repeat(start.split('{').length - 1);
  return jobSet(
    `{ metadata: { annotations: null }, spec: { replicatedJobs: [{ name: slice, ${start}${annotation}${end} }] } }`,
  );
}

const computeClass = (topology: string): Json =>
  yaml(
    `{ apiVersion: cloud.google.com/v1, kind: ComputeClass, metadata: { name: tpu }, spec: { priorities: [{ tpu: { type: tpu-v6e-slice, count: 8, topology: ${topology} } }], nodePoolAutoCreation: { enabled: true } } }`,
  );

/** An Indexed Job with three pods. */
const independent = (topology: string, chips: number): Json =>
  job(
    `{ spec: { completions: 3, parallelism: 3, template: { spec: { subdomain: ${topology === '1x1' ? 'null' : 'train-hosts'}, nodeSelector: { cloud.google.com/gke-tpu-topology: ${topology} }, containers: [{ name: train, resources: { limits: { google.com/tpu: '${String(chips)}' } } }] } } } }`,
  );

/** A Deployment in a named node pool. */
const chips = (number: string): Json =>
  pod(
    `{ nodeSelector: { cloud.google.com/gke-nodepool: tpu, cloud.google.com/gke-tpu-accelerator: null, cloud.google.com/gke-tpu-topology: null }, containers: [{ name: vllm-tpu, resources: { requests: null, limits: { google.com/tpu: '${number}' } } }] }`,
  );

/** A JobSet without a topology to select, and annotations of its pods. */
const sliced = (annotations: string): Json =>
  jobSet(
    `{ metadata: { annotations: null }, spec: { replicatedJobs: [{ name: slice, replicas: 2, template: { spec: { parallelism: 32, completions: 32, template: { metadata: { annotations: ${annotations} }, spec: { nodeSelector: { cloud.google.com/gke-tpu-accelerator: tpu7x, cloud.google.com/gke-tpu-topology: null } } } } } }] } }`,
  );

const scaler = (kind: string, name: string): Json =>
  yaml(
    `{ apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: { name: a }, spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: apps/v1, kind: ${kind}, name: ${name} } } }`,
  );

/** A JobSet that mounts the volume of a claim that its controller creates. */
const claiming = (claim: string): Json =>
  jobSet(
    `{ spec: { volumeClaimPolicies: [{ templates: [{ metadata: { name: ${claim} } }] }], replicatedJobs: [{ name: slice, template: { spec: { template: { spec: { containers: [{ name: train, volumeMounts: [{ name: shared, mountPath: /shared }] }] } } } } }] } }`,
  );

const monitor = (kind: string, selector: string): Json =>
  yaml(
    `{ apiVersion: monitoring.coreos.com/v1, kind: ${kind}, metadata: { name: a }, spec: { selector: ${selector} } }`,
  );

/** A JobSet with retries of its pods. */
const retried = (image: string): Json =>
  jobSet(
    `{ spec: { replicatedJobs: [{ name: slice, template: { spec: { backoffLimit: 16, template: { spec: { containers: [{ name: train, image: '${image}' }] } } } } }] } }`,
  );

const rayGroup = (patch: string): Json =>
  rayService(`{ spec: { rayClusterConfig: { workerGroupSpecs: [{ groupName: tpu-group, ${patch} }] } } }`);

const route = (rule: string): Json =>
  yaml(
    `{ apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: { name: a }, spec: { rules: [{ ${rule} }] } }`,
  );

/** A RayService without the fields that its operator adds, whose worker requests 8 of a resource, as a number. */
const rayDrift = (resources: string, nodes: string): Json =>
  rayGroup(
    `scaleStrategy: null, template: { spec: { nodeSelector: ${nodes}, containers: [{ name: ray-worker, resources: { limits: ${resources} } }] } }`,
  );

/** A Deployment of one pod on the first of four hosts. */
const oneOfFour = (container: string): Json =>
  pod(
    `{ nodeSelector: { cloud.google.com/gke-tpu-topology: 4x4 }, containers: [{ name: vllm-tpu, ${container}, resources: { limits: { google.com/tpu: '4' } } }] }`,
  );

/** A RayService whose worker requests chips as a number. */
const rayWithNumbers = rayGroup(
  'template: { spec: { containers: [{ name: ray-worker, resources: { limits: { google.com/tpu: 8 } } }] } }',
);

test('the unchanged manifests have no errors and warnings', () => {
  const alone = [deployment(), jobSet(), leaderWorkerSet(), rayService(), rayJob()];
  for (const set of [...alone.map((one) => [one]), [deployment(), service()], [job(), hosts()]])
    expect(check(set).filter(({ severity }) => severity !== 'note')).toEqual([]);
});

interface False {
  readonly codes: RegExp;
  /** What is right, and was found wrong. */
  readonly right: readonly (readonly Json[])[];
  /** A manifest close to it that the rule is about. */
  readonly wrong: readonly Json[];
  readonly found: readonly string[];
  /** Severity of findings that correct manifests may have. */
  readonly except?: 'warning' | 'note';
}

describe('the rules accept correct manifests', () => {
  const account = yaml(
    `{ apiVersion: v1, kind: ServiceAccount, metadata: { name: vllm }, automountServiceAccountToken: false }`,
  );
  test.each<[string, False]>([
    [
      'TPU716: a targetPort of 0 means the port',
      {
        codes: /TPU716/,
        right: [[deployment(), service('{ spec: { ports: [{ port: 8000, targetPort: 0 }] } }')]],
        wrong: [deployment(), service('{ spec: { ports: [{ port: 0, targetPort: 8000 }] } }')],
        found: ['TPU716 error spec.ports[0].port'],
      },
    ],
    [
      'TPU722: SOPS adds a field to encrypted files',
      {
        codes: /TPU722/,
        right: [
          [yaml('{ apiVersion: v1, kind: Secret, metadata: { name: a }, data: { a: b }, sops: { mac: c } }')],
        ],
        wrong: [
          yaml('{ apiVersion: v1, kind: Secret, metadata: { name: a }, dta: { a: b }, sops: { mac: c } }'),
        ],
        found: ['TPU722 error dta'],
      },
    ],
    [
      'TPU713: values of a Helm chart can have a kind',
      {
        codes: /TPU713/,
        right: [[yaml('{ kind: CronJob, image: { tag: v1 } }')]],
        wrong: [yaml('{ apiVersion: batch/v1, kind: CronJob, image: { tag: v1 } }')],
        found: ['TPU713 error metadata.name'],
      },
    ],
    [
      'TPU722: experimental channels and other releases have more fields',
      {
        codes: /TPU722/,
        right: [
          [route('retry: { attempts: 2 }')],
          [route('filters: [{ type: ExternalAuth, externalAuth: { protocol: HTTP } }]')],
          [route('sessionPersistence: { sessionName: a, cookieConfig: { lifetimeType: Session } }')],
          [pod('{ evictionResponders: [], workloadRef: { name: a, podGroup: b } }')],
          [rayJob('{ spec: { deletionPolicy: DeleteCluster } }')],
        ],
        wrong: [route('retr: { attempts: 2 }')],
        found: ['TPU722 error spec.rules[0].retr'],
      },
    ],
    [
      'TPU722: a field of known words can be new',
      {
        codes: /TPU722/,
        right: [
          [vllm('ports: [{ containerPort: 8000, hostIPs: [10.0.0.1] }]')],
          [pod('{ volumes: [{ name: dshm, emptyDir: { modes: [a] } }] }')],
        ],
        wrong: [vllm('ports: [{ containerPort: 8000, hostPI: 10.0.0.1 }]')],
        found: ['TPU722 error …ports[0].hostPI'],
        except: 'warning',
      },
    ],
    [
      'TPU802 and TPU803: workloads without TPUs',
      {
        codes: /TPU80[23]/,
        right: [[deployment(), rayDrift('{ google.com/tpu: null, nvidia.com/gpu: 8 }', 'null')]],
        wrong: [rayDrift('{ google.com/tpu: 8 }', '{}')],
        found: [
          'TPU802 warning spec.rayClusterConfig.workerGroupSpecs[tpu-group]',
          'TPU803 warning …resources.limits[google.com/tpu]',
        ],
      },
    ],
    [
      'TPU202: a pod that sleeps does not use its chips',
      {
        codes: /TPU202/,
        right: ['[sleep, infinity]', '[bash, -c, sleep 1d]', '[tail, -f, /dev/null]'].map((command) => [
          oneOfFour(`command: ${command}, args: null`),
        ]),
        wrong: [oneOfFour('command: [bash, -c, sleep 10 && vllm serve a], args: null')],
        found: ['TPU202 error spec.template.spec.nodeSelector[cloud.google.com/gke-tpu-topology]'],
        except: 'warning',
      },
    ],
    [
      'TPU405: the folder of the weights in HF_HOME is on a volume',
      {
        codes: /TPU405/,
        right: ['/cache/hf', '/cache/hf/hub'].map((mountPath) => [
          vllm(
            `env: [{ name: HF_HOME, value: /cache/hf }], volumeMounts: [{ name: hf, mountPath: ${mountPath} }]`,
          ),
        ]),
        wrong: [
          vllm(
            'env: [{ name: HF_HOME, value: /cache/hf }], volumeMounts: [{ name: hf, mountPath: /cache/jax }]',
          ),
        ],
        found: ['TPU405 warning …env[HF_HOME]'],
      },
    ],
    [
      'TPU713: a launcher names the object of a template',
      {
        codes: /TPU713/,
        right: [
          [
            jobSet(
              '{ metadata: { name: null }, spec: { replicatedJobs: [{ name: slice, template: { spec: { template: { spec: { containers: [{ name: train, image: "${IMAGE}" }] } } } } }] } }',
            ),
          ],
        ],
        wrong: [jobSet('{ metadata: { name: null } }')],
        found: ['TPU713 error metadata.name'],
      },
    ],
    [
      'TPU336: TPU701 reports a tag that moves',
      {
        codes: /TPU336/,
        right: ['vllm/vllm-tpu', 'vllm/vllm-tpu:latest', 'localhost:5000/vllm-tpu'].map((image) => [
          vllm(`image: '${image}'`),
        ]),
        wrong: [vllm('image: vllm/vllm-tpu:nightly-20260816-11250b4-1d2d83a')],
        found: ['TPU336 note …image'],
      },
    ],
    [
      'TPU106: a topology without an accelerator is enough for pods of an existing node pool',
      {
        codes: /TPU106/,
        right: [[pod('{ nodeSelector: { cloud.google.com/gke-tpu-accelerator: null } }')]],
        wrong: [pod('{ nodeSelector: null }')],
        found: ['TPU106 error spec.template.spec.nodeSelector'],
        except: 'warning',
      },
    ],
    [
      'TPU506: a target without a similar workload is in other manifests',
      {
        codes: /TPU506/,
        right: [
          [deployment(), deployment('{ metadata: { name: router } }'), scaler('Deployment', 'gateway')],
        ],
        wrong: [deployment(), deployment('{ metadata: { name: router } }'), scaler('Deployment', 'ruoter')],
        found: ['TPU506 error spec.scaleTargetRef.name'],
        except: 'note',
      },
    ],
    [
      'TPU501: a component that is not among the manifests is in other manifests',
      {
        codes: /TPU501/,
        right: [
          [
            deployment(),
            deployment('{ metadata: { name: b }, spec: { template: { metadata: { labels: { app: b } } } } }'),
            service('{ metadata: { name: c }, spec: { selector: { app: loadgenerator } } }'),
          ],
        ],
        wrong: [
          deployment(),
          deployment('{ metadata: { name: b }, spec: { template: { metadata: { labels: { app: b } } } } }'),
          service('{ metadata: { name: c }, spec: { selector: { app: vlm-tpu } } }'),
        ],
        found: ['TPU501 error spec.selector'],
        except: 'note',
      },
    ],
    [
      'TPU403: a JobSet adds the volumes of its claims',
      {
        codes: /TPU403/,
        right: [[claiming('shared')]],
        wrong: [claiming('other')],
        found: ['TPU403 error …volumeMounts[shared]'],
      },
    ],
    [
      'TPU721: a kubeconfig file is not an object',
      {
        codes: /TPU721/,
        right: [[yaml('{ apiVersion: v1, kind: Config, clusters: [], contexts: [], users: [] }')]],
        wrong: [yaml('{ apiVersion: v1, kind: ConfgMap, metadata: { name: a }, data: { tpu: a } }')],
        found: ['TPU721 error kind'],
      },
    ],
    [
      'TPU302: vLLM opens its port when its engine is ready',
      {
        codes: /TPU302/,
        right: [[vllm('startupProbe: { httpGet: null, tcpSocket: { port: 8000 } }')]],
        wrong: [
          vllm(
            `image: 'us-docker.pkg.dev/cloud-tpu-images/inference/sax-model-server:v1.2.0', command: null, args: [--sax_cell=/sax/test, --port=8000], startupProbe: { httpGet: null, tcpSocket: { port: 8000 } }`,
          ),
        ],
        found: ['TPU302 warning …startupProbe.tcpSocket'],
      },
    ],
    [
      'TPU301: a readinessProbe alone waits',
      {
        codes: /TPU301/,
        right: [[vllm(`startupProbe: null, readinessProbe: ${probe(0)}`), service()]],
        wrong: [vllm(`startupProbe: null, livenessProbe: ${probe(60)}`), service()],
        found: ['TPU301 error …startupProbe'],
      },
    ],
    [
      'TPU301: a long livenessProbe waits, and without probes nothing restarts the server',
      {
        codes: /TPU301/,
        right: [[vllm(`startupProbe: null, livenessProbe: ${probe(3600)}`)]],
        wrong: [vllm('startupProbe: null')],
        found: ['TPU301 note …startupProbe'],
      },
    ],
    [
      'TPU213: JobSet reads the annotation on the Job and on the pod template',
      {
        codes: /TPU21[23]/,
        right: [
          [placed('template: { metadata: { annotations: ')],
          [placed('template: { spec: { template: { metadata: { annotations: ')],
        ],
        wrong: [placed('annotations: ')],
        found: [
          'TPU213 error spec.replicatedJobs[slice].annotations[alpha.jobset.sigs.k8s.io/exclusive-topology]',
        ],
      },
    ],
    [
      'TPU117: selectors that repeat a ComputeClass are redundant',
      {
        codes: /TPU117/,
        right: [[pod('{ nodeSelector: { cloud.google.com/compute-class: tpu } }')]],
        wrong: [pod('{ nodeSelector: { cloud.google.com/compute-class: tpu } }'), computeClass('2x4')],
        found: ['TPU117 note spec.template.spec.nodeSelector'],
      },
    ],
    [
      'TPU117: a ComputeClass that creates other nodes leaves the pods Pending',
      {
        codes: /TPU117/,
        right: [[deployment(), computeClass('4x4')]],
        wrong: [pod('{ nodeSelector: { cloud.google.com/compute-class: tpu } }'), computeClass('4x4')],
        found: ['TPU117 error spec.template.spec.nodeSelector'],
      },
    ],
    [
      'TPU201: any number of Indexed single-host pods is legal',
      {
        codes: /TPU201/,
        right: [[independent('1x1', 1)]],
        wrong: [independent('4x4', 4), hosts()],
        found: ['TPU201 error spec.parallelism'],
      },
    ],
    [
      'TPU106, TPU212: TPU Provisioner forms the slices and selects their nodes',
      {
        codes: /TPU106|TPU212/,
        right: [
          'tpu-provisioner.cloud.google.com/inject-slice-selector',
          'tpu-provisioner.cloud.google.com/slice-autoprovisioning',
        ].map((key) => [sliced(`{ ${key}: 'true' }`)]),
        wrong: [sliced(`{ tpu-provisioner.cloud.google.com/copy-labels: 'true' }`)],
        found: ['TPU106 error spec.replicatedJobs[slice].template.spec.template.spec.nodeSelector'],
      },
    ],
    [
      'TPU104: a host of a named node pool has at most 8 chips',
      {
        codes: /TPU104/,
        right: [[chips('8')], [chips('$CHIPS')]],
        wrong: [chips('16')],
        found: ['TPU104 error …resources'],
      },
    ],
    [
      'TPU106, TPU212: a dynamic slice has no topology to select',
      {
        codes: /TPU(106|212)/,
        right: [[sliced('{ cloud.google.com/gke-tpu-slice-topology: 4x4x8 }')]],
        wrong: [sliced('{}')],
        found: ['TPU106 error spec.replicatedJobs[slice].template.spec.template.spec.nodeSelector'],
      },
    ],
    [
      'TPU406: a volume that nothing mounts uses no memory',
      {
        codes: /TPU406/,
        right: [[pod('{ volumes: [{ name: scratch, emptyDir: { medium: Memory } }] }')]],
        wrong: [pod('{ volumes: [{ name: dshm, emptyDir: { sizeLimit: null } }] }')],
        found: ['TPU406 warning spec.template.spec.volumes[dshm].emptyDir.sizeLimit'],
      },
    ],
    [
      'TPU325: the logging of vLLM and of Ray flushes',
      {
        codes: /TPU325/,
        right: [[deployment()], [rayService()], [leaderWorkerSet()]],
        wrong: [vllm("image: 'example/jetstream-pytorch-server:v0.2.4', command: null")],
        found: ['TPU325 note …env[PYTHONUNBUFFERED]'],
      },
    ],
    [
      'TPU329: the ServiceAccount can disable the token',
      {
        codes: /TPU329/,
        right: [[pod('{ serviceAccountName: vllm }'), account]],
        wrong: [pod('{ serviceAccountName: vllm }')],
        found: ['TPU329 note spec.template.spec.automountServiceAccountToken'],
      },
    ],
    [
      'TPU515: a pod starts without its imagePullSecrets',
      {
        codes: /TPU515/,
        right: [[pod('{ imagePullSecrets: [{ name: registry }] }')]],
        wrong: [
          vllm('env: [{ name: HF_TOKEN, valueFrom: { secretKeyRef: { name: hf-secret, key: token } } }]'),
        ],
        found: ['TPU515 note …env[HF_TOKEN].valueFrom.secretKeyRef'],
      },
    ],
    [
      'TPU501: manifests can name the default namespace',
      {
        codes: /TPU501/,
        right: [
          [deployment(), service('{ metadata: { namespace: default } }')],
          [deployment('{ metadata: { namespace: default } }'), service()],
        ],
        wrong: [deployment(), service('{ spec: { selector: { app: vllm } } }')],
        found: ['TPU501 error spec.selector'],
      },
    ],
    [
      'TPU327: PodMonitors and ServiceMonitors also collect metrics',
      {
        codes: /TPU327/,
        right: [
          [deployment(), monitor('PodMonitor', '{ matchLabels: { app: vllm-tpu } }')],
          [
            deployment(),
            service('{ metadata: { labels: { team: serving } } }'),
            monitor('ServiceMonitor', '{ matchLabels: { team: serving } }'),
          ],
        ],
        wrong: [deployment(), monitor('PodMonitor', '{ matchLabels: { app: other } }')],
        found: ['TPU327 note …ports'],
      },
    ],
    [
      'TPU513: a server with an API key authenticates clients',
      {
        codes: /TPU513/,
        right: [
          [
            vllm('env: [{ name: VLLM_API_KEY, valueFrom: { secretKeyRef: { name: key, key: key } } }]'),
            service('{ spec: { type: LoadBalancer } }'),
          ],
          [
            vllm('args: [--tensor-parallel-size=8, --download-dir=/data, --api-key, $(KEY)]'),
            service('{ spec: { type: LoadBalancer } }'),
          ],
        ],
        wrong: [deployment(), service('{ spec: { type: LoadBalancer } }')],
        found: ['TPU513 warning spec.type'],
      },
    ],
    [
      'TPU320, TPU327: the workers of a LeaderWorkerSet get no requests',
      {
        codes: /TPU32[07]/,
        right: [
          [
            leaderWorkerSet(
              `{ spec: { leaderWorkerTemplate: { leaderTemplate: { spec: { containers: [{ name: vllm, lifecycle: { preStop: { exec: { command: [sleep, '10'] } } } }] } } } } }`,
            ),
            yaml(
              `{ apiVersion: monitoring.googleapis.com/v1, kind: PodMonitoring, metadata: { name: a }, spec: { selector: { matchLabels: { role: leader } }, endpoints: [{ port: 8000, interval: 15s }] } }`,
            ),
          ],
        ],
        wrong: [leaderWorkerSet()],
        found: ['TPU320 note …lifecycle.preStop', 'TPU327 note …ports'],
      },
    ],
    [
      'TPU332: Pathways restarts failed workers',
      {
        codes: /TPU332/,
        right: [[retried('us-docker.pkg.dev/cloud-tpu-v2-images/pathways/server:jax-0.5.3')]],
        wrong: [retried('us-docker.pkg.dev/example/train/server:v1')],
        found: ['TPU332 note spec.replicatedJobs[slice].template.spec.backoffLimit'],
      },
    ],
    [
      'TPU706: a manifest cannot change an image that runs as root',
      {
        codes: /TPU706/,
        right: [[deployment()], [vllm('securityContext: { privileged: true }')]],
        wrong: [vllm('securityContext: { allowPrivilegeEscalation: false }')],
        found: ['TPU706 note …securityContext.runAsNonRoot'],
      },
    ],
    [
      'TPU803: no controller converts the numbers of a RayCluster',
      {
        codes: /TPU803/,
        right: [
          [{ ...rayWithNumbers, kind: 'RayCluster', spec: at(rayWithNumbers, 'spec', 'rayClusterConfig') }],
          [vllm('resources: { limits: { google.com/tpu: 8 } }')],
        ],
        wrong: [rayWithNumbers],
        found: ['TPU803 warning …resources.limits[google.com/tpu]'],
      },
    ],
    [
      'TPU701: a placeholder has no tag',
      {
        codes: /TPU7/,
        right: ['$IMAGE', '${IMAGE}', 'REPLACE_ME', 'replaced-by-kustomize', '{{ .Values.image }}'].map(
          (image) => [vllm(`image: '${image}'`)],
        ),
        wrong: [vllm('image: vllm/vllm-tpu')],
        found: ['TPU701 warning …image'],
      },
    ],
  ])('%s', (_, { codes, right, wrong, found, except }) => {
    for (const set of right)
      expect(
        rows(
          check(set).filter(({ severity }) => severity !== except),
          codes,
        ),
      ).toEqual([]);
    expect(rows(check(wrong), codes)).toEqual(found);
  });
});

interface Defect {
  readonly manifests: readonly Json[];
  readonly codes: RegExp;
  readonly found: readonly string[];
  /** A part of what is said. */
  readonly says: string;
}

const template = (): string =>
  `{ metadata: { labels: { app: a } }, spec: { nodeSelector: { cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x4 }, containers: [{ name: main, image: 'example/a:v1', resources: { limits: { google.com/tpu: '3' } } }] } }`;

const group = (patch: string): Json => leaderWorkerSet(`{ spec: { leaderWorkerTemplate: { ${patch} } } }`);

/** A server that reads its weights by Cloud Storage FUSE, with an emptyDir in addition to the bucket. */
const fuse = (volume: string, options: string): Json =>
  deployment(`{ spec: { template: { metadata: { annotations: { gke-gcsfuse/volumes: 'true' } }, spec: { volumes: [
    { name: data, persistentVolumeClaim: null, csi: { driver: gcsfuse.csi.storage.gke.io, volumeAttributes: { bucketName: my-models, mountOptions: '${options}' } } },
    { name: ${volume}, emptyDir: { medium: Memory, sizeLimit: 100Gi } }] } } } }`);

const jobOf = (patch: string): Json =>
  jobSet(`{ spec: { replicatedJobs: [{ name: slice, template: { spec: { ${patch} } } }] } }`);

/** What the API server refuses, or the webhook of a controller. */
const refused: readonly [string, Defect][] = [
  [
    'a port that is declared twice',
    {
      manifests: [vllm('ports: [{ name: http, containerPort: 8000 }, { name: http, containerPort: 8001 }]')],
      codes: /TPU715/,
      found: ['TPU715 error …ports[http]'],
      says: 'exists twice',
    },
  ],
  [
    'a Service with one port twice',
    {
      manifests: [
        deployment(),
        service(
          '{ spec: { ports: [{ name: a, port: 80, targetPort: 8000 }, { name: b, port: 80, targetPort: 8000 }] } }',
        ),
      ],
      codes: /TPU715/,
      found: ['TPU715 error spec.ports[80/TCP]'],
      says: 'exists twice',
    },
  ],
  [
    'successThreshold of a startupProbe',
    {
      manifests: [vllm('startupProbe: { successThreshold: 2 }')],
      codes: /TPU719/,
      found: ['TPU719 error …startupProbe.successThreshold'],
      says: 'the API server accepts only 1',
    },
  ],
  [
    'minReplicas 0 of a HorizontalPodAutoscaler',
    {
      manifests: [
        deployment(),
        yaml(
          `{ apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: { name: a }, spec: { minReplicas: 0, maxReplicas: 4, scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: vllm-tpu }, metrics: [{ type: Pods, pods: { metric: { name: 'prometheus.googleapis.com|vllm:num_requests_waiting|gauge' }, target: { type: AverageValue, averageValue: 10 } } }] } }`,
        ),
      ],
      codes: /TPU719/,
      found: ['TPU719 error spec.minReplicas'],
      says: 'scale to 0 with KEDA',
    },
  ],
  [
    'a PodMonitoring without endpoints',
    {
      manifests: [
        deployment(),
        yaml(
          `{ apiVersion: monitoring.googleapis.com/v1, kind: PodMonitoring, metadata: { name: a }, spec: { selector: { matchLabels: { app: vllm-tpu } }, endpoints: [] } }`,
        ),
      ],
      codes: /TPU719/,
      found: ['TPU719 error spec.endpoints'],
      says: 'has no endpoints',
    },
  ],
  [
    'a subdomain of a JobSet that is not a valid Service name',
    {
      manifests: [jobSet('{ spec: { network: { subdomain: Multi_Slice } } }')],
      codes: /TPU719/,
      found: ['TPU719 error spec.network.subdomain'],
      says: 'is not a valid name for a Service',
    },
  ],
  [
    'a successPolicy with a job that the JobSet does not have',
    {
      manifests: [jobSet('{ spec: { successPolicy: { targetReplicatedJobs: [slices] } } }')],
      codes: /TPU719/,
      found: ['TPU719 error spec.successPolicy.targetReplicatedJobs'],
      says: "use 'slice'",
    },
  ],
  [
    'rayStartParams that are not strings',
    {
      manifests: [rayGroup('rayStartParams: { num-cpus: 4 }')],
      codes: /TPU719/,
      found: ['TPU719 error spec.rayClusterConfig.workerGroupSpecs[tpu-group].rayStartParams.num-cpus'],
      says: "accepts only strings; put it in quotes: '4'",
    },
  ],
  [
    'a worker group without groupName',
    {
      manifests: [
        rayService(
          `{ spec: { rayClusterConfig: { workerGroupSpecs: [{ numOfHosts: 1, scaleStrategy: {}, template: ${template()} }] } } }`,
        ),
      ],
      codes: /TPU719/,
      found: ['TPU719 error spec.rayClusterConfig.workerGroupSpecs[0].groupName'],
      says: 'has no groupName',
    },
  ],
  [
    'a negative backoffLimit',
    {
      manifests: [jobOf('backoffLimit: -1')],
      codes: /TPU(332|719)/,
      found: ['TPU719 error spec.replicatedJobs[slice].template.spec.backoffLimit'],
      says: 'backoffLimit is -1, which the API server refuses; set backoffLimit to 0 for no retries',
    },
  ],
  [
    'a field that is one typo away from a known one',
    {
      manifests: [vllm('volumeMount: [{ name: data, mountPath: /data }]')],
      codes: /TPU722/,
      found: ['TPU722 error …volumeMount'],
      says: "use 'volumeMounts'",
    },
  ],
  [
    'too many devices beside an invalid topology',
    {
      manifests: [
        pod(
          '{ nodeSelector: { cloud.google.com/gke-tpu-topology: 2x3 }, containers: [{ name: vllm-tpu, args: [--tensor-parallel-size=16] }] }',
        ),
      ],
      codes: /TPU102|TPU120/,
      found: [
        'TPU102 error spec.template.spec.nodeSelector[cloud.google.com/gke-tpu-topology]',
        'TPU120 error …args',
      ],
      says: 'has 8',
    },
  ],
  [
    'a field that no known release has',
    {
      manifests: [vllm('shmSize: 16Gi')],
      codes: /TPU722/,
      found: ['TPU722 warning …shmSize'],
      says: 'the schema of Deployment in kubernetes v',
    },
  ],
];

describe('the rules find', () => {
  test.each<[string, Defect]>([
    [
      'wrong chips of a PyTorchJob, whose hosts are not checked',
      {
        manifests: [
          yaml(
            `{ apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: { name: a }, spec: { pytorchReplicaSpecs: { Worker: { replicas: 1, template: ${template()} } } } }`,
          ),
        ],
        codes: /TPU(108|905)/,
        found: ['TPU108 error …resources', 'TPU905 note kind'],
        says: "the checks do not know kind 'PyTorchJob'",
      },
    ],
    [
      'wrong chips of a KServe InferenceService',
      {
        manifests: [
          yaml(
            `{ apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: { name: a }, spec: { predictor: { nodeSelector: { cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x4 }, containers: [{ name: kserve-container, image: 'example/a:v1', resources: { limits: { google.com/tpu: '3' } } }] } } }`,
          ),
        ],
        codes: /TPU(108|905)/,
        found: ['TPU108 error …resources', 'TPU905 note kind'],
        says: "container 'kserve-container' requests '3' google.com/tpu",
      },
    ],
    [
      'a misspelled kind and the problems of its pods',
      {
        manifests: [
          yaml(
            `{ apiVersion: apps/v1, kind: Deploymnet, metadata: { name: a }, spec: { selector: { matchLabels: { app: a } }, template: ${template()} } }`,
          ),
        ],
        codes: /TPU(108|721)/,
        found: ['TPU108 error …resources', 'TPU721 error kind'],
        says: "use 'Deployment'",
      },
    ],
    [
      'chips of a ResourceClaim, which are not checked',
      {
        manifests: [
          pod(
            '{ nodeSelector: null, resourceClaims: [{ name: tpu, resourceClaimTemplateName: tpus }], containers: [{ name: vllm-tpu, resources: { limits: null, claims: [{ name: tpu }] } }] }',
          ),
          yaml(
            `{ apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: { name: tpus }, spec: { spec: { devices: { requests: [{ name: tpus, exactly: { deviceClassName: tpu.google.com, allocationMode: All } }] } } } }`,
          ),
        ],
        codes: /TPU(1\d\d|121)/,
        found: ['TPU121 note spec.template.spec.resourceClaims'],
        says: 'the pod gets its devices from a ResourceClaim',
      },
    ],
    [
      'more tensor, data and pipeline parallelism than the slice has devices',
      {
        manifests: [
          vllm(
            'args: [--tensor-parallel-size=4, --data-parallel-size=2, --pipeline-parallel-size=2, --download-dir=/data]',
          ),
        ],
        codes: /TPU120/,
        found: ['TPU120 error …args'],
        says: 'uses 16 devices (--tensor-parallel-size 4, --data-parallel-size 2, --pipeline-parallel-size 2), but its slice has 8',
      },
    ],
    [
      'fewer devices than a tpu7x slice has, with two per chip',
      {
        manifests: [
          pod(
            `{ nodeSelector: { cloud.google.com/gke-tpu-accelerator: tpu7x, cloud.google.com/gke-tpu-topology: 2x2x1 }, containers: [{ name: vllm-tpu, args: [--tensor-parallel-size=4, --download-dir=/data], resources: { limits: { google.com/tpu: '4' } } }] }`,
          ),
        ],
        codes: /TPU120/,
        found: ['TPU120 note …args'],
        says: 'its slice has 8',
      },
    ],
    [
      'other problems besides an unknown accelerator',
      {
        manifests: [
          pod(
            `{ nodeSelector: { cloud.google.com/gke-tpu-accelerator: tpu-v6, cloud.google.com/gke-tpu-topology: 2x3 }, containers: [{ name: vllm-tpu, resources: { limits: { google.com/tpu: '3' } } }] }`,
          ),
        ],
        codes: /TPU1\d\d/,
        found: [
          'TPU101 error spec.template.spec.nodeSelector[cloud.google.com/gke-tpu-accelerator]',
          'TPU102 error spec.template.spec.nodeSelector[cloud.google.com/gke-tpu-topology]',
        ],
        says: "'2x3' is not a topology of any TPU",
      },
    ],
    [
      'hostNetwork without ClusterFirstWithHostNet',
      {
        manifests: [
          jobSet(
            '{ spec: { replicatedJobs: [{ name: slice, template: { spec: { template: { spec: { hostNetwork: true } } } } }] } }',
          ),
        ],
        codes: /TPU209/,
        found: ['TPU209 error spec.replicatedJobs[slice].template.spec.template.spec.dnsPolicy'],
        says: 'set dnsPolicy: ClusterFirstWithHostNet',
      },
    ],
    [
      'code that a RayService downloads from a branch',
      {
        manifests: [
          rayService(
            `{ spec: { serveConfigV2: '{ applications: [{ name: llm, import_path: "a:b", runtime_env: { working_dir: "https://github.com/example/serving/archive/main.zip" } }] }' } }`,
          ),
        ],
        codes: /TPU609/,
        found: ['TPU609 warning spec.serveConfigV2'],
        says: 'the archive of a branch',
      },
    ],
    [
      'code that a RayJob downloads from a branch',
      {
        manifests: [
          rayJob(
            `{ spec: { runtimeEnvYAML: '{ working_dir: "https://github.com/example/training/archive/refs/heads/release.zip" }' } }`,
          ),
        ],
        codes: /TPU609/,
        found: ['TPU609 warning spec.runtimeEnvYAML'],
        says: 'the archive of a branch',
      },
    ],
    ...['None', 'Default'].map((policy): [string, Defect] => [
      `a LeaderWorkerSet over several hosts with restartPolicy ${policy}`,
      {
        manifests: [group(`restartPolicy: ${policy}`)],
        codes: /TPU216/,
        found: ['TPU216 warning spec.leaderWorkerTemplate.restartPolicy'],
        says: 'restarts only the failed host',
      },
    ]),
    [
      'LeaderReady with a leader that waits for its workers',
      {
        manifests: [leaderWorkerSet('{ spec: { startupPolicy: LeaderReady } }')],
        codes: /TPU217/,
        found: ['TPU217 error spec.startupPolicy'],
        says: 'set startupPolicy to LeaderCreated',
      },
    ],
    [
      'a client Service that also selects workers',
      {
        manifests: [
          leaderWorkerSet(),
          service('{ metadata: { name: client }, spec: { selector: { app: vllm-405b } } }'),
        ],
        codes: /TPU518/,
        found: ['TPU518 warning spec.selector'],
        says: 'also selects the workers of LeaderWorkerSet/vllm-405b',
      },
    ],
    [
      'an ordinary Service with the name of a LeaderWorkerSet',
      {
        manifests: [
          leaderWorkerSet(),
          service('{ metadata: { name: vllm-405b }, spec: { selector: { role: leader, app: null } } }'),
        ],
        codes: /TPU218/,
        found: ['TPU218 error metadata.name'],
        says: 'which then creates no headless Service',
      },
    ],
    [
      'a ReadWriteOnce volume with surge',
      {
        manifests: [
          deployment('{ spec: { strategy: null } }'),
          yaml(
            `{ apiVersion: v1, kind: PersistentVolumeClaim, metadata: { name: hf-cache }, spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 500Gi } } } }`,
          ),
        ],
        codes: /TPU417/,
        found: ['TPU417 warning spec.template.spec.volumes[data].persistentVolumeClaim'],
        says: 'so only one node can mount it',
      },
    ],
    [
      'a missing ConfigMap',
      {
        manifests: [vllm('envFrom: [{ configMapRef: { name: vllm-settings } }]')],
        codes: /TPU519/,
        found: ['TPU519 note …envFrom[0].configMapRef'],
        says: "the ConfigMap 'vllm-settings' is not among the manifests",
      },
    ],
    ...['https://docker.io/vllm/vllm-tpu:v1', 'vllm/vllm tpu:v1', 'vllm/VLLM-TPU:v1'].map(
      (image): [string, Defect] => [
        `the invalid image '${image}'`,
        {
          manifests: [vllm(`image: '${image}'`)],
          codes: /TPU713/,
          found: ['TPU713 error …image'],
          says: 'is not a valid image name',
        },
      ],
    ),
    [
      'an invalid claim name',
      {
        manifests: [pod('{ volumes: [{ name: data, persistentVolumeClaim: { claimName: hf_cache } }] }')],
        codes: /TPU713/,
        found: ['TPU713 error spec.template.spec.volumes[data].persistentVolumeClaim.claimName'],
        says: 'is not a valid name for a PersistentVolumeClaim',
      },
    ],
    [
      'LIBTPU_INIT_ARGS without --',
      {
        manifests: [
          vllm(
            "env: [{ name: LIBTPU_INIT_ARGS, value: '--xla_tpu_use_enhanced_launch_barrier=true xla_tpu_scoped_vmem_limit_kib=98304' }]",
          ),
        ],
        codes: /TPU333/,
        found: ['TPU333 warning …env[LIBTPU_INIT_ARGS].value'],
        says: "write '--xla_tpu_scoped_vmem_limit_kib=98304'",
      },
    ],
    [
      'a name close to a reserved one',
      {
        manifests: [fuse('gcs-fuse-cache', 'file-cache:max-size-mb:-1')],
        codes: /TPU416/,
        found: ['TPU416 warning spec.template.spec.volumes[gcs-fuse-cache]'],
        says: "rename the volume to 'gke-gcsfuse-cache'",
      },
    ],
    [
      'a file-cache volume without file-cache options',
      {
        manifests: [fuse('gke-gcsfuse-cache', 'implicit-dirs')],
        codes: /TPU416/,
        found: ['TPU416 warning spec.template.spec.volumes[gke-gcsfuse-cache]'],
        says: 'enables the file cache',
      },
    ],
    [
      'a public Ingress without authentication',
      {
        manifests: [
          deployment(),
          service(),
          yaml(
            `{ apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: { name: a }, spec: { ingressClassName: gce, rules: [{ http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: vllm-service, port: { number: 80 } } } }] } }] } }`,
          ),
        ],
        codes: /TPU520/,
        found: ['TPU520 warning spec.rules'],
        says: 'to the internet without authentication',
      },
    ],
    [
      'a public Gateway without authentication',
      {
        manifests: [
          deployment(),
          service(),
          yaml(
            `{ apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: { name: g }, spec: { gatewayClassName: gke-l7-global-external-managed, listeners: [{ name: http, protocol: HTTP, port: 80 }] } }`,
          ),
          yaml(
            `{ apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: { name: r }, spec: { parentRefs: [{ name: g }], rules: [{ backendRefs: [{ name: vllm-service, port: 80 }] }] } }`,
          ),
        ],
        codes: /TPU520/,
        found: ['TPU520 warning spec.rules'],
        says: "Gateway 'g' exposes Service 'vllm-service' to the internet",
      },
    ],
    ...(
      ['HF_TOKEN error', 'GRAFANA_API_KEY warning', 'WANDB_TOKEN warning', 'DB_PASSWORD warning'] as const
    ).map((row): [string, Defect] => {
      const [name = '', severity = ''] = row.split(' ');
      return [
        `a secret in variable ${name}`,
        {
          manifests: [vllm(`env: [{ name: ${name}, value: 9f86d081884c7d65 }]`)],
          codes: /TPU702/,
          found: [`TPU702 ${severity} …env[${name}].value`],
          says: `the manifest contains the value of ${name}`,
        },
      ];
    }),
    ...["'--api-key=9f86d081884c7d65'", "--api-key, '9f86d081884c7d65'"].map((words): [string, Defect] => [
      `a secret in ${words.slice(0, 12)}`,
      {
        manifests: [vllm(`args: [--tensor-parallel-size=8, --download-dir=/data, ${words}]`)],
        codes: /TPU702/,
        found: ['TPU702 warning …args'],
        says: 'the manifest contains the value of --api-key',
      },
    ]),
    [
      'fixed replicas with a ScaledObject',
      {
        manifests: [
          deployment('{ spec: { replicas: 2 } }'),
          yaml(
            `{ apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: { name: a }, spec: { scaleTargetRef: { name: vllm-tpu }, triggers: [{ type: prometheus, metadata: { serverAddress: 'http://a', query: b, threshold: '1' } }] } }`,
          ),
        ],
        codes: /TPU512/,
        found: ['TPU512 warning spec.replicas'],
        says: 'ScaledObject/a scales the object',
      },
    ],
    [
      'a LoRA adapter that is not on a volume',
      {
        manifests: [
          vllm(
            'image: docker.io/vllm/vllm-tpu:v0.27.0, command: [vllm, serve, Qwen/Qwen3-8B, --enable-lora, --lora-modules, chat=my/chat, sql=/adapters/sql]',
          ),
        ],
        codes: /TPU418/,
        found: ['TPU418 warning …args'],
        says: "--lora-modules sql '/adapters/sql' of container 'vllm-tpu' is not on a volume, and the published image of vLLM contains no models",
      },
    ],
    [
      'more replicas than an int32',
      {
        manifests: [deployment('{ spec: { replicas: 3000000000 } }')],
        codes: /TPU719/,
        found: ['TPU719 error spec.replicas'],
        says: 'replicas is 3000000000, which the API server refuses',
      },
    ],
    [
      'a model path that is not on a volume',
      {
        manifests: [
          vllm(
            'command: [vllm, serve, /data/models/qwen], volumeMounts: [{ name: data, mountPath: /data/hf }]',
          ),
        ],
        codes: /TPU418/,
        found: ['TPU418 warning …args'],
        says: "'/data/models/qwen' of container 'vllm-tpu' is not on a volume",
      },
    ],
    [
      'flags after a ; in an argument',
      {
        manifests: [
          vllm(`args: [--chat-template, 'a; b | c', --tensor-parallel-size=16, --download-dir=/data]`),
        ],
        codes: /TPU120/,
        found: ['TPU120 error …args'],
        says: 'uses 16 devices',
      },
    ],
    [
      'only the flags of the command after the last ;',
      {
        manifests: [
          vllm(
            `command: [sh, -c], args: ['echo --tensor-parallel-size=16; exec vllm serve Qwen/Qwen3-32B --tensor-parallel-size=4 --download-dir=/data']`,
          ),
        ],
        codes: /TPU120/,
        found: ['TPU120 note …args'],
        says: 'uses 4 devices',
      },
    ],
    ...refused,
  ])('%s', (_, { manifests, codes, found, says }) => {
    const findings = check(manifests);
    expect([...rows(findings, codes)].sort()).toEqual(found);
    expect(
      findings
        .filter(({ code }) => codes.test(code))
        .map(({ message, fix }) => `${message}; ${fix}`)
        .join('\n'),
    ).toContain(says);
  });
});

describe('objects that have nothing to do with TPUs', () => {
  const plain = yaml(
    `{ apiVersion: v1, kind: Pod, metadata: { name: agent }, spec: { hostNetwork: true, containers: [{ name: agent, image: example/agent, securityContext: { privileged: true } }, { name: agent, image: example/agent }] } }`,
  );
  const scoped = (manifest: Json, ...scopes: readonly string[]) => ({
    ...manifestObject(manifest),
    scopes: new Set(scopes),
  });
  const codes = (findings: readonly Finding[]): readonly string[] =>
    findings
      .filter(({ object }) => object === 'Pod/agent')
      .map(({ code, severity }) => `${code} ${severity}`);

  test('get only errors', () => {
    expect(codes(findingsIn([manifestObject(plain)]))).toEqual(['TPU715 error']);
  });

  test('get all findings if they are applied together with TPU workloads', () => {
    const all = ['TPU701 warning', 'TPU704 warning', 'TPU705 warning', 'TPU715 error'];
    expect(codes(check([plain, job(), hosts()]))).toEqual(all);
    expect(codes(findingsIn([scoped(plain, 'a'), scoped(job(), 'b')]))).toEqual(['TPU715 error']);
    expect(codes(findingsIn([scoped(plain, 'a', 'c'), scoped(job(), 'c')]))).toEqual(all);
  });
});

describe('the rules do not compare alternatives in one folder', () => {
  const named = (kind: string, name: string, rest: string, ...scopes: readonly string[]) => ({
    ...manifestObject(yaml(`{ apiVersion: v1, kind: ${kind}, metadata: { name: ${name} }, ${rest} }`)),
    scopes: new Set(scopes),
  });
  const server = (scope: string) => ({
    ...manifestObject(
      vllm(
        `env: [{ name: HF_TOKEN, valueFrom: { secretKeyRef: { name: hf, key: token } } }, { name: A, valueFrom: { configMapKeyRef: { name: settings, key: a } } }]`,
      ),
    ),
    scopes: new Set([scope]),
  });
  test.each([
    ['a ConfigMap without the key', 'ConfigMap', 'settings', 'data: { tpu: x }', 'TPU519'],
    ['a Secret without the key', 'Secret', 'hf', 'stringData: { tpu: x }', 'TPU515'],
    [
      'a Service with a misspelled label',
      'Service',
      'other',
      'spec: { selector: { app: vllmtpu } }',
      'TPU501',
    ],
    [
      'a Service with a port name that no container declares',
      'Service',
      'other',
      'spec: { selector: { app: vllm-tpu }, ports: [{ port: 80, targetPort: none }] }',
      'TPU502',
    ],
  ])('%s', (_, kind, name, rest, code) => {
    const errors = (scope: string): readonly string[] =>
      findingsIn([named(kind, name, rest, scope), server('b')])
        .filter((one) => one.severity === 'error' && one.code === code)
        .map((one) => one.code);
    expect(errors('b')).toEqual([code]);
    expect(errors('a')).toEqual([]);
  });
});

test('TPU506 accepts a target without TPUs that is applied separately', () => {
  const found = (target: Json): readonly string[] => {
    const objects = [target, scaler('Deployment', 'vllm-tpu'), service()].map((manifest, index) => ({
      ...manifestObject(manifest),
      scopes: new Set([index === 0 ? 'a' : 'b']),
    }));
    return rows(findingsIn(objects), /TPU506/);
  };
  expect(found(pod('{ nodeSelector: null, containers: [{ name: vllm-tpu, resources: null }] }'))).toEqual([]);
  expect(found(deployment())).toEqual(['TPU506 note spec.scaleTargetRef.name']);
});

test('TPU901 counts the other YAML files of a folder in one note', () => {
  const found = (...manifests: readonly Json[]): readonly string[] =>
    findingsIn(
      manifests.map((manifest, index) => ({
        ...manifestObject(manifest, { file: `charts/${String(index)}/values.yaml` }),
        folder: 'charts',
      })),
    ).map(({ code, message }) => `${code} ${message}`);
  const values = { image: 'a' };
  expect(found(values, values, values, values)).toEqual([
    'TPU901 4 documents below charts have no apiVersion and no kind, so no rule checked them: 0/values.yaml, 1/values.yaml, 2/values.yaml …',
  ]);
  expect(found(values, { ...values, apiVersion: 'v1' })).toEqual([
    'TPU901 the document has no apiVersion and no kind, so no rule checked it',
    'TPU901 the document has no kind, so no rule checked it',
  ]);
});
