import { type ApiObject } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { type Capacity } from '../pod/capacity';
import { dnsLabel } from '../problems/validators';
import { type PodTemplate } from '../pod/template';
import { type TpuSlice } from '../tpu/slice';
import { job, object } from './objects';

/** The fields of a Job whose pods are the hosts of one slice: all at once, each with its index, and no host without the others. */
export const onePodAHost = (
  slice: TpuSlice,
): Required<Pick<k8s.JobSpec, 'completionMode' | 'completions' | 'parallelism' | 'backoffLimit'>> => ({
  completionMode: 'Indexed',
  completions: slice.hosts,
  parallelism: slice.hosts,
  backoffLimit: 0,
});

/** What is wrong with the name of an Indexed Job over a slice; undefined where nothing is. */
export function indexedJobName(prop: string, name: string, slice: TpuSlice): string | undefined {
  const index = `-${String(slice.hosts - 1)}`;
  return dnsLabel(prop, name, 63 - index.length, `with '${index}' it is the last pod's host name`);
}

/** The objects of an Indexed Job. */
export interface IndexedJobObjects {
  readonly job: ApiObject;
  /** Gives each pod the host name `NAME-INDEX.NAME`. */
  readonly service: ApiObject;
}

/** Places an Indexed Job, one pod a host of the slice, and the headless Service by which its pods find each other. */
export function placeIndexedJob(
  scope: Construct,
  options: {
    /** Name of the Job and of the Service: the pods' `subdomain`. */
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly slice: TpuSlice;
    readonly template: PodTemplate;
    readonly spec: Omit<k8s.JobSpec, 'template'>;
    readonly capacity?: Capacity | undefined;
  },
): IndexedJobObjects {
  const { name, labels, slice, template, spec, capacity } = options;
  const metadata = { name, labels };
  return {
    service: object(
      scope,
      'Service',
      k8s.KubeService.manifest({
        metadata,
        // The TPU runtime of a pod looks for the others before any of them is ready.
        spec: { clusterIp: 'None', publishNotReadyAddresses: true, selector: { 'job-name': name } },
      }),
    ),
    job: job(scope, 'Resource', metadata, { ...onePodAHost(slice), ...spec, template }, capacity),
  };
}
