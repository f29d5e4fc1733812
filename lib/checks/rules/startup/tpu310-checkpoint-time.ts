import { FLEX_START_LABEL, QUEUED_LABEL, RUN_DURATION_LABEL, SPOT_LABEL } from '../../../facts/labels';
import { GRACE_SECONDS, hasChips } from './common';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { number } from '../../../manifest/manifest';
import { specPath } from '../../../manifest/slices';
import { type PodView } from '../../../manifest/pods';

export const TPU310 = defineRule({
  code: 'TPU310',
  title: 'a Job on temporary nodes has time to save a checkpoint',
  severities: ['note'],
  kinds: ['pods'],
  check: eachPod(function* (pod) {
    if (pod.runs !== 'Job' || !hasChips(pod) || !isTemporary(pod)) return;
    if (number(pod.spec, 'terminationGracePeriodSeconds') !== undefined) return;
    yield {
      object: pod.object,
      path: `${specPath(pod)}.terminationGracePeriodSeconds`,
      message: `the nodes are temporary, and the default grace period of ${String(GRACE_SECONDS)} seconds may be too short to write a checkpoint`,
      fix: 'set terminationGracePeriodSeconds to the time that a checkpoint needs',
    };
  }),
});

const TEMPORARY: readonly string[] = [SPOT_LABEL, FLEX_START_LABEL, QUEUED_LABEL, RUN_DURATION_LABEL];

const isTemporary = ({ nodeSelector }: PodView): boolean => TEMPORARY.some((label) => label in nodeSelector);
