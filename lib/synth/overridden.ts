import { type ApiObject } from 'cdk8s';
import { merge } from '../manifest/landed';
import { type Json } from '../manifest/manifest';
import { attachment } from '../problems/attached';

/** The patches of an object, and the manifest that it renders without them. */
interface Overridden {
  readonly patches: Json[];
  readonly rendered: () => Json;
}

const overridden = attachment<Overridden>('overridden');

/** Returns the patches of an object, or undefined. */
export const overridesOf = (object: ApiObject): Overridden | undefined => overridden.of(object);

/** Merges a patch over the manifest that an object renders. */
export function mergeOver(object: ApiObject, patch: Json): void {
  const known = overridden.of(object);
  if (known) {
    known.patches.push(patch);
    return;
  }
  const rendered = object.toJson.bind(object) as () => Json;
  const patches = [patch];
  overridden.attach(object, { patches, rendered });
  object.toJson = () => patches.reduce<unknown>((manifest, one) => merge(manifest, one), rendered());
}
