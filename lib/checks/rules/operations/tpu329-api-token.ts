import { at } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { ofWorkloads } from './common';
import { specPath } from '../../../manifest/slices';

export const TPU329 = defineRule({
  code: 'TPU329',
  title: 'a TPU workload has no token of the Kubernetes API',
  severities: ['note'],
  kinds: ['pods'],
  check: ofWorkloads((pod) =>
    at(pod.spec, 'automountServiceAccountToken') === false
      ? undefined
      : {
          path: `${specPath(pod)}.automountServiceAccountToken`,
          message: `the pods of ${pod.object.id} hold a token of the Kubernetes API, which no known model server asks, nor most programs`,
          fix: 'set automountServiceAccountToken: false; Workload Identity works without it',
        },
  ),
});
