import { BUFFER_VOLUME, CACHE_VOLUME, GCS_FUSE_DRIVER, TMP_VOLUME } from '../../../facts/gcs-fuse';
import { asksForSidecar, fuseVolumes, nameOf, volumePath } from './common';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isRecord, text } from '../../../manifest/manifest';

/** Volumes that the driver adds to a pod unless the pod has them; it always adds the last one. */
/** Sources of a volume that nothing can be written to. */
const READ_ONLY_SOURCES = ['secret', 'configMap', 'downwardAPI', 'projected', 'image'] as const;

export const TPU411 = defineRule({
  code: 'TPU411',
  title: 'the names that the Cloud Storage FUSE driver reserves are used for its own volumes',
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
            ? `volume '${name}' has the name of the one that the driver adds to every pod, and its webhook does not look for another one`
            : `volume '${name}' is where the sidecar writes, and ${source === 'csi' ? 'is itself a bucket' : `a ${source ?? ''} cannot be written to`}`,
        fix:
          name === TMP_VOLUME
            ? 'give the volume another name'
            : 'make it an emptyDir or a persistentVolumeClaim, or give it another name',
        // guides of Google have an emptyDir of this name
        ...(name === TMP_VOLUME && {
          severity: isRecord(volume['emptyDir']) ? ('note' as const) : ('warning' as const),
        }),
      };
    }
  }),
});
