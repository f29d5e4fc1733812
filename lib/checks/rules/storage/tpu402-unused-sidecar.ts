import { ANNOTATION, annotationPath, asksForSidecar, fuseVolumes } from './common';
import { GCS_FUSE_DRIVER } from '../../../facts/gcs-fuse';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { records } from '../../../manifest/pods';

export const TPU402 = defineRule({
  code: 'TPU402',
  title: 'a pod with the Cloud Storage FUSE annotation has a volume for it',
  severities: ['note'],
  kinds: ['pods', 'PersistentVolume', 'PersistentVolumeClaim'],
  check: eachPod(function* (pod, set) {
    if (!asksForSidecar(pod) || fuseVolumes(set, pod).length > 0) return;
    // a claim may be bound to a bucket that is not among the manifests
    const claims = [...pod.volumes, ...records(pod.owner, 'volumeClaimTemplates')].some(
      (one) => 'persistentVolumeClaim' in one || 'ephemeral' in one || 'spec' in one,
    );
    if (claims) return;
    yield {
      object: pod.object,
      path: annotationPath(pod, ANNOTATION),
      message: `annotation '${ANNOTATION}' adds a sidecar, but no volume of the pod is Cloud Storage FUSE`,
      fix: `remove the annotation, or add a csi volume of driver ${GCS_FUSE_DRIVER}`,
    };
  }),
});
