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

/** A route: which requests go to which pool. */
export interface InferenceRoute {
  /** The pool that receives the requests. */
  readonly pool: InferencePool;
  /** Name of the HTTPRoute. @default - the name of the pool */
  readonly name?: string;
  /** Host names of the requests. @default - any */
  readonly hostnames?: readonly string[];
  /** Path prefix of the requests; the servers receive the path unchanged. @default '/' */
  readonly path?: string;
  /** Headers of the requests, with their exact values. @default - any */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Base model of the requests, which the payload processor reads from their body and writes into a header. Set it only if several models
   * share host and path.
   *
   * @default - any
   */
  readonly model?: string;
  /** Other names that clients send for `model`: its LoRA adapters and aliases. @default - none */
  readonly adapters?: readonly string[];
}

/** Namespaces whose routes a gateway accepts: its own, all, or those with these labels. */
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
  /** GatewayClass of the load balancer: `gke-l7-rilb` in the VPC network, or `gke-l7-regional-external-managed` on the internet. */
  readonly gatewayClassName: (typeof INFERENCE_GATEWAY_CLASSES)[number];
  /** The routes, each to a pool. */
  readonly routes: readonly InferenceRoute[];
  /**
   * Secrets with certificates, in the namespace of the Gateway; with them, the Gateway serves HTTPS on port 443.
   *
   * @default - none: only HTTP
   */
  readonly certificates?: readonly (string | NamedResource)[];
  /** Whether the Gateway serves HTTP on port 80. @default - true without `certificates`, false with them */
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
            problem: 'required with adapters, which are other names of the model',
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

/** Namespace of objects whose chart does not set one. */
export const DEFAULT_NAMESPACE = 'default';

/** Returns the name of the HTTPRoute of a route. */
export const routeName = ({ name, pool }: InferenceRoute): string => name ?? pool.poolName;

/** Returns, for each host name of a route, a text of everything that the route matches. */
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
        problem: `is in namespace '${route.pool.namespace}', but the Gateway accepts only routes of its own namespace, '${own}'`,
        use: "allowedRoutes: 'All'",
      };
  }
}

/** The payload processor maps each name to one model, and each pool serves one model. */
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
        problem: `differs from '${other}', the model of the same pool`,
        use: `model: '${other}', with '${model}' in adapters`,
      };
    for (const name of [model, ...adapters]) {
      const known: string = models.get(name) ?? model;
      models.set(name, known);
      if (known !== model)
        yield {
          path,
          value: name,
          problem: `is also a name of model '${known}'`,
          use: 'each name for one model',
        };
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
