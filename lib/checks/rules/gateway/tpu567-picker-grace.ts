import { number } from '../../../manifest/manifest';
import { poolsIn } from '../../../manifest/inference';
import { type PodView } from '../../../manifest/pods';
import { defineRule } from '../../rule';

/** Grace period of a pod, in seconds. */
const graceOf = ({ spec }: PodView): number => number(spec, 'terminationGracePeriodSeconds') ?? 30;

/** https://github.com/llm-d/llm-d-router/tree/v0.10.0/config/charts (the Deployment of the picker) */
export const TPU567 = defineRule({
  code: 'TPU567',
  title: 'the grace period of an endpoint picker is at least that of its servers',
  severities: ['note'],
  kinds: ['pods'],
  check: function* (set) {
    for (const { pods, pickerPods } of poolsIn(set)) {
      const longest = Math.max(0, ...pods.map(graceOf));
      for (const pod of pickerPods)
        if (graceOf(pod) < longest)
          yield {
            object: pod.object,
            path: `${pod.specPath}.terminationGracePeriodSeconds`,
            message: `the endpoint picker has ${String(graceOf(pod))} seconds to stop, but the servers of its pool have ${String(longest)}`,
            fix: `set ${String(longest)}`,
          };
    }
  },
});
