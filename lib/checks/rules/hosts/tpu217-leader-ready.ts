import { at, isRecord } from '../../../manifest/manifest';
import { podsOfObject } from '../../../manifest/selection';
import { sliceOf, tpuContainers } from '../../../manifest/slices';
import { defineRule } from '../../rule';

export const TPU217 = defineRule({
  code: 'TPU217',
  title: 'the leader of a slice does not wait for workers that wait for it',
  severities: ['error', 'warning'],
  kinds: ['LeaderWorkerSet'],
  check: function* (set) {
    for (const object of set.ofKind('LeaderWorkerSet')) {
      if (at(object.manifest, 'spec', 'startupPolicy') !== 'LeaderReady') continue;
      const pods = podsOfObject(set, object);
      const [leader] = pods;
      if (!leader || !pods.some((pod) => tpuContainers(pod).length > 0 && (sliceOf(pod).hosts ?? 1) > 1))
        continue;
      const waits = leader.containers.some(
        ({ container }) => isRecord(container['readinessProbe']) || isRecord(container['startupProbe']),
      );
      // a leader without chips may be ready before the slice works
      const certain = waits && tpuContainers(leader).length > 0;
      yield {
        object,
        path: 'spec.startupPolicy',
        message: `startupPolicy 'LeaderReady' creates the workers when the leader is ready, and the leader ${certain ? 'is ready when the hosts of its slice work together' : 'may wait for the other hosts of its slice'}`,
        fix: 'set startupPolicy to LeaderCreated, its default',
        severity: certain ? 'error' : 'warning',
      };
    }
  },
});
