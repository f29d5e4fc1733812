import { budgetedPods, podsOfObject } from '../../../manifest/selection';
import { sliceOf } from '../../../manifest/slices';
import { defineRule } from '../../rule';
import { isReplicated, ofServers, SERVERS } from './common';

export const TPU321 = defineRule({
  code: 'TPU321',
  title: 'a TPU server with several replicas has a PodDisruptionBudget',
  severities: ['note'],
  kinds: ['pods', 'HorizontalPodAutoscaler', 'PodDisruptionBudget', 'ScaledObject'],
  check: ofServers((pod, _, set) => {
    // a budget cannot have maxUnavailable for pods of other kinds: https://kubernetes.io/docs/tasks/run-application/configure-pdb/
    if (!SERVERS.includes(pod.runs) || !isReplicated(pod, set) || budgetedPods(set).has(pod))
      return undefined;
    const partner = podsOfObject(set, pod.object).find((other) => budgetedPods(set).has(other));
    const { hosts = 1 } = sliceOf(pod);
    return {
      path: 'spec.replicas',
      message: partner
        ? `the PodDisruptionBudget counts only the ${partner.role ?? 'other'}s of ${pod.object.id}, but the eviction of a ${pod.role ?? 'pod'} also ends its group`
        : `the replicas of ${pod.object.id} can all be evicted at once, and each needs minutes to start again`,
      fix: partner
        ? `select all pods of the groups, with maxUnavailable: ${String(hosts)}, the number of hosts of a slice`
        : `add a PodDisruptionBudget with maxUnavailable: ${String(hosts)}${hosts > 1 ? ', the number of hosts of a slice,' : ''} for the labels of its pods`,
    };
  }),
});
