import { records } from '../../../manifest/pods';
import { isTpuPod, specPath, tpuContainers } from '../../../manifest/slices';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';

export const TPU121 = defineRule({
  code: 'TPU121',
  title: 'the chips of a pod are requested where they can be checked',
  severities: ['note'],
  kinds: ['pods'],
  check: eachPod(function* (pod) {
    const [claim] = records(pod.spec, 'resourceClaims');
    if (!claim || !isTpuPod(pod) || tpuContainers(pod).length > 0) return;
    yield {
      object: pod.object,
      path: `${specPath(pod)}.resourceClaims`,
      message:
        'the pod gets its devices by Dynamic Resource Allocation, so its chips and hosts are not checked',
      fix: 'compare the claim with the topology yourself',
    };
  }),
});
