import { type ApiObject } from 'cdk8s';
import { type Construct } from 'constructs';
import {
  JobSet,
  JobSetSpecFailurePolicyRestartStrategy,
  JobSetSpecStartupPolicyStartupPolicyOrder,
  JobSetSpecSuccessPolicyOperator,
} from '../../imports/jobset.x-k8s.io';
import { dnsLabel } from '../problems/validators';
import { type PodTemplate } from '../pod/template';
import { NODE_POOL_LABEL } from '../pod/tpu';
import { type TpuSlice } from '../tpu/slice';
import { onePodAHost } from './indexed-job';
import { object } from './objects';

/** What a JobSet of slices is made of. */
export interface JobSetParts {
  readonly name: string;
  readonly labels: Record<string, string>;
  /** Name of its one replicated job: pods are named NAME-JOBNAME-SLICE-HOST. */
  readonly jobName: string;
  readonly slice: TpuSlice;
  /** Slices. */
  readonly replicas: number;
  /** How often a failed host restarts the slices before the JobSet fails. */
  readonly maxRestarts: number;
  /** The pod of one host. */
  readonly template: PodTemplate;
}

/** What is wrong with the name of a JobSet; undefined where nothing is. The controller counts a suffix of six characters as well. */
export function jobSetName(
  prop: string,
  { name, jobName, slice, replicas }: Pick<JobSetParts, 'name' | 'jobName' | 'slice' | 'replicas'>,
): string | undefined {
  const rest = `-${jobName}-${String(replicas - 1)}-${String(slice.hosts - 1)}-xxxxx`;
  return dnsLabel(prop, name, 63 - rest.length, `with '${rest}' it is the last pod's name`);
}

/**
 * Places a JobSet of one replicated job, a slice each, one pod a host.
 *
 * A slice of several hosts is a node pool of its own: the annotation keeps two of them apart. Slices of one host share a pool.
 *
 * What the controller fills in is written out, since it refuses a later apply that drops it. A zero it would not store is not written.
 */
export function jobSet(scope: Construct, id: string, parts: JobSetParts): ApiObject {
  const { name, labels, jobName, slice, replicas, maxRestarts, template } = parts;
  return object(
    scope,
    id,
    JobSet.manifest({
      metadata: {
        name,
        labels,
        annotations: slice.multiHost
          ? { 'alpha.jobset.sigs.k8s.io/exclusive-topology': NODE_POOL_LABEL }
          : undefined,
      },
      spec: {
        network: { enableDnsHostnames: true, publishNotReadyAddresses: true },
        startupPolicy: { startupPolicyOrder: JobSetSpecStartupPolicyStartupPolicyOrder.ANY_ORDER },
        successPolicy: { operator: JobSetSpecSuccessPolicyOperator.ALL },
        failurePolicy: {
          maxRestarts: maxRestarts === 0 ? undefined : maxRestarts,
          restartStrategy: JobSetSpecFailurePolicyRestartStrategy.RECREATE,
        },
        replicatedJobs: [
          {
            name: jobName,
            groupName: 'default',
            replicas,
            template: { metadata: {}, spec: { ...onePodAHost(slice), template } },
          },
        ],
      },
    }),
  );
}
