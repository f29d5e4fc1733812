import { defineRule } from '../../rule';
import { type Default, embedded, linesOf } from './common';

export const TPU802 = defineRule({
  code: 'TPU802',
  title: 'a RayService spells out what its operator adds to each worker group',
  severities: ['warning'],
  kinds: ['pods'],
  nearTpus: true,
  check: function* (set) {
    for (const [object, pods] of embedded(set)) {
      if (object.kind !== 'RayService') continue;
      const missing = pods
        .filter(({ runs }) => runs === 'RayWorkers')
        .map(({ owner, ownerPath }) => ({ path: ownerPath, lines: linesOf(owner, WORKER_DEFAULTS) }))
        .filter(({ lines }) => lines.length > 0);
      const [first] = missing;
      if (first === undefined) continue;
      yield {
        object,
        path: first.path,
        message:
          'a second server-side apply conflicts with kuberay-operator, which rewrites the worker groups with what is not written',
        fix: missing.map(({ path, lines }) => `in ${path} write ${lines.join(', ')}`).join('; '),
      };
    }
  },
});

const WORKER_DEFAULTS: readonly Default[] = [
  { keys: ['scaleStrategy'], value: '{}' },
  { keys: ['template', 'metadata'], value: '{}' },
];
