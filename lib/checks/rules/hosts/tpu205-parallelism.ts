import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isTogether } from './common';
import { number } from '../../../manifest/manifest';
import { sliceOf, tpuContainers } from '../../../manifest/slices';

export const TPU205 = defineRule({
  code: 'TPU205',
  title: 'pods that wait for each other all run at the same time',
  severities: ['error', 'warning'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const parallelism = number(pod.owner, 'parallelism') ?? 1;
    const completions = number(pod.owner, 'completions');
    if (pod.runs !== 'Job' || tpuContainers(pod).length === 0 || !isTogether(pod)) return;
    // TPU201 compares both with the hosts of a known slice
    if (completions === undefined || completions === parallelism || sliceOf(pod).hosts !== undefined) return;
    const fewer = completions < parallelism;
    yield {
      object: pod.object,
      path: `${pod.ownerPath}.${fewer ? 'completions' : 'parallelism'}`,
      message: `completions is ${String(completions)} and parallelism is ${String(parallelism)}, so ${fewer ? 'fewer pods start than parallelism states' : 'the first pods wait for pods that never start'}`,
      fix: 'set both to the number of hosts of the slice',
      severity: fewer ? 'warning' : 'error',
    };
  }),
});
