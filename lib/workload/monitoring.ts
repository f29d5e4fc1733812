import { type ApiObject } from 'cdk8s';
import { type Construct } from 'constructs';
import { type PodMonitoringProps } from '../../imports/monitoring.googleapis.com';
import { type ObjectMeta } from 'cdk8s-plus-29/lib/imports/k8s';
import { type Grammar } from '../problems/grammar';
import { InvalidInputError } from '../problems/problems';
import {
  falseOr,
  isObject,
  misfit,
  object as objectType,
  optional,
  type Schema,
  string,
  type Type,
} from '../problems/schema';
import { RETIRED_METRICS } from '../facts/metrics';
import { object } from './objects';
import { KINDS } from '../facts/rendered';
import { manifest } from './plain';

/** A Prometheus metric that a server exports. */
export interface ServerMetric {
  /** Name of the metric, like `vllm:num_requests_waiting`. */
  readonly name: string;
  /** Type of the metric. An autoscaler needs a gauge, because a counter never decreases. */
  readonly type: 'gauge' | 'counter' | 'histogram';
  /** Highest possible value, 1 for a share. @default - none */
  readonly max?: number | undefined;
}

/** How often the metrics of a server are collected. */
export interface MonitoringOptions {
  /** Time between two collections, like `15s`. @default '15s' */
  readonly interval?: string;
}

const DEFAULT_INTERVAL = '15s';

const SECONDS: ReadonlyMap<string, number> = new Map([
  ['y', 31_536_000],
  ['w', 604_800],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
  ['ms', 0.001],
]);

/** Time between two collections. The CRD accepts any text, but Prometheus requires larger units first. */
const interval: Grammar = (value) => {
  const seconds = [...value.matchAll(/(\d+(?:\.\d+)?)\s*(ms|[ywdhms])?/g)].reduce(
    (sum, [, number, unit = 's']) => sum + Number(number) * (SECONDS.get(unit) ?? NaN),
    0,
  );
  return seconds > 0 && /^(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?$/.test(value)
    ? undefined
    : {
        problem: 'is not a duration',
        use: 'a duration',
        nearest: `${String(seconds === 0 ? 15 : Math.ceil(seconds))}s`,
      };
};

export const MONITORING_PROPERTIES: Schema<MonitoringOptions>['properties'] = {
  interval: optional(string(interval, "a duration like '15s'")),
};
/** A prop `monitoring`. */
export const monitoringType: Type<MonitoringOptions | false> = falseOr(
  objectType<MonitoringOptions>({ properties: MONITORING_PROPERTIES }, "an object like { interval: '15s' }"),
);

/** Names of metrics: https://prometheus.io/docs/concepts/data_model/#metric-names-and-labels */
const METRIC_NAME = /^[a-zA-Z_:][\w:]*$/;

/** A prop that is a metric of a server; `example` is code for one. */
export const metricType = (example: string): Type<ServerMetric> => ({
  what: `a metric of the server, like ${example}`,
  read: (value, path, problems) => {
    const what = `a metric of the server, like ${example}`;
    if (!isObject(value) || typeof value['name'] !== 'string' || typeof value['type'] !== 'string') {
      problems.add(misfit(path, value, what));
      return undefined;
    }
    const max = value['max'];
    if (max !== undefined && typeof max !== 'number') {
      problems.add(misfit(`${path}.max`, max, 'a number'));
      return undefined;
    }
    if (!METRIC_NAME.test(value['name'])) {
      problems.add({
        path: `${path}.name`,
        value: value['name'],
        problem: 'is not the name of a Prometheus metric',
        use: "letters, digits, '_' and ':', not starting with a digit",
      });
      return undefined;
    }
    const metric = value as unknown as ServerMetric;
    if (metric.type === 'gauge') return metric;
    problems.add({
      path,
      problem: `'${metric.name}' is a ${metric.type}: only a gauge can be averaged over replicas`,
      use: `a gauge, like ${example}`,
    });
    return undefined;
  },
});

/** Returns the metric of a catalog with a name from configuration. */
export function metricNamed<Metric extends ServerMetric>(name: string, catalog: readonly Metric[]): Metric {
  const metric = catalog.find((known) => known.name === name);
  if (metric) return metric;
  const successor = catalog.find((known) => known.name === RETIRED_METRICS.get(name))?.name;
  throw new InvalidInputError([
    successor === undefined
      ? {
          path: 'metric',
          value: name,
          problem: 'is not known',
          use: `one of ${catalog.map((known) => `'${known.name}'`).join(', ')}`,
        }
      : {
          path: 'metric',
          value: name,
          problem: 'is a metric that current releases of the server do not export',
          use: `its successor '${successor}'`,
        },
  ]);
}

/** Makes Managed Service for Prometheus collect metrics from the pods of a server. */
export function podMonitoring(
  scope: Construct,
  id: string,
  options: {
    /** Name, labels and annotations of the PodMonitoring. */
    readonly metadata: ObjectMeta;
    readonly selector: Record<string, string>;
    readonly port: number;
    readonly path: string;
    readonly interval?: string | undefined;
  },
): ApiObject {
  return object(
    scope,
    id,
    manifest<PodMonitoringProps>(KINDS.PodMonitoring, {
      metadata: options.metadata,
      spec: {
        selector: { matchLabels: options.selector },
        endpoints: [
          {
            port: options.port,
            path: options.path,
            interval: options.interval ?? DEFAULT_INTERVAL,
          },
        ],
      },
    }),
  );
}
