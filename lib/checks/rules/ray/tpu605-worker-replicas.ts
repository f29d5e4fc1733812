import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { number } from '../../../manifest/manifest';

export const TPU605 = defineRule({
  code: 'TPU605',
  title: 'the replicas of a worker group are within its limits',
  severities: ['error', 'warning'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* ({ object, runs, owner, ownerPath }) {
    if (runs !== 'RayWorkers') return;
    const min = number(owner, 'minReplicas') ?? 0;
    const max = number(owner, 'maxReplicas') ?? Infinity;
    const replicas = number(owner, 'replicas');
    if (max < min)
      yield {
        object,
        path: `${ownerPath}.maxReplicas`,
        message: `maxReplicas '${String(max)}' is below minReplicas '${String(min)}'`,
        fix: `set maxReplicas to at least ${String(min)}`,
      };
    else if (replicas !== undefined && (replicas < min || replicas > max))
      yield {
        object,
        path: `${ownerPath}.replicas`,
        message: `replicas is ${String(replicas)}, but KubeRay enforces ${replicas < min ? `minReplicas, ${String(min)}` : `maxReplicas, ${String(max)}`}`,
        fix: `set replicas to ${String(replicas < min ? min : max)}, or change the limit`,
        severity: 'warning',
      };
  }),
});
