import { INFERENCE_GATEWAY_CLASSES } from '../facts/gateway';
import {
  dnsLabel,
  dnsSubdomain,
  type Grammar,
  hostName,
  labelKey,
  labelValue,
  podLabel,
  singleLine,
  urlPath,
} from '../problems/grammar';
import { type Problem } from '../problems/problems';
import {
  boolean,
  either,
  essential,
  instance,
  list,
  map,
  type NamedResource,
  nameOf,
  object,
  oneOf,
  optional,
  resourceName,
  type Schema,
  string,
} from '../problems/schema';
import { type InferencePool } from './inference-pool';

/** Requests that go to a pool. */
export interface InferenceRoute {
  /** Where the requests go. */
  readonly pool: InferencePool;
  /** Name of the HTTPRoute. @default - the name of the pool */
  readonly name?: string;
  /** Host names of the requests. @default - all */
  readonly hostnames?: readonly string[];
  /** Start of the path of the requests; the servers get the path unchanged. @default '/' */
  readonly path?: string;
  /** Headers that the requests must have, with their exact values. @default - none */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Base model of the requests, as the payload processor reads it from their body and writes it into a header. Needed only if several
   * models share host and path.
   *
   * @default - any
   */
  readonly model?: string;
  /** LoRA adapters of `model` and other names of it, as clients send them. @default - none */
  readonly adapters?: readonly string[];
}

/** Namespaces whose routes a gateway accepts: its own, all, or those with labels. */
export type AllowedRoutes =
  | 'Same'
  | 'All'
  | {
      /** Labels that a namespace must have. */
      readonly matchLabels: Readonly<Record<string, string>>;
    };

/** Properties of a gateway in front of pools. */
export interface InferenceGatewayProps {
  /** Name of the Gateway. @default - the construct's id */
  readonly name?: string;
  /** Namespace of the Gateway: its name, or a `Namespace` of cdk8s-plus. @default - the chart's, or `default` */
  readonly namespace?: string | NamedResource;
  /** Labels of all objects. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Kind of load balancer: `gke-l7-rilb` in the VPC network, or `gke-l7-regional-external-managed` on the internet. */
  readonly gatewayClassName: (typeof INFERENCE_GATEWAY_CLASSES)[number];
  /** Which requests go to which pool. */
  readonly routes: readonly InferenceRoute[];
  /** Secrets with certificates, in the namespace of the Gateway; they open port 443 for HTTPS. @default - none: only HTTP */
  readonly certificates?: readonly (string | NamedResource)[];
  /** Whether port 80 is open for HTTP. @default - only without `certificates` */
  readonly http?: boolean;
  /** Namespaces whose routes the Gateway accepts. @default 'Same' */
  readonly allowedRoutes?: AllowedRoutes;
}

const POOL = "new InferencePool(chart, 'pool', { servers: [server] })";

/** Values of headers, names of base models, which routes match as a header, and names of adapters. */
const headerValue: Grammar = (value) =>
  value.trim() === '' ? { problem: 'is empty', use: 'a string' } : singleLine(value);

const ROUTE: Schema<InferenceRoute> = {
  properties: {
    pool: essential(instance<InferencePool>('InferencePool', POOL), POOL),
    name: optional(string(dnsSubdomain)),
    hostnames: optional(list(string(hostName), { min: 1, what: 'a list of host names' })),
    path: optional(string(urlPath)),
    headers: optional(map(string(headerValue), headerName, 'an object of headers and values')),
    model: optional(string(headerValue)),
    adapters: optional(list(string(headerValue), { what: 'a list of names' })),
  },
  rules: [
    ({ model, adapters = [] }) => [
      adapters.length > 0 && model === undefined
        ? {
            path: 'model',
            problem: 'required, because adapters has names of it',
            use: "like 'Qwen/Qwen3-32B'",
          }
        : undefined,
    ],
  ],
};

/** The properties of a gateway. */
export const INFERENCE_GATEWAY: Schema<InferenceGatewayProps> = {
  properties: {
    name: optional(string(dnsLabel())),
    namespace: optional(resourceName(podLabel, 'Namespace')),
    labels: optional(map(string(labelValue), labelKey)),
    gatewayClassName: {
      type: oneOf(...INFERENCE_GATEWAY_CLASSES),
      required: true,
      example: `'${INFERENCE_GATEWAY_CLASSES[0]}'`,
      standIn: INFERENCE_GATEWAY_CLASSES[0],
    },
    routes: essential(list(object(ROUTE), { min: 1, what: 'a list of routes' }), '[{ pool }]'),
    certificates: optional(list(resourceName(dnsSubdomain, 'Secret'), { min: 1, what: 'a list of Secrets' })),
    http: optional(boolean()),
    allowedRoutes: optional(
      either(
        (value) => typeof value === 'string',
        oneOf('Same', 'All'),
        object<Exclude<AllowedRoutes, string>>({
          properties: {
            matchLabels: {
              type: map(string(labelValue), labelKey),
              required: true,
              example: "{ team: 'search' }",
            },
          },
        }),
      ),
    ),
  },
  rules: [routeProblems, modelProblems, listenerProblems],
};

function headerName(value: string): { problem: string; use: string } | undefined {
  return /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/.test(value)
    ? undefined
    : { problem: 'is not the name of a header', use: "a name like 'x-team'" };
}

/** The namespace of objects whose chart names none. */
export const DEFAULT_NAMESPACE = 'default';

/** Name of the HTTPRoute of a route. */
export const routeName = ({ name, pool }: InferenceRoute): string => name ?? pool.poolName;

/** Everything by which requests are told apart, of each host name. */
const matchesOf = ({
  hostnames = ['*'],
  path = '/',
  headers = {},
  model,
}: InferenceRoute): readonly string[] =>
  hostnames.map((host) => JSON.stringify([host, path, Object.entries(headers).sort(), model]));

function* routeProblems({
  routes,
  namespace,
  allowedRoutes = 'Same',
}: InferenceGatewayProps): Iterable<Problem> {
  const own = nameOf(namespace ?? DEFAULT_NAMESPACE);
  for (const [index, route] of routes.entries()) {
    const path = `routes[${String(index)}]`;
    const others = routes.slice(0, index);
    if (others.some((other) => matchesOf(other).some((one) => matchesOf(route).includes(one))))
      yield {
        path,
        value: routeName(route),
        problem: 'matches the same requests as another route',
        use: 'another hostname, path, header or model',
      };
    if (
      others.some(
        (other) => routeName(other) === routeName(route) && other.pool.namespace === route.pool.namespace,
      )
    )
      yield {
        path: `${path}.name`,
        value: routeName(route),
        problem: 'is the name of another route',
        use: 'another name',
      };
    if (allowedRoutes === 'Same' && route.pool.namespace !== own)
      yield {
        path: `${path}.pool`,
        value: route.pool.poolName,
        problem: `is in namespace '${route.pool.namespace}', and the Gateway accepts only routes of its own, '${own}'`,
        use: "allowedRoutes: 'All'",
      };
  }
}

/** The payload processor maps each name to one model, and a pool has the requests of one model. */
function* modelProblems({ routes }: InferenceGatewayProps): Iterable<Problem> {
  const models = new Map<string, string>();
  for (const [index, { pool, model, adapters = [] }] of routes.entries()) {
    if (model === undefined) continue;
    const path = `routes[${String(index)}]`;
    const other = routes.slice(0, index).find((one) => one.pool === pool && one.model !== undefined)?.model;
    if (other !== undefined && other !== model)
      yield {
        path: `${path}.model`,
        value: model,
        problem: `is another model than '${other}' of the same pool`,
        use: `model: '${other}', with '${model}' in adapters`,
      };
    for (const name of [model, ...adapters]) {
      const known: string = models.get(name) ?? model;
      models.set(name, known);
      if (known !== model)
        yield { path, value: name, problem: `is a name of model '${known}' too`, use: 'each name once' };
    }
  }
}

function* listenerProblems({ certificates, http }: InferenceGatewayProps): Iterable<Problem> {
  if (http === false && certificates === undefined)
    yield {
      path: 'http',
      value: false,
      problem: 'leaves the Gateway without a port',
      use: 'certificates, for HTTPS',
    };
}
