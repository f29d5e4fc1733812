import { type ApiObject } from 'cdk8s';
import { type NetworkPolicyPeer } from 'cdk8s-plus-29/lib/imports/k8s';
import { Construct } from 'constructs';
import { checkAtSynth } from '../../synth/at-synth';
import { RayService } from '../../../imports/ray.io';
import { type Capacity, capacityProblem } from '../../pod/capacity';
import { drain, drainProblem } from '../../pod/drain';
import { type MainContainer, type PodFragment, type ResourceRequirements } from '../../pod/fragment';
import { modelSizeProblem } from '../../pod/model-fit';
import {
  dnsLabel,
  dnsSubdomain,
  image as imageRule,
  integer,
  quantity,
  quantityOf,
  quoted,
} from '../../problems/validators';
import { checkMemoryVolumes } from '../../pod/host-resources';
import {
  cacheProblem,
  checkCompileCache,
  checkModelCache,
  isUncached,
  type ModelCacheOptions,
  modelCacheFragments,
} from '../../pod/model-cache';
import { overNodePools } from '../../pod/spread';
import { startupEstimate } from '../../pod/startup-budget';
import { podTemplate } from '../../pod/template';
import { tpuMetricsPort, tpuResources } from '../../pod/tpu';
import {
  JAX_COMPILE_CACHE,
  RAY_DRAIN_TIMEOUT,
  VLLM_COMPILE_CACHE,
  VLLM_ENGINE_TIMEOUT,
} from '../../facts/variables';
import { Problems } from '../../problems/problems';
import { requireSlice, type TpuSlice } from '../../tpu/slice';
import { intervalProblem, type MonitoringOptions, podMonitoring } from '../../workload/monitoring';
import { checkPeers, networkPolicy, tcp } from '../../workload/network-policy';
import { object } from '../../workload/objects';
import { describeOperations } from '../../operations/operations';
import { rayLabels } from '../../workload/labels';
import { selectorOf } from '../../workload/server';
import { IMAGES } from '../../facts/images';
import { rayOperations } from './operations';
import { checkServeConfig, type RayServeConfig, serveConfigText } from './serve-config';
import { podSecurity } from '../../pod/security';

/** The head of a Ray cluster: one pod without TPUs that schedules the others. */
export interface RayHeadGroup {
  /** CPUs, requested and limited, as a quantity. @default '2' */
  readonly cpu?: string;
  /** Memory, requested and limited, as a quantity. @default '8G' */
  readonly memory?: string;
  /** Local disk, requested and limited, as a quantity. @default - no limit */
  readonly ephemeralStorage?: string;
  /** Flags of `ray start --head` without their dashes: `{ 'num-cpus': '0' }`. @default - KubeRay's */
  readonly rayStartParams?: Readonly<Record<string, string>>;
  /** Seconds that the pod goes on serving after it has left its Services. @default 30 */
  readonly drainSeconds?: number;
  /** PriorityClass of the pod. @default - the cluster's default */
  readonly priorityClassName?: string;
  /** What no prop covers. @default - none */
  readonly fragments?: readonly PodFragment[];
}

/** Workers of a Ray cluster: each replica is a TPU slice, with one pod a host. */
export interface TpuRayWorkerGroup extends ModelCacheOptions {
  /** Name of the group: a DNS label, unique in the cluster, of about 57 characters at most: host names are made of it. */
  readonly groupName: string;
  /** The TPU slice of each replica; the hosts and chips of its pods follow. */
  readonly slice: TpuSlice;
  /**
   * Size of the weights that each slice of the group holds, as a quantity like `141G`: the memory of all its hosts must hold them,
   * and vLLM's timeout follows from it.
   *
   * @default - not known, and not held against the slice
   */
  readonly modelSize?: string;
  /** CPUs of each host, requested and limited, as a quantity; less than the machine has. */
  readonly cpu: string;
  /** Memory of each host, requested and limited, as a quantity; less than the machine has. */
  readonly memory: string;
  /** Local disk of each host, requested and limited, as a quantity. @default - no limit */
  readonly ephemeralStorage?: string;
  /** Slices; not with `enableInTreeAutoscaling`. @default - `minReplicas` */
  readonly replicas?: number;
  /** Fewest slices. @default - `replicas`, or 1 */
  readonly minReplicas?: number;
  /** Most slices, at least 1; required with `enableInTreeAutoscaling`. @default - `replicas` */
  readonly maxReplicas?: number;
  /** Flags of `ray start` without their dashes. @default - KubeRay's */
  readonly rayStartParams?: Readonly<Record<string, string>>;
  /** How the slices are bought. @default - on demand */
  readonly capacity?: Capacity;
  /**
   * Longest time that vLLM's engine may take to load and compile, in seconds. Ray itself waits for replicas without end.
   *
   * @default - twice what `startupEstimate` says of a cold start with `modelSize`; without that vLLM's own 600
   */
  readonly startupSeconds?: number;
  /**
   * Seconds that a pod goes on serving after it has left its Services; at most 10 on spot, whose nodes give pods 15. Then its replicas
   * have what their deployments say, `gracefulShutdownTimeoutS`, at least Ray Serve's own 20.
   *
   * @default 30; 10 on spot
   */
  readonly drainSeconds?: number;
  /** PriorityClass of the pods. @default - the cluster's default */
  readonly priorityClassName?: string;
  /** What no prop covers: tokens, environment, further volumes. @default - none */
  readonly fragments?: readonly PodFragment[];
}

/** Properties of a Ray service. */
export interface TpuRayServiceProps {
  /** Name of the RayService, at most 47 characters. @default - the construct's id */
  readonly name?: string;
  /** Labels of the RayService and of its pods. @default - none but `app` */
  readonly labels?: Readonly<Record<string, string>>;
  /** What Ray Serve runs. */
  readonly serveConfig: RayServeConfig;
  /** The head of the cluster. @default - 2 CPUs and 8G of memory */
  readonly head?: RayHeadGroup;
  /** The TPU workers of the cluster; at least one group. */
  readonly workerGroups: readonly TpuRayWorkerGroup[];
  /** Image of the head and of all workers, with a tag or digest. @default 'rayproject/ray-ml:2.9.0-py310' */
  readonly image?: string;
  /** Version of Ray in the image, like `2.9.0`. @default - read from the tag of a `ray`, `ray-ml` or `ray-llm` image */
  readonly rayVersion?: string;
  /** ServiceAccount of all pods. @default - the namespace's default; with `enableInTreeAutoscaling` KubeRay makes one for the head */
  readonly serviceAccountName?: string;
  /** Whether Ray's autoscaler adds and removes slices, between `minReplicas` and `maxReplicas` of each group. @default false */
  readonly enableInTreeAutoscaling?: boolean;
  /** Time after which the autoscaler removes an idle slice, in seconds; only with `enableInTreeAutoscaling`. @default - Ray's: 60 */
  readonly idleTimeoutSeconds?: number;
  /**
   * What a change of the cluster does. `None`: nothing, until the RayService is deleted and applied again. `NewCluster`: a second
   * cluster starts, takes over, and the first one goes; it needs `spareSlices`. Changes of `serveConfig` are always made in place.
   *
   * @default 'None'
   */
  readonly upgradeStrategy?: 'None' | 'NewCluster';
  /** Slices that are free beside the running ones, of all groups together; only with `NewCluster`. @default - none */
  readonly spareSlices?: number;
  /** Collection of metrics from all pods; `false` for none. @default - every 15 seconds */
  readonly monitoring?: MonitoringOptions | false;
  /**
   * Peers that may send requests to the applications; a NetworkPolicy then keeps all others away, from the dashboard too, but for the
   * cluster's own pods, the KubeRay operator, probes and the metrics collector.
   *
   * @default - no NetworkPolicy: whoever reaches the pods
   */
  readonly allowedClients?: readonly NetworkPolicyPeer[];
  /**
   * Where the KubeRay operator runs, which asks the head; only with `allowedClients`. Whoever reaches the dashboard runs code on the
   * cluster: name the operator's namespace beside its label where others can make pods with that label.
   *
   * @default - pods of any namespace with the label `app.kubernetes.io/component: kuberay-operator`, as its installers set it
   * @see https://github.com/ray-project/kuberay/blob/master/ray-operator/controllers/ray/networkpolicy_controller.go
   */
  readonly operatorPeers?: readonly NetworkPolicyPeer[];
}

/** KubeRay appends up to 16 characters to it, for clusters and their Services. */
const MAX_NAME = 47;

/** Ports of the head; metrics are on every pod. KubeRay and its Services find them by name. */
const PORTS = { gcs: 6379, dashboard: 8265, client: 10001, serve: 8000, metrics: 8080 } as const;
const METRICS_PATH = '/metrics';

/** What Ray Serve gives a replica to end, unless its deployment says more: https://github.com/ray-project/ray/blob/master/python/ray/serve/_private/constants.py */
const REPLICA_SHUTDOWN_SECONDS = 20;
/** The same on spot, of the 5 seconds that are left after the drain. */
const SPOT_REPLICA_SHUTDOWN_SECONDS = 3;
/** From the end of the replicas to that of the pod. */
const POD_SHUTDOWN_SECONDS = 10;

/** The KubeRay operator, wherever and however it was installed. */
const KUBERAY_OPERATOR: NetworkPolicyPeer = {
  namespaceSelector: {},
  podSelector: { matchLabels: { 'app.kubernetes.io/component': 'kuberay-operator' } },
};

/** The tutorial's head. */
const HEAD_CPU = '2';
const HEAD_MEMORY = '8G';

/** Value of the label `ray.io/group` on the head. */
const HEAD_GROUP = 'headgroup';

/** Flags of `ray start` that would move a port away from where the pod says it is. */
const PORT_PARAMS: Readonly<Record<string, number>> = {
  port: PORTS.gcs,
  'dashboard-port': PORTS.dashboard,
  'ray-client-server-port': PORTS.client,
  'metrics-export-port': PORTS.metrics,
};

/** What KubeRay makes the name of one slice of: `-` and five random characters. */
const SLICE_SUFFIX = '-xxxxx';

/** What the TPU webhook writes into the pods of a slice with several hosts. */
const WEBHOOK_FIELDS = ['affinity', 'hostname', 'subdomain'] as const;
const WEBHOOK_ENV: readonly string[] = ['TPU_WORKER_ID', 'TPU_WORKER_HOSTNAMES'];

/**
 * Applications of Ray Serve on a Ray cluster with TPU workers, of one or several hosts a slice: RayService and PodMonitoring, with
 * `allowedClients` a NetworkPolicy. KubeRay makes the pods and two Services, `NAME-head-svc` for the dashboard (8265) and
 * `NAME-serve-svc` for requests (8000).
 *
 * @throws InvalidInputError listing every prop that is out of range, contradicts another, or that Ray, KubeRay or the TPU webhook
 * would refuse or ignore
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/tpu.html
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/rayservice.html
 */
export class TpuRayService extends Construct {
  /** The RayService. */
  readonly rayService: ApiObject;
  /** Collects the metrics; none with `monitoring: false`. */
  readonly podMonitoring: ApiObject | undefined;
  /** Keeps others than `allowedClients` away; only with them. */
  readonly networkPolicy: ApiObject | undefined;
  /** Name of the Service with the dashboard, port 8265; KubeRay makes it. */
  readonly headServiceName: string;
  /** Name of the Service that requests go to, port 8000; KubeRay makes it when the applications run. */
  readonly serveServiceName: string;

  constructor(scope: Construct, id: string, props: TpuRayServiceProps) {
    super(scope, id);
    checkAtSynth(this);
    for (const group of props.workerGroups)
      requireSlice(group.slice, this.node.path, `${groupPath(group)} slice`);
    const name = props.name ?? id;
    const image = props.image ?? IMAGES.ray;
    const rayVersion = props.rayVersion ?? versionOf(image) ?? '';
    const selector = selectorOf(name);
    const labels = { ...rayLabels(name), ...props.labels, ...selector };
    const problems = new Problems();
    checkProps(props, name, image, rayVersion, problems);

    const { head = {}, workerGroups, monitoring } = props;
    const replicaSeconds = replicaShutdownSeconds(props.serveConfig);
    const startups = workerGroups.map((group) => problems.attempt(() => startupOf(group), groupPath(group)));
    const common: PodFragment = {
      labels,
      pod: { serviceAccountName: props.serviceAccountName },
    };
    const headTemplate = problems.attempt(
      () =>
        podTemplate(
          container('ray-head', image, ['gcs', 'dashboard', 'client', 'serve', 'metrics']),
          [],
          [
            common,
            // The autoscaler beside the head changes the RayCluster.
            podSecurity('baseline', props.enableInTreeAutoscaling),
            {
              resources: amounts({ ...head, cpu: head.cpu ?? HEAD_CPU, memory: head.memory ?? HEAD_MEMORY }),
            },
            ...ending(head, replicaSeconds),
            // A replica that starts vLLM on other hosts may run here.
            ...engineTimeout(Math.max(0, ...startups.map((seconds) => seconds ?? 0))),
            ...(head.fragments ?? []),
          ],
        ),
      'head',
    );
    const workerGroupSpecs = workerGroups.map((group, index) => ({
      groupName: group.groupName,
      ...scaleOf(group, props.enableInTreeAutoscaling),
      numOfHosts: group.slice.hosts,
      rayStartParams: { ...group.rayStartParams },
      // KubeRay stores it: the second apply would find a difference without.
      scaleStrategy: {},
      template: problems.attempt(
        () =>
          podTemplate(
            container('ray-worker', image, ['metrics']),
            [],
            [
              common,
              podSecurity('baseline'),
              { resources: amounts(group) },
              tpuResources(group.slice),
              tpuMetricsPort(),
              ...(group.capacity ? [group.capacity] : []),
              ...ending(group, replicaSeconds),
              ...spread(group, selector, props.enableInTreeAutoscaling),
              ...engineTimeout(startups[index] ?? 0),
              ...modelCacheFragments(group, group.slice, [JAX_COMPILE_CACHE, VLLM_COMPILE_CACHE]),
              ...(group.fragments ?? []),
            ],
          ),
        groupPath(group),
      ),
    }));
    for (const [index, group] of workerGroups.entries()) {
      const template = workerGroupSpecs[index]?.template;
      if (template) checkMemoryVolumes(group.slice, template, problems, `${groupPath(group)} `);
    }
    problems.throwIfAny(this.node.path);

    this.headServiceName = `${name}-head-svc`;
    this.serveServiceName = `${name}-serve-svc`;
    this.rayService = object(
      this,
      'Resource',
      RayService.manifest({
        metadata: { name, labels },
        spec: {
          serveConfigV2: serveConfigText(props.serveConfig, rayVersion),
          upgradeStrategy: { type: props.upgradeStrategy ?? 'None' },
          rayClusterConfig: {
            rayVersion,
            enableInTreeAutoscaling: props.enableInTreeAutoscaling === true ? true : undefined,
            autoscalerOptions:
              props.idleTimeoutSeconds === undefined
                ? undefined
                : { idleTimeoutSeconds: props.idleTimeoutSeconds },
            headGroupSpec: { rayStartParams: { ...head.rayStartParams }, template: headTemplate },
            workerGroupSpecs,
          },
        },
      }),
    );
    this.podMonitoring =
      monitoring === false
        ? undefined
        : podMonitoring(this, 'PodMonitoring', {
            name,
            labels,
            selector,
            port: PORTS.metrics,
            path: METRICS_PATH,
            interval: monitoring?.interval ?? '15s',
          });
    describeOperations(
      this,
      rayOperations(this, props, {
        dashboardPort: PORTS.dashboard,
        servePort: PORTS.serve,
        head: { cpu: head.cpu ?? HEAD_CPU, memory: head.memory ?? HEAD_MEMORY },
        scaleOf: (group) => scaleOf(group, props.enableInTreeAutoscaling),
      }),
    );
    this.networkPolicy =
      props.allowedClients &&
      networkPolicy(this, 'NetworkPolicy', {
        name,
        labels,
        selector,
        port: PORTS.serve,
        clients: props.allowedClients,
        metricsPort: this.podMonitoring && PORTS.metrics,
        more: [
          // Ray's processes talk to each other on ports that they choose.
          { from: [{ podSelector: { matchLabels: selector } }] },
          // It deploys the applications, and asks whether they answer.
          {
            from: [...(props.operatorPeers ?? [KUBERAY_OPERATOR])],
            ports: tcp(PORTS.dashboard, PORTS.serve),
          },
        ],
      });
  }
}

/** The longest that the replicas of any deployment take to end, in whole seconds. */
const replicaShutdownSeconds = ({ applications }: RayServeConfig): number =>
  Math.max(
    REPLICA_SHUTDOWN_SECONDS,
    ...applications
      .flatMap(({ deployments = [] }) => deployments)
      .map(({ gracefulShutdownTimeoutS = 0 }) => Math.ceil(gracefulShutdownTimeoutS)),
  );

/**
 * How pods of a group end: they leave their Services, Ray ends their replicas, and then the pod ends. KubeRay brings nothing of it.
 *
 * @see https://github.com/ray-project/kuberay/issues/5004
 */
function ending(
  group: Pick<TpuRayWorkerGroup, 'capacity' | 'drainSeconds' | 'priorityClassName'>,
  replicaSeconds: number,
): readonly PodFragment[] {
  const ofRay = group.capacity?.preemptible === true ? SPOT_REPLICA_SHUTDOWN_SECONDS : replicaSeconds;
  return [
    drain({ ...group, shutdownSeconds: replicaSeconds + POD_SHUTDOWN_SECONDS }),
    {
      pod: { priorityClassName: group.priorityClassName },
      env: [{ name: RAY_DRAIN_TIMEOUT, value: String(ofRay) }],
    },
  ];
}

/** Slices of one host may share a node pool, so that several of a group are spread over those that there are. */
const spread = (
  group: TpuRayWorkerGroup,
  selector: Record<string, string>,
  autoscaling: boolean | undefined,
): readonly PodFragment[] =>
  group.slice.multiHost || scaleOf(group, autoscaling).maxReplicas < 2
    ? []
    : [overNodePools({ ...selector, 'ray.io/group': group.groupName })];

/** How long vLLM's engine is given; nothing where no size is known that it would follow from. */
function startupOf(group: TpuRayWorkerGroup): number | undefined {
  const { slice, modelCache, modelSize, startupSeconds } = group;
  if (startupSeconds !== undefined || modelSize === undefined) return startupSeconds;
  const uncachedFuse = isUncached(modelCache, modelSize);
  return startupEstimate({ slice, modelSize, uncachedFuse }).budgetSeconds;
}

const engineTimeout = (seconds: number): readonly PodFragment[] =>
  seconds === 0 ? [] : [{ env: [{ name: VLLM_ENGINE_TIMEOUT, value: String(seconds) }] }];

const groupPath = ({ groupName }: TpuRayWorkerGroup): string => `worker group ${quoted(groupName)}`;

const container = (name: string, image: string, ports: readonly (keyof typeof PORTS)[]): MainContainer => ({
  name,
  image,
  ports: ports.map((port) => ({ name: port, containerPort: PORTS[port], protocol: 'TCP' })),
});

type Amounts = Pick<RayHeadGroup, 'cpu' | 'memory' | 'ephemeralStorage'>;

const amountsOf = ({ cpu, memory, ephemeralStorage }: Amounts): [string, string, string | undefined][] => [
  ['cpu', 'cpu', cpu],
  ['memory', 'memory', memory],
  ['ephemeralStorage', 'ephemeral-storage', ephemeralStorage],
];

/** Requests and limits alike: what is no quantity is left to `checkGroup`. */
function amounts(group: Amounts): ResourceRequirements {
  const legal = Object.fromEntries(
    amountsOf(group).flatMap(([prop, resource, amount]) =>
      amount === undefined || quantity(prop, amount) !== undefined ? [] : [[resource, amount]],
    ),
  );
  return { requests: legal, limits: legal };
}

/**
 * Slices of a group. With the autoscaler `replicas` is what a new cluster starts with: the autoscaler changes the RayCluster that
 * KubeRay makes, never the RayService. Left out, it would be stored as 0, and the second apply would find it different.
 */
function scaleOf(
  group: TpuRayWorkerGroup,
  autoscaling = false,
): { replicas: number; minReplicas: number; maxReplicas: number } {
  const replicas = (autoscaling ? undefined : group.replicas) ?? group.minReplicas ?? 1;
  const { minReplicas = replicas, maxReplicas = Math.max(1, replicas) } = group;
  return { replicas, minReplicas, maxReplicas };
}

/** The version of Ray that a tag names; other images' tags count something else. */
const versionOf = (image: string): string | undefined =>
  /(?:^|\/)ray(?:-ml|-llm)?:(\d+\.\d+\.\d+)/.exec(image)?.[1];

function checkProps(
  props: TpuRayServiceProps,
  name: string,
  image: string,
  rayVersion: string,
  problems: Problems,
): void {
  const { head = {}, workerGroups, monitoring, enableInTreeAutoscaling: autoscaling = false } = props;
  problems.add(
    dnsLabel('name', name, MAX_NAME, 'since KubeRay names its cluster and Services after it'),
    imageRule('image', image),
    props.serviceAccountName === undefined
      ? undefined
      : dnsSubdomain('serviceAccountName', props.serviceAccountName),
    monitoring !== undefined && monitoring !== false && monitoring.interval !== undefined
      ? intervalProblem(monitoring.interval)
      : undefined,
    ...reservedLabels('labels', props.labels),
  );
  problems.check(
    props.labels?.['app'] === undefined,
    `labels 'app' is set to ${quoted(props.labels?.['app'])}, expected none: it is the name of the RayService, which its pods are selected by`,
  );
  checkVersion(image, rayVersion, problems);
  if (props.idleTimeoutSeconds !== undefined)
    problems.add(integer('idleTimeoutSeconds', props.idleTimeoutSeconds, 0));
  problems.check(
    props.idleTimeoutSeconds === undefined || autoscaling,
    `idleTimeoutSeconds '${String(props.idleTimeoutSeconds)}' is set without an autoscaler, expected enableInTreeAutoscaling: true`,
  );

  checkGroup('head', head, problems);
  checkPeers('allowedClients', props.allowedClients, problems);
  checkPeers('operatorPeers', props.operatorPeers, problems);
  problems.check(
    props.operatorPeers === undefined || props.allowedClients !== undefined,
    'operatorPeers is set without allowedClients, expected both: without them there is no NetworkPolicy',
  );
  problems.check(
    props.operatorPeers?.length !== 0,
    'operatorPeers is empty, which would let in everybody, expected at least one: without its operator nothing is deployed',
  );
  problems.check(
    workerGroups.length > 0,
    'workerGroups is empty, expected at least one, with groupName, slice, cpu and memory',
  );
  const names = workerGroups.map((group) => group.groupName);
  for (const twice of new Set(names.filter((one, index) => names.indexOf(one) !== index)))
    problems.add(`groupName ${quoted(twice)} is there twice, expected a different one for each worker group`);
  for (const group of workerGroups) checkWorkerGroup(group, autoscaling, problems);

  const scales = workerGroups.map((group) => ({ ...scaleOf(group, autoscaling), slice: group.slice }));
  const slices = scales.reduce((sum, scale) => sum + scale.replicas, 0);
  if (props.upgradeStrategy === 'NewCluster')
    problems.check(
      props.spareSlices !== undefined && props.spareSlices >= slices,
      `upgradeStrategy 'NewCluster' starts a second cluster of ${String(slices)} slice${slices === 1 ? '' : 's'} beside the first, expected spareSlices of at least that, got ${quoted(props.spareSlices ?? 'none')}; nearest: ${String(slices)}, or upgradeStrategy 'None'`,
    );
  else
    problems.check(
      props.spareSlices === undefined,
      `spareSlices '${String(props.spareSlices)}' is set with upgradeStrategy 'None', which uses none, expected upgradeStrategy 'NewCluster'`,
    );

  checkServeConfig(
    props.serveConfig,
    {
      rayVersion,
      chipsPerHost: Math.max(0, ...scales.map(({ slice }) => slice.chipsPerHost)),
      chips: scales.reduce(
        (sum, { slice, replicas, maxReplicas }) => sum + slice.chips * (autoscaling ? maxReplicas : replicas),
        0,
      ),
    },
    problems,
  );
}

function checkVersion(image: string, rayVersion: string, problems: Problems): void {
  const tagged = versionOf(image);
  if (rayVersion === '')
    problems.add(
      `rayVersion is missing and cannot be read from image ${quoted(image)}, expected that of its Ray, like '2.9.0'`,
    );
  else if (!/^\d+\.\d+\.\d+$/.test(rayVersion))
    problems.add(
      `rayVersion ${quoted(rayVersion)} is not a version, expected MAJOR.MINOR.PATCH; nearest: '${tagged ?? '2.9.0'}'`,
    );
  else
    problems.check(
      tagged === undefined || tagged === rayVersion,
      `rayVersion '${rayVersion}' contradicts image ${quoted(image)}, expected the version of the image; nearest: '${tagged ?? ''}'`,
    );
}

/** What holds for the head and for workers. */
function checkGroup(
  at: string,
  group: RayHeadGroup & Pick<TpuRayWorkerGroup, 'capacity'>,
  problems: Problems,
): void {
  for (const [prop, , amount] of amountsOf(group))
    if (amount !== undefined) problems.add(quantity(`${at} ${prop}`, amount));
  const { priorityClassName } = group;
  problems.add(
    priorityClassName === undefined ? undefined : dnsSubdomain(`${at} priorityClassName`, priorityClassName),
  );
  const endless = drainProblem(group.drainSeconds, group.capacity);
  problems.add(endless && `${at} ${endless}`);
  for (const [key, value] of Object.entries(group.rayStartParams ?? {})) {
    problems.check(
      /^[a-z][a-z0-9-]*$/.test(key),
      `${at} rayStartParams ${quoted(key)} is not a flag without its dashes, expected one like 'num-cpus'`,
    );
    problems.check(
      key !== 'labels',
      `${at} rayStartParams 'labels' is refused by KubeRay, expected none: labels of pods go into labels or a fragment`,
    );
    const own = PORT_PARAMS[key];
    problems.check(
      own === undefined || value === String(own),
      `${at} rayStartParams '${key}' is ${quoted(value)}, expected '${String(own)}', where the pod has that port, or none`,
    );
  }
  for (const { labels, pod } of group.fragments ?? []) {
    problems.add(...reservedLabels(`${at} label`, labels));
    problems.check(
      pod?.hostNetwork !== false,
      `${at} hostNetwork 'false' is the default, expected none: it is not stored, and every later apply would find it different`,
    );
  }
}

function checkWorkerGroup(group: TpuRayWorkerGroup, autoscaling: boolean, problems: Problems): void {
  const at = groupPath(group);
  const { slice, capacity } = group;
  const { maxReplicas } = scaleOf(group, autoscaling);
  // host names are GROUP-REPLICA-HOST, names of slices GROUP-RANDOM; both are one label
  const suffix = `-${String(maxReplicas - 1)}${slice.multiHost ? `-${String(slice.hosts - 1)}` : ''}`;
  const room = 63 - Math.max(SLICE_SUFFIX.length, suffix.length);
  problems.add(dnsLabel('groupName', group.groupName, room, 'since slices and hosts are named after it'));
  problems.check(
    group.groupName !== HEAD_GROUP,
    `groupName '${HEAD_GROUP}' is what KubeRay calls the head, expected another; nearest: 'tpu-group'`,
  );
  checkGroup(at, group, problems);

  for (const wrong of [capacityProblem(capacity, slice), modelSizeProblem(slice, group.modelSize)])
    problems.add(wrong === undefined ? undefined : `${at} ${wrong}`);
  problems.add(
    group.startupSeconds === undefined ? undefined : integer(`${at} startupSeconds`, group.startupSeconds, 1),
    cacheProblem(`${at} modelCache cache`, group.modelCache, group.modelSize),
  );
  checkModelCache(group, problems, `${at} `);
  checkCompileCache(`${at} compileCachePath`, group.compileCachePath, slice, group, problems);
  problems.check(
    capacity?.type !== 'compute-class',
    `${at} capacity compute-class leaves the topology to the class, expected another capacity: Ray's TPU webhook reads it from the pods, and GKE takes no TPU selectors beside a class`,
  );
  const cores = quantityOf(group.cpu);
  problems.check(
    !(cores >= slice.vCpusPerHost),
    `${at} cpu ${quoted(group.cpu)} does not fit on a ${slice.machineType}, expected less than its ${String(slice.vCpusPerHost)}; nearest: '${String(slice.vCpusPerHost - 1)}'`,
  );
  const { memoryGBPerHost } = slice;
  problems.check(
    !(quantityOf(group.memory) >= memoryGBPerHost * 2 ** 30),
    `${at} memory ${quoted(group.memory)} does not fit on a ${slice.machineType}, expected less than its ${String(memoryGBPerHost)} GB; nearest: '${String(memoryGBPerHost - 1)}G'`,
  );

  checkScale(at, group, autoscaling, problems);

  for (const { pod, env = [] } of group.fragments ?? []) {
    for (const field of slice.multiHost ? WEBHOOK_FIELDS : [])
      problems.check(
        pod?.[field] === undefined,
        `${at} ${field} is set on pods of a slice of ${String(slice.hosts)} hosts, expected none: the TPU webhook writes its own over it, which keeps the hosts of a slice together`,
      );
    for (const { name } of env)
      problems.check(
        !WEBHOOK_ENV.includes(name),
        `${at} env '${name}' is set, expected none: the TPU webhook gives each host its own`,
      );
  }
}

function checkScale(at: string, group: TpuRayWorkerGroup, autoscaling: boolean, problems: Problems): void {
  const { replicas, minReplicas = 0, maxReplicas } = group;
  problems.add(integer(`${at} minReplicas`, minReplicas, 0));
  if (maxReplicas !== undefined) problems.add(integer(`${at} maxReplicas`, maxReplicas, 1));
  problems.check(
    maxReplicas !== undefined || !autoscaling,
    `${at} maxReplicas is missing beside enableInTreeAutoscaling, expected the most slices that the autoscaler may start`,
  );
  problems.check(
    replicas === undefined || !autoscaling,
    `${at} replicas '${String(replicas)}' is set beside enableInTreeAutoscaling, expected minReplicas and maxReplicas alone: a cluster starts with the fewest, and the autoscaler decides from there`,
  );
  if (maxReplicas !== undefined && maxReplicas < minReplicas)
    problems.add(
      `${at} maxReplicas '${String(maxReplicas)}' is below minReplicas '${String(minReplicas)}', expected at least as many; nearest: ${String(minReplicas)}`,
    );
  else if (replicas !== undefined && !autoscaling)
    problems.add(integer(`${at} replicas`, replicas, minReplicas, maxReplicas));
}

/** Labels that KubeRay and the TPU webhook write, and read to know their pods. */
function reservedLabels(at: string, labels: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(labels)
    .filter(([key]) => /^app\.kubernetes\.io\/(name|created-by)$|^ray\.io\/|^replicaIndex$/.test(key))
    .map(
      ([key, value]) =>
        `${at} '${key}' is set to ${quoted(value)}, expected none: KubeRay and the TPU webhook write it, and know their pods by it`,
    );
}
