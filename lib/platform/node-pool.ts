import { ShellCommand } from '../operations/shell-command';
import { Capacity, capacityProblem, capacityType } from '../pod/capacity';
import { brand } from '../problems/brand';
import {
  clusterName,
  GKE_NAME_LENGTH,
  isPlaceholder,
  isRegion,
  location,
  orPlaceholder,
  projectId,
  regionOf,
  zone,
} from '../problems/google-cloud';
import { dnsLabel } from '../problems/grammar';
import { type Problem, problemOf } from '../problems/problems';
import {
  essential,
  integer,
  list,
  object,
  optional,
  readOrThrow,
  required,
  type Schema,
  string,
} from '../problems/schema';
import { sliceType, type TpuSlice } from '../tpu/slice';
import { count } from '../tpu/topology';

/** Limits of the number of slices that the cluster autoscaler keeps in a node pool. */
export interface NodePoolAutoscaling {
  /** Smallest number of slices, and the number at the start. */
  readonly minReplicas: number;
  /** Largest number of slices, at most 1000. */
  readonly maxReplicas: number;
}

/**
 * Properties of a node pool. Cluster, location, zones and project can be placeholders in capitals, like `PROJECT_ID`, which the user
 * replaces in the commands.
 */
export interface NodePoolProps {
  /** Name of the node pool. Each multi-host slice has its own node pool: `NAME-0`, `NAME-1` and so on. */
  readonly name: string;
  /** The TPU slice. */
  readonly slice: TpuSlice;
  /** Number of slices, at most 1000; with flex-start capacity, the largest number. Not allowed with `autoscaling`. @default 1 */
  readonly replicas?: number;
  /** How the slices are bought. @default - on demand */
  readonly capacity?: Capacity;
  /** Name of the cluster. */
  readonly cluster: string;
  /** Zone or region of the cluster. */
  readonly location: string;
  /** Zones of the nodes; required if `location` is a region. @default - the zone of the cluster */
  readonly nodeLocations?: readonly string[];
  /** ID of the project that contains the cluster. @default - the project in gcloud's configuration */
  readonly projectId?: string;
  /**
   * Limits of the cluster autoscaler; only for single-host slices.
   *
   * @default - a fixed number of slices; flex-start pools start empty and always scale
   */
  readonly autoscaling?: NodePoolAutoscaling;
  /**
   * Size of each node's boot disk, in GB, 10 to 65536. Pods can use less than half of a 100 GB disk, so a file cache on disk needs a larger
   * boot disk, for example about 320 GB for a cache of 160Gi.
   *
   * @default - GKE's default, 100
   */
  readonly diskSizeGb?: number;
}

/**
 * The GKE node pools for TPU slices. The slice and its capacity determine machine type, node count, topology and flags, so pods with the
 * same slice and capacity can run on the nodes. `commands` contains the gcloud commands that create the node pools, and
 * `ContainerNodePools` renders them for Config Connector.
 *
 * Each multi-host slice has its own node pool, with one node for each host. Single-host slices share a node pool, with one node for each
 * slice.
 *
 * @throws InvalidInputError listing every prop that is invalid, contradicts another prop, or does not fit the slice
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpus
 * @example new NodePool({ name: 'tpu', slice: TpuSlice.of('ct5lp-hightpu-4t', '4x8'), replicas: 2, cluster: 'saxml', location: 'us-west4-a'
 * })
 */
export class NodePool {
  /** The TPU slice. */
  readonly slice: TpuSlice;
  /** Number of slices; with autoscaling or flex-start, the largest number. */
  readonly replicas: number;
  /** How the slices are bought. */
  readonly capacity: Capacity;
  /** Name of the cluster. */
  readonly cluster: string;
  /** Zone or region of the cluster. */
  readonly location: string;
  /** Zones of the nodes; undefined for the zone of the cluster. */
  readonly nodeLocations: readonly string[] | undefined;
  /** ID of the project; undefined if the prop is not set. */
  readonly projectId: string | undefined;
  /** Limits of the cluster autoscaler; undefined if the prop is not set. */
  readonly autoscaling: NodePoolAutoscaling | undefined;
  /** Names of the node pools: one for each multi-host slice, or one for all single-host slices. */
  readonly names: readonly string[];
  /** Number of nodes of each node pool when all its slices exist. */
  readonly nodesPerPool: number;
  /** Number of nodes in each zone of each node pool at the start: the value of `--num-nodes`. */
  readonly startNodesPerZone: number;
  /** Topology in which GKE connects the nodes of a pool, `--tpu-topology`; undefined for single-host slices, and with `workloadPolicy`. */
  readonly tpuTopology: string | undefined;
  /** Name of the workload policy, which replaces the topology for multi-host tpu7x slices; undefined for other slices. */
  readonly workloadPolicy: string | undefined;
  /** Size of each node's boot disk, in GB; undefined for GKE's default. */
  readonly diskSizeGb: number | undefined;
  /** Whether the pools use flex-start; they then start empty and always scale. */
  readonly flexStart: boolean;

  constructor(props: NodePoolProps) {
    const read = readOrThrow(PROPS, props);
    const { name, slice, autoscaling, nodeLocations, capacity = Capacity.onDemand() } = read;
    const flexStart = isFlexStart(capacity);
    this.slice = slice;
    this.replicas = autoscaling?.maxReplicas ?? read.replicas ?? 1;
    this.capacity = capacity;
    this.cluster = read.cluster;
    this.location = read.location;
    this.nodeLocations = nodeLocations && Object.freeze([...nodeLocations]);
    this.projectId = read.projectId;
    this.autoscaling = autoscaling && Object.freeze({ ...autoscaling });
    const { pools, nodes } = poolsOf(slice, this.replicas);
    this.names = Object.freeze(
      slice.multiHost ? Array.from({ length: pools }, (_, index) => `${name}-${String(index)}`) : [name],
    );
    this.nodesPerPool = nodes;
    const zones = nodeLocations?.length ?? 1;
    this.startNodesPerZone = flexStart ? 0 : slice.multiHost ? slice.hosts : startSlices(read) / zones;
    this.workloadPolicy = slice.multiHost && slice.generation === 'tpu7x' ? name : undefined;
    this.tpuTopology = slice.multiHost && this.workloadPolicy === undefined ? slice.topology : undefined;
    this.diskSizeGb = read.diskSizeGb;
    this.flexStart = flexStart;
    Object.freeze(this);
  }

  /** The gcloud commands that create the node pools, after the workload policy if they need one. */
  get commands(): readonly ShellCommand[] {
    const project = flag('--project', this.projectId);
    const policy =
      this.workloadPolicy === undefined
        ? []
        : [
            workloadPolicyCommand(
              this.workloadPolicy,
              this.slice,
              regionOf(this.location) ?? 'REGION',
              this.projectId,
            ),
          ];
    return [
      ...policy,
      ...this.names.map(
        (name) =>
          new ShellCommand([
            ...['gcloud', 'container', 'node-pools', 'create', name],
            ...project,
            `--cluster=${this.cluster}`,
            `--location=${this.location}`,
            ...flag('--node-locations', this.nodeLocations?.join(',')),
            `--machine-type=${this.slice.machineType}`,
            ...flag(
              '--disk-size',
              this.diskSizeGb === undefined ? undefined : `${String(this.diskSizeGb)}GB`,
            ),
            ...flag('--tpu-topology', this.tpuTopology),
            ...flag('--placement-policy', this.workloadPolicy),
            `--num-nodes=${String(this.startNodesPerZone)}`,
            ...this.scalingFlags(),
            ...this.capacityFlags(),
          ]),
      ),
    ];
  }

  private scalingFlags(): readonly string[] {
    if (!this.autoscaling) return [];
    const { minReplicas, maxReplicas } = this.autoscaling;
    return [
      '--enable-autoscaling',
      `--total-min-nodes=${String(minReplicas)}`,
      `--total-max-nodes=${String(maxReplicas)}`,
    ];
  }

  private capacityFlags(): readonly string[] {
    const { type, reservationName, maxRunDurationSeconds: seconds } = this.capacity;
    if (type === 'spot') return ['--spot'];
    if (reservationName !== undefined)
      return ['--reservation-affinity=specific', `--reservation=${reservationName}`];
    if (!this.flexStart) return [];
    const queued = type === 'flex-start-queued';
    return [
      '--flex-start',
      '--reservation-affinity=none',
      '--enable-autoscaling',
      '--min-nodes=0',
      `--max-nodes=${String(this.nodesPerPool)}`,
      ...(queued
        ? // no run duration, because each Job sets it
          ['--enable-queued-provisioning', '--location-policy=ANY']
        : flag('--max-run-duration', seconds === undefined ? undefined : `${String(seconds)}s`)),
      ...(queued || this.slice.multiHost ? ['--no-enable-autorepair'] : []),
    ];
  }
}

brand(NodePool, 'NodePool');

/** Returns the command that creates the workload policy for the hosts of a tpu7x slice. */
export const workloadPolicyCommand = (
  name: string,
  slice: TpuSlice,
  region: string,
  projectId?: string,
): ShellCommand =>
  new ShellCommand([
    ...['gcloud', 'compute', 'resource-policies', 'create', 'workload-policy', name],
    ...flag('--project', projectId),
    `--region=${region}`,
    '--type=HIGH_THROUGHPUT',
    `--accelerator-topology=${slice.topology}`,
  ]);

/** Returns how many node pools a number of slices needs, and the number of nodes of each node pool. */
export const poolsOf = (
  { multiHost, hosts }: Pick<TpuSlice, 'multiHost' | 'hosts'>,
  replicas: number,
): { readonly pools: number; readonly nodes: number } =>
  multiHost ? { pools: replicas, nodes: hosts } : { pools: Math.min(1, replicas), nodes: replicas };

const isFlexStart = ({ type }: Capacity): boolean => type.startsWith('flex-start');

/** Returns the number of slices at the start. */
const startSlices = ({ autoscaling, replicas = 1 }: NodePoolProps): number =>
  autoscaling?.minReplicas ?? replicas;

const flag = (name: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [`${name}=${value}`];

// ---- what the props can be --------------------------------------------------------------------------------------

/** Largest accepted number of slices; larger numbers are mistakes. */
const MAX_REPLICAS = 1000;

const AUTOSCALING: Schema<NodePoolAutoscaling> = {
  properties: {
    minReplicas: essential(integer(0, MAX_REPLICAS), '1'),
    maxReplicas: essential(integer(1, MAX_REPLICAS), '4'),
  },
  rules: [
    function* ({ minReplicas, maxReplicas }) {
      if (maxReplicas < minReplicas)
        yield {
          path: 'maxReplicas',
          value: maxReplicas,
          problem: `is less than minReplicas '${String(minReplicas)}'`,
          use: `at least ${String(minReplicas)}`,
        };
    },
  ],
};

const PROPS: Schema<NodePoolProps> = {
  properties: {
    name: required(string(), 'tpu'),
    slice: essential(sliceType, "TpuSlice.of('ct6e-standard-8t')"),
    replicas: optional(integer(1, MAX_REPLICAS)),
    capacity: optional(capacityType),
    cluster: required(string(orPlaceholder(clusterName)), 'my-cluster'),
    location: required(string(orPlaceholder(location)), 'us-west4-a'),
    nodeLocations: optional(
      list(string(orPlaceholder(zone)), { min: 1, what: "a list of zones, like ['us-west4-a']" }),
    ),
    projectId: optional(string(orPlaceholder(projectId))),
    autoscaling: optional(object(AUTOSCALING)),
    diskSizeGb: optional(integer(10, 65_536)),
  },
  rules: [nameProblems, capacityProblems, autoscalingProblems, zoneProblems],
};

function* nameProblems({ name, slice, replicas = 1 }: NodePoolProps): Iterable<Problem | undefined> {
  const suffix = slice.multiHost ? `-${String(replicas - 1)}` : '';
  const because = slice.multiHost ? `the last pool is named '${name}${suffix}'` : undefined;
  yield problemOf('name', name, dnsLabel(GKE_NAME_LENGTH - suffix.length, because)(name));
}

function* capacityProblems({ capacity, slice }: NodePoolProps): Iterable<Problem | undefined> {
  yield capacityProblem(capacity, slice, true);
  if (capacity?.type === 'compute-class')
    yield {
      path: 'capacity',
      value: capacity.type,
      problem: 'means that a ComputeClass creates the node pools',
      use: 'another capacity, or TpuComputeClass without a NodePool',
    };
  if (capacity?.type === 'dynamic-slice')
    yield {
      path: 'capacity',
      value: capacity.type,
      problem: 'consists of node pools of sub-blocks, which have no topology',
      use: 'another capacity, or the node pools of https://docs.cloud.google.com/kubernetes-engine/docs/how-to/use-gke-dynamic-slicing',
    };
}

function* autoscalingProblems(
  { autoscaling, slice, capacity }: NodePoolProps,
  given: { readonly replicas?: unknown },
): Iterable<Problem> {
  if (!autoscaling) return;
  if (given.replicas !== undefined)
    yield {
      path: 'replicas',
      value: given.replicas,
      problem: 'is set together with autoscaling',
      use: 'one of them; with autoscaling the pool starts with minReplicas',
    };
  if (slice.multiHost)
    yield {
      path: 'autoscaling',
      problem: `is set for slice '${slice.toString()}' of ${count(slice.hosts, 'host')}, whose node pool cannot scale, because it contains all nodes of the slice`,
      use: 'replicas',
    };
  if (capacity && isFlexStart(capacity))
    yield {
      path: 'autoscaling',
      problem: 'is set together with flex-start capacity, whose node pools start empty and always scale',
      use: 'replicas for the largest number of slices',
    };
}

/** `--num-nodes` counts the nodes of each zone, so the number of zones must be known and divide the number of slices. */
function* zoneProblems(props: NodePoolProps, given: { readonly nodeLocations?: unknown }): Iterable<Problem> {
  const { slice, location: place, nodeLocations, capacity, autoscaling } = props;
  const path = 'nodeLocations';
  if (given.nodeLocations === undefined && isRegion(place))
    yield {
      path,
      problem: `required, because location '${place}' is a region and GKE would create the nodes in each of its zones`,
      use: `zones of the region that offer ${slice.machineType}, like ['${place}-a']`,
    };
  if (nodeLocations === undefined) return;
  const zones = nodeLocations.length;
  const value = nodeLocations.join(',');
  if (new Set(nodeLocations).size < zones)
    yield { path, value, problem: 'lists a zone twice', use: 'to list each zone once' };
  const around = regionOf(place);
  for (const [index, one] of nodeLocations.entries())
    if (around !== undefined && !isPlaceholder(one) && regionOf(one) !== around)
      yield {
        path: `${path}[${String(index)}]`,
        value: one,
        problem: `is not in region '${around}' of location '${place}'`,
        use: `a zone of the region, like '${around}-a'`,
      };
  if (zones < 2 || (capacity && isFlexStart(capacity))) return;
  const start = startSlices(props);
  if (slice.multiHost)
    yield {
      path,
      value,
      problem: `lists ${String(zones)} zones, but all ${String(slice.hosts)} hosts of slice '${slice.toString()}' are in one zone`,
      use: `one zone, like '${nodeLocations[0] ?? ''}'`,
    };
  else if (start % zones !== 0)
    yield {
      path: autoscaling ? 'autoscaling.minReplicas' : 'replicas',
      value: start,
      problem: `is not a multiple of the ${String(zones)} nodeLocations`,
      use: String(Math.ceil(start / zones) * zones),
    };
}
