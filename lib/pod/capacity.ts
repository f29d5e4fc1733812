import { FLEX_START_RUN_SECONDS } from '../facts/durations';
import {
  COMPUTE_CLASS_LABEL,
  FLEX_START_LABEL,
  QUEUE_LABEL,
  QUEUED_LABEL,
  QUEUED_RUN_DURATION_ANNOTATION,
  RESERVATION_AFFINITY_LABEL,
  RESERVATION_NAME_LABEL,
  RUN_DURATION_LABEL,
  SPOT_LABEL,
  TPU_RESOURCE,
} from '../facts/labels';
import { brand } from '../problems/brand';
import { dnsLabel, type Grammar } from '../problems/grammar';
import { type Problem, Problems } from '../problems/problems';
import {
  instance,
  integer,
  isObject,
  list,
  misfit,
  type NamedResource,
  nameOf,
  optional,
  read,
  resourceName,
  type Schema,
  string,
  type Type,
} from '../problems/schema';
import { isDynamic, SUB_BLOCK } from '../tpu/dynamic-slice';
import { sliceType, type TpuSlice } from '../tpu/slice';
import { type PodFragment } from './fragment';

/** Options of every type of capacity. */
export interface CapacityOptions {
  /**
   * The LocalQueue of Kueue that Jobs wait in until the queue has quota for them, in the namespace of the Jobs: its name, or an object
   * that renders it.
   *
   * @default - none: the pods wait for nodes
   * @see https://kueue.sigs.k8s.io/docs/tasks/run/jobs/
   */
  readonly queue?: string | NamedResource;
}

/** Options of flex-start capacity. */
export interface FlexStartOptions extends CapacityOptions {
  /**
   * How long the nodes can run, in seconds: 600 (10 minutes) to 604800 (7 days). Sets a node selector, so the node pool needs the
   * same `--max-run-duration`. Omit it if only the node pool sets it.
   *
   * @default - the limit of the node pool, otherwise 7 days
   */
  readonly maxRunDurationSeconds?: number;
}

/** Options of queued flex-start capacity. */
export interface FlexStartQueuedOptions {
  /** The LocalQueue of Kueue that the Job waits in: a `TpuQueue`, a name, or an object that renders a LocalQueue. */
  readonly queue: string | NamedResource | { readonly queueName: string; readonly slice: TpuSlice };
  /**
   * How long the nodes can run, in seconds: 600 (10 minutes) to 604800 (7 days). Sets an annotation of the Job, which Kueue copies into
   * its request for nodes. The node pool must not set a duration.
   *
   * @default - 7 days
   */
  readonly maxRunDurationSeconds?: number;
}

/** A ComputeClass of one slice, like `TpuComputeClass`. */
interface ClassOfSlice {
  readonly computeClassName: string;
  readonly slice: TpuSlice;
  readonly priorities: readonly Capacity[];
}

/** A Kueue queue for one slice, like `TpuQueue`. */
type QueueOfSlice = Extract<FlexStartQueuedOptions['queue'], { readonly queueName: string }>;

/** The types of capacity. */
export type CapacityType =
  | 'on-demand'
  | 'spot'
  | 'flex-start'
  | 'flex-start-queued'
  | 'reservation'
  | 'compute-class'
  | 'dynamic-slice';

/** Options of dynamic slices. */
export interface DynamicSliceOptions {
  /**
   * The LocalQueue of Kueue that the workload waits in until GKE has formed its slice: its name, or an object that renders it. The
   * ClusterQueue of the LocalQueue needs the AdmissionCheck of the slice controller.
   */
  readonly queue: string | NamedResource;
}

/** The toleration of TPU nodes. The pods of a dynamic slice tolerate the taint with any value. */
const DYNAMIC_SLICE_TOLERATION = { key: TPU_RESOURCE, operator: 'Exists', effect: 'NoSchedule' } as const;

/** The toleration of nodes with queued provisioning. */
const QUEUED_TOLERATION = {
  key: QUEUED_LABEL,
  operator: 'Equal',
  value: 'true',
  effect: 'NoSchedule',
} as const;

/**
 * How TPU capacity is bought. A slice can run on every type of capacity.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/tpus#consumption-options
 */
export class Capacity implements PodFragment {
  /** Taints of the nodes, which the pods tolerate. */
  readonly tolerations?: PodFragment['tolerations'];
  /** How long flex-start nodes can run, in seconds; undefined if not set. */
  readonly maxRunDurationSeconds: number | undefined;
  /** Name of the reservation; undefined for every other type. */
  readonly reservationName: string | undefined;
  /** Whether Compute Engine can reclaim nodes at any time: true for spot, and for a `TpuComputeClass` with a spot priority. */
  readonly preemptible: boolean;
  /** Slice of the `TpuComputeClass` or `TpuQueue`; undefined for every other capacity. */
  readonly slice: TpuSlice | undefined;
  /** Name of the LocalQueue that workloads wait in; undefined if there is none. */
  readonly queueName: string | undefined;
  /** Labels and annotations that make a workload wait in its queue; empty without a queue. */
  readonly jobMetadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };

  private constructor(
    /** The type of the capacity. */
    readonly type: CapacityType,
    /** Node labels that the pods select. */
    readonly nodeSelector: Readonly<Record<string, string>>,
    more: Partial<Omit<Capacity, 'jobMetadata'>> & { readonly annotations?: Record<string, string> } = {},
  ) {
    const { tolerations, queueName, annotations } = more;
    if (tolerations) this.tolerations = tolerations;
    this.maxRunDurationSeconds = more.maxRunDurationSeconds;
    this.reservationName = more.reservationName;
    this.preemptible = more.preemptible ?? false;
    this.slice = more.slice;
    this.queueName = queueName;
    this.jobMetadata = {
      ...(queueName !== undefined && { labels: { [QUEUE_LABEL]: queueName } }),
      ...(annotations && { annotations }),
    };
    Object.freeze(this);
  }

  /**
   * Nodes at list price, without a time limit. The default of all constructs except `FlexStartJob`.
   *
   * @throws InvalidInputError if the queue's name is not valid
   */
  static onDemand(options: CapacityOptions = {}): Capacity {
    return new Capacity('on-demand', {}, optionsOf(options));
  }

  /**
   * Discounted nodes that Compute Engine can reclaim at any time.
   *
   * @throws InvalidInputError if the queue's name is not valid
   * @see https://cloud.google.com/kubernetes-engine/docs/concepts/spot-vms
   */
  static spot(options: CapacityOptions = {}): Capacity {
    return new Capacity('spot', { [SPOT_LABEL]: 'true' }, { ...optionsOf(options), preemptible: true });
  }

  /**
   * Nodes that GKE adds when they are available, for at most seven days. Not available on v4.
   *
   * @throws InvalidInputError if the duration is out of range or the queue's name is not valid
   * @see https://cloud.google.com/kubernetes-engine/docs/concepts/dws
   */
  static flexStart(options: FlexStartOptions = {}): Capacity {
    const problems = new Problems();
    const given = read(FLEX_START_OPTIONS, options, problems);
    problems.throwIfAny();
    const seconds = given?.maxRunDurationSeconds;
    return new Capacity(
      'flex-start',
      {
        [FLEX_START_LABEL]: 'true',
        ...(seconds !== undefined && { [RUN_DURATION_LABEL]: String(seconds) }),
      },
      { maxRunDurationSeconds: seconds, queueName: queueNameOf(given?.queue) },
    );
  }

  /**
   * Flex-start nodes that GKE adds all at once, for a Job that waits for them in a Kueue queue. Not available on v4, and only for Jobs.
   *
   * @throws InvalidInputError if the queue's name is not valid or the duration is out of range
   * @see https://cloud.google.com/kubernetes-engine/docs/how-to/provisioningrequest
   */
  static flexStartQueued(options: FlexStartQueuedOptions): Capacity {
    const problems = new Problems();
    const given = problems.settle(read(QUEUED_OPTIONS, options, problems));
    const { queue, maxRunDurationSeconds: seconds } = given;
    return new Capacity(
      'flex-start-queued',
      { [QUEUED_LABEL]: 'true' },
      {
        tolerations: [QUEUED_TOLERATION],
        maxRunDurationSeconds: seconds,
        slice: isQueueOfSlice(queue) ? queue.slice : undefined,
        queueName: isQueueOfSlice(queue) ? queue.queueName : nameOf(queue),
        ...(seconds !== undefined && { annotations: { [QUEUED_RUN_DURATION_ANNOTATION]: String(seconds) } }),
      },
    );
  }

  /**
   * Nodes of an existing reservation.
   *
   * @param name - name of the reservation, in the project of the cluster
   * @throws InvalidInputError if the name of the reservation or queue is not valid
   */
  static reservation(name: string, options: CapacityOptions = {}): Capacity {
    const problems = new Problems();
    string(dnsLabel()).read(name, 'reservation', problems);
    const more = problems.attempt(() => optionsOf(options));
    problems.throwIfAny();
    return new Capacity(
      'reservation',
      { [RESERVATION_NAME_LABEL]: name, [RESERVATION_AFFINITY_LABEL]: 'specific' },
      { ...more, reservationName: name },
    );
  }

  /**
   * A slice that GKE forms from provisioned sub-blocks of tpu7x when Kueue admits the workload. Beta: requires a Standard cluster in the
   * Rapid channel, a reservation in All Capacity mode, and the slice controllers of GKE and Kueue. Not for Deployments or Ray clusters.
   *
   * @throws InvalidInputError if the queue is missing or its name is not valid
   * @see https://docs.cloud.google.com/kubernetes-engine/docs/how-to/use-gke-dynamic-slicing
   */
  static dynamicSlice(options: DynamicSliceOptions): Capacity {
    const problems = new Problems();
    const { queue } = problems.settle(read(DYNAMIC_SLICE_OPTIONS, options, problems));
    return new Capacity(
      'dynamic-slice',
      {},
      { tolerations: [DYNAMIC_SLICE_TOLERATION], queueName: nameOf(queue) },
    );
  }

  /**
   * Nodes of the first priority of a ComputeClass that is available. Pods select the class, which sets accelerator and topology.
   *
   * @param computeClass - a `TpuComputeClass`, or the name of a class with TPU priorities. From a name, the library cannot tell the slice
   * of the class, or whether it has spot nodes, whose pods have 15 seconds to shut down
   * @throws InvalidInputError if the name of the class or queue is not valid
   * @see https://cloud.google.com/kubernetes-engine/docs/concepts/about-custom-compute-classes
   */
  static computeClass(
    computeClass:
      | string
      | {
          readonly computeClassName: string;
          readonly slice: TpuSlice;
          readonly priorities: readonly Capacity[];
        },
    options: CapacityOptions = {},
  ): Capacity {
    const problems = new Problems();
    const given = classType.read(computeClass, 'computeClass', problems);
    const more = problems.attempt(() => optionsOf(options));
    const known = problems.settle(given);
    const name = typeof known === 'string' ? known : known.computeClassName;
    return new Capacity(
      'compute-class',
      { [COMPUTE_CLASS_LABEL]: name },
      {
        ...more,
        ...(typeof known === 'object' && {
          slice: known.slice,
          preemptible: known.priorities.some((rule) => rule.preemptible),
        }),
      },
    );
  }
}
brand(Capacity, 'Capacity');

// ---- schemas ----------------------------------------------------------------------------------------------------------

/** A prop `capacity`. */
export const capacityType: Type<Capacity> = instance(
  'Capacity',
  'a Capacity, like Capacity.onDemand() or Capacity.spot()',
);

const queueType = resourceName(dnsLabel(), 'LocalQueue');
const runSeconds = integer(FLEX_START_RUN_SECONDS.min, FLEX_START_RUN_SECONDS.max);

const CAPACITY_OPTIONS: Schema<CapacityOptions> = { properties: { queue: optional(queueType) } };
const FLEX_START_OPTIONS: Schema<FlexStartOptions> = {
  properties: { ...CAPACITY_OPTIONS.properties, maxRunDurationSeconds: optional(runSeconds) },
};

/** A `TpuQueue`, or a queue as in `CapacityOptions`. */
export const slicedQueueType: Type<FlexStartQueuedOptions['queue']> = {
  what: `a TpuQueue, or ${queueType.what}`,
  read: (value, path, problems) => {
    if (!isQueueOfSlice(value)) return queueType.read(value, path, problems);
    const name = string(dnsLabel()).read(value.queueName, path, problems);
    const slice = sliceType.read(value.slice, `${path}.slice`, problems);
    return name === undefined || slice === undefined ? undefined : value;
  },
};

const QUEUED_OPTIONS: Schema<FlexStartQueuedOptions> = {
  properties: {
    queue: { type: slicedQueueType, required: true, example: "'tpu'", standIn: 'tpu' },
    maxRunDurationSeconds: optional(runSeconds),
  },
};

function isQueueOfSlice(value: unknown): value is QueueOfSlice {
  return isObject(value) && 'queueName' in value;
}

const DYNAMIC_SLICE_OPTIONS: Schema<DynamicSliceOptions> = {
  properties: { queue: { type: queueType, required: true, example: "'tpu7x'", standIn: 'tpu7x' } },
};

const queueNameOf = (queue: string | NamedResource | undefined): string | undefined =>
  queue === undefined ? undefined : nameOf(queue);

function optionsOf(options: CapacityOptions): { readonly queueName: string | undefined } {
  const problems = new Problems();
  const { queue } = problems.settle(read(CAPACITY_OPTIONS, options, problems));
  return { queueName: queueNameOf(queue) };
}

/** Classes that GKE defines itself, and the default class. */
const RESERVED_CLASSES: readonly string[] = ['autopilot', 'autopilot-spot', 'default'];

/** Names of ComputeClasses. */
export const computeClassName: Grammar = (name) =>
  RESERVED_CLASSES.includes(name)
    ? { problem: 'is reserved by GKE', use: 'another name', nearest: 'tpu-v6e-2x4' }
    : dnsLabel(63, 'the limit of node labels')(name);

const className = string(computeClassName, 'a TpuComputeClass or the name of a ComputeClass');
const classType: Type<string | ClassOfSlice> = {
  what: className.what,
  read: (value, path, problems) => {
    if (typeof value !== 'object' || value === null) return className.read(value, path, problems);
    if (!isObject(value) || !('computeClassName' in value)) {
      problems.add(misfit(path, value, className.what));
      return undefined;
    }
    const name = className.read(value['computeClassName'], path, problems);
    const slice = sliceType.read(value['slice'], `${path}.slice`, problems);
    const priorities = list(capacityType).read(value['priorities'], `${path}.priorities`, problems);
    return name === undefined || slice === undefined || priorities === undefined
      ? undefined
      : { computeClassName: name, slice, priorities };
  },
};

/** Types of capacity that need a queue, and the alternatives without a queue. */
const QUEUED_TYPES: Partial<Readonly<Record<CapacityType, string>>> = {
  'flex-start-queued': 'Capacity.flexStart() or another capacity',
  'dynamic-slice': 'another capacity, TpuJob, or a server on a multi-host slice',
};

/**
 * Returns what is wrong with a capacity for a slice.
 *
 * @param queues - whether the object that creates the pods can wait in a Kueue queue, as Jobs can
 */
export function capacityProblem(
  capacity: Capacity | undefined,
  slice: TpuSlice,
  queues = false,
): Problem | undefined {
  if (!capacity) return undefined;
  const { type, slice: given, queueName } = capacity;
  const value = type;
  const path = 'capacity';
  if (queueName !== undefined && !queues)
    return {
      path,
      value,
      problem: `waits in Kueue queue '${queueName}', which this construct does not support`,
      use: QUEUED_TYPES[type] ?? 'the capacity without queue',
    };
  if (given !== undefined && given.toString() !== slice.toString())
    return {
      path,
      value,
      problem: `provides slice '${given.toString()}', not '${slice.toString()}'`,
      use: 'the same slice in both',
    };
  if (type === 'dynamic-slice' && !isDynamic(slice))
    return {
      path,
      value,
      problem: `is not available on ${slice.machineType}`,
      use: `a slice of ${SUB_BLOCK.machineType}, or another capacity`,
    };
  return type.startsWith('flex-start') && !slice.flexStart
    ? {
        path,
        value,
        problem: `is not available on ${slice.machineType}`,
        use: 'a slice of v5e, v5p, v6e or tpu7x, or another capacity',
      }
    : undefined;
}
