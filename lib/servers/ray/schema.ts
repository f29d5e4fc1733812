import { IMAGES } from '../../facts/images';
import {
  cacheProblem,
  compileCacheProblem,
  MODEL_CACHE_PROPERTIES,
  modelCacheProblems,
} from '../../pod/model-cache';
import { shutdownProblems } from '../../pod/shutdown';
import { tokenType } from '../../pod/hugging-face-token';
import { dnsLabel, image as imageGrammar, room } from '../../problems/grammar';
import { below, type Complaint, type Problem } from '../../problems/problems';
import {
  boolean,
  essential,
  integer,
  list,
  map,
  nonEmpty,
  object,
  oneOf,
  optional,
  required,
  type Schema,
  string,
} from '../../problems/schema';
import { capacityProblem } from '../../pod/capacity';
import { monitoringType } from '../../workload/monitoring';
import { peerType } from '../../workload/network-policy';
import {
  IMAGE_PROPERTIES,
  LIFECYCLE_PROPERTIES,
  POD_PROPERTIES,
  SLICE_PROPERTIES,
  sliceProblems,
} from '../../workload/vocabulary';
import { type TpuSlice } from '../../tpu/slice';
import {
  type RayCpuWorkerGroup,
  type RayHeadGroup,
  type RayPodProps,
  type TpuRayClusterOptions,
  type TpuRayClusterProps,
  type TpuRayJobProps,
  type TpuRayServiceProps,
  type TpuRayWorkerGroup,
} from './props';
import { METRICS_PARAM, metricsPortOf, rayVersionOf, scaleOf, taggedVersion } from './scale';
import { ELASTIC_JOB_ANNOTATION } from '../../facts/labels';
import { RAY_MEGASCALE_PORT, RAY_PORTS } from '../../facts/ports';
import { MEGASCALE_COORDINATOR_ADDRESS, MEGASCALE_PORT_VARIABLE } from '../../facts/variables';
import { RAY_RUNTIME_ENV, RAY_SERVE_CONFIG, serveProblems } from './serve-config-schema';

// ---- pods ---------------------------------------------------------------------------------------------------------

/** Flags of `ray start` that set ports, with the ports that the pod declares. */
const PORT_PARAMS: Readonly<Record<string, number>> = {
  port: RAY_PORTS.gcs,
  'dashboard-port': RAY_PORTS.dashboard,
  'ray-client-server-port': RAY_PORTS.client,
};

const param = (name: string): Complaint | undefined =>
  /^[a-z][a-z0-9-]*$/.test(name)
    ? undefined
    : { problem: 'is not a flag without leading dashes', use: "a flag like 'num-cpus'" };

const { labels, annotations, serviceAccountName } = POD_PROPERTIES;
const { env, imagePullSecrets } = IMAGE_PROPERTIES;
const { preStopSeconds, shutdownSeconds, startupSeconds } = LIFECYCLE_PROPERTIES;

const POD_OF_GROUP: Schema<RayPodProps>['properties'] = {
  ...POD_PROPERTIES,
  env,
  imagePullSecrets,
  preStopSeconds,
  shutdownSeconds,
  rayStartParams: optional(map(string(), param, "an object like { 'num-cpus': '0' }")),
};

/** Labels that KubeRay and the TPU webhook set and use as selectors. */
const RESERVED_LABEL = /^app\.kubernetes\.io\/(name|created-by)$|^ray\.io\/|^replicaIndex$/;

function* reservedLabels(given: object | null | undefined, path: string): Iterable<Problem> {
  for (const key of Object.keys(given ?? {}))
    if (RESERVED_LABEL.test(key))
      yield {
        path: `${path}[${key}]`,
        problem: 'is reserved: KubeRay and the TPU webhook set this label and select pods by it',
        use: 'a label with another name',
      };
}

function* labelProblems({ labels: given = {} }: Pick<RayPodProps, 'labels'>): Iterable<Problem> {
  yield* reservedLabels(given, 'labels');
  if (given['app'] !== undefined)
    yield {
      path: 'labels[app]',
      value: given['app'],
      problem: 'is reserved: it selects the pods and always equals the name',
      use: 'a label with another name',
    };
}

function* podProblems({ rayStartParams = {}, fragments = [] }: RayPodProps): Iterable<Problem> {
  for (const [key, value] of Object.entries(rayStartParams)) {
    const path = `rayStartParams[${key}]`;
    const own = PORT_PARAMS[key];
    if (key === 'labels')
      yield {
        path,
        problem: 'is a flag that KubeRay rejects',
        use: 'the prop labels to set labels of the pods',
      };
    else if (own !== undefined && value !== String(own))
      yield { path, value, problem: 'is not the port that the pod declares', use: `'${String(own)}'` };
    else if (key === METRICS_PARAM && !/^[1-9]\d{0,4}$/.test(value))
      yield { path, value, problem: 'is not a port', use: `a number like '${String(RAY_PORTS.metrics)}'` };
  }
  for (const [index, { labels: more, pod }] of fragments.entries()) {
    const path = `fragments[${String(index)}]`;
    yield* reservedLabels(more, `${path}.labels`);
    if (pod?.hostNetwork === false)
      yield {
        path: `${path}.pod.hostNetwork`,
        value: false,
        problem: 'is the default, which is not stored, so every apply would find a difference',
        use: 'to remove it',
      };
  }
}

const HEAD: Schema<RayHeadGroup> = {
  properties: POD_OF_GROUP,
  rules: [labelProblems, podProblems, shutdownProblems],
};

// ---- worker groups ------------------------------------------------------------------------------------------------

/** Suffix that KubeRay adds to the name of a slice. */
const SLICE_SUFFIX = '-xxxxx';
/** Value of the label `ray.io/group` on the head. */
const HEAD_GROUP = 'headgroup';
/** Kueue's name for the head. */
const QUEUED_HEAD_NAME = 'head';

/** Fields that the TPU webhook sets on the pods of a multi-host slice. */
const WEBHOOK_FIELDS = ['affinity', 'hostname', 'subdomain'] as const;
const WEBHOOK_ENV: readonly string[] = ['TPU_WORKER_ID', 'TPU_WORKER_HOSTNAMES'];

const WORKER_GROUP: Schema<TpuRayWorkerGroup> = {
  properties: {
    ...POD_OF_GROUP,
    ...SLICE_PROPERTIES,
    startupSeconds,
    groupName: required(string(dnsLabel()), 'tpu-group'),
    replicas: optional(integer(0)),
    minReplicas: optional(integer(0)),
    maxReplicas: optional(integer(1)),
    modelSize: optional(string(room)),
    huggingFaceToken: optional(tokenType),
    multislice: optional(boolean()),
    ...MODEL_CACHE_PROPERTIES,
  },
  rules: [
    labelProblems,
    podProblems,
    shutdownProblems,
    groupNameProblems,
    scaleProblems,
    groupCapacityProblems,
    storageProblems,
    webhookProblems,
    multisliceProblems,
  ],
};

const CPU_WORKER_GROUP: Schema<RayCpuWorkerGroup> = {
  properties: {
    ...POD_OF_GROUP,
    groupName: required(string(dnsLabel()), 'cpu-group'),
    replicas: optional(integer(0)),
    minReplicas: optional(integer(0)),
    maxReplicas: optional(integer(1)),
  },
  rules: [labelProblems, podProblems, shutdownProblems, groupNameProblems, scaleProblems],
};

/** Slices that compute together must be multi-host, and a fixed number of at least two. */
function* multisliceProblems(group: TpuRayWorkerGroup): Iterable<Problem> {
  if (group.multislice !== true) return;
  const { replicas, minReplicas, maxReplicas } = scaleOf(group);
  if (maxReplicas < 2)
    yield {
      path: 'multislice',
      problem: `has no effect on ${String(maxReplicas)} slice`,
      use: 'at least 2 replicas, or remove it',
    };
  else if (replicas !== minReplicas || replicas !== maxReplicas)
    yield {
      path: 'multislice',
      problem: `requires a fixed number of slices, but the group has ${String(minReplicas)} to ${String(maxReplicas)}`,
      use: `replicas: ${String(maxReplicas)} without minReplicas and maxReplicas`,
    };
  if (!group.slice.multiHost && group.env?.[MEGASCALE_COORDINATOR_ADDRESS] === undefined)
    yield {
      path: 'multislice',
      problem: `requires multi-host slices: the TPU webhook makes the first pod of the group the coordinator, but sets host names only on multi-host slices`,
      use: `another slice, or set env[${MEGASCALE_COORDINATOR_ADDRESS}]`,
    };
  const port = Number(group.env?.[MEGASCALE_PORT_VARIABLE] ?? RAY_MEGASCALE_PORT);
  if (metricsPortOf(group) === port)
    yield {
      path: `rayStartParams[${METRICS_PARAM}]`,
      value: String(port),
      problem: 'is the port through which the slices communicate',
      use: `another port, like '${String(RAY_PORTS.metrics)}'`,
    };
}

/** The names of slices, GROUP-RANDOM, and of hosts, GROUP-REPLICA-HOST, are DNS labels that contain the name of the group. */
function* groupNameProblems(group: RayCpuWorkerGroup & { readonly slice?: TpuSlice }): Iterable<Problem> {
  const { groupName, slice } = group;
  const { maxReplicas } = scaleOf(group);
  const host = slice?.multiHost === true ? `-${String(slice.hosts - 1)}` : '';
  const suffix = `-${String(maxReplicas - 1)}${host}`;
  const most = 63 - Math.max(SLICE_SUFFIX.length, suffix.length);
  const wrong = dnsLabel(most, 'the names of slices and hosts start with it')(groupName);
  if (wrong) yield { path: 'groupName', value: groupName, ...wrong };
  if (groupName === HEAD_GROUP)
    yield {
      path: 'groupName',
      value: groupName,
      problem: "is KubeRay's name for the head",
      use: 'another name',
      nearest: 'tpu-group',
    };
}

function* scaleProblems({ replicas, minReplicas = 0, maxReplicas }: RayCpuWorkerGroup): Iterable<Problem> {
  const [least, most] = [String(minReplicas), String(maxReplicas)];
  if (maxReplicas !== undefined && maxReplicas < minReplicas)
    yield {
      path: 'maxReplicas',
      value: maxReplicas,
      problem: `is less than minReplicas (${least})`,
      use: `at least ${least}`,
    };
  else if (replicas !== undefined && replicas < minReplicas)
    yield {
      path: 'replicas',
      value: replicas,
      problem: `is less than minReplicas (${least})`,
      use: `at least ${least}`,
    };
  else if (replicas !== undefined && maxReplicas !== undefined && replicas > maxReplicas)
    yield {
      path: 'replicas',
      value: replicas,
      problem: `is more than maxReplicas (${most})`,
      use: `at most ${most}`,
    };
}

function* groupCapacityProblems(group: TpuRayWorkerGroup): Iterable<Problem> {
  yield* sliceProblems(group, true);
  const type = group.capacity?.type;
  if (type === 'compute-class' || type === 'dynamic-slice')
    yield {
      path: 'capacity',
      problem: `is a ${type === 'compute-class' ? 'ComputeClass' : 'dynamic slice'}, so the node selectors contain no topology, which Ray's TPU webhook reads from them`,
      use: 'another capacity',
    };
}

/** Yields the problems of the folders for weights and compiled programs. */
function* storageProblems(group: TpuRayWorkerGroup): Iterable<Problem | undefined> {
  const { slice, modelSize, modelCache, compileCachePath } = group;
  yield cacheProblem('modelCache.cache', modelCache, modelSize);
  yield* modelCacheProblems(group);
  yield compileCacheProblem('compileCachePath', compileCachePath, slice, group);
}

/** The TPU webhook overwrites these fields to keep the hosts of a slice together. */
function* webhookProblems({
  slice,
  env: variables = {},
  fragments = [],
}: TpuRayWorkerGroup): Iterable<Problem> {
  const ofEnv = (name: string, path: string): readonly Problem[] =>
    WEBHOOK_ENV.includes(name)
      ? [{ path, problem: 'is set by the TPU webhook on each host', use: 'to remove it' }]
      : [];
  for (const name of Object.keys(variables)) yield* ofEnv(name, `env[${name}]`);
  for (const [index, { pod, env: more }] of fragments.entries()) {
    const path = `fragments[${String(index)}]`;
    for (const field of slice.multiHost ? WEBHOOK_FIELDS : [])
      if (pod?.[field] !== undefined)
        yield {
          path: `${path}.pod.${field}`,
          problem: `is set by the TPU webhook on the pods of a slice with ${String(slice.hosts)} hosts`,
          use: 'to remove it',
        };
    for (const { name } of more ?? []) yield* ofEnv(name, `${path}.env[${name}]`);
  }
}

// ---- the cluster --------------------------------------------------------------------------------------------------

/** KubeRay appends up to 16 characters to the names of clusters and Services. */
const MAX_NAME = 47;

/** Accepts versions of Ray, like `2.46.0`, `2.47.0rc1` and `3.0.0.dev0`. */
const rayVersion = (value: string): Complaint | undefined =>
  /^\d+\.\d+\.\d+([.-]?[A-Za-z][A-Za-z0-9.+-]*)?$/.test(value)
    ? undefined
    : {
        problem: 'is not a version of Ray',
        use: "MAJOR.MINOR.PATCH, like '2.46.0'; omit it for a nightly image",
      };

const release = (value: string): Complaint | undefined =>
  /^v?\d+\.\d+(\.\d+)?$/.test(value)
    ? undefined
    : { problem: 'is not a release of KubeRay', use: "a release like '1.7.0'" };

/** The properties that all constructs with a Ray cluster share. */
const RAY_CLUSTER_PROPERTIES: Omit<
  Schema<TpuRayClusterOptions>['properties'],
  'allowedClients' | 'operatorPeers'
> = {
  name: optional(string(dnsLabel(MAX_NAME, 'KubeRay adds a suffix for clusters and Services'))),
  labels,
  annotations,
  serviceAccountName,
  image: optional(string(imageGrammar)),
  rayVersion: optional(string(rayVersion)),
  imagePullSecrets,
  head: optional(object(HEAD, 'an object with the properties of the head')),
  workerGroups: essential(
    list(object(WORKER_GROUP, 'a group, with groupName and slice'), {
      min: 1,
      what: 'a list of at least one group, with groupName and slice',
    }),
    "[{ groupName: 'tpu-group', slice: TpuSlice.of('ct6e-standard-4t') }]",
  ),
  cpuWorkerGroups: optional(
    list(object(CPU_WORKER_GROUP, 'a group, with groupName'), { what: 'a list of groups, with groupName' }),
  ),
  enableInTreeAutoscaling: optional(boolean()),
  idleTimeoutSeconds: optional(integer(0)),
  kubeRayVersion: optional(string(release)),
  monitoring: optional(monitoringType),
};

const allowedClients = optional(list(peerType, { what: 'a list of peers' }));
const operatorPeers = optional(list(peerType, { min: 1, what: 'a list of at least one peer' }));

function* versionProblems({
  image = IMAGES.ray,
  rayVersion: given,
}: TpuRayClusterOptions): Iterable<Problem> {
  const tagged = taggedVersion(image);
  if (given !== undefined && tagged !== undefined && given !== tagged)
    yield {
      path: 'rayVersion',
      value: given,
      problem: `is not the version of image '${image}'`,
      use: `'${tagged}', or omit rayVersion`,
    };
}

/** Returns all worker groups, each with its path. */
const allGroups = ({
  workerGroups,
  cpuWorkerGroups = [],
}: TpuRayClusterOptions): readonly { readonly path: string; readonly group: RayCpuWorkerGroup }[] => [
  ...workerGroups.map((group, index) => ({ path: `workerGroups[${String(index)}]`, group })),
  ...cpuWorkerGroups.map((group, index) => ({ path: `cpuWorkerGroups[${String(index)}]`, group })),
];

function* groupsProblems(props: TpuRayClusterOptions): Iterable<Problem> {
  const { enableInTreeAutoscaling = false, idleTimeoutSeconds } = props;
  const all = allGroups(props);
  for (const { path, group } of all) {
    const { groupName, replicas, maxReplicas } = group;
    const first = all.find((other) => other.group.groupName === groupName);
    if (first && first.path !== path)
      yield {
        path: `${path}.groupName`,
        value: groupName,
        problem: `is also the groupName of ${first.path}`,
        use: 'a unique value',
      };
    if (enableInTreeAutoscaling && maxReplicas === undefined)
      yield { path: `${path}.maxReplicas`, problem: 'required with enableInTreeAutoscaling, for example 4' };
    if (enableInTreeAutoscaling && replicas !== undefined)
      yield {
        path: `${path}.replicas`,
        value: replicas,
        problem: 'is set together with enableInTreeAutoscaling, with which a cluster starts at minReplicas',
        use: 'minReplicas and maxReplicas',
      };
  }
  if (idleTimeoutSeconds !== undefined && !enableInTreeAutoscaling)
    yield {
      path: 'idleTimeoutSeconds',
      value: idleTimeoutSeconds,
      problem: 'has no effect without enableInTreeAutoscaling',
      use: 'enableInTreeAutoscaling: true',
    };
}

function* peerProblems({ allowedClients, operatorPeers }: TpuRayClusterOptions): Iterable<Problem> {
  if (operatorPeers !== undefined && allowedClients === undefined)
    yield {
      path: 'operatorPeers',
      problem: 'is set without allowedClients, so it has no NetworkPolicy to change',
      use: 'both or neither',
    };
}

/** Kueue admits a Ray object as a whole, through one queue. */
function* queueProblems(props: TpuRayClusterOptions): Iterable<Problem> {
  const { workerGroups } = props;
  const [first] = workerGroups.map(({ capacity }) => capacity?.queueName);
  for (const [index, { capacity }] of workerGroups.entries())
    if (capacity?.queueName !== first)
      yield {
        path: `workerGroups[${String(index)}].capacity`,
        problem: `${capacity?.queueName === undefined ? 'has no queue' : `has queue '${capacity.queueName}'`}, but the capacity of workerGroups[0] has ${first === undefined ? 'none' : `'${first}'`}`,
        use: 'one queue for all groups, or none',
      };
  if (first !== undefined) yield* admissionProblems(props);
}

/** Number of worker groups that Kueue supports in one workload, in addition to the head. */
const MAX_QUEUED_GROUPS = 17;

/**
 * Yields the problems for which Kueue's webhooks reject the object.
 *
 * @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/controller/jobs/raycluster/raycluster_webhook.go
 */
function* admissionProblems(props: TpuRayClusterOptions): Iterable<Problem> {
  const groups = allGroups(props);
  if (props.enableInTreeAutoscaling === true && props.annotations?.[ELASTIC_JOB_ANNOTATION] !== 'true')
    yield {
      path: 'enableInTreeAutoscaling',
      value: true,
      problem: 'is rejected by Kueue in a queue, unless the workload is elastic',
      use: `annotations: { '${ELASTIC_JOB_ANNOTATION}': 'true' }, or replicas`,
    };
  for (const { path, group } of groups)
    if (group.groupName === QUEUED_HEAD_NAME)
      yield {
        path: `${path}.groupName`,
        value: group.groupName,
        problem: "is Kueue's name for the head, so Kueue rejects it in a queue",
        use: 'another name',
        nearest: 'tpu-group',
      };
  if (groups.length > MAX_QUEUED_GROUPS)
    yield {
      path: 'workerGroups',
      problem: `and cpuWorkerGroups together have ${String(groups.length)} groups, more than Kueue supports in a queue`,
      use: `at most ${String(MAX_QUEUED_GROUPS)}`,
    };
}

/** A PodMonitoring reads the same port of all pods. */
function* metricsProblems(props: TpuRayClusterOptions): Iterable<Problem> {
  if (props.monitoring === false) return;
  const port = metricsPortOf(props.head);
  for (const { path, group } of allGroups(props))
    if (metricsPortOf(group) !== port)
      yield {
        path: below(path, `rayStartParams[${METRICS_PARAM}]`),
        value: String(metricsPortOf(group)),
        problem: `is not the port of the head's metrics (${String(port)}), but monitoring reads the same port of all pods`,
        use: 'the same port in all groups, or monitoring: false',
      };
}

/** The rules that all constructs with a Ray cluster share. */
const RAY_CLUSTER_RULES: readonly ((props: TpuRayClusterOptions) => Iterable<Problem>)[] = [
  labelProblems,
  versionProblems,
  groupsProblems,
  peerProblems,
  queueProblems,
  metricsProblems,
];

// ---- the service --------------------------------------------------------------------------------------------------

/** A service runs indefinitely, so it would keep the quota of a queue for jobs. */
function* serviceQueueProblems({ workerGroups }: TpuRayServiceProps): Iterable<Problem | undefined> {
  for (const [index, { capacity, slice }] of workerGroups.entries()) {
    const wrong = capacity?.queueName === undefined ? undefined : capacityProblem(capacity, slice);
    if (wrong) yield { ...wrong, path: `workerGroups[${String(index)}].${wrong.path}` };
  }
}

/** Yields the problems of the applications on this cluster. */
function* applicationProblems(props: TpuRayServiceProps): Iterable<Problem> {
  const { workerGroups, enableInTreeAutoscaling: autoscaling, serveConfig } = props;
  const size = {
    rayVersion: rayVersionOf(props),
    chipsPerHost: Math.max(...workerGroups.map(({ slice }) => slice.chipsPerHost)),
    chips: workerGroups.reduce((sum, group) => {
      const { replicas, maxReplicas } = scaleOf(group, autoscaling);
      return sum + group.slice.chips * (autoscaling === true ? maxReplicas : replicas);
    }, 0),
  };
  for (const problem of serveProblems(serveConfig, size))
    yield { ...problem, path: below('serveConfig', problem.path) };
}

export const TPU_RAY_SERVICE: Schema<TpuRayServiceProps> = {
  properties: {
    ...RAY_CLUSTER_PROPERTIES,
    allowedClients,
    operatorPeers,
    serveConfig: essential(
      object(RAY_SERVE_CONFIG, 'an object with applications'),
      "{ applications: [{ name: 'my-model', importPath: 'package.module:variable' }] }",
    ),
    upgradeStrategy: optional(oneOf('None', 'NewCluster')),
  },
  rules: [...RAY_CLUSTER_RULES, serviceQueueProblems, applicationProblems],
};

// ---- the cluster alone, and the job -------------------------------------------------------------------------------

export const TPU_RAY_CLUSTER: Schema<TpuRayClusterProps> = {
  properties: { ...RAY_CLUSTER_PROPERTIES, allowedClients },
  rules: RAY_CLUSTER_RULES,
};

export const TPU_RAY_JOB: Schema<TpuRayJobProps> = {
  properties: {
    ...RAY_CLUSTER_PROPERTIES,
    entrypoint: required(nonEmpty("a command, like 'python train.py'"), 'python train.py'),
    runtimeEnv: optional(object(RAY_RUNTIME_ENV)),
    shutdownAfterJobFinishes: optional(boolean()),
    ttlSecondsAfterFinished: optional(integer(0)),
    backoffLimit: optional(integer(0)),
    activeDeadlineSeconds: optional(integer(1)),
  },
  rules: [...RAY_CLUSTER_RULES, ttlProblems, queuedJobProblems],
};

/** Kueue rejects a job that keeps its cluster, because the cluster would keep the quota of the queue. */
function* queuedJobProblems({ shutdownAfterJobFinishes, workerGroups }: TpuRayJobProps): Iterable<Problem> {
  const [queue] = workerGroups.map(({ capacity }) => capacity?.queueName);
  if (queue !== undefined && shutdownAfterJobFinishes === false)
    yield {
      path: 'shutdownAfterJobFinishes',
      value: false,
      problem: `keeps the quota of queue '${queue}' after the job has ended, so Kueue rejects it`,
      use: 'to remove it',
    };
}

/** KubeRay rejects a time to the deletion of the cluster if it does not delete the cluster. */
function* ttlProblems({
  shutdownAfterJobFinishes,
  ttlSecondsAfterFinished: value,
}: TpuRayJobProps): Iterable<Problem> {
  if (shutdownAfterJobFinishes === false && value !== undefined)
    yield {
      path: 'ttlSecondsAfterFinished',
      value,
      problem: 'is set, but shutdownAfterJobFinishes is false',
      use: 'one of them',
    };
}
