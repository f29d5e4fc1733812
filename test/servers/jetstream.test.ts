import { type ApiObject, Chart, Testing } from 'cdk8s';
import fc from '../fast-check';
import { GEMMA_7B_IT, JetStreamFromCheckpoint, JetStreamFromHuggingFace } from '../../examples/jetstream';
import {
  Capacity,
  findings,
  JetStreamCheckpointConverter,
  type JetStreamCheckpointConverterProps,
  JetStreamCheckpoint,
  HuggingFaceToken,
  InvalidInputError,
  JetStreamMetric,
  JetStreamServer,
  type JetStreamServerProps,
  MACHINE_TYPES,
  PvcVolume,
  TpuSlice,
  VllmMetric,
} from '../../lib';
import { topologiesOf } from '../../lib/tpu/topology';

const slice = TpuSlice.of('ct5lp-hightpu-8t');
const huggingFaceToken = HuggingFaceToken.fromSecret('huggingface-secret', 'HUGGINGFACE_TOKEN');
const checkpoint = JetStreamCheckpoint.at({
  bucketName: 'my-models',
  path: 'gemma/bf16',
  modelName: 'gemma',
});
const converted = { checkpoint, size: '7b', slice } as const satisfies JetStreamServerProps;
const downloaded = {
  model: 'google/gemma-7b-it',
  huggingFaceToken,
  slice,
} as const satisfies JetStreamServerProps;
const place = { modelName: 'gemma', bucketName: 'my-models', path: 'gemma/bf16' } as const;
const conversion = {
  ...place,
  model: 'google/gemma-7b-it-pytorch',
  huggingFaceToken,
  slice,
} as const satisfies JetStreamCheckpointConverterProps;
const backlog = { maxReplicas: 3, metric: JetStreamMetric.PREFILL_BACKLOG_SIZE, averageValue: 10 } as const;
const ownImage = 'europe-docker.pkg.dev/my-project/serving/jetstream-pytorch-server:v1';

const chart = (): Chart => new Chart(Testing.app(), 'chart');
const server = (props: JetStreamServerProps): JetStreamServer => new JetStreamServer(chart(), 'gemma', props);
const converter = (props: JetStreamCheckpointConverterProps): JetStreamCheckpointConverter =>
  new JetStreamCheckpointConverter(chart(), 'convert', props);

/** A container of a server's or converter's pod. */
const container = (object: ApiObject, index = 0): Record<string, unknown> =>
  (podOf(object)['containers'] as Record<string, unknown>[])[index] ?? {};
const podOf = (object: ApiObject): Record<string, unknown> =>
  object.toJson().spec.template.spec as Record<string, unknown>;

/** What is said about props that are refused. */
function refusal(make: () => unknown): readonly string[] {
  try {
    make();
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message.split('\n');
    throw error;
  }
  throw new Error('it was not refused');
}

/** Every value of a manifest, with its key. */
function valuesOf(value: unknown, key = ''): (readonly [key: string, value: unknown])[] {
  if (value === null || typeof value !== 'object') return [[key, value]];
  const children = Array.isArray(value)
    ? value.flatMap((one) => valuesOf(one, key))
    : Object.entries(value).flatMap(([name, child]) => valuesOf(child, name));
  return [[key, value], ...children];
}

const EVERY_SLICE = Object.keys(MACHINE_TYPES).flatMap((type) =>
  topologiesOf(type as keyof typeof MACHINE_TYPES).map((topology) => TpuSlice.parse(`${type}/${topology}`)),
);
const singleHost = fc.constantFrom(...EVERY_SLICE.filter((one) => !one.multiHost));
const multiHost = fc.constantFrom(...EVERY_SLICE.filter((one) => one.multiHost));
const notPositive = fc.oneof(
  fc.integer({ max: 0 }),
  fc.double({ min: 0.5, max: 1e6 }).filter((n) => !Number.isInteger(n)),
);

describe('JetStreamCheckpoint', () => {
  test('returns its location', () => {
    expect(checkpoint.gsUri).toBe('gs://my-models/gemma/bf16/');
    expect(Object.fromEntries(Object.entries(checkpoint))).toEqual({
      bucketName: 'my-models',
      path: 'gemma/bf16',
      modelName: 'gemma',
      quantizeWeights: false,
    });
    expect(Object.isFrozen(checkpoint)).toBe(true);
  });

  test.each([
    [
      "path: '/gemma/' is not a folder of the bucket; use letters, digits, '_', '-' and '.', with single '/' between them, for example 'gemma'",
      { path: '/gemma/' },
    ],
    [
      "path: 'gs://my-models/gemma/a=b/' is not a folder of the bucket; use letters, digits, '_', '-' and '.', with single '/' between them, for example 'gemma/ab'",
      { path: 'gs://my-models/gemma/a=b/' },
    ],
    [
      "path: '' is not a folder of the bucket; use letters, digits, '_', '-' and '.', with single '/' between them, for example 'pytorch/gemma-7b-it/final/bf16'",
      { path: '' },
    ],
    [
      "path: 'a//b' is not a folder of the bucket; use letters, digits, '_', '-' and '.', with single '/' between them, for example 'a/b'",
      { path: 'a//b' },
    ],
    [
      "bucketName: 'gs://my-models' is a URL; use the bucket's name alone, for example 'my-models'",
      { bucketName: 'gs://my-models' },
    ],
    [
      "bucketName: '' is not a bucket name; use 3 to 63 lower-case letters, digits, '-', '_' and '.', for example 'my-bucket'",
      { bucketName: '' },
    ],
    [
      "modelName: 'Gemma 7B' is not an architecture; use JetStream's name for it: 'gemma', 'llama-2', 'llama-3' or 'mixtral'",
      { modelName: 'Gemma 7B' },
    ],
  ])('rejects %s', (message, wrong) => {
    expect(refusal(() => JetStreamCheckpoint.at({ ...place, ...wrong }))).toEqual([message]);
  });

  test('lists all mistakes', () => {
    expect(
      refusal(() => JetStreamCheckpoint.at({ bucketName: 'A', path: '/', modelName: '' })).map(
        (line) => line.split(':')[0],
      ),
    ).toEqual(['bucketName', 'path', 'modelName']);
  });
});

describe('JetStreamCheckpointConverter', () => {
  test('renders a quantized checkpoint with every prop', () => {
    const scope = chart();
    new JetStreamCheckpointConverter(scope, 'convert', {
      ...conversion,
      name: 'gemma-int8',
      quantizeWeights: true,
      huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'),
      slice: TpuSlice.of('ct6e-standard-4t'),
      capacity: Capacity.spot(),
      serviceAccountName: 'wi-jetstream',
      args: ['-t=int8_blockwise'],
      image: ownImage,
      backoffLimit: 3,
      ttlSecondsAfterFinished: 30,
      fragments: [{ annotations: { 'example.com/team': 'models' } }],
    });
    expect(Testing.synth(scope)).toMatchSnapshot();
  });

  test('passes its checkpoint to the server', () => {
    const { checkpoint: made } = converter({ ...conversion, quantizeWeights: true });
    expect(made).toEqual(JetStreamCheckpoint.at({ ...place, quantizeWeights: true }));
    const [, , output, , quantized] = container(converter({ ...conversion, quantizeWeights: true }).job)[
      'args'
    ] as string[];
    expect(output).toBe(`-o=${made.gsUri}`);
    expect(quantized).toBe('-q=True');
    const { args } = container(server({ ...converted, checkpoint: made }).workload);
    expect(args).toContain('--quantize_weights=True');
    expect(args).toContain('--checkpoint_path=/models/gemma/bf16/model.safetensors');
  });

  test('converts once: the Job remains, and is retried once', () => {
    const { spec } = converter(conversion).job.toJson();
    expect(spec).toMatchObject({ backoffLimit: 1, template: { spec: { restartPolicy: 'Never' } } });
    expect(spec).not.toHaveProperty('ttlSecondsAfterFinished');
    expect(spec.podFailurePolicy.rules).toEqual([
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    ]);
  });

  test('has its name as label, which no pod of a server has', () => {
    const { job } = converter({ ...conversion, name: 'gemma-converter' });
    expect(job.toJson()).toMatchObject({
      metadata: { name: 'gemma-converter', labels: { app: 'gemma-converter' } },
      spec: { template: { metadata: { labels: { app: 'gemma-converter' } } } },
    });
    expect(converter(conversion).job.name).toBe('convert');
  });

  test('reads the token from a file for any key', () => {
    const other = HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token');
    expect(podOf(converter({ ...conversion, huggingFaceToken: other }).job)['volumes']).toEqual([
      {
        name: 'huggingface-credentials',
        secret: {
          secretName: 'hf-secret',
          defaultMode: 0o400,
          items: [{ key: 'hf_api_token', path: 'HUGGINGFACE_TOKEN' }],
        },
      },
    ]);
  });

  test.each<[string, Partial<JetStreamCheckpointConverterProps>]>([
    [
      "name: 'Convert' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'convert'",
      { name: 'Convert' },
    ],
    [
      "model: 'gemma-7b-it' is not a Hugging Face id; use ORGANIZATION/MODEL, for example 'meta-llama/Meta-Llama-3-8B'",
      { model: 'gemma-7b-it' },
    ],
    [
      "model: 'google/gemma/pytorch/7b-it' is not a Hugging Face id; use ORGANIZATION/MODEL, for example 'meta-llama/Meta-Llama-3-8B'",
      { model: 'google/gemma/pytorch/7b-it' },
    ],
    [
      "slice: 'ct5lp-hightpu-4t/2x4' has 2 hosts: JetStream-PyTorch runs in one pod; use a single-host slice, like 'ct5lp-hightpu-8t/2x4' (8 chips)",
      { slice: TpuSlice.of('ct5lp-hightpu-4t', '2x4') },
    ],
    [
      "capacity: 'flex-start' is not available on ct4p-hightpu-4t; use a slice of v5e, v5p, v6e or tpu7x, or another capacity",
      { slice: TpuSlice.of('ct4p-hightpu-4t'), capacity: Capacity.flexStart() },
    ],
    [
      "image: 'Inference Checkpoint' is not an image with a tag or digest; use REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
      { image: 'Inference Checkpoint' },
    ],
    [
      "serviceAccountName: 'wi_jetstream' is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example 'wi-jetstream'",
      { serviceAccountName: 'wi_jetstream' },
    ],
    ["backoffLimit: '-1' is not a whole number of at least 0; use 0", { backoffLimit: -1 }],
    [
      "ttlSecondsAfterFinished: '0.5' is not a whole number of at least 0; use 1",
      { ttlSecondsAfterFinished: 0.5 },
    ],
    ["args[0]: '-q=True' is set by the prop 'quantizeWeights'; use that prop", { args: ['-q=True'] }],
    ["args[1]: '-t=b' sets -t a second time; use it once", { args: ['-t=a', '-t=b'] }],
    [
      "args[0]: '-t int8' is not a flag; use '--flag=value', or '--flag' and its values as separate items",
      { args: ['-t int8'] },
    ],
    [
      "bucketName: 'my models' is not a bucket name; use 3 to 63 lower-case letters, digits, '-', '_' and '.', for example 'my-models'",
      { bucketName: 'my models' },
    ],
    [
      "pod.restartPolicy: 'OnFailure' is not possible in a Job with a podFailurePolicy; use 'Never'",
      { fragments: [{ pod: { restartPolicy: 'OnFailure' } }] },
    ],
  ])('rejects %s', (message, wrong) => {
    expect(refusal(() => converter({ ...conversion, ...wrong }))).toEqual([`chart/convert ${message}`]);
  });

  test('lists all mistakes', () => {
    const wrong = { name: 'C', model: '', path: '/', backoffLimit: 1.5, args: ['-m=x'], image: '' };
    expect(
      refusal(() => converter({ ...conversion, ...wrong })).map((line) => line.split(/[ :]+/)[1]),
    ).toEqual(['name', 'image', 'path', 'model', 'backoffLimit', 'args[0]']);
  });
});

describe('JetStreamServer', () => {
  test('renders a server for the checkpoint of a Job', () => {
    expect(
      Testing.synth(new JetStreamFromCheckpoint(Testing.app(), 'jetstream-gemma-7b-it', GEMMA_7B_IT)),
    ).toMatchSnapshot();
  });

  test('renders a server for a Hugging Face model', () => {
    expect(
      Testing.synth(new JetStreamFromHuggingFace(Testing.app(), 'jetstream-gemma-7b-it-hf', GEMMA_7B_IT)),
    ).toMatchSnapshot();
  });

  test('renders a server for a checkpoint with every prop', () => {
    const scope = chart();
    new JetStreamServer(scope, 'gemma', {
      ...converted,
      name: 'gemma-int8',
      checkpoint: JetStreamCheckpoint.at({ ...place, quantizeWeights: true }),
      modelCache: {
        mountPath: '/checkpoints/',
        cache: { medium: 'ram', sizeLimit: '20Gi' },
        sidecar: { memoryLimit: '0' },
      },
      batchSize: 64,
      maxCacheLength: 4096,
      quantizeKvCache: true,
      capacity: Capacity.reservation('my-reservation'),
      autoscaling: { ...backlog, minReplicas: 2 },
      serviceAccountName: 'wi-jetstream',
      args: ['--sharding_config=default_shardings/gemma.yaml'],
      env: { PYTHONUNBUFFERED: '1' },
      images: { server: ownImage, http: 'europe-docker.pkg.dev/my-project/serving/jetstream-http:v1' },
      serviceName: 'jetstream-svc',
      serviceType: 'InternalLoadBalancer',
      monitoring: { interval: '30s', port: 9100 },
      startupSeconds: 1200,
      fragments: [{ tolerations: [{ key: 'team', operator: 'Exists' }] }],
    });
    expect(Testing.synth(scope)).toMatchSnapshot();
  });

  test('renders a server for a Hugging Face model without warm-up and with metrics', () => {
    const scope = chart();
    new JetStreamServer(scope, 'gemma', {
      ...downloaded,
      enableModelWarmup: false,
      args: ['--quantize_weights=True'],
      images: { server: ownImage },
      monitoring: {},
      autoscaling: backlog,
    });
    expect(Testing.synth(scope)).toMatchSnapshot();
  });

  test('mounts the folder of the checkpoint read-only', () => {
    const { workload } = server(converted);
    expect(container(workload)['args']).toEqual([
      '--size=7b',
      '--model_name=gemma',
      '--quantize_weights=False',
      '--quantize_kv_cache=False',
      '--tokenizer_path=/models/gemma/bf16/tokenizer.model',
      '--checkpoint_path=/models/gemma/bf16/model.safetensors',
      '--prometheus_port=9090',
    ]);
    expect(container(workload)['volumeMounts']).toEqual([
      { name: 'gcs-fuse-checkpoint', mountPath: '/models', readOnly: true },
    ]);
    expect(podOf(workload)['volumes']).toMatchObject([
      { csi: { readOnly: true, volumeAttributes: { bucketName: 'my-models' } } },
      { name: 'gke-gcsfuse-cache', emptyDir: { medium: 'Memory', sizeLimit: '16Gi' } },
    ]);
    expect(workload.toJson().spec.template.metadata.annotations).toEqual({ 'gke-gcsfuse/volumes': 'true' });
  });

  test('uses the release that supports the flags of its source', () => {
    expect(container(server(converted).workload)['image']).toMatch(/jetstream-pytorch-server:v0\.2\.3$/);
    expect(container(server(downloaded).workload)['image']).toMatch(/jetstream-pytorch-server:v0\.2\.4$/);
  });

  const sized = (size: string, quantizeWeights: boolean): JetStreamServer =>
    server({ ...converted, size, checkpoint: JetStreamCheckpoint.at({ ...place, quantizeWeights }) });
  test.each([
    ['68b', false],
    ['70b', true],
    ['8x7b', false],
  ])('accepts size %s with quantizeWeights %s', (size, quantizeWeights) => {
    expect(container(sized(size, quantizeWeights).workload)['args']).toContain(`--size=${size}`);
  });

  test.each<[string, JetStreamServer, string]>([
    [
      '16-bit weights',
      sized('70b', false),
      "error: slice 'ct5lp-hightpu-8t/2x4' is too small for model 'gemma-70b' (70e9 parameters of 16 bits according to its flags): the weights need at least 130.4 GiB",
    ],
    [
      'quantized weights',
      sized('300b', true),
      "error: slice 'ct5lp-hightpu-8t/2x4' is too small for model 'gemma-300b' (300e9 parameters of at least 4 bits according to its flags): the weights need at least 139.7 GiB",
    ],
    [
      'weights of a stated size',
      server({ ...converted, modelSize: '150G' }),
      "error: slice 'ct5lp-hightpu-8t/2x4' is too small for model 'gemma-7b': the weights need at least 139.7 GiB",
    ],
    [
      'weights estimated from the name of the model',
      server({ ...downloaded, model: 'meta-llama/Llama-3.1-405B' }),
      "warning: slice 'ct5lp-hightpu-8t/2x4' is too small for model 'meta-llama/Llama-3.1-405B' (405e9 parameters of at least 4 bits according to its name): the weights need at least 188.6 GiB",
    ],
  ])('has a finding for %s that are too large, which names a single-host slice', (_, one, message) => {
    const found = findings(one)
      .filter(({ code }) => code === 'TPU119')
      .map(({ severity, message: text, fix }) => `${severity}: ${text}; ${fix}`);
    expect(found).toEqual([expect.stringContaining(message)]);
    expect(found[0]).toMatch(/; use '[^']+' \(1 host, \d+ GiB\), or a smaller model$/);
  });

  test('sets the probes on the container whose port they request', () => {
    const { workload } = server({ ...downloaded, startupSeconds: 605 });
    expect(Object.keys(container(workload)).filter((key) => key.endsWith('Probe'))).toEqual([]);
    expect(container(workload, 1)).toMatchObject({
      name: 'jetstream-http',
      ports: [{ containerPort: 8000 }],
      startupProbe: {
        httpGet: { path: '/healthcheck', port: 8000 },
        periodSeconds: 10,
        failureThreshold: 61,
      },
      readinessProbe: { httpGet: { path: '/healthcheck', port: 8000 } },
      livenessProbe: { httpGet: { path: '/', port: 8000 } },
    });
    expect(workload.toJson().spec.progressDeadlineSeconds).toBe(1205);
  });

  test('does not need another slice for a rollout', () => {
    expect(server(converted).workload.toJson().spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    });
  });

  test('sends requests of the cluster to jetstream-http', () => {
    expect(server({ ...converted, serviceName: 'jetstream-svc' }).service.toJson()).toMatchObject({
      metadata: { name: 'jetstream-svc' },
      spec: {
        type: 'ClusterIP',
        selector: { app: 'gemma' },
        ports: [{ name: 'jetstream-http', port: 8000, targetPort: 8000 }],
      },
    });
    expect(server(converted).service.name).toBe('gemma');
  });

  test('accepts a repeated flag that can have several values', () => {
    const args = ['--lora=a', '--lora=b'];
    expect(container(server({ ...converted, args }).workload)['args']).toEqual(
      expect.arrayContaining(args) as unknown,
    );
  });

  test('renders flag, port and PodMonitoring together', () => {
    const { workload, podMonitoring } = server({ ...converted, monitoring: { port: 9100 } });
    expect(container(workload)['args']).toContain('--prometheus_port=9100');
    expect(container(workload)['ports']).toContainEqual({
      name: 'metrics',
      containerPort: 9100,
      protocol: 'TCP',
    });
    expect(podMonitoring?.toJson().spec).toEqual({
      selector: { matchLabels: { app: 'gemma' } },
      endpoints: [{ port: 9100, path: '/', interval: '15s' }],
    });
    for (const props of [{ ...converted, monitoring: false } as const, downloaded]) {
      const without = server(props);
      expect(without.podMonitoring).toBeUndefined();
      expect(JSON.stringify(without.workload.toJson())).not.toMatch(/prometheus_port|metrics/);
    }
  });

  test('leaves the replicas to an autoscaler', () => {
    const { workload, horizontalPodAutoscaler } = server({ ...converted, autoscaling: backlog });
    expect(workload.toJson().spec).not.toHaveProperty('replicas');
    expect(horizontalPodAutoscaler?.toJson().spec).toMatchObject({
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [
        {
          pods: {
            metric: { name: 'prometheus.googleapis.com|jetstream_prefill_backlog_size|gauge' },
            target: { averageValue: '10' },
          },
        },
      ],
    });
    expect(server(converted).horizontalPodAutoscaler).toBeUndefined();
  });

  test.each<[string, Partial<JetStreamServerProps>]>([
    [
      "name: 'gemma_7b' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'gemma-7b'",
      { name: 'gemma_7b' },
    ],
    [
      "serviceName: '8000' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'x'",
      { serviceName: '8000' },
    ],
    [
      "serviceAccountName: 'WI' is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example 'wi'",
      { serviceAccountName: 'WI' },
    ],
    [
      "images.server: 'JetStream' is not an image with a tag or digest; use REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
      { images: { server: 'JetStream' } },
    ],
    [
      "images.http: '' is not an image with a tag or digest; use REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
      { images: { http: '' } },
    ],
    [
      "slice: 'ct5p-hightpu-4t/2x2x4' has 4 hosts: JetStream-PyTorch runs in one pod; use a single-host slice, like 'ct5p-hightpu-4t/2x2x1' (4 chips)",
      { slice: TpuSlice.of('ct5p-hightpu-4t', '2x2x4') },
    ],
    [
      "capacity: 'flex-start' is not available on ct4p-hightpu-4t; use a slice of v5e, v5p, v6e or tpu7x, or another capacity",
      { slice: TpuSlice.of('ct4p-hightpu-4t'), capacity: Capacity.flexStart() },
    ],
    [
      "size: 'gemma-7b' is not the size of a model; use billions of parameters, for example '7b'",
      { size: 'gemma-7b' },
    ],
    ["batchSize: '0' is not a whole number of at least 1; use 1", { batchSize: 0 }],
    ["maxCacheLength: '2048.4' is not a whole number of at least 1; use 2048", { maxCacheLength: 2048.4 }],
    ["startupSeconds: 'NaN' is not a whole number of at least 1; use 1", { startupSeconds: NaN }],
    ["replicas: '-2' is not a whole number of at least 0; use 0", { replicas: -2 }],
    [
      "replicas: '2' is set together with autoscaling: each apply would undo the autoscaler's changes; use one of them",
      { replicas: 2, autoscaling: backlog },
    ],
    [
      "autoscaling.maxReplicas: '3' is less than minReplicas, 4; use at least 4",
      { autoscaling: { ...backlog, minReplicas: 4 } },
    ],
    [
      "autoscaling.metric: 'vllm:num_requests_waiting' is not a metric of this server; use JetStreamMetric.PREFILL_BACKLOG_SIZE",
      { autoscaling: { ...backlog, metric: VllmMetric.REQUESTS_WAITING } },
    ],
    [
      "monitoring: is off, but the autoscaler needs it to read metric 'jetstream_prefill_backlog_size'; use monitoring: {}",
      { autoscaling: backlog, monitoring: false },
    ],
    [
      "monitoring.interval: '15 seconds' is not a duration; use a duration, for example '15s'",
      { monitoring: { interval: '15 seconds' } },
    ],
    [
      "monitoring.port: '8000' is a port of another container; use another port, for example 8001",
      { monitoring: { port: 8000 } },
    ],
    [
      "monitoring.port: '90900' is not a whole number from 1 to 65535; use 65535",
      { monitoring: { port: 90900 } },
    ],
    [
      "args[0]: '--quantize_weights=True' is set by the prop 'checkpoint'; use that prop",
      { args: ['--quantize_weights=True'] },
    ],
    ["args[0]: '--port=9001' is set by the construct itself; remove it", { args: ['--port=9001'] }],
    [
      "args[0]: 'threads=64' is not a flag; use '--flag=value', or '--flag' and its values as separate items",
      { args: ['threads=64'] },
    ],
    [
      "env: '1JAX' is not a variable name; use letters, digits, '_', '-' and '.', not starting with a digit",
      { env: { '1JAX': 'tpu' } },
    ],
    [
      "env[HF_TOKEN]: contains a Hugging Face token, which everyone who reads the manifest can use; use huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'), which names a Secret",
      { env: { HF_TOKEN: 'hf_abcdefghijklmnop' } },
    ],
    [
      "modelCache.mountPath: 'models' is not an absolute path; use a path that starts with '/', without ':' and spaces, for example '/models'",
      { modelCache: { mountPath: 'models' } },
    ],
    [
      "modelCache.cache: '10Gi' is smaller than the weights, '14G': every start reads the rest from the bucket; use at least the size of the weights, for example '14Gi'",
      { modelCache: { cache: { medium: 'ram', sizeLimit: '10Gi' } } },
    ],
    [
      "modelCache.cache: '0Gi' is smaller than the weights, '14G': every start reads the rest from the bucket; use at least the size of the weights, for example '14Gi'",
      { modelCache: { mountOptions: { fileCache: { maxSizeMb: 0 } } } },
    ],
    [
      "monitoring.port: '8431' is a port of the TPU runtime; use another port, for example 8439",
      { monitoring: { port: 8431 } },
    ],
  ])('rejects with a checkpoint: %s', (message, wrong) => {
    expect(refusal(() => server({ ...converted, ...wrong } as JetStreamServerProps))).toEqual([
      `chart/gemma ${message}`,
    ]);
  });

  test.each<[string, Partial<JetStreamServerProps>]>([
    [
      "model: 'gemma' is not a Hugging Face id; use ORGANIZATION/MODEL, for example 'meta-llama/Meta-Llama-3-8B'",
      { model: 'gemma' },
    ],
    [
      "huggingFaceToken: is a string; use HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'), which names a Secret and its key",
      JSON.parse('{ "huggingFaceToken": "hf_0123456789abcdef" }') as Partial<JetStreamServerProps>,
    ],
    [
      "huggingFaceToken: required, for example HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token')",
      { huggingFaceToken: undefined },
    ],
    ["overrideBatchSize: '-30' is not a whole number of at least 1; use 1", { overrideBatchSize: -30 }],
    [
      "images.server: 'us-docker.pkg.dev/cloud-tpu-images/inference/jetstream-pytorch-server:v0.2.4' exports no metrics and does not start with --prometheus_port; use a custom image for monitoring or autoscaling",
      { monitoring: {} },
    ],
    [
      "args[0]: '--enable_model_warmup=False' is set by the prop 'enableModelWarmup'; use that prop",
      { args: ['--enable_model_warmup=False'] },
    ],
    [
      `volumeMounts[/huggingface]: has two values, '{"mountPath":"/huggingface","name":"huggingface-credentials","readOnly":true}' and '{"mountPath":"/huggingface","name":"huggingface-credentials"}'; use one of them`,
      { fragments: [{ volumeMounts: [{ name: 'huggingface-credentials', mountPath: '/huggingface' }] }] },
    ],
  ])('rejects with a model: %s', (message, wrong) => {
    expect(refusal(() => server({ ...downloaded, ...wrong } as JetStreamServerProps))).toEqual([
      `chart/gemma ${message}`,
    ]);
  });

  test('lists all mistakes', () => {
    expect(
      refusal(() =>
        server({
          ...converted,
          name: 'Gemma',
          slice: TpuSlice.of('ct6e-standard-4t', '2x4'),
          size: 'large',
          batchSize: 0.5,
          replicas: 1,
          autoscaling: { ...backlog, maxReplicas: 0 },
          monitoring: false,
          args: ['--model_id=x'],
        }),
      ),
    ).toEqual(
      [
        "name: 'Gemma' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'gemma'",
        "autoscaling.maxReplicas: '0' is not a whole number of at least 1; use 1",
        "size: 'large' is not the size of a model; use billions of parameters, for example '7b'",
        "batchSize: '0.5' is not a whole number of at least 1; use 1",
        "slice: 'ct6e-standard-4t/2x4' has 2 hosts: JetStream-PyTorch runs in one pod; use a single-host slice, like 'ct6e-standard-8t/2x4' (8 chips)",
        "replicas: '1' is set together with autoscaling: each apply would undo the autoscaler's changes; use one of them",
        "monitoring: is off, but the autoscaler needs it to read metric 'jetstream_prefill_backlog_size'; use monitoring: {}",
        "args[0]: '--model_id=x' is set by the prop 'model'; use that prop",
      ].map((line) => `chart/gemma ${line}`),
    );
  });
});

describe('a server with checkpoint or model', () => {
  const loose = (props: object): readonly string[] =>
    refusal(() => server({ slice, ...props } as JetStreamServerProps));

  test.each<[string, object, readonly string[]]>([
    [
      'neither kind',
      {},
      [
        "checkpoint: required, unless the server has a 'model' on Hugging Face; use JetStreamCheckpoint.at({ bucketName: 'my-models', … })",
      ],
    ],
    [
      'both',
      { ...converted, model: 'google/gemma-7b-it' },
      ["model: 'google/gemma-7b-it' is set together with checkpoint; use only one of them"],
    ],
    ['no size', { checkpoint }, ["size: required, for example '7b'"]],
    [
      'no token',
      { model: 'google/gemma-7b-it' },
      ["huggingFaceToken: required, for example HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token')"],
    ],
    [
      'props of the other kind',
      { ...converted, huggingFaceToken, enableModelWarmup: true },
      [
        "huggingFaceToken: is only for a server with a 'model', and this one has a 'checkpoint'; remove it",
        "enableModelWarmup: is only for a server with a 'model', and this one has a 'checkpoint'; remove it",
      ],
    ],
    [
      'a misspelled prop',
      { ...converted, batchsize: 1 },
      ["batchsize: unknown property; did you mean 'batchSize'?"],
    ],
  ])('rejects %s', (_, props, problems) => {
    expect(loose(props)).toEqual(problems.map((problem) => `chart/gemma ${problem}`));
  });
});

describe('props of JetStream', () => {
  test('allow a tokenizer outside the folder of the checkpoint', () => {
    const { workload } = server({ ...converted, tokenizerPath: '/tokenizers/gemma.model' });
    expect(container(workload)['args']).toContain('--tokenizer_path=/tokenizers/gemma.model');
  });

  test('set the probes on the HTTP server', () => {
    const { workload } = server({
      ...converted,
      probes: { startup: { periodSeconds: 30, httpGet: { path: '/ready' } }, liveness: false },
    });
    expect(container(workload)).not.toHaveProperty('startupProbe');
    expect(container(workload, 1)).toMatchObject({
      startupProbe: { periodSeconds: 30, timeoutSeconds: 10, httpGet: { path: '/ready', port: 8000 } },
      readinessProbe: { httpGet: { path: '/healthcheck', port: 8000 } },
    });
    expect(container(workload, 1)).not.toHaveProperty('livenessProbe');
  });
});

describe('JetStreamMetric', () => {
  test('is looked up by its name', () => {
    expect(JetStreamMetric.of('jetstream_slots_used_percentage')).toBe(JetStreamMetric.SLOTS_USED_PERCENTAGE);
  });

  test.each([
    [
      "metric: 'jetstream_slots_available_percentage' is a metric that current releases of the server do not export; use its successor 'jetstream_slots_used_percentage'",
      'jetstream_slots_available_percentage',
    ],
    [
      "metric: 'jetstream_slots' is not known; use one of 'jetstream_prefill_backlog_size', 'jetstream_slots_used_percentage'",
      'jetstream_slots',
    ],
  ])('rejects %s', (message, name) => {
    expect(refusal(() => JetStreamMetric.of(name))).toEqual([message]);
  });
});

describe('any legal props', () => {
  const anyServer = fc
    .record({
      slice: singleHost,
      source: fc.constantFrom('checkpoint', 'model'),
      replicas: fc.nat({ max: 100 }),
      batch: fc.integer({ min: 1, max: 4096 }),
      quantizeWeights: fc.boolean(),
      startupSeconds: fc.integer({ min: 1, max: 86_400 }),
      monitoring: fc.boolean(),
    })
    .map(({ source, batch, quantizeWeights, monitoring, ...common }): JetStreamServerProps =>
      source === 'checkpoint'
        ? {
            ...common,
            checkpoint: JetStreamCheckpoint.at({ ...place, quantizeWeights }),
            size: '2b',
            batchSize: batch,
            ...(!monitoring && { monitoring }),
          }
        : {
            ...common,
            model: 'google/gemma-2b-it',
            huggingFaceToken,
            overrideBatchSize: batch,
            enableModelWarmup: quantizeWeights,
            ...(monitoring && { monitoring: {}, images: { server: ownImage } }),
          },
    );

  test('render one pod with the chips of the slice', () => {
    fc.assert(
      fc.property(anyServer, (props) => {
        const { workload } = server(props);
        const chips = { 'google.com/tpu': String(props.slice.chips) };
        expect(container(workload)['resources']).toMatchObject({ requests: chips });
        expect(container(workload)['resources']).toHaveProperty('limits', chips);
        expect(container(workload, 1)).not.toHaveProperty('resources');
        expect(podOf(workload)['nodeSelector']).toEqual({
          'cloud.google.com/gke-tpu-accelerator': props.slice.accelerator,
          'cloud.google.com/gke-tpu-topology': props.slice.topology,
        });
      }),
    );
    fc.assert(
      fc.property(singleHost, (any) => {
        const { spec } = converter({ ...conversion, slice: any }).job.toJson();
        const chips = { 'google.com/tpu': String(any.chips) };
        expect(spec.template.spec.containers[0].resources).toMatchObject({ requests: chips });
        expect(spec.template.spec.containers[0].resources.limits).toEqual(chips);
        expect([spec.parallelism ?? 1, spec.completions ?? 1]).toEqual([any.hosts, any.hosts]);
      }),
    );
  });

  test('render objects that remain unchanged when they are applied again', () => {
    fc.assert(
      fc.property(anyServer, (props) => {
        const scope = chart();
        new JetStreamServer(scope, 'gemma', props);
        new JetStreamCheckpointConverter(scope, 'convert', { ...conversion, slice: props.slice });
        const values = valuesOf(Testing.synth(scope));
        const unstable = values.filter(
          ([key, value]) =>
            value === '' ||
            (Array.isArray(value) && value.length === 0) ||
            (key === 'google.com/tpu' && typeof value !== 'string') ||
            (key === 'hostNetwork' && value === false),
        );
        expect(unstable).toEqual([]);
        const ports = values.filter(([key]) => key === 'ports').flatMap(([, value]) => value as object[]);
        expect(ports.length).toBeGreaterThan(2);
        expect(ports.filter((one) => !('protocol' in one))).toEqual([]);
      }),
    );
  });

  test('render metrics in three places or in none', () => {
    fc.assert(
      fc.property(anyServer, (props) => {
        const { workload, podMonitoring } = server(props);
        const port = podMonitoring?.toJson().spec.endpoints[0].port as number | undefined;
        const { args, ports } = container(workload) as {
          args: string[];
          ports: { containerPort: number }[];
        };
        expect(args.includes(`--prometheus_port=${String(port)}`)).toBe(podMonitoring !== undefined);
        expect(ports.some((one) => one.containerPort === port)).toBe(podMonitoring !== undefined);
      }),
    );
  });
});

describe('props with a mistake', () => {
  test.each(['batchSize', 'maxCacheLength', 'startupSeconds', 'overrideBatchSize'] as const)(
    'are rejected with the name %s',
    (prop) => {
      fc.assert(
        fc.property(notPositive, (value) => {
          const rest = prop === 'overrideBatchSize' ? downloaded : converted;
          const [line = ''] = refusal(() => server({ ...rest, [prop]: value }));
          expect(line.startsWith(`chart/gemma ${prop}: '${String(value)}' is not a whole number`)).toBe(true);
        }),
      );
    },
  );

  test('are rejected with a multi-host slice, and the error names a single host of its generation', () => {
    fc.assert(
      fc.property(multiHost, (any) => {
        for (const make of [
          () => converter({ ...conversion, slice: any }),
          () => server({ ...downloaded, slice: any }),
        ]) {
          const [line = '', ...others] = refusal(make);
          expect(others).toEqual([]);
          expect(line).toContain(`slice: '${any.toString()}' has ${String(any.hosts)} hosts: `);
          const nearest = TpuSlice.parse(/like '(.+?)'/.exec(line)?.[1] ?? '');
          expect([nearest.generation, nearest.hosts]).toEqual([any.generation, 1]);
        }
      }),
    );
  });
});

describe('a checkpoint on a disk', () => {
  const volume = new PvcVolume({ claimName: 'checkpoint-pvc', mountPath: '/models/' });
  const onDisk = (path?: string): JetStreamServerProps => ({
    ...converted,
    checkpoint: JetStreamCheckpoint.onVolume({ volume, modelName: 'gemma', ...(path && { path }) }),
  });

  test('is mounted like its volume, and read from its folder', () => {
    const { workload } = server(onDisk('gemma/bf16'));
    expect(podOf(workload)['volumes']).toEqual([
      { name: 'model-cache', persistentVolumeClaim: { claimName: 'checkpoint-pvc' } },
    ]);
    expect(container(workload)).toMatchObject({ volumeMounts: [{ name: 'model-cache' }] });
    expect(container(workload)['args']).toEqual(
      expect.arrayContaining([
        '--tokenizer_path=/models/gemma/bf16/tokenizer.model',
        '--checkpoint_path=/models/gemma/bf16/model.safetensors',
      ]),
    );
    expect(container(server(onDisk()).workload)['args']).toContain(
      '--checkpoint_path=/models/model.safetensors',
    );
  });

  test('rejects a cache for a bucket, and values that are not checkpoints', () => {
    const cached = { ...onDisk(), modelCache: { mountPath: '/weights' } } as JetStreamServerProps;
    expect(refusal(() => server(cached))).toEqual([
      'chart/gemma modelCache: mounts a bucket, but the checkpoint is on a disk; remove it',
    ]);
    const untyped = JSON.parse('{ "volume": "models" }') as never;
    expect(refusal(() => JetStreamCheckpoint.onVolume(untyped))).toEqual([
      "volume: 'models' is a string; use new PvcVolume({ claimName: 'models', mountPath: '/models' })",
      "modelName: required, for example 'gemma'",
    ]);
  });
});

test('the gRPC port can be a port of the Service', () => {
  const { workload, service } = server({ ...converted, extraPorts: [{ name: 'grpc', port: 9000 }] });
  expect(service.toJson().spec.ports).toMatchObject([{ port: 8000 }, { name: 'grpc', port: 9000 }]);
  const ports = container(workload)['ports'] as { containerPort: number }[];
  expect(ports.filter(({ containerPort }) => containerPort === 9000)).toHaveLength(1);
});
