import { KINDS, RELEASES, TYPES } from '../../imports/fields';

// The fields of the kinds in manifests of TPU workloads.

/** The fields of a map. */
export interface FieldType {
  readonly names: readonly string[];
  readonly has: (name: string) => boolean;
  /** Returns the type of a field; undefined for fields with any value. */
  readonly get: (name: string) => FieldType | undefined;
  /** The type of the values, if any key is allowed. */
  readonly values: FieldType | undefined;
  /** Whether fields that are not listed are kept. */
  readonly isOpen: boolean;
}

/** The fields of a kind, as of a release. */
export interface KindSchema {
  readonly type: FieldType;
  /** Project and release, like `kubernetes v1.37.2`. */
  readonly release: string;
}

const linesOf = (text: string): readonly string[] => text.trim().split('\n');

/** The numbers of the type and release of each apiVersion and kind. */
let kinds: ReadonlyMap<string, readonly [string, string]> | undefined;
let types: readonly string[] | undefined;
let releases: readonly string[] | undefined;
const read = new Map<string, FieldType>();

const readKinds = (): NonNullable<typeof kinds> =>
  new Map(
    linesOf(KINDS).map((line) => {
      const [apiVersion = '', kind = '', type = '', release = ''] = line.split(' ');
      return [`${apiVersion} ${kind}`, [type, release]];
    }),
  );

/** Returns the fields of a kind; undefined for other kinds and versions. */
export function schemaOf(apiVersion: string, kind: string): KindSchema | undefined {
  kinds ??= readKinds();
  const [type, release] = kinds.get(`${apiVersion} ${kind}`) ?? [];
  if (type === undefined) return undefined;
  return { type: typeOf(type), release: (releases ??= linesOf(RELEASES))[Number(release)] ?? '' };
}

/** The words of a field name: `host` and `ips` of `hostIPs`. */
export const wordsIn = (name: string): readonly string[] =>
  (name.match(/[A-Z]+(?![a-z])s?|[A-Z]?[a-z]+|\d+/g) ?? [name]).map((word) => word.toLowerCase());

let words: ReadonlySet<string> | undefined;

/** The words of all field names. */
export const fieldWords = (): ReadonlySet<string> =>
  (words ??= new Set(
    TYPES.split(/\s/).flatMap((word) => wordsIn((word.split(':')[0] ?? '').replace(/[^A-Za-z\d]/g, ''))),
  ));

/** Reads the type with a number in base 36. A type reads those of its fields on first use, because an object has few of them. */
function typeOf(id: string): FieldType {
  const known = read.get(id);
  if (known) return known;
  types ??= linesOf(TYPES);
  const words = (types[Number.parseInt(id, 36)] ?? '').split(' ').map((word) => word.split(':'));
  const fields = new Map(words.map(([name = '', of]) => [name, of]));
  const values = fields.get('*');
  const type: FieldType = {
    names: [...fields.keys()],
    has: (name) => fields.has(name),
    get: (name) => {
      const of = fields.get(name);
      return of === undefined ? undefined : typeOf(of);
    },
    values: values === undefined ? undefined : typeOf(values),
    isOpen: fields.has('...'),
  };
  read.set(id, type);
  return type;
}
