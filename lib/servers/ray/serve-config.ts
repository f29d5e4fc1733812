import { yamlText } from '../../synth/yaml-text';
import { integer, looksLikeToken, quoted } from '../../problems/validators';
import { type Problems } from '../../problems/problems';

/** What JSON holds. */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * What Ray Serve runs, in the names of its configuration file, camelCased; rendered as `serveConfigV2`. Maps of the user's own (`args`,
 * `envVars`, `resources`, `userConfig`, bundles) keep their keys.
 *
 * @see https://docs.ray.io/en/latest/serve/production-guide/config.html
 */
export interface RayServeConfig {
  /** The applications; at least one. */
  readonly applications: readonly RayServeApplication[];
  /** Options of the HTTP proxies. @default - Ray's */
  readonly httpOptions?: RayServeHttpOptions;
}

/** Options of Ray Serve's HTTP proxies. Their port is always 8000: Services and probes expect it there. */
export interface RayServeHttpOptions {
  /** Time that a request may take, in seconds. @default - no limit */
  readonly requestTimeoutS?: number;
  /** Time that an idle connection stays open, in whole seconds. @default - Ray's */
  readonly keepAliveTimeoutS?: number;
  /** Path before the routes of all applications, like `/serve`. @default - none */
  readonly rootPath?: string;
}

/** An application of Ray Serve. */
export interface RayServeApplication {
  /** Its name, unique in the cluster. */
  readonly name: string;
  /** Where the bound deployment is: `package.module:variable`. */
  readonly importPath: string;
  /** Path that its requests start with, unique in the cluster; `null` for an application without HTTP. @default '/' */
  readonly routePrefix?: string | null;
  /** Arguments of the application's builder. @default - none */
  readonly args?: Readonly<Record<string, JsonValue>>;
  /** Code, packages and environment that it runs in. @default - those of the image */
  readonly runtimeEnv?: RayRuntimeEnv;
  /** What is set differently from the code. @default - nothing */
  readonly deployments?: readonly RayServeDeployment[];
}

/**
 * What Ray sets up before it runs code.
 *
 * @see https://docs.ray.io/en/latest/ray-core/handling-dependencies.html#api-reference
 */
export interface RayRuntimeEnv {
  /** URI of a zip file with the code, like `https://…/main.zip` or `gs://…/app.zip`. @default - none: the code is in the image */
  readonly workingDir?: string;
  /** URIs of further Python modules. @default - none */
  readonly pyModules?: readonly string[];
  /** Lines of a pip requirements file, in their order. @default - none */
  readonly pip?: readonly string[];
  /** Environment variables. @default - none */
  readonly envVars?: Readonly<Record<string, string>>;
  /** How it is set up. @default - Ray's */
  readonly config?: {
    /** Time that the setup may take, in whole seconds; -1 is no limit. @default - Ray's: 600 */
    readonly setupTimeoutSeconds?: number;
    /** Whether it is set up before it is needed. @default - Ray's: true */
    readonly eagerInstall?: boolean;
  };
}

/** Options of one deployment of an application, which override those in its code. */
export interface RayServeDeployment {
  /** Its name in the code: that of the class or function. */
  readonly name: string;
  /** Replicas, or `auto`, which needs Ray 2.10; a number not with `autoscalingConfig`. @default - as in the code */
  readonly numReplicas?: number | 'auto';
  /** Most requests that a replica works on at once; rendered as `max_concurrent_queries` before Ray 2.10. @default - as in the code */
  readonly maxOngoingRequests?: number;
  /** Most requests that wait at each caller, or -1 for no limit; needs Ray 2.10. @default - as in the code */
  readonly maxQueuedRequests?: number;
  /** What the deployment's `reconfigure` is called with. @default - as in the code */
  readonly userConfig?: Readonly<Record<string, JsonValue>>;
  /** Scales the replicas by their requests. @default - as in the code */
  readonly autoscalingConfig?: RayServeAutoscalingConfig;
  /** Time between two checks for work while shutting down, in seconds. @default - as in the code */
  readonly gracefulShutdownWaitLoopS?: number;
  /** Time that a shutdown may take, in seconds. @default - as in the code */
  readonly gracefulShutdownTimeoutS?: number;
  /** Time between two health checks, in seconds. @default - as in the code */
  readonly healthCheckPeriodS?: number;
  /** Time that a health check may take, in seconds. @default - as in the code */
  readonly healthCheckTimeoutS?: number;
  /** What each replica asks for. @default - as in the code */
  readonly rayActorOptions?: RayActorOptions;
  /** Resources of each replica and of what it starts, one map a bundle: a model on several hosts has one bundle a host. @default - as in the code */
  readonly placementGroupBundles?: readonly Readonly<Record<string, number>>[];
  /** How bundles are placed. @default - Ray's: 'PACK' */
  readonly placementGroupStrategy?: 'PACK' | 'SPREAD' | 'STRICT_PACK' | 'STRICT_SPREAD';
  /** Most replicas on one node, 1 to 100; not with bundles. @default - no limit */
  readonly maxReplicasPerNode?: number;
}

/**
 * How Ray Serve scales a deployment. Before Ray 2.10 three of the fields had other names, and are rendered with those.
 *
 * @see https://docs.ray.io/en/latest/serve/advanced-guides/advanced-autoscaling.html
 */
export interface RayServeAutoscalingConfig {
  /** Fewest replicas. @default - Ray's: 1 */
  readonly minReplicas?: number;
  /** Replicas to start with. @default - Ray's: the fewest */
  readonly initialReplicas?: number;
  /** Most replicas. @default - Ray's: 1 */
  readonly maxReplicas?: number;
  /** Requests per replica that are aimed at. @default - Ray's */
  readonly targetOngoingRequests?: number;
  /** Time between two reports of the replicas, in seconds. @default - Ray's */
  readonly metricsIntervalS?: number;
  /** Time that reports are averaged over, in seconds. @default - Ray's */
  readonly lookBackPeriodS?: number;
  /** Time to wait before replicas are added, in seconds. @default - Ray's */
  readonly upscaleDelayS?: number;
  /** Time to wait before replicas are removed, in seconds. @default - Ray's */
  readonly downscaleDelayS?: number;
  /** How strongly each step up reacts. @default - Ray's */
  readonly upscalingFactor?: number;
  /** How strongly each step down reacts. @default - Ray's */
  readonly downscalingFactor?: number;
}

/** What a replica asks of the node that it runs on. */
export interface RayActorOptions {
  /** CPUs. @default - Ray's: 1 */
  readonly numCpus?: number;
  /** Memory in bytes. @default - none */
  readonly memory?: number;
  /** Other resources: `{ TPU: 4 }` is four chips, all of them on one host. @default - none */
  readonly resources?: Readonly<Record<string, number>>;
  /** Code, packages and environment of this deployment. @default - the application's */
  readonly runtimeEnv?: RayRuntimeEnv;
}

/** How large a cluster is, for its applications. */
interface ClusterSize {
  /** Version of Ray, like `2.9.0`; empty where it is not known. */
  readonly rayVersion: string;
  /** TPU chips of the largest host; 0 where there is none. */
  readonly chipsPerHost: number;
  /** TPU chips of all groups together, scaled up as far as they may be. */
  readonly chips: number;
}

/** Ray 2.10 renamed these: https://github.com/ray-project/ray/releases/tag/ray-2.10.0 */
const NAMES_BEFORE_2_10: Readonly<Record<string, string>> = {
  maxOngoingRequests: 'max_concurrent_queries',
  targetOngoingRequests: 'target_num_ongoing_requests_per_replica',
  upscalingFactor: 'upscale_smoothing_factor',
  downscalingFactor: 'downscale_smoothing_factor',
};

/** Fields whose keys are the user's own. */
const FREE: readonly string[] = ['args', 'envVars', 'resources', 'userConfig', 'placementGroupBundles'];

/** The resource that KubeRay makes of `google.com/tpu`. */
const CHIP = 'TPU';

/** A Serve configuration as the text that `serveConfigV2` holds. */
export function serveConfigText(config: RayServeConfig, rayVersion: string): string {
  const renamed = isBefore210(rayVersion) ? NAMES_BEFORE_2_10 : {};
  const name = (key: string): string =>
    renamed[key] ?? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const render = (value: unknown, free: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => render(item, free));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, child]) => child !== undefined)
        .map(([key, child]) => [free ? key : name(key), render(child, free || FREE.includes(key))]),
    );
  };
  return yamlText(render(config, false));
}

function isBefore210(rayVersion: string): boolean {
  const [major = 0, minor = 0] = rayVersion.split('.').map(Number);
  return major < 2 || (major === 2 && minor < 10);
}

/** Records what Ray Serve would refuse, ignore or never place. */
export function checkServeConfig(config: RayServeConfig, size: ClusterSize, problems: Problems): void {
  const { applications, httpOptions = {} } = config;
  problems.check(
    applications.length > 0,
    `serveConfig has no applications, expected at least one with name and importPath`,
  );
  problems.add(
    ...unique('serveConfig applications name', applications, (one) => one.name),
    ...unique('serveConfig applications routePrefix', applications, (one) =>
      one.routePrefix === undefined ? '/' : one.routePrefix,
    ),
    number('serveConfig httpOptions requestTimeoutS', httpOptions.requestTimeoutS, 'above 0'),
    whole('serveConfig httpOptions keepAliveTimeoutS', httpOptions.keepAliveTimeoutS, 0),
    httpOptions.rootPath === undefined
      ? undefined
      : route('serveConfig httpOptions rootPath', httpOptions.rootPath),
  );
  for (const application of applications) checkApplication(application, size, problems);

  const asked = applications
    .flatMap((one) => one.deployments ?? [])
    .reduce((sum, one) => sum + fewestReplicas(one) * chipsOf(one), 0);
  problems.check(
    size.chipsPerHost === 0 || !(asked > Math.max(0, size.chips)),
    `serveConfig deployments ask for ${String(asked)} TPU chips, expected at most the ${String(size.chips)} of all worker groups: Ray would wait for the others forever`,
  );
}

function checkApplication(
  { name, importPath, routePrefix, runtimeEnv, deployments = [] }: RayServeApplication,
  size: ClusterSize,
  problems: Problems,
): void {
  const at = `application ${quoted(name)}`;
  problems.check(name !== '', `serveConfig applications name '' is empty, expected one like 'my-model'`);
  problems.check(
    /^[^:\s]+:[^:\s]+$|^[^.:\s][^:\s]*\.[^.:\s]+$/.test(importPath),
    `${at} importPath ${quoted(importPath)} is not an import path, expected 'package.module:variable'`,
  );
  if (typeof routePrefix === 'string') problems.add(route(`${at} routePrefix`, routePrefix));
  checkRuntimeEnv(`${at} runtimeEnv`, runtimeEnv, problems);
  problems.add(...unique(`${at} deployments name`, deployments, (one) => one.name));
  for (const deployment of deployments)
    checkDeployment(`${at} deployment ${quoted(deployment.name)}`, deployment, size, problems);
}

function checkDeployment(
  at: string,
  deployment: RayServeDeployment,
  { rayVersion, chipsPerHost }: ClusterSize,
  problems: Problems,
): void {
  const { numReplicas, autoscalingConfig: scaling, rayActorOptions: actor = {} } = deployment;
  const { placementGroupBundles: bundles } = deployment;
  problems.add(
    whole(`${at} maxOngoingRequests`, deployment.maxOngoingRequests, 1),
    deployment.maxQueuedRequests === -1
      ? undefined
      : whole(`${at} maxQueuedRequests`, deployment.maxQueuedRequests, 1),
    whole(`${at} maxReplicasPerNode`, deployment.maxReplicasPerNode, 1, 100),
    number(`${at} gracefulShutdownWaitLoopS`, deployment.gracefulShutdownWaitLoopS, 'of at least 0'),
    number(`${at} gracefulShutdownTimeoutS`, deployment.gracefulShutdownTimeoutS, 'of at least 0'),
    number(`${at} healthCheckPeriodS`, deployment.healthCheckPeriodS, 'above 0'),
    number(`${at} healthCheckTimeoutS`, deployment.healthCheckTimeoutS, 'above 0'),
    number(`${at} numCpus`, actor.numCpus, 'of at least 0'),
    whole(`${at} memory`, actor.memory, 0),
  );
  if (numReplicas !== 'auto') problems.add(whole(`${at} numReplicas`, numReplicas, 1));
  problems.check(
    typeof numReplicas !== 'number' || scaling === undefined,
    `${at} numReplicas '${String(numReplicas)}' is set beside autoscalingConfig, expected one of them; nearest: 'auto'`,
  );
  problems.check(
    deployment.maxReplicasPerNode === undefined || bundles === undefined,
    `${at} maxReplicasPerNode '${String(deployment.maxReplicasPerNode)}' is set beside placementGroupBundles, expected one of them`,
  );
  if (rayVersion !== '' && isBefore210(rayVersion))
    for (const [field, used] of [
      [`numReplicas 'auto'`, numReplicas === 'auto'],
      [
        `maxQueuedRequests '${String(deployment.maxQueuedRequests)}'`,
        deployment.maxQueuedRequests !== undefined,
      ],
    ] as const)
      problems.check(
        !used,
        `${at} ${field} is unknown to Ray ${rayVersion}, expected an image of Ray 2.10.0 or later`,
      );
  if (scaling) checkScaling(`${at} autoscalingConfig`, scaling, problems);
  checkRuntimeEnv(`${at} runtimeEnv`, actor.runtimeEnv, problems);

  for (const [field, chips] of [
    ['resources', actor.resources?.[CHIP]],
    ...(bundles ?? []).map((bundle) => ['placementGroupBundles', bundle[CHIP]] as const),
  ] as const)
    problems.check(
      chips === undefined || chipsPerHost === 0 || integer(field, chips, 0, chipsPerHost) === undefined,
      `${at} ${field} ${CHIP} '${String(chips)}' does not fit on a host, expected a whole number, at most its ${String(chipsPerHost)} chips; nearest: ${String(chipsPerHost)}, with placementGroupBundles of one a host where a model needs several`,
    );
  const first = bundles?.[0];
  for (const [resource, amount] of Object.entries(first ? (actor.resources ?? {}) : {}))
    problems.check(
      amount <= (first?.[resource] ?? 0),
      `${at} resources ${resource} '${String(amount)}' is not in the first of placementGroupBundles, which the replica runs in, expected at most ${String(first?.[resource] ?? 0)}`,
    );
}

function checkScaling(at: string, scaling: RayServeAutoscalingConfig, problems: Problems): void {
  const { minReplicas = 1, maxReplicas = 1, initialReplicas = minReplicas } = scaling;
  problems.add(
    whole(`${at} minReplicas`, minReplicas, 0),
    whole(`${at} maxReplicas`, maxReplicas, 1),
    ...(['targetOngoingRequests', 'metricsIntervalS', 'lookBackPeriodS'] as const).map((key) =>
      number(`${at} ${key}`, scaling[key], 'above 0'),
    ),
    ...(['upscalingFactor', 'downscalingFactor'] as const).map((key) =>
      number(`${at} ${key}`, scaling[key], 'above 0'),
    ),
    ...(['upscaleDelayS', 'downscaleDelayS'] as const).map((key) =>
      number(`${at} ${key}`, scaling[key], 'of at least 0'),
    ),
  );
  problems.check(
    !(maxReplicas < minReplicas),
    `${at} maxReplicas '${String(maxReplicas)}' is below minReplicas '${String(minReplicas)}', expected at least as many; nearest: ${String(minReplicas)}`,
  );
  if (maxReplicas >= minReplicas)
    problems.add(whole(`${at} initialReplicas`, initialReplicas, minReplicas, maxReplicas));
}

function checkRuntimeEnv(at: string, runtimeEnv: RayRuntimeEnv | undefined, problems: Problems): void {
  const { workingDir, pyModules = [], pip = [], envVars = {}, config = {} } = runtimeEnv ?? {};
  for (const [field, uri] of [
    ['workingDir', workingDir],
    ...pyModules.map((one) => ['pyModules', one] as const),
  ] as const)
    problems.check(
      uri === undefined || /^(?!http:)[a-z][a-z0-9+.-]*:\/\/\S+$/.test(uri),
      `${at} ${field} ${quoted(uri)} is not a remote URI, expected one like 'https://…/main.zip' or 'gs://…/app.zip'`,
    );
  for (const line of pip)
    problems.check(
      /^[^\s].*$/.test(line),
      `${at} pip ${quoted(line)} is not a requirement, expected one like 'flax' or 'jax==0.4.11'`,
    );
  for (const [key, value] of Object.entries(envVars)) {
    problems.check(
      /^[A-Za-z_][A-Za-z0-9_]*$/.test(key),
      `${at} envVars ${quoted(key)} is not a variable name, expected letters, digits and '_', first no digit`,
    );
    problems.check(
      !looksLikeToken(value),
      `${at} envVars ${quoted(key)} holds a Hugging Face token, expected HuggingFaceToken.fromSecret(…).asEnv() among the fragments of the worker group`,
    );
  }
  if (config.setupTimeoutSeconds !== -1)
    problems.add(whole(`${at} setupTimeoutSeconds`, config.setupTimeoutSeconds, 1));
}

/** Replicas that a deployment has at the least. */
const fewestReplicas = ({ numReplicas, autoscalingConfig }: RayServeDeployment): number =>
  typeof numReplicas === 'number' ? numReplicas : (autoscalingConfig?.minReplicas ?? 1);

/** Chips of one replica and of what it starts. */
const chipsOf = ({ placementGroupBundles, rayActorOptions }: RayServeDeployment): number =>
  (placementGroupBundles ?? [rayActorOptions?.resources ?? {}]).reduce(
    (sum, bundle) => sum + (bundle[CHIP] ?? 0),
    0,
  );

function unique<T>(prop: string, items: readonly T[], key: (item: T) => string | null): string[] {
  const keys = items.map(key);
  const repeated = keys.filter((one, index) => one !== null && keys.indexOf(one) !== index);
  return [...new Set(repeated)].map(
    (one) => `${prop} ${quoted(one)} is there twice, expected a different one for each`,
  );
}

const whole = (prop: string, value: number | undefined, min: number, max?: number): string | undefined =>
  value === undefined ? undefined : integer(prop, value, min, max);

function number(
  prop: string,
  value: number | undefined,
  range: 'above 0' | 'of at least 0',
): string | undefined {
  return value === undefined || (Number.isFinite(value) && (range === 'above 0' ? value > 0 : value >= 0))
    ? undefined
    : `${prop} ${quoted(value)} is not a number ${range}; nearest: ${range === 'above 0' ? '1' : '0'}`;
}

function route(prop: string, value: string): string | undefined {
  const nearest = `/${value.replace(/[{}\s]/g, '').replace(/^\/+|\/+$/g, '')}`;
  return /^\/([^{}\s]*[^{}\s/])?$/.test(value)
    ? undefined
    : `${prop} ${quoted(value)} is not a route, expected a path that starts with '/', does not end with it and has no '{' and '}'; nearest: '${nearest}'`;
}
