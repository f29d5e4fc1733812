import { below, type Problem } from '../problems/problems';
import { at, isRecord, text } from './manifest';
import { shown } from '../problems/shown';

// Merges patches over a manifest, and checks that the result contains them.

/** Keys of lists that kubectl and Kustomize merge item by item. Other lists are replaced. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  env: ['name'],
  volumes: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  ports: ['containerPort', 'port'],
  imagePullSecrets: ['name'],
  hostAliases: ['ip'],
  resourceClaims: ['name'],
  claims: ['name'],
  topologySpreadConstraints: ['topologyKey'],
  replicatedJobs: ['name'],
  workerGroupSpecs: ['groupName'],
};

/** Returns the key that all items of a list have. */
function keyOf(name: string, items: readonly unknown[]): string | undefined {
  return KEYS[name]?.find((key) => items.every((item) => at(item, key) !== undefined));
}

/** Finds items without a key in lists that are merged item by item. */
export function* keyProblems(patch: unknown, name: string, path: string): Generator<Problem> {
  if (Array.isArray(patch)) {
    const keys = KEYS[name];
    if (keys && keyOf(name, patch) === undefined)
      yield {
        path,
        problem: `has an item without '${keys.join("' or '")}'`,
        use: `a list in which every item has it, because ${name} are merged by this key`,
      };
    for (const [index, item] of patch.entries()) yield* keyProblems(item, '', `${path}[${String(index)}]`);
  } else if (isRecord(patch)) {
    for (const [key, value] of Object.entries(patch)) {
      if (key.startsWith('$'))
        yield {
          path: below(path, key),
          problem: 'is a kubectl patch directive',
          use: 'only fields, and JsonPatch.remove to remove an item of a list',
        };
      yield* keyProblems(value, key, path === '' ? key : `${path}.${key}`);
    }
  }
}

/**
 * Merges a patch over a manifest: maps key by key, lists with keys item by item. `null` removes a key, and other lists are replaced.
 */
export function merge(base: unknown, patch: unknown, name = ''): unknown {
  if (isRecord(patch)) {
    const merged = new Map(Object.entries(isRecord(base) ? base : {}));
    for (const [key, value] of Object.entries(patch))
      if (value === null) merged.delete(key);
      else merged.set(key, merge(merged.get(key), value, key));
    // Uses the order of cdk8s.
    const entries = [...merged];
    return Object.fromEntries(name === '' ? entries : entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  if (!Array.isArray(patch)) return patch;
  const key = keyOf(name, patch);
  if (key === undefined || !Array.isArray(base))
    return patch.map((item: unknown) => merge(undefined, item, '-'));
  const items: unknown[] = [...(base as readonly unknown[])];
  for (const item of patch as readonly unknown[]) {
    const index = items.findIndex((one) => at(one, key) === at(item, key));
    if (index === -1) items.push(merge(undefined, item, '-'));
    else items[index] = merge(items[index], item, '-');
  }
  return items;
}

/** Required fields of list items. An item without its field was added under a new name, probably by mistake. */
const NEEDED: Readonly<Record<string, string>> = {
  containers: 'image',
  initContainers: 'image',
  replicatedJobs: 'template',
  workerGroupSpecs: 'template',
};

/** An item that a patch adds under a new name. */
export interface Stray {
  readonly path: string;
  readonly list: string;
  readonly name: string;
  readonly needed: string;
  /** Names of the other items. */
  readonly others: readonly string[];
}

/** Finds items that a patch adds to the manifest `before`, and that lack a required field. */
export function* strays(
  manifest: unknown,
  before: unknown,
  patch: unknown,
  name = '',
  path = '',
): Generator<Stray> {
  if (isRecord(patch))
    for (const [key, value] of Object.entries(patch))
      yield* strays(at(manifest, key), at(before, key), value, key, path === '' ? key : `${path}.${key}`);
  const key = Array.isArray(patch) ? keyOf(name, patch) : undefined;
  if (!Array.isArray(patch) || !Array.isArray(manifest) || key === undefined) return;
  for (const item of patch as readonly unknown[]) {
    const named = (items: readonly unknown[]): unknown => items.find((one) => at(one, key) === at(item, key));
    const [own, earlier] = [named(manifest), named(Array.isArray(before) ? before : [])];
    const label = String(at(item, key));
    const needed = NEEDED[name];
    if (needed !== undefined && earlier === undefined && isRecord(own) && own[needed] === undefined)
      yield {
        path: `${path}[${label}]`,
        list: name,
        name: label,
        needed,
        others: manifest.filter((one) => one !== own).map((one) => String(at(one, key))),
      };
    else yield* strays(own, earlier, item, '', `${path}[${label}]`);
  }
}

/** A value that is missing in a manifest. */
export interface Missing {
  readonly path: string;
  readonly wanted: unknown;
  /** The value in the manifest; undefined if there is none. */
  readonly found: unknown;
}

/** Finds values of a patch that a manifest does not contain. */
export function* notLanded(manifest: unknown, patch: unknown, name = '', path = ''): Generator<Missing> {
  if (patch === null) {
    if (manifest !== undefined && manifest !== null) yield { path, wanted: null, found: manifest };
  } else if (isRecord(patch)) {
    if (!isRecord(manifest)) yield { path, wanted: patch, found: manifest };
    else
      for (const [key, value] of Object.entries(patch))
        yield* notLanded(manifest[key], value, key, path === '' ? key : `${path}.${key}`);
  } else if (Array.isArray(patch)) {
    const key = keyOf(name, patch);
    const items: readonly unknown[] = Array.isArray(manifest) ? manifest : [];
    if (key === undefined ? items.length !== patch.length : !Array.isArray(manifest))
      yield { path, wanted: patch, found: manifest };
    else
      for (const [index, item] of (patch as readonly unknown[]).entries()) {
        const own = key === undefined ? items[index] : items.find((one) => at(one, key) === at(item, key));
        const label = key === undefined ? String(index) : String(at(item, key));
        yield* notLanded(own, item, '', `${path}[${label}]`);
      }
  } else if (manifest !== patch) yield { path, wanted: patch, found: manifest };
}

/**
 * Finds input of a construct that it does not render: fields that its type does not know, and values of another type. Types from
 * `cdk8s import` spell some names differently: `clusterIp` is rendered as `clusterIP`.
 */
export function* lost(held: unknown, rendered: unknown, path = ''): Generator<Missing> {
  if (held === undefined || held === null) return;
  if (isRecord(held) && Object.keys(held).join() === 'value' && !isRecord(rendered)) {
    // Quantities, and ports that are numbers or texts.
    yield* lost(held['value'], rendered, path);
  } else if (isRecord(held)) {
    if (!isRecord(rendered)) {
      yield { path, wanted: held, found: rendered };
      return;
    }
    const names = new Map(Object.keys(rendered).map((key) => [plain(key), key]));
    for (const [key, value] of Object.entries(held))
      yield* lost(
        value,
        rendered[key in rendered ? key : (names.get(plain(key)) ?? key)],
        path === '' ? key : key.includes('.') ? `${path}[${key}]` : `${path}.${key}`,
      );
  } else if (Array.isArray(held)) {
    const items: readonly unknown[] = Array.isArray(rendered) ? rendered : [];
    for (const [index, item] of (held as readonly unknown[]).entries())
      yield* lost(item, items[index], `${path}[${text(item, 'name') ?? String(index)}]`);
  } else if (held !== rendered) yield { path, wanted: held, found: rendered };
}

const plain = (key: string): string => key.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Returns a value in quotes, or words for a missing value. */
export const valueInWords = (value: unknown): string => (value === undefined ? 'nothing' : shown(value));
