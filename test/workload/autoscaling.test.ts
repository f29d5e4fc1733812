import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Chart, Testing } from 'cdk8s';
import {
  App,
  type AutoscalingOptions,
  findings,
  JetStreamServer,
  HuggingFaceToken,
  NodePool,
  Runbook,
  startupEstimate,
  TpuServer,
  type TpuServerProps,
  TpuSlice,
  VllmMetric,
} from '../../lib';
import { SERVER_GAUGES } from '../../lib/facts/metrics';
import { behaviorFor } from '../../lib/workload/behavior';
import { refusal } from '../servers/refusal';

type Manifest = ReturnType<typeof Testing.synth>[number];

const slice = TpuSlice.of('ct6e-standard-8t');
const hosts = TpuSlice.of('ct6e-standard-4t', '4x4');
const autoscaling: AutoscalingOptions = {
  maxReplicas: 4,
  metric: VllmMetric.REQUESTS_WAITING,
  averageValue: 10,
};
const keda = { keda: { projectId: 'my-project' } };

/** The objects of a server by kind. */
function render(
  options: Partial<AutoscalingOptions>,
  props: Partial<TpuServerProps> = {},
): Record<string, Manifest> {
  const chart = Testing.chart();
  new TpuServer(chart, 'llama', {
    image: 'example.com/server:v1',
    model: 'meta-llama/Llama-3.1-8B',
    monitoring: {},
    slice,
    ...props,
    autoscaling: { ...autoscaling, ...options },
  });
  return Object.fromEntries(Testing.synth(chart).map((object) => [object.kind, object]));
}

describe.each([
  { target: 'Deployment', props: {} },
  { target: 'LeaderWorkerSet', props: { slice: hosts, modelSize: '16G' } },
])('a $target', ({ target, props }) => {
  test('is scaled by a HorizontalPodAutoscaler', () => {
    expect([render({}, props)['HorizontalPodAutoscaler']]).toMatchSnapshot();
  });

  test('is scaled by KEDA', () => {
    const objects = render({ scaler: keda }, props);
    expect([objects['ScaledObject']]).toMatchSnapshot();
    expect(objects).not.toHaveProperty('HorizontalPodAutoscaler');
  });

  test.each([['CustomMetricsAdapter' as const], [keda]])('has no replicas with %j', (scaler) => {
    const { [target]: workload } = render({ scaler }, props);
    expect(workload.kind).toBe(target);
    expect(workload.spec).not.toHaveProperty('replicas');
  });
});

describe('AutoscalingMetric', () => {
  test('names a gauge of the pods, which a HorizontalPodAutoscaler reads', () => {
    const objects = render({ scaler: 'AutoscalingMetric' });
    expect([objects['AutoscalingMetric']]).toMatchSnapshot();
    expect(objects['HorizontalPodAutoscaler'].spec.metrics[0].pods.metric.name).toBe(
      'autoscaling.gke.io|llama|num-requests-waiting',
    );
  });

  test.each([...SERVER_GAUGES.keys(), '__x', `a:${'long_'.repeat(20)}`])('gives %s a legal name', (name) => {
    const chart = Testing.chart();
    const { autoscalingMetric } = new TpuServer(chart, 'server', {
      image: 'example.com/server:v1',
      slice,
      monitoring: {},
      autoscaling: {
        maxReplicas: 2,
        metric: { name, type: 'gauge' },
        averageValue: 1,
        scaler: 'AutoscalingMetric',
      },
    });
    const manifest: Manifest = autoscalingMetric?.toJson();
    const { gauge } = manifest.spec.metrics[0].pod.containers[0].metrics[0];
    expect(gauge.prometheusMetricName).toBe(name);
    expect(gauge.name).toMatch(/^(?=.{1,63}$)[a-z]([-a-z0-9]*[a-z0-9])?$/);
  });

  test('rejects a line end in the name of a metric', () => {
    expect(() => render({ metric: { name: 'a\nb', type: 'gauge' } })).toThrow(
      refusal(
        'test/llama',
        String.raw`autoscaling.metric.name: 'a\nb' is not the name of a Prometheus metric; use letters, digits, '_' and ':', not starting with a digit`,
      ),
    );
  });

  test('is refused on several hosts', () => {
    expect(() => render({ scaler: 'AutoscalingMetric' }, { slice: hosts, modelSize: '16G' })).toThrow(
      refusal(
        'test/llama',
        "autoscaling.scaler: 'AutoscalingMetric' is not known to select the first host of each slice; use 'CustomMetricsAdapter', or { keda: { projectId: 'my-project' } }",
      ),
    );
  });
});

describe('KEDA', () => {
  const trigger = (options: object, namespace?: string): Manifest => {
    const chart = new Chart(Testing.app(), 'test', namespace === undefined ? {} : { namespace });
    const { scaledObject } = new TpuServer(chart, 'server', {
      image: 'example.com/server:v1',
      slice,
      monitoring: {},
      autoscaling: { ...autoscaling, scaler: { keda: options } },
    });
    return scaledObject?.toJson().spec.triggers[0];
  };

  test('queries Managed Service for Prometheus of a project', () => {
    expect(trigger({ projectId: 'my-project' }).metadata).toEqual({
      serverAddress: 'https://monitoring.googleapis.com/v1/projects/my-project/location/global/prometheus',
      query: 'sum(vllm:num_requests_waiting{job="server"})',
      threshold: '10',
    });
  });

  test('queries the namespace of the chart, and further labels', () => {
    const options = { projectId: 'my-project', matchLabels: { cluster: 'a "b"' } };
    expect(trigger(options, 'serving').metadata.query).toBe(
      'sum(vllm:num_requests_waiting{job="server",namespace="serving",cluster="a \\"b\\""})',
    );
  });

  test('queries another server, with the given authentication', () => {
    const options = { serverAddress: 'http://frontend:9090', authenticationRef: 'prometheus' };
    const { metadata, authenticationRef } = trigger(options);
    expect(metadata.serverAddress).toBe('http://frontend:9090');
    expect(authenticationRef).toEqual({ name: 'prometheus' });
  });

  test.each<[object, string]>([
    [{}, "autoscaling.scaler.keda.projectId: required, for example 'my-project'"],
    [
      { projectId: 'my-project', serverAddress: 'http://a' },
      'autoscaling.scaler.keda.serverAddress: is set together with projectId; use one of them',
    ],
    [
      { serverAddress: 'frontend:9090' },
      "autoscaling.scaler.keda.serverAddress: 'frontend:9090' is not the address of a Prometheus server; use a URL, for example 'http://frontend.monitoring.svc:9090'",
    ],
    [
      { projectId: 'my-project', matchLabels: { 'a-b': 'c' } },
      "autoscaling.scaler.keda.matchLabels: 'a-b' is not the name of a Prometheus label; use letters, digits and '_', starting with a letter or '_', for example 'a_b'",
    ],
    [
      { projectId: 'my-project', matchLabels: { cluster: 'a\nb' } },
      String.raw`autoscaling.scaler.keda.matchLabels[cluster]: 'a\nb' contains a control character, like a line end; use a single line`,
    ],
    [
      { projectId: 'my-project', cooldown: 1 },
      "autoscaling.scaler.keda.cooldown: unknown property; use one of 'projectId', 'serverAddress', 'matchLabels', 'pollingInterval', 'authenticationRef'",
    ],
  ])('refuses %j', (options, problem) => {
    expect(() => trigger(options)).toThrow(refusal('test/server', problem));
  });
});

describe('the behavior', () => {
  const policyOf = (seconds: number): unknown => behaviorFor(seconds).scaleUp?.policies?.[0];

  test.each([
    [0, 600, 1800],
    [357, 960, 1920],
    [1000, 1620, 3240],
    [1200, 1800, 3600],
    [14_400, 1800, 3600],
  ])('with a start of %s s adds a slice every %s s and waits %s s for less load', (start, period, window) => {
    expect(policyOf(start)).toEqual({ type: 'Pods', value: 1, periodSeconds: period });
    expect(behaviorFor(start).scaleDown).toEqual({
      stabilizationWindowSeconds: window,
      selectPolicy: 'Max',
      policies: [{ type: 'Pods', value: 1, periodSeconds: 1800 }],
    });
  });

  test('follows from the estimate of the start, or from half of startupSeconds', () => {
    const period = (props: Partial<TpuServerProps>): unknown =>
      render({}, props)['HorizontalPodAutoscaler'].spec.behavior.scaleUp.policies[0].periodSeconds;
    expect(period({ modelSize: '16G' })).toBe(1140);
    expect(period({ startupSeconds: 1200 })).toBe(1200);
  });

  test('has the fields that are given, and the defaults of the others', () => {
    const policies = [{ type: 'Percent', value: 100, periodSeconds: 60 }] as const;
    expect(
      behaviorFor(600, { scaleUp: { policies }, scaleDown: { selectPolicy: 'Disabled' } }),
    ).toMatchObject({
      scaleUp: { stabilizationWindowSeconds: 60, policies },
      scaleDown: { selectPolicy: 'Disabled', policies: [{ periodSeconds: 1800 }] },
    });
  });

  test('is the same for KEDA', () => {
    const { behavior } = render({})['HorizontalPodAutoscaler'].spec;
    expect(
      render({ scaler: keda })['ScaledObject'].spec.advanced.horizontalPodAutoscalerConfig.behavior,
    ).toEqual(behavior);
  });
});

test('the page on autoscaling calculates with the numbers that are rendered', () => {
  const { loadSeconds, compileSeconds, totalSeconds } = startupEstimate({ slice, modelSize: '16G' });
  const { scaleUp, scaleDown } = behaviorFor(totalSeconds);
  const page = readFileSync(path.join(__dirname, '..', '..', 'docs', 'autoscaling.md'), 'utf8');
  const period = scaleUp?.policies?.[0]?.periodSeconds;
  expect(page).toContain(
    `${String(loadSeconds)} s + ${String(compileSeconds)} s + 600 s = ${String(totalSeconds + 600)} s, in whole minutes ${String(period)} s`,
  );
  expect(page).toContain(
    `2 × ${String(totalSeconds + 600)} s, in whole minutes ${String(scaleDown?.stabilizationWindowSeconds)} s`,
  );
});

describe('the timeline of the page on autoscaling', () => {
  const page = readFileSync(path.join(__dirname, '..', '..', 'docs', 'autoscaling.md'), 'utf8');
  const { scaleUp, scaleDown } = behaviorFor(startupEstimate({ slice, modelSize: '16G' }).totalSeconds);
  const [upPeriod = 0, downPeriod = 0] = [scaleUp, scaleDown].map(
    (rules) => (rules?.policies?.[0]?.periodSeconds ?? 0) / 60,
  );
  const [upWindow = 0, downWindow = 0] = [scaleUp, scaleDown].map(
    (rules) => (rules?.stabilizationWindowSeconds ?? 0) / 60,
  );
  const clock = (minutes: number): string =>
    [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
  const LOAD_ENDS = 60;
  const METRIC_DELAY = 2;

  /** What the autoscaler does in each minute: when each replica is added and removed. */
  const added = new Map<number, number>([[1, -Infinity]]);
  const removed = new Map<number, number>();
  const changes: (readonly [time: string, replicas: number])[] = [];
  let replicas = 1;
  let [lastUp, lastDown] = [-Infinity, -Infinity];
  for (let minute = 0; minute < 240; minute++) {
    const wanted = (at: number): number =>
      at < LOAD_ENDS ? Math.min(autoscaling.maxReplicas, 60 / autoscaling.averageValue) : 1;
    if (minute >= METRIC_DELAY + upWindow && wanted(minute) > replicas && minute - lastUp >= upPeriod) {
      replicas++;
      lastUp = minute;
      added.set(replicas, minute);
      changes.push([clock(minute), replicas]);
    } else if (
      wanted(minute - downWindow) < replicas &&
      minute - lastDown >= downPeriod &&
      minute > LOAD_ENDS
    ) {
      removed.set(replicas, minute);
      replicas--;
      lastDown = minute;
      changes.push([clock(minute), replicas]);
    }
  }

  test('has a row for each change', () => {
    const rows = [...page.matchAll(/^\| (\d\d:\d\d) \| .* \| (\d)\D*\|$/gm)].map(
      ([, time, count]) => [time, Number(count)] as const,
    );
    const changed = rows.filter(([, count], index) => index > 0 && count !== rows[index - 1]?.[1]);
    expect(changed).toEqual(changes);
  });

  test('draws when each replica starts, serves and stops', () => {
    const picture = /```mermaid\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    for (const [replica, start] of [...added].slice(1)) {
      const serves = start + upPeriod;
      const section = picture.split(`section Replica ${String(replica)}\n`)[1]?.split('section')[0];
      expect(section).toContain(`:active, ${clock(start)}, ${String(upPeriod)}m`);
      expect(section).toContain(`:done, ${clock(serves)}, ${String((removed.get(replica) ?? 0) - serves)}m`);
    }
    expect(picture).toContain(
      `window of ${String(downWindow)} min           :${clock(LOAD_ENDS)}, ${String(downWindow)}m`,
    );
  });
});

describe('refusals', () => {
  const pool = new NodePool({
    name: 'tpu',
    slice,
    autoscaling: { minReplicas: 1, maxReplicas: 4 },
    cluster: 'serving',
    location: 'us-east5-b',
  });

  test.each<[string, Partial<AutoscalingOptions>, Partial<TpuServerProps>, string]>([
    [
      'no replica at all',
      { minReplicas: 0 },
      {},
      "autoscaling.minReplicas: '0' leaves no server that exports the metric, so nothing would start the first one; use at least 1, replicas: 0 without autoscaling while the server is not in use, or autoscaling of an InferencePool, which can start the first server",
    ],
    [
      'an unknown scaler',
      { scaler: 'keda' as never },
      {},
      "autoscaling.scaler: 'keda' is not known; use one of 'CustomMetricsAdapter', 'AutoscalingMetric'",
    ],
    [
      'a period longer than the API server allows',
      { behavior: { scaleUp: { policies: [{ type: 'Pods', value: 1, periodSeconds: 3600 }] } } },
      {},
      "autoscaling.behavior.scaleUp.policies[0].periodSeconds: '3600' is not a whole number from 1 to 1800; use 1800",
    ],
    [
      'a window longer than the API server allows',
      { behavior: { scaleDown: { stabilizationWindowSeconds: 7200 } } },
      {},
      "autoscaling.behavior.scaleDown.stabilizationWindowSeconds: '7200' is not a whole number from 0 to 3600; use 3600",
    ],
    [
      'more replicas than the node pool has slices',
      { maxReplicas: 5, nodePool: pool },
      {},
      "autoscaling.maxReplicas: '5' needs 5 slices, and the node pool has at most 4; use at most 4, or a larger node pool",
    ],
    [
      'more replicas than the node pool has slices during an update',
      { maxReplicas: 4, nodePool: pool },
      { rollout: { maxSurge: 1 } },
      "autoscaling.maxReplicas: '4' needs 5 slices with rollout.maxSurge, and the node pool has at most 4; use at most 3, or a larger node pool",
    ],
    [
      'the node pool of another slice',
      { nodePool: pool },
      { slice: TpuSlice.of('ct6e-standard-4t') },
      "autoscaling.nodePool: 'ct6e-standard-8t/2x4' is the slice of the node pool, and the server runs on 'ct6e-standard-4t/2x2'; use the node pool of the server",
    ],
  ])('%s', (_, options, props, problem) => {
    expect(() => render(options, props)).toThrow(refusal('test/llama', problem));
  });

  test('accept as many replicas as the node pools of several hosts', () => {
    const nodePool = new NodePool({
      name: 'tpu',
      slice: hosts,
      replicas: 4,
      cluster: 'serving',
      location: 'us-east5-b',
    });
    const { HorizontalPodAutoscaler: autoscaler } = render({ nodePool }, { slice: hosts, modelSize: '16G' });
    expect(autoscaler.spec.maxReplicas).toBe(4);
  });
});

describe('the rest of the library', () => {
  const serverOn = (scaler: AutoscalingOptions['scaler']): Chart => {
    const chart = new Chart(new App(), 'chart');
    new TpuServer(chart, 'server', {
      image: 'example.com/server:v1',
      slice,
      monitoring: {},
      request: { path: '/generate', body: {} },
      modelSize: '16G',
      autoscaling: { ...autoscaling, ...(scaler && { scaler }) },
    });
    return chart;
  };

  test.each<AutoscalingOptions['scaler']>(['CustomMetricsAdapter', 'AutoscalingMetric', keda])(
    'finds nothing wrong with %j',
    (scaler) => {
      expect(findings(serverOn(scaler), { severity: 'warning' })).toEqual([]);
    },
  );

  test('installs the adapter only for the autoscaler that reads through it', () => {
    const text = (scaler: AutoscalingOptions['scaler']): string => new Runbook(serverOn(scaler)).toString();
    expect(text('CustomMetricsAdapter')).toContain('custom-metrics-stackdriver-adapter');
    expect(text('AutoscalingMetric')).not.toContain('custom-metrics-stackdriver-adapter');
    expect(text('AutoscalingMetric')).toContain('1.35.1-gke.1396000');
    expect(text(keda)).not.toContain('custom-metrics-stackdriver-adapter');
    expect(text(keda)).toContain('Install KEDA, which scales `server`');
    expect(text(keda)).toContain('kubectl get hpa keda-hpa-server \\\n    --watch');
  });

  test('knows the metrics of vLLM on Ray Serve under their own names', () => {
    expect(VllmMetric.REQUESTS_WAITING.rayName).toBe('ray_vllm_num_requests_waiting');
    expect(SERVER_GAUGES.get(VllmMetric.KV_CACHE_USAGE.rayName)).toEqual({ max: 1 });
  });

  test('scales JetStream by KEDA, too', () => {
    const chart = Testing.chart();
    const { scaledObject } = new JetStreamServer(chart, 'gemma', {
      model: 'google/gemma-7b-it',
      huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'),
      images: { server: 'example.com/jetstream:v1' },
      slice,
      monitoring: {},
      autoscaling: {
        maxReplicas: 2,
        metric: { name: 'jetstream_prefill_backlog_size', type: 'gauge' },
        averageValue: 5.5,
        scaler: keda,
      },
    });
    const manifest: Manifest = scaledObject?.toJson();
    expect(manifest.spec.triggers[0].metadata).toMatchObject({
      query: 'sum(jetstream_prefill_backlog_size{job="gemma"})',
      threshold: '5.5',
    });
  });
});
