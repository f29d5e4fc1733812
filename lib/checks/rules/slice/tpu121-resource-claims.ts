import { TPU_DEVICE_CLASS } from '../../../facts/labels';
import { type Json, record, text } from '../../../manifest/manifest';
import { type PodView, records } from '../../../manifest/pods';
import { objectNamed } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { isTpuPod, specPath, tpuContainers } from '../../../manifest/slices';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';

export const TPU121 = defineRule({
  code: 'TPU121',
  title: 'the manifest of a pod states its TPU chips',
  severities: ['note'],
  kinds: ['pods', 'ResourceClaim', 'ResourceClaimTemplate'],
  check: eachPod(function* (pod, set) {
    const claims = records(pod.spec, 'resourceClaims');
    if (claims.length === 0 || tpuContainers(pod).length > 0) return;
    if (!isTpuPod(pod) && !claims.some((claim) => claimsTpus(set, pod, claim))) return;
    yield {
      object: pod.object,
      path: `${specPath(pod)}.resourceClaims`,
      message: 'the pod gets its devices from a ResourceClaim, so the checks do not know its chips and hosts',
      fix: 'check that the claim matches the topology',
    };
  }),
});

/** Whether the set has a pod's ResourceClaim, or its template, and the claim requests TPUs. */
function claimsTpus(set: ManifestSet, pod: PodView, claim: Json): boolean {
  const own = objectNamed(set, pod.object, 'ResourceClaim', text(claim, 'resourceClaimName') ?? '');
  const made = objectNamed(
    set,
    pod.object,
    'ResourceClaimTemplate',
    text(claim, 'resourceClaimTemplateName') ?? '',
  );
  return [record(own?.manifest, 'spec'), record(made?.manifest, 'spec', 'spec')]
    .flatMap((spec) => records(spec, 'devices', 'requests'))
    .flatMap((request) => [request, record(request, 'exactly'), ...records(request, 'firstAvailable')])
    .some((request) => request['deviceClassName'] === TPU_DEVICE_CLASS);
}
