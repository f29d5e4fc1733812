import { type ApiObject } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { type Complaint } from '../problems/problems';
import {
  essential,
  integer,
  number,
  object as objectType,
  optional,
  required,
  type Schema,
  type Type,
} from '../problems/schema';
import { metricType, type ServerMetric } from './monitoring';
import { object } from './objects';

/**
 * Limits and metric by which a HorizontalPodAutoscaler scales a server.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/horizontal-pod-autoscaling
 */
export interface AutoscalingOptions {
  /** Smallest number of replicas. @default 1 */
  readonly minReplicas?: number;
  /** Largest number of replicas; each needs a slice of its own. */
  readonly maxReplicas: number;
  /** Metric to scale by, a gauge. */
  readonly metric: ServerMetric;
  /** Target for the average of the metric over the replicas. */
  readonly averageValue: number;
}

/** Smallest value that Kubernetes stores. */
const THOUSANDTH = 0.001;

/** Averages to aim at: above 0, and with at most three decimals. */
const average = (value: number): Complaint | undefined => {
  if (!(Number.isFinite(value) && value >= THOUSANDTH))
    return { problem: 'is not a number above 0', use: `at least ${String(THOUSANDTH)}` };
  const stored = Number(value.toFixed(3));
  return stored === value ? undefined : { problem: 'has more than three decimals', use: String(stored) };
};

/** The schema of autoscaling options; `example` is code for a metric of the server. */
const autoscaling = (example: string): Schema<AutoscalingOptions> => ({
  properties: {
    minReplicas: optional(integer(1)),
    maxReplicas: required(integer(1), 2),
    metric: essential(metricType(example), example),
    averageValue: required(number(average), 10),
  },
  rules: [
    ({ minReplicas = 1, maxReplicas }) => [
      maxReplicas < minReplicas
        ? {
            path: 'maxReplicas',
            value: maxReplicas,
            problem: `is less than minReplicas, ${String(minReplicas)}`,
            use: `at least ${String(minReplicas)}`,
          }
        : undefined,
    ],
    ({ averageValue, metric: { name, max = Infinity } }) => [
      averageValue > max
        ? {
            path: 'averageValue',
            value: averageValue,
            problem: `is more than metric '${name}' can be`,
            use: `at most ${String(max)}`,
          }
        : undefined,
    ],
  ],
});

/** A prop `autoscaling`; `example` is code for a metric of the server. */
export const autoscalingType = (example: string): Type<AutoscalingOptions> =>
  objectType(autoscaling(example), 'an object with maxReplicas, metric and averageValue');

/** Scales a Deployment by one of its own metrics, as the Custom Metrics Stackdriver Adapter serves them. */
export function horizontalPodAutoscaler(
  scope: Construct,
  id: string,
  metadata: k8s.ObjectMeta,
  target: ApiObject,
  options: AutoscalingOptions,
): ApiObject {
  return object(
    scope,
    id,
    k8s.KubeHorizontalPodAutoscalerV2.manifest({
      metadata,
      spec: {
        scaleTargetRef: { apiVersion: target.apiVersion, kind: target.kind, name: target.name },
        minReplicas: options.minReplicas ?? 1,
        maxReplicas: options.maxReplicas,
        metrics: [
          {
            type: 'Pods',
            pods: {
              metric: { name: `prometheus.googleapis.com|${options.metric.name}|${options.metric.type}` },
              target: {
                type: 'AverageValue',
                averageValue: k8s.Quantity.fromString(canonical(options.averageValue)),
              },
            },
          },
        ],
      },
    }),
  );
}

/** As the API server stores it: whole numbers as they are, others in thousandths. */
const canonical = (value: number): string =>
  Number.isInteger(value) ? String(value) : `${String(Math.round(value * 1000))}m`;
