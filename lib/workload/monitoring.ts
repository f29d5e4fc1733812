import { type ApiObject } from 'cdk8s';
import { type Construct } from 'constructs';
import { PodMonitoring, PodMonitoringSpecEndpointsPort } from '../../imports/monitoring.googleapis.com';
import { InvalidInputError } from '../problems/problems';
import { quoted } from '../problems/validators';
import { RETIRED_METRICS } from '../facts/metrics';
import { object } from './objects';

/** A metric that a server exports, as Prometheus sees it. */
export interface ServerMetric {
  /** Its name, like `vllm:num_requests_waiting`. */
  readonly name: string;
  /** Only a gauge can drive an autoscaler: a counter never falls. */
  readonly type: 'gauge' | 'counter' | 'histogram';
  /** The highest value that it can have: 1 for a share. @default - none */
  readonly max?: number | undefined;
}

/** How often the metrics of a server are collected, and from where. */
export interface MonitoringOptions {
  /** Time between two collections, like `15s`. @default '15s' */
  readonly interval?: string;
}

const SECONDS: ReadonlyMap<string, number> = new Map([
  ['y', 31_536_000],
  ['w', 604_800],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
  ['ms', 0.001],
]);

/** What is wrong with a collection interval; undefined where nothing is. The CRD itself takes any text, Prometheus larger units first. */
export function intervalProblem(interval: string): string | undefined {
  const seconds = [...interval.matchAll(/(\d+(?:\.\d+)?)\s*(ms|[ywdhms])?/g)].reduce(
    (sum, [, number, unit = 's']) => sum + Number(number) * (SECONDS.get(unit) ?? NaN),
    0,
  );
  return seconds > 0 && /^(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?$/.test(interval)
    ? undefined
    : `monitoring interval ${quoted(interval)} is not a duration, expected one like '15s' or '1m'; nearest: '${String(seconds === 0 ? 15 : Math.ceil(seconds))}s'`;
}

/** The metric of a catalogue with a name that comes from configuration. */
export function metricNamed(name: string, catalogue: readonly ServerMetric[]): ServerMetric {
  const metric = catalogue.find((known) => known.name === name);
  if (metric) return metric;
  const successor = catalogue.find((known) => known.name === RETIRED_METRICS.get(name))?.name;
  throw new InvalidInputError([
    successor === undefined
      ? `metric ${quoted(name)} is not known, expected one of ${catalogue.map((known) => `'${known.name}'`).join(', ')}`
      : `metric '${name}' is no longer exported, expected its successor '${successor}'`,
  ]);
}

/** Has Managed Service for Prometheus collect from the pods of a server. */
export function podMonitoring(
  scope: Construct,
  id: string,
  options: {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly selector: Record<string, string>;
    readonly port: number;
    readonly path: string;
    readonly interval: string;
  },
): ApiObject {
  return object(
    scope,
    id,
    PodMonitoring.manifest({
      metadata: { name: options.name, labels: options.labels },
      spec: {
        selector: { matchLabels: options.selector },
        endpoints: [
          {
            port: PodMonitoringSpecEndpointsPort.fromNumber(options.port),
            path: options.path,
            interval: options.interval,
          },
        ],
      },
    }),
  );
}
