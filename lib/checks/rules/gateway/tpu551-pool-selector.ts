import { ROLE_LABEL, ROLE_PLUGINS } from '../../../facts/gateway';
import { LWS_WORKER_INDEX_LABEL } from '../../../facts/labels';
import { number, record, text } from '../../../manifest/manifest';
import { configurationOf, pickersOf, type PoolView, poolsIn } from '../../../manifest/inference';
import { type PodView, records } from '../../../manifest/pods';
import { takenBy } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { unselected } from '../wiring/common';
import { defineRule } from '../../rule';

/** Whether a pod template creates workers of a LeaderWorkerSet, alone or together with leaders. */
const makesWorkers = ({ runs, path, object }: PodView): boolean =>
  runs === 'LeaderWorkerSet' &&
  path.includes('workerTemplate') &&
  (number(object.manifest, 'spec', 'leaderWorkerTemplate', 'size') ?? 1) > 1;

/** Whether a pool has prefill and decode servers, and a picker whose known configuration does not distinguish them. */
function mixesRoles(set: ManifestSet, pool: PoolView): boolean {
  const roles = new Set(pool.pods.map(({ labels }) => text(labels, ROLE_LABEL)));
  if (!roles.has('prefill') || !roles.has('decode')) return false;
  const configurations = pickersOf(set, pool).flatMap((picker) => configurationOf(set, picker) ?? []);
  return (
    configurations.length > 0 &&
    configurations.every(
      ({ config }) =>
        config !== undefined &&
        !records(config, 'plugins').some((one) => ROLE_PLUGINS.includes(text(one, 'type') ?? '')),
    )
  );
}

export const TPU551 = defineRule({
  code: 'TPU551',
  title: 'the selector of an InferencePool selects the pods that answer requests',
  severities: ['error', 'warning', 'note'],
  kinds: ['pods', 'InferencePool'],
  check: function* (set) {
    const pools = poolsIn(set);
    const taken = takenBy(pools);
    for (const pool of pools) {
      const path = 'spec.selector.matchLabels';
      if (pool.all.length === 0) {
        yield unselected(set, pool, taken, path, 'InferencePool');
        continue;
      }
      if (mixesRoles(set, pool))
        yield {
          object: pool.object,
          path,
          message:
            'the selector selects prefill and decode servers, but the configuration of the endpoint picker does not distinguish them',
          fix: `add ${ROLE_LABEL}: decode, or add a disagg-profile-handler to the endpoint picker`,
          severity: 'warning',
        };
      if (text(record(pool.selector, 'matchLabels'), LWS_WORKER_INDEX_LABEL) === '0') continue;
      const workers = pool.pods.find(makesWorkers);
      if (workers)
        yield {
          object: pool.object,
          path,
          message: `the selector also selects the workers of ${workers.object.id}, which do not answer requests`,
          fix: `add ${LWS_WORKER_INDEX_LABEL}: "0" to the selector`,
        };
    }
  },
});
