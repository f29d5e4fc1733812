import { PICKER_GAUGES } from '../../../facts/metrics';
import { isRecord, list } from '../../../manifest/manifest';
import { configurationOf, pickersIn } from '../../../manifest/inference';
import { scalersOf } from '../../../manifest/scalers';
import { defineRule } from '../../rule';
import { metricsRead } from './common';

/** https://github.com/llm-d/llm-d-router/blob/v0.10.0/docs/metrics.md */
export const TPU536 = defineRule({
  code: 'TPU536',
  title: 'an autoscaler reads the queue of the endpoint picker only with flow control',
  severities: ['warning'],
  kinds: ['HorizontalPodAutoscaler', 'ScaledObject'],
  check: function* (set) {
    const configs = pickersIn(set).flatMap((picker) => {
      const config = configurationOf(set, picker)?.config;
      return isRecord(config) ? [config] : [];
    });
    if (
      configs.length === 0 ||
      configs.some((config) => list(config, 'featureGates').includes('flowControl'))
    )
      return;
    for (const { object } of scalersOf(set))
      for (const { path, name } of metricsRead(object))
        if (PICKER_GAUGES.get(name)?.flowControl === true)
          yield {
            object,
            path,
            message: `the endpoint picker exports '${name}' only with flow control, which its configuration does not enable`,
            fix: 'add featureGates: [flowControl] to the configuration of the endpoint picker',
          };
  },
});
