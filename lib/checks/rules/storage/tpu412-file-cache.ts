import { CACHE_VOLUME } from '../../../facts/gcs-fuse';
import { fuseVolumes, nameOf } from './common';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { records } from '../../../manifest/pods';
import { specPath, tpuContainers } from '../../../manifest/slices';

const SERVING: readonly string[] = ['Deployment', 'StatefulSet', 'LeaderWorkerSet', 'RayService'];

export const TPU412 = defineRule({
  code: 'TPU412',
  title: 'a TPU server reads a Cloud Storage FUSE volume through a file cache',
  severities: ['note'],
  kinds: ['pods', 'PersistentVolume', 'PersistentVolumeClaim'],
  check: eachPod(function* (pod, set) {
    // Jobs and Ray clusters for training mostly write to their buckets
    if (!SERVING.includes(pod.object.kind)) return;
    const hasVolume = pod.volumes.some((volume) => nameOf(volume) === CACHE_VOLUME);
    const mounted = tpuContainers(pod).flatMap(({ container }) =>
      records(container, 'volumeMounts').map(nameOf),
    );
    for (const { name, cacheMiB } of fuseVolumes(set, pod)) {
      if (!mounted.includes(name) || (cacheMiB > 0 && hasVolume)) continue;
      yield {
        object: pod.object,
        path: `${specPath(pod)}.volumes[${name}]`,
        message:
          cacheMiB > 0
            ? `the file cache of volume '${name}' is on the boot disk of the node, within the ephemeral storage limit of the sidecar`
            : `volume '${name}' has no file cache, so the server reads large files slowly, and from the bucket every time`,
        fix: `${cacheMiB > 0 ? '' : 'add file-cache:max-size-mb:-1,file-cache:enable-parallel-downloads:true to mountOptions, and '}add an emptyDir '${CACHE_VOLUME}' with medium: Memory and a sizeLimit of at least the size of the weights`,
      };
    }
  }),
});
