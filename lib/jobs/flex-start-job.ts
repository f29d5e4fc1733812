import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { checkAtSynth } from '../synth/at-synth';
import { Capacity, capacityProblem, type QueueOfSlice } from '../pod/capacity';
import { type PodFragment } from '../pod/fragment';
import { givenToken, type HuggingFaceToken } from '../pod/hugging-face-token';
import { modelSizeProblem } from '../pod/model-fit';
import {
  cacheProblem,
  checkCompileCache,
  checkModelCache,
  type ModelCacheOptions,
  modelCacheFragments,
} from '../pod/model-cache';
import { JAX_COMPILE_CACHE } from '../facts/variables';
import { dnsLabel, dnsSubdomain, image, integer, nearestLabel } from '../problems/validators';
import { podTemplate } from '../pod/template';
import { TPU_VM_PORT, tpuMetricsPort, tpuResources } from '../pod/tpu';
import { Problems } from '../problems/problems';
import { GENERATIONS } from '../tpu/generations';
import { requireSlice, type TpuSlice } from '../tpu/slice';
import { indexedJobName, placeIndexedJob } from '../workload/indexed-job';
import { job } from '../workload/objects';
import { describeOperations } from '../operations/operations';
import { selectorOf } from '../workload/server';
import { checkHost, hostResources } from '../pod/host-resources';
import { podSecurity } from '../pod/security';
import { recommendedLabels } from '../workload/labels';
import { flexStartOperations } from './operations';

/** Properties of a flex-start Job. */
export interface FlexStartJobProps extends ModelCacheOptions {
  /** Name of the Job, and of its Service where the slice has several hosts. @default - the construct's id */
  readonly name?: string;
  /** The TPU slice; of one host or several. Not v4, which flex-start does not offer. */
  readonly slice: TpuSlice;
  /**
   * Size of the weights that the slice holds, as a quantity like `141G`: the memory of all its hosts must hold them.
   *
   * @default - not known, and not held against the slice
   */
  readonly modelSize?: string;
  /** Container image, with a tag or digest. */
  readonly image: string;
  /** What the container runs, on each host of the slice. @default - the image's entrypoint */
  readonly command?: readonly string[];
  /** Its arguments. @default - the image's */
  readonly args?: readonly string[];
  /** Environment variables. @default - none */
  readonly env?: Readonly<Record<string, string>>;
  /** Token for models that need one. @default - none */
  readonly huggingFaceToken?: HuggingFaceToken;
  /**
   * How long the nodes may run, in seconds: 600 (10 minutes) to 604800 (7 days). It becomes a node selector, so the node pool must be
   * made with the same `--max-run-duration`; with `queue` an annotation, and the pool is made without.
   *
   * @default - what the node pool says; 7 days where it says nothing
   */
  readonly maxRunDurationSeconds?: number;
  /**
   * The LocalQueue of Kueue that the Job waits in, suspended, until its nodes come all at once: a `TpuQueue`, or a name in the same
   * namespace. Its nodes are those of queued provisioning, `--enable-queued-provisioning`.
   *
   * @default - none: the pods wait for flex-start nodes
   */
  readonly queue?: string | QueueOfSlice;
  /** ServiceAccount of the pods; it needs access to the buckets that they use. @default - the namespace's default */
  readonly serviceAccountName?: string;
  /**
   * Whether the container runs privileged. GKE needs that for TPUs only before 1.28, and flex-start needs 1.33; `true` is for an image
   * that cannot lock the memory which it needs.
   *
   * @default false
   * @see https://cloud.google.com/kubernetes-engine/docs/concepts/node-auto-provisioning
   */
  readonly privileged?: boolean;
  /**
   * How many pods may fail before the Job does. A host of several that starts again meets others which have gone on without it.
   *
   * @default - 6 on one host, which is Kubernetes' own; 0 on several
   */
  readonly backoffLimit?: number;
  /**
   * Time from the signal to end until a pod is killed, in seconds: to write a checkpoint. When GKE upgrades nodes it waits for an hour at
   * most, when it removes some for ten minutes. A program that heeds the signal ends as soon as it can.
   *
   * @default 60
   * @see https://cloud.google.com/kubernetes-engine/docs/how-to/extended-duration-pods
   */
  readonly terminationGracePeriodSeconds?: number;
  /** PriorityClass of the pods. @default - the cluster's default */
  readonly priorityClassName?: string;
  /** Time after which the finished Job is deleted, in seconds; an apply after that runs it again. @default - never */
  readonly ttlSecondsAfterFinished?: number;
  /** What no prop covers. @default - none */
  readonly fragments?: readonly PodFragment[];
}

/** Twice what Kubernetes gives a pod, as the servers have it. */
const GRACE_SECONDS = 60;
/** The longest that GKE waits for a pod to end. */
const MAX_GRACE_SECONDS = 3600;

/** Node labels that say how capacity is bought, and what they may say beside flex-start. */
const CAPACITY_LABEL =
  /^cloud\.google\.com\/(gke-spot|gke-preemptible|gke-provisioning|compute-class|reservation-[a-z]+)$/;
const BESIDE_FLEX_START: readonly string[] = [
  'cloud.google.com/gke-provisioning: flex-start',
  'cloud.google.com/reservation-affinity: none',
];

/**
 * A Job on a TPU slice that GKE adds when there is capacity, for at most seven days, and takes away when the Job ends. On one host it
 * is a plain Job; on several it is an Indexed Job of one pod a host, all at once, and the headless Service by which they find each other.
 *
 * A Job cannot be changed: to run it again with other props, delete the old one or give the new one another name.
 *
 * @throws InvalidInputError listing every prop that is malformed, does not fit the slice or asks for other capacity
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/dws-flex-start-training-tpu
 */
export class FlexStartJob extends Construct {
  /** The Job. */
  readonly job: ApiObject;
  /** The headless Service: pod N has the host name `NAME-N.NAME`; only where the slice has several hosts. */
  readonly service: ApiObject | undefined;

  constructor(scope: Construct, id: string, props: FlexStartJobProps) {
    super(scope, id);
    checkAtSynth(this);
    requireSlice(props.slice, this.node.path);
    const { slice, command, args, backoffLimit, ttlSecondsAfterFinished, privileged } = props;
    const problems = new Problems();
    const given = props.name ?? id;
    const misnamed = slice.multiHost ? indexedJobName('name', given, slice) : dnsLabel('name', given);
    const name = problems.sound(given, misnamed, nearestLabel(given));
    const labels = { ...selectorOf(name), ...recommendedLabels('flex-start-job', name, 'batch-job') };
    checkProps(props, problems);

    const { queue, maxRunDurationSeconds } = props;
    const capacity = problems.attempt(() =>
      queue === undefined
        ? Capacity.flexStart({ maxRunDurationSeconds })
        : Capacity.flexStartQueued({ queue, maxRunDurationSeconds }),
    );
    if (slice.flexStart) problems.add(capacityProblem(capacity, slice, true));
    const folded = problems.attempt(() =>
      podTemplate(
        {
          name: 'tpu-job',
          image: problems.sound(props.image, image('image', props.image), 'x:x'),
          command: command && [...command],
          args: args && [...args],
          ports: slice.multiHost ? [{ containerPort: TPU_VM_PORT, protocol: 'TCP' }] : undefined,
        },
        [],
        [
          { labels },
          {
            pod: {
              serviceAccountName: props.serviceAccountName,
              priorityClassName: props.priorityClassName,
              terminationGracePeriodSeconds: props.terminationGracePeriodSeconds ?? GRACE_SECONDS,
              ...(slice.multiHost
                ? { restartPolicy: 'Never', subdomain: name }
                : { restartPolicy: 'OnFailure' }),
            },
          },
          tpuResources(slice),
          tpuMetricsPort(),
          hostResources(slice),
          podSecurity(privileged === true ? 'privileged' : 'baseline'),
          ...(capacity ? [capacity] : []),
          ...modelCacheFragments(props, slice, [JAX_COMPILE_CACHE]),
          ...(props.huggingFaceToken ? [givenToken(props.huggingFaceToken).asEnv()] : []),
          { env: Object.entries(props.env ?? {}).map(([key, value]) => ({ name: key, value })) },
          ...(props.fragments ?? []),
        ],
      ),
    );
    if (folded) checkHost(slice, folded, problems);
    const template = problems.settle(folded, this.node.path);

    if (slice.multiHost) {
      const spec = { ttlSecondsAfterFinished, ...(backoffLimit !== undefined && { backoffLimit }) };
      const placed = placeIndexedJob(this, { name, labels, slice, template, spec, capacity });
      this.job = placed.job;
      this.service = placed.service;
    } else {
      const spec = { backoffLimit, ttlSecondsAfterFinished, template };
      this.job = job(this, 'Resource', { name, labels }, spec, capacity);
    }
    describeOperations(this, flexStartOperations(this, props, capacity));
  }
}

function checkProps(props: FlexStartJobProps, problems: Problems): void {
  const { slice, queue } = props;
  const otherFlexStart = `cloud.google.com/${queue === undefined ? 'gke-queued' : 'gke-flex-start'}`;
  problems.add(
    props.serviceAccountName === undefined
      ? undefined
      : dnsSubdomain('serviceAccountName', props.serviceAccountName),
    modelSizeProblem(slice, props.modelSize),
    cacheProblem('modelCache cache', props.modelCache, props.modelSize),
  );
  problems.check(
    slice.flexStart,
    () =>
      `slice '${slice.toString()}' cannot be had by flex-start, expected one of ${Object.entries(GENERATIONS)
        .filter(([, facts]) => facts.flexStart)
        .map(([generation]) => generation)
        .join(', ')}`,
  );
  for (const key of ['backoffLimit', 'ttlSecondsAfterFinished'] as const)
    if (props[key] !== undefined) problems.add(integer(key, props[key], 0));
  const { terminationGracePeriodSeconds: grace, priorityClassName } = props;
  problems.add(
    grace === undefined ? undefined : integer('terminationGracePeriodSeconds', grace, 0, MAX_GRACE_SECONDS),
    priorityClassName === undefined ? undefined : dnsSubdomain('priorityClassName', priorityClassName),
  );
  checkModelCache(props, problems);
  checkCompileCache('compileCachePath', props.compileCachePath, slice, props, problems);
  for (const fragment of props.fragments ?? [])
    for (const [label, value] of Object.entries(fragment.nodeSelector ?? {})) {
      problems.check(
        !CAPACITY_LABEL.test(label) || BESIDE_FLEX_START.includes(`${label}: ${value}`),
        `fragments nodeSelector '${label}: ${value}' asks for other capacity than flex-start, expected none of spot, preemptible and reserved nodes`,
      );
      problems.check(
        label !== otherFlexStart,
        `fragments nodeSelector '${label}: ${value}' asks for flex-start that ${queue === undefined ? 'is queued, expected the prop queue, which also names the queue' : 'is not queued, expected none beside queue'}`,
      );
    }
}
