import { number } from '../../../manifest/manifest';
import { poolsIn } from '../../../manifest/inference';
import { type PodView } from '../../../manifest/pods';
import { defineRule } from '../../rule';

/** Kubernetes' own default. */
const graceOf = ({ spec }: PodView): number => number(spec, 'terminationGracePeriodSeconds') ?? 30;

/** https://github.com/llm-d/llm-d-router/tree/v0.10.0/config/charts (the Deployment of the picker) */
export const TPU567 = defineRule({
  code: 'TPU567',
  title: 'an endpoint picker stops no sooner than the servers of its pool',
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
            message: `the picker has ${String(graceOf(pod))} seconds to stop, and servers of its pool have ${String(longest)}`,
            fix: `write ${String(longest)}`,
          };
    }
  },
});
