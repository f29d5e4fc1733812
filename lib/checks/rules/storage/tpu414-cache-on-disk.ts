import { CACHE_VOLUME } from '../../../facts/gcs-fuse';
import { amount, text } from '../../../manifest/manifest';
import { annotationPath, fuseVolumes, nameOf } from './common';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { gcsFuseResourceAnnotation } from '../../../facts/labels';
import { quantityOf } from '../../../problems/grammar';

export const TPU414 = defineRule({
  code: 'TPU414',
  title: 'the Cloud Storage FUSE sidecar requests the disk space of its cache',
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
    // the driver uses a request or limit that is set alone for both; TPU409 reports a limit that is too small
    const alone = (request === undefined) !== (limit === undefined);
    if (alone && quantityOf(request ?? limit ?? '') !== 0) return;
    const asked = request ?? SIDECAR_DISK;
    if (!(quantityOf(asked) < quantityOf(sizeLimit))) return;
    yield {
      object: pod.object,
      path: annotationPath(pod, gcsFuseResourceAnnotation('ephemeral-storage', 'request')),
      message: `the cache '${CACHE_VOLUME}' can hold '${sizeLimit}' on the disk of the node, but the sidecar requests '${asked}', so the pod may run on a node without enough disk and be evicted`,
      fix: `set the annotation ${gcsFuseResourceAnnotation('ephemeral-storage', 'request')} to more than '${sizeLimit}', and ${gcsFuseResourceAnnotation('ephemeral-storage', 'limit')} to "0"`,
    };
  }),
});

/** Ephemeral storage that the sidecar requests by default: https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver (5fcdc04) */
const SIDECAR_DISK = '5Gi';
