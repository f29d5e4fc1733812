import { at, type ManifestObject, text } from '../../../manifest/manifest';
import { type PodView } from '../../../manifest/pods';
import { objectNamed } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { defineRule } from '../../rule';
import { modelServerOf } from '../../../manifest/model-servers';
import { ofServers, servesWithRay } from './common';
import { specPath } from '../../../manifest/slices';

export const TPU329 = defineRule({
  code: 'TPU329',
  title: 'a TPU server does not mount a Kubernetes API token',
  severities: ['note'],
  kinds: ['pods'],
  check: ofServers((pod, main, set) =>
    // a custom program may use the API
    (modelServerOf(main) === undefined && !servesWithRay(pod)) ||
    (at(pod.spec, 'automountServiceAccountToken') ??
      at(accountOf(set, pod)?.manifest, 'automountServiceAccountToken')) === false
      ? undefined
      : {
          path: `${specPath(pod)}.automountServiceAccountToken`,
          message: `the pods of ${pod.object.id} mount a Kubernetes API token, which no known model server needs`,
          fix: 'set automountServiceAccountToken: false; Workload Identity works without it',
        },
  ),
});

const accountOf = (set: ManifestSet, pod: PodView): ManifestObject | undefined =>
  objectNamed(
    set,
    pod.object,
    'ServiceAccount',
    text(pod.spec, 'serviceAccountName') ?? text(pod.spec, 'serviceAccount') ?? 'default',
  );
