import { createHash } from 'node:crypto';
import { APP_INSTANCE_LABEL, APP_NAME_LABEL, JOB_NAME_LABEL, LEGACY_JOB_NAME_LABEL } from '../facts/labels';
import { type Json, type ManifestObject, record } from '../manifest/manifest';
import { type ManifestSet } from '../manifest/set';

// Charts of many teams or models differ in a few names. Rules that do not read them check one object of each shape.

/** A set, and one object for all those that differ only in their names. */
export interface Alike {
  /** The first object of each shape. */
  readonly firsts: ManifestSet;
  /** All objects with the shape of one of `some` firsts. */
  readonly like: (some: ReadonlySet<ManifestObject>) => ManifestSet;
}

/** Sets below this size are not worth the comparison. */
const FEW = 40;

/** Groups the objects of a set by their shape. */
export function alikeIn(set: ManifestSet): Alike {
  if (set.objects.length < FEW) return { firsts: set, like: () => set };
  const names = new Set(set.objects.map(({ name }) => name).filter((name) => NAME.test(name)));
  const firstOf = new Map<ManifestObject, ManifestObject>();
  const byShape = new Map<string, ManifestObject>();
  for (const object of set.objects) {
    const shape = shapeOf(object, names);
    const first = (shape === undefined ? undefined : byShape.get(shape)) ?? object;
    if (shape !== undefined && first === object) byShape.set(shape, object);
    firstOf.set(object, first);
  }
  const like: Alike['like'] = (some) => part(set, ({ object }) => some.has(firstOf.get(object) ?? object));
  return { firsts: part(set, ({ object }) => firstOf.get(object) === object), like };
}

/** The part of a set that has some of its objects, with the same pods. */
function part(set: ManifestSet, keeps: (of: { readonly object: ManifestObject }) => boolean): ManifestSet {
  const ofKind: ManifestSet['ofKind'] = (kind) => set.ofKind(kind).filter((object) => keeps({ object }));
  return { objects: set.objects.filter((object) => keeps({ object })), pods: set.pods.filter(keeps), ofKind };
}

/** Names that are valid wherever a name can be, so that rules about names treat them the same. */
const NAME = /^[a-z][-a-z0-9]{0,38}[a-z0-9]$/;

/** Where objects are named after each other, in JSON. */
const NAMED = new RegExp(
  `"(app|serviceAccountName|subdomain|${[
    APP_INSTANCE_LABEL,
    APP_NAME_LABEL,
    JOB_NAME_LABEL,
    LEGACY_JOB_NAME_LABEL,
  ]
    .map((label) => label.replaceAll('.', '\\.'))
    .join('|')})":"([a-z][-a-z0-9]*)"`,
  'g',
);

/**
 * What an object is apart from its names: equal names stay equal. Undefined if a name also stands elsewhere in it, and if more than its
 * manifest is known of it.
 */
function shapeOf(object: ManifestObject, names: ReadonlySet<string>): string | undefined {
  const { manifest, name, kustomized, synth } = object;
  if (kustomized !== undefined || synth !== undefined || !names.has(name)) return undefined;
  const own: string[] = [name];
  const metadata: Json = { ...record(manifest, 'metadata'), name: 0 };
  const text = JSON.stringify({ ...manifest, metadata }).replace(NAMED, (all, key: string, value: string) => {
    if (!names.has(value)) return all;
    if (!own.includes(value)) own.push(value);
    return `"${key}":@${String(own.indexOf(value))}`; // not JSON, so equal to no other value
  });
  // null also represents numbers that JSON does not have
  if (own.some((one) => text.includes(one)) || text.includes('null')) return undefined;
  return createHash('sha1').update(text).digest('base64');
}
