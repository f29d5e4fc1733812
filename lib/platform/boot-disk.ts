/** Default boot disk of a node, in GB. */
export const DEFAULT_BOOT_DISK_GB = 100;

const GIB = 2 ** 30;
/** Share of a boot disk that the node's file system uses: 98831908 KiB of 100 GB. */
const FILE_SYSTEM = 0.94;
/** Free share of the file system below which the kubelet evicts pods. */
const EVICTION = 0.1;
/** Part of a boot disk that GKE reserves: a share of its size, and an amount in GiB. The smallest result counts. */
const RESERVED: readonly { readonly share: number; readonly gib: number }[] = [
  { share: 0.5, gib: 0 },
  { share: 0.35, gib: 6 },
  { share: 0, gib: 100 },
];
/** Local disk that the system pods of a node can request, in GiB. */
const SYSTEM_PODS_GIB = 1;

/**
 * Returns the size of the boot disk that a pod's requests of local disk need, in GB, rounded up to tens; undefined if the default size is
 * enough.
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
