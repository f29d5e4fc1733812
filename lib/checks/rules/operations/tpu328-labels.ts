import { APP_INSTANCE_LABEL, APP_NAME_LABEL, INFERENCE_SERVER_LABEL } from '../../../facts/labels';
import { defineRule } from '../../rule';
import { answers, ofServers } from './common';
import { text } from '../../../manifest/manifest';
import { type PodView } from '../../../manifest/pods';

const NAME = APP_NAME_LABEL;

const LABELS = [NAME, APP_INSTANCE_LABEL];

/** Labels by which tools find pods. On Ray pods, KubeRay sets the name. */
const labelsOf = (pod: PodView): readonly string[] => [
  ...LABELS.filter((label) => label !== NAME || pod.runs !== 'RayWorkers'),
  ...(answers(pod) ? [INFERENCE_SERVER_LABEL] : []),
];

export const TPU328 = defineRule({
  code: 'TPU328',
  title: 'a TPU server has the recommended labels',
  severities: ['note'],
  kinds: ['pods'],
  check: ofServers((pod) => {
    const labels = labelsOf(pod);
    const missing = labels.filter((label) => text(pod.labels, label) === undefined);
    // pods without any of the labels may use another labeling scheme
    return missing.length === 0 || missing.length === labels.length
      ? undefined
      : {
          path: `${pod.path}.metadata.labels`,
          message: `the pods of ${pod.object.id} do not have the label ${missing.map((label) => `'${label}'`).join(' and ')}`,
          fix: 'add the label: dashboards and inference gateways find workloads by it',
        };
  }),
});
