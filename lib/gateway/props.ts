import { FILTERS, LONGEST_TIMEOUT_SECONDS, PICKERS, SCORERS } from '../facts/gateway';
import { type PodFragment, type ResourceRequirements } from '../pod/fragment';
import { fragmentType, resourcesType } from '../pod/fragment-type';
import { type PodSecurityLevel } from '../pod/security';
import { dnsLabel, dnsSubdomain, image, labelKey, labelValue, podLabel } from '../problems/grammar';
import { type Problem } from '../problems/problems';
import {
  anyObject,
  boolean,
  essential,
  integer,
  list,
  map,
  type NamedResource,
  nonEmpty,
  number,
  object,
  oneOf,
  optional,
  type Property,
  required,
  resourceName,
  type Schema,
  string,
} from '../problems/schema';
import { type MonitoringOptions, monitoringType } from '../workload/monitoring';
import { cidr } from '../workload/network-policy';
import { type PoolAutoscalingOptions, poolAutoscalingType } from './autoscaling';
import { type FlowControlOptions, flowControlType } from './flow-control';
import { type PoolServer, poolServerType } from './members';

/** A plugin in the picker's configuration. */
export interface EndpointPickerPlugin<Type extends string = string> {
  /** Type of the plugin, like `queue-scorer`. */
  readonly type: Type;
  /** Name of the plugin; two plugins of the same type need names. @default - the type */
  readonly name?: string;
  /** Parameters of the plugin, named as in its documentation. @default - none */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** A scorer: it rates the servers for each request. */
export interface EndpointScorer extends EndpointPickerPlugin<(typeof SCORERS)[number]> {
  /** Weight of the rating, relative to the other scorers. */
  readonly weight: number;
}

/** A filter: it excludes servers. */
export type EndpointFilter = EndpointPickerPlugin<(typeof FILTERS)[number]>;

/** How the endpoint picker runs, and how it chooses servers. */
export interface EndpointPickerProps {
  /** Container image. @default 'ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.10.0' */
  readonly image?: string;
  /** Number of pickers. One picker is the leader, and the others wait. @default 1 */
  readonly replicas?: number;
  /**
   * Plugins that rate the servers.
   *
   * @default - queue-scorer with weight 2, kv-cache-utilization-scorer with weight 2, prefix-cache-scorer with weight 3
   */
  readonly scorers?: readonly EndpointScorer[];
  /** Plugins that exclude servers before the scorers rate them. @default - none */
  readonly filters?: readonly EndpointFilter[];
  /** Plugin that chooses one of the rated servers. @default - the picker's default, which chooses the highest rating */
  readonly picker?: EndpointPickerPlugin<(typeof PICKERS)[number]>;
  /** Plugins that the other plugins need, like the producers of their data. @default - plugins that read the servers' metrics */
  readonly plugins?: readonly EndpointPickerPlugin[];
  /**
   * Flow control, which holds requests back while no server has room for them; `{}` turns it on.
   *
   * @default - off: requests wait in the servers
   */
  readonly flowControl?: FlowControlOptions;
  /** Secrets with the credentials of a private registry. @default - none */
  readonly imagePullSecrets?: readonly (string | NamedResource)[];
  /** CPU and memory of the picker. @default - requests for 4 CPUs and 8Gi, and a limit of 16Gi */
  readonly resources?: ResourceRequirements;
  /** Fields of the picker's pod that no prop covers. @default - none */
  readonly fragments?: readonly PodFragment[];
  /** Strictest level of the Pod Security Standards that admits the picker's pods. @default 'baseline' */
  readonly podSecurityLevel?: PodSecurityLevel;
}

/** A name that clients send, and the models or adapters that serve its requests. */
export interface ModelRewrite {
  /** Name that clients send. */
  readonly model: string;
  /** Models or LoRA adapters that receive the requests, by their names on the server. Set a weight for all of them or for none. */
  readonly targets: readonly { readonly model: string; readonly weight?: number }[];
}

/** How the load balancer checks the health of the servers. */
export interface HealthCheckOptions {
  /** Time between two checks, in seconds. @default 2 */
  readonly checkIntervalSec?: number;
  /** Longest time that a check waits for an answer, in seconds. @default 2 */
  readonly timeoutSec?: number;
}

/** Properties of a pool of model servers. */
export interface InferencePoolProps {
  /** Name of the pool, and prefix of the names of the objects around it. @default - the construct's id */
  readonly name?: string;
  /** Namespace of the pool's objects and of its servers: its name, or a `Namespace` of cdk8s-plus. @default - the chart's, or `default` */
  readonly namespace?: string | NamedResource;
  /** Labels of all objects. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** The servers, which must serve the same model. */
  readonly servers: readonly PoolServer[];
  /** Longest duration of a request, in seconds. @default 3600 */
  readonly requestTimeoutSeconds?: number;
  /**
   * Handling of requests while no picker answers: `'FailOpen'` sends them to any server, `'FailClose'` rejects them.
   *
   * @default 'FailOpen'
   */
  readonly failureMode?: 'FailOpen' | 'FailClose';
  /** The endpoint picker. @default - one picker */
  readonly endpointPicker?: EndpointPickerProps;
  /** Health checks of the load balancer. @default - every 2 seconds */
  readonly healthCheck?: HealthCheckOptions;
  /** Whether the load balancer logs requests. @default true */
  readonly logging?: boolean;
  /** Scales the replicas of the pool's server by metrics of the picker. @default - none: each server sets its own replicas */
  readonly autoscaling?: PoolAutoscalingOptions;
  /** Collection of the picker's metrics; `false` turns it off. @default - every 10 seconds */
  readonly monitoring?: MonitoringOptions | false;
  /** Names that clients send for LoRA adapters, and aliases of the model; requires the CRD InferenceModelRewrite. @default - none */
  readonly modelRewrites?: readonly ModelRewrite[];
  /** Priorities of requests by the name that clients send; requires the CRD InferenceObjective. @default - none */
  readonly objectives?: Readonly<Record<string, number>>;
  /**
   * Range of the region's proxy-only subnet, like `10.129.0.0/23`. NetworkPolicies then admit the load balancer to the picker and to the
   * servers. Required if a server has `allowedClients`.
   *
   * @default - the picker has no NetworkPolicy
   */
  readonly proxyOnlySubnet?: string;
}

const PLUGIN = {
  name: optional(nonEmpty()),
  parameters: optional(anyObject<Readonly<Record<string, unknown>>>('an object of parameters')),
};
const known = <T extends string>(first: T, ...types: readonly T[]): Property<T, true> => ({
  type: oneOf(first, ...types),
  required: true,
  example: `'${first}'`,
});

const weightOf = (value: number): { problem: string; use: string } | undefined =>
  Number.isFinite(value) && value > 0 ? undefined : { problem: 'is not a number above 0', use: 'like 1' };

const ANY_PLUGIN: Schema<EndpointPickerPlugin> = {
  properties: {
    ...PLUGIN,
    type: required(nonEmpty(), 'inflight-load-producer'),
  },
};

const ENDPOINT_PICKER: Schema<EndpointPickerProps> = {
  properties: {
    image: optional(string(image)),
    replicas: optional(integer(1)),
    scorers: optional(
      list(
        object<EndpointScorer>({
          properties: { ...PLUGIN, type: known(...SCORERS), weight: required(number(weightOf), 1) },
        }),
        { min: 1, what: 'a list of scorers' },
      ),
    ),
    filters: optional(
      list(object<EndpointFilter>({ properties: { ...PLUGIN, type: known(...FILTERS) } }), {
        what: 'a list of filters',
      }),
    ),
    picker: optional(
      object<EndpointPickerPlugin<(typeof PICKERS)[number]>>({
        properties: { ...PLUGIN, type: known(...PICKERS) },
      }),
    ),
    plugins: optional(list(object(ANY_PLUGIN), { what: 'a list of plugins' })),
    flowControl: optional(flowControlType),
    imagePullSecrets: optional(list(resourceName(dnsSubdomain, 'Secret'), { what: 'a list of Secrets' })),
    resources: optional(resourcesType),
    fragments: optional(list(fragmentType, { what: 'a list of fragments' })),
    podSecurityLevel: optional(oneOf('restricted', 'baseline', 'privileged')),
  },
  rules: [uniqueNames],
};

/** Yields the plugins that share a name, because the configuration refers to plugins by name. */
function* uniqueNames({
  scorers = [],
  filters = [],
  plugins = [],
  picker,
}: EndpointPickerProps): Iterable<Problem> {
  const named = [
    ...scorers.map((one, index) => [`scorers[${String(index)}]`, one.name ?? one.type] as const),
    ...filters.map((one, index) => [`filters[${String(index)}]`, one.name ?? one.type] as const),
    ...plugins.map((one, index) => [`plugins[${String(index)}]`, one.name ?? one.type] as const),
    ...(picker ? [['picker', picker.name ?? picker.type] as const] : []),
  ];
  const names = named.map(([, name]) => name);
  for (const [index, [path, name]] of named.entries())
    if (names.indexOf(name) < index)
      yield { path, value: name, problem: 'is the name of another plugin', use: 'a unique name' };
}

const REWRITE: Schema<ModelRewrite> = {
  properties: {
    model: required(nonEmpty(), 'support'),
    targets: {
      type: list(
        object<ModelRewrite['targets'][number]>({
          properties: {
            model: required(nonEmpty(), 'support-lora'),
            weight: optional(integer(1, 1_000_000)),
          },
        }),
        { min: 1, what: 'a list of models' },
      ),
      required: true,
      example: "[{ model: 'support-lora' }]",
    },
  },
  rules: [
    ({ targets }) => [
      new Set(targets.map(({ weight }) => weight === undefined)).size > 1
        ? {
            path: 'targets',
            problem: 'have a weight only in part',
            use: 'a weight for all targets or for none',
          }
        : undefined,
    ],
  ],
};

const HEALTH_CHECK: Schema<HealthCheckOptions> = {
  properties: { checkIntervalSec: optional(integer(1, 300)), timeoutSec: optional(integer(1, 300)) },
  rules: [
    ({ checkIntervalSec = 2, timeoutSec = 2 }) => [
      timeoutSec > checkIntervalSec
        ? {
            path: 'timeoutSec',
            value: timeoutSec,
            problem: `is longer than checkIntervalSec, ${String(checkIntervalSec)}`,
            use: `at most ${String(checkIntervalSec)}`,
          }
        : undefined,
    ],
  ],
};

/** The properties of a pool. */
export const INFERENCE_POOL: Schema<InferencePoolProps> = {
  properties: {
    name: optional(string(dnsLabel(59))),
    namespace: optional(resourceName(podLabel, 'Namespace')),
    labels: optional(map(string(labelValue), labelKey)),
    servers: essential(list(poolServerType, { min: 1, what: 'a list of servers' }), '[server]'),
    requestTimeoutSeconds: optional(integer(1, LONGEST_TIMEOUT_SECONDS)),
    failureMode: optional(oneOf('FailOpen', 'FailClose')),
    endpointPicker: optional(object(ENDPOINT_PICKER)),
    healthCheck: optional(object(HEALTH_CHECK)),
    logging: optional(boolean()),
    autoscaling: optional(poolAutoscalingType),
    monitoring: optional(monitoringType),
    modelRewrites: optional(list(object(REWRITE), { what: 'a list of rewrites' })),
    objectives: optional(
      map(integer(-(2 ** 31), 2 ** 31 - 1), dnsSubdomain, 'an object of names and priorities'),
    ),
    proxyOnlySubnet: optional(string(cidr)),
  },
};
