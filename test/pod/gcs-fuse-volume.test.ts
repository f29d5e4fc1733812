import fc from '../fast-check';
import {
  GcsFuseVolume,
  InvalidInputError,
  podTemplate,
  type GcsFuseMountOptions,
  type GcsFuseVolumeProps,
} from '../../lib';
import { oneLine } from '../../lib/problems/shown';
import { refusal } from '../refusal';

const volume = (props: Partial<GcsFuseVolumeProps> = {}): GcsFuseVolume =>
  new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data', ...props });

/** Returns the pod of a volume as in a manifest. */
const pod = (...volumes: readonly GcsFuseVolume[]): unknown =>
  podTemplate({ container: { name: 'server', image: 'server:v1' }, given: volumes });

const PARALLEL =
  'file-cache:enable-parallel-downloads:true,file-cache:parallel-downloads-per-file:100,file-cache:max-parallel-downloads:-1,file-cache:download-chunk-size-mb:10,file-cache:max-size-mb:-1';

const csi = (mountOptions: string, readOnly?: true): unknown => ({
  driver: 'gcsfuse.csi.storage.gke.io',
  ...(readOnly && { readOnly }),
  volumeAttributes: { bucketName: 'my-models', mountOptions },
});

describe('a volume', () => {
  test('has only its annotation, its mount and implicit folders', () => {
    expect(pod(volume())).toEqual({
      metadata: { annotations: { 'gke-gcsfuse/volumes': 'true' } },
      spec: {
        containers: [
          {
            name: 'server',
            image: 'server:v1',
            volumeMounts: [{ name: 'gcs-fuse', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'gcs-fuse', csi: csi('implicit-dirs') }],
      },
    });
  });

  test('can be like in the tutorial: a cache in RAM, parallel downloads, no limits for the sidecar', () => {
    expect(
      pod(
        volume({
          cache: { medium: 'ram', sizeLimit: '160Gi' },
          sidecar: GcsFuseVolume.UNLIMITED_SIDECAR,
        }),
      ),
    ).toMatchObject({
      metadata: {
        annotations: {
          'gke-gcsfuse/volumes': 'true',
          'gke-gcsfuse/cpu-limit': '0',
          'gke-gcsfuse/memory-limit': '0',
          'gke-gcsfuse/ephemeral-storage-limit': '0',
        },
      },
      spec: {
        volumes: [
          { name: 'gcs-fuse', csi: csi(`implicit-dirs,${PARALLEL}`) },
          { name: 'gke-gcsfuse-cache', emptyDir: { medium: 'Memory', sizeLimit: '160Gi' } },
        ],
      },
    });
  });

  test('with a cache on disk has a cache volume without medium', () => {
    expect(pod(volume({ cache: { medium: 'disk', sizeLimit: '500Gi' } }))).toHaveProperty('spec.volumes.1', {
      name: 'gke-gcsfuse-cache',
      emptyDir: { sizeLimit: '500Gi' },
    });
  });

  test.each<[Partial<GcsFuseVolumeProps>, string | undefined, string | undefined]>([
    [{ cache: { medium: 'disk', sizeLimit: '500Gi' } }, '505Gi', '0'],
    [{ cache: { medium: 'disk', sizeLimit: '500G' } }, '471Gi', '0'],
    [
      { cache: { medium: 'disk', sizeLimit: '500Gi' }, sidecar: GcsFuseVolume.UNLIMITED_SIDECAR },
      '505Gi',
      '0',
    ],
    [
      { cache: { medium: 'disk', sizeLimit: '500Gi' }, sidecar: { ephemeralStorageLimit: '600Gi' } },
      '600Gi',
      '600Gi',
    ],
    [
      { cache: { medium: 'disk', sizeLimit: '500Gi' }, sidecar: { ephemeralStorageRequest: '700Gi' } },
      '700Gi',
      '0',
    ],
    [{ cache: { medium: 'ram', sizeLimit: '500Gi' } }, undefined, undefined],
    [{}, undefined, undefined],
  ])('%j requests enough disk for its cache', (props, request, limit) => {
    const { annotations } = volume(props);
    expect(annotations['gke-gcsfuse/ephemeral-storage-request']).toBe(request);
    expect(annotations['gke-gcsfuse/ephemeral-storage-limit']).toBe(limit);
  });

  test.each<[GcsFuseVolumeProps['cache'], number | undefined, number | undefined]>([
    [undefined, undefined, undefined],
    [{ medium: 'ram', sizeLimit: '10Gi' }, undefined, 10 * 2 ** 30],
    [{ medium: 'disk', sizeLimit: '10Gi' }, -1, 10 * 2 ** 30],
    [{ medium: 'ram', sizeLimit: '10Gi' }, 1024, 2 ** 30],
    [{ medium: 'ram', sizeLimit: '10Gi' }, 0, 0],
  ])('with cache %j of %s MiB holds %s bytes', (cache, maxSizeMb, bytes) => {
    const fileCache = maxSizeMb === undefined ? undefined : { maxSizeMb };
    expect(volume({ cache, mountOptions: { fileCache } }).cacheBytes).toBe(bytes);
  });

  test('can be read-only, in the volume and in the mount', () => {
    expect(pod(volume({ readOnly: true }))).toMatchObject({
      spec: {
        containers: [{ volumeMounts: [{ name: 'gcs-fuse', mountPath: '/data', readOnly: true }] }],
        volumes: [{ name: 'gcs-fuse', csi: csi('implicit-dirs', true) }],
      },
    });
  });

  test('states every request and limit of its sidecar', () => {
    const { annotations } = volume({
      sidecar: {
        cpuLimit: '4',
        memoryLimit: '8Gi',
        ephemeralStorageLimit: '50Gi',
        cpuRequest: '500m',
        memoryRequest: '1Gi',
        ephemeralStorageRequest: '20Gi',
      },
    });
    expect(annotations).toEqual({
      'gke-gcsfuse/volumes': 'true',
      'gke-gcsfuse/cpu-limit': '4',
      'gke-gcsfuse/memory-limit': '8Gi',
      'gke-gcsfuse/ephemeral-storage-limit': '50Gi',
      'gke-gcsfuse/cpu-request': '500m',
      'gke-gcsfuse/memory-request': '1Gi',
      'gke-gcsfuse/ephemeral-storage-request': '20Gi',
    });
  });

  test.each<[GcsFuseMountOptions, string]>([
    [{ implicitDirs: false, onlyDir: 'llama' }, 'only-dir=llama'],
    [
      { uid: 1000, gid: 2000, fileMode: '640', dirMode: '750' },
      'implicit-dirs,uid=1000,gid=2000,file-mode=640,dir-mode=750',
    ],
    [{ fileCache: GcsFuseVolume.PARALLEL_DOWNLOADS }, `implicit-dirs,${PARALLEL}`],
    [
      { fileCache: { maxSizeMb: 1024, cacheFileForRangeRead: true } },
      'implicit-dirs,file-cache:max-size-mb:1024,file-cache:cache-file-for-range-read:true',
    ],
    [
      { other: ['metadata-cache:ttl-secs:-1', 'debug_gcs'] },
      'implicit-dirs,metadata-cache:ttl-secs:-1,debug_gcs',
    ],
  ])('with mount options %j: %s', (mountOptions, text) => {
    expect(volume({ mountOptions }).volumes).toHaveProperty('0.csi.volumeAttributes.mountOptions', text);
  });

  test('can fetch the names of its files when it is mounted', () => {
    const attribute = '0.csi.volumeAttributes.gcsfuseMetadataPrefetchOnMount';
    expect(volume({ metadataPrefetch: true }).volumes).toHaveProperty(attribute, 'true');
    expect(volume({ metadataPrefetch: false }).volumes).not.toHaveProperty(attribute);
  });

  test('copies its props, and is frozen', () => {
    const cache = { medium: 'ram', sizeLimit: '1Gi' } as const;
    const made = volume({ cache, readOnly: true });
    expect(made).toMatchObject({ bucketName: 'my-models', mountPath: '/data', readOnly: true, cache });
    expect([volume().readOnly, volume().cache]).toEqual([false, undefined]);
    expect(Object.isFrozen(made)).toBe(true);
  });
});

describe('mount options', () => {
  const optionsOf = (props: Partial<GcsFuseVolumeProps>): unknown =>
    volume(props).volumes[0]?.csi?.volumeAttributes;

  test('are omitted if there are none', () => {
    expect(optionsOf({ mountOptions: { implicitDirs: false } })).toEqual({ bucketName: 'my-models' });
  });

  test('keep their default if they are not set', () => {
    const cache = { medium: 'ram', sizeLimit: '1Gi' } as const;
    expect(optionsOf({ cache, mountOptions: { fileCache: undefined } })).toEqual(optionsOf({ cache }));
  });
});

describe('two volumes in one pod', () => {
  const other = { name: 'data', bucketName: 'my-data', mountPath: '/other' };

  test('share one annotation', () => {
    expect(pod(volume(), volume(other))).toMatchObject({
      metadata: { annotations: { 'gke-gcsfuse/volumes': 'true' } },
      spec: {
        containers: [
          {
            volumeMounts: [
              { name: 'gcs-fuse', mountPath: '/data' },
              { name: 'data', mountPath: '/other' },
            ],
          },
        ],
        volumes: [
          { name: 'gcs-fuse', csi: { volumeAttributes: { bucketName: 'my-models' } } },
          { name: 'data', csi: { volumeAttributes: { bucketName: 'my-data' } } },
        ],
      },
    });
  });

  test('share the sidecar and its one cache', () => {
    const shared = { cache: { medium: 'disk', sizeLimit: '500Gi' }, sidecar: { cpuLimit: '4' } } as const;
    expect(pod(volume(shared), volume({ ...other, ...shared }))).toMatchObject({
      metadata: { annotations: { 'gke-gcsfuse/volumes': 'true', 'gke-gcsfuse/cpu-limit': '4' } },
      spec: { volumes: [{ name: 'gcs-fuse' }, { name: 'gke-gcsfuse-cache' }, { name: 'data' }] },
    });
  });

  test.each<[string, Partial<GcsFuseVolumeProps>, Partial<GcsFuseVolumeProps>, RegExp | string]>([
    [
      'the same name',
      {},
      { bucketName: 'my-data', mountPath: '/other' },
      /^volumes\[gcs-fuse\]: has two values, /,
    ],
    ['the same folder', {}, { name: 'data' }, /^volumeMounts\[\/data\]: has two values, /],
    [
      'two caches',
      { cache: { medium: 'ram', sizeLimit: '1Gi' } },
      { ...other, cache: { medium: 'ram', sizeLimit: '2Gi' } },
      /^volumes\[gke-gcsfuse-cache\]: has two values, .*1Gi.*2Gi/,
    ],
    [
      'different limits of the sidecar',
      { sidecar: { cpuLimit: '4' } },
      { ...other, sidecar: { cpuLimit: '8' } },
      "annotations[gke-gcsfuse/cpu-limit]: has two values, '4' and '8'; use one of them",
    ],
  ])('cannot have %s', (_, left, right, message) => {
    expect(() => pod(volume(left), volume(right))).toThrow(message);
  });
});

describe('rejects a wrong', () => {
  const amount = 'is not a quantity; use a number with a suffix';
  const label =
    "is not a DNS label; use lower-case letters, digits and '-', starting and ending with a letter or digit";
  const mode = "is not a file mode; use three octal digits, for example '640'";
  const oneOption = "is not a mount option; use 'option' or 'group:option:value', without commas and spaces";
  const notAmong = 'is set by the Cloud Storage FUSE driver; omit it';
  const ram = { medium: 'ram', sizeLimit: '160Gi' } as const;

  test.each<[string, Partial<GcsFuseVolumeProps>, ...(readonly string[])]>([
    [
      'bucket: too short',
      { bucketName: 'ab' },
      "bucketName: 'ab' is not a bucket name; use 3 to 63 lower-case letters, digits, '-', '_' and '.', for example 'ab-bucket'",
    ],
    [
      'bucket: a URL',
      { bucketName: 'gs://my-models/llama' },
      "bucketName: 'gs://my-models/llama' is a URL; use the bucket's name alone, for example 'my-models'",
    ],
    [
      'mount path: relative',
      { mountPath: 'data' },
      "mountPath: 'data' is not an absolute path; use a path that starts with '/', without ':' and spaces, for example '/data'",
    ],
    ['name: with a capital', { name: 'Models' }, `name: 'Models' ${label}, for example 'models'`],
    [
      'name: too long',
      { name: 'm'.repeat(64) },
      `name: '${'m'.repeat(64)}' has 64 characters; use at most 63, for example '${'m'.repeat(63)}'`,
    ],
    ...['gke-gcsfuse-cache', 'gke-gcsfuse-buffer', 'gke-gcsfuse-tmp'].map(
      (name): [string, Partial<GcsFuseVolumeProps>, string] => [
        `name: ${name}`,
        { name },
        `name: '${name}' is reserved by the Cloud Storage FUSE driver; use another name, for example 'gcs-fuse'`,
      ],
    ),
    [
      'size of the cache: a unit that does not exist',
      { cache: { medium: 'ram', sizeLimit: '160GB' } },
      `cache.sizeLimit: '160GB' ${amount}, for example '160G'`,
    ],
    [
      'size of the cache: nothing',
      { cache: { medium: 'disk', sizeLimit: '0' } },
      "cache.sizeLimit: '0' is less than 1 MB; use bytes with a suffix, for example '1G'",
    ],
    [
      'memory of the sidecar: less than the cache in RAM',
      { cache: ram, sidecar: { memoryLimit: '20Gi' } },
      "sidecar.memoryLimit: '20Gi' is not more than cache.sizeLimit '160Gi', and the cache counts toward this limit; use more, or '0' for no limit",
    ],
    [
      'disk of the sidecar: less than the cache on disk',
      { cache: { medium: 'disk', sizeLimit: '1Ti' }, sidecar: { ephemeralStorageLimit: '500Gi' } },
      "sidecar.ephemeralStorageLimit: '500Gi' is not more than cache.sizeLimit '1Ti', and the cache counts toward this limit; use more, or '0' for no limit",
    ],
    [
      'sidecar: no quantity',
      { sidecar: { cpuRequest: 'two' } },
      `sidecar.cpuRequest: 'two' ${amount}, for example '8'`,
    ],
    [
      'user',
      { mountOptions: { uid: -1 } },
      "mountOptions.uid: '-1' is not a whole number of at least 0; use 0",
    ],
    [
      'group',
      { mountOptions: { gid: 1.5 } },
      "mountOptions.gid: '1.5' is not a whole number of at least 0; use 2",
    ],
    ['mode of files', { mountOptions: { fileMode: '0640' } }, `mountOptions.fileMode: '0640' ${mode}`],
    ['mode of folders', { mountOptions: { dirMode: '789' } }, `mountOptions.dirMode: '789' ${mode}`],
    [
      'folder of the bucket',
      { mountOptions: { onlyDir: '/llama' } },
      "mountOptions.onlyDir: '/llama' is not a folder of the bucket; use a path without a leading '/', commas and spaces, for example 'models/llama'",
    ],
    [
      'file cache: no request at a time',
      { mountOptions: { fileCache: { parallelDownloadsPerFile: 0 } } },
      "mountOptions.fileCache.parallelDownloadsPerFile: '0' is not a whole number of at least 1; use 1",
    ],
    [
      'file cache: a chunk in bytes',
      { mountOptions: { fileCache: { downloadChunkSizeMb: 0.5 } } },
      "mountOptions.fileCache.downloadChunkSizeMb: '0.5' is not a whole number of at least 1; use 1",
    ],
    [
      'file cache: below -1',
      { mountOptions: { fileCache: { maxSizeMb: -2, maxParallelDownloads: -10 } } },
      "mountOptions.fileCache.maxParallelDownloads: '-10' is not a whole number of at least -1; use -1",
      "mountOptions.fileCache.maxSizeMb: '-2' is not a whole number of at least -1; use -1",
    ],
    ...['o=ro', 'cache-dir=/cache', 'log-file:/log', 'key-file=/key.json'].map(
      (option): [string, Partial<GcsFuseVolumeProps>, string] => [
        `option: ${option}`,
        { mountOptions: { other: [option] } },
        `mountOptions.other[0]: '${option}' ${notAmong}`,
      ],
    ),
    ['option: two in one', { mountOptions: { other: ['a,b'] } }, `mountOptions.other[0]: 'a,b' ${oneOption}`],
    [
      'option: as a flag',
      { mountOptions: { other: ['--max-conns'] } },
      `mountOptions.other[0]: '--max-conns' ${oneOption}`,
    ],
    [
      'medium of the cache: Kubernetes’ own',
      { cache: { medium: 'Memory' as 'ram', sizeLimit: '1Gi' } },
      "cache.medium: 'Memory' is not known; use one of 'ram', 'disk'",
    ],
    [
      'size of the cache: no suffix',
      { cache: { medium: 'ram', sizeLimit: '16' } },
      "cache.sizeLimit: '16' is less than 1 MB; use bytes with a suffix, for example '16G'",
    ],
    [
      'memory of the sidecar: all of it for the cache',
      { cache: ram, sidecar: { memoryLimit: '160Gi' } },
      "sidecar.memoryLimit: '160Gi' is not more than cache.sizeLimit '160Gi', and the cache counts toward this limit; use more, or '0' for no limit",
    ],
    [
      'sidecar: a request above its limit',
      { sidecar: { cpuRequest: '2', cpuLimit: '1', memoryRequest: '1Gi', memoryLimit: '0' } },
      "sidecar.cpuRequest: '2' is more than cpuLimit '1'; use at most '1'",
    ],
    [
      'file cache: more than the volume holds',
      { cache: ram, mountOptions: { fileCache: { maxSizeMb: 200_000 } } },
      "mountOptions.fileCache.maxSizeMb: '200000' is more than cache.sizeLimit '160Gi'; use at most 163840, or -1 for the whole cache",
    ],
    [
      'option: a prop',
      { mountOptions: { other: ['implicit-dirs', 'uid=1000', 'file-cache:max-size-mb:10'] } },
      "mountOptions.other[0]: 'implicit-dirs' has its own property; use mountOptions.implicitDirs",
      "mountOptions.other[1]: 'uid=1000' has its own property; use mountOptions.uid",
      "mountOptions.other[2]: 'file-cache:max-size-mb:10' has its own property; use mountOptions.fileCache.maxSizeMb",
    ],
    [
      'option: twice',
      { mountOptions: { other: ['logging:severity:info', 'logging:severity:trace'] } },
      "mountOptions.other[1]: 'logging:severity:trace' is set twice; keep one of them",
    ],
    [
      'mount path: the root',
      { mountPath: '/' },
      "mountPath: '/' is the root of the file system; use a folder, for example '/data'",
    ],
    ['option: none', { mountOptions: { other: [''] } }, `mountOptions.other[0]: '' ${oneOption}`],
  ])('%s', (_, props, ...problems) => {
    expect(refusal(() => volume(props))).toBe(problems.join('\n'));
  });

  test('all problems are reported at once', () => {
    const make = (): unknown =>
      volume({
        bucketName: 'gs://my-models',
        mountPath: 'data',
        mountOptions: { uid: -1, other: ['o'] },
        cache: ram,
        sidecar: { memoryLimit: '1Gi' },
      });
    expect(refusal(make).split('\n')).toEqual([
      "bucketName: 'gs://my-models' is a URL; use the bucket's name alone, for example 'my-models'",
      "mountPath: 'data' is not an absolute path; use a path that starts with '/', without ':' and spaces, for example '/data'",
      "mountOptions.uid: '-1' is not a whole number of at least 0; use 0",
      `mountOptions.other[0]: 'o' ${notAmong}`,
      "sidecar.memoryLimit: '1Gi' is not more than cache.sizeLimit '160Gi', and the cache counts toward this limit; use more, or '0' for no limit",
    ]);
  });
});

describe('for any', () => {
  /** Returns the pod as JSON, or the error message. */
  function outcome(make: () => GcsFuseVolume): string {
    try {
      return JSON.stringify(pod(make()));
    } catch (error) {
      if (error instanceof InvalidInputError) return error.message;
      throw error;
    }
  }

  /** Words of letters and digits between single separators, sometimes with invalid parts. */
  const word = fc.string({ unit: fc.constantFrom(...'abcxyz0189'.split('')), minLength: 1, maxLength: 20 });
  const name = fc
    .tuple(fc.array(word, { minLength: 1, maxLength: 5 }), fc.constantFrom('-', '_', '.'))
    .map(([words, separator]) => words.join(separator));
  const wrong = fc
    .tuple(name, fc.constantFrom('A', ' ', '/', ':', '\n', 'ü', '-', '_'), fc.boolean())
    .map(([text, letter, first]) => (first ? letter + text : text + letter));

  test('bucket, a valid name is mounted, and the message shows an invalid one', () => {
    const isBucket = (text: string): boolean =>
      text.length >= 3 &&
      (text.includes('.') ? text.length <= 222 : text.length <= 63) &&
      text.split('.').every((part) => part.length <= 63) &&
      text.split('').every((letter) => 'abcdefghijklmnopqrstuvwxyz0123456789-_.'.includes(letter)) &&
      !/[-_.]/.test(text.charAt(0) + text.charAt(text.length - 1));
    fc.assert(
      fc.property(fc.oneof(name, wrong), (bucketName) => {
        // Ignores Cloud Storage's other rules for names.
        fc.pre(!/^[\d.]+$|^goog/.test(bucketName));
        expect(outcome(() => volume({ bucketName }))).toContain(
          isBucket(bucketName)
            ? `"bucketName":"${bucketName}"`
            : `bucketName: '${oneLine(bucketName.slice(0, 77))}`,
        );
      }),
      { numRuns: 300 },
    );
  });

  test('size of a cache, the sidecar has room for it, or the message states the size', () => {
    const units = { Mi: 2 ** 20, Gi: 2 ** 30, G: 1e9 };
    const size = fc.tuple(fc.integer({ min: 1, max: 2000 }), fc.constantFrom('Mi', 'Gi', 'G'));
    fc.assert(
      fc.property(size, size, fc.constantFrom('ram', 'disk'), ([n, unit], [m, limitUnit], medium) => {
        const [sizeLimit, limit] = [`${String(n)}${unit}`, `${String(m)}${limitUnit}`];
        const key = medium === 'ram' ? 'memoryLimit' : 'ephemeralStorageLimit';
        const make = (): GcsFuseVolume => volume({ cache: { medium, sizeLimit }, sidecar: { [key]: limit } });
        fc.pre(m * units[limitUnit] !== n * units[unit]);
        expect(outcome(make)).toContain(
          m * units[limitUnit] > n * units[unit]
            ? `"sizeLimit":"${sizeLimit}"`
            : `sidecar.${key}: '${limit}' is not more than cache.sizeLimit '${sizeLimit}'`,
        );
      }),
    );
  });
});
