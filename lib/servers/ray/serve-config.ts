import { rememberYaml } from '../../manifest/serve-config';
import { yamlText } from '../../synth/yaml-text';

/**
 * The Ray Serve configuration: the fields of its file in camel case, rendered as `serveConfigV2`. The keys of `args`, `envVars`,
 * `resources`, `userConfig` and bundles are rendered unchanged.
 *
 * @see https://docs.ray.io/en/latest/serve/production-guide/config.html
 */
export interface RayServeConfig {
  /** The applications; at least one. */
  readonly applications: readonly RayServeApplication[];
  /** Options of the HTTP proxies. @default - Ray's defaults */
  readonly httpOptions?: RayServeHttpOptions;
}

/** Options of Ray Serve's HTTP proxies. Their port is always 8000, where Services and probes expect it. */
export interface RayServeHttpOptions {
  /** Address that the proxies listen on. @default - KubeRay's default, '0.0.0.0' */
  readonly host?: string;
  /** Longest duration of a request, in seconds. @default - no limit */
  readonly requestTimeoutS?: number;
  /** Time that an idle connection stays open, in whole seconds. @default - Ray's default */
  readonly keepAliveTimeoutS?: number;
  /** Path prefix of the routes of all applications, like `/serve`. @default - none */
  readonly rootPath?: string;
}

/** An application of Ray Serve. */
export interface RayServeApplication {
  /** Name of the application, unique in the cluster. */
  readonly name: string;
  /** Import path of the bound deployment: `package.module:variable`. */
  readonly importPath: string;
  /** Path prefix of the application's requests, unique in the cluster; `null` for an application without HTTP. @default '/' */
  readonly routePrefix?: string | null;
  /** Arguments of the application's builder, as JSON values. @default - none */
  readonly args?: Readonly<Record<string, unknown>>;
  /** Code, packages and environment variables of the application. @default - only those of the image */
  readonly runtimeEnv?: RayRuntimeEnv;
  /** Options that override those in the code. @default - none */
  readonly deployments?: readonly RayServeDeployment[];
}

/**
 * The code, packages and environment variables that Ray sets up before it runs the code.
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
  /** How Ray sets up the environment. @default - Ray's defaults */
  readonly config?: {
    /** Longest duration of the setup, in whole seconds; -1 for no limit. @default - Ray's default, 600 */
    readonly setupTimeoutSeconds?: number;
    /** Whether Ray sets up the environment before the first worker needs it. @default - Ray's default, true */
    readonly eagerInstall?: boolean;
  };
}

/** Options of one deployment of an application; they override those in its code. */
export interface RayServeDeployment {
  /** Name of the deployment in the code: the name of its class or function. */
  readonly name: string;
  /** Number of replicas, or `auto`, which requires Ray 2.10. A number is not allowed with `autoscalingConfig`. @default - as in the code */
  readonly numReplicas?: number | 'auto';
  /**
   * Largest number of requests that a replica processes at the same time; `max_concurrent_queries` before Ray 2.10.
   *
   * @default - as in the code
   */
  readonly maxOngoingRequests?: number;
  /** Largest number of requests that wait at each caller, or -1 for no limit; requires Ray 2.10. @default - as in the code */
  readonly maxQueuedRequests?: number;
  /** Argument of the deployment's `reconfigure`, as JSON values. @default - as in the code */
  readonly userConfig?: Readonly<Record<string, unknown>>;
  /** How Ray Serve scales the replicas by the number of requests. @default - as in the code */
  readonly autoscalingConfig?: RayServeAutoscalingConfig;
  /** Time between two checks for work while shutting down, in seconds. @default - as in the code */
  readonly gracefulShutdownWaitLoopS?: number;
  /** Longest duration of a shutdown, in seconds. @default - as in the code */
  readonly gracefulShutdownTimeoutS?: number;
  /** Time between two health checks, in seconds. @default - as in the code */
  readonly healthCheckPeriodS?: number;
  /** Longest duration of a health check, in seconds. @default - as in the code */
  readonly healthCheckTimeoutS?: number;
  /** Resources that each replica requests. @default - as in the code */
  readonly rayActorOptions?: RayActorOptions;
  /**
   * Resources of each replica and of the actors that it starts, one map for each bundle. A model on a multi-host slice needs one bundle for
   * each host.
   *
   * @default - as in the code
   */
  readonly placementGroupBundles?: readonly Readonly<Record<string, number>>[];
  /** How Ray places the bundles on nodes. @default - Ray's default, 'PACK' */
  readonly placementGroupStrategy?: 'PACK' | 'SPREAD' | 'STRICT_PACK' | 'STRICT_SPREAD';
  /** Largest number of replicas on one node, 1 to 100; not allowed with `placementGroupBundles`. @default - no limit */
  readonly maxReplicasPerNode?: number;
}

/**
 * How Ray Serve scales a deployment. For Ray before 2.10, three fields are rendered with their old names.
 *
 * @see https://docs.ray.io/en/latest/serve/advanced-guides/advanced-autoscaling.html
 */
export interface RayServeAutoscalingConfig {
  /** Smallest number of replicas. @default - Ray's default, 1 */
  readonly minReplicas?: number;
  /** Number of replicas at the start. @default - `minReplicas` */
  readonly initialReplicas?: number;
  /** Largest number of replicas. @default - Ray's default, 1 */
  readonly maxReplicas?: number;
  /** Target number of requests per replica. @default - Ray's default */
  readonly targetOngoingRequests?: number;
  /** Time between two reports of the replicas, in seconds. @default - Ray's default */
  readonly metricsIntervalS?: number;
  /** Time over which the autoscaler averages the reports, in seconds. @default - Ray's default */
  readonly lookBackPeriodS?: number;
  /** Time that the autoscaler waits before it adds replicas, in seconds. @default - Ray's default */
  readonly upscaleDelayS?: number;
  /** Time that the autoscaler waits before it removes replicas, in seconds. @default - Ray's default */
  readonly downscaleDelayS?: number;
  /** Factor by which each step up is multiplied. @default - Ray's default */
  readonly upscalingFactor?: number;
  /** Factor by which each step down is multiplied. @default - Ray's default */
  readonly downscalingFactor?: number;
}

/** Resources that each replica requests from Ray. */
export interface RayActorOptions {
  /** Number of CPUs. @default - Ray's default, 1 */
  readonly numCpus?: number;
  /** Memory in bytes. @default - none */
  readonly memory?: number;
  /** Other resources, like `{ TPU: 4 }` for four chips on one host. @default - none */
  readonly resources?: Readonly<Record<string, number>>;
  /** Code, packages and environment variables of the deployment. @default - the application's */
  readonly runtimeEnv?: RayRuntimeEnv;
}

/** Names that Ray 2.10 changed: https://github.com/ray-project/ray/releases/tag/ray-2.10.0 */
const NAMES_BEFORE_2_10: Readonly<Record<string, string>> = {
  maxOngoingRequests: 'max_concurrent_queries',
  targetOngoingRequests: 'target_num_ongoing_requests_per_replica',
  upscalingFactor: 'upscale_smoothing_factor',
  downscalingFactor: 'downscale_smoothing_factor',
};

/** Fields whose keys the user chooses, so they are rendered unchanged. */
const FREE: readonly string[] = ['args', 'envVars', 'resources', 'userConfig', 'placementGroupBundles'];

/** Returns a Serve configuration as the text of `serveConfigV2`. A missing version counts as a current version. */
export function serveConfigText(config: RayServeConfig, rayVersion?: string): string {
  return rememberedText(snakeCase(config, isBefore210(rayVersion) ? NAMES_BEFORE_2_10 : {}));
}

/** Returns a runtime environment as the text of `runtimeEnvYAML`. */
export const runtimeEnvText = (runtimeEnv: RayRuntimeEnv): string =>
  rememberedText(snakeCase(runtimeEnv, {}));

/** Returns a value as YAML, and tells the rules what the YAML contains. */
function rememberedText(value: unknown): string {
  const text = yamlText(value);
  rememberYaml(text, value);
  return text;
}

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

/** Returns whether a version of Ray is older than 2.10. */
export function isBefore210(rayVersion: string | undefined): boolean {
  if (rayVersion === undefined) return false;
  const [major = 0, minor = 0] = rayVersion.split('.').map(Number);
  return major < 2 || (major === 2 && minor < 10);
}
