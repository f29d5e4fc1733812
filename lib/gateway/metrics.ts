import { PICKER_GAUGES } from '../facts/metrics';
import { metricNamed, type ServerMetric } from '../workload/monitoring';

/** A metric of the endpoint picker in Prometheus. */
export interface PoolMetric extends ServerMetric {
  /** Whether the series add up to the value of the pool, or each series is the mean over the pool's servers. */
  readonly value: 'sum' | 'mean';
  /** Whether the picker exports the metric only with flow control. @default false */
  readonly flowControl?: boolean | undefined;
}

/**
 * The metrics of the endpoint picker that show the load of a pool.
 *
 * @see https://github.com/llm-d/llm-d-router/blob/v0.10.0/docs/metrics.md
 */
export class PickerMetric implements PoolMetric {
  /** Number of requests that the pool's servers process; scale by it for concurrency. */
  static readonly REQUESTS_RUNNING = new PickerMetric('llm_d_epp_request_running');
  /** Number of requests that flow control holds back until a server has room, also while the pool has no server. */
  static readonly REQUESTS_QUEUED = new PickerMetric('llm_d_epp_flow_control_queue_size');
  /** Mean number of requests that wait in the servers. */
  static readonly AVERAGE_QUEUE_SIZE = new PickerMetric('llm_d_epp_average_queue_size');
  /** Mean share of the KV cache in use, 0 to 1. */
  static readonly AVERAGE_KV_CACHE_UTILIZATION = new PickerMetric('llm_d_epp_average_kv_cache_utilization');

  /** A gauge, because its value rises and falls. */
  readonly type = 'gauge';
  /** Whether the series add up to the value of the pool, or each series is the mean over the pool's servers. */
  readonly value: 'sum' | 'mean';
  /** The highest possible value; undefined if the metric has no upper limit. */
  readonly max: number | undefined;
  /** Whether the picker exports the metric only with flow control. */
  readonly flowControl: boolean;

  private constructor(
    /** Name under which the picker exports the metric. */
    readonly name: string,
  ) {
    const { value = 'sum', max, flowControl = false } = PICKER_GAUGES.get(name) ?? {};
    this.value = value;
    this.max = max;
    this.flowControl = flowControl;
    Object.freeze(this);
  }

  /**
   * Returns the metric with this name, for names that come from configuration.
   *
   * @throws InvalidInputError when the picker does not have the metric
   */
  static of(name: string): PickerMetric {
    const all = [
      PickerMetric.REQUESTS_RUNNING,
      PickerMetric.REQUESTS_QUEUED,
      PickerMetric.AVERAGE_QUEUE_SIZE,
      PickerMetric.AVERAGE_KV_CACHE_UTILIZATION,
    ];
    return metricNamed(name, all);
  }
}
