import { isTpuPod } from '../../../manifest/slices';
import { defineRule } from '../../rule';

export const TPU905 = defineRule({
  code: 'TPU905',
  title: 'the checks know the kind of a TPU workload',
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
        message: `the checks do not know kind '${pod.object.kind}', so they check its pods, but not how many pods it has and how the pods find each other`,
        fix: 'check its hosts, replicas and probes yourself',
      };
    }
  },
});
