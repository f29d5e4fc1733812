import { number, text } from '../../../manifest/manifest';
import { pickersIn } from '../../../manifest/inference';

const ELECTION = '--ha-enable-leader-election';

import { defineRule } from '../../rule';

/** https://github.com/llm-d/llm-d-router/blob/v0.10.0/docs/operations.md */
export const TPU557 = defineRule({
  code: 'TPU557',
  title: 'several endpoint pickers elect a leader, and are replaced all at once',
  severities: ['warning'],
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
          message: `these ${String(replicas)} pickers decide without knowing of each other's requests`,
          fix: `add ${ELECTION}, or run one picker`,
        };
      if (elects && text(pod.object.manifest, 'spec', 'strategy', 'type') !== 'Recreate')
        yield {
          object: pod.object,
          path: 'spec.strategy.type',
          message: 'a rolling update waits for new pickers, which are ready only when the old leader is gone',
          fix: 'write Recreate',
        };
    }
  },
});
