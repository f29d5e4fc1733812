import { type PodFragment } from './fragment';
import { NODE_POOL_LABEL } from './tpu';

/**
 * Spreads replicas over node pools where there are several: one of them may be drained or out of capacity. Not for a slice of several
 * hosts, which is one node pool.
 *
 * @param selector - labels of the replicas' pods
 */
export const overNodePools = (selector: Record<string, string>): PodFragment => ({
  pod: {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: NODE_POOL_LABEL,
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: selector },
      },
    ],
  },
});
