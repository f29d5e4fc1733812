import { capacityOf } from '../../../manifest/capacity';
import { HOSTNAME_LABEL, NODE_POOL_LABEL } from '../../../facts/labels';
import { count } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { groupsWithPlacement, misplaced, placementOf, slicesThatMix } from './common';
import { sliceOf } from '../../../manifest/slices';

export const TPU212 = defineRule({
  code: 'TPU212',
  title: 'each slice of several hosts has a node pool of its own',
  severities: ['error', 'warning'],
  kinds: ['pods'],
  check: function* (set) {
    for (const group of groupsWithPlacement(set)) {
      const { object, key } = group;
      const slices = slicesThatMix(group);
      const byHostname = group.pods.find(
        (pod) => (sliceOf(pod).hosts ?? 1) > 1 && placementOf(group, pod) === HOSTNAME_LABEL,
      );
      if (byHostname)
        yield {
          object,
          path: 'metadata.annotations',
          message: `${key} is '${HOSTNAME_LABEL}', which wants all pods of a slice on one host`,
          fix: `set it to ${NODE_POOL_LABEL}`,
        };
      else if (slices > 0 && misplaced(object, group.pods).length === 0)
        yield {
          object,
          path: 'metadata.annotations',
          message: `${count(slices, 'slice')} of several hosts ${slices > 1 ? 'have' : 'has'} no node pool of ${slices > 1 ? 'their' : 'its'} own, so that pods of several slices mix`,
          fix: `annotate the ${object.kind} with ${key}: ${NODE_POOL_LABEL}`,
          // Kueue may place them by its topologies, which only the cluster knows
          ...(group.pods.some((pod) => capacityOf(pod).queue !== undefined) && {
            severity: 'warning' as const,
          }),
        };
    }
  },
});
