import { at, text } from '../../../manifest/manifest';
import { objectNamed, podsOfObject } from '../../../manifest/selection';
import { sliceOf } from '../../../manifest/slices';
import { defineRule } from '../../rule';

/** https://github.com/kubernetes-sigs/lws/blob/v0.10.0/pkg/controllers/leaderworkerset_controller.go */
export const TPU218 = defineRule({
  code: 'TPU218',
  title: 'no Service takes the name of a LeaderWorkerSet',
  severities: ['error', 'warning'],
  kinds: ['Service', 'LeaderWorkerSet'],
  check: function* (set) {
    for (const group of set.ofKind('LeaderWorkerSet')) {
      const service = objectNamed(set, group.namespace, 'Service', group.name);
      if (!service || group.name === '') continue;
      if (text(group.manifest, 'spec', 'networkConfig', 'subdomainPolicy') === 'UniquePerReplica') continue;
      const spec = at(service.manifest, 'spec');
      const names = at(spec, 'clusterIP') === 'None' && at(spec, 'publishNotReadyAddresses') === true;
      const several = podsOfObject(set, group).some((pod) => (sliceOf(pod).hosts ?? 1) > 1);
      if (names) continue;
      yield {
        object: service,
        path: 'metadata.name',
        message: `the Service has the name of LeaderWorkerSet '${group.name}', which then creates no headless Service, so its pods have no names to find each other by`,
        fix: 'rename the Service',
        severity: several ? 'error' : 'warning',
      };
    }
  },
});
