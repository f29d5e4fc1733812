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

/** How many slices the cluster autoscaler keeps in a node pool. */
export interface NodePoolAutoscaling {
  /** Minimum number of slices, with which the pool starts. */
  readonly minReplicas: number;
  /** Maximum number of slices, up to 1000. */
  readonly maxReplicas: number;
}

/**
 * Properties of a node pool. Cluster, location, zones and project can be placeholders in capitals, like `PROJECT_ID`, for commands that
 * someone else completes.
 */
export interface NodePoolProps {
  /** Name of the node pool. Each slice of several hosts is a node pool of its own: `NAME-0`, `NAME-1` and so on. */
  readonly name: string;
  /** The TPU slice. */
  readonly slice: TpuSlice;
  /** Number of slices, up to 1000; with flex-start capacity the maximum. Not with `autoscaling`. @default 1 */
  readonly replicas?: number;
  /** How the slices are bought. @default - on demand */
  readonly capacity?: Capacity;
  /** Name of the cluster. */
  readonly cluster: string;
  /** Zone or region of the cluster. */
  readonly location: string;
  /** Zones of the nodes; required if the cluster has a region. @default - the cluster's own zone */
  readonly nodeLocations?: readonly string[];
  /** ID of the project that contains the cluster. @default - the one that gcloud is configured for */
  readonly projectId?: string;
  /** Scales a pool of slices with one host each. @default - a fixed number of slices; flex-start pools start empty and scale themselves */
  readonly autoscaling?: NodePoolAutoscaling;
  /**
   * Boot disk of each node, in GB, 10 to 65536. Pods can use less than half of a disk of 100 GB, so a file cache on disk needs a larger
   * one: about 320 GB for 160Gi.
   *
   * @default - GKE's: 100
   */
  readonly diskSizeGb?: number;
}

/**
 * The GKE node pools of TPU slices. Machine type, node count, topology and flags follow from the slice and its capacity, so that pods
 * of the same slice and capacity find their nodes. `commands` creates the node pools; `ContainerNodePools` renders them for Config
 * Connector.
 *
 * A slice of several hosts is a node pool of its own, with as many nodes as hosts. Slices of one host share a pool, with one node each.
 *
 * @throws InvalidInputError listing every prop that is not valid, contradicts another or does not fit the slice
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpus
 * @example new NodePool({ name: 'tpu', slice: TpuSlice.of('ct5lp-hightpu-4t', '4x8'), replicas: 2, cluster: 'saxml', location: 'us-west4-a' })
 */
export class NodePool {
  /** The TPU slice. */
  readonly slice: TpuSlice;
  /** Number of slices; the maximum if it changes. */
  readonly replicas: number;
  /** How the slices are bought. */
  readonly capacity: Capacity;
  /** Name of the cluster. */
  readonly cluster: string;
  /** Zone or region of the cluster. */
  readonly location: string;
  /** Zones of the nodes; undefined for the cluster's own. */
  readonly nodeLocations: readonly string[] | undefined;
  /** ID of the project, if given. */
  readonly projectId: string | undefined;
  /** Limits of the cluster autoscaler, if the pool has it; undefined for flex-start pools. */
  readonly autoscaling: NodePoolAutoscaling | undefined;
  /** Names of the node pools: one for each slice of several hosts, one for all slices of one host. */
  readonly names: readonly string[];
  /** Nodes of each node pool when all its slices exist. */
  readonly nodesPerPool: number;
  /** Nodes that each node pool starts with in each of its zones: the value of `--num-nodes`. */
  readonly startNodesPerZone: number;
  /** The topology in which GKE connects the nodes of a pool, `--tpu-topology`; undefined for one host, and with `workloadPolicy`. */
  readonly tpuTopology: string | undefined;
  /** Name of the workload policy, which replaces the topology for tpu7x slices of several hosts. */
  readonly workloadPolicy: string | undefined;
  /** Boot disk of each node, in GB; undefined for GKE's. */
  readonly diskSizeGb: number | undefined;
  /** Whether the pools use flex-start: they start empty and scale themselves. */
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
        ? // each Job sets how long the nodes run
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

/** Returns how many node pools a number of slices needs, and the nodes of each: a slice of several hosts is a pool, slices of one host share one. */
export const poolsOf = (
  { multiHost, hosts }: Pick<TpuSlice, 'multiHost' | 'hosts'>,
  replicas: number,
): { readonly pools: number; readonly nodes: number } =>
  multiHost ? { pools: replicas, nodes: hosts } : { pools: Math.min(1, replicas), nodes: replicas };

const isFlexStart = ({ type }: Capacity): boolean => type.startsWith('flex-start');

/** Slices that a pool starts with. */
const startSlices = ({ autoscaling, replicas = 1 }: NodePoolProps): number =>
  autoscaling?.minReplicas ?? replicas;

const flag = (name: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [`${name}=${value}`];

// ---- what the props can be --------------------------------------------------------------------------------------

/** A larger number is a mistake: nobody has as many node pools, or nodes in one. */
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
      problem: 'is formed from node pools of sub-blocks, which have no topology of their own',
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
      problem: 'is set beside autoscaling',
      use: 'only one of them; with autoscaling the pool starts with minReplicas',
    };
  if (slice.multiHost)
    yield {
      path: 'autoscaling',
      problem: `is set for slice '${slice.toString()}' of ${count(slice.hosts, 'host')}, whose node pool cannot scale: it has all nodes of its slice or none`,
      use: 'replicas',
    };
  if (capacity && isFlexStart(capacity))
    yield {
      path: 'autoscaling',
      problem: 'is set beside flex-start capacity, whose node pools start empty and scale themselves',
      use: 'replicas, for the maximum',
    };
}

/** `--num-nodes` counts the nodes of each zone, so the number of zones must be known and divide the number of slices. */
function* zoneProblems(props: NodePoolProps, given: { readonly nodeLocations?: unknown }): Iterable<Problem> {
  const { slice, location: place, nodeLocations, capacity, autoscaling } = props;
  const path = 'nodeLocations';
  if (given.nodeLocations === undefined && isRegion(place))
    yield {
      path,
      problem: `required, since location '${place}' is a region and GKE would create the nodes in each of its zones`,
      use: `zones of it that have ${slice.machineType}, like ['${place}-a']`,
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
        use: `one of its zones, like '${around}-a'`,
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
