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

describe('the rules about the Cloud Storage FUSE annotation', () => {
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
    ['the annotation', [{ ...whole, annotations: ON }], []],
    ['the annotation with value True', [{ ...whole, annotations: 'gke-gcsfuse/volumes: "True"' }], []],
    ['a missing annotation', [whole], missing],
    ['the value false', [{ ...whole, annotations: 'gke-gcsfuse/volumes: "false"' }], missing],
    ['a value that the driver refuses', [{ ...whole, annotations: 'gke-gcsfuse/volumes: "yes"' }], missing],
    [
      'a value that is not a string, which TPU711 reports',
      [{ ...whole, annotations: 'gke-gcsfuse/volumes: true' }],
      [],
    ],
    ['a missing annotation for a claim that names its volume', [claimed, volume(''), bound], missing],
    [
      'a missing annotation for a volume that names its claim',
      [claimed, volume(', claimRef: {name: models}')],
      missing,
    ],
    ['a missing annotation for an unknown claim', [claimed, bound], []],
    [
      'a missing annotation for a claim of another namespace',
      [claimed, volume(', claimRef: {name: models, namespace: other}')],
      [],
    ],
    ['an annotation without a volume', [{ annotations: ON }], idle],
    [
      'an annotation with a volume of another kind',
      [{ annotations: ON, volumes: ['{name: tmp, emptyDir: {}}'] }],
      idle,
    ],
    ['an annotation with a claim', [{ annotations: ON, volumes: [claim] }], []],
  ])('check %s', (_, [parts, ...others], expected) => {
    expect(places(deployment(parts as Parts), ...(others as string[]))).toEqual(expected);
  });
});

describe('TPU403', () => {
  const mount = `TPU403 error ${spec}.containers[main].volumeMounts[models]`;
  const plain = (kind: string, more = ''): string =>
    `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: a}, spec: {template: ${template({ container: [MOUNT], chips: 0 })}${more}}}`;

  test.each([
    ['a mount without a volume', plain('Deployment'), [mount]],
    [
      'a mount of a claim template',
      plain('StatefulSet', ', volumeClaimTemplates: [{metadata: {name: models}}]'),
      [],
    ],
    [
      'a mount of a Pod without a volume',
      `{kind: Pod, metadata: {name: a}, spec: {initContainers: [{name: main, ${MOUNT}}]}}`,
      ['TPU403 error spec.initContainers[main].volumeMounts[models]'],
    ],
    [
      'a mount of a Ray worker without a volume',
      `{apiVersion: ray.io/v1, kind: RayService, spec: {rayClusterConfig: {workerGroupSpecs: [{groupName: g, template: ${template({ container: [MOUNT] })}}]}}}`,
      [
        'TPU403 error spec.rayClusterConfig.workerGroupSpecs[g].template.spec.containers[main].volumeMounts[models]',
      ],
    ],
  ])('%s', (_, yaml, expected) => {
    expect(places(yaml)).toEqual(expected);
  });

  test('the fix names the volumes of the pod', () => {
    const yaml = deployment({
      container: [MOUNT],
      volumes: ['{name: a, emptyDir: {}}', '{name: b, emptyDir: {}}', '{}'],
    });
    expect(fixes(yaml)).toEqual([`TPU403 error add volume 'models' to volumes, or mount 'a' or 'b'`]);
  });
});

describe('the rules about buckets and mount options', () => {
  const csi = `${spec}.volumes[models].csi.volumeAttributes`;
  const pod = (volume: string): string =>
    deployment({ annotations: ON, volumes: [volume, CACHE], container: [MOUNT] });
  const persistent = (fields: string): string =>
    `{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {csi: {driver: gcsfuse.csi.storage.gke.io, volumeHandle: models}${fields}}}`;

  test.each([
    ['a bucket', pod(fuse()), []],
    ['a volume of all buckets', pod(fuse(OPTIONS, '_')), []],
    ['an empty bucket name', pod(fuse(OPTIONS, "''")), [`TPU404 error ${csi}.bucketName`]],
    ['nothing', pod(fuse(OPTIONS, 'null')), [`TPU404 error ${csi}.bucketName`]],
    [
      'a URL instead of a bucket',
      pod(fuse(OPTIONS, 'gs://models/llama')),
      [`TPU404 error ${csi}.bucketName`],
    ],
    [
      'a PersistentVolume without a bucket',
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
    [
      'options that resemble refused ones',
      pod(fuse(`${OPTIONS},only-dir=log-file,file-cache:cache-dir:x`)),
      [],
    ],
    [
      'a refused option of a PersistentVolume',
      persistent(', mountOptions: [temp-dir=/a, 7]'),
      ['TPU410 warning spec.mountOptions'],
    ],
  ])('%s', (_, yaml, expected) => {
    expect(places(yaml)).toEqual(expected);
  });

  test('the fix names the bucket of a URL', () => {
    expect(fixes(pod(fuse(OPTIONS, 'gs://models/llama')))).toEqual([`TPU404 error use 'models'`]);
  });
});

describe('the rule about weights and compiled programs', () => {
  const at = (field: string): readonly string[] => [`TPU405 warning ${spec}.containers[main].${field}`];
  const env = (name: string, value: string): string => `env: [{name: ${name}, value: '${value}'}]`;
  const disk = { volumes: ['{name: models, persistentVolumeClaim: {claimName: a}}'] };

  test.each([
    ['a folder on a volume', ['args: [--download-dir=/data]', MOUNT], []],
    ['a subfolder on a volume', ['args: [--download-dir, /data/a]', MOUNT], []],
    [
      'a mount path that ends in a slash',
      ['args: [--download-dir, /data]', MOUNT.replace('/data', '/data/')],
      [],
    ],
    ['a folder beside a volume', ['args: [--download-dir=/data2]', MOUNT], at('args')],
    [
      'a folder in a shell command',
      [`command: [sh, -c, 'serve --download_dir "/models" --x']`],
      at('command'),
    ],
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
      'a URL that vLLM does not read, in a container with a volume',
      [env('VLLM_XLA_CACHE_PATH', 'gs://a/b'), MOUNT],
      at('env[VLLM_XLA_CACHE_PATH]'),
    ],
    ['a URL that JAX reads', [env('JAX_COMPILATION_CACHE_DIR', 'gs://a/b')], []],
    ['a folder with a variable', [env('HF_HOME', '$(HOME)/hf')], []],
    ['a relative folder', [env('HF_HOME', 'hf')], []],
    ['a variable without a value in the manifest', ['env: [{name: HF_HOME, valueFrom: {}}]'], []],
  ])('%s', (_, container, expected) => {
    expect(places(deployment({ ...disk, container }))).toEqual(expected);
  });

  test.each([
    [
      'a Job, which runs once',
      `{kind: Job, metadata: {name: a}, spec: {template: ${template({ container: [env('HF_HOME', '/hf')] })}}}`,
      [],
    ],
    ['no chips', deployment({ chips: 0, container: [env('HF_HOME', '/hf')] }), []],
    [
      'a compile cache of several hosts',
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

  test('the messages state the problem and the fix', () => {
    const xla = env('VLLM_XLA_CACHE_PATH', '/xla');
    expect([
      ...messages(deployment({ container: [xla] })),
      ...fixes(deployment({ container: [xla] })),
      ...fixes(deployment({ ...disk, container: [xla, MOUNT] })),
      ...fixes(deployment({ container: [env('VLLM_XLA_CACHE_PATH', 'gs://a')] })),
    ]).toEqual([
      "TPU405 warning the VLLM_XLA_CACHE_PATH '/xla' of container 'main' is not on a volume, so its content is lost at every restart",
      "TPU405 warning use a folder on a volume, and mount one at '/xla'",
      "TPU405 warning use a folder on a volume, under '/data'",
      "TPU405 warning use a folder on a volume, and mount one at '/data'",
    ]);
  });
});

describe('the rules about volumes in memory', () => {
  const memory = (name: string, fields: string): string => `{name: ${name}, emptyDir: {${fields}}}`;
  const limit = (name: string): string => `TPU406 warning ${spec}.volumes[${name}].emptyDir.sizeLimit`;
  const medium = `TPU407 error ${spec}.volumes[a].emptyDir.medium`;
  const tooLarge = [`TPU408 warning ${spec}.volumes`];

  test.each([
    [
      'a volume without a limit',
      {
        volumes: [memory('a', 'medium: Memory'), memory('b', 'medium: Memory, sizeLimit: 1Gi')],
        container: ['volumeMounts: [{name: a, mountPath: /a}]'],
      },
      [limit('a')],
    ],
    ['a volume without a limit that no container mounts', { volumes: [memory('a', 'medium: Memory')] }, []],
    [
      'a volume without a limit in a pod without chips',
      { volumes: [memory('a', 'medium: Memory')], chips: 0 },
      [],
    ],
    ['a volume on disk without a limit', { volumes: [memory('a', '')] }, []],
    ['a medium in lower case', { volumes: [memory('a', 'medium: memory')], chips: 0 }, [medium]],
    ['a medium that is not a string', { volumes: [memory('a', 'medium: 1')] }, [medium]],
    ['the default medium', { volumes: [memory('a', "medium: ''"), memory('b', 'medium: null')] }, []],
    ['huge pages', { volumes: [memory('a', 'medium: HugePages'), memory('b', 'medium: HugePages-1Gi')] }, []],
    [
      'as much memory as the machine has',
      { volumes: [memory('a', 'medium: Memory, sizeLimit: 1440Gi')] },
      [],
    ],
    [
      'more memory than the machine has',
      {
        volumes: [
          memory('a', 'medium: Memory, sizeLimit: 1000Gi'),
          memory('b', 'medium: Memory, sizeLimit: 441Gi'),
        ],
      },
      tooLarge,
    ],
    [
      'more memory than a smaller machine has',
      { volumes: [memory('a', 'medium: Memory, sizeLimit: 1000Gi')], chips: 4, topology: '2x2' },
      tooLarge,
    ],
    ['a large volume on disk', { volumes: [memory('a', 'sizeLimit: 9000Gi')] }, []],
    [
      'more memory than the smallest machine has',
      { volumes: [memory('a', 'medium: Memory, sizeLimit: 176Gi')], chips: 1, topology: '1x1' },
      [],
    ],
    [
      'an unknown accelerator',
      { volumes: [memory('a', 'medium: Memory, sizeLimit: 9000Gi')], accelerator: 'x' },
      tooLarge,
    ],
    ['a limit that is not a quantity', { volumes: [memory('a', 'medium: Memory, sizeLimit: much')] }, []],
  ])('%s', (_, parts, expected) => {
    expect(places(deployment(parts))).toEqual(expected);
  });

  test.each([
    ['ram', 'Memory'],
    ['hugepages', 'HugePages'],
    ['hugepages-2Mi', 'HugePages-2Mi'],
  ])('the fix for medium %s is %s', (written, meant) => {
    expect(fixes(deployment({ volumes: [memory('a', `medium: ${written}`)] }))).toEqual([
      `TPU407 error set medium to '${meant}', or remove it to use the disk`,
    ]);
  });

  test('the fix names a typical sizeLimit', () => {
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

describe('the rules about the cache of Cloud Storage FUSE', () => {
  const pod = (annotations: string, volumes: readonly string[]): string =>
    deployment({ annotations: `${ON}, ${annotations}`, volumes, container: [MOUNT] });
  const disk = '{name: gke-gcsfuse-cache, emptyDir: {sizeLimit: 100Gi}}';
  const small = (key: string): readonly string[] => [`TPU409 error ${annotation}[gke-gcsfuse/${key}]`];

  test.each([
    ['no limits', '', [fuse(), CACHE], []],
    ['unlimited', 'gke-gcsfuse/memory-limit: "0"', [fuse(), CACHE], []],
    ['enough', 'gke-gcsfuse/memory-limit: 100Gi', [fuse(), CACHE], []],
    [
      'a memory limit that is too small',
      'gke-gcsfuse/memory-limit: 99Gi',
      [fuse(), CACHE],
      small('memory-limit'),
    ],
    [
      'a request without a limit',
      'gke-gcsfuse/memory-request: 1Gi',
      [fuse(), CACHE],
      small('memory-request'),
    ],
    [
      'a request with a limit of zero',
      'gke-gcsfuse/memory-request: 1Gi, gke-gcsfuse/memory-limit: "0"',
      [fuse(), CACHE],
      [],
    ],
    ['a limit of the other resource', 'gke-gcsfuse/ephemeral-storage-limit: 1Gi', [fuse(), CACHE], []],
    [
      'a disk limit that is too small',
      'gke-gcsfuse/ephemeral-storage-limit: 1Gi',
      [fuse(), disk],
      small('ephemeral-storage-limit'),
    ],
    [
      'mount options that keep the cache below the limit',
      'gke-gcsfuse/memory-limit: 2Gi',
      [fuse('file-cache:max-size-mb:1024'), CACHE],
      [],
    ],
    [
      'a capacity that keeps the cache below the limit',
      'gke-gcsfuse/memory-limit: 2Gi',
      [fuse('', 'models', ', fileCacheCapacity: 1Gi'), CACHE],
      [],
    ],
    [
      'an unlimited capacity',
      'gke-gcsfuse/memory-limit: 2Gi',
      [fuse('', 'models', ", fileCacheCapacity: '-1'"), CACHE],
      small('memory-limit'),
    ],
    [
      'a capacity that is not a quantity',
      'gke-gcsfuse/memory-limit: 2Gi',
      [fuse('', 'models', ', fileCacheCapacity: all'), CACHE],
      small('memory-limit'),
    ],
    ['a limit that is not a quantity', 'gke-gcsfuse/memory-limit: all', [fuse(), CACHE], []],
  ])('check a sidecar with %s', (_, annotations, volumes, expected) => {
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
      'an emptyDir with the name that the driver always adds',
      [fuse(), CACHE, reserved('tmp', 'emptyDir: {}')],
      [`TPU411 note ${spec}.volumes[gke-gcsfuse-tmp]`],
    ],
  ])('check reserved names of %s', (_, volumes, expected) => {
    expect(places(pod('', volumes))).toEqual(expected);
  });

  test('ignore reserved names in a pod without Cloud Storage FUSE', () => {
    expect(places(deployment({ volumes: [reserved('tmp', 'emptyDir: {}')] }))).toEqual([]);
  });

  const slow = [`TPU412 note ${spec}.volumes[models]`];
  test.each([
    ['a cache volume', [fuse(), CACHE], []],
    ['none', [fuse('implicit-dirs'), CACHE], [...slow, `TPU416 warning ${spec}.volumes[gke-gcsfuse-cache]`]],
    ['a size of zero', [fuse('file-cache:max-size-mb:0'), CACHE], slow],
    ['no cache volume', [fuse()], slow],
    ['no cache volume, but a capacity', [fuse('', 'models', ', fileCacheCapacity: 10Gi')], slow],
  ])('check a file cache with %s', (_, volumes, expected) => {
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
  ])('do not require a file cache for %s', (_, yaml) => {
    expect(places(yaml)).toEqual([]);
  });
});

describe('the rule about a shared compile cache', () => {
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
    ['a cache in the bucket', parts('/data/xla'), race],
    ['a cache on a volume inside the bucket', parts('/data/xla', nested), []],
    ['a cache in a folder per host', parts('/data/xla', own), []],
    ['a cache in a local folder', parts('/tmp/xla'), []],
    ['a cache of a single host', { ...parts('/data/xla'), chips: 8, topology: '2x4' }, []],
  ])('%s', (_, each, expected) => {
    expect(places(deployment(each))).toEqual(expected);
  });

  test('uses the stated hosts if the topology is missing', () => {
    const yaml = `{kind: LeaderWorkerSet, metadata: {name: a}, spec: {leaderWorkerTemplate: {size: 4, workerTemplate: ${template({ ...parts('/data/xla'), accelerator: "''", topology: "''" })}}}}`;
    expect(messages(yaml)).toEqual([
      "TPU413 warning the VLLM_XLA_CACHE_PATH '/data/xla' is in a bucket, and 4 hosts that write to it at once overwrite each other's programs",
    ]);
  });

  test.each<[string, string, readonly string[]]>([
    ['Indexed', 'completionMode: Indexed, ', race],
    ['not Indexed', '', []],
  ])('checks the completions of a Job that is %s', (_, mode, expected) => {
    const pods = template({ ...parts('/data/xla'), accelerator: "''", topology: "''" });
    const yaml = `{kind: Job, metadata: {name: a}, spec: {${mode}completions: 2, template: ${pods}}}`;
    expect(places(yaml).filter((place) => place.startsWith('TPU413'))).toEqual(expected);
  });
});

describe('TPU414', () => {
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
    ['a sidecar without request and limit', '', missing],
    ['a sidecar with only a limit of zero', ', gke-gcsfuse/ephemeral-storage-limit: "0"', missing],
    ['a sidecar with only a request of zero', ', gke-gcsfuse/ephemeral-storage-request: "0"', missing],
    [
      'a request that is too small',
      ', gke-gcsfuse/ephemeral-storage-request: 50Gi, gke-gcsfuse/ephemeral-storage-limit: "0"',
      missing,
    ],
    [
      'a request that covers the cache',
      ', gke-gcsfuse/ephemeral-storage-request: 105Gi, gke-gcsfuse/ephemeral-storage-limit: "0"',
      [],
    ],
    ['a limit that covers the cache', ', gke-gcsfuse/ephemeral-storage-limit: 105Gi', []],
    ['a limit that is too small, which TPU409 reports', ', gke-gcsfuse/ephemeral-storage-limit: 50Gi', []],
  ])('%s', (_, annotations, expected) => {
    expect(on(annotations)).toEqual(expected);
  });

  test('accepts a cache within the default of the sidecar, without a limit, or in memory', () => {
    expect(on('', 'sizeLimit: 5Gi')).toEqual([]);
    expect(on('', '')).toEqual([]);
    expect(on('', 'medium: Memory, sizeLimit: 100Gi')).toEqual([]);
  });

  test('ignores a cache volume without a bucket', () => {
    const cache = '{name: gke-gcsfuse-cache, emptyDir: {sizeLimit: 100Gi}}';
    expect(places(deployment({ volumes: [cache] }))).toEqual([]);
  });

  test('the messages state the problem and the fix', () => {
    const yaml = deployment({
      annotations: ON,
      volumes: [fuse(), '{name: gke-gcsfuse-cache, emptyDir: {sizeLimit: 100Gi}}'],
      container: [MOUNT],
    });
    expect([messages(yaml), fixes(yaml)]).toEqual([
      [
        "TPU414 warning the cache 'gke-gcsfuse-cache' can hold '100Gi' on the disk of the node, but the sidecar requests '5Gi', so the pod may run on a node without enough disk and be evicted",
      ],
      [
        'TPU414 warning set the annotation gke-gcsfuse/ephemeral-storage-request to more than \'100Gi\', and gke-gcsfuse/ephemeral-storage-limit to "0"',
      ],
    ]);
  });
});

describe('TPU415', () => {
  const of = (flags: string, options = OPTIONS, mount = MOUNT): readonly string[] =>
    messages(
      deployment({ annotations: ON, volumes: [fuse(options), CACHE], container: [flags, mount] }),
    ).filter((message) => message.startsWith('TPU415'));
  const small = (held: number): readonly string[] => [
    `TPU415 note the cache holds ${String(held)} GiB, but the weights of 'meta-llama/Llama-3.1-70B' are about '142G', so every start reads weights from the bucket`,
  ];

  test.each([
    ['args: [--model=meta-llama/Llama-3.1-70B]', small(100)],
    ['args: [--model, meta-llama/Llama-3.1-70B]', small(100)],
    ['command: [bash, -c, "vllm serve meta-llama/Llama-3.1-70B --port 8000"]', small(100)],
    ['args: [--model=meta-llama/Llama-3.1-8B]', []],
    ['args: [--model=/data/my-model]', []],
    ['args: [--port=8000]', []],
  ])('reads the model from %s', (flags, expected) => {
    expect(of(flags)).toEqual(expected);
  });

  test('counts only the part of the cache that mount options allow', () => {
    const flags = 'args: [--model=meta-llama/Llama-3.1-70B]';
    expect(of(flags, 'file-cache:max-size-mb:10240')).toEqual(small(10));
    expect(of(flags, 'implicit-dirs')).toEqual([]);
    expect(of(flags, OPTIONS, 'volumeMounts: []')).toEqual([]);
  });

  test('ignores Jobs, which read their weights once', () => {
    const parts = {
      annotations: ON,
      volumes: [fuse(), CACHE],
      container: ['args: [--model=a/b-70b]', MOUNT],
    };
    const yaml = `{apiVersion: batch/v1, kind: Job, metadata: {name: llama}, spec: {template: ${template(parts)}}}`;
    expect(places(yaml)).toEqual([]);
  });
});

test('the storage rules never throw on a malformed manifest', () => {
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
