import { APP_INSTANCE_LABEL, APP_NAME_LABEL, INFERENCE_SERVER_LABEL } from '../../../facts/labels';
import { defineRule } from '../../rule';
import { answers, ofServers } from './common';
import { text } from '../../../manifest/manifest';
import { type PodView } from '../../../manifest/pods';

const NAME = APP_NAME_LABEL;

const LABELS = [NAME, APP_INSTANCE_LABEL];

/** Labels that tools know pods by; the name is KubeRay's on Ray pods. */
const labelsOf = (pod: PodView): readonly string[] => [
  ...LABELS.filter((label) => label !== NAME || pod.runs !== 'RayWorkers'),
  ...(answers(pod) ? [INFERENCE_SERVER_LABEL] : []),
];

export const TPU328 = defineRule({
  code: 'TPU328',
  title: 'a TPU server has the labels that tools know it by',
  severities: ['note'],
  kinds: ['pods'],
  check: ofServers((pod) => {
    const labels = labelsOf(pod);
    const missing = labels.filter((label) => text(pod.labels, label) === undefined);
    // whoever labels pods in another way has other tools
    return missing.length === 0 || missing.length === labels.length
      ? undefined
      : {
          path: `${pod.path}.metadata.labels`,
          message: `the pods of ${pod.object.id} have no label ${missing.map((label) => `'${label}'`).join(', ')}`,
          fix: 'add them: dashboards and inference gateways find workloads by them',
        };
  }),
});
