import { TPU_RESOURCE } from '../../../facts/labels';
import { chipsOfContainer } from '../../../manifest/slices';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { shown } from '../../../problems/shown';

export const TPU105 = defineRule({
  code: 'TPU105',
  title: 'a container requests whole TPU chips',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* ({ object, tpu }) {
    for (const one of tpu)
      if (chipsOfContainer(one) === undefined)
        yield {
          object,
          path: `${one.path}.resources`,
          message: `container '${one.name}' requests ${shown(one.chips)} ${TPU_RESOURCE}, which is not a whole number of chips`,
          fix: `set ${TPU_RESOURCE} to the number of chips of one host, like '1', '4' or '8'`,
        };
  }),
});
