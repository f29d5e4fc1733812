import { type ApiObject } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { type Json, manifestObject, number, record, text } from '../manifest/manifest';
import { podsOf } from '../manifest/pods';
import { possibleSlices, tpuContainers } from '../manifest/slices';
import { type Problem } from '../problems/problems';
import {
  either,
  essential,
  integer,
  isObject,
  list,
  number as numberType,
  object,
  oneOf,
  optional,
  required,
  type Schema,
  type Type,
  nonEmpty,
} from '../problems/schema';
import { type TpuSlice } from '../tpu/slice';
import { horizontalPodAutoscaler, quantity, stackdriverName } from '../workload/autoscaler';
import {
  average,
  limitsProblem,
  nodePoolProblems,
  nodePoolType,
  type PoolOfSlices,
  valueProblem,
} from '../workload/autoscaling';
import { type AutoscalingBehavior, behaviorFor, behaviorType } from '../workload/behavior';
import { type KedaOptions, kedaType, promQl, scaledObject } from '../workload/keda';
import { metricType } from '../workload/monitoring';
import { type ReplicaCount, surgeOf } from '../workload/vocabulary';
import { type Plain } from '../workload/plain';
import { type PoolServer } from './members';
import { PickerMetric, type PoolMetric } from './metrics';

/** The autoscaler that reads the picker's metrics and sets the number of replicas: a HorizontalPodAutoscaler or KEDA. */
export type PoolScaler =
  | 'CustomMetricsAdapter'
  | {
      /** The ScaledObject and its query. */
      readonly keda: KedaOptions;
    };

/** A metric of the picker, and its target value. */
export interface PoolMetricTarget {
  /** The metric, a gauge. */
  readonly metric: PoolMetric;
  /** Target for the average of the metric over the replicas. */
  readonly averageValue: number;
}

/**
 * Limits and metrics that scale the replicas of a pool. The pool must have one server, with `replicas: 'external'`.
 *
 * @see https://llm-d.ai/docs/architecture/advanced/autoscaling/igw-hpa
 */
export interface PoolAutoscalingOptions {
  /**
   * Smallest number of replicas. 0 requires KEDA, flow control of the picker, `PickerMetric.REQUESTS_QUEUED`, which starts the first
   * replica, and `PickerMetric.REQUESTS_RUNNING`, which keeps it running.
   *
   * @default 1
   */
  readonly minReplicas?: number;
  /** Largest number of replicas; each needs its own slice. */
  readonly maxReplicas: number;
  /** Metrics to scale by. If several are given, the highest resulting number of replicas applies. */
  readonly metrics: readonly PoolMetricTarget[];
  /** The autoscaler that reads the metrics and sets the number of replicas. @default 'CustomMetricsAdapter' */
  readonly scaler?: PoolScaler;
  /** Name of the cluster. Set it if several clusters of the project have a pool of this name. @default - metrics of all clusters count */
  readonly cluster?: string;
  /**
   * Time without load before the last replica stops, in seconds; only with `minReplicas: 0`.
   *
   * @default - the duration of two starts, from 1800 to 3600
   */
  readonly cooldownPeriod?: number;
  /**
   * How fast the number of replicas changes; each field replaces a default.
   *
   * @default - adds one slice per estimated startup time, half of the startup probe's time; removes one slice every half hour, after up
   * to an hour of less load
   */
  readonly behavior?: AutoscalingBehavior;
  /**
   * The `NodePool` or `TpuComputeClass` of the replicas. It must have the same slice, and the number of slices of a NodePool limits
   * `maxReplicas`.
   *
   * @default - unknown: `maxReplicas` is not limited
   */
  readonly nodePool?: PoolOfSlices;
}

const METRIC = 'PickerMetric.REQUESTS_RUNNING';
const QUEUED = PickerMetric.REQUESTS_QUEUED.name;
const RUNNING = PickerMetric.REQUESTS_RUNNING.name;
const KEDA_EXAMPLE = "{ keda: { projectId: 'my-project' } }";

const poolMetricType: Type<PoolMetric> = {
  what: `a metric of the picker, like ${METRIC}`,
  read: (value, path, problems) => {
    const metric = metricType(METRIC).read(value, path, problems) as PoolMetric | undefined;
    const given: unknown = metric?.value;
    if (metric === undefined || given === 'sum' || given === 'mean') return metric;
    problems.add({ path, problem: 'does not state whether its value is a sum or a mean', use: METRIC });
    return undefined;
  },
};

const METRIC_TARGET: Schema<PoolMetricTarget> = {
  properties: {
    metric: essential(poolMetricType, METRIC),
    averageValue: required(numberType(average), 16),
  },
  rules: [(options) => [valueProblem(options)]],
};

const AUTOSCALING: Schema<PoolAutoscalingOptions> = {
  properties: {
    minReplicas: optional(integer(0)),
    maxReplicas: required(integer(1), 2),
    metrics: essential(
      list(object(METRIC_TARGET), { min: 1, what: 'a list of metrics' }),
      `[{ metric: ${METRIC}, averageValue: 16 }]`,
    ),
    scaler: optional(
      either<'CustomMetricsAdapter', { readonly keda: KedaOptions }>(
        (value) => !isObject(value),
        oneOf('CustomMetricsAdapter'),
        object<{ readonly keda: KedaOptions }>(
          { properties: { keda: essential(kedaType, "{ projectId: 'my-project' }") } },
          `an object like ${KEDA_EXAMPLE}`,
        ),
      ),
    ),
    cluster: optional(nonEmpty('the name of a cluster')),
    cooldownPeriod: optional(integer(0)),
    behavior: optional(behaviorType),
    nodePool: optional(nodePoolType),
  },
  rules: [
    (options) => [limitsProblem(options), ...zeroProblems(options)],
    ({ metrics }) =>
      metrics.map(({ metric: { name } }, index) =>
        metrics.findIndex(({ metric }) => metric.name === name) < index
          ? { path: `metrics[${String(index)}]`, value: name, problem: 'occurs twice', use: 'it once' }
          : undefined,
      ),
  ],
};

/** The type of the prop `autoscaling` of a pool. */
export const poolAutoscalingType: Type<PoolAutoscalingOptions> = object(
  AUTOSCALING,
  'an object with maxReplicas and metrics',
);

/** Yields what is missing to start the first server of a pool, and to keep it running. */
function* zeroProblems({
  minReplicas,
  scaler,
  metrics,
  cooldownPeriod,
}: PoolAutoscalingOptions): Iterable<Problem> {
  if (minReplicas !== 0) {
    if (cooldownPeriod !== undefined)
      yield {
        path: 'cooldownPeriod',
        value: cooldownPeriod,
        problem: 'has no effect, because the last replica never stops',
        use: 'minReplicas: 0, or omit it',
      };
    return;
  }
  const path = 'minReplicas';
  const names = metrics.map(({ metric }) => metric.name);
  if (typeof scaler !== 'object')
    yield {
      path,
      value: minReplicas,
      problem: 'is not possible with a HorizontalPodAutoscaler, which keeps at least one replica',
      use: `scaler: ${KEDA_EXAMPLE}`,
    };
  if (!names.includes(QUEUED))
    yield {
      path,
      value: minReplicas,
      problem: 'can leave no server, and none of the metrics counts the requests that wait for one',
      use: 'PickerMetric.REQUESTS_QUEUED among the metrics',
    };
  if (!names.includes(RUNNING))
    yield {
      path,
      value: minReplicas,
      problem:
        'could stop the last server while it processes requests, because none of the metrics counts them',
      use: 'PickerMetric.REQUESTS_RUNNING among the metrics',
    };
}

/** Facts about the server that a pool scales. */
interface Target {
  readonly workload: ApiObject;
  readonly spec: Json;
  /** The slices that a replica can run on. */
  readonly slices: readonly TpuSlice[];
  /** Time from the start of a container to its first answer, in seconds: half of the time that its startup probe allows. */
  readonly startSeconds: number;
}

/** Startup time in seconds of a server without a startup probe. */
const SLOW_START_SECONDS = 1800;

function targetOf({ workload }: PoolServer): Target {
  const made = manifestObject(workload.toJson() as Json);
  const pod = podsOf(made).find((one) => one.role !== 'worker' && tpuContainers(one).length > 0);
  const probe = pod && record(tpuContainers(pod)[0]?.container, 'startupProbe');
  const budget = (number(probe, 'failureThreshold') ?? 3) * (number(probe, 'periodSeconds') ?? 10);
  return {
    workload,
    spec: record(made.manifest, 'spec'),
    slices: pod ? possibleSlices(pod) : [],
    startSeconds: probe && Object.keys(probe).length > 0 ? budget / 2 : SLOW_START_SECONDS,
  };
}

/** Returns the number of replicas that an update adds. */
function surgeIn(spec: Json, replicas: number): number {
  const rolling =
    text(spec, 'strategy', 'type') === 'Recreate'
      ? {}
      : {
          ...record(spec, 'strategy', 'rollingUpdate'),
          ...record(spec, 'rolloutStrategy', 'rollingUpdateConfiguration'),
        };
  return surgeOf({ maxSurge: (rolling['maxSurge'] ?? 0) as ReplicaCount }, replicas);
}

/** Props of a pool that autoscaling depends on. */
interface PoolProps {
  readonly servers: readonly PoolServer[];
  readonly autoscaling?: PoolAutoscalingOptions | undefined;
  readonly monitoring?: unknown;
  readonly endpointPicker?: { readonly replicas?: number; readonly flowControl?: object } | undefined;
}

/** Yields the problems between the autoscaling of a pool and its other props. */
export function* poolScalingProblems({
  servers,
  autoscaling,
  monitoring,
  endpointPicker = {},
}: PoolProps): Iterable<Problem> {
  const [server] = servers;
  if (!autoscaling || !server) return;
  if (servers.length > 1)
    yield {
      path: 'autoscaling',
      problem: `scales one server, but the pool has ${String(servers.length)}: each would get replicas for the load of all`,
      use: 'one server for the pool, or autoscaling of each server',
    };
  yield* serverProblems(server, autoscaling);
  if (monitoring === false)
    yield {
      path: 'monitoring',
      problem: "is off, but autoscaling needs it to read the picker's metrics",
      use: 'monitoring: {}',
    };
  const { replicas = 1, flowControl } = endpointPicker;
  for (const [index, { metric }] of autoscaling.metrics.entries()) {
    const path = `autoscaling.metrics[${String(index)}].metric`;
    if (metric.flowControl === true && !flowControl)
      yield {
        path,
        value: metric.name,
        problem: 'is exported by the picker only with flow control',
        use: 'endpointPicker: { flowControl: {} }',
      };
    if (metric.value === 'mean' && replicas > 1 && typeof autoscaling.scaler !== 'object')
      yield {
        path,
        value: metric.name,
        problem: `is a mean, but a HorizontalPodAutoscaler adds up the values of ${String(replicas)} pickers`,
        use: `${METRIC}, or scaler: ${KEDA_EXAMPLE}`,
      };
  }
}

function* serverProblems(server: PoolServer, autoscaling: PoolAutoscalingOptions): Iterable<Problem> {
  const { spec, slices, workload } = targetOf(server);
  const { nodePool, maxReplicas } = autoscaling;
  const own = server as { readonly horizontalPodAutoscaler?: unknown; readonly scaledObject?: unknown };
  if (own.horizontalPodAutoscaler !== undefined || own.scaledObject !== undefined)
    yield {
      path: 'autoscaling',
      problem: `is a second autoscaler for '${workload.name}', which already has one`,
      use: "replicas: 'external' of the server in place of its autoscaling",
    };
  else if (spec['replicas'] !== undefined)
    yield {
      path: 'servers[0]',
      value: workload.name,
      problem: "has a fixed number of replicas: each apply would undo the autoscaler's changes",
      use: "replicas: 'external' of the server",
    };
  if (nodePool)
    yield* nodePoolProblems({ nodePool, slices, maxReplicas, maxSurge: surgeIn(spec, maxReplicas) });
}

/** The objects that scale a pool. */
export interface PoolScalerObjects {
  readonly horizontalPodAutoscaler: ApiObject | undefined;
  readonly scaledObject: ApiObject | undefined;
}

/** Renders the autoscaler of a pool, which scales the pool's server by metrics of the picker. */
export function placePoolScaler(
  scope: Construct,
  metadata: k8s.ObjectMeta & { readonly name: string; readonly namespace: string },
  { servers: [server], autoscaling }: Pick<PoolProps, 'servers' | 'autoscaling'>,
): PoolScalerObjects {
  const none = { horizontalPodAutoscaler: undefined, scaledObject: undefined };
  if (!autoscaling || !server) return none;
  const { workload: target, startSeconds } = targetOf(server);
  const { minReplicas = 1, maxReplicas, metrics, scaler = 'CustomMetricsAdapter', cluster } = autoscaling;
  const behavior = behaviorFor(startSeconds, autoscaling.behavior);
  const labels = { job: metadata.name, namespace: metadata.namespace, cluster };
  if (scaler === 'CustomMetricsAdapter')
    return {
      ...none,
      horizontalPodAutoscaler: horizontalPodAutoscaler(
        scope,
        { metadata, target },
        { minReplicas, maxReplicas, behavior, metrics: metrics.map((one) => external(one, labels)) },
      ),
    };
  return {
    ...none,
    scaledObject: scaledObject(scope, 'ScaledObject', {
      ...{ metadata, target, minReplicas, maxReplicas, behavior, keda: scaler.keda },
      cooldownPeriod:
        minReplicas === 0
          ? (autoscaling.cooldownPeriod ?? behaviorFor(startSeconds).scaleDown?.stabilizationWindowSeconds)
          : undefined,
      triggers: metrics.map(({ metric, averageValue }) => ({
        ...(metrics.length > 1 && { name: triggerName(metric.name) }),
        query: promQl(metric.value === 'sum' ? 'sum' : 'max', metric.name, {
          ...labels,
          ...scaler.keda.matchLabels,
        }),
        threshold: averageValue,
        metricType: metric.value === 'sum' ? 'AverageValue' : 'Value',
      })),
    }),
  };
}

/** Returns the name of a metric's trigger, like `llm-d-epp-request-running`. */
const triggerName = (metric: string): string =>
  metric
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/**
 * Returns the source for a metric of the picker, whose pods are not the scaled pods. The target of a sum is divided by the replicas; the
 * target of a mean is not.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/tutorials/autoscaling-metrics
 */
const external = (
  { metric, averageValue }: PoolMetricTarget,
  labels: Readonly<Record<string, string | undefined>>,
): Plain<k8s.MetricSpecV2> => ({
  type: 'External',
  external: {
    metric: {
      name: stackdriverName(metric),
      selector: {
        matchLabels: Object.fromEntries(
          Object.entries(labels).flatMap(([name, value]) =>
            value === undefined ? [] : [[`resource.labels.${name}`, value]],
          ),
        ),
      },
    },
    target:
      metric.value === 'sum'
        ? { type: 'AverageValue', averageValue: quantity(averageValue) }
        : { type: 'Value', value: quantity(averageValue) },
  },
});
