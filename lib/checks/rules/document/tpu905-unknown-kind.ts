import { isTpuPod } from '../../../manifest/slices';
import { defineRule } from '../../rule';

export const TPU905 = defineRule({
  code: 'TPU905',
  title: 'the kind of a TPU workload is known',
  severities: ['note'],
  kinds: ['pods'],
  check: function* ({ pods }) {
    const seen = new Set<unknown>();
    for (const pod of pods) {
      if (pod.runs !== 'Other' || !isTpuPod(pod) || seen.has(pod.object)) continue;
      seen.add(pod.object);
      yield {
        object: pod.object,
        path: 'kind',
        message: `kind '${pod.object.kind}' is not known here: its pods are checked, but not how many there are and how they find each other`,
        fix: 'check its hosts, replicas and probes yourself',
      };
    }
  },
});
