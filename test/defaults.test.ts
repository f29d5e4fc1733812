import { App, Chart, Testing } from 'cdk8s';
import { addExamples } from '../examples';
import {
  FlexStartJob,
  GcsFuseVolume,
  HuggingFaceToken,
  JetStreamServer,
  SaxCell,
  TpuServer,
  TpuSlice,
  VllmServer,
} from '../lib';
import { findingsIn } from '../lib/checks/check';
import { isRecord, type Json, manifestObject } from '../lib/manifest/manifest';
import { podSecurityLevel } from '../lib/manifest/pod-security';
import { podsOf } from '../lib/manifest/pods';
import { expectPage, table } from './pages';
import { POD_SECURITY_LEVELS } from './pod-security-levels';

// docs/defaults.md and docs/pod-security.md are written from here: npm run docs.

const CHARTS = {
  'any image': 'any-image',
  vLLM: 'vllm-llama3-70b',
  JetStream: 'jetstream-gemma-7b-it',
  Saxml: 'saxml-175b',
  Ray: 'ray-stable-diffusion',
  'flex-start': 'flex-start-multi-host',
} as const;
type System = keyof typeof CHARTS;

interface Default {
  readonly what: string;
  /** Kind and path of the value in each system's manifest; an empty path is the object. */
  readonly at: Partial<Record<System, readonly [kind: string, path: string]>>;
  readonly shown?: (value: never) => string;
  readonly reason: string;
  readonly prop: string;
  /** The rule that finds it missing. @default - none */
  readonly rule?: string;
  /** Systems in which the rule finds it missing. @default - all of `at` */
  readonly found?: readonly System[];
  /** The value without the default. @default - the field is missing */
  readonly without?: (value: never) => unknown;
}

const POD = 'spec.template.spec';
const VLLM = `${POD}.containers[vllm]`;
const ANY = `${POD}.containers[server]`;
const JETSTREAM = `${POD}.containers[jetstream-pytorch-server]`;
const HTTP = `${POD}.containers[jetstream-http]`;
const SAX_JOB = 'spec.replicatedJobs[model-server].template.spec';
const SAX = `${SAX_JOB}.template.spec`;
const RAY_GROUP = 'spec.rayClusterConfig.workerGroupSpecs[tpu-group]';
const RAY = `${RAY_GROUP}.template.spec`;
const MAIN = { SAX: `${SAX}.containers[model-server]`, RAY: `${RAY}.containers[ray-worker]` };
const FLEX = `${POD}.containers[tpu-job]`;
const servers = (vllm: string, jetstream = vllm): Default['at'] => ({
  'any image': ['Deployment', vllm.replace(VLLM, ANY)],
  vLLM: ['Deployment', vllm],
  JetStream: ['Deployment', jetstream],
});
const saxml = (place: string): Default['at'] => ({ Saxml: ['JobSet', place] });
const ray = (place: string): Default['at'] => ({ Ray: ['RayService', place] });
const flexStart = (place: string): Default['at'] => ({ 'flex-start': ['Job', place] });
const seconds = (value: number): string => `${String(value)} s`;

const DEFAULTS: readonly Default[] = [
  {
    what: 'budget of the HTTP startup probe',
    at: servers(`${VLLM}.startupProbe`, `${HTTP}.startupProbe`),
    shown: (probe: { failureThreshold: number; periodSeconds: number }) =>
      seconds(probe.failureThreshold * probe.periodSeconds),
    reason: 'loading and compiling takes minutes to an hour; twice the estimate of a cold start',
    prop: '`startupSeconds`, `modelSize`, `probes`',
    rule: 'TPU301',
    // vLLM has no liveness probe that would restart the server
    found: ['JetStream'],
  },
  {
    what: 'timeout of a probe',
    at: servers(`${VLLM}.startupProbe.timeoutSeconds`, `${HTTP}.startupProbe.timeoutSeconds`),
    shown: seconds,
    reason: 'a server that compiles answers late; one second would restart it',
    prop: '`probes`',
    rule: 'TPU304',
  },
  {
    what: 'progress deadline of a rollout',
    at: servers('spec.progressDeadlineSeconds'),
    shown: seconds,
    reason: 'the time to start, and ten minutes for a node and its image',
    prop: '`startupSeconds`',
    rule: 'TPU307',
  },
  {
    what: "the engine's own timeout",
    at: { vLLM: ['Deployment', `${VLLM}.env[VLLM_ENGINE_READY_TIMEOUT_S].value`] },
    shown: (value: string) => `${value} s`,
    reason: 'by default, vLLM stops waiting for its engine after 600 seconds',
    prop: '`startupSeconds`',
    rule: 'TPU323',
  },
  {
    what: 'new replicas before old replicas stop',
    at: servers('spec.strategy.rollingUpdate.maxSurge'),
    reason: 'a new replica needs a free slice, and otherwise waits forever',
    prop: '`rollout`',
    rule: 'TPU305',
  },
  {
    what: 'replicas that can be unavailable during a rollout',
    at: servers('spec.strategy.rollingUpdate.maxUnavailable'),
    reason:
      'an old replica stops before a new replica starts on its slice; a Pending replica counts as unavailable',
    prop: '`rollout`',
  },
  {
    what: 'drain while a replica starts',
    at: {
      vLLM: ['PodDisruptionBudget', 'spec.unhealthyPodEvictionPolicy'],
      JetStream: ['PodDisruptionBudget', 'spec.unhealthyPodEvictionPolicy'],
    },
    reason: 'drains can always evict a replica that is not ready; otherwise it would block every drain',
    prop: '`disruptionBudget`',
    rule: 'TPU335',
  },
  {
    what: 'upgrade of the cluster',
    at: { Ray: ['RayService', 'spec.upgradeStrategy'] },
    shown: ({ type }: { type: string }) => type,
    reason: 'a second cluster needs all slices twice',
    prop: '`upgradeStrategy`',
    rule: 'TPU306',
  },
  {
    what: 'time to serve after leaving the Service',
    at: {
      ...servers(`${VLLM}.lifecycle.preStop`, `${JETSTREAM}.lifecycle.preStop`),
      ...saxml(`${MAIN.SAX}.lifecycle.preStop`),
      ...ray(`${MAIN.RAY}.lifecycle.preStop`),
    },
    shown: ({ exec }: { exec: { command: string[] } }) => `${exec.command[1] ?? ''} s`,
    reason: 'new requests arrive for some seconds, and open requests complete',
    prop: '`preStopSeconds`',
    rule: 'TPU320',
  },
  {
    what: 'grace period',
    at: {
      ...servers(`${POD}.terminationGracePeriodSeconds`),
      ...saxml(`${SAX}.terminationGracePeriodSeconds`),
      ...ray(`${RAY}.terminationGracePeriodSeconds`),
    },
    shown: seconds,
    reason:
      '`preStopSeconds`, and 30 seconds for the server; Ray stops its replicas in this time, or in the time that its deployments set',
    prop: '`preStopSeconds`, `shutdownSeconds`',
    rule: 'TPU308',
  },
  {
    what: 'grace period of a Job',
    at: flexStart(`${POD}.terminationGracePeriodSeconds`),
    shown: seconds,
    reason: 'time to write a checkpoint before the nodes end',
    prop: '`terminationGracePeriodSeconds`',
    rule: 'TPU310',
  },
  {
    what: 'replicas evicted at once (if there are several)',
    at: { vLLM: ['PodDisruptionBudget', ''], JetStream: ['PodDisruptionBudget', ''] },
    shown: ({ spec }: { spec: { maxUnavailable: number } }) => String(spec.maxUnavailable),
    reason: 'a new replica needs minutes to start',
    prop: '`disruptionBudget`',
    rule: 'TPU321',
  },
  {
    what: 'spread of replicas (if there are several)',
    at: { ...servers(`${POD}.topologySpreadConstraints`), ...ray(`${RAY}.topologySpreadConstraints`) },
    shown: ([{ topologyKey }]: [{ topologyKey: string }]) => `over \`${topologyKey}\``,
    reason: 'drains and stockouts affect a whole node pool; a multi-host slice is a node pool',
    prop: '`fragments`',
    rule: 'TPU322',
  },
  {
    what: 'size limit of a cache in memory',
    at: servers(
      `${POD}.volumes[gke-gcsfuse-cache].emptyDir.sizeLimit`,
      `${POD}.volumes[gke-gcsfuse-cache].emptyDir.sizeLimit`,
    ),
    reason: 'without a limit, the cache uses the memory of the server',
    prop: '`cache` of the volume; `modelCache` of JetStream',
    rule: 'TPU406',
  },
  {
    what: 'size limit of `/dev/shm`',
    at: { vLLM: ['Deployment', `${POD}.volumes[dshm].emptyDir.sizeLimit`] },
    reason: 'vLLM documents this size for TPU',
    prop: '`sharedMemory`',
    rule: 'TPU406',
  },
  {
    what: 'sidecar of Cloud Storage FUSE',
    at: servers('spec.template.metadata.annotations[gke-gcsfuse/volumes]'),
    reason: 'follows from the volume: without the sidecar, the mount fails',
    prop: '-',
    rule: 'TPU401',
  },
  {
    what: 'folder for compiled programs',
    at: { vLLM: ['Deployment', `${VLLM}.env[VLLM_XLA_CACHE_PATH]`] },
    shown: ({ value }: { value: string }) => `at \`${value}\``,
    reason: 'a later start compiles in 1 to 3 minutes instead of 10 to 30',
    prop: '`compileCachePath`',
    rule: 'TPU326',
  },
  {
    what: 'CPU request',
    at: {
      ...servers(`${VLLM}.resources.requests.cpu`, `${JETSTREAM}.resources.requests.cpu`),
      ...saxml(`${MAIN.SAX}.resources.requests.cpu`),
      ...flexStart(`${FLEX}.resources.requests.cpu`),
    },
    reason: 'four fifths of the host: the rest is for system pods and sidecars',
    prop: '`resources`',
    rule: 'TPU324',
  },
  {
    what: 'memory request',
    at: {
      ...servers(`${VLLM}.resources.requests.memory`, `${JETSTREAM}.resources.requests.memory`),
      ...saxml(`${MAIN.SAX}.resources.requests.memory`),
      ...flexStart(`${FLEX}.resources.requests.memory`),
    },
    reason: 'four fifths of the host; pods without a request are evicted first',
    prop: '`resources`',
    rule: 'TPU324',
  },
  {
    what: 'unbuffered logs',
    at: { vLLM: ['Deployment', `${VLLM}.env[PYTHONUNBUFFERED]`] },
    shown: ({ value }: { value: string }) => value,
    reason: 'otherwise the last lines before a crash are lost',
    prop: '`env`',
  },
  {
    what: 'collection of metrics',
    at: { vLLM: ['PodMonitoring', ''], JetStream: ['PodMonitoring', ''], Ray: ['PodMonitoring', ''] },
    shown: ({ spec }: { spec: { endpoints: { interval: string; path: string }[] } }) =>
      `\`${spec.endpoints[0]?.path ?? ''}\` every ${spec.endpoints[0]?.interval ?? ''}`,
    reason: 'dashboards and autoscalers need the load of a server',
    prop: '`monitoring`',
    rule: 'TPU327',
  },
  {
    what: 'collection of the metrics of the TPU runtime, by GKE',
    at: {
      ...servers(`${VLLM}.ports`, `${JETSTREAM}.ports`),
      ...ray(`${MAIN.RAY}.ports`),
      ...flexStart(`${FLEX}.ports`),
    },
    shown: (ports: { containerPort: number }[]) =>
      `port ${String(ports.map(({ containerPort }) => containerPort).find((port) => port === 8431))}`,
    reason: 'shows the load and memory use of the chips',
    prop: '-',
    rule: 'TPU331',
  },
  {
    what: 'label `app.kubernetes.io/name`',
    at: {
      ...servers('spec.template.metadata.labels[app.kubernetes.io/name]'),
      ...saxml(`${SAX_JOB}.template.metadata.labels[app.kubernetes.io/name]`),
      ...flexStart('spec.template.metadata.labels[app.kubernetes.io/name]'),
    },
    reason: 'dashboards and gateways select servers by it; on Ray pods, KubeRay sets it',
    prop: '`labels`',
    rule: 'TPU328',
    found: ['vLLM', 'JetStream', 'Saxml'],
  },
  {
    what: 'label `ai.gke.io/inference-server`',
    at: {
      ...servers('spec.template.metadata.labels[ai.gke.io/inference-server]'),
      ...saxml(`${SAX_JOB}.template.metadata.labels[ai.gke.io/inference-server]`),
      ...ray(`${RAY_GROUP}.template.metadata.labels[ai.gke.io/inference-server]`),
    },
    reason: 'GKE identifies inference servers by it',
    prop: '`labels`',
    rule: 'TPU328',
  },
  {
    what: 'token of the Kubernetes API',
    at: {
      ...servers(`${POD}.automountServiceAccountToken`),
      ...saxml(`${SAX}.automountServiceAccountToken`),
      ...ray(`${RAY}.automountServiceAccountToken`),
      ...flexStart(`${POD}.automountServiceAccountToken`),
    },
    reason: 'no server calls the Kubernetes API; Workload Identity needs no token in the pod',
    prop: '`fragments`',
    rule: 'TPU329',
    found: ['vLLM', 'JetStream', 'Saxml', 'Ray'],
  },
  {
    what: 'privilege escalation',
    at: {
      ...servers(
        `${VLLM}.securityContext.allowPrivilegeEscalation`,
        `${JETSTREAM}.securityContext.allowPrivilegeEscalation`,
      ),
      ...ray(`${MAIN.RAY}.securityContext.allowPrivilegeEscalation`),
      ...flexStart(`${FLEX}.securityContext.allowPrivilegeEscalation`),
    },
    reason: 'no program in the image needs it',
    prop: '`podSecurityLevel`',
    rule: 'TPU330',
  },
  {
    what: 'system calls',
    at: {
      ...servers(`${POD}.securityContext.seccompProfile`),
      ...ray(`${RAY}.securityContext.seccompProfile`),
      ...flexStart(`${POD}.securityContext.seccompProfile`),
    },
    shown: ({ type }: { type: string }) => type,
    reason: 'allows only the system calls that containers need',
    prop: '`podSecurityLevel`',
    rule: 'TPU330',
  },
  {
    what: 'image',
    at: {
      vLLM: ['Deployment', `${VLLM}.image`],
      JetStream: ['Deployment', `${JETSTREAM}.image`],
      ...saxml(`${MAIN.SAX}.image`),
      ...ray(`${MAIN.RAY}.image`),
    },
    shown: (image: string) => `\`${image.split(':')[1] ?? ''}\``,
    reason: 'a pinned release, because latest moves while a server runs',
    prop: '`image`',
    rule: 'TPU701',
    without: (image: string) => image.replace(/:.*/, ':latest'),
  },
  {
    what: 'clients that can reach the server',
    at: {
      vLLM: ['Service', 'spec.type'],
      JetStream: ['Service', 'spec.type'],
      Saxml: ['Service', 'spec.type'],
    },
    reason: 'only pods in the cluster, because servers do not authenticate clients',
    prop: '`serviceType`, `allowedClients`',
    rule: 'TPU513',
    without: () => 'LoadBalancer',
  },
  {
    what: 'one slice, one node pool (several hosts)',
    at: { Saxml: ['JobSet', 'metadata.annotations[alpha.jobset.sigs.k8s.io/exclusive-topology]'] },
    reason: 'only the hosts of one slice are connected',
    prop: '`slice`',
    rule: 'TPU212',
  },
  {
    what: 'pods of a slice: one for each host',
    at: {
      ...saxml(`${SAX_JOB}.completions`),
      ...ray(`${RAY_GROUP}.numOfHosts`),
      ...flexStart('spec.completions'),
    },
    reason: 'each host waits for all others',
    prop: '`slice`',
    rule: 'TPU201',
    without: (hosts: number) => hosts + 1,
  },
  {
    what: 'each host has an index (several hosts)',
    at: { ...saxml(`${SAX_JOB}.completionMode`), ...flexStart('spec.completionMode') },
    reason: 'the index is the place of the host in the slice',
    prop: '`slice`',
    rule: 'TPU203',
    without: () => 'NonIndexed',
  },
  {
    what: 'restart of failed containers in their pod',
    at: { ...saxml(`${SAX}.restartPolicy`), ...flexStart(`${POD}.restartPolicy`) },
    reason:
      'the default of JobSet; on several hosts the first failure ends the Job, on one host the Job continues (`OnFailure`)',
    prop: '-',
    rule: 'TPU206',
    without: () => 'Always',
  },
  {
    what: 'failed hosts of a Job that Kubernetes replaces (several hosts)',
    at: { ...saxml(`${SAX_JOB}.backoffLimit`), ...flexStart('spec.backoffLimit') },
    reason: 'the other hosts do not wait for the new host; a JobSet restarts all hosts together',
    prop: '`backoffLimit`; `maxRestarts` of Saxml',
    rule: 'TPU332',
  },
  {
    what: 'restarts of the servers of a JobSet',
    at: saxml('spec.failurePolicy.rules'),
    shown: () => 'not counted',
    reason: 'a limit would count over the whole life of the JobSet, and each eviction of a host counts',
    prop: '`maxRestarts`',
    rule: 'TPU334',
  },
  {
    what: 'restart of all hosts after a failure',
    at: saxml('spec.failurePolicy.restartStrategy'),
    reason: 'the hosts of a slice work only together',
    prop: '-',
    rule: 'TPU801',
  },
  {
    what: 'values that the JobSet webhook adds',
    at: { Saxml: ['JobSet', 'spec.network.enableDNSHostnames'] },
    reason: 'without them, a second apply is refused',
    prop: '-',
    rule: 'TPU801',
  },
  {
    what: 'values that KubeRay adds to a worker group',
    at: { Ray: ['RayService', 'spec.rayClusterConfig.workerGroupSpecs[tpu-group].scaleStrategy'] },
    shown: () => '`{}`',
    reason: 'without them, a second server-side apply conflicts',
    prop: '-',
    rule: 'TPU802',
  },
  {
    what: 'host names before the pods are ready',
    at: { 'flex-start': ['Service', 'spec.publishNotReadyAddresses'] },
    reason: 'the TPU runtime connects to the other hosts first',
    prop: '-',
    rule: 'TPU211',
  },
];

const app = Testing.app();
addExamples(app);
new TpuServer(new Chart(app, CHARTS['any image']), 'server', {
  image: 'example.com/server:v1',
  slice: TpuSlice.of('ct6e-standard-8t'),
  replicas: 2,
  modelCache: new GcsFuseVolume({
    bucketName: 'my-models',
    mountPath: '/data',
    cache: { medium: 'ram', sizeLimit: '160Gi' },
  }),
  serviceAccountName: 'server',
});
const charts = new Map(app.charts.map((chart) => [chart.node.id, Testing.synth(chart) as Json[]]));
const objectsOf = (system: System): Json[] => structuredClone(charts.get(CHARTS[system]) ?? []);

type Step = string;
const steps = (place: string): Step[] =>
  [...place.matchAll(/\[([^\]]+)\]|([^.[\]]+)/g)].map(([, inBrackets, plain]) => inBrackets ?? plain ?? '');

/** The key or index of a step of a path: the key in an object, the place of the item with that name in a list. */
function member(value: unknown, step: Step): string | number | undefined {
  if (!Array.isArray(value)) return step;
  return value.findIndex((item) => isRecord(item) && (item['name'] === step || item['groupName'] === step));
}

function at(value: unknown, place: string): unknown {
  return steps(place).reduce<unknown>(
    (inner, step) => (inner as Record<string, unknown>)[member(inner, step) ?? ''],
    value,
  );
}

/** The objects of a system without a default. */
function without(row: Default, system: System): Json[] {
  const [kind, place] = row.at[system] ?? ['', ''];
  const objects = objectsOf(system);
  if (place === '') return objects.filter((object) => object['kind'] !== kind);
  const found = objects.find((object) => object['kind'] === kind);
  const way = steps(place);
  const last = way.pop() ?? '';
  const parent = way.reduce<unknown>(
    (inner, step) => (inner as Record<string, unknown>)[member(inner, step) ?? ''],
    found,
  );
  const key = member(parent, last) ?? '';
  if (row.without)
    (parent as Record<string, unknown>)[key] = row.without((parent as Record<string, never>)[key] as never);
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else Reflect.deleteProperty(parent as object, key);
  return objects;
}

const codesIn = (objects: readonly Json[]): string[] =>
  findingsIn(objects.map((object) => manifestObject(object))).map(({ code }) => code);

const rows = DEFAULTS.flatMap((row) =>
  (Object.keys(row.at) as System[]).map((system) => ({ row, system, title: `${system}: ${row.what}` })),
);
const ruled = rows.flatMap(({ row, system, title }) =>
  row.rule === undefined || row.found?.includes(system) === false
    ? []
    : [{ row, system, title, rule: row.rule }],
);

test.each(rows)('$title is rendered', ({ row, system }) => {
  const [kind, place] = row.at[system] ?? ['', ''];
  const found = objectsOf(system).find((object) => object['kind'] === kind);
  expect(place === '' ? found : at(found, place)).toBeDefined();
});

test.each(ruled)('$title is missed by a rule if it is removed', ({ row, system, rule }) => {
  expect(codesIn(objectsOf(system))).not.toContain(rule);
  expect(codesIn(without(row, system))).toContain(rule);
});

test('docs/defaults.md is fresh: when this fails, run npm run docs and commit it', () => {
  const shown = (row: Default, system: System): string => {
    const place = row.at[system];
    if (!place) return '-';
    const object = objectsOf(system).find(({ kind }) => kind === place[0]);
    const value = at(object, place[1]) as never;
    return row.shown ? row.shown(value) : String(value);
  };
  const systems = Object.keys(CHARTS) as System[];
  const body = DEFAULTS.map((row) => [
    row.what,
    ...systems.map((system) => shown(row, system)),
    row.reason,
    row.prop,
    row.rule === undefined ? '-' : `[${row.rule}](rules/${row.rule}.md)`,
  ]);
  expectPage(
    'docs/defaults.md',
    (now) =>
      `${now.slice(0, now.indexOf('\n|') + 1)}${table(['default', ...systems, 'reason', 'prop', 'rule'], body)}\n`,
  );
});

describe('Pod Security', () => {
  const slice = TpuSlice.of('ct5lp-hightpu-8t');
  const huggingFaceToken = HuggingFaceToken.fromSecret('hf-secret', 'HUGGINGFACE_TOKEN');
  const given = { slice, bucketName: 'my-bucket', serviceAccountName: 'sa' };
  /** The levels that admit the pods of a row, in each chart that has them. */
  const levels = (objects: readonly Json[], kind: RegExp, name = /./): string[] =>
    objects
      .map((object) => manifestObject(object))
      .filter((object) => kind.test(object.kind) && name.test(object.name))
      .flatMap(podsOf)
      .map((pod) => podSecurityLevel(pod.template).level);
  const rendered = (make: (chart: Chart) => unknown): Json[] => {
    const chart = new Chart(new App(), 'chart');
    make(chart);
    return chart.toJson() as Json[];
  };

  test.each([
    [
      '`TpuServer`',
      levels(objectsOf('any image'), /Deployment/),
      rendered((c) => new TpuServer(c, 'a', { slice, image: 'a:v1', podSecurityLevel: 'restricted' })),
    ],
    [
      '`VllmServer`',
      levels(objectsOf('vLLM'), /Deployment/),
      rendered((c) => new VllmServer(c, 'a', { slice, model: 'a/b', podSecurityLevel: 'restricted' })),
    ],
    [
      '`JetStreamServer`',
      levels(objectsOf('JetStream'), /Deployment/),
      rendered(
        (c) =>
          new JetStreamServer(c, 'a', {
            slice,
            model: 'a/b-7b',
            huggingFaceToken,
            podSecurityLevel: 'restricted',
          }),
      ),
    ],
    ['`JetStreamCheckpointConverter`', levels(objectsOf('JetStream'), /^Job$/), undefined],
    ['`SaxCell` admin server', levels(objectsOf('Saxml'), /Deployment/, /admin/), undefined],
    ['`SaxCell` HTTP server', levels(objectsOf('Saxml'), /Deployment/, /http/), undefined],
    [
      '`SaxCell` model servers',
      levels(objectsOf('Saxml'), /JobSet/),
      rendered((c) => new SaxCell(c, 'a', { ...given, podSecurityLevel: 'baseline', hostNetwork: false })),
    ],
    ['`TpuRayService`', levels(objectsOf('Ray'), /RayService/), undefined],
    [
      '`FlexStartJob`',
      levels(objectsOf('flex-start'), /Job/),
      rendered((c) => new FlexStartJob(c, 'a', { slice, image: 'a:v1', podSecurityLevel: 'privileged' })),
    ],
  ])(
    'Pod Security admits %s at its level, and at the other level that a prop sets',
    (pods, admitted, requested) => {
      const row = POD_SECURITY_LEVELS.find((one) => one.pods === pods);
      expect(new Set(admitted)).toEqual(new Set([row?.level]));
      expect(requested && new Set(levels(requested, /Deployment|Job/, /^a$/))).toEqual(
        row?.onRequest && new Set([row.onRequest.level]),
      );
    },
  );

  test('docs/pod-security.md is fresh: when this fails, run npm run docs and commit it', () => {
    const body = POD_SECURITY_LEVELS.map(({ pods, level, onRequest, reason }) => [
      pods,
      level,
      reason,
      onRequest ? `${onRequest.level}: ${onRequest.props}` : '-',
    ]);
    const head = ['pods', 'level as rendered', 'reason', 'other level'];
    expectPage('docs/pod-security.md', (now) =>
      now.replace(/\| pods [^\n]*\n(\|.*\n)+/, `${table(head, body)}\n`),
    );
  });
});
