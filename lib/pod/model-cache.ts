import { type VolumeMount } from 'cdk8s-plus-29/lib/imports/k8s';
import { LOCAL_COMPILE_CACHE } from '../facts/variables';
import { isBranded } from '../problems/brand';
import { absolutePath, bare, isUnder, quantityOf } from '../problems/grammar';
import { type Problem } from '../problems/problems';
import { boolean, isObject, misfit, optional, type Schema, string, type Type } from '../problems/schema';
import { type TpuSlice } from '../tpu/slice';
import { type PodFragment } from './fragment';
import { fragmentType } from './fragment-type';
import { type GcsFuseVolume } from './gcs-fuse-volume';

/** A volume that outlives the pod: a `GcsFuseVolume`, a `PvcVolume`, or a fragment with the path of its mount. */
export interface MountedVolume extends PodFragment {
  /** Folder of the container that the volume is mounted in. */
  readonly mountPath: string;
  /** Whether the volume is read-only. It then contains the weights already, and no compiled programs are stored on it. @default false */
  readonly readOnly?: boolean;
}

/** Where weights and compiled programs are stored. */
export interface ModelCacheOptions {
  /** Volume for weights and compiled programs. @default - none: every start downloads the weights and compiles */
  readonly modelCache?: MountedVolume;
  /**
   * Folder for compiled XLA programs on a volume: `JAX_COMPILATION_CACHE_DIR`. On a multi-host slice, the hosts must not share the volume,
   * because they write at the same time.
   *
   * @default - on one host, the mount path of a writable `modelCache`; none on several hosts
   */
  readonly compileCachePath?: string;
}

const VOLUME = "a volume, like new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data' })";

/** A prop `modelCache`. */
const modelCacheType: Type<MountedVolume> = {
  what: VOLUME,
  read: (value, path, problems) => {
    if (!isObject(value)) {
      problems.add(misfit(path, value, VOLUME));
      return undefined;
    }
    const fragment = fragmentType.read(value, path, problems);
    const mountPath = string(absolutePath).read(value['mountPath'], `${path}.mountPath`, problems);
    const readOnly =
      value['readOnly'] === undefined || boolean().read(value['readOnly'], `${path}.readOnly`, problems);
    return fragment === undefined || mountPath === undefined || readOnly === undefined
      ? undefined
      : (value as unknown as MountedVolume);
  },
};

export const MODEL_CACHE_PROPERTIES: Schema<ModelCacheOptions>['properties'] = {
  modelCache: optional(modelCacheType),
  compileCachePath: optional(string(absolutePath)),
};

/** Returns the mount path of a `modelCache`; undefined if it is read-only. */
export const writableMount = (modelCache: MountedVolume | undefined): string | undefined =>
  modelCache?.readOnly === true ? undefined : modelCache?.mountPath;

/** The mounts of a pod that its props set. */
interface Mounts {
  readonly modelCache?: MountedVolume | undefined;
  readonly fragments?: readonly PodFragment[] | undefined;
}

const mountsOf = ({ modelCache, fragments = [] }: Mounts): readonly VolumeMount[] =>
  [modelCache, ...fragments].flatMap((one) => one?.volumeMounts ?? []);

/** Returns the mount that a path is on: of nested mounts, the innermost one. */
const mountOf = (mounts: Mounts, path: string): VolumeMount | undefined =>
  mountsOf(mounts)
    .filter((one) => isUnder(path, one.mountPath))
    .sort((a, b) => b.mountPath.length - a.mountPath.length)[0];

/** Returns the problems of a `modelCache`. */
export function modelCacheProblems(mounts: Mounts): readonly Problem[] {
  const { modelCache } = mounts;
  if (!modelCache) return [];
  const { mountPath } = modelCache;
  const mount = mountOf(mounts, mountPath);
  const path = 'modelCache.mountPath';
  if (mount === undefined)
    return [
      {
        path,
        value: mountPath,
        problem: 'is not on a volume',
        use: 'the mountPath of one of its volumeMounts',
      },
    ];
  return mount.readOnly === true && modelCache.readOnly !== true
    ? [
        {
          path,
          value: mountPath,
          problem: 'has a read-only mount',
          use: 'readOnly: true next to mountPath, or a writable mount',
        },
      ]
    : [];
}

/** Returns the problem of a folder whose files must outlive a restart. */
export function keptFolderProblem(
  path: string,
  folder: string | undefined,
  mounts: Mounts,
): Problem | undefined {
  if (folder === undefined) return undefined;
  const known = mountsOf(mounts).map((one) => `'${one.mountPath}'`);
  return mountOf(mounts, folder) === undefined
    ? {
        path,
        value: folder,
        problem: 'is not on a volume: its files are lost at every restart',
        use: `a folder below ${known.join(' or ') || 'the mountPath of a modelCache'}`,
      }
    : readOnlyProblem(path, folder, mounts);
}

/** Returns the problem of a path in the container that no volume contains, for an image that does not contain it. */
export const absentProblem = (path: string, folder: string, mounts: Mounts): Problem | undefined => {
  const known = mountsOf(mounts).map((one) => `'${one.mountPath}'`);
  return !folder.startsWith('/') || mountOf(mounts, folder) !== undefined
    ? undefined
    : {
        path,
        value: folder,
        problem: 'is not on a volume, and the default image does not contain it',
        use: `a Hugging Face id, or a folder below ${known.join(' or ') || 'the mountPath of a modelCache'}`,
      };
};

const readOnlyProblem = (path: string, folder: string, mounts: Mounts): Problem | undefined =>
  mountOf(mounts, folder)?.readOnly === true
    ? { path, value: folder, problem: 'is on a read-only volume', use: 'a folder on a writable volume' }
    : undefined;

/**
 * Returns the problem of the folder for compiled programs. On one host, it must be on a volume. On a multi-host slice, it must not be on
 * a shared volume, because the hosts write at the same time and overwrite each other's files.
 */
export function compileCacheProblem(
  path: string,
  folder: string | undefined,
  slice: TpuSlice,
  mounts: Mounts,
): Problem | undefined {
  if (folder === undefined || !slice.multiHost) return keptFolderProblem(path, folder, mounts);
  const mount = mountOf(mounts, folder);
  const volume = [mounts.modelCache, ...(mounts.fragments ?? [])]
    .flatMap((one) => one?.volumes ?? [])
    .find(({ name }) => name === mount?.name);
  return mount === undefined || mount.subPathExpr !== undefined || volume?.emptyDir !== undefined
    ? readOnlyProblem(path, folder, mounts)
    : {
        path,
        value: folder,
        problem: `is on a volume that ${String(slice.hosts)} hosts would write at the same time`,
        use: 'a local folder of each host',
        nearest: LOCAL_COMPILE_CACHE,
      };
}

/**
 * Returns the fragments of a `modelCache` and a `compileCachePath` for a pod with any program: the volume, the folder where Hugging Face's
 * libraries store weights, and the folder for compiled programs.
 *
 * @param variables - environment variables that name the folder for compiled programs
 * @see https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
 * @see https://docs.jax.dev/en/latest/persistent_compilation_cache.html
 */
export function modelCacheFragments(
  { modelCache, compileCachePath }: ModelCacheOptions,
  slice: TpuSlice,
  variables: readonly string[],
): readonly PodFragment[] {
  const written = writableMount(modelCache);
  const compiled = compileCachePath ?? (slice.multiHost ? undefined : written);
  return [
    ...(modelCache ? [modelCache] : []),
    {
      env: [
        ...(written === undefined ? [] : [{ name: 'HF_HOME', value: `${bare(written)}/huggingface` }]),
        ...(compiled === undefined ? [] : variables.map((name) => ({ name, value: compiled }))),
      ],
    },
  ];
}

const isGcsFuse = (volume: PodFragment | undefined): volume is GcsFuseVolume =>
  isBranded(volume, 'GcsFuseVolume');

/** Whether the server reads weights of a size through Cloud Storage FUSE without a file cache that holds them. */
export const isUncached = (modelCache: PodFragment | undefined, modelSize: string | undefined): boolean =>
  isGcsFuse(modelCache) &&
  // The options of a claim are in its PersistentVolume.
  modelCache.bucketName !== undefined &&
  (modelCache.cacheBytes === undefined || modelCache.cacheBytes < bytesOf(modelSize));

const bytesOf = (size: string | undefined): number => (size === undefined ? 0 : quantityOf(size));

/** Returns the problem of a file cache that is smaller than `modelSize`: every start reads the rest from the bucket. */
export function cacheProblem(
  path: string,
  modelCache: PodFragment | undefined,
  modelSize: string | undefined,
): Problem | undefined {
  if (!isGcsFuse(modelCache) || modelCache.cacheBytes === undefined) return undefined;
  const { cacheBytes: held } = modelCache;
  const bytes = bytesOf(modelSize);
  return held < bytes
    ? {
        path,
        value: gibibytes(held, Math.floor),
        problem: `is smaller than the weights, '${modelSize ?? ''}': every start reads the rest from the bucket`,
        use: 'at least the size of the weights',
        nearest: gibibytes(bytes, Math.ceil),
      }
    : undefined;
}

const gibibytes = (bytes: number, round: (value: number) => number): string =>
  `${String(round(bytes / 2 ** 30))}Gi`;
