import { Problems } from '../problems';
import { type TpuSlice } from '../tpu/slice';
import { type PodFragment } from './fragment';
import { dnsLabel, integer } from './rules';

/** Options of flex-start capacity. */
export interface FlexStartOptions {
  /**
   * How long the nodes may run, in seconds: 600 (10 minutes) to 604800 (7 days). It becomes a node selector, so the node pool must
   * be made with the same `--max-run-duration`; leave it out where the pool alone decides.
   *
   * @default - what the node pool says; 7 days where it says nothing
   */
  readonly maxRunDurationSeconds?: number;
}

/**
 * How TPU capacity is bought. It is not part of the slice: the same slice runs on each.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/tpus#consumption-options
 */
export class Capacity implements PodFragment {
  private constructor(
    /** `on-demand`, `spot`, `flex-start` or `reservation`. */
    readonly type: 'on-demand' | 'spot' | 'flex-start' | 'reservation',
    readonly nodeSelector: Readonly<Record<string, string>>,
  ) {
    Object.freeze(this);
  }

  /** Nodes at list price, which stay. The default everywhere but in `FlexStartJob`. */
  static onDemand(): Capacity {
    return new Capacity('on-demand', {});
  }

  /**
   * Discounted nodes that Compute Engine may take back at any time.
   *
   * @see https://cloud.google.com/kubernetes-engine/docs/concepts/spot-vms
   */
  static spot(): Capacity {
    return new Capacity('spot', { 'cloud.google.com/gke-spot': 'true' });
  }

  /**
   * Nodes that come when there are some, for at most seven days. Not on v4.
   *
   * @throws InvalidInputError when the duration is out of range
   * @see https://cloud.google.com/kubernetes-engine/docs/concepts/dws
   */
  static flexStart(options: FlexStartOptions = {}): Capacity {
    const problems = new Problems();
    const { maxRunDurationSeconds: seconds } = options;
    if (seconds !== undefined) problems.add(integer('maxRunDurationSeconds', seconds, 600, 604_800));
    problems.throwIfAny();
    return new Capacity('flex-start', {
      'cloud.google.com/gke-flex-start': 'true',
      ...(seconds !== undefined && { 'cloud.google.com/gke-max-run-duration-seconds': String(seconds) }),
    });
  }

  /**
   * Nodes of a reservation that exists already.
   *
   * @param name - name of the reservation, in the project of the cluster
   * @throws InvalidInputError when the name cannot be a reservation's
   */
  static reservation(name: string): Capacity {
    const problems = new Problems();
    problems.add(dnsLabel('reservation', name));
    problems.throwIfAny();
    return new Capacity('reservation', {
      'cloud.google.com/reservation-name': name,
      'cloud.google.com/reservation-affinity': 'specific',
    });
  }

  /** @internal What is wrong with this capacity for a slice; undefined where nothing is. */
  _problemOn(slice: TpuSlice): string | undefined {
    return this.type === 'flex-start' && !slice.flexStart
      ? `capacity flex-start is not offered for machine type '${slice.machineType}', expected a slice of v5e, v5p, v6e or tpu7x, or Capacity.onDemand()`
      : undefined;
  }
}
