import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { labelsInWords, selects } from '../../../manifest/selection';
import { isScalar } from './common';
import { groupOf, type Json, list, record, text } from '../../../manifest/manifest';
import { type PodView } from '../../../manifest/pods';

export const TPU718 = defineRule({
  code: 'TPU718',
  title: 'a selector matches the labels of its own pods',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const { object, owner, labels, runs } = pod;
    // the labels that Kustomize adds are in both
    if (object.kustomized && object.kustomized.labels.size > 0) return;
    if (!SELECTING.has(runs) || groupOf(text(object.manifest, 'apiVersion')) !== 'apps') return;
    const selector = record(owner, 'selector');
    const isEmpty =
      Object.keys(record(selector, 'matchLabels')).length === 0 &&
      list(selector, 'matchExpressions').length === 0;
    if (isEmpty)
      yield {
        object,
        path: 'spec.selector',
        message: `the ${runs} selects no pods, which the API server refuses`,
        fix: `write spec.selector.matchLabels with the labels of the template${
          Object.keys(labels).length > 0 ? `, ${labelsInWords(labels)}` : ', and those labels'
        }`,
      };
    // labels that are no texts are another finding
    else if (
      !selects(
        { ...selector, matchLabels: texts(record(selector, 'matchLabels')) },
        { ...pod, labels: texts(labels) },
      )
    )
      yield {
        object,
        path: 'spec.selector',
        message: `the selector (${labelsInWords(record(selector, 'matchLabels')) || 'matchExpressions'}) does not match the labels of the template (${labelsInWords(labels) || 'none'}), which the API server refuses`,
        fix: 'write the same labels in spec.selector and spec.template.metadata.labels',
      };
  }),
});

const SELECTING = new Set<PodView['runs']>(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet']);

const texts = (values: Json): Json =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, isScalar(value) ? String(value) : value]),
  );
