import { ACCELERATOR_LABEL, TOPOLOGY_LABEL } from '../../../facts/labels';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isRecord, record } from '../../../manifest/manifest';
import { onlyByAffinity, sliceOf, specPath } from '../../../manifest/slices';

export const TPU606 = defineRule({
  code: 'TPU606',
  title: "a multi-host worker group leaves affinity to Ray's TPU webhook",
  severities: ['warning'],
  kinds: ['pods'],
  check: eachPod(function* (pod) {
    if (pod.runs !== 'RayWorkers' || (sliceOf(pod).hosts ?? 1) < 2) return;
    if (!Object.values(record(pod.spec, 'affinity')).some(isRecord)) return;
    // TPU107 reports TPU selectors in affinity
    if ([ACCELERATOR_LABEL, TOPOLOGY_LABEL].some((label) => onlyByAffinity(pod, label))) return;
    yield {
      object: pod.object,
      path: `${specPath(pod)}.affinity`,
      message:
        "affinity is set, but some releases of Ray's TPU webhook replace it to keep the hosts of a slice together",
      fix: 'remove affinity, and select nodes with nodeSelector',
    };
  }),
});
