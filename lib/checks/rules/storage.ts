import { JAX_COMPILE_CACHE, LOCAL_COMPILE_CACHE, VLLM_COMPILE_CACHE } from '../../facts/variables';
import {
  BUFFER_VOLUME,
  CACHE_VOLUME,
  GCS_FUSE_DRIVER,
  REFUSED_OPTIONS,
  TMP_VOLUME,
} from '../../facts/gcs-fuse';
import { isUnder, quantityOf, quoted } from '../../problems/validators';
import { modelSizeByName } from '../../pod/startup-budget';
import { count, machineFacts } from '../../tpu/topology';
import {
  amount,
  at,
  isRecord,
  type Json,
  list,
  type ManifestObject,
  record,
  text,
} from '../../manifest/manifest';
import { type ContainerView, type PodView, records } from '../../manifest/pods';
import { remark, rule, type Rule } from '../rule';
import { type ManifestSet } from '../../manifest/set';
import { ofGroup } from '../../manifest/selection';
import { sliceOf, specPath, tpuContainers } from '../../manifest/slices';

const ANNOTATION = 'gke-gcsfuse/volumes';
/** Volumes that the driver adds to a pod, but for those that the pod brings itself; the last one it always adds. */
/** Sources of a volume that nothing can be written to. */
const READ_ONLY_SOURCES = ['secret', 'configMap', 'downwardAPI', 'projected', 'image'] as const;

/** Kinds whose pods end. */
const RUN_ONCE: readonly string[] = ['Job', 'CronJob', 'Pod'];

/** Variables that name the folder of compiled programs. */
const COMPILE_CACHE = [VLLM_COMPILE_CACHE, JAX_COMPILE_CACHE] as const;

/** A Cloud Storage FUSE volume: of a pod, or a PersistentVolume behind one. */
interface FuseVolume {
  /** Name of the pod's volume. */
  readonly name: string;
  /** Where it is written: the object, and the paths in it. */
  readonly object: ManifestObject;
  readonly bucketPath: string;
  readonly optionsPath: string;
  readonly bucket: unknown;
  readonly options: readonly string[];
  /** MiB that its file cache may hold; 0 where it has none. */
  readonly cacheMiB: number;
}

/** A folder that a container is told to use, by a flag or a variable. */
interface Folder {
  readonly what: string;
  readonly path: string;
  readonly folder: string;
}

/** Where weights and compiled programs lie, and what caches them. */
export const STORAGE_RULES: readonly Rule[] = [
  rule(
    'TPU401',
    'error',
    'a pod with a Cloud Storage FUSE volume has the annotation that brings the sidecar',
    function* (set) {
      for (const pod of set.pods) {
        const [volume] = fuseVolumes(set, pod);
        const annotation = pod.annotations[ANNOTATION];
        // What is no text at all is refused by the API server, and TPU711 says so.
        if (!volume || asksForSidecar(pod) || (annotation !== undefined && typeof annotation !== 'string'))
          continue;
        yield {
          object: pod.object,
          path: annotationPath(pod, ANNOTATION),
          message: `volume '${volume.name}' is Cloud Storage FUSE, and annotation '${ANNOTATION}' is ${annotation === undefined ? 'missing' : quoted(annotation)}, so the pod gets no sidecar and the mount fails`,
          fix: `add the annotation ${ANNOTATION}: "true" to the pod template`,
        };
      }
    },
  ),

  remark('TPU402', 'note', 'the annotation for Cloud Storage FUSE comes with a volume', function* (set) {
    for (const pod of set.pods) {
      if (!asksForSidecar(pod) || fuseVolumes(set, pod).length > 0) continue;
      // A claim may be bound to a bucket that nothing here shows.
      const claims = [...pod.volumes, ...records(pod.owner, 'volumeClaimTemplates')].some(
        (one) => 'persistentVolumeClaim' in one || 'ephemeral' in one || 'spec' in one,
      );
      if (claims) continue;
      yield {
        object: pod.object,
        path: annotationPath(pod, ANNOTATION),
        message: `annotation '${ANNOTATION}' adds a sidecar, and no volume of the pod is Cloud Storage FUSE`,
        fix: `leave the annotation out, or add a csi volume of driver ${GCS_FUSE_DRIVER}`,
      };
    }
  }),

  rule('TPU403', 'error', 'a volumeMount names a volume of its pod', function* ({ pods }) {
    for (const pod of pods) {
      const volumes = [
        ...pod.volumes.map(nameOf),
        ...records(pod.owner, 'volumeClaimTemplates').map((claim) => text(claim, 'metadata', 'name')),
      ];
      for (const { container, name, path } of pod.containers)
        for (const mount of records(container, 'volumeMounts')) {
          const volume = nameOf(mount);
          if (volume === undefined || volumes.includes(volume)) continue;
          const known = volumes.filter((one) => one !== undefined);
          yield {
            object: pod.object,
            path: `${path}.volumeMounts[${volume}]`,
            message: `container '${name}' mounts volume '${volume}', which the pod does not have`,
            fix: `add volume '${volume}' to volumes${known.length > 0 ? `, or mount one of ${known.map(quoted).join(', ')}` : ''}`,
          };
        }
    }
  }),

  rule('TPU404', 'error', 'a Cloud Storage FUSE volume names a bucket', function* (set) {
    for (const { object, name, bucketPath: path, bucket } of everyFuseVolume(set)) {
      const url = typeof bucket === 'string' && bucket.startsWith('gs://') ? bucket : undefined;
      if (typeof bucket === 'string' && bucket !== '' && url === undefined) continue;
      yield {
        object,
        path,
        message:
          url === undefined
            ? `volume '${name}' names no bucket`
            : `volume '${name}' names the URL '${url}' where the name of a bucket is expected`,
        fix:
          url === undefined
            ? 'set the name of the bucket, without gs://'
            : `set '${url.slice('gs://'.length).split('/')[0] ?? ''}'`,
      };
    }
  }),

  remark(
    'TPU405',
    'warning',
    'weights and compiled programs of a TPU server lie on a volume',
    function* ({ pods }) {
      for (const pod of pods) {
        // What runs once has nothing to find again.
        if (RUN_ONCE.includes(pod.object.kind)) continue;
        for (const container of tpuContainers(pod))
          for (const { what, path, folder } of foldersOf(container)) {
            const compiled = COMPILE_CACHE.some((name) => name === what);
            const bucket = folder.startsWith('gs://');
            if (bucket && what === JAX_COMPILE_CACHE) continue;
            // Hosts of one slice that write the same programs get in each other's way: there a local folder is right.
            if (!bucket && (mountOf(container, folder) || (compiled && hostsOf(pod) > 1))) continue;
            const mounts = records(container.container, 'volumeMounts').flatMap(
              (mount) => text(mount, 'mountPath') ?? [],
            );
            yield {
              object: pod.object,
              path,
              message: bucket
                ? `the ${what} '${folder}' is a URL where a folder of the container is expected, and nothing is found there again`
                : `the ${what} '${folder}' of container '${container.name}' is on no volume and lost at every restart`,
              fix: `set a folder on a volume${mounts.length > 0 ? `, under ${mounts.map(quoted).join(' or ')}` : `, and mount one at '${bucket ? '/data' : folder}'`}`,
            };
          }
      }
    },
  ),

  remark(
    'TPU406',
    'warning',
    'a volume in the memory of a TPU machine has a sizeLimit',
    function* ({ pods }) {
      for (const pod of pods) {
        if (tpuContainers(pod).length === 0) continue;
        for (const { name, path, sizeLimit } of memoryVolumes(pod)) {
          if (sizeLimit !== undefined) continue;
          yield {
            object: pod.object,
            path: `${path}.sizeLimit`,
            message: `volume '${name}' is in memory and has no sizeLimit, so it can take what the server needs`,
            fix:
              name === CACHE_VOLUME
                ? "set sizeLimit to the size of the weights, like '160Gi' for a model of 70B"
                : "set sizeLimit, like '16Gi' for /dev/shm",
          };
        }
      }
    },
  ),

  rule('TPU407', 'error', 'the medium of an emptyDir is spelt as Kubernetes knows it', function* ({ pods }) {
    for (const pod of pods)
      for (const volume of pod.volumes) {
        const medium = at(volume, 'emptyDir', 'medium');
        if (medium === undefined || medium === null || (typeof medium === 'string' && MEDIUM.test(medium)))
          continue;
        const huge = /^huge-?pages-?(.*)$/i.exec(text(volume, 'emptyDir', 'medium') ?? '')?.[1];
        const near = huge === undefined ? 'Memory' : huge === '' ? 'HugePages' : `HugePages-${huge}`;
        yield {
          object: pod.object,
          path: `${volumePath(pod, volume)}.emptyDir.medium`,
          message: `medium ${quoted(medium)} of volume '${nameOf(volume) ?? ''}' is accepted and means nothing: the volume is on the node's disk`,
          fix: `write '${near}', or leave it out for the disk`,
        };
      }
  }),

  remark(
    'TPU408',
    'warning',
    'the volumes in memory fit into the memory of the machine',
    function* ({ pods }) {
      for (const pod of pods) {
        const { machines, chips } = sliceOf(pod);
        const fitting = machines.map(machineFacts).filter((facts) => facts.chips === chips);
        const memoryGB = Math.max(...fitting.map((facts) => facts.memoryGB));
        const volumes = memoryVolumes(pod).filter(({ sizeLimit }) => sizeLimit !== undefined);
        const bytes = volumes.reduce((sum, { sizeLimit }) => sum + quantityOf(sizeLimit ?? ''), 0);
        const [first] = volumes;
        // GB of a machine type are read as GiB: the larger of the two, so that nothing is said where it might fit
        if (!first || fitting.length === 0 || !(bytes > memoryGB * GIB)) continue;
        yield {
          object: pod.object,
          path: `${specPath(pod)}.volumes`,
          message: `volumes in memory may hold ${volumes.map(({ name, sizeLimit }) => `'${sizeLimit ?? ''}' (${name})`).join(' and ')}, more than the ${String(memoryGB)} GB of the machine`,
          fix: `set sizeLimits of less than ${String(memoryGB)}Gi together, and leave room for the server`,
        };
      }
    },
  ),

  rule(
    'TPU409',
    'error',
    'the limits of the Cloud Storage FUSE sidecar leave room for its cache',
    function* (set) {
      for (const pod of set.pods) {
        const volume = pod.volumes.find((one) => nameOf(one) === CACHE_VOLUME);
        const resource = text(volume, 'emptyDir', 'medium') === 'Memory' ? 'memory' : 'ephemeral-storage';
        // Only one of limit and request: the driver takes it for both.
        const key = [`gke-gcsfuse/${resource}-limit`, `gke-gcsfuse/${resource}-request`].find(
          (name) => pod.annotations[name] !== undefined,
        );
        const limit = key === undefined ? undefined : text(pod.annotations, key);
        const sizeLimit = amount(volume, 'emptyDir', 'sizeLimit');
        if (key === undefined || limit === undefined || sizeLimit === undefined || quantityOf(limit) === 0)
          continue;
        const cached = fuseVolumes(set, pod).reduce((sum, { cacheMiB }) => sum + cacheMiB, 0) * MIB;
        if (!(quantityOf(limit) < Math.min(quantityOf(sizeLimit), cached))) continue;
        yield {
          object: pod.object,
          path: annotationPath(pod, key),
          message: `the sidecar may use '${limit}' of ${resource}, and its cache '${CACHE_VOLUME}' up to '${sizeLimit}', so it is killed as the cache fills`,
          fix: `set the annotation gke-gcsfuse/${resource}-limit: "0" for no limit, or to more than ${sizeLimit}`,
        };
      }
    },
  ),

  remark(
    'TPU410',
    'warning',
    'no mount option is one that the Cloud Storage FUSE driver sets itself',
    function* (set) {
      for (const { object, name, optionsPath: path, options } of everyFuseVolume(set))
        for (const option of options) {
          const key = option.split(/[:=]/)[0] ?? '';
          if (!REFUSED_OPTIONS.includes(key)) continue;
          yield {
            object,
            path,
            message: `mount option '${option}' of volume '${name}' is discarded: the driver sets '${key}' itself`,
            fix: `leave '${option}' out`,
          };
        }
    },
  ),

  rule(
    'TPU411',
    'error',
    'the names that the Cloud Storage FUSE driver reserves are used for its own volumes',
    function* (set) {
      for (const pod of set.pods) {
        if (!asksForSidecar(pod) && fuseVolumes(set, pod).length === 0) continue;
        for (const volume of pod.volumes) {
          const name = nameOf(volume) ?? '';
          const source = [...READ_ONLY_SOURCES, 'csi' as const].find((key) => isRecord(volume[key]));
          const unusable =
            source !== undefined && (source !== 'csi' || text(volume, 'csi', 'driver') === GCS_FUSE_DRIVER);
          if (name !== TMP_VOLUME && !(unusable && (name === CACHE_VOLUME || name === BUFFER_VOLUME)))
            continue;
          yield {
            object: pod.object,
            path: volumePath(pod, volume),
            message:
              name === TMP_VOLUME
                ? `volume '${name}' has the name of the one that the driver adds to every pod, so the pod has two and is refused`
                : `volume '${name}' is where the sidecar writes, and ${source === 'csi' ? 'is itself a bucket' : `a ${source ?? ''} cannot be written to`}`,
            fix:
              name === TMP_VOLUME
                ? 'give the volume another name'
                : 'make it an emptyDir or a persistentVolumeClaim, or give it another name',
          };
        }
      }
    },
  ),

  remark(
    'TPU412',
    'note',
    'a TPU server reads a Cloud Storage FUSE volume through a file cache of its own',
    function* (set) {
      for (const pod of set.pods) {
        if (RUN_ONCE.includes(pod.object.kind)) continue;
        const hasVolume = pod.volumes.some((volume) => nameOf(volume) === CACHE_VOLUME);
        const mounted = tpuContainers(pod).flatMap(({ container }) =>
          records(container, 'volumeMounts').map(nameOf),
        );
        for (const { name, cacheMiB } of fuseVolumes(set, pod)) {
          if (!mounted.includes(name) || (cacheMiB > 0 && hasVolume)) continue;
          yield {
            object: pod.object,
            path: `${specPath(pod)}.volumes[${name}]`,
            message:
              cacheMiB > 0
                ? `the file cache of volume '${name}' is on the node's boot disk, within the sidecar's limit of ephemeral storage`
                : `volume '${name}' has no file cache, so large files are read from the bucket slowly, and again each time`,
            fix: `${cacheMiB > 0 ? '' : 'add file-cache:max-size-mb:-1,file-cache:enable-parallel-downloads:true to mountOptions, and '}add an emptyDir '${CACHE_VOLUME}' with medium: Memory and a sizeLimit that the weights fit into`,
          };
        }
      }
    },
  ),

  remark(
    'TPU413',
    'warning',
    'the hosts of a slice do not write one compile cache over Cloud Storage FUSE',
    function* (set) {
      for (const pod of set.pods) {
        const hosts = hostsOf(pod);
        if (hosts <= 1) continue;
        const fuse = fuseVolumes(set, pod).map(({ name }) => name);
        for (const container of tpuContainers(pod))
          for (const { what, path, folder } of foldersOf(container)) {
            const mount = mountOf(container, folder);
            if (!COMPILE_CACHE.some((name) => name === what) || !mount || !fuse.includes(nameOf(mount) ?? ''))
              continue;
            if (text(mount, 'subPathExpr') !== undefined) continue;
            yield {
              object: pod.object,
              path,
              message: `the ${what} '${folder}' is in a bucket that ${count(hosts, 'host')} write at once, and they overwrite each other's programs`,
              fix: `set a local folder, like '${LOCAL_COMPILE_CACHE}'`,
            };
          }
      }
    },
  ),

  remark(
    'TPU414',
    'warning',
    'a cache of Cloud Storage FUSE on disk is requested from the node',
    function* (set) {
      for (const pod of set.pods) {
        const volume = pod.volumes.find((one) => nameOf(one) === CACHE_VOLUME);
        const sizeLimit = amount(volume, 'emptyDir', 'sizeLimit');
        if (sizeLimit === undefined || text(volume, 'emptyDir', 'medium') === 'Memory') continue;
        if (fuseVolumes(set, pod).length === 0) continue;
        const [request, limit] = (['request', 'limit'] as const).map((kind) =>
          text(pod.annotations, `gke-gcsfuse/ephemeral-storage-${kind}`),
        );
        // The driver takes what stands alone for both: of a limit that is too small TPU409 speaks.
        const alone = (request === undefined) !== (limit === undefined);
        if (alone && quantityOf(request ?? limit ?? '') !== 0) continue;
        const asked = request ?? SIDECAR_DISK;
        if (!(quantityOf(asked) < quantityOf(sizeLimit))) continue;
        yield {
          object: pod.object,
          path: annotationPath(pod, 'gke-gcsfuse/ephemeral-storage-request'),
          message: `the cache '${CACHE_VOLUME}' may hold '${sizeLimit}' of the node's disk, and the sidecar requests '${asked}', so the pod may come to a node without that room and be evicted`,
          fix: `set the annotations gke-gcsfuse/ephemeral-storage-request to more than '${sizeLimit}' and gke-gcsfuse/ephemeral-storage-limit: "0"`,
        };
      }
    },
  ),

  remark('TPU415', 'note', 'the file cache of a TPU server holds its weights', function* (set) {
    for (const pod of set.pods) {
      if (RUN_ONCE.includes(pod.object.kind)) continue;
      const volume = pod.volumes.find((one) => nameOf(one) === CACHE_VOLUME);
      const sizeLimit = amount(volume, 'emptyDir', 'sizeLimit');
      const mounts = tpuContainers(pod).flatMap(({ container }) =>
        records(container, 'volumeMounts').map(nameOf),
      );
      const cached = fuseVolumes(set, pod).filter(
        ({ name, cacheMiB: held }) => held > 0 && mounts.includes(name),
      );
      const model = tpuContainers(pod).flatMap(({ container }) => modelOf(container) ?? [])[0];
      const size = modelSizeByName(model ?? '');
      if (sizeLimit === undefined || model === undefined || size === undefined || cached.length === 0)
        continue;
      const held = Math.min(quantityOf(sizeLimit), ...cached.map(({ cacheMiB: mib }) => mib * MIB));
      if (!(held < quantityOf(size))) continue;
      yield {
        object: pod.object,
        path: `${specPath(pod)}.volumes[${CACHE_VOLUME}].emptyDir.sizeLimit`,
        message: `the cache holds ${String(Math.floor(held / GIB))} GiB of the weights of '${model}', '${size}' as its name has it, and the others are read from the bucket at every start`,
        fix: `set sizeLimit to '${String(Math.ceil(quantityOf(size) / GIB))}Gi' or more, and file-cache:max-size-mb:-1`,
      };
    }
  }),
];

/** What the driver's sidecar requests of the node's disk by default: https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver (5fcdc04) */
const SIDECAR_DISK = '5Gi';
const MIB = 2 ** 20;
const GIB = 2 ** 30;
const MEDIUM = /^(Memory|HugePages(-\S+)?)?$/;

const nameOf = (named: unknown): string | undefined => text(named, 'name');

const volumePath = (pod: PodView, volume: Json): string =>
  `${specPath(pod)}.volumes[${nameOf(volume) ?? ''}]`;

const annotationPath = (pod: PodView, key: string): string =>
  `${pod.path === '' ? '' : `${pod.path}.`}metadata.annotations[${key}]`;

/** Whether the driver's webhook adds its sidecar to a pod. */
const asksForSidecar = ({ annotations }: PodView): boolean =>
  annotations[ANNOTATION] === 'true' || annotations[ANNOTATION] === 'True';

/** Hosts of the slice that a pod is one of. */
const hostsOf = (pod: PodView): number =>
  sliceOf(pod).hosts ?? Math.max(1, ...pod.statedHosts.map(({ hosts }) => hosts));

/** The volumes of a pod that are in the memory of its machine. */
const memoryVolumes = (
  pod: PodView,
): readonly { readonly name: string; readonly path: string; readonly sizeLimit: string | undefined }[] =>
  pod.volumes
    .filter((volume) => text(volume, 'emptyDir', 'medium') === 'Memory')
    .map((volume) => ({
      name: nameOf(volume) ?? '',
      path: `${volumePath(pod, volume)}.emptyDir`,
      sizeLimit: amount(volume, 'emptyDir', 'sizeLimit'),
    }));

/** The Cloud Storage FUSE volumes of a pod: its own, and those behind its claims as far as the set has them. */
const fuseVolumes = (set: ManifestSet, pod: PodView): readonly FuseVolume[] => [
  ...ownFuseVolumes(pod),
  ...pod.volumes.flatMap((volume) => {
    const claim = text(volume, 'persistentVolumeClaim', 'claimName');
    const bound = claim === undefined ? undefined : boundVolume(set, claim, pod.object.namespace);
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
function boundVolume(set: ManifestSet, claim: string, namespace: string): ManifestObject | undefined {
  const volumes = ofGroup(set, 'PersistentVolume', '');
  if (volumes.length === 0) return undefined;
  const asked = ofGroup(set, 'PersistentVolumeClaim', '').find(
    (one) => one.name === claim && one.namespace === namespace,
  );
  const byName = text(asked?.manifest, 'spec', 'volumeName');
  return volumes.find(
    ({ manifest, name }) =>
      text(manifest, 'spec', 'csi', 'driver') === GCS_FUSE_DRIVER &&
      (name === byName ||
        (text(manifest, 'spec', 'claimRef', 'name') === claim &&
          (text(manifest, 'spec', 'claimRef', 'namespace') ?? '') === namespace)),
  );
}

function optionsOf(attributes: Json, more: readonly unknown[]): Pick<FuseVolume, 'options' | 'cacheMiB'> {
  const options = [...(text(attributes, 'mountOptions') ?? '').split(','), ...more]
    .filter((option) => typeof option === 'string')
    .map((option) => option.trim())
    .filter((option) => option !== '');
  return { options, cacheMiB: cacheMiB(options, text(attributes, 'fileCacheCapacity')) };
}

/** What the file cache of a volume may hold: without a size it is off, and -1 is all that there is room for. */
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

/** Every Cloud Storage FUSE volume that is written in the set. */
const everyFuseVolume = (set: ManifestSet): readonly FuseVolume[] => [
  ...set.pods.flatMap(ownFuseVolumes),
  ...ofGroup(set, 'PersistentVolume', '')
    .filter(({ manifest }) => text(manifest, 'spec', 'csi', 'driver') === GCS_FUSE_DRIVER)
    .map(persistentVolume),
];

/** The folders that a container is told to keep weights and compiled programs in. */
function foldersOf({ container, path }: ContainerView): readonly Folder[] {
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

/** The model that vLLM is told to serve. */
function modelOf(container: Json): string | undefined {
  const words = [...list(container, 'command'), ...list(container, 'args')]
    .filter((word) => typeof word === 'string')
    .join(' ');
  return /(?:--model[= ]|\bvllm serve )["']?([^\s"']+)/.exec(words)?.[1];
}

/** The mount of a container that a folder is in; of several the innermost. */
const mountOf = ({ container }: ContainerView, folder: string): Json | undefined =>
  records(container, 'volumeMounts')
    .filter((mount) => isUnder(folder, text(mount, 'mountPath')?.replace(/(?<=.)\/+$/, '') ?? '\0'))
    .sort((a, b) => (text(b, 'mountPath') ?? '').length - (text(a, 'mountPath') ?? '').length)[0];
