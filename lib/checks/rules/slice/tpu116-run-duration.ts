import { FLEX_START_RUN_SECONDS, RUN_SECONDS } from '../../../facts/durations';
import { RUN_DURATION_LABEL, RUN_DURATION_MISNOMER } from '../../../facts/labels';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isTpuPod, selected, selectorPath } from '../../../manifest/slices';
import { shown } from '../../../problems/shown';
import { wantsFlexStart } from '../../../manifest/capacity';

export const TPU116 = defineRule({
  code: 'TPU116',
  title: 'the run duration is a number of seconds that GKE allows',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    if (!isTpuPod(pod)) return;
    const flexStart = wantsFlexStart(pod);
    const { min, max } = flexStart ? FLEX_START_RUN_SECONDS : RUN_SECONDS;
    if (selected(pod, RUN_DURATION_MISNOMER) !== undefined)
      yield {
        object: pod.object,
        path: selectorPath(pod, RUN_DURATION_MISNOMER),
        message: `no node has the label ${RUN_DURATION_MISNOMER}`,
        fix: `select ${RUN_DURATION_LABEL}, a number of seconds`,
      };
    const value = selected(pod, RUN_DURATION_LABEL);
    if (value === undefined) return;
    const seconds = /^\d+$/.test(value) ? Number(value) : undefined;
    if (seconds !== undefined && seconds >= min && seconds <= max) return;
    const nearest = Math.min(max, Math.max(min, seconds ?? max));
    yield {
      object: pod.object,
      path: selectorPath(pod, RUN_DURATION_LABEL),
      message: `${RUN_DURATION_LABEL} is ${shown(value)}, but ${flexStart ? 'flex-start nodes run' : 'nodes run'} for ${String(min)} to ${String(max)} seconds`,
      fix: `set ${RUN_DURATION_LABEL} to '${String(nearest)}' or another number in that range`,
    };
  }),
});
