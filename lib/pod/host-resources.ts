import { type TpuSlice } from '../tpu/slice';
import { type PodFragment } from './fragment';
import { quantityOf } from './rules';

/** Share of a host that its pod asks for: GKE keeps at most a tenth of these machines' memory, the rest is for system pods and sidecars. */
const SHARE = 0.8;

/**
 * CPU and memory of one host of a slice as requests, with room left for system pods and the Cloud Storage FUSE sidecar. There are no
 * limits: nothing else runs on the host that could be protected by them.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes
 */
export function hostResources(slice: TpuSlice): PodFragment {
  const memory = slice.memoryGBPerHost;
  return {
    resources: {
      requests: {
        cpu: String(Math.floor(slice.vCpusPerHost * SHARE)),
        ...(memory !== undefined && { memory: `${String(Math.floor(memory * SHARE))}G` }),
      },
    },
  };
}

/** Share of a host's memory that volumes in memory may take; the server itself needs some, too. */
const MEMORY_VOLUMES_SHARE = 0.9;

/** What is wrong with the volumes in memory of a pod on a host; undefined where nothing is, or the host's memory is not known. */
export function memoryVolumesProblem(slice: TpuSlice, fragments: readonly PodFragment[]): string | undefined {
  if (slice.memoryGBPerHost === undefined) return undefined;
  const volumes = fragments
    .flatMap((fragment) => fragment.volumes ?? [])
    .filter((volume) => volume.emptyDir?.medium === 'Memory')
    .map(({ name, emptyDir }) => ({ name, limit: String(emptyDir?.sizeLimit?.value ?? '0') }));
  const bytes = volumes.reduce((sum, { limit }) => sum + quantityOf(limit), 0);
  const room = slice.memoryGBPerHost * 1e9 * MEMORY_VOLUMES_SHARE;
  return bytes > room
    ? `volumes in memory ${volumes.map(({ name, limit }) => `'${name}' (${limit})`).join(' and ')} hold more than a ${slice.machineType} has, expected at most ${String(Math.floor(room / 2 ** 30))}Gi together of its ${String(slice.memoryGBPerHost)} GB, or a cache on disk`
    : undefined;
}
