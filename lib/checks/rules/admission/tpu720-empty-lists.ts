import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';

export const TPU720 = defineRule({
  code: 'TPU720',
  title: 'command and args have values',
  severities: ['warning'],
  kinds: ['pods'],
  check: eachPod(function* (pod) {
    for (const { container, name, path } of pod.containers)
      for (const key of ['command', 'args'] as const) {
        if (!(key in container) || container[key] !== null) continue;
        yield {
          object: pod.object,
          path: `${path}.${key}`,
          message: `${key} of container '${name}' has no value, so the container starts as if ${key} were missing`,
          fix: `add the words of ${key}, or remove ${key}`,
        };
      }
  }),
});
