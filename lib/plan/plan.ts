import { TOPOLOGY_LABEL } from '../facts/labels';
import { type CapacityView, capacityOf, rulesOfClass } from '../manifest/capacity';
import { reasonFor } from '../checks/check';
import { manifestSet, type ManifestSet } from '../manifest/set';
import { at, list, type ManifestObject, number, record, text } from '../manifest/manifest';
import { type PoolView, poolsIn } from '../manifest/inference';
import { type ServedModel, servedModelOf } from '../manifest/model-memory';
import { type PodView } from '../manifest/pods';
import { type Found, severityOf } from '../checks/rule';
import { RULES } from '../checks/rules';
import { scalersFor } from '../manifest/scalers';
import { hasNamed, podsOfObject } from '../manifest/selection';
import {
  isOnSliceOfWorkers,
  machinesOf,
  possibleSlices,
  selected,
  sliceOf,
  slicesLike,
  slicesOf,
  tpuContainers,
} from '../manifest/slices';
import { poolsOf } from '../platform/node-pool';
import { type CapacityType } from '../pod/capacity';
import { SUB_BLOCK, subBlocksOf } from '../tpu/dynamic-slice';
import { GENERATIONS, type TpuGeneration, type TpuMachineType } from '../tpu/generations';
import { concurrencyOf, memoryFit, type MemoryOptions } from '../tpu/memory';
import { type WeightFormat } from '../tpu/models';
import { type TpuSlice } from '../tpu/slice';
import { machineFacts, machineTypes } from '../tpu/topology';

// Counts the TPUs that rendered manifests need. Input and output are plain objects; docs/plan.md documents the names and units of the output.

/** A number, or the limits of an autoscaler. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** A model and the memory of its slice. The KV cache is counted if the numbers of the model are known. */
interface PlannedModel {
  /** Name of the model; undefined if the server does not name it. */
  readonly name: string | undefined;
  /** Where its numbers are from: the table of known models, the annotation of its object, a flag, or its name. */
  readonly source: ServedModel['source'];
  readonly parameters: number | undefined;
  readonly weights: WeightFormat | undefined;
  /** Expected weights of all copies. */
  readonly weightsGB: number;
  /** Weights as a share of the slice's memory. */
  readonly hbmUse: number;
  /** Memory that vLLM's `--gpu-memory-utilization` leaves after the weights, in GiB. If it is below 0, the weights do not fit. */
  readonly kvCacheRoomGiB: number;
  /** Longest sequence in tokens. */
  readonly maxModelLen: number | undefined;
  /** KV cache of one sequence of `maxModelLen` tokens, in GB. */
  readonly kvCacheGB: number | undefined;
  /** Number of sequences of `maxModelLen` tokens whose KV cache fits next to the weights. */
  readonly maxConcurrency: number | undefined;
}

/** Node pools of one kind, like those of `NodePool`. */
interface PlannedPools {
  readonly machineType: TpuMachineType;
  readonly topology: string;
  readonly capacity: CapacityView;
  readonly pools: Range;
  readonly nodesPerPool: Range;
}

/** A workload on TPU slices: one pod template. */
export interface PlannedWorkload {
  /** The object, like `Deployment/llama`. */
  readonly object: string;
  readonly namespace: string;
  /** The worker group or replicated job of the object; undefined if it has only one template. */
  readonly part: string | undefined;
  readonly file: string | undefined;
  /** The machine types that match the pods; empty if none does. */
  readonly machineTypes: readonly TpuMachineType[];
  readonly topology: string | undefined;
  readonly slices: Range | undefined;
  readonly hostsPerSlice: number | undefined;
  readonly chipsPerSlice: number | undefined;
  readonly chips: Range | undefined;
  readonly hbmGiBPerSlice: number | undefined;
  readonly model: PlannedModel | undefined;
  readonly capacity: CapacityView;
  /** Node pools; undefined if the slices are not known, or a ComputeClass creates the pools. */
  readonly nodePools: PlannedPools | undefined;
  /** Contradictions and unknown values. */
  readonly problems: readonly string[];
}

/** Chips of a generation with one kind of capacity: the quota to request. */
interface PlannedChips extends Range {
  readonly generation: TpuGeneration;
  readonly capacity: CapacityType;
}

/** An InferencePool and its servers. */
interface PlannedInferencePool {
  /** The object, like `InferencePool/llama`. */
  readonly object: string;
  readonly namespace: string;
  readonly file: string | undefined;
  /** Objects whose pods it selects. */
  readonly servers: readonly string[];
  /** Pods that answer requests; undefined if it selects none, or if their number is not known. */
  readonly replicas: Range | undefined;
}

export interface Plan {
  readonly workloads: readonly PlannedWorkload[];
  readonly inferencePools: readonly PlannedInferencePool[];
  readonly totals: {
    readonly chips: readonly PlannedChips[];
    readonly nodePools: readonly PlannedPools[];
    /** Number of workloads whose chips the totals do not include. */
    readonly uncounted: number;
  };
}

/** The rules that check whether a workload matches its slice. */
const SLICE_RULES = RULES.filter(({ code }) => /^TPU(1|20[123])/.test(code));

/** Returns the TPU capacity that objects need at the same time. */
export function planOf(objects: readonly ManifestObject[]): Plan {
  const set = manifestSet(objects);
  const findings = SLICE_RULES.flatMap((rule) =>
    [...rule.check(set, { found: [], codes: new Set() })].map((violation): Found => ({ rule, violation })),
  ).filter(
    (found) =>
      severityOf(found) === 'error' && reasonFor(found.violation.object, found.rule.code) === undefined,
  );
  const planned = set.pods.filter((pod) => isListed(set, pod)).map((pod) => plannedOf(set, pod, findings));
  return {
    workloads: planned.map(({ workload }) => workload),
    inferencePools: poolsIn(set).map((pool) => inferencePoolOf(set, pool)),
    totals: {
      chips: totalChips(planned),
      nodePools: totalPools(planned.map(({ workload }) => workload)),
      uncounted: planned.filter(({ workload, generation }) => !workload.chips || !generation).length,
    },
  };
}

interface Planned {
  readonly workload: PlannedWorkload;
  readonly generation: TpuGeneration | undefined;
}

/** Whether a template requests chips and does not belong to another listed object, like the pods of a ReplicaSet or the leader of a group. */
function isListed(set: ManifestSet, pod: PodView): boolean {
  const { manifest, namespace } = pod.object;
  const isOwned = list(manifest, 'metadata', 'ownerReferences').some((owner) =>
    hasNamed(set, namespace, text(owner, 'kind') ?? '', text(owner, 'name') ?? ''),
  );
  return tpuContainers(pod).length > 0 && !isOwned && !isOnSliceOfWorkers(pod, podsOfObject(set, pod.object));
}

function plannedOf(set: ManifestSet, pod: PodView, findings: readonly Found[]): Planned {
  const { object } = pod;
  const candidates = candidatesOf(set, pod);
  const [first] = candidates;
  const capacity = capacityOf(pod);
  const hosts = same(candidates, (slice) => slice.hosts);
  const chipsPerSlice = same(candidates, (slice) => slice.chips);
  const slices = hosts === undefined ? undefined : counted(pod, slicesOfPod(set, pod, hosts));
  const slice = candidates.length === 1 ? first : undefined;
  const found = findings.filter(
    ({ violation }) => violation.object === object && violation.path.startsWith(pod.ownerPath),
  );
  return {
    generation: same(candidates, (one) => one.generation),
    workload: {
      object: object.id,
      namespace: object.namespace,
      part: /\[([^\]]*)\]/.exec(pod.ownerPath)?.[1],
      file: object.file,
      machineTypes: [...new Set(candidates.map(({ machineType }) => machineType))],
      topology: same(candidates, (one) => one.topology) ?? selected(pod, TOPOLOGY_LABEL),
      slices,
      hostsPerSlice: hosts,
      chipsPerSlice,
      chips: slices && chipsPerSlice !== undefined ? times(slices, chipsPerSlice) : undefined,
      hbmGiBPerSlice: same(candidates, (one) => one.hbmGiB),
      model: slice && modelOf(serverOf(set, pod), slice),
      capacity,
      nodePools: slice && slices && poolsFor(slice, slices, capacity),
      problems:
        found.length > 0
          ? found.map(({ rule, violation }) => `${rule.code}: ${violation.message}`)
          : slices === undefined
            ? [unknown(candidates, hosts)]
            : [],
    },
  };
}

function unknown(candidates: readonly TpuSlice[], hosts: number | undefined): string {
  if (candidates.length === 0) return 'no known machine type matches its pods';
  return hosts === undefined
    ? 'its pods do not show how many hosts a slice has'
    : 'the number of slices of its pods is unknown';
}

/** Returns the slices that a pod can run on: those of its ComputeClass, if the objects include it. */
function candidatesOf(set: ManifestSet, pod: PodView): readonly TpuSlice[] {
  const { chips } = sliceOf(pod);
  const rules = rulesOfClass(set, capacityOf(pod).name) ?? [];
  const ofClass = rules.flatMap((rule) => {
    const topology = text(rule, 'tpu', 'topology');
    const type = machineTypes().find((known) => known === text(rule, 'machineType'));
    const types = type ? [type] : machinesOf(text(rule, 'tpu', 'type'));
    return topology === undefined ? [] : slicesLike(types, topology, chips);
  });
  if (ofClass.length > 0) return [...new Map(ofClass.map((slice) => [slice.toString(), slice])).values()];
  const possible = possibleSlices(pod);
  if (selected(pod, TOPOLOGY_LABEL) !== undefined) return possible;
  const meant = meantHosts(pod);
  const narrowed = possible.filter(({ hosts }) => hosts === meant);
  return narrowed.length > 0 ? narrowed : possible;
}

/** Returns the stated number of hosts of a pod without a topology; undefined if the manifest does not state it. */
function meantHosts(pod: PodView): number | undefined {
  switch (pod.runs) {
    case 'RayWorkers':
    case 'LeaderWorkerSet':
      return pod.statedHosts[0]?.hosts;
    case 'Job':
      return (number(pod.owner, 'parallelism') ?? 1) === 1 ? 1 : undefined;
    default:
      return 1;
  }
}

/** Returns the slices that run at the same time; undefined if the number of pods does not match the hosts of a slice. */
function slicesOfPod(set: ManifestSet, pod: PodView, hosts: number): Range | undefined {
  const replicas = pod.slices ?? 1;
  switch (pod.runs) {
    case 'Deployment':
    case 'ReplicaSet':
      return hosts === 1 ? scaled(set, pod, replicas) : undefined;
    case 'StatefulSet':
      return hosts === 1 ? scaled(set, pod, replicas) : replicas === hosts ? exactly(1) : undefined;
    case 'Job': {
      const parallelism = number(pod.owner, 'parallelism') ?? 1;
      const pods = Math.min(parallelism, number(pod.owner, 'completions') ?? parallelism);
      return Number.isInteger(pods / hosts) ? exactly((pods / hosts) * replicas) : undefined;
    }
    case 'RayWorkers':
      return pod.statedHosts.some((stated) => stated.hosts === hosts) ? rayReplicas(pod) : undefined;
    case 'LeaderWorkerSet': {
      const [stated = { hosts: 1 }] = pod.statedHosts;
      if (stated.hosts !== hosts) return undefined;
      const perReplica = pod.statedHosts.length > 0 && replicas > 0 ? slicesOf(pod) / replicas : 1;
      return times(scaled(set, pod, replicas), perReplica);
    }
    case 'Pod':
    case 'Other':
    case 'RayHead':
      return hosts === 1 ? exactly(1) : undefined;
    case 'DaemonSet':
      return undefined;
  }
}

/** Returns the servers of a pool. A replica of a server is one endpoint, also on several hosts. */
function inferencePoolOf(set: ManifestSet, { object, pods }: PoolView): PlannedInferencePool {
  // the workers of a group do not answer requests, even if the selector matches them
  const answering = pods.filter(({ role }) => role !== 'worker');
  const replicas = answering.map((pod) => {
    const stated = pod.runs === 'Pod' ? 1 : pod.slices;
    return stated === undefined ? undefined : counted(pod, scaled(set, pod, stated));
  });
  return {
    object: object.id,
    namespace: object.namespace,
    file: object.file,
    servers: [...new Set(answering.map((pod) => pod.object.id))],
    replicas:
      replicas.length > 0 && replicas.every((range) => range !== undefined)
        ? replicas.reduce(plus)
        : undefined,
  };
}

/** Fields with counts of replicas and pods, which must be an int32. */
const COUNTS = ['replicas', 'minReplicas', 'maxReplicas', 'parallelism', 'completions'];
const isCount = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 31;

/** Returns a range; undefined if it is not known, or one of its counts is malformed. */
function counted({ object, owner }: PodView, range: Range | undefined): Range | undefined {
  const stated = [owner, record(object.manifest, 'spec')].flatMap((one) =>
    COUNTS.map((key) => one[key] ?? 0),
  );
  return range && [...stated, range.min, range.max].every(isCount) ? range : undefined;
}

const exactly = (n: number): Range => ({ min: n, max: n });
const times = ({ min, max }: Range, factor: number): Range => ({ min: min * factor, max: max * factor });
const plus = (a: Range, b: Range): Range => ({ min: a.min + b.min, max: a.max + b.max });

/** Returns the replicas of a workload, or the limits of its autoscaler. */
function scaled(set: ManifestSet, { object }: PodView, replicas: number): Range {
  const [scaler] = scalersFor(set, object);
  return scaler ? { min: scaler.min, max: scaler.max } : exactly(replicas);
}

/** Returns the slices of a worker group, between its limits: https://github.com/ray-project/kuberay (GetWorkerGroupDesiredReplicas) */
function rayReplicas({ object, owner, ownerPath }: PodView): Range {
  if (at(owner, 'suspend') === true) return exactly(0);
  const min = number(owner, 'minReplicas') ?? 0;
  const max = Math.max(min, number(owner, 'maxReplicas') ?? Infinity);
  const cluster = ownerPath.replace(/\.?workerGroupSpecs\[.*$/, '').split('.');
  const replicas = Math.min(max, Math.max(min, number(owner, 'replicas') ?? min));
  return at(object.manifest, ...cluster, 'enableInTreeAutoscaling') === true && max < Infinity
    ? { min, max }
    : exactly(replicas);
}

/** Returns the value that all slices have; undefined if they differ. */
function same<T>(slices: readonly TpuSlice[], valueOf: (slice: TpuSlice) => T): T | undefined {
  const values = new Set(slices.map(valueOf));
  return values.size === 1 ? [...values][0] : undefined;
}

const GB = 1e9;
const GIB = 2 ** 30;

/** Returns the pod that starts the server of a slice: the leader, if workers only compute for it. */
const serverOf = (set: ManifestSet, pod: PodView): PodView =>
  podsOfObject(set, pod.object).find((other) => isOnSliceOfWorkers(other, [pod])) ?? pod;

function modelOf(pod: PodView, slice: TpuSlice): PlannedModel | undefined {
  for (const container of tpuContainers(pod)) {
    const served = servedModelOf(container, pod);
    if (served === undefined) continue;
    const { name, source, parameters, weights, model, options } = served;
    // Not the size of a model, for example `0b`.
    if (parameters !== undefined && (parameters < 1e6 || parameters > 1e14)) continue;
    if (!fillsSlice(pod, slice, options)) return undefined;
    const copies = options.dataParallelSize ?? 1;
    const fit = memoryFit(slice, model, options);
    const bytes = fit.weights.expected * copies;
    return {
      name,
      source,
      parameters,
      weights,
      weightsGB: rounded(bytes / GB),
      hbmUse: rounded(bytes / (slice.hbmGiB * GIB)),
      kvCacheRoomGiB: rounded((fit.available.expected - fit.weights.expected) / GIB) * copies,
      maxModelLen: fit.maxModelLen,
      kvCacheGB: fit.cache && rounded(fit.cache.expected / GB),
      maxConcurrency: concurrencyOf(fit, model, options),
    };
  }
  return undefined;
}

/** Whether a server spreads its weights over all devices of a slice, so that the share of memory is meaningful. */
function fillsSlice(pod: PodView, slice: TpuSlice, options: MemoryOptions): boolean {
  const { tensorParallelSize: tensor, pipelineParallelSize = 1, dataParallelSize = 1 } = options;
  const severalSlices = pod.object.kind === 'JobSet' && (pod.slices ?? 1) > 1;
  return (
    !severalSlices &&
    pipelineParallelSize === 1 &&
    (tensor === undefined || tensor * dataParallelSize === slice.devices)
  );
}

/** Rounds to three decimals, which is more precise than sizes from names. */
const rounded = (n: number): number => Math.round(n * 1000) / 1000;

/** Returns the node pools of slices; undefined for a ComputeClass, which creates its own. */
function poolsFor(slice: TpuSlice, slices: Range, capacity: CapacityView): PlannedPools | undefined {
  if (capacity.type === 'compute-class') return undefined;
  const bought = {
    ...capacity,
    // Jobs set the queue and the duration, not the pool.
    queue: undefined,
    ...(capacity.type === 'flex-start-queued' && { maxRunDurationSeconds: undefined }),
  };
  if (capacity.type === 'dynamic-slice') return subBlocks(bought, times(slices, slice.chips));
  const [fewest, most] = [poolsOf(slice, slices.min), poolsOf(slice, slices.max)];
  return {
    machineType: slice.machineType,
    topology: slice.topology,
    capacity: bought,
    // A workload that scales to 0 keeps its pool.
    pools: slice.multiHost ? { min: fewest.pools, max: most.pools } : exactly(most.pools),
    nodesPerPool: { min: fewest.nodes, max: most.nodes },
  };
}

/** Returns the node pools that provide the chips of dynamic slices. */
const subBlocks = (capacity: CapacityView, chips: Range): PlannedPools => ({
  machineType: SUB_BLOCK.machineType,
  topology: SUB_BLOCK.topology,
  capacity,
  pools: { min: subBlocksOf(chips.min), max: subBlocksOf(chips.max) },
  nodesPerPool: exactly(SUB_BLOCK.hosts),
});

/** Merges values with equal keys. */
function merged<T>(
  values: readonly T[],
  wordsOf: (value: T) => string,
  together: (a: T, b: T) => T,
): readonly T[] {
  const groups = new Map<string, T>();
  for (const value of values) {
    const words = wordsOf(value);
    const known = groups.get(words);
    groups.set(words, known === undefined ? value : together(known, value));
  }
  return [...groups.values()];
}

const totalChips = (planned: readonly Planned[]): readonly PlannedChips[] =>
  [
    ...merged(
      planned.flatMap(({ workload: { chips, capacity }, generation }) =>
        chips && generation && chips.max > 0 ? [{ generation, capacity: capacity.type, ...chips }] : [],
      ),
      ({ generation, capacity }) => `${generation} ${capacity}`,
      (a, b) => ({ ...a, ...plus(a, b) }),
    ),
  ].sort((a, b) => GENERATION_ORDER.indexOf(a.generation) - GENERATION_ORDER.indexOf(b.generation));

const GENERATION_ORDER = Object.keys(GENERATIONS);

/** Single-host slices of one kind share a node pool; each multi-host slice has its own. Dynamic slices share sub-blocks. */
const totalPools = (planned: readonly PlannedWorkload[]): readonly PlannedPools[] =>
  merged(
    planned.flatMap(({ nodePools: pools, chips }) =>
      pools && chips && pools.pools.max > 0 ? [{ pools, chips }] : [],
    ),
    ({ pools: { machineType, topology, capacity } }) => JSON.stringify([machineType, topology, capacity]),
    (a, b) => {
      const chips = plus(a.chips, b.chips);
      const { machineType, topology, capacity, pools, nodesPerPool } = a.pools;
      if (capacity.type === 'dynamic-slice') return { chips, pools: subBlocks(capacity, chips) };
      return machineFacts(machineType).singleHostTopology !== topology
        ? { chips, pools: { ...a.pools, pools: plus(pools, b.pools.pools) } }
        : { chips, pools: { ...a.pools, nodesPerPool: plus(nodesPerPool, b.pools.nodesPerPool) } };
    },
  ).map(({ pools }) => pools);
