// Merges the values of a field: two values from the user must be equal, and a value from the user replaces a default. `null` removes a
// default.
import { bare } from '../problems/grammar';
import { type Complaint, type Problem, type Problems } from '../problems/problems';
import { shownApart } from '../problems/shown';
import { isWrapped } from './wrapped';

/** The names of fields from a fragment down to a value, and keys of list items. */
export type Path = readonly string[];

/** Fields whose parts have names: maps, and lists whose items have a key. */
const NAMED: ReadonlySet<string> = new Set([
  ...['labels', 'annotations', 'nodeSelector', 'requests', 'limits', 'matchLabels', 'overhead'],
  ...['env', 'volumes', 'volumeMounts', 'volumeDevices', 'ports', 'sidecars', 'initContainers'],
  ...['imagePullSecrets', 'hostAliases', 'resourceClaims', 'topologySpreadConstraints', 'sysctls'],
]);

/** A path as text: `container.ports[8000/TCP]`, `labels[app]`, `tolerations[0].key`. */
export const textOfPath = (path: Path): string =>
  path.reduce((text, part, index) => {
    if (index === 0) return part;
    const inBrackets = NAMED.has(path[index - 1] ?? '') || /^\d+$/.test(part);
    return inBrackets ? `${text}[${part}]` : `${text}.${part}`;
  }, '');

/** Fields of a pod that are fields of a fragment, too. */
const OF_FRAGMENT: readonly string[] = ['nodeSelector', 'tolerations', 'volumes'];
const OF_MAIN: readonly string[] = ['env', 'volumeMounts', 'resources'];

/** Converts the path of a field of a pod, like `containers`, NAME, into the path of the field in a fragment. */
export function inFragment(main: string, [field = '', ...rest]: Path): Path {
  if (field !== 'containers') return OF_FRAGMENT.includes(field) ? [field, ...rest] : ['pod', field, ...rest];
  const [name = '', ...inside] = rest;
  if (name !== main) return ['sidecars', name, ...inside];
  return OF_MAIN.includes(inside[0] ?? '') ? inside : ['container', ...inside];
}

type Item = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;

/** Returns JSON with sorted keys, so that equal values have equal texts. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, child: unknown) => {
    if (isWrapped(child)) return child.value;
    return isRecord(child)
      ? Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1)))
      : child;
  });

const same = (left: unknown, right: unknown): boolean => sorted(left) === sorted(right);

const shownValue = (value: unknown): string => {
  const inner = isWrapped(value) ? value.value : value;
  return typeof inner === 'string' ? inner : sorted(inner);
};

/** Returns the problem of a field with two different values. */
function contradiction(path: Path, left: unknown, right: unknown): Problem {
  const [one, other] = shownApart(shownValue(left), shownValue(right));
  return { path: textOfPath(path), problem: `has two values, ${one} and ${other}`, use: 'one of them' };
}

// ---- lists ------------------------------------------------------------------------------------------------------

/** A list whose items have keys. `complete` adds Kubernetes' defaults to an item. */
interface KeyedList {
  readonly keyOf: (item: Item) => string;
  readonly complete: (item: Item) => Item;
}

const by = (key: string): KeyedList => ({ keyOf: (item) => String(item[key]), complete: (item) => item });

/** Lists whose items have keys, by path. Items of other lists are compared as a whole. */
const KEYED: ReadonlyMap<string, KeyedList> = new Map<string, KeyedList>([
  // Kubernetes does not store an empty value.
  ['env', { ...by('name'), complete: (item) => (item['value'] === '' ? { name: item['name'] } : item) }],
  ['volumes', by('name')],
  [
    'volumeMounts',
    {
      keyOf: (item) => bare(String(item['mountPath'])),
      complete: (item) => ({ ...item, mountPath: bare(String(item['mountPath'])) }),
    },
  ],
  [
    'container.ports',
    {
      keyOf: ({ containerPort, protocol = 'TCP' }) => `${String(containerPort)}/${String(protocol)}`,
      complete: (item) => ({ protocol: 'TCP', ...item }),
    },
  ],
  ['container.volumeDevices', by('devicePath')],
  ['pod.initContainers', by('name')],
  ['pod.imagePullSecrets', by('name')],
  ['pod.hostAliases', by('ip')],
  ['pod.resourceClaims', by('name')],
  ['pod.topologySpreadConstraints', by('topologyKey')],
  ['pod.securityContext.sysctls', by('name')],
]);

const keyedList = (path: Path): KeyedList | undefined => KEYED.get(path.join('.'));
/** Arguments are appended to each other; a command is one value. */
const isArgs = (path: Path): boolean => path.join('.') === 'container.args';
const isCommand = (path: Path): boolean => path.at(-1) === 'command';

// ---- values that the user gave ------------------------------------------------------------------------------------

/** Records and lists that replace a default as a whole, because another fragment removes the default with `null`. */
export type Exact = WeakSet<object>;

/** Merges two values from the user. Records the paths where they differ. */
export function agree(left: unknown, right: unknown, path: Path, problems: Problems, exact: Exact): unknown {
  if (right === undefined) return left;
  if (left === undefined) return isRecord(right) ? agree({}, right, path, problems, exact) : right;
  if (left === null || right === null) return alone(left ?? right, exact);
  if (Array.isArray(left) && Array.isArray(right) && !isCommand(path))
    return marked(agreeLists(left as unknown[], right as unknown[], path, problems), [left, right], exact);
  if (isRecord(left) && isRecord(right)) {
    const both: Record<string, unknown> = { ...left };
    for (const [key, value] of Object.entries(right))
      if (value !== undefined)
        both[key] = agree(
          Object.hasOwn(left, key) ? left[key] : undefined,
          value,
          [...path, key],
          problems,
          exact,
        );
    return marked(both, [left, right], exact);
  }
  if (!same(left, right)) problems.add(contradiction(path, left, right));
  return left;
}

/** Returns a value that replaces the default as a whole, because another fragment removes the default with `null`. */
function alone(value: unknown, exact: Exact): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copy: object = Array.isArray(value)
    ? [...(value as unknown[])]
    : isRecord(value)
      ? { ...value }
      : value;
  exact.add(copy);
  return copy;
}

function marked<T extends object>(made: T, from: readonly object[], exact: Exact): T {
  if (from.some((one) => exact.has(one))) exact.add(made);
  return made;
}

/** Adds the items of `right` that `left` does not have. The rules of the folded pod find duplicates within one list. */
function agreeLists(left: unknown[], right: unknown[], path: Path, problems: Problems): unknown[] {
  if (isArgs(path)) return [...left, ...right];
  const list = keyedList(path);
  if (list === undefined)
    return [...left, ...right.filter((item) => !left.some((known) => same(known, item)))];
  const before = new Map((left as Item[]).map((item) => [list.keyOf(item), list.complete(item)]));
  const added = (right as Item[]).filter((item) => {
    const key = list.keyOf(item);
    const other = before.get(key);
    if (other === undefined) return true;
    if (!same(other, list.complete(item)) && !isRemoval(other) && !isRemoval(item))
      problems.add(contradiction([...path, key], brief(other), brief(list.complete(item))));
    return isRemoval(other) && !isRemoval(item);
  });
  const replaced = new Set(added.map((item) => list.keyOf(item)));
  return [...(left as Item[]).filter((item) => !replaced.has(list.keyOf(item))), ...added];
}

/** Shortens an environment variable to its value. */
const brief = (item: Item): unknown =>
  Object.keys(item).sort().join() === 'name,value' ? item['value'] : item;

/** Whether an item removes a default: `{ name: 'A', value: null }`. */
const isRemoval = (item: Item): boolean => Object.values(item).includes(null);

// ---- defaults -----------------------------------------------------------------------------------------------------

/** Handlers of probes and hooks, which have exactly one. */
export const HANDLERS: readonly string[] = ['exec', 'grpc', 'httpGet', 'sleep', 'tcpSocket'];

/**
 * Returns `given` with defaults for missing fields. In lists with keys, `given` replaces single items. It replaces other lists as a
 * whole.
 *
 * @param order - whether the items of `given` or those of `defaults` come first
 */
export function fill(
  given: unknown,
  defaults: unknown,
  order: 'given first' | 'defaults first',
  exact: Exact,
  path: Path = [],
): unknown {
  if (given === undefined) return defaults;
  if (defaults === undefined || given === null || (typeof given === 'object' && exact.has(given)))
    return given;
  if (Array.isArray(given) && Array.isArray(defaults))
    return fillList(given as unknown[], defaults as unknown[], order, path);
  if (!isRecord(given) || !isRecord(defaults)) return given;
  const possible = withoutAlternatives(given, defaults);
  const all: Record<string, unknown> = { ...given };
  for (const [key, value] of Object.entries(possible))
    all[key] = fill(Object.hasOwn(given, key) ? given[key] : undefined, value, order, exact, [...path, key]);
  return all;
}

function fillList(
  given: unknown[],
  defaults: unknown[],
  order: 'given first' | 'defaults first',
  path: Path,
): unknown[] {
  if (isArgs(path)) return order === 'given first' ? [...given, ...defaults] : [...defaults, ...given];
  const list = keyedList(path);
  if (list === undefined) return given;
  const own = new Map((given as Item[]).map((item) => [list.keyOf(item), item]));
  const others = new Set((defaults as Item[]).map((item) => list.keyOf(item)));
  if (order === 'given first')
    return [...given, ...(defaults as Item[]).filter((item) => !own.has(list.keyOf(item)))];
  return [
    ...(defaults as Item[]).map((item) => own.get(list.keyOf(item)) ?? item),
    ...(given as Item[]).filter((item) => !others.has(list.keyOf(item))),
  ];
}

/** Removes defaults that Kubernetes rejects in combination with `given`. */
function withoutAlternatives(given: Item, defaults: Item): Item {
  const without = (from: Item, keys: readonly string[]): Item =>
    Object.fromEntries(Object.entries(from).filter(([key]) => !keys.includes(key)));
  const asks = HANDLERS.filter((key) => isRecord(given[key]));
  const impossible = [
    ...(asks.length > 0 ? HANDLERS.filter((key) => !asks.includes(key)) : []),
    // A privileged container can always escalate its privileges.
    ...(given['privileged'] === true ? ['allowPrivilegeEscalation'] : []),
  ];
  const possible = without(defaults, impossible);
  const { limits } = given;
  const { requests } = possible;
  // A limit without a request is also the request, and the default request can be larger than the limit.
  return isRecord(limits) && isRecord(requests)
    ? { ...possible, requests: without(requests, Object.keys(limits)) }
    : possible;
}

/** Removes the `null`s that mark removed defaults. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value))
    return (value as unknown[]).filter((item) => !(isRecord(item) && isRemoval(item)));
  if (!isRecord(value)) return value ?? undefined;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, child]) => child !== null)
      .map(([key, child]) => [key, withoutNulls(child)]),
  );
}

// ---- facts --------------------------------------------------------------------------------------------------------

/** Sets the fields of `facts`. Records fields of `given` that differ from them, because only `override()` can change facts. */
export function fix(value: unknown, facts: unknown, given: unknown, path: Path, problems: Problems): unknown {
  if (facts === undefined) return value;
  if (isRecord(facts)) {
    const all: Record<string, unknown> = isRecord(value) ? { ...value } : {};
    for (const [key, fact] of Object.entries(facts))
      all[key] = fix(
        all[key],
        fact,
        isRecord(given) ? given[key] : given === null ? null : undefined,
        [...path, key],
        problems,
      );
    return all;
  }
  if (given !== undefined && !same(given, facts))
    problems.add({
      path: textOfPath(path),
      ...(given !== null && { value: shownValue(given) }),
      ...(path[0] === 'labels' ? SELECTOR : SLICE)(given === null, shownValue(facts)),
    });
  return facts;
}

const SLICE = (removed: boolean, fact: string): Complaint => ({
  problem: removed
    ? `cannot be removed: the slice needs '${fact}'`
    : `differs from '${fact}', which follows from the slice`,
  use: 'another slice, or override() on the rendered object',
});

const SELECTOR = (removed: boolean, fact: string): Complaint => ({
  problem: removed
    ? `cannot be removed: '${fact}' selects the pods`
    : `differs from '${fact}', which selects the pods`,
  use: 'to remove it',
});
