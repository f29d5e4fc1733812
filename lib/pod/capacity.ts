import { Problems } from '../problems/problems';
import { type TpuSlice } from '../tpu/slice';
import { type PodFragment } from './fragment';
import { dnsLabel, integer, quoted } from '../problems/validators';

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

/** A ComputeClass of one slice: what `TpuComputeClass` is. */
export interface ComputeClassOfSlice {
  /** Name of the ComputeClass. */
  readonly computeClassName: string;
  /** The slice that each of its rules makes. */
  readonly slice: TpuSlice;
  /** How the slice is bought, the first choice first. */
  readonly priorities: readonly Capacity[];
}

/** A queue of Kueue for one slice: what `TpuQueue` is. */
export interface QueueOfSlice {
  /** Name of the LocalQueue, in the namespace of the Jobs. */
  readonly queueName: string;
  /** The slice of each Job. */
  readonly slice: TpuSlice;
}

/** Options of queued flex-start capacity. */
export interface FlexStartQueuedOptions {
  /** The LocalQueue of Kueue that the Job waits in: a `TpuQueue`, or a name. */
  readonly queue: string | QueueOfSlice;
  /**
   * How long the nodes may run, in seconds: 600 (10 minutes) to 604800 (7 days). It becomes an annotation of the Job, which Kueue hands
   * on; the node pool says nothing of it.
   *
   * @default - 7 days
   */
  readonly maxRunDurationSeconds?: number;
}

/** The ways to buy capacity. */
export type CapacityType =
  'on-demand' | 'spot' | 'flex-start' | 'flex-start-queued' | 'reservation' | 'compute-class';

/** The node label with a ComputeClass's name. */
export const COMPUTE_CLASS_LABEL = 'cloud.google.com/compute-class';
/** The LocalQueue that Kueue lets a Job wait in: https://kueue.sigs.k8s.io/docs/tasks/run/jobs/ */
export const QUEUE_LABEL = 'kueue.x-k8s.io/queue-name';
/** The node label, and the taint, of queued provisioning. */
const QUEUED_LABEL = 'cloud.google.com/gke-queued';
/** Its toleration. */
const QUEUED_TOLERATION = {
  key: QUEUED_LABEL,
  operator: 'Equal',
  value: 'true',
  effect: 'NoSchedule',
} as const;

/** What is wrong with how long flex-start nodes may run; undefined where nothing is. */
const runDuration = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : integer('maxRunDurationSeconds', seconds, 600, 604_800);

/**
 * How TPU capacity is bought. It is not part of the slice: the same slice runs on each.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/tpus#consumption-options
 */
export class Capacity implements PodFragment {
  /** Taints of its nodes that the pods tolerate. */
  readonly tolerations?: PodFragment['tolerations'];
  /** How long flex-start nodes may run, in seconds; undefined where it was not said. */
  readonly maxRunDurationSeconds: number | undefined;
  /** Name of the reservation; only of a reservation. */
  readonly reservationName: string | undefined;
  /** Whether Compute Engine may take nodes back at any time: spot, and a ComputeClass that is known to have it. */
  readonly preemptible: boolean;
  /** The slice that a ComputeClass or a queue gives, where it is known. */
  readonly slice: TpuSlice | undefined;
  /** Labels and annotations by which a Job waits in a queue; none elsewhere. */
  readonly jobMetadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };

  private constructor(
    /** The way that it is bought. */
    readonly type: CapacityType,
    /** Node labels that the pods ask for. */
    readonly nodeSelector: Readonly<Record<string, string>>,
    more: Partial<Capacity> = {},
  ) {
    if (more.tolerations) this.tolerations = more.tolerations;
    this.maxRunDurationSeconds = more.maxRunDurationSeconds;
    this.reservationName = more.reservationName;
    this.preemptible = more.preemptible ?? false;
    this.slice = more.slice;
    this.jobMetadata = more.jobMetadata ?? {};
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
    return new Capacity('spot', { 'cloud.google.com/gke-spot': 'true' }, { preemptible: true });
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
    problems.add(runDuration(seconds));
    problems.throwIfAny();
    return new Capacity(
      'flex-start',
      {
        'cloud.google.com/gke-flex-start': 'true',
        ...(seconds !== undefined && { 'cloud.google.com/gke-max-run-duration-seconds': String(seconds) }),
      },
      { maxRunDurationSeconds: seconds },
    );
  }

  /**
   * Flex-start nodes that all come at once, for a Job that waits in a queue of Kueue until they do. Not on v4, and only for Jobs:
   * pods of anything else would wait forever.
   *
   * @throws InvalidInputError when the queue's name cannot be one, or the duration is out of range
   * @see https://cloud.google.com/kubernetes-engine/docs/how-to/provisioningrequest
   */
  static flexStartQueued(options: FlexStartQueuedOptions): Capacity {
    const { queue, maxRunDurationSeconds: seconds } = options;
    const name = typeof queue === 'string' ? queue : queue.queueName;
    const problems = new Problems();
    problems.add(dnsLabel('queue', name), runDuration(seconds));
    problems.throwIfAny();
    return new Capacity(
      'flex-start-queued',
      { [QUEUED_LABEL]: 'true' },
      {
        tolerations: [QUEUED_TOLERATION],
        maxRunDurationSeconds: seconds,
        slice: typeof queue === 'string' ? undefined : queue.slice,
        jobMetadata: {
          labels: { [QUEUE_LABEL]: name },
          ...(seconds !== undefined && {
            annotations: { 'provreq.kueue.x-k8s.io/maxRunDurationSeconds': String(seconds) },
          }),
        },
      },
    );
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
    return new Capacity(
      'reservation',
      { 'cloud.google.com/reservation-name': name, 'cloud.google.com/reservation-affinity': 'specific' },
      { reservationName: name },
    );
  }

  /**
   * Whatever a ComputeClass finds first. The class decides accelerator and topology, so pods select the class instead of them.
   *
   * @param computeClass - a `TpuComputeClass`, or the name of a class with TPU rules; of a name alone nothing more is known: neither its
   * slice nor whether it has spot nodes, which give pods 15 seconds to end
   * @throws InvalidInputError when the name cannot be a class's
   * @see https://cloud.google.com/kubernetes-engine/docs/concepts/about-custom-compute-classes
   */
  static computeClass(computeClass: string | ComputeClassOfSlice): Capacity {
    const known = typeof computeClass === 'string' ? undefined : computeClass;
    const name = typeof computeClass === 'string' ? computeClass : computeClass.computeClassName;
    const problems = new Problems();
    problems.add(computeClassName('computeClass', name));
    problems.throwIfAny();
    return new Capacity(
      'compute-class',
      { [COMPUTE_CLASS_LABEL]: name },
      { slice: known?.slice, preemptible: known?.priorities.some((rule) => rule.preemptible) ?? false },
    );
  }
}

/** Classes of GKE's own, and the one that pods get which select none. */
const RESERVED_CLASSES: readonly string[] = ['autopilot', 'autopilot-spot', 'default'];

/** What is wrong with the name of a ComputeClass; undefined where nothing is. */
export function computeClassName(prop: string, name: string): string | undefined {
  return RESERVED_CLASSES.includes(name)
    ? `${prop} '${name}' has a meaning of its own in GKE, expected a name like 'tpu-v6e-2x4'`
    : dnsLabel(prop, name, 63, "it is a node label's value");
}

/**
 * What is wrong with a capacity for a slice; undefined where nothing is.
 *
 * @param queues - whether what runs the pods can wait in a queue of Kueue, which Jobs can
 */
export function capacityProblem(
  capacity: Capacity | undefined,
  slice: TpuSlice,
  queues = false,
): string | undefined {
  if (!capacity) return undefined;
  if (typeof capacity !== 'object')
    return `capacity ${quoted(capacity)} is a ${typeof capacity}, expected one of Capacity, like Capacity.onDemand() or Capacity.spot()`;
  const { type, slice: given } = capacity;
  if (type === 'flex-start-queued' && !queues)
    return 'capacity flex-start-queued is for Jobs, which wait in a queue of Kueue, expected Capacity.flexStart() or another one';
  if (given !== undefined && given.toString() !== slice.toString())
    return `capacity ${type} gives slices '${given.toString()}', expected them for slice '${slice.toString()}'`;
  return type.startsWith('flex-start') && !slice.flexStart
    ? `capacity ${type} is not offered for machine type '${slice.machineType}', expected a slice of v5e, v5p, v6e or tpu7x, or Capacity.onDemand()`
    : undefined;
}
