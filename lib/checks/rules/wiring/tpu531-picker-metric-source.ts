import { pickersIn } from '../../../manifest/inference';
import { scaledObject, scalersOf } from '../../../manifest/scalers';
import { podsOfObject } from '../../../manifest/selection';
import { defineRule } from '../../rule';
import { isOfPicker, metricsRead } from './common';

/** https://github.com/llm-d/llm-d/blob/1b624fae6b32c05906c47030bf4739914fb3109f/guides/workload-autoscaling/README.hpa-epp.md */
export const TPU531 = defineRule({
  code: 'TPU531',
  title: 'an autoscaler reads the metrics of the endpoint picker as External metrics',
  severities: ['error', 'warning'],
  kinds: ['HorizontalPodAutoscaler'],
  check: function* (set) {
    for (const scaler of scalersOf(set)) {
      const read = metricsRead(scaler.object).filter(({ kind, name }) => kind === 'pods' && isOfPicker(name));
      if (read.length === 0) continue;
      const target = scaledObject(set, scaler);
      const pods = target ? podsOfObject(set, target) : [];
      if (pickersIn(set).some(({ pod }) => pods.includes(pod))) continue;
      for (const { path, name } of read)
        yield {
          object: scaler.object,
          path,
          message: `the endpoint picker exports '${name}', but Pods metrics come from the pods that are scaled`,
          fix: 'read the metric as an External metric with a selector for the picker, like resource.labels.job',
          ...(pods.length === 0 && { severity: 'warning' as const }),
        };
    }
  },
});
