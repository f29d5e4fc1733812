import { autoscalersOf } from '../../../manifest/selection';
import { defineRule } from '../../rule';
import { number } from '../../../manifest/manifest';
import { targetOf } from './common';

export const TPU512 = defineRule({
  code: 'TPU512',
  title: 'the target of an autoscaler has no fixed number of replicas',
  severities: ['warning'],
  kinds: ['any', 'HorizontalPodAutoscaler'],
  check: function* (set) {
    for (const object of autoscalersOf(set)) {
      const target = targetOf(set, object);
      const replicas = number(target?.manifest, 'spec', 'replicas');
      if (!target || replicas === undefined) continue;
      yield {
        object: target,
        path: 'spec.replicas',
        message: `replicas '${String(replicas)}' is fixed and ${object.id} scales it, so each apply undoes what the autoscaler did`,
        fix: 'leave replicas out',
      };
    }
  },
});
