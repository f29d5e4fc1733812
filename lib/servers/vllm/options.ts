import { type EnvVar } from 'cdk8s-plus-29/lib/imports/k8s';
import { VLLM_API_KEY } from '../../facts/variables';
import { QUANTIZATION_GENERATIONS } from '../../facts/vllm-platform';
import { CONNECTOR_MODULES, type ImageRelease, releaseProblem } from '../../facts/vllm-releases';
import { type MainContainer, type PodFragment } from '../../pod/fragment';
import { secretKey } from '../../pod/hugging-face-token';
import { type PodSecurityLevel } from '../../pod/security';
import { dnsSubdomain, type Grammar } from '../../problems/grammar';
import { type Problem } from '../../problems/problems';
import {
  boolean,
  essential,
  integer,
  isObject,
  map,
  misfit,
  type NamedResource,
  nameOf,
  nonEmpty,
  number,
  object,
  oneOf,
  optional,
  required,
  resourceName,
  type Schema,
  string,
  type Type,
} from '../../problems/schema';
import { either } from '../../problems/shown';
import { type TpuGeneration } from '../../tpu/generations';
import { type KvCacheDtype } from '../../tpu/memory';
import { FP8_CACHE_GENERATIONS } from '../../tpu/memory-findings';

/** A quantization that at least one release of vLLM accepts on TPU. */
export type VllmQuantization = keyof typeof QUANTIZATION_GENERATIONS;

/** Type of the model's weights and activations. */
export type VllmDtype = 'auto' | 'half' | 'float16' | 'bfloat16' | 'float' | 'float32';

/** A Secret with the key that clients must send. */
export interface VllmApiKey {
  /** The Secret in the namespace of the pods: its name, or a `Secret` of cdk8s-plus. */
  readonly secretName: string | NamedResource;
  /** Key of the Secret that contains the API key. */
  readonly key: string;
}

/** Offloading of the KV cache to the memory of the host. */
export interface VllmKvOffload {
  /** Number of KV cache chunks in the host's memory, `TPU_OFFLOAD_NUM_CPU_CHUNKS`. @default - vLLM's default, 1024 */
  readonly cpuChunks?: number;
  /** Number of blocks in HBM for transfers, `TPU_OFFLOAD_NUM_STAGING_BLOCKS`. @default - vLLM's default, 128 */
  readonly stagingBlocks?: number;
  /**
   * Image of the privileged init container that raises two limits of the node; it must contain `sh` and `sysctl`.
   *
   * @default - the server's image
   */
  readonly initImage?: string;
}

/**
 * Options of vLLM, named like its flags. Pass flags without a prop in `args`.
 *
 * @see https://docs.vllm.ai/en/latest/configuration/engine_args/
 */
export interface VllmOptions {
  /** How the weights are quantized, `--quantization`; the TPU generation must support it. @default - the quantization of the checkpoint */
  readonly quantization?: VllmQuantization;
  /** Type of the KV cache, `--kv-cache-dtype`; the TPU generation must support it. @default 'auto' */
  readonly kvCacheDtype?: KvCacheDtype;
  /** Type of weights and activations, `--dtype`. @default 'auto' */
  readonly dtype?: VllmDtype;
  /** Whether requests can use LoRA adapters, `--enable-lora`. @default - true with `loraModules` */
  readonly enableLora?: boolean;
  /** LoRA adapters by name, each a Hugging Face id or a path in the container, `--lora-modules`. @default - none */
  readonly loraModules?: Readonly<Record<string, string>>;
  /** Number of copies of the model on the devices of the pod, `--data-parallel-size`. @default 1 */
  readonly dataParallelSize?: number;
  /** Number of stages that the layers are divided into, `--pipeline-parallel-size`. @default 1 */
  readonly pipelineParallelSize?: number;
  /** Whether requests with the same prefix share the KV cache of the prefix, `--enable-prefix-caching`. @default - vLLM's default */
  readonly enablePrefixCaching?: boolean;
  /** Share of the HBM that vLLM uses, above 0 and at most 1, `--gpu-memory-utilization`. @default - vLLM's default, 0.92 since v0.20.0 */
  readonly gpuMemoryUtilization?: number;
  /** Name of the parser for the model's reasoning, `--reasoning-parser`. @default - none */
  readonly reasoningParser?: string;
  /** Name of the parser for the model's tool calls, `--tool-call-parser`. @default - none */
  readonly toolCallParser?: string;
  /** Whether the model decides when to call tools, `--enable-auto-tool-choice`; requires `toolCallParser`. @default false */
  readonly enableAutoToolChoice?: boolean;
  /** Chat template: a path in the container, or the template in one line, `--chat-template`. @default - the model's template */
  readonly chatTemplate?: string;
  /** Key that clients must send, `VLLM_API_KEY`. @default - none: the server does not authenticate clients */
  readonly apiKey?: VllmApiKey;
  /** Whether Python code from the model's repository can run, `--trust-remote-code`. @default false */
  readonly trustRemoteCode?: boolean;
  /** Offloads KV cache to the memory of the host; requires `podSecurityLevel: 'privileged'`. @default - none */
  readonly kvOffload?: VllmKvOffload;
}

const size = optional(integer(1));
const flag = optional(boolean());
const text = optional(nonEmpty());

const share = optional(
  number((value) =>
    value > 0 && value <= 1
      ? undefined
      : {
          problem: 'is not above 0 and at most 1',
          use: value > 1 && value <= 100 ? String(value / 100) : '0.9',
        },
  ),
);

const API_KEY: Schema<VllmApiKey> = {
  properties: {
    secretName: essential(resourceName(dnsSubdomain, 'Secret'), "'vllm-api-key'"),
    key: required(string(secretKey), 'api-key'),
  },
};

const apiKeyObject = object(API_KEY, "an object like { secretName: 'vllm-api-key', key: 'api-key' }");

/** Problems do not contain the value, which may be the key itself. */
const apiKeyType: Type<VllmApiKey> = {
  what: apiKeyObject.what,
  read: (value, path, problems) => {
    if (isObject(value)) return apiKeyObject.read(value, path, problems);
    problems.add({ ...misfit(path, value, apiKeyObject.what), value: undefined });
    return undefined;
  },
};

const KV_OFFLOAD: Schema<VllmKvOffload> = {
  properties: { cpuChunks: size, stagingBlocks: size, initImage: text },
};

const QUANTIZATIONS = Object.keys(QUANTIZATION_GENERATIONS) as readonly VllmQuantization[];

/** In `--lora-modules`, the name of an adapter ends at the first `=`. */
const loraName = (name: string): { problem: string; use: string; nearest: string } | undefined =>
  /^[^\s=-][^\s=]*$/.test(name)
    ? undefined
    : { problem: 'is not the name of an adapter', use: "a word without '='", nearest: 'adapter' };

/** Hugging Face ids and paths in the container. */
const adapter: Grammar = (value) => {
  const use = 'a Hugging Face id or a path in the container';
  if (value.trim() === '') return { problem: 'is empty', use };
  return /^[a-z0-9]+:\/\//.test(value) ? { problem: 'is a URL', use } : undefined;
};

export const OPTION_PROPERTIES: Schema<VllmOptions>['properties'] = {
  quantization: optional(oneOf(...QUANTIZATIONS)),
  kvCacheDtype: optional(oneOf('auto', 'bfloat16', 'fp8', 'fp8_e4m3', 'fp8_e5m2')),
  dtype: optional(oneOf('auto', 'half', 'float16', 'bfloat16', 'float', 'float32')),
  enableLora: flag,
  loraModules: optional(map(string(adapter), loraName, 'an object of names and paths')),
  dataParallelSize: size,
  pipelineParallelSize: size,
  enablePrefixCaching: flag,
  gpuMemoryUtilization: share,
  reasoningParser: text,
  toolCallParser: text,
  enableAutoToolChoice: flag,
  chatTemplate: text,
  apiKey: optional(apiKeyType),
  trustRemoteCode: flag,
  kvOffload: optional(object(KV_OFFLOAD, 'an object, like {}')),
};

/** Returns whether the server serves LoRA adapters. */
export const servesLora = ({ enableLora, loraModules }: VllmOptions): boolean | undefined =>
  enableLora ?? (loraModules && Object.keys(loraModules).length > 0 ? true : undefined);

type Args = readonly string[];

const OFFLOAD_CONNECTOR = 'TPUOffloadConnector';
const OFFLOAD_CONFIG = JSON.stringify({
  kv_connector: OFFLOAD_CONNECTOR,
  kv_connector_module_path: CONNECTOR_MODULES[OFFLOAD_CONNECTOR],
  kv_role: 'kv_both',
});

/** A prop, the flag that it writes, and a function that returns the arguments for given options. */
interface Writer {
  readonly prop: keyof VllmOptions;
  readonly flag: string;
  readonly args: (options: VllmOptions) => Args;
}

const writer = <K extends keyof VllmOptions>(
  prop: K,
  flag: string,
  args: (value: NonNullable<VllmOptions[K]>, flag: string) => Args,
): Writer => ({
  prop,
  flag,
  args: (options) => {
    const value = options[prop];
    return value === undefined ? [] : args(value, flag);
  },
});

const valued = (value: string | number, flag: string): Args => [`${flag}=${String(value)}`];
const switched = (value: boolean, flag: string): Args => [value ? flag : flag.replace('--', '--no-')];
/** Returns a flag that is off by default. */
const turnedOn = (value: boolean, flag: string): Args => (value ? [flag] : []);
const listed = (value: Readonly<Record<string, string>>, flag: string): Args =>
  Object.keys(value).length === 0
    ? []
    : [flag, ...Object.entries(value).map(([name, path]) => `${name}=${path}`)];

/** In the order of the command line. */
const WRITERS: readonly Writer[] = [
  writer('pipelineParallelSize', '--pipeline-parallel-size', valued),
  writer('dataParallelSize', '--data-parallel-size', valued),
  writer('dtype', '--dtype', valued),
  writer('quantization', '--quantization', valued),
  writer('kvCacheDtype', '--kv-cache-dtype', valued),
  writer('gpuMemoryUtilization', '--gpu-memory-utilization', valued),
  writer('enablePrefixCaching', '--enable-prefix-caching', switched),
  writer('trustRemoteCode', '--trust-remote-code', turnedOn),
  writer('enableLora', '--enable-lora', turnedOn),
  writer('loraModules', '--lora-modules', listed),
  writer('reasoningParser', '--reasoning-parser', valued),
  writer('enableAutoToolChoice', '--enable-auto-tool-choice', turnedOn),
  writer('toolCallParser', '--tool-call-parser', valued),
  writer('chatTemplate', '--chat-template', valued),
  writer('kvOffload', '--kv-transfer-config', (_, flag) => valued(OFFLOAD_CONFIG, flag)),
];

/** Returns the options, completed with those that follow from others. */
function completed(options: VllmOptions): VllmOptions {
  const enableLora = servesLora(options);
  return enableLora === undefined ? options : { ...options, enableLora };
}

/** Returns the flags of the given options, each with its prop. */
export const writtenFlags = (options: VllmOptions): readonly (readonly [prop: string, flag: string])[] =>
  WRITERS.filter(({ args }) => args(completed(options)).length > 0).map(({ prop, flag }) => [prop, flag]);

/** Returns the arguments for the options. */
export const optionArgs = (options: VllmOptions): Args =>
  WRITERS.flatMap(({ args }) => args(completed(options)));

// ---- fragments --------------------------------------------------------------------------------------------------

/**
 * Commands that raise the limits of the node for offloading.
 *
 * @see https://github.com/vllm-project/tpu-inference (examples/offload/gke)
 */
const RAISE_LIMITS = [
  'sysctl -w vm.max_map_count=33554432',
  'limit=/sys/module/vfio_iommu_type1/parameters/dma_entry_limit',
  'if [ -f "$limit" ]; then echo 8000000 > "$limit"; fi',
].join('\n');

const variable = (name: string, value: number | undefined): EnvVar[] =>
  value === undefined ? [] : [{ name, value: String(value) }];

/** Returns the fragments of options that need more than flags. */
export function optionFragments({ apiKey, kvOffload }: VllmOptions, image: string): readonly PodFragment[] {
  const fragments: PodFragment[] = [];
  if (apiKey)
    fragments.push({
      env: [
        {
          name: VLLM_API_KEY,
          valueFrom: { secretKeyRef: { name: nameOf(apiKey.secretName), key: apiKey.key } },
        },
      ],
    });
  if (kvOffload) {
    const init: MainContainer = {
      name: 'node-limits',
      image: kvOffload.initImage ?? image,
      command: ['sh', '-c', RAISE_LIMITS],
      securityContext: { privileged: true },
    };
    fragments.push({
      env: [
        ...variable('TPU_OFFLOAD_NUM_CPU_CHUNKS', kvOffload.cpuChunks),
        ...variable('TPU_OFFLOAD_NUM_STAGING_BLOCKS', kvOffload.stagingBlocks),
      ],
      pod: { initContainers: [init] },
    });
  }
  return fragments;
}

// ---- rules ------------------------------------------------------------------------------------------------------

/** Facts that the rules for options need. */
interface OptionFacts {
  readonly generation: TpuGeneration;
  readonly release: ImageRelease;
  readonly podSecurityLevel?: PodSecurityLevel | undefined;
}

/** Checks the options against each other, and against the release and the TPU generation. */
export const optionProblems = (
  options: VllmOptions,
  facts: OptionFacts,
): readonly (Problem | undefined)[] => [
  quantizationProblem(options, facts),
  cacheTypeProblem(options, facts),
  ...togetherProblems(options, facts),
];

function quantizationProblem(
  { quantization }: VllmOptions,
  { generation, release }: OptionFacts,
): Problem | undefined {
  if (quantization === undefined) return undefined;
  const unknown = releaseProblem(release, 'quantization', quantization, 'quantization');
  if (unknown) return unknown;
  const known = QUANTIZATION_GENERATIONS[quantization];
  if (known === undefined || known.includes(generation)) return undefined;
  const others = QUANTIZATIONS.filter(
    (one) =>
      QUANTIZATION_GENERATIONS[one]?.includes(generation) === true &&
      releaseProblem(release, 'quantization', one, '') === undefined,
  );
  return {
    path: 'quantization',
    value: quantization,
    problem: `is not a quantization that vLLM is known to run on ${generation}`,
    use: either([...others.map((one) => `'${one}'`), `--quantization=${quantization} in args to try it`]),
  };
}

function cacheTypeProblem(
  { kvCacheDtype = 'auto' }: VllmOptions,
  { generation }: OptionFacts,
): Problem | undefined {
  const is8Bit = kvCacheDtype !== 'auto' && kvCacheDtype !== 'bfloat16';
  return is8Bit && !FP8_CACHE_GENERATIONS.includes(generation)
    ? {
        path: 'kvCacheDtype',
        value: kvCacheDtype,
        problem: `is not a KV cache type that vLLM is known to support on ${generation}`,
        use: `'auto', or --kv-cache-dtype=${kvCacheDtype} in args to try it`,
      }
    : undefined;
}

function* togetherProblems(options: VllmOptions, facts: OptionFacts): Generator<Problem> {
  const { enableLora, loraModules, enableAutoToolChoice, toolCallParser, kvOffload } = options;
  if (enableLora === false && loraModules && Object.keys(loraModules).length > 0)
    yield {
      path: 'enableLora',
      value: false,
      problem: 'is set together with loraModules, which require it',
      use: 'true',
    };
  if (enableAutoToolChoice === true && toolCallParser === undefined)
    yield {
      path: 'toolCallParser',
      problem: 'required with enableAutoToolChoice',
      use: "the parser of the model, like 'hermes'",
    };
  if (kvOffload && facts.podSecurityLevel !== 'privileged')
    yield {
      path: 'podSecurityLevel',
      value: facts.podSecurityLevel ?? 'baseline',
      problem: 'does not admit the privileged init container that kvOffload requires',
      use: "'privileged'",
    };
  if (kvOffload) {
    const unknown = releaseProblem(facts.release, 'connector', OFFLOAD_CONNECTOR, 'kvOffload');
    if (unknown) yield unknown;
  }
}
