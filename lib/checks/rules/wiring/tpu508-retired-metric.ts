import { RETIRED_METRICS } from '../../../facts/metrics';
import { autoscalersOf } from '../../../manifest/selection';
import { defineRule } from '../../rule';
import { metricsOf } from './common';
import { shown } from '../../../problems/shown';

export const TPU508 = defineRule({
  code: 'TPU508',
  title: 'an autoscaler metric is one that servers still export',
  severities: ['error'],
  kinds: ['HorizontalPodAutoscaler'],
  check: function* (set) {
    for (const object of autoscalersOf(set))
      for (const { path, written, name } of metricsOf(object)) {
        const retired = name ?? written;
        const successor = RETIRED_METRICS.get(retired);
        if (successor === undefined) continue;
        yield {
          object,
          path,
          message: `metric '${retired}' is not exported by current releases`,
          fix: `write ${shown(written.replace(retired, successor))}`,
        };
      }
  },
});
