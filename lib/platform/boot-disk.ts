/** Boot disk of a node where nothing is said, in GB. */
export const DEFAULT_BOOT_DISK_GB = 100;

const GIB = 2 ** 30;
/** Share of a boot disk that the node's file system has: 98831908 KiB of 100 GB. */
const FILE_SYSTEM = 0.94;
/** Share of the file system below which pods are evicted. */
const EVICTION = 0.1;
/** What GKE keeps of a boot disk for itself, in GiB by its size: the least of these counts. */
const RESERVED: readonly { readonly share: number; readonly gib: number }[] = [
  { share: 0.5, gib: 0 },
  { share: 0.35, gib: 6 },
  { share: 0, gib: 100 },
];
/** What system pods of a node may ask for. */
const SYSTEM_PODS_GIB = 1;

/**
 * Size of the boot disk that has room for a pod's requests of local disk, in GB, rounded up to tens; undefined where the default has.
 *
 * @param requested - local disk that all containers of the pod request, in bytes
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes
 */
export function bootDiskGb(requested: number): number | undefined {
  const wanted = requested / GIB + SYSTEM_PODS_GIB;
  const usable = FILE_SYSTEM * (1 - EVICTION);
  const least = Math.min(...RESERVED.map(({ share, gib }) => (wanted + gib) / (usable - share)));
  return least <= DEFAULT_BOOT_DISK_GB ? undefined : Math.ceil(least / 10) * 10;
}
