import { type ApiObject } from 'cdk8s';
import { type Construct } from 'constructs';
import { PodMonitoring, PodMonitoringSpecEndpointsPort } from '../../imports/monitoring.googleapis.com';
import { InvalidInputError } from '../problems';
import { object } from './objects';

/** A metric that a server exports, as Prometheus sees it. */
export interface ServerMetric {
  /** Its name, like `vllm:num_requests_waiting`. */
  readonly name: string;
  /** Only a gauge can drive an autoscaler: a counter never falls. */
  readonly type: 'gauge' | 'counter' | 'histogram';
}

/** How often the metrics of a server are collected, and from where. */
export interface MonitoringOptions {
  /** Time between two collections, like `15s`. @default '15s' */
  readonly interval?: string;
}

/** What is wrong with a collection interval; undefined where nothing is. The CRD itself takes any text. */
export function intervalProblem(interval: string): string | undefined {
  return /^([0-9]+(ms|s|m|h))+$/.test(interval)
    ? undefined
    : `monitoring interval '${interval}' is not a duration, expected one like '15s' or '1m'; nearest: '${/\d+/.exec(interval)?.[0] ?? '15'}s'`;
}

/** The metric of a catalogue with a name that comes from configuration. */
export function metricNamed(
  name: string,
  catalogue: readonly ServerMetric[],
  retired: Readonly<Record<string, string>>,
): ServerMetric {
  const metric = catalogue.find((known) => known.name === name);
  if (metric) return metric;
  const successor = retired[name];
  throw new InvalidInputError([
    successor === undefined
      ? `metric '${name}' is not known, expected one of ${catalogue.map((known) => `'${known.name}'`).join(', ')}`
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
