import { LWS_WORKER_INDEX_LABEL } from '../../../facts/labels';
import { number, record, text } from '../../../manifest/manifest';
import { poolsIn } from '../../../manifest/inference';
import { type PodView } from '../../../manifest/pods';
import { takenBy } from '../../../manifest/selection';
import { unselected } from '../wiring/common';

/** Whether a pod template makes the workers of groups, or all pods of groups with more than one. */
const makesWorkers = ({ runs, path, object }: PodView): boolean =>
  runs === 'LeaderWorkerSet' &&
  path.includes('workerTemplate') &&
  (number(object.manifest, 'spec', 'leaderWorkerTemplate', 'size') ?? 1) > 1;

import { defineRule } from '../../rule';

export const TPU551 = defineRule({
  code: 'TPU551',
  title: 'the selector of an InferencePool selects the pods that answer requests',
  severities: ['error', 'note'],
  kinds: ['pods', 'InferencePool'],
  check: function* (set) {
    const pools = poolsIn(set);
    const taken = takenBy(pools);
    for (const pool of pools) {
      const path = 'spec.selector.matchLabels';
      if (pool.pods.length === 0) {
        yield unselected(set, pool, taken, path, 'InferencePool');
        continue;
      }
      if (text(record(pool.selector, 'matchLabels'), LWS_WORKER_INDEX_LABEL) === '0') continue;
      const workers = pool.pods.find(makesWorkers);
      if (workers)
        yield {
          object: pool.object,
          path,
          message: `the selector selects the workers of ${workers.object.id} too, and only leaders answer requests`,
          fix: `add ${LWS_WORKER_INDEX_LABEL}: "0"`,
        };
    }
  },
});
