import { Chart, JsonPatch, Testing } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Construct } from 'constructs';
import fc from 'fast-check';
import {
  Capacity,
  GcsFuseVolume,
  HuggingFaceToken,
  JetStreamMetric,
  InvalidInputError,
  startupEstimate,
  TpuSlice,
  VllmMetric,
  VllmServer,
  type PodFragment,
  type VllmServerProps,
} from '../../lib';
import { machineTypes, topologiesOf } from '../../lib/tpu/topology';

type Manifests = ReturnType<typeof Testing.synth>;

const required = { model: 'google/gemma-2b', slice: TpuSlice.of('ct6e-standard-8t') };

function render(props: Partial<VllmServerProps> = {}): Manifests {
  const chart = Testing.chart();
  new VllmServer(chart, 'server', { ...required, ...props });
  return Testing.synth(chart);
}

/** What a server renders as text, or why it renders nothing. */
function outcome(
  props: Partial<VllmServerProps>,
  text: (manifests: Manifests) => string = JSON.stringify,
): string {
  try {
    return text(render(props));
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message;
    throw error;
  }
}

const cache = new GcsFuseVolume({
  bucketName: 'my-models',
  mountPath: '/data',
  cache: { medium: 'ram', sizeLimit: '160Gi' },
  sidecar: GcsFuseVolume.UNLIMITED_SIDECAR,
});
const autoscaling = {
  minReplicas: 1,
  maxReplicas: 2,
  metric: VllmMetric.REQUESTS_WAITING,
  averageValue: 10,
};

/** All of the tutorial. */
const TUTORIAL: VllmServerProps = {
  name: 'vllm-llama3-70b',
  model: 'meta-llama/Llama-3.1-70B',
  slice: TpuSlice.of('ct6e-standard-8t'),
  modelCache: cache,
  huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'),
  serviceAccountName: 'vllm',
  maxModelLen: 4096,
  maxNumBatchedTokens: 512,
  maxNumSeqs: 128,
  autoscaling,
  serviceType: 'ExternalLoadBalancer',
};

/** The variables of a server by their names: the value, or where it is. */
const variables = ([deployment]: Manifests): Record<string, unknown> =>
  Object.fromEntries(
    (deployment.spec.template.spec.containers[0].env as readonly k8s.EnvVar[]).map(
      ({ name, value, valueFrom }) => [name, value ?? valueFrom],
    ),
  );

describe('a server', () => {
  test('has the arguments of the tutorial, in its order', () => {
    expect(render(TUTORIAL)[0].spec.template.spec.containers[0]).toMatchObject({
      command: ['python3', '-m', 'vllm.entrypoints.openai.api_server'],
      args: [
        '--host=0.0.0.0',
        '--port=8000',
        '--tensor-parallel-size=8',
        '--max-model-len=4096',
        '--model=meta-llama/Llama-3.1-70B',
        '--download-dir=/data',
        '--max-num-batched-tokens=512',
        '--max-num-seqs=128',
      ],
    });
  });

  test('leaves to vLLM what nobody asked for', () => {
    const manifests = render({ startupSeconds: 1200 });
    const [deployment] = manifests;
    const [container] = deployment.spec.template.spec.containers;
    expect(container.args).toEqual([
      '--host=0.0.0.0',
      '--port=8000',
      '--tensor-parallel-size=8',
      '--model=google/gemma-2b',
    ]);
    expect(variables(manifests)).toEqual({
      VLLM_USE_V1: '1',
      VLLM_ENGINE_READY_TIMEOUT_S: '1200',
      PYTHONUNBUFFERED: '1',
    });
    expect(deployment.spec.template.spec).not.toHaveProperty('serviceAccountName');
  });

  test('takes flags, variables, resources and fragments that it has no prop for', () => {
    const manifests = render({
      image: 'vllm/vllm-tpu:v0.11.1',
      tensorParallelSize: 4,
      args: ['--dtype=bfloat16'],
      env: { OMP_NUM_THREADS: '8', EMPTY: '', VLLM_USE_V1: '0' },
      sharedMemory: '32Gi',
      resources: { requests: { cpu: '8' } },
      fragments: [
        { labels: { team: 'search' }, resources: { limits: { memory: '500G' } } },
        { tolerations: [{ key: 'team', operator: 'Equal', value: 'search' }], pod: { hostname: 'vllm' } },
      ],
    });
    const [deployment] = manifests;
    const { metadata, spec } = deployment.spec.template;
    expect(deployment.spec.selector.matchLabels).toEqual({ app: 'server' });
    expect(metadata.labels).toMatchObject({ app: 'server', team: 'search' });
    expect(spec).toMatchObject({
      hostname: 'vllm',
      tolerations: [{ key: 'team', operator: 'Equal', value: 'search' }],
      volumes: [{ name: 'dshm', emptyDir: { medium: 'Memory', sizeLimit: '32Gi' } }],
      containers: [
        {
          image: 'vllm/vllm-tpu:v0.11.1',
          args: [
            '--host=0.0.0.0',
            '--port=8000',
            '--tensor-parallel-size=4',
            '--model=google/gemma-2b',
            '--dtype=bfloat16',
          ],
          resources: {
            requests: { 'google.com/tpu': '8', cpu: '8' },
            limits: { 'google.com/tpu': '8', memory: '500G' },
          },
        },
      ],
    });
    expect(variables(manifests)).toMatchObject({
      OMP_NUM_THREADS: '8',
      EMPTY: undefined,
      VLLM_USE_V1: '0',
    });
  });

  test('keeps weights and compiled programs on its cache, or where it is told to', () => {
    const paths = (props: Partial<VllmServerProps>): unknown => {
      const [{ args, env }] = render({ modelCache: cache, ...props })[0].spec.template.spec.containers;
      return [args[4], env[0]];
    };
    expect(paths({})).toEqual(['--download-dir=/data', { name: 'VLLM_XLA_CACHE_PATH', value: '/data' }]);
    expect(paths({ downloadDir: '/data/weights', compileCachePath: '/data/xla' })).toEqual([
      '--download-dir=/data/weights',
      { name: 'VLLM_XLA_CACHE_PATH', value: '/data/xla' },
    ]);
  });

  test('writes nothing to a cache that can only be read', () => {
    const readOnly = new GcsFuseVolume({ bucketName: 'my-weights', mountPath: '/models', readOnly: true });
    const manifests = render({ model: '/models/gemma-2b', modelCache: readOnly });
    expect(JSON.stringify(manifests)).not.toContain('--download-dir');
    expect(variables(manifests)).not.toHaveProperty('VLLM_XLA_CACHE_PATH');
  });

  test('has its token from the Secret alone, under both names', () => {
    const valueFrom = { secretKeyRef: { name: 'hf-secret', key: 'hf_api_token' } };
    expect(variables(render(TUTORIAL))).toMatchObject({
      HF_TOKEN: valueFrom,
      HUGGING_FACE_HUB_TOKEN: valueFrom,
    });
  });

  test.each<[string, Partial<VllmServerProps>]>([
    ['one token a sequence', { maxNumBatchedTokens: 128, maxNumSeqs: 128 }],
    ['few tokens and as many sequences as vLLM likes', { maxNumBatchedTokens: 1 }],
    ['an autoscaler that may not scale', { autoscaling: { ...autoscaling, minReplicas: 2 } }],
    ['one replica at most', { autoscaling: { ...autoscaling, minReplicas: undefined, maxReplicas: 1 } }],
    ['the highest port', { port: 65535 }],
    ['flags with JSON, and a list of them', { args: ['--x={"a": 1}', '--y.z+=1', '--y.z+=2', '-O3'] }],
    [
      'a model that is streamed from a bucket',
      { model: 'gs://a-b/c', args: ['--load-format=runai_streamer'] },
    ],
    ['names with dots', { serviceAccountName: 'a.b', priorityClassName: 'c.d' }],
    ['the root of the cache', { modelCache: cache, downloadDir: '/data' }],
  ])('may have %s', (_, props) => {
    expect(outcome(props)).toContain('"kind":"Deployment"');
  });

  test('is not privileged, and shares nothing with its node', () => {
    expect(JSON.stringify(render(TUTORIAL))).not.toMatch(/privileged|host(Network|PID|IPC|Path|Port)/);
  });

  test('gives its objects to be patched, and the patch lands', () => {
    const chart = Testing.chart();
    const server = new VllmServer(chart, 'server', { ...required, autoscaling });
    server.deployment.addJsonPatch(
      JsonPatch.add('/spec/template/spec/containers/0/newerThanTheTypes', { a: 1 }),
      JsonPatch.replace('/spec/progressDeadlineSeconds', 60),
    );
    server.service.addJsonPatch(JsonPatch.add('/spec/newerThanTheTypes', true));
    server.podMonitoring?.addJsonPatch(JsonPatch.replace('/spec/endpoints/0/interval', '1m'));
    server.horizontalPodAutoscaler?.addJsonPatch(JsonPatch.add('/spec/behavior', { scaleDown: {} }));
    const objects = Testing.synth(chart).map((object) => JSON.stringify(object));
    for (const [index, patched] of [
      '"newerThanTheTypes":{"a":1}',
      '"newerThanTheTypes":true',
      '"interval":"1m"',
      '"behavior":{"scaleDown":{}}',
    ].entries())
      expect(objects[index]).toContain(patched);
    expect(objects[0]).toContain('"progressDeadlineSeconds":60');
  });

  test('has no object that it was not asked for', () => {
    const chart = Testing.chart();
    const server = new VllmServer(chart, 'server', { ...required, monitoring: false });
    const { podMonitoring, horizontalPodAutoscaler, podDisruptionBudget, networkPolicy } = server;
    expect([podMonitoring, horizontalPodAutoscaler, podDisruptionBudget, networkPolicy]).toEqual(
      Array(4).fill(undefined),
    );
    expect(Testing.synth(chart).map(({ kind }) => String(kind))).toEqual(['Deployment', 'Service']);
  });
});

// ---- as text ----------------------------------------------------------------------------------------------------

describe('as YAML', () => {
  const deployment = ['Deployment'];
  const service = ['Service'];
  const allowedClients = [{ podSelector: { matchLabels: { app: 'gateway' } } }];
  const weights = new GcsFuseVolume({ bucketName: 'my-weights', mountPath: '/models', readOnly: true });
  const compiled = new GcsFuseVolume({ name: 'compiled', bucketName: 'my-cache', mountPath: '/cache' });

  test.each<[string, Partial<VllmServerProps>, readonly string[] | undefined]>([
    ['minimal', {}, undefined],
    ['the whole tutorial', TUTORIAL, undefined],
    ['load balancer in the VPC', { serviceType: 'InternalLoadBalancer' }, service],
    ['load balancer on the internet', { serviceType: 'ExternalLoadBalancer', port: 8080 }, service],
    ['spot', { slice: TpuSlice.of('ct5lp-hightpu-4t'), capacity: Capacity.spot() }, deployment],
    [
      'flex-start',
      { capacity: Capacity.flexStart({ maxRunDurationSeconds: 86_400 }), monitoring: false },
      deployment,
    ],
    ['tpu7x, two devices a chip', { slice: TpuSlice.of('tpu7x-standard-4t') }, deployment],
    ['a fixed number of replicas', { replicas: 3 }, ['Deployment', 'PodDisruptionBudget']],
    ['allowed clients alone', { allowedClients }, ['NetworkPolicy']],
    ['restricted', { podSecurityLevel: 'restricted' }, deployment],
    [
      'cache on disk',
      {
        modelCache: new GcsFuseVolume({
          bucketName: 'my-models',
          mountPath: '/data',
          cache: { medium: 'disk', sizeLimit: '500Gi' },
          sidecar: { ephemeralStorageLimit: '600Gi' },
        }),
      },
      deployment,
    ],
    [
      'weights that are only read',
      {
        model: '/models/gemma-2b',
        modelCache: weights,
        fragments: [compiled],
        downloadDir: '/cache/hub',
        compileCachePath: '/cache/xla',
      },
      deployment,
    ],
  ])('%s', (_, props, kinds) => {
    expect(render(props).filter(({ kind }) => kinds?.includes(String(kind)) ?? true)).toMatchSnapshot();
  });
});

// ---- what is refused --------------------------------------------------------------------------------------------

describe('refused', () => {
  const token = `hf_${'Ab1'.repeat(11)}`;
  const label = "is not a DNS label, expected lower-case letters, digits and '-', first a letter";
  const dnsName =
    "is not a DNS name, expected at most 253 lower-case letters, digits, '-' and '.' between them";
  const amount = "is not a quantity, expected a number with a suffix like '500m', '20Gi' or '8G'";
  const model =
    "is not a model, expected a Hugging Face id like 'meta-llama/Llama-3.1-70B' or a path in the container";
  const oneFlag = "is not a flag, expected '--flag=value' in one string";
  const instead = (flag: string, prop: string): string =>
    `args '${flag}' is already written by ${prop}, expected that prop instead`;
  const fragments = (...all: readonly PodFragment[]): Partial<VllmServerProps> => ({ fragments: all });

  test.each<[string, Partial<VllmServerProps>, ...(readonly string[])]>([
    ['name: a placeholder', { name: 'Vllm' }, `name 'Vllm' ${label}; nearest: 'vllm'`],
    ['name: nothing', { name: '' }, `name '' ${label}; nearest: 'x'`],
    [
      'name: too long',
      { name: 'n'.repeat(64) },
      `name '${'n'.repeat(64)}' has 64 characters, expected at most 63; nearest: '${'n'.repeat(63)}'`,
    ],
    ['name: two words', { name: 'Llama 70B' }, `name 'Llama 70B' ${label}; nearest: 'llama-70b'`],
    [
      'serviceType: Kubernetes’ own',
      { serviceType: 'LoadBalancer' as 'ClusterIP' },
      "serviceType 'LoadBalancer' is not known, expected one of 'ClusterIP', 'InternalLoadBalancer', 'ExternalLoadBalancer'",
    ],
    [
      'podSecurityLevel: with a capital',
      { podSecurityLevel: 'Restricted' as 'restricted' },
      "podSecurityLevel 'Restricted' is not known, expected one of 'baseline', 'restricted'",
    ],
    [
      'drainSeconds: longer than spot',
      { capacity: Capacity.spot(), drainSeconds: 30 },
      "drainSeconds '30' is longer than spot nodes wait, which give pods 15 seconds in all, expected at most 10; nearest: 10",
    ],
    [
      'modelSize: no suffix',
      { modelSize: '141' },
      "modelSize '141' is less than 1M, expected bytes with their suffix; nearest: '141G'",
    ],
    [
      'tensorParallelSize: no divisor',
      { tensorParallelSize: 3 },
      "tensorParallelSize '3' does not divide the 8 devices of the slice, expected a divisor; nearest: 2",
    ],
    [
      'replicas: too many for Kubernetes',
      { replicas: 2 ** 31 },
      "replicas '2147483648' is not a whole number from 0 to 2147483647; nearest: 2147483647",
    ],
    [
      'startupSeconds: too many for the deadline',
      { startupSeconds: 2 ** 31 - 1 },
      "startupSeconds '2147483647' is not a whole number from 1 to 2147483047; nearest: 2147483047",
    ],
    [
      'autoscaling: no replica at all',
      { autoscaling: { ...autoscaling, maxReplicas: 0 } },
      "autoscaling maxReplicas '0' is not a whole number of at least 1; nearest: 1",
    ],
    [
      'autoscaling: a share above 1',
      { autoscaling: { ...autoscaling, metric: VllmMetric.KV_CACHE_USAGE, averageValue: 80 } },
      "autoscaling averageValue '80' is more than metric 'vllm:kv_cache_usage_perc' can be, expected at most 1; nearest: 1",
    ],
    [
      'autoscaling: more decimals than are stored',
      { autoscaling: { ...autoscaling, averageValue: 0.0014 } },
      "autoscaling averageValue '0.0014' has more than three decimals, expected thousandths; nearest: 0.001",
    ],
    [
      'autoscaling: by the metric of another server',
      { autoscaling: { ...autoscaling, metric: JetStreamMetric.PREFILL_BACKLOG_SIZE } },
      "autoscaling metric 'jetstream_prefill_backlog_size' is not vLLM's, expected one like VllmMetric.REQUESTS_WAITING",
    ],
    [
      'monitoring: no interval',
      { monitoring: { interval: '0s' } },
      "monitoring interval '0s' is not a duration, expected one like '15s' or '1m'; nearest: '15s'",
    ],
    [
      'monitoring: half a minute',
      { monitoring: { interval: '1.5m' } },
      "monitoring interval '1.5m' is not a duration, expected one like '15s' or '1m'; nearest: '90s'",
    ],
    [
      'monitoring: minutes before hours',
      { monitoring: { interval: '1m1h' } },
      "monitoring interval '1m1h' is not a duration, expected one like '15s' or '1m'; nearest: '3660s'",
    ],
    [
      'modelCache: mounted elsewhere',
      { modelCache: { mountPath: '/data', volumeMounts: [{ name: 'dshm', mountPath: '/shm' }] } },
      "modelCache mountPath '/data' is on no volume, expected one of its volumeMounts there",
    ],
    [
      'modelCache: a mount that is only read',
      {
        modelCache: {
          mountPath: '/shm',
          volumeMounts: [{ name: 'dshm', mountPath: '/shm', readOnly: true }],
        },
      },
      "modelCache '/shm' has a mount that can only be read, expected readOnly: true beside mountPath, or a mount that can be written",
    ],
    [
      'downloadDir: on the inner of two mounts',
      {
        modelCache: cache,
        downloadDir: '/data/read/hub',
        ...fragments({ volumeMounts: [{ name: 'dshm', mountPath: '/data/read', readOnly: true }] }),
      },
      "downloadDir '/data/read/hub' is on a volume that can only be read, expected one that can be written, or none",
    ],
    [
      'fragments: another restartPolicy',
      fragments({ pod: { restartPolicy: 'OnFailure' } }),
      "pod restartPolicy 'OnFailure' is none that a Deployment takes, expected none; nearest: 'Always'",
    ],
    ['name: first a digit', { name: '70b' }, `name '70b' ${label}; nearest: 'b'`],
    ['model: nothing', { model: '' }, `model '' ${model}`],
    ['model: two words', { model: 'Llama 70B' }, `model 'Llama 70B' ${model}`],
    ['model: a flag', { model: '-m' }, `model '-m' ${model}`],
    ['model: a bucket', { model: 'gs://my-models/llama' }, `model 'gs://my-models/llama' ${model}`],
    ['model: with its flag', { model: '--model=a/b' }, `model '--model=a/b' ${model}`],
    [
      'slice: several hosts',
      { slice: TpuSlice.of('ct6e-standard-4t', '4x4') },
      "slice 'ct6e-standard-4t/4x4' has 4 hosts, expected one: a Deployment cannot place one server on several, TpuRayService runs vLLM on them; nearest: 'ct6e-standard-8t/2x4' (8 chips)",
    ],
    [
      'modelSize: more than the slice',
      { slice: TpuSlice.of('ct6e-standard-4t'), modelSize: '141G' },
      "slice 'ct6e-standard-4t/2x2' has 128 GiB of HBM, expected at least 131.4 GiB for 141 GB of weights (KV cache not counted); nearest: 'ct6e-standard-8t/2x4' (1 host, 256 GiB)",
    ],
    [
      'model: by its name even 4 bits a parameter are more than the slice',
      { slice: TpuSlice.of('ct5lp-hightpu-8t'), model: 'meta-llama/Llama-3.1-405B' },
      "slice 'ct5lp-hightpu-8t/2x4' has 128 GiB of HBM, expected at least 188.6 GiB for 202.5 GB of weights (KV cache not counted); nearest: 'ct5lp-hightpu-4t/4x4' (4 hosts, 256 GiB), 'tpu7x-standard-1t/1x1x1' (1 host, 192 GiB)",
    ],
    [
      'huggingFaceToken: the token itself',
      JSON.parse('{ "huggingFaceToken": "hf_0123456789abcdef" }') as Partial<VllmServerProps>,
      "huggingFaceToken is a string, expected HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'), which names a Secret and its key",
    ],
    [
      'capacity: flex-start on v4',
      { slice: TpuSlice.of('ct4p-hightpu-4t'), capacity: Capacity.flexStart() },
      "capacity flex-start is not offered for machine type 'ct4p-hightpu-4t', expected a slice of v5e, v5p, v6e or tpu7x, or Capacity.onDemand()",
    ],
    ['port: none', { port: 0 }, "port '0' is not a whole number from 1 to 65535; nearest: 1"],
    [
      'port: too high',
      { port: 80_000 },
      "port '80000' is not a whole number from 1 to 65535; nearest: 65535",
    ],
    ['replicas: negative', { replicas: -1 }, "replicas '-1' is not a whole number of at least 0; nearest: 0"],
    [
      'tensorParallelSize: more than the devices',
      { tensorParallelSize: 16 },
      "tensorParallelSize '16' is not a whole number from 1 to 8; nearest: 8",
    ],
    [
      'tensorParallelSize: more than the devices of tpu7x',
      { slice: TpuSlice.of('tpu7x-standard-1t'), tensorParallelSize: 4 },
      "tensorParallelSize '4' is not a whole number from 1 to 2; nearest: 2",
    ],
    [
      'maxModelLen: nothing',
      { maxModelLen: 0 },
      "maxModelLen '0' is not a whole number of at least 1; nearest: 1",
    ],
    [
      'maxNumBatchedTokens: a fraction',
      { maxNumBatchedTokens: 512.5 },
      "maxNumBatchedTokens '512.5' is not a whole number of at least 1; nearest: 513",
    ],
    [
      'maxNumSeqs: negative',
      { maxNumSeqs: -8 },
      "maxNumSeqs '-8' is not a whole number of at least 1; nearest: 1",
    ],
    [
      'maxNumBatchedTokens: below maxNumSeqs',
      { maxNumBatchedTokens: 64, maxNumSeqs: 128 },
      "maxNumBatchedTokens '64' is below maxNumSeqs '128', expected at least one token a sequence; nearest: 128",
    ],
    [
      'modelSize: no quantity',
      { modelSize: '16 billion' },
      `modelSize '16 billion' ${amount}; nearest: '20Gi'`,
    ],
    [
      'spareSlices: negative',
      { spareSlices: -1 },
      "spareSlices '-1' is not a whole number of at least 0; nearest: 0",
    ],
    [
      'drainSeconds: negative',
      { drainSeconds: -30 },
      "drainSeconds '-30' is not a whole number of at least 0; nearest: 0",
    ],
    [
      'priorityClassName: a placeholder',
      { priorityClassName: 'HIGH' },
      `priorityClassName 'HIGH' ${dnsName}; nearest: 'high'`,
    ],
    [
      'resources: an amount that is none',
      { resources: { requests: { cpu: 'half' } } },
      `container 'vllm' requests cpu 'half' ${amount}; nearest: '8'`,
    ],
    [
      'startupSeconds: no time',
      { startupSeconds: 0 },
      "startupSeconds '0' is not a whole number of at least 1; nearest: 1",
    ],
    ['sharedMemory: no unit', { sharedMemory: '16GB' }, `sharedMemory '16GB' ${amount}; nearest: '16G'`],
    [
      'image: with a capital',
      { image: 'vLLM/vllm-tpu:v0.12.0' },
      "image 'vLLM/vllm-tpu:v0.12.0' is not an image reference, expected REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
    ],
    [
      'serviceAccountName: a placeholder',
      { serviceAccountName: 'KSA_NAME' },
      `serviceAccountName 'KSA_NAME' ${dnsName}; nearest: 'ksa-name'`,
    ],
    [
      'autoscaling: fewer than the fewest',
      { autoscaling: { ...autoscaling, minReplicas: 3 } },
      "autoscaling maxReplicas '2' is below minReplicas '3', expected at least as many; nearest: 3",
    ],
    [
      'autoscaling: to nothing',
      { autoscaling: { ...autoscaling, minReplicas: 0 } },
      "autoscaling minReplicas '0' is not a whole number of at least 1; nearest: 1",
    ],
    [
      'autoscaling: half a replica',
      { autoscaling: { ...autoscaling, maxReplicas: 2.5 } },
      "autoscaling maxReplicas '2.5' is not a whole number of at least 1; nearest: 3",
    ],
    [
      'autoscaling: aimed at nothing',
      { autoscaling: { ...autoscaling, averageValue: 0 } },
      "autoscaling averageValue '0' is not a number above 0, expected at least 0.001",
    ],
    [
      'autoscaling: by a counter',
      { autoscaling: { ...autoscaling, metric: { name: 'vllm:prompt_tokens_total', type: 'counter' } } },
      "autoscaling metric 'vllm:prompt_tokens_total' is a counter, expected a gauge: only what rises and falls can be averaged over replicas",
    ],
    [
      'autoscaling: with fixed replicas',
      { autoscaling, replicas: 2 },
      "replicas '2' is set beside autoscaling, expected one of them: each apply would undo what the autoscaler did",
    ],
    [
      'autoscaling: without monitoring',
      { autoscaling, monitoring: false },
      "monitoring is off beside autoscaling, expected it on: the autoscaler reads metric 'vllm:num_requests_waiting' from it",
    ],
    [
      'monitoring: an interval in words',
      { monitoring: { interval: '15 seconds' } },
      "monitoring interval '15 seconds' is not a duration, expected one like '15s' or '1m'; nearest: '15s'",
    ],
    [
      'monitoring: an interval without a unit',
      { monitoring: { interval: '30' } },
      "monitoring interval '30' is not a duration, expected one like '15s' or '1m'; nearest: '30s'",
    ],
    [
      'downloadDir: beside the cache',
      { modelCache: cache, downloadDir: '/database' },
      "downloadDir '/database' is on no volume and lost at every restart, expected a path under '/data'",
    ],
    [
      'downloadDir: relative',
      { modelCache: cache, downloadDir: 'data' },
      "downloadDir 'data' is not an absolute path without ':' and spaces; nearest: '/data'",
    ],
    [
      'compileCachePath: no volume at all',
      { compileCachePath: '/tmp/xla' },
      "compileCachePath '/tmp/xla' is on no volume and lost at every restart, expected a path under the mountPath of a modelCache",
    ],
    [
      'compileCachePath: neither of two volumes',
      {
        modelCache: cache,
        compileCachePath: '/xla',
        ...fragments(new GcsFuseVolume({ name: 'b', bucketName: 'my-data', mountPath: '/b' })),
      },
      "compileCachePath '/xla' is on no volume and lost at every restart, expected a path under '/data' or '/b'",
    ],
    [
      'downloadDir, compileCachePath: only read',
      {
        modelCache: new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data', readOnly: true }),
        downloadDir: '/data/weights',
        compileCachePath: '/data',
      },
      "downloadDir '/data/weights' is on a volume that can only be read, expected one that can be written, or none",
      "compileCachePath '/data' is on a volume that can only be read, expected one that can be written, or none",
    ],
    [
      'modelCache: a cache smaller than the weights',
      {
        model: 'google/gemma-7b',
        modelSize: '17G',
        modelCache: new GcsFuseVolume({
          bucketName: 'my-models',
          mountPath: '/data',
          cache: { medium: 'disk', sizeLimit: '100Gi' },
          mountOptions: { fileCache: { maxSizeMb: 10_240 } },
        }),
      },
      "modelCache cache of '10Gi' is smaller than the weights, '17G', and what does not fit is read from the bucket at every start, expected at least their size; nearest: '16Gi'",
    ],
    [
      'port: that of the runtime',
      { port: 8431 },
      "port '8431' is taken by the metrics of the TPU runtime, expected another; nearest: 8432",
    ],
    [
      'sharedMemory: more than the host has',
      { sharedMemory: '2Ti' },
      "volumes in memory 'dshm' (2Ti) hold more than a ct6e-standard-8t has, expected at most 1206Gi together of its 1440 GB, or a cache on disk",
    ],
    ['args: a prop', { args: ['--max-model-len=8192'] }, instead('--max-model-len=8192', 'maxModelLen')],
    ['args: the port', { args: ['--port=9000'] }, instead('--port=9000', 'port')],
    [
      'args: the slice',
      { args: ['--tensor-parallel-size=4'] },
      instead('--tensor-parallel-size=4', 'tensorParallelSize'),
    ],
    ['args: the slice, in short', { args: ['-tp=4'] }, instead('-tp=4', 'tensorParallelSize')],
    [
      'args: a prop, with underscores',
      { args: ['--max_model_len=5'] },
      instead('--max_model_len=5', 'maxModelLen'),
    ],
    [
      'args: one twice',
      { args: ['--dtype=bfloat16', '--dtype=float16', '-q=int8', '--quantization=fp8'] },
      "args '--dtype=float16' sets --dtype a second time, expected it once",
      "args '--quantization=fp8' sets --quantization a second time, expected it once",
    ],
    [
      'args: of a fragment',
      {
        args: ['--dtype=bfloat16'],
        ...fragments({ container: { args: ['--port', '9000', '--dtype', 'auto'] } }),
      },
      instead('--port', 'port'),
      "args '--dtype' sets --dtype a second time, expected it once",
    ],
    ['args: what every object has', { args: ['constructor'] }, `args 'constructor' ${oneFlag}`],
    [
      'args: where it listens',
      { args: ['--host=::'] },
      "args '--host=::' is already written by the server itself, expected none",
    ],
    ['args: one in two', { args: ['--dtype', 'bfloat16'] }, `args 'bfloat16' ${oneFlag}`],
    ['args: two words', { args: ['--dtype bfloat16'] }, `args '--dtype bfloat16' ${oneFlag}`],
    ['args: nothing', { args: [''] }, `args '' ${oneFlag}`],
    [
      'env: no name',
      { env: { 'MY VAR': '1' } },
      "container 'vllm' env 'MY VAR' is not a variable name, expected letters, digits, '_', '-' and '.', first no digit",
    ],
    [
      'env: a token',
      { env: { HF_TOKEN: token } },
      "container 'vllm' env 'HF_TOKEN' holds a Hugging Face token, expected huggingFaceToken: HuggingFaceToken.fromSecret(…), which names a Secret",
    ],
    [
      'env: what the server sets itself',
      { modelCache: cache, env: { VLLM_XLA_CACHE_PATH: '/tmp' } },
      `container 'vllm' env has name 'VLLM_XLA_CACHE_PATH' twice with different contents: '{"name":"VLLM_XLA_CACHE_PATH","value":"/data"}' and '{"name":"VLLM_XLA_CACHE_PATH","value":"/tmp"}'`,
    ],
    [
      'fragments: another variable',
      {
        env: { LOG: 'info' },
        ...fragments({ env: [{ name: 'LOG', value: 'debug' }] }),
      },
      `container 'vllm' env has name 'LOG' twice with different contents: '{"name":"LOG","value":"info"}' and '{"name":"LOG","value":"debug"}'`,
    ],
    [
      'fragments: another topology',
      fragments({ nodeSelector: { 'cloud.google.com/gke-tpu-topology': '4x4' } }),
      `pod nodeSelector cloud.google.com/gke-tpu-topology is set to '2x4' and to '4x4', expected one value`,
    ],
    [
      'fragments: other pods',
      fragments({ labels: { app: 'other' } }),
      `labels app is set to 'server' and to 'other', expected one value`,
    ],
    [
      'fragments: another limit of chips',
      fragments({ resources: { limits: { 'google.com/tpu': '4' } } }),
      `container 'vllm' resources limits google.com/tpu is set to '8' and to '4', expected one value`,
    ],
    [
      'fragments: another probe',
      { startupSeconds: 600, ...fragments({ container: { startupProbe: { failureThreshold: 3 } } }) },
      "container 'vllm' startupProbe failureThreshold is set to '60' and to '3', expected one value",
    ],
    [
      'fragments: the driver told to stay away',
      { modelCache: cache, ...fragments({ annotations: { 'gke-gcsfuse/volumes': 'false' } }) },
      `annotations gke-gcsfuse/volumes is set to 'true' and to 'false', expected one value`,
    ],
    [
      'fragments: a mount of no volume',
      fragments({ volumeMounts: [{ name: 'lora', mountPath: '/lora' }] }),
      "container 'vllm' mounts volume 'lora', which the pod does not have, expected one of 'dshm'",
    ],
    [
      'fragments: another /dev/shm',
      fragments({ volumes: [{ name: 'dshm', emptyDir: {} }] }),
      `pod volumes has name 'dshm' twice with different contents: '{"emptyDir":{"medium":"Memory","sizeLimit":"16Gi"},"name":"dshm"}' and '{"emptyDir":{},"name":"dshm"}'`,
    ],
    [
      'fragments: an amount that is none',
      fragments({ resources: { limits: { memory: '1.4 TB' } } }),
      `container 'vllm' limits memory '1.4 TB' ${amount}; nearest: '1.4T'`,
    ],
  ])('%s', (_, props, ...problems) => {
    expect(outcome(props)).toBe(problems.map((problem) => `test/server: ${problem}`).join('\n'));
  });

  test('several mistakes, each on a line with the path of the construct', () => {
    const said = outcome({
      model: '',
      port: 80_000,
      slice: TpuSlice.of('ct5lp-hightpu-4t', '2x4'),
      autoscaling: { ...autoscaling, maxReplicas: 4, minReplicas: 8 },
      monitoring: false,
      sharedMemory: 'lots',
      args: ['--model=google/gemma-2b'],
      env: { TOKEN: token },
    });
    expect(said.split('\n').sort()).toEqual(
      [
        "test/server: port '80000' is not a whole number from 1 to 65535; nearest: 65535",
        `test/server: model '' ${model}`,
        "test/server: slice 'ct5lp-hightpu-4t/2x4' has 2 hosts, expected one: a Deployment cannot place one server on several, TpuRayService runs vLLM on them; nearest: 'ct5lp-hightpu-8t/2x4' (8 chips)",
        "test/server: autoscaling maxReplicas '4' is below minReplicas '8', expected at least as many; nearest: 8",
        "test/server: monitoring is off beside autoscaling, expected it on: the autoscaler reads metric 'vllm:num_requests_waiting' from it",
        `test/server: ${instead('--model=google/gemma-2b', 'model')}`,
        "test/server: container 'vllm' env 'TOKEN' holds a Hugging Face token, expected huggingFaceToken: HuggingFaceToken.fromSecret(…), which names a Secret",
        `test/server: sharedMemory 'lots' ${amount}; nearest: '20Gi'`,
      ].sort(),
    );
    expect(said).not.toContain(token);
  });

  test('whatever several fragments contradict is listed at once', () => {
    const said = outcome({
      serviceAccountName: 'vllm',
      ...fragments(
        { nodeSelector: { 'cloud.google.com/gke-tpu-accelerator': 'tpu-v5-lite-podslice' } },
        { pod: { serviceAccountName: 'other' } },
        { container: { image: 'vllm/vllm-tpu:nightly' } },
      ),
    });
    expect(said.split('\n').sort()).toEqual([
      `test/server: container 'vllm' image is set to 'vllm/vllm-tpu:v0.12.0' and to 'vllm/vllm-tpu:nightly', expected one value`,
      `test/server: pod nodeSelector cloud.google.com/gke-tpu-accelerator is set to 'tpu-v6e-slice' and to 'tpu-v5-lite-podslice', expected one value`,
      `test/server: pod serviceAccountName is set to 'vllm' and to 'other', expected one value`,
    ]);
  });

  test('at the path of the construct, wherever it is', () => {
    const chart = new Chart(Testing.app(), 'inference');
    expect(() => new VllmServer(new Construct(chart, 'llama'), 'server', { ...required, port: 0 })).toThrow(
      new InvalidInputError(
        ["port '0' is not a whole number from 1 to 65535; nearest: 1"],
        'inference/llama/server',
      ),
    );
  });
});

// ---- properties -------------------------------------------------------------------------------------------------

describe('for any', () => {
  test.each(machineTypes())('%s: one host gets all of its chips, as text', (machineType) => {
    const slice = TpuSlice.of(machineType);
    const chips = { 'google.com/tpu': /(\d)t$/.exec(machineType)?.[1] };
    const [deployment] = render({ slice });
    expect(deployment.spec.template.spec).toMatchObject({
      containers: [{ resources: { requests: chips, limits: chips } }],
      nodeSelector: {
        'cloud.google.com/gke-tpu-accelerator': slice.accelerator,
        'cloud.google.com/gke-tpu-topology': topologiesOf(machineType)[0],
      },
    });
    expect(deployment.spec.template.spec.containers[0].args).toContain(
      `--tensor-parallel-size=${String(slice.chips * (slice.generation === 'tpu7x' ? 2 : 1))}`,
    );
  });

  test('slice of several hosts, it is refused by its name', () => {
    const several = machineTypes().flatMap((machineType) =>
      topologiesOf(machineType)
        .slice(1)
        .map((topology) => `${machineType}/${topology}`),
    );
    fc.assert(
      fc.property(fc.constantFrom(...several), (text) => {
        const slice = TpuSlice.parse(text);
        expect(outcome({ slice })).toContain(
          `test/server: slice '${text}' has ${String(slice.hosts)} hosts, expected one: `,
        );
      }),
      { numRuns: 200 },
    );
  });

  test('name, every object has it where it is a DNS label, and else it is refused by name', () => {
    const [letters, rest] = ['abz', 'abz059-'].map((all) => fc.constantFrom(...all.split('')));
    const text = fc.oneof(
      fc.tuple(
        fc.string({ unit: letters, minLength: 1, maxLength: 3 }),
        fc.string({ unit: rest, maxLength: 66 }),
      ),
      fc.tuple(
        fc.string({ unit: 'binary', maxLength: 3 }),
        fc.constantFrom('', 'a', 'A', '_', '.', ' ', '\n'),
      ),
    );
    fc.assert(
      fc.property(text, (parts) => {
        const name = parts.join('');
        const legal =
          name.length <= 63 && /^[a-z]/.test(name) && !/[^a-z0-9-]/.test(name) && /[^-]$/.test(name);
        const said = outcome({ name, autoscaling, allowedClients: [{ podSelector: {} }] }, (manifests) =>
          [...new Set(manifests.map(({ metadata }) => String(metadata.name)))].join(),
        );
        expect(legal ? said : said.startsWith(`test/server: name '${name}' `)).toBe(legal ? name : true);
      }),
      { numRuns: 200 },
    );
  });

  test('amount of shared memory, it is rendered as it is written, or refused by name', () => {
    const digits = fc.oneof(
      fc.integer({ min: 1, max: 900 }).map(String),
      fc.constantFrom('1.5', '', '-1', 'x'),
    );
    const unit = fc.constantFrom('Mi', 'Gi', 'M', 'G', 'GB', 'gi', ' Gi', 'Gi ', 'GiB');
    fc.assert(
      fc.property(digits, unit, (number, suffix) => {
        const sharedMemory = number + suffix;
        const legal = Number(number) > 0 && ['Mi', 'Gi', 'M', 'G'].includes(suffix);
        expect(outcome({ sharedMemory })).toContain(
          legal
            ? `{"emptyDir":{"medium":"Memory","sizeLimit":"${sharedMemory}"},"name":"dshm"}`
            : `test/server: sharedMemory '${sharedMemory}' is not a quantity, `,
        );
      }),
    );
  });

  test('cache and size of weights, the budget counts on the cache where it holds them, and else it is refused', () => {
    const budget = (slice: TpuSlice, modelSize: string, uncachedFuse: boolean): string =>
      `{"name":"VLLM_ENGINE_READY_TIMEOUT_S","value":"${String(startupEstimate({ slice, modelSize, uncachedFuse }).budgetSeconds)}"}`;
    const gib = fc.oneof(fc.integer({ min: 1, max: 128 }), fc.integer({ min: 129, max: 3000 }));
    const slices = fc.constantFrom(TpuSlice.of('ct6e-standard-8t'), TpuSlice.of('ct5lp-hightpu-8t'));
    fc.assert(
      fc.property(
        slices,
        fc.integer({ min: 1, max: 128 }),
        gib,
        fc.boolean(),
        (slice, size, held, stated) => {
          const modelSize = stated ? `${String(size)}Gi` : '140G';
          const sizeLimit = `${String(held)}Gi`;
          const bucket = { bucketName: 'my-models', mountPath: '/data' };
          const said = outcome({
            slice,
            model: 'meta-llama/Llama-3.1-70B',
            modelSize: stated ? modelSize : undefined,
            modelCache: new GcsFuseVolume({ ...bucket, cache: { medium: 'ram', sizeLimit } }),
          });
          // beside 16 GiB of /dev/shm
          const tooLarge = (held + 16) * 2 ** 30 > slice.memoryGBPerHost * 1e9 * 0.9;
          const tooSmall = held * 2 ** 30 < (stated ? size * 2 ** 30 : 140e9);
          expect(said).toContain(
            tooLarge
              ? `volumes in memory 'gke-gcsfuse-cache' (${sizeLimit})`
              : tooSmall && stated
                ? `modelCache cache of '${sizeLimit}' is smaller than the weights, '${modelSize}'`
                : budget(slice, modelSize, tooSmall),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test('quantity of a fragment, it comes out as text', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 50 }), (bytes) => {
        const sizeLimit = k8s.Quantity.fromNumber(bytes);
        const said = outcome({ fragments: [{ volumes: [{ name: 'scratch', emptyDir: { sizeLimit } }] }] });
        expect(said).toContain(`{"emptyDir":{"sizeLimit":"${String(bytes)}"},"name":"scratch"}`);
      }),
      { numRuns: 30 },
    );
  });

  test('numbers, each is either a flag or refused by its prop', () => {
    const flags = {
      maxModelLen: '--max-model-len',
      maxNumSeqs: '--max-num-seqs',
      maxNumBatchedTokens: '--max-num-batched-tokens',
    };
    const number = fc.oneof(fc.integer({ min: -3, max: 200_000 }), fc.constantFrom(0.5, 4096.5, -1e9));
    fc.assert(
      fc.property(fc.constantFrom(...Object.entries(flags)), number, ([prop, flag], value) => {
        const legal = Number.isInteger(value) && value > 0;
        expect(outcome({ [prop]: value })).toContain(
          legal
            ? `"${flag}=${String(value)}"`
            : `test/server: ${prop} '${String(value)}' is not a whole number `,
        );
      }),
    );
  });
});
