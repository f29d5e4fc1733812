import { Chart, JsonPatch, Testing } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Construct } from 'constructs';
import fc, { character } from '../fast-check';
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
import { oneLine, shown } from '../../lib/problems/shown';
import { machineTypes, topologiesOf } from '../../lib/tpu/topology';
import { refusal } from './refusal';

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

describe('a vLLM server', () => {
  test('has the arguments of the tutorial, in the same order', () => {
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
        '--shutdown-timeout=25',
      ],
    });
  });

  test('omits flags of props that are not set', () => {
    const manifests = render({ startupSeconds: 1200 });
    const [deployment] = manifests;
    const [container] = deployment.spec.template.spec.containers;
    expect(container.args).toEqual([
      '--host=0.0.0.0',
      '--port=8000',
      '--tensor-parallel-size=8',
      '--model=google/gemma-2b',
      '--shutdown-timeout=25',
    ]);
    expect(variables(manifests)).toEqual({
      VLLM_ENGINE_READY_TIMEOUT_S: '1200',
      PYTHONUNBUFFERED: '1',
    });
    expect(deployment.spec.template.spec).not.toHaveProperty('serviceAccountName');
  });

  test('accepts flags, variables, resources and fragments without a prop', () => {
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

  test('keeps weights and compiled programs on its cache, or in the given folders', () => {
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

  test('writes nothing to a read-only cache', () => {
    const readOnly = new GcsFuseVolume({ bucketName: 'my-weights', mountPath: '/models', readOnly: true });
    const manifests = render({ model: '/models/gemma-2b', modelCache: readOnly });
    expect(JSON.stringify(manifests)).not.toContain('--download-dir');
    expect(variables(manifests)).not.toHaveProperty('VLLM_XLA_CACHE_PATH');
  });

  test('reads its token only from the Secret', () => {
    const valueFrom = { secretKeyRef: { name: 'hf-secret', key: 'hf_api_token' } };
    expect(variables(render(TUTORIAL))).toMatchObject({
      HF_TOKEN: valueFrom,
    });
  });

  test.each<[string, Partial<VllmServerProps>]>([
    ['one token for each sequence', { maxNumBatchedTokens: 128, maxNumSeqs: 128 }],
    ['few tokens and the default number of sequences', { maxNumBatchedTokens: 1 }],
    ['an autoscaler with equal limits', { autoscaling: { ...autoscaling, minReplicas: 2 } }],
    ['at most one replica', { autoscaling: { ...autoscaling, minReplicas: undefined, maxReplicas: 1 } }],
    ['the highest port', { port: 65535 }],
    ['flags with JSON, and a list of them', { args: ['--x={"a": 1}', '--y.z+=1', '--y.z+=2', '-O3'] }],
    ['a model streamed from a bucket', { model: 'gs://a-b/c', args: ['--load-format=runai_streamer'] }],
    ['names with dots', { serviceAccountName: 'a.b', priorityClassName: 'c.d' }],
    ['the root of the cache', { modelCache: cache, downloadDir: '/data' }],
    ['weights in memory', { downloadDir: '/dev/shm' }],
    ['weights in a folder for temporary files', { downloadDir: '/tmp/weights' }],
    ['several values of one flag', { args: ['--lora-modules', 'a=b', 'c=d'] }],
    ['a flag and its value as two items', { args: ['--dtype', 'bfloat16', '--seed', '-1'] }],
    ['another value for a variable that the server sets', { env: { VLLM_ENGINE_READY_TIMEOUT_S: '99' } }],
    ['a removed variable', { env: { PYTHONUNBUFFERED: null } }],
    ['privileges', { podSecurityLevel: 'privileged' }],
    ['a separate name in requests', { servedModelName: 'gemma' }],
    ['Secrets for its image', { imagePullSecrets: ['registry', { name: 'other' }] }],
  ])('accepts %s', (_, props) => {
    expect(outcome(props)).toContain('"kind":"Deployment"');
  });

  test.each<[string, Partial<VllmServerProps>, readonly string[]]>([
    [
      'several values of one flag',
      { args: ['--lora-modules', 'a=b', 'c=d'] },
      ['--lora-modules', 'a=b', 'c=d'],
    ],
    ['a flag and its value as two items', { args: ['--seed', '-1'] }, ['--seed', '-1']],
    ['a folder for weights in memory', { downloadDir: '/dev/shm' }, ['--download-dir=/dev/shm']],
  ])('runs with %s', (_, props, items) => {
    const args = render(props)[0].spec.template.spec.containers[0].args as readonly string[];
    expect(args.slice(args.indexOf(items[0] ?? '')).slice(0, items.length)).toEqual(items);
  });

  test('is not privileged and does not use host namespaces', () => {
    expect(JSON.stringify(render(TUTORIAL))).not.toMatch(/privileged|host(Network|PID|IPC|Path|Port)/);
  });

  test('exposes its objects, which can be patched', () => {
    const chart = Testing.chart();
    const server = new VllmServer(chart, 'server', { ...required, autoscaling });
    server.workload.addJsonPatch(
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

  test('renders only the configured objects', () => {
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

describe('the manifest of a vLLM server', () => {
  const deployment = ['Deployment'];
  const service = ['Service'];
  const allowedClients = [{ podSelector: { matchLabels: { app: 'gateway' } } }];
  const weights = new GcsFuseVolume({ bucketName: 'my-weights', mountPath: '/models', readOnly: true });
  const compiled = new GcsFuseVolume({ name: 'compiled', bucketName: 'my-cache', mountPath: '/cache' });

  test.each<[string, Partial<VllmServerProps>, readonly string[] | undefined]>([
    ['a minimal server', {}, undefined],
    ['the whole tutorial', TUTORIAL, undefined],
    ['a load balancer in the VPC network', { serviceType: 'InternalLoadBalancer' }, service],
    ['a load balancer on the internet', { serviceType: 'ExternalLoadBalancer', port: 8080 }, service],
    ['spot capacity', { slice: TpuSlice.of('ct5lp-hightpu-4t'), capacity: Capacity.spot() }, deployment],
    [
      'flex-start capacity',
      { capacity: Capacity.flexStart({ maxRunDurationSeconds: 86_400 }), monitoring: false },
      deployment,
    ],
    ['tpu7x with two devices per chip', { slice: TpuSlice.of('tpu7x-standard-4t') }, deployment],
    ['a fixed number of replicas', { replicas: 3 }, ['Deployment', 'PodDisruptionBudget']],
    ['allowed clients', { allowedClients }, ['NetworkPolicy']],
    ['the restricted level', { podSecurityLevel: 'restricted' }, deployment],
    [
      'a cache on disk',
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
      'weights on a read-only volume',
      {
        model: '/models/gemma-2b',
        modelCache: weights,
        fragments: [compiled],
        downloadDir: '/cache/hub',
        compileCachePath: '/cache/xla',
      },
      deployment,
    ],
  ])('renders %s', (_, props, kinds) => {
    expect(render(props).filter(({ kind }) => kinds?.includes(String(kind)) ?? true)).toMatchSnapshot();
  });
});

// ---- what is refused --------------------------------------------------------------------------------------------

describe('a vLLM server with a mistake', () => {
  const token = `hf_${'Ab1'.repeat(11)}`;
  const fragments = (...all: readonly PodFragment[]): Partial<VllmServerProps> => ({ fragments: all });

  test.each<[string, Partial<VllmServerProps>, ...(readonly string[])]>([
    [
      'name: a placeholder',
      { name: 'Vllm' },
      "name: 'Vllm' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'vllm'",
    ],
    [
      'name: nothing',
      { name: '' },
      "name: '' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'x'",
    ],
    [
      'name: too long',
      { name: 'n'.repeat(64) },
      "name: 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn' has 64 characters; use at most 63, for example 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn'",
    ],
    [
      'name: two words',
      { name: 'Llama 70B' },
      "name: 'Llama 70B' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'llama-70b'",
    ],
    [
      'serviceType: Kubernetes’ own',
      { serviceType: 'LoadBalancer' as 'ClusterIP' },
      "serviceType: 'LoadBalancer' is not known; use one of 'ClusterIP', 'InternalLoadBalancer', 'ExternalLoadBalancer'",
    ],
    [
      'podSecurityLevel: with a capital',
      { podSecurityLevel: 'Restricted' as 'restricted' },
      "podSecurityLevel: 'Restricted' is not known; use one of 'restricted', 'baseline', 'privileged'",
    ],
    [
      'preStopSeconds: longer than spot',
      { capacity: Capacity.spot(), preStopSeconds: 30 },
      "preStopSeconds: '30' is too long for spot nodes, whose pods have 15 seconds in total; use at most 10",
    ],
    [
      'modelSize: no suffix',
      { modelSize: '141' },
      "modelSize: '141' is less than 1 MB; use bytes with a suffix, for example '141G'",
    ],
    [
      'tensorParallelSize: no divisor',
      { tensorParallelSize: 3 },
      "tensorParallelSize: '3' does not divide the 8 devices of the container; use 2",
    ],
    [
      'replicas: too many for Kubernetes',
      { replicas: 2 ** 31 },
      "replicas: '2147483648' is not a whole number from 0 to 2147483647; use 2147483647",
    ],
    [
      'startupSeconds: too many for the deadline',
      { startupSeconds: 2 ** 31 - 1 },
      "startupSeconds: '2147483647' is not a whole number from 1 to 2147483047; use 2147483047",
    ],
    [
      'autoscaling: no replica at all',
      { autoscaling: { ...autoscaling, maxReplicas: 0 } },
      "autoscaling.maxReplicas: '0' is not a whole number of at least 1; use 1",
    ],
    [
      'autoscaling: a share above 1',
      { autoscaling: { ...autoscaling, metric: VllmMetric.KV_CACHE_USAGE, averageValue: 80 } },
      "autoscaling.averageValue: '80' is more than metric 'vllm:kv_cache_usage_perc' can be; use at most 1",
    ],
    [
      'autoscaling: more decimals than are stored',
      { autoscaling: { ...autoscaling, averageValue: 0.0014 } },
      "autoscaling.averageValue: '0.0014' has more than three decimals; use 0.001",
    ],
    [
      'autoscaling: by the metric of another server',
      { autoscaling: { ...autoscaling, metric: JetStreamMetric.PREFILL_BACKLOG_SIZE } },
      "autoscaling.metric: 'jetstream_prefill_backlog_size' is not a metric of this server; use VllmMetric.REQUESTS_WAITING",
    ],
    [
      'monitoring: no interval',
      { monitoring: { interval: '0s' } },
      "monitoring.interval: '0s' is not a duration; use a duration, for example '15s'",
    ],
    [
      'monitoring: half a minute',
      { monitoring: { interval: '1.5m' } },
      "monitoring.interval: '1.5m' is not a duration; use a duration, for example '90s'",
    ],
    [
      'monitoring: minutes before hours',
      { monitoring: { interval: '1m1h' } },
      "monitoring.interval: '1m1h' is not a duration; use a duration, for example '3660s'",
    ],
    [
      'modelCache: mounted elsewhere',
      { modelCache: { mountPath: '/data', volumeMounts: [{ name: 'dshm', mountPath: '/shm' }] } },
      "modelCache.mountPath: '/data' is not on a volume; use the mountPath of one of its volumeMounts",
    ],
    [
      'modelCache: a mount that is only read',
      {
        modelCache: {
          mountPath: '/shm',
          volumeMounts: [{ name: 'dshm', mountPath: '/shm', readOnly: true }],
        },
      },
      "modelCache.mountPath: '/shm' has a read-only mount; use readOnly: true next to mountPath, or a writable mount",
    ],
    [
      'downloadDir: on the inner of two mounts',
      {
        modelCache: cache,
        downloadDir: '/data/read/hub',
        ...fragments({ volumeMounts: [{ name: 'dshm', mountPath: '/data/read', readOnly: true }] }),
      },
      "downloadDir: '/data/read/hub' is on a read-only volume; use a folder on a writable volume",
    ],
    [
      'fragments: another restartPolicy',
      fragments({ pod: { restartPolicy: 'OnFailure' } }),
      "pod.restartPolicy: 'OnFailure' is not possible in a Deployment; use 'Always'",
    ],
    [
      'name: first a digit',
      { name: '70b' },
      "name: '70b' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'b'",
    ],
    [
      'model: nothing',
      { model: '' },
      "model: '' is not a model; use a Hugging Face id or a path in the container, for example 'meta-llama/Llama-3.1-70B'",
    ],
    [
      'model: two words',
      { model: 'Llama 70B' },
      "model: 'Llama 70B' is not a model; use a Hugging Face id or a path in the container, for example 'meta-llama/Llama-3.1-70B'",
    ],
    [
      'model: a flag',
      { model: '-m' },
      "model: '-m' is not a model; use a Hugging Face id or a path in the container, for example 'meta-llama/Llama-3.1-70B'",
    ],
    [
      'model: a bucket without a folder',
      { model: 'gs://my-models' },
      "model: 'gs://my-models' is not a folder of a bucket; use gs://BUCKET/FOLDER, for example 'gs://my-models/Qwen3-32B'",
    ],
    [
      'model: with its flag',
      { model: '--model=a/b' },
      "model: '--model=a/b' is not a model; use a Hugging Face id or a path in the container, for example 'meta-llama/Llama-3.1-70B'",
    ],
    [
      'rollout: Recreate on several hosts',
      { slice: TpuSlice.of('ct6e-standard-4t', '4x4'), rollout: 'Recreate' },
      "rollout: 'Recreate' is not possible in a LeaderWorkerSet, which a multi-host slice requires; use { maxUnavailable: N }, where N is the number of replicas",
    ],
    [
      'huggingFaceToken: the token itself',
      JSON.parse('{ "huggingFaceToken": "hf_0123456789abcdef" }') as Partial<VllmServerProps>,
      "huggingFaceToken: is a string; use HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'), which names a Secret and its key",
    ],
    [
      'capacity: flex-start on v4',
      { slice: TpuSlice.of('ct4p-hightpu-4t'), capacity: Capacity.flexStart() },
      "capacity: 'flex-start' is not available on ct4p-hightpu-4t; use a slice of v5e, v5p, v6e or tpu7x, or another capacity",
    ],
    ['port: none', { port: 0 }, "port: '0' is not a whole number from 1 to 65535; use 1"],
    ['port: too high', { port: 80_000 }, "port: '80000' is not a whole number from 1 to 65535; use 65535"],
    ['replicas: negative', { replicas: -1 }, "replicas: '-1' is not a whole number of at least 0; use 0"],
    [
      'tensorParallelSize: more than the devices',
      { tensorParallelSize: 16 },
      "tensorParallelSize: '16' does not divide the 8 devices of the container; use 8",
    ],
    [
      'tensorParallelSize: more than the devices of tpu7x',
      { slice: TpuSlice.of('tpu7x-standard-1t'), tensorParallelSize: 4 },
      "tensorParallelSize: '4' does not divide the 2 devices of the container; use 2",
    ],
    [
      'maxModelLen: nothing',
      { maxModelLen: 0 },
      "maxModelLen: '0' is not a whole number of at least 1; use 1",
    ],
    [
      'maxNumBatchedTokens: a fraction',
      { maxNumBatchedTokens: 512.5 },
      "maxNumBatchedTokens: '512.5' is not a whole number of at least 1; use 513",
    ],
    [
      'maxNumSeqs: negative',
      { maxNumSeqs: -8 },
      "maxNumSeqs: '-8' is not a whole number of at least 1; use 1",
    ],
    [
      'maxNumBatchedTokens: below maxNumSeqs',
      { maxNumBatchedTokens: 64, maxNumSeqs: 128 },
      "maxNumBatchedTokens: '64' is less than maxNumSeqs, 128; use at least 128, one token for each sequence",
    ],
    [
      'modelSize: no quantity',
      { modelSize: '16 billion' },
      "modelSize: '16 billion' is not a quantity; use a number with a suffix, for example '20Gi'",
    ],
    [
      'rollout: negative',
      { rollout: { maxSurge: -1 } },
      "rollout.maxSurge: '-1' is not a whole number of at least 0; use 0",
    ],
    [
      'preStopSeconds: negative',
      { preStopSeconds: -30 },
      "preStopSeconds: '-30' is not a whole number of at least 0; use 0",
    ],
    [
      'priorityClassName: a placeholder',
      { priorityClassName: 'HIGH' },
      "priorityClassName: 'HIGH' is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example 'high'",
    ],
    [
      'resources: an amount that is none',
      { resources: { requests: { cpu: 'half' } } },
      "resources.requests[cpu]: 'half' is not a quantity; use a number with a suffix, for example '8'",
    ],
    [
      'startupSeconds: no time',
      { startupSeconds: 0 },
      "startupSeconds: '0' is not a whole number of at least 1; use 1",
    ],
    [
      'sharedMemory: no unit',
      { sharedMemory: '16GB' },
      "sharedMemory: '16GB' is not a quantity; use a number with a suffix, for example '16G'",
    ],
    [
      'image: with a capital',
      { image: 'vLLM/vllm-tpu:v0.12.0' },
      "image: 'vLLM/vllm-tpu:v0.12.0' is not an image with a tag or digest; use REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
    ],
    [
      'serviceAccountName: a placeholder',
      { serviceAccountName: 'KSA_NAME' },
      "serviceAccountName: 'KSA_NAME' is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example 'ksa-name'",
    ],
    [
      'autoscaling: fewer than the fewest',
      { autoscaling: { ...autoscaling, minReplicas: 3 } },
      "autoscaling.maxReplicas: '2' is less than minReplicas, 3; use at least 3",
    ],
    [
      'autoscaling: to nothing',
      { autoscaling: { ...autoscaling, minReplicas: 0 } },
      "autoscaling.minReplicas: '0' leaves no server that exports the metric, so nothing would start the first one; use at least 1, replicas: 0 without autoscaling while the server is not in use, or autoscaling of an InferencePool, which can start the first server",
    ],
    [
      'autoscaling: half a replica',
      { autoscaling: { ...autoscaling, maxReplicas: 2.5 } },
      "autoscaling.maxReplicas: '2.5' is not a whole number of at least 1; use 3",
    ],
    [
      'autoscaling: aimed at nothing',
      { autoscaling: { ...autoscaling, averageValue: 0 } },
      "autoscaling.averageValue: '0' is not a number above 0; use at least 0.001",
    ],
    [
      'autoscaling: by a counter',
      { autoscaling: { ...autoscaling, metric: { name: 'vllm:prompt_tokens_total', type: 'counter' } } },
      "autoscaling.metric: 'vllm:prompt_tokens_total' is a counter: only a gauge can be averaged over replicas; use a gauge, like VllmMetric.REQUESTS_WAITING",
    ],
    [
      'autoscaling: by a metric without a type',
      { autoscaling: { ...autoscaling, metric: { name: 'vllm:num_requests_waiting' } as never } },
      'autoscaling.metric: is an object; use a metric of the server, like VllmMetric.REQUESTS_WAITING',
    ],
    [
      'autoscaling: by a metric whose maximum is not a number',
      { autoscaling: { ...autoscaling, metric: { name: 'a', type: 'gauge', max: [] as never } } },
      'autoscaling.metric.max: is a list; use a number',
    ],
    [
      'autoscaling: with fixed replicas',
      { autoscaling, replicas: 2 },
      "replicas: '2' is set together with autoscaling: each apply would undo the autoscaler's changes; use one of them",
    ],
    [
      'autoscaling: without monitoring',
      { autoscaling, monitoring: false },
      "monitoring: is off, but the autoscaler needs it to read metric 'vllm:num_requests_waiting'; use monitoring: {}",
    ],
    [
      'monitoring: an interval in words',
      { monitoring: { interval: '15 seconds' } },
      "monitoring.interval: '15 seconds' is not a duration; use a duration, for example '15s'",
    ],
    [
      'monitoring: an interval without a unit',
      { monitoring: { interval: '30' } },
      "monitoring.interval: '30' is not a duration; use a duration, for example '30s'",
    ],
    [
      'downloadDir: beside the cache',
      { modelCache: cache, downloadDir: '/database' },
      "downloadDir: '/database' is not on a volume: its files are lost at every restart; use a folder below '/data'",
    ],
    [
      'downloadDir: relative',
      { modelCache: cache, downloadDir: 'data' },
      "downloadDir: 'data' is not an absolute path; use a path that starts with '/', without ':' and spaces, for example '/data'",
    ],
    [
      'compileCachePath: no volume at all',
      { compileCachePath: '/tmp/xla' },
      "compileCachePath: '/tmp/xla' is not on a volume: its files are lost at every restart; use a folder below the mountPath of a modelCache",
    ],
    [
      'compileCachePath: neither of two volumes',
      {
        modelCache: cache,
        compileCachePath: '/xla',
        ...fragments(new GcsFuseVolume({ name: 'b', bucketName: 'my-data', mountPath: '/b' })),
      },
      "compileCachePath: '/xla' is not on a volume: its files are lost at every restart; use a folder below '/data' or '/b'",
    ],
    [
      'downloadDir, compileCachePath: only read',
      {
        modelCache: new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data', readOnly: true }),
        downloadDir: '/data/weights',
        compileCachePath: '/data',
      },
      "downloadDir: '/data/weights' is on a read-only volume; use a folder on a writable volume",
      "compileCachePath: '/data' is on a read-only volume; use a folder on a writable volume",
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
      "modelCache.cache: '10Gi' is smaller than the weights, '17G': every start reads the rest from the bucket; use at least the size of the weights, for example '16Gi'",
    ],
    [
      'port: that of the runtime',
      { port: 8431 },
      "port: '8431' is a port of the TPU runtime; use another port, for example 8439",
    ],
    [
      'sharedMemory: more than the host has',
      { sharedMemory: '2Ti' },
      "volumes: need too much of the 1440 GB of memory of a ct6e-standard-8t: 'dshm' (2Ti); use at most 1206Gi together, or a cache on disk",
    ],
    [
      'args: a prop',
      { args: ['--max-model-len=8192'] },
      "args[0]: '--max-model-len=8192' is set by the prop 'maxModelLen'; use that prop",
    ],
    [
      'args: the port',
      { args: ['--port=9000'] },
      "args[0]: '--port=9000' is set by the prop 'port'; use that prop",
    ],
    [
      'args: the slice',
      { args: ['--tensor-parallel-size=4'] },
      "args[0]: '--tensor-parallel-size=4' is set by the prop 'tensorParallelSize'; use that prop",
    ],
    [
      'args: the slice, in short',
      { args: ['-tp=4'] },
      "args[0]: '-tp=4' is set by the prop 'tensorParallelSize'; use that prop",
    ],
    [
      'args: a prop, with underscores',
      { args: ['--max_model_len=5'] },
      "args[0]: '--max_model_len=5' is set by the prop 'maxModelLen'; use that prop",
    ],
    [
      'args: one twice',
      { args: ['--dtype=bfloat16', '--dtype=float16', '-q=int8', '--quantization=fp8'] },
      "args[1]: '--dtype=float16' sets --dtype a second time; use it once",
      "args[3]: '--quantization=fp8' sets --quantization a second time; use it once",
    ],
    [
      'args: of a fragment',
      {
        args: ['--dtype=bfloat16'],
        ...fragments({ container: { args: ['--port', '9000', '--dtype', 'auto'] } }),
      },
      "fragments[0].container.args[0]: '--port' is set by the prop 'port'; use that prop",
      "fragments[0].container.args[2]: '--dtype' sets --dtype a second time; use it once",
    ],
    [
      'args: what every object has',
      { args: ['constructor'] },
      "args[0]: 'constructor' is not a flag; use '--flag=value', or '--flag' and its values as separate items",
    ],
    [
      'args: where it listens',
      { args: ['--host=::'] },
      "args[0]: '--host=::' is set by the construct itself; remove it",
    ],
    [
      'args: two words',
      { args: ['--dtype bfloat16'] },
      "args[0]: '--dtype bfloat16' is not a flag; use '--flag=value', or '--flag' and its values as separate items",
    ],
    [
      'args: nothing',
      { args: [''] },
      "args[0]: '' is not a flag; use '--flag=value', or '--flag' and its values as separate items",
    ],
    [
      'env: no name',
      { env: { 'MY VAR': '1' } },
      "env: 'MY VAR' is not a variable name; use letters, digits, '_', '-' and '.', not starting with a digit",
    ],
    [
      'env: a token',
      { env: { HF_TOKEN: token } },
      "env[HF_TOKEN]: contains a Hugging Face token, which everyone who reads the manifest can use; use huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'), which names a Secret",
    ],
    [
      'fragments: another variable',
      {
        env: { LOG: 'info' },
        ...fragments({ env: [{ name: 'LOG', value: 'debug' }] }),
      },
      "env[LOG]: has two values, 'info' and 'debug'; use one of them",
    ],
    [
      'fragments: another topology',
      fragments({ nodeSelector: { 'cloud.google.com/gke-tpu-topology': '4x4' } }),
      "nodeSelector[cloud.google.com/gke-tpu-topology]: '4x4' differs from '2x4', which follows from the slice; use another slice, or override() on the rendered object",
    ],
    [
      'fragments: other pods',
      fragments({ labels: { app: 'other' } }),
      "labels[app]: 'other' differs from 'server', which selects the pods; remove it",
    ],
    [
      'fragments: another limit of chips',
      fragments({ resources: { limits: { 'google.com/tpu': '4' } } }),
      "resources.limits[google.com/tpu]: '4' differs from '8', which follows from the slice; use another slice, or override() on the rendered object",
    ],
    [
      'fragments: the driver told to stay away',
      { modelCache: cache, ...fragments({ annotations: { 'gke-gcsfuse/volumes': 'false' } }) },
      "annotations[gke-gcsfuse/volumes]: has two values, 'true' and 'false'; use one of them",
    ],
    [
      'fragments: a mount of no volume',
      fragments({ volumeMounts: [{ name: 'lora', mountPath: '/lora' }] }),
      "volumeMounts[/lora]: mounts volume 'lora', which the pod does not have; use 'dshm'",
    ],
    [
      'fragments: an amount that is none',
      fragments({ resources: { limits: { memory: '1.4 TB' } } }),
      "resources.limits[memory]: '1.4 TB' is not a quantity; use a number with a suffix, for example '1.4T'",
    ],
  ])('rejects %s', (_, props, ...problems) => {
    expect(outcome(props)).toBe(problems.map((problem) => `test/server ${problem}`).join('\n'));
  });

  test('lists several mistakes, each on a line with the path of the construct', () => {
    const said = outcome({
      model: '',
      port: 80_000,
      slice: TpuSlice.of('ct5lp-hightpu-4t', '2x4'),
      serviceName: 'server',
      autoscaling: { ...autoscaling, maxReplicas: 4, minReplicas: 8 },
      monitoring: false,
      sharedMemory: 'lots',
      args: ['--model=google/gemma-2b'],
      maxModelLenght: 4096,
    } as Partial<VllmServerProps>);
    expect(said.split('\n').sort()).toEqual(
      [
        "test/server port: '80000' is not a whole number from 1 to 65535; use 65535",
        "test/server model: '' is not a model; use a Hugging Face id or a path in the container, for example 'meta-llama/Llama-3.1-70B'",
        "test/server serviceName: 'server' is the name of the headless Service through which the hosts of a slice find each other; use another name, for example 'server-leader'",
        "test/server autoscaling.maxReplicas: '4' is less than minReplicas, 8; use at least 8",
        "test/server monitoring: is off, but the autoscaler needs it to read metric 'vllm:num_requests_waiting'; use monitoring: {}",
        "test/server args[0]: '--model=google/gemma-2b' is set by the prop 'model'; use that prop",
        "test/server sharedMemory: 'lots' is not a quantity; use a number with a suffix, for example '20Gi'",
        "test/server maxModelLenght: unknown property; did you mean 'maxModelLen'?",
      ].sort(),
    );
  });

  test('rejects a token without repeating it', () => {
    const said = outcome({ env: { TOKEN: token } });
    expect(said).toContain('test/server env[TOKEN]: contains a Hugging Face token');
    expect(said).not.toContain(token);
  });

  test('lists all contradictions between fragments at once', () => {
    const said = outcome({
      serviceAccountName: 'vllm',
      ...fragments(
        { nodeSelector: { 'cloud.google.com/gke-tpu-accelerator': 'tpu-v5-lite-podslice' } },
        { pod: { serviceAccountName: 'other' } },
        { container: { image: 'vllm/vllm-tpu:nightly' } },
      ),
      image: 'vllm/vllm-tpu:v0.12.0',
    });
    expect(said.split('\n').sort()).toEqual([
      "test/server container.image: has two values, 'vllm/vllm-tpu:v0.12.0' and 'vllm/vllm-tpu:nightly'; use one of them",
      "test/server nodeSelector[cloud.google.com/gke-tpu-accelerator]: 'tpu-v5-lite-podslice' differs from 'tpu-v6e-slice', which follows from the slice; use another slice, or override() on the rendered object",
      "test/server pod.serviceAccountName: has two values, 'vllm' and 'other'; use one of them",
    ]);
  });

  test('reports the path of a nested construct', () => {
    const chart = new Chart(Testing.app(), 'inference');
    expect(() => new VllmServer(new Construct(chart, 'llama'), 'server', { ...required, port: 0 })).toThrow(
      refusal('inference/llama/server', "port: '0' is not a whole number from 1 to 65535; use 1"),
    );
  });
});

// ---- properties -------------------------------------------------------------------------------------------------

describe('for any', () => {
  test.each(machineTypes())('%s: a single host requests all of its chips, as a string', (machineType) => {
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

  test('multi-host slice, the group has a pod for each host and the model is split over all devices', () => {
    const several = machineTypes().flatMap((machineType) =>
      topologiesOf(machineType)
        .slice(1)
        .map((topology) => `${machineType}/${topology}`),
    );
    fc.assert(
      fc.property(fc.constantFrom(...several), (text) => {
        const slice = TpuSlice.parse(text);
        const chart = Testing.chart();
        const { workload } = new VllmServer(chart, 'server', { ...required, slice });
        const { size, leaderTemplate } = workload.toJson().spec.leaderWorkerTemplate;
        expect(size).toBe(slice.hosts);
        expect(leaderTemplate.spec.containers[0].args).toContain(
          `--tensor-parallel-size=${String(slice.devices)}`,
        );
      }),
      { numRuns: 200 },
    );
  });

  test('name, every object has the name if it is a DNS label, and otherwise the error names it', () => {
    const [letters, rest] = ['abz', 'abz059-'].map((all) => fc.constantFrom(...all.split('')));
    const text = fc.oneof(
      fc.tuple(
        fc.string({ unit: letters, minLength: 1, maxLength: 3 }),
        fc.string({ unit: rest, maxLength: 66 }),
      ),
      fc.tuple(
        fc.string({ unit: character, maxLength: 3 }),
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
        expect(legal ? said : said.startsWith(`test/server name: ${oneLine(shown(name))} `)).toBe(
          legal ? name : true,
        );
      }),
      { numRuns: 200 },
    );
  });

  test('amount of shared memory, it is rendered unchanged, or the error names it', () => {
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
            : `test/server sharedMemory: '${sharedMemory}' is not a quantity; `,
        );
      }),
    );
  });

  test('cache and size of weights, the budget uses the cache if the weights fit in it, and otherwise the cache is rejected', () => {
    const budget = (slice: TpuSlice, modelSize: string, uncachedFuse: boolean): string =>
      `{"name":"VLLM_ENGINE_READY_TIMEOUT_S","value":"${String(startupEstimate({ slice, modelSize, uncachedFuse }).budgetSeconds)}"}`;
    const gib = fc.oneof(fc.integer({ min: 1, max: 128 }), fc.integer({ min: 129, max: 3000 }));
    const slices = fc.constantFrom(TpuSlice.of('ct6e-standard-8t'), TpuSlice.of('ct5lp-hightpu-8t'));
    fc.assert(
      fc.property(
        slices,
        fc.integer({ min: 1, max: 117 }),
        gib,
        fc.boolean(),
        (slice, size, held, stated) => {
          const modelSize = stated ? `${String(size)}Gi` : '140G';
          const sizeLimit = `${String(held)}Gi`;
          const bucket = { bucketName: 'my-models', mountPath: '/data' };
          const said = outcome({
            slice,
            model: 'my-org/my-model-70b',
            modelSize: stated ? modelSize : undefined,
            modelCache: new GcsFuseVolume({ ...bucket, cache: { medium: 'ram', sizeLimit } }),
          });
          // in addition to 16 GiB of /dev/shm
          const tooLarge = (held + 16) * 2 ** 30 > slice.memoryGBPerHost * 1e9 * 0.9;
          const tooSmall = held * 2 ** 30 < (stated ? size * 2 ** 30 : 140e9);
          expect(said).toContain(
            tooLarge
              ? `'gke-gcsfuse-cache' (${sizeLimit}), 'dshm' (16Gi)`
              : tooSmall && stated
                ? `modelCache.cache: '${sizeLimit}' is smaller than the weights, '${modelSize}'`
                : budget(slice, modelSize, tooSmall),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test('quantity in a fragment, it is rendered as a string', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 50 }), (bytes) => {
        const sizeLimit = k8s.Quantity.fromNumber(bytes);
        const said = outcome({ fragments: [{ volumes: [{ name: 'scratch', emptyDir: { sizeLimit } }] }] });
        expect(said).toContain(`{"emptyDir":{"sizeLimit":"${String(bytes)}"},"name":"scratch"}`);
      }),
      { numRuns: 30 },
    );
  });

  test('numbers, each is either a flag or rejected with the name of its prop', () => {
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
            : `test/server ${prop}: '${String(value)}' is not a whole number `,
        );
      }),
    );
  });
});
