import { type ApiObject } from 'cdk8s';
import { checkAtSynth } from './at-synth';
import { mergeOver } from './overridden';
import { keyProblems } from '../manifest/landed';
import { at, isRecord, type Json, text } from '../manifest/manifest';
import { readMap } from '../manifest/read';
import { quoted } from '../problems/validators';
import { InvalidInputError, Problems } from '../problems/problems';

/** A value as it stands in a manifest. */
export type ManifestValue =
  | string
  | number
  | boolean
  | null
  | readonly ManifestValue[]
  | { readonly [key: string]: ManifestValue | undefined };

/** A part of a manifest, as it is merged over what an object renders. */
export type ManifestPatch = Readonly<Record<string, ManifestValue | undefined>>;

/**
 * Merges a part of a manifest over what an object renders, of whichever type: after its props, its type and its JSON patches, so that
 * fields land which the types do not know yet.
 *
 * Maps are merged key by key, and `null` takes a key out. Lists of things with names are merged item by item, as kubectl does:
 * containers, env, volumes, volumeMounts (by `mountPath`), ports (by number), replicatedJobs, workerGroupSpecs (by `groupName`) and
 * their like. Other lists, like `args` and `tolerations`, are replaced. A later override of the same object is merged over the earlier.
 *
 * Every synth then looks whether all of it is in the manifest, and fails with a sentence where something changed it later.
 *
 * @param object - the object, like `server.deployment`
 * @param patch - the part, as an object or as YAML
 * @throws InvalidInputError when the patch is no map of plain values, or an item of a list has no name to be merged by
 * @example override(server.deployment, { spec: { template: { spec: { priorityClassName: 'serving' } } } });
 */
export function override(object: ApiObject, patch: ManifestPatch | string): void {
  const problems = new Problems();
  const part = mapOf(patch, object.node.path, problems);
  problems.check(
    Object.keys(part).length > 0,
    'patch is empty, expected a part of a manifest, like { spec: { replicas: 2 } }',
  );
  problems.add(...keyProblems(part, '', ''));
  problems.throwIfAny(object.node.path);
  mergeOver(object, part);
  checkAtSynth(object);
}

/** The patch as a map of plain values. */
function mapOf(patch: ManifestPatch | string, path: string, problems: Problems): Json {
  const part: unknown = typeof patch === 'string' ? readMap(patch) : { map: plain(patch, '', problems) };
  const map = at(part, 'map');
  if (isRecord(map)) return map;
  throw new InvalidInputError(
    [`patch ${text(part, 'problem') ?? 'is not a map'}, expected a part of a manifest`],
    path,
  );
}

/** A copy of a value with nothing but what JSON has. */
function plain(value: unknown, path: string, problems: Problems): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown, index) => plain(item, `${path}[${String(index)}]`, problems));
  if (isRecord(value) && isPlain(value))
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, child]) => child !== undefined)
        .map(([key, child]) => [key, plain(child, path === '' ? key : `${path}.${key}`, problems)]),
    );
  problems.check(
    value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value),
    () =>
      `${path} is ${kindOf(value)}, expected what JSON has: a text, a number, a boolean, null, a list or a map`,
  );
  return value;
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
};

const kindOf = (value: unknown): string =>
  isRecord(value)
    ? `a ${value.constructor.name}`
    : typeof value === 'number'
      ? quoted(String(value))
      : `a ${typeof value}`;
