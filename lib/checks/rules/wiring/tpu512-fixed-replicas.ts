import { number } from '../../../manifest/manifest';
import { scaledObject, scalersOf } from '../../../manifest/scalers';
import { defineRule } from '../../rule';

export const TPU512 = defineRule({
  code: 'TPU512',
  title: 'the target of an autoscaler does not set replicas',
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
        message: `replicas is fixed at '${String(replicas)}', but ${scaler.object.id} scales the object, so every apply resets the number of replicas`,
        fix: 'remove replicas',
      };
    }
  },
});
