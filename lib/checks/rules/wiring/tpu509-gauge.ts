import { SERVER_GAUGES } from '../../../facts/metrics';
import { autoscalersOf } from '../../../manifest/selection';
import { defineRule } from '../../rule';
import { metricsOf, PROMETHEUS, TYPES } from './common';

export const TPU509 = defineRule({
  code: 'TPU509',
  title: 'an autoscaler reads gauges',
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
            ? `metric '${name}' is a gauge, so the autoscaler does not find it with type '${type}'`
            : `the autoscaler reads metric '${name}' as a ${type}, but only gauges can be averaged over replicas`,
          fix: `use '${PROMETHEUS}|${known ? name : 'NAME'}|gauge'${known ? '' : ' with the name of a gauge'}`,
          ...(!known && { severity: 'warning' as const }),
        };
      }
  },
});
