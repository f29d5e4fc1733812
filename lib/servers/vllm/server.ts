import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { checkAtSynth } from '../../synth/at-synth';
import { givenToken, type HuggingFaceToken } from '../../pod/hugging-face-token';
import {
  cacheProblem,
  checkCompileCache,
  checkKeptFolder,
  checkModelCache,
  isUncached,
  type MountedVolume,
  writableMount,
} from '../../pod/model-cache';
import { modelSizeProblem, namedModelProblem } from '../../pod/model-fit';
import { dnsLabel, image, integer, nearestLabel, quoted } from '../../problems/validators';
import { sharedMemory } from '../../pod/shared-memory';
import { httpProbes } from '../../pod/startup';
import { modelSizeByName, startupEstimate } from '../../pod/startup-budget';
import { serverPortProblem } from '../../pod/tpu';
import { VLLM_COMPILE_CACHE, VLLM_ENGINE_TIMEOUT } from '../../facts/variables';
import { type Problem, Problems } from '../../problems/problems';
import { requireSlice } from '../../tpu/slice';
import { type MonitoringOptions } from '../../workload/monitoring';
import { describeOperations } from '../../operations/operations';
import { type ServerFlags } from '../flags';
import { checkTpuServer, placeTpuServer, singleHost, type TpuServerOptions } from '../server';
import { IMAGES } from '../../facts/images';
import { vllmOperations } from './operations';

/** Properties of a vLLM server. */
export interface VllmServerProps extends TpuServerOptions {
  /** The model, as vLLM's `--model`: a Hugging Face id or a path in the container. */
  readonly model: string;
  /** Volume that weights and compiled programs are kept on. @default - none: every start downloads and compiles */
  readonly modelCache?: MountedVolume;
  /** Folder for the weights, `--download-dir`; on a volume. @default - the mount path of `modelCache` that can be written */
  readonly downloadDir?: string;
  /** Folder for compiled XLA programs, `VLLM_XLA_CACHE_PATH`; on a volume. @default - the mount path of `modelCache` that can be written */
  readonly compileCachePath?: string;
  /** Token for models that need one. @default - none */
  readonly huggingFaceToken?: HuggingFaceToken;
  /** Longest sequence in tokens, prompt and answer, `--max-model-len`. @default - what the model allows */
  readonly maxModelLen?: number;
  /** Most tokens of one step, `--max-num-batched-tokens`. @default - vLLM's */
  readonly maxNumBatchedTokens?: number;
  /** Most sequences of one step, `--max-num-seqs`. @default - vLLM's */
  readonly maxNumSeqs?: number;
  /** Devices that one model is split over, `--tensor-parallel-size`. @default - all of the slice: its chips, on tpu7x twice as many */
  readonly tensorParallelSize?: number;
  /** Container image, with a tag or digest. @default 'vllm/vllm-tpu:v0.12.0' */
  readonly image?: string;
  /** Port of the server and of its Service. @default 8000 */
  readonly port?: number;
  /** Collection of metrics; `false` for none. @default - every 15 seconds */
  readonly monitoring?: MonitoringOptions | false;
  /** Room of `/dev/shm`, as a quantity. @default '16Gi' */
  readonly sharedMemory?: string;
}

/** vLLM's images for TPU document `--shm-size=16G`: https://docs.vllm.ai/en/latest/getting_started/installation/google_tpu.html */
const SHARED_MEMORY = '16Gi';
const PORT = 8000;
const HEALTH_PATH = '/health';
const METRICS_PATH = '/metrics';

/** Flags that props write; the prop of each. */
const FLAGS: ServerFlags = {
  writers: {
    '--host': 'the server itself',
    '--port': 'port',
    '--tensor-parallel-size': 'tensorParallelSize',
    '--max-model-len': 'maxModelLen',
    '--model': 'model',
    '--download-dir': 'downloadDir',
    '--max-num-batched-tokens': 'maxNumBatchedTokens',
    '--max-num-seqs': 'maxNumSeqs',
  },
  spelling: (flag) => SHORT_FLAGS.get(flag) ?? flag.replaceAll('_', '-'),
  // Parts of a list in JSON, and middleware, are added one by one.
  mayRepeat: (flag) => flag.endsWith('+') || flag === '--middleware',
};
/** vLLM's short forms: https://docs.vllm.ai/en/latest/configuration/engine_args/ */
const SHORT_FLAGS: ReadonlyMap<string, string> = new Map([
  ['-tp', '--tensor-parallel-size'],
  ['-pp', '--pipeline-parallel-size'],
  ['-dp', '--data-parallel-size'],
  ['-q', '--quantization'],
]);

/**
 * vLLM's OpenAI-compatible server on one host of a TPU slice: Deployment, Service and PodMonitoring; with `autoscaling` a
 * HorizontalPodAutoscaler, with several replicas a PodDisruptionBudget, with `allowedClients` a NetworkPolicy.
 *
 * @throws InvalidInputError listing every prop that is out of range, contradicts another or does not fit the slice
 * @see https://cloud.google.com/kubernetes-engine/docs/tutorials/serve-vllm-tpu
 */
export class VllmServer extends Construct {
  /** The Deployment. */
  readonly deployment: ApiObject;
  /** The Service; requests go to its port. */
  readonly service: ApiObject;
  /** Collects the metrics; none with `monitoring: false`. */
  readonly podMonitoring: ApiObject | undefined;
  /** Scales the Deployment; only with `autoscaling`. */
  readonly horizontalPodAutoscaler: ApiObject | undefined;
  /** Keeps all but one replica running while nodes are drained; only with several. */
  readonly podDisruptionBudget: ApiObject | undefined;
  /** Keeps others than `allowedClients` away; only with them. */
  readonly networkPolicy: ApiObject | undefined;

  constructor(scope: Construct, id: string, props: VllmServerProps) {
    super(scope, id);
    checkAtSynth(this);
    requireSlice(props.slice, this.node.path);
    const problems = new Problems();
    const given = props.name ?? id;
    const name = problems.sound(given, dnsLabel('name', given), nearestLabel(given));
    const wanted = props.port ?? PORT;
    const serverPort = problems.sound(wanted, serverPortProblem('port', wanted), PORT);
    const serverImage = props.image ?? IMAGES.vllm;
    const monitoring =
      props.monitoring === false ? undefined : { port: serverPort, path: METRICS_PATH, ...props.monitoring };
    checkTpuServer(props, monitoring, FLAGS, problems);
    checkProps(props, problems);

    const { slice, modelCache } = props;
    const written = writableMount(modelCache);
    const downloadDir = props.downloadDir ?? written;
    const compileCachePath = props.compileCachePath ?? written;
    const startupSeconds = props.startupSeconds ?? problems.attempt(() => startupOf(props)) ?? 1;
    const placed = placeTpuServer(
      this,
      props,
      {
        name,
        server: 'vllm',
        model: props.model,
        container: {
          name: 'vllm',
          image: problems.sound(serverImage, image('image', serverImage), IMAGES.vllm),
          command: ['python3', '-m', 'vllm.entrypoints.openai.api_server'],
          args: [
            '--host=0.0.0.0',
            `--port=${String(serverPort)}`,
            `--tensor-parallel-size=${String(props.tensorParallelSize ?? slice.devices)}`,
            ...flag('--max-model-len', props.maxModelLen),
            `--model=${props.model}`,
            ...flag('--download-dir', downloadDir),
            ...flag('--max-num-batched-tokens', props.maxNumBatchedTokens),
            ...flag('--max-num-seqs', props.maxNumSeqs),
            ...(props.args ?? []),
          ],
          env: [
            ...(compileCachePath === undefined
              ? []
              : [{ name: VLLM_COMPILE_CACHE, value: compileCachePath }]),
            { name: VLLM_ENGINE_TIMEOUT, value: String(startupSeconds) },
          ],
          ports: [{ name: 'http', containerPort: serverPort, protocol: 'TCP' }],
        },
        env: { VLLM_USE_V1: '1' },
        fragments: [
          ...(modelCache ? [modelCache] : []),
          ...present(problems.attempt(() => sharedMemory(props.sharedMemory ?? SHARED_MEMORY))),
          ...present(
            problems.attempt(() => props.huggingFaceToken && givenToken(props.huggingFaceToken).asEnv()),
          ),
          httpProbes(serverPort, HEALTH_PATH, startupSeconds),
        ],
        startupSeconds,
        service: { port: { name: 'http', port: serverPort } },
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
    describeOperations(this, vllmOperations(this, props, { port: serverPort, startupSeconds }));
  }
}

const present = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);

/** A first start: it fetches the weights and compiles. */
function startupOf(props: VllmServerProps): number {
  const { slice, modelCache, modelSize = modelSizeByName(props.model) } = props;
  return startupEstimate({ slice, modelSize, uncachedFuse: isUncached(modelCache, modelSize) }).budgetSeconds;
}

const flag = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [`${name}=${String(value)}`];

/** What is wrong with the size of the model, stated or by its name; undefined where nothing is. */
function fits({ slice, model, modelSize }: VllmServerProps): Problem | undefined {
  if (slice.multiHost) return undefined;
  return modelSize === undefined
    ? namedModelProblem(slice, model, { hosts: 'one' })
    : modelSizeProblem(slice, modelSize, { hosts: 'one' });
}

function checkProps(props: VllmServerProps, problems: Problems): void {
  const { slice, model, modelCache } = props;
  // A model in a bucket is streamed by another loader than the default.
  const fromBucket =
    model.startsWith('gs://') && (props.args ?? []).some((arg) => /^--load[-_]format=/.test(arg));
  problems.check(
    fromBucket || (/^[^\s=-][^\s=]*$/.test(model) && !/^[a-z0-9]+:\/\//.test(model)),
    `model ${quoted(model)} is not a model, expected a Hugging Face id like 'meta-llama/Llama-3.1-70B' or a path in the container`,
  );
  problems.add(
    fits(props),
    singleHost(slice, 'a Deployment cannot place one server on several, TpuRayService runs vLLM on them'),
    props.autoscaling === undefined || props.autoscaling.metric.name.startsWith('vllm:')
      ? undefined
      : `autoscaling metric '${props.autoscaling.metric.name}' is not vLLM's, expected one like VllmMetric.REQUESTS_WAITING`,
  );
  for (const key of ['maxModelLen', 'maxNumBatchedTokens', 'maxNumSeqs'] as const)
    if (props[key] !== undefined) problems.add(integer(key, props[key], 1));
  problems.add(parallelismProblem(props));
  problems.check(
    !((props.maxNumBatchedTokens ?? Infinity) < (props.maxNumSeqs ?? 0)),
    `maxNumBatchedTokens '${String(props.maxNumBatchedTokens)}' is below maxNumSeqs '${String(props.maxNumSeqs)}', expected at least one token a sequence; nearest: ${String(props.maxNumSeqs)}`,
  );
  checkModelCache(props, problems);
  checkKeptFolder('downloadDir', props.downloadDir, props, problems);
  checkCompileCache('compileCachePath', props.compileCachePath, slice, props, problems);
  problems.add(cacheProblem('modelCache cache', modelCache, props.modelSize));
}

/** What is wrong with the devices that a model is split over; undefined where nothing is. */
function parallelismProblem({
  tensorParallelSize: size,
  slice: { devices },
}: VllmServerProps): string | undefined {
  if (size === undefined) return undefined;
  const wrong = integer('tensorParallelSize', size, 1, devices);
  if (wrong !== undefined || devices % size === 0) return wrong;
  const below = Array.from({ length: size }, (_, index) => size - index).find((n) => devices % n === 0);
  return `tensorParallelSize '${String(size)}' does not divide the ${String(devices)} devices of the slice, expected a divisor; nearest: ${String(below)}`;
}
