import { onRayServe, SERVER_GAUGES } from '../../facts/metrics';
import { metricNamed, type ServerMetric } from '../../workload/monitoring';

/**
 * The metrics of vLLM that show the load of a server.
 *
 * @see https://docs.vllm.ai/en/latest/usage/metrics/
 */
export class VllmMetric implements ServerMetric {
  /** Number of requests that wait for room in the batch; scale by it for throughput. */
  static readonly REQUESTS_WAITING = new VllmMetric('vllm:num_requests_waiting');
  /** Number of requests whose answers are being generated. */
  static readonly REQUESTS_RUNNING = new VllmMetric('vllm:num_requests_running');
  /** Share of the KV cache in use, 0 to 1; scale by it for low latency. */
  static readonly KV_CACHE_USAGE = new VllmMetric('vllm:kv_cache_usage_perc');

  /** A gauge, because its value rises and falls. */
  readonly type = 'gauge';
  /** The highest possible value; undefined if the metric has no upper limit. */
  readonly max: number | undefined;
  /** Name of the metric on Ray Serve, like `ray_vllm_num_requests_waiting`. */
  readonly rayName: string;

  private constructor(
    /** Name under which the server exports the metric. */
    readonly name: string,
  ) {
    this.rayName = onRayServe(name);
    this.max = SERVER_GAUGES.get(name)?.max;
    Object.freeze(this);
  }

  /**
   * Returns the metric with this name, for names that come from configuration.
   *
   * @throws InvalidInputError when vLLM does not have the metric; the error names the successor of a renamed metric
   */
  static of(name: string): ServerMetric {
    return metricNamed(name, [
      VllmMetric.REQUESTS_WAITING,
      VllmMetric.REQUESTS_RUNNING,
      VllmMetric.KV_CACHE_USAGE,
    ]);
  }
}
