import { Capacity, type FlexStartQueuedOptions } from '../pod/capacity';
import { type HuggingFaceToken } from '../pod/hugging-face-token';
import { type ModelCacheOptions } from '../pod/model-cache';
import { type TpuSlice } from '../tpu/slice';
import { type ImageProps, type PodProps, type SliceProps } from '../workload/vocabulary';

/** Properties that all Jobs on TPU slices share. */
export interface JobOptions extends PodProps, ImageProps, ModelCacheOptions, Pick<SliceProps, 'slice'> {
  /** Name of the Job, and of its headless Service if it has one. @default - the construct's id */
  readonly name?: string;
  /** The TPU slice, single-host or multi-host. */
  readonly slice: TpuSlice;
  /** Container image, with a tag or digest. */
  readonly image: string;
  /** Command of the container, on each host of the slice. @default - the image's entrypoint */
  readonly command?: readonly string[];
  /** Arguments of the command. @default - the image's arguments */
  readonly args?: readonly string[];
  /**
   * Size of the model weights on the slice, as a quantity like `141G`. The weights must fit in the memory of all hosts together.
   *
   * @default - not known, so not compared with the slice
   */
  readonly modelSize?: string;
  /** Token for models that require one. @default - none */
  readonly huggingFaceToken?: HuggingFaceToken;
  /**
   * How many pods can fail before the Job fails. On a multi-host slice, the other hosts have continued without a host that restarts.
   *
   * @default - 6 on a single-host slice, which is Kubernetes' default; 0 on a multi-host slice
   */
  readonly backoffLimit?: number;
  /**
   * Time between the termination signal and the kill of the pod, in seconds, for example to write a checkpoint. GKE waits at most one hour
   * when it upgrades a node, and ten minutes when it removes a node. A program that handles the signal can end earlier.
   *
   * @default 60; 15 on spot
   * @see https://cloud.google.com/kubernetes-engine/docs/how-to/extended-duration-pods
   */
  readonly terminationGracePeriodSeconds?: number;
  /** Time after which Kubernetes deletes the finished Job, in seconds. The next apply runs it again. @default - none: the Job remains */
  readonly ttlSecondsAfterFinished?: number;
}

/** Properties of a Job on any capacity. */
export interface TpuJobProps extends JobOptions, SliceProps {
  /** The TPU slice of each completion, single-host or multi-host. */
  readonly slice: TpuSlice;
  /** How the slices are bought, and the Kueue queue that the Job waits in, if any. @default - on demand */
  readonly capacity?: Capacity;
  /** Number of slices that work together; with more than one, the Job is a JobSet. @default 1 */
  readonly slices?: number;
  /** Number of pods that must complete, each on its own slice; only for single-host slices without `slices`. @default 1 */
  readonly completions?: number;
  /** Number of pods that run at the same time, at most `completions`. @default 1 */
  readonly parallelism?: number;
  /** Whether evictions and preemptions do not count as failures; not allowed for one multi-host slice. @default false */
  readonly ignoreDisruptions?: boolean;
  /** How often the JobSet restarts after a failure before it fails; only with several `slices`. @default 0 */
  readonly maxRestarts?: number;
  /** Longest duration of the Job, in seconds; not allowed with several `slices`. @default - no limit */
  readonly activeDeadlineSeconds?: number;
}

/** Properties of a flex-start Job. */
export interface FlexStartJobProps extends JobOptions {
  /** The TPU slice, single-host or multi-host. Flex-start does not offer v4. */
  readonly slice: TpuSlice;
  /**
   * How long the nodes can run, in seconds: 600 (10 minutes) to 604800 (7 days). It is rendered as a node selector, so the node pool needs
   * the same `--max-run-duration`. With `queue` it is rendered as an annotation, and the node pool does not set a duration.
   *
   * @default - the node pool's duration; 7 days if the node pool does not set one
   */
  readonly maxRunDurationSeconds?: number;
  /**
   * The Kueue LocalQueue in which the Job is suspended until all its nodes are available: a `TpuQueue`, or a name in the same namespace.
   * The node pool needs `--enable-queued-provisioning`.
   *
   * @default - none: the pods wait for flex-start nodes
   */
  readonly queue?: FlexStartQueuedOptions['queue'];
}

/** Returns the capacity of a flex-start Job. */
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

/** Returns the kind of object that runs a Job, which depends on the slice and the number of slices. */
export const formOf = ({ slice, slices = 1 }: Pick<TpuJobProps, 'slice' | 'slices'>): JobForm =>
  slices > 1 ? 'JobSet' : slice.multiHost ? 'IndexedJob' : 'Job';

/** Name of the replicated job in a JobSet. */
export const JOB_SET_JOB_NAME = 'slice';
