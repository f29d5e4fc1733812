/** Gauges of the servers that are known, with the highest value that each can have: 1 for a share. */
export const SERVER_GAUGES: ReadonlyMap<string, { readonly max?: number }> = new Map([
  // https://docs.vllm.ai/en/latest/usage/metrics/
  ['vllm:num_requests_waiting', {}],
  ['vllm:num_requests_running', {}],
  ['vllm:kv_cache_usage_perc', { max: 1 }],
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
