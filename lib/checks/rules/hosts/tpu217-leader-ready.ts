import { wordsOf } from '../../../manifest/command-line';
import { at, isRecord } from '../../../manifest/manifest';
import { modelServerOf } from '../../../manifest/model-servers';
import { type ContainerView, type PodView } from '../../../manifest/pods';
import { podsOfObject } from '../../../manifest/selection';
import { sliceOf, tpuContainers } from '../../../manifest/slices';
import { defineRule } from '../../rule';

export const TPU217 = defineRule({
  code: 'TPU217',
  title: 'startupPolicy LeaderReady is not used with a leader that waits for its workers',
  severities: ['error', 'warning'],
  kinds: ['LeaderWorkerSet'],
  check: function* (set) {
    for (const object of set.ofKind('LeaderWorkerSet')) {
      if (at(object.manifest, 'spec', 'startupPolicy') !== 'LeaderReady') continue;
      const pods = podsOfObject(set, object);
      const [leader] = pods;
      if (!leader || !pods.some((pod) => tpuContainers(pod).length > 0 && (sliceOf(pod).hosts ?? 1) > 1))
        continue;
      const hasChips = tpuContainers(leader).length > 0;
      // without probes, a leader is ready as soon as it runs
      if (!hasChips && !(isProbed(leader) && gathersHosts(leader))) continue;
      const certain = hasChips && isProbed(leader);
      yield {
        object,
        path: 'spec.startupPolicy',
        message: `startupPolicy 'LeaderReady' creates the workers when the leader is ready, but the leader ${certain ? 'is ready only when all hosts of its slice work together' : 'may wait for the other hosts of its slice'}`,
        fix: 'set startupPolicy to LeaderCreated, its default',
        severity: certain ? 'error' : 'warning',
      };
    }
  },
});

const isProbed = (pod: PodView): boolean =>
  pod.containers.some(
    ({ container }) => isRecord(container['readinessProbe']) || isRecord(container['startupProbe']),
  );

/** Whether a leader starts a model server or the head of a Ray cluster. */
const gathersHosts = (pod: PodView): boolean =>
  pod.containers.some((one) => modelServerOf(one) !== undefined || startsRay(one));

const startsRay = (one: ContainerView): boolean =>
  wordsOf(one).some((word, index, words) => word === '--head' && words.slice(0, index).includes('ray'));
