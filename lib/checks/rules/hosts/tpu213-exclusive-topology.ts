import { LWS_EXCLUSIVE_ANNOTATION, NODE_POOL_LABEL } from '../../../facts/labels';
import { type ManifestObject } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { groupsWithPlacement, misplaced, podsByObject, slicesThatMix } from './common';

/** The pod webhook of LeaderWorkerSet reads it on leaders: https://github.com/kubernetes-sigs/lws/blob/v0.10.0/pkg/webhooks/pod_webhook.go */
const readsOnLeader = ({ kind }: ManifestObject, key: string, path: string): boolean =>
  kind === 'LeaderWorkerSet' && key === LWS_EXCLUSIVE_ANNOTATION && path.startsWith('spec.');

export const TPU213 = defineRule({
  code: 'TPU213',
  title: 'an exclusive topology annotation is where its controller reads it',
  severities: ['error', 'warning'],
  kinds: ['pods'],
  check: function* (set) {
    const groups = new Map(groupsWithPlacement(set).map((group) => [group.object, group]));
    for (const { object, pods } of podsByObject(set)) {
      const group = groups.get(object);
      for (const { key, path } of misplaced(object, pods))
        yield {
          object,
          path,
          message: readsOnLeader(object, key, path)
            ? `${key} on the pods keeps only the leaders of two groups apart; the workers follow the annotation of the LeaderWorkerSet`
            : `no controller reads ${key} here`,
          fix: group
            ? `annotate the ${object.kind} itself with ${group.key}: ${NODE_POOL_LABEL}`
            : 'remove the annotation',
          severity: group && slicesThatMix(group) > 0 ? 'error' : 'warning',
        };
    }
  },
});
