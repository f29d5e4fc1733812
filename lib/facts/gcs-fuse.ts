// Names and versions of the Cloud Storage FUSE CSI driver: https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver (5fcdc04)

/** Name of the driver in volumes. */
export const GCS_FUSE_DRIVER = 'gcsfuse.csi.storage.gke.io';

/** Names of volumes that the driver reserves for the sidecar. */
export const CACHE_VOLUME = 'gke-gcsfuse-cache';
export const BUFFER_VOLUME = 'gke-gcsfuse-buffer';
export const TMP_VOLUME = 'gke-gcsfuse-tmp';

/** Mount options that the sidecar sets itself. If a volume sets them, the sidecar logs a warning and ignores them. */
export const REFUSED_OPTIONS: readonly string[] = [
  'log-file',
  'log-format',
  'o',
  'cache-dir',
  'temp-dir',
  'config-file',
  'foreground',
  'key-file',
  'token-url',
  'reuse-token-from-url',
  'prometheus-port',
  'kernel-params-file',
];

/** Local disk that the sidecar requests by default. */
export const SIDECAR_DISK_BYTES = 5 * 2 ** 30;

/**
 * First GKE version whose driver supports each feature of a volume.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/cloud-storage-fuse-csi-driver-perf
 */
export const GCS_FUSE_GKE_VERSIONS = {
  fileCache: { version: '1.27.12-gke.1190000', because: 'the file cache of Cloud Storage FUSE' },
  parallelDownloads: {
    version: '1.29.6-gke.1254000',
    because: 'parallel downloads of Cloud Storage FUSE; in 1.30, 1.30.2-gke.1394000 or later',
  },
  metadataPrefetch: { version: '1.32.1-gke.1357001', because: 'metadata prefetch of Cloud Storage FUSE' },
} as const;

/** StorageClasses of the driver's profiles, by purpose: deploy/base/setup/storageclass.yaml */
export const GCS_FUSE_PROFILES = {
  serving: 'gcsfusecsi-serving',
  training: 'gcsfusecsi-training',
  checkpointing: 'gcsfusecsi-checkpointing',
} as const;

/** Gate that keeps a pod from being scheduled until the driver's controller has scanned its bucket. */
export const BUCKET_SCAN_GATE = 'gke-gcsfuse/bucket-scan-pending';

/** Annotations of a PersistentVolume that replace the scan of its bucket: examples/gcsfuse-profiles. */
export const BUCKET_SCAN_ANNOTATIONS = {
  status: 'gke-gcsfuse/bucket-scan-status',
  objects: 'gke-gcsfuse/bucket-scan-num-objects',
  bytes: 'gke-gcsfuse/bucket-scan-total-size-bytes',
} as const;

/** Permissions that the controller needs on the bucket of a profile, in addition to `roles/compute.viewer` on the project. */
export const PROFILE_PERMISSIONS: readonly string[] = [
  'storage.objects.list',
  'storage.buckets.get',
  'storage.anywhereCaches.create',
  'storage.anywhereCaches.get',
  'storage.anywhereCaches.list',
  'storage.anywhereCaches.update',
];
