import { RESERVATION_AFFINITY_LABEL, RESERVATION_NAME_LABEL } from '../../../facts/labels';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isTpuPod, selected, selectorPath } from '../../../manifest/slices';
import { wantsFlexStart } from '../../../manifest/capacity';

export const TPU118 = defineRule({
  code: 'TPU118',
  title: 'a TPU reservation is selected by name',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const value = selected(pod, RESERVATION_AFFINITY_LABEL);
    if (value !== 'any' || !isTpuPod(pod) || wantsFlexStart(pod)) return;
    yield {
      object: pod.object,
      path: selectorPath(pod, RESERVATION_AFFINITY_LABEL),
      message: `${RESERVATION_AFFINITY_LABEL} is 'any', which GKE does not support with TPUs`,
      fix: `set ${RESERVATION_AFFINITY_LABEL} to 'specific' and ${RESERVATION_NAME_LABEL} to the name of the reservation, or set ${RESERVATION_AFFINITY_LABEL} to 'none'`,
    };
  }),
});
