import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';

export const TPU720 = defineRule({
  code: 'TPU720',
  title: 'command and args that are written have words',
  severities: ['warning'],
  kinds: ['pods'],
  check: eachPod(function* (pod) {
    for (const { container, name, path } of pod.containers)
      for (const key of ['command', 'args'] as const) {
        if (!(key in container) || container[key] !== null) continue;
        yield {
          object: pod.object,
          path: `${path}.${key}`,
          message: `${key} of container '${name}' is written without a value, so the container starts as if it were left out`,
          fix: `write the words of ${key}, or remove it`,
        };
      }
  }),
});
