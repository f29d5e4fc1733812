import { distance } from 'fastest-levenshtein';
import { type FieldType, fieldWords, schemaOf, wordsIn } from '../../../facts/fields';
import { isRecord, type ManifestObject, text } from '../../../manifest/manifest';
import { isPlaceholder } from '../../../manifest/placeholders';
import { shown } from '../../../problems/shown';
import { defineRule } from '../../rule';

export const TPU722 = defineRule({
  code: 'TPU722',
  title: 'the schema of an object has all of its fields',
  severities: ['warning', 'error'],
  kinds: ['any'],
  local: true,
  check: function* ({ objects }) {
    for (const object of objects) {
      const schema = schemaOf(text(object.manifest, 'apiVersion') ?? '', object.kind);
      if (!schema) continue;
      for (const unknown of unknownFields(object.manifest, schema.type, '', [])) {
        const { key, path } = unknown;
        // SOPS adds it to an encrypted file, and removes it when it decrypts the file
        if (path === 'sops') continue;
        const meant = misspelled(unknown);
        yield {
          object,
          path,
          about: key,
          message: `the schema of ${object.kind} in ${schema.release} has no field ${shown(key)} here`,
          fix: meant === undefined ? elsewhere(unknown, object) : `use '${meant}'`,
          severity: meant === undefined || canBeNew(key, meant) ? 'warning' : 'error',
        };
      }
    }
  },
});

/** A map around a field: its path, and its fields. */
interface Level {
  readonly path: string;
  readonly type: FieldType;
}

/** A field that a schema does not have. */
interface UnknownField {
  readonly key: string;
  readonly path: string;
  /** The maps around it, from the outermost. */
  readonly levels: readonly Level[];
  /** The other fields of its map. */
  readonly siblings: readonly string[];
}

function* unknownFields(
  value: unknown,
  type: FieldType,
  path: string,
  above: readonly Level[],
): Generator<UnknownField> {
  if (Array.isArray(value))
    for (const [index, item] of value.entries())
      yield* unknownFields(item, type, `${path}[${text(item, 'name') ?? String(index)}]`, above);
  if (!isRecord(value)) return;
  const levels = [...above, { path, type }];
  const siblings = Object.keys(value);
  for (const key of siblings) {
    const at = path === '' ? key : /[.[\]]/.test(key) ? `${path}[${key}]` : `${path}.${key}`;
    const below = type.values ?? type.get(key);
    if (below) yield* unknownFields(value[key], below, at, levels);
    else if (!type.values && !type.isOpen && !type.has(key) && !isPlaceholder(key))
      yield { key, path: at, levels, siblings };
  }
}

/** The known field that is one typo away: one letter, two swapped letters, or another case. */
function misspelled({ key, levels, siblings }: UnknownField): string | undefined {
  const known = (levels.at(-1)?.type.names ?? []).filter((one) => one.length > 2);
  const near = known.filter((one) => plain(one) === plain(key) || isOneEdit(one, key));
  return near.find((one) => !siblings.includes(one)) ?? near[0];
}

/**
 * Whether a later release can have a field, although its name is one letter from the name of a known one: it consists of words of field
 * names, like `hostIPs` and `mode`. A later release does not add a field whose name differs only in case, or the singular of a list.
 */
function canBeNew(key: string, known: string): boolean {
  if (plain(key) === plain(known) || `${key}s` === known) return false;
  const words = fieldWords();
  return wordsIn(key).every(
    (word) => words.has(word) || (word.endsWith('s') && words.has(word.slice(0, -1))),
  );
}

const plain = (key: string): string => key.toLowerCase().replace(/[-_ ]/g, '');

function isOneEdit(a: string, b: string): boolean {
  if (distance(a, b) === 1) return true;
  let first = 0;
  while (first < a.length && a[first] === b[first]) first++;
  const swapped = a.slice(0, first) + (a[first + 1] ?? '') + (a[first] ?? '') + a.slice(first + 2);
  return a.length === b.length && swapped === b;
}

/** The fix for a field that is in the wrong map. */
function elsewhere({ key, levels }: UnknownField, object: ManifestObject): string {
  const [around] = levels
    .slice(0, -1)
    .filter(({ type }) => type.has(key))
    .reverse();
  const place = around?.path ?? below(levels.at(-1), key);
  if (place === undefined || key === 'name')
    return 'remove it, or compare it with the schema of your release';
  return `move it to ${place === '' ? `the top of the ${object.kind}` : place}`;
}

/** The path of the closest map below `start` that has a field. Ignores lists, because their items are ambiguous. */
function below(start: Level | undefined, key: string): string | undefined {
  let level = start ? [start] : [];
  for (let depth = 0; depth < 3; depth++) {
    level = level.flatMap(({ path, type }) =>
      INNER.flatMap((name) => {
        const inner = type.get(name);
        return inner ? [{ path: path === '' ? name : `${path}.${name}`, type: inner }] : [];
      }),
    );
    const found = level.find(({ type }) => type.has(key));
    if (found) return found.path;
  }
  return undefined;
}

/** Maps whose fields are often written one level too high. */
const INNER = [
  'spec',
  'template',
  'jobTemplate',
  'leaderWorkerTemplate',
  'rayClusterConfig',
  'rayClusterSpec',
];
