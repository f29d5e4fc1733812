import { type ApiObject } from 'cdk8s';
import { type Json } from '../manifest/manifest';

let pass: WeakMap<ApiObject, Json> | undefined;

/** Runs a synth that renders each object once, for both the checks and the file. */
export function inOnePass<T>(synth: () => T): T {
  const outer = pass;
  pass = new WeakMap();
  try {
    return synth();
  } finally {
    pass = outer;
  }
}

/** Returns the manifest that an object renders. */
export function manifestIn(object: ApiObject): Json {
  const known = pass?.get(object);
  if (known !== undefined) return known;
  const manifest = object.toJson() as Json;
  pass?.set(object, manifest);
  return manifest;
}
