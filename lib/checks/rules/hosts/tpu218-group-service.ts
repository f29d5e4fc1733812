import { at, type ManifestObject, record, text } from '../../../manifest/manifest';
import { type PodView } from '../../../manifest/pods';
import { objectNamed, podsOfObject, selects } from '../../../manifest/selection';
import { sliceOf } from '../../../manifest/slices';
import { defineRule } from '../../rule';
import { whenReady } from './common';

/** https://github.com/kubernetes-sigs/lws/blob/v0.10.0/pkg/controllers/leaderworkerset_controller.go */
export const TPU218 = defineRule({
  code: 'TPU218',
  title: 'a Service does not have the name of a LeaderWorkerSet',
  severities: ['error', 'warning'],
  kinds: ['Service', 'LeaderWorkerSet'],
  check: function* (set) {
    for (const group of set.ofKind('LeaderWorkerSet')) {
      const service = objectNamed(set, group, 'Service', group.name);
      if (!service || group.name === '') continue;
      if (text(group.manifest, 'spec', 'networkConfig', 'subdomainPolicy') === 'UniquePerReplica') continue;
      const pods = podsOfObject(set, group);
      const wrong = wrongWith(service, pods);
      if (!wrong) continue;
      const several = pods.some((pod) => (sliceOf(pod).hosts ?? 1) > 1);
      yield {
        object: service,
        path: wrong.path,
        fix: wrong.fix,
        message: `the Service has the name of LeaderWorkerSet '${group.name}', which then creates no headless Service, ${wrong.message}`,
        severity: several && wrong.certain ? 'error' : 'warning',
      };
    }
  },
});

/** Why a Service does not give the pods of a group names; undefined if it does. */
function wrongWith(
  { manifest }: ManifestObject,
  pods: readonly PodView[],
):
  | { readonly path: string; readonly message: string; readonly fix: string; readonly certain: boolean }
  | undefined {
  if (at(manifest, 'spec', 'clusterIP') !== 'None')
    return {
      path: 'metadata.name',
      message: 'so its pods have no names by which to find each other',
      fix: 'rename the Service',
      certain: true,
    };
  const selector = { matchLabels: record(manifest, 'spec', 'selector') };
  const unnamed = pods.find((pod) => !selects(selector, pod));
  if (unnamed)
    return {
      path: 'spec.selector',
      message: `and it does not select ${unnamed.role === undefined ? 'its pods' : `the ${unnamed.role}s`}, which therefore have no names`,
      fix: 'rename the Service, or select all pods of the group',
      certain: true,
    };
  return at(manifest, 'spec', 'publishNotReadyAddresses') === true
    ? undefined
    : {
        path: 'spec.publishNotReadyAddresses',
        fix: 'rename the Service, or set publishNotReadyAddresses to true',
        message: 'so its pods have names only when they are ready',
        certain: whenReady(pods, '').severity === 'error',
      };
}
