import { APP_CREATED_BY_LABEL, APP_NAME_LABEL } from '../../../facts/labels';
import { at } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { shown } from '../../../problems/shown';
import { runsRay } from '../../../manifest/selection';
import { tpuContainers } from '../../../manifest/slices';

/** Labels that KubeRay sets on its pods if the template does not, and their values. */
const KUBERAY_LABELS = {
  [APP_NAME_LABEL]: 'kuberay',
  [APP_CREATED_BY_LABEL]: 'kuberay-operator',
} as const;

export const TPU601 = defineRule({
  code: 'TPU601',
  title: "Ray's TPU pods keep the labels that KubeRay sets",
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    if (!runsRay(pod) || tpuContainers(pod).length === 0) return;
    for (const [label, value] of Object.entries(KUBERAY_LABELS)) {
      const own = at(pod.labels, label);
      if (own === undefined || own === value) continue;
      yield {
        object: pod.object,
        path: `${pod.path}.metadata.labels[${label}]`,
        message: `${label} is ${shown(own)}, so Ray's TPU webhook ignores the pods`,
        fix: `remove ${label}, and use another label, like app`,
      };
    }
  }),
});
