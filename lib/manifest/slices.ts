import {
  ACCELERATOR_LABEL,
  PROVISIONED_SLICE,
  SLICE_LABEL,
  SLICE_TOPOLOGY_ANNOTATION,
  TOPOLOGY_LABEL,
} from '../facts/labels';
import { quantityOf } from '../problems/grammar';
import { type TpuMachineType } from '../tpu/generations';
import { TpuSlice } from '../tpu/slice';
import {
  chipsOf,
  count,
  dimensionsOf,
  generationFacts,
  machineFacts,
  machineTypes,
  topologiesOf,
} from '../tpu/topology';
import { isRecord, list, number, record, text } from './manifest';
import { isPlaceholder } from './placeholders';
import { type ContainerView, type PodView } from './pods';
import { remembered } from './remembered';

// The slice that a pod describes by its selectors, annotations and chips.

/** The slice that a pod describes. */
export interface SliceView {
  /** Accelerator that the pod selects, by node selector or affinity; undefined if it selects none or several. */
  readonly accelerator: string | undefined;
  /** Topology that the pod selects, by node selector or affinity; undefined if it selects none or several. */
  readonly topology: string | undefined;
  /** The machine types of the accelerator; empty if this library has no table of them, all machine types if GKE does not offer it. */
  readonly machines: readonly TpuMachineType[];
  /** The machine types in `machines` that offer the topology; all of them if the pod does not select a topology. */
  readonly fitting: readonly TpuMachineType[];
  /** Chips that the pod requests, which are the chips of a host; undefined if it requests none or a fraction. */
  readonly chips: number | undefined;
  /** Hosts of the slice; undefined if the fields of the pod contradict each other or leave it open. */
  readonly hosts: number | undefined;
}

/** Older accelerators of GKE, which are not in the table. Flex-start does not offer them. */
export const OLDER_ACCELERATORS = /^(tpu-v3-.+|tpu-v4-lite-device|tpu-v5-lite-device)$/;
/** Accelerators of newer generations than the table has. The GKE autoscaler already knows one of them. */
const NEWER_ACCELERATORS = /^tpu7$|^tpu-?v?([89]|\d\d)/;

const KNOWN_ACCELERATORS: ReadonlySet<string> = new Set(
  machineTypes().map((type) => generationFacts(type).accelerator),
);

/** Whether GKE offers an accelerator, or can offer it in a newer generation. */
export const isAccelerator = (accelerator: string): boolean =>
  KNOWN_ACCELERATORS.has(accelerator) ||
  OLDER_ACCELERATORS.test(accelerator) ||
  NEWER_ACCELERATORS.test(accelerator);

/** The machine types that a pod can mean; all of them if the accelerator is misspelled. */
const machinesMeant = (accelerator: string | undefined): readonly TpuMachineType[] =>
  accelerator === undefined || isAccelerator(accelerator) || isPlaceholder(accelerator)
    ? machinesOf(accelerator)
    : machineTypes().filter((type) => !machineFacts(type).onlyWhenNamed);

/** The machine types of an accelerator that GKE can choose if the node pool does not name one. */
export const machinesOf = (accelerator: string | undefined): readonly TpuMachineType[] =>
  machineTypes().filter(
    (type) => !machineFacts(type).onlyWhenNamed && generationFacts(type).accelerator === accelerator,
  );

/** The value of a node label that a pod requires, by node selector or by a required affinity with one value. */
export function selected(pod: PodView, label: string): string | undefined {
  const direct = text(pod.nodeSelector, label);
  if (direct !== undefined) return direct;
  const [values, ...others] = affinityValues(pod, label);
  const [value, ...more] = values ?? [];
  return typeof value === 'string' && others.length === 0 && more.length === 0 ? value : undefined;
}

/** Whether a pod selects a label only by affinity, which some controllers ignore. */
export const onlyByAffinity = (pod: PodView, label: string): boolean =>
  text(pod.nodeSelector, label) === undefined && affinityValues(pod, label).length > 0;

/** The values of a label in each term of the required affinity. The terms are alternatives. */
const affinityValues = (pod: PodView, label: string): readonly (readonly unknown[])[] =>
  list(
    pod.spec,
    'affinity',
    'nodeAffinity',
    'requiredDuringSchedulingIgnoredDuringExecution',
    'nodeSelectorTerms',
  )
    .flatMap((term) => list(term, 'matchExpressions'))
    .filter((expression) => text(expression, 'key') === label && text(expression, 'operator') === 'In')
    .map((expression) => list(expression, 'values'));

/** The path of a pod's spec. */
export const specPath = (pod: PodView): string => pod.specPath;

/** The path at which a pod selects a label. */
export const selectorPath = (pod: PodView, label: string): string =>
  onlyByAffinity(pod, label)
    ? `${specPath(pod)}.affinity.nodeAffinity`
    : label in pod.nodeSelector
      ? `${specPath(pod)}.nodeSelector[${label}]`
      : `${specPath(pod)}.nodeSelector`;

/** Chips that a container requests; 0 if it requests none, undefined for a fraction. */
export function chipsOfContainer({ chips }: ContainerView): number | undefined {
  const amount = quantityOf(chips ?? '0');
  return Number.isInteger(amount) ? amount : undefined;
}

/** Containers that request chips; `google.com/tpu: 0` does not count. */
export const tpuContainers = remembered((pod: PodView): readonly ContainerView[] =>
  pod.tpu.filter((container) => chipsOfContainer(container) !== 0),
);

/** Whether a pod requests chips or selects TPU nodes. */
export const isTpuPod = remembered(
  (pod: PodView): boolean =>
    tpuContainers(pod).length > 0 ||
    [ACCELERATOR_LABEL, TOPOLOGY_LABEL].some((label) => selected(pod, label) !== undefined),
);

/** The slice that a pod describes. */
export const sliceOf = remembered(readSlice);

/** Whether a controller forms the slice of a pod, and adds the selectors of its nodes. */
export const isProvisioned = ({ nodeSelector, annotations, labels, object }: PodView): boolean =>
  SLICE_LABEL in nodeSelector ||
  [
    annotations,
    labels,
    record(object.manifest, 'metadata', 'annotations'),
    record(object.manifest, 'metadata', 'labels'),
  ].some((one) => Object.keys(one).some((key) => PROVISIONED_SLICE.test(key)));

function readSlice(pod: PodView): SliceView {
  const accelerator = selected(pod, ACCELERATOR_LABEL);
  const topology = selected(pod, TOPOLOGY_LABEL);
  const machines = machinesMeant(accelerator);
  const fitting =
    topology === undefined ? machines : machines.filter((type) => topologiesOf(type).includes(topology));
  const chips = podChips(pod);
  const part = text(pod.annotations, SLICE_TOPOLOGY_ANNOTATION);
  const possible = machines.length === 0 || fitting.some((type) => machineFacts(type).chips === chips);
  return {
    accelerator,
    topology,
    machines,
    fitting,
    chips,
    hosts: possible ? hostsOf(part ?? topology, chips) : undefined,
  };
}

/** The slices that a pod can run on; several if its fields leave a choice. */
export const possibleSlices = remembered((pod: PodView): readonly TpuSlice[] => {
  const { accelerator, topology, machines, chips } = sliceOf(pod);
  const types =
    accelerator === undefined ? machineTypes().filter((type) => !machineFacts(type).onlyWhenNamed) : machines;
  return slicesLike(types, text(pod.annotations, SLICE_TOPOLOGY_ANNOTATION) ?? topology, chips);
});

/** The slices of the given machine types with this topology and these chips for each host; undefined matches all. */
export const slicesLike = (
  types: readonly TpuMachineType[],
  topology: string | undefined,
  chips: number | undefined,
): readonly TpuSlice[] =>
  types
    .filter((type) => chips === undefined || machineFacts(type).chips === chips)
    .flatMap((type) =>
      topologiesOf(type)
        .filter((one) => topology === undefined || one === topology)
        .map((one) => sliceNamed(`${type}/${one}`)),
    );

const slicesMade = new Map<string, TpuSlice>();

/** A slice by its name, cached because some machine types have hundreds. */
function sliceNamed(name: string): TpuSlice {
  const slice = slicesMade.get(name) ?? TpuSlice.parse(name);
  slicesMade.set(name, slice);
  return slice;
}

/** Chips of a pod: the sum over its containers, or the largest request of an init container if only those request chips. */
function podChips(pod: PodView): number | undefined {
  const containers = tpuContainers(pod);
  const chips = containers.map(chipsOfContainer);
  if (chips.length === 0 || !chips.every((amount) => amount !== undefined)) return undefined;
  const side = chips.filter((_, index) => containers[index]?.init === false);
  return side.length > 0 ? side.reduce((sum, amount) => sum + amount, 0) : Math.max(...chips);
}

function hostsOf(topology: string | undefined, chips: number | undefined): number | undefined {
  if (topology === undefined || chips === undefined || !dimensionsOf(topology)) return undefined;
  const hosts = chipsOf(topology) / chips;
  return Number.isInteger(hosts) ? hosts : undefined;
}

/** Whether a pod is a leader that runs on the slice of its workers, which the workers' template also describes. */
export const isOnSliceOfWorkers = (pod: PodView, pods: readonly PodView[]): boolean =>
  pod.role === 'leader' &&
  pods.some(
    (other) => other.role === 'worker' && other.object === pod.object && tpuContainers(other).length > 0,
  );

/** Slices of each replica: one for each subgroup of a LeaderWorkerSet. */
export function subgroupsOf(pod: PodView): number {
  const subgroup = number(pod.owner, 'subGroupPolicy', 'subGroupSize');
  const size = number(pod.owner, 'size') ?? 1;
  return subgroup === undefined ? 1 : Math.max(1, Math.floor(size / subgroup));
}

/** Slices that the pods of a template run on. */
export const slicesOf = (pod: PodView): number => (pod.slices ?? 1) * subgroupsOf(pod);

/** A topology with this number of hosts on machine types with this number of chips; undefined if none exists. */
export function topologyOfHosts(
  machines: readonly TpuMachineType[],
  chips: number | undefined,
  hosts: number,
): string | undefined {
  return machines
    .filter((type) => machineFacts(type).chips === chips)
    .flatMap((type) => topologiesOf(type))
    .find((topology) => chipsOf(topology) === (chips ?? 0) * hosts);
}

/** For example `topology '4x8' is 8 hosts of 4 chips`. */
export const sliceInWords = ({ topology, chips, hosts }: SliceView): string =>
  `topology '${topology ?? ''}' is ${count(hosts ?? 0, 'host')} of ${count(chips ?? 0, 'chip')}`;

/** For example `'a', 'b' or 'c'`. */
export function either(values: readonly string[]): string {
  const named = values.map((value) => `'${value}'`);
  return [named.slice(0, -1).join(', '), named.slice(-1).join()].filter((part) => part !== '').join(' or ');
}

/** Whether a pod tolerates a taint with an effect of `NoSchedule`. */
export const tolerates = (pod: PodView, taint: { readonly key: string; readonly value: string }): boolean =>
  list(pod.spec, 'tolerations')
    .filter(isRecord)
    .some((toleration) => {
      const { key, operator = 'Equal', value, effect } = toleration;
      if (effect !== undefined && effect !== '' && effect !== 'NoSchedule') return false;
      if (operator === 'Exists') return key === undefined || key === '' || key === taint.key;
      return key === taint.key && value === taint.value;
    });
