import { autoscalersOf, groupOf } from '../../../manifest/selection';
import { defineRule } from '../../rule';
import { reference, targetOf } from './common';
import { text } from '../../../manifest/manifest';

export const TPU506 = defineRule({
  code: 'TPU506',
  title: 'the target of an autoscaler is here',
  severities: ['error', 'note'],
  kinds: ['HorizontalPodAutoscaler'],
  check: function* (set) {
    const targeted = new Set(autoscalersOf(set).map((object) => targetOf(set, object)));
    for (const object of autoscalersOf(set)) {
      const { kind, name, apiVersion } = reference(object);
      const target = targetOf(set, object);
      const path = 'spec.scaleTargetRef';
      const wanted = `${kind}/${name}`;
      if (kind === '' || name === '') continue;
      if (target) {
        const group = groupOf(text(target.manifest, 'apiVersion'));
        if (group === undefined || (groupOf(apiVersion) ?? '') === group) continue;
        const expected = text(target.manifest, 'apiVersion') ?? '';
        yield {
          object,
          path: `${path}.apiVersion`,
          message: `apiVersion '${apiVersion ?? ''}' of the target is not that of ${wanted}, '${expected}'`,
          fix: `set apiVersion: ${expected}`,
        };
        continue;
      }
      const near = set.objects.filter(
        (one) => one.namespace === object.namespace && SCALABLE.includes(one.kind),
      );
      const namesake = near.find((one) => one.name === name);
      const free = near.find((one) => one.kind === kind && !targeted.has(one));
      const meant = namesake ?? free;
      yield {
        object,
        path: meant && meant === namesake ? `${path}.kind` : `${path}.name`,
        message: meant
          ? `target '${wanted}' is not here, and ${meant.id} is`
          : `target '${wanted}' is not among the manifests`,
        fix: meant
          ? `set ${meant === namesake ? `kind: ${meant.kind}` : `name: ${meant.name}`}`
          : `check it together with ${wanted}`,
        ...(!meant && { severity: 'note' as const }),
      };
    }
  },
});

/** Kinds that can be scaled. */
const SCALABLE: readonly string[] = ['Deployment', 'StatefulSet', 'ReplicaSet', 'LeaderWorkerSet'];
