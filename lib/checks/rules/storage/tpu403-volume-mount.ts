import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { nameOf } from './common';
import { shown } from '../../../problems/shown';
import { records } from '../../../manifest/pods';
import { text } from '../../../manifest/manifest';

export const TPU403 = defineRule({
  code: 'TPU403',
  title: 'a volumeMount names a volume of its pod',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    // the controller of an unknown kind can add volumes
    if (pod.runs === 'Other') return;
    const volumes = [
      ...pod.volumes.map(nameOf),
      ...records(pod.owner, 'volumeClaimTemplates').map((claim) => text(claim, 'metadata', 'name')),
      // JobSet adds these volumes: https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/api/jobset/v1alpha2/jobset_types.go
      ...records(pod.object.manifest, 'spec', 'volumeClaimPolicies').flatMap((policy) =>
        records(policy, 'templates').map((claim) => text(claim, 'metadata', 'name')),
      ),
    ];
    for (const { container, name, path } of pod.containers)
      for (const mount of records(container, 'volumeMounts')) {
        const volume = nameOf(mount);
        if (volume === undefined || volumes.includes(volume)) continue;
        const known = volumes.filter((one) => one !== undefined);
        yield {
          object: pod.object,
          path: `${path}.volumeMounts[${volume}]`,
          message: `container '${name}' mounts volume '${volume}', which the pod does not have`,
          fix: `add volume '${volume}' to volumes${known.length > 0 ? `, or mount ${known.map(shown).join(' or ')}` : ''}`,
        };
      }
  }),
});
