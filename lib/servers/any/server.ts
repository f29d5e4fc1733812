import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { imageName } from '../../facts/images';
import { SERVER_PORT } from '../../facts/ports';
import { JAX_COMPILE_CACHE } from '../../facts/variables';
import { describeOperations } from '../../operations/operations';
import { type MainContainer } from '../../pod/fragment';
import { isUncached, modelCacheFragments } from '../../pod/model-cache';
import { httpProbes } from '../../pod/startup';
import { modelSizeByName } from '../../pod/startup-budget';
import { labelValue } from '../../problems/grammar';
import { readAndMake } from '../../problems/schema';
import { checkAtSynth } from '../../synth/at-synth';
import { modelOfSize, stateModel } from '../../workload/stated-model';
import { placeTpuServer, type TpuServerWithPods, withPods, type WorkerProgram } from '../server';
import { type Startup, startupOf } from '../startup';
import { tpuServerOperations } from './operations';
import { metricsOf, TPU_SERVER_PROPS, type TpuServerProps } from './props';

const HEALTH_PATH = '/health';

/**
 * A server with any image on TPU slices: a Deployment and a Service, and, if configured, a PodMonitoring, an autoscaler, a
 * PodDisruptionBudget and a NetworkPolicy. The slice determines chips, node selectors and requests. On a multi-host slice the server is a
 * LeaderWorkerSet, and only the first host of each slice receives requests.
 *
 * @throws InvalidInputError listing every prop that is unknown or invalid, contradicts another prop, or does not fit the slice
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpus
 */
export class TpuServer extends Construct {
  /** The Deployment, or the LeaderWorkerSet on a multi-host slice. */
  readonly workload: ApiObject;
  /** The Service; requests go to its port. */
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

  constructor(scope: Construct, id: string, props: TpuServerProps) {
    super(scope, id);
    checkAtSynth(this);
    const { props: valid, made: parts } = readAndMake(TPU_SERVER_PROPS, props, this.node, partsOf);
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
    describeOperations(
      this,
      tpuServerOperations(this, valid, {
        ...startOf(valid),
        port: parts.port.port,
        healthPath: valid.healthPath ?? HEALTH_PATH,
        container: parts.container.name,
      }),
    );
  }
}

function partsOf(props: TpuServerProps & { readonly name: string }): TpuServerWithPods {
  const { slice, modelCache, huggingFaceToken, port = SERVER_PORT, healthPath = HEALTH_PATH } = props;
  const startup = startOf(props);
  const { startupSeconds } = startup;
  return withPods(props, {
    server: props.software ?? softwareOf(props.image),
    model: props.model,
    container: containerOf(props, port),
    worker: workerOf(props),
    defaults: [
      httpProbes(port, healthPath, startupSeconds, props.probes?.liveness ? healthPath : undefined),
      ...modelCacheFragments(props, slice, [JAX_COMPILE_CACHE]),
    ],
    given: [...(modelCache ? [modelCache] : []), ...(huggingFaceToken ? [huggingFaceToken.asEnv()] : [])],
    startup,
    port: { name: 'http', port },
    monitoring: metricsOf(props, port),
  });
}

/** Returns the last part of the image's name, or `server` if a label cannot contain it. */
const softwareOf = (image: string): string => {
  const name = imageName(image);
  return labelValue(name) === undefined ? name : 'server';
};

function containerOf(props: TpuServerProps, port: number): MainContainer {
  const metrics = metricsOf(props, port);
  return {
    name: props.containerName ?? 'server',
    image: props.image,
    ports: [
      { name: 'http', containerPort: port, protocol: 'TCP' },
      ...(metrics && metrics.port !== port
        ? [{ name: 'metrics', containerPort: metrics.port, protocol: 'TCP' }]
        : []),
    ],
  };
}

/** Returns the program of the other hosts; undefined if they run the program of the first host. */
const workerOf = ({ worker }: TpuServerProps): WorkerProgram | undefined =>
  worker && { command: [...worker.command], ...(worker.args && { args: [...worker.args] }) };

/** The first start includes downloading the weights and compiling. */
function startOf({
  slice,
  model,
  modelCache,
  modelSize = model === undefined ? undefined : modelSizeByName(model),
  startupSeconds,
}: TpuServerProps): Startup {
  return startupOf(startupSeconds, {
    slice,
    ...(modelSize !== undefined && { modelSize }),
    uncachedFuse: isUncached(modelCache, modelSize),
  });
}
