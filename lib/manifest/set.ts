import { type ManifestObject } from './manifest';
import { podsOf, type PodView } from './pods';

/** Manifests that are checked together, because they can refer to each other. */
export interface ManifestSet {
  readonly objects: readonly ManifestObject[];
  /** Every pod template of every object. */
  readonly pods: readonly PodView[];
  /** The objects of one kind. */
  readonly ofKind: (kind: string) => readonly ManifestObject[];
}

/** Returns the set of objects. */
export function manifestSet(objects: readonly ManifestObject[]): ManifestSet {
  const kinds = new Map<string, ManifestObject[]>();
  for (const object of objects) {
    const same = kinds.get(object.kind);
    if (same) same.push(object);
    else kinds.set(object.kind, [object]);
  }
  return { objects, pods: objects.flatMap(podsOf), ofKind: (kind) => kinds.get(kind) ?? [] };
}

/** Computes a value for a set once, because several rules need it. */
export function perSet<T extends object>(make: (set: ManifestSet) => T): (set: ManifestSet) => T {
  const made = new WeakMap<ManifestSet, T>();
  return (set) => {
    let known = made.get(set);
    if (!known) made.set(set, (known = make(set)));
    return known;
  };
}
