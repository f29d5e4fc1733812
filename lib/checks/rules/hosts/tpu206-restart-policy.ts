import { at } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { shown } from '../../../problems/shown';
import { specPath } from '../../../manifest/slices';

export const TPU206 = defineRule({
  code: 'TPU206',
  title: 'the restartPolicy of a Job is Never or OnFailure',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const policy = at(pod.spec, 'restartPolicy') ?? undefined;
    if (pod.runs !== 'Job' || pod.containers.length === 0) return;
    if (policy === 'Never' || policy === 'OnFailure') return;
    // JobSet sets it
    if (policy === undefined && pod.object.kind === 'JobSet') return;
    yield {
      object: pod.object,
      path: `${specPath(pod)}.restartPolicy`,
      message: `restartPolicy is ${policy === undefined ? "not set, which means 'Always'" : shown(policy)}, which is not valid in a Job`,
      fix: 'set restartPolicy to Never or OnFailure',
    };
  }),
});
