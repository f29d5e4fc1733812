import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type LineCounter, type Pair } from 'yaml';
import { isRecord, type Json } from './manifest';
import { type PlainDocument } from './plain-yaml';

// Line numbers of the values of a document. The tree of a document needs much memory, so only two numbers per value are kept.

/** Largest depth of maps and lists. Manifests have about 20 levels. All code that walks a manifest relies on this limit. */
const MAX_DEPTH = 500;
/** Largest number of values of a document after its aliases are expanded. */
const MAX_VALUES = 2_000_000;

/** A value of a document, with the lines of its parts. */
export interface Located {
  readonly value: unknown;
  /** Returns the line of a path like `spec.containers[vllm].image`, or of the closest value above it. */
  readonly lineOf: (path: string) => number;
  /** Returns the entries of the list `items`; none if the value has no such list. */
  readonly items: () => readonly Located[];
}

/** A document that parses but cannot be a manifest. */
export class Unusable extends Error {}

/**
 * Locates the values of a document.
 *
 * @param value - the value of the document
 * @param before - lines of the file before the first line of `counter`
 * @throws Unusable if an anchor contains itself, or if the document is too deep or too large
 */
export function located(document: Document, value: unknown, counter: LineCounter, before: number): Located {
  const recorder = new Recorder(counter, before);
  const line = recorder.record(document.contents, value);
  return locatedAt(
    { numbers: new Uint32Array(recorder.numbers), links: recorder.links },
    { value, line, first: 0 },
  );
}

/** Locates the values of a document that has no aliases. */
export const locatedPlain = ({ value, line, numbers }: PlainDocument): Located =>
  locatedAt({ numbers: new Uint32Array(numbers), links: NO_LINKS }, { value, line, first: 0 });

const NO_LINKS: ReadonlyMap<number, number> = new Map();

const locatedAt = (entries: Entries, place: Place): Located => ({
  value: place.value,
  lineOf: (path) => lineAt(entries, place, path),
  items: () => {
    const { value } = place;
    const index = isRecord(value) ? Object.keys(value).indexOf('items') : -1;
    const list = isRecord(value) ? value['items'] : undefined;
    return Array.isArray(list)
      ? [...itemsBelow(entries, list, entryAt(entries, place, index, list).first)].map((item) =>
          locatedAt(entries, item),
        )
      : [];
  },
});

/** The entries of maps and lists. Each entry is followed by the entries below it. */
interface Entries {
  /** Two numbers per entry: its line, and the number of entries below it. */
  readonly numbers: Uint32Array;
  /** By entry that is an alias, the first entry below its anchor. */
  readonly links: ReadonlyMap<number, number>;
}

/** An anchored node: its first entry, and its values; undefined while it is read. */
interface Anchor {
  readonly node: unknown;
  readonly first: number;
  readonly values: number | undefined;
}

/** Walks a tree and its value side by side, and records the lines of the entries. */
class Recorder {
  readonly numbers: number[] = [];
  readonly links = new Map<number, number>();
  private readonly anchors = new Map<string, Anchor>();
  private line = 0;
  private aliased = 0;

  constructor(
    private readonly counter: LineCounter,
    private readonly before: number,
  ) {}

  private get count(): number {
    return this.numbers.length / 2;
  }

  /** Records a document, and returns its line. */
  record(node: unknown, value: unknown): number {
    const line = this.lineOf(node, this.before + 1);
    this.enter(node, value, line, 0);
    return line;
  }

  /** Records what is below a node. */
  private enter(node: unknown, value: unknown, line: number, depth: number): void {
    if (depth > MAX_DEPTH) throw new Unusable('it is nested too deeply');
    const name = isNode(node) && !isAlias(node) ? node.anchor : undefined;
    const [first, aliased] = [this.count, this.aliased];
    if (name !== undefined) this.anchors.set(name, { node, first, values: undefined });
    if (Array.isArray(value) && isSeq(node))
      for (const [index, item] of value.entries())
        this.add(node.items[index], node.items[index], item, line, depth);
    else if (isRecord(value) && isMap(node)) this.enterMap(node.items, value, line, depth);
    const values = this.count - first + this.aliased - aliased;
    if (name !== undefined) this.anchors.set(name, { node, first, values });
  }

  private enterMap(pairs: readonly Pair[], value: object, line: number, depth: number): void {
    let byName: ReadonlyMap<string, Pair> | undefined;
    const entries = Object.entries(value);
    for (const [index, [key, child]] of entries.entries()) {
      // A duplicated key has the value of its last pair.
      let pair = pairs.length === entries.length ? pairs[index] : undefined;
      // Merged keys have no pair in this map, and numeric keys come first.
      if (!pair || this.nameOf(pair.key) !== key) pair = (byName ??= this.named(pairs)).get(key);
      if (!pair) throw new Unusable('a map or a list is used as a key');
      this.add(pair.key, pair.value, child, line, depth);
    }
  }

  private add(start: unknown, node: unknown, value: unknown, above: number, depth: number): void {
    const entry = this.count;
    const line = this.lineOf(start, above);
    this.numbers.push(line, 0);
    const anchor = isAlias(node) ? this.anchors.get(node.source) : undefined;
    if (!anchor) this.enter(node, value, line, depth + 1);
    else if (anchor.values === undefined) throw new Unusable('an anchor contains itself');
    else {
      this.links.set(entry, anchor.first);
      this.aliased += anchor.values;
    }
    this.numbers[2 * entry + 1] = this.count - entry - 1;
    if (this.count + this.aliased > MAX_VALUES)
      throw new Unusable(`it has more than ${String(MAX_VALUES)} values`);
  }

  /** Pairs by the name of their key. The pairs of merged maps come first, so that a map's own pairs replace them. */
  private named(pairs: readonly Pair[]): ReadonlyMap<string, Pair> {
    const merged = pairs.filter(({ key }) => this.nameOf(key) === '<<').map(({ value }) => value);
    const sources = merged.flatMap((one) => (isSeq(one) ? [...one.items].reverse() : [one]));
    const all = sources.flatMap((one) => {
      const source = isAlias(one) ? this.anchors.get(one.source)?.node : one;
      return isMap(source) ? [...this.named(source.items)] : [];
    });
    return new Map([...all, ...pairs.map((pair) => [this.nameOf(pair.key), pair] as const)]);
  }

  private nameOf(key: unknown): string {
    const node = isAlias(key) ? this.anchors.get(key.source)?.node : key;
    const name: unknown = isScalar(node) ? node.value : undefined;
    if (typeof name === 'symbol') return name.description ?? '';
    return typeof name === 'string' || typeof name === 'number' || typeof name === 'boolean'
      ? String(name)
      : '';
  }

  /** The line of a node. Offsets mostly grow, so the search starts at the line of the node before. */
  private lineOf(node: unknown, otherwise: number): number {
    const offset = isNode(node) ? node.range?.[0] : undefined;
    if (offset === undefined) return otherwise;
    const { lineStarts } = this.counter;
    if (offset < (lineStarts[this.line] ?? 0)) this.line = this.counter.linePos(offset).line - 1;
    while ((lineStarts[this.line + 1] ?? Infinity) <= offset) this.line++;
    return this.before + this.line + 1;
  }
}

/** A value, its line, and the first entry below it. */
interface Place {
  readonly value: unknown;
  readonly line: number;
  readonly first: number;
}

/** The entry of a map or list by its index: each entry before it is followed by the entries below that. */
function entryAt({ numbers, links }: Entries, { first }: Place, index: number, value: unknown): Place {
  let entry = first;
  for (let before = 0; before < index; before++) entry += 1 + (numbers[2 * entry + 1] ?? 0);
  return { value, line: numbers[2 * entry] ?? 0, first: links.get(entry) ?? entry + 1 };
}

/** The entries of a list. */
function* itemsBelow(
  { numbers, links }: Entries,
  items: readonly unknown[],
  first: number,
): Generator<Place> {
  let entry = first;
  for (const value of items) {
    yield { value, line: numbers[2 * entry] ?? 0, first: links.get(entry) ?? entry + 1 };
    entry += 1 + (numbers[2 * entry + 1] ?? 0);
  }
}

/** The line of a path below a place, or of the closest value above it. */
function lineAt(entries: Entries, start: Place, path: string): number {
  let place = start;
  for (let rest = path; rest !== '';) {
    const found = step(entries, place, rest);
    if (!found) break;
    [place, rest] = found;
  }
  return place.line;
}

/** One step down a path: the place, and the rest of the path. A key can contain dots. */
function step(entries: Entries, place: Place, path: string): readonly [Place, string] | undefined {
  const { value } = place;
  const end = path.startsWith('[') ? path.indexOf(']') : -1;
  const label = end < 0 ? undefined : path.slice(1, end);
  const afterLabel = end < 0 ? '' : path.slice(end + (path[end + 1] === '.' ? 2 : 1));
  if (Array.isArray(value)) {
    if (label === undefined) return undefined;
    const named = value.findIndex((item) => isNamed(item, label));
    const index = named >= 0 ? named : String(Number(label)) === label ? Number(label) : -1;
    return index in value ? [entryAt(entries, place, index, value[index]), afterLabel] : undefined;
  }
  if (!isRecord(value)) return undefined;
  const key = label ?? longestKey(value, path);
  if (key === undefined || !Object.hasOwn(value, key)) return undefined;
  const below = entryAt(entries, place, Object.keys(value).indexOf(key), value[key]);
  return [below, label === undefined ? path.slice(key.length).replace(/^\./, '') : afterLabel];
}

/** The longest key of a map that a path starts with. */
function longestKey(map: Json, path: string): string | undefined {
  for (let end = path.length; end > 0; end--) {
    if (end < path.length && path[end] !== '.' && path[end] !== '[') continue;
    const key = path.slice(0, end);
    if (Object.hasOwn(map, key)) return key;
  }
  return undefined;
}

const isNamed = (value: unknown, label: string): boolean =>
  isRecord(value) && NAMES.some((key) => Object.hasOwn(value, key) && String(value[key]) === label);

/** Keys that name an item of a list in a path. */
const NAMES = ['name', 'groupName', 'mountPath', 'containerPort', 'port'];
