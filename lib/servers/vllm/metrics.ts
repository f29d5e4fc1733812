import { onRayServe, SERVER_GAUGES } from '../../facts/metrics';
import { metricNamed, type ServerMetric } from '../../workload/monitoring';

/**
 * The metrics of vLLM that say how busy a server is.
 *
 * @see https://docs.vllm.ai/en/latest/usage/metrics/
 */
export class VllmMetric implements ServerMetric {
  /** Requests that wait for room in the batch: the metric to scale throughput by. */
  static readonly REQUESTS_WAITING = new VllmMetric('vllm:num_requests_waiting');
  /** Requests that are being generated. */
  static readonly REQUESTS_RUNNING = new VllmMetric('vllm:num_requests_running');
  /** Share of the KV cache that is in use, 0 to 1: the metric to scale latency by. */
  static readonly KV_CACHE_USAGE = new VllmMetric('vllm:kv_cache_usage_perc');

  /** Only a gauge rises and falls. */
  readonly type = 'gauge';
  /** The highest value that it can have; undefined if there is none. */
  readonly max: number | undefined;
  /** Its name on Ray Serve, like `ray_vllm_num_requests_waiting`. */
  readonly rayName: string;

  private constructor(
    /** Name of the metric, as the server exports it. */
    readonly name: string,
  ) {
    this.rayName = onRayServe(name);
    this.max = SERVER_GAUGES.get(name)?.max;
    Object.freeze(this);
  }

  /**
   * The metric with a name that comes from configuration.
   *
   * @throws InvalidInputError when vLLM has no such metric, or had it once: the error then names its successor
   */
  static of(name: string): ServerMetric {
    return metricNamed(name, [
      VllmMetric.REQUESTS_WAITING,
      VllmMetric.REQUESTS_RUNNING,
      VllmMetric.KV_CACHE_USAGE,
    ]);
  }
}
