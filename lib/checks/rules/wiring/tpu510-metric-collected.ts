import { autoscalersOf, labelsInWords, monitoredPods, podsOfObject } from '../../../manifest/selection';
import { defineRule } from '../../rule';
import { metricsOf, targetOf } from './common';

export const TPU510 = defineRule({
  code: 'TPU510',
  title: 'an autoscaler metric is collected from the pods that are scaled',
  severities: ['note'],
  kinds: ['pods', 'HorizontalPodAutoscaler'],
  check: function* (set) {
    const monitored = monitoredPods(set);
    for (const object of autoscalersOf(set)) {
      const target = targetOf(set, object);
      const pods = target ? podsOfObject(set, target) : [];
      const [first] = pods;
      if (!target || !first || pods.some((pod) => monitored.has(pod))) continue;
      for (const { path, kind, name } of metricsOf(object)) {
        if (kind !== 'pods' || name === undefined) continue;
        yield {
          object,
          path,
          message: `metric '${name}' is read from the pods of ${target.id}, and no PodMonitoring here collects from them`,
          fix: `add a PodMonitoring that selects '${labelsInWords(first.labels)}'`,
        };
      }
    }
  },
});
