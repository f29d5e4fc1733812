import { ApiObject } from 'cdk8s';
import { checkAtSynth } from './at-synth';
import { mergeOver } from './overridden';
import { keyProblems } from '../manifest/landed';
import { at, isRecord, type Json, text } from '../manifest/manifest';
import { readMap } from '../manifest/read';
import { below, InvalidInputError, Problems } from '../problems/problems';

/** A value in a manifest. */
export type ManifestValue =
  | string
  | number
  | boolean
  | null
  | readonly ManifestValue[]
  | { readonly [key: string]: ManifestValue | undefined };

/** A part of a manifest, which `override` merges over the manifest of an object. */
export type ManifestPatch = Readonly<Record<string, ManifestValue | undefined>>;

/**
 * Merges a part of a manifest over the manifest of any object. The part is merged after the object's props, type and JSON
 * patches, so that it can set fields that the types do not know yet.
 *
 * Maps are merged key by key, and `null` removes a key. Lists of named items are merged item by item, as kubectl does: containers, env,
 * volumes, volumeMounts (by `mountPath`), ports (by number), replicatedJobs, workerGroupSpecs (by `groupName`) and similar lists. Other
 * lists, like `args` and `tolerations`, are replaced. A later override of the same object is merged over an earlier one.
 *
 * Every synth checks that the manifest contains the whole part, and fails if something changed it later.
 *
 * @param object - the object, like `server.workload`
 * @param patch - the part, as an object or as YAML
 * @throws InvalidInputError if the patch is not a map of plain values, or an item of a named list has no name
 * @example override(server.workload, { spec: { template: { spec: { priorityClassName: 'serving' } } } });
 */
export function override(object: ApiObject, patch: ManifestPatch | string): void {
  expectObject(object);
  const problems = new Problems();
  const part = mapOf(patch, object.node.path, problems);
  problems.check(Object.keys(part).length > 0, { path: 'patch', problem: 'is empty', use: PART });
  problems.add(...keyProblems(part, '', ''));
  problems.throwIfAny(object.node.path);
  mergeOver(object, part);
  checkAtSynth(object);
}

/** Throws unless a value is an `ApiObject`. A frequent mistake is to pass the construct that renders it. */
export function expectObject(value: unknown): asserts value is ApiObject {
  if (ApiObject.isApiObject(value)) return;
  throw new InvalidInputError([
    {
      path: 'object',
      problem: 'is not an ApiObject',
      use: 'an object that a construct renders, like server.workload',
    },
  ]);
}

const PART = 'a part of a manifest, like { spec: { replicas: 2 } }';

/** Returns the patch as a map of plain values. */
function mapOf(patch: ManifestPatch | string, path: string, problems: Problems): Json {
  const part: unknown = typeof patch === 'string' ? readMap(patch) : { map: plain(patch, '', problems) };
  const map = at(part, 'map');
  if (isRecord(map)) return map;
  const problem = text(part, 'problem') ?? 'is not a map';
  throw new InvalidInputError([{ path: 'patch', problem, use: PART }], path);
}

/** Returns a copy of a value. Records values that JSON does not support. */
function plain(value: unknown, path: string, problems: Problems): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown, index) => plain(item, `${path}[${String(index)}]`, problems));
  if (isRecord(value) && isPlain(value))
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, child]) => child !== undefined)
        .map(([key, child]) => [key, plain(child, below(path, key), problems)]),
    );
  const isJson =
    value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  problems.check(isJson, () => ({
    path,
    problem: `is ${kindOf(value)}`,
    use: 'a value that JSON has: a string, a number, a boolean, null, a list or a map',
  }));
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
      ? `'${String(value)}'`
      : `a ${typeof value}`;
