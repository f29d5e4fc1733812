/** A gauge of a server, with its highest possible value: 1 for a share. */
interface Gauge {
  readonly max?: number;
}

/** vLLM's gauges: https://docs.vllm.ai/en/latest/usage/metrics/ */
const VLLM_GAUGES: readonly (readonly [name: string, gauge: Gauge])[] = [
  ['vllm:num_requests_waiting', {}],
  ['vllm:num_requests_running', {}],
  ['vllm:kv_cache_usage_perc', { max: 1 }],
];

/**
 * Other series of vLLM that a dashboard shows. Prometheus adds `_bucket`, `_sum` and `_count` to the name of a histogram.
 *
 * @see https://github.com/vllm-project/vllm/blob/main/vllm/v1/metrics/loggers.py
 */
const VLLM_SERIES: readonly (readonly [name: string, type: 'counter' | 'histogram'])[] = [
  ['vllm:prompt_tokens_total', 'counter'],
  ['vllm:generation_tokens_total', 'counter'],
  ['vllm:request_success_total', 'counter'],
  ['vllm:num_preemptions_total', 'counter'],
  ['vllm:prefix_cache_queries_total', 'counter'],
  ['vllm:prefix_cache_hits_total', 'counter'],
  ['vllm:time_to_first_token_seconds', 'histogram'],
  ['vllm:inter_token_latency_seconds', 'histogram'],
  ['vllm:e2e_request_latency_seconds', 'histogram'],
  ['vllm:request_queue_time_seconds', 'histogram'],
];

/**
 * PromQL names of GKE's system metrics for the chips of TPU nodes.
 *
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/how-to/tpus#metrics
 */
const GKE_TPU_GAUGES: readonly string[] = [
  'kubernetes_io:node_accelerator_duty_cycle',
  'kubernetes_io:node_accelerator_memory_used',
  'kubernetes_io:node_accelerator_memory_total',
];

/** Metrics of vLLM on TPU by their names, with their types. */
export const VLLM_METRICS: ReadonlyMap<string, 'gauge' | 'counter' | 'histogram'> = new Map([
  ...[...VLLM_GAUGES.map(([name]) => name), ...GKE_TPU_GAUGES].map((name) => [name, 'gauge'] as const),
  ...VLLM_SERIES,
]);

/**
 * Returns the name that a metric of vLLM has on Ray Serve.
 *
 * @see https://github.com/GoogleCloudPlatform/kubernetes-engine-samples (ai-ml/gke-ray, dashboards)
 */
export const onRayServe = (metric: string): string => `ray_${metric.replace(':', '_')}`;

/** Gauges of known servers. */
export const SERVER_GAUGES: ReadonlyMap<string, Gauge> = new Map([
  ...VLLM_GAUGES,
  ...VLLM_GAUGES.map(([name, gauge]) => [onRayServe(name), gauge] as const),
  // https://cloud.google.com/kubernetes-engine/docs/best-practices/machine-learning/inference/autoscaling-tpu
  ['jetstream_prefill_backlog_size', {}],
  ['jetstream_slots_used_percentage', { max: 1 }],
]);

/** A gauge of the endpoint picker. */
export interface PickerGauge extends Gauge {
  /** How series of the metric combine: `sum` if they add up to the value of the pool, `mean` if each is the mean over the pool's servers. */
  readonly value: 'sum' | 'mean';
  /** Whether the picker exports the metric only with flow control. It then also exports it if the pool has no server. */
  readonly flowControl?: boolean;
}

/**
 * Gauges of the endpoint picker that show the load of a pool.
 *
 * @see https://github.com/llm-d/llm-d-router/blob/v0.10.0/docs/metrics.md
 */
export const PICKER_GAUGES: ReadonlyMap<string, PickerGauge> = new Map<string, PickerGauge>([
  ['llm_d_epp_request_running', { value: 'sum' }],
  ['llm_d_epp_flow_control_queue_size', { value: 'sum', flowControl: true }],
  ['llm_d_epp_average_queue_size', { value: 'mean' }],
  ['llm_d_epp_average_kv_cache_utilization', { value: 'mean', max: 1 }],
]);

/** Prefixes of the picker's metrics: the current one, and deprecated ones that llm-d's picker still exports. */
export const PICKER_PREFIXES = [
  'llm_d_epp_',
  'inference_objective_',
  'inference_pool_',
  'inference_extension_',
] as const;

/**
 * Deprecated metrics of llm-d's picker, and their successors. The picker of the Gateway API Inference Extension has only the former.
 *
 * @see https://github.com/llm-d/llm-d-router/blob/v0.10.0/docs/metrics.md
 */
export const DEPRECATED_PICKER_METRICS: ReadonlyMap<string, string> = new Map([
  ['inference_objective_running_requests', 'llm_d_epp_request_running'],
  ['inference_pool_average_queue_size', 'llm_d_epp_average_queue_size'],
  ['inference_pool_average_kv_cache_utilization', 'llm_d_epp_average_kv_cache_utilization'],
  ['inference_extension_flow_control_queue_size', 'llm_d_epp_flow_control_queue_size'],
]);

/** Metrics that servers have removed, and their successors. */
export const RETIRED_METRICS: ReadonlyMap<string, string> = new Map([
  // https://github.com/vllm-project/vllm/issues/18354
  ['vllm:gpu_cache_usage_perc', 'vllm:kv_cache_usage_perc'],
  ['vllm:avg_generation_throughput_toks_per_s', 'vllm:num_requests_running'],
  ['jetstream_slots_available_percentage', 'jetstream_slots_used_percentage'],
]);

/** Path of the metrics of vLLM and most other servers: https://docs.vllm.ai/en/latest/usage/metrics/ */
export const METRICS_PATH = '/metrics';
