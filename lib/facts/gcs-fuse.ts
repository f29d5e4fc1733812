// Names that the Cloud Storage FUSE CSI driver keeps to itself, and since when it knows what: https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver (5fcdc04)

/** Name of the driver, in volumes. */
export const GCS_FUSE_DRIVER = 'gcsfuse.csi.storage.gke.io';

/** Volumes that the driver reads as the sidecar's own places. */
export const CACHE_VOLUME = 'gke-gcsfuse-cache';
export const BUFFER_VOLUME = 'gke-gcsfuse-buffer';
export const TMP_VOLUME = 'gke-gcsfuse-tmp';

/** Mount options that the sidecar sets itself; it discards them with a warning in its log. */
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

/** Local disk that the sidecar requests if nothing is said, for what it writes. */
export const SIDECAR_DISK_BYTES = 5 * 2 ** 30;

/**
 * First GKE version whose driver knows what a volume asks for.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/cloud-storage-fuse-csi-driver-perf
 */
export const GCS_FUSE_GKE_VERSIONS = {
  fileCache: { version: '1.27.12-gke.1190000', because: 'the file cache of Cloud Storage FUSE' },
  parallelDownloads: {
    version: '1.29.6-gke.1254000',
    because: 'parallel downloads of Cloud Storage FUSE; of 1.30 from 1.30.2-gke.1394000 on',
  },
  metadataPrefetch: { version: '1.32.1-gke.1357001', because: 'metadata prefetch of Cloud Storage FUSE' },
} as const;

/** StorageClasses of the driver's profiles, by what they are for: deploy/base/setup/storageclass.yaml */
export const GCS_FUSE_PROFILES = {
  serving: 'gcsfusecsi-serving',
  training: 'gcsfusecsi-training',
  checkpointing: 'gcsfusecsi-checkpointing',
} as const;

/** Gate that keeps a pod from being scheduled until the driver's controller has scanned its bucket. */
export const BUCKET_SCAN_GATE = 'gke-gcsfuse/bucket-scan-pending';

/** Annotations of a PersistentVolume that state what a scan would find: examples/gcsfuse-profiles. */
export const BUCKET_SCAN_ANNOTATIONS = {
  status: 'gke-gcsfuse/bucket-scan-status',
  objects: 'gke-gcsfuse/bucket-scan-num-objects',
  bytes: 'gke-gcsfuse/bucket-scan-total-size-bytes',
} as const;

/** What the controller must be allowed on the bucket of a profile, beside `roles/compute.viewer` on the project. */
export const PROFILE_PERMISSIONS: readonly string[] = [
  'storage.objects.list',
  'storage.buckets.get',
  'storage.anywhereCaches.create',
  'storage.anywhereCaches.get',
  'storage.anywhereCaches.list',
  'storage.anywhereCaches.update',
];
