import {
  FLEX_START_LABEL,
  PREEMPTIBLE_LABEL,
  PROVISIONING_LABEL,
  QUEUED_LABEL,
  RESERVATION_AFFINITY_LABEL,
  RESERVATION_LABELS,
  COMPUTE_CLASS_LABEL,
  SPOT_LABEL,
} from '../facts/labels';
import { FLEX_START_RUN_SECONDS } from '../facts/durations';
import { capacityProblem, slicedQueueType } from '../pod/capacity';
import { tokenType } from '../pod/hugging-face-token';
import {
  cacheProblem,
  compileCacheProblem,
  MODEL_CACHE_PROPERTIES,
  modelCacheProblems,
} from '../pod/model-cache';
import { dnsLabel, image, room } from '../problems/grammar';
import { type Problem } from '../problems/problems';
import { boolean, integer, optional, required, type Schema, string } from '../problems/schema';
import { GENERATIONS } from '../tpu/generations';
import { indexedJobName } from '../workload/indexed-job';
import { jobSetName } from '../workload/job-set';
import { IMAGE_PROPERTIES, POD_PROPERTIES, SLICE_PROPERTIES, sliceProblems } from '../workload/vocabulary';
import {
  flexStartCapacity,
  type FlexStartJobProps,
  formOf,
  JOB_SET_JOB_NAME,
  type JobOptions,
  type TpuJobProps,
} from './props';

/**
 * Longest time that GKE waits for a pod to end, in seconds: https://cloud.google.com/kubernetes-engine/docs/how-to/extended-duration-pods
 */
const MAX_GRACE_SECONDS = 3600;

const { slice, capacity } = SLICE_PROPERTIES;

const JOB_PROPERTIES: Schema<JobOptions>['properties'] = {
  name: optional(string()),
  slice,
  ...POD_PROPERTIES,
  ...IMAGE_PROPERTIES,
  ...MODEL_CACHE_PROPERTIES,
  image: required(string(image), 'us-docker.pkg.dev/my-project/my-repository/train:v1'),
  modelSize: optional(string(room)),
  huggingFaceToken: optional(tokenType),
  backoffLimit: optional(integer(0)),
  terminationGracePeriodSeconds: optional(integer(0, MAX_GRACE_SECONDS)),
  ttlSecondsAfterFinished: optional(integer(0)),
};

/** Returns the problems of the folders for weights and compiled programs. */
const storageProblems = (props: JobOptions): readonly (Problem | undefined)[] => [
  cacheProblem('modelCache.cache', props.modelCache, props.modelSize),
  ...modelCacheProblems(props),
  compileCacheProblem('compileCachePath', props.compileCachePath, props.slice, props),
];

/** Yields the problems of a Job's name. It must leave room for the suffixes of its pods' names. */
function* nameProblems(props: JobOptions & Pick<TpuJobProps, 'slices'>): Iterable<Problem> {
  const { name, slices = 1 } = props;
  if (name === undefined) return;
  const grammar = {
    Job: () => dnsLabel(),
    IndexedJob: () => indexedJobName(props.slice),
    JobSet: () => jobSetName({ jobName: JOB_SET_JOB_NAME, slice: props.slice, replicas: slices }),
  }[formOf(props)]();
  const wrong = grammar(name);
  if (wrong) yield { path: 'name', value: name, ...wrong };
}

// ---- any capacity -------------------------------------------------------------------------------------------------

/** Yields a problem for each prop that has no effect on this kind of Job. */
function* formProblems(props: TpuJobProps): Iterable<Problem> {
  const form = formOf(props);
  const { completions = 1, parallelism } = props;
  const only = (path: keyof TpuJobProps, holds: boolean, because: string): readonly Problem[] =>
    props[path] === undefined || holds
      ? []
      : [{ path, problem: `has no effect ${because}`, use: 'to remove it' }];
  const pods = 'on a multi-host slice or several slices, whose pods start and complete together';
  yield* only('completions', form === 'Job', pods);
  yield* only('parallelism', form === 'Job', pods);
  yield* only('maxRestarts', form === 'JobSet', 'without several slices');
  yield* only('activeDeadlineSeconds', form !== 'JobSet', 'on several slices');
  if (form === 'Job' && parallelism !== undefined && parallelism > completions)
    yield {
      path: 'parallelism',
      value: parallelism,
      problem: `is more than completions (${String(completions)})`,
      use: `at most ${String(completions)}`,
    };
  if (form === 'IndexedJob' && props.ignoreDisruptions === true)
    yield {
      path: 'ignoreDisruptions',
      problem: 'does not help on one multi-host slice: if one host is evicted, the other hosts fail',
      use: 'backoffLimit',
    };
}

/** Returns the problems of the capacity. Jobs can wait in a queue. */
const queuedSliceProblems = (props: TpuJobProps): readonly Problem[] => sliceProblems(props, true);

export const TPU_JOB: Schema<TpuJobProps> = {
  properties: {
    ...JOB_PROPERTIES,
    slice,
    capacity,
    slices: optional(integer(1)),
    completions: optional(integer(1)),
    parallelism: optional(integer(1)),
    ignoreDisruptions: optional(boolean()),
    maxRestarts: optional(integer(0)),
    activeDeadlineSeconds: optional(integer(1)),
  },
  rules: [nameProblems, storageProblems, formProblems, queuedSliceProblems],
};

// ---- flex-start ---------------------------------------------------------------------------------------------------

/** Node labels that select other capacity than flex-start, with the values that do not. */
const OTHER_CAPACITY: Readonly<Record<string, readonly string[]>> = {
  [SPOT_LABEL]: [],
  [PREEMPTIBLE_LABEL]: [],
  [COMPUTE_CLASS_LABEL]: [],
  [PROVISIONING_LABEL]: ['flex-start'],
  ...Object.fromEntries(RESERVATION_LABELS.map((label) => [label, []])),
  [RESERVATION_AFFINITY_LABEL]: ['none'],
};

function* selectorProblems({ queue, fragments = [] }: FlexStartJobProps): Iterable<Problem> {
  const otherFlexStart = queue === undefined ? QUEUED_LABEL : FLEX_START_LABEL;
  for (const [index, { nodeSelector }] of fragments.entries())
    for (const [label, value] of Object.entries(nodeSelector ?? {})) {
      const path = `fragments[${String(index)}].nodeSelector[${label}]`;
      const allowed = OTHER_CAPACITY[label];
      if (allowed !== undefined && !allowed.includes(value ?? ''))
        yield {
          path,
          value,
          problem: 'selects capacity other than flex-start',
          use: 'TpuJob with another capacity',
        };
      if (label === otherFlexStart)
        yield {
          path,
          value,
          problem:
            queue === undefined
              ? 'selects nodes for queued provisioning'
              : 'selects nodes that do not use queued provisioning',
          use: queue === undefined ? 'the prop queue' : 'to remove it',
        };
    }
}

function* flexStartProblems(props: FlexStartJobProps): Iterable<Problem | undefined> {
  if (props.slice.flexStart) yield capacityProblem(flexStartCapacity(props), props.slice, true);
  else
    yield {
      path: 'slice',
      value: props.slice.toString(),
      problem: 'is not available with flex-start',
      use: `a slice of ${Object.entries(GENERATIONS)
        .filter(([, facts]) => facts.flexStart)
        .map(([generation]) => generation)
        .join(', ')}`,
    };
}

export const FLEX_START_JOB: Schema<FlexStartJobProps> = {
  properties: {
    ...JOB_PROPERTIES,
    maxRunDurationSeconds: optional(integer(FLEX_START_RUN_SECONDS.min, FLEX_START_RUN_SECONDS.max)),
    queue: optional(slicedQueueType),
  },
  rules: [nameProblems, storageProblems, selectorProblems, flexStartProblems],
};
