// Names that the Cloud Storage FUSE CSI driver keeps to itself: https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver (5fcdc04)

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
