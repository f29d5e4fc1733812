import { App } from 'cdk8s';
import { addExamples } from '../../examples';
import { VllmQwen332bOnTheInternet } from '../../examples/vllm-qwen3-32b-gateway';
import { findingsIn } from '../../lib/checks/check';
import { isRecord, manifestObject } from '../../lib/manifest/manifest';

// Common mistakes in the rendered examples, each with the rule that must find it.

export type Draft = Record<string, unknown>;

const isDraft = (value: unknown): value is Draft => isRecord(value);
const drafts = (value: unknown): Draft[] => (Array.isArray(value) ? value.filter(isDraft) : []);

/** A part of a draft, created if it does not exist. */
function part(value: Draft, ...keys: readonly string[]): Draft {
  let current = value;
  for (const key of keys) {
    const child = current[key];
    const known = isDraft(child) ? child : {};
    current[key] = known;
    current = known;
  }
  return current;
}

/** A change of a draft, with a number that varies it. */
type Change = (draft: Draft, n: number) => void;

/** Sets one of some values, or removes the field. */
const put =
  (path: readonly [...string[], string], ...values: readonly unknown[]): Change =>
  (draft, n) => {
    part(draft, ...path.slice(0, -1))[path.at(-1) ?? ''] = values[n % values.length];
  };

/** Renames a field to one of some other names. */
const renamed =
  (of: string, key: string, ...names: readonly string[]): Change =>
  (draft, n) => {
    const owner = part(draft, of);
    owner[names[n % names.length] ?? ''] = owner[key];
    Reflect.deleteProperty(owner, key);
  };

/** Appends an item to a list. */
const push =
  (path: readonly [...string[], string], ...values: readonly unknown[]): Change =>
  (draft, n) => {
    const owner = part(draft, ...path.slice(0, -1));
    const key = path.at(-1) ?? '';
    owner[key] = [...drafts(owner[key]), structuredClone(values[n % values.length])];
  };

const all =
  (...changes: readonly Change[]): Change =>
  (draft, n) => {
    for (const change of changes) change(draft, n);
  };

/** Changes an object of a set; returns `false` if it cannot. */
type Mutation = (object: Draft, n: number, set: Draft[]) => boolean;

const CHIPS = 'google.com/tpu';
const ACCELERATOR = 'cloud.google.com/gke-tpu-accelerator';
const TOPOLOGY = 'cloud.google.com/gke-tpu-topology';
const FLEX_START = 'cloud.google.com/gke-flex-start';
const EXCLUSIVE = 'alpha.jobset.sigs.k8s.io/exclusive-topology';
const FUSE = 'gke-gcsfuse/volumes';
const PROMETHEUS = 'prometheus.googleapis.com';

/** A pod with chips and the parts that a mistake changes. */
interface Pod extends Draft {
  readonly object: Draft;
  /** The owner of the template: the spec of a Deployment or Job, or a worker group. */
  readonly owner: Draft;
  readonly template: Draft;
  readonly spec: Draft;
  readonly selector: Draft;
  /** The container with the chips. */
  readonly main: Draft;
  /** The Cloud Storage FUSE volume, and the options and cache of it; of no one if there is none. */
  readonly fuse: Draft;
  readonly options: Draft;
  readonly cache: Draft;
}

function podsOf(object: Draft): readonly Pod[] {
  const spec = isDraft(object['spec']) ? object['spec'] : {};
  const cluster = isDraft(spec['rayClusterConfig']) ? spec['rayClusterConfig'] : {};
  const owners = [
    spec,
    ...drafts(spec['replicatedJobs']).map((job) => part(job, 'template', 'spec')),
    ...drafts(cluster['workerGroupSpecs']),
  ];
  return owners.flatMap((owner) => {
    const { template } = owner;
    if (!isDraft(template)) return [];
    const pod = part(template, 'spec');
    const main = drafts(pod['containers']).find((one) => isDraft(one['resources']) && chipsOf(one));
    if (!main) return [];
    const volumes = drafts(pod['volumes']);
    const fuse = volumes.find((one) => 'csi' in one) ?? {};
    const cache = volumes.find((one) => one['name'] === 'gke-gcsfuse-cache');
    return [
      {
        object,
        owner,
        template,
        spec: pod,
        selector: part(pod, 'nodeSelector'),
        main,
        fuse,
        options: 'csi' in fuse ? part(fuse, 'csi', 'volumeAttributes') : {},
        cache: cache ? part(cache, 'emptyDir') : {},
      },
    ];
  });
}

const chipsOf = (container: Draft): unknown => part(container, 'resources', 'limits')[CHIPS];

/** The pods that a mistake applies to. */
type When = (pod: Pod) => boolean;

/** A change of the pods of an object. */
const ofPods =
  (change: Change, ...when: readonly When[]): Mutation =>
  (object, n) => {
    const pods = podsOf(object).filter((pod) => when.every((holds) => holds(pod)));
    for (const pod of pods) change(pod, n);
    return pods.length > 0;
  };

/** A change of an object of one kind, where a condition holds. */
const ofKind =
  (kind: string, change: Change, when: (spec: Draft) => boolean = () => true): Mutation =>
  (object, n) => {
    if (object['kind'] !== kind || !when(part(object, 'spec'))) return false;
    change(object, n);
    return true;
  };

/** A change of the items of a list in the spec of an object. */
const ofItems = (kind: string, list: string, change: Change, when?: (spec: Draft) => boolean): Mutation =>
  ofKind(
    kind,
    (object, n) => {
      for (const item of drafts(part(object, 'spec')[list])) change(item, n);
    },
    when,
  );

/** Removes an object that others of its set need. */
const without =
  (kind: string, when: (set: readonly Draft[]) => boolean = () => true): Mutation =>
  (object, _, set) => {
    if (object['kind'] !== kind || !when(set)) return false;
    set.splice(set.indexOf(object), 1);
    return true;
  };

const always =
  (change: Change): Mutation =>
  (object, n) => {
    change(object, n);
    return true;
  };

const not =
  (when: When): When =>
  (pod) =>
    !when(pod);
const isOf =
  (...kinds: readonly string[]): When =>
  ({ object }) =>
    kinds.includes(String(object['kind']));
const isServer = isOf('Deployment');
const isRay = isOf('RayService');
const isJobSet = isOf('JobSet');
const isCustom = isOf('RayService', 'JobSet');
/** Requests are answered by some Deployments, Ray clusters and JobSets; the label says by which. */
const answersRequests: When = ({ template }) =>
  part(template, 'metadata', 'labels')['app.kubernetes.io/component'] === 'model-server';
const isVllm: When = ({ main }) => main['name'] === 'vllm';
/** Whether an example accepts the findings of a rule, which hides a mistake of the kind. */
const accepts =
  (code: string): When =>
  ({ object }) =>
    part(object, 'metadata', 'annotations')[`cdk8s-tpu-serving/accept-${code}`] !== undefined;
const keepsPrograms: When = ({ main }) => JSON.stringify(main['env'] ?? []).includes('VLLM_XLA_CACHE_PATH');
const isTpu7x: When = ({ selector }) => selector[ACCELERATOR] === 'tpu7x';
const is2x4: When = ({ selector }) => selector[TOPOLOGY] === '2x4';
const isV4: When = ({ selector }) => selector[ACCELERATOR] === 'tpu-v4-podslice';
const isFlexStart: When = ({ selector }) => FLEX_START in selector;
const isIndexed: When = ({ owner }) => owner['completionMode'] === 'Indexed';
const isPrivileged: When = ({ main }) => part(main, 'securityContext')['privileged'] === true;
const isOnHostNetwork: When = ({ spec }) => spec['hostNetwork'] === true;
const hasSubdomain: When = ({ spec }) => 'subdomain' in spec;
const hasMounts: When = ({ main }) => 'volumeMounts' in main;
const hasFuse: When = ({ fuse }) => 'csi' in fuse;
const hasFileCache: When = ({ options }) => String(options['mountOptions']).includes('file-cache:');
/** Only the cluster knows the volume of a claim. */
const hasClaim: When = ({ spec }) => drafts(spec['volumes']).some((one) => 'persistentVolumeClaim' in one);
const isSpread: When = ({ spec }) => 'topologySpreadConstraints' in spec;
const hasCache: When = ({ cache }) => 'sizeLimit' in cache;

/** Some examples name a ServiceAccount that exists outside of them. */
const hasKnownAccount =
  (set: readonly Draft[]): When =>
  ({ spec }) => {
    const name = spec['serviceAccountName'];
    return (
      name === undefined ||
      set.some((one) => one['kind'] === 'ServiceAccount' && part(one, 'metadata')['name'] === name)
    );
  };

const isHeadless = (spec: Draft): boolean => spec['clusterIP'] === 'None';
const hasAddress = (spec: Draft): boolean => !isHeadless(spec);
/** Only images of the Ray project state their version. */
const isRayImage = (spec: Draft): boolean => JSON.stringify(spec).includes('rayproject/');
const hasAutoscaler = (set: readonly Draft[]): boolean =>
  set.some(({ kind }) => kind === 'HorizontalPodAutoscaler');

const chips = (...values: readonly unknown[]): Change =>
  all(
    put(['main', 'resources', 'requests', CHIPS], ...values),
    put(['main', 'resources', 'limits', CHIPS], ...values),
  );
const chipsAsNumbers: Change = ({ main }, n) => {
  if (isDraft(main)) chips(Number(chipsOf(main)))({ main }, n);
};
const secondOfMain: Change = ({ spec, main }, n) => {
  if (isDraft(spec) && isDraft(main)) push(['containers'], { ...main, name: 'second' })(spec, n);
};
const withoutEnv =
  (name: string): Change =>
  ({ main }) => {
    if (isDraft(main)) main['env'] = drafts(main['env']).filter((one) => one['name'] !== name);
  };
const withoutCompileCache = all(withoutEnv('VLLM_XLA_CACHE_PATH'), withoutEnv('JAX_COMPILATION_CACHE_DIR'));
/** A change of the containers that have probes. */
const ofProbed =
  (change: Change): Change =>
  ({ spec }, n) => {
    for (const container of drafts(isDraft(spec) && spec['containers']))
      if ('startupProbe' in container) change(container, n);
  };
/** A number of a field, and some more. */
const more =
  (path: readonly [...string[], string], than: readonly [...string[], string] = path): Change =>
  (draft, n) => {
    const [start] = [part(draft, ...than.slice(0, -1))[than.at(-1) ?? '']];
    put(path, Number(start) + 1 + (n % 9))(draft, n);
  };
const ofTopologyByAffinity: Change = ({ selector, spec }, n) => {
  if (!isDraft(selector) || !isDraft(spec)) return;
  const matchExpressions = [{ key: TOPOLOGY, operator: 'In', values: [selector[TOPOLOGY]] }];
  const required = { nodeSelectorTerms: [{ matchExpressions }] };
  put(['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'], required)(spec, n);
  selector[TOPOLOGY] = undefined;
};
const movingImage: Change = ({ main }, n) => {
  if (!isDraft(main)) return;
  const [name = ''] = String(main['image']).split(':');
  put(['image'], name, `${name}:latest`, `${name}:nightly`, `${name}:main`)(main, n);
};
const label = (key: string, ...values: readonly unknown[]): Change =>
  put(['template', 'metadata', 'labels', key], ...values);
const accept = (code: string, reason: string): Mutation =>
  always(put(['metadata', 'annotations', `cdk8s-tpu-serving/accept-${code}`], reason));

/** Endpoint pickers. */
const isPicker = (spec: Draft): boolean => JSON.stringify(spec).includes('--pool-name');
/** A change of the arguments of endpoint pickers. */
const ofPickerArgs = (change: (args: string, n: number) => string): Mutation =>
  ofKind(
    'Deployment',
    (object, n) => {
      for (const container of drafts(part(object, 'spec', 'template', 'spec')['containers']))
        container['args'] = JSON.parse(change(JSON.stringify(container['args']), n));
    },
    isPicker,
  );
/** A change of the first backend of each rule of a route. */
const ofBackends = (change: Change): Mutation =>
  ofItems('HTTPRoute', 'rules', (rule, n) => {
    for (const backend of drafts(rule['backendRefs'])) change(backend, n);
  });

/** Every mistake and the rule that finds it. */
export const MUTATIONS: readonly (readonly [mistake: string, code: string, mutation: Mutation])[] = [
  // slice
  [
    'an accelerator that does not exist',
    'TPU101',
    ofPods(put(['selector', ACCELERATOR], 'tpu-v6-slice', 'v6e', 'ct5lp-hightpu-4t', '')),
  ],
  [
    'a topology that does not exist',
    'TPU102',
    ofPods(put(['selector', TOPOLOGY], '3x3', '5x5', '7x2x1', '2', '4x4x', '8x4', '1024x1024', '')),
  ],
  [
    'a TPU request that is less than its limit',
    'TPU103',
    ofPods(put(['main', 'resources', 'requests', CHIPS], '1', '2', '3')),
  ],
  ['fewer chips than the host has', 'TPU104', ofPods(chips('1', '2', '3'), not(is2x4))],
  ['a request for a part of a chip', 'TPU105', ofPods(chips('0.5', '500m', '1.5', 'four'))],
  ['a missing accelerator selector', 'TPU106', ofPods(put(['selector', ACCELERATOR]))],
  ['a missing topology selector', 'TPU106', ofPods(put(['selector', TOPOLOGY]))],
  ['a topology that is selected by affinity alone', 'TPU107', ofPods(ofTopologyByAffinity)],
  ['chips that match no host of topology 2x4', 'TPU108', ofPods(chips('1', '2', '6'), is2x4)],
  ['a pod on TPU nodes without chips', 'TPU109', ofPods(put(['main', 'resources']))],
  // a host of tpu7x has two NUMA nodes, and a container can have the chips of each
  ['two containers that request chips', 'TPU110', ofPods(secondOfMain, (pod) => !isTpu7x(pod))],
  [
    'an accelerator count that differs from the requested chips',
    'TPU111',
    ofPods(put(['selector', 'cloud.google.com/gke-accelerator-count'], '2', '16')),
  ],
  [
    'flex-start together with spot',
    'TPU112',
    ofPods(put(['selector', 'cloud.google.com/gke-spot'], 'true'), isFlexStart),
  ],
  [
    'flex-start together with a reservation',
    'TPU112',
    ofPods(put(['selector', 'cloud.google.com/reservation-name'], 'mine'), isFlexStart),
  ],
  ['flex-start on v4', 'TPU113', ofPods(put(['selector', FLEX_START], 'true'), isV4)],
  [
    "a flex-start selector that is not 'true'",
    'TPU114',
    ofPods(put(['selector', FLEX_START], 'yes', 'True', 'enabled')),
  ],
  [
    'a toleration of flex-start nodes without a selector',
    'TPU115',
    ofPods(put(['spec', 'tolerations'], [{ key: FLEX_START, value: 'true' }]), not(isFlexStart)),
  ],
  [
    'a run duration that is too short or too long',
    'TPU116',
    ofPods(
      put(['selector', 'cloud.google.com/gke-max-run-duration-seconds'], '599', '7d', '604801', '-1'),
      isFlexStart,
    ),
  ],
  [
    'a reservation without a name',
    'TPU118',
    ofPods(put(['selector', 'cloud.google.com/reservation-affinity'], 'any'), not(isFlexStart)),
  ],

  // multi-host
  ['more completions than hosts', 'TPU201', ofPods(more(['owner', 'completions']), isIndexed)],
  ['fewer pods than hosts', 'TPU201', ofPods(put(['owner', 'parallelism'], 1), isIndexed)],
  ['more hosts than the slice has', 'TPU201', ofPods(more(['owner', 'numOfHosts']), isRay)],
  ['a Deployment on a slice of two hosts', 'TPU202', ofPods(chips('4'), isServer, is2x4)],
  [
    'a Job on several hosts without an index',
    'TPU203',
    ofPods(put(['owner', 'completionMode'], 'NonIndexed'), isIndexed),
  ],
  ['an Indexed Job without completions', 'TPU204', ofPods(put(['owner', 'completions']), isIndexed)],
  [
    'a Job whose pods always restart',
    'TPU206',
    ofPods(put(['spec', 'restartPolicy'], 'Always'), isOf('Job', 'JobSet')),
  ],
  [
    'a name that leaves no room for the index of a pod',
    'TPU207',
    ofPods(put(['object', 'metadata', 'name'], 'x'.repeat(62), 'x'.repeat(63)), isIndexed),
  ],
  [
    'a subdomain with a dot',
    'TPU208',
    ofPods(put(['spec', 'subdomain'], 'flex.default', 'flex.default.svc.cluster.local'), hasSubdomain),
  ],
  ['a subdomain without a Service', 'TPU209', ofPods(put(['spec', 'subdomain'], 'nowhere'), hasSubdomain)],
  ['a Job on several hosts without a subdomain', 'TPU209', ofPods(put(['spec', 'subdomain']), hasSubdomain)],
  [
    'a subdomain whose Service has a cluster IP',
    'TPU210',
    ofKind('Service', put(['spec', 'clusterIP']), isHeadless),
  ],
  [
    'a subdomain whose Service selects no pods',
    'TPU210',
    ofKind('Service', put(['spec', 'selector'], { 'job-name': 'another' }), isHeadless),
  ],
  [
    'hosts that get their names only when they are ready',
    'TPU211',
    ofKind('Service', put(['spec', 'publishNotReadyAddresses'], undefined, false), isHeadless),
  ],
  ['a missing exclusive topology', 'TPU212', ofKind('JobSet', put(['metadata', 'annotations', EXCLUSIVE]))],
  [
    'an exclusive topology by hostname',
    'TPU212',
    ofKind('JobSet', put(['metadata', 'annotations', EXCLUSIVE], 'kubernetes.io/hostname')),
  ],
  [
    'an exclusive topology for single-host slices',
    'TPU214',
    ofPods(
      all(
        put(['selector', TOPOLOGY], '2x2'),
        put(['owner', 'parallelism'], 1),
        put(['owner', 'completions'], 1),
      ),
      isOf('JobSet'),
    ),
  ],

  // startup and rollout
  [
    'a livenessProbe without a startupProbe',
    'TPU301',
    ofPods(
      ofProbed(
        all(put(['startupProbe']), put(['livenessProbe'], { httpGet: { path: '/health', port: 8000 } })),
      ),
      isServer,
    ),
  ],
  [
    'a probe of a port that no container declares',
    'TPU303',
    ofPods(ofProbed(put(['startupProbe', 'httpGet', 'port'], 8001, 80, 'web')), isServer),
  ],
  [
    'a probe with a timeout of one second',
    'TPU304',
    ofPods(ofProbed(put(['startupProbe', 'timeoutSeconds'], undefined, 1)), isServer),
  ],
  [
    'a rolling update that needs a free slice',
    'TPU305',
    ofPods(
      all(
        // another strategy has no surge
        put(['owner', 'strategy', 'type'], 'RollingUpdate'),
        put(['owner', 'strategy', 'rollingUpdate', 'maxSurge'], 1, '25%', '100%', 3, undefined),
      ),
      isServer,
    ),
  ],
  [
    'the default rolling update, which needs a free slice',
    'TPU305',
    ofPods(put(['owner', 'strategy']), isServer),
  ],
  [
    'an upgrade that starts a second Ray cluster',
    'TPU306',
    ofKind('RayService', put(['spec', 'upgradeStrategy', 'type'], 'NewCluster', undefined)),
  ],
  [
    'a progress deadline that is shorter than the startup budget',
    'TPU307',
    ofPods(put(['owner', 'progressDeadlineSeconds'], 60, 600, 1200, undefined), isServer),
  ],
  [
    'a preStop hook that outlasts the grace period',
    'TPU308',
    ofPods(
      put(
        ['main', 'lifecycle', 'preStop'],
        { exec: { command: ['sleep', '60'] } },
        { sleep: { seconds: 600 } },
      ),
      isServer,
    ),
  ],
  [
    'a livenessProbe that restarts a server during its start',
    'TPU309',
    ofPods(put(['main', 'livenessProbe'], { httpGet: { path: '/', port: 8000 } }), isOf('Job')),
  ],
  [
    'a flex-start Job without time to save a checkpoint',
    'TPU310',
    ofPods(put(['spec', 'terminationGracePeriodSeconds']), isFlexStart),
  ],
  [
    'a grace period that is shorter than the shutdown of Ray replicas',
    'TPU311',
    ofPods(put(['spec', 'terminationGracePeriodSeconds'], undefined, 40, 50), isRay),
  ],
  [
    'a missing preStop hook',
    'TPU320',
    ofPods(all(put(['main', 'lifecycle']), ofProbed(put(['lifecycle']))), answersRequests),
  ],
  [
    'a Ray worker group that is not spread over node pools',
    'TPU322',
    ofPods(put(['spec', 'topologySpreadConstraints']), isRay, isSpread),
  ],
  [
    'a missing port for the metrics of the TPU runtime',
    'TPU331',
    ofPods(put(['main', 'ports'], undefined, [{ containerPort: 8000 }]), not(isOnHostNetwork)),
  ],
  ['a missing PodDisruptionBudget', 'TPU321', without('PodDisruptionBudget')],
  [
    'replicas that are not spread over node pools',
    'TPU322',
    ofPods(put(['spec', 'topologySpreadConstraints']), isServer, isSpread),
  ],
  [
    'an engine timeout that is shorter than the startup budget',
    'TPU323',
    ofPods(withoutEnv('VLLM_ENGINE_READY_TIMEOUT_S'), isVllm),
  ],
  ['a missing memory request', 'TPU324', ofPods(put(['main', 'resources', 'requests', 'memory']), isServer)],
  // the name of a custom image does not mention vLLM
  ['a missing compile cache', 'TPU326', ofPods(withoutCompileCache, keepsPrograms, isVllm)],
  [
    'a missing PodMonitoring for a server',
    'TPU327',
    (object: Draft, n: number, set: Draft[]): boolean =>
      // The model name of an endpoint picker is not the name of a server.
      !JSON.stringify(object).includes('-epp') &&
      without('PodMonitoring', (all) => all.some((one) => podsOf(one).some(isVllm)))(object, n, set),
  ],
  ['a missing recommended label', 'TPU328', ofPods(label('app.kubernetes.io/name', undefined), isServer)],
  [
    'a mounted Kubernetes API token',
    'TPU329',
    ofPods(put(['spec', 'automountServiceAccountToken'], true), isServer),
  ],
  ['containers that can gain privileges', 'TPU330', ofPods(put(['main', 'securityContext']), isServer)],
  [
    'hosts of a Job that restart one by one',
    'TPU332',
    ofPods(put(['owner', 'backoffLimit'], undefined, 1, 6), isIndexed),
  ],

  // storage
  [
    'a missing annotation for the Cloud Storage FUSE sidecar',
    'TPU401',
    ofPods(put(['template', 'metadata', 'annotations', FUSE], undefined, 'false'), hasFuse),
  ],
  [
    'a Cloud Storage FUSE annotation without a volume',
    'TPU402',
    ofPods(put(['template', 'metadata', 'annotations', FUSE], 'true'), not(hasFuse), not(hasClaim)),
  ],
  ['a mount without a volume', 'TPU403', ofPods(put(['spec', 'volumes']), hasMounts)],
  [
    'a volume without a bucket',
    'TPU404',
    ofPods(put(['options', 'bucketName'], undefined, '', 'gs://my-models'), hasFuse),
  ],
  [
    'a compile cache that is not on a volume',
    'TPU405',
    ofPods(
      all(
        withoutEnv('VLLM_XLA_CACHE_PATH'),
        push(['main', 'env'], { name: 'VLLM_XLA_CACHE_PATH', value: '/tmp/xla' }),
      ),
      isVllm,
      not(accepts('TPU405')),
    ),
  ],
  ['a volume in memory without a sizeLimit', 'TPU406', ofPods(put(['cache', 'sizeLimit']), hasCache)],
  [
    'a misspelled medium of a volume',
    'TPU407',
    ofPods(put(['cache', 'medium'], 'memory', 'MEMORY', 'RAM'), hasCache),
  ],
  [
    'a volume in memory that is larger than the memory of the machine',
    'TPU408',
    ofPods(put(['cache', 'sizeLimit'], '2Ti'), hasCache),
  ],
  [
    'a sidecar limit that is smaller than its cache',
    'TPU409',
    ofPods(put(['template', 'metadata', 'annotations', 'gke-gcsfuse/memory-limit'], '1Gi'), hasCache),
  ],
  [
    'a mount option that the driver sets itself',
    'TPU410',
    ofPods(
      put(['options', 'mountOptions'], 'log-file=/tmp/x', 'implicit-dirs,o=ro', 'cache-dir:/x'),
      hasFuse,
    ),
  ],
  [
    'a volume name that the driver reserves',
    'TPU411',
    ofPods(put(['fuse', 'name'], 'gke-gcsfuse-buffer'), hasFuse),
  ],
  [
    'a missing file cache',
    'TPU412',
    ofPods(put(['options', 'mountOptions'], 'implicit-dirs', undefined), hasFileCache),
  ],
  ['a cache on disk that the sidecar does not request', 'TPU414', ofPods(put(['cache', 'medium']), hasCache)],
  [
    'a cache smaller than the weights',
    'TPU415',
    ofPods(put(['cache', 'sizeLimit'], '100Gi', '1Gi', '130G'), hasCache, isVllm),
  ],

  // wiring
  [
    'a Service that selects no pods',
    'TPU501',
    ofKind('Service', put(['spec', 'selector'], { app: 'another' }, { application: 'server' }), hasAddress),
  ],
  [
    'a pod label that the selector does not match',
    'TPU501',
    ofPods(all(label('app', undefined), label('application', 'server')), isServer),
  ],
  [
    'a targetPort that no container declares',
    'TPU502',
    ofItems('Service', 'ports', put(['targetPort'], 8001, 80, 'web'), hasAddress),
  ],
  [
    'a PodMonitoring that selects no pods',
    'TPU503',
    ofKind('PodMonitoring', put(['spec', 'selector', 'matchLabels'], { app: 'another' })),
  ],
  [
    'a PodMonitoring of a port that its pods do not have',
    'TPU504',
    ofItems('PodMonitoring', 'endpoints', put(['port'], 'web')),
  ],
  [
    'an interval that is not a duration',
    'TPU505',
    ofItems('PodMonitoring', 'endpoints', put(['interval'], '15 seconds', '15', 15, 'often', undefined)),
  ],
  [
    'an autoscaler for a workload that does not exist',
    'TPU506',
    ofKind('HorizontalPodAutoscaler', put(['spec', 'scaleTargetRef', 'name'], 'another')),
  ],
  [
    'a metric name that an autoscaler cannot look up',
    'TPU507',
    ofItems(
      'HorizontalPodAutoscaler',
      'metrics',
      put(
        ['pods', 'metric', 'name'],
        `${PROMETHEUS}|vllm:num_requests_waiting`,
        `${PROMETHEUS}|vllm:num_requests_waiting|gauges`,
        `${PROMETHEUS}/vllm:num_requests_waiting/gauge`,
      ),
    ),
  ],
  [
    'a metric that current releases do not export',
    'TPU508',
    ofItems(
      'HorizontalPodAutoscaler',
      'metrics',
      put(
        ['pods', 'metric', 'name'],
        `${PROMETHEUS}|vllm:gpu_cache_usage_perc|gauge`,
        `${PROMETHEUS}|vllm:avg_generation_throughput_toks_per_s|gauge`,
      ),
    ),
  ],
  [
    'a metric that is a counter',
    'TPU509',
    ofItems(
      'HorizontalPodAutoscaler',
      'metrics',
      put(
        ['pods', 'metric', 'name'],
        `${PROMETHEUS}|vllm:num_requests_waiting|counter`,
        `${PROMETHEUS}|vllm:request_success_total|counter`,
      ),
    ),
  ],
  ['a metric that no PodMonitoring collects', 'TPU510', without('PodMonitoring', hasAutoscaler)],
  [
    'a minReplicas above maxReplicas of a worker group',
    'TPU511',
    ofKind('HorizontalPodAutoscaler', more(['spec', 'minReplicas'], ['spec', 'maxReplicas'])),
  ],
  [
    'an autoscaler target that is not above 0',
    'TPU511',
    ofItems('HorizontalPodAutoscaler', 'metrics', put(['pods', 'target', 'averageValue'], '0', 0, '-1')),
  ],
  [
    'fixed replicas of a workload with an autoscaler',
    'TPU512',
    (object: Draft, n: number, set: Draft[]): boolean =>
      hasAutoscaler(set) && ofPods(put(['owner', 'replicas'], 1, 2, 9), isServer)(object, n, set),
  ],
  [
    'a server that is reachable from the internet',
    'TPU513',
    ofKind('Service', put(['spec', 'type'], 'LoadBalancer'), hasAddress),
  ],
  [
    'a ServiceAccount that is not among the manifests',
    'TPU514',
    (object: Draft, n: number, set: Draft[]): boolean =>
      ofPods(put(['spec', 'serviceAccountName'], 'another'), hasKnownAccount(set))(object, n, set),
  ],
  [
    'a Secret that is not among the manifests',
    'TPU515',
    ofPods(
      push(['main', 'env'], { name: 'KEY', valueFrom: { secretKeyRef: { name: 'another', key: 'key' } } }),
    ),
  ],
  ['a Service without ports', 'TPU516', ofKind('Service', put(['spec', 'ports']), hasAddress)],

  // an inference gateway
  [
    'an InferencePool that selects other pods',
    'TPU551',
    ofKind('InferencePool', put(['spec', 'selector', 'matchLabels'], { app: 'another' }, { model: 'qwen' })),
  ],
  [
    'an InferencePool port that no server of the pool has',
    'TPU552',
    ofItems('InferencePool', 'targetPorts', put(['number'], 8001, 80)),
  ],
  [
    'a port that the Service of the endpoint picker does not have',
    'TPU553',
    ofKind('InferencePool', put(['spec', 'endpointPickerRef', 'port', 'number'], 9003, 8000)),
  ],
  [
    'a missing port of the endpoint picker',
    'TPU553',
    ofKind('InferencePool', put(['spec', 'endpointPickerRef', 'port'])),
  ],
  [
    'a configuration file that the ConfigMap of the endpoint picker does not have',
    'TPU554',
    ofPickerArgs((args) => args.replace('default-plugins', 'plugins')),
  ],
  [
    'an endpoint picker plugin that is not declared',
    'TPU555',
    (object: Draft, n: number): boolean => {
      const data = part(object, 'data');
      const file = data['default-plugins.yaml'];
      if (object['kind'] !== 'ConfigMap' || typeof file !== 'string') return false;
      data['default-plugins.yaml'] = file.replace(/pluginRef: \S+/, `pluginRef: scorer-${String(n)}`);
      return true;
    },
  ],
  [
    'a flag that the llm-d router removed',
    'TPU556',
    ofPickerArgs((args) => args.replace('--v=2', '--lora-info-metric=vllm:lora_requests_info')),
  ],
  [
    'a rolling update of endpoint pickers',
    'TPU557',
    ofKind('Deployment', put(['spec', 'strategy'], { type: 'RollingUpdate' }, undefined), isPicker),
  ],
  [
    'a health check that uses a wrong path or port',
    'TPU560',
    ofKind(
      'HealthCheckPolicy',
      put(
        ['spec', 'default', 'config', 'httpHealthCheck'],
        { requestPath: '/', port: 8000, portSpecification: 'USE_FIXED_PORT' },
        { requestPath: '/health', port: 80, portSpecification: 'USE_FIXED_PORT' },
        { port: 8000, portSpecification: 'USE_FIXED_PORT' },
      ),
    ),
  ],
  [
    'a request timeout that is too short',
    'TPU561',
    ofKind('GCPBackendPolicy', put(['spec', 'default', 'timeoutSec'], 30, 1, undefined)),
  ],
  [
    'a listener that the Gateway does not have',
    'TPU563',
    ofItems('HTTPRoute', 'parentRefs', put(['sectionName'], 'grpc', 'web')),
  ],
  ['a route backend without a group', 'TPU564', ofBackends(put(['group'], undefined, ''))],
  [
    'a timeout of a route to a pool',
    'TPU565',
    ofItems('HTTPRoute', 'rules', put(['timeouts'], { request: '60s' })),
  ],
  [
    'requests that fail while the endpoint picker is not available',
    'TPU566',
    ofKind('InferencePool', put(['spec', 'endpointPickerRef', 'failureMode'], 'FailClose', undefined)),
  ],
  [
    'an endpoint picker that stops before its servers',
    'TPU567',
    ofKind('Deployment', put(['spec', 'template', 'spec', 'terminationGracePeriodSeconds'], 1, 30), isPicker),
  ],
  [
    'a session affinity for an InferencePool',
    'TPU569',
    ofKind('GCPBackendPolicy', put(['spec', 'default', 'sessionAffinity'], { type: 'CLIENT_IP' })),
  ],
  [
    'a health check whose timeout is longer than its interval',
    'TPU570',
    ofKind('HealthCheckPolicy', put(['spec', 'default', 'timeoutSec'], 3, 300)),
  ],
  [
    'a route for a model that no server serves',
    'TPU571',
    ofItems(
      'HTTPRoute',
      'rules',
      put(['matches'], [{ headers: [{ name: 'X-Gateway-Base-Model-Name', value: 'another' }] }]),
    ),
  ],
  [
    'a Gateway of a global class',
    'TPU572',
    ofKind('Gateway', put(['spec', 'gatewayClassName'], 'gke-l7-global-external-managed', 'gke-l7-gxlb')),
  ],
  [
    'an endpoint picker with another health port',
    'TPU573',
    ofPickerArgs((args) => args.replace('9003', '9005')),
  ],

  // Ray
  [
    'a label that replaces the name kuberay',
    'TPU601',
    ofPods(label('app.kubernetes.io/name', 'mine', ''), isRay),
  ],
  [
    'a label that replaces the creator kuberay-operator',
    'TPU601',
    ofPods(label('app.kubernetes.io/created-by', 'me'), isRay),
  ],
  ['a container without an image', 'TPU602', ofPods(put(['main', 'image'], undefined, ''), isCustom)],
  [
    'a name that is too long for KubeRay',
    'TPU603',
    ofKind('RayService', put(['metadata', 'name'], 'x'.repeat(48), 'x'.repeat(63))),
  ],
  [
    'a Serve configuration without applications',
    'TPU604',
    ofKind(
      'RayService',
      put(
        ['spec', 'serveConfigV2'],
        'applications: [',
        'applications: []',
        'applications: [{name: a}]',
        '',
        undefined,
        { applications: [] },
      ),
    ),
  ],
  [
    'replicas above maxReplicas of a worker group',
    'TPU605',
    ofPods(more(['owner', 'replicas'], ['owner', 'maxReplicas']), isRay),
  ],
  [
    'a minReplicas above maxReplicas of an autoscaler',
    'TPU605',
    ofPods(more(['owner', 'minReplicas'], ['owner', 'maxReplicas']), isRay),
  ],
  [
    'a rayVersion of a RayService that differs from its image',
    'TPU607',
    ofKind('RayService', put(['spec', 'rayClusterConfig', 'rayVersion'], '2.44.1'), isRayImage),
  ],
  [
    'a rayVersion of a RayJob that differs from its image',
    'TPU607',
    ofKind('RayJob', put(['spec', 'rayClusterSpec', 'rayVersion'], '2.44.1'), isRayImage),
  ],
  [
    'a rayVersion of a RayCluster that differs from its image',
    'TPU607',
    ofKind('RayCluster', put(['spec', 'rayVersion'], '2.44.1'), isRayImage),
  ],

  // hygiene and admission
  ['an image whose tag can change', 'TPU701', ofPods(movingImage)],
  ['a token', 'TPU702', ofPods(push(['main', 'env'], { name: 'KEY', value: `hf_${'Ab1'.repeat(11)}` }))],
  ['a token in a flag', 'TPU702', ofPods(put(['main', 'args'], [`--token=hf_${'Ab1'.repeat(11)}`]))],
  [
    'an object that exists twice',
    'TPU703',
    (object: Draft, _: number, set: Draft[]): boolean => set.push(structuredClone(object)) > 0,
  ],
  [
    'a privileged container',
    'TPU704',
    ofPods(put(['main', 'securityContext'], { privileged: true }), not(isPrivileged)),
  ],
  ['a pod on the host network', 'TPU705', ofPods(put(['spec', 'hostNetwork'], true), not(isOnHostNetwork))],
  ['a label that is not a string', 'TPU711', ofPods(label('version', 1, true, 0.5))],
  ['a variable that is not a string', 'TPU711', ofPods(push(['main', 'env'], { name: 'LEVEL', value: 1 }))],
  ['a label that is not valid', 'TPU712', ofPods(label('model', 'a b', 'meta/llama', 'x'.repeat(64), '-a'))],
  [
    'an invalid name of a container',
    'TPU713',
    ofPods(put(['main', 'name'], 'Main', 'my_main', 'x'.repeat(64), '')),
  ],
  [
    'an invalid quantity',
    'TPU714',
    ofPods(put(['main', 'resources', 'requests', 'memory'], '20 Gi', '20GB', 'much', '-1Gi')),
  ],
  [
    'a variable that is set twice',
    'TPU715',
    ofPods(
      all(push(['main', 'env'], { name: 'A', value: 'a' }), push(['main', 'env'], { name: 'A', value: 'b' })),
    ),
  ],
  [
    'a port name that is too long',
    'TPU716',
    ofPods(push(['main', 'ports'], { name: 'a-port-for-requests', containerPort: 7000 })),
  ],
  [
    'a port without a name next to another port',
    'TPU717',
    ofKind('Service', push(['spec', 'ports'], { port: 7000 }), hasAddress),
  ],
  [
    'a selector that does not match its own pods',
    'TPU718',
    ofPods(put(['owner', 'selector', 'matchLabels'], { app: 'another' }), isServer),
  ],
  [
    'a misspelled field of a container',
    'TPU722',
    ofPods(renamed('main', 'image', 'imgae', 'Image', 'images')),
  ],
  [
    'a misspelled field of a pod',
    'TPU722',
    ofPods(renamed('spec', 'nodeSelector', 'nodeselector', 'nodeSelctor')),
  ],
  ['a misspelled field of an object', 'TPU722', always(put(['metadata', 'anotations'], { a: 'b' }))],
  ['a field of the pod in a container', 'TPU722', ofPods(put(['main', 'tolerations'], []))],
  ['a field that the schema does not have', 'TPU722', ofPods(put(['spec', 'gpuPartitions'], 8))],

  // drift
  ['a JobSet without a network', 'TPU801', ofKind('JobSet', put(['spec', 'network']))],
  ['a JobSet without a successPolicy', 'TPU801', ofKind('JobSet', put(['spec', 'successPolicy']))],
  ['a worker group without a scaleStrategy', 'TPU802', ofPods(put(['owner', 'scaleStrategy']), isRay)],
  ['a number of chips that is not a string', 'TPU803', ofPods(chipsAsNumbers, isRay)],
  // the webhook of JobSet rewrites only objects with missing defaults
  [
    'a number of chips that is not a string in a JobSet without defaults',
    'TPU803',
    ofPods(all(chipsAsNumbers, put(['object', 'spec', 'successPolicy'])), isJobSet),
  ],
  ['an empty value', 'TPU804', ofPods(push(['main', 'env'], { name: 'EMPTY', value: '' }), isCustom)],
  [
    'a port without a protocol',
    'TPU805',
    ofPods(push(['main', 'ports'], { name: 'other', containerPort: 7000 }), isCustom),
  ],

  // the checks themselves
  ['a document without a kind', 'TPU901', always(put(['kind']))],
  ['an acceptance of an unknown rule', 'TPU902', accept('TPU999', 'because')],
  ['an acceptance without a reason', 'TPU902', accept('TPU101', '')],
  ['an acceptance of a finding that the object does not have', 'TPU903', accept('TPU101', 'because')],
];

/** The manifests of each example. */
const EXAMPLES: readonly (readonly Draft[])[] = (() => {
  const app = new App();
  addExamples(app);
  new VllmQwen332bOnTheInternet(app);
  return app.charts.map((chart) => drafts(chart.toJson()));
})();

/** Findings that are not accepted, without fields that the mistake removed. */
const open = (set: readonly Draft[]): ReturnType<typeof findingsIn> =>
  findingsIn(drafts(JSON.parse(JSON.stringify(set))).map((manifest) => manifestObject(manifest))).filter(
    ({ accepted }) => accepted === undefined,
  );

/** The places of findings that are not accepted. */
const found = (set: readonly Draft[]): readonly string[] =>
  open(set).map(({ code, object, path }) => `${code} ${object} ${path}`);

/** Whether any rule finds an error in a set. */
export const hasErrors = (set: readonly Draft[]): boolean =>
  open(set).some(({ severity }) => severity === 'error');

/** Every object of the examples, with its set and its findings before any mistake. */
export const OBJECTS = EXAMPLES.flatMap((example) => {
  const before = found(example);
  return example.map((_, index) => ({ example, index, before }));
});

/** The set of an object after a mistake in it; undefined if the mistake cannot be made. */
export function mistaken(
  { example, index }: (typeof OBJECTS)[number],
  [, , mutation]: (typeof MUTATIONS)[number],
  n: number,
): readonly Draft[] | undefined {
  const set = structuredClone([...example]);
  const object = set[index];
  return object && mutation(object, n, set) ? set : undefined;
}

/** The places that the rule reports only after a mistake. */
export const foundAfter = (
  place: (typeof OBJECTS)[number],
  mutation: (typeof MUTATIONS)[number],
  n: number,
): readonly string[] =>
  found(mistaken(place, mutation, n) ?? []).filter(
    (finding) => finding.startsWith(mutation[1]) && !place.before.includes(finding),
  );

/** The objects that a mistake applies to. */
export const placesOf = (mutation: (typeof MUTATIONS)[number]): typeof OBJECTS =>
  OBJECTS.filter((place) => mistaken(place, mutation, 0) !== undefined);
