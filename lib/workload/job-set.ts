import { type ApiObject } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { type JobSetProps, type JobSetSpecFailurePolicy } from '../../imports/jobset.x-k8s.io';
import { JOBSET_EXCLUSIVE_ANNOTATION, NODE_POOL_LABEL } from '../facts/labels';
import { type Capacity } from '../pod/capacity';
import { type PodTemplate } from '../pod/template';
import { dnsLabel, type Grammar } from '../problems/grammar';
import { type TpuSlice } from '../tpu/slice';
import { onePodPerHost } from './indexed-job';
import { object } from './objects';
import { KINDS } from '../facts/rendered';
import { manifest, type Plain } from './plain';

/**
 * When a JobSet fails. `forever`: never. A server must survive any number of evictions, and a limit would apply to the whole life of the
 * JobSet. Otherwise, a failed host restarts all slices up to `max` times. With `ignoreDisruptions`, failures by a Job's pod failure
 * policy do not count.
 */
type JobSetRestarts = 'forever' | { readonly max: number; readonly ignoreDisruptions: boolean };

/** Parts of a JobSet of slices. */
export interface JobSetParts {
  /** Name, labels and annotations. */
  readonly metadata: k8s.ObjectMeta & { readonly name: string };
  /** Name of the replicated job. Pods are named NAME-JOBNAME-SLICE-HOST. */
  readonly jobName: string;
  readonly slice: TpuSlice;
  /** Number of slices. */
  readonly replicas: number;
  readonly restarts: JobSetRestarts;
  /** Fields of each Job in addition to those that follow from the slice. @default - none */
  readonly jobSpec?: Omit<k8s.JobSpec, 'template'>;
  /** Time after which the finished JobSet is deleted, in seconds. @default - never */
  readonly ttlSecondsAfterFinished?: number | undefined;
  /** How the slices are bought; dynamic slices share node pools. @default - on demand */
  readonly capacity?: Capacity | undefined;
  /** The pod of one host. */
  readonly template: PodTemplate;
}

/** Names of JobSets. Pods have longer names, and the controller also counts a random suffix of six characters. */
export function jobSetName({
  jobName,
  slice,
  replicas,
}: Pick<JobSetParts, 'jobName' | 'slice' | 'replicas'>): Grammar {
  const rest = `-${jobName}-${String(replicas - 1)}-${String(slice.hosts - 1)}-xxxxx`;
  return dnsLabel(63 - rest.length, `the name of the last pod ends with '${rest}'`);
}

/**
 * Returns the failure policy of a JobSet. A rule without conditions matches every failure, and this action does not count towards a limit.
 * Failures that no rule matches count.
 *
 * @see https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/controllers/failure_policy.go
 */
function failurePolicy(restarts: JobSetRestarts): Plain<JobSetSpecFailurePolicy> {
  const restartStrategy = 'Recreate';
  const action = 'RestartJobSetAndIgnoreMaxRestarts';
  if (restarts === 'forever')
    return { restartStrategy, rules: [{ name: 'restartAfterEveryFailure', action }] };
  return {
    // The API server does not store 0.
    maxRestarts: restarts.max === 0 ? undefined : restarts.max,
    restartStrategy,
    rules: restarts.ignoreDisruptions
      ? [{ name: 'restartAfterDisruptions', action, onJobFailureReasons: ['PodFailurePolicy'] }]
      : undefined,
  };
}

/**
 * Places a JobSet with one replicated job. Each Job is a slice, with one pod for each host.
 *
 * Each multi-host slice is its own node pool, and the annotation keeps two slices out of one pool. Single-host and dynamic slices share
 * node pools.
 *
 * Includes the fields that the controller would default, because it rejects a later apply without them.
 */
export function jobSet(scope: Construct, id: string, parts: JobSetParts): ApiObject {
  const { metadata, jobName, slice, replicas, template } = parts;
  const isExclusive = slice.multiHost && parts.capacity?.type !== 'dynamic-slice';
  const exclusive = { [JOBSET_EXCLUSIVE_ANNOTATION]: NODE_POOL_LABEL };
  return object(
    scope,
    id,
    manifest<JobSetProps>(KINDS.JobSet, {
      metadata: {
        ...metadata,
        ...(isExclusive && { annotations: { ...metadata.annotations, ...exclusive } }),
      },
      spec: {
        network: { enableDNSHostnames: true, publishNotReadyAddresses: true },
        startupPolicy: { startupPolicyOrder: 'AnyOrder' },
        successPolicy: { operator: 'All' },
        failurePolicy: failurePolicy(parts.restarts),
        ttlSecondsAfterFinished: parts.ttlSecondsAfterFinished,
        replicatedJobs: [
          {
            name: jobName,
            groupName: 'default',
            replicas,
            template: { metadata: {}, spec: { ...onePodPerHost(slice), ...parts.jobSpec, template } },
          },
        ],
      },
    }),
  );
}
