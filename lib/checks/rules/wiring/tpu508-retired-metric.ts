import { RETIRED_METRICS } from '../../../facts/metrics';
import { scalersOf } from '../../../manifest/scalers';
import { defineRule } from '../../rule';
import { metricsRead } from './common';
import { shown } from '../../../problems/shown';

export const TPU508 = defineRule({
  code: 'TPU508',
  title: 'servers export the metric that an autoscaler reads',
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
          message: `current releases of the server do not export metric '${retired}'`,
          fix: `use ${shown(written.replace(retired, successor))}`,
        };
      }
  },
});
