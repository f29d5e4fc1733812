import { DEPRECATED_PICKER_METRICS } from '../../../facts/metrics';
import { isOfLlmD, pickersIn } from '../../../manifest/inference';
import { scalersOf } from '../../../manifest/scalers';
import { shown } from '../../../problems/shown';
import { defineRule } from '../../rule';
import { metricsRead } from './common';

/** https://github.com/llm-d/llm-d-router/blob/v0.10.0/docs/metrics.md */
export const TPU532 = defineRule({
  code: 'TPU532',
  title: 'an autoscaler reads the metrics of the endpoint picker by their current names',
  severities: ['warning', 'note'],
  kinds: ['HorizontalPodAutoscaler', 'ScaledObject'],
  check: function* (set) {
    const pickers = pickersIn(set);
    // the endpoint picker of the Gateway API Inference Extension has only the former names
    if (pickers.length > 0 && !pickers.every(isOfLlmD)) return;
    for (const { object } of scalersOf(set))
      for (const { path, name, written } of metricsRead(object)) {
        const successor = DEPRECATED_PICKER_METRICS.get(name);
        if (successor === undefined) continue;
        yield {
          object,
          path,
          message: `the endpoint picker of llm-d deprecates metric '${name}'`,
          fix: `use ${shown(written.replace(name, successor))}${pickers.length > 0 ? '' : ', if the endpoint picker is llm-d v0.10.0 or later'}`,
          ...(pickers.length === 0 && { severity: 'note' as const }),
        };
      }
  },
});
