/** A gauge of a server: the highest value that it can have, 1 for a share. */
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
 * The name of a metric of vLLM as vLLM on Ray Serve exports it.
 *
 * @see https://github.com/GoogleCloudPlatform/kubernetes-engine-samples (ai-ml/gke-ray, dashboards)
 */
export const onRayServe = (metric: string): string => `ray_${metric.replace(':', '_')}`;

/** Gauges of the servers that are known. */
export const SERVER_GAUGES: ReadonlyMap<string, Gauge> = new Map([
  ...VLLM_GAUGES,
  ...VLLM_GAUGES.map(([name, gauge]) => [onRayServe(name), gauge] as const),
  // https://cloud.google.com/kubernetes-engine/docs/best-practices/machine-learning/inference/autoscaling-tpu
  ['jetstream_prefill_backlog_size', {}],
  ['jetstream_slots_used_percentage', { max: 1 }],
]);

/** Metrics that servers exported once, and what to read instead. */
export const RETIRED_METRICS: ReadonlyMap<string, string> = new Map([
  // https://github.com/vllm-project/vllm/issues/18354
  ['vllm:gpu_cache_usage_perc', 'vllm:kv_cache_usage_perc'],
  ['vllm:avg_generation_throughput_toks_per_s', 'vllm:num_requests_running'],
  ['jetstream_slots_available_percentage', 'jetstream_slots_used_percentage'],
]);

/** Path of vLLM's metrics, and of most servers': https://docs.vllm.ai/en/latest/usage/metrics/ */
export const METRICS_PATH = '/metrics';
