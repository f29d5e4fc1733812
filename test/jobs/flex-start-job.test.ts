import { Chart, Testing } from 'cdk8s';
import fc from '../fast-check';
import { FlexStartMultiHost, FlexStartSingleHost } from '../../examples/flex-start';
import {
  Capacity,
  FlexStartJob,
  type FlexStartJobProps,
  GcsFuseVolume,
  HuggingFaceToken,
  InvalidInputError,
  MACHINE_TYPES,
  sharedMemory,
  TpuSlice,
} from '../../lib';
import { topologiesOf } from '../../lib/tpu/topology';

const image = 'us-docker.pkg.dev/my-project/jobs/train:v1';
const oneHost = { slice: TpuSlice.of('ct6e-standard-4t'), image } as const satisfies FlexStartJobProps;
const twoHosts = {
  slice: TpuSlice.of('ct6e-standard-4t', '2x4'),
  image,
} as const satisfies FlexStartJobProps;

const flexStart = (props: FlexStartJobProps, id = 'train'): FlexStartJob =>
  new FlexStartJob(new Chart(Testing.app(), 'chart'), id, props);
const specOf = (props: FlexStartJobProps): Record<string, unknown> =>
  flexStart(props).job.toJson().spec as Record<string, unknown>;
const podOf = (props: FlexStartJobProps): Record<string, unknown> =>
  (specOf(props) as { template: { spec: Record<string, unknown> } }).template.spec;
const containerOf = (props: FlexStartJobProps): Record<string, unknown> =>
  (podOf(props) as { containers: Record<string, unknown>[] }).containers[0] ?? {};

/** What is said about props that are refused. */
function refusal(props: FlexStartJobProps, id?: string): string {
  try {
    flexStart(props, id);
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

const EVERY_SLICE = Object.keys(MACHINE_TYPES).flatMap((type) =>
  topologiesOf(type as keyof typeof MACHINE_TYPES).map((topology) => TpuSlice.parse(`${type}/${topology}`)),
);

describe('a flex-start Job on a single-host slice', () => {
  test('renders this manifest', () => {
    expect(Testing.synth(new FlexStartSingleHost(Testing.app()))).toMatchSnapshot();
  });

  test('renders this manifest with every prop', () => {
    const chart = new Chart(Testing.app(), 'chart');
    new FlexStartJob(chart, 'train', {
      name: 'lm',
      slice: TpuSlice.of('tpu7x-standard-4t'),
      image,
      command: ['python', 'train.py'],
      args: ['--steps=10'],
      env: { LOG_LEVEL: 'debug' },
      modelCache: new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data' }),
      compileCachePath: '/data/xla',
      huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'),
      maxRunDurationSeconds: 3600,
      serviceAccountName: 'train',
      podSecurityLevel: 'privileged',
      labels: { team: 'research' },
      backoffLimit: 2,
      ttlSecondsAfterFinished: 600,
      terminationGracePeriodSeconds: 300,
      priorityClassName: 'training',
      fragments: [sharedMemory('16Gi')],
    });
    expect(Testing.synth(chart)).toMatchSnapshot();
  });

  test('renders a Job that restarts a failed container', () => {
    const { job, service } = flexStart(oneHost);
    expect(service).toBeUndefined();
    expect(Object.keys(job.toJson().spec as object)).toEqual(['template']);
    expect(podOf(oneHost)['restartPolicy']).toBe('OnFailure');
    expect(podOf(oneHost)).not.toHaveProperty('subdomain');
    expect(containerOf(oneHost)['ports']).toEqual([{ containerPort: 8431, protocol: 'TCP' }]);
  });
});

describe('a flex-start Job on a multi-host slice', () => {
  test('renders this manifest', () => {
    expect(Testing.synth(new FlexStartMultiHost(Testing.app()))).toMatchSnapshot();
  });

  test('renders one pod per host, and fails if a host fails', () => {
    expect(specOf(twoHosts)).toMatchObject({
      completionMode: 'Indexed',
      completions: 2,
      parallelism: 2,
      backoffLimit: 0,
    });
    expect(podOf(twoHosts)['restartPolicy']).toBe('Never');
  });

  test("has four pods for the tutorial's 4x4 of ct6e-standard-4t", () => {
    const slice = TpuSlice.of('ct6e-standard-4t', '4x4');
    expect(specOf({ ...twoHosts, slice })).toMatchObject({ completions: 4, parallelism: 4 });
  });

  test('publishes the addresses of pods before they are ready', () => {
    const { job, service } = flexStart({ ...twoHosts, name: 'lm' });
    expect(service?.toJson()).toMatchObject({
      kind: 'Service',
      metadata: { name: 'lm' },
      spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: { 'job-name': job.name } },
    });
    expect(job.toJson().spec.template.spec.subdomain).toBe(service?.name);
    expect(containerOf(twoHosts)['ports']).toEqual([
      { containerPort: 8471, protocol: 'TCP' },
      { containerPort: 8431, protocol: 'TCP' },
    ]);
  });

  test('accepts a number of failures', () => {
    expect(specOf({ ...twoHosts, backoffLimit: 3 })['backoffLimit']).toBe(3);
  });
});

describe('weights and compiled programs', () => {
  const modelCache = new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data' });

  test.each<[string, FlexStartJobProps, unknown]>([
    ['are not kept by default', oneHost, undefined],
    [
      'are kept on a volume',
      { ...oneHost, modelCache },
      [
        { name: 'HF_HOME', value: '/data/huggingface' },
        { name: 'JAX_COMPILATION_CACHE_DIR', value: '/data' },
      ],
    ],
    [
      'are separate on each host of a multi-host slice',
      { ...twoHosts, modelCache },
      [{ name: 'HF_HOME', value: '/data/huggingface' }],
    ],
    [
      'are kept in the given folders',
      { ...twoHosts, compileCachePath: '/tmp/xla' },
      [{ name: 'JAX_COMPILATION_CACHE_DIR', value: '/tmp/xla' }],
    ],
  ])('%s', (_, props, env) => {
    expect(containerOf(props)['env']).toEqual(env);
  });
});

test('the pods have a minute to end, or the given time', () => {
  const graceOf = (props: FlexStartJobProps): unknown => podOf(props)['terminationGracePeriodSeconds'];
  expect(graceOf(oneHost)).toBe(60);
  expect(graceOf({ ...twoHosts, terminationGracePeriodSeconds: 3600 })).toBe(3600);
});

test('the pods select flex-start nodes with the given duration', () => {
  expect(podOf({ ...oneHost, maxRunDurationSeconds: 600 })['nodeSelector']).toEqual({
    'cloud.google.com/gke-flex-start': 'true',
    'cloud.google.com/gke-max-run-duration-seconds': '600',
    'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice',
    'cloud.google.com/gke-tpu-topology': '2x2',
  });
});

test.each([
  ['one host', oneHost],
  ['several', twoHosts],
])('the container is privileged only with podSecurityLevel, on %s', (_, props) => {
  const baseline = { allowPrivilegeEscalation: false };
  expect(containerOf(props)['securityContext']).toEqual(baseline);
  expect(containerOf({ ...props, podSecurityLevel: 'privileged' })['securityContext']).toEqual({
    privileged: true,
  });
});

test('other selectors for flex-start are accepted', () => {
  const nodeSelector = {
    'cloud.google.com/gke-flex-start': 'true',
    'cloud.google.com/gke-provisioning': 'flex-start',
    'cloud.google.com/reservation-affinity': 'none',
    'cloud.google.com/gke-nodepool': 'tpu-flex',
  };
  expect(
    podOf({ ...oneHost, fragments: [Capacity.flexStart(), { nodeSelector }] })['nodeSelector'],
  ).toMatchObject(nodeSelector);
});

describe('a flex-start Job with a mistake', () => {
  const elsewhere = (label: string, value: string): string =>
    `fragments[0].nodeSelector[${label}]: '${value}' selects capacity other than flex-start; use TpuJob with another capacity`;

  test.each<[Partial<FlexStartJobProps>, ...string[]]>([
    [
      { terminationGracePeriodSeconds: 7200 },
      "terminationGracePeriodSeconds: '7200' is not a whole number from 0 to 3600; use 3600",
    ],
    [
      { priorityClassName: 'Training' },
      "priorityClassName: 'Training' is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example 'training'",
    ],
    [
      { compileCachePath: '/cache/xla' },
      "compileCachePath: '/cache/xla' is not on a volume: its files are lost at every restart; use a folder below the mountPath of a modelCache",
    ],
    [
      { modelCache: { mountPath: '/data' } },
      "modelCache.mountPath: '/data' is not on a volume; use the mountPath of one of its volumeMounts",
    ],
    [
      { slice: TpuSlice.of('ct4p-hightpu-4t', '2x2x2') },
      "slice: 'ct4p-hightpu-4t/2x2x2' is not available with flex-start; use a slice of v5e, v5p, v6e, tpu7x",
    ],
    [
      { maxRunDurationSeconds: 60 },
      "maxRunDurationSeconds: '60' is not a whole number from 600 to 604800; use 600",
    ],
    [
      { maxRunDurationSeconds: 1209600 },
      "maxRunDurationSeconds: '1209600' is not a whole number from 600 to 604800; use 604800",
    ],
    [
      { name: 'Train' },
      "name: 'Train' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'train'",
    ],
    [
      { image: 'train:v 1' },
      "image: 'train:v 1' is not an image with a tag or digest; use REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
    ],
    [
      { serviceAccountName: 'train@my-project' },
      "serviceAccountName: 'train@my-project' is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example 'train-my-project'",
    ],
    [
      {
        modelSize: '16G',
        modelCache: new GcsFuseVolume({
          bucketName: 'my-models',
          mountPath: '/data',
          cache: { medium: 'ram', sizeLimit: '10Gi' },
        }),
      },
      "modelCache.cache: '10Gi' is smaller than the weights, '16G': every start reads the rest from the bucket; use at least the size of the weights, for example '15Gi'",
    ],
    [{ backoffLimit: -1 }, "backoffLimit: '-1' is not a whole number of at least 0; use 0"],
    [
      { ttlSecondsAfterFinished: 0.5 },
      "ttlSecondsAfterFinished: '0.5' is not a whole number of at least 0; use 1",
    ],
    [
      { env: { 'HF HOME': '/data' } },
      "env: 'HF HOME' is not a variable name; use letters, digits, '_', '-' and '.', not starting with a digit",
    ],
    [
      { env: { TOKEN: 'hf_0123456789abcdef' } },
      "env[TOKEN]: contains a Hugging Face token, which everyone who reads the manifest can use; use huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'), which names a Secret",
    ],
    [{ fragments: [Capacity.spot()] }, elsewhere('cloud.google.com/gke-spot', 'true')],
    [
      { fragments: [Capacity.reservation('mine')] },
      elsewhere('cloud.google.com/reservation-name', 'mine'),
      elsewhere('cloud.google.com/reservation-affinity', 'specific'),
    ],
    [
      { fragments: [{ nodeSelector: { 'cloud.google.com/gke-provisioning': 'spot' } }] },
      elsewhere('cloud.google.com/gke-provisioning', 'spot'),
    ],
    [
      { fragments: [{ nodeSelector: { 'cloud.google.com/gke-queued': 'true' } }] },
      "fragments[0].nodeSelector[cloud.google.com/gke-queued]: 'true' selects nodes for queued provisioning; use the prop queue",
    ],
    [
      { queue: 'tpu', fragments: [{ nodeSelector: { 'cloud.google.com/gke-flex-start': 'true' } }] },
      "fragments[0].nodeSelector[cloud.google.com/gke-flex-start]: 'true' selects nodes that do not use queued provisioning; remove it",
    ],
    [
      { fragments: [{ nodeSelector: { 'cloud.google.com/gke-flex-start': 'false' } }] },
      "nodeSelector[cloud.google.com/gke-flex-start]: has two values, 'true' and 'false'; use one of them",
    ],
    [
      { slice: twoHosts.slice, fragments: [{ pod: { subdomain: 'peers' } }] },
      "pod.subdomain: 'peers' differs from 'train', which follows from the slice; use another slice, or override() on the rendered object",
    ],
    [
      { fragments: [{ pod: { restartPolicy: 'Always' } }] },
      "fragments: set restartPolicy to 'Always', which Jobs do not support; use 'OnFailure' or 'Never'",
    ],
    [
      { fragments: [{ volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
      "volumeMounts[/data]: mounts volume 'data', which the pod does not have; use a volume in 'volumes'",
    ],
  ])('rejects mistake %#', (wrong, ...messages) => {
    expect(refusal({ ...oneHost, ...wrong }).split('\n')).toEqual(
      messages.map((message) => `chart/train ${message}`),
    );
  });

  test.each<[string, ...string[]]>([
    [
      '{ "huggingFaceToken": "hf_0123456789abcdef" }',
      "huggingFaceToken: is a string; use HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'), which names a Secret and its key",
    ],
    ['{ "command": "python train.py" }', "command: 'python train.py' is a string; use a list of strings"],
    [
      '{ "maxRunDurationSecond": 3600 }',
      "maxRunDurationSecond: unknown property; did you mean 'maxRunDurationSeconds'?",
    ],
    ['{ "privileged": true }', 'privileged: unknown property'],
    [
      '{ "slice": "ct6e-standard-4t" }',
      "slice: 'ct6e-standard-4t' is a string; use TpuSlice.parse('ct6e-standard-4t')",
    ],
    [
      '{ "resources": { "limits": { "memory": 32 } } }',
      "resources.limits[memory]: '32' is a number; use a quantity as a string",
    ],
  ])('rejects untyped props: %s', (json, ...messages) => {
    const wrong = JSON.parse(json) as Partial<FlexStartJobProps>;
    expect(refusal({ ...oneHost, ...wrong }).split('\n')).toEqual(
      messages.map((message) => `chart/train ${message}`),
    );
  });

  test('rejects missing props without a TypeError', () => {
    expect(refusal(JSON.parse('{}') as FlexStartJobProps).split('\n')).toEqual([
      "chart/train slice: required, for example TpuSlice.of('ct6e-standard-8t')",
      "chart/train image: required, for example 'us-docker.pkg.dev/my-project/my-repository/train:v1'",
    ]);
  });

  test('rejects a name that leaves no room for the index', () => {
    const name = 'n'.repeat(63);
    expect(flexStart({ ...oneHost, name }).job.name).toBe(name);
    expect(refusal({ ...twoHosts, name })).toBe(
      `chart/train name: '${name}' has 63 characters; use at most 61 (the host name of the last pod ends with '-1'), for example '${'n'.repeat(61)}'`,
    );
  });

  test('lists all mistakes at once', () => {
    const lines = refusal(
      {
        slice: TpuSlice.of('ct4p-hightpu-4t'),
        image: '',
        serviceAccountName: 'A',
        maxRunDurationSeconds: 0,
        backoffLimit: 0.5,
        env: { '1': '' },
        fragments: [Capacity.spot(), { nodeSelector: { 'cloud.google.com/gke-tpu-topology': '4x4' } }],
      },
      'Train',
    ).split('\n');
    expect(lines.map((line) => line.replace(/^chart\/Train (\S+): .*/, '$1')).sort()).toEqual([
      'backoffLimit',
      'env',
      'fragments[0].nodeSelector[cloud.google.com/gke-spot]',
      'image',
      'maxRunDurationSeconds',
      'name',
      'nodeSelector[cloud.google.com/gke-tpu-topology]',
      'serviceAccountName',
      'slice',
    ]);
  });
});

describe('a flex-start Job on any slice', () => {
  const offered = fc.constantFrom(...EVERY_SLICE.filter(({ generation }) => generation !== 'v4'));
  const refused = fc.constantFrom(...EVERY_SLICE.filter(({ generation }) => generation === 'v4'));

  test('has matching chips, hosts, parallelism and completions', () => {
    fc.assert(
      fc.property(offered, (slice) => {
        const props = { ...oneHost, slice };
        const { parallelism = 1, completions = 1 } = specOf(props);
        const { requests, limits } = containerOf(props)['resources'] as Record<string, unknown>;
        expect(parallelism).toBe(slice.chips / slice.chipsPerHost);
        expect(completions).toBe(parallelism);
        expect(requests).toMatchObject({ 'google.com/tpu': String(slice.chipsPerHost) });
        expect(limits).toEqual({ 'google.com/tpu': String(slice.chipsPerHost) });
        expect(flexStart(props).service === undefined).toBe(slice.hosts === 1);
      }),
    );
  });

  test('rejects v4', () => {
    fc.assert(
      fc.property(refused, (slice) => {
        expect(refusal({ ...oneHost, slice })).toContain(`slice: '${slice.toString()}'`);
      }),
    );
  });

  test("rejects a name exactly if the last pod's host name would exceed 63 characters", () => {
    fc.assert(
      fc.property(offered, fc.integer({ min: 55, max: 63 }), (slice, length) => {
        const name = 'n'.repeat(length);
        const accepted = (): boolean => {
          try {
            return flexStart({ ...oneHost, slice, name }).job.name === name;
          } catch {
            return false;
          }
        };
        const hostName = slice.hosts > 1 ? `${name}-${String(slice.hosts - 1)}` : name;
        expect(accepted()).toBe(hostName.length <= 63);
      }),
    );
  });

  test('accepts durations from ten minutes to seven days only', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e6, max: 1e7 }), (maxRunDurationSeconds) => {
        const legal = maxRunDurationSeconds >= 600 && maxRunDurationSeconds <= 7 * 24 * 3600;
        const props = { ...twoHosts, maxRunDurationSeconds };
        const said = legal ? JSON.stringify(podOf(props)['nodeSelector']) : refusal(props);
        expect(said).toContain(
          legal
            ? `"cloud.google.com/gke-max-run-duration-seconds":"${String(maxRunDurationSeconds)}"`
            : `chart/train maxRunDurationSeconds: '${String(maxRunDurationSeconds)}'`,
        );
      }),
    );
  });
});
