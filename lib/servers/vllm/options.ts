import { type EnvVar } from 'cdk8s-plus-29/lib/imports/k8s';
import { VLLM_API_KEY } from '../../facts/variables';
import { QUANTIZATION_GENERATIONS } from '../../facts/vllm-platform';
import { CONNECTOR_MODULES, type ImageRelease, releaseProblem } from '../../facts/vllm-releases';
import { type MainContainer, type PodFragment } from '../../pod/fragment';
import { secretKey } from '../../pod/hugging-face-token';
import { type PodSecurityLevel } from '../../pod/security';
import { dnsSubdomain } from '../../problems/grammar';
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

/** A quantization that some release of vLLM on TPU accepts. */
export type VllmQuantization = keyof typeof QUANTIZATION_GENERATIONS;

/** Type of the model's weights and activations. */
export type VllmDtype = 'auto' | 'half' | 'float16' | 'bfloat16' | 'float' | 'float32';

/** A key that clients must send, in a Secret. */
export interface VllmApiKey {
  /** Name of the Secret, in the namespace of the pods, or a `Secret` of cdk8s-plus. */
  readonly secretName: string | NamedResource;
  /** Key of the Secret that contains the API key. */
  readonly key: string;
}

/** Offloading of the KV cache to the memory of the host. */
export interface VllmKvOffload {
  /** Chunks of KV cache in the host's memory, `TPU_OFFLOAD_NUM_CPU_CHUNKS`. @default - vLLM's, 1024 */
  readonly cpuChunks?: number;
  /** Blocks in HBM for transfers, `TPU_OFFLOAD_NUM_STAGING_BLOCKS`. @default - vLLM's, 128 */
  readonly stagingBlocks?: number;
  /** Image of the privileged init container that raises two limits of the node; it needs `sh` and `sysctl`. @default - the server's image */
  readonly initImage?: string;
}

/**
 * Options of vLLM under its own names. Flags without a prop go into `args`.
 *
 * @see https://docs.vllm.ai/en/latest/configuration/engine_args/
 */
export interface VllmOptions {
  /** How the weights are quantized, `--quantization`; must suit the generation. @default - as the checkpoint says */
  readonly quantization?: VllmQuantization;
  /** How keys and values are stored, `--kv-cache-dtype`; must suit the generation. @default 'auto' */
  readonly kvCacheDtype?: KvCacheDtype;
  /** Type of weights and activations, `--dtype`. @default 'auto' */
  readonly dtype?: VllmDtype;
  /** Whether requests can use LoRA adapters, `--enable-lora`. @default - true with `loraModules` */
  readonly enableLora?: boolean;
  /** LoRA adapters by name, each a Hugging Face id or a path in the container, `--lora-modules`. @default - none */
  readonly loraModules?: Readonly<Record<string, string>>;
  /** Copies of the model on the devices of the pod, `--data-parallel-size`. @default 1 */
  readonly dataParallelSize?: number;
  /** Stages that the layers are divided into, `--pipeline-parallel-size`. @default 1 */
  readonly pipelineParallelSize?: number;
  /** Whether requests with the same prefix share its KV cache, `--enable-prefix-caching`. @default - vLLM's */
  readonly enablePrefixCaching?: boolean;
  /** Share of the HBM that vLLM uses, above 0 and at most 1, `--gpu-memory-utilization`. @default - vLLM's, 0.92 since v0.20.0 */
  readonly gpuMemoryUtilization?: number;
  /** Parser for the model's reasoning, `--reasoning-parser`. @default - none */
  readonly reasoningParser?: string;
  /** Parser for the model's tool calls, `--tool-call-parser`. @default - none */
  readonly toolCallParser?: string;
  /** Whether the model chooses tools, `--enable-auto-tool-choice`; requires `toolCallParser`. @default false */
  readonly enableAutoToolChoice?: boolean;
  /** Chat template: a path in the container, or the template in one line, `--chat-template`. @default - the model's */
  readonly chatTemplate?: string;
  /** Key that clients must send, `VLLM_API_KEY`. @default - none: the server does not authenticate clients */
  readonly apiKey?: VllmApiKey;
  /** Whether Python code of the model's repository can run, `--trust-remote-code`. @default false */
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
          problem: 'is not a share above 0 and up to 1',
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

/** The value is not repeated: it may be the key itself. */
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

/** Names of adapters stand before a `=`. */
const loraName = (name: string): { problem: string; use: string; nearest: string } | undefined =>
  /^[^\s=-][^\s=]*$/.test(name)
    ? undefined
    : { problem: 'is not a name of an adapter', use: "a word without '='", nearest: 'adapter' };

export const OPTION_PROPERTIES: Schema<VllmOptions>['properties'] = {
  quantization: optional(oneOf(...QUANTIZATIONS)),
  kvCacheDtype: optional(oneOf('auto', 'bfloat16', 'fp8', 'fp8_e4m3', 'fp8_e5m2')),
  dtype: optional(oneOf('auto', 'half', 'float16', 'bfloat16', 'float', 'float32')),
  enableLora: flag,
  loraModules: optional(map(nonEmpty(), loraName, 'an object of names and paths')),
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

/** Whether the server serves LoRA adapters. */
export const servesLora = ({ enableLora, loraModules }: VllmOptions): boolean | undefined =>
  enableLora ?? (loraModules && Object.keys(loraModules).length > 0 ? true : undefined);

type Args = readonly string[];

const OFFLOAD_CONNECTOR = 'TPUOffloadConnector';
const OFFLOAD_CONFIG = JSON.stringify({
  kv_connector: OFFLOAD_CONNECTOR,
  kv_connector_module_path: CONNECTOR_MODULES[OFFLOAD_CONNECTOR],
  kv_role: 'kv_both',
});

/** A prop, the flag that it writes, and the arguments for the options that were given. */
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
/** Off is the default. */
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

/** The options with those that follow from others. */
function completed(options: VllmOptions): VllmOptions {
  const enableLora = servesLora(options);
  return enableLora === undefined ? options : { ...options, enableLora };
}

/** The flags of the options that were given, each with its prop. */
export const writtenFlags = (options: VllmOptions): readonly (readonly [prop: string, flag: string])[] =>
  WRITERS.filter(({ args }) => args(completed(options)).length > 0).map(({ prop, flag }) => [prop, flag]);

/** The options as arguments. */
export const optionArgs = (options: VllmOptions): Args =>
  WRITERS.flatMap(({ args }) => args(completed(options)));

// ---- fragments --------------------------------------------------------------------------------------------------

/**
 * Raises the limits of the node that offloading needs.
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

/** Fragments of the options that are more than flags. */
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

/** Facts that rules about options need. */
interface OptionFacts {
  readonly generation: TpuGeneration;
  readonly release: ImageRelease;
  readonly podSecurityLevel?: PodSecurityLevel | undefined;
}

/** What is wrong between the options, and with them on the release and generation. */
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
        problem: `is not a type that vLLM is known to store on ${generation}`,
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
      problem: 'is set beside loraModules, which need it',
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
      problem: 'does not admit the privileged init container that kvOffload needs',
      use: "'privileged'",
    };
  if (kvOffload) {
    const unknown = releaseProblem(facts.release, 'connector', OFFLOAD_CONNECTOR, 'kvOffload');
    if (unknown) yield unknown;
  }
}
