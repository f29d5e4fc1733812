import { type ApiObject } from 'cdk8s';
import { type NetworkPolicyPeer, type ObjectMeta } from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import {
  type RayServiceSpecRayClusterConfig as RayClusterSpec,
  type RayServiceSpecRayClusterConfigWorkerGroupSpecs as WorkerGroupSpec,
} from '../../../imports/ray.io';
import { IMAGES } from '../../facts/images';
import { APP_COMPONENT_LABEL, RAY_GROUP, RAY_WORKER_GROUP_LABEL } from '../../facts/labels';
import { RAY_PORTS } from '../../facts/ports';
import {
  JAX_COMPILE_CACHE,
  MEGASCALE_NUM_SLICES,
  VLLM_COMPILE_CACHE,
  VLLM_ENGINE_TIMEOUT,
} from '../../facts/variables';
import {
  type MainContainer,
  type PodFragment,
  type ResourceRequirements,
  type SidecarContainer,
} from '../../pod/fragment';
import { checkHost, hostResources } from '../../pod/host-resources';
import { isUncached, modelCacheFragments } from '../../pod/model-cache';
import { containerSecurity, podSecurity, type PodSecurityLevel } from '../../pod/security';
import { gracefulShutdown, type Shutdown } from '../../pod/shutdown';
import { overNodePools } from '../../pod/spread';
import { startupEstimate } from '../../pod/startup-budget';
import { type PodTemplate, podTemplate } from '../../pod/template';
import { tpuMetricsPort, tpuResources } from '../../pod/tpu';
import { Problems } from '../../problems/problems';
import { type MonitoringOptions, podMonitoring } from '../../workload/monitoring';
import { networkPolicy, tcp } from '../../workload/network-policy';
import { queuedMetadata } from '../../workload/objects';
import { givenFragments, givenSidecars, objectMetadata } from '../../workload/pod-words';
import { checkLevel } from '../../workload/security-level';
import { type Plain } from '../../workload/plain';
import { selectorOf } from '../../workload/server';
import { modelAnnotations, modelOfSize } from '../../workload/stated-model';
import {
  type RayCpuWorkerGroup,
  type RayPodProps,
  type TpuRayClusterOptions,
  type TpuRayWorkerGroup,
} from './props';
import { metricsPortOf, rayVersionOf, scaleOf } from './scale';

/** Resources of pods without TPUs, as in the tutorial's head. */
const CPU_AMOUNTS = { cpu: '2', memory: '8G' };
export const CPU_RESOURCES: ResourceRequirements = { requests: CPU_AMOUNTS, limits: CPU_AMOUNTS };

/** API version of Ray's objects. */
export const RAY_API_VERSION = `${RAY_GROUP}/v1`;

/** First release of the KubeRay operator with `priority` in worker groups. */
const PRIORITY_SINCE = [1, 7] as const;

/** Default grace period in seconds, as for Jobs: twice Kubernetes' default; on spot, the time that spot nodes give their pods. */
const GRACE_SECONDS = 60;
const SPOT_GRACE_SECONDS = 15;

/** Returns how the pods shut down in a cluster that does not serve requests, so without waiting for Services. */
export function stopWithoutRequests(group: RayPodProps & Pick<TpuRayWorkerGroup, 'capacity'>): RayShutdown {
  const { capacity, preStopSeconds, shutdownSeconds } = group;
  if (preStopSeconds !== undefined) return { shutdown: gracefulShutdown(group, GRACE_SECONDS), env: [] };
  const usual = capacity?.preemptible === true ? SPOT_GRACE_SECONDS : GRACE_SECONDS;
  const seconds = group.terminationGracePeriodSeconds ?? shutdownSeconds ?? usual;
  const defaults = { pod: { terminationGracePeriodSeconds: seconds } };
  const shutdown = {
    preStopSeconds: 0,
    terminationGracePeriodSeconds: seconds,
    hook: {},
    defaults,
    given: {},
  };
  return { shutdown, env: [] };
}

/** How the pods of a group shut down. */
export interface RayShutdown {
  readonly shutdown: Shutdown;
  /** Environment variables for Ray. @default - none */
  readonly env: NonNullable<PodFragment['env']>;
}

/** Parts that each construct adds to its Ray cluster. */
export interface RayClusterRole {
  readonly name: string;
  /** Labels of all objects and pods. The user's labels override them. */
  readonly labels: Readonly<Record<string, string>>;
  /** Names of ports of the head, in addition to Ray's own ports. */
  readonly headPorts: readonly (keyof typeof RAY_PORTS)[];
  /** How the pods of a group shut down. */
  readonly stop: (group: RayPodProps & Pick<TpuRayWorkerGroup, 'capacity'>) => RayShutdown;
}

/** A cluster, ready to be rendered. */
export interface RayCluster {
  /** Name, labels and annotations of the objects. */
  readonly metadata: ObjectMeta & { readonly name: string };
  /** Labels that select the pods. */
  readonly selector: Record<string, string>;
  readonly spec: Plain<RayClusterSpec>;
  readonly metricsPort: number;
}

/** Returns the cluster for the props, and records the problems of its pods. */
export function rayCluster(
  props: TpuRayClusterOptions,
  role: RayClusterRole,
  problems: Problems,
): RayCluster | undefined {
  const { enableInTreeAutoscaling: autoscaling, idleTimeoutSeconds } = props;
  const { workerGroups, cpuWorkerGroups = [] } = props;
  const selector = selectorOf(role.name);
  const head = problems.attempt(() => headPod(props, role, selector), 'head');
  const workers = [
    ...workerGroups.map((group, index) =>
      problems.attempt(
        () => workerGroupSpec(group, group.slice.hosts, props, workerPod(group, props, role, selector)),
        `workerGroups[${String(index)}]`,
      ),
    ),
    ...cpuWorkerGroups.map((group, index) =>
      problems.attempt(
        () => workerGroupSpec(group, 1, props, cpuWorkerPod(group, props, role, selector)),
        `cpuWorkerGroups[${String(index)}]`,
      ),
    ),
  ];
  if (head === undefined) return undefined;
  return {
    metadata: {
      ...queuedMetadata(
        objectMetadata(props, { ...role.labels, ...selector }),
        workerGroups.find(({ capacity }) => capacity?.queueName !== undefined)?.capacity,
      ),
      name: role.name,
    },
    selector,
    metricsPort: metricsPortOf(props.head),
    spec: {
      rayVersion: rayVersionOf(props),
      enableInTreeAutoscaling: autoscaling === true ? true : undefined,
      autoscalerOptions: idleTimeoutSeconds === undefined ? undefined : { idleTimeoutSeconds },
      headGroupSpec: { rayStartParams: { ...props.head?.rayStartParams }, template: head },
      workerGroupSpecs: workers.filter((group) => group !== undefined),
    },
  };
}

/**
 * Returns the fields of a worker group, including those that KubeRay would default: without them, a second apply would find a difference.
 */
const workerGroupSpec = (
  group: RayCpuWorkerGroup,
  numOfHosts: number,
  { enableInTreeAutoscaling, kubeRayVersion }: TpuRayClusterOptions,
  template: PodTemplate,
): Plain<WorkerGroupSpec> => ({
  groupName: group.groupName,
  ...scaleOf(group, enableInTreeAutoscaling),
  numOfHosts,
  ...(hasPriority(kubeRayVersion) && { priority: 0 }),
  rayStartParams: { ...group.rayStartParams },
  scaleStrategy: {},
  template,
});

function hasPriority(kubeRayVersion: string | undefined): boolean {
  const [major = 0, minor = 0] = (kubeRayVersion ?? '').replace(/^v/, '').split('.').map(Number);
  return major > PRIORITY_SINCE[0] || (major === PRIORITY_SINCE[0] && minor >= PRIORITY_SINCE[1]);
}

// ---- pods ---------------------------------------------------------------------------------------------------------

const container = (
  name: string,
  props: TpuRayClusterOptions,
  group: RayPodProps | undefined,
  ports: readonly (keyof typeof RAY_PORTS)[],
): MainContainer => ({
  name,
  image: props.image ?? IMAGES.ray,
  ports: ports.map((port) => ({
    name: port,
    containerPort: port === 'metrics' ? metricsPortOf(group) : RAY_PORTS[port],
    protocol: 'TCP',
  })),
});

const levelOf = ({ podSecurityLevel = 'baseline' }: RayPodProps): PodSecurityLevel => podSecurityLevel;

const sidecarsOf = (group: RayPodProps, { hook }: Shutdown): readonly SidecarContainer[] =>
  givenSidecars(group, { ...hook, ...containerSecurity(levelOf(group)) });

/** Returns the default resources of a pod without TPUs, except resources for which the user set the request or the limit. */
function cpuResources({ resources = {} }: RayPodProps): ResourceRequirements {
  const given = { ...resources.requests, ...resources.limits };
  const amounts = Object.fromEntries(Object.entries(CPU_AMOUNTS).filter(([name]) => !(name in given)));
  return { requests: amounts, limits: amounts };
}

/** Props that the head and the CPU workers share. */
interface CpuPod {
  readonly container: MainContainer;
  readonly group: RayPodProps;
  /** Whether the pod calls the Kubernetes API. @default false */
  readonly callsKubernetes?: boolean;
}

function cpuPod(
  { container: main, group, callsKubernetes = false }: CpuPod,
  props: TpuRayClusterOptions,
  role: RayClusterRole,
  selector: Record<string, string>,
): PodTemplate {
  const { shutdown, env } = role.stop(group);
  const longest = Math.max(0, ...props.workerGroups.map((one) => engineSeconds(one) ?? 0));
  const template = podTemplate({
    container: main,
    sidecars: sidecarsOf(group, shutdown),
    facts: [{ labels: selector }],
    defaults: [
      { labels: role.labels },
      podSecurity(levelOf(group), callsKubernetes),
      { resources: cpuResources(group) },
      shutdown.defaults,
      { env },
      // A replica that starts vLLM on other hosts can run in any pod.
      ...engineTimeout(longest),
    ],
    given: [shutdown.given, ...givenOf(group, props)],
  });
  const problems = new Problems();
  checkLevel(template, group.podSecurityLevel, problems);
  return problems.settle(template);
}

function headPod(
  props: TpuRayClusterOptions,
  role: RayClusterRole,
  selector: Record<string, string>,
): PodTemplate {
  const { head: group = {}, enableInTreeAutoscaling: callsKubernetes = false } = props;
  const ports = ['gcs', 'dashboard', 'client', ...role.headPorts, 'metrics'] as const;
  // The autoscaler runs in the head's pod and changes the RayCluster.
  const head = { container: container('ray-head', props, group, ports), group, callsKubernetes };
  return cpuPod(head, props, role, selector);
}

const cpuWorkerPod = (
  group: RayCpuWorkerGroup,
  props: TpuRayClusterOptions,
  role: RayClusterRole,
  selector: Record<string, string>,
): PodTemplate =>
  cpuPod({ container: container('ray-worker', props, group, ['metrics']), group }, props, role, selector);

function workerPod(
  group: TpuRayWorkerGroup,
  props: TpuRayClusterOptions,
  role: RayClusterRole,
  selector: Record<string, string>,
): PodTemplate {
  const { slice, capacity, huggingFaceToken, modelCache } = group;
  const { shutdown, env } = role.stop(group);
  const stated = modelOfSize(group.modelSize);
  const { replicas, maxReplicas } = scaleOf(group, props.enableInTreeAutoscaling);
  const problems = new Problems();
  const template = problems.attempt(() =>
    podTemplate({
      container: container('ray-worker', props, group, ['metrics']),
      sidecars: sidecarsOf(group, shutdown),
      facts: [{ labels: selector }, tpuResources(slice)],
      defaults: [
        { labels: role.labels },
        podSecurity(levelOf(group)),
        tpuMetricsPort(),
        hostResources(slice),
        shutdown.defaults,
        { env },
        // Single-host slices can share a node pool, so the replicas of a group are spread over the existing node pools.
        ...(slice.multiHost || maxReplicas < 2
          ? []
          : [overNodePools({ ...selector, [RAY_WORKER_GROUP_LABEL]: group.groupName })]),
        ...engineTimeout(engineSeconds(group) ?? 0),
        ...modelCacheFragments(group, slice, [JAX_COMPILE_CACHE, VLLM_COMPILE_CACHE]),
        ...(stated ? [{ annotations: modelAnnotations(stated) }] : []),
        ...(group.multislice === true
          ? [{ env: [{ name: MEGASCALE_NUM_SLICES, value: String(replicas) }] }]
          : []),
      ],
      given: [
        ...(capacity ? [capacity] : []),
        ...(modelCache ? [modelCache] : []),
        shutdown.given,
        ...(huggingFaceToken ? [huggingFaceToken.asEnv()] : []),
        ...givenOf(group, props),
      ],
    }),
  );
  if (template) {
    checkHost(slice, template, problems);
    checkLevel(template, group.podSecurityLevel, problems);
  }
  return problems.settle(template);
}

/** Returns the user's fragments for the pods of a group. */
function givenOf(group: RayPodProps, props: TpuRayClusterOptions): readonly PodFragment[] {
  // A separate rule reports the label `app`.
  const labels = Object.fromEntries(
    Object.entries({ ...props.labels, ...group.labels }).filter(([key]) => key !== 'app'),
  );
  const account = group.serviceAccountName ?? props.serviceAccountName;
  const secrets = group.imagePullSecrets ?? props.imagePullSecrets;
  return givenFragments({
    ...group,
    labels,
    ...((props.annotations ?? group.annotations) && {
      annotations: { ...props.annotations, ...group.annotations },
    }),
    ...(account !== undefined && { serviceAccountName: account }),
    ...(secrets && { imagePullSecrets: secrets }),
  });
}

/** Returns the timeout of vLLM's engine in seconds; undefined if the size of its model is not known. */
function engineSeconds(group: TpuRayWorkerGroup): number | undefined {
  const { slice, modelCache, modelSize, startupSeconds } = group;
  if (startupSeconds !== undefined || modelSize === undefined) return startupSeconds;
  const uncachedFuse = isUncached(modelCache, modelSize);
  return startupEstimate({ slice, modelSize, uncachedFuse }).budgetSeconds;
}

const engineTimeout = (seconds: number): readonly PodFragment[] =>
  seconds === 0 ? [] : [{ env: [{ name: VLLM_ENGINE_TIMEOUT, value: String(seconds) }] }];

// ---- other objects -------------------------------------------------------------------------------------------------

/** The KubeRay operator, in any namespace. */
export const KUBERAY_OPERATOR: NetworkPolicyPeer = {
  namespaceSelector: {},
  podSelector: { matchLabels: { [APP_COMPONENT_LABEL]: 'kuberay-operator' } },
};

const METRICS_PATH = '/metrics';

/** Renders the PodMonitoring for all pods of a cluster; undefined if `monitoring` is `false`. */
export const rayMonitoring = (
  scope: Construct,
  { metadata, selector, metricsPort: port }: RayCluster,
  monitoring: MonitoringOptions | false | undefined,
): ApiObject | undefined =>
  monitoring === false
    ? undefined
    : podMonitoring(scope, 'PodMonitoring', { metadata, selector, port, path: METRICS_PATH, ...monitoring });

/**
 * Renders the NetworkPolicy that rejects connections to the pods of a cluster, except from clients, the cluster itself and the operator.
 */
export const rayNetworkPolicy = (
  scope: Construct,
  { metadata, selector, metricsPort }: RayCluster,
  { allowedClients: clients, monitoring }: TpuRayClusterOptions,
  ports: readonly number[],
  operators?: readonly NetworkPolicyPeer[],
): ApiObject | undefined =>
  clients &&
  networkPolicy(scope, 'NetworkPolicy', {
    metadata,
    selector,
    ports,
    clients,
    metricsPort: monitoring === false ? undefined : metricsPort,
    more: [
      // Ray's processes communicate on random ports.
      { from: [{ podSelector: { matchLabels: selector } }] },
      // The operator submits work through the dashboard, and checks the health of the applications.
      ...(operators === undefined
        ? []
        : [{ from: [...operators], ports: tcp(RAY_PORTS.dashboard, RAY_PORTS.serve) }]),
    ],
  });
