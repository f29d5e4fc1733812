import { at } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { podsTogether, whenReady } from './common';
import { shown } from '../../../problems/shown';

export const TPU215 = defineRule({
  code: 'TPU215',
  title: 'a StatefulSet starts the hosts of a slice together',
  severities: ['error', 'warning', 'note'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const policy = at(pod.owner, 'podManagementPolicy') ?? 'OrderedReady';
    if (pod.runs !== 'StatefulSet' || podsTogether(pod) < 2 || policy === 'Parallel') return;
    yield {
      object: pod.object,
      path: `${pod.ownerPath}.podManagementPolicy`,
      fix: 'set podManagementPolicy to Parallel',
      ...whenReady(
        [pod],
        `podManagementPolicy is ${shown(policy)}, so each host starts only when the host before it is ready`,
      ),
    };
  }),
});
