import { defineRule } from '../../rule';
import { isOrdinary } from './common';
import { isTpuPod, specPath } from '../../../manifest/slices';

export const TPU705 = defineRule({
  code: 'TPU705',
  title: 'a pod does not use the host network',
  severities: ['warning', 'note'],
  kinds: ['pods'],
  nearTpus: true,
  check: function* ({ pods }) {
    for (const pod of pods.filter(isOrdinary))
      if (pod.spec['hostNetwork'] === true)
        yield {
          object: pod.object,
          path: `${specPath(pod)}.hostNetwork`,
          message: 'the pods use the host network, so each of their ports is a port of the node',
          fix: `remove hostNetwork${isTpuPod(pod) ? ' if the image works without it: the hosts of a slice can find each other by a headless Service' : ''}`,
          // guides for multi-slice training set both, for the speed of the network
          ...(pod.runs === 'Job' &&
            pod.spec['dnsPolicy'] === 'ClusterFirstWithHostNet' && { severity: 'note' as const }),
        };
  },
});
