import { records } from '../../../manifest/pods';
import { text } from '../../../manifest/manifest';
import { tpuContainers } from '../../../manifest/slices';
import { defineRule } from '../../rule';
import { eachTpuPod } from '../each-pod';

/** Flags of libtpu: https://cloud.google.com/tpu/docs/tpu-performance-flags */
const LIBTPU = 'LIBTPU_INIT_ARGS';

export const TPU333 = defineRule({
  code: 'TPU333',
  title: 'the words of LIBTPU_INIT_ARGS are flags',
  severities: ['warning'],
  kinds: ['pods'],
  check: eachTpuPod(function* (pod) {
    for (const { container, name, path } of tpuContainers(pod))
      for (const variable of records(container, 'env')) {
        if (text(variable, 'name') !== LIBTPU) continue;
        const words = (text(variable, 'value') ?? '').split(/\s+/).filter((word) => word !== '');
        const wrong = words.filter((word) => !/^(--|\$|\\$)/.test(word));
        // a flag may have its value in the next word
        const bare = wrong.filter((word) => word.includes('='));
        if (bare.length === 0) continue;
        yield {
          object: pod.object,
          path: `${path}.env[${LIBTPU}].value`,
          message: `variable ${LIBTPU} of container '${name}' has ${bare.map((word) => `'${word.slice(0, 60)}'`).join(', ')} without '--', so libtpu does not read it as a flag`,
          fix: `write ${bare.map((word) => `'--${word.replace(/^-/, '').slice(0, 60)}'`).join(', ')}`,
        };
      }
  }),
});
