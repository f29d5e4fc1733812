// Charts of many teams or models differ in a few names. The rest of their pods is folded and checked once.
import { isRecord } from './merge';
import { isQuantity, isWrapped } from './wrapped';

/** What a value is apart from the names in it. */
interface Shape {
  /** Equal for values that differ only in their names; equal names stay equal. */
  readonly text: string;
  /** The names in the order in which they first appear in the value. */
  readonly names: readonly string[];
}

/** Maps whose values can be names, and fields that are one. */
const MAPS_OF_NAMES: ReadonlySet<string> = new Set(['labels', 'matchLabels']);
const FIELDS_OF_NAMES: ReadonlySet<string> = new Set(['serviceAccountName', 'subdomain']);
const holdsNames = (key: string): boolean => MAPS_OF_NAMES.has(key) || FIELDS_OF_NAMES.has(key);

/** Names that are valid in each of these places. */
const NAME = /^[a-z][-a-z0-9]{0,38}[a-z0-9]$/;

/** The shape of a value; undefined if it has more than plain records, lists and quantities. */
export function shapeOf(value: unknown): Shape | undefined {
  const names = new Map<string, number>();
  const text = textOf(value, false, names);
  return text === undefined ? undefined : { text, names: [...names.keys()] };
}

function textOf(value: unknown, isName: boolean, names: Map<string, number>): string | undefined {
  switch (typeof value) {
    case 'string':
      if (!isName || !NAME.test(value)) return JSON.stringify(value);
      if (!names.has(value)) names.set(value, names.size);
      return `#${String(names.get(value))}`;
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'object':
      return value === null ? 'null' : textOfObject(value, isName, names);
    default:
      return undefined;
  }
}

function textOfObject(value: object, isName: boolean, names: Map<string, number>): string | undefined {
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) {
      const inside = textOf(item, isName, names);
      if (inside === undefined) return undefined;
      text += `${inside},`;
    }
    return `[${text}]`;
  }
  if (isRecord(value)) {
    for (const [key, child] of Object.entries(value)) {
      if (child === undefined) continue;
      const inside = textOf(child, isName || holdsNames(key), names);
      if (inside === undefined) return undefined;
      text += `${JSON.stringify(key)}:${inside},`;
    }
    return `{${text}}`;
  }
  return isWrapped(value) ? `${isQuantity(value) ? 'Q' : 'W'}${JSON.stringify(value.value)}` : undefined;
}

/** A copy of a value with other names. */
function renamed(value: unknown, to: ReadonlyMap<string, string>, isName = false): unknown {
  if (typeof value === 'string') return isName ? (to.get(value) ?? value) : value;
  if (Array.isArray(value)) return value.map((item) => renamed(item, to, isName));
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) copy[key] = renamed(child, to, isName || holdsNames(key));
  return copy;
}

/** As many results as an app of many servers can use, so that an app of any size bounds its memory. */
const MOST = 200;

/**
 * Returns a function that makes something of a value once for each shape, and copies it for later values of that shape.
 *
 * @param make - must treat names as a label's value is treated: compare them, and put them into fields of the same kind
 */
export function oncePerShape<T extends object>(): (value: unknown, make: () => T) => T {
  const known = new Map<string, { readonly made: T; readonly names: readonly string[] }>();
  return (value, make) => {
    const shape = shapeOf(value);
    if (shape === undefined) return make();
    const { text, names } = shape;
    const found = known.get(text) ?? { made: make(), names };
    if (!known.has(text)) {
      if (known.size >= MOST) known.clear();
      known.set(text, found);
    }
    return renamed(found.made, new Map(found.names.map((name, index) => [name, names[index] ?? name]))) as T;
  };
}
