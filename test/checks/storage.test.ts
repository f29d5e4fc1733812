import { manifestSet } from '../../lib/manifest/set';
import { manifestObject } from '../../lib/manifest/manifest';
import { broken, found, setOf, rulesOf } from './found';

const STORAGE_RULES = rulesOf(/^TPU4/);

const places = (...documents: readonly string[]): readonly string[] =>
  found(STORAGE_RULES, setOf(...documents), ({ path }) => path);
const messages = (...documents: readonly string[]): readonly string[] =>
  found(STORAGE_RULES, setOf(...documents), ({ message }) => message);
const fixes = (...documents: readonly string[]): readonly string[] =>
  found(STORAGE_RULES, setOf(...documents), ({ fix }) => fix);

const OPTIONS = 'implicit-dirs,file-cache:max-size-mb:-1';
const fuse = (options = OPTIONS, bucket = 'models', more = ''): string =>
  `{name: models, csi: {driver: gcsfuse.csi.storage.gke.io, volumeAttributes: {bucketName: ${bucket}, mountOptions: '${options}'${more}}}}`;
const CACHE = '{name: gke-gcsfuse-cache, emptyDir: {medium: Memory, sizeLimit: 100Gi}}';
const MOUNT = 'volumeMounts: [{name: models, mountPath: /data}]';
const ON = 'gke-gcsfuse/volumes: "true"';

interface Parts {
  readonly annotations?: string;
  readonly volumes?: readonly string[];
  readonly container?: readonly string[];
  readonly chips?: number;
  readonly accelerator?: string;
  readonly topology?: string;
  readonly more?: string;
}

function template(parts: Parts): string {
  const { annotations = '', volumes = [], container = [], chips = 8 } = parts;
  const { accelerator = 'tpu-v6e-slice', topology = '2x4', more = '' } = parts;
  const fields = ['name: main', ...container];
  if (chips > 0) fields.push(`resources: {limits: {google.com/tpu: "${String(chips)}"}}`);
  return `{metadata: {annotations: {${annotations}}}, spec: {nodeSelector: {cloud.google.com/gke-tpu-accelerator: ${accelerator}, cloud.google.com/gke-tpu-topology: ${topology}}, containers: [{${fields.join(', ')}}], volumes: [${volumes.join(', ')}]${more}}}`;
}
const deployment = (parts: Parts): string =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: llama}, spec: {template: ${template(parts)}}}`;
const spec = 'spec.template.spec';
const annotation = 'spec.template.metadata.annotations';

describe('the annotation for Cloud Storage FUSE', () => {
  const missing = [`TPU401 error ${annotation}[gke-gcsfuse/volumes]`];
  const idle = [`TPU402 note ${annotation}[gke-gcsfuse/volumes]`];
  const whole = { volumes: [fuse(), CACHE], container: [MOUNT] };
  const claim = '{name: models, persistentVolumeClaim: {claimName: models}}';
  const claimed = { volumes: [claim, CACHE], container: [MOUNT] };
  const volume = (fields: string): string =>
    `{apiVersion: v1, kind: PersistentVolume, metadata: {name: bucket}, spec: {csi: {driver: gcsfuse.csi.storage.gke.io, volumeHandle: models}, mountOptions: [implicit-dirs, 'file-cache:max-size-mb:-1']${fields}}}`;
  const bound =
    '{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: models}, spec: {volumeName: bucket}}';

  test.each([
    ['is there', [{ ...whole, annotations: ON }], []],
    ['is there in capitals', [{ ...whole, annotations: 'gke-gcsfuse/volumes: "True"' }], []],
    ['is missing', [whole], missing],
    ['says no', [{ ...whole, annotations: 'gke-gcsfuse/volumes: "false"' }], missing],
    ['says what the driver refuses', [{ ...whole, annotations: 'gke-gcsfuse/volumes: "yes"' }], missing],
    [
      'is not a string, which another rule says',
      [{ ...whole, annotations: 'gke-gcsfuse/volumes: true' }],
      [],
    ],
    ['is missing for a claim that names its volume', [claimed, volume(''), bound], missing],
    [
      'is missing for a volume that names its claim',
      [claimed, volume(', claimRef: {name: models}')],
      missing,
    ],
    ['may be missing for an unknown claim', [claimed, bound], []],
    [
      'may be missing for a claim of another namespace',
      [claimed, volume(', claimRef: {name: models, namespace: other}')],
      [],
    ],
    ['has no volume', [{ annotations: ON }], idle],
    ['has a volume of another kind', [{ annotations: ON, volumes: ['{name: tmp, emptyDir: {}}'] }], idle],
    ['may belong to a claim', [{ annotations: ON, volumes: [claim] }], []],
  ])('%s', (_, [parts, ...others], expected) => {
    expect(places(deployment(parts as Parts), ...(others as string[]))).toEqual(expected);
  });
});

describe('mounts', () => {
  const mount = `TPU403 error ${spec}.containers[main].volumeMounts[models]`;
  const plain = (kind: string, more = ''): string =>
    `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: a}, spec: {template: ${template({ container: [MOUNT], chips: 0 })}${more}}}`;

  test.each([
    ['of no volume', plain('Deployment'), [mount]],
    ['of a claim template', plain('StatefulSet', ', volumeClaimTemplates: [{metadata: {name: models}}]'), []],
    [
      'of a pod',
      `{kind: Pod, metadata: {name: a}, spec: {initContainers: [{name: main, ${MOUNT}}]}}`,
      ['TPU403 error spec.initContainers[main].volumeMounts[models]'],
    ],
    [
      'of a Ray worker',
      `{apiVersion: ray.io/v1, kind: RayService, spec: {rayClusterConfig: {workerGroupSpecs: [{groupName: g, template: ${template({ container: [MOUNT] })}}]}}}`,
      [
        'TPU403 error spec.rayClusterConfig.workerGroupSpecs[g].template.spec.containers[main].volumeMounts[models]',
      ],
    ],
  ])('%s', (_, yaml, expected) => {
    expect(places(yaml)).toEqual(expected);
  });

  test('what could be meant', () => {
    const yaml = deployment({
      container: [MOUNT],
      volumes: ['{name: a, emptyDir: {}}', '{name: b, emptyDir: {}}', '{}'],
    });
    expect(fixes(yaml)).toEqual([`TPU403 error add volume 'models' to volumes, or mount one of 'a', 'b'`]);
  });
});

describe('buckets and mount options', () => {
  const csi = `${spec}.volumes[models].csi.volumeAttributes`;
  const pod = (volume: string): string =>
    deployment({ annotations: ON, volumes: [volume, CACHE], container: [MOUNT] });
  const persistent = (fields: string): string =>
    `{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {csi: {driver: gcsfuse.csi.storage.gke.io, volumeHandle: models}${fields}}}`;

  test.each([
    ['a bucket', pod(fuse()), []],
    ['every bucket', pod(fuse(OPTIONS, '_')), []],
    ['no name', pod(fuse(OPTIONS, "''")), [`TPU404 error ${csi}.bucketName`]],
    ['nothing', pod(fuse(OPTIONS, 'null')), [`TPU404 error ${csi}.bucketName`]],
    ['a URL', pod(fuse(OPTIONS, 'gs://models/llama')), [`TPU404 error ${csi}.bucketName`]],
    [
      'a PersistentVolume without',
      '{apiVersion: v1, kind: PersistentVolume, spec: {csi: {driver: gcsfuse.csi.storage.gke.io}}}',
      ['TPU404 error spec.csi.volumeHandle'],
    ],
    [
      'a volume of another driver',
      '{apiVersion: v1, kind: PersistentVolume, spec: {csi: {driver: pd.csi.storage.gke.io}}}',
      [],
    ],
    ['a refused option', pod(fuse(`${OPTIONS}, cache-dir=/tmp`)), [`TPU410 warning ${csi}.mountOptions`]],
    [
      'two refused options',
      pod(fuse(`${OPTIONS},o=noexec,log-file:/a`)),
      [`TPU410 warning ${csi}.mountOptions`, `TPU410 warning ${csi}.mountOptions`],
    ],
    ['options that only look like it', pod(fuse(`${OPTIONS},only-dir=log-file,file-cache:cache-dir:x`)), []],
    [
      'a refused option of a PersistentVolume',
      persistent(', mountOptions: [temp-dir=/a, 7]'),
      ['TPU410 warning spec.mountOptions'],
    ],
  ])('%s', (_, yaml, expected) => {
    expect(places(yaml)).toEqual(expected);
  });

  test('the bucket of a URL', () => {
    expect(fixes(pod(fuse(OPTIONS, 'gs://models/llama')))).toEqual([`TPU404 error set 'models'`]);
  });
});

describe('where weights and programs are kept', () => {
  const at = (field: string): readonly string[] => [`TPU405 warning ${spec}.containers[main].${field}`];
  const env = (name: string, value: string): string => `env: [{name: ${name}, value: '${value}'}]`;
  const disk = { volumes: ['{name: models, persistentVolumeClaim: {claimName: a}}'] };

  test.each([
    ['a folder on a volume', ['args: [--download-dir=/data]', MOUNT], []],
    ['a folder in a folder on a volume', ['args: [--download-dir, /data/a]', MOUNT], []],
    [
      'a mount path that ends in a slash',
      ['args: [--download-dir, /data]', MOUNT.replace('/data', '/data/')],
      [],
    ],
    ['a folder beside a volume', ['args: [--download-dir=/data2]', MOUNT], at('args')],
    ['in a shell', [`command: [sh, -c, 'serve --download_dir "/models" --x']`], at('command')],
    ['VLLM_XLA_CACHE_PATH', [env('VLLM_XLA_CACHE_PATH', '/xla')], at('env[VLLM_XLA_CACHE_PATH]')],
    [
      'JAX_COMPILATION_CACHE_DIR',
      [env('JAX_COMPILATION_CACHE_DIR', '/xla')],
      at('env[JAX_COMPILATION_CACHE_DIR]'),
    ],
    ['HF_HOME', [env('HF_HOME', '/hf')], at('env[HF_HOME]')],
    [
      'a URL that vLLM does not read',
      [env('VLLM_XLA_CACHE_PATH', 'gs://a/b')],
      at('env[VLLM_XLA_CACHE_PATH]'),
    ],
    [
      'a URL that vLLM does not read, beside a volume',
      [env('VLLM_XLA_CACHE_PATH', 'gs://a/b'), MOUNT],
      at('env[VLLM_XLA_CACHE_PATH]'),
    ],
    ['a URL that JAX reads', [env('JAX_COMPILATION_CACHE_DIR', 'gs://a/b')], []],
    ['a variable', [env('HF_HOME', '$(HOME)/hf')], []],
    ['a folder of the working directory', [env('HF_HOME', 'hf')], []],
    ['from elsewhere', ['env: [{name: HF_HOME, valueFrom: {}}]'], []],
  ])('%s', (_, container, expected) => {
    expect(places(deployment({ ...disk, container }))).toEqual(expected);
  });

  test.each([
    [
      'a Job runs once',
      `{kind: Job, metadata: {name: a}, spec: {template: ${template({ container: [env('HF_HOME', '/hf')] })}}}`,
      [],
    ],
    ['no chips', deployment({ chips: 0, container: [env('HF_HOME', '/hf')] }), []],
    [
      'programs of several hosts',
      deployment({ chips: 4, container: [env('VLLM_XLA_CACHE_PATH', '/tmp/xla')] }),
      [],
    ],
    [
      'weights of several hosts',
      deployment({ chips: 4, container: [env('HF_HOME', '/tmp/hf')] }),
      at('env[HF_HOME]'),
    ],
  ])('%s', (_, yaml, expected) => {
    expect(places(yaml)).toEqual(expected);
  });

  test('what is said', () => {
    const xla = env('VLLM_XLA_CACHE_PATH', '/xla');
    expect([
      ...messages(deployment({ container: [xla] })),
      ...fixes(deployment({ container: [xla] })),
      ...fixes(deployment({ ...disk, container: [xla, MOUNT] })),
      ...fixes(deployment({ container: [env('VLLM_XLA_CACHE_PATH', 'gs://a')] })),
    ]).toEqual([
      "TPU405 warning the VLLM_XLA_CACHE_PATH '/xla' of container 'main' is on no volume and lost at every restart",
      "TPU405 warning set a folder on a volume, and mount one at '/xla'",
      "TPU405 warning set a folder on a volume, under '/data'",
      "TPU405 warning set a folder on a volume, and mount one at '/data'",
    ]);
  });
});

describe('volumes in memory', () => {
  const memory = (name: string, fields: string): string => `{name: ${name}, emptyDir: {${fields}}}`;
  const limit = (name: string): string => `TPU406 warning ${spec}.volumes[${name}].emptyDir.sizeLimit`;
  const medium = `TPU407 error ${spec}.volumes[a].emptyDir.medium`;
  const tooLarge = [`TPU408 warning ${spec}.volumes`];

  test.each([
    [
      'without a limit',
      {
        volumes: [memory('a', 'medium: Memory'), memory('b', 'medium: Memory, sizeLimit: 1Gi')],
        container: ['volumeMounts: [{name: a, mountPath: /a}]'],
      },
      [limit('a')],
    ],
    ['without a limit, mounted by nothing', { volumes: [memory('a', 'medium: Memory')] }, []],
    ['without a limit, without chips', { volumes: [memory('a', 'medium: Memory')], chips: 0 }, []],
    ['on disk without a limit', { volumes: [memory('a', '')] }, []],
    ['medium in lower case', { volumes: [memory('a', 'medium: memory')], chips: 0 }, [medium]],
    ['medium that is not a string', { volumes: [memory('a', 'medium: 1')] }, [medium]],
    ['medium by default', { volumes: [memory('a', "medium: ''"), memory('b', 'medium: null')] }, []],
    ['huge pages', { volumes: [memory('a', 'medium: HugePages'), memory('b', 'medium: HugePages-1Gi')] }, []],
    ['all that the machine has', { volumes: [memory('a', 'medium: Memory, sizeLimit: 1440Gi')] }, []],
    [
      'more than the machine has',
      {
        volumes: [
          memory('a', 'medium: Memory, sizeLimit: 1000Gi'),
          memory('b', 'medium: Memory, sizeLimit: 441Gi'),
        ],
      },
      tooLarge,
    ],
    [
      'more than a smaller machine has',
      { volumes: [memory('a', 'medium: Memory, sizeLimit: 1000Gi')], chips: 4, topology: '2x2' },
      tooLarge,
    ],
    ['disk counts for nothing', { volumes: [memory('a', 'sizeLimit: 9000Gi')] }, []],
    [
      'the smallest machine',
      { volumes: [memory('a', 'medium: Memory, sizeLimit: 176Gi')], chips: 1, topology: '1x1' },
      [],
    ],
    [
      'an accelerator that is not known',
      { volumes: [memory('a', 'medium: Memory, sizeLimit: 9000Gi')], accelerator: 'x' },
      tooLarge,
    ],
    ['a limit that is no quantity', { volumes: [memory('a', 'medium: Memory, sizeLimit: much')] }, []],
  ])('%s', (_, parts, expected) => {
    expect(places(deployment(parts))).toEqual(expected);
  });

  test.each([
    ['ram', 'Memory'],
    ['hugepages', 'HugePages'],
    ['hugepages-2Mi', 'HugePages-2Mi'],
  ])('%s is %s', (written, meant) => {
    expect(fixes(deployment({ volumes: [memory('a', `medium: ${written}`)] }))).toEqual([
      `TPU407 error write '${meant}', or leave it out for the disk`,
    ]);
  });

  test('what the limits could be', () => {
    const volumes = [memory('gke-gcsfuse-cache', 'medium: Memory'), memory('dshm', 'medium: Memory')];
    const container = [
      'volumeMounts: [{name: gke-gcsfuse-cache, mountPath: /a}, {name: dshm, mountPath: /b}]',
    ];
    expect(fixes(deployment({ volumes, container }))).toEqual([
      "TPU406 warning set sizeLimit to the size of the weights, like '160Gi' for a model of 70B",
      "TPU406 warning set sizeLimit, like '16Gi' for /dev/shm",
    ]);
  });
});

describe('the cache of Cloud Storage FUSE', () => {
  const pod = (annotations: string, volumes: readonly string[]): string =>
    deployment({ annotations: `${ON}, ${annotations}`, volumes, container: [MOUNT] });
  const disk = '{name: gke-gcsfuse-cache, emptyDir: {sizeLimit: 100Gi}}';
  const small = (key: string): readonly string[] => [`TPU409 error ${annotation}[gke-gcsfuse/${key}]`];

  test.each([
    ['no limits', '', [fuse(), CACHE], []],
    ['unlimited', 'gke-gcsfuse/memory-limit: "0"', [fuse(), CACHE], []],
    ['enough', 'gke-gcsfuse/memory-limit: 100Gi', [fuse(), CACHE], []],
    ['too small in memory', 'gke-gcsfuse/memory-limit: 99Gi', [fuse(), CACHE], small('memory-limit')],
    [
      'a request alone is the limit',
      'gke-gcsfuse/memory-request: 1Gi',
      [fuse(), CACHE],
      small('memory-request'),
    ],
    [
      'a request beside a limit is none',
      'gke-gcsfuse/memory-request: 1Gi, gke-gcsfuse/memory-limit: "0"',
      [fuse(), CACHE],
      [],
    ],
    ['the other resource', 'gke-gcsfuse/ephemeral-storage-limit: 1Gi', [fuse(), CACHE], []],
    [
      'too small on disk',
      'gke-gcsfuse/ephemeral-storage-limit: 1Gi',
      [fuse(), disk],
      small('ephemeral-storage-limit'),
    ],
    [
      'the options keep the cache below the limit',
      'gke-gcsfuse/memory-limit: 2Gi',
      [fuse('file-cache:max-size-mb:1024'), CACHE],
      [],
    ],
    [
      'the capacity keeps the cache below the limit',
      'gke-gcsfuse/memory-limit: 2Gi',
      [fuse('', 'models', ', fileCacheCapacity: 1Gi'), CACHE],
      [],
    ],
    [
      'the capacity is all',
      'gke-gcsfuse/memory-limit: 2Gi',
      [fuse('', 'models', ", fileCacheCapacity: '-1'"), CACHE],
      small('memory-limit'),
    ],
    [
      'the capacity is no quantity',
      'gke-gcsfuse/memory-limit: 2Gi',
      [fuse('', 'models', ', fileCacheCapacity: all'), CACHE],
      small('memory-limit'),
    ],
    ['a limit that is no quantity', 'gke-gcsfuse/memory-limit: all', [fuse(), CACHE], []],
  ])('sidecar: %s', (_, annotations, volumes, expected) => {
    expect(places(pod(annotations, volumes))).toEqual(expected);
  });

  const reserved = (name: string, source: string): string => `{name: gke-gcsfuse-${name}, ${source}}`;
  const refused = (name: string): readonly string[] => [`TPU411 error ${spec}.volumes[gke-gcsfuse-${name}]`];
  test.each([
    ['an emptyDir', [fuse(), reserved('cache', 'emptyDir: {}'), reserved('buffer', 'emptyDir: {}')], []],
    ['a claim', [fuse(), reserved('cache', 'persistentVolumeClaim: {claimName: a}')], []],
    ['a Secret', [fuse(), CACHE, reserved('buffer', 'secret: {secretName: a}')], refused('buffer')],
    [
      'a bucket',
      [
        fuse(),
        reserved(
          'cache',
          'csi: {driver: gcsfuse.csi.storage.gke.io, volumeAttributes: {bucketName: a, mountOptions: "file-cache:max-size-mb:1"}}',
        ),
      ],
      refused('cache'),
    ],
    ['a volume of another driver', [fuse(), reserved('cache', 'csi: {driver: x}')], []],
    [
      'the one that is always added',
      [fuse(), CACHE, reserved('tmp', 'emptyDir: {}')],
      [`TPU411 note ${spec}.volumes[gke-gcsfuse-tmp]`],
    ],
  ])('reserved names: %s', (_, volumes, expected) => {
    expect(places(pod('', volumes))).toEqual(expected);
  });

  test('a reserved name means nothing in a pod without Cloud Storage FUSE', () => {
    expect(places(deployment({ volumes: [reserved('tmp', 'emptyDir: {}')] }))).toEqual([]);
  });

  const slow = [`TPU412 note ${spec}.volumes[models]`];
  test.each([
    ['of its own', [fuse(), CACHE], []],
    ['none', [fuse('implicit-dirs'), CACHE], [...slow, `TPU416 warning ${spec}.volumes[gke-gcsfuse-cache]`]],
    ['switched off', [fuse('file-cache:max-size-mb:0'), CACHE], slow],
    ['on the boot disk', [fuse()], slow],
    ['on the boot disk, by the capacity', [fuse('', 'models', ', fileCacheCapacity: 10Gi')], slow],
  ])('file cache: %s', (_, volumes, expected) => {
    expect(places(pod('', volumes))).toEqual(expected);
  });

  test.each([
    ['a volume that the server does not mount', deployment({ annotations: ON, volumes: [fuse('')] })],
    [
      'a server without chips',
      deployment({ annotations: ON, volumes: [fuse('')], container: [MOUNT], chips: 0 }),
    ],
    [
      'a Job',
      `{kind: Job, spec: {template: ${template({ annotations: ON, volumes: [fuse('')], container: [MOUNT] })}}}`,
    ],
  ])('no file cache is needed for %s', (_, yaml) => {
    expect(places(yaml)).toEqual([]);
  });
});

describe('a compile cache of several hosts', () => {
  const parts = (folder: string, mount = MOUNT): Parts => ({
    annotations: ON,
    volumes: [fuse(), CACHE, '{name: local, emptyDir: {}}'],
    container: [`env: [{name: VLLM_XLA_CACHE_PATH, value: ${folder}}]`, mount],
    chips: 4,
    topology: '4x4',
  });
  const race = ['TPU413 warning spec.template.spec.containers[main].env[VLLM_XLA_CACHE_PATH]'];
  const nested = 'volumeMounts: [{name: models, mountPath: /data}, {name: local, mountPath: /data/xla}]';
  const own = 'volumeMounts: [{name: models, mountPath: /data, subPathExpr: $(POD_NAME)}]';

  test.each([
    ['in the bucket', parts('/data/xla'), race],
    ['on a volume inside the bucket', parts('/data/xla', nested), []],
    ['in a folder of each host', parts('/data/xla', own), []],
    ['in a local folder', parts('/tmp/xla'), []],
    ['of one host', { ...parts('/data/xla'), chips: 8, topology: '2x4' }, []],
  ])('%s', (_, each, expected) => {
    expect(places(deployment(each))).toEqual(expected);
  });

  test('the hosts may be stated where the topology is not', () => {
    const yaml = `{kind: LeaderWorkerSet, metadata: {name: a}, spec: {leaderWorkerTemplate: {size: 4, workerTemplate: ${template({ ...parts('/data/xla'), accelerator: "''", topology: "''" })}}}}`;
    expect(messages(yaml)).toEqual([
      "TPU413 warning the VLLM_XLA_CACHE_PATH '/data/xla' is in a bucket that 4 hosts write at once, and they overwrite each other's programs",
    ]);
  });

  test.each<[string, string, readonly string[]]>([
    ['Indexed, are hosts', 'completionMode: Indexed, ', race],
    ['not Indexed, may run one after another', '', []],
  ])('the completions of a Job that is %s', (_, mode, expected) => {
    const pods = template({ ...parts('/data/xla'), accelerator: "''", topology: "''" });
    const yaml = `{kind: Job, metadata: {name: a}, spec: {${mode}completions: 2, template: ${pods}}}`;
    expect(places(yaml).filter((place) => place.startsWith('TPU413'))).toEqual(expected);
  });
});

describe('TPU414: a cache on disk', () => {
  const on = (annotations: string, sizeLimit = 'sizeLimit: 100Gi'): readonly string[] =>
    places(
      deployment({
        annotations: `${ON}${annotations}`,
        volumes: [fuse(), `{name: gke-gcsfuse-cache, emptyDir: {${sizeLimit}}}`],
        container: [MOUNT],
      }),
    ).filter((place) => place.startsWith('TPU414'));
  const missing = [`TPU414 warning ${annotation}[gke-gcsfuse/ephemeral-storage-request]`];

  test.each([
    ['nothing said', '', missing],
    ['no limit', ', gke-gcsfuse/ephemeral-storage-limit: "0"', missing],
    ['no request and no limit', ', gke-gcsfuse/ephemeral-storage-request: "0"', missing],
    [
      'a request that is too small',
      ', gke-gcsfuse/ephemeral-storage-request: 50Gi, gke-gcsfuse/ephemeral-storage-limit: "0"',
      missing,
    ],
    [
      'a request that holds it',
      ', gke-gcsfuse/ephemeral-storage-request: 105Gi, gke-gcsfuse/ephemeral-storage-limit: "0"',
      [],
    ],
    ['a limit that holds it', ', gke-gcsfuse/ephemeral-storage-limit: 105Gi', []],
    ['a limit that is too small, which TPU409 says', ', gke-gcsfuse/ephemeral-storage-limit: 50Gi', []],
  ])('%s', (_, annotations, expected) => {
    expect(on(annotations)).toEqual(expected);
  });

  test('accepts a cache within the default of the sidecar, without a limit, or in memory', () => {
    expect(on('', 'sizeLimit: 5Gi')).toEqual([]);
    expect(on('', '')).toEqual([]);
    expect(on('', 'medium: Memory, sizeLimit: 100Gi')).toEqual([]);
  });

  test('of no bucket is none', () => {
    const cache = '{name: gke-gcsfuse-cache, emptyDir: {sizeLimit: 100Gi}}';
    expect(places(deployment({ volumes: [cache] }))).toEqual([]);
  });

  test('what is said', () => {
    const yaml = deployment({
      annotations: ON,
      volumes: [fuse(), '{name: gke-gcsfuse-cache, emptyDir: {sizeLimit: 100Gi}}'],
      container: [MOUNT],
    });
    expect([messages(yaml), fixes(yaml)]).toEqual([
      [
        "TPU414 warning the cache 'gke-gcsfuse-cache' may hold '100Gi' of the node's disk, and the sidecar requests '5Gi', so the pod may come to a node without that room and be evicted",
      ],
      [
        'TPU414 warning set the annotations gke-gcsfuse/ephemeral-storage-request to more than \'100Gi\' and gke-gcsfuse/ephemeral-storage-limit: "0"',
      ],
    ]);
  });
});

describe('TPU415: a cache and the weights', () => {
  const of = (flags: string, options = OPTIONS, mount = MOUNT): readonly string[] =>
    messages(
      deployment({ annotations: ON, volumes: [fuse(options), CACHE], container: [flags, mount] }),
    ).filter((message) => message.startsWith('TPU415'));
  const small = (held: number): readonly string[] => [
    `TPU415 note the cache holds ${String(held)} GiB of the weights of 'meta-llama/Llama-3.1-70B', which are about '142G', and the others are read from the bucket at every start`,
  ];

  test.each([
    ['args: [--model=meta-llama/Llama-3.1-70B]', small(100)],
    ['args: [--model, meta-llama/Llama-3.1-70B]', small(100)],
    ['command: [bash, -c, "vllm serve meta-llama/Llama-3.1-70B --port 8000"]', small(100)],
    ['args: [--model=meta-llama/Llama-3.1-8B]', []],
    ['args: [--model=/data/my-model]', []],
    ['args: [--port=8000]', []],
  ])('%s', (flags, expected) => {
    expect(of(flags)).toEqual(expected);
  });

  test('the options may leave less of it', () => {
    const flags = 'args: [--model=meta-llama/Llama-3.1-70B]';
    expect(of(flags, 'file-cache:max-size-mb:10240')).toEqual(small(10));
    expect(of(flags, 'implicit-dirs')).toEqual([]);
    expect(of(flags, OPTIONS, 'volumeMounts: []')).toEqual([]);
  });

  test('a Job reads its weights once', () => {
    const parts = {
      annotations: ON,
      volumes: [fuse(), CACHE],
      container: ['args: [--model=a/b-70b]', MOUNT],
    };
    const yaml = `{apiVersion: batch/v1, kind: Job, metadata: {name: llama}, spec: {template: ${template(parts)}}}`;
    expect(places(yaml)).toEqual([]);
  });
});

test('no shape of a manifest breaks a rule', () => {
  const yaml = deployment({
    annotations: `${ON}, gke-gcsfuse/memory-limit: 1Gi`,
    volumes: [fuse('o=a'), CACHE, '{name: b, persistentVolumeClaim: {claimName: c}}'],
    container: ['args: [--download-dir=/x]', 'env: [{name: HF_HOME, value: /a}]', MOUNT],
    chips: 4,
    topology: '4x4',
  });
  const pv =
    '{apiVersion: v1, kind: PersistentVolume, metadata: {name: d}, spec: {mountOptions: [a], claimRef: {name: c}, csi: {driver: gcsfuse.csi.storage.gke.io, volumeAttributes: {}}}}';
  const objects = setOf(yaml, pv).objects;
  expect(() => {
    for (const { manifest } of objects)
      for (const other of broken(manifest))
        found(STORAGE_RULES, manifestSet([...objects, manifestObject(other)]), ({ message }) => message);
  }).not.toThrow();
});
