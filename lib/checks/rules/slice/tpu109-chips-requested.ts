import { ACCELERATOR_LABEL, TOPOLOGY_LABEL, TPU_RESOURCE } from '../../../facts/labels';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { either, sliceOf, specPath, tolerates, tpuContainers } from '../../../manifest/slices';
import { list, text } from '../../../manifest/manifest';
import { sizesOf } from './common';

export const TPU109 = defineRule({
  code: 'TPU109',
  title: 'a pod that selects TPU nodes requests TPU chips',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const labels = [ACCELERATOR_LABEL, TOPOLOGY_LABEL].filter(
      (label) => text(pod.nodeSelector, label) !== undefined,
    );
    if (labels.length === 0 || tpuContainers(pod).length > 0 || pod.containers.length === 0) return;
    if (
      list(pod.spec, 'resourceClaims').length > 0 ||
      tolerates(pod, { key: TPU_RESOURCE, value: 'present' })
    )
      return;
    const { fitting } = sliceOf(pod);
    const sizes = fitting.length > 0 ? sizesOf(fitting) : [1, 4, 8];
    yield {
      object: pod.object,
      path: `${specPath(pod)}.nodeSelector`,
      message: `the pod selects ${labels.join(' and ')}, but no container requests ${TPU_RESOURCE}, so the taint of TPU nodes keeps the pod off them`,
      fix: `set ${TPU_RESOURCE} to ${either(sizes.map(String))} in the container that uses the chips, or remove the selectors`,
    };
  }),
});
