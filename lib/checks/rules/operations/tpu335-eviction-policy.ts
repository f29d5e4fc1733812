import { at, record, text } from '../../../manifest/manifest';
import { ofGroup, selects } from '../../../manifest/selection';
import { defineRule } from '../../rule';
import { isServer } from './common';

export const TPU335 = defineRule({
  code: 'TPU335',
  title: 'a PodDisruptionBudget does not block drains while TPU servers start',
  severities: ['warning'],
  kinds: ['PodDisruptionBudget'],
  check: function* (set) {
    for (const object of ofGroup(set, 'PodDisruptionBudget', 'policy')) {
      const spec = record(object.manifest, 'spec');
      if (at(spec, 'selector') === undefined || text(spec, 'unhealthyPodEvictionPolicy') === 'AlwaysAllow')
        continue;
      const pod = set.pods.find(
        (one) =>
          one.object.namespace === object.namespace &&
          isServer(one) &&
          selects(record(spec, 'selector'), one),
      );
      if (!pod) continue;
      yield {
        object,
        path: 'spec.unhealthyPodEvictionPolicy',
        message: `the budget also protects pods of ${pod.object.id} that are not ready, so it can block the drain of a node while a replica starts, or if a replica never becomes ready`,
        fix: 'set unhealthyPodEvictionPolicy: AlwaysAllow',
      };
    }
  },
});
