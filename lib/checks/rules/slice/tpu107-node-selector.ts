import { ACCELERATOR_LABEL, TOPOLOGY_LABEL } from '../../../facts/labels';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { onlyByAffinity, selected, specPath, tpuContainers } from '../../../manifest/slices';

export const TPU107 = defineRule({
  code: 'TPU107',
  title: 'a pod selects TPU nodes by nodeSelector, not by affinity alone',
  severities: ['warning', 'error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const labels = [ACCELERATOR_LABEL, TOPOLOGY_LABEL].filter((label) => onlyByAffinity(pod, label));
    if (labels.length === 0 || tpuContainers(pod).length === 0) return;
    const inRay = pod.runs === 'RayWorkers' && labels.includes(TOPOLOGY_LABEL);
    yield {
      object: pod.object,
      path: `${specPath(pod)}.affinity.nodeAffinity`,
      message: `${labels.join(' and ')} ${labels.length > 1 ? 'are' : 'is'} selected by affinity alone, ${inRay ? "but Ray's TPU webhook reads only nodeSelector and refuses the cluster" : "but GKE's autoscaler reads the topology only from nodeSelector"}`,
      fix: `set nodeSelector ${labels.map((label) => `${label}: ${selected(pod, label) ?? 'VALUE'}`).join(' and ')}`,
      severity: inRay ? 'error' : 'warning',
    };
  }),
});
