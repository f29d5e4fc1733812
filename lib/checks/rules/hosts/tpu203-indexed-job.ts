import { at } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isIndexed } from './common';
import { shown } from '../../../problems/shown';
import { sliceInWords, sliceOf } from '../../../manifest/slices';

export const TPU203 = defineRule({
  code: 'TPU203',
  title: 'a Job on a multi-host slice is Indexed',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const slice = sliceOf(pod);
    if (pod.runs !== 'Job' || (slice.hosts ?? 1) < 2 || isIndexed(pod)) return;
    yield {
      object: pod.object,
      path: `${pod.ownerPath}.completionMode`,
      message: `completionMode is ${shown(at(pod.owner, 'completionMode') ?? 'NonIndexed')}, so the pods have no index, but ${sliceInWords(slice)}`,
      fix: 'set completionMode to Indexed',
    };
  }),
});
