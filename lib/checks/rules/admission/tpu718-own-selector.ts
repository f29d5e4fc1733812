import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { labelsInWords, selects } from '../../../manifest/selection';
import { isScalar } from './common';
import { groupOf, type Json, list, record, text } from '../../../manifest/manifest';
import { type PodView } from '../../../manifest/pods';

export const TPU718 = defineRule({
  code: 'TPU718',
  title: 'a selector matches the labels of its pod template',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const { object, owner, labels, runs } = pod;
    // Kustomize adds its labels to both
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
        message: `the selector of the ${runs} is empty, which the API server refuses`,
        fix: `set spec.selector.matchLabels to the labels of the template${
          Object.keys(labels).length > 0 ? `, ${labelsInWords(labels)}` : ', and add labels to the template'
        }`,
      };
    // TPU711 reports labels that are not strings
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
        fix: 'set the same labels in spec.selector and spec.template.metadata.labels',
      };
  }),
});

const SELECTING = new Set<PodView['runs']>(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet']);

const texts = (values: Json): Json =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, isScalar(value) ? String(value) : value]),
  );
