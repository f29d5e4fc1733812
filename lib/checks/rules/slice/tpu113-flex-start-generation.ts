import { ACCELERATOR_LABEL } from '../../../facts/labels';
import { accelerators, generations } from './common';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { either, selectorPath, sliceOf, OLDER_ACCELERATORS } from '../../../manifest/slices';
import { wantsFlexStart } from '../../../manifest/capacity';

export const TPU113 = defineRule({
  code: 'TPU113',
  title: 'flex-start offers the generation that a pod selects',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const { accelerator } = sliceOf(pod);
    if (accelerator === undefined || !wantsFlexStart(pod)) return;
    const offered = generations.filter(({ flexStart }) => flexStart).map((facts) => facts.accelerator);
    const known = accelerators.some((one) => one === accelerator) || OLDER_ACCELERATORS.test(accelerator);
    if (!known || offered.some((one) => one === accelerator)) return;
    yield {
      object: pod.object,
      path: selectorPath(pod, ACCELERATOR_LABEL),
      message: `flex-start does not offer '${accelerator}'`,
      fix: `select ${either(offered)}, or remove the flex-start selectors`,
    };
  }),
});
