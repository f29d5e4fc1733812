import { FLEX_START_LABEL, QUEUED_LABEL, RUN_DURATION_LABEL, SPOT_LABEL } from '../../../facts/labels';
import { GRACE_SECONDS, hasChips } from './common';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { number } from '../../../manifest/manifest';
import { specPath } from '../../../manifest/slices';
import { type PodView } from '../../../manifest/pods';

export const TPU310 = defineRule({
  code: 'TPU310',
  title: 'a Job on nodes that come to an end has time to save its work',
  severities: ['note'],
  kinds: ['pods'],
  check: eachPod(function* (pod) {
    if (pod.runs !== 'Job' || !hasChips(pod) || !comesToAnEnd(pod)) return;
    if (number(pod.spec, 'terminationGracePeriodSeconds') !== undefined) return;
    yield {
      object: pod.object,
      path: `${specPath(pod)}.terminationGracePeriodSeconds`,
      message: `the pods have ${String(GRACE_SECONDS)} seconds, the default, from the signal to end until they are killed, and nothing says that this is enough to write a checkpoint`,
      fix: 'set terminationGracePeriodSeconds to what a checkpoint takes',
    };
  }),
});

const ENDS: readonly string[] = [SPOT_LABEL, FLEX_START_LABEL, QUEUED_LABEL, RUN_DURATION_LABEL];

const comesToAnEnd = ({ nodeSelector }: PodView): boolean => ENDS.some((label) => label in nodeSelector);
