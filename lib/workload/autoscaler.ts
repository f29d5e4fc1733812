import { type ApiObject, Chart } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { AUTOSCALING_METRIC_GROUP } from '../facts/labels';
import { type AutoscalingOptions } from './autoscaling';
import { behaviorFor } from './behavior';
import { promQl, scaledObject } from './keda';
import { type ServerMetric } from './monitoring';
import { object } from './objects';
import { KINDS } from '../facts/rendered';
import { manifest, type Plain } from './plain';

/** The parts of an autoscaler: its target, and the source of its metric. */
export interface AutoscalerParts {
  /** Name, labels and annotations of the autoscaler. */
  readonly metadata: k8s.ObjectMeta & { readonly name: string };
  /** The Deployment or LeaderWorkerSet. */
  readonly target: ApiObject;
  /** Labels of the pods that export the metric. */
  readonly selector: Readonly<Record<string, string>>;
  /** Where the pods export the metric, if that is known. */
  readonly monitoring: { readonly port: number; readonly path: string } | undefined;
  /** Estimated time from the start of a container to its first answer, in seconds. */
  readonly startSeconds: number;
}

/** The objects that scale a server. */
export interface AutoscalerObjects {
  readonly horizontalPodAutoscaler: ApiObject | undefined;
  readonly autoscalingMetric: ApiObject | undefined;
  readonly scaledObject: ApiObject | undefined;
}

/** Places the objects that scale a Deployment or LeaderWorkerSet by one of its own metrics. */
export function placeAutoscaler(
  scope: Construct,
  options: AutoscalingOptions | undefined,
  parts: AutoscalerParts,
): AutoscalerObjects {
  const none = { horizontalPodAutoscaler: undefined, autoscalingMetric: undefined, scaledObject: undefined };
  if (!options) return none;
  const { scaler = 'CustomMetricsAdapter', metric, averageValue, minReplicas = 1, maxReplicas } = options;
  const { metadata, target } = parts;
  const behavior = behaviorFor(parts.startSeconds, options.behavior);
  if (typeof scaler === 'object')
    return {
      ...none,
      scaledObject: scaledObject(scope, 'ScaledObject', {
        ...{ metadata, target, minReplicas, maxReplicas, behavior },
        keda: scaler.keda,
        triggers: [
          {
            query: promQl('sum', metric.name, {
              job: metadata.name,
              namespace: Chart.of(scope).namespace,
              ...scaler.keda.matchLabels,
            }),
            threshold: averageValue,
          },
        ],
      }),
    };
  const own = scaler === 'AutoscalingMetric';
  return {
    ...none,
    autoscalingMetric: own ? placeAutoscalingMetric(scope, metric.name, parts) : undefined,
    horizontalPodAutoscaler: horizontalPodAutoscaler(scope, parts, {
      ...{ minReplicas, maxReplicas, behavior },
      metrics: [
        {
          type: 'Pods',
          pods: {
            metric: {
              name: own
                ? `${AUTOSCALING_METRIC_GROUP}|${metadata.name}|${gaugeName(metric.name)}`
                : stackdriverName(metric),
            },
            target: { type: 'AverageValue', averageValue: quantity(averageValue) },
          },
        },
      ],
    }),
  };
}

/** The name of a metric for the Custom Metrics Stackdriver Adapter. */
export const stackdriverName = ({ name, type }: Pick<ServerMetric, 'name' | 'type'>): string =>
  `prometheus.googleapis.com|${name}|${type}`;

/** Places a HorizontalPodAutoscaler. */
export function horizontalPodAutoscaler(
  scope: Construct,
  { metadata, target }: Pick<AutoscalerParts, 'metadata' | 'target'>,
  spec: Plain<Omit<k8s.HorizontalPodAutoscalerSpecV2, 'scaleTargetRef'>>,
): ApiObject {
  return object(
    scope,
    'HorizontalPodAutoscaler',
    manifest<k8s.KubeHorizontalPodAutoscalerV2Props>(KINDS.HorizontalPodAutoscaler, {
      metadata,
      spec: {
        scaleTargetRef: { apiVersion: target.apiVersion, kind: target.kind, name: target.name },
        minReplicas: spec.minReplicas,
        maxReplicas: spec.maxReplicas,
        behavior: spec.behavior,
        metrics: spec.metrics,
      },
    }),
  );
}

/** Returns a number as the API server stores it: a whole number, or thousandths. */
export const quantity = (value: number): string =>
  Number.isInteger(value) ? String(value) : `${String(Math.round(value * 1000))}m`;

/** Returns the name of a metric in an AutoscalingMetric: the Prometheus name without its prefix, in lower-case letters, digits and '-'. */
const gaugeName = (metric: string): string =>
  metric
    .replace(/^[^:]*:/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 63)
    .replace(/-+$/, '');

/**
 * Places an AutoscalingMetric, which makes GKE read a gauge from the pods. Its schema is not published: the fields are from working charts.
 *
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/how-to/expose-custom-metrics-autoscaling
 */
const placeAutoscalingMetric = (
  scope: Construct,
  metric: string,
  { metadata, selector, monitoring }: AutoscalerParts,
): ApiObject =>
  object(scope, 'AutoscalingMetric', {
    apiVersion: `${AUTOSCALING_METRIC_GROUP}/v1beta1`,
    kind: 'AutoscalingMetric',
    metadata,
    spec: {
      metrics: [
        {
          pod: {
            selector: { matchLabels: selector },
            containers: [
              {
                endpoint: { port: monitoring?.port, path: monitoring?.path },
                metrics: [{ gauge: { name: gaugeName(metric), prometheusMetricName: metric } }],
              },
            ],
          },
        },
      ],
    },
  });
