import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Problem, Problems } from '../problems/problems';
import {
  anyObject,
  essential,
  isObject,
  list,
  optional,
  read,
  type Schema,
  type Type,
} from '../problems/schema';
import { fragmentType } from './fragment-type';
import {
  type ContainerFields,
  type MainContainer,
  type PodFragment,
  type SidecarContainer,
} from './fragment';
import { agree, type Exact, fill, fix, isRecord, withoutNulls } from './merge';
import { checkTemplate } from './template-rules';
import { oncePerShape } from './template-shape';
import { isQuantity, isWrapped, quantityValue } from './wrapped';
import { written } from './written';

/** A pod template in the form of a manifest, which a Deployment, Job, JobSet or RayService embeds. */
export interface PodTemplate {
  /** Labels and annotations. */
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  /** The pod's spec. */
  readonly spec: Readonly<Record<string, unknown>>;
}

const FIELDS = [
  ...(['annotations', 'labels', 'nodeSelector', 'tolerations', 'volumes', 'volumeMounts'] as const),
  ...(['env', 'resources', 'container', 'pod'] as const),
];

/** Returns the fields of a fragment, without the other properties of values like `Capacity` and `GcsFuseVolume`. */
const fieldsOf = (fragment: PodFragment): PodFragment =>
  Object.fromEntries(FIELDS.map((field) => [field, fragment[field]]));

/** The parts of a pod. */
export interface PodTemplateParts {
  /** The main container. A fragment in `given` replaces its fields, except the name. */
  readonly container: MainContainer;
  /** Other containers, which fragments do not change. @default - none */
  readonly sidecars?: readonly SidecarContainer[];
  /** Fields that follow from the slice, like those of `tpuResources`. Only `override()` can change them. @default - none */
  readonly facts?: readonly PodFragment[];
  /** Defaults, which `given` replaces; a later fragment replaces an earlier one. @default - none */
  readonly defaults?: readonly PodFragment[];
  /** Fields from the user. Two fragments that set a field to different values are an error. @default - none */
  readonly given?: readonly PodFragment[];
}

/**
 * Builds a pod from a main container, sidecars and fragments.
 *
 * @throws InvalidInputError listing every field that has two values, that contradicts the slice, that Kubernetes 1.29 does not know, or
 * that Kubernetes rejects
 * @example podTemplate({ container: { name: 'server', image: 'server:v1' }, facts: [tpuResources(slice)] })
 */
export function podTemplate(parts: PodTemplateParts): PodTemplate {
  return folded(asFolded(parts), () => foldedTemplate(parts));
}

const folded = oncePerShape<PodTemplate>();

/** Everything of the parts that a template follows from. */
const asFolded = (parts: unknown): unknown =>
  isRecord(parts)
    ? { ...parts, facts: fragmentsAsFolded(parts['facts']), given: fragmentsAsFolded(parts['given']) }
    : parts;

/** Of classes like `Capacity`, only the fields of a fragment count. */
const fragmentsAsFolded = (list: unknown): unknown =>
  Array.isArray(list)
    ? list.map((one: unknown) => (isObject(one) && !isRecord(one) ? fieldsOf(one) : one))
    : list;

function foldedTemplate(parts: PodTemplateParts): PodTemplate {
  const problems = new Problems();
  const {
    container: main,
    sidecars = [],
    facts = [],
    defaults = [],
    given = [],
  } = problems.settle(read(PARTS, parts, problems));
  for (const fragment of given) problems.add(...misplaced(fragment));

  const exact: Exact = new WeakSet();
  const join = (fragments: readonly PodFragment[]): unknown =>
    fragments.reduce<unknown>((sum, one) => agree(sum, plain(fieldsOf(one)), [], problems, exact), {});
  const said = join(given);
  const own = fill(said, fragmentOf(main), 'defaults first', exact);
  const others = defaults.reduce<unknown>((sum, one) => fill(plain(one), sum, 'defaults first', exact), {});
  const whole = fix(fill(own, others, 'given first', exact), join(facts), said, [], problems);
  const folded = withoutUnused(withoutNulls(whole) as Folded, withoutNulls(own) as Folded, sidecars);

  const json = written(specOf(main.name, folded, sidecars), main.name, problems) as PodTemplate;
  problems.throwIfAny();
  const template = { metadata: json.metadata, spec: json.spec };
  checkTemplate(template, main.name, problems);
  problems.throwIfAny();
  return template;
}

const fragments = optional(list(fragmentType, { what: 'a list of fragments' }));
const container: Type<MainContainer> = anyObject('a container, with a name and an image');

/** The schema of the parts, for untyped code. `written()` checks Kubernetes' fields. */
const PARTS: Schema<PodTemplateParts> = {
  properties: {
    container: essential(container, "{ name: 'server', image: 'server:v1' }"),
    sidecars: optional(list(container, { what: 'a list of containers' })),
    facts: fragments,
    defaults: fragments,
    given: fragments,
  },
};

/** Returns a container with defaults for missing fields. */
export const withContainerDefaults = (
  container: SidecarContainer,
  defaults: ContainerFields,
): SidecarContainer => ({
  ...container,
  ...(withoutNulls(
    fill(plain({ ...container, ...UNTOUCHED }), plain(defaults), 'given first', new WeakSet()),
  ) as ContainerFields),
});

/** Returns a container with new values for some fields; `null` removes a field. */
export const withContainerFields = (
  container: SidecarContainer,
  fields: NonNullable<PodFragment['container']>,
): SidecarContainer => {
  const { env, volumeMounts, resources } = container;
  const base = plain({ ...container, ...UNTOUCHED });
  const replaced = withoutNulls(fill(plain(fields), base, 'defaults first', new WeakSet()));
  return { ...(replaced as SidecarContainer), env, volumeMounts, resources };
};

/** Fields of a container that merging does not change. */
const UNTOUCHED = { env: undefined, volumeMounts: undefined, resources: undefined };

/** Returns the problems of fields in the wrong place of a fragment. The compiler accepts them if they come from a typed variable. */
function misplaced({ container, pod }: PodFragment): Problem[] {
  const elsewhere = (
    at: string,
    given: object | null | undefined,
    places: Readonly<Record<string, string>>,
  ): Problem[] =>
    Object.entries(given ?? {})
      .filter(([key, value]) => value !== undefined && Object.hasOwn(places, key))
      .map(([key]) => ({ path: `${at}.${key}`, problem: 'does not belong here', use: places[key] ?? '' }));
  return [
    ...elsewhere('container', container, {
      name: 'to remove it, because the name of the main container is fixed',
      env: "the fragment's own env",
      volumeMounts: "the fragment's own volumeMounts",
      resources: "the fragment's own resources",
    }),
    ...elsewhere('pod', pod, {
      containers: 'container for the main container, and sidecars for other containers',
      nodeSelector: "the fragment's own nodeSelector",
      tolerations: "the fragment's own tolerations",
      volumes: "the fragment's own volumes",
    }),
  ];
}

// ---- from fragments to a spec ---------------------------------------------------------------------------------------

type Texts = Readonly<Record<string, string>>;
type Amounts = Readonly<Record<string, unknown>>;

/** All fragments, merged. */
interface Folded {
  readonly labels?: Texts;
  readonly annotations?: Texts;
  readonly nodeSelector?: Texts;
  readonly tolerations?: readonly k8s.Toleration[];
  readonly volumes?: readonly k8s.Volume[];
  readonly volumeMounts?: readonly k8s.VolumeMount[];
  readonly env?: readonly k8s.EnvVar[];
  readonly resources?: { readonly requests?: Amounts; readonly limits?: Amounts };
  readonly container?: Partial<k8s.Container>;
  readonly pod?: Partial<Omit<k8s.PodSpec, 'initContainers'>> & {
    readonly initContainers?: readonly SidecarContainer[];
  };
}

/** Removes default volumes that no container mounts, because a given volume replaces their mount. */
function withoutUnused(whole: Folded, own: Folded, sidecars: readonly SidecarContainer[]): Folded {
  const { volumes = [], volumeMounts = [], pod } = whole;
  const mounts = [whole, ...sidecars, ...(pod?.initContainers ?? [])].flatMap(
    (one) => one.volumeMounts ?? [],
  );
  const used = [...mounts, ...(own.volumes ?? [])].map(({ name }) => name);
  return { ...whole, volumeMounts, volumes: volumes.filter(({ name }) => used.includes(name)) };
}

/** The fields of the main container as a fragment. */
const fragmentOf = ({ env, volumeMounts, resources, ...container }: MainContainer): unknown =>
  plain({ env, volumeMounts, resources, container: { ...container, name: undefined } });

function specOf(
  name: string,
  folded: Folded,
  sidecars: readonly SidecarContainer[],
): { metadata: k8s.ObjectMeta; spec: k8s.PodSpec } {
  const { labels, annotations, container, pod = {}, env, volumeMounts, resources } = folded;
  const { initContainers, ...others } = pod;
  const { nodeSelector, tolerations, volumes } = folded;
  return {
    metadata: { labels, annotations },
    spec: {
      ...others,
      nodeSelector,
      tolerations: filled(tolerations),
      volumes: filled(volumes),
      initContainers: initContainers?.map(typed),
      containers: [
        typed({ ...container, name, env, volumeMounts: filled(volumeMounts), resources } as MainContainer),
        ...sidecars.map(typed),
      ],
    },
  };
}

/** Returns undefined for an empty list, which Kubernetes does not store. */
const filled = <T>(items: readonly T[] | undefined): T[] | undefined =>
  items === undefined || items.length === 0 ? undefined : [...items];

/** Returns a container with the types of Kubernetes. Removes empty values of variables, which the API server does not store. */
function typed({ env, resources, ...rest }: MainContainer): k8s.Container {
  return {
    ...(plain(rest) as k8s.Container),
    env: filled(env)?.map(
      (one) => plain(one.value === '' ? { ...one, value: undefined } : one) as k8s.EnvVar,
    ),
    resources: amounts(resources),
  };
}

/** Converts an amount to a string, as the API server stores it. A number would differ at every later apply. */
const amount = (value: unknown): k8s.Quantity =>
  quantityValue(String(isWrapped(value) ? value.value : value));

function amounts(resources: MainContainer['resources']): k8s.ResourceRequirements | undefined {
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

/** Returns a copy of plain records, without undefined fields, and with quantities as strings. */
function plain(value: unknown): unknown {
  if (isQuantity(value)) return amount(value);
  if (isWrapped(value) || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, child]) => child !== undefined)
      .map(([key, child]) => [key, plain(child)]),
  );
}
