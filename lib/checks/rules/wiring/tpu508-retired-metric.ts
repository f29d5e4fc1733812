import { RETIRED_METRICS } from '../../../facts/metrics';
import { scalersOf } from '../../../manifest/scalers';
import { defineRule } from '../../rule';
import { metricsRead } from './common';
import { shown } from '../../../problems/shown';

export const TPU508 = defineRule({
  code: 'TPU508',
  title: 'an autoscaler metric is one that servers still export',
  severities: ['error'],
  kinds: ['HorizontalPodAutoscaler', 'ScaledObject'],
  check: function* (set) {
    for (const { object } of scalersOf(set))
      for (const { path, written, name: retired } of metricsRead(object)) {
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
