import { capacityOf } from '../../../manifest/capacity';
import {
  COMPUTE_CLASS_LABEL,
  FLEX_START_LABEL,
  NODE_POOL_LABEL,
  PROVISIONING_LABEL,
} from '../../../facts/labels';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isTpuPod, selected, specPath } from '../../../manifest/slices';
import { text } from '../../../manifest/manifest';
import { tolerationsOf } from './common';

export const TPU115 = defineRule({
  code: 'TPU115',
  title: 'a pod that tolerates flex-start nodes selects them',
  severities: ['error', 'warning'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const [toleration] = tolerationsOf(pod, FLEX_START_LABEL);
    if (!isTpuPod(pod) || toleration === undefined) return;
    // Kueue adds the node selectors of the ResourceFlavor that admits the pod
    if (capacityOf(pod).queue !== undefined) return;
    if (
      [FLEX_START_LABEL, PROVISIONING_LABEL, COMPUTE_CLASS_LABEL, NODE_POOL_LABEL].some(
        (label) => selected(pod, label) !== undefined,
      )
    )
      return;
    const refused = text(toleration, 'value') === 'true';
    yield {
      object: pod.object,
      path: `${specPath(pod)}.tolerations`,
      message: `the pod tolerates ${FLEX_START_LABEL} without selecting it, ${refused ? "and GKE's autoscaler refuses that" : 'so it runs on other nodes'}`,
      fix: `set nodeSelector ${FLEX_START_LABEL}: 'true', or remove the toleration`,
      severity: refused ? 'error' : 'warning',
    };
  }),
});
