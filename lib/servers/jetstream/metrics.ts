import { SERVER_GAUGES } from '../../facts/metrics';
import { metricNamed, type ServerMetric } from '../../workload/monitoring';

/**
 * The metrics of JetStream that say how busy a server is.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/best-practices/machine-learning/inference/autoscaling-tpu
 */
export class JetStreamMetric implements ServerMetric {
  /** Requests that wait for their prefill: the metric to scale throughput by. */
  static readonly PREFILL_BACKLOG_SIZE = new JetStreamMetric('jetstream_prefill_backlog_size');
  /** Share of the decode slots in use, 0 to 1: the metric to scale latency by. */
  static readonly SLOTS_USED_PERCENTAGE = new JetStreamMetric('jetstream_slots_used_percentage');

  /** Only a gauge rises and falls. */
  readonly type = 'gauge';
  /** The highest value that it can have; undefined if there is none. */
  readonly max: number | undefined;

  private constructor(
    /** Name of the metric, as the server exports it. */
    readonly name: string,
  ) {
    this.max = SERVER_GAUGES.get(name)?.max;
    Object.freeze(this);
  }

  /**
   * The metric with a name that comes from configuration.
   *
   * @throws InvalidInputError when JetStream has no such metric, or had it once: the error then names its successor
   */
  static of(name: string): ServerMetric {
    return metricNamed(name, [JetStreamMetric.PREFILL_BACKLOG_SIZE, JetStreamMetric.SLOTS_USED_PERCENTAGE]);
  }
}
