import { SERVER_GAUGES } from '../../facts/metrics';
import { metricNamed, type ServerMetric } from '../../workload/monitoring';

/**
 * The metrics of JetStream that show the load of a server.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/best-practices/machine-learning/inference/autoscaling-tpu
 */
export class JetStreamMetric implements ServerMetric {
  /** Number of requests that wait for prefill; scale by it for throughput. */
  static readonly PREFILL_BACKLOG_SIZE = new JetStreamMetric('jetstream_prefill_backlog_size');
  /** Share of the decode slots in use, 0 to 1; scale by it for low latency. */
  static readonly SLOTS_USED_PERCENTAGE = new JetStreamMetric('jetstream_slots_used_percentage');

  /** A gauge, because its value rises and falls. */
  readonly type = 'gauge';
  /** The highest possible value; undefined if the metric has no upper limit. */
  readonly max: number | undefined;

  private constructor(
    /** Name under which the server exports the metric. */
    readonly name: string,
  ) {
    this.max = SERVER_GAUGES.get(name)?.max;
    Object.freeze(this);
  }

  /**
   * Returns the metric with this name, for names that come from configuration.
   *
   * @throws InvalidInputError when JetStream does not have the metric; the error names the successor of a renamed metric
   */
  static of(name: string): ServerMetric {
    return metricNamed(name, [JetStreamMetric.PREFILL_BACKLOG_SIZE, JetStreamMetric.SLOTS_USED_PERCENTAGE]);
  }
}
