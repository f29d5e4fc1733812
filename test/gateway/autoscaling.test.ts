import { Chart, Testing } from 'cdk8s';
import { parse } from 'yaml';
import {
  App,
  Capacity,
  findings,
  InferencePool,
  type InferencePoolProps,
  NodePool,
  PickerMetric,
  type PoolAutoscalingOptions,
  Runbook,
  TpuComputeClass,
  TpuSlice,
  VllmMetric,
  VllmServer,
  type VllmServerProps,
} from '../../lib';
import { PICKER_GAUGES } from '../../lib/facts/metrics';
import { refusal } from '../servers/refusal';

type Manifest = ReturnType<typeof Testing.synth>[number];

const slice = TpuSlice.of('ct6e-standard-8t');
const hosts = TpuSlice.of('ct6e-standard-4t', '4x4');
const keda = { keda: { projectId: 'my-project' } };
const autoscaling: PoolAutoscalingOptions = {
  maxReplicas: 4,
  metrics: [{ metric: PickerMetric.REQUESTS_RUNNING, averageValue: 16 }],
};
/** All that a pool without a server needs. */
const toZero: Partial<PoolAutoscalingOptions> = {
  minReplicas: 0,
  scaler: keda,
  metrics: [
    { metric: PickerMetric.REQUESTS_QUEUED, averageValue: 1 },
    { metric: PickerMetric.REQUESTS_RUNNING, averageValue: 16 },
  ],
};
const flowControl = { endpointPicker: { flowControl: {} } };

function chartOf(
  options: Partial<PoolAutoscalingOptions>,
  props: Partial<InferencePoolProps> = {},
  server: Partial<VllmServerProps> = {},
): Chart {
  const chart = new Chart(new App(), 'chart', { namespace: 'serving' });
  const qwen = new VllmServer(chart, 'qwen', {
    model: 'gs://my-models/Qwen3-32B',
    servedModelName: 'qwen',
    serviceAccountName: 'vllm',
    slice,
    maxModelLen: 8192,
    replicas: 'external',
    ...server,
  });
  new InferencePool(chart, 'pool', {
    servers: [qwen],
    ...props,
    autoscaling: { ...autoscaling, ...options },
  });
  return chart;
}

const render = (...args: Parameters<typeof chartOf>): readonly Manifest[] => Testing.synth(chartOf(...args));
const find = (objects: readonly Manifest[], kind: string, name = 'pool'): Manifest =>
  objects.find((one) => one.kind === kind && one.metadata.name === name);
const pickerConfig = (objects: readonly Manifest[]): Manifest =>
  parse(String(find(objects, 'ConfigMap', 'pool-epp').data['default-plugins.yaml']));

describe.each([
  { target: 'Deployment', server: {} },
  { target: 'LeaderWorkerSet', server: { slice: hosts } },
])('a pool of a $target', ({ target, server }) => {
  test('is scaled by a HorizontalPodAutoscaler that reads External metrics', () => {
    expect([find(render({}, {}, server), 'HorizontalPodAutoscaler')]).toMatchSnapshot();
  });

  test('is scaled by KEDA', () => {
    const objects = render({ scaler: keda }, {}, server);
    expect([find(objects, 'ScaledObject')]).toMatchSnapshot();
    expect(find(objects, 'HorizontalPodAutoscaler')).toBeUndefined();
  });

  test.each([['CustomMetricsAdapter' as const], [keda]])(
    'renders no replicas with %j, and has no findings',
    (scaler) => {
      const chart = chartOf({ scaler }, {}, server);
      expect(find(Testing.synth(chart), target, 'qwen').spec).not.toHaveProperty('replicas');
      expect(findings(chart, { severity: 'warning' })).toEqual([]);
    },
  );
});

describe('a metric', () => {
  const external = (options: Partial<PoolAutoscalingOptions>): Manifest =>
    find(render(options, flowControl), 'HorizontalPodAutoscaler').spec.metrics[0].external;
  const trigger = (options: Partial<PoolAutoscalingOptions>): Manifest =>
    find(render({ scaler: keda, ...options }, flowControl), 'ScaledObject').spec.triggers[0];

  test.each([
    [PickerMetric.REQUESTS_RUNNING, { type: 'AverageValue', averageValue: '0.5' }],
    [PickerMetric.REQUESTS_QUEUED, { type: 'AverageValue', averageValue: '0.5' }],
    [PickerMetric.AVERAGE_QUEUE_SIZE, { type: 'Value', value: '0.5' }],
    [PickerMetric.AVERAGE_KV_CACHE_UTILIZATION, { type: 'Value', value: '0.5' }],
  ])('$name is divided by the replicas unless it is a mean', (metric, target) => {
    const metrics = [{ metric, averageValue: 0.5 }];
    expect(external({ metrics })).toEqual({
      metric: {
        name: `prometheus.googleapis.com|${metric.name}|gauge`,
        selector: { matchLabels: { 'resource.labels.job': 'pool', 'resource.labels.namespace': 'serving' } },
      },
      target: JSON.parse(JSON.stringify(target).replace('"0.5"', '"500m"')),
    });
    const { metricType, metadata } = trigger({ metrics });
    expect(metricType).toBe(target.type);
    expect(metadata.query).toBe(
      `${metric.value === 'sum' ? 'sum' : 'max'}(${metric.name}{job="pool",namespace="serving"})`,
    );
  });

  test('is limited to the given cluster', () => {
    expect(external({ cluster: 'east' }).metric.selector.matchLabels).toMatchObject({
      'resource.labels.cluster': 'east',
    });
    expect(trigger({ cluster: 'east' }).metadata.query).toBe(
      'sum(llm_d_epp_request_running{job="pool",namespace="serving",cluster="east"})',
    );
  });

  test('is looked up in the catalog', () => {
    for (const name of PICKER_GAUGES.keys()) expect(PickerMetric.of(name)).toMatchObject({ name });
    expect(() => PickerMetric.of('llm_d_epp_queue')).toThrow(/is not known/);
  });
});

describe('the behavior', () => {
  const behaviorOf = (server: Partial<VllmServerProps>): Manifest =>
    find(render({}, {}, server), 'HorizontalPodAutoscaler').spec.behavior;

  test('counts half of the startup probe as the duration of a start', () => {
    expect(behaviorOf({ startupSeconds: 1200 }).scaleUp.policies).toEqual([
      { type: 'Pods', value: 1, periodSeconds: 1200 },
    ]);
    expect(behaviorOf({ startupSeconds: 600 }).scaleDown.stabilizationWindowSeconds).toBe(1800);
  });

  test('is slowest without a startup probe', () => {
    const fragments = [{ container: { startupProbe: null } }] as unknown as VllmServerProps['fragments'];
    expect(behaviorOf({ ...(fragments && { fragments }) }).scaleUp.policies).toEqual([
      { type: 'Pods', value: 1, periodSeconds: 1800 },
    ]);
  });
});

describe('a pool without a server', () => {
  const objects = render(toZero, { ...flowControl, requestTimeoutSeconds: 1800 });

  test('starts one by the queue of the picker, and keeps it by running requests', () => {
    expect([find(objects, 'ScaledObject')]).toMatchSnapshot();
  });

  test('holds requests back as long as their timeout', () => {
    expect(pickerConfig(objects)).toMatchObject({
      featureGates: ['flowControl'],
      flowControl: { defaultRequestTTL: '1800s' },
    });
    const endpointPicker = { flowControl: { requestTtlSeconds: 60, maxRequests: 1000, maxBytes: '1Gi' } };
    expect(pickerConfig(render(toZero, { endpointPicker })).flowControl).toEqual({
      defaultRequestTTL: '60s',
      maxRequests: '1000',
      maxBytes: '1Gi',
    });
  });

  test('leaves limits of flow control to the picker', () => {
    expect(pickerConfig(render({}, flowControl))).not.toHaveProperty('flowControl');
    expect(pickerConfig(render({}))).not.toHaveProperty('featureGates');
  });

  test('stops the last one after the cooldown period', () => {
    const spec = find(render({ ...toZero, cooldownPeriod: 7200 }, flowControl), 'ScaledObject').spec;
    expect(spec.cooldownPeriod).toBe(7200);
    expect(find(render({ scaler: keda }), 'ScaledObject').spec).not.toHaveProperty('cooldownPeriod');
  });
});

describe('pools with autoscaling', () => {
  const nodePool = new NodePool({
    name: 'tpu',
    slice: hosts,
    replicas: 2,
    cluster: 'serving',
    location: 'us-east5-b',
  });
  const computeClass = (): TpuComputeClass =>
    new TpuComputeClass(Testing.chart(), 'class', { slice: hosts, priorities: [Capacity.onDemand()] });
  const mean = [{ metric: PickerMetric.AVERAGE_QUEUE_SIZE, averageValue: 5 }];

  test.each<[string, Parameters<typeof chartOf>, readonly string[]]>([
    [
      'a server with a fixed number of replicas',
      [{}, {}, { replicas: 2 }],
      [
        "servers[0]: 'qwen' has a fixed number of replicas: each apply would undo the autoscaler's changes; use replicas: 'external' of the server",
      ],
    ],
    [
      'zero replicas without KEDA, a queue and running requests',
      [{ minReplicas: 0, metrics: mean }],
      [
        "autoscaling.minReplicas: '0' is not possible with a HorizontalPodAutoscaler, which keeps at least one replica; use scaler: { keda: { projectId: 'my-project' } }",
        "autoscaling.minReplicas: '0' can leave no server, and none of the metrics counts the requests that wait for one; use PickerMetric.REQUESTS_QUEUED among the metrics",
        "autoscaling.minReplicas: '0' could stop the last server while it processes requests, because none of the metrics counts them; use PickerMetric.REQUESTS_RUNNING among the metrics",
      ],
    ],
    [
      'the queue of a picker without flow control',
      [toZero],
      [
        "autoscaling.metrics[0].metric: 'llm_d_epp_flow_control_queue_size' is exported by the picker only with flow control; use endpointPicker: { flowControl: {} }",
      ],
    ],
    [
      'a cooldown period that never starts',
      [{ cooldownPeriod: 60 }],
      [
        "autoscaling.cooldownPeriod: '60' has no effect, because the last replica never stops; use minReplicas: 0, or omit it",
      ],
    ],
    [
      'a metric twice',
      [{ metrics: [...autoscaling.metrics, ...autoscaling.metrics] }],
      ["autoscaling.metrics[1]: 'llm_d_epp_request_running' occurs twice; use it once"],
    ],
    [
      'maxReplicas below minReplicas',
      [{ minReplicas: 5 }],
      ["autoscaling.maxReplicas: '4' is less than minReplicas, 5; use at least 5"],
    ],
    [
      'a share above 1',
      [{ metrics: [{ metric: PickerMetric.AVERAGE_KV_CACHE_UTILIZATION, averageValue: 80 }] }],
      [
        "autoscaling.metrics[0].averageValue: '80' is more than metric 'llm_d_epp_average_kv_cache_utilization' can be; use at most 1",
      ],
    ],
    [
      'a metric of the servers, which does not state its kind of value',
      [{ metrics: [{ metric: VllmMetric.REQUESTS_WAITING as never, averageValue: 10 }] }],
      [
        'autoscaling.metrics[0].metric: does not state whether its value is a sum or a mean; use PickerMetric.REQUESTS_RUNNING',
      ],
    ],
    [
      'a mean of several pickers for a HorizontalPodAutoscaler, which adds them up',
      [{ metrics: mean }, { endpointPicker: { replicas: 3 } }],
      [
        "autoscaling.metrics[0].metric: 'llm_d_epp_average_queue_size' is a mean, but a HorizontalPodAutoscaler adds up the values of 3 pickers; use PickerMetric.REQUESTS_RUNNING, or scaler: { keda: { projectId: 'my-project' } }",
      ],
    ],
    [
      'a picker without collected metrics',
      [{}, { monitoring: false }],
      ["monitoring: is off, but autoscaling needs it to read the picker's metrics; use monitoring: {}"],
    ],
    [
      'more replicas than multi-host node pools',
      [{ nodePool }, {}, { slice: hosts }],
      [
        "autoscaling.maxReplicas: '4' needs 4 slices of 4 hosts, and the node pool has at most 2; use at most 2, or a larger node pool",
      ],
    ],
    [
      'more replicas than the node pools have slices during an update',
      [{ nodePool, maxReplicas: 2 }, {}, { slice: hosts, rollout: { maxSurge: 1 } }],
      [
        "autoscaling.maxReplicas: '2' needs 3 slices with rollout.maxSurge of 4 hosts, and the node pool has at most 2; use at most 1, or a larger node pool",
      ],
    ],
    [
      'the ComputeClass of another slice',
      [{ nodePool: computeClass() }],
      [
        "autoscaling.nodePool: 'ct6e-standard-4t/4x4' is the slice of the node pool, and the server runs on 'ct6e-standard-8t/2x4'; use the node pool of the server",
      ],
    ],
  ])('reject %s', (_, args, problems) => {
    expect(() => chartOf(...args)).toThrow(refusal('chart/pool', ...problems));
  });

  test('a server with its own autoscaler', () => {
    const own = { maxReplicas: 2, metric: VllmMetric.REQUESTS_WAITING, averageValue: 10 };
    const chart = new Chart(new App(), 'chart', { namespace: 'serving' });
    const server = new VllmServer(chart, 'qwen', { model: 'Qwen/Qwen3-32B', slice, autoscaling: own });
    expect(() => new InferencePool(chart, 'pool', { servers: [server], autoscaling })).toThrow(
      refusal(
        'chart/pool',
        "autoscaling: is a second autoscaler for 'qwen', which already has one; use replicas: 'external' of the server in place of its autoscaling",
      ),
    );
  });

  test('several servers', () => {
    const chart = new Chart(new App(), 'chart', { namespace: 'serving' });
    const servers = ['a', 'b'].map(
      (id) =>
        new VllmServer(chart, id, {
          model: 'Qwen/Qwen3-32B',
          slice,
          replicas: 'external',
          labels: { pool: 'qwen' },
        }),
    );
    expect(() => new InferencePool(chart, 'pool', { servers, autoscaling })).toThrow(
      refusal(
        'chart/pool',
        'autoscaling: scales one server, but the pool has 2: each would get replicas for the load of all; use one server for the pool, or autoscaling of each server',
      ),
    );
  });

  test('accept a ComputeClass, which has no limit', () => {
    const objects = render({ nodePool: computeClass(), maxReplicas: 40 }, {}, { slice: hosts });
    expect(find(objects, 'HorizontalPodAutoscaler').spec.maxReplicas).toBe(40);
  });
});

describe('the runbook', () => {
  const text = (...args: Parameters<typeof chartOf>): string =>
    new Runbook(chartOf(...args), { mode: 'standard' }).toString();

  test('creates slices for the largest number of replicas', () => {
    expect(text({})).toMatch(/--(total-)?max-nodes=4/);
    expect(text({})).toContain('custom-metrics-stackdriver-adapter');
    expect(text({})).toContain('A HorizontalPodAutoscaler keeps 1 to 4 replicas of pool `pool`.');
  });

  test('explains the requirements of KEDA, and the requests without a server', () => {
    const steps = text(toZero, flowControl);
    expect(steps).toContain('Install KEDA, which scales `pool`');
    expect(steps).toContain('Pool `pool` can scale to 0 replicas.');
    expect(steps).not.toContain('custom-metrics-stackdriver-adapter');
  });
});
