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
      // the slices of subgroups may differ, and so may those of pods that are told of their hosts in another way
      if (!leader || !worker || isRecord(leader.owner['subGroupPolicy']) || pods.some(namesHosts)) continue;
      if (pods.every((pod) => (sliceOf(pod).hosts ?? 1) < 2)) continue;
      const [own, other] = [sliceInWords(leader), sliceInWords(worker)];
      if (own === undefined || other === undefined || own === other) continue;
      yield {
        object,
        path: `${specPath(leader)}.nodeSelector`,
        message: `the leader is on ${own} and the workers are on ${other}, and LeaderWorkerSet gives all pods of a group one list of hosts`,
        fix: `select ${other} in both templates`,
      };
    }
  },
});

/** A slice by all that a template says of it; undefined if it leaves something open. */
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
