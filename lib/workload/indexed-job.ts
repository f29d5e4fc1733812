import { type ApiObject } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { type Capacity } from '../pod/capacity';
import { type PodTemplate } from '../pod/template';
import { dnsLabel, type Grammar } from '../problems/grammar';
import { type Problem } from '../problems/problems';
import { type TpuSlice } from '../tpu/slice';
import { job, object } from './objects';
import { KINDS } from '../facts/rendered';
import { manifest } from './plain';

/** Returns the fields of a Job whose pods are the hosts of one slice: all start at once, each has an index, and one failure fails all. */
export const onePodPerHost = (
  slice: TpuSlice,
): Required<Pick<k8s.JobSpec, 'completionMode' | 'completions' | 'parallelism' | 'backoffLimit'>> => ({
  completionMode: 'Indexed',
  completions: slice.hosts,
  parallelism: slice.hosts,
  backoffLimit: 0,
});

/** Names of Indexed Jobs over a slice. */
export function indexedJobName(slice: TpuSlice): Grammar {
  const index = `-${String(slice.hosts - 1)}`;
  return dnsLabel(63 - index.length, `the host name of the last pod ends with '${index}'`);
}

/** Returns the problem of a restart policy that Jobs do not support. */
export function restartPolicyProblem({ spec }: PodTemplate): Problem | undefined {
  const value = spec['restartPolicy'];
  return value === 'Always' || value === undefined
    ? {
        path: 'fragments',
        problem: "set restartPolicy to 'Always', which Jobs do not support",
        use: "'OnFailure' or 'Never'",
      }
    : undefined;
}

/** The objects of an Indexed Job. */
export interface IndexedJobObjects {
  readonly job: ApiObject;
  /** Gives each pod the host name `NAME-INDEX.NAME`. */
  readonly service: ApiObject;
}

/** Places an Indexed Job with one pod for each host of a slice, and the headless Service that its pods use to find each other. */
export function placeIndexedJob(
  scope: Construct,
  options: {
    /** Name of the Job and of the Service: the pods' `subdomain`. */
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
    readonly slice: TpuSlice;
    readonly template: PodTemplate;
    readonly spec: Omit<k8s.JobSpec, 'template'>;
    readonly capacity?: Capacity | undefined;
  },
): IndexedJobObjects {
  const { name, labels, annotations, slice, template, spec, capacity } = options;
  const metadata = { name, labels, annotations };
  return {
    service: object(
      scope,
      'Service',
      manifest<k8s.KubeServiceProps>(KINDS.Service, {
        metadata,
        // The TPU runtime of a pod connects to the others before any of them is ready.
        spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: { 'job-name': name } },
      }),
    ),
    job: job(scope, 'Resource', metadata, { ...onePodPerHost(slice), ...spec, template }, capacity),
  };
}
