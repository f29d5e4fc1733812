import { Capacity, type FlexStartQueuedOptions } from '../pod/capacity';
import { type HuggingFaceToken } from '../pod/hugging-face-token';
import { type ModelCacheOptions } from '../pod/model-cache';
import { type TpuSlice } from '../tpu/slice';
import { type ImageProps, type PodProps, type SliceProps } from '../workload/vocabulary';

/** Properties of every Job on a TPU slice. */
export interface JobOptions extends PodProps, ImageProps, ModelCacheOptions, Pick<SliceProps, 'slice'> {
  /** Name of the Job, and of its headless Service if there is one. @default - the construct's id */
  readonly name?: string;
  /** The TPU slice; of one host or several. */
  readonly slice: TpuSlice;
  /** Container image, with a tag or digest. */
  readonly image: string;
  /** Command of the container, on each host of the slice. @default - the image's entrypoint */
  readonly command?: readonly string[];
  /** Arguments of the command. @default - the image's */
  readonly args?: readonly string[];
  /**
   * Size of the model weights on the slice, as a quantity like `141G`: it must fit in the memory of all hosts together.
   *
   * @default - unknown, and not compared with the slice
   */
  readonly modelSize?: string;
  /** Token for models that require one. @default - none */
  readonly huggingFaceToken?: HuggingFaceToken;
  /**
   * How many pods can fail before the Job fails. A host of several that starts again meets hosts that continued without it.
   *
   * @default - 6 on one host, which is Kubernetes' default; 0 on several
   */
  readonly backoffLimit?: number;
  /**
   * Time from the signal to stop until Kubernetes kills the pod, in seconds: to write a checkpoint. GKE waits at most one hour when it
   * upgrades nodes, and ten minutes when it removes some. A program that handles the signal can stop earlier.
   *
   * @default 60; 15 on spot
   * @see https://cloud.google.com/kubernetes-engine/docs/how-to/extended-duration-pods
   */
  readonly terminationGracePeriodSeconds?: number;
  /** Time after which the finished Job is deleted, in seconds; an apply after that runs it again. @default - never */
  readonly ttlSecondsAfterFinished?: number;
}

/** Properties of a Job on any capacity. */
export interface TpuJobProps extends JobOptions, SliceProps {
  /** The TPU slice of each completion; of one host or several. */
  readonly slice: TpuSlice;
  /** How the slices are bought, and the Kueue queue that the Job waits in, if any. @default - on demand */
  readonly capacity?: Capacity;
  /** Number of slices that work together; more than one make a JobSet. @default 1 */
  readonly slices?: number;
  /** Pods that must complete, each on a slice of its own; only for slices of one host without `slices`. @default 1 */
  readonly completions?: number;
  /** Pods that run at the same time, up to `completions`. @default 1 */
  readonly parallelism?: number;
  /** Whether evictions and preemptions do not count as failures. Not for one slice of several hosts. @default false */
  readonly ignoreDisruptions?: boolean;
  /** How often failed slices restart before the JobSet fails; only with several `slices`. @default 0 */
  readonly maxRestarts?: number;
  /** Longest time that the Job can take, in seconds; not with several `slices`. @default - no limit */
  readonly activeDeadlineSeconds?: number;
}

/** Properties of a flex-start Job. */
export interface FlexStartJobProps extends JobOptions {
  /** The TPU slice; of one host or several. Flex-start does not offer v4. */
  readonly slice: TpuSlice;
  /**
   * How long the nodes can run, in seconds: 600 (10 minutes) to 604800 (7 days). It becomes a node selector, so the node pool needs the
   * same `--max-run-duration`. With `queue` it becomes an annotation, and the node pool sets no duration.
   *
   * @default - the node pool's; 7 days if the node pool sets none
   */
  readonly maxRunDurationSeconds?: number;
  /**
   * The LocalQueue of Kueue that the Job waits in, suspended, until all its nodes are available: a `TpuQueue`, or a name in the same
   * namespace. Its nodes are those of queued provisioning, `--enable-queued-provisioning`.
   *
   * @default - none: the pods wait for flex-start nodes
   */
  readonly queue?: FlexStartQueuedOptions['queue'];
}

/** The capacity of a flex-start Job. */
export const flexStartCapacity = ({
  queue,
  maxRunDurationSeconds,
}: Pick<FlexStartJobProps, 'queue' | 'maxRunDurationSeconds'>): Capacity => {
  const duration = maxRunDurationSeconds === undefined ? {} : { maxRunDurationSeconds };
  return queue === undefined
    ? Capacity.flexStart(duration)
    : Capacity.flexStartQueued({ queue, ...duration });
};

/** The Kubernetes object that runs a Job. */
export type JobForm = 'Job' | 'IndexedJob' | 'JobSet';

/** The object that runs a Job: the slice and the number of slices decide. */
export const formOf = ({ slice, slices = 1 }: Pick<TpuJobProps, 'slice' | 'slices'>): JobForm =>
  slices > 1 ? 'JobSet' : slice.multiHost ? 'IndexedJob' : 'Job';

/** Name of the replicated job of a JobSet. */
export const JOB_SET_JOB_NAME = 'slice';
