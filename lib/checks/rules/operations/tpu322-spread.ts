import { NODE_POOL_LABEL } from '../../../facts/labels';
import { at, isRecord, number } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { isOneHost, isReplicated, ofAnsweringServers } from './common';
import { records } from '../../../manifest/pods';
import { specPath } from '../../../manifest/slices';

export const TPU322 = defineRule({
  code: 'TPU322',
  title: 'the replicas of a TPU server are spread over node pools',
  severities: ['note'],
  kinds: ['pods', 'HorizontalPodAutoscaler', 'ScaledObject'],
  check: ofAnsweringServers((pod, _, set) =>
    !isReplicated(pod, set) ||
    // the pods of a group are not replicas of each other
    !isOneHost(pod) ||
    (pod.runs === 'LeaderWorkerSet' && (number(pod.owner, 'size') ?? 1) > 1) ||
    records(pod.spec, 'topologySpreadConstraints').length > 0 ||
    isRecord(at(pod.spec, 'affinity', 'podAntiAffinity'))
      ? undefined
      : {
          path: `${specPath(pod)}.topologySpreadConstraints`,
          message: `the replicas of ${pod.object.id} may all run in one node pool, which is drained or runs out of capacity as a whole`,
          fix: `add a topologySpreadConstraint on '${NODE_POOL_LABEL}' with whenUnsatisfiable: ScheduleAnyway`,
        },
  ),
});
