import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { type Capacity } from '../pod/capacity';
import { type PodFragment } from '../pod/fragment';
import { type HuggingFaceToken } from '../pod/hugging-face-token';
import { absolutePath, dnsLabel, image, integer, isUnder, looksLikeToken, port, quoted } from '../pod/rules';
import { sharedMemory } from '../pod/shared-memory';
import { httpProbes } from '../pod/startup';
import { podTemplate } from '../pod/template';
import { tpuResources } from '../pod/tpu';
import { Problems } from '../problems';
import { type TpuSlice } from '../tpu/slice';
import { type AutoscalingOptions, checkAutoscaling } from '../workload/autoscaling';
import { intervalProblem, type MonitoringOptions } from '../workload/monitoring';
import { placeServer, selectorOf, type ServiceType } from '../workload/server';
import { IMAGES } from './images';

/** A folder of the server's container that outlives the pod: a `GcsFuseVolume`, or a volume of one's own with its mount path. */
export interface MountedVolume extends PodFragment {
  /** Folder that the container sees the volume in. */
  readonly mountPath: string;
}

/** Properties of a vLLM server. */
export interface VllmServerProps {
  /** Name of the Deployment and of the objects around it. @default - the construct's id */
  readonly name?: string;
  /** The model, as vLLM's `--model`: a Hugging Face id or a path in the container. */
  readonly model: string;
  /** The TPU slice of each replica; one host. */
  readonly slice: TpuSlice;
  /** How the slices are bought. @default - on demand */
  readonly capacity?: Capacity;
  /** Replicas, each on a slice of its own; not with `autoscaling`. @default 1 */
  readonly replicas?: number;
  /** Scales the replicas by a metric. @default - a fixed number of replicas */
  readonly autoscaling?: AutoscalingOptions;
  /** Volume that weights and compiled programs are kept on. @default - none: every start downloads and compiles */
  readonly modelCache?: MountedVolume;
  /** Folder for the weights, `--download-dir`; on a volume. @default - the mount path of `modelCache` */
  readonly downloadDir?: string;
  /** Folder for compiled XLA programs, `VLLM_XLA_CACHE_PATH`; on a volume. @default - the mount path of `modelCache` */
  readonly compileCachePath?: string;
  /** Token for models that need one. @default - none */
  readonly huggingFaceToken?: HuggingFaceToken;
  /** ServiceAccount of the pods; it needs access to the bucket of `modelCache`. @default - the namespace's default */
  readonly serviceAccountName?: string;
  /** Longest sequence in tokens, prompt and answer, `--max-model-len`. @default - what the model allows */
  readonly maxModelLen?: number;
  /** Most tokens of one step, `--max-num-batched-tokens`. @default - vLLM's */
  readonly maxNumBatchedTokens?: number;
  /** Most sequences of one step, `--max-num-seqs`. @default - vLLM's */
  readonly maxNumSeqs?: number;
  /** Devices that one model is split over, `--tensor-parallel-size`. @default - all of the slice: its chips, on tpu7x twice as many */
  readonly tensorParallelSize?: number;
  /** Further flags of vLLM, as `--flag=value`. @default - none */
  readonly args?: readonly string[];
  /** Further environment variables. @default - none */
  readonly env?: Readonly<Record<string, string>>;
  /** Container image, with a tag or digest. @default 'vllm/vllm-tpu:v0.12.0' */
  readonly image?: string;
  /** Port of the server and of its Service. @default 8000 */
  readonly port?: number;
  /** Who can reach the server. @default 'ClusterIP' */
  readonly serviceType?: ServiceType;
  /** Collection of metrics; `false` for none. @default - every 15 seconds */
  readonly monitoring?: MonitoringOptions | false;
  /** Room of `/dev/shm`, as a quantity. @default '16Gi' */
  readonly sharedMemory?: string;
  /** Longest time from start to the first answer, in seconds: download, load, compile. @default 3600 */
  readonly startupSeconds?: number;
  /** What no prop covers. @default - none */
  readonly fragments?: readonly PodFragment[];
}

/** vLLM's images for TPU document `--shm-size=16G`: https://docs.vllm.ai/en/latest/getting_started/installation/google_tpu.html */
const SHARED_MEMORY = '16Gi';
/** 8B from Cloud Storage took one hour without a cache, 70B fourteen minutes with one: https://github.com/vllm-project/vllm/issues/23115 */
const STARTUP_SECONDS = 3600;
const HEALTH_PATH = '/health';
const METRICS_PATH = '/metrics';

/** Flags that props write; the prop of each. */
const FLAGS: Readonly<Record<string, string>> = {
  '--host': 'the server itself',
  '--port': 'port',
  '--tensor-parallel-size': 'tensorParallelSize',
  '--max-model-len': 'maxModelLen',
  '--model': 'model',
  '--download-dir': 'downloadDir',
  '--max-num-batched-tokens': 'maxNumBatchedTokens',
  '--max-num-seqs': 'maxNumSeqs',
};

/**
 * vLLM's OpenAI-compatible server on one host of a TPU slice: Deployment, Service, PodMonitoring and, with `autoscaling`, a
 * HorizontalPodAutoscaler.
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

  constructor(scope: Construct, id: string, props: VllmServerProps) {
    super(scope, id);
    const name = props.name ?? id;
    const serverPort = props.port ?? 8000;
    const problems = new Problems();
    checkProps(props, name, serverPort, problems);

    const { slice, modelCache } = props;
    const downloadDir = props.downloadDir ?? modelCache?.mountPath;
    const compileCachePath = props.compileCachePath ?? modelCache?.mountPath;
    const selector = selectorOf(name);
    const template = problems.attempt(() =>
      podTemplate(
        {
          name: 'vllm',
          image: props.image ?? IMAGES.vllm,
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
              : [{ name: 'VLLM_XLA_CACHE_PATH', value: compileCachePath }]),
            { name: 'VLLM_USE_V1', value: '1' },
          ],
          ports: [{ name: 'http', containerPort: serverPort, protocol: 'TCP' }],
        },
        [],
        [
          { labels: selector },
          { pod: { serviceAccountName: props.serviceAccountName } },
          tpuResources(slice),
          ...(props.capacity ? [props.capacity] : []),
          ...(modelCache ? [modelCache] : []),
          sharedMemory(props.sharedMemory ?? SHARED_MEMORY),
          ...(props.huggingFaceToken ? [props.huggingFaceToken.asEnv()] : []),
          httpProbes(serverPort, HEALTH_PATH, props.startupSeconds ?? STARTUP_SECONDS),
          { env: Object.entries(props.env ?? {}).map(([key, value]) => ({ name: key, value })) },
          ...(props.fragments ?? []),
        ],
      ),
    );
    problems.throwIfAny(this.node.path);
    if (!template) throw new Error('a template without problems is a template');

    const monitoring =
      props.monitoring === false ? undefined : { port: serverPort, path: METRICS_PATH, ...props.monitoring };
    const placed = placeServer(this, {
      name,
      selector,
      template,
      replicas: props.replicas ?? 1,
      progressDeadlineSeconds: (props.startupSeconds ?? STARTUP_SECONDS) + 600,
      service: { type: props.serviceType ?? 'ClusterIP', port: { name: 'http', port: serverPort } },
      monitoring,
      autoscaling: props.autoscaling,
    });
    this.deployment = placed.deployment;
    this.service = placed.service;
    this.podMonitoring = placed.podMonitoring;
    this.horizontalPodAutoscaler = placed.horizontalPodAutoscaler;
  }
}

const flag = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [`${name}=${String(value)}`];

function checkProps(props: VllmServerProps, name: string, serverPort: number, problems: Problems): void {
  const { slice, model, autoscaling, monitoring, modelCache } = props;
  problems.add(
    dnsLabel('name', name),
    port('port', serverPort),
    props.image === undefined ? undefined : image('image', props.image),
    props.serviceAccountName === undefined
      ? undefined
      : dnsLabel('serviceAccountName', props.serviceAccountName),
    props.capacity?._problemOn(slice),
  );
  problems.check(
    /^[^\s=]+$/.test(model),
    `model ${quoted(model)} is not a model, expected a Hugging Face id like 'meta-llama/Llama-3.1-70B' or a path in the container`,
  );
  problems.check(
    !slice.multiHost,
    `slice '${slice.toString()}' has ${String(slice.hosts)} hosts, expected one: a Deployment cannot place one server on several; expected 'ct6e-standard-8t' (8 chips), or TpuRayService, which runs vLLM over several hosts`,
  );
  for (const key of ['maxModelLen', 'maxNumBatchedTokens', 'maxNumSeqs', 'startupSeconds'] as const)
    if (props[key] !== undefined) problems.add(integer(key, props[key], 1));
  if (props.replicas !== undefined) problems.add(integer('replicas', props.replicas, 0));
  if (props.tensorParallelSize !== undefined)
    problems.add(integer('tensorParallelSize', props.tensorParallelSize, 1, slice.devices));
  problems.check(
    !((props.maxNumBatchedTokens ?? Infinity) < (props.maxNumSeqs ?? 0)),
    `maxNumBatchedTokens '${String(props.maxNumBatchedTokens)}' is below maxNumSeqs '${String(props.maxNumSeqs)}', expected at least one token a sequence; nearest: ${String(props.maxNumSeqs)}`,
  );
  problems.check(
    props.replicas === undefined || autoscaling === undefined,
    `replicas '${String(props.replicas)}' is set beside autoscaling, expected one of them: each apply would undo what the autoscaler did`,
  );
  if (autoscaling) checkAutoscaling(autoscaling, problems);
  problems.check(
    autoscaling === undefined || monitoring !== false,
    `monitoring 'false' is set beside autoscaling, expected it on: the autoscaler reads metric '${autoscaling?.metric.name ?? ''}' from it`,
  );
  if (monitoring !== undefined && monitoring !== false && monitoring.interval !== undefined)
    problems.add(intervalProblem(monitoring.interval));

  const mounts = [modelCache, ...(props.fragments ?? [])].flatMap((one) => one?.volumeMounts ?? []);
  for (const key of ['downloadDir', 'compileCachePath'] as const) {
    const path = props[key];
    if (path === undefined) continue;
    const malformed = absolutePath(key, path);
    problems.add(malformed);
    problems.check(
      malformed !== undefined || mounts.some((mount) => isUnder(path, mount.mountPath)),
      `${key} '${path}' is on no volume and lost at every restart, expected a path under ${mounts.map((mount) => `'${mount.mountPath}'`).join(' or ') || 'the mountPath of a modelCache'}`,
    );
  }
  for (const arg of props.args ?? []) {
    const own = FLAGS[arg.split(/[=\s]/)[0] ?? ''];
    problems.check(
      own === undefined,
      `args ${quoted(arg)} is already written by ${own ?? ''}, expected that prop instead`,
    );
    problems.check(
      /^--[a-z]/.test(arg),
      `args ${quoted(arg)} is not a flag, expected '--flag=value' in one string`,
    );
  }
  for (const [key, value] of Object.entries(props.env ?? {})) {
    problems.check(
      /^[A-Za-z_][A-Za-z0-9_]*$/.test(key),
      `env ${quoted(key)} is not a variable name, expected letters, digits and '_', first no digit`,
    );
    problems.check(
      !looksLikeToken(value),
      `env ${quoted(key)} holds a Hugging Face token, expected huggingFaceToken: HuggingFaceToken.fromSecret(…), which names a Secret`,
    );
  }
}
