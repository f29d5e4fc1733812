import { CACHE_VOLUME } from '../../../facts/gcs-fuse';
import { amount, text } from '../../../manifest/manifest';
import { annotationPath, fuseVolumes, nameOf } from './common';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { gcsFuseResourceAnnotation } from '../../../facts/labels';
import { quantityOf } from '../../../problems/grammar';

export const TPU414 = defineRule({
  code: 'TPU414',
  title: 'a cache of Cloud Storage FUSE on disk is requested from the node',
  severities: ['warning'],
  kinds: ['pods', 'PersistentVolume', 'PersistentVolumeClaim'],
  check: eachPod(function* (pod, set) {
    const volume = pod.volumes.find((one) => nameOf(one) === CACHE_VOLUME);
    const sizeLimit = amount(volume, 'emptyDir', 'sizeLimit');
    if (sizeLimit === undefined || text(volume, 'emptyDir', 'medium') === 'Memory') return;
    if (fuseVolumes(set, pod).length === 0) return;
    const [request, limit] = (['request', 'limit'] as const).map((kind) =>
      text(pod.annotations, gcsFuseResourceAnnotation('ephemeral-storage', kind)),
    );
    // The driver takes what stands alone for both: of a limit that is too small TPU409 speaks.
    const alone = (request === undefined) !== (limit === undefined);
    if (alone && quantityOf(request ?? limit ?? '') !== 0) return;
    const asked = request ?? SIDECAR_DISK;
    if (!(quantityOf(asked) < quantityOf(sizeLimit))) return;
    yield {
      object: pod.object,
      path: annotationPath(pod, gcsFuseResourceAnnotation('ephemeral-storage', 'request')),
      message: `the cache '${CACHE_VOLUME}' may hold '${sizeLimit}' of the node's disk, and the sidecar requests '${asked}', so the pod may come to a node without that room and be evicted`,
      fix: `set the annotations ${gcsFuseResourceAnnotation('ephemeral-storage', 'request')} to more than '${sizeLimit}' and ${gcsFuseResourceAnnotation('ephemeral-storage', 'limit')}: "0"`,
    };
  }),
});

/** What the driver's sidecar requests of the node's disk by default: https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver (5fcdc04) */
const SIDECAR_DISK = '5Gi';
