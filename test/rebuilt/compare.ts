// Compares a public manifest with what a chart renders, value by value.
import { parse } from 'yaml';

type Json = Readonly<Record<string, unknown>>;

/** A Kubernetes object. */
export interface KubernetesObject extends Json {
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
}

/** What a word of a list, like `containers`, is called; the empty list is any place. */
type Rename = (word: string, list?: string) => string;

/** Fields by which the items of a list are known, in place of their position. */
const KEYS = ['containerPort', 'name', 'groupName', 'mountPath', 'port', 'key'] as const;

/** Values that the API server fills in: to leave them out says the same. */
const DEFAULT = /\.(readOnly|hostNetwork)=false$|\.restartPolicy=Always$/;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A string, number or boolean as text. */
const scalar = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Texts that are YAML or lists themselves, and flags, whose order has no meaning. */
function opened(path: string, value: unknown): unknown {
  if (/\.(serveConfigV2|runtimeEnvYAML)$/.test(path)) return parse(scalar(value));
  if (path.endsWith('.mountOptions'))
    return Object.fromEntries(
      scalar(value)
        .split(',')
        .map((option) => [option, true]),
    );
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && item.startsWith('-'))
    ? [...(value as string[])].sort()
    : value;
}

/** The values of an object, by their paths. */
function* leaves(given: unknown, path: string, rename: Rename, list?: string): Generator<[string, string]> {
  const value = opened(path, given);
  if (Array.isArray(value) && value.some(isRecord)) {
    const inner = /(\w+)$/.exec(path)?.[1];
    for (const [index, item] of value.entries()) {
      const key = isRecord(item) ? KEYS.find((one) => item[one] !== undefined) : undefined;
      const known = key === undefined ? String(index) : rename(scalar((item as Json)[key]), inner);
      yield* leaves(item, `${path}[${known}]`, rename, inner);
    }
  } else if (isRecord(value))
    for (const [key, item] of Object.entries(value)) yield* leaves(item, `${path}.${key}`, rename, list);
  else if (value !== undefined && value !== null)
    yield [path, rename(Array.isArray(value) ? value.join('\n') : scalar(value), list)];
}

/** The values of an object, as `path=value`; its name is how it was found. */
function valuesOf({ kind, metadata, ...rest }: KubernetesObject, rename: Rename): readonly string[] {
  const nameless = Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== 'name'));
  return [...leaves({ metadata: nameless, ...rest }, kind, rename)].map(
    ([path, value]) => `${path}=${value}`,
  );
}

/** A Pod becomes a Job, whose template has its fields. */
const ofKind = (object: KubernetesObject): KubernetesObject =>
  object.kind === 'Pod'
    ? { kind: 'Job', metadata: object.metadata, spec: { template: { spec: object['spec'] } } }
    : object;

/** The object that a public one became: of the same kind, and of the same name if there are several. */
function counterpart(
  { kind, metadata: { name } }: KubernetesObject,
  rendered: readonly KubernetesObject[],
): KubernetesObject | undefined {
  const same = rendered.filter((one) => one.kind === kind);
  return same.find((one) => one.metadata.name === name) ?? (same.length === 1 ? same[0] : undefined);
}

/**
 * Paths of the values of public objects that the rendered ones do not have; only the kind if it has no object.
 *
 * @param names - what names of the public objects became, as `word` anywhere or `containers/word` in one kind of list
 */
export function differences(
  published: readonly KubernetesObject[],
  rendered: readonly KubernetesObject[],
  names: Readonly<Record<string, string>>,
): readonly string[] {
  const rename: Rename = (word, list = '') => names[`${list}/${word}`] ?? names[word] ?? word;
  return published.flatMap((one) => {
    const object = ofKind(one);
    const other = counterpart(object, rendered);
    if (!other) return [object.kind];
    const now = new Set(valuesOf(other, (word) => word));
    return [
      ...(object === one ? [] : [one.kind]),
      ...valuesOf(object, rename)
        .filter((value) => !now.has(value) && !DEFAULT.test(value))
        .map((value) => value.slice(0, value.indexOf('='))),
    ];
  });
}
