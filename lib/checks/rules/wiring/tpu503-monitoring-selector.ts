import { defineRule } from '../../rule';
import { monitoringsOf, takenBy } from '../../../manifest/selection';
import { selectsAddedLabels, unselected } from './common';

export const TPU503 = defineRule({
  code: 'TPU503',
  title: 'the selector of a PodMonitoring selects pods',
  severities: ['error', 'note'],
  kinds: ['pods', 'ClusterPodMonitoring', 'PodMonitoring'],
  check: function* (set) {
    const monitorings = monitoringsOf(set);
    const taken = takenBy(monitorings);
    for (const monitoring of monitorings)
      if (monitoring.all.length === 0 && !selectsAddedLabels(monitoring))
        yield unselected(set, monitoring, taken, 'spec.selector', monitoring.object.kind);
  },
});
