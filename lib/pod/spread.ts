import { NODE_POOL_LABEL } from '../facts/labels';
import { type PodFragment } from './fragment';

/**
 * Spreads replicas over several node pools, because one of them can be drained or out of capacity. Not for multi-host slices, because
 * each of them is a node pool.
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
