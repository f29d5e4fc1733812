import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { describeOperations } from '../operations/operations';
import { readAndMake } from '../problems/schema';
import { checkAtSynth } from '../synth/at-synth';
import { placeIndexedJob } from '../workload/indexed-job';
import { job } from '../workload/objects';
import { objectMetadata } from '../workload/pod-words';
import { modelOfSize, stateModel } from '../workload/stated-model';
import { jobOperations } from './operations';
import { jobLabels, jobPod, type JobRole } from './pod';
import { flexStartCapacity, type FlexStartJobProps } from './props';
import { FLEX_START_JOB } from './schema';

/**
 * A Job on a TPU slice that GKE adds when capacity is available, for at most seven days, and removes when the Job ends. On a single-host
 * slice it renders a Job. On a multi-host slice it renders an Indexed Job with one pod for each host, and a headless Service through which
 * the pods find each other.
 *
 * A Job cannot be changed. To run it again with other props, delete it or give the new Job another name.
 *
 * @throws InvalidInputError listing every prop that is unknown, missing or invalid, does not fit the slice, or selects other capacity
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/dws-flex-start-training-tpu
 */
export class FlexStartJob extends Construct {
  /** The Job. */
  readonly job: ApiObject;
  /** The headless Service: pod N has the host name `NAME-N.NAME`. Undefined on a single-host slice. */
  readonly service: ApiObject | undefined;

  constructor(scope: Construct, id: string, props: FlexStartJobProps) {
    super(scope, id);
    checkAtSynth(this);
    const { props: valid, made: template } = readAndMake(FLEX_START_JOB, props, this.node, (usable) =>
      jobPod(usable, roleOf(usable)),
    );

    const { slice, backoffLimit, ttlSecondsAfterFinished } = valid;
    const role = roleOf(valid);
    const { name, capacity } = role;
    const metadata = { name, ...objectMetadata(valid, jobLabels(role)) };
    const spec = { ...(backoffLimit !== undefined && { backoffLimit }), ttlSecondsAfterFinished };
    const placed = slice.multiHost
      ? placeIndexedJob(this, { ...metadata, slice, template, spec, capacity })
      : { job: job(this, 'Resource', metadata, { ...spec, template }, capacity), service: undefined };
    this.job = placed.job;
    stateModel(this.job, modelOfSize(valid.modelSize));
    this.service = placed.service;
    describeOperations(this, jobOperations(this.job, { ...valid, capacity }));
  }
}

const roleOf = (props: FlexStartJobProps & Pick<JobRole, 'name'>): JobRole => ({
  name: props.name,
  software: 'flex-start-job',
  capacity: flexStartCapacity(props),
  slices: 1,
  restartPolicy: 'OnFailure',
});
