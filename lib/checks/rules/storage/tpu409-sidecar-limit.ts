import { CACHE_VOLUME } from '../../../facts/gcs-fuse';
import { amount, text } from '../../../manifest/manifest';
import { annotationPath, fuseVolumes, MIB, nameOf } from './common';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { gcsFuseResourceAnnotation } from '../../../facts/labels';
import { quantityOf } from '../../../problems/grammar';

export const TPU409 = defineRule({
  code: 'TPU409',
  title: 'the limits of the Cloud Storage FUSE sidecar cover its cache',
  severities: ['error'],
  kinds: ['pods', 'PersistentVolume', 'PersistentVolumeClaim'],
  check: eachPod(function* (pod, set) {
    const volume = pod.volumes.find((one) => nameOf(one) === CACHE_VOLUME);
    const resource = text(volume, 'emptyDir', 'medium') === 'Memory' ? 'memory' : 'ephemeral-storage';
    // the driver uses a request without a limit as the limit
    const key = (['limit', 'request'] as const)
      .map((kind) => gcsFuseResourceAnnotation(resource, kind))
      .find((name) => pod.annotations[name] !== undefined);
    const limit = key === undefined ? undefined : text(pod.annotations, key);
    const sizeLimit = amount(volume, 'emptyDir', 'sizeLimit');
    if (key === undefined || limit === undefined || sizeLimit === undefined || quantityOf(limit) === 0)
      return;
    const cached = fuseVolumes(set, pod).reduce((sum, { cacheMiB }) => sum + cacheMiB, 0) * MIB;
    if (!(quantityOf(limit) < Math.min(quantityOf(sizeLimit), cached))) return;
    yield {
      object: pod.object,
      path: annotationPath(pod, key),
      message: `the sidecar has a limit of '${limit}' ${resource}, but its cache '${CACHE_VOLUME}' can hold '${sizeLimit}', so the sidecar is killed when the cache fills`,
      fix: `set the annotation ${gcsFuseResourceAnnotation(resource, 'limit')}to "0" for no limit, or to more than ${sizeLimit}`,
    };
  }),
});
