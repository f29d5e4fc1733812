import { SERVER_GAUGES } from '../../../facts/metrics';
import { autoscalersOf } from '../../../manifest/selection';
import { defineRule } from '../../rule';
import { metricsOf, PROMETHEUS, TYPES } from './common';

export const TPU509 = defineRule({
  code: 'TPU509',
  title: 'an autoscaler metric is a gauge',
  severities: ['error', 'warning'],
  kinds: ['HorizontalPodAutoscaler'],
  local: true,
  check: function* (set) {
    for (const object of autoscalersOf(set))
      for (const { path, name, type } of metricsOf(object)) {
        if (name === undefined || type === undefined || type === 'gauge' || !TYPES.includes(type)) continue;
        const known = SERVER_GAUGES.has(name);
        yield {
          object,
          path,
          message: known
            ? `metric '${name}' is a gauge, and no metric is found under the type '${type}'`
            : `metric '${name}' is read as a ${type}, and only what rises and falls can be averaged over replicas`,
          fix: `write '${PROMETHEUS}|${known ? name : 'NAME'}|gauge'${known ? '' : ' of a metric that is one'}`,
          ...(!known && { severity: 'warning' as const }),
        };
      }
  },
});
