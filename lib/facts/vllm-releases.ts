import { nearestWords } from '../problems/nearest';
import { type Problem } from '../problems/problems';

/**
 * Releases of vLLM on TPU, and which flags, environment variables, metrics, endpoints, quantizations and KV connectors they have.
 *
 * Sources, in the packages `vllm-tpu` and `tpu-inference` of each release: flags in `vllm/engine/arg_utils.py` and
 * `vllm/entrypoints/openai/cli_args.py`, variables in `vllm/envs.py` and `tpu_inference/envs.py`, metrics in `vllm/v1`, routes in
 * `vllm/entrypoints`, quantizations and connectors in `tpu_inference/platforms/tpu_platform.py`. A row does not state that
 * `vllm/vllm-tpu` has an image of that tag.
 *
 * @see https://github.com/vllm-project/tpu-inference
 * @see https://github.com/vllm-project/vllm
 */
export interface VllmRelease {
  /** Version of vLLM and of tpu-inference, and tag of the image, like `v0.27.0`. */
  readonly tag: string;
  /** Date of the tag in vllm-project/tpu-inference, if a source confirms it. */
  readonly released?: string;
  /** Default of `--gpu-memory-utilization`: `vllm/config/cache.py`. */
  readonly gpuMemoryUtilization: number;
}

/** Oldest first; one row for each minor version. */
export const VLLM_RELEASES: readonly VllmRelease[] = [
  { tag: 'v0.11.1', released: '2025-10-15', gpuMemoryUtilization: 0.9 },
  { tag: 'v0.12.0', released: '2025-12-05', gpuMemoryUtilization: 0.9 },
  { tag: 'v0.13.2', released: '2025-12-30', gpuMemoryUtilization: 0.9 },
  { tag: 'v0.18.0', released: '2026-04-17', gpuMemoryUtilization: 0.9 },
  { tag: 'v0.19.0', released: '2026-05-01', gpuMemoryUtilization: 0.9 },
  { tag: 'v0.20.0', released: '2026-05-20', gpuMemoryUtilization: 0.92 },
  { tag: 'v0.21.0', released: '2026-06-01', gpuMemoryUtilization: 0.92 },
  { tag: 'v0.22.1', released: '2026-06-15', gpuMemoryUtilization: 0.92 },
  { tag: 'v0.23.0', released: '2026-06-23', gpuMemoryUtilization: 0.92 },
  { tag: 'v0.24.0', released: '2026-07-02', gpuMemoryUtilization: 0.92 },
  { tag: 'v0.25.0', released: '2026-07-22', gpuMemoryUtilization: 0.92 },
  { tag: 'v0.26.0', released: '2026-07-30', gpuMemoryUtilization: 0.92 },
  { tag: 'v0.27.0', released: '2026-08-20', gpuMemoryUtilization: 0.92 },
  { tag: 'v0.28.0', gpuMemoryUtilization: 0.92 },
  { tag: 'v0.29.0', gpuMemoryUtilization: 0.92 },
  { tag: 'v0.30.0', gpuMemoryUtilization: 0.92 },
  { tag: 'v0.31.0', gpuMemoryUtilization: 0.92 },
  { tag: 'v0.32.0', gpuMemoryUtilization: 0.92 },
];

/** The default release: the newest with a published support matrix, which covers v6e and tpu7x. */
export const DEFAULT_VLLM_RELEASE = 'v0.27.0';

/** The release of an image. */
export interface ImageRelease extends VllmRelease {
  /** Whether the image's tag names the release. If false, this is the newest release, and it causes no problems. */
  readonly recognized: boolean;
}

const newestRelease = (): VllmRelease => VLLM_RELEASES.reduce((_, release) => release);

/** Repositories of the image: `vllm-tpu` and copies of it. Custom images can have their own version numbers. */
const REPOSITORY = /(^|\/)vllm-(tpu|openai)[^/]*$/;
const VERSION = /^v?(\d+\.\d+)\.\d+(?![0-9A-Za-z])/;
const minorOf = (tag: string): string | undefined => VERSION.exec(tag)?.[1];

/**
 * Returns the release of an image by its tag: `vllm/vllm-tpu:v0.13.2-ironwood` is v0.13.2. A patch release belongs to the row of its
 * minor version. Nightlies, digests and tags of custom images are not recognized.
 */
export function releaseOf(image: string): ImageRelease {
  const [, repository = '', tag = ''] = /^([^@]*):([^:/@]+)(?:@[^@]*)?$/.exec(image) ?? [];
  const minor = REPOSITORY.test(repository) ? minorOf(tag) : undefined;
  const row = VLLM_RELEASES.find((release) => minor !== undefined && minorOf(release.tag) === minor);
  return { ...(row ?? newestRelease()), recognized: row !== undefined };
}

// ---- names ------------------------------------------------------------------------------------------------------

/** Kinds of names in a release. */
export type VllmNameKind =
  'flag' | 'variable' | 'metric' | 'endpoint' | 'quantization' | 'connector' | 'feature';

/** Names by the release that added or removed them. The first release also has all older names. */
interface Names {
  readonly added: Readonly<Record<string, string>>;
  readonly removed?: Readonly<Record<string, string>>;
}

/** Flags without their dashes. */
const FLAGS: Names = {
  added: {
    'v0.11.1': `
      additional-config aggregate-engine-logging all2all-backend allow-credentials allowed-headers allowed-local-media-path
      allowed-media-domains allowed-methods allowed-origins api-key api-server-count async-scheduling block-size
      calculate-kv-scales chat-template chat-template-content-format code-revision collect-detailed-traces
      compilation-config config config-format convert cpu-offload-gb cuda-graph-sizes data-parallel-address
      data-parallel-backend data-parallel-hybrid-lb data-parallel-rank data-parallel-rpc-port data-parallel-size
      data-parallel-size-local data-parallel-start-rank dbo-decode-token-threshold dbo-prefill-token-threshold
      decode-context-parallel-size default-mm-loras disable-cascade-attn disable-chunked-mm-input disable-custom-all-reduce
      disable-fastapi-docs disable-frontend-multiprocessing disable-hybrid-kv-cache-manager disable-log-requests
      disable-log-stats disable-mm-preprocessor-cache disable-nccl-for-dp-synchronization disable-sliding-window
      disable-uvicorn-access-log distributed-executor-backend download-dir dtype enable-auto-tool-choice
      enable-chunked-prefill enable-dbo enable-eplb enable-expert-parallel enable-force-include-usage enable-log-outputs
      enable-log-requests enable-lora enable-multimodal-encoder-data-parallel enable-prefix-caching enable-prompt-embeds
      enable-prompt-tokens-details enable-request-id-headers enable-server-load-tracking enable-sleep-mode
      enable-ssl-refresh enable-tokenizer-info-endpoint enforce-eager eplb-config eplb-log-balancedness eplb-step-interval
      eplb-window-size exclude-tools-when-tool-choice-none expert-placement-strategy fully-sharded-loras generation-config
      gpu-memory-utilization guided-decoding-backend guided-decoding-disable-additional-properties
      guided-decoding-disable-any-whitespace guided-decoding-disable-fallback h11-max-header-count
      h11-max-incomplete-event-size headless hf-config-path hf-overrides hf-token host ignore-patterns interleave-mm-strings
      io-processor-plugin kv-cache-dtype kv-cache-memory-bytes kv-events-config kv-sharing-fast-prefill kv-transfer-config
      limit-mm-per-prompt load-format log-config-file log-error-stack logits-processor-pattern logits-processors
      logprobs-mode long-prefill-token-threshold lora-dtype lora-extra-vocab-size lora-modules mamba-cache-dtype
      mamba-ssm-cache-dtype max-cpu-loras max-log-len max-logprobs max-long-partial-prefills max-lora-rank max-loras
      max-model-len max-num-batched-tokens max-num-partial-prefills max-num-seqs max-parallel-loading-workers
      media-io-kwargs middleware mm-encoder-tp-mode mm-processor-cache-gb mm-processor-cache-type mm-processor-kwargs
      mm-shm-cache-max-object-size-mb model model-impl model-loader-extra-config num-gpu-blocks-override num-lookahead-slots
      num-redundant-experts otlp-traces-endpoint override-attention-dtype override-generation-config override-pooler-config
      pipeline-parallel-size pooler-config port prefix-caching-hash-algo pt-load-map-location quantization
      ray-workers-use-nsight reasoning-parser response-role return-tokens-as-token-ids revision root-path rope-scaling
      rope-theta runner safetensors-load-strategy scheduler-cls scheduling-policy seed served-model-name
      show-hidden-metrics-for-version skip-mm-profiling skip-tokenizer-init speculative-config ssl-ca-certs ssl-cert-reqs
      ssl-certfile ssl-keyfile structured-outputs-config swap-space task tensor-parallel-size tokenizer tokenizer-mode
      tokenizer-revision tool-call-parser tool-parser-plugin tool-server trust-remote-code trust-request-chat-template uds
      use-tqdm-on-load uvicorn-log-level video-pruning-rate worker-cls worker-extension-cls
    `,
    'v0.12.0': `
      cp-kv-cache-interleave-size cudagraph-capture-sizes data-parallel-external-lb dcp-kv-cache-interleave-size
      ec-transfer-config enable-mm-embeds kv-cache-metrics kv-cache-metrics-sample kv-offloading-backend kv-offloading-size
      mamba-block-size master-addr master-port max-cudagraph-capture-size mm-encoder-attn-backend nnodes node-rank
      optimization-level prefill-context-parallel-size reasoning-parser-plugin stream-interval tokens-only
    `,
    'v0.13.2':
      'attention-backend attention-config cudagraph-metrics enable-layerwise-nvtx-tracing profiler-config',
    'v0.18.0': `
      allow-deprecated-quantization cpu-offload-params dcp-comm-backend default-chat-template-kwargs
      disable-access-log-for-endpoints distributed-timeout-seconds enable-elastic-ep enable-ep-weight-filter
      enable-flashinfer-autotune enable-log-deltas enable-logging-iteration-details enable-mamba-cache-stochastic-rounding
      enable-mfu-metrics enable-offline-docs enable-return-routed-experts enable-tower-connector-lora
      fail-on-environ-validation gdn-prefill-backend grpc ir-op-priority kernel-config kv-cache-dtype-skip-layers
      language-model-only lora-target-modules mamba-cache-mode mamba-cache-philox-rounds mm-encoder-only mm-tensor-ipc
      moe-backend offload-backend offload-group-size offload-num-in-group offload-params offload-prefetch-step
      performance-mode reasoning-config renderer-num-workers scheduler-reserve-full-isl shutdown-timeout
      specialize-active-lora ssl-ciphers ubatch-size weight-transfer-config
    `,
    'v0.19.0': 'enable-flash-late-interaction mamba-backend numa-bind numa-bind-cpus numa-bind-nodes',
    'v0.20.0': `
      fingerprint-mode fingerprint-value mm-encoder-attn-dtype mm-encoder-fp8-scale-path mm-encoder-fp8-scale-save-margin
      mm-encoder-fp8-scale-save-path
    `,
    'v0.21.0': 'safetensors-prefetch-block-size safetensors-prefetch-num-threads',
    'v0.22.1': `
      cpu-distributed-timeout-seconds data-parallel-multi-port-external-lb data-parallel-supervisor-port
      dp-supervisor-probe-failure-threshold dp-supervisor-probe-interval-s dp-supervisor-probe-timeout-s
      enable-cumem-allocator enable-mixed-moe-lora-format linear-backend quantization-config spec-method spec-model
      spec-tokens use-fp64-gumbel
    `,
    'v0.24.0': 'device-ids diffusion-config jit-monitor-verbose prefill-schedule-interval watermark',
    'v0.25.0':
      'enable-per-request-metrics jit-monitor-mode max-num-scheduled-tokens mm-ipc-gpu-memory-gb model-class-overrides',
    'v0.26.0':
      'enable-bf16x3-router-gemm enable-moe-shared-loras prefix-match-unit replayssm-buffer-len use-replayssm',
    'v0.27.0': `
      cohere-format cohere-is-reasoning-model enable-fault-tolerance fault-tolerance-config kda-prefill-backend
      mm-hasher-algorithm video-pruning-method
    `,
    'v0.28.0': `
      ec-manager-config mamba-ssu-algorithm mm-device-do-normalize mm-processor-device prefix-cache-retention-interval
      return-sampling-mask
    `,
    'v0.29.0': `
      dcp-q-replicate enable-batch-sharded-sampling enable-nccl-comm-suspend enable-trace-replay max-num-queued-reqs
      max-num-queued-tokens per-request-spec-decode-metrics sse-keep-alive-interval
    `,
    'v0.30.0': `
      aux-output-config device-memory-utilization dp-sync-interval elastic-ep-max-dp-size
      enable-mamba-shared-prefix-checkpoint enable-scale-out engram-config kda-decode-backend
      long-prefill-token-threshold-adaptive max-num-active-seqs sleep-preserve-parameter-names sparse-indexer-topk-backend
      swa-bounded-replay tool-strict-level watermark-config
    `,
    'v0.31.0':
      'anthropic-disabled-thinking-effort log-level logging-config max-lora-cls-labels trust-request-mm-kwargs',
    'v0.32.0':
      'custom-histogram-buckets enable-hc-sp enable-shm-tensor-arena grpc-port monokernel sleep-mode-offload-cudagraph',
  },
  removed: {
    'v0.12.0': `
      eplb-log-balancedness eplb-step-interval eplb-window-size guided-decoding-backend
      guided-decoding-disable-additional-properties guided-decoding-disable-any-whitespace guided-decoding-disable-fallback
      lora-extra-vocab-size num-lookahead-slots num-redundant-experts override-pooler-config rope-scaling rope-theta
    `,
    'v0.13.2': 'cuda-graph-sizes disable-mm-preprocessor-cache enable-multimodal-encoder-data-parallel task',
    'v0.18.0': 'disable-frontend-multiprocessing disable-log-requests logits-processor-pattern swap-space',
    'v0.26.0': 'max-long-partial-prefills max-num-partial-prefills',
    'v0.28.0': 'calculate-kv-scales override-attention-dtype',
    'v0.30.0': 'enable-bf16x3-router-gemm',
  },
};

/**
 * Environment variables that vLLM on TPU reads. Of those that only vLLM itself reads, the ones that matter on TPU.
 *
 * `VLLM_USE_V1`: https://github.com/vllm-project/vllm/pull/28204. `TPU_NODE_ID` became `TPU_WORKER_ID`.
 */
const VARIABLES: Names = {
  added: {
    'v0.11.1': `
      JAX_PLATFORMS MODEL_IMPL_TYPE NEW_MODEL_DESIGN PHASED_PROFILING_DIR PYTHON_TRACER_LEVEL RAY_USAGE_STATS_ENABLED
      SKIP_JAX_PRECOMPILE TPU_ACCELERATOR_TYPE TPU_KV_TRANSFER_PORT TPU_MULTIHOST_BACKEND TPU_NAME TPU_NODE_ID
      TPU_SIDE_CHANNEL_PORT TPU_WORKER_ID VLLM_API_KEY VLLM_CACHE_ROOT VLLM_CONFIGURE_LOGGING VLLM_DISABLE_COMPILE_CACHE
      VLLM_ENABLE_V1_MULTIPROCESSING VLLM_HOST_IP VLLM_HTTP_TIMEOUT_KEEP_ALIVE VLLM_LOGGING_LEVEL VLLM_MLA_DISABLE VLLM_PORT
      VLLM_TPU_BUCKET_PADDING_GAP VLLM_TPU_MOST_MODEL_LEN VLLM_TPU_USING_PATHWAYS VLLM_USE_RAY_COMPILED_DAG_CHANNEL_TYPE
      VLLM_USE_V1 VLLM_XLA_CACHE_PATH VLLM_XLA_CHECK_RECOMPILATION
    `,
    'v0.12.0': 'DECODE_SLICES NUM_SLICES PREFILL_SLICES USE_MOE_EP_KERNEL VLLM_DISABLE_SHARED_EXPERTS_STREAM',
    'v0.13.2': 'ENABLE_QUANTIZED_MATMUL_KERNEL',
    'v0.18.0': `
      DRAFT_MODEL_IMPL_TYPE FORCE_MOE_RANDOM_ROUTING JAX_PROFILER_SERVER_PORT JITTED_MM_MODULE_KEYS LAYOUT_Q_PROJ_AS_NDH
      MOE_REQUANTIZE_BLOCK_SIZE MOE_REQUANTIZE_WEIGHT_DTYPE REGISTER_MM_MODULE_CUSTOM_PYTREE_CLASSES REQUANTIZE_BLOCK_SIZE
      REQUANTIZE_WEIGHT_DTYPE SC_KERNEL_COL_CHUNK_SIZE SC_KERNEL_THRESHOLD TPU_ENABLE_BLOCK_KV_TRANSFER
      TPU_ENABLE_D2H_TRANSFER TPU_KV_TRANSFER_CHANNEL_NUMBER TPU_P2P_WAIT_PULL_TIMEOUT USE_2D_TP USE_BATCHED_RPA_KERNEL
      USE_DENSE_MOE USE_JAX_PROFILER_SERVER USE_UNFUSED_MEGABLOCKS VLLM_ENGINE_READY_TIMEOUT_S
    `,
    'v0.19.0': 'MOE_ALL_GATHER_ACTIVATION_DTYPE RAGGED_GATED_DELTA_RULE_IMPL TPU_MAX_HOST_KV_BUFFER_SIZE',
    'v0.20.0': `
      TPU_OFFLOAD_BATCHED_SAVE TPU_OFFLOAD_DECODE_SAVE TPU_OFFLOAD_METRICS_LOG_INTERVAL TPU_OFFLOAD_NUM_CPU_CHUNKS
      TPU_OFFLOAD_NUM_STAGING_BLOCKS TPU_OFFLOAD_SAVE_THREADS TPU_OFFLOAD_SKIP_JAX_PRECOMPILE
    `,
    'v0.21.0': `
      ATTN_BUCKETIZED_NUM_REQS ATTN_CUSTOM_NUM_REQS_BUCKETS DISABLE_MLA_Q_ACTIVATION_QUANTIZATION
      DISABLE_WEIGHT_REQUANTIZATION DP_SCHED_BATCH_PREFILL ENABLE_RS_KERNEL MLA_XPOSE_N_TILE_SIZE MOE_APPROX_TOPK
      MOE_APPROX_TOPK_RECALL_TARGET TPU_MAMBA_SSM_CACHE_DTYPE TPU_OFFLOAD_USE_UNPINNED_HOST VLLM_TPU_PATCH_MM_EMBEDDINGS
    `,
    'v0.22.1': `
      AGGREGATED_STATS_DIR DP_SCHED_BATCH_PREFILL_FLUSH_TIMEOUT_MS LORA_MODULE_PATH ONEHOT_MOE_PERMUTE_THRESHOLD
      PROFILE_SINGLE_DEVICE TPU_MULTIPROCESS_DP
    `,
    'v0.23.0':
      'MLA_KV_PACKING_SIZE MLA_TRANSPOSE_KV_CACHE NUM_PRECOMPILE_WORKERS SC_ALLREDUCE_ALLGATHER_OFFLOAD_MIN_BYTES',
    'v0.24.0': `
      MOE_REQUANTIZE_CLIP_PERCENTILE RAGGED_GATHER_REDUCE_VERSION RAGGED_GATHER_VERSION TPU_OFFLOAD_BLOCK_SIZE_BUCKETS
      VLLM_MOE_CHUNK_SIZE VLLM_USE_RAY_V2_EXECUTOR_BACKEND VLLM_WORKER_SHUTDOWN_TIMEOUT_SECONDS
    `,
    'v0.25.0': 'MIN_TOKEN_BUCKET MOE_ROUTE_PADDING_TO_EXPERT0 SLICE_ROPE_CACHE',
    'v0.26.0': `
      RPA_V3_DECODE_BLOCK_SIZES RPA_V3_MIXED_BLOCK_SIZES RPA_V3_PREFILL_BLOCK_SIZES TPU_MESH_SORT_BY_COORDS
      USE_BATCHED_RPA_SEQ_ON_LANE
    `,
    'v0.27.0':
      'CONTINUE_DECODE_EOS_CHECK_INTERVAL REQUANTIZE_COMPRESSED_TENSOR_NVFP4_BLOCK_SIZE VLLM_INCREMENTAL_FP8_LOADING',
    'v0.28.0': 'HASH_TABLE_ROW_MAJOR ROPE_CACHE_ROW_MAJOR USE_GMM_FUSED_RS_KERNEL',
    'v0.29.0': 'MOE_STAGE_WEIGHTS_ON_HOST VERIFY_WEIGHTS',
    'v0.30.0': `
      BF16_LINEAR_REQUANTIZE_BLOCK_SIZE BF16_LINEAR_REQUANTIZE_PATTERNS BF16_LINEAR_REQUANTIZE_WEIGHT_DTYPE
      DISTRIBUTED_SAMPLING_MAX_TOP_K DP_SCHED_ROUTING RAIDEN_H2D_SETTLE SAMPLING_MICROBATCH_SIZE
    `,
    'v0.31.0': 'MOE_HIERARCHICAL_DISPATCH RAGGED_GATHER_MAX_ROW_SUBCHUNKS RAGGED_GATHER_TRIM_ROWS',
    'v0.32.0':
      'MOE_FOLD_ROUTING_INTO_DISPATCH MOE_HIERARCHICAL_COLLECT SKIP_MAMBA_SCHEDULER_BLOCKS TPU_MESH_ATTN_DP_RING',
  },
  removed: {
    'v0.12.0': 'VLLM_TPU_MOST_MODEL_LEN VLLM_USE_V1',
    'v0.13.2': 'TPU_NODE_ID',
    'v0.21.0': 'SC_KERNEL_COL_CHUNK_SIZE SC_KERNEL_THRESHOLD',
    'v0.22.1': 'TPU_MAMBA_SSM_CACHE_DTYPE',
    'v0.24.0': 'RAGGED_GATED_DELTA_RULE_IMPL',
    'v0.25.0': 'RAGGED_GATHER_REDUCE_VERSION RAGGED_GATHER_VERSION',
  },
};

/** Metrics without their prefix `vllm:`, and counters without `_total`. Leaves out metrics of offloading and of other connectors. */
const METRICS: Names = {
  added: {
    'v0.11.1': `
      cache_config_info e2e_request_latency_seconds generation_tokens gpu_cache_usage_perc gpu_prefix_cache_hits
      gpu_prefix_cache_queries inter_token_latency_seconds iteration_tokens_total kv_cache_usage_perc lora_requests_info
      mm_cache_hits mm_cache_queries num_preemptions num_requests_running num_requests_waiting prefix_cache_hits
      prefix_cache_queries prompt_tokens request_decode_time_seconds request_generation_tokens
      request_inference_time_seconds request_max_num_generation_tokens request_params_max_tokens request_params_n
      request_prefill_time_seconds request_prompt_tokens request_queue_time_seconds request_success
      request_time_per_output_token_seconds spec_decode_num_accepted_tokens spec_decode_num_accepted_tokens_per_pos
      spec_decode_num_draft_tokens spec_decode_num_drafts time_per_output_token_seconds time_to_first_token_seconds
    `,
    'v0.12.0': 'corrupted_requests external_prefix_cache_hits external_prefix_cache_queries',
    'v0.13.2': 'request_prefill_kv_computed_tokens',
    'v0.18.0': 'prompt_tokens_by_source prompt_tokens_cached prompt_tokens_recomputed',
    'v0.19.0': 'num_requests_waiting_by_reason',
    'v0.29.0': 'request_num_preemptions',
    'v0.32.0': 'admission_rejections num_requests_kv_fetch_by_stage prompt_tokens_cached_by_source',
  },
  removed: {
    'v0.12.0': 'gpu_cache_usage_perc gpu_prefix_cache_hits gpu_prefix_cache_queries',
    'v0.18.0': 'time_per_output_token_seconds',
    'v0.19.0': 'prompt_tokens_recomputed',
  },
};

/** Routes of the server that clients, probes and operators call. */
const ENDPOINTS: Names = {
  added: {
    'v0.11.1': `
      /health /ping /load /version /metrics /v1/models /v1/completions /v1/chat/completions /v1/responses /v1/embeddings /v1/score
      /v1/rerank /v2/rerank /score /rerank /classify /pooling /tokenize /detokenize /v1/audio/transcriptions
      /v1/audio/translations /v1/load_lora_adapter /v1/unload_lora_adapter
    `,
    'v0.12.0': '/v1/messages /inference/v1/generate /pause /resume',
    'v0.18.0': '/v1/chat/completions/batch /v1/messages/count_tokens /v2/embed',
    'v0.22.1': '/ready /readyz',
  },
};

/**
 * Values of `--quantization` that the TPU platform accepts: `supported_quantization`. Later releases removed `awq` and `mxfp4` from that
 * list, but vLLM still replaces them with `auto_awq` and `gpt_oss_mxfp4`.
 */
const QUANTIZATIONS: Names = {
  added: {
    'v0.11.1': 'fp8 tpu_int8 compressed-tensors',
    'v0.12.0': 'awq mxfp4',
    'v0.19.0': 'gpt_oss_mxfp4',
    'v0.21.0': 'modelopt_fp4',
    'v0.23.0': 'deepseek_v4_fp8',
    'v0.24.0': 'auto_awq',
  },
  removed: { 'v0.21.0': 'tpu_int8' },
};

/** Values of `kv_connector` that the TPU platform accepts. */
const CONNECTORS: Names = {
  added: {
    'v0.11.1': 'TPUConnector',
    'v0.20.0': 'TPUConnectorHMA TPUOffloadConnector',
    'v0.25.0': 'RaidenOffloadConnector',
  },
};

/**
 * Features without a name: tpu-inference requires `runai-model-streamer` with Cloud Storage, the image starts the server by itself
 * (`docker/entrypoint.sh`), `--max-model-len=auto` chooses the longest context that fits (`vllm/config/model.py`).
 */
const FEATURES: Names = {
  added: { 'v0.12.0': 'gcs-streamer', 'v0.18.0': 'image-entry-point auto-max-model-len' },
};

const NAMES: Readonly<Record<VllmNameKind, Names>> = {
  flag: FLAGS,
  variable: VARIABLES,
  metric: METRICS,
  endpoint: ENDPOINTS,
  quantization: QUANTIZATIONS,
  connector: CONNECTORS,
  feature: FEATURES,
};

/** Replacements of removed names, from the deprecation notes of earlier releases. */
const REPLACED: Readonly<Record<string, string>> = {
  'guided-decoding-backend': '--structured-outputs-config',
  'guided-decoding-disable-fallback': '--structured-outputs-config',
  'guided-decoding-disable-any-whitespace': '--structured-outputs-config',
  'guided-decoding-disable-additional-properties': '--structured-outputs-config',
  'num-redundant-experts': '--eplb-config',
  'eplb-window-size': '--eplb-config',
  'eplb-step-interval': '--eplb-config',
  'eplb-log-balancedness': '--eplb-config',
  'disable-mm-preprocessor-cache': '--mm-processor-cache-gb=0',
  'enable-multimodal-encoder-data-parallel': '--mm-encoder-tp-mode=data',
  'disable-log-requests': '--no-enable-log-requests',
  TPU_NODE_ID: 'TPU_WORKER_ID',
  gpu_cache_usage_perc: 'vllm:kv_cache_usage_perc',
  gpu_prefix_cache_hits: 'vllm:prefix_cache_hits',
  gpu_prefix_cache_queries: 'vllm:prefix_cache_queries',
};

/** The first release with a name, and the first release without it. */
export interface VllmLifetime {
  /** Tag of the first release with the name. A name in the oldest release of the table can be older. */
  readonly since: string;
  /** Tag of the first release without the name. @default - it still exists */
  readonly until?: string;
}

const read = new Map<VllmNameKind, ReadonlyMap<string, VllmLifetime>>();

/** Returns the names of a kind. Parses them at the first call. */
function lifetimes(kind: VllmNameKind): ReadonlyMap<string, VllmLifetime> {
  const known = read.get(kind) ?? parse(NAMES[kind]);
  read.set(kind, known);
  return known;
}

function parse({ added, removed = {} }: Names): ReadonlyMap<string, VllmLifetime> {
  const found = new Map<string, VllmLifetime>();
  const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');
  for (const [since, text] of Object.entries(added))
    for (const word of words(text)) found.set(word, { since });
  for (const [until, text] of Object.entries(removed))
    for (const word of words(text)) found.set(word, { since: found.get(word)?.since ?? until, until });
  return found;
}

/** Converts a name to its form in the table: `--no-enable-prefix-caching=…` and `--enable_prefix_caching` mean `enable-prefix-caching`. */
function keyOf(kind: VllmNameKind, name: string): string {
  if (kind === 'metric') return name.replace(/^vllm:/, '').replace(/_(total|bucket|sum|count)$/, '');
  if (kind !== 'flag') return name;
  const flag = name
    .replace(/^-+/, '')
    .replace(/[=\s.][^]*$/, '')
    .replaceAll('_', '-');
  const positive = flag.replace(/^no-/, '');
  return lifetimes('flag').has(flag) ? flag : positive;
}

/** Returns the releases with a name; undefined if no known release has it. */
export const lifetimeOf = (kind: VllmNameKind, name: string): VllmLifetime | undefined => {
  const known = lifetimes(kind);
  return known.get(name) ?? known.get(keyOf(kind, name));
};

/** Returns the names of a kind in a release. */
export const namesOf = (kind: VllmNameKind, release: VllmRelease): readonly string[] =>
  [...lifetimes(kind)].filter(([, lifetime]) => lives(lifetime, release)).map(([name]) => name);

const position = (tag: string): number => VLLM_RELEASES.findIndex((release) => release.tag === tag);

const lives = ({ since, until }: VllmLifetime, { tag }: VllmRelease): boolean =>
  position(since) <= position(tag) && (until === undefined || position(tag) < position(until));

/** Whether a release has a name. */
export type VllmKnowledge = 'known' | 'added later' | 'removed' | 'unknown';

/** Returns whether a release has a name. A name that no known release has is `unknown`: plugins and newer releases may have it. */
function knows(release: VllmRelease, kind: VllmNameKind, name: string): VllmKnowledge {
  const lifetime = lifetimeOf(kind, name);
  if (lifetime === undefined) return 'unknown';
  if (lives(lifetime, release)) return 'known';
  return position(lifetime.since) > position(release.tag) ? 'added later' : 'removed';
}

/** Returns whether a release has a flag, like `--shutdown-timeout=45`. */
export const flagKnown = (release: VllmRelease, flag: string): VllmKnowledge => knows(release, 'flag', flag);

/** Whether a release has a feature. */
export const hasFeature = (
  release: VllmRelease,
  feature: 'gcs-streamer' | 'image-entry-point' | 'auto-max-model-len',
): boolean => knows(release, 'feature', feature) === 'known';

/** Returns whether a release has an environment variable. */
export const variableKnown = (release: VllmRelease, variable: string): VllmKnowledge =>
  knows(release, 'variable', variable);

const IN_WORDS: Readonly<Record<VllmNameKind, string>> = {
  flag: 'is a flag',
  variable: 'is a variable',
  metric: 'is a metric',
  endpoint: 'is an endpoint',
  quantization: 'is a quantization',
  connector: 'is a KV connector',
  feature: 'is a feature',
};

/**
 * Returns the problem of a name that the release of an image does not have, but another release has. Accepts images whose release is not
 * recognized, and names that no release in the table has.
 *
 * @param path - the property that has the name
 */
export function releaseProblem(
  release: ImageRelease,
  kind: VllmNameKind,
  name: string,
  path: string,
): Problem | undefined {
  const lifetime = lifetimeOf(kind, name);
  if (!release.recognized || lifetime === undefined || lives(lifetime, release)) return undefined;
  const { since, until } = lifetime;
  const replacement = REPLACED[keyOf(kind, name)];
  if (position(since) > position(release.tag))
    return {
      path,
      value: name,
      problem: `${IN_WORDS[kind]} of vLLM ${since} and later, but the image is ${release.tag}`,
      use: `an image of ${until === undefined ? `${since} or later` : `${since} up to ${before(until)}`}`,
    };
  return {
    path,
    value: name,
    problem: `${IN_WORDS[kind]} that ${until ?? since} and later do not have, but the image is ${release.tag}`,
    use: replacement ?? `to remove it, or use an image of ${before(until ?? since)} or earlier`,
  };
}

/** Returns the release before another one. */
const before = (tag: string): string => VLLM_RELEASES[position(tag) - 1]?.tag ?? tag;

/** Whether a release reads a variable. For an unrecognized image, whether the newest release reads it. */
export const readsVariable = (release: VllmRelease, variable: string): boolean =>
  knows(release, 'variable', variable) !== 'removed' &&
  knows(release, 'variable', variable) !== 'added later';

/** Returns the names of a release that resemble a misspelled one most. */
export const nearestNames = (release: VllmRelease, kind: VllmNameKind, name: string): readonly string[] =>
  nearestWords(keyOf(kind, name), namesOf(kind, release));

// ---- known defects ----------------------------------------------------------------------------------------------

/** A name that fails on some releases, although they have it. */
interface VllmDefect {
  /** The kind of name. */
  readonly kind: VllmNameKind;
  /** The name. */
  readonly name: string;
  /** First release with the defect. */
  readonly since: string;
  /** Last release that is known to have the defect. */
  readonly last: string;
  /** The effect of the defect. */
  readonly problem: string;
  /** What to use instead. */
  readonly use: string;
}

const DEFECTS: readonly VllmDefect[] = [
  {
    // https://github.com/llm-d/llm-d (guides/pd-disaggregation/README.md); https://github.com/vllm-project/tpu-inference/pull/3566
    kind: 'connector',
    name: 'TPUConnectorHMA',
    since: 'v0.27.0',
    last: 'v0.29.0',
    problem: 'stops the engine of v0.27.0 to v0.29.0 at startup',
    use: 'an image of v0.26.0',
  },
  {
    // The server calls `add_lora` of tpu_inference/worker/tpu_worker.py for every module, which raises NotImplementedError.
    kind: 'flag',
    name: 'lora-modules',
    since: 'v0.11.1',
    last: 'v0.13.2',
    problem: 'stops servers up to v0.13.2, which cannot load LoRA adapters on TPU',
    use: 'an image of v0.18.0 or later',
  },
];

/** Returns the known defect of a name on the release of an image; undefined if the release is not recognized. */
export function defectProblem(
  release: ImageRelease,
  kind: VllmNameKind,
  name: string,
  path: string,
): Problem | undefined {
  if (!release.recognized) return undefined;
  const found = DEFECTS.find(
    (one) =>
      one.kind === kind &&
      one.name === keyOf(kind, name) &&
      position(one.since) <= position(release.tag) &&
      position(release.tag) <= position(one.last),
  );
  return found && { path, value: name, problem: found.problem, use: found.use };
}

// ---- rules of the TPU platform ----------------------------------------------------------------------------------

/** Module of each KV connector: https://github.com/vllm-project/tpu-inference (tpu_inference/distributed, tpu_inference/offload). */
export const CONNECTOR_MODULES: Readonly<Record<string, string>> = {
  TPUConnector: 'tpu_inference.distributed.tpu_connector',
  TPUConnectorHMA: 'tpu_inference.distributed.tpu_connector_hma',
  TPUOffloadConnector: 'tpu_inference.offload.tpu_offload_connector',
  RaidenOffloadConnector: 'tpu_inference.offload.raiden_offload_connector',
};

/** Since this release, models with multi-head latent attention need attention data parallelism and its variable. */
export const MLA_NEEDS_DP_ATTENTION_SINCE = 'v0.19.0';
/** Whether a release is `tag` or newer. */
export const isSince = (release: VllmRelease, tag: string): boolean => position(release.tag) >= position(tag);
