import { BUFFER_VOLUME, CACHE_VOLUME, GCS_FUSE_DRIVER, TMP_VOLUME } from '../../../facts/gcs-fuse';
import { asksForSidecar, fuseVolumes, nameOf, volumePath } from './common';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isRecord, text } from '../../../manifest/manifest';

/** Volumes that the driver adds to a pod unless the pod has them; it always adds the last one. */
/** Sources of read-only volumes. */
const READ_ONLY_SOURCES = ['secret', 'configMap', 'downwardAPI', 'projected', 'image'] as const;

export const TPU411 = defineRule({
  code: 'TPU411',
  title: 'the Cloud Storage FUSE driver can use volumes that have its reserved names',
  severities: ['error', 'warning', 'note'],
  kinds: ['pods', 'PersistentVolume', 'PersistentVolumeClaim'],
  check: eachPod(function* (pod, set) {
    if (!asksForSidecar(pod) && fuseVolumes(set, pod).length === 0) return;
    for (const volume of pod.volumes) {
      const name = nameOf(volume) ?? '';
      const source = [...READ_ONLY_SOURCES, 'csi' as const].find((key) => isRecord(volume[key]));
      const unusable =
        source !== undefined && (source !== 'csi' || text(volume, 'csi', 'driver') === GCS_FUSE_DRIVER);
      if (name !== TMP_VOLUME && !(unusable && (name === CACHE_VOLUME || name === BUFFER_VOLUME))) continue;
      yield {
        object: pod.object,
        path: volumePath(pod, volume),
        message:
          name === TMP_VOLUME
            ? `volume '${name}' has the name of a volume that the driver adds to every pod without a check for duplicates`
            : `the sidecar writes to volume '${name}', but ${source === 'csi' ? 'the volume is itself a bucket' : `a ${source ?? ''} volume is read-only`}`,
        fix:
          name === TMP_VOLUME
            ? 'give the volume another name'
            : 'use an emptyDir or a persistentVolumeClaim, or give the volume another name',
        // Google's guides have an emptyDir of this name
        ...(name === TMP_VOLUME && {
          severity: isRecord(volume['emptyDir']) ? ('note' as const) : ('warning' as const),
        }),
      };
    }
  }),
});
