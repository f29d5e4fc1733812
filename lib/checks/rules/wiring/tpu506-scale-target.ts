import { KEDA_DEFAULTS, scaledObject, scalersOf } from '../../../manifest/scalers';
import { grouped, podsOfObject } from '../../../manifest/selection';
import { type ManifestSet, perSet } from '../../../manifest/set';
import { isTpuPod } from '../../../manifest/slices';
import { nearestWords } from '../../../problems/nearest';
import { defineRule } from '../../rule';
import { groupOf, type ManifestObject, text, together } from '../../../manifest/manifest';

export const TPU506 = defineRule({
  code: 'TPU506',
  title: 'the target of an autoscaler is among the manifests',
  severities: ['error', 'note'],
  kinds: ['HorizontalPodAutoscaler', 'ScaledObject'],
  nearTpus: true,
  check: function* (set) {
    const scalers = scalersOf(set);
    const targeted = new Set(scalers.map((scaler) => scaledObject(set, scaler)));
    for (const scaler of scalers) {
      const { object, kind, name } = scaler;
      const target = scaledObject(set, scaler);
      const path = 'spec.scaleTargetRef';
      const wanted = `${kind}/${name}`;
      if (kind === '' || name === '') continue;
      if (target) {
        const group = groupOf(text(target.manifest, 'apiVersion'));
        if (group === undefined || (scaler.group ?? '') === group) continue;
        const expected = text(target.manifest, 'apiVersion') ?? '';
        const isKeda = object.kind === 'ScaledObject';
        const given = text(object.manifest, 'spec', 'scaleTargetRef', 'apiVersion');
        yield {
          object,
          path: `${path}.apiVersion`,
          message: `apiVersion '${given ?? (isKeda ? KEDA_DEFAULTS.apiVersion : '')}'${given === undefined && isKeda ? ' (the default)' : ''} of the target differs from the apiVersion of ${wanted}, '${expected}'`,
          fix: `set apiVersion: ${expected}`,
        };
        continue;
      }
      if (isElsewhere(set, object, kind, name)) continue;
      const near = (scalableIn(set).get(object.namespace) ?? []).filter((one) => together(one, object));
      const namesake = near.find((one) => one.name === name);
      const free = near.filter((one) => one.kind === kind && !targeted.has(one));
      // a target of another name can be in other manifests
      const [word] = nearestWords(
        name,
        free.map((one) => one.name),
      );
      const meant =
        namesake ??
        free.find((one) => one.name === word || one.name.includes(name) || name.includes(one.name));
      yield {
        object,
        path: meant && meant === namesake ? `${path}.kind` : `${path}.name`,
        message: meant
          ? `target '${wanted}' is not among the manifests, but ${meant.id} is`
          : `target '${wanted}' is not among the manifests`,
        fix: meant
          ? `set ${meant === namesake ? `kind: ${meant.kind} and apiVersion: ${text(meant.manifest, 'apiVersion') ?? ''}` : `name: ${meant.name}`}`
          : `check the autoscaler together with ${wanted}`,
        ...(!meant && { severity: 'note' as const }),
      };
    }
  },
});

/** Whether a target without TPUs is among the manifests, in a file that is applied separately. */
const isElsewhere = (set: ManifestSet, { namespace }: ManifestObject, kind: string, name: string): boolean =>
  (scalableIn(set).get(namespace) ?? []).some(
    (one) => one.kind === kind && one.name === name && !podsOfObject(set, one).some(isTpuPod),
  );

/** Kinds that can be scaled. */
const SCALABLE: readonly string[] = ['Deployment', 'StatefulSet', 'ReplicaSet', 'LeaderWorkerSet'];

/** Objects that can be scaled, by namespace. */
const scalableIn = perSet((set) =>
  grouped(set.objects.filter(({ kind }) => SCALABLE.includes(kind)).map((one) => [one.namespace, one])),
);
