import { defineRule } from '../../rule';
import { isOrdinary } from './common';
import { isTpuPod, specPath } from '../../../manifest/slices';

export const TPU705 = defineRule({
  code: 'TPU705',
  title: 'a pod has a network of its own',
  severities: ['warning', 'note'],
  kinds: ['pods'],
  nearTpus: true,
  check: function* ({ pods }) {
    for (const pod of pods.filter(isOrdinary))
      if (pod.spec['hostNetwork'] === true)
        yield {
          object: pod.object,
          path: `${specPath(pod)}.hostNetwork`,
          message: `the pods use the network of their node, so each of their ports is one of the node's`,
          fix: `remove hostNetwork${isTpuPod(pod) ? ' where the image runs without; the hosts of a slice can find each other by a headless Service' : ''}`,
          // guides for several slices ask for both, for the speed of the network
          ...(pod.runs === 'Job' &&
            pod.spec['dnsPolicy'] === 'ClusterFirstWithHostNet' && { severity: 'note' as const }),
        };
  },
});
