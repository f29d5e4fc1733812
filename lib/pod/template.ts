import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Problems } from '../problems/problems';
import {
  type MainContainer,
  type PodFragment,
  type ResourceRequirements,
  type SidecarContainer,
} from './fragment';
import { bare, quoted, quotedApart } from '../problems/validators';
import { checkTemplate } from './template-rules';

/** A pod template as it stands in a manifest: what a Deployment, Job, JobSet or RayService embeds. */
export interface PodTemplate {
  /** Labels and annotations. */
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  /** The pod's spec. */
  readonly spec: Readonly<Record<string, unknown>>;
}

/**
 * Folds fragments into a pod of one main container and its sidecars.
 *
 * @throws InvalidInputError listing every conflict, one thing that two fragments set to two values; every field that the types of
 * Kubernetes 1.29 do not know; and whatever of the folded pod Kubernetes would refuse, or take and never run
 */
export function podTemplate(
  container: MainContainer,
  sidecars: readonly SidecarContainer[],
  fragments: readonly PodFragment[],
): PodTemplate {
  const problems = new Problems();
  const fold = (base: unknown, pick: (fragment: PodFragment) => unknown, at: string): unknown =>
    fragments.reduce<unknown>((sum, fragment) => merge(sum, pick(fragment), at, problems), base);
  for (const fragment of fragments) problems.add(...misplaced(fragment));

  const metadata = {
    labels: fold(undefined, (f) => plain(f.labels), 'labels') as Texts | undefined,
    annotations: fold(undefined, (f) => plain(f.annotations), 'annotations') as Texts | undefined,
  };
  const main = fold(
    typed(container),
    ({ container: other, env, volumeMounts, resources }) =>
      typed({ ...other, name: undefined, env, volumeMounts, resources }),
    `container '${container.name}'`,
  ) as k8s.Container;
  const { initContainers, ...pod } = (fold(
    undefined,
    ({ pod: other, nodeSelector, tolerations, volumes }) => ({
      ...(plain({ ...other, nodeSelector, tolerations, volumes }) as object),
      initContainers: other?.initContainers?.map(typed),
    }),
    'pod',
  ) ?? {}) as Omit<k8s.PodSpec, 'containers'>;
  const containers = [main, ...sidecars.map(typed)];

  const spec = { ...pod, initContainers, containers };
  const json = k8s.toJson_PodTemplateSpec({ metadata, spec }) as Partial<PodTemplate>;
  const template = { metadata: json.metadata ?? {}, spec: json.spec ?? {} };
  problems.add(...lost(pod, template.spec, 'pod'));
  for (const key of ['containers', 'initContainers'] as const)
    for (const [index, one] of (spec[key] ?? []).entries())
      problems.add(
        ...lost(one, (template.spec[key] as unknown[] | undefined)?.[index], `container '${one.name}'`),
      );
  checkTemplate(template, problems);
  problems.throwIfAny();
  return template;
}

type Texts = Record<string, string>;

/** Fields with a place of their own in a fragment, given in another: a typed variable brings them past the compiler. */
function misplaced({ container, pod }: PodFragment): string[] {
  const elsewhere = (
    at: string,
    given: object | undefined,
    places: Readonly<Record<string, string>>,
  ): string[] =>
    Object.entries(given ?? {})
      .filter(([key, value]) => value !== undefined && Object.hasOwn(places, key))
      .map(([key]) => `fragment ${at} sets ${key}, expected ${places[key] ?? ''}`);
  return [
    ...elsewhere('container', container, {
      name: 'none: the container has one',
      env: "the fragment's own env",
      volumeMounts: "the fragment's own volumeMounts",
      resources: "the fragment's own resources",
    }),
    ...elsewhere('pod', pod, {
      containers: "none: a fragment's container adds to the one that is there",
      nodeSelector: "the fragment's own nodeSelector",
      tolerations: "the fragment's own tolerations",
      volumes: "the fragment's own volumes",
    }),
  ];
}

/** What was given and the manifest does not have: the types drop what they do not know. They change but the case of a name. */
function lost(given: unknown, written: unknown, at: string): string[] {
  if (Array.isArray(given))
    return given.flatMap((item, index) =>
      lost(item, (written as unknown[])[index], `${at} ${String(index)}`),
    );
  if (!isRecord(given)) return [];
  const known = (written ?? {}) as Readonly<Record<string, unknown>>;
  const problems: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    const name = Object.hasOwn(known, key)
      ? key
      : Object.keys(known).find((one) => one.toLowerCase() === key.toLowerCase());
    if (value === undefined) continue;
    if (name === undefined)
      problems.push(
        `${at} ${key} ${quoted(shown(value))} is no field of Kubernetes 1.29, or not of its type, expected the field's own name and type; override() writes newer fields`,
      );
    else if (typeof value === 'object') problems.push(...lost(value, known[name], `${at} ${key}`));
  }
  return problems;
}

// ---- values -----------------------------------------------------------------------------------------------------

/** A container as the types have it. An empty environment value, and an empty list, are stored as none, so none is written. */
function typed(
  container: Partial<Omit<MainContainer, 'env' | 'volumeMounts'>> & Pick<PodFragment, 'env' | 'volumeMounts'>,
): k8s.Container {
  const { env = [], resources, ...rest } = container;
  return {
    ...(plain(rest) as k8s.Container),
    env:
      env.length === 0
        ? undefined
        : env.map((one) => plain(one.value === '' ? { ...one, value: undefined } : one) as k8s.EnvVar),
    resources: amounts(resources),
  };
}

/**
 * Amounts come out as text: the API server stores them so, and a number would differ at every later apply.
 *
 * Whatever is given is read: a text, a number, a `k8s.Quantity`.
 */
const amount = (value: unknown): k8s.Quantity =>
  k8s.Quantity.fromString(String(value instanceof k8s.Quantity ? value.value : value));

function amounts(resources: ResourceRequirements | undefined): k8s.ResourceRequirements | undefined {
  if (resources === undefined) return undefined;
  const { requests, limits, ...rest } = resources;
  const each = (of: object | undefined): Record<string, k8s.Quantity> | undefined =>
    of &&
    Object.fromEntries(
      Object.entries(of)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, amount(value)]),
    );
  return { ...rest, requests: each(requests), limits: each(limits) };
}

/** Records of whatever origin as plain ones, without what is not set; quantities as text. */
function plain(value: unknown): unknown {
  if (value instanceof k8s.Quantity) return amount(value);
  if (value instanceof k8s.IntOrString) return value;
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value ?? undefined;
  const record: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) {
    const one = plain(child);
    if (one !== undefined) record[key] = one;
  }
  return record;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;

// ---- the fold ---------------------------------------------------------------------------------------------------

type Item = Readonly<Record<string, unknown>>;

/** Lists of a pod whose items have keys: what an item says with its defaults, and what it is known by. Others are appended to. */
const LISTS: ReadonlyMap<string, { readonly key: string; readonly known: (item: Item) => Item }> = new Map([
  ...['env', 'volumes', 'initContainers'].map(
    (list): [string, { key: string; known: (item: Item) => Item }] => [
      list,
      { key: 'name', known: (item) => item },
    ],
  ),
  [
    'volumeMounts',
    { key: 'mountPath', known: (item) => ({ ...item, mountPath: bare(String(item['mountPath'])) }) },
  ],
  ['ports', { key: 'containerPort', known: (item) => ({ protocol: 'TCP', ...item }) }],
]);

/** Both values together; what they set differently is recorded. */
function merge(left: unknown, right: unknown, at: string, problems: Problems): unknown {
  if (right === undefined) return left;
  if (left === undefined) return isRecord(right) ? merge({}, right, at, problems) : right;
  const field = at.slice(at.lastIndexOf(' ') + 1);
  if (Array.isArray(left) && Array.isArray(right) && field !== 'command')
    return field === 'args'
      ? [...(left as unknown[]), ...(right as unknown[])]
      : mergeLists(left, right, at, field, problems);
  if (isRecord(left) && isRecord(right)) {
    const both: Record<string, unknown> = { ...left };
    for (const [key, value] of Object.entries(right))
      if (value !== undefined)
        both[key] = merge(Object.hasOwn(left, key) ? left[key] : undefined, value, `${at} ${key}`, problems);
    return both;
  }
  problems.check(same(left, right), () => {
    const [one, other] = quotedApart(shown(left), shown(right));
    return `${at} is set to ${one} and to ${other}, expected one value`;
  });
  return left;
}

/** Items that are there already are not added; two in one list are left to the rules of the folded pod. */
function mergeLists(
  left: unknown[],
  right: unknown[],
  at: string,
  field: string,
  problems: Problems,
): unknown[] {
  const list = LISTS.get(field);
  if (list === undefined)
    return [...left, ...right.filter((item) => !left.some((known) => same(known, item)))];
  const { key, known } = list;
  const idOf = (item: Item): string =>
    `${String(item[key])} ${field === 'ports' ? String(item['protocol']) : ''}`;
  const before = (left as Item[]).map(known);
  const added = (right as Item[]).filter((one) => {
    const item = known(one);
    const other = before.find((candidate) => idOf(candidate) === idOf(item));
    problems.check(other === undefined || same(other, item), () => {
      const [first, second] = quotedApart(shown(other), shown(item));
      return `${at} has ${key} ${quoted(item[key])} twice with different contents: ${first} and ${second}`;
    });
    return other === undefined;
  });
  return [...left, ...added];
}

const shown = (value: unknown): string => {
  const bareValue = value instanceof k8s.Quantity || value instanceof k8s.IntOrString ? value.value : value;
  return typeof bareValue === 'string' ? bareValue : sorted(bareValue);
};

const same = (left: unknown, right: unknown): boolean => sorted(left) === sorted(right);

/** JSON with sorted keys, so that equal things are equal text. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, child: unknown) => {
    if (child instanceof k8s.Quantity || child instanceof k8s.IntOrString) return child.value;
    return isRecord(child)
      ? Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1)))
      : child;
  });
