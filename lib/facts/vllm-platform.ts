import { type Problem } from '../problems/problems';
import { MULTIHOST_BACKEND } from './variables';
import {
  CONNECTOR_MODULES,
  defectProblem,
  type ImageRelease,
  isSince,
  MLA_NEEDS_DP_ATTENTION_SINCE,
  namesOf,
  releaseProblem,
} from './vllm-releases';

/**
 * Options that the TPU platform of vLLM checks when the engine starts.
 *
 * Sources, in tpu_inference of the releases in the table: `platforms/tpu_platform.py`, `layers/common/sharding.py`, `envs.py` and
 * `runner/tpu_runner.py`.
 *
 * @see https://github.com/vllm-project/tpu-inference
 */
export interface PlatformOptions {
  /** Devices of the slice. */
  readonly devices: number;
  /** `--tensor-parallel-size`. */
  readonly tensorParallelSize: number;
  /** `--pipeline-parallel-size`. @default 1 */
  readonly pipelineParallelSize?: number;
  /** `--data-parallel-size`. @default 1 */
  readonly dataParallelSize?: number;
  /** `--enable-lora`. @default false */
  readonly enableLora?: boolean;
  /** `enable_dp_attention` in `--additional-config`. @default false */
  readonly dpAttention?: boolean;
  /** Whether the model has multi-head latent attention. @default false */
  readonly mla?: boolean;
  /** Environment variables of the container that are set to plain values. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** `kv_connector` in `--kv-transfer-config`, and the module that it names. @default - none */
  readonly connector?: { readonly name: string; readonly module?: string };
}

/** Variable that attention data parallelism and models with multi-head latent attention need. */
const NEW_MODEL_DESIGN = 'NEW_MODEL_DESIGN';
/** Variable that gives each copy of the model its own process; `vllm serve` sets it. */
const MULTIPROCESS_DP = 'TPU_MULTIPROCESS_DP';

/** Returns problems that stop the engine when it starts. For an unrecognized image, returns only problems that all releases have. */
export const platformProblems = (release: ImageRelease, options: PlatformOptions): readonly Problem[] =>
  release.recognized
    ? [
        ...devicesProblems(options),
        ...loraProblems(options),
        ...attentionProblems(release, options),
        ...connectorProblems(release, options),
        ...Object.entries(options.env ?? {}).flatMap(
          ([name, value]) => variableProblem(release, name, value) ?? [],
        ),
      ]
    : devicesProblems(options);

function devicesProblems(options: PlatformOptions): readonly Problem[] {
  const { devices, tensorParallelSize, pipelineParallelSize = 1, dataParallelSize = 1 } = options;
  const wanted = tensorParallelSize * pipelineParallelSize * dataParallelSize;
  if (wanted <= devices) return [];
  const others = { pipelineParallelSize, dataParallelSize };
  const factors = Object.entries(others).filter(([, size]) => size > 1);
  const rest = pipelineParallelSize * dataParallelSize;
  return [
    {
      path: 'tensorParallelSize',
      value: tensorParallelSize,
      problem: `${factors.map(([name, size]) => `with ${name} ${String(size)} `).join('and ')}needs ${String(wanted)} devices, but the slice has ${String(devices)}`,
      ...(rest <= devices && { use: `at most ${String(Math.floor(devices / rest))}` }),
    },
  ];
}

function loraProblems({
  enableLora = false,
  dataParallelSize = 1,
  env,
}: PlatformOptions): readonly Problem[] {
  // A process with one copy of the model does not know about other copies.
  if (!enableLora || dataParallelSize === 1 || isTrue(env?.[MULTIPROCESS_DP])) return [];
  return [
    {
      path: 'enableLora',
      problem: `cannot be combined with dataParallelSize ${String(dataParallelSize)}: vLLM on TPU has no LoRA with data parallelism`,
      use: 'replicas instead of dataParallelSize',
    },
  ];
}

function attentionProblems(release: ImageRelease, options: PlatformOptions): readonly Problem[] {
  const { mla = false, dpAttention = false, dataParallelSize = 1, env } = options;
  const needed = mla && isSince(release, MLA_NEEDS_DP_ATTENTION_SINCE);
  const both = `${NEW_MODEL_DESIGN}=1 in env, and enable_dp_attention in --additional-config`;
  if (needed && !(dpAttention && isTrue(env?.[NEW_MODEL_DESIGN])))
    return [
      {
        path: 'model',
        problem:
          'has multi-head latent attention, which vLLM on TPU supports only with attention data parallelism',
        use: both,
      },
    ];
  const separate = isTrue(env?.[MULTIPROCESS_DP]) && dpAttention && dataParallelSize > 1;
  return separate && isSince(release, SEPARATE_CHECKED_SINCE)
    ? [
        {
          path: 'env',
          value: MULTIPROCESS_DP,
          problem: 'cannot be combined with attention data parallelism',
          use: `${MULTIPROCESS_DP}=0`,
        },
      ]
    : [];
}

const SEPARATE_CHECKED_SINCE = 'v0.23.0';

function connectorProblems(release: ImageRelease, { connector }: PlatformOptions): readonly Problem[] {
  if (connector === undefined) return [];
  const { name, module } = connector;
  const path = 'kv_connector';
  const other =
    releaseProblem(release, 'connector', name, path) ?? defectProblem(release, 'connector', name, path);
  if (other) return [other];
  const legal = namesOf('connector', release);
  if (!legal.includes(name))
    return [
      {
        path,
        value: name,
        problem: `is not a KV connector of vLLM ${release.tag} on TPU`,
        use: legal.join(', '),
      },
    ];
  const right = CONNECTOR_MODULES[name];
  return module === undefined || right === undefined || module === right
    ? []
    : [
        {
          path: 'kv_connector_module_path',
          value: module,
          problem: `is not the module of ${name}`,
          use: `'${right}'`,
        },
      ];
}

// ---- values of variables ----------------------------------------------------------------------------------------

/** Variables with a fixed set of values. If `list` is set, several values can be separated by commas. */
const CHOICES: Readonly<
  Record<string, { readonly values: readonly string[]; readonly list?: true; readonly since: string }>
> = {
  MODEL_IMPL_TYPE: { values: ['auto', 'vllm', 'flax_nnx', 'jetpack'], since: 'v0.13.2' },
  DRAFT_MODEL_IMPL_TYPE: { values: ['auto', 'vllm', 'flax_nnx'], since: 'v0.18.0' },
  [MULTIHOST_BACKEND]: { values: ['ray'], since: 'v0.12.0' },
  JAX_PLATFORMS: { values: ['', 'tpu', 'cpu', 'proxy'], list: true, since: 'v0.18.0' },
};

/** Variables that are true or false. */
const BOOLEANS: ReadonlySet<string> = new Set(
  `
    ATTN_BUCKETIZED_NUM_REQS DISABLE_MLA_Q_ACTIVATION_QUANTIZATION DISABLE_WEIGHT_REQUANTIZATION DP_SCHED_BATCH_PREFILL
    ENABLE_QUANTIZED_MATMUL_KERNEL ENABLE_RS_KERNEL FORCE_MOE_RANDOM_ROUTING LAYOUT_Q_PROJ_AS_NDH MLA_TRANSPOSE_KV_CACHE
    MOE_APPROX_TOPK MOE_ROUTE_PADDING_TO_EXPERT0 NEW_MODEL_DESIGN PROFILE_SINGLE_DEVICE RAY_USAGE_STATS_ENABLED
    SKIP_JAX_PRECOMPILE SLICE_ROPE_CACHE TPU_MESH_SORT_BY_COORDS TPU_MULTIPROCESS_DP USE_2D_TP USE_BATCHED_RPA_KERNEL
    USE_BATCHED_RPA_SEQ_ON_LANE USE_DENSE_MOE USE_JAX_PROFILER_SERVER USE_MOE_EP_KERNEL USE_UNFUSED_MEGABLOCKS
    VLLM_INCREMENTAL_FP8_LOADING VLLM_TPU_PATCH_MM_EMBEDDINGS VLLM_XLA_CHECK_RECOMPILATION
  `
    .trim()
    .split(/\s+/),
);
const BOOLEANS_SINCE = 'v0.13.2';

const isTrue = (value: string | undefined): boolean => value === '1' || value?.toLowerCase() === 'true';

/** Returns the problem of a variable's value. vLLM on TPU stops when it reads a value that it does not know. */
function variableProblem(release: ImageRelease, name: string, value: string): Problem | undefined {
  const path = `env.${name}`;
  if (BOOLEANS.has(name) && isSince(release, BOOLEANS_SINCE))
    return ['', '0', '1', 'true', 'false'].includes(value.toLowerCase())
      ? undefined
      : { path, value, problem: 'is not a boolean', use: "'1' or '0'" };
  const choice = Object.hasOwn(CHOICES, name) ? CHOICES[name] : undefined;
  if (choice === undefined || !isSince(release, choice.since)) return undefined;
  const parts = choice.list === true ? value.split(',') : [value];
  return parts.every((part) => choice.values.includes(part))
    ? undefined
    : {
        path,
        value,
        problem: `is not a value of ${name}`,
        use: choice.values
          .filter((one) => one !== '')
          .map((one) => `'${one}'`)
          .join(', '),
      };
}

// ---- multi-host slices ---------------------------------------------------------------------------------------------

/**
 * Generations on which vLLM passes its multi-host tests. The tests have not been run on v6e, and the other generations are not in the
 * matrix.
 *
 * @see https://github.com/vllm-project/tpu-inference (support_matrices/release/v0.27.0)
 */
export const MULTI_HOST_GENERATIONS: readonly Generation[] = ['tpu7x'];

// ---- quantizations ----------------------------------------------------------------------------------------------

type Generation = 'v4' | 'v5e' | 'v5p' | 'v6e' | 'tpu7x';

/**
 * Generations that each value of `--quantization` is recommended for, or known to run on; undefined if no source states them. fp8 is recommended
 * for tpu7x and runs on v6e. Only the checkpoint determines the format of `compressed-tensors`.
 *
 * @see https://github.com/vllm-project/tpu-inference (support_matrices/release)
 * @see https://github.com/GoogleCloudPlatform/accelerated-platforms
 */
export const QUANTIZATION_GENERATIONS: Readonly<
  Record<
    | 'compressed-tensors'
    | 'fp8'
    | 'awq'
    | 'auto_awq'
    | 'mxfp4'
    | 'gpt_oss_mxfp4'
    | 'modelopt_fp4'
    | 'deepseek_v4_fp8'
    | 'tpu_int8',
    readonly Generation[] | undefined
  >
> = {
  'compressed-tensors': ['v5e', 'v5p', 'v6e', 'tpu7x'],
  fp8: ['v6e', 'tpu7x'],
  awq: ['v5e', 'v5p', 'v6e'],
  auto_awq: ['v5e', 'v5p', 'v6e'],
  mxfp4: ['tpu7x'],
  gpt_oss_mxfp4: ['tpu7x'],
  modelopt_fp4: ['tpu7x'],
  deepseek_v4_fp8: undefined,
  tpu_int8: undefined,
};
