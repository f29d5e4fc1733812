import { type ApiObject } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { type ScaledObjectProps } from '../../imports/keda.sh';
import { projectId } from '../problems/google-cloud';
import { type Operations } from '../operations/operations';
import { dnsSubdomain, type Grammar, singleLine } from '../problems/grammar';
import {
  integer,
  map,
  type NamedResource,
  nameOf,
  object as objectType,
  optional,
  resourceName,
  type Schema,
  string,
  type Type,
} from '../problems/schema';
import { object } from './objects';
import { KINDS } from '../facts/rendered';
import { manifest } from './plain';

/** How KEDA reads a metric. */
export interface KedaOptions {
  /** ID of the project whose Managed Service for Prometheus has the metric. @default - none; required without `serverAddress` */
  readonly projectId?: string;
  /** Address of a Prometheus server, like the frontend of Managed Service for Prometheus. @default - Google's address for `projectId` */
  readonly serverAddress?: string;
  /**
   * Labels that the query matches in addition to `job`, the name of the PodMonitoring, and the chart's namespace. Set `cluster` if several
   * clusters of the project have a server with this name.
   *
   * @default - none
   */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Time between two queries, in seconds. @default 30 */
  readonly pollingInterval?: number;
  /**
   * The TriggerAuthentication that KEDA uses, in the namespace of the server: its name, or an object that renders it.
   *
   * @default - none: for Google's address, KEDA uses the Google credentials of its operator
   */
  readonly authenticationRef?: string | NamedResource;
}

/** KEDA's default: https://keda.sh/docs/latest/reference/scaledobject-spec/#pollinginterval */
const POLLING_SECONDS = 30;

/** Addresses of Prometheus servers. */
const address: Grammar = (value) =>
  /^https?:\/\/[^\s/]+(\/\S*)?$/.test(value)
    ? undefined
    : {
        problem: 'is not the address of a Prometheus server',
        use: 'a URL',
        nearest: 'http://frontend.monitoring.svc:9090',
      };

/** Names of Prometheus labels. */
const labelName: Grammar = (value) =>
  /^[a-zA-Z_]\w*$/.test(value)
    ? undefined
    : {
        problem: 'is not the name of a Prometheus label',
        use: "letters, digits and '_', starting with a letter or '_'",
        nearest: value.replace(/\W+/g, '_').replace(/^(?=\d)/, '_'),
      };

const KEDA: Schema<KedaOptions> = {
  properties: {
    projectId: optional(string(projectId)),
    serverAddress: optional(string(address)),
    matchLabels: optional(map(string(singleLine), labelName)),
    pollingInterval: optional(integer(1)),
    authenticationRef: optional(resourceName(dnsSubdomain, 'TriggerAuthentication')),
  },
  rules: [
    (_, given) => {
      const both = given.projectId !== undefined && given.serverAddress !== undefined;
      const none = given.projectId === undefined && given.serverAddress === undefined;
      return [
        both
          ? { path: 'serverAddress', problem: 'is set together with projectId', use: 'one of them' }
          : undefined,
        none ? { path: 'projectId', problem: "required, for example 'my-project'" } : undefined,
      ];
    },
  ],
};

/** Returns what KEDA needs to scale a workload. For Google's address without `authenticationRef`, it uses its own credentials. */
export const kedaNeeds = (
  scales: string,
  { projectId: project, authenticationRef }: KedaOptions,
): NonNullable<Operations['keda']> => ({
  scales,
  monitoredProject: authenticationRef === undefined ? project : undefined,
});

/** Options of KEDA. */
export const kedaType: Type<KedaOptions> = objectType(KEDA, "an object like { projectId: 'my-project' }");

/**
 * Returns the address of Managed Service for Prometheus in the form that KEDA's scaler expects.
 *
 * @see https://github.com/kedacore/keda/blob/v2.20.2/pkg/scalers/prometheus_scaler.go
 */
const googleAddress = (project: string): string =>
  `https://monitoring.googleapis.com/v1/projects/${project}/location/global/prometheus`;

/** Returns a text in quotes for PromQL. */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n')}"`;

/** A query and the value that KEDA aims for. */
interface KedaTrigger {
  /** Name of the trigger, required if there are several. @default - none */
  readonly name?: string;
  readonly query: string;
  readonly threshold: number;
  /** Whether the threshold applies to the mean of the replicas, or to their total. @default 'AverageValue' */
  readonly metricType?: 'AverageValue' | 'Value';
}

/** The parts of a ScaledObject. */
interface Scaled {
  readonly metadata: k8s.ObjectMeta;
  readonly target: ApiObject;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly behavior: k8s.HorizontalPodAutoscalerBehaviorV2;
  readonly keda: KedaOptions;
  /** Time without load before the last replica is removed, in seconds. @default - the last replica stays */
  readonly cooldownPeriod?: number | undefined;
  readonly triggers: readonly KedaTrigger[];
}

/**
 * Returns a query for a metric over all its series.
 *
 * @param over - how to combine the series
 * @param labels - labels of the series; undefined values are left out
 */
export function promQl(
  over: 'sum' | 'max',
  metric: string,
  labels: Readonly<Record<string, string | undefined>>,
): string {
  const matchers = Object.entries(labels).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${quoted(value)}`],
  );
  return `${over}(${metric}{${matchers.join(',')}})`;
}

/**
 * Scales a Deployment or LeaderWorkerSet by values from Prometheus. KEDA creates the HorizontalPodAutoscaler.
 *
 * @see https://keda.sh/docs/latest/reference/scaledobject-spec/
 */
export function scaledObject(scope: Construct, id: string, scaled: Scaled): ApiObject {
  const { target, keda } = scaled;
  const { authenticationRef } = keda;
  return object(
    scope,
    id,
    manifest<ScaledObjectProps>(KINDS.ScaledObject, {
      metadata: scaled.metadata,
      spec: {
        scaleTargetRef: { apiVersion: target.apiVersion, kind: target.kind, name: target.name },
        pollingInterval: keda.pollingInterval ?? POLLING_SECONDS,
        cooldownPeriod: scaled.cooldownPeriod,
        minReplicaCount: scaled.minReplicas,
        maxReplicaCount: scaled.maxReplicas,
        advanced: { horizontalPodAutoscalerConfig: { behavior: scaled.behavior } },
        triggers: scaled.triggers.map(({ name, query, threshold, metricType = 'AverageValue' }) => ({
          name,
          type: 'prometheus',
          metricType,
          metadata: {
            serverAddress: keda.serverAddress ?? googleAddress(keda.projectId ?? ''),
            query,
            threshold: String(threshold),
          },
          authenticationRef:
            authenticationRef === undefined ? undefined : { name: nameOf(authenticationRef) },
        })),
      },
    }),
  );
}
