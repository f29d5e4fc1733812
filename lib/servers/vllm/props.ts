import { VLLM_PORT } from '../../facts/ports';
import { type HuggingFaceToken, tokenType } from '../../pod/hugging-face-token';
import {
  absentProblem,
  cacheProblem,
  compileCacheProblem,
  keptFolderProblem,
  MODEL_CACHE_PROPERTIES,
  modelCacheProblems,
  type MountedVolume,
} from '../../pod/model-cache';
import { serverPort } from '../../pod/tpu';
import { absolutePath, bucketFolder, type Grammar, isUnder } from '../../problems/grammar';
import { type Problem } from '../../problems/problems';
import { integer, nonEmpty, optional, required, type Schema, string } from '../../problems/schema';
import { type MonitoringOptions, monitoringType } from '../../workload/monitoring';
import { IMAGE_PROPERTIES } from '../../workload/vocabulary';
import { type ServerFlags } from '../flags';
import { chipsOf, serverProblems, serverProperties, type TpuServerOptions } from '../server';
import { furtherFlags, longFlag, releaseOfProps } from './flags';
import { hostsProblems, raysPorts } from './hosts';
import { OPTION_PROPERTIES, optionProblems, servesLora, type VllmOptions, writtenFlags } from './options';
import { releaseProblems, startProblems } from './release';
import { modelFactsOf } from './model';
import { streamingProblem } from './streaming';
import { cacheConfiguration, headsProblem } from '../../tpu/memory';
import { type ModelFacts, modelFactsType } from '../../tpu/model-facts';

/** Properties of a vLLM server. */
export interface VllmServerProps extends TpuServerOptions, VllmOptions {
  /** Container image, with a tag or digest. @default 'vllm/vllm-tpu:v0.27.0' */
  readonly image?: string;
  /**
   * The model, as vLLM's `--model`: a Hugging Face id, a path in the container, or `gs://BUCKET/FOLDER`, from which the server streams the
   * weights without a volume.
   */
  readonly model: string;
  /**
   * Numbers from the `config.json` of a model that the library does not know. Checks and the startup budget compute weights and KV cache
   * from them. They are rendered as an annotation.
   *
   * @default - the numbers of a known model; otherwise `modelSize`, or an estimate from the name
   */
  readonly modelConfiguration?: ModelFacts;
  /** Name of the model in requests, `--served-model-name`. @default - `model`; for a model in a bucket, the last part of its path */
  readonly servedModelName?: string;
  /** Volume for weights and compiled programs. @default - none: every start downloads and compiles */
  readonly modelCache?: MountedVolume;
  /**
   * Folder for the weights, `--download-dir`: on a volume, or under `/dev/shm` or `/tmp`.
   *
   * @default - the mount path of a writable `modelCache`
   */
  readonly downloadDir?: string;
  /**
   * Folder for compiled XLA programs, `VLLM_XLA_CACHE_PATH`, on a volume. On a multi-host slice, each host needs its own folder, for
   * example on an `emptyDir`.
   *
   * @default - on a single-host slice the mount path of a writable `modelCache`, on a multi-host slice `/tmp/vllm_xla_cache`
   */
  readonly compileCachePath?: string;
  /** Token for models that require one. @default - none */
  readonly huggingFaceToken?: HuggingFaceToken;
  /** Longest sequence of prompt and answer, in tokens, `--max-model-len`. @default - the model's limit */
  readonly maxModelLen?: number;
  /** Largest number of tokens in one step, `--max-num-batched-tokens`. @default - vLLM's default */
  readonly maxNumBatchedTokens?: number;
  /** Largest number of sequences in one step, `--max-num-seqs`. @default - vLLM's default */
  readonly maxNumSeqs?: number;
  /**
   * Number of devices that share one copy of the model, `--tensor-parallel-size`.
   *
   * @default - all devices of the slice, one per chip and two on tpu7x, divided by the other parallel sizes
   */
  readonly tensorParallelSize?: number;
  /** Size limit of `/dev/shm`, a volume in memory, as a quantity. @default '16Gi' */
  readonly sharedMemory?: string;
  /** Port of the server and of its Service. @default 8000 */
  readonly port?: number;
  /** Collection of metrics; `false` turns it off. @default - every 15 seconds */
  readonly monitoring?: MonitoringOptions | false;
}

/** Flags that the construct always writes, and the prop behind each flag. */
const WRITERS: ServerFlags['writers'] = {
  '--host': null,
  '--port': 'port',
  '--tensor-parallel-size': 'tensorParallelSize',
  '--max-model-len': 'maxModelLen',
  '--model': 'model',
  '--served-model-name': 'servedModelName',
  '--download-dir': 'downloadDir',
  '--max-num-batched-tokens': 'maxNumBatchedTokens',
  '--max-num-seqs': 'maxNumSeqs',
};

/** Returns the flags of a server. `args` can contain the flag of an option if the option is not set. */
const flagsOf = (props: VllmServerProps): ServerFlags => ({
  writers: { ...WRITERS, ...Object.fromEntries(writtenFlags(props).map(([prop, flag]) => [flag, prop])) },
  spelling: longFlag,
  // Users add items of JSON lists, and middleware, one by one.
  mayRepeat: (flag) => flag.endsWith('+') || flag === '--middleware',
});

const METRIC = 'VllmMetric.REQUESTS_WAITING';
const MODEL = 'meta-llama/Llama-3.1-70B';

/** Accepts Hugging Face ids, paths in the container, and folders of buckets. */
const modelName: Grammar = (value) => {
  if (value.startsWith('gs://')) return bucketFolder(value);
  return /^[^\s=-][^\s=]*$/.test(value) && !/^[a-z0-9]+:\/\//.test(value)
    ? undefined
    : { problem: 'is not a model', use: 'a Hugging Face id or a path in the container', nearest: MODEL };
};

const tokens = optional(integer(1));

/** Checks the properties against each other. */
const problemsOf = (props: VllmServerProps): readonly (Problem | undefined)[] => [
  ...serverProblems(props, {
    flags: flagsOf(props),
    ports: [props.port ?? VLLM_PORT, ...raysPorts(props.slice)],
    monitored: props.monitoring !== false,
    metricPrefix: 'vllm:',
    metric: METRIC,
  }),
  ...hostsProblems({ ...props, ...parallelSizes(props), port: props.port ?? VLLM_PORT }),
  streamingProblem(props),
  batchProblem(props),
  ...parallelismProblems(props),
  ...releaseProblems(props, writtenFlags(props)),
  ...optionProblems(props, {
    generation: props.slice.generation,
    release: releaseOfProps(props),
    podSecurityLevel: props.podSecurityLevel,
  }),
  ...modelCacheProblems(props),
  downloadProblem(props),
  ...adapterProblems(props),
  compileCacheProblem('compileCachePath', props.compileCachePath, props.slice, props),
  cacheProblem('modelCache.cache', props.modelCache, props.modelSize),
];

/** The properties of a vLLM server, and the rules between them. */
export const VLLM_PROPS: Schema<VllmServerProps> = {
  properties: {
    ...serverProperties(METRIC),
    ...MODEL_CACHE_PROPERTIES,
    ...OPTION_PROPERTIES,
    image: IMAGE_PROPERTIES.image,
    model: required(string(modelName), MODEL),
    modelConfiguration: optional(modelFactsType),
    servedModelName: optional(nonEmpty()),
    downloadDir: optional(string(absolutePath)),
    huggingFaceToken: optional(tokenType),
    maxModelLen: tokens,
    maxNumBatchedTokens: tokens,
    maxNumSeqs: tokens,
    tensorParallelSize: tokens,
    port: optional(serverPort()),
    monitoring: optional(monitoringType),
  },
  rules: [problemsOf],
};

/** Folders for temporary files, which are lost at every restart. */
const TEMPORARY = ['/dev/shm', '/tmp'];

/** Requires `downloadDir` to be on a volume, unless it is a folder for temporary files. */
const downloadProblem = (props: VllmServerProps): Problem | undefined =>
  TEMPORARY.some((one) => isUnder(props.downloadDir ?? '', one))
    ? undefined
    : keptFolderProblem('downloadDir', props.downloadDir, props);

/** Requires the paths of adapters to be on a volume. Another image can contain them, and another command can download them. */
const adapterProblems = (props: VllmServerProps): readonly (Problem | undefined)[] =>
  props.image !== undefined || props.command !== undefined
    ? []
    : Object.entries(props.loraModules ?? {}).map(([name, folder]) =>
        absentProblem(`loraModules[${name}]`, folder, props),
      );

function batchProblem({ maxNumBatchedTokens, maxNumSeqs }: VllmServerProps): Problem | undefined {
  return maxNumBatchedTokens !== undefined && maxNumSeqs !== undefined && maxNumBatchedTokens < maxNumSeqs
    ? {
        path: 'maxNumBatchedTokens',
        value: maxNumBatchedTokens,
        problem: `is less than maxNumSeqs, ${String(maxNumSeqs)}`,
        use: `at least ${String(maxNumSeqs)}, one token for each sequence`,
      }
    : undefined;
}

/** Returns the number of devices of the main containers on all hosts. */
const devicesOf = (props: VllmServerProps): number =>
  (props.slice.devices / props.slice.chips) * chipsOf(props) * props.slice.hosts;

/** How a server splits and copies its model. */
export interface ParallelSizes {
  readonly tensorParallelSize: number;
  readonly pipelineParallelSize: number;
  readonly dataParallelSize: number;
}

/** Returns the parallel sizes of a server, from its props and from flags in `args`. */
export function parallelSizes(props: VllmServerProps): ParallelSizes {
  const flags = furtherFlags(props);
  const stated = (flag: string): number | undefined => Number(flags.get(flag)) || undefined;
  const pipelineParallelSize = props.pipelineParallelSize ?? stated('--pipeline-parallel-size') ?? 1;
  const dataParallelSize = props.dataParallelSize ?? stated('--data-parallel-size') ?? 1;
  const tensorParallelSize =
    props.tensorParallelSize ??
    Math.max(1, Math.floor(devicesOf(props) / (pipelineParallelSize * dataParallelSize)));
  return { tensorParallelSize, pipelineParallelSize, dataParallelSize };
}

function parallelismProblems(props: VllmServerProps): readonly Problem[] {
  if (devicesOf(props) < 1) return [];
  const sizes = parallelSizes(props);
  const { tensorParallelSize: size } = sizes;
  const devices = devicesOf(props);
  const model = modelFactsOf(props);
  const cache = model && cacheConfiguration(model);
  const heads = cache && headsProblem(cache, size);
  if (devices % size === 0)
    return [
      ...(heads ? [heads] : []),
      ...startProblems({ ...props, ...sizes, devices, enableLora: servesLora(props) }),
    ];
  const below = Array.from({ length: devices }, (_, index) => devices - index).find(
    (count) => count <= size && devices % count === 0,
  );
  return [
    {
      path: 'tensorParallelSize',
      value: size,
      problem: `does not divide the ${String(devices)} devices of the ${props.slice.multiHost ? 'slice' : 'container'}`,
      use: String(below ?? devices),
    },
  ];
}
