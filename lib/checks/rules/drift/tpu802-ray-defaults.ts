import { defineRule } from '../../rule';
import { embedded, missingWorkerDefaults, useTpus } from './common';

export const TPU802 = defineRule({
  code: 'TPU802',
  title: 'a RayService sets the fields that its operator adds to worker groups',
  severities: ['warning'],
  kinds: ['pods'],
  nearTpus: true,
  check: function* (set) {
    for (const [object, pods] of embedded(set)) {
      if (object.kind !== 'RayService' || !useTpus(pods)) continue;
      const missing = missingWorkerDefaults(pods);
      const [first] = missing;
      if (first === undefined) continue;
      yield {
        object,
        path: first.path,
        message:
          'a second server-side apply conflicts with kuberay-operator, which adds the missing fields to the worker groups',
        fix: missing.map(({ path, lines }) => `in ${path}, set ${lines.join(', ')}`).join(', and '),
      };
    }
  },
});
