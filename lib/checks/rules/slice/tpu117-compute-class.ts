import { ACCELERATOR_LABEL, COMPUTE_CLASS_LABEL, TOPOLOGY_LABEL } from '../../../facts/labels';
import { at, isRecord } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isBuiltIn, rulesOfClass } from '../../../manifest/capacity';
import { quoted } from '../../../problems/validators';
import { runsRay } from '../../../manifest/selection';
import { selected, specPath } from '../../../manifest/slices';
import { type ManifestSet } from '../../../manifest/set';

export const TPU117 = defineRule({
  code: 'TPU117',
  title: 'a ComputeClass with TPUs is selected without TPU selectors',
  severities: ['error', 'warning'],
  kinds: ['pods'],
  check: eachPod(function* (pod, set) {
    const name = selected(pod, COMPUTE_CLASS_LABEL);
    const labels = [ACCELERATOR_LABEL, TOPOLOGY_LABEL].filter((label) => selected(pod, label) !== undefined);
    // Ray's TPU webhook needs the topology.
    if (name === undefined || labels.length === 0 || runsRay(pod) || isBuiltIn(name)) return;
    const severity = computeClassWithTpu(set, name);
    if (severity === undefined) return;
    yield {
      object: pod.object,
      path: `${specPath(pod)}.nodeSelector`,
      message: `the pod selects ComputeClass ${quoted(name)} and also ${labels.join(' and ')}, but ${severity === 'error' ? 'the class decides the TPU' : 'a class with TPUs decides them'}`,
      fix: `remove ${labels.join(' and ')}, or ${COMPUTE_CLASS_LABEL}`,
      severity,
    };
  }),
});

/** `error` where a class of the set has TPUs, `warning` where it is not in the set; undefined where it has none. */
function computeClassWithTpu(set: ManifestSet, name: string): 'error' | 'warning' | undefined {
  const rules = rulesOfClass(set, name);
  if (!rules) return 'warning';
  return rules.some((priority) => isRecord(at(priority, 'tpu'))) ? 'error' : undefined;
}
