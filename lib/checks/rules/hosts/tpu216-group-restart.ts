import { at } from '../../../manifest/manifest';
import { sliceOf } from '../../../manifest/slices';
import { defineRule } from '../../rule';
import { eachTpuPod } from '../each-pod';

/** https://github.com/kubernetes-sigs/lws/blob/v0.10.0/pkg/webhooks/leaderworkerset_webhook.go */
const ONE_BY_ONE: readonly unknown[] = ['None', 'Default'];

export const TPU216 = defineRule({
  code: 'TPU216',
  title: 'the hosts of a LeaderWorkerSet restart together',
  severities: ['warning'],
  kinds: ['LeaderWorkerSet'],
  check: eachTpuPod(function* (pod) {
    const policy = at(pod.owner, 'restartPolicy');
    if (pod.runs !== 'LeaderWorkerSet') return;
    if ((sliceOf(pod).hosts ?? 1) < 2 || !ONE_BY_ONE.includes(policy)) return;
    yield {
      object: pod.object,
      path: `${pod.ownerPath}.restartPolicy`,
      message: `restartPolicy '${String(policy)}' restarts only the failed host, and the other hosts of the slice keep running without it`,
      fix: 'set restartPolicy to RecreateGroupOnPodRestart, its default',
    };
  }),
});
