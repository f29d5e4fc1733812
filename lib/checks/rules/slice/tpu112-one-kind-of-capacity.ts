import {
  FLEX_START_LABEL,
  PROVISIONING_LABEL,
  RESERVATION_AFFINITY_LABEL,
  RESERVATION_LABELS,
} from '../../../facts/labels';
import { SPOT, wantsFlexStart } from '../../../manifest/capacity';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isTpuPod, selected, specPath } from '../../../manifest/slices';
import { tolerationsOf } from './common';
import { type PodView } from '../../../manifest/pods';

export const TPU112 = defineRule({
  code: 'TPU112',
  title: 'flex-start is not combined with other capacity',
  severities: ['error', 'note'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    if (!isTpuPod(pod) || !wantsFlexStart(pod)) return;
    const others = otherCapacity(pod);
    if (others.length > 0)
      yield {
        object: pod.object,
        path: `${specPath(pod)}.nodeSelector`,
        message: `the pod selects flex-start nodes and also ${others.join(' and ')}, which flex-start nodes do not have`,
        fix: `remove ${others.map((other) => other.split(':')[0] ?? '').join(' and ')}, or ${FLEX_START_LABEL}`,
      };
    else if (SPOT.some((key) => tolerationsOf(pod, key).length > 0))
      yield {
        object: pod.object,
        path: `${specPath(pod)}.tolerations`,
        message: 'the pod tolerates the taint of spot nodes, but flex-start nodes are never spot',
        fix: 'remove the toleration',
        severity: 'note',
      };
  }),
});

/** Selectors of capacity that is not flex-start. */
function otherCapacity(pod: PodView): readonly string[] {
  const provisioning = selected(pod, PROVISIONING_LABEL) ?? 'flex-start';
  const affinity = selected(pod, RESERVATION_AFFINITY_LABEL) ?? 'none';
  return [
    ...[...SPOT, ...RESERVATION_LABELS].filter((label) => selected(pod, label) !== undefined),
    ...(provisioning === 'flex-start' ? [] : [`${PROVISIONING_LABEL}: ${provisioning}`]),
    ...(affinity === 'none' ? [] : [`${RESERVATION_AFFINITY_LABEL}: ${affinity}`]),
  ];
}
