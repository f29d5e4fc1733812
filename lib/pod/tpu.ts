import { type TpuSlice } from '../tpu/slice';
import { type PodFragment } from './fragment';
import { TPU } from './template';

/** The node label with a TPU's generation. */
export const ACCELERATOR_LABEL = 'cloud.google.com/gke-tpu-accelerator';
/** The node label with a slice's shape. */
export const TOPOLOGY_LABEL = 'cloud.google.com/gke-tpu-topology';

/**
 * What a slice adds to each of its pods: the node selectors, and all chips of one host as request and limit.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpus
 */
export function tpuResources(slice: TpuSlice): PodFragment {
  const chips = { [TPU]: String(slice.chipsPerHost) };
  return {
    nodeSelector: { [ACCELERATOR_LABEL]: slice.accelerator, [TOPOLOGY_LABEL]: slice.topology },
    resources: { requests: chips, limits: chips },
  };
}
