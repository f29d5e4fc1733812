import { type ApiObject } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { type Problems } from '../problems/problems';
import { INT32, integer, quoted } from '../problems/validators';
import { type ServerMetric } from './monitoring';
import { object } from './objects';

/**
 * Between how many and how many replicas, and by which metric, a HorizontalPodAutoscaler scales a server.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/horizontal-pod-autoscaling
 */
export interface AutoscalingOptions {
  /** Fewest replicas. @default 1 */
  readonly minReplicas?: number;
  /** Most replicas; each needs a slice of its own. */
  readonly maxReplicas: number;
  /** The gauge that is watched. */
  readonly metric: ServerMetric;
  /** Average of the metric over the replicas that is aimed at. */
  readonly averageValue: number;
}

/** Records what is wrong with autoscaling options. */
export function checkAutoscaling(options: AutoscalingOptions, problems: Problems): void {
  const { minReplicas = 1, maxReplicas, metric, averageValue } = options;
  const counts = [
    integer('autoscaling minReplicas', minReplicas, 1),
    integer('autoscaling maxReplicas', maxReplicas, 1),
  ];
  problems.add(...counts);
  problems.check(
    counts.some((wrong) => wrong !== undefined) || maxReplicas >= minReplicas,
    `autoscaling maxReplicas '${String(maxReplicas)}' is below minReplicas '${String(minReplicas)}', expected at least as many; nearest: ${String(minReplicas)}`,
  );
  problems.add(averageValueProblem(averageValue, metric));
  problems.check(
    metric.type === 'gauge',
    `autoscaling metric '${metric.name}' is a ${metric.type}, expected a gauge: only what rises and falls can be averaged over replicas`,
  );
}

function averageValueProblem(value: number, { name, max = INT32 }: ServerMetric): string | undefined {
  const said = `autoscaling averageValue ${quoted(value)}`;
  if (!(Number.isFinite(value) && value >= 0.001))
    return `${said} is not a number above 0, expected at least 0.001`;
  if (value > max)
    return `${said} is more than metric '${name}' can be, expected at most ${String(max)}; nearest: ${String(max)}`;
  const stored = Number(value.toFixed(3));
  return stored === value
    ? undefined
    : `${said} has more than three decimals, expected thousandths; nearest: ${String(stored)}`;
}

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
