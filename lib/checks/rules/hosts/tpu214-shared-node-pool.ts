import { defineRule } from '../../rule';
import { groupsWithPlacement, placementOf, podsTogether } from './common';
import { sliceInWords, sliceOf, tpuContainers } from '../../../manifest/slices';

export const TPU214 = defineRule({
  code: 'TPU214',
  title: 'single-host slices share a node pool',
  severities: ['warning'],
  kinds: ['pods'],
  check: function* (set) {
    for (const group of groupsWithPlacement(set)) {
      const placed = group.pods.filter(
        (pod) => tpuContainers(pod).length > 0 && placementOf(group, pod) !== undefined,
      );
      const [first] = placed;
      if (!first || !placed.every((pod) => sliceOf(pod).hosts === 1 && podsTogether(pod) < 2)) continue;
      yield {
        object: group.object,
        path: 'metadata.annotations',
        message: `${group.key} gives each slice a separate node pool, but ${sliceInWords(sliceOf(first))}`,
        fix: 'remove the annotation: a pod that requests all chips of a host does not share the host',
      };
    }
  },
});
