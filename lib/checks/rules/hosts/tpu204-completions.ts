import { at, number } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isIndexed } from './common';

export const TPU204 = defineRule({
  code: 'TPU204',
  title: 'an Indexed Job states its completions',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const parallelism = number(pod.owner, 'parallelism');
    if (pod.runs !== 'Job' || !isIndexed(pod) || parallelism === undefined) return;
    if ((at(pod.owner, 'completions') ?? undefined) !== undefined) return;
    yield {
      object: pod.object,
      path: `${pod.ownerPath}.completions`,
      message: 'an Indexed Job has parallelism but no completions, and the API server refuses that',
      fix: `set completions to ${String(parallelism)}, the value of parallelism`,
    };
  }),
});
