import { BUFFER_VOLUME, CACHE_VOLUME, TMP_VOLUME } from '../../../facts/gcs-fuse';
import { isRecord, text } from '../../../manifest/manifest';
import { records } from '../../../manifest/pods';
import { nearestWords } from '../../../problems/nearest';
import { defineRule } from '../../rule';
import { eachTpuPod } from '../each-pod';
import { fuseVolumes, nameOf, volumePath } from './common';

const RESERVED = [CACHE_VOLUME, BUFFER_VOLUME, TMP_VOLUME];
/** Names that resemble those of the driver's volumes. */
const MEANT = /^(gke-?)?(gcs-?)?fuse?-?(file-)?(cache|buffer|tmp)$/;

export const TPU416 = defineRule({
  code: 'TPU416',
  title: 'the Cloud Storage FUSE driver uses the volumes that are meant for it',
  severities: ['warning'],
  kinds: ['pods'],
  check: eachTpuPod(function* (pod, set) {
    const fuse = fuseVolumes(set, pod);
    if (fuse.length === 0) return;
    const mounted = pod.containers.flatMap(({ container }) => records(container, 'volumeMounts').map(nameOf));
    for (const volume of pod.volumes) {
      const name = nameOf(volume) ?? '';
      const unused = isRecord(volume['emptyDir']) && !mounted.includes(name);
      if (unused && !RESERVED.includes(name) && MEANT.test(name))
        yield {
          object: pod.object,
          path: volumePath(pod, volume),
          message: `no container mounts volume '${name}', and the Cloud Storage FUSE driver does not know the name`,
          fix: `rename the volume to '${nearestWords(name, RESERVED)[0] ?? CACHE_VOLUME}'`,
        };
      else if (
        name === CACHE_VOLUME &&
        !mounted.includes(name) &&
        fuse.every(
          ({ cacheMiB, options }) => cacheMiB === 0 && !options.some((one) => one.startsWith('file-cache')),
        )
      )
        yield {
          object: pod.object,
          path: volumePath(pod, volume),
          message: `volume '${name}' is for the file cache, but no Cloud Storage FUSE volume of the pod enables the file cache`,
          fix: `add file-cache:max-size-mb:-1 to the mountOptions of volume '${text(fuse[0], 'name') ?? ''}', or remove the volume`,
        };
    }
  }),
});
