import { at, isRecord, number } from '../../../manifest/manifest';
import { count } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { eachTpuPod } from '../each-pod';
import { patience } from './common';

const DEADLINE_SECONDS = 600;

export const TPU307 = defineRule({
  code: 'TPU307',
  title: 'the progress deadline of a TPU server is at least its startup budget',
  severities: ['warning'],
  kinds: ['pods'],
  check: eachTpuPod(function* ({ object, owner, ownerPath, runs, containers }) {
    if (runs !== 'Deployment') return;
    const deadline = at(owner, 'progressDeadlineSeconds') ?? DEADLINE_SECONDS;
    const startups = containers.map(({ container }) => at(container, 'startupProbe')).filter(isRecord);
    const budget = Math.max(0, ...startups.map(patience));
    if (typeof deadline !== 'number' || !(deadline < budget)) return;
    const given = number(owner, 'progressDeadlineSeconds') === undefined ? ' (the default)' : '';
    yield {
      object,
      path: `${ownerPath}.progressDeadlineSeconds`,
      message: `progressDeadlineSeconds '${String(deadline)}'${given} ends before the startupProbe, which waits up to ${count(budget, 'second')}, so Kubernetes reports the rollout as failed while the server is still starting`,
      fix: `set progressDeadlineSeconds: ${String(budget + 600)}`,
    };
  }),
});
