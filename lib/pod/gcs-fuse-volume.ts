import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Problems } from '../problems/problems';
import { type PodFragment } from './fragment';
import {
  BUFFER_VOLUME,
  CACHE_VOLUME,
  REFUSED_OPTIONS,
  SIDECAR_DISK_BYTES,
  TMP_VOLUME,
  GCS_FUSE_DRIVER,
} from '../facts/gcs-fuse';
import {
  absolutePath,
  bucketName,
  integer,
  oneOf,
  podLabel,
  quantity,
  quantityOf,
  quoted,
  room,
} from '../problems/validators';

/**
 * Mount options of Cloud Storage FUSE, in the names and units of its configuration file.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/cloud-storage-fuse-csi-driver-perf
 */
export interface GcsFuseMountOptions {
  /** Whether objects `a/b` make a folder `a` that nobody created. @default true */
  readonly implicitDirs?: boolean;
  /** Mounts this folder of the bucket alone. @default - the whole bucket */
  readonly onlyDir?: string;
  /** Owner of the files, for containers that do not run as root. @default - root */
  readonly uid?: number;
  /** Group of the files. @default - root */
  readonly gid?: number;
  /** Permissions of files in octal, like `640`. @default - the driver's */
  readonly fileMode?: string;
  /** Permissions of folders in octal, like `750`. @default - the driver's */
  readonly dirMode?: string;
  /** The file cache, and how it is filled. @default - `GcsFuseVolume.PARALLEL_DOWNLOADS` where the volume has a cache, else none */
  readonly fileCache?: GcsFuseFileCache;
  /** Any other mount option, as `option` or `group:option:value`. @default - none */
  readonly other?: readonly string[];
}

/** The file cache of Cloud Storage FUSE. */
export interface GcsFuseFileCache {
  /** Whether one file is fetched by several requests at once. @default - the driver's */
  readonly enableParallelDownloads?: boolean;
  /** Requests for one file. @default - the driver's */
  readonly parallelDownloadsPerFile?: number;
  /** Requests in all; -1 is no limit. @default - the driver's */
  readonly maxParallelDownloads?: number;
  /** Size of one request in MiB. @default - the driver's */
  readonly downloadChunkSizeMb?: number;
  /** Most that the cache holds in MiB; -1 is all that its volume has room for. @default - the driver's */
  readonly maxSizeMb?: number;
  /** Whether a read from the middle of a file fetches the whole file. @default - the driver's */
  readonly cacheFileForRangeRead?: boolean;
}

/** Where a Cloud Storage FUSE volume keeps what it has fetched. */
export interface GcsFuseCache {
  /** `ram`: the node's memory, fastest; `disk`: the node's boot disk. */
  readonly medium: 'ram' | 'disk';
  /** Most that it may hold, as a quantity; what does not fit is read from the bucket. */
  readonly sizeLimit: string;
}

/** Resources of the sidecar that Cloud Storage FUSE runs in; a limit of `0` is none. */
export interface GcsFuseSidecar {
  /** CPU limit. @default - the driver's */
  readonly cpuLimit?: string;
  /** Memory limit; it covers a cache in RAM. @default - the driver's */
  readonly memoryLimit?: string;
  /** Limit of local disk; it covers a cache on disk. @default - with a cache on disk none, else the driver's */
  readonly ephemeralStorageLimit?: string;
  /** CPU request. @default - the driver's: 250m */
  readonly cpuRequest?: string;
  /** Memory request. @default - the driver's: 256Mi */
  readonly memoryRequest?: string;
  /** Request of local disk. @default - with a cache on disk its size and 5Gi, else the driver's: 5Gi */
  readonly ephemeralStorageRequest?: string;
}

/** Properties of a Cloud Storage FUSE volume. */
export interface GcsFuseVolumeProps {
  /** The bucket, without `gs://`. */
  readonly bucketName: string;
  /** Folder that the main container sees the bucket in. */
  readonly mountPath: string;
  /** Name of the volume in the pod. @default 'gcs-fuse' */
  readonly name?: string;
  /** Whether the bucket can only be read. @default false */
  readonly readOnly?: boolean;
  /** Mount options. @default - implicit folders; with a cache also parallel downloads */
  readonly mountOptions?: GcsFuseMountOptions;
  /** Cache of file contents. @default - none: every read goes to the bucket */
  readonly cache?: GcsFuseCache;
  /** Resources of the sidecar. @default - the driver's */
  readonly sidecar?: GcsFuseSidecar;
  /**
   * Whether the names and sizes of all files are fetched when the volume is mounted; it needs GKE 1.32.1-gke.1357001.
   *
   * @default false
   */
  readonly metadataPrefetch?: boolean;
}

const RESERVED_NAMES: readonly string[] = [CACHE_VOLUME, BUFFER_VOLUME, TMP_VOLUME];

/**
 * A Cloud Storage bucket as a folder of the main container, through the Cloud Storage FUSE CSI driver. The annotation without which
 * the pod gets no sidecar comes with it.
 *
 * The ServiceAccount of the pod needs `roles/storage.objectUser` on the bucket, or `roles/storage.objectViewer` where it only reads.
 *
 * @throws InvalidInputError when a name, path, quantity or option is refused by the driver
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/cloud-storage-fuse-csi-driver
 */
export class GcsFuseVolume implements PodFragment {
  /** The tutorial's settings for large model files: parallel downloads of 10 MiB, 100 per file, into all of the cache's room. */
  static readonly PARALLEL_DOWNLOADS: GcsFuseFileCache = Object.freeze({
    enableParallelDownloads: true,
    parallelDownloadsPerFile: 100,
    maxParallelDownloads: -1,
    downloadChunkSizeMb: 10,
    maxSizeMb: -1,
  });

  /** No limits for the sidecar, which a cache in RAM of tens of GiB needs: the tutorials' setting. */
  static readonly UNLIMITED_SIDECAR: GcsFuseSidecar = Object.freeze({
    cpuLimit: '0',
    memoryLimit: '0',
    ephemeralStorageLimit: '0',
  });

  /** The bucket, without `gs://`. */
  readonly bucketName: string;
  /** Folder that the main container sees the bucket in. */
  readonly mountPath: string;
  /** Whether the bucket can only be read. */
  readonly readOnly: boolean;
  /** Cache of file contents, if any. */
  readonly cache: GcsFuseCache | undefined;
  /** Most that the cache holds of the bucket's files, in bytes; undefined without one. */
  readonly cacheBytes: number | undefined;
  /** What gives the pod its sidecar, and the sidecar its resources. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The volume, and what the driver needs beside it. */
  readonly volumes: readonly k8s.Volume[];
  /** Its mount in the main container. */
  readonly volumeMounts: readonly k8s.VolumeMount[];

  constructor(props: GcsFuseVolumeProps) {
    const { name = 'gcs-fuse', mountOptions = {}, cache, sidecar = {} } = props;
    const problems = new Problems();
    problems.add(
      bucketName('bucketName', props.bucketName),
      absolutePath('mountPath', props.mountPath),
      podLabel('volume name', name),
    );
    problems.check(
      !RESERVED_NAMES.includes(name),
      `volume name '${name}' is reserved by the Cloud Storage FUSE driver, expected another; nearest: 'gcs-fuse'`,
    );
    checkOptions(mountOptions, problems);
    checkSidecar(sidecar, problems);
    if (cache) checkCache(cache, sidecar, mountOptions.fileCache, problems);
    problems.throwIfAny();

    this.bucketName = props.bucketName;
    this.mountPath = props.mountPath;
    this.readOnly = props.readOnly ?? false;
    this.cache = cache;
    this.cacheBytes = cache && heldBytes(cache, mountOptions.fileCache);
    this.annotations = {
      'gke-gcsfuse/volumes': 'true',
      ...Object.fromEntries(
        [...written(diskOf(cache, sidecar)), ...written(sidecar)].map(([key, amount]) => [
          `gke-gcsfuse/${kebab(key)}`,
          amount,
        ]),
      ),
    };
    const readOnly = this.readOnly ? true : undefined;
    this.volumes = [
      {
        name,
        csi: {
          driver: GCS_FUSE_DRIVER,
          readOnly,
          volumeAttributes: {
            bucketName: this.bucketName,
            ...(props.metadataPrefetch === true && { gcsfuseMetadataPrefetchOnMount: 'true' }),
            ...optionsOf({
              ...mountOptions,
              fileCache: mountOptions.fileCache ?? (cache && GcsFuseVolume.PARALLEL_DOWNLOADS),
            }),
          },
        },
      },
      ...(cache
        ? [
            {
              name: CACHE_VOLUME,
              emptyDir: {
                medium: cache.medium === 'ram' ? 'Memory' : undefined,
                sizeLimit: k8s.Quantity.fromString(cache.sizeLimit),
              },
            },
          ]
        : []),
    ];
    this.volumeMounts = [{ name, mountPath: this.mountPath, readOnly }];
    Object.freeze(this);
  }
}

/**
 * A cache on disk counts against the sidecar, so the sidecar asks for it. The driver takes a request alone for the limit as well, and
 * the other way round: both are said.
 */
function diskOf(
  cache: GcsFuseCache | undefined,
  { ephemeralStorageLimit: limit = '0' }: GcsFuseSidecar,
): GcsFuseSidecar {
  if (cache?.medium !== 'disk') return {};
  const request = `${String(Math.ceil((quantityOf(cache.sizeLimit) + SIDECAR_DISK_BYTES) / 2 ** 30))}Gi`;
  return {
    ephemeralStorageRequest: quantityOf(limit) === 0 ? request : limit,
    ephemeralStorageLimit: limit,
  };
}

/** Most that a file cache holds; a size of -1 is all of its volume. */
const heldBytes = ({ sizeLimit }: GcsFuseCache, { maxSizeMb = -1 }: GcsFuseFileCache = {}): number =>
  maxSizeMb < 0 ? quantityOf(sizeLimit) : Math.min(quantityOf(sizeLimit), maxSizeMb * 2 ** 20);

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `implicit-dirs,file-cache:max-size-mb:-1`: one list, groups before their options, in the order of the fields; none is left out. */
function optionsOf(options: GcsFuseMountOptions): { readonly mountOptions?: string } {
  const { implicitDirs = true, fileCache = {}, other = [], ...plain } = options;
  const all = [
    ...(implicitDirs ? ['implicit-dirs'] : []),
    ...written(plain).map(([key, value]) => `${key}=${value}`),
    ...written(fileCache).map(([key, value]) => `file-cache:${key}:${value}`),
    ...other,
  ];
  return all.length === 0 ? {} : { mountOptions: all.join(',') };
}

const written = (fields: object): [string, string][] =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [kebab(key), String(value)]);

function checkOptions(options: GcsFuseMountOptions, problems: Problems): void {
  const { fileCache = {}, fileMode, dirMode, onlyDir } = options;
  for (const [key, value] of Object.entries({ uid: options.uid, gid: options.gid }))
    if (value !== undefined) problems.add(integer(`mountOptions ${key}`, value, 0));
  for (const [key, value] of Object.entries({ fileMode, dirMode }))
    problems.check(
      value === undefined || /^[0-7]{3}$/.test(value),
      `mountOptions ${key} ${quoted(value)} is not a mode, expected three octal digits like '640'`,
    );
  problems.check(
    onlyDir === undefined || /^[^/,\s][^,\s]*$/.test(onlyDir),
    `mountOptions onlyDir ${quoted(onlyDir)} is not a folder of the bucket, expected one like 'models/llama', without a leading '/'`,
  );
  for (const key of ['parallelDownloadsPerFile', 'downloadChunkSizeMb'] as const)
    if (fileCache[key] !== undefined) problems.add(integer(`fileCache ${key}`, fileCache[key], 1));
  for (const key of ['maxParallelDownloads', 'maxSizeMb'] as const)
    if (fileCache[key] !== undefined) problems.add(integer(`fileCache ${key}`, fileCache[key], -1));
  const names = (options.other ?? []).map(optionName);
  for (const [index, option] of (options.other ?? []).entries()) {
    const name = names[index] ?? '';
    const prop = PROP_OF_OPTION.get(name);
    problems.add(
      !/^[a-z][^\s,]*$/.test(option)
        ? `mount option ${quoted(option)} is not one option, expected 'option' or 'group:option:value' without commas and spaces`
        : REFUSED_OPTIONS.includes(name)
          ? `mount option '${option}' is set by the Cloud Storage FUSE driver itself, expected one that is not among ${REFUSED_OPTIONS.join(', ')}`
          : prop !== undefined
            ? `mount option '${option}' has a prop of its own, expected mountOptions ${prop}`
            : names.indexOf(name) < index
              ? `mount option '${option}' sets ${name} a second time, expected it once`
              : undefined,
    );
  }
}

/** `file-cache:max-size-mb` of `file-cache:max-size-mb:-1`, `uid` of `uid=1000`. */
const optionName = (option: string): string =>
  /^[^:=]+(?::[^:=]+(?=:))?/.exec(option)?.[0].replaceAll('_', '-') ?? '';

/** The options that props write; the prop of each. */
const PROP_OF_OPTION: ReadonlyMap<string, string> = new Map([
  ...(
    [
      'implicitDirs',
      'onlyDir',
      'uid',
      'gid',
      'fileMode',
      'dirMode',
    ] as const satisfies readonly (keyof GcsFuseMountOptions)[]
  ).map((prop): [string, string] => [kebab(prop), prop]),
  ...(
    [
      'enableParallelDownloads',
      'parallelDownloadsPerFile',
      'maxParallelDownloads',
      'downloadChunkSizeMb',
      'maxSizeMb',
      'cacheFileForRangeRead',
    ] as const satisfies readonly (keyof GcsFuseFileCache)[]
  ).map((prop): [string, string] => [`file-cache:${kebab(prop)}`, `fileCache ${prop}`]),
]);

function checkSidecar(sidecar: GcsFuseSidecar, problems: Problems): void {
  for (const [key, amount] of Object.entries(sidecar) as [string, string | undefined][])
    if (amount !== undefined) problems.add(quantity(`sidecar ${key}`, amount));
  for (const resource of ['cpu', 'memory', 'ephemeralStorage'] as const) {
    const [request = 'none', limit = 'none'] = [sidecar[`${resource}Request`], sidecar[`${resource}Limit`]];
    problems.check(
      quantityOf(limit) === 0 || !(quantityOf(request) > quantityOf(limit)),
      `sidecar ${resource}Request '${request}' is above its limit '${limit}', expected at most that; nearest: '${limit}'`,
    );
  }
}

function checkCache(
  { medium, sizeLimit }: GcsFuseCache,
  sidecar: GcsFuseSidecar,
  fileCache: GcsFuseFileCache | undefined,
  problems: Problems,
): void {
  problems.add(oneOf('cache medium', medium, ['ram', 'disk']));
  const wrong = room('cache sizeLimit', sizeLimit);
  problems.add(wrong);
  if (wrong !== undefined) return;
  const size = quantityOf(sizeLimit);
  const limit = medium === 'ram' ? 'memoryLimit' : 'ephemeralStorageLimit';
  const amount = sidecar[limit];
  problems.check(
    amount === undefined || quantityOf(amount) === 0 || !(quantityOf(amount) <= size),
    `sidecar ${limit} '${amount ?? ''}' is not above the cache's sizeLimit '${sizeLimit}', which counts against it, expected more, or '0' for no limit`,
  );
  const { maxSizeMb = -1 } = fileCache ?? {};
  problems.check(
    !(maxSizeMb * 2 ** 20 > size),
    `fileCache maxSizeMb '${String(maxSizeMb)}' is more than the cache's sizeLimit '${sizeLimit}', expected at most that, or -1 for all of it; nearest: ${String(Math.floor(size / 2 ** 20))}`,
  );
}
