import { type ApiObject } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { type LeaderWorkerSetProps } from '../../imports/leaderworkerset.x-k8s.io';
import { LWS_EXCLUSIVE_ANNOTATION, LWS_WORKER_INDEX_LABEL, NODE_POOL_LABEL } from '../facts/labels';
import { type Capacity } from '../pod/capacity';
import { type PodTemplate } from '../pod/template';
import { dnsLabel, type Grammar } from '../problems/grammar';
import { object, queuedMetadata } from './objects';
import { type RollingUpdate } from './vocabulary';
import { KINDS } from '../facts/rendered';
import { manifest } from './plain';

/** Parts of a LeaderWorkerSet. Each of its groups is the hosts of one slice. */
export interface LeaderWorkerSetParts {
  /** Name, labels and annotations. */
  readonly metadata: k8s.ObjectMeta & { readonly name: string };
  /** Number of groups; undefined if an autoscaler sets it. */
  readonly replicas: number | undefined;
  /** Pods of a group: one for each host of its slice. */
  readonly hosts: number;
  /** The pod of the first host, which answers clients. */
  readonly leader: PodTemplate;
  /** The pod of each other host. */
  readonly worker: PodTemplate;
  /** Groups that an update adds and removes. */
  readonly rollout: Required<RollingUpdate>;
  /** How the slices are bought; dynamic slices share node pools. @default - on demand */
  readonly capacity?: Capacity | undefined;
}

/** Assumed largest number of replicas if it is not known: the index of a group has two digits. */
const UNKNOWN_REPLICAS = 100;

/**
 * Names of LeaderWorkerSets. Kueue writes a longer name, `leaderworkerset-NAME-GROUP-HASH`, into a label.
 *
 * @param replicas - largest number of groups; undefined if it is not known
 * @see https://github.com/llm-d/llm-d (guides, disaggregatedset.yaml)
 */
export function leaderWorkerSetName(replicas = UNKNOWN_REPLICAS): Grammar {
  const [before, after] = ['leaderworkerset-', `-${String(Math.max(0, replicas - 1))}-xxxxx`];
  return dnsLabel(
    63 - before.length - after.length,
    `Kueue writes '${before}NAME${after}' into a label, which has at most 63`,
  );
}

/** Returns labels that select the leaders among the pods of `selector`. Only leaders answer clients. */
export const leadersOf = (selector: Readonly<Record<string, string>>): Record<string, string> => ({
  ...selector,
  [LWS_WORKER_INDEX_LABEL]: '0',
});

/**
 * Places a LeaderWorkerSet with one group for each slice.
 *
 * - All pods of a group start at once: the first host waits for the others before it is ready.
 * - If one host fails, its whole group restarts, because the other hosts cannot continue without it.
 * - The annotation keeps two groups out of one node pool, which is one slice. Dynamic slices share node pools.
 *
 * Includes the fields that the API server or the webhook would default, so that a second apply changes nothing.
 *
 * @see https://github.com/kubernetes-sigs/lws/blob/v0.10.0/pkg/webhooks/leaderworkerset_webhook.go
 */
export function leaderWorkerSet(scope: Construct, id: string, parts: LeaderWorkerSetParts): ApiObject {
  const { metadata, replicas, hosts, leader, worker, rollout, capacity } = parts;
  const queued = queuedMetadata(metadata, capacity);
  const exclusive = { [LWS_EXCLUSIVE_ANNOTATION]: NODE_POOL_LABEL };
  return object(
    scope,
    id,
    manifest<LeaderWorkerSetProps>(KINDS.LeaderWorkerSet, {
      metadata: {
        ...queued,
        ...(capacity?.type !== 'dynamic-slice' && { annotations: { ...queued.annotations, ...exclusive } }),
      },
      spec: {
        replicas,
        startupPolicy: 'LeaderCreated',
        networkConfig: { subdomainPolicy: 'Shared' },
        rolloutStrategy: {
          type: 'RollingUpdate',
          rollingUpdateConfiguration: {
            partition: 0,
            maxUnavailable: rollout.maxUnavailable,
            maxSurge: rollout.maxSurge,
          },
        },
        leaderWorkerTemplate: {
          size: hosts,
          restartPolicy: 'RecreateGroupOnPodRestart',
          leaderTemplate: leader,
          workerTemplate: worker,
        },
      },
    }),
  );
}
