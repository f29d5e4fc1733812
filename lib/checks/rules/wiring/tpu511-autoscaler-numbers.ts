import { SOURCES } from './common';
import { amount, number } from '../../../manifest/manifest';
import { autoscalersOf } from '../../../manifest/selection';
import { defineRule } from '../../rule';
import { quantityOf } from '../../../problems/grammar';
import { shown } from '../../../problems/shown';
import { records } from '../../../manifest/pods';

export const TPU511 = defineRule({
  code: 'TPU511',
  title: 'the numbers of an autoscaler leave it something to do',
  severities: ['error'],
  kinds: ['HorizontalPodAutoscaler'],
  check: function* (set) {
    for (const object of autoscalersOf(set)) {
      const min = number(object.manifest, 'spec', 'minReplicas') ?? 1;
      const max = number(object.manifest, 'spec', 'maxReplicas');
      if (max !== undefined && (max < min || max < 1))
        yield {
          object,
          path: 'spec.maxReplicas',
          message: `maxReplicas '${String(max)}' is below ${max < 1 ? '1' : `minReplicas '${String(min)}'`}, which the API server refuses`,
          fix: `set maxReplicas: ${String(Math.max(min, 1))} or more`,
        };
      for (const [index, metric] of records(object.manifest, 'spec', 'metrics').entries())
        for (const source of SOURCES)
          for (const key of ['averageValue', 'value', 'averageUtilization'] as const) {
            const value = amount(metric, source, 'target', key);
            if (value === undefined || !(Number(value) <= 0 || quantityOf(value) <= 0)) continue;
            yield {
              object,
              path: `spec.metrics[${String(index)}].${source}.target.${key}`,
              message: `${key} ${shown(value)} is not above 0, which the API server refuses`,
              fix: `set the ${key} to aim at, like 10 requests that wait`,
            };
          }
    }
  },
});
