import { IMAGES } from '../../facts/images';
import { JETSTREAM_GRPC_PORT, JETSTREAM_HTTP_PORT } from '../../facts/ports';
import { type GcsFuseVolumeProps } from '../../pod/gcs-fuse-volume';
import { type HuggingFaceToken, tokenType } from '../../pod/hugging-face-token';
import { serverPort } from '../../pod/tpu';
import { isBranded } from '../../problems/brand';
import { absolutePath, type Grammar, image } from '../../problems/grammar';
import { type Problem } from '../../problems/problems';
import {
  anyObject,
  boolean,
  either,
  falseOr,
  instance,
  integer,
  object,
  optional,
  type Schema,
  string,
} from '../../problems/schema';
import { MONITORING_PROPERTIES, type MonitoringOptions } from '../../workload/monitoring';
import { abseilFlags } from '../flags';
import { serverProblems, serverProperties, type TpuServerOptions } from '../server';
import {
  huggingFaceId,
  type JetStreamCheckpoint,
  type JetStreamVolumeCheckpoint,
  ONE_POD,
} from './checkpoint';

/** Images of a JetStream server. */
export interface JetStreamImages {
  /** Image of jetstream-pytorch-server, with a tag or digest. @default - release v0.2.3 for a `checkpoint`, v0.2.4 for a `model` */
  readonly server?: string;
  /** Image of jetstream-http, with a tag or digest. @default 'us-docker.pkg.dev/cloud-tpu-images/inference/jetstream-http:v0.2.3' */
  readonly http?: string;
}

/** How often the metrics of a JetStream server are collected, and on which port. */
export interface JetStreamMonitoringOptions extends MonitoringOptions {
  /** Port of the metrics, `--prometheus_port`. @default 9090 */
  readonly port?: number;
}

/** Properties that every JetStream server has. */
export interface JetStreamServerOptions extends TpuServerOptions {
  /** Images of the server and of its HTTP front end. @default - the releases that the tutorial uses */
  readonly images?: JetStreamImages;
  /** Size of the weights as a quantity, like `14G`. @default - derived from `size`, or from the name of the `model` */
  readonly modelSize?: string;
  /**
   * Collection of metrics; `false` turns it off. The published image for a `model` exports no metrics, so monitoring a `model` requires a
   * custom image.
   *
   * @default - every 15 seconds with a `checkpoint`; off with a `model`
   * @see https://cloud.google.com/stackdriver/docs/managed-prometheus/exporters/jetstream
   */
  readonly monitoring?: JetStreamMonitoringOptions | false;
}

/** Weights that the server reads from a converted checkpoint in Cloud Storage or on a disk. */
export interface JetStreamCheckpointWeights {
  /**
   * The checkpoint: the `checkpoint` of a `JetStreamCheckpointConverter`, `JetStreamCheckpoint.at(…)` or `JetStreamCheckpoint.onVolume(…)`.
   */
  readonly checkpoint: JetStreamCheckpoint | JetStreamVolumeCheckpoint;
  /**
   * How the bucket of the checkpoint is mounted; not allowed for a checkpoint on a disk.
   *
   * @default - at `/models`, with a memory cache of 1.2 times the size of the weights
   */
  readonly modelCache?: Partial<Pick<GcsFuseVolumeProps, 'mountPath' | 'mountOptions' | 'cache' | 'sidecar'>>;
  /** Path of the tokenizer in the container, `--tokenizer_path`. @default - `tokenizer.model` in the folder of the checkpoint */
  readonly tokenizerPath?: string;
  /** Number of parameters of the model, `--size`, like `7b`. */
  readonly size: string;
  /** Number of sequences that one chip decodes at the same time, `--batch_size`. @default - JetStream's default */
  readonly batchSize?: number;
  /** Longest sequence in the KV cache, in tokens, `--max_cache_length`. @default - JetStream's default */
  readonly maxCacheLength?: number;
  /** Whether the KV cache is quantized to 8 bits, `--quantize_kv_cache`. @default false */
  readonly quantizeKvCache?: boolean;
}

/** Weights that the server downloads from Hugging Face at each start. */
export interface JetStreamHuggingFaceWeights {
  /** The model on Hugging Face, `--model_id`, like `google/gemma-7b-it`. */
  readonly model: string;
  /** Token for the download of the model. */
  readonly huggingFaceToken: HuggingFaceToken;
  /** Number of sequences that are decoded at the same time, `--override_batch_size`. @default - JetStream's default */
  readonly overrideBatchSize?: number;
  /**
   * Whether the server compiles before it reports ready, `--enable_model_warmup`; otherwise the first requests wait for the compilation.
   *
   * @default true
   */
  readonly enableModelWarmup?: boolean;
}

/** Properties of a JetStream server: its weights come from a converted `checkpoint`, or from Hugging Face if it has a `model`. */
export type JetStreamServerProps = JetStreamServerOptions &
  (
    | (JetStreamCheckpointWeights & { readonly [Key in keyof JetStreamHuggingFaceWeights]?: never })
    | (JetStreamHuggingFaceWeights & { readonly [Key in keyof JetStreamCheckpointWeights]?: never })
  );

/** The properties of both kinds of server, before a rule decides between them. */
export interface AnyJetStreamProps
  extends JetStreamServerOptions, Partial<JetStreamCheckpointWeights>, Partial<JetStreamHuggingFaceWeights> {}

/** Properties that only servers with a `checkpoint` have. */
const OF_CHECKPOINT = [
  'modelCache',
  'tokenizerPath',
  'size',
  'batchSize',
  'maxCacheLength',
  'quantizeKvCache',
] as const;
const OF_MODEL = ['huggingFaceToken', 'overrideBatchSize', 'enableModelWarmup'] as const;

const PROMETHEUS_PORT = 9090;
const METRIC = 'JetStreamMetric.PREFILL_BACKLOG_SIZE';

/** Flags that the server writes, with the prop behind each. */
const FLAGS = {
  '--port': null,
  '--prometheus_port': 'monitoring.port',
  '--size': 'size',
  '--model_name': 'checkpoint',
  '--batch_size': 'batchSize',
  '--max_cache_length': 'maxCacheLength',
  '--tokenizer_path': 'tokenizerPath',
  '--checkpoint_path': 'checkpoint',
  '--model_id': 'model',
  '--override_batch_size': 'overrideBatchSize',
  '--enable_model_warmup': 'enableModelWarmup',
};
/** Only for a `checkpoint`. A server with a `model` can quantize the weights that it downloads, so users can set these flags. */
const CHECKPOINT_FLAGS = {
  ...FLAGS,
  '--quantize_weights': 'checkpoint',
  '--quantize_kv_cache': 'quantizeKvCache',
};

const BILLIONS = /^(\d+(?:\.\d+)?)b$/;

/** Model sizes. The size of a mixture of experts, like `8x7b`, is accepted but is not the number of parameters. */
const size: Grammar = (value) =>
  BILLIONS.test(value) || /^\d+x\d+b$/.test(value)
    ? undefined
    : { problem: 'is not the size of a model', use: 'billions of parameters', nearest: '7b' };

/** Returns the number of parameters that a size states; undefined for a mixture of experts. */
export function parametersOf(text: string | undefined): number | undefined {
  const billions = text === undefined ? undefined : BILLIONS.exec(text)?.[1];
  return billions === undefined ? undefined : Number(billions) * 1e9;
}

const count = optional(integer(1));
const metrics = object<JetStreamMonitoringOptions>({
  properties: {
    ...MONITORING_PROPERTIES,
    port: optional(serverPort(JETSTREAM_HTTP_PORT, JETSTREAM_GRPC_PORT)),
  },
});

/** Checks the properties against each other. `given` also contains properties with invalid values. */
function problemsOf(
  props: AnyJetStreamProps,
  given: Readonly<Record<string, unknown>>,
): readonly (Problem | undefined)[] {
  const monitoring = metricsOf(props);
  return [
    ...serverProblems(props, {
      flags: abseilFlags(props.checkpoint ? CHECKPOINT_FLAGS : FLAGS),
      ports: [JETSTREAM_HTTP_PORT, ...(monitoring ? [monitoring.port] : [])],
      monitored: monitoring !== undefined,
      metricPrefix: 'jetstream_',
      metric: METRIC,
      oneHost: ONE_POD,
    }),
    ...kindProblems(props, given),
    diskProblem(props),
    metricsProblem(props),
  ];
}

const ON_VOLUME = 'JetStreamVolumeCheckpoint';

/** Returns whether a checkpoint is on a disk. */
export const isOnVolume = (checkpoint: unknown): checkpoint is JetStreamVolumeCheckpoint =>
  isBranded(checkpoint, ON_VOLUME);

/** The volume already decides how the disk is mounted. */
const diskProblem = ({ checkpoint, modelCache }: AnyJetStreamProps): Problem | undefined =>
  modelCache !== undefined && isOnVolume(checkpoint)
    ? {
        path: 'modelCache',
        problem: 'mounts a bucket, but the checkpoint is on a disk',
        use: 'to remove it',
      }
    : undefined;

/** The properties of a JetStream server, and the rules between them. */
export const JETSTREAM_PROPS: Schema<AnyJetStreamProps> = {
  properties: {
    ...serverProperties(METRIC),
    images: optional(
      object<JetStreamImages>({
        properties: { server: optional(string(image)), http: optional(string(image)) },
      }),
    ),
    monitoring: optional(falseOr(metrics)),
    checkpoint: optional(
      either(
        isOnVolume,
        instance<JetStreamVolumeCheckpoint>(ON_VOLUME, 'JetStreamCheckpoint.onVolume({ volume, … })'),
        instance<JetStreamCheckpoint>(
          'JetStreamCheckpoint',
          "JetStreamCheckpoint.at({ bucketName: 'my-models', … })",
        ),
      ),
    ),
    modelCache: optional(anyObject("an object like { mountPath: '/models' }")),
    tokenizerPath: optional(string(absolutePath)),
    size: optional(string(size)),
    batchSize: count,
    maxCacheLength: count,
    quantizeKvCache: optional(boolean()),
    model: optional(string(huggingFaceId)),
    huggingFaceToken: optional(tokenType),
    overrideBatchSize: count,
    enableModelWarmup: optional(boolean()),
  },
  rules: [problemsOf],
};

/** Returns where metrics are collected; undefined if they are not collected. */
export function metricsOf(
  props: AnyJetStreamProps,
): (JetStreamMonitoringOptions & { readonly port: number }) | undefined {
  const on = props.monitoring ?? (props.checkpoint ? {} : false);
  return on === false ? undefined : { port: PROMETHEUS_PORT, ...on };
}

/** Image of jetstream-pytorch-server. */
export const serverImageOf = ({ images = {}, checkpoint }: AnyJetStreamProps): string =>
  images.server ?? (checkpoint ? IMAGES.jetStreamCheckpoint : IMAGES.jetStreamHuggingFace);

/**
 * A server has either a `checkpoint` or a `model`, and only the properties for it. `given` also contains properties with invalid values.
 */
function kindProblems(
  props: AnyJetStreamProps,
  given: Readonly<Record<string, unknown>>,
): readonly Problem[] {
  const has = (key: string): boolean => given[key] !== undefined;
  if (has('checkpoint') === has('model'))
    return [
      has('model')
        ? {
            path: 'model',
            value: props.model,
            problem: 'is set together with checkpoint',
            use: 'only one of them',
          }
        : {
            path: 'checkpoint',
            problem: "required, unless the server has a 'model' on Hugging Face",
            use: "JetStreamCheckpoint.at({ bucketName: 'my-models', … })",
          },
    ];
  const [kind, other] = has('checkpoint')
    ? (['checkpoint', 'model'] as const)
    : (['model', 'checkpoint'] as const);
  const missing = kind === 'checkpoint' ? 'size' : 'huggingFaceToken';
  const example = kind === 'checkpoint' ? "'7b'" : "HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token')";
  return [
    ...(has(missing) ? [] : [{ path: missing, problem: `required, for example ${example}` }]),
    ...(kind === 'checkpoint' ? OF_MODEL : OF_CHECKPOINT).filter(has).map((path): Problem => ({
      path,
      problem: `is only for a server with a '${other}', and this one has a '${kind}'`,
      use: 'to remove it',
    })),
  ];
}

/**
 * Release v0.2.4 exports no metrics, and exits if it gets an unknown flag.
 *
 * @see https://github.com/GoogleCloudPlatform/monitoring-dashboard-samples/pull/914
 */
const metricsProblem = (props: AnyJetStreamProps): Problem | undefined =>
  serverImageOf(props) === IMAGES.jetStreamHuggingFace &&
  (metricsOf(props) !== undefined || props.autoscaling !== undefined)
    ? {
        path: 'images.server',
        value: IMAGES.jetStreamHuggingFace,
        problem: 'exports no metrics and does not start with --prometheus_port',
        use: 'a custom image for monitoring or autoscaling',
      }
    : undefined;
