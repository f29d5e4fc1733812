import { isBranded } from './brand';
import { type Grammar, integerProblem, INT32, nearestLabel } from './grammar';
import { nearestWords } from './nearest';
import { below, type Complaint, InvalidInputError, type Problem, Problems } from './problems';

/** The type of a property: recognizes its values and describes them. */
export interface Type<T> {
  /** The type in words, after "use": `a string`. */
  readonly what: string;
  /** Records what is wrong with `value`. Returns the part of it that can be used, or undefined if there is none. */
  readonly read: (value: unknown, path: string, problems: Problems) => T | undefined;
  /** Never set: makes the compiler refuse a schema whose type is narrower than the documented property. */
  readonly accepts?: (value: T) => void;
}

/** One property of an object. */
export interface Property<T, Required extends boolean = boolean> {
  readonly type: Type<T>;
  readonly required: Required;
  /** A legal value, as a user would write it. */
  readonly example?: string;
  /** Replaces an invalid value, so that the other problems of the object are found too. @default - the object is unusable */
  readonly standIn?: T;
}

/** The properties that an object can have, and the rules between them. */
export interface Schema<P> {
  readonly properties: {
    readonly [K in keyof P]-?: Property<Exclude<P[K], undefined>, undefined extends P[K] ? false : true>;
  };
  /**
   * Rules between properties. `props` has only valid values: an invalid one is missing, or replaced by its stand-in. `given` has all
   * values as the user gave them, valid or not.
   */
  readonly rules?: readonly ((
    props: P,
    given: { readonly [K in keyof P]?: unknown },
  ) => Iterable<Problem | undefined>)[];
}

/** An optional property. */
export const optional = <T>(type: Type<T>): Property<T, false> => ({ type, required: false });

/** A required property; `example` is a valid value, which also replaces an invalid one. */
export const required = <T extends string | number>(type: Type<T>, example: T): Property<T, true> => ({
  type,
  required: true,
  example: typeof example === 'string' ? `'${example}'` : String(example),
  standIn: example,
});

/** A required property that all other rules of the object depend on, like a slice; `example` is code. */
export const essential = <T>(type: Type<T>, example: string): Property<T, true> => ({
  type,
  required: true,
  example,
});

/**
 * Reads an object: records every unknown, missing and invalid property and every broken rule.
 *
 * @returns the object without invalid optional properties and with stand-ins for the required ones; undefined if that is not possible
 */
export function read<P extends object>(
  schema: Schema<P>,
  given: unknown,
  problems: Problems,
  path = '',
): P | undefined {
  if (!isObject(given)) {
    problems.add(misfit(path, given, 'an object'));
    return undefined;
  }
  const properties = schema.properties as Readonly<Record<string, Property<unknown>>>;
  const names = Object.keys(properties);
  for (const key of Object.keys(given))
    if (given[key] !== undefined && !Object.hasOwn(properties, key))
      problems.add(unknownProperty(below(path, key), key, names));

  const props: Record<string, unknown> = {};
  let usable = true;
  for (const [key, property] of Object.entries(properties)) {
    const value = readProperty(property, given[key], below(path, key), problems);
    if (value !== undefined) props[key] = value;
    else if (property.required) usable = false;
  }
  if (!usable) return undefined;
  for (const rule of schema.rules ?? [])
    for (const problem of rule(props as P, given))
      if (problem) problems.add({ ...problem, path: below(path, problem.path) });
  return props as P;
}

function readProperty(
  { type, required: isRequired, example, standIn }: Property<unknown>,
  value: unknown,
  path: string,
  problems: Problems,
): unknown {
  if (value !== undefined) {
    const usable = type.read(value, path, problems);
    // A type may return null, which is a valid value.
    return usable === undefined ? standIn : usable;
  }
  if (isRequired)
    problems.add({
      path,
      problem: `required${example === undefined ? '' : `, for example ${example}`}`,
    });
  return standIn;
}

/**
 * Reads an object that a user gave.
 *
 * @throws InvalidInputError listing everything that is wrong with it
 */
export function readOrThrow<P extends object>(schema: Schema<P>, given: unknown, where?: string): P {
  const problems = new Problems();
  const props = read(schema, given, problems);
  problems.throwIfAny(where);
  if (props === undefined) throw new InvalidInputError([misfit('', given, 'an object')], where);
  return props;
}

/** Props of a construct, with its name. */
type NamedProps<P> = P & { readonly name: string };

/** The id and path of a construct. */
interface NodeOf {
  readonly id: string;
  readonly path: string;
}

/**
 * Reads the props of a construct that is named after its id unless `name` is given.
 *
 * @param defaults - further values of properties that are not given, which are judged like given ones
 * @throws InvalidInputError listing everything that is wrong, after the path of the construct
 */
export const readNamed = <P extends { readonly name?: string }>(
  schema: Schema<P>,
  given: P,
  node: NodeOf,
  defaults: Partial<P> = {},
): NamedProps<P> => readAndMake(schema, given, node, (props) => props, defaults).made;

/**
 * Like `readNamed`, and also calls `make` with the props, for example to fold pods. Reports the problems of both at once.
 *
 * @param make - gets stand-ins for unusable props, and is not called if there are none
 * @param defaults - further values of properties that are not given, which are judged like given ones
 * @throws InvalidInputError listing everything that is wrong, after the path of the construct
 */
export function readAndMake<P extends { readonly name?: string }, Made extends object>(
  schema: Schema<P>,
  given: P,
  { id, path }: NodeOf,
  make: (props: NamedProps<P>, problems: Problems) => Made | undefined,
  defaults: Partial<P> = {},
): { readonly props: NamedProps<P>; readonly made: Made } {
  const problems = new Problems();
  const props = read(schema, named(given, id, defaults), problems);
  // An invalid `name` is missing in `props`.
  const usable = props && { ...props, name: props.name ?? nearestLabel(id) };
  const made = usable && problems.attempt(() => make(usable, problems));
  return { made: problems.settle(made, path), props: problems.settle(usable) };
}

/** Returns properties with defaults for missing ones. Returns a value that is not an object unchanged. */
function named(given: unknown, id: string, defaults: object): unknown {
  if (!isObject(given)) return given;
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { name: id, ...defaults, ...Object.fromEntries(set) };
}

/** Returns the problem of a property that does not exist; `names` are the existing ones. */
export function unknownProperty(path: string, key: string, names: readonly string[]): Problem {
  const [nearest] = nearestWords(key, names);
  if (nearest !== undefined) return { path, problem: 'unknown property', nearest };
  return {
    path,
    problem: 'unknown property',
    ...(names.length <= 12 && { use: `one of ${names.map((name) => `'${name}'`).join(', ')}` }),
  };
}

// ---- types --------------------------------------------------------------------------------------------------------

/** Returns the class of a built-in object, like `Date`, and `Object` for all other objects. Works across realms, unlike `instanceof`. */
const builtInOf = (value: object): string =>
  Object.prototype.toString.call(value).slice('[object '.length, -1);

/** Whether the contents of a value are its properties. The contents of a `Map` or a `Date` are not. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && ['Object', 'Module'].includes(builtInOf(value));

/** Describes a value, as the words after "is". */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (Number.isNaN(value)) return 'not a number';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const builtIn = builtInOf(value);
  return /^[AEIO]/.test(builtIn) ? `an ${builtIn.replace('Object', 'object')}` : `a ${builtIn}`;
}

/** Returns the problem of a value of the wrong type. Does not show objects, which may contain secrets. */
export const misfit = (path: string, value: unknown, use: string): Problem =>
  value === undefined
    ? { path, problem: 'required', use }
    : {
        path,
        ...(typeof value !== 'object' && typeof value !== 'function' && { value }),
        problem: `is ${kindOf(value)}`,
        use,
      };

/** A type whose values `is` recognizes and `grammar` checks. */
const simple = <T>(
  what: string,
  is: (value: unknown) => value is T,
  grammar?: (value: T) => Complaint | undefined,
): Type<T> => ({
  what,
  read: (value, path, problems) => {
    if (!is(value)) {
      problems.add(misfit(path, value, what));
      return undefined;
    }
    const wrong = grammar?.(value);
    if (wrong === undefined) return value;
    problems.add({ path, value, ...wrong });
    return undefined;
  },
});

/** Texts that `grammar` accepts. */
export const string = (grammar?: Grammar, what = 'a string'): Type<string> =>
  simple(what, (value): value is string => typeof value === 'string', grammar);

/** Texts that are not empty. */
export const nonEmpty = (what = 'a string'): Type<string> =>
  string((value) => (value.trim() === '' ? { problem: 'is empty', use: what } : undefined), what);

export const boolean = (): Type<boolean> =>
  simple('true or false', (value): value is boolean => typeof value === 'boolean');

/** Whole numbers in a range. */
export const integer = (min = 0, max = INT32): Type<number> => ({
  what: 'a whole number',
  read: (value, path, problems) => {
    if (typeof value === 'number') {
      const wrong = integerProblem(value, min, max);
      if (wrong === undefined) return value;
      problems.add({ path, value, ...wrong });
    } else {
      // '4096' is a number in quotes; '24h' can mean anything
      const meant = typeof value === 'string' ? Number(value.trim() || NaN) : NaN;
      problems.add({
        ...misfit(path, value, 'a whole number'),
        ...(Number.isInteger(meant) && { nearest: Math.min(max, Math.max(min, meant)) }),
      });
    }
    return undefined;
  },
});

/** Ports that a process can listen on. */
export const port = (): Type<number> => integer(1, 65535);

/** Numbers that `grammar` accepts. */
export const number = (grammar?: (value: number) => Complaint | undefined): Type<number> =>
  simple('a number', (value): value is number => typeof value === 'number' && !Number.isNaN(value), grammar);

/** One of several words. */
export const oneOf = <T extends string>(...words: readonly T[]): Type<T> => {
  const what = words.map((word) => `'${word}'`).join(words.length === 2 ? ' or ' : ', ');
  return {
    what,
    read: (value, path, problems) => {
      const word = words.find((one) => one === value);
      if (word !== undefined) return word;
      if (typeof value !== 'string') problems.add(misfit(path, value, what));
      else {
        const [nearest] = nearestWords(value, words);
        problems.add({
          path,
          value,
          problem: 'is not known',
          use: words.length === 1 ? what : `one of ${words.map((one) => `'${one}'`).join(', ')}`,
          ...(words.length > 4 && nearest !== undefined && { nearest }),
        });
      }
      return undefined;
    },
  };
};

/**
 * Lists; `min` is the smallest number of items, and `what` the advice for other values. A list with an invalid item is invalid as a
 * whole, because rules name items by their index.
 */
export const list = <T>(
  item: Type<T>,
  { min = 0, what = 'a list' }: { readonly min?: number; readonly what?: string } = {},
): Type<readonly T[]> => ({
  what,
  read: (value, path, problems) => {
    if (!Array.isArray(value)) {
      problems.add(misfit(path, value, what));
      return undefined;
    }
    if (value.length < min) {
      problems.add({ path, problem: 'is empty', use: what });
      return undefined;
    }
    const items = value.flatMap((one: unknown, index): T[] => {
      const usable = item.read(one, `${path}[${String(index)}]`, problems);
      return usable === undefined ? [] : [usable];
    });
    return items.length === value.length ? items : undefined;
  },
});

/** Maps of names to values; `key` checks the names. */
export const map = <T>(
  value: Type<T>,
  key?: Grammar,
  what = 'an object',
): Type<Readonly<Record<string, T>>> => ({
  what,
  read: (given, path, problems) => {
    if (!isObject(given)) {
      problems.add(misfit(path, given, what));
      return undefined;
    }
    const usable: Record<string, T> = {};
    for (const [name, one] of Object.entries(given)) {
      if (one === undefined) continue;
      const at = `${path}[${name}]`;
      const wrong = key?.(name);
      if (wrong) problems.add({ path, value: name, ...wrong });
      const read = value.read(one, at, problems);
      if (read !== undefined && !wrong) usable[name] = read;
    }
    return usable;
  },
});

/** Objects with a schema. The schema can be a function, for types that contain themselves. */
export const object = <P extends object>(
  schema: Schema<P> | (() => Schema<P>),
  what = 'an object',
): Type<P> => ({
  what,
  read: (value, path, problems) => {
    if (isObject(value)) return read(typeof schema === 'function' ? schema() : schema, value, problems, path);
    problems.add(misfit(path, value, what));
    return undefined;
  },
});

/** Instances of a class of this package, from any installed copy. `parse` returns the code to write instead of a text. */
export const instance = <T extends object>(
  name: string,
  example: string,
  parse?: (text: string) => string,
): Type<T> => ({
  what: example,
  read: (value, path, problems) => {
    if (isBranded(value, name)) return value as T;
    problems.add(misfit(path, value, typeof value === 'string' && parse ? parse(value) : example));
    return undefined;
  },
});

/** `false`, or a value of another type. */
export const falseOr = <T>(type: Type<T>): Type<T | false> => ({
  what: `${type.what}, or false`,
  read: (value, path, problems) => (value === false ? false : type.read(value, path, problems)),
});

/** One of two types: `first` if `isFirst` returns true, otherwise `second`. */
export const either = <A, B>(
  isFirst: (value: unknown) => boolean,
  first: Type<A>,
  second: Type<B>,
): Type<A | B> => ({
  what: `${first.what} or ${second.what}`,
  read: (value, path, problems): A | B | undefined =>
    (isFirst(value) ? first : second).read(value, path, problems),
});

/** Objects whose fields are checked elsewhere, like types of Kubernetes. */
export const anyObject = <T extends object>(what = 'an object'): Type<T> =>
  simple(what, (value): value is T => isObject(value));

/** Values that are checked elsewhere. */
export const anything = <T>(): Type<T> => ({
  what: 'a value',
  read: (value) => value as T,
});

/** A cdk8s-plus object, or any other object with the name of a resource. */
export interface NamedResource {
  /** Name of the resource. */
  readonly name: string;
}

/** Names of resources, or objects with a name: `kplus.ServiceAccount`, `kplus.Secret`, an `ApiObject`. */
export const resourceName = (grammar: Grammar, kind: string): Type<string | NamedResource> => ({
  what: `the name of a ${kind}, or a ${kind} of cdk8s-plus`,
  read: (value, path, problems) => {
    const other = isObject(value) && typeof value['kind'] === 'string' && value['kind'] !== kind;
    if (other) {
      problems.add({ path, problem: `is a ${String(value['kind'])}`, use: `a ${kind}` });
      return undefined;
    }
    const name: unknown = typeof value === 'object' && value !== null && 'name' in value ? value.name : value;
    const text = string(grammar, `the name of a ${kind}`).read(name, path, problems);
    return text === undefined ? undefined : (value as string | NamedResource);
  },
});

/** Returns the name of a resource that was given by its name or as an object. */
export const nameOf = (resource: string | NamedResource): string =>
  typeof resource === 'string' ? resource : resource.name;
