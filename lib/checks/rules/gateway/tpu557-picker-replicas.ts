import { number, text } from '../../../manifest/manifest';
import { pickersIn } from '../../../manifest/inference';
import { defineRule } from '../../rule';

const ELECTION = '--ha-enable-leader-election';

/** https://github.com/llm-d/llm-d-router/blob/v0.10.0/docs/operations.md */
export const TPU557 = defineRule({
  code: 'TPU557',
  title: 'several endpoint pickers elect a leader and do not use rolling updates',
  severities: ['warning', 'note'],
  kinds: ['Deployment'],
  check: function* (set) {
    for (const { pod, flag, words } of pickersIn(set)) {
      if (pod.runs !== 'Deployment') continue;
      const replicas = number(pod.object.manifest, 'spec', 'replicas') ?? 1;
      const elects = words.includes(ELECTION) || (flag(ELECTION) ?? 'false') === 'true';
      if (replicas > 1 && !elects)
        yield {
          object: pod.object,
          path: 'spec.replicas',
          message: `the ${String(replicas)} endpoint pickers route requests independently, and each knows only the requests that it routed`,
          fix: `add ${ELECTION}, or use 1 replica`,
        };
      if (text(pod.object.manifest, 'spec', 'strategy', 'type') === 'Recreate') continue;
      if (!elects)
        yield {
          object: pod.object,
          path: 'spec.strategy.type',
          message:
            'during a rolling update, two endpoint pickers route requests independently, and each knows only the requests that it routed',
          fix: 'set strategy.type: Recreate',
          severity: 'note',
        };
      else
        yield {
          object: pod.object,
          path: 'spec.strategy.type',
          message:
            'a rolling update waits for new endpoint pickers, which become ready only after the old leader has stopped',
          fix: 'set strategy.type: Recreate',
        };
    }
  },
});
