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
import { quantityOf } from '../problems/grammar';
import { TOKEN_NAMES } from '../facts/variables';
import { AUTOSCALING_METRIC_GROUP, GCS_FUSE_ANNOTATION, gcsFuseResourceAnnotation } from '../facts/labels';
import { type GkeRequirement } from '../operations/operations';

/** A key of a Secret, and whether its value is a Hugging Face token. */
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
  /** The object that runs the pods, like `Deployment llama`. */
  readonly object: string;
  /** The slice that the pods select; undefined if a ComputeClass sets it. */
  readonly accelerator: string | undefined;
  readonly topology: string | undefined;
  /** Bytes that all containers of a pod request. */
  readonly bytes: number;
}

/** Requirements in the manifests of pods that their chart does not render. */
export interface PodNeeds {
  readonly serviceAccountNames: readonly string[];
  readonly buckets: readonly MountedBucket[];
  readonly secretKeys: readonly SecretKey[];
  readonly claimNames: readonly string[];
  /** Secrets with the credentials of image registries. */
  readonly pullSecretNames: readonly string[];
  /** PriorityClasses, except those that every cluster has. */
  readonly priorityClassNames: readonly string[];
  /** Versions of GKE that have the Cloud Storage FUSE features of the volumes. */
  readonly gkeVersions: readonly GkeRequirement[];
  /** Local disk that pods on TPU nodes request. */
  readonly disks: readonly DiskNeed[];
  /** Names of the objects whose pods are privileged or use the host network. */
  readonly privileged: readonly string[];
}

/** Returns the rendered objects of a chart, without those of charts inside it. */
export const objectsOf = (chart: Chart): readonly ManifestObject[] =>
  chart.node
    .findAll()
    .filter((one) => ApiObject.isApiObject(one))
    .filter((one) => Chart.of(one) === chart)
    .map((one) => manifestObject(one.toJson() as Json, { constructPath: one.node.path }));

/** Returns the pods of objects. */
const podsIn = (objects: readonly ManifestObject[]): readonly PodView[] => objects.flatMap(podsOf);

/** Returns the ServiceAccount of a pod. */
export const accountOf = (pod: PodView): string => text(pod.spec, 'serviceAccountName') ?? 'default';

/** Returns the bucket that a volume mounts; undefined for other volumes. */
export const bucketOf = (volume: Json): string | undefined =>
  text(volume, 'csi', 'driver') === GCS_FUSE_DRIVER
    ? text(volume, 'csi', 'volumeAttributes', 'bucketName')
    : undefined;

/** Returns the bucket of a volume's claim; undefined if the objects do not include its PersistentVolume. */
function claimedBucket(volume: Json, objects: readonly ManifestObject[]): string | undefined {
  const claim = text(volume, 'persistentVolumeClaim', 'claimName');
  const found = objects.find(({ kind, name }) => kind === 'PersistentVolumeClaim' && name === claim);
  const volumeName = text(found?.manifest, 'spec', 'volumeName');
  const bound = objects.find(({ kind, name }) => kind === 'PersistentVolume' && name === volumeName);
  return text(bound?.manifest, 'spec', 'csi', 'driver') === GCS_FUSE_DRIVER
    ? text(bound?.manifest, 'spec', 'csi', 'volumeHandle')
    : undefined;
}

/** Returns the keys of Secrets that a pod names. */
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
    // The volume has all keys of the Secret. Only the key of the token's volume is known.
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

/** Returns the requirements of pods that none of the objects fulfills. */
export function podNeeds(objects: readonly ManifestObject[]): PodNeeds {
  const pods = podsIn(objects);
  const brought = (kind: string): ((name: string) => boolean) => {
    const names = named(objects, kind);
    return (name) => names.includes(name);
  };
  const isAccount = brought('ServiceAccount');
  const isSecret = brought('Secret');
  const isClaim = brought('PersistentVolumeClaim');
  const isPriority = brought('PriorityClass');
  return {
    serviceAccountNames: unique(pods.map(accountOf)).filter((name) => name !== 'default' && !isAccount(name)),
    buckets: pods.flatMap((pod) =>
      pod.volumes.flatMap((volume) => {
        const bucketName = bucketOf(volume) ?? claimedBucket(volume, objects);
        if (bucketName === undefined) return [];
        const readOnly = ['csi', 'persistentVolumeClaim'].some(
          (source) => record(volume, source)['readOnly'] === true,
        );
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
    pullSecretNames: unique(
      pods.flatMap(({ spec }) => records(spec, 'imagePullSecrets').flatMap((one) => text(one, 'name') ?? [])),
    ).filter((name) => !isSecret(name)),
    priorityClassNames: unique(pods.flatMap(({ spec }) => text(spec, 'priorityClassName') ?? [])).filter(
      (name) => !name.startsWith('system-') && !isPriority(name),
    ),
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

/** Returns the kind and name of the object that runs a pod. */
const nameOf = ({ object }: PodView): string => object.id.replace('/', ' ');

/** Returns the versions of GKE that Cloud Storage FUSE volumes need. */
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

/** Returns the local disk that a pod requests, sidecar included. A limit alone counts as a request, unless it is 0 for a sidecar. */
function diskOf(pod: PodView): DiskNeed {
  const containers = pod.containers.map(({ container }) =>
    bytes(text(container, 'resources', 'requests', DISK) ?? text(container, 'resources', 'limits', DISK)),
  );
  const sidecar = (kind: 'request' | 'limit'): number =>
    bytes(text(pod.annotations, gcsFuseResourceAnnotation(DISK, kind)));
  const fuse =
    text(pod.annotations, GCS_FUSE_ANNOTATION) === 'true'
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

/** Whether an autoscaler among the objects reads metrics that the custom metrics adapter provides. */
export const readsCustomMetrics = (objects: readonly ManifestObject[]): boolean =>
  objects.some(
    ({ kind, manifest }) =>
      kind === 'HorizontalPodAutoscaler' &&
      list(manifest, 'spec', 'metrics').some(
        (metric) =>
          isRecord(metric) &&
          ['pods', 'external'].some(
            (source) =>
              text(metric, source, 'metric', 'name')?.startsWith(`${AUTOSCALING_METRIC_GROUP}|`) === false,
          ),
      ),
  );

/** Returns the images that containers run. */
export const imagesIn = (objects: readonly ManifestObject[]): readonly string[] =>
  unique(
    podsIn(objects).flatMap(({ containers }) =>
      containers.flatMap(({ container }) => text(container, 'image') ?? []),
    ),
  );

export const unique = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];

/** Returns the first value for each key, in order. */
export const uniqueBy = <T>(values: readonly T[], key: (value: T) => string): readonly T[] => {
  const keys = values.map(key);
  return values.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
};
