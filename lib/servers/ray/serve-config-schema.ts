import { holdsToken } from '../../problems/grammar';
import { type Complaint, type Problem } from '../../problems/problems';
import {
  anything,
  boolean,
  either,
  essential,
  integer,
  list,
  map,
  nonEmpty,
  number,
  object,
  oneOf,
  optional,
  required,
  type Schema,
  string,
  type Type,
} from '../../problems/schema';
import {
  isBefore210,
  type RayActorOptions,
  type RayRuntimeEnv,
  type RayServeApplication,
  type RayServeAutoscalingConfig,
  type RayServeConfig,
  type RayServeDeployment,
  type RayServeHttpOptions,
} from './serve-config';

// ---- types --------------------------------------------------------------------------------------------------------

const aboveZero = (): Type<number> =>
  number((value) =>
    value > 0 && Number.isFinite(value) ? undefined : { problem: 'is not a number above 0', use: '1' },
  );
const zeroOrMore = (): Type<number> =>
  number((value) =>
    value >= 0 && Number.isFinite(value) ? undefined : { problem: 'is not a number of at least 0', use: '0' },
  );

const route = (value: string): Complaint | undefined =>
  /^\/([^{}\s]*[^{}\s/])?$/.test(value)
    ? undefined
    : {
        problem: 'is not a route',
        use: "a path that starts with '/', does not end with '/' and contains neither '{', '}' nor spaces",
        nearest: `/${value.replace(/[{}\s]/g, '').replace(/^\/+|\/+$/g, '')}`,
      };

const importPath = (value: string): Complaint | undefined =>
  /^[^:\s]+:[^:\s]+$|^[^.:\s][^:\s]*\.[^.:\s]+$/.test(value)
    ? undefined
    : { problem: 'is not an import path', use: "'package.module:variable'" };

const remoteUri = (value: string): Complaint | undefined =>
  /^(?!http:)[a-z][a-z0-9+.-]*:\/\/\S+$/.test(value)
    ? undefined
    : { problem: 'is not a remote URI', use: "a URI like 'https://…/main.zip' or 'gs://…/app.zip'" };

const requirement = (value: string): Complaint | undefined =>
  /^[^\s].*$/.test(value)
    ? undefined
    : { problem: 'is not a pip requirement', use: "a requirement like 'flax' or 'jax==0.4.11'" };

/** Accepts names of environment variables that Python's `os.environ` and shells support. */
const variable = (name: string): Complaint | undefined =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
    ? undefined
    : { problem: 'is not a variable name', use: "letters, digits and '_', starting with a letter or '_'" };

/** Accepts strings without a Hugging Face token. The problem does not contain the token. */
const withoutToken = (): Type<string> => ({
  what: 'a string',
  read: (value, path, problems) => {
    const text = string().read(value, path, problems);
    if (text === undefined || !holdsToken(text)) return text;
    problems.add({
      path,
      problem: 'contains a Hugging Face token',
      use: "the prop huggingFaceToken of the worker group: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token')",
    });
    return undefined;
  },
});

/** Accepts values that JSON can represent. */
const json = (): Type<unknown> => ({
  what: 'a JSON value',
  read: (value, path, problems) => {
    if (isJson(value)) return value;
    problems.add({
      path,
      problem: 'is not a JSON value',
      use: 'strings, numbers, booleans, lists and objects',
    });
    return undefined;
  },
});

function isJson(value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean')
    return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isJson);
}

const jsonMap = (): Type<Readonly<Record<string, unknown>>> => map(json());
const amounts = (): Type<Readonly<Record<string, number>>> => map(zeroOrMore());

// ---- schemas ------------------------------------------------------------------------------------------------------

const httpOptions: Schema<RayServeHttpOptions> = {
  properties: {
    host: optional(nonEmpty("an address like '0.0.0.0'")),
    requestTimeoutS: optional(aboveZero()),
    keepAliveTimeoutS: optional(integer(0)),
    rootPath: optional(string(route)),
  },
};

export const RAY_RUNTIME_ENV: Schema<RayRuntimeEnv> = {
  properties: {
    workingDir: optional(string(remoteUri)),
    pyModules: optional(list(string(remoteUri), { what: 'a list of URIs' })),
    pip: optional(list(string(requirement), { what: "a list of requirements, for example ['flax']" })),
    envVars: optional(map(withoutToken(), variable)),
    config: optional(
      object<NonNullable<RayRuntimeEnv['config']>>({
        properties: {
          setupTimeoutSeconds: optional(either((value) => value === -1, anything<number>(), integer(1))),
          eagerInstall: optional(boolean()),
        },
      }),
    ),
  },
};

const scaling: Schema<RayServeAutoscalingConfig> = {
  properties: {
    minReplicas: optional(integer(0)),
    initialReplicas: optional(integer(0)),
    maxReplicas: optional(integer(1)),
    targetOngoingRequests: optional(aboveZero()),
    metricsIntervalS: optional(aboveZero()),
    lookBackPeriodS: optional(aboveZero()),
    upscaleDelayS: optional(zeroOrMore()),
    downscaleDelayS: optional(zeroOrMore()),
    upscalingFactor: optional(aboveZero()),
    downscalingFactor: optional(aboveZero()),
  },
  rules: [
    function* ({ minReplicas = 1, maxReplicas = 1, initialReplicas = minReplicas }) {
      if (maxReplicas < minReplicas)
        yield {
          path: 'maxReplicas',
          value: maxReplicas,
          problem: `is less than minReplicas (${String(minReplicas)})`,
          use: `at least ${String(minReplicas)}`,
        };
      else if (initialReplicas < minReplicas || initialReplicas > maxReplicas)
        yield {
          path: 'initialReplicas',
          value: initialReplicas,
          problem: 'is not between minReplicas and maxReplicas',
          use: `a number from ${String(minReplicas)} to ${String(maxReplicas)}`,
        };
    },
  ],
};

const actorOptions: Schema<RayActorOptions> = {
  properties: {
    numCpus: optional(zeroOrMore()),
    memory: optional(integer(0, Number.MAX_SAFE_INTEGER)),
    resources: optional(amounts()),
    runtimeEnv: optional(object(RAY_RUNTIME_ENV)),
  },
};

const deployment: Schema<RayServeDeployment> = {
  properties: {
    name: required(nonEmpty('the name of the class or function'), 'Deployment'),
    numReplicas: optional(either((value) => typeof value === 'string', oneOf('auto'), integer(1))),
    maxOngoingRequests: optional(integer(1)),
    maxQueuedRequests: optional(either((value) => value === -1, anything<number>(), integer(1))),
    userConfig: optional(jsonMap()),
    autoscalingConfig: optional(object(scaling)),
    gracefulShutdownWaitLoopS: optional(zeroOrMore()),
    gracefulShutdownTimeoutS: optional(zeroOrMore()),
    healthCheckPeriodS: optional(aboveZero()),
    healthCheckTimeoutS: optional(aboveZero()),
    rayActorOptions: optional(object(actorOptions)),
    placementGroupBundles: optional(list(amounts(), { min: 1, what: 'a list of at least one bundle' })),
    placementGroupStrategy: optional(oneOf('PACK', 'SPREAD', 'STRICT_PACK', 'STRICT_SPREAD')),
    maxReplicasPerNode: optional(integer(1, 100)),
  },
  rules: [
    function* ({ numReplicas, autoscalingConfig, maxReplicasPerNode, placementGroupBundles: bundles }) {
      if (typeof numReplicas === 'number' && autoscalingConfig !== undefined)
        yield {
          path: 'numReplicas',
          value: numReplicas,
          problem: 'is set together with autoscalingConfig',
          use: "one of them, or 'auto'",
        };
      if (maxReplicasPerNode !== undefined && bundles !== undefined)
        yield {
          path: 'maxReplicasPerNode',
          value: maxReplicasPerNode,
          problem: 'is set together with placementGroupBundles',
          use: 'one of them',
        };
    },
    function* ({ rayActorOptions, placementGroupBundles: bundles }) {
      const [first] = bundles ?? [];
      for (const [resource, amount] of Object.entries(first ? (rayActorOptions?.resources ?? {}) : {}))
        if (amount > (first?.[resource] ?? 0))
          yield {
            path: `rayActorOptions.resources[${resource}]`,
            value: amount,
            problem: 'is more than placementGroupBundles[0] has, the bundle in which the replica runs',
            use: `at most ${String(first?.[resource] ?? 0)}`,
          };
    },
  ],
};

/** Yields a problem for each item of a list whose key an earlier item has. */
function* repeated<T>(
  items: readonly T[],
  listName: string,
  prop: string,
  keyOf: (item: T) => string | null,
): Iterable<Problem> {
  for (const [index, item] of items.entries()) {
    const key = keyOf(item);
    const first = items.findIndex((other) => keyOf(other) === key);
    if (key !== null && first < index)
      yield {
        path: `${listName}[${String(index)}].${prop}`,
        value: key,
        problem: `is also the ${prop} of ${listName}[${String(first)}]`,
        use: 'a unique value',
      };
  }
}

const application: Schema<RayServeApplication> = {
  properties: {
    name: required(nonEmpty("a name, like 'my-model'"), 'my-model'),
    importPath: required(string(importPath), 'package.module:variable'),
    routePrefix: optional(either((value) => value === null, anything<null>(), string(route))),
    args: optional(jsonMap()),
    runtimeEnv: optional(object(RAY_RUNTIME_ENV)),
    deployments: optional(list(object(deployment))),
  },
  rules: [({ deployments = [] }) => repeated(deployments, 'deployments', 'name', (one) => one.name)],
};

const repeatedNames = ({ applications }: RayServeConfig): Iterable<Problem> =>
  repeated(applications, 'applications', 'name', ({ name }) => name);
const repeatedRoutes = ({ applications }: RayServeConfig): Iterable<Problem> =>
  repeated(applications, 'applications', 'routePrefix', ({ routePrefix = '/' }) => routePrefix);

export const RAY_SERVE_CONFIG: Schema<RayServeConfig> = {
  properties: {
    applications: essential(
      list(object(application), {
        min: 1,
        what: 'a list of at least one application, with name and importPath',
      }),
      "[{ name: 'my-model', importPath: 'package.module:variable' }]",
    ),
    httpOptions: optional(object(httpOptions)),
  },
  rules: [repeatedNames, repeatedRoutes],
};

// ---- rules about the cluster --------------------------------------------------------------------------------------

/** The size and version of the cluster that applications run on. */
export interface RayClusterSize {
  /** Version of Ray, like `2.9.0`; undefined if not known. */
  readonly rayVersion: string | undefined;
  /** Number of TPU chips of the largest host. */
  readonly chipsPerHost: number;
  /** Number of TPU chips of all groups at their largest size. */
  readonly chips: number;
}

/** Name of Ray's resource for `google.com/tpu`. */
const CHIP = 'TPU';

/**
 * Yields the problems of a configuration on a cluster: options that its version of Ray does not support, and chips that it does not have.
 */
export function* serveProblems(config: RayServeConfig, size: RayClusterSize): Iterable<Problem> {
  for (const [index, { deployments = [] }] of config.applications.entries())
    for (const [position, one] of deployments.entries())
      for (const problem of deploymentProblems(one, size))
        yield {
          ...problem,
          path: `applications[${String(index)}].deployments[${String(position)}].${problem.path}`,
        };

  const asked = config.applications
    .flatMap(({ deployments = [] }) => deployments)
    .reduce((sum, one) => sum + fewestReplicas(one) * chipsOf(one), 0);
  if (asked > size.chips)
    yield {
      path: 'applications',
      problem: `request ${String(asked)} TPU chips, but the worker groups have ${String(size.chips)}`,
      use: 'fewer replicas or chips, or more slices',
    };
}

function* deploymentProblems(
  { numReplicas, maxQueuedRequests, rayActorOptions, placementGroupBundles = [] }: RayServeDeployment,
  { rayVersion, chipsPerHost }: RayClusterSize,
): Iterable<Problem> {
  if (isBefore210(rayVersion)) {
    const unknown = { problem: `needs Ray 2.10 or later; the image has ${rayVersion ?? ''}` };
    if (numReplicas === 'auto') yield { path: 'numReplicas', value: numReplicas, ...unknown };
    if (maxQueuedRequests !== undefined)
      yield { path: 'maxQueuedRequests', value: maxQueuedRequests, ...unknown };
  }
  const requests = [
    { path: `rayActorOptions.resources[${CHIP}]`, chips: rayActorOptions?.resources?.[CHIP] },
    ...placementGroupBundles.map((bundle, index) => ({
      path: `placementGroupBundles[${String(index)}][${CHIP}]`,
      chips: bundle[CHIP],
    })),
  ];
  for (const { path, chips } of requests)
    if (chips !== undefined && !(Number.isInteger(chips) && chips <= chipsPerHost))
      yield {
        path,
        value: chips,
        problem: `does not fit on a host with ${String(chipsPerHost)} chips`,
        use: `a whole number up to ${String(chipsPerHost)}, and placementGroupBundles with one bundle for each host if a model needs several hosts`,
      };
}

/** Returns the smallest number of replicas of a deployment. */
const fewestReplicas = ({ numReplicas, autoscalingConfig }: RayServeDeployment): number =>
  typeof numReplicas === 'number' ? numReplicas : (autoscalingConfig?.minReplicas ?? 1);

/** Returns the chips of one replica and of the actors that it starts. */
const chipsOf = ({ placementGroupBundles, rayActorOptions }: RayServeDeployment): number =>
  (placementGroupBundles ?? [rayActorOptions?.resources ?? {}]).reduce(
    (sum, bundle) => sum + (bundle[CHIP] ?? 0),
    0,
  );
