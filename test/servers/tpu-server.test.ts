import { type ApiObject, Chart, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-29';
import fc from '../fast-check';
import {
  Capacity,
  GcsFuseVolume,
  HuggingFaceToken,
  JetStreamServer,
  PvcVolume,
  Runbook,
  TpuSlice,
  VllmMetric,
  VllmServer,
  type VllmServerProps,
} from '../../lib';
import { refusal } from './refusal';

const slice = TpuSlice.of('ct6e-standard-8t');
const given: VllmServerProps = { model: 'meta-llama/Llama-3.1-70B', slice };

type Manifest = ReturnType<ApiObject['toJson']>;

/** The objects of a server by kind. */
function render(props: Partial<VllmServerProps> = {}): Record<string, Manifest> {
  const chart = new Chart(Testing.app(), 'chart');
  new VllmServer(chart, 'llama', { ...given, ...props });
  return Object.fromEntries(Testing.synth(chart).map((object) => [object.kind, object]));
}

const podOf = (props?: Partial<VllmServerProps>): Manifest => render(props)['Deployment'].spec.template.spec;
const autoscaling = { maxReplicas: 3, metric: VllmMetric.REQUESTS_WAITING, averageValue: 10 };

describe('the startup budget', () => {
  test('sets probe, deadline and the engine’s timeout from one number', () => {
    const { spec } = render({ startupSeconds: 2400 })['Deployment'];
    const [container] = spec.template.spec.containers;
    const { failureThreshold, periodSeconds, timeoutSeconds, httpGet } = container.startupProbe;
    expect(failureThreshold * periodSeconds).toBe(2400);
    expect(timeoutSeconds).toBe(10);
    expect(httpGet).toEqual({ path: '/health', port: 8000 });
    expect(spec.progressDeadlineSeconds).toBe(3000);
    expect(container.env).toContainEqual({ name: 'VLLM_ENGINE_READY_TIMEOUT_S', value: '2400' });
  });

  test('is estimated for a cold start from the size of the model', () => {
    const thresholds = ['8G', '140G', '260G'].map(
      (modelSize) => podOf({ modelSize }).containers[0].startupProbe.failureThreshold,
    );
    expect(thresholds).toEqual([180, 552, 984]);
    expect(podOf().containers[0].startupProbe.failureThreshold).toBe(558); // 142 GB by the model's configuration
  });
});

describe('a rollout', () => {
  test.each([
    [undefined, { maxSurge: 0, maxUnavailable: 1 }],
    [{ maxSurge: 0 }, { maxSurge: 0, maxUnavailable: 1 }],
    [{ maxSurge: 2 }, { maxSurge: 2, maxUnavailable: 0 }],
  ])('with %j updates with %j', (rollout, rollingUpdate) => {
    expect(render({ rollout })['Deployment'].spec.strategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate,
    });
  });
});

describe('the shutdown of a pod', () => {
  test.each([
    [{}, 30, 60],
    [{ preStopSeconds: 120 }, 120, 150],
    [{ preStopSeconds: 0 }, 0, 30],
    [{ capacity: Capacity.spot() }, 10, 15],
  ])('with %j drains for %s s of a grace period of %s s', (props, seconds, grace) => {
    const pod = podOf(props);
    expect(pod.containers[0].lifecycle.preStop.exec.command).toEqual(['sleep', String(seconds)]);
    expect(pod.terminationGracePeriodSeconds).toBe(grace);
  });

  test('a sidecar waits as long as the server', () => {
    const chart = new Chart(Testing.app(), 'chart');
    const huggingFaceToken = HuggingFaceToken.fromSecret('hf-secret', 'HUGGINGFACE_TOKEN');
    const { workload } = new JetStreamServer(chart, 'gemma', {
      slice,
      model: 'google/gemma-7b-it',
      huggingFaceToken,
    });
    const [server, http] = workload.toJson().spec.template.spec.containers;
    expect(http.lifecycle).toEqual(server.lifecycle);
  });

  test.each([
    [{}, undefined],
    [{ replicas: 1 }, undefined],
    [{ autoscaling: { ...autoscaling, maxReplicas: 1 } }, undefined],
    [{ replicas: 2 }, 1],
    [{ autoscaling }, 1],
  ])('allows with %j evictions of %s replicas at once', (props, maxUnavailable) => {
    const { PodDisruptionBudget: budget, Deployment: deployment } = render(props);
    expect(budget?.spec.maxUnavailable).toBe(maxUnavailable);
    expect(budget?.spec.selector ?? deployment.spec.selector).toEqual(deployment.spec.selector);
    expect(podOf(props).topologySpreadConstraints?.length).toBe(maxUnavailable);
  });
});

describe('least privilege', () => {
  test('uses baseline unless restricted is requested', () => {
    const pod = podOf();
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toEqual({ seccompProfile: { type: 'RuntimeDefault' } });
    expect(pod.containers[0].securityContext).toEqual({ allowPrivilegeEscalation: false });
  });

  test('runs without root and capabilities if restricted', () => {
    const pod = podOf({ podSecurityLevel: 'restricted' });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(pod.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
  });

  test('renders a NetworkPolicy only for given clients, and admits the metrics collector', () => {
    expect(render()['NetworkPolicy']).toBeUndefined();
    const client = { podSelector: { matchLabels: { app: 'gateway' } } };
    const { spec } = render({ allowedClients: [client], port: 9000 })['NetworkPolicy'];
    expect(spec.podSelector.matchLabels).toEqual({ app: 'llama' });
    expect(spec.ingress).toHaveLength(2);
    expect(spec.ingress[0]).toEqual({ from: [client], ports: [{ port: 9000, protocol: 'TCP' }] });
    expect(
      render({ allowedClients: [client], monitoring: false })['NetworkPolicy'].spec.ingress,
    ).toHaveLength(1);
  });
});

describe('the resources of a host', () => {
  test('are requested up to four fifths, and only chips have a limit', () => {
    expect(podOf().containers[0].resources).toEqual({
      requests: { cpu: '144', memory: '1152G', 'google.com/tpu': '8' },
      limits: { 'google.com/tpu': '8' },
    });
    expect(podOf({ resources: { requests: { cpu: '8' } } }).containers[0].resources.requests).toEqual({
      cpu: '8',
      memory: '1152G',
      'google.com/tpu': '8',
    });
  });

  test('must have room for volumes in memory', () => {
    const cache = (sizeLimit: string): Partial<VllmServerProps> => ({
      modelCache: new GcsFuseVolume({
        bucketName: 'my-models',
        mountPath: '/data',
        cache: { medium: 'ram', sizeLimit },
      }),
    });
    expect(() => render(cache('1190Gi'))).not.toThrow();
    expect(() => render(cache('1200Gi'))).toThrow(
      "chart/llama volumes: need too much of the 1440 GB of memory of a ct6e-standard-8t: 'gke-gcsfuse-cache' (1200Gi), 'dshm' (16Gi); use at most 1206Gi together, or a cache on disk",
    );
  });

  test('count a cache in memory that two volumes share once', () => {
    const volume = (name: string): GcsFuseVolume =>
      new GcsFuseVolume({
        name,
        bucketName: 'my-models',
        mountPath: `/${name}`,
        cache: { medium: 'ram', sizeLimit: '1000Gi' },
      });
    expect(() => render({ modelCache: volume('a'), fragments: [volume('b')] })).not.toThrow();
  });

  test.each([
    ['cpu', '180', "'180'", '180 vCPUs', '144'],
    ['memory', '1500Gi', "'1500Gi'", '1440 GB', '1152G'],
  ])('rejects a request for more %s than the host has', (resource, amount, quoted, has, nearest) => {
    expect(() => render({ resources: { requests: { [resource]: amount } } })).toThrow(
      refusal(
        'chart/llama',
        `resources.requests[${resource}]: ${quoted} does not fit on a ct6e-standard-8t, which has ${has}; use less, for example '${nearest}'`,
      ),
    );
  });

  test('neither weights nor compiled programs are written to a read-only volume', () => {
    const modelCache = new PvcVolume({ claimName: 'weights', mountPath: '/models', readOnly: true });
    const { args, env, volumeMounts } = podOf({ model: '/models/llama', modelCache }).containers[0];
    expect(args.join(' ')).not.toContain('--download-dir');
    expect(env.map(({ name }: { name: string }) => name)).not.toContain('VLLM_XLA_CACHE_PATH');
    expect(volumeMounts).toContainEqual({ mountPath: '/models', name: 'model-cache', readOnly: true });
    expect(() => render({ modelCache, compileCachePath: '/models/xla' })).toThrow(
      "chart/llama compileCachePath: '/models/xla' is on a read-only volume; use a folder on a writable volume",
    );
  });
});

test('labels on every object and on the pods name the software and the model', () => {
  const objects = Object.values(render({ autoscaling, allowedClients: [] }));
  expect(objects).toHaveLength(6);
  for (const { metadata } of [...objects, render()['Deployment'].spec.template])
    expect(metadata.labels).toEqual({
      app: 'llama',
      'ai.gke.io/inference-server': 'vllm',
      'ai.gke.io/model': 'Llama-3.1-70B',
      'app.kubernetes.io/component': 'model-server',
      'app.kubernetes.io/instance': 'llama',
      'app.kubernetes.io/name': 'vllm',
    });
});

test('omits the label if the name of the model is not a valid label value', () => {
  const model = `/data/${'x'.repeat(64)}`;
  expect(render({ model })['Deployment'].metadata.labels).not.toHaveProperty(['ai.gke.io/model']);
});

test('for any model and caches, no probe is shorter than the budget', () => {
  const props = fc.record({
    modelSize: fc.integer({ min: 1, max: 250 }).map((size) => `${String(size)}G`),
    startupSeconds: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
    cached: fc.boolean(),
  });
  fc.assert(
    fc.property(props, ({ modelSize, startupSeconds, cached }) => {
      const cache = cached ? ({ medium: 'ram', sizeLimit: '300Gi' } as const) : undefined;
      const modelCache = new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data', cache });
      const { spec } = render({ modelSize, startupSeconds, modelCache })['Deployment'];
      const [{ startupProbe, env }] = spec.template.spec.containers;
      const budget = Number(env.find(({ name }: { name: string }) => name.startsWith('VLLM_ENGINE')).value);
      expect(startupProbe.failureThreshold * startupProbe.periodSeconds).toBeGreaterThanOrEqual(budget);
      expect(spec.progressDeadlineSeconds).toBeGreaterThan(budget);
    }),
  );
});

test('a model that does not fit its slice is rejected, and the error names the next slice that it fits on', () => {
  const slice = TpuSlice.of('ct6e-standard-1t');
  const refused = (model: string, needed: string): RegExp =>
    new RegExp(
      `TPU119 Deployment/llama .*: slice 'ct6e-standard-1t/1x1' is too small for model '${model}': the weights need at least ${needed} GiB, .*'ct6e-standard-8t/2x4'`,
    );
  expect(() => render({ slice })).toThrow(refused('meta-llama/Llama-3.1-70B', '131.5'));
  // no known model: its size is what the user states
  expect(() => render({ slice, model: 'mine/own', modelSize: '160G' })).toThrow(refused('mine/own', '149.1'));
  expect(() => render({ slice, model: 'meta-llama/Llama-3.1-8B', maxModelLen: 8192 })).not.toThrow();
});

describe('objects of cdk8s-plus', () => {
  const chart = new Chart(Testing.app(), 'chart');

  test('are accepted in place of their names', () => {
    const account = new kplus.ServiceAccount(chart, 'account', { metadata: { name: 'vllm' } });
    const secret = new kplus.Secret(chart, 'registry', { metadata: { name: 'registry' } });
    const pod = podOf({ serviceAccountName: account, imagePullSecrets: [secret, 'other'] });
    expect(pod.serviceAccountName).toBe('vllm');
    expect(pod.imagePullSecrets).toEqual([{ name: 'registry' }, { name: 'other' }]);
  });

  test('must have the right kind', () => {
    const secret = new kplus.Secret(chart, 'secret', { metadata: { name: 'x' } });
    expect(() => render({ serviceAccountName: secret })).toThrow(
      'chart/llama serviceAccountName: is a Secret; use a ServiceAccount',
    );
  });
});

describe('sidecars', () => {
  const proxy = { name: 'proxy', image: 'proxy:v1', ports: [{ containerPort: 9000 }] };

  test('have the Pod Security level of the server, and their own stricter fields', () => {
    const capabilities = { drop: ['ALL'], add: ['NET_BIND_SERVICE'] };
    const [, first, second] = podOf({
      podSecurityLevel: 'restricted',
      sidecars: [proxy, { name: 'low-port', image: 'proxy:v1', securityContext: { capabilities } }],
    }).containers;
    expect(first.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    expect(second.securityContext).toEqual({ allowPrivilegeEscalation: false, capabilities });
    expect(first.ports).toEqual([{ containerPort: 9000 }]);
  });

  test('cannot contradict the given level', () => {
    const securityContext = { allowPrivilegeEscalation: true };
    const sidecars = [{ name: 'debug', image: 'debug:v1', securityContext }];
    expect(() => podOf({ podSecurityLevel: 'restricted', sidecars })).toThrow(
      "chart/llama podSecurityLevel: 'restricted' does not admit the pods: container 'debug' allows privilege escalation",
    );
    expect(podOf({ sidecars }).containers[1].securityContext).toMatchObject(securityContext);
  });

  test('can use the chips of a NUMA node on tpu7x', () => {
    const chips = { limits: { 'google.com/tpu': '2' } };
    const second = { name: 'second', image: 'vllm/vllm-tpu:v0.12.0', resources: chips };
    const [first] = podOf({
      slice: TpuSlice.of('tpu7x-standard-4t'),
      model: 'x/y-8b',
      sidecars: [second],
    }).containers;
    expect(first.resources.limits).toEqual({ 'google.com/tpu': '2' });
    expect(first.args).toContain('--tensor-parallel-size=4');
  });

  test('cannot use all chips', () => {
    const all = { name: 'second', image: 'x:v1', resources: { limits: { 'google.com/tpu': '4' } } };
    expect(() =>
      render({ slice: TpuSlice.of('tpu7x-standard-4t'), model: 'x/y-8b', sidecars: [all] }),
    ).toThrow(
      'chart/llama sidecars: request all chips of a tpu7x-standard-4t, which has 4; use fewer chips for sidecars: the main container requests the rest',
    );
  });
});

describe('the grace period', () => {
  test.each<[Partial<VllmServerProps>, string]>([
    [
      { preStopSeconds: 40, terminationGracePeriodSeconds: 30 },
      "terminationGracePeriodSeconds: '30' ends before preStopSeconds, 40; use more than preStopSeconds",
    ],
    [
      { preStopSeconds: 40, shutdownSeconds: 30, terminationGracePeriodSeconds: 60 },
      "terminationGracePeriodSeconds: '60' differs from preStopSeconds and shutdownSeconds together, 70; set only two of the three",
    ],
    [
      { capacity: Capacity.spot(), shutdownSeconds: 30 },
      "shutdownSeconds: '30' is too long for spot nodes, whose pods have 15 seconds in total; use at most 5",
    ],
    [
      {
        preStopSeconds: 20,
        fragments: [{ container: { lifecycle: { preStop: { sleep: { seconds: 5 } } } } }],
      },
      'container.lifecycle.preStop: has exec and sleep; use one of exec, httpGet, sleep and tcpSocket',
    ],
    [
      { shutdownSeconds: 20, fragments: [{ pod: { terminationGracePeriodSeconds: 90 } }] },
      "pod.terminationGracePeriodSeconds: has two values, '90' and '50'; use one of them",
    ],
  ])('rejects %j', (props, problem) => {
    expect(() => render(props)).toThrow(refusal('chart/llama', problem));
  });
});

test('the runbook has a note about a start that takes longer than its probe allows', () => {
  const chart = new Chart(Testing.app(), 'chart');
  const modelCache = new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data' });
  const { workload } = new VllmServer(chart, 'llama', { ...given, modelCache });
  const { startupProbe } = workload.toJson().spec.template.spec.containers[0];
  expect(startupProbe.failureThreshold * startupProbe.periodSeconds).toBe(4 * 3600);
  expect(new Runbook(chart).toString()).toContain(
    'The first start takes about 18 hours, because the server reads the weights from the bucket without a cache. The startup probe allows 4 hours and then restarts the server: add a `cache` to the volume, or set `startupSeconds`.',
  );
});
