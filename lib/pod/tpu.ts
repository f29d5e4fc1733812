import { partitionOf } from '../tpu/dynamic-slice';
import { sliceType, type TpuSlice } from '../tpu/slice';
import { type Capacity, capacityType } from './capacity';
import { type PodFragment, type ResourceRequirements } from './fragment';
import {
  ACCELERATOR_LABEL,
  HEALTHY_PARTITION,
  partitionStateLabel,
  SKIP_TPU_WEBHOOK_ANNOTATION,
  SLICE_TOPOLOGY_ANNOTATION,
  TOPOLOGY_LABEL,
  TPU_RESOURCE,
} from '../facts/labels';
import { isRuntimePort, TPU_MESH_CONTROLLER_PORT, TPU_METRICS_PORT, TPU_VM_PORT } from '../facts/ports';
import { Problems } from '../problems/problems';
import { port, type Type } from '../problems/schema';

/**
 * Fields of a pod that follow from its slice. Only `override()` can change them.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpus
 */
export const SLICE_FACTS: readonly (readonly string[])[] = [
  ['nodeSelector', ACCELERATOR_LABEL],
  ['nodeSelector', TOPOLOGY_LABEL],
  ['resources', 'requests', TPU_RESOURCE],
  ['resources', 'limits', TPU_RESOURCE],
];

/** Returns the node labels of a slice. */
export const sliceLabels = (slice: TpuSlice): Record<string, string> => ({
  [ACCELERATOR_LABEL]: slice.accelerator,
  [TOPOLOGY_LABEL]: slice.topology,
});

/** The toleration of the taint of TPU nodes, which GKE adds to pods that request chips. */
export const TPU_TOLERATION = {
  key: TPU_RESOURCE,
  operator: 'Equal',
  value: 'present',
  effect: 'NoSchedule',
} as const;

/** Returns the node selectors and annotations that assign a slice to pods. */
function placement(
  slice: TpuSlice,
  capacity: Capacity | undefined,
): Omit<ReturnType<typeof tpuResources>, 'resources'> {
  switch (capacity?.type) {
    case 'compute-class':
      return {};
    case 'dynamic-slice':
      return {
        annotations: {
          [SLICE_TOPOLOGY_ANNOTATION]: slice.topology,
          // The nodes of a dynamic slice have no label with its topology.
          [SKIP_TPU_WEBHOOK_ANNOTATION]: 'true',
        },
        nodeSelector: {
          [ACCELERATOR_LABEL]: slice.accelerator,
          [partitionStateLabel(partitionOf(slice.topology))]: HEALTHY_PARTITION,
        },
      };
    default:
      return { nodeSelector: sliceLabels(slice) };
  }
}

/**
 * Returns the fields of a pod that follow from its slice: the node selectors, and the chips of one host as request and limit.
 *
 * @param capacity - how the slice is bought: a ComputeClass selects the nodes itself, and an annotation names a dynamic slice
 * @param elsewhere - chips that other containers of the pod request
 * @throws InvalidInputError if an argument has another type
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpus
 */
export function tpuResources(
  slice: TpuSlice,
  capacity?: Capacity,
  elsewhere = 0,
): {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly resources: ResourceRequirements;
} {
  const problems = new Problems();
  sliceType.read(slice, 'slice', problems);
  if (capacity !== undefined) capacityType.read(capacity, 'capacity', problems);
  problems.throwIfAny();
  const chips = { [TPU_RESOURCE]: String(slice.chipsPerHost - elsewhere) };
  return { ...placement(slice, capacity), resources: { requests: chips, limits: chips } };
}

/**
 * Returns the port of the TPU runtime's metrics, which GKE collects: duty cycle, memory, use of the TensorCores. JAX exports them since
 * 0.4.14. Not for pods with hostNetwork, which use the ports of the node.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpus
 * @see https://github.com/google/skills (gke-tpu-metrics-monitoring)
 */
export const tpuMetricsPort = (): PodFragment => ({
  container: { ports: [{ containerPort: TPU_METRICS_PORT, protocol: 'TCP' }] },
});

/** Returns the ports that the TPU runtimes of a multi-host slice use to communicate. */
export const slicePorts = (): PodFragment => ({
  container: {
    ports: [TPU_VM_PORT, TPU_MESH_CONTROLLER_PORT].map((containerPort) => ({
      containerPort,
      protocol: 'TCP',
    })),
  },
});

/** Ports that a server on a TPU host can listen on; `taken` are the ports of other containers. */
export const serverPort = (...taken: readonly number[]): Type<number> => ({
  what: 'a port',
  read: (value, path, problems) => {
    const number = port().read(value, path, problems);
    if (number === undefined) return undefined;
    const isFree = (one: number): boolean => !isRuntimePort(one) && !taken.includes(one);
    if (isFree(number)) return number;
    let nearest = number;
    while (!isFree(nearest)) nearest++;
    problems.add({
      path,
      value: number,
      problem: isRuntimePort(number) ? 'is a port of the TPU runtime' : 'is a port of another container',
      use: 'another port',
      nearest,
    });
    return undefined;
  },
});
