import { ACCELERATOR_COUNT_LABEL, TPU_RESOURCE } from '../../../facts/labels';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { shown } from '../../../problems/shown';
import { selected, selectorPath, sliceOf } from '../../../manifest/slices';

export const TPU111 = defineRule({
  code: 'TPU111',
  title: 'the selected accelerator count equals the requested chips',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const wanted = selected(pod, ACCELERATOR_COUNT_LABEL);
    const { chips } = sliceOf(pod);
    if (wanted === undefined || chips === undefined || wanted === String(chips)) return;
    yield {
      object: pod.object,
      path: selectorPath(pod, ACCELERATOR_COUNT_LABEL),
      message: `${ACCELERATOR_COUNT_LABEL} is ${shown(wanted)}, but the pod requests '${String(chips)}' ${TPU_RESOURCE}, which is all chips of a host`,
      fix: `set ${ACCELERATOR_COUNT_LABEL} to '${String(chips)}', or remove it`,
    };
  }),
});
