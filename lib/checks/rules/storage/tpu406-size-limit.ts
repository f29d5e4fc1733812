import { text, amount } from '../../../manifest/manifest';
import { type PodView, records } from '../../../manifest/pods';
import { type ManifestSet } from '../../../manifest/set';
import { fuseVolumes } from './common';
import { CACHE_VOLUME } from '../../../facts/gcs-fuse';
import { defineRule } from '../../rule';
import { eachTpuPod } from '../each-pod';
import { memoryVolumes } from './common';

export const TPU406 = defineRule({
  code: 'TPU406',
  title: 'a volume in memory has a sizeLimit',
  severities: ['warning', 'note'],
  kinds: ['pods'],
  check: eachTpuPod(function* (pod, set) {
    for (const { name, path, sizeLimit } of memoryVolumes(pod)) {
      if (sizeLimit !== undefined || !isUsed(set, pod, name)) continue;
      yield {
        object: pod.object,
        path: `${path}.sizeLimit`,
        message: `volume '${name}' is in memory and has no sizeLimit, so it can use the memory that the server needs`,
        fix:
          name === CACHE_VOLUME
            ? "set sizeLimit to the size of the weights, like '160Gi' for a model of 70B"
            : "set sizeLimit, like '16Gi' for /dev/shm",
        ...(isBounded(pod, name) && { severity: 'note' as const }),
      };
    }
  }),
});

/** Whether all containers that mount a volume have a memory limit, which bounds the volume. */
const isBounded = (pod: PodView, volume: string): boolean => {
  const writers = pod.containers.filter(({ container }) =>
    records(container, 'volumeMounts').some((mount) => text(mount, 'name') === volume),
  );
  return (
    writers.length > 0 &&
    writers.every(({ container }) => amount(container, 'resources', 'limits', 'memory') !== undefined)
  );
};

/** Whether anything writes to a volume: a container that mounts it, or the sidecar of Cloud Storage FUSE. */
const isUsed = (set: ManifestSet, pod: PodView, volume: string): boolean =>
  pod.containers.some(({ container }) =>
    records(container, 'volumeMounts').some((mount) => text(mount, 'name') === volume),
  ) ||
  (volume === CACHE_VOLUME && fuseVolumes(set, pod).length > 0);
