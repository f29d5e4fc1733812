import { yamlText } from '../../synth/yaml-text';

/**
 * What Ray Serve runs: the fields of its configuration file in camel case, rendered as `serveConfigV2`. The keys of `args`, `envVars`,
 * `resources`, `userConfig` and bundles stay as they are.
 *
 * @see https://docs.ray.io/en/latest/serve/production-guide/config.html
 */
export interface RayServeConfig {
  /** The applications; at least one. */
  readonly applications: readonly RayServeApplication[];
  /** Options of the HTTP proxies. @default - Ray's */
  readonly httpOptions?: RayServeHttpOptions;
}

/** Options of Ray Serve's HTTP proxies. Their port is always 8000, where Services and probes expect it. */
export interface RayServeHttpOptions {
  /** Address that the proxies listen on. @default - KubeRay's: '0.0.0.0' */
  readonly host?: string;
  /** Longest time that a request can take, in seconds. @default - no limit */
  readonly requestTimeoutS?: number;
  /** Time that an idle connection stays open, in whole seconds. @default - Ray's */
  readonly keepAliveTimeoutS?: number;
  /** Path before the routes of all applications, like `/serve`. @default - none */
  readonly rootPath?: string;
}

/** An application of Ray Serve. */
export interface RayServeApplication {
  /** Name of the application, unique in the cluster. */
  readonly name: string;
  /** Import path of the bound deployment: `package.module:variable`. */
  readonly importPath: string;
  /** First part of the path of its requests, unique in the cluster; `null` for an application without HTTP. @default '/' */
  readonly routePrefix?: string | null;
  /** Arguments of the application's builder, as JSON values. @default - none */
  readonly args?: Readonly<Record<string, unknown>>;
  /** Code, packages and environment that the application runs in. @default - those of the image */
  readonly runtimeEnv?: RayRuntimeEnv;
  /** Options that differ from the code. @default - none */
  readonly deployments?: readonly RayServeDeployment[];
}

/**
 * The environment that Ray sets up before it runs code.
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
  /** How Ray sets the environment up. @default - Ray's */
  readonly config?: {
    /** Longest time that the setup can take, in whole seconds; -1 for no limit. @default - Ray's: 600 */
    readonly setupTimeoutSeconds?: number;
    /** Whether Ray sets it up before the first worker needs it. @default - Ray's: true */
    readonly eagerInstall?: boolean;
  };
}

/** Options of one deployment of an application; they override those in its code. */
export interface RayServeDeployment {
  /** Name of the deployment in the code: that of its class or function. */
  readonly name: string;
  /** Number of replicas, or `auto`, which needs Ray 2.10; do not set a number with `autoscalingConfig`. @default - as in the code */
  readonly numReplicas?: number | 'auto';
  /** Largest number of requests that a replica works on at once; `max_concurrent_queries` before Ray 2.10. @default - as in the code */
  readonly maxOngoingRequests?: number;
  /** Largest number of requests that wait at each caller, or -1 for no limit; needs Ray 2.10. @default - as in the code */
  readonly maxQueuedRequests?: number;
  /** Argument of the deployment's `reconfigure`, as JSON values. @default - as in the code */
  readonly userConfig?: Readonly<Record<string, unknown>>;
  /** How Ray Serve scales the replicas by their requests. @default - as in the code */
  readonly autoscalingConfig?: RayServeAutoscalingConfig;
  /** Time between two checks for work while shutting down, in seconds. @default - as in the code */
  readonly gracefulShutdownWaitLoopS?: number;
  /** Longest time that a shutdown can take, in seconds. @default - as in the code */
  readonly gracefulShutdownTimeoutS?: number;
  /** Time between two health checks, in seconds. @default - as in the code */
  readonly healthCheckPeriodS?: number;
  /** Longest time that a health check can take, in seconds. @default - as in the code */
  readonly healthCheckTimeoutS?: number;
  /** Resources that each replica requests. @default - as in the code */
  readonly rayActorOptions?: RayActorOptions;
  /**
   * Resources of each replica and of the actors that it starts, one map for each bundle. A model on several hosts has one bundle for each
   * host.
   *
   * @default - as in the code
   */
  readonly placementGroupBundles?: readonly Readonly<Record<string, number>>[];
  /** How Ray places the bundles on nodes. @default - Ray's: 'PACK' */
  readonly placementGroupStrategy?: 'PACK' | 'SPREAD' | 'STRICT_PACK' | 'STRICT_SPREAD';
  /** Largest number of replicas on one node, from 1 to 100; do not set it with bundles. @default - no limit */
  readonly maxReplicasPerNode?: number;
}

/**
 * How Ray Serve scales a deployment. For Ray before 2.10, three of the fields are rendered with the names that they had.
 *
 * @see https://docs.ray.io/en/latest/serve/advanced-guides/advanced-autoscaling.html
 */
export interface RayServeAutoscalingConfig {
  /** Smallest number of replicas. @default - Ray's: 1 */
  readonly minReplicas?: number;
  /** Number of replicas at the start. @default - Ray's: `minReplicas` */
  readonly initialReplicas?: number;
  /** Largest number of replicas. @default - Ray's: 1 */
  readonly maxReplicas?: number;
  /** Number of requests per replica that the autoscaler aims at. @default - Ray's */
  readonly targetOngoingRequests?: number;
  /** Time between two reports of the replicas, in seconds. @default - Ray's */
  readonly metricsIntervalS?: number;
  /** Time over which the autoscaler averages the reports, in seconds. @default - Ray's */
  readonly lookBackPeriodS?: number;
  /** Time that the autoscaler waits before it adds replicas, in seconds. @default - Ray's */
  readonly upscaleDelayS?: number;
  /** Time that the autoscaler waits before it removes replicas, in seconds. @default - Ray's */
  readonly downscaleDelayS?: number;
  /** Factor by which each step up is multiplied. @default - Ray's */
  readonly upscalingFactor?: number;
  /** Factor by which each step down is multiplied. @default - Ray's */
  readonly downscalingFactor?: number;
}

/** Resources that a replica requests of its node. */
export interface RayActorOptions {
  /** CPUs. @default - Ray's: 1 */
  readonly numCpus?: number;
  /** Memory in bytes. @default - none */
  readonly memory?: number;
  /** Other resources: `{ TPU: 4 }` is four chips, all on one host. @default - none */
  readonly resources?: Readonly<Record<string, number>>;
  /** Code, packages and environment of this deployment. @default - the application's */
  readonly runtimeEnv?: RayRuntimeEnv;
}

/** Names that Ray 2.10 changed: https://github.com/ray-project/ray/releases/tag/ray-2.10.0 */
const NAMES_BEFORE_2_10: Readonly<Record<string, string>> = {
  maxOngoingRequests: 'max_concurrent_queries',
  targetOngoingRequests: 'target_num_ongoing_requests_per_replica',
  upscalingFactor: 'upscale_smoothing_factor',
  downscalingFactor: 'downscale_smoothing_factor',
};

/** Fields whose keys belong to the user. */
const FREE: readonly string[] = ['args', 'envVars', 'resources', 'userConfig', 'placementGroupBundles'];

/** Returns a Serve configuration as the text of `serveConfigV2`; a version that is not known counts as a current one. */
export function serveConfigText(config: RayServeConfig, rayVersion?: string): string {
  return yamlText(snakeCase(config, isBefore210(rayVersion) ? NAMES_BEFORE_2_10 : {}));
}

/** Returns a runtime environment as the text of `runtimeEnvYAML`. */
export const runtimeEnvText = (runtimeEnv: RayRuntimeEnv): string => yamlText(snakeCase(runtimeEnv, {}));

function snakeCase(config: object, renamed: Readonly<Record<string, string>>): unknown {
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
  return render(config, false);
}

/** Whether a version of Ray is older than 2.10. */
export function isBefore210(rayVersion: string | undefined): boolean {
  if (rayVersion === undefined) return false;
  const [major = 0, minor = 0] = rayVersion.split('.').map(Number);
  return major < 2 || (major === 2 && minor < 10);
}
