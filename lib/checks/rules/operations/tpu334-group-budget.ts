import { number, text } from '../../../manifest/manifest';
import { budgetsOf } from '../../../manifest/selection';
import { sliceOf } from '../../../manifest/slices';
import { defineRule } from '../../rule';

export const TPU334 = defineRule({
  code: 'TPU334',
  title: 'the PodDisruptionBudget of a group lets all hosts of a slice go',
  severities: ['note'],
  kinds: ['PodDisruptionBudget'],
  check: function* (set) {
    for (const { object, pods } of budgetsOf(set)) {
      const allowed = number(object.manifest, 'spec', 'maxUnavailable');
      // then pods that are not ready yet do not hold a drain up
      if (text(object.manifest, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') continue;
      const group = pods.find(
        (pod) => pod.runs === 'LeaderWorkerSet' && pod.role !== 'leader' && (sliceOf(pod).hosts ?? 1) > 1,
      );
      const { hosts = 1 } = group ? sliceOf(group) : {};
      if (!group || allowed === undefined || allowed < 1 || allowed >= hosts) continue;
      yield {
        object,
        path: 'spec.maxUnavailable',
        message: `maxUnavailable is ${String(allowed)}, and a group of ${group.object.id} has ${String(hosts)} hosts, so a drain of its slice stops after ${String(allowed)} until the group is ready elsewhere`,
        fix: `set maxUnavailable to ${String(hosts)}, or unhealthyPodEvictionPolicy to AlwaysAllow`,
      };
    }
  },
});
