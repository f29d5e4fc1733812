import { ACCELERATOR_LABEL, COMPUTE_CLASS_LABEL, TOPOLOGY_LABEL } from '../../../facts/labels';
import { record } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isBuiltIn, rulesOfClass } from '../../../manifest/capacity';
import { shown } from '../../../problems/shown';
import { runsRay } from '../../../manifest/selection';
import { selected, sliceOf, specPath } from '../../../manifest/slices';

export const TPU117 = defineRule({
  code: 'TPU117',
  title: 'the TPU selectors of a pod agree with its ComputeClass',
  severities: ['error', 'note'],
  kinds: ['pods', 'ComputeClass'],
  check: eachPod(function* (pod, set) {
    const name = selected(pod, COMPUTE_CLASS_LABEL);
    const { accelerator, topology } = sliceOf(pod);
    const labels = [ACCELERATOR_LABEL, TOPOLOGY_LABEL].filter((label) => selected(pod, label) !== undefined);
    // Ray's TPU webhook needs the topology
    if (name === undefined || labels.length === 0 || runsRay(pod) || isBuiltIn(name)) return;
    const rules = rulesOfClass(set, name) ?? [];
    const tpus = rules
      .map((priority) => record(priority, 'tpu'))
      .filter((tpu) => Object.keys(tpu).length > 0);
    if (tpus.length === 0) return;
    const agrees = (value: string | undefined, wanted: unknown): boolean =>
      value === undefined || wanted === undefined || value === wanted;
    const some = tpus.some((tpu) => agrees(accelerator, tpu['type']) && agrees(topology, tpu['topology']));
    // other rules of the class may create nodes of any kind
    if (!some && tpus.length < rules.length) return;
    const both = `the pod selects ComputeClass ${shown(name)} and also ${labels.join(' and ')}`;
    yield {
      object: pod.object,
      path: `${specPath(pod)}.nodeSelector`,
      message: some
        ? `${both}, which the class already sets`
        : `${both}, but no rule of the class creates these nodes`,
      fix: `remove ${labels.join(' and ')}`,
      severity: some ? 'note' : 'error',
    };
  }),
});
