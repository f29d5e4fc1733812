import { FLEX_START_LABEL } from '../../../facts/labels';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isTpuPod, selected, selectorPath } from '../../../manifest/slices';
import { shown } from '../../../problems/shown';

export const TPU114 = defineRule({
  code: 'TPU114',
  title: "the flex-start selector is 'true'",
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    // TPU711 reports a value that is not a string
    const value = selected(pod, FLEX_START_LABEL);
    if (value === undefined || value === 'true' || !isTpuPod(pod)) return;
    yield {
      object: pod.object,
      path: selectorPath(pod, FLEX_START_LABEL),
      message: `${FLEX_START_LABEL} is ${shown(value)}, and no node has that value`,
      fix: `set ${FLEX_START_LABEL} to 'true', or remove it`,
    };
  }),
});
