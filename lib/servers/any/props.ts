import { SERVER_PORT } from '../../facts/ports';
import { type HuggingFaceToken, tokenType } from '../../pod/hugging-face-token';
import {
  cacheProblem,
  compileCacheProblem,
  MODEL_CACHE_PROPERTIES,
  type ModelCacheOptions,
  modelCacheProblems,
} from '../../pod/model-cache';
import { serverPort } from '../../pod/tpu';
import { dnsLabel, type Grammar, image, labelValue } from '../../problems/grammar';
import { type Problem } from '../../problems/problems';
import {
  anyObject,
  essential,
  falseOr,
  list,
  nonEmpty,
  object,
  optional,
  required,
  type Schema,
  string,
} from '../../problems/schema';
import { MONITORING_PROPERTIES, type MonitoringOptions } from '../../workload/monitoring';
import { serverProblems, serverProperties, type TpuServerOptions } from '../server';

/** Interval, path and port of the collection of metrics. */
export interface TpuServerMonitoringOptions extends MonitoringOptions {
  /** Path of the metrics. @default '/metrics' */
  readonly path?: string;
  /** Port of the metrics, from 1 to 65535. @default - the port of the server */
  readonly port?: number;
}

/** A request that shows how to call a server. */
export interface TpuServerRequest {
  /** Path of the request, like `/generate`. */
  readonly path: string;
  /** Body of the request, sent as JSON with POST. @default - none: a GET */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Program of all hosts of a slice except the first one. */
export interface TpuServerWorker {
  /** Command of the container. */
  readonly command: readonly string[];
  /** Arguments of the command. @default - none */
  readonly args?: readonly string[];
}

/** Properties of a server with any image. */
export interface TpuServerProps extends TpuServerOptions, ModelCacheOptions {
  /** Container image, with a tag or digest. */
  readonly image: string;
  /** Command of the container. @default - the image's entrypoint */
  readonly command?: readonly string[];
  /** Arguments of the command. @default - the image's arguments */
  readonly args?: readonly string[];
  /**
   * Program of all hosts of a slice except the first one, which answers clients; only for multi-host slices. The variables
   * `LWS_LEADER_ADDRESS`, `LWS_WORKER_INDEX` and `LWS_GROUP_SIZE` identify each host.
   *
   * @default - the program of the first host
   * @see https://lws.sigs.k8s.io/docs/reference/labels-annotations-and-environment-variables/
   */
  readonly worker?: TpuServerWorker;
  /** Name of the container. @default 'server' */
  readonly containerName?: string;
  /** Name of the server's software, used in labels. @default - the last part of the image's name */
  readonly software?: string;
  /** Name of the model, used in labels and to estimate the size of the weights; it is not passed to the server. @default - none */
  readonly model?: string;
  /** Token for models that require one. @default - none */
  readonly huggingFaceToken?: HuggingFaceToken;
  /** Port of the server and of its Service, from 1 to 65535. @default 8000 */
  readonly port?: number;
  /** Path that responds when the server can serve requests; for other kinds of probe, use `probes`. @default '/health' */
  readonly healthPath?: string;
  /** Collection of metrics; `false` turns it off. @default false */
  readonly monitoring?: TpuServerMonitoringOptions | false;
  /** Example request that the runbook sends to the server. @default - a GET of the health path */
  readonly request?: TpuServerRequest;
}

const METRIC = "{ name: 'my_queue_size', type: 'gauge' }";

/** Accepts paths of requests. */
const requestPath: Grammar = (value) =>
  /^\/[^\s#]*$/.test(value)
    ? undefined
    : {
        problem: 'is not a request path',
        use: "a path that starts with '/' and contains neither spaces nor '#'",
        nearest: `/${value.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/^\/+|#.*$|\s+/g, '')}`,
      };

/** Returns where metrics are collected; undefined if they are not collected. */
export function metricsOf(
  { monitoring = false }: Pick<TpuServerProps, 'monitoring'>,
  serverPort: number,
): (TpuServerMonitoringOptions & { readonly port: number; readonly path: string }) | undefined {
  return monitoring === false ? undefined : { port: serverPort, path: '/metrics', ...monitoring };
}

/** Checks the properties against each other. */
const problemsOf = (props: TpuServerProps): readonly (Problem | undefined)[] => {
  const { slice, modelSize, worker, port = SERVER_PORT } = props;
  const metrics = metricsOf(props, port);
  return [
    ...serverProblems(props, {
      ports: [port, ...(metrics && metrics.port !== port ? [metrics.port] : [])],
      monitored: metrics !== undefined,
      metric: METRIC,
    }),
    worker === undefined || slice.multiHost
      ? undefined
      : {
          path: 'worker',
          problem: `is set for single-host slice '${slice.toString()}'`,
          use: 'a multi-host slice, or command and args',
        },
    ...modelCacheProblems(props),
    compileCacheProblem('compileCachePath', props.compileCachePath, slice, props),
    cacheProblem('modelCache.cache', props.modelCache, modelSize),
  ];
};

/** The properties of a server with any image, and the rules between them. */
export const TPU_SERVER_PROPS: Schema<TpuServerProps> = {
  properties: {
    ...serverProperties(METRIC),
    ...MODEL_CACHE_PROPERTIES,
    image: required(string(image), 'example.com/my-server:v1'),
    worker: optional(
      object<TpuServerWorker>(
        {
          properties: {
            command: essential(
              list(string(), { min: 1, what: 'a list of strings' }),
              "['python3', 'serve.py']",
            ),
            args: optional(list(string(), { what: 'a list of strings' })),
          },
        },
        "an object like { command: ['python3', 'serve.py'] }",
      ),
    ),
    containerName: optional(string(dnsLabel())),
    software: optional(string(labelValue)),
    model: optional(nonEmpty()),
    huggingFaceToken: optional(tokenType),
    port: optional(serverPort()),
    healthPath: optional(string(requestPath)),
    monitoring: optional(
      falseOr(
        object<TpuServerMonitoringOptions>(
          {
            properties: {
              ...MONITORING_PROPERTIES,
              path: optional(string(requestPath)),
              port: optional(serverPort()),
            },
          },
          "an object like { path: '/metrics' }",
        ),
      ),
    ),
    request: optional(
      object<TpuServerRequest>(
        {
          properties: {
            path: required(string(requestPath), '/generate'),
            body: optional(
              anyObject<Readonly<Record<string, unknown>>>("an object like { prompt: 'Hello' }"),
            ),
          },
        },
        "an object like { path: '/generate', body: { prompt: 'Hello' } }",
      ),
    ),
  },
  rules: [problemsOf],
};
