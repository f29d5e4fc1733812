import { type TpuSlice } from '../tpu/slice';
import { type Capacity } from './capacity';
import { type PodFragment, type ResourceRequirements } from './fragment';
import { port } from '../problems/validators';
import { TPU } from './template-rules';

/** The node label with a TPU's generation. */
const ACCELERATOR_LABEL = 'cloud.google.com/gke-tpu-accelerator';
/** The node label with a slice's shape. */
/** A slice of several hosts is one node pool: https://cloud.google.com/kubernetes-engine/docs/how-to/tpus */
export const NODE_POOL_LABEL = 'cloud.google.com/gke-nodepool';
const TOPOLOGY_LABEL = 'cloud.google.com/gke-tpu-topology';

/** The node labels of a slice. */
export const sliceLabels = (slice: TpuSlice): Record<string, string> => ({
  [ACCELERATOR_LABEL]: slice.accelerator,
  [TOPOLOGY_LABEL]: slice.topology,
});

/** The toleration of TPU nodes' taint; GKE adds it to pods with chips by itself. */
export const TPU_TOLERATION = {
  key: TPU,
  operator: 'Equal',
  value: 'present',
  effect: 'NoSchedule',
} as const;

/**
 * What a slice adds to each of its pods: the node selectors, and all chips of one host as request and limit.
 *
 * @param capacity - how it is bought; a ComputeClass selects the nodes by itself, and GKE refuses selectors beside it
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpus
 */
export function tpuResources(
  slice: TpuSlice,
  capacity?: Capacity,
): { readonly nodeSelector?: Readonly<Record<string, string>>; readonly resources: ResourceRequirements } {
  const chips = { [TPU]: String(slice.chipsPerHost) };
  return {
    ...(capacity?.type !== 'compute-class' && { nodeSelector: sliceLabels(slice) }),
    resources: { requests: chips, limits: chips },
  };
}

/** Port that the hosts of a slice talk to each other through. */
export const TPU_VM_PORT = 8471;
/** Port that the TPU runtime exports its metrics on, where it does. */
export const TPU_METRICS_PORT = 8431;

/**
 * The port by which GKE finds the metrics of the TPU runtime and collects them itself: duty cycle, memory, use of the TensorCores. JAX
 * exports them from 0.4.14 on. Not for a pod on its node's network, where a declared port is the node's.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpus
 * @see https://github.com/google/skills (gke-tpu-metrics-monitoring)
 */
export const tpuMetricsPort = (): PodFragment => ({
  container: { ports: [{ containerPort: TPU_METRICS_PORT, protocol: 'TCP' }] },
});

/** What is wrong with the port of a server beside a TPU; undefined where nothing is. */
export const serverPortProblem = (prop: string, value: number): string | undefined =>
  value === TPU_METRICS_PORT
    ? `${prop} '${String(value)}' is taken by the metrics of the TPU runtime, expected another; nearest: ${String(value + 1)}`
    : port(prop, value);
