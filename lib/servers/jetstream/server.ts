import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { IMAGES } from '../../facts/images';
import { JETSTREAM_GRPC_PORT, JETSTREAM_HTTP_PORT } from '../../facts/ports';
import { describeOperations } from '../../operations/operations';
import { type MainContainer, type PodFragment, type SidecarContainer } from '../../pod/fragment';
import { GcsFuseVolume } from '../../pod/gcs-fuse-volume';
import { cacheProblem, isUncached } from '../../pod/model-cache';
import { httpProbes } from '../../pod/startup';
import { modelSizeByName } from '../../pod/startup-budget';
import { withContainerFields } from '../../pod/template';
import { bare, quantityOf } from '../../problems/grammar';
import { Problems } from '../../problems/problems';
import { readAndMake } from '../../problems/schema';
import { checkAtSynth } from '../../synth/at-synth';
import { probeFields } from '../../workload/pod-words';
import { modelOfSize, stateModel } from '../../workload/stated-model';
import { placeTpuServer, type TpuServerWithPods, withPods } from '../server';
import { type Startup, startupOf } from '../startup';
import { pythonBoolean } from './checkpoint';
import { jetStreamOperations } from './operations';
import {
  type AnyJetStreamProps,
  JETSTREAM_PROPS,
  type JetStreamServerProps,
  isOnVolume,
  metricsOf,
  parametersOf,
  serverImageOf,
} from './props';

/** Seconds that the tutorial's startup probe allows: 90 + 50 × 60. */
const TUTORIAL_STARTUP_SECONDS = 3090;
/** Folder in which the image expects the token. */
const TOKEN_FOLDER = '/huggingface';

/**
 * JetStream-PyTorch on one host of a TPU slice: a Deployment with the containers jetstream-pytorch-server and jetstream-http, and a Service
 * for jetstream-http. `monitoring` adds a PodMonitoring, and `autoscaling` an autoscaler.
 *
 * If the checkpoint does not exist yet, the server exits, and Kubernetes restarts it at intervals of up to five minutes. The server keeps
 * its slice in the meantime, so a `JetStreamCheckpointConverter` needs another slice. The readiness probe requests jetstream-http, which
 * queries the model. A failing liveness probe restarts jetstream-http, but not the server with the weights.
 *
 * @throws InvalidInputError listing every prop that is unknown or invalid, contradicts another prop, or does not fit the slice
 * @see https://cloud.google.com/kubernetes-engine/docs/tutorials/serve-llm-tpu-jetstream-pytorch
 */
export class JetStreamServer extends Construct {
  /** The Deployment. */
  readonly workload: ApiObject;
  /** The Service; requests go to its port 8000, `POST /generate`. */
  readonly service: ApiObject;
  /** Collects the metrics; undefined if `monitoring` is off. */
  readonly podMonitoring: ApiObject | undefined;
  /** Scales the replicas; undefined without `autoscaling`, or if KEDA scales them. */
  readonly horizontalPodAutoscaler: ApiObject | undefined;
  /** Lets GKE read the metric; undefined unless `autoscaling.scaler` is `'AutoscalingMetric'`. */
  readonly autoscalingMetric: ApiObject | undefined;
  /** Lets KEDA scale the replicas; undefined unless `autoscaling.scaler` is KEDA. */
  readonly scaledObject: ApiObject | undefined;
  /** Limits evictions by node drains; undefined if the server has one replica and no `disruptionBudget`. */
  readonly podDisruptionBudget: ApiObject | undefined;
  /** Admits only `allowedClients`; undefined if the prop is not set. */
  readonly networkPolicy: ApiObject | undefined;

  constructor(scope: Construct, id: string, props: JetStreamServerProps) {
    super(scope, id);
    checkAtSynth(this);
    const { props: valid, made: parts } = readAndMake<AnyJetStreamProps, Parts>(
      JETSTREAM_PROPS,
      props,
      this.node,
      partsOf,
    );
    const { startup } = parts;
    const placed = placeTpuServer(this, valid, parts);
    this.workload = placed.workload;
    stateModel(this.workload, modelOfSize(valid.modelSize));
    this.service = placed.service;
    this.podMonitoring = placed.podMonitoring;
    this.horizontalPodAutoscaler = placed.horizontalPodAutoscaler;
    this.autoscalingMetric = placed.autoscalingMetric;
    this.scaledObject = placed.scaledObject;
    this.podDisruptionBudget = placed.podDisruptionBudget;
    this.networkPolicy = placed.networkPolicy;
    describeOperations(this, jetStreamOperations(placed, valid, { ...startup, port: JETSTREAM_HTTP_PORT }));
  }
}

/** The parts of a server, and its startup time. */
interface Parts extends TpuServerWithPods {
  readonly startup: Startup;
}

function partsOf(props: AnyJetStreamProps & { readonly name: string }): Parts {
  const monitoring = metricsOf(props);
  const { args, volume, fragment } = weightsOf(props);
  const startup = startOf(props, volume);
  const parts = withPods(
    // The probes are fields of the HTTP container.
    { ...props, probes: undefined },
    {
      server: 'jetstream',
      model: props.checkpoint?.path.split('/').find((part) => /\d+b/i.test(part)) ?? props.model,
      container: containerOf(props, args),
      sidecars: [httpContainer(props, startup.startupSeconds)],
      given: [
        ...(fragment ? [fragment] : []),
        ...(props.images?.server === undefined ? [] : [{ container: { image: props.images.server } }]),
      ],
      startup,
      port: { name: 'jetstream-http', port: JETSTREAM_HTTP_PORT },
      monitoring: monitoring && { ...monitoring, path: '/' },
    },
  );
  return { ...parts, startup };
}

const flag = (name: string, value: string | number | boolean | undefined): string[] =>
  value === undefined ? [] : [`${name}=${typeof value === 'boolean' ? pythonBoolean(value) : String(value)}`];

function containerOf(props: AnyJetStreamProps, weights: readonly string[]): MainContainer {
  const port = metricsOf(props)?.port;
  return {
    name: 'jetstream-pytorch-server',
    image: serverImageOf(props),
    args: [...weights, ...flag('--prometheus_port', port)],
    ports: [
      { name: 'jetstream-grpc', containerPort: JETSTREAM_GRPC_PORT, protocol: 'TCP' },
      ...(port === undefined ? [] : [{ name: 'metrics', containerPort: port, protocol: 'TCP' }]),
    ],
  };
}

/** The HTTP front end. It has the probes, because the server does not answer HTTP. */
const httpContainer = (
  { images, probes = {} }: AnyJetStreamProps,
  startupSeconds: number,
): SidecarContainer =>
  withContainerFields(
    {
      name: 'jetstream-http',
      image: images?.http ?? IMAGES.jetStreamHttp,
      ports: [{ name: 'jetstream-http', containerPort: JETSTREAM_HTTP_PORT, protocol: 'TCP' }],
      ...httpProbes(JETSTREAM_HTTP_PORT, '/healthcheck', startupSeconds, '/').container,
    },
    probeFields(probes),
  );

/** Returns the size of the weights as a quantity: two bytes for each parameter, or one byte if the weights are quantized. */
function weightsSize({ modelSize, checkpoint, model, size }: AnyJetStreamProps): string | undefined {
  if (modelSize !== undefined) return modelSize;
  if (!checkpoint) return model === undefined ? undefined : modelSizeByName(model);
  const parameters = parametersOf(size);
  return parameters === undefined
    ? undefined
    : `${String(Math.ceil((parameters / 1e9) * (checkpoint.quantizeWeights ? 1 : 2)))}G`;
}

/** Returns 1.2 times the size of the weights, at most the memory of the slice, which cannot serve larger weights. */
function cacheSize(props: AnyJetStreamProps): string {
  const size = weightsSize(props);
  const { hbmGiB } = props.slice;
  const gib = size === undefined ? hbmGiB : (quantityOf(size) * 1.2) / 2 ** 30;
  return `${String(gib < hbmGiB ? Math.ceil(gib) : hbmGiB)}Gi`;
}

/** A converted checkpoint is already in a bucket or on a disk; the server downloads a Hugging Face model first. */
function startOf(props: AnyJetStreamProps, volume: GcsFuseVolume | undefined): Startup {
  const modelSize = weightsSize(props);
  // The default cache has room for the largest weights that the slice can serve.
  const chosen = props.modelCache?.cache ?? props.modelCache?.mountOptions?.fileCache;
  return startupOf(
    props.startupSeconds,
    {
      slice: props.slice,
      ...(modelSize !== undefined && { modelSize }),
      warmWeights: props.checkpoint !== undefined,
      uncachedFuse: isUncached(chosen && volume, modelSize),
    },
    TUTORIAL_STARTUP_SECONDS,
  );
}

/** The flags that name the weights, and the volume of a bucket that contains them. */
interface Weights {
  readonly args: readonly string[];
  readonly volume?: GcsFuseVolume | undefined;
  readonly fragment: PodFragment | undefined;
}

function weightsOf(props: AnyJetStreamProps): Weights {
  const { checkpoint, modelCache = {} } = props;
  if (!checkpoint)
    return {
      args: [
        ...flag('--model_id', props.model),
        ...flag('--override_batch_size', props.overrideBatchSize),
        ...flag('--enable_model_warmup', props.enableModelWarmup ?? true),
      ],
      fragment: props.huggingFaceToken?.asFile(TOKEN_FOLDER),
    };
  const { modelName, quantizeWeights } = checkpoint;
  const disk = isOnVolume(checkpoint) ? checkpoint.volume : undefined;
  const mountPath = disk?.mountPath ?? modelCache.mountPath ?? '/models';
  const volume = isOnVolume(checkpoint)
    ? undefined
    : checkpointVolume(props, { bucketName: checkpoint.bucketName, mountPath });
  const folder = [bare(mountPath), ...(checkpoint.path === '' ? [] : [checkpoint.path])].join('/');
  return {
    args: [
      ...flag('--size', props.size),
      ...flag('--model_name', modelName),
      ...flag('--batch_size', props.batchSize),
      ...flag('--max_cache_length', props.maxCacheLength),
      ...flag('--quantize_weights', quantizeWeights),
      ...flag('--quantize_kv_cache', props.quantizeKvCache ?? false),
      ...flag('--tokenizer_path', props.tokenizerPath ?? `${folder}/tokenizer.model`),
      ...flag('--checkpoint_path', `${folder}/model.safetensors`),
    ],
    volume,
    fragment: disk ?? volume,
  };
}

function checkpointVolume(
  props: AnyJetStreamProps,
  place: { readonly bucketName: string; readonly mountPath: string },
): GcsFuseVolume {
  const { modelCache = {} } = props;
  const problems = new Problems();
  const volume = problems.attempt(
    () =>
      new GcsFuseVolume({
        cache: { medium: 'ram', sizeLimit: cacheSize(props) },
        ...modelCache,
        ...place,
        name: 'gcs-fuse-checkpoint',
        readOnly: true,
      }),
    'modelCache',
  );
  if (modelCache.cache ?? modelCache.mountOptions?.fileCache)
    problems.add(cacheProblem('modelCache.cache', volume, weightsSize(props)));
  return problems.settle(volume);
}
