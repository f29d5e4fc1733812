import { type ApiObject, Chart, Testing } from 'cdk8s';
import fc from 'fast-check';
import { GEMMA_7B_IT, JetStreamFromCheckpoint, JetStreamFromHuggingFace } from '../../examples/jetstream';
import {
  Capacity,
  JetStreamCheckpointConverter,
  type JetStreamCheckpointConverterProps,
  JetStreamCheckpoint,
  HuggingFaceToken,
  InvalidInputError,
  JetStreamMetric,
  JetStreamServer,
  type JetStreamServerProps,
  MACHINE_TYPES,
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
const conversion = {
  model: 'google/gemma-7b-it-pytorch',
  modelName: 'gemma',
  bucketName: 'my-models',
  path: 'gemma/bf16',
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

/** Every value of a manifest, with the key that it stands at. */
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
  test('says where it is', () => {
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
      "path '/gemma/' is not a folder of the bucket, expected letters, digits, '_', '-' and '.' with '/' between them alone; nearest: 'gemma'",
      { path: '/gemma/' },
    ],
    [
      "path 'gs://my-models/gemma/a=b/' is not a folder of the bucket, expected letters, digits, '_', '-' and '.' with '/' between them alone; nearest: 'gemma/ab'",
      { path: 'gs://my-models/gemma/a=b/' },
    ],
    [
      "path '' is not a folder of the bucket, expected letters, digits, '_', '-' and '.' with '/' between them alone; nearest: 'pytorch/gemma-7b-it/final/bf16'",
      { path: '' },
    ],
    [
      "path 'a//b' is not a folder of the bucket, expected letters, digits, '_', '-' and '.' with '/' between them alone; nearest: 'a/b'",
      { path: 'a//b' },
    ],
    [
      "bucketName 'gs://my-models' is a URL, expected the bucket's name alone: 'my-models'",
      { bucketName: 'gs://my-models' },
    ],
    [
      "bucketName '' is not a bucket name, expected 3 to 63 lower-case letters, digits, '-', '_' and '.'; nearest: 'my-bucket'",
      { bucketName: '' },
    ],
    [
      "modelName 'Gemma 7B' is not an architecture, expected JetStream's own name of it: 'gemma', 'llama-2', 'llama-3' or 'mixtral'",
      { modelName: 'Gemma 7B' },
    ],
  ])('%s', (message, wrong) => {
    expect(refusal(() => JetStreamCheckpoint.at({ ...conversion, ...wrong }))).toEqual([message]);
  });

  test('all mistakes are listed', () => {
    expect(
      refusal(() => JetStreamCheckpoint.at({ bucketName: 'A', path: '/', modelName: '' })).map(
        (line) => line.split(' ')[0],
      ),
    ).toEqual(['bucketName', 'path', 'modelName']);
  });
});

describe('JetStreamCheckpointConverter', () => {
  test('a quantized checkpoint, with everything said', () => {
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

  test('what it was told to convert is what the server is given', () => {
    const { checkpoint: made } = converter({ ...conversion, quantizeWeights: true });
    expect(made).toEqual(JetStreamCheckpoint.at({ ...conversion, quantizeWeights: true }));
    const [, , output, , quantized] = container(converter({ ...conversion, quantizeWeights: true }).job)[
      'args'
    ] as string[];
    expect(output).toBe(`-o=${made.gsUri}`);
    expect(quantized).toBe('-q=True');
    const { args } = container(server({ ...converted, checkpoint: made }).deployment);
    expect(args).toContain('--quantize_weights=True');
    expect(args).toContain('--checkpoint_path=/models/gemma/bf16/model.safetensors');
  });

  test('converts once: the Job stays, and is not retried for long', () => {
    const { spec } = converter(conversion).job.toJson();
    expect(spec).toMatchObject({ backoffLimit: 1, template: { spec: { restartPolicy: 'Never' } } });
    expect(spec).not.toHaveProperty('ttlSecondsAfterFinished');
    expect(spec.podFailurePolicy.rules).toEqual([
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    ]);
  });

  test('bears its name, and no pod of a server has its label', () => {
    const { job } = converter({ ...conversion, name: 'gemma-converter' });
    expect(job.toJson()).toMatchObject({
      metadata: { name: 'gemma-converter', labels: { app: 'gemma-converter' } },
      spec: { template: { metadata: { labels: { app: 'gemma-converter' } } } },
    });
    expect(converter(conversion).job.name).toBe('convert');
  });

  test('reads the token from a file, whatever its key', () => {
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
      "name 'Convert' is not a DNS label, expected lower-case letters, digits and '-', first a letter; nearest: 'convert'",
      { name: 'Convert' },
    ],
    [
      "model 'gemma-7b-it' is not a model, expected a Hugging Face id like 'meta-llama/Meta-Llama-3-8B'",
      { model: 'gemma-7b-it' },
    ],
    [
      "model 'google/gemma/pytorch/7b-it' is not a model, expected a Hugging Face id like 'meta-llama/Meta-Llama-3-8B'",
      { model: 'google/gemma/pytorch/7b-it' },
    ],
    [
      "slice 'ct5lp-hightpu-4t/2x4' has 2 hosts, expected one: JetStream-PyTorch runs in one pod; nearest: 'ct5lp-hightpu-8t/2x4' (8 chips)",
      { slice: TpuSlice.of('ct5lp-hightpu-4t', '2x4') },
    ],
    [
      "capacity flex-start is not offered for machine type 'ct4p-hightpu-4t', expected a slice of v5e, v5p, v6e or tpu7x, or Capacity.onDemand()",
      { slice: TpuSlice.of('ct4p-hightpu-4t'), capacity: Capacity.flexStart() },
    ],
    [
      "image 'Inference Checkpoint' is not an image reference, expected REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
      { image: 'Inference Checkpoint' },
    ],
    [
      "serviceAccountName 'wi_jetstream' is not a DNS name, expected at most 253 lower-case letters, digits, '-' and '.' between them; nearest: 'wi-jetstream'",
      { serviceAccountName: 'wi_jetstream' },
    ],
    ["backoffLimit '-1' is not a whole number of at least 0; nearest: 0", { backoffLimit: -1 }],
    [
      "ttlSecondsAfterFinished '0.5' is not a whole number of at least 0; nearest: 1",
      { ttlSecondsAfterFinished: 0.5 },
    ],
    [
      "args '-q=True' is already written by quantizeWeights, expected that prop instead",
      { args: ['-q=True'] },
    ],
    ["args '-t=b' sets -t a second time, expected it once", { args: ['-t=a', '-t=b'] }],
    ["args '-t int8' is not a flag, expected '--flag=value' in one string", { args: ['-t int8'] }],
    [
      "bucketName 'my models' is not a bucket name, expected 3 to 63 lower-case letters, digits, '-', '_' and '.'; nearest: 'my-models'",
      { bucketName: 'my models' },
    ],
    [
      `pod restartPolicy is set to 'Never' and to 'OnFailure', expected one value`,
      { fragments: [{ pod: { restartPolicy: 'OnFailure' } }] },
    ],
  ])('%s', (message, wrong) => {
    expect(refusal(() => converter({ ...conversion, ...wrong }))).toEqual([`chart/convert: ${message}`]);
  });

  test('all mistakes are listed', () => {
    const wrong = { name: 'C', model: '', path: '/', backoffLimit: 1.5, args: ['-m=x'], image: '' };
    expect(refusal(() => converter({ ...conversion, ...wrong })).map((line) => line.split(' ')[1])).toEqual([
      'name',
      'model',
      'backoffLimit',
      'args',
      'path',
      'image',
    ]);
  });
});

describe('JetStreamServer', () => {
  test('from a checkpoint that a Job converts', () => {
    expect(
      Testing.synth(new JetStreamFromCheckpoint(Testing.app(), 'jetstream-gemma-7b-it', GEMMA_7B_IT)),
    ).toMatchSnapshot();
  });

  test('from Hugging Face', () => {
    expect(
      Testing.synth(new JetStreamFromHuggingFace(Testing.app(), 'jetstream-gemma-7b-it-hf', GEMMA_7B_IT)),
    ).toMatchSnapshot();
  });

  test('from a checkpoint, with everything said', () => {
    const scope = chart();
    new JetStreamServer(scope, 'gemma', {
      ...converted,
      name: 'gemma-int8',
      checkpoint: JetStreamCheckpoint.at({ ...conversion, quantizeWeights: true }),
      checkpointMount: {
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
      image: ownImage,
      httpImage: 'europe-docker.pkg.dev/my-project/serving/jetstream-http:v1',
      serviceName: 'jetstream-svc',
      serviceType: 'InternalLoadBalancer',
      monitoring: { interval: '30s' },
      prometheusPort: 9100,
      startupSeconds: 1200,
      fragments: [{ tolerations: [{ key: 'team', operator: 'Exists' }] }],
    });
    expect(Testing.synth(scope)).toMatchSnapshot();
  });

  test('from Hugging Face, without warm-up and with an image that exports metrics', () => {
    const scope = chart();
    new JetStreamServer(scope, 'gemma', {
      ...downloaded,
      enableModelWarmup: false,
      args: ['--quantize_weights=True'],
      image: ownImage,
      monitoring: {},
      autoscaling: backlog,
    });
    expect(Testing.synth(scope)).toMatchSnapshot();
  });

  test('the checkpoint says where its files are, read-only', () => {
    const { deployment } = server(converted);
    expect(container(deployment)['args']).toEqual([
      '--size=7b',
      '--model_name=gemma',
      '--quantize_weights=False',
      '--quantize_kv_cache=False',
      '--tokenizer_path=/models/gemma/bf16/tokenizer.model',
      '--checkpoint_path=/models/gemma/bf16/model.safetensors',
      '--prometheus_port=9090',
    ]);
    expect(container(deployment)['volumeMounts']).toEqual([
      { name: 'gcs-fuse-checkpoint', mountPath: '/models', readOnly: true },
    ]);
    expect(podOf(deployment)['volumes']).toMatchObject([
      { csi: { readOnly: true, volumeAttributes: { bucketName: 'my-models' } } },
      { name: 'gke-gcsfuse-cache', emptyDir: { medium: 'Memory', sizeLimit: '16Gi' } },
    ]);
    expect(deployment.toJson().spec.template.metadata.annotations).toEqual({ 'gke-gcsfuse/volumes': 'true' });
  });

  test('each source has the release that knows its flags', () => {
    expect(container(server(converted).deployment)['image']).toMatch(/jetstream-pytorch-server:v0\.2\.3$/);
    expect(container(server(downloaded).deployment)['image']).toMatch(/jetstream-pytorch-server:v0\.2\.4$/);
  });

  const sized = (size: string, quantizeWeights: boolean): JetStreamServer =>
    server({ ...converted, size, checkpoint: JetStreamCheckpoint.at({ ...conversion, quantizeWeights }) });
  test.each([
    ['68b', false],
    ['70b', true],
    ['8x7b', false],
  ])('%s fits, quantized %s', (size, quantizeWeights) => {
    expect(container(sized(size, quantizeWeights).deployment)['args']).toContain(`--size=${size}`);
  });

  test('what does not fit even quantized is refused', () => {
    expect(refusal(() => sized('300b', true))).toEqual([
      "chart/gemma: slice 'ct5lp-hightpu-8t/2x4' has 128 GiB of HBM, expected at least 139.7 GiB for 150 GB of weights (KV cache not counted); nearest: 'ct5lp-hightpu-4t/4x4' (4 hosts, 256 GiB), 'tpu7x-standard-1t/1x1x1' (1 host, 192 GiB)",
    ]);
  });

  test('probes stand on the container whose port they ask', () => {
    const { deployment } = server({ ...downloaded, startupSeconds: 605 });
    expect(Object.keys(container(deployment)).filter((key) => key.endsWith('Probe'))).toEqual([]);
    expect(container(deployment, 1)).toMatchObject({
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
    expect(deployment.toJson().spec.progressDeadlineSeconds).toBe(1205);
  });

  test('a rollout needs no spare slice', () => {
    expect(server(converted).deployment.toJson().spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    });
  });

  test('the Service leads to jetstream-http, inside the cluster', () => {
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

  test('a flag that no list calls single may be repeated', () => {
    const args = ['--lora=a', '--lora=b'];
    expect(container(server({ ...converted, args }).deployment)['args']).toEqual(
      expect.arrayContaining(args) as unknown,
    );
  });

  test('flag, port and PodMonitoring come and go together', () => {
    const { deployment, podMonitoring } = server({ ...converted, prometheusPort: 9100 });
    expect(container(deployment)['args']).toContain('--prometheus_port=9100');
    expect(container(deployment)['ports']).toContainEqual({
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
      expect(JSON.stringify(without.deployment.toJson())).not.toMatch(/prometheus_port|metrics/);
    }
  });

  test('an autoscaler owns the replicas', () => {
    const { deployment, horizontalPodAutoscaler } = server({ ...converted, autoscaling: backlog });
    expect(deployment.toJson().spec).not.toHaveProperty('replicas');
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
      "name 'gemma_7b' is not a DNS label, expected lower-case letters, digits and '-', first a letter; nearest: 'gemma-7b'",
      { name: 'gemma_7b' },
    ],
    [
      "serviceName '8000' is not a DNS label, expected lower-case letters, digits and '-', first a letter; nearest: 'x'",
      { serviceName: '8000' },
    ],
    [
      "serviceAccountName 'WI' is not a DNS name, expected at most 253 lower-case letters, digits, '-' and '.' between them; nearest: 'wi'",
      { serviceAccountName: 'WI' },
    ],
    [
      "image 'JetStream' is not an image reference, expected REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
      { image: 'JetStream' },
    ],
    [
      "httpImage '' is not an image reference, expected REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
      { httpImage: '' },
    ],
    [
      "slice 'ct5p-hightpu-4t/2x2x4' has 4 hosts, expected one: JetStream-PyTorch runs in one pod; nearest: 'ct5p-hightpu-4t/2x2x1' (4 chips)",
      { slice: TpuSlice.of('ct5p-hightpu-4t', '2x2x4') },
    ],
    [
      "capacity flex-start is not offered for machine type 'ct4p-hightpu-4t', expected a slice of v5e, v5p, v6e or tpu7x, or Capacity.onDemand()",
      { slice: TpuSlice.of('ct4p-hightpu-4t'), capacity: Capacity.flexStart() },
    ],
    [
      "size 'gemma-7b' is not the size of a model, expected billions of parameters like '7b'",
      { size: 'gemma-7b' },
    ],
    [
      "slice 'ct5lp-hightpu-8t/2x4' has 128 GiB of HBM, expected at least 130.4 GiB for 140 GB of weights (KV cache not counted); nearest: 'ct5lp-hightpu-4t/4x4' (4 hosts, 256 GiB), 'tpu7x-standard-1t/1x1x1' (1 host, 192 GiB), or a checkpoint with quantizeWeights",
      { size: '70b' },
    ],
    [
      "slice 'ct5lp-hightpu-8t/2x4' has 128 GiB of HBM, expected at least 139.7 GiB for 150 GB of weights (KV cache not counted); nearest: 'ct5lp-hightpu-4t/4x4' (4 hosts, 256 GiB), 'tpu7x-standard-1t/1x1x1' (1 host, 192 GiB)",
      { modelSize: '150G' },
    ],
    ["batchSize '0' is not a whole number of at least 1; nearest: 1", { batchSize: 0 }],
    [
      "maxCacheLength '2048.4' is not a whole number of at least 1; nearest: 2048",
      { maxCacheLength: 2048.4 },
    ],
    ["startupSeconds 'NaN' is not a whole number of at least 1; nearest: 1", { startupSeconds: NaN }],
    ["replicas '-2' is not a whole number of at least 0; nearest: 0", { replicas: -2 }],
    [
      "replicas '2' is set beside autoscaling, expected one of them: each apply would undo what the autoscaler did",
      { replicas: 2, autoscaling: backlog },
    ],
    [
      "autoscaling maxReplicas '3' is below minReplicas '4', expected at least as many; nearest: 4",
      { autoscaling: { ...backlog, minReplicas: 4 } },
    ],
    [
      "autoscaling metric 'vllm:num_requests_waiting' is not JetStream's, expected one like JetStreamMetric.PREFILL_BACKLOG_SIZE",
      { autoscaling: { ...backlog, metric: VllmMetric.REQUESTS_WAITING } },
    ],
    [
      "monitoring is off beside autoscaling, expected it on: the autoscaler reads metric 'jetstream_prefill_backlog_size' from it",
      { autoscaling: backlog, monitoring: false },
    ],
    [
      "monitoring interval '15 seconds' is not a duration, expected one like '15s' or '1m'; nearest: '15s'",
      { monitoring: { interval: '15 seconds' } },
    ],
    [
      "prometheusPort '9100' is set while monitoring is off, expected monitoring: {} beside it",
      { monitoring: false, prometheusPort: 9100 },
    ],
    [
      "prometheusPort '8000' is taken by jetstream-http, expected another; nearest: 8001",
      { prometheusPort: 8000 },
    ],
    [
      "prometheusPort '90900' is not a whole number from 1 to 65535; nearest: 65535",
      { prometheusPort: 90900 },
    ],
    [
      "args '--quantize_weights=True' is already written by checkpoint, expected that prop instead",
      { args: ['--quantize_weights=True'] },
    ],
    ["args '--port=9001' is already written by the server itself, expected none", { args: ['--port=9001'] }],
    ["args 'threads=64' is not a flag, expected '--flag=value' in one string", { args: ['threads=64'] }],
    [
      "container 'jetstream-pytorch-server' env '1JAX' is not a variable name, expected letters, digits, '_', '-' and '.', first no digit",
      { env: { '1JAX': 'tpu' } },
    ],
    [
      "container 'jetstream-pytorch-server' env 'HF_TOKEN' holds a Hugging Face token, expected huggingFaceToken: HuggingFaceToken.fromSecret(…), which names a Secret",
      { env: { HF_TOKEN: 'hf_abcdefghijklmnop' } },
    ],
    [
      "mountPath 'models' is not an absolute path without ':' and spaces; nearest: '/models'",
      { checkpointMount: { mountPath: 'models' } },
    ],
    [
      "checkpointMount cache of '10Gi' is smaller than the weights, '14G', and what does not fit is read from the bucket at every start, expected at least their size; nearest: '14Gi'",
      { checkpointMount: { cache: { medium: 'ram', sizeLimit: '10Gi' } } },
    ],
    [
      "checkpointMount cache of '0Gi' is smaller than the weights, '14G', and what does not fit is read from the bucket at every start, expected at least their size; nearest: '14Gi'",
      { checkpointMount: { mountOptions: { fileCache: { maxSizeMb: 0 } } } },
    ],
    [
      "prometheusPort '8431' is taken by the metrics of the TPU runtime, expected another; nearest: 8432",
      { prometheusPort: 8431 },
    ],
  ])('with a checkpoint: %s', (message, wrong) => {
    expect(refusal(() => server({ ...converted, ...wrong } as JetStreamServerProps))).toEqual([
      `chart/gemma: ${message}`,
    ]);
  });

  test.each<[string, Partial<JetStreamServerProps>]>([
    [
      "modelId 'gemma' is not a model, expected a Hugging Face id like 'meta-llama/Meta-Llama-3-8B'",
      { model: 'gemma' },
    ],
    [
      "slice 'ct5lp-hightpu-8t/2x4' has 128 GiB of HBM, expected at least 188.6 GiB for 202.5 GB of weights (KV cache not counted); nearest: 'ct5lp-hightpu-4t/4x4' (4 hosts, 256 GiB), 'tpu7x-standard-1t/1x1x1' (1 host, 192 GiB)",
      { model: 'meta-llama/Llama-3.1-405B' },
    ],
    [
      "huggingFaceToken is a string, expected HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'), which names a Secret and its key",
      JSON.parse('{ "huggingFaceToken": "hf_0123456789abcdef" }') as Partial<JetStreamServerProps>,
    ],
    [
      "huggingFaceToken is missing, expected HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'), which names a Secret and its key",
      { huggingFaceToken: undefined },
    ],
    ["overrideBatchSize '-30' is not a whole number of at least 1; nearest: 1", { overrideBatchSize: -30 }],
    [
      "image 'us-docker.pkg.dev/cloud-tpu-images/inference/jetstream-pytorch-server:v0.2.4' exports no metrics and does not start with --prometheus_port, expected an image of one's own build for monitoring or autoscaling",
      { monitoring: {} },
    ],
    [
      "prometheusPort '9100' is set while monitoring is off, expected monitoring: {} beside it",
      { prometheusPort: 9100 },
    ],
    [
      "args '--enable_model_warmup=False' is already written by enableModelWarmup, expected that prop instead",
      { args: ['--enable_model_warmup=False'] },
    ],
    [
      `container 'jetstream-pytorch-server' volumeMounts has mountPath '/huggingface' twice with different contents: '{"mountPath":"/huggingface","name":"huggingface-credentials","readOnly":true}' and '{"mountPath":"/huggingface","name":"huggingface-credentials"}'`,
      { fragments: [{ volumeMounts: [{ name: 'huggingface-credentials', mountPath: '/huggingface' }] }] },
    ],
  ])('with a model: %s', (message, wrong) => {
    expect(refusal(() => server({ ...downloaded, ...wrong } as JetStreamServerProps))).toEqual([
      `chart/gemma: ${message}`,
    ]);
  });

  test('all mistakes are listed', () => {
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
          checkpointMount: { cache: { medium: 'ram', sizeLimit: '20 GB' } },
          fragments: [{ labels: { app: 'other' } }],
        }),
      ),
    ).toEqual(
      [
        "name 'Gemma' is not a DNS label, expected lower-case letters, digits and '-', first a letter; nearest: 'gemma'",
        "autoscaling maxReplicas '0' is not a whole number of at least 1; nearest: 1",
        "replicas '1' is set beside autoscaling, expected one of them: each apply would undo what the autoscaler did",
        "monitoring is off beside autoscaling, expected it on: the autoscaler reads metric 'jetstream_prefill_backlog_size' from it",
        "args '--model_id=x' is already written by modelId, expected that prop instead",
        "slice 'ct6e-standard-4t/2x4' has 2 hosts, expected one: JetStream-PyTorch runs in one pod; nearest: 'ct6e-standard-8t/2x4' (8 chips)",
        "size 'large' is not the size of a model, expected billions of parameters like '7b'",
        "batchSize '0.5' is not a whole number of at least 1; nearest: 1",
        "cache sizeLimit '20 GB' is not a quantity, expected a number with a suffix like '500m', '20Gi' or '8G'; nearest: '20G'",
        `labels app is set to 'gemma' and to 'other', expected one value`,
      ].map((line) => `chart/gemma: ${line}`),
    );
  });
});

describe('JetStreamMetric', () => {
  test('is found by its name', () => {
    expect(JetStreamMetric.of('jetstream_slots_used_percentage')).toBe(JetStreamMetric.SLOTS_USED_PERCENTAGE);
  });

  test.each([
    [
      "metric 'jetstream_slots_available_percentage' is no longer exported, expected its successor 'jetstream_slots_used_percentage'",
      'jetstream_slots_available_percentage',
    ],
    [
      "metric 'jetstream_slots' is not known, expected one of 'jetstream_prefill_backlog_size', 'jetstream_slots_used_percentage'",
      'jetstream_slots',
    ],
  ])('%s', (message, name) => {
    expect(refusal(() => JetStreamMetric.of(name))).toEqual([message]);
  });
});

describe('whatever is legal', () => {
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
            checkpoint: JetStreamCheckpoint.at({ ...conversion, quantizeWeights }),
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
            ...(monitoring && { monitoring: {}, image: ownImage }),
          },
    );

  test('renders one pod with the chips of the slice', () => {
    fc.assert(
      fc.property(anyServer, (props) => {
        const { deployment } = server(props);
        const chips = { 'google.com/tpu': String(props.slice.chips) };
        expect(container(deployment)['resources']).toMatchObject({ requests: chips });
        expect(container(deployment)['resources']).toHaveProperty('limits', chips);
        expect(container(deployment, 1)).not.toHaveProperty('resources');
        expect(podOf(deployment)['nodeSelector']).toEqual({
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

  test('is unchanged when it is applied again', () => {
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

  test('writes metrics in three places or in none', () => {
    fc.assert(
      fc.property(anyServer, (props) => {
        const { deployment, podMonitoring } = server(props);
        const port = podMonitoring?.toJson().spec.endpoints[0].port as number | undefined;
        const { args, ports } = container(deployment) as {
          args: string[];
          ports: { containerPort: number }[];
        };
        expect(args.includes(`--prometheus_port=${String(port)}`)).toBe(podMonitoring !== undefined);
        expect(ports.some((one) => one.containerPort === port)).toBe(podMonitoring !== undefined);
      }),
    );
  });
});

describe('whatever is not', () => {
  test.each(['batchSize', 'maxCacheLength', 'startupSeconds', 'overrideBatchSize'] as const)(
    '%s is named',
    (prop) => {
      fc.assert(
        fc.property(notPositive, (value) => {
          const rest = prop === 'overrideBatchSize' ? downloaded : converted;
          const [line = ''] = refusal(() => server({ ...rest, [prop]: value }));
          expect(line.startsWith(`chart/gemma: ${prop} '${String(value)}' is not a whole number`)).toBe(true);
        }),
      );
    },
  );

  test('a slice of several hosts is named, with one host of its generation', () => {
    fc.assert(
      fc.property(multiHost, (any) => {
        for (const make of [
          () => converter({ ...conversion, slice: any }),
          () => server({ ...downloaded, slice: any }),
        ]) {
          const [line = '', ...others] = refusal(make);
          expect(others).toEqual([]);
          expect(line).toContain(`slice '${any.toString()}' has ${String(any.hosts)} hosts, expected one`);
          const nearest = TpuSlice.parse(/nearest: '(.+?)'/.exec(line)?.[1] ?? '');
          expect([nearest.generation, nearest.hosts]).toEqual([any.generation, 1]);
        }
      }),
    );
  });
});
