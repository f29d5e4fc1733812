import { number } from '../../../manifest/manifest';
import { scaledObject, scalersOf } from '../../../manifest/scalers';
import { defineRule } from '../../rule';

export const TPU512 = defineRule({
  code: 'TPU512',
  title: 'the target of an autoscaler has no fixed number of replicas',
  severities: ['warning'],
  kinds: ['any', 'HorizontalPodAutoscaler', 'ScaledObject'],
  nearTpus: true,
  check: function* (set) {
    for (const scaler of scalersOf(set)) {
      const target = scaledObject(set, scaler);
      const replicas = number(target?.manifest, 'spec', 'replicas');
      if (!target || replicas === undefined) continue;
      yield {
        object: target,
        path: 'spec.replicas',
        message: `replicas '${String(replicas)}' is fixed and ${scaler.object.id} scales it, so each apply undoes what the autoscaler did`,
        fix: 'leave replicas out',
      };
    }
  },
});
