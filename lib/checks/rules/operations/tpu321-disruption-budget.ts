import { budgetedPods } from '../../../manifest/selection';
import { defineRule } from '../../rule';
import { isReplicated, ofServers, SERVERS } from './common';

export const TPU321 = defineRule({
  code: 'TPU321',
  title: 'a TPU server with several replicas has a PodDisruptionBudget',
  severities: ['note'],
  kinds: ['pods', 'HorizontalPodAutoscaler', 'PodDisruptionBudget'],
  check: ofServers((pod, _, set) =>
    // Of other pods a budget cannot say how many may go: https://kubernetes.io/docs/tasks/run-application/configure-pdb/
    !SERVERS.includes(pod.runs) || !isReplicated(pod, set) || budgetedPods(set).has(pod)
      ? undefined
      : {
          path: 'spec.replicas',
          message: `the replicas of ${pod.object.id} can all be evicted at once, and each takes minutes to come back`,
          fix: 'add a PodDisruptionBudget with maxUnavailable: 1 for the labels of its pods',
        },
  ),
});
