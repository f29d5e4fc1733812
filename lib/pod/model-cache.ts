import { type VolumeMount } from 'cdk8s-plus-29/lib/imports/k8s';
import { type Problems } from '../problems/problems';
import { type TpuSlice } from '../tpu/slice';
import { LOCAL_COMPILE_CACHE } from '../facts/variables';
import { type PodFragment } from './fragment';
import { GcsFuseVolume } from './gcs-fuse-volume';
import { absolutePath, bare, isUnder, quantity, quantityOf } from '../problems/validators';

/** A folder of the server's container that outlives the pod: a `GcsFuseVolume`, a `PvcVolume`, or a fragment with its mount path. */
export interface MountedVolume extends PodFragment {
  /** Folder that the container sees the volume in. */
  readonly mountPath: string;
  /** Whether it can only be read: weights lie on it already, and nothing is compiled into it. @default false */
  readonly readOnly?: boolean;
}

/** Where weights and compiled programs are kept. */
export interface ModelCacheOptions {
  /** Volume that weights and compiled programs are kept on. @default - none: every start downloads and compiles */
  readonly modelCache?: MountedVolume;
  /**
   * Folder for compiled XLA programs, `JAX_COMPILATION_CACHE_DIR`; on a volume. The hosts of a slice would write it at once: where there
   * are several it is on no volume that they share.
   *
   * @default - on one host the mount path of `modelCache` that can be written, on several none
   */
  readonly compileCachePath?: string;
}

/** What `modelCache` brings where nothing else is said: its path, unless it can only be read. */
export const writableMount = (modelCache: MountedVolume | undefined): string | undefined =>
  modelCache?.readOnly === true ? undefined : modelCache?.mountPath;

/** A pod's mounts, as far as they are known before it is folded. */
interface Mounts {
  readonly modelCache?: MountedVolume | undefined;
  readonly fragments?: readonly PodFragment[] | undefined;
}

const mountsOf = ({ modelCache, fragments = [] }: Mounts): readonly VolumeMount[] =>
  [modelCache, ...fragments].flatMap((one) => one?.volumeMounts ?? []);

/** The mount that a path is on: of nested ones the innermost. */
const mountOf = (mounts: Mounts, path: string): VolumeMount | undefined =>
  mountsOf(mounts)
    .filter((one) => isUnder(path, one.mountPath))
    .sort((a, b) => b.mountPath.length - a.mountPath.length)[0];

/** Records what is wrong with a `modelCache`; `at` comes before the name of the prop. */
export function checkModelCache(mounts: Mounts, problems: Problems, at = ''): void {
  const { modelCache } = mounts;
  if (!modelCache) return;
  const mount = mountOf(mounts, modelCache.mountPath);
  problems.check(
    mount !== undefined,
    `${at}modelCache mountPath '${modelCache.mountPath}' is on no volume, expected one of its volumeMounts there`,
  );
  problems.check(
    mount?.readOnly !== true || modelCache.readOnly === true,
    `${at}modelCache '${modelCache.mountPath}' has a mount that can only be read, expected readOnly: true beside mountPath, or a mount that can be written`,
  );
}

/** Records what is wrong with a folder that is to be found again when the pod starts anew. */
export function checkKeptFolder(
  prop: string,
  path: string | undefined,
  mounts: Mounts,
  problems: Problems,
): void {
  if (path === undefined) return;
  const mount = checkFolder(prop, path, mounts, problems);
  problems.check(
    mount !== undefined || absolutePath(prop, path) !== undefined,
    `${prop} '${path}' is on no volume and lost at every restart, expected a path under ${
      mountsOf(mounts)
        .map((one) => `'${one.mountPath}'`)
        .join(' or ') || 'the mountPath of a modelCache'
    }`,
  );
}

/** Records what is wrong with a folder that is written to; its mount. */
function checkFolder(
  prop: string,
  path: string,
  mounts: Mounts,
  problems: Problems,
): VolumeMount | undefined {
  problems.add(absolutePath(prop, path));
  const mount = mountOf(mounts, path);
  problems.check(
    mount?.readOnly !== true,
    `${prop} '${path}' is on a volume that can only be read, expected one that can be written, or none`,
  );
  return mount;
}

/**
 * Records what is wrong with the folder of compiled programs. On one host it is on a volume. The hosts of a slice write at once and
 * would get in each other's way: there it is on none that they share.
 */
export function checkCompileCache(
  prop: string,
  path: string | undefined,
  slice: TpuSlice,
  mounts: Mounts,
  problems: Problems,
): void {
  if (path === undefined || !slice.multiHost) {
    checkKeptFolder(prop, path, mounts, problems);
    return;
  }
  const mount = checkFolder(prop, path, mounts, problems);
  const volume = [mounts.modelCache, ...(mounts.fragments ?? [])]
    .flatMap((one) => one?.volumes ?? [])
    .find(({ name }) => name === mount?.name);
  problems.check(
    mount === undefined || mount.subPathExpr !== undefined || volume?.emptyDir !== undefined,
    `${prop} '${path}' is on a volume that ${String(slice.hosts)} hosts would write at once, expected a folder that each has for itself; nearest: '${LOCAL_COMPILE_CACHE}'`,
  );
}

/**
 * What a `modelCache` and a `compileCachePath` add to a pod whose program is not known: the volume, the folder where Hugging Face's
 * libraries keep weights, and the one for compiled programs.
 *
 * @param variables - those that name the folder for compiled programs
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

/** Whether weights of a size are read through Cloud Storage FUSE without a file cache that holds them. */
export const isUncached = (modelCache: PodFragment | undefined, modelSize: string | undefined): boolean =>
  modelCache instanceof GcsFuseVolume &&
  (modelCache.cacheBytes === undefined || modelCache.cacheBytes < bytesOf(modelSize));

/** Bytes of a quantity; 0 of what is none, which is another finding. */
const bytesOf = (size: string | undefined): number =>
  size === undefined || quantity('size', size) !== undefined ? 0 : quantityOf(size);

/**
 * What is wrong with a file cache for weights of a size that was stated; undefined where nothing is. What does not fit is read from the
 * bucket at every start.
 */
export function cacheProblem(
  prop: string,
  modelCache: PodFragment | undefined,
  modelSize: string | undefined,
): string | undefined {
  if (!(modelCache instanceof GcsFuseVolume) || modelCache.cacheBytes === undefined) return undefined;
  const { cacheBytes: held } = modelCache;
  const bytes = bytesOf(modelSize);
  return held < bytes
    ? `${prop} of '${gibibytes(held, Math.floor)}' is smaller than the weights, '${modelSize ?? ''}', and what does not fit is read from the bucket at every start, expected at least their size; nearest: '${gibibytes(bytes, Math.ceil)}'`
    : undefined;
}

const gibibytes = (bytes: number, round: (value: number) => number): string =>
  `${String(round(bytes / 2 ** 30))}Gi`;
