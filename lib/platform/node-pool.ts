import { Capacity, capacityProblem } from '../pod/capacity';
import { dnsLabel, integer } from '../problems/validators';
import { Problems } from '../problems/problems';
import { type TpuSlice } from '../tpu/slice';
import { count } from '../tpu/topology';
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
import { ShellCommand } from '../operations/shell-command';

/** Between how many and how many slices the cluster autoscaler keeps in a node pool. */
export interface NodePoolAutoscaling {
  /** Fewest slices; the pool starts with them. */
  readonly minReplicas: number;
  /** Most slices, up to 1000. */
  readonly maxReplicas: number;
}

/**
 * Properties of a node pool. Cluster, location, zones and project may be placeholders in capitals, like `PROJECT_ID`, for commands that
 * somebody else completes.
 */
export interface NodePoolProps {
  /** Name of the node pool; slices of several hosts are a node pool each, `NAME-0`, `NAME-1` and so on. */
  readonly name: string;
  /** The TPU slice. */
  readonly slice: TpuSlice;
  /** Slices, up to 1000; of flex-start capacity the most. Not with `autoscaling`. @default 1 */
  readonly replicas?: number;
  /** How the slices are bought. @default - on demand */
  readonly capacity?: Capacity;
  /** Name of the cluster. */
  readonly cluster: string;
  /** Zone or region of the cluster. */
  readonly location: string;
  /** Zones of the nodes: needed where the cluster has a region. @default - the cluster's own zone */
  readonly nodeLocations?: readonly string[];
  /** ID of the project that the cluster is in. @default - the one that gcloud is set to */
  readonly projectId?: string;
  /** Scales a pool of slices with one host each. @default - a fixed number of slices; flex-start pools start empty and scale themselves */
  readonly autoscaling?: NodePoolAutoscaling;
  /**
   * Boot disk of each node, in GB, 10 to 65536. Pods find less than half of 100 GB there, so that a file cache on disk takes a larger
   * one: about 320 GB for 160Gi.
   *
   * @default - GKE's: 100
   */
  readonly diskSizeGb?: number;
}

/**
 * The GKE node pools of TPU slices, from the slices and the way that they are bought: the machine type, node count, topology and flags
 * follow, so that pods of the same slice and capacity find their nodes. `commands` makes them; `ContainerNodePools` renders them for
 * Config Connector.
 *
 * A slice of several hosts is a node pool of its own, with as many nodes as hosts. Slices of one host share a pool, a node each.
 *
 * @throws InvalidInputError listing every prop that is malformed, contradicts another or does not go with the slice
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpus
 * @example new NodePool({ name: 'tpu', slice: TpuSlice.of('ct5lp-hightpu-4t', '4x8'), replicas: 2, cluster: 'saxml', location: 'us-west4-a' })
 */
export class NodePool {
  /** The TPU slice. */
  readonly slice: TpuSlice;
  /** Slices; the most where they come and go. */
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
  /** Between how many slices the cluster autoscaler decides, if it does; not of flex-start pools. */
  readonly autoscaling: NodePoolAutoscaling | undefined;
  /** Names of the node pools: one for each slice of several hosts, one for all slices of one host. */
  readonly names: readonly string[];
  /** Nodes of each node pool when all its slices are there. */
  readonly nodesPerPool: number;
  /** Nodes that each node pool starts with in each of its zones: what `--num-nodes` counts. */
  readonly startNodesPerZone: number;
  /** The topology that GKE connects the nodes of a pool in, `--tpu-topology`; undefined for one host, and where `workloadPolicy` has it. */
  readonly tpuTopology: string | undefined;
  /** Name of the workload policy that tpu7x takes instead of a topology on several hosts. */
  readonly workloadPolicy: string | undefined;
  /** Boot disk of each node, in GB; undefined for GKE's. */
  readonly diskSizeGb: number | undefined;
  /** Whether the nodes come when there are some: the pools start empty and scale themselves. */
  readonly flexStart: boolean;

  constructor(props: NodePoolProps) {
    const { name, slice, autoscaling, nodeLocations, capacity = Capacity.onDemand() } = props;
    const problems = new Problems();
    const flexStart = capacity.type.startsWith('flex-start');
    const replicas = problems.sound(
      props.replicas ?? 1,
      integer('replicas', props.replicas ?? 1, 1, MAX_REPLICAS),
      1,
    );

    const suffix = slice.multiHost ? `-${String(replicas - 1)}` : '';
    const because = slice.multiHost ? `with '${suffix}' it is the last pool's name` : undefined;
    problems.add(
      dnsLabel('name', name, GKE_NAME_LENGTH - suffix.length, because),
      orPlaceholder(clusterName)('cluster', props.cluster),
      props.projectId === undefined ? undefined : orPlaceholder(projectId)('projectId', props.projectId),
      capacityProblem(capacity, slice, true),
      props.diskSizeGb === undefined ? undefined : integer('diskSizeGb', props.diskSizeGb, 10, 65_536),
    );
    problems.check(
      capacity.type !== 'compute-class',
      'capacity is that of a ComputeClass, which makes its node pools itself, expected Capacity.onDemand(), spot(), reservation(…), flexStart() or flexStartQueued(…)',
    );
    if (autoscaling) checkAutoscaling(autoscaling, { ...props, flexStart }, problems);
    const start = autoscaling?.minReplicas ?? replicas;
    checkZones(props, start, flexStart, problems);
    problems.throwIfAny();

    const zones = nodeLocations?.length ?? 1;
    this.slice = slice;
    this.replicas = autoscaling?.maxReplicas ?? replicas;
    this.capacity = capacity;
    this.cluster = props.cluster;
    this.location = props.location;
    this.nodeLocations = nodeLocations && Object.freeze([...nodeLocations]);
    this.projectId = props.projectId;
    this.autoscaling = autoscaling && Object.freeze({ ...autoscaling });
    const { pools, nodes } = poolsOf(slice, this.replicas);
    this.names = Object.freeze(
      slice.multiHost ? Array.from({ length: pools }, (_, index) => `${name}-${String(index)}`) : [name],
    );
    this.nodesPerPool = nodes;
    this.startNodesPerZone = flexStart ? 0 : slice.multiHost ? slice.hosts : start / zones;
    this.workloadPolicy = slice.multiHost && slice.generation === 'tpu7x' ? name : undefined;
    this.tpuTopology = slice.multiHost && this.workloadPolicy === undefined ? slice.topology : undefined;
    this.diskSizeGb = props.diskSizeGb;
    this.flexStart = flexStart;
    Object.freeze(this);
  }

  /** The gcloud commands that make the node pools, and before them the workload policy where they need one. */
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
        ? // how long the nodes run is said by each Job
          ['--enable-queued-provisioning', '--location-policy=ANY']
        : flag('--max-run-duration', seconds === undefined ? undefined : `${String(seconds)}s`)),
      ...(queued || this.slice.multiHost ? ['--no-enable-autorepair'] : []),
    ];
  }
}

/** Makes the workload policy that connects the hosts of a tpu7x slice. */
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

/** The node pools that a number of slices takes, and the nodes of each: several hosts are a pool, slices of one host share one. */
export const poolsOf = (
  { multiHost, hosts }: Pick<TpuSlice, 'multiHost' | 'hosts'>,
  replicas: number,
): { readonly pools: number; readonly nodes: number } =>
  multiHost ? { pools: replicas, nodes: hosts } : { pools: Math.min(1, replicas), nodes: replicas };

/** More is a slip: as many node pools, or nodes of one, are beyond what anybody has. */
const MAX_REPLICAS = 1000;

const flag = (name: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [`${name}=${value}`];

function checkAutoscaling(
  { minReplicas, maxReplicas }: NodePoolAutoscaling,
  { slice, replicas, flexStart }: Pick<NodePoolProps, 'slice' | 'replicas'> & { readonly flexStart: boolean },
  problems: Problems,
): void {
  const counts = [
    integer('autoscaling minReplicas', minReplicas, 0, MAX_REPLICAS),
    integer('autoscaling maxReplicas', maxReplicas, 1, MAX_REPLICAS),
  ];
  problems.add(...counts);
  problems.check(
    counts.some((wrong) => wrong !== undefined) || maxReplicas >= minReplicas,
    `autoscaling maxReplicas '${String(maxReplicas)}' is below minReplicas '${String(minReplicas)}', expected at least as many; nearest: ${String(minReplicas)}`,
  );
  problems.check(
    replicas === undefined,
    `replicas '${String(replicas)}' is set beside autoscaling, expected one of them: the pool starts with minReplicas`,
  );
  problems.check(
    !slice.multiHost,
    `autoscaling is set for slice '${slice.toString()}' of ${count(slice.hosts, 'host')}, expected replicas: its pool is one slice, with all its nodes or none`,
  );
  problems.check(
    !flexStart,
    'autoscaling is set beside capacity flex-start, expected replicas, the most: such a pool starts empty and scales itself',
  );
}

/** `--num-nodes` counts the nodes in each zone: the zones must be known, and the slices go evenly into them. */
function checkZones(props: NodePoolProps, start: number, flexStart: boolean, problems: Problems): void {
  const { slice, nodeLocations } = props;
  const malformed = orPlaceholder(location)('location', props.location);
  problems.add(malformed);
  const region = regionOf(props.location);
  if (nodeLocations === undefined) {
    problems.check(
      !isRegion(props.location),
      `nodeLocations is missing beside location '${props.location}', a region, expected zones of it with ${slice.machineType}, like ['${props.location}-a']: there are as many nodes in each of its zones otherwise`,
    );
    return;
  }
  problems.check(
    nodeLocations.length > 0,
    'nodeLocations is empty, expected one zone or more, or none of it',
  );
  problems.check(
    new Set(nodeLocations).size === nodeLocations.length,
    `nodeLocations '${nodeLocations.join(',')}' names a zone twice, expected each once; nearest: '${[...new Set(nodeLocations)].join(',')}'`,
  );
  for (const one of nodeLocations) {
    if (isPlaceholder(one)) continue;
    const wrong = zone('nodeLocations', one);
    problems.add(wrong);
    problems.check(
      wrong !== undefined || region === undefined || regionOf(one) === region,
      `nodeLocations '${one}' is not in region '${region ?? ''}' of location '${props.location}', expected one of its zones, like '${region ?? ''}-a'`,
    );
  }
  const zones = nodeLocations.length;
  if (flexStart || zones < 2) return;
  if (slice.multiHost)
    problems.check(
      false,
      `nodeLocations '${nodeLocations.join(',')}' are ${String(zones)} zones for slice '${slice.toString()}', expected one: its ${String(slice.hosts)} hosts are connected; nearest: '${nodeLocations[0] ?? ''}'`,
    );
  else
    problems.check(
      start % zones === 0,
      `${props.autoscaling ? 'autoscaling minReplicas' : 'replicas'} '${String(start)}' does not go evenly into ${String(zones)} nodeLocations, expected a multiple; nearest: ${String(Math.ceil(start / zones) * zones)}`,
    );
}
