import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import {
  BUFFER_VOLUME,
  CACHE_VOLUME,
  GCS_FUSE_DRIVER,
  REFUSED_OPTIONS,
  SIDECAR_DISK_BYTES,
  TMP_VOLUME,
} from '../facts/gcs-fuse';
import { GCS_FUSE_ANNOTATION, GCS_FUSE_ANNOTATION_PREFIX } from '../facts/labels';
import { brand } from '../problems/brand';
import {
  absolutePath,
  bucketName,
  type Grammar,
  podLabel,
  quantity,
  cores,
  dnsSubdomain,
  quantityOf,
  room,
} from '../problems/grammar';
import { type Problem } from '../problems/problems';
import {
  boolean,
  essential,
  integer,
  list,
  type NamedResource,
  nameOf,
  object,
  oneOf,
  optional,
  readOrThrow,
  required,
  resourceName,
  type Schema,
  string,
} from '../problems/schema';
import { type PodFragment } from './fragment';
import { quantityValue } from './wrapped';

/**
 * Mount options of Cloud Storage FUSE, in the names and units of its configuration file.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/cloud-storage-fuse-csi-driver-perf
 */
export interface GcsFuseMountOptions {
  /** Whether an object `a/b` implies a folder `a`. @default true */
  readonly implicitDirs?: boolean;
  /** Mounts only this folder of the bucket. @default - the whole bucket */
  readonly onlyDir?: string;
  /** Owner of the files, for containers that do not run as root. @default - root */
  readonly uid?: number;
  /** Group of the files. @default - root */
  readonly gid?: number;
  /** Permissions of files in octal, like `640`. @default - the driver's */
  readonly fileMode?: string;
  /** Permissions of folders in octal, like `750`. @default - the driver's */
  readonly dirMode?: string;
  /** The file cache, and how it is filled. @default - `GcsFuseVolume.PARALLEL_DOWNLOADS` if the volume has a cache, otherwise none */
  readonly fileCache?: GcsFuseFileCache;
  /** Any other mount option, as `option` or `group:option:value`. @default - none */
  readonly other?: readonly string[];
}

/** The file cache of Cloud Storage FUSE. */
export interface GcsFuseFileCache {
  /** Whether several requests fetch one file in parallel. @default - the driver's */
  readonly enableParallelDownloads?: boolean;
  /** Number of parallel requests for one file. @default - the driver's */
  readonly parallelDownloadsPerFile?: number;
  /** Number of parallel requests for all files; -1 means unlimited. @default - the driver's */
  readonly maxParallelDownloads?: number;
  /** Size of one request in MiB. @default - the driver's */
  readonly downloadChunkSizeMb?: number;
  /** Maximum size of the cache in MiB; -1 means the size of its volume. @default - the driver's */
  readonly maxSizeMb?: number;
  /** Whether a read from the middle of a file fetches the whole file. @default - the driver's */
  readonly cacheFileForRangeRead?: boolean;
}

/** Where a Cloud Storage FUSE volume caches file contents. */
export interface GcsFuseCache {
  /** `ram`: the node's memory, fastest; `disk`: the node's boot disk. */
  readonly medium: 'ram' | 'disk';
  /** Maximum size, as a quantity. Files that do not fit are read from the bucket. */
  readonly sizeLimit: string;
}

/** Resources of the sidecar that runs Cloud Storage FUSE; `0` removes a limit. */
export interface GcsFuseSidecar {
  /** CPU limit. @default - the driver's */
  readonly cpuLimit?: string;
  /** Memory limit, which includes a cache in RAM. @default - the driver's */
  readonly memoryLimit?: string;
  /** Limit of local disk, which includes a cache on disk. @default - none with a cache on disk, otherwise the driver's */
  readonly ephemeralStorageLimit?: string;
  /** CPU request. @default - the driver's: 250m */
  readonly cpuRequest?: string;
  /** Memory request. @default - the driver's: 256Mi */
  readonly memoryRequest?: string;
  /** Request of local disk. @default - with a cache on disk, its size plus 5Gi; otherwise the driver's: 5Gi */
  readonly ephemeralStorageRequest?: string;
}

/** Properties of a Cloud Storage FUSE volume. */
export interface GcsFuseVolumeProps {
  /** The bucket, without `gs://`. @default - none: only with `claimName` */
  readonly bucketName?: string;
  /**
   * A PersistentVolumeClaim of a bucket, instead of `bucketName`, in the namespace of the pod: its name, or a `PersistentVolumeClaim` of
   * cdk8s-plus. `GcsFusePersistentVolume` renders one. Set mount options on its PersistentVolume.
   *
   * @default - none: the volume names the bucket
   */
  readonly claimName?: string | NamedResource;
  /** Folder of the main container that the bucket is mounted in. */
  readonly mountPath: string;
  /** Name of the volume in the pod. @default 'gcs-fuse' */
  readonly name?: string;
  /** Whether the bucket is read-only. @default false */
  readonly readOnly?: boolean;
  /** Mount options. @default - implicit folders; with a cache also parallel downloads */
  readonly mountOptions?: GcsFuseMountOptions;
  /** Cache of file contents. @default - none: every read goes to the bucket */
  readonly cache?: GcsFuseCache;
  /** Resources of the sidecar. @default - the driver's */
  readonly sidecar?: GcsFuseSidecar;
  /**
   * Whether the driver fetches the names and sizes of all files when it mounts the volume; requires GKE 1.32.1-gke.1357001.
   *
   * @default false
   */
  readonly metadataPrefetch?: boolean;
}

/**
 * A Cloud Storage bucket as a folder of the main container, mounted by the Cloud Storage FUSE CSI driver. The fragment includes the
 * annotation that makes GKE inject the sidecar.
 *
 * The ServiceAccount of the pod needs `roles/storage.objectUser` on the bucket, or `roles/storage.objectViewer` if it only reads.
 *
 * @throws InvalidInputError if a prop is not valid, or the driver refuses an option
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/cloud-storage-fuse-csi-driver
 */
export class GcsFuseVolume implements PodFragment {
  /** The tutorial's settings for large model files: 100 parallel downloads of 10 MiB per file, into a cache as large as its volume. */
  static readonly PARALLEL_DOWNLOADS: GcsFuseFileCache = Object.freeze({
    enableParallelDownloads: true,
    parallelDownloadsPerFile: 100,
    maxParallelDownloads: -1,
    downloadChunkSizeMb: 10,
    maxSizeMb: -1,
  });

  /** Removes the limits of the sidecar, like the tutorials, because it needs tens of GiB for a cache in RAM. */
  static readonly UNLIMITED_SIDECAR: GcsFuseSidecar = Object.freeze({
    cpuLimit: '0',
    memoryLimit: '0',
    ephemeralStorageLimit: '0',
  });

  /** The bucket, without `gs://`; undefined for a claim. */
  readonly bucketName: string | undefined;
  /** Folder of the main container that the bucket is mounted in. */
  readonly mountPath: string;
  /** Whether the bucket is read-only. */
  readonly readOnly: boolean;
  /** Cache of file contents, if any. */
  readonly cache: GcsFuseCache | undefined;
  /** Maximum size of the cached files, in bytes; undefined without a cache. */
  readonly cacheBytes: number | undefined;
  /** Annotations that add the sidecar and set its resources. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The volume, and the volume of its cache. */
  readonly volumes: readonly k8s.Volume[];
  /** The mount in the main container. */
  readonly volumeMounts: readonly k8s.VolumeMount[];

  constructor(props: GcsFuseVolumeProps) {
    const read = readOrThrow(PROPS, props);
    const { name = 'gcs-fuse', mountOptions = {}, cache, sidecar = {}, claimName } = read;

    this.bucketName = read.bucketName;
    this.mountPath = read.mountPath;
    this.readOnly = read.readOnly ?? false;
    this.cache = cache;
    this.cacheBytes = cache && heldBytes(cache, mountOptions.fileCache);
    this.annotations = {
      [GCS_FUSE_ANNOTATION]: 'true',
      ...Object.fromEntries(
        [...written(diskOf(cache, sidecar)), ...written(sidecar)].map(([key, amount]) => [
          `${GCS_FUSE_ANNOTATION_PREFIX}${key}`,
          amount,
        ]),
      ),
    };
    const readOnly = this.readOnly ? true : undefined;
    this.volumes = [
      claimName === undefined
        ? { name, csi: csiSource(read) }
        : { name, persistentVolumeClaim: { claimName: nameOf(claimName), readOnly } },
      ...(cache
        ? [
            {
              name: CACHE_VOLUME,
              emptyDir: {
                medium: cache.medium === 'ram' ? 'Memory' : undefined,
                sizeLimit: quantityValue(cache.sizeLimit),
              },
            },
          ]
        : []),
    ];
    this.volumeMounts = [{ name, mountPath: this.mountPath, readOnly }];
    Object.freeze(this);
  }
}
brand(GcsFuseVolume, 'GcsFuseVolume');
brand(GcsFuseVolume, 'MountedVolume');

/** Returns the bucket as a volume of the pod. */
const csiSource = ({
  bucketName: bucket = '',
  readOnly,
  mountOptions = {},
  cache,
  metadataPrefetch,
}: GcsFuseVolumeProps): k8s.CsiVolumeSource => ({
  driver: GCS_FUSE_DRIVER,
  readOnly: readOnly === true ? true : undefined,
  volumeAttributes: {
    bucketName: bucket,
    ...(metadataPrefetch === true && { gcsfuseMetadataPrefetchOnMount: 'true' }),
    ...optionsOf({
      ...mountOptions,
      fileCache: mountOptions.fileCache ?? (cache && GcsFuseVolume.PARALLEL_DOWNLOADS),
    }),
  },
});

/**
 * Returns the local disk of the sidecar, whose request must include a cache on disk. Sets both request and limit, because the driver uses
 * a single value for both.
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

/** Returns the size of a file cache in bytes. -1 means its whole volume. */
const heldBytes = ({ sizeLimit }: GcsFuseCache, { maxSizeMb = -1 }: GcsFuseFileCache = {}): number =>
  maxSizeMb < 0 ? quantityOf(sizeLimit) : Math.min(quantityOf(sizeLimit), maxSizeMb * 2 ** 20);

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Joins the mount options in the order of their fields: `implicit-dirs,file-cache:max-size-mb:-1`. */
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

/** Returns the fields that are set, with names and values in the driver's spelling. */
const written = (fields: object): [string, string][] =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [kebab(key), String(value)]);

// ---- schemas -------------------------------------------------------------------------------------------------------

const fileMode: Grammar = (value) =>
  /^[0-7]{3}$/.test(value)
    ? undefined
    : { problem: 'is not a file mode', use: 'three octal digits', nearest: '640' };

const folderOfBucket: Grammar = (value) =>
  /^[^/,\s][^,\s]*$/.test(value)
    ? undefined
    : {
        problem: 'is not a folder of the bucket',
        use: "a path without a leading '/', commas and spaces",
        nearest: 'models/llama',
      };

const RESERVED_NAMES: readonly string[] = [CACHE_VOLUME, BUFFER_VOLUME, TMP_VOLUME];

const volumeName: Grammar = (value) =>
  RESERVED_NAMES.includes(value)
    ? {
        problem: 'is reserved by the Cloud Storage FUSE driver',
        use: 'another name',
        nearest: 'gcs-fuse',
      }
    : podLabel(value);

const FILE_CACHE: Schema<GcsFuseFileCache> = {
  properties: {
    enableParallelDownloads: optional(boolean()),
    parallelDownloadsPerFile: optional(integer(1)),
    maxParallelDownloads: optional(integer(-1)),
    downloadChunkSizeMb: optional(integer(1)),
    maxSizeMb: optional(integer(-1)),
    cacheFileForRangeRead: optional(boolean()),
  },
};

/** Returns `file-cache:max-size-mb` from `file-cache:max-size-mb:-1`, and `uid` from `uid=1000`. */
const optionName = (option: string): string =>
  /^[^:=]+(?::[^:=]+(?=:))?/.exec(option)?.[0].replaceAll('_', '-') ?? '';

const otherOption: Grammar = (option) => {
  const name = optionName(option);
  const prop = PROP_OF_OPTION.get(name);
  if (!/^[a-z][^\s,]*$/.test(option))
    return {
      problem: 'is not a mount option',
      use: "'option' or 'group:option:value', without commas and spaces",
    };
  if (REFUSED_OPTIONS.includes(name))
    return { problem: 'is set by the Cloud Storage FUSE driver', use: 'to omit it' };
  return prop === undefined ? undefined : { problem: 'has its own property', use: `mountOptions.${prop}` };
};

const MOUNT_OPTIONS: Schema<GcsFuseMountOptions> = {
  properties: {
    implicitDirs: optional(boolean()),
    onlyDir: optional(string(folderOfBucket)),
    uid: optional(integer()),
    gid: optional(integer()),
    fileMode: optional(string(fileMode)),
    dirMode: optional(string(fileMode)),
    fileCache: optional(object(FILE_CACHE)),
    other: optional(list(string(otherOption))),
  },
  rules: [
    function* ({ other = [] }) {
      const names = other.map(optionName);
      for (const [index, value] of other.entries())
        if (names.indexOf(names[index] ?? '') < index)
          yield {
            path: `other[${String(index)}]`,
            value,
            problem: 'is set twice',
            use: 'to keep one of them',
          };
    },
  ],
};

/** The properties of mount options, by the names of the options. */
const PROP_OF_OPTION: ReadonlyMap<string, string> = new Map([
  ...Object.keys(MOUNT_OPTIONS.properties)
    .filter((prop) => prop !== 'fileCache' && prop !== 'other')
    .map((prop): [string, string] => [kebab(prop), prop]),
  ...Object.keys(FILE_CACHE.properties).map((prop): [string, string] => [
    `file-cache:${kebab(prop)}`,
    `fileCache.${prop}`,
  ]),
]);

const CACHE: Schema<GcsFuseCache> = {
  properties: {
    medium: essential(oneOf('ram', 'disk'), "'ram'"),
    sizeLimit: essential(string(room), "'32Gi'"),
  },
};

const SIDECAR: Schema<GcsFuseSidecar> = {
  properties: {
    cpuLimit: optional(string(cores)),
    memoryLimit: optional(string(quantity)),
    ephemeralStorageLimit: optional(string(quantity)),
    cpuRequest: optional(string(cores)),
    memoryRequest: optional(string(quantity)),
    ephemeralStorageRequest: optional(string(quantity)),
  },
  rules: [
    function* (sidecar) {
      for (const resource of ['cpu', 'memory', 'ephemeralStorage'] as const) {
        const [request, limit] = [sidecar[`${resource}Request`], sidecar[`${resource}Limit`]];
        if (request === undefined || limit === undefined || quantityOf(limit) === 0) continue;
        if (quantityOf(request) > quantityOf(limit))
          yield {
            path: `${resource}Request`,
            value: request,
            problem: `is more than ${resource}Limit '${limit}'`,
            use: `at most '${limit}'`,
          };
      }
    },
  ],
};

const PROPS: Schema<GcsFuseVolumeProps> = {
  properties: {
    bucketName: optional(string(bucketName)),
    claimName: optional(resourceName(dnsSubdomain, 'PersistentVolumeClaim')),
    mountPath: required(string(absolutePath), '/data'),
    name: optional(string(volumeName)),
    readOnly: optional(boolean()),
    mountOptions: optional(object(MOUNT_OPTIONS)),
    cache: optional(object(CACHE)),
    sidecar: optional(object(SIDECAR)),
    metadataPrefetch: optional(boolean()),
  },
  rules: [sourceProblems, cacheProblems],
};

/** Finds volumes without a bucket or claim, and options that belong to the PersistentVolume of a claim. */
function* sourceProblems(
  _: GcsFuseVolumeProps,
  given: { readonly [K in keyof GcsFuseVolumeProps]?: unknown },
): Iterable<Problem> {
  if (given.claimName === undefined) {
    if (given.bucketName === undefined)
      yield {
        path: 'bucketName',
        problem: "required, for example 'my-models'",
        use: 'bucketName or claimName',
      };
    return;
  }
  for (const path of ['bucketName', 'mountOptions', 'metadataPrefetch'] as const)
    if (given[path] !== undefined)
      yield {
        path,
        problem: 'is set together with claimName',
        use: 'a prop of the PersistentVolume instead',
      };
}

/** Finds caches that are larger than the limits of the sidecar, or larger than their volume. */
function* cacheProblems({ cache, sidecar = {}, mountOptions = {} }: GcsFuseVolumeProps): Iterable<Problem> {
  if (!cache) return;
  const size = quantityOf(cache.sizeLimit);
  const limit = cache.medium === 'ram' ? 'memoryLimit' : 'ephemeralStorageLimit';
  const amount = sidecar[limit];
  if (amount !== undefined && quantityOf(amount) > 0 && quantityOf(amount) <= size)
    yield {
      path: `sidecar.${limit}`,
      value: amount,
      problem: `is not more than cache.sizeLimit '${cache.sizeLimit}', and the cache counts toward this limit`,
      use: "more, or '0' for no limit",
    };
  const { maxSizeMb = -1 } = mountOptions.fileCache ?? {};
  if (maxSizeMb * 2 ** 20 > size)
    yield {
      path: 'mountOptions.fileCache.maxSizeMb',
      value: maxSizeMb,
      problem: `is more than cache.sizeLimit '${cache.sizeLimit}'`,
      use: `at most ${String(Math.floor(size / 2 ** 20))}, or -1 for the whole cache`,
    };
}
