import { type ApiObject } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import {
  JobSet,
  type JobSetSpecFailurePolicy,
  JobSetSpecFailurePolicyRestartStrategy,
  JobSetSpecFailurePolicyRulesAction,
  JobSetSpecStartupPolicyStartupPolicyOrder,
  JobSetSpecSuccessPolicyOperator,
} from '../../imports/jobset.x-k8s.io';
import { type PodTemplate } from '../pod/template';
import { NODE_POOL_LABEL } from '../pod/tpu';
import { dnsLabel, type Grammar } from '../problems/grammar';
import { type TpuSlice } from '../tpu/slice';
import { onePodPerHost } from './indexed-job';
import { object } from './objects';

/** Parts of a JobSet of slices. */
export interface JobSetParts {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Name of its one replicated job: pods are named NAME-JOBNAME-SLICE-HOST. */
  readonly jobName: string;
  readonly slice: TpuSlice;
  /** Number of slices. */
  readonly replicas: number;
  /**
   * How often a failed host restarts all slices before the JobSet fails for good. Without a limit it never fails: a server has to
   * survive any number of evictions, and the count covers the whole life of the JobSet.
   */
  readonly maxRestarts: number | undefined;
  /** Fields of each Job beside those that follow from the slice. @default - none */
  readonly jobSpec?: Omit<k8s.JobSpec, 'template'>;
  /** Time after which the finished JobSet is deleted, in seconds. @default - never */
  readonly ttlSecondsAfterFinished?: number | undefined;
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
 * The failure policy of a JobSet. A rule without conditions matches every failure, and its action does not count towards a limit.
 *
 * @see https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/controllers/failure_policy.go
 */
const failurePolicy = (maxRestarts: number | undefined): JobSetSpecFailurePolicy => ({
  // The API server does not store 0.
  maxRestarts: maxRestarts === 0 ? undefined : maxRestarts,
  restartStrategy: JobSetSpecFailurePolicyRestartStrategy.RECREATE,
  rules:
    maxRestarts === undefined
      ? [
          {
            name: 'restartAlways',
            action: JobSetSpecFailurePolicyRulesAction.RESTART_JOB_SET_AND_IGNORE_MAX_RESTARTS,
          },
        ]
      : undefined,
});

/**
 * Places a JobSet of one replicated job: each of its Jobs is a slice, with one pod for each host.
 *
 * A slice of several hosts is a node pool of its own: the annotation keeps two slices apart. Slices of one host share a pool.
 *
 * The fields that the controller would default are written out: it refuses a later apply that drops them.
 */
export function jobSet(scope: Construct, id: string, parts: JobSetParts): ApiObject {
  const { name, labels, annotations, jobName, slice, replicas, template } = parts;
  return object(
    scope,
    id,
    JobSet.manifest({
      metadata: {
        name,
        labels,
        annotations:
          slice.multiHost || annotations !== undefined
            ? {
                ...annotations,
                ...(slice.multiHost && { 'alpha.jobset.sigs.k8s.io/exclusive-topology': NODE_POOL_LABEL }),
              }
            : undefined,
      },
      spec: {
        network: { enableDnsHostnames: true, publishNotReadyAddresses: true },
        startupPolicy: { startupPolicyOrder: JobSetSpecStartupPolicyStartupPolicyOrder.ANY_ORDER },
        successPolicy: { operator: JobSetSpecSuccessPolicyOperator.ALL },
        failurePolicy: failurePolicy(parts.maxRestarts),
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
