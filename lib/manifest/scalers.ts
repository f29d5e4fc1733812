import { KEDA_GROUP } from '../facts/labels';
import { groupOf, type ManifestObject, number, record, text } from './manifest';
import { autoscalersOf, objectNamed, ofGroup } from './selection';
import { type ManifestSet, perSet } from './set';

// Objects that change the number of replicas: HorizontalPodAutoscalers, and KEDA's ScaledObjects, which create one.

/** An object that scales another one. */
export interface Scaler {
  readonly object: ManifestObject;
  /** Kind of the target. */
  readonly kind: string;
  /** Name of the target. */
  readonly name: string;
  /** API group of the target. */
  readonly group: string | undefined;
  /** Fewest and most replicas. */
  readonly min: number;
  readonly max: number;
}

/** KEDA's defaults: https://keda.sh/docs/2.20/reference/scaledobject-spec/ */
export const KEDA_DEFAULTS = { kind: 'Deployment', apiVersion: 'apps/v1', min: 0, max: 100 } as const;

function scalerOf(object: ManifestObject): Scaler {
  const isKeda = object.kind === 'ScaledObject';
  const spec = record(object.manifest, 'spec');
  const target = record(spec, 'scaleTargetRef');
  const min = isKeda
    ? (number(spec, 'minReplicaCount') ?? KEDA_DEFAULTS.min)
    : (number(spec, 'minReplicas') ?? 1);
  const max = isKeda
    ? (number(spec, 'maxReplicaCount') ?? KEDA_DEFAULTS.max)
    : (number(spec, 'maxReplicas') ?? min);
  return {
    object,
    kind: text(target, 'kind') ?? (isKeda ? KEDA_DEFAULTS.kind : ''),
    name: text(target, 'name') ?? '',
    group: groupOf(text(target, 'apiVersion') ?? (isKeda ? KEDA_DEFAULTS.apiVersion : undefined)),
    min,
    max: Math.max(min, max),
  };
}

/** Returns the autoscalers of a set. */
export const scalersOf = perSet((set): readonly Scaler[] =>
  [...autoscalersOf(set), ...ofGroup(set, 'ScaledObject', KEDA_GROUP)].map(scalerOf),
);

/** Returns the target of an autoscaler, if the set contains it. */
export const scaledObject = (set: ManifestSet, { object, kind, name }: Scaler): ManifestObject | undefined =>
  kind === '' || name === '' ? undefined : objectNamed(set, object, kind, name);

const placeOf = (namespace: string, kind: string, name: string): string => [namespace, kind, name].join('\n');

const byTarget = perSet((set): ReadonlyMap<string, readonly Scaler[]> => {
  const found = new Map<string, Scaler[]>();
  for (const scaler of scalersOf(set)) {
    const place = placeOf(scaler.object.namespace, scaler.kind, scaler.name);
    found.set(place, [...(found.get(place) ?? []), scaler]);
  }
  return found;
});

/** Returns the autoscalers of each target, including targets outside of the set. */
export const scalersByTarget = (set: ManifestSet): Iterable<readonly Scaler[]> => byTarget(set).values();

/** Returns the autoscalers of an object. */
export const scalersFor = (set: ManifestSet, { namespace, kind, name }: ManifestObject): readonly Scaler[] =>
  byTarget(set).get(placeOf(namespace, kind, name)) ?? [];
