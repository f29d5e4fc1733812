import { TPU_RESOURCE } from '../../../facts/labels';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isUneven, resourcesOf } from './common';

export const TPU103 = defineRule({
  code: 'TPU103',
  title: 'the TPU request and limit of a container are equal',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* ({ object, tpu }) {
    for (const { container, name, path } of tpu) {
      const { requested, limit } = resourcesOf(container);
      if (isUneven(container))
        yield {
          object,
          path: `${path}.resources`,
          message: `container '${name}' requests '${requested ?? ''}' ${TPU_RESOURCE} with limit '${limit ?? 'none'}', and the API server refuses unequal values`,
          fix: `set both to '${limit ?? requested ?? ''}', the number of chips of the host`,
        };
    }
  }),
});
