import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { checkAtSynth } from '../../synth/at-synth';
import { type PodFragment } from '../../pod/fragment';
import { GcsFuseVolume, type GcsFuseVolumeProps } from '../../pod/gcs-fuse-volume';
import { givenToken, type HuggingFaceToken } from '../../pod/hugging-face-token';
import { cacheProblem, isUncached } from '../../pod/model-cache';
import { modelSizeProblem, namedModelProblem, weightsProblem } from '../../pod/model-fit';
import { dnsLabel, image, integer, nearestLabel, quantityOf, quoted } from '../../problems/validators';
import { httpProbes } from '../../pod/startup';
import { modelSizeByName, startupEstimate } from '../../pod/startup-budget';
import { serverPortProblem } from '../../pod/tpu';
import { type Problem, Problems } from '../../problems/problems';
import { requireSlice } from '../../tpu/slice';
import { type MonitoringOptions } from '../../workload/monitoring';
import { describeOperations } from '../../operations/operations';
import { abseilFlags } from '../flags';
import { checkTpuServer, placeTpuServer, singleHost, type TpuServerOptions } from '../server';
import { type ConvertedCheckpoint, huggingFaceId, ONE_POD, pythonBoolean } from './checkpoint-converter';
import { IMAGES } from '../../facts/images';
import { jetStreamOperations } from './operations';

/** Properties that every JetStream server has. */
export interface JetStreamServerOptions extends TpuServerOptions {
  /** Image of jetstream-pytorch-server, with a tag or digest. @default - release v0.2.3 for a `checkpoint`, v0.2.4 for a `modelId` */
  readonly image?: string;
  /** Image of jetstream-http, with a tag or digest. @default 'us-docker.pkg.dev/cloud-tpu-images/inference/jetstream-http:v0.2.3' */
  readonly httpImage?: string;
  /** Name of the Service. @default - `name` */
  readonly serviceName?: string;
  /**
   * Collection of metrics; `false` for none. The published image for a `modelId` exports none, so it needs an `image` of one's own.
   *
   * @default - every 15 seconds with a `checkpoint`, none with a `modelId`
   * @see https://cloud.google.com/stackdriver/docs/managed-prometheus/exporters/jetstream
   */
  readonly monitoring?: MonitoringOptions | false;
  /** Port of the metrics, `--prometheus_port`; only with `monitoring`. @default 9090 */
  readonly prometheusPort?: number;
}

/** Weights that the server reads from a converted checkpoint in Cloud Storage. */
export interface CheckpointWeights {
  /** The checkpoint: that of a `CheckpointConverter`, or `ConvertedCheckpoint.at(…)`. */
  readonly checkpoint: ConvertedCheckpoint;
  /** How its bucket is mounted. @default - at `/models`, with a cache in memory that holds the weights and a fifth more */
  readonly checkpointMount?: Partial<
    Pick<GcsFuseVolumeProps, 'mountPath' | 'mountOptions' | 'cache' | 'sidecar'>
  >;
  /** Size of the model in parameters, `--size`, like `7b`. */
  readonly size: string;
  /** Sequences that one chip decodes together, `--batch_size`. @default - JetStream's */
  readonly batchSize?: number;
  /** Longest sequence of the KV cache in tokens, `--max_cache_length`. @default - JetStream's */
  readonly maxCacheLength?: number;
  /** Whether the KV cache is quantized to 8 bits, `--quantize_kv_cache`. @default false */
  readonly quantizeKvCache?: boolean;
}

/** Weights that the server downloads from Hugging Face at each start. */
export interface HuggingFaceWeights {
  /** The model on Hugging Face, `--model_id`, like `google/gemma-7b-it`. */
  readonly modelId: string;
  /** Token that the model is downloaded with. */
  readonly huggingFaceToken: HuggingFaceToken;
  /** Sequences that are decoded together, `--override_batch_size`. @default - JetStream's */
  readonly overrideBatchSize?: number;
  /** Whether the server compiles before it calls itself ready, `--enable_model_warmup`; else the first requests wait. @default true */
  readonly enableModelWarmup?: boolean;
}

/** Properties of a JetStream server: its weights come from a converted `checkpoint` or, by `modelId`, from Hugging Face. */
export type JetStreamServerProps = JetStreamServerOptions &
  (
    | (CheckpointWeights & { readonly [Key in keyof HuggingFaceWeights]?: never })
    | (HuggingFaceWeights & { readonly [Key in keyof CheckpointWeights]?: never })
  );

const HTTP_PORT = 8000;
/** jetstream-http asks this one; neither image can be told another. */
const GRPC_PORT = 9000;
const PROMETHEUS_PORT = 9090;
/** What the tutorial's startup probe allows: 90 seconds and 50 times 60. */
const TUTORIAL_STARTUP_SECONDS = 3090;

/** Flags that props write; the prop of each. */
const FLAGS = {
  '--port': 'the server itself',
  '--prometheus_port': 'prometheusPort',
  '--size': 'size',
  '--model_name': 'checkpoint',
  '--batch_size': 'batchSize',
  '--max_cache_length': 'maxCacheLength',
  '--tokenizer_path': 'checkpoint',
  '--checkpoint_path': 'checkpoint',
  '--model_id': 'modelId',
  '--override_batch_size': 'overrideBatchSize',
  '--enable_model_warmup': 'enableModelWarmup',
};
/** With a `modelId` these are free: the server can quantize what it downloads. */
const CHECKPOINT_FLAGS = {
  ...FLAGS,
  '--quantize_weights': 'checkpoint',
  '--quantize_kv_cache': 'quantizeKvCache',
};

/**
 * JetStream-PyTorch on one host of a TPU slice: a Deployment of jetstream-pytorch-server with jetstream-http beside it, a Service for
 * the latter, and, where metrics are exported, a PodMonitoring and a HorizontalPodAutoscaler.
 *
 * A server whose checkpoint is not there yet exits and is restarted until it is, at most five minutes apart. It keeps its slice
 * meanwhile, so a `CheckpointConverter` needs another one. Readiness means that the model answers: it asks jetstream-http, which asks
 * the server. A failing liveness probe restarts jetstream-http alone, never the server with its weights.
 *
 * @throws InvalidInputError listing every prop that is out of range, contradicts another or does not fit the slice
 * @see https://cloud.google.com/kubernetes-engine/docs/tutorials/serve-llm-tpu-jetstream-pytorch
 */
export class JetStreamServer extends Construct {
  /** The Deployment. */
  readonly deployment: ApiObject;
  /** The Service; requests go to its port 8000, `POST /generate`. */
  readonly service: ApiObject;
  /** Collects the metrics; only where `monitoring` is on. */
  readonly podMonitoring: ApiObject | undefined;
  /** Scales the Deployment; only with `autoscaling`. */
  readonly horizontalPodAutoscaler: ApiObject | undefined;
  /** Keeps all but one replica running while nodes are drained; only with several. */
  readonly podDisruptionBudget: ApiObject | undefined;
  /** Keeps others than `allowedClients` away; only with them. */
  readonly networkPolicy: ApiObject | undefined;

  constructor(scope: Construct, id: string, props: JetStreamServerProps) {
    super(scope, id);
    checkAtSynth(this);
    requireSlice(props.slice, this.node.path);
    const problems = new Problems();
    const given = props.name ?? id;
    const name = problems.sound(given, dnsLabel('name', given), nearestLabel(given));
    const prometheusPort = problems.sound(
      props.prometheusPort ?? PROMETHEUS_PORT,
      prometheusPortProblem(props.prometheusPort),
      PROMETHEUS_PORT,
    );
    const httpImage = props.httpImage ?? IMAGES.jetStreamHttp;
    const on = props.monitoring ?? (props.checkpoint ? {} : false);
    const monitoring = on === false ? undefined : { port: prometheusPort, path: '/', ...on };
    checkTpuServer(props, monitoring, abseilFlags(props.checkpoint ? CHECKPOINT_FLAGS : FLAGS), problems);
    checkProps(props, monitoring, problems);

    const weights = problems.attempt(() => weightsOf(props));
    const { cache, mountOptions } = props.checkpointMount ?? {};
    // The default cache holds all that the slice can serve.
    const own = (cache ?? mountOptions?.fileCache) && weights?.fragment;
    problems.add(cacheProblem('checkpointMount cache', own, weightsSize(props)));
    const startupSeconds = props.startupSeconds ?? problems.attempt(() => startupOf(props, own)) ?? 1;
    const placed = placeTpuServer(
      this,
      props,
      {
        name,
        server: 'jetstream',
        model: props.checkpoint?.path.split('/').find((part) => /\d+b/i.test(part)) ?? props.modelId,
        container: {
          name: 'jetstream-pytorch-server',
          image: problems.sound(imageOf(props), image('image', imageOf(props)), IMAGES.jetStreamCheckpoint),
          args: [
            ...(weights?.args ?? []),
            ...flag('--prometheus_port', monitoring?.port),
            ...(props.args ?? []),
          ],
          ports: [
            { name: 'jetstream-grpc', containerPort: GRPC_PORT, protocol: 'TCP' },
            ...(monitoring ? [{ name: 'metrics', containerPort: monitoring.port, protocol: 'TCP' }] : []),
          ],
        },
        sidecars: [
          {
            name: 'jetstream-http',
            image: problems.sound(httpImage, image('httpImage', httpImage), IMAGES.jetStreamHttp),
            ports: [{ name: 'jetstream-http', containerPort: HTTP_PORT, protocol: 'TCP' }],
            ...httpProbes(HTTP_PORT, '/healthcheck', startupSeconds, '/').container,
          },
        ],
        fragments: weights ? [weights.fragment] : [],
        startupSeconds,
        service: {
          name: props.serviceName ?? name,
          port: { name: 'jetstream-http', port: HTTP_PORT },
        },
        monitoring,
      },
      problems,
    );
    this.deployment = placed.deployment;
    this.service = placed.service;
    this.podMonitoring = placed.podMonitoring;
    this.horizontalPodAutoscaler = placed.horizontalPodAutoscaler;
    this.podDisruptionBudget = placed.podDisruptionBudget;
    this.networkPolicy = placed.networkPolicy;
    describeOperations(this, jetStreamOperations(this, props, { port: HTTP_PORT, startupSeconds }));
  }
}

/** Size of the weights as a quantity: two bytes a parameter, one where they are quantized. */
function weightsSize(props: JetStreamServerProps): string | undefined {
  if (props.modelSize !== undefined) return props.modelSize;
  if (props.checkpoint === undefined) return modelSizeByName(props.modelId);
  const billions = BILLIONS.exec(props.size)?.[1];
  return billions && `${String(Math.ceil(Number(billions) * (props.checkpoint.quantizeWeights ? 1 : 2)))}G`;
}

/** Room for the weights and a fifth more, at most for what the slice's memory can hold: no larger ones can be served. */
function cacheSize(props: JetStreamServerProps): string {
  const size = weightsSize(props);
  const { hbmGiB } = props.slice;
  const gib = size === undefined ? hbmGiB : (quantityOf(size) * 1.2) / 2 ** 30;
  return `${String(gib < hbmGiB ? Math.ceil(gib) : hbmGiB)}Gi`;
}

/** A converted checkpoint lies in the bucket; a model of Hugging Face is fetched first. It never takes less than the tutorial allows. */
const startupOf = (props: JetStreamServerProps, mount: PodFragment | undefined): number =>
  Math.max(
    TUTORIAL_STARTUP_SECONDS,
    startupEstimate({
      slice: props.slice,
      modelSize: weightsSize(props),
      warmWeights: props.checkpoint !== undefined,
      uncachedFuse: isUncached(mount, weightsSize(props)),
    }).budgetSeconds,
  );

const flag = (name: string, value: string | number | boolean | undefined): string[] =>
  value === undefined ? [] : [`${name}=${typeof value === 'boolean' ? pythonBoolean(value) : String(value)}`];

const imageOf = (props: JetStreamServerProps): string =>
  props.image ?? (props.checkpoint ? IMAGES.jetStreamCheckpoint : IMAGES.jetStreamHuggingFace);

/** The flags that say where the weights are, and what brings them into the container. */
function weightsOf(props: JetStreamServerProps): {
  readonly args: readonly string[];
  readonly fragment: PodFragment;
} {
  if (props.checkpoint === undefined)
    return {
      args: [
        ...flag('--model_id', props.modelId),
        ...flag('--override_batch_size', props.overrideBatchSize),
        ...flag('--enable_model_warmup', props.enableModelWarmup ?? true),
      ],
      fragment: givenToken(props.huggingFaceToken).asFile('/huggingface'),
    };
  const { bucketName, path, modelName, quantizeWeights } = props.checkpoint;
  const mountPath = props.checkpointMount?.mountPath ?? '/models';
  const folder = `${mountPath.replace(/\/$/, '')}/${path}`;
  return {
    args: [
      ...flag('--size', props.size),
      ...flag('--model_name', modelName),
      ...flag('--batch_size', props.batchSize),
      ...flag('--max_cache_length', props.maxCacheLength),
      ...flag('--quantize_weights', quantizeWeights),
      ...flag('--quantize_kv_cache', props.quantizeKvCache ?? false),
      ...flag('--tokenizer_path', `${folder}/tokenizer.model`),
      ...flag('--checkpoint_path', `${folder}/model.safetensors`),
    ],
    fragment: new GcsFuseVolume({
      cache: { medium: 'ram', sizeLimit: cacheSize(props) },
      ...props.checkpointMount,
      bucketName,
      mountPath,
      name: 'gcs-fuse-checkpoint',
      readOnly: true,
    }),
  };
}

function checkProps(
  props: JetStreamServerProps,
  monitoring: (MonitoringOptions & { readonly port: number }) | undefined,
  problems: Problems,
): void {
  const { slice, autoscaling } = props;
  problems.add(
    props.serviceName === undefined ? undefined : dnsLabel('serviceName', props.serviceName),
    singleHost(slice, ONE_POD),
    props.checkpoint ? sizeProblem(props.size) : huggingFaceId('modelId', props.modelId),
    slice.multiHost ? undefined : fits(props),
  );
  for (const key of ['batchSize', 'maxCacheLength', 'overrideBatchSize'] as const)
    if (props[key] !== undefined) problems.add(integer(key, props[key], 1));

  problems.check(
    autoscaling === undefined || autoscaling.metric.name.startsWith('jetstream_'),
    `autoscaling metric '${autoscaling?.metric.name ?? ''}' is not JetStream's, expected one like JetStreamMetric.PREFILL_BACKLOG_SIZE`,
  );
  // https://github.com/GoogleCloudPlatform/monitoring-dashboard-samples/pull/914: v0.2.4 exports no metrics; an unknown flag ends it
  problems.check(
    imageOf(props) !== IMAGES.jetStreamHuggingFace || (monitoring ?? autoscaling) === undefined,
    `image '${IMAGES.jetStreamHuggingFace}' exports no metrics and does not start with --prometheus_port, expected an image of one's own build for monitoring or autoscaling`,
  );
  problems.check(
    props.prometheusPort === undefined || monitoring !== undefined,
    `prometheusPort '${String(props.prometheusPort)}' is set while monitoring is off, expected monitoring: {} beside it`,
  );
}

function prometheusPortProblem(number: number | undefined): string | undefined {
  if (number !== HTTP_PORT && number !== GRPC_PORT)
    return serverPortProblem('prometheusPort', number ?? PROMETHEUS_PORT);
  return `prometheusPort '${String(number)}' is taken by ${number === HTTP_PORT ? 'jetstream-http' : 'the server itself'}, expected another; nearest: ${String(number + 1)}`;
}

const BILLIONS = /^(\d+(?:\.\d+)?)b$/;

/** What is wrong with a size; undefined where nothing is. That of a mixture, like `8x7b`, tells no number of parameters. */
const sizeProblem = (size: string): string | undefined =>
  BILLIONS.test(size) || /^\d+x\d+b$/.test(size)
    ? undefined
    : `size ${quoted(size)} is not the size of a model, expected billions of parameters like '7b'`;

/** What is wrong with the weights on the slice: 2 bytes a parameter, quantized to 4 bits half a byte; a name is a guess. */
function fits(props: JetStreamServerProps): Problem | undefined {
  const { slice, checkpoint, modelSize } = props;
  const hosts = { hosts: 'one' } as const;
  if (modelSize !== undefined) return modelSizeProblem(slice, modelSize, hosts);
  if (checkpoint === undefined) return namedModelProblem(slice, props.modelId, hosts);
  const parameters = Number(BILLIONS.exec(props.size)?.[1] ?? 0) * 1e9;
  const wrong = weightsProblem(slice, parameters * (checkpoint.quantizeWeights ? 0.5 : 2), hosts);
  const quantized = weightsProblem(slice, parameters * 0.5, hosts) === undefined;
  return wrong?.use !== undefined && quantized
    ? { ...wrong, use: `${wrong.use}, or a checkpoint with quantizeWeights` }
    : wrong;
}
