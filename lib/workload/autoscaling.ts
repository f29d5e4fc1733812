import {
  either,
  essential,
  instance,
  integer,
  isObject,
  number,
  object as objectType,
  oneOf,
  optional,
  required,
  type Schema,
  type Type,
} from '../problems/schema';
import { isBranded } from '../problems/brand';
import { type Complaint, type Problem } from '../problems/problems';
import { type TpuSlice } from '../tpu/slice';
import { type AutoscalingBehavior, behaviorType } from './behavior';
import { type KedaOptions, kedaType } from './keda';
import { metricType, type ServerMetric } from './monitoring';

/** A source of slices for replicas: a `NodePool` or a `TpuComputeClass`. */
export interface PoolOfSlices {
  /** The slice of the pool. */
  readonly slice: TpuSlice;
  /** Largest number of slices. @default - unknown, because a ComputeClass has no limit */
  readonly replicas?: number;
}

/**
 * The autoscaler. `CustomMetricsAdapter` is a HorizontalPodAutoscaler that reads Managed Service for Prometheus through the Custom Metrics
 * Stackdriver Adapter. `AutoscalingMetric`, a preview, is a HorizontalPodAutoscaler with a metric that GKE reads from the pods. `keda` is a
 * ScaledObject.
 */
export type Scaler =
  | 'CustomMetricsAdapter'
  | 'AutoscalingMetric'
  | {
      /** The ScaledObject and its query. */
      readonly keda: KedaOptions;
    };

/**
 * Limits and metric for scaling the replicas of a server.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/horizontal-pod-autoscaling
 */
export interface AutoscalingOptions {
  /** Smallest number of replicas, at least 1, because only a running server exports the metric. @default 1 */
  readonly minReplicas?: number;
  /** Largest number of replicas; each needs its own slice. */
  readonly maxReplicas: number;
  /** Metric to scale by. It must be a gauge. */
  readonly metric: ServerMetric;
  /** Target for the average of the metric over the replicas. */
  readonly averageValue: number;
  /** The autoscaler that reads the metric and sets the number of replicas. @default 'CustomMetricsAdapter' */
  readonly scaler?: Scaler;
  /**
   * How fast the number of replicas changes; each field replaces a default.
   *
   * @default - adds one slice per estimated startup time; removes one slice every half hour, after up to an hour of less load
   */
  readonly behavior?: AutoscalingBehavior;
  /**
   * The `NodePool` or `TpuComputeClass` of the replicas. It must have the slice of the server, and the size of a NodePool limits
   * `maxReplicas`.
   *
   * @default - unknown: `maxReplicas` is not limited
   */
  readonly nodePool?: PoolOfSlices;
}

/** Smallest value that Kubernetes stores. */
const THOUSANDTH = 0.001;

/** Target averages: above 0, with at most three decimals. */
export const average = (value: number): Complaint | undefined => {
  if (!(Number.isFinite(value) && value >= THOUSANDTH))
    return { problem: 'is not a number above 0', use: `at least ${String(THOUSANDTH)}` };
  const stored = Number(value.toFixed(3));
  return stored === value ? undefined : { problem: 'has more than three decimals', use: String(stored) };
};

/** Smallest numbers of replicas. 0 is not possible: the metric comes from the servers, so nothing would start the first one. */
const minReplicas: Type<number> = {
  what: 'a whole number',
  read: (value, path, problems) => {
    if (value !== 0) return integer(1).read(value, path, problems);
    problems.add({
      path,
      value,
      problem: 'leaves no server that exports the metric, so nothing would start the first one',
      use: 'at least 1, replicas: 0 without autoscaling while the server is not in use, or autoscaling of an InferencePool, which can start the first server',
    });
    return undefined;
  },
};

const scalerType: Type<Scaler> = either(
  (value) => !isObject(value),
  oneOf('CustomMetricsAdapter', 'AutoscalingMetric'),
  objectType<{ readonly keda: KedaOptions }>(
    { properties: { keda: essential(kedaType, "{ projectId: 'my-project' }") } },
    "an object like { keda: { projectId: 'my-project' } }",
  ),
);

/** A prop `nodePool`. */
export const nodePoolType: Type<PoolOfSlices> = either(
  (value) => isBranded(value, 'TpuComputeClass'),
  instance<PoolOfSlices>('TpuComputeClass', 'a TpuComputeClass'),
  instance<PoolOfSlices>('NodePool', 'a NodePool or a TpuComputeClass'),
);

/** Returns the problem of an autoscaler whose limits contradict each other. */
export const limitsProblem = ({
  minReplicas: least = 1,
  maxReplicas,
}: Pick<AutoscalingOptions, 'minReplicas' | 'maxReplicas'>): Problem | undefined =>
  maxReplicas < least
    ? {
        path: 'maxReplicas',
        value: maxReplicas,
        problem: `is less than minReplicas, ${String(least)}`,
        use: `at least ${String(least)}`,
      }
    : undefined;

/** Returns the problem of a target that the metric cannot reach. */
export const valueProblem = ({
  averageValue,
  metric: { name, max = Infinity },
}: {
  readonly averageValue: number;
  readonly metric: { readonly name: string; readonly max?: number };
}): Problem | undefined =>
  averageValue > max
    ? {
        path: 'averageValue',
        value: averageValue,
        problem: `is more than metric '${name}' can be`,
        use: `at most ${String(max)}`,
      }
    : undefined;

/** The schema of autoscaling options; `example` is code for a metric of the server. */
const autoscaling = (example: string): Schema<AutoscalingOptions> => ({
  properties: {
    minReplicas: optional(minReplicas),
    maxReplicas: required(integer(1), 2),
    metric: essential(metricType(example), example),
    averageValue: required(number(average), 10),
    scaler: optional(scalerType),
    behavior: optional(behaviorType),
    nodePool: optional(nodePoolType),
  },
  rules: [(options) => [limitsProblem(options)], (options) => [valueProblem(options)]],
});

/** A prop `autoscaling`; `example` is code for a metric of the server. */
export const autoscalingType = (example: string): Type<AutoscalingOptions> =>
  objectType(autoscaling(example), 'an object with maxReplicas, metric and averageValue');

/** The properties of a server that its autoscaler depends on. */
interface ScaledServer {
  readonly slice: TpuSlice;
  readonly autoscaling?: AutoscalingOptions | undefined;
  /** Replicas that an update adds. */
  readonly maxSurge: number;
}

/** Finds problems of autoscaling with the slice of a server and its node pool. */
export function* scalerProblems({ slice, autoscaling: options, maxSurge }: ScaledServer): Iterable<Problem> {
  if (!options) return;
  const { scaler, nodePool, maxReplicas } = options;
  // It selects pods by labels without a slash. The label that selects the first hosts has one.
  if (scaler === 'AutoscalingMetric' && slice.multiHost)
    yield {
      path: 'autoscaling.scaler',
      value: scaler,
      problem: 'is not known to select the first host of each slice',
      use: "'CustomMetricsAdapter', or { keda: { projectId: 'my-project' } }",
    };
  if (nodePool) yield* nodePoolProblems({ nodePool, slices: [slice], maxReplicas, maxSurge });
}

/** Finds problems with the node pool of a server that runs on one of several slices. */
export function* nodePoolProblems({
  nodePool,
  slices,
  maxReplicas,
  maxSurge,
}: {
  readonly nodePool: PoolOfSlices;
  readonly slices: readonly TpuSlice[];
  readonly maxReplicas: number;
  readonly maxSurge: number;
}): Iterable<Problem> {
  const { slice, replicas = Infinity } = nodePool;
  const names = slices.map(String);
  if (names.length > 0 && !names.includes(slice.toString()))
    yield {
      path: 'autoscaling.nodePool',
      value: slice.toString(),
      problem: `is the slice of the node pool, and the server runs on ${quotedList(names)}`,
      use: 'the node pool of the server',
    };
  else if (maxReplicas + maxSurge > replicas)
    yield {
      path: 'autoscaling.maxReplicas',
      value: maxReplicas,
      problem: `needs ${String(maxReplicas + maxSurge)} slices${maxSurge > 0 ? ' with rollout.maxSurge' : ''}${slice.multiHost ? ` of ${String(slice.hosts)} hosts` : ''}, and the node pool has at most ${String(replicas)}`,
      use: `at most ${String(Math.max(1, replicas - maxSurge))}, or a larger node pool`,
    };
}

/** Words in quotes: `'a' or 'b'`. */
const quotedList = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' or ');
