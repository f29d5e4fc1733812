import { type ApiObject } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Construct } from 'constructs';
import { describeOperations } from '../operations/operations';
import { type PodTemplate } from '../pod/template';
import { readAndMake } from '../problems/schema';
import { checkAtSynth } from '../synth/at-synth';
import { placeIndexedJob } from '../workload/indexed-job';
import { jobSet } from '../workload/job-set';
import { job, queuedMetadata } from '../workload/objects';
import { objectMetadata } from '../workload/pod-words';
import { modelOfSize, stateModel } from '../workload/stated-model';
import { jobOperations } from './operations';
import { jobLabels, jobPod, type JobRole } from './pod';
import { formOf, JOB_SET_JOB_NAME, type TpuJobProps } from './props';
import { TPU_JOB } from './schema';

/**
 * A program that runs to completion on TPU slices, with any capacity. On a single-host slice it renders a Job. On a multi-host slice it
 * renders an Indexed Job with one pod for each host, and a headless Service through which the pods find each other. On several slices it
 * renders a JobSet.
 *
 * Jobs and JobSets cannot be changed. To run one again with other props, delete it or give the new one another name.
 *
 * @throws InvalidInputError listing every prop that is unknown, missing or invalid, or does not fit the slice
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpus
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpu-multislice
 */
export class TpuJob extends Construct {
  /** The Job, or the JobSet if the program runs on several slices. */
  readonly job: ApiObject;
  /** The headless Service: pod N has the host name `NAME-N.NAME`. Undefined on a single-host slice, and on several slices. */
  readonly service: ApiObject | undefined;

  constructor(scope: Construct, id: string, props: TpuJobProps) {
    super(scope, id);
    checkAtSynth(this);
    const { props: valid, made: template } = readAndMake(TPU_JOB, props, this.node, (usable) =>
      jobPod(usable, roleOf(usable)),
    );

    const placed = placeJob(this, valid, roleOf(valid), template);
    this.job = placed.job;
    stateModel(this.job, modelOfSize(valid.modelSize));
    this.service = placed.service;
    describeOperations(this, jobOperations(this.job, valid));
  }
}

const roleOf = (props: TpuJobProps & Pick<JobRole, 'name'>): JobRole => ({
  name: props.name,
  software: 'tpu-job',
  capacity: props.capacity,
  slices: props.slices ?? 1,
  // Kubernetes accepts a pod failure policy only with this restart policy.
  restartPolicy: props.ignoreDisruptions === true ? 'Never' : 'OnFailure',
});

function placeJob(
  scope: Construct,
  props: TpuJobProps,
  role: JobRole,
  template: PodTemplate,
): { readonly job: ApiObject; readonly service?: ApiObject } {
  const { slice, capacity, ttlSecondsAfterFinished } = props;
  const { name, slices } = role;
  const form = formOf(props);
  const metadata = { name, ...objectMetadata(props, jobLabels(role)) };
  const common = jobSpec(props);
  const spec = { ...common, ttlSecondsAfterFinished, activeDeadlineSeconds: props.activeDeadlineSeconds };
  if (form === 'IndexedJob') return placeIndexedJob(scope, { ...metadata, slice, template, spec, capacity });
  if (form === 'Job') {
    const { completions, parallelism } = props;
    return {
      job: job(scope, 'Resource', metadata, { ...spec, completions, parallelism, template }, capacity),
    };
  }
  const { ignoreDisruptions, maxRestarts = 0 } = props;
  return {
    job: jobSet(scope, 'Resource', {
      metadata: { ...queuedMetadata(metadata, capacity), name },
      jobName: JOB_SET_JOB_NAME,
      slice,
      capacity,
      replicas: slices,
      restarts: { max: maxRestarts, ignoreDisruptions: ignoreDisruptions === true },
      jobSpec: common,
      ttlSecondsAfterFinished,
      template,
    }),
  };
}

/**
 * Returns the fields of a Job that determine which failures count. In a JobSet, an eviction fails the Job, but the JobSet does not count
 * the failure.
 */
function jobSpec(props: TpuJobProps): Omit<k8s.JobSpec, 'template'> {
  const { backoffLimit, ignoreDisruptions } = props;
  return {
    ...(backoffLimit !== undefined && { backoffLimit }),
    ...(ignoreDisruptions === true && {
      podFailurePolicy: {
        rules: [
          {
            action: formOf(props) === 'JobSet' ? 'FailJob' : 'Ignore',
            onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }],
          },
        ],
      },
    }),
  };
}
