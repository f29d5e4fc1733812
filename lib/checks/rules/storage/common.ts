import { GCS_FUSE_ANNOTATION } from '../../../facts/labels';
import { GCS_FUSE_DRIVER } from '../../../facts/gcs-fuse';
import { JAX_COMPILE_CACHE, VLLM_COMPILE_CACHE } from '../../../facts/variables';
import { amount, at, type Json, list, type ManifestObject, record, text } from '../../../manifest/manifest';
import { isUnder, quantityOf } from '../../../problems/grammar';
import { grouped, objectNamed, ofGroup } from '../../../manifest/selection';
import { sliceOf, specPath } from '../../../manifest/slices';
import { type ContainerView, type PodView, records } from '../../../manifest/pods';
import { type ManifestSet, perSet } from '../../../manifest/set';

export const ANNOTATION = GCS_FUSE_ANNOTATION;

/** Kinds whose pods end. */
export const RUN_ONCE: readonly string[] = ['Job', 'CronJob', 'Pod'];

/** Variables that name the folder of compiled programs. */
export const COMPILE_CACHE = [VLLM_COMPILE_CACHE, JAX_COMPILE_CACHE] as const;

/** A Cloud Storage FUSE volume: of a pod, or a PersistentVolume behind one. */
interface FuseVolume {
  /** Name of the pod's volume. */
  readonly name: string;
  /** The object that defines the volume. */
  readonly object: ManifestObject;
  readonly bucketPath: string;
  readonly optionsPath: string;
  readonly bucket: unknown;
  readonly options: readonly string[];
  /** Size of its file cache, in MiB; 0 if it has none. */
  readonly cacheMiB: number;
}

/** A folder that a flag or a variable of a container names. */
interface Folder {
  readonly what: string;
  readonly path: string;
  readonly folder: string;
}

export const MIB = 2 ** 20;

export const GIB = 2 ** 30;

export const nameOf = (named: unknown): string | undefined => text(named, 'name');

export const volumePath = (pod: PodView, volume: Json): string =>
  `${specPath(pod)}.volumes[${nameOf(volume) ?? ''}]`;

export const annotationPath = (pod: PodView, key: string): string =>
  `${pod.path === '' ? '' : `${pod.path}.`}metadata.annotations[${key}]`;

/** Whether the driver's webhook adds its sidecar to a pod. */
export const asksForSidecar = ({ annotations }: PodView): boolean =>
  annotations[ANNOTATION] === 'true' || annotations[ANNOTATION] === 'True';

/** Number of hosts of the slice of a pod. */
export const hostsOf = (pod: PodView): number =>
  sliceOf(pod).hosts ??
  // the pods of a Job that is not Indexed are independent, so they are not hosts of one slice
  (pod.object.kind === 'Job' && at(pod.owner, 'completionMode') !== 'Indexed'
    ? 1
    : Math.max(1, ...pod.statedHosts.map(({ hosts }) => hosts)));

/** The volumes of a pod that are in memory. */
export const memoryVolumes = (
  pod: PodView,
): readonly { readonly name: string; readonly path: string; readonly sizeLimit: string | undefined }[] =>
  pod.volumes
    .filter((volume) => text(volume, 'emptyDir', 'medium') === 'Memory')
    .map((volume) => ({
      name: nameOf(volume) ?? '',
      path: `${volumePath(pod, volume)}.emptyDir`,
      sizeLimit: amount(volume, 'emptyDir', 'sizeLimit'),
    }));

/** The Cloud Storage FUSE volumes of a pod: inline volumes, and PersistentVolumes of its claims that are in the set. */
export const fuseVolumes = (set: ManifestSet, pod: PodView): readonly FuseVolume[] => [
  ...ownFuseVolumes(pod),
  ...pod.volumes.flatMap((volume) => {
    const claim = text(volume, 'persistentVolumeClaim', 'claimName');
    const bound = claim === undefined ? undefined : boundVolume(set, claim, pod.object);
    return bound ? [{ ...persistentVolume(bound), name: nameOf(volume) ?? '' }] : [];
  }),
];

function ownFuseVolumes(pod: PodView): readonly FuseVolume[] {
  return pod.volumes
    .filter((volume) => text(volume, 'csi', 'driver') === GCS_FUSE_DRIVER)
    .map((volume) => {
      const attributes = record(volume, 'csi', 'volumeAttributes');
      const path = `${volumePath(pod, volume)}.csi.volumeAttributes`;
      return {
        name: nameOf(volume) ?? '',
        object: pod.object,
        bucketPath: `${path}.bucketName`,
        optionsPath: `${path}.mountOptions`,
        bucket: attributes['bucketName'],
        ...optionsOf(attributes, []),
      };
    });
}

function persistentVolume(object: ManifestObject): FuseVolume {
  const csi = record(object.manifest, 'spec', 'csi');
  return {
    name: object.name,
    object,
    bucketPath: 'spec.csi.volumeHandle',
    optionsPath: 'spec.mountOptions',
    bucket: csi['volumeHandle'],
    ...optionsOf(record(csi, 'volumeAttributes'), list(object.manifest, 'spec', 'mountOptions')),
  };
}

/** The PersistentVolume that a claim is bound to by name, from either side. */
function boundVolume(set: ManifestSet, claim: string, user: ManifestObject): ManifestObject | undefined {
  const { byName, byClaim } = fusePersistentVolumes(set);
  if (byName.size === 0) return undefined;
  const asked = objectNamed(set, user, 'PersistentVolumeClaim', claim);
  const named = byName.get(text(asked?.manifest, 'spec', 'volumeName') ?? '')?.[0];
  const claiming = byClaim.get([user.namespace, claim].join('\n'))?.[0];
  const found = [named, claiming].filter((one) => one !== undefined);
  // of two volumes, the first in the set
  return found.length > 1 ? set.ofKind('PersistentVolume').find((one) => found.includes(one)) : found[0];
}

const fusePersistentVolumes = perSet((set) => {
  const volumes = ofGroup(set, 'PersistentVolume', '').filter(
    ({ manifest }) => text(manifest, 'spec', 'csi', 'driver') === GCS_FUSE_DRIVER,
  );
  const claimOf = ({ manifest }: ManifestObject): string =>
    [
      text(manifest, 'spec', 'claimRef', 'namespace') ?? '',
      text(manifest, 'spec', 'claimRef', 'name') ?? '',
    ].join('\n');
  return {
    byName: grouped(volumes.map((one) => [one.name, one])),
    byClaim: grouped(volumes.map((one) => [claimOf(one), one])),
  };
});

function optionsOf(attributes: Json, more: readonly unknown[]): Pick<FuseVolume, 'options' | 'cacheMiB'> {
  const options = [...(text(attributes, 'mountOptions') ?? '').split(','), ...more]
    .filter((option) => typeof option === 'string')
    .map((option) => option.trim())
    .filter((option) => option !== '');
  return { options, cacheMiB: cacheMiB(options, text(attributes, 'fileCacheCapacity')) };
}

/** Size of the file cache of a volume, in MiB. Without a size, the cache is off; -1 means unlimited. */
function cacheMiB(options: readonly string[], capacity: string | undefined): number {
  const option = options
    .map((one) => /^file-cache:max-size-mb:(-?\d+)$/.exec(one)?.[1])
    .find((size) => size !== undefined);
  const size =
    option !== undefined
      ? Number(option)
      : capacity === undefined
        ? 0
        : capacity === '-1'
          ? -1
          : quantityOf(capacity) / MIB;
  return size < 0 || Number.isNaN(size) ? Infinity : size;
}

/** All Cloud Storage FUSE volumes that the set defines. */
export const everyFuseVolume = (set: ManifestSet): readonly FuseVolume[] => [
  ...set.pods.flatMap(ownFuseVolumes),
  ...ofGroup(set, 'PersistentVolume', '')
    .filter(({ manifest }) => text(manifest, 'spec', 'csi', 'driver') === GCS_FUSE_DRIVER)
    .map(persistentVolume),
];

/** The folders in which a container keeps weights and compiled programs. */
export function foldersOf({ container, path }: ContainerView): readonly Folder[] {
  const words = [...list(container, 'command'), ...list(container, 'args')].filter(
    (word) => typeof word === 'string',
  );
  const flag = /--download[-_]dir[= ]["']?([^\s"']+)/.exec(words.join(' '))?.[1];
  const variables = [...COMPILE_CACHE, 'HF_HOME'].flatMap((what) =>
    records(container, 'env')
      .filter((one) => nameOf(one) === what)
      .map((one) => ({ what, path: `${path}.env[${what}]`, folder: text(one, 'value') ?? '' })),
  );
  return [
    ...(flag === undefined
      ? []
      : [
          {
            what: '--download-dir',
            path: `${path}.${list(container, 'args').length > 0 ? 'args' : 'command'}`,
            folder: flag,
          },
        ]),
    ...variables,
  ].filter(({ folder }) => /^(\/|gs:\/\/)[^$]*$/.test(folder));
}

/** The innermost mount of a container that contains a folder. */
export const mountOf = ({ container }: ContainerView, folder: string): Json | undefined =>
  records(container, 'volumeMounts')
    .filter((mount) => isUnder(folder, text(mount, 'mountPath')?.replace(/(?<=.)\/+$/, '') ?? '\0'))
    .sort((a, b) => (text(b, 'mountPath') ?? '').length - (text(a, 'mountPath') ?? '').length)[0];
