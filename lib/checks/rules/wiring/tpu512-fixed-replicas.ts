import { KEDA_GROUP } from '../../../facts/labels';
import { type ManifestSet } from '../../../manifest/set';
import { autoscalersOf, objectNamed, ofGroup } from '../../../manifest/selection';
import { defineRule } from '../../rule';
import { type ManifestObject, number, text } from '../../../manifest/manifest';
import { targetOf } from './common';

export const TPU512 = defineRule({
  code: 'TPU512',
  title: 'the target of an autoscaler has no fixed number of replicas',
  severities: ['warning'],
  kinds: ['any', 'HorizontalPodAutoscaler', 'ScaledObject'],
  check: function* (set) {
    for (const object of [...autoscalersOf(set), ...ofGroup(set, 'ScaledObject', KEDA_GROUP)]) {
      const target = object.kind === 'ScaledObject' ? scaledObjectTarget(set, object) : targetOf(set, object);
      const replicas = number(target?.manifest, 'spec', 'replicas');
      if (!target || replicas === undefined) continue;
      yield {
        object: target,
        path: 'spec.replicas',
        message: `replicas '${String(replicas)}' is fixed and ${object.id} scales it, so each apply undoes what the autoscaler did`,
        fix: 'leave replicas out',
      };
    }
  },
});

/** A ScaledObject scales a Deployment unless it names another kind. */
const scaledObjectTarget = (
  set: ManifestSet,
  { manifest, namespace }: ManifestObject,
): ManifestObject | undefined =>
  objectNamed(
    set,
    namespace,
    text(manifest, 'spec', 'scaleTargetRef', 'kind') ?? 'Deployment',
    text(manifest, 'spec', 'scaleTargetRef', 'name') ?? '',
  );
