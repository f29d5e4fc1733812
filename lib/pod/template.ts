import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Problems } from '../problems';
import { type PodFragment, type ResourceAmounts, type Resources } from './fragment';
import { absolutePath, dnsLabel, labelValue, quantity, quoted } from './rules';

/** The container that fragments add to. */
export interface MainContainer extends Omit<k8s.Container, 'resources'> {
  readonly resources?: Resources;
}

/** A container beside the main one; fragments add nothing to it. */
export type Sidecar = MainContainer;

/** A pod template as it stands in a manifest: what a Deployment, Job, JobSet or RayService embeds. */
export interface PodTemplate {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/**
 * Folds fragments into a pod of one main container and its sidecars.
 *
 * @throws InvalidInputError listing every conflict: one thing that two fragments set to two values, a mount of no volume, a TPU
 * request that differs from its limit, a quantity that is none
 */
export function podTemplate(
  container: MainContainer,
  sidecars: readonly Sidecar[],
  fragments: readonly PodFragment[],
): PodTemplate {
  const problems = new Problems();
  const fold = (base: unknown, pick: (fragment: PodFragment) => unknown, at: string): unknown =>
    fragments.reduce<unknown>((sum, fragment) => merge(sum, pick(fragment), at, problems), base);

  const labels = fold(undefined, (f) => f.labels, 'labels') as Record<string, string> | undefined;
  const annotations = fold(undefined, (f) => f.annotations, 'annotations') as
    Record<string, string> | undefined;
  const main = fold(
    container,
    (f) => ({ ...f.container, env: f.env, volumeMounts: f.volumeMounts, resources: f.resources }),
    `container '${container.name}'`,
  ) as MainContainer;
  const spec = fold(
    undefined,
    (f) => ({ ...f.pod, nodeSelector: f.nodeSelector, tolerations: f.tolerations, volumes: f.volumes }),
    'pod',
  ) as Omit<k8s.PodSpec, 'containers'> | undefined;

  const containers = [main, ...sidecars];
  for (const [key, value] of Object.entries(labels ?? {})) problems.add(labelValue(`label ${key}`, value));
  checkContainers([...containers, ...(spec?.initContainers ?? [])], spec?.volumes ?? [], problems);
  problems.throwIfAny();

  return toManifest({
    metadata: { labels, annotations },
    spec: {
      ...spec,
      containers: containers.map((one) => ({
        ...one,
        env: withoutEmptyValues(one.env),
        resources: quantities(one.resources),
      })),
    },
  });
}

/**
 * The one bridge from typed pods to what stands in the manifest, for Kubernetes' own kinds and custom resources alike. Quantities
 * come out as strings: the API server stores them so, and a number would differ at every later apply.
 */
function toManifest(template: k8s.PodTemplateSpec): PodTemplate {
  const json = k8s.toJson_PodTemplateSpec(withStringQuantities(template)) as Partial<PodTemplate>;
  return { metadata: json.metadata ?? {}, spec: json.spec ?? {} };
}

function withStringQuantities<T>(value: T): T {
  if (value instanceof k8s.Quantity) return k8s.Quantity.fromString(String(value.value)) as T;
  if (value instanceof k8s.IntOrString) return value;
  if (Array.isArray(value)) return value.map(withStringQuantities) as T;
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [key, withStringQuantities(child)]),
    ) as T;
  return value;
}

/** An empty value, and an empty list, are stored as none, so none is written. */
const withoutEmptyValues = (env: readonly k8s.EnvVar[] = []): k8s.EnvVar[] | undefined =>
  env.length === 0
    ? undefined
    : env.map(({ value, ...rest }) => (value === undefined || value === '' ? rest : { ...rest, value }));

function quantities(resources: Resources | undefined): k8s.ResourceRequirements | undefined {
  const convert = (amounts: ResourceAmounts | undefined): Record<string, k8s.Quantity> | undefined =>
    amounts &&
    Object.fromEntries(
      Object.entries(amounts).map(([name, amount]) => [name, k8s.Quantity.fromString(amount)]),
    );
  return resources && { requests: convert(resources.requests), limits: convert(resources.limits) };
}

function checkContainers(
  containers: readonly (MainContainer | k8s.Container)[],
  volumes: readonly k8s.Volume[],
  problems: Problems,
): void {
  for (const volume of volumes) problems.add(dnsLabel('volume name', volume.name));
  const seen = new Set<string>();
  for (const { name, env = [], volumeMounts = [], resources } of containers) {
    const at = `container '${name}'`;
    problems.add(dnsLabel('container name', name));
    problems.check(!seen.has(name), `${at} is there twice, expected different names`);
    seen.add(name);
    problems.add(...repeated(env.map((one) => one.name)).map((one) => `${at} sets env '${one}' twice`));
    problems.add(
      ...repeated(volumeMounts.map((one) => one.mountPath)).map((one) => `${at} mounts '${one}' twice`),
    );
    for (const mount of volumeMounts) {
      problems.add(absolutePath(`${at} mountPath`, mount.mountPath));
      problems.check(
        volumes.some((volume) => volume.name === mount.name),
        () =>
          `${at} mounts volume '${mount.name}', which the pod does not have, expected one of ${volumes.map((v) => `'${v.name}'`).join(', ') || 'its volumes, of which there is none'}`,
      );
    }
    const { requests = {}, limits = {} } = (resources ?? {}) as Resources;
    for (const [kind, amounts] of [
      ['requests', requests],
      ['limits', limits],
    ] as const)
      for (const [resource, amount] of Object.entries(amounts))
        problems.add(quantity(`${at} ${kind} ${resource}`, amount));
    problems.check(
      requests[TPU] === limits[TPU],
      `${at} requests ${quoted(requests[TPU] ?? 'none')} ${TPU} with limit ${quoted(limits[TPU] ?? 'none')}, expected both equal to the chips of its host`,
    );
  }
}

/** The resource name of a TPU chip. */
export const TPU = 'google.com/tpu';

const repeated = (names: readonly string[]): readonly string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
];

/** Lists of a pod whose items have a key: one item a key. Other lists are appended to. */
const KEYS: Readonly<Record<string, string>> = {
  env: 'name',
  volumes: 'name',
  volumeMounts: 'mountPath',
  ports: 'containerPort',
  initContainers: 'name',
};

/** Both values together; what they set differently is recorded. */
function merge(left: unknown, right: unknown, at: string, problems: Problems): unknown {
  if (right === undefined) return left;
  if (left === undefined) return isRecord(right) ? merge({}, right, at, problems) : right;
  if (Array.isArray(left) && Array.isArray(right) && !at.endsWith(' command'))
    return mergeLists(left, right, at, problems);
  if (isRecord(left) && isRecord(right)) {
    const both: Record<string, unknown> = { ...left };
    for (const [key, value] of Object.entries(right))
      if (value !== undefined) both[key] = merge(left[key], value, `${at} ${key}`, problems);
    return both;
  }
  problems.check(
    same(left, right),
    () => `${at} is set to ${quoted(shown(left))} and to ${quoted(shown(right))}, expected one value`,
  );
  return left;
}

function mergeLists(left: unknown[], right: unknown[], at: string, problems: Problems): unknown[] {
  const key = KEYS[at.slice(at.lastIndexOf(' ') + 1)];
  const both = [...left];
  for (const item of right) {
    const known = both.find((other) =>
      key === undefined
        ? same(other, item)
        : (other as Record<string, unknown>)[key] === (item as Record<string, unknown>)[key],
    );
    if (known === undefined) both.push(item);
    else
      problems.check(
        same(known, item),
        () =>
          `${at} has ${key === undefined ? '' : `${key} `}${quoted((item as Record<string, unknown>)[key ?? ''])} twice with different contents: ${quoted(shown(known))} and ${quoted(shown(item))}`,
      );
  }
  return both;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;

const shown = (value: unknown): string => (typeof value === 'string' ? value : plain(value));

const same = (left: unknown, right: unknown): boolean => plain(left) === plain(right);

/** JSON with sorted keys, so that equal things are equal text. */
const plain = (value: unknown): string =>
  JSON.stringify(value, (_, child: unknown) =>
    isRecord(child) ? Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1))) : child,
  );
