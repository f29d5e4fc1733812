import { APP_CREATED_BY_LABEL, APP_NAME_LABEL } from '../../../facts/labels';
import { at } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { shown } from '../../../problems/shown';
import { runsRay } from '../../../manifest/selection';
import { tpuContainers } from '../../../manifest/slices';

/** Labels that KubeRay sets on its pods unless they are set already, and their values. */
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
        message: `${label} is ${shown(own)}, so that the pods are not those of KubeRay and its TPU webhook passes them by`,
        fix: `remove ${label}, and use a label of another name, like app`,
      };
    }
  }),
});
