import { SLICE_TOPOLOGY_ANNOTATION } from '../../../facts/labels';
import { TPU_WORKER_HOSTNAMES, TPU_WORKER_ID } from '../../../facts/variables';
import { isRecord, text } from '../../../manifest/manifest';
import { type PodView, records } from '../../../manifest/pods';
import { podsOfObject } from '../../../manifest/selection';
import { sliceOf, specPath, tpuContainers } from '../../../manifest/slices';
import { defineRule } from '../../rule';

/** https://github.com/kubernetes-sigs/lws/blob/v0.10.0/pkg/utils/accelerators/tpu.go */
export const TPU219 = defineRule({
  code: 'TPU219',
  title: 'the leader and the workers of a group are on one slice',
  severities: ['error'],
  kinds: ['LeaderWorkerSet'],
  check: function* (set) {
    for (const object of set.ofKind('LeaderWorkerSet')) {
      const pods = podsOfObject(set, object).filter((pod) => tpuContainers(pod).length > 0);
      const [leader, worker] = pods;
      // subgroups may use different slices, and so may pods that set the list of hosts themselves
      if (!leader || !worker || isRecord(leader.owner['subGroupPolicy']) || pods.some(namesHosts)) continue;
      if (pods.every((pod) => (sliceOf(pod).hosts ?? 1) < 2)) continue;
      const [own, other] = [sliceInWords(leader), sliceInWords(worker)];
      if (own === undefined || other === undefined || own === other) continue;
      yield {
        object,
        path: `${specPath(leader)}.nodeSelector`,
        message: `the leader runs on ${own} and the workers run on ${other}, but LeaderWorkerSet gives all pods of a group one list of hosts`,
        fix: `select ${other} in both templates`,
      };
    }
  },
});

/** The slice of a pod template; undefined if the template does not state all of it. */
function sliceInWords(pod: PodView): string | undefined {
  const { accelerator, topology, chips } = sliceOf(pod);
  const shape = text(pod.annotations, SLICE_TOPOLOGY_ANNOTATION) ?? topology;
  return accelerator === undefined || shape === undefined || chips === undefined
    ? undefined
    : `${accelerator} ${shape} with ${String(chips)} chips per host`;
}

const namesHosts = (pod: PodView): boolean =>
  tpuContainers(pod).some(({ container }) =>
    records(container, 'env').some((variable) =>
      [TPU_WORKER_HOSTNAMES, TPU_WORKER_ID].includes(text(variable, 'name') ?? ''),
    ),
  );
