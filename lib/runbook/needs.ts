import { ApiObject, Chart } from 'cdk8s';
import {
  isRecord,
  type Json,
  list,
  type ManifestObject,
  manifestObject,
  record,
  text,
} from '../manifest/manifest';
import { ACCELERATOR_LABEL as ACCELERATOR, TOPOLOGY_LABEL as TOPOLOGY } from '../facts/labels';
import { podsOf, type PodView, records } from '../manifest/pods';
import { GCS_FUSE_DRIVER, GCS_FUSE_GKE_VERSIONS, SIDECAR_DISK_BYTES } from '../facts/gcs-fuse';
import { TOKEN_FILE, TOKEN_VOLUME } from '../pod/hugging-face-token';
import { quantityOf } from '../problems/validators';
import { TOKEN_NAMES } from '../facts/variables';
import { type GkeRequirement } from '../operations/operations';

/** A key of a Secret, and the word that stands for its value in a command. */
export interface SecretKey {
  readonly secretName: string;
  readonly key: string;
  readonly huggingFace: boolean;
}

/** A bucket that pods mount. */
interface MountedBucket {
  readonly bucketName: string;
  readonly serviceAccountName: string;
  readonly readOnly: boolean;
}

/** Local disk that pods of a slice request. */
interface DiskNeed {
  /** Who runs the pods, like `Deployment llama`. */
  readonly object: string;
  /** The slice that they select; undefined where a ComputeClass has it. */
  readonly accelerator: string | undefined;
  readonly topology: string | undefined;
  /** Bytes that all containers of a pod request. */
  readonly bytes: number;
}

/** What pods need that is not in their own chart, as their manifests show it. */
export interface PodNeeds {
  readonly serviceAccountNames: readonly string[];
  readonly buckets: readonly MountedBucket[];
  readonly secretKeys: readonly SecretKey[];
  readonly claimNames: readonly string[];
  /** Versions of GKE whose Cloud Storage FUSE knows what volumes ask for. */
  readonly gkeVersions: readonly GkeRequirement[];
  /** Local disk that pods on TPU nodes request. */
  readonly disks: readonly DiskNeed[];
  /** Names of the objects whose pods are privileged, or on their nodes' network. */
  readonly privileged: readonly string[];
}

/** What the objects of a chart render; those of charts inside it are their own. */
export const objectsOf = (chart: Chart): readonly ManifestObject[] =>
  chart.node
    .findAll()
    .filter((one) => ApiObject.isApiObject(one))
    .filter((one) => Chart.of(one) === chart)
    .map((one) => manifestObject(one.toJson() as Json, { constructPath: one.node.path }));

/** Every pod of some objects. */
const podsIn = (objects: readonly ManifestObject[]): readonly PodView[] => objects.flatMap(podsOf);

/** ServiceAccount of a pod. */
export const accountOf = (pod: PodView): string => text(pod.spec, 'serviceAccountName') ?? 'default';

/** The bucket that a volume mounts, if it is one. */
export const bucketOf = (volume: Json): string | undefined =>
  text(volume, 'csi', 'driver') === GCS_FUSE_DRIVER
    ? text(volume, 'csi', 'volumeAttributes', 'bucketName')
    : undefined;

/** The Secrets of a pod: the keys that are read from them, where those are named. */
export const secretKeysOf = (pod: PodView): readonly SecretKey[] => [
  ...pod.containers.flatMap(({ container }) =>
    records(container, 'env').flatMap((variable) =>
      keyed(
        text(variable, 'valueFrom', 'secretKeyRef', 'name'),
        text(variable, 'valueFrom', 'secretKeyRef', 'key'),
        TOKEN_NAMES.includes(text(variable, 'name') ?? ''),
      ),
    ),
  ),
  ...pod.volumes.flatMap((volume) => {
    const secretName = text(volume, 'secret', 'secretName');
    const items = records(volume, 'secret', 'items');
    if (items.length > 0)
      return items.flatMap((item) =>
        keyed(secretName, text(item, 'key'), TOKEN_NAMES.includes(text(item, 'path') ?? '')),
      );
    // A folder of all keys: where it is that of the token, its file name is known.
    return text(volume, 'name') === TOKEN_VOLUME ? keyed(secretName, TOKEN_FILE, true) : [];
  }),
];

const keyed = (
  secretName: string | undefined,
  key: string | undefined,
  huggingFace: boolean,
): readonly SecretKey[] =>
  secretName === undefined || key === undefined ? [] : [{ secretName, key, huggingFace }];

/** Objects of a kind, by name. */
const named = (objects: readonly ManifestObject[], kind: string): readonly string[] =>
  objects.filter((one) => one.kind === kind).map((one) => one.name);

/** What the pods of some objects need that these objects do not bring. */
export function podNeeds(objects: readonly ManifestObject[]): PodNeeds {
  const pods = podsIn(objects);
  const brought = (kind: string): ((name: string) => boolean) => {
    const names = named(objects, kind);
    return (name) => names.includes(name);
  };
  const isAccount = brought('ServiceAccount');
  const isSecret = brought('Secret');
  const isClaim = brought('PersistentVolumeClaim');
  return {
    serviceAccountNames: unique(pods.map(accountOf)).filter((name) => name !== 'default' && !isAccount(name)),
    buckets: pods.flatMap((pod) =>
      pod.volumes.flatMap((volume) => {
        const bucketName = bucketOf(volume);
        if (bucketName === undefined) return [];
        const readOnly = record(volume, 'csi')['readOnly'] === true;
        return [{ bucketName, serviceAccountName: accountOf(pod), readOnly }];
      }),
    ),
    secretKeys: uniqueBy(
      pods.flatMap(secretKeysOf).filter(({ secretName }) => !isSecret(secretName)),
      ({ secretName, key }) => `${secretName} ${key}`,
    ),
    claimNames: unique(
      pods.flatMap(({ volumes }) =>
        volumes.flatMap((volume) => text(volume, 'persistentVolumeClaim', 'claimName') ?? []),
      ),
    ).filter((name) => !isClaim(name)),
    gkeVersions: fuseVersions(pods),
    disks: pods.filter(({ tpu }) => tpu.length > 0).map(diskOf),
    privileged: unique(
      pods
        .filter(
          ({ spec, containers }) =>
            spec['hostNetwork'] === true ||
            containers.some(({ container }) => record(container, 'securityContext')['privileged'] === true),
        )
        .map(nameOf),
    ),
  };
}

/** Who runs a pod, in words. */
const nameOf = ({ object }: PodView): string => object.id.replace('/', ' ');

/** What volumes of Cloud Storage FUSE ask of the driver, and so of GKE. */
function fuseVersions(pods: readonly PodView[]): readonly GkeRequirement[] {
  const mounts = pods.flatMap(({ volumes }) => volumes.filter((volume) => bucketOf(volume) !== undefined));
  const options = mounts.map((volume) => text(volume, 'csi', 'volumeAttributes', 'mountOptions') ?? '');
  const { fileCache, parallelDownloads, metadataPrefetch } = GCS_FUSE_GKE_VERSIONS;
  const asked = (pattern: RegExp): boolean => options.some((one) => pattern.test(one));
  return [
    ...(asked(/file-cache:/) ? [fileCache] : []),
    ...(asked(/file-cache:enable-parallel-downloads:true/) ? [parallelDownloads] : []),
    ...(mounts.some(
      (volume) => text(volume, 'csi', 'volumeAttributes', 'gcsfuseMetadataPrefetchOnMount') === 'true',
    )
      ? [metadataPrefetch]
      : []),
  ];
}

/** The local disk that a pod requests, the sidecar of Cloud Storage FUSE included. A limit alone is a request too, but for a sidecar's 0. */
function diskOf(pod: PodView): DiskNeed {
  const containers = pod.containers.map(({ container }) =>
    bytes(text(container, 'resources', 'requests', DISK) ?? text(container, 'resources', 'limits', DISK)),
  );
  const sidecar = (kind: string): number => bytes(text(pod.annotations, `gke-gcsfuse/${DISK}-${kind}`));
  const fuse =
    text(pod.annotations, 'gke-gcsfuse/volumes') === 'true'
      ? sidecar('request') || sidecar('limit') || SIDECAR_DISK_BYTES
      : 0;
  return {
    object: nameOf(pod),
    accelerator: text(pod.nodeSelector, ACCELERATOR),
    topology: text(pod.nodeSelector, TOPOLOGY),
    bytes: containers.reduce((sum, one) => sum + one, fuse),
  };
}

const bytes = (amount: string | undefined): number => (amount === undefined ? 0 : quantityOf(amount) || 0);

const DISK = 'ephemeral-storage';

/** Whether an autoscaler among the objects reads metrics of pods, which the custom metrics adapter serves. */
export const readsPodMetrics = (objects: readonly ManifestObject[]): boolean =>
  objects.some(
    ({ kind, manifest }) =>
      kind === 'HorizontalPodAutoscaler' &&
      list(manifest, 'spec', 'metrics').some(
        (metric) => isRecord(metric) && text(metric, 'pods', 'metric', 'name') !== undefined,
      ),
  );

/** Images that containers run. */
export const imagesIn = (objects: readonly ManifestObject[]): readonly string[] =>
  unique(
    podsIn(objects).flatMap(({ containers }) =>
      containers.flatMap(({ container }) => text(container, 'image') ?? []),
    ),
  );

export const unique = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];

/** Values of which there is one with each key, in the order in which they first came. */
export const uniqueBy = <T>(values: readonly T[], key: (value: T) => string): readonly T[] => {
  const keys = values.map(key);
  return values.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
};
