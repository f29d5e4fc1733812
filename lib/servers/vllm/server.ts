import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { IMAGES } from '../../facts/images';
import { METRICS_PATH } from '../../facts/metrics';
import { VLLM_PORT } from '../../facts/ports';
import { LOCAL_COMPILE_CACHE, VLLM_COMPILE_CACHE, VLLM_ENGINE_TIMEOUT } from '../../facts/variables';
import { readsVariable } from '../../facts/vllm-releases';
import { describeOperations } from '../../operations/operations';
import { type MainContainer, type PodFragment } from '../../pod/fragment';
import { isUncached, writableMount } from '../../pod/model-cache';
import { gracefulShutdown } from '../../pod/shutdown';
import { httpProbes } from '../../pod/startup';
import { readAndMake } from '../../problems/schema';
import { checkAtSynth } from '../../synth/at-synth';
import { stateModel } from '../../workload/stated-model';
import { placeTpuServer, type TpuServerWithPods, withPods } from '../server';
import { type Startup, startupOf } from '../startup';
import { releaseOfProps } from './flags';
import { modelSizeOf, statedModelOf } from './model';
import { HOSTS_ENV, hostsNotes, leaderCommand, RAY_PORT, WORKER_PROGRAM } from './hosts';
import { vllmOperations } from './operations';
import { optionArgs, optionFragments } from './options';
import { parallelSizes, VLLM_PROPS, type VllmServerProps } from './props';
import { shutdownTimeout } from './release';
import { isStreamed, loadFormat, nameInRequests } from './streaming';

/** vLLM's images for TPU document `--shm-size=16G`: https://docs.vllm.ai/en/latest/getting_started/installation/google_tpu.html */
const SHARED_MEMORY = '16Gi';
const HEALTH_PATH = '/health';
/**
 * If a Service is named `vllm`, the kubelet sets `VLLM_PORT` to a URL. vLLM expects a number there and stops.
 *
 * @see https://docs.vllm.ai/en/latest/configuration/env_vars/
 */
const NO_SERVICE_LINKS: PodFragment = { pod: { enableServiceLinks: false } };

/** Command that starts the server. */
const COMMAND: string[] = ['python3', '-m', 'vllm.entrypoints.openai.api_server'];

/**
 * vLLM's OpenAI-compatible server on TPU slices: a Deployment, or a LeaderWorkerSet on multi-host slices, with a Service and a
 * PodMonitoring. `autoscaling` adds an autoscaler, several replicas a PodDisruptionBudget, and `allowedClients` a NetworkPolicy.
 *
 * On a multi-host slice, vLLM runs on the first host and uses the other hosts through Ray. `args`, `command`, `probes` and `extraPorts`
 * apply to the first host, and all other props to every host.
 *
 * @throws InvalidInputError listing every prop that is unknown or invalid, contradicts another prop, or does not fit the slice
 * @see https://cloud.google.com/kubernetes-engine/docs/tutorials/serve-vllm-tpu
 */
export class VllmServer extends Construct {
  /** The Deployment, or the LeaderWorkerSet on a multi-host slice. */
  readonly workload: ApiObject;
  /** The Service; requests go to its port. */
  readonly service: ApiObject;
  /** Collects the metrics; undefined if `monitoring` is `false`. */
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

  constructor(scope: Construct, id: string, props: VllmServerProps) {
    super(scope, id);
    checkAtSynth(this);
    const { props: valid, made: parts } = readAndMake(VLLM_PROPS, props, this.node, partsOf);
    const placed = placeTpuServer(this, valid, parts);
    this.workload = placed.workload;
    stateModel(this.workload, statedModelOf(valid));
    this.service = placed.service;
    this.podMonitoring = placed.podMonitoring;
    this.horizontalPodAutoscaler = placed.horizontalPodAutoscaler;
    this.autoscalingMetric = placed.autoscalingMetric;
    this.scaledObject = placed.scaledObject;
    this.podDisruptionBudget = placed.podDisruptionBudget;
    this.networkPolicy = placed.networkPolicy;
    const startup = startOf(valid);
    const notes = [...startup.notes, ...hostsNotes(valid.slice)];
    describeOperations(this, vllmOperations(this, valid, { ...startup, port: parts.port.port, notes }));
  }
}

function partsOf(props: VllmServerProps & { readonly name: string }): TpuServerWithPods {
  const { port = VLLM_PORT, monitoring } = props;
  const startup = startOf(props);
  const { startupSeconds } = startup;
  const { multiHost } = props.slice;
  // On a multi-host slice, the first host's command already contains the server's command.
  return withPods(multiHost ? { ...props, command: undefined } : props, {
    server: 'vllm',
    model: nameInRequests(props),
    container: containerOf(props, port, startupSeconds),
    worker: multiHost ? WORKER_PROGRAM : undefined,
    defaults: [NO_SERVICE_LINKS, httpProbes(port, HEALTH_PATH, startupSeconds)],
    given: fragmentsOf(props),
    sharedMemory: SHARED_MEMORY,
    startup,
    port: { name: 'http', port },
    monitoring: monitoring === false ? undefined : { ...monitoring, port, path: METRICS_PATH },
  });
}

/** The first start includes downloading the weights and compiling. */
function startOf(props: VllmServerProps): Startup {
  const { slice, modelCache, startupSeconds } = props;
  const modelSize = modelSizeOf(props);
  return startupOf(startupSeconds, {
    slice,
    ...(modelSize !== undefined && { modelSize }),
    uncachedFuse: isUncached(modelCache, modelSize),
    streamed: isStreamed(props),
  });
}

const flag = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [`${name}=${String(value)}`];

function containerOf(props: VllmServerProps, port: number, startupSeconds: number): MainContainer {
  const { multiHost } = props.slice;
  const written = writableMount(props.modelCache);
  const compiled = props.compileCachePath ?? (multiHost ? LOCAL_COMPILE_CACHE : written);
  const release = releaseOfProps(props);
  const { terminationGracePeriodSeconds, preStopSeconds } = gracefulShutdown(props);
  return {
    name: 'vllm',
    image: IMAGES.vllm,
    command: multiHost ? leaderCommand(props.command ?? COMMAND) : COMMAND,
    args: [
      '--host=0.0.0.0',
      `--port=${String(port)}`,
      `--tensor-parallel-size=${String(parallelSizes(props).tensorParallelSize)}`,
      ...flag('--max-model-len', props.maxModelLen),
      `--model=${props.model}`,
      ...flag(
        '--served-model-name',
        props.servedModelName ?? (isStreamed(props) ? nameInRequests(props) : undefined),
      ),
      ...flag('--load-format', loadFormat(props)),
      ...flag('--download-dir', props.downloadDir ?? written),
      ...flag('--max-num-batched-tokens', props.maxNumBatchedTokens),
      ...flag('--max-num-seqs', props.maxNumSeqs),
      ...optionArgs(props),
      ...flag(
        '--shutdown-timeout',
        shutdownTimeout(props, release, terminationGracePeriodSeconds - preStopSeconds),
      ),
    ],
    env: [
      ...(compiled === undefined ? [] : [{ name: VLLM_COMPILE_CACHE, value: compiled }]),
      ...(readsVariable(release, VLLM_ENGINE_TIMEOUT)
        ? [{ name: VLLM_ENGINE_TIMEOUT, value: String(startupSeconds) }]
        : []),
      ...(multiHost ? HOSTS_ENV : []),
    ],
    ports: [{ name: 'http', containerPort: port, protocol: 'TCP' }, ...(multiHost ? [RAY_PORT] : [])],
  };
}

/** Returns the fragments of props that only vLLM has. */
const fragmentsOf = (props: VllmServerProps): readonly PodFragment[] => [
  ...optionFragments(props, props.image ?? IMAGES.vllm),
  ...(props.modelCache ? [props.modelCache] : []),
  ...(props.huggingFaceToken ? [props.huggingFaceToken.asEnv()] : []),
];
