import { GcsFuseVolume } from '../../lib/pod/gcs-fuse-volume';
import {
  cacheProblem,
  compileCacheProblem,
  isUncached,
  keptFolderProblem,
  MODEL_CACHE_PROPERTIES,
  modelCacheFragments,
  modelCacheProblems,
  type MountedVolume,
  writableMount,
} from '../../lib/pod/model-cache';
import { type PodFragment } from '../../lib/pod/fragment';
import { type Problem, Problems, textOf } from '../../lib/problems/problems';
import { TpuSlice } from '../../lib/tpu/slice';

const oneHost = TpuSlice.of('ct6e-standard-4t');
const twoHosts = TpuSlice.of('ct6e-standard-4t', '2x4');

/** A fragment with a mount for each path. */
const mounted = (...mounts: (readonly [path: string, more?: object])[]): PodFragment => ({
  volumes: mounts.map(([path]) => ({ name: path.slice(1).replaceAll('/', '-') })),
  volumeMounts: mounts.map(([path, more]) => ({
    name: path.slice(1).replaceAll('/', '-'),
    mountPath: path,
    ...more,
  })),
});
const data: MountedVolume = { ...mounted(['/data']), mountPath: '/data' };
const text = (problem: Problem | undefined): string | undefined => problem && textOf(problem);

describe('a modelCache', () => {
  const { type } = MODEL_CACHE_PROPERTIES.modelCache;
  const said = (value: unknown): readonly string[] => {
    const problems = new Problems();
    const usable = type.read(value, 'modelCache', problems);
    expect(usable).toEqual(problems.count === 0 ? value : undefined);
    return problems.all.map(textOf);
  };

  test.each<[string, unknown, ...string[]]>([
    ['a volume', data],
    ['a read-only volume', { ...data, readOnly: true }],
    ['a writable volume', { ...data, readOnly: false }],
    [
      'a text',
      'gs://my-models',
      "modelCache: 'gs://my-models' is a string; use a volume, like new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data' })",
    ],
    ['a volume without a path', { volumes: [] }, 'modelCache.mountPath: required; use a string'],
    [
      'a volume with a text for readOnly',
      { ...data, readOnly: 'yes' },
      "modelCache.readOnly: 'yes' is a string; use true or false",
    ],
    ['a volume with a wrong field', { ...data, volumes: {} }, 'modelCache.volumes: is an object; use a list'],
  ])('is %s', (_, value, ...messages) => {
    expect(said(value)).toEqual(messages);
  });

  test.each<[string, object, ...string[]]>([
    ['none', {}],
    ['one with its mount', { modelCache: data }],
    ['one below its mount', { modelCache: { ...data, mountPath: '/data/models' } }],
    [
      'one whose mount is in a fragment',
      { modelCache: { mountPath: '/data' }, fragments: [mounted(['/data'])] },
    ],
    [
      'a read-only one',
      { modelCache: { ...mounted(['/data', { readOnly: true }]), mountPath: '/data', readOnly: true } },
    ],
    [
      'one without a mount',
      { modelCache: { mountPath: '/data' } },
      "modelCache.mountPath: '/data' is not on a volume; use the mountPath of one of its volumeMounts",
    ],
    [
      'one beside its mount',
      { modelCache: { ...data, mountPath: '/data2' } },
      "modelCache.mountPath: '/data2' is not on a volume; use the mountPath of one of its volumeMounts",
    ],
    [
      'one with a read-only mount',
      { modelCache: { ...mounted(['/data', { readOnly: true }]), mountPath: '/data' } },
      "modelCache.mountPath: '/data' has a read-only mount; use readOnly: true next to mountPath, or a writable mount",
    ],
  ])('has the expected problems: %s', (_, mounts, ...messages) => {
    expect(modelCacheProblems(mounts).map(textOf)).toEqual(messages);
  });

  test('is writable unless it is read-only', () => {
    expect(writableMount(data)).toBe('/data');
    expect(writableMount({ ...data, readOnly: false })).toBe('/data');
    expect(writableMount({ ...data, readOnly: true })).toBeUndefined();
    expect(writableMount(undefined)).toBeUndefined();
  });
});

describe('a folder whose files must outlive a restart', () => {
  const nested = { fragments: [mounted(['/data']), mounted(['/data/in', { readOnly: true }])] };

  test.each<[string, string | undefined, object, string | undefined]>([
    ['no folder', undefined, {}, undefined],
    ['a folder of the cache', '/data/xla', { modelCache: data }, undefined],
    [
      'a folder of a fragment',
      '/data/xla',
      { fragments: [mounted(['/other']), mounted(['/data'])] },
      undefined,
    ],
    ['a folder of the outer of two mounts', '/data/xla', nested, undefined],
    [
      'a folder of the inner of two mounts',
      '/data/in/xla',
      nested,
      "it: '/data/in/xla' is on a read-only volume; use a folder on a writable volume",
    ],
    [
      'a folder without any volume',
      '/tmp',
      {},
      "it: '/tmp' is not on a volume: its files are lost at every restart; use a folder below the mountPath of a modelCache",
    ],
    [
      'a folder beside volumes',
      '/tmp',
      { modelCache: data, fragments: [mounted(['/other'])] },
      "it: '/tmp' is not on a volume: its files are lost at every restart; use a folder below '/data' or '/other'",
    ],
  ])('%s', (_, folder, mounts, message) => {
    expect(text(keptFolderProblem('it', folder, mounts))).toBe(message);
  });
});

describe('a folder for compiled programs', () => {
  const disk: PodFragment = {
    volumes: [
      { name: 'disk', emptyDir: {} },
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    ],
    volumeMounts: [
      { name: 'disk', mountPath: '/disk' },
      { name: 'data', mountPath: '/data' },
      { name: 'data', mountPath: '/own', subPathExpr: '$(POD_NAME)' },
      { name: 'data', mountPath: '/read', readOnly: true, subPathExpr: '$(POD_NAME)' },
    ],
  };
  const shared = (path: string): string =>
    `it: '${path}' is on a volume that 2 hosts would write at the same time; use a local folder of each host, for example '/tmp/xla-cache'`;

  test.each<[string, string | undefined, TpuSlice, PodFragment | undefined, string | undefined]>([
    ['none', undefined, twoHosts, disk, undefined],
    ['one host, on a shared volume', '/data/xla', oneHost, disk, undefined],
    [
      'one host, on no volume',
      '/xla',
      oneHost,
      undefined,
      "it: '/xla' is not on a volume: its files are lost at every restart; use a folder below the mountPath of a modelCache",
    ],
    ['two hosts, on no volume', '/xla', twoHosts, undefined, undefined],
    ['two hosts, on a disk of each', '/disk/xla', twoHosts, disk, undefined],
    ['two hosts, in a folder of each', '/own/xla', twoHosts, disk, undefined],
    [
      'two hosts, on a read-only volume',
      '/read/xla',
      twoHosts,
      disk,
      "it: '/read/xla' is on a read-only volume; use a folder on a writable volume",
    ],
    ['two hosts, on a shared volume', '/data/xla', twoHosts, disk, shared('/data/xla')],
  ])('%s', (_, folder, slice, fragment, message) => {
    const mounts = { fragments: fragment && [fragment] };
    expect(
      text(compileCacheProblem('it', folder, slice, mounts))?.replace(
        /for example '.*'/,
        "for example '/tmp/xla-cache'",
      ),
    ).toBe(message);
  });

  test('two hosts, on the volume of the cache', () => {
    expect(text(compileCacheProblem('it', '/data/xla', twoHosts, { modelCache: data }))).toContain('2 hosts');
  });
});

describe('the fragments of a cache', () => {
  const env = (options: object, slice: TpuSlice): unknown =>
    modelCacheFragments(options, slice, ['A', 'B']).flatMap((one) => one.env ?? []);
  const both = (value: string): unknown[] => [
    { name: 'A', value },
    { name: 'B', value },
  ];
  const home = { name: 'HF_HOME', value: '/data/huggingface' };

  test.each<[string, object, TpuSlice, unknown]>([
    ['no cache', {}, oneHost, []],
    ['a cache', { modelCache: data }, oneHost, [home, ...both('/data')]],
    ['a cache of two hosts', { modelCache: data }, twoHosts, [home]],
    ['a read-only cache', { modelCache: { ...data, readOnly: true } }, oneHost, []],
    ['a folder', { modelCache: data, compileCachePath: '/data/xla' }, oneHost, [home, ...both('/data/xla')]],
    ['a folder of each of two hosts', { compileCachePath: '/disk' }, twoHosts, both('/disk')],
  ])('set the variables of %s', (_, options, slice, expected) => {
    expect(env(options, slice)).toEqual(expected);
  });

  test('contain the volume', () => {
    expect(modelCacheFragments({ modelCache: data }, oneHost, [])[0]).toBe(data);
    expect(modelCacheFragments({}, oneHost, [])).toEqual([{ env: [] }]);
  });
});

describe('the file cache of a bucket', () => {
  const bucket = (more: object = {}): GcsFuseVolume =>
    new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data', ...more });
  const cached = bucket({ cache: { medium: 'ram', sizeLimit: '20Gi' } });

  test.each<[string, PodFragment | undefined, string | undefined, boolean]>([
    ['no volume', undefined, '10Gi', false],
    ['another volume', data, '10Gi', false],
    ['no cache', bucket(), '10Gi', true],
    ['a cache for weights of an unknown size', cached, undefined, false],
    ['a cache as large as the weights', cached, '20Gi', false],
    ['a cache smaller than the weights', cached, '21Gi', true],
  ])('is used or not: %s', (_, volume, size, expected) => {
    expect(isUncached(volume, size)).toBe(expected);
  });

  test.each<[string, PodFragment | undefined, string | undefined, string | undefined]>([
    ['no volume', undefined, '10Gi', undefined],
    ['no cache', bucket(), '10Gi', undefined],
    ['a cache for weights of an unknown size', cached, undefined, undefined],
    ['a cache as large as the weights', cached, '20Gi', undefined],
    [
      'a cache smaller than the weights',
      cached,
      '20500Mi',
      "it: '20Gi' is smaller than the weights, '20500Mi': every start reads the rest from the bucket; use at least the size of the weights, for example '21Gi'",
    ],
  ])('can be too small: %s', (_, volume, size, message) => {
    expect(text(cacheProblem('it', volume, size))).toBe(message);
  });
});
