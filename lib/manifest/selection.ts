import {
  APP_NAME_LABEL,
  JOBSET_NAME_LABEL,
  JOB_NAME_LABEL,
  LEGACY_JOB_NAME_LABEL,
  LWS_NAME_LABEL,
  LWS_WORKER_INDEX_LABEL,
  MONITORING_GROUP,
  NETWORKING_GROUP,
  PROMETHEUS_OPERATOR_GROUP,
  RAY_NODE_LABEL,
  RAY_NODE_TYPE_LABEL,
} from '../facts/labels';
import { isRuntimePort } from '../facts/ports';
import { nearestWords } from '../problems/nearest';
import { wordsOf } from './command-line';
import { changesPorts } from './kustomize';
import {
  at,
  groupOf,
  type Json,
  list,
  type ManifestObject,
  number,
  record,
  text,
  together,
} from './manifest';
import { type ContainerView, type PodView, records } from './pods';
import { type ManifestSet, perSet } from './set';

// The pods that Services, monitoring and policies select, and the ports of those pods.

/** A port that a container declares. */
export interface PortView {
  readonly container: string;
  readonly name: string | undefined;
  readonly number: number | undefined;
}

/** An object that selects pods by their labels. */
export interface Selecting {
  readonly object: ManifestObject;
  /** A label selector; for a Service, its selector as `matchLabels`. */
  readonly selector: Json;
  /** The selected pods that are applied together with the object. */
  readonly pods: readonly PodView[];
  /** All selected pods of the set, alternatives included. */
  readonly all: readonly PodView[];
}

/** Keys of labels that a controller adds to its pods. Most of their values are known only in the cluster. */
const ADDED_LATER: Readonly<Record<PodView['runs'] | 'JobSet', RegExp>> = {
  Pod: /^$/,
  Other: /./,
  Deployment: /^pod-template-hash$/,
  ReplicaSet: /^pod-template-hash$/,
  DaemonSet: /^(controller-revision-hash|pod-template-generation)$/,
  StatefulSet: /^(controller-revision-hash|statefulset\.kubernetes\.io\/.*|apps\.kubernetes\.io\/pod-index)$/,
  Job: /^(job-name|controller-uid|batch\.kubernetes\.io\/.*)$/,
  JobSet: /^(job-name|controller-uid|batch\.kubernetes\.io\/.*|jobset\.sigs\.k8s\.io\/.*)$/,
  LeaderWorkerSet:
    /^(controller-revision-hash|statefulset\.kubernetes\.io\/.*|apps\.kubernetes\.io\/pod-index|leaderworkerset\.sigs\.k8s\.io\/.*)$/,
  RayHead: /^(ray\.io\/.*|app\.kubernetes\.io\/created-by)$/,
  RayWorkers: /^(ray\.io\/.*|app\.kubernetes\.io\/created-by)$/,
};

/** The added labels whose values follow from the manifest. */
function addedLabels({ object, runs, role }: PodView): Readonly<Record<string, string>> {
  const name = text(object.manifest, 'metadata', 'name');
  if (runs === 'RayHead' || runs === 'RayWorkers')
    return {
      [APP_NAME_LABEL]: 'kuberay',
      [RAY_NODE_LABEL]: 'yes',
      [RAY_NODE_TYPE_LABEL]: runs === 'RayHead' ? 'head' : 'worker',
    };
  if (name === undefined) return {};
  if (object.kind === 'Job') return { 'job-name': name, [JOB_NAME_LABEL]: name };
  if (object.kind === 'JobSet') return { [JOBSET_NAME_LABEL]: name };
  if (object.kind === 'LeaderWorkerSet')
    return { [LWS_NAME_LABEL]: name, ...(role === 'leader' && { [LWS_WORKER_INDEX_LABEL]: LEADER_INDEX }) };
  return {};
}

/** Value of a pod's label; undefined if the pod does not have it, `?` if the value is known only in the cluster. */
function labelOf(pod: PodView, key: string): unknown {
  const known = pod.labels[key] ?? addedLabels(pod)[key];
  return (
    known ?? (ADDED_LATER[pod.object.kind === 'JobSet' ? 'JobSet' : pod.runs].test(key) ? '?' : undefined)
  );
}

const JOB_NAMES: readonly string[] = [JOB_NAME_LABEL, LEGACY_JOB_NAME_LABEL];

/**
 * The names of the Jobs of a JobSet, without their indexes; undefined for other pods, and if the JobSet gets its name later.
 *
 * @see https://jobset.sigs.k8s.io/docs/concepts/
 */
function jobsOf({ object: { kind, manifest }, path }: PodView): string | undefined {
  const name = text(manifest, 'metadata', 'name');
  const [, job] = /^spec\.replicatedJobs\[(.+?)\]/.exec(path) ?? [];
  return kind === 'JobSet' && name !== undefined && job !== undefined ? `${name}-${job}` : undefined;
}

/** The name of a Job without the index that a JobSet gives it. */
const withoutIndex = (name: unknown): string => String(name).replace(/-\d+$/, '');

/** The index of a leader: https://github.com/kubernetes-sigs/lws/blob/v0.10.0/pkg/controllers/leaderworkerset_controller.go */
const LEADER_INDEX = '0';

const hasLabel = (pod: PodView, key: string, value: unknown): boolean => {
  const own = pod.labels[key];
  // A shortcut: most labels are written, and most do not match.
  if (own !== undefined) return own === value;
  if (pod.role === 'worker' && key === LWS_WORKER_INDEX_LABEL && value === LEADER_INDEX) return false;
  const label = labelOf(pod, key);
  if (label !== '?' || !JOB_NAMES.includes(key)) return label === value || label === '?';
  const jobs = jobsOf(pod);
  return jobs === undefined || (jobs === withoutIndex(value) && jobs !== value);
};

/** Whether a label selector selects a pod, as far as its labels are known before it runs. */
export function selects(selector: Json, pod: PodView): boolean {
  return (
    Object.entries(record(selector, 'matchLabels')).every(([key, value]) => hasLabel(pod, key, value)) &&
    records(selector, 'matchExpressions').every((expression) => {
      const key = text(expression, 'key') ?? '';
      const values = list(expression, 'values');
      const label = labelOf(pod, key);
      switch (text(expression, 'operator')) {
        case 'In':
          return values.some((value) => hasLabel(pod, key, value));
        case 'NotIn':
          return !values.includes(label);
        case 'Exists':
          return label !== undefined;
        case 'DoesNotExist':
          return label === undefined;
        default:
          return true;
      }
    })
  );
}

/** Groups values by key; the values of a key keep their order. */
export function grouped<K, V>(pairs: Iterable<readonly [K, V]>): ReadonlyMap<K, readonly V[]> {
  const groups = new Map<K, V[]>();
  for (const [key, value] of pairs) {
    const same = groups.get(key);
    if (same) same.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

const byNamespace = perSet((set) => grouped(set.pods.map((pod) => [pod.object.namespace, pod])));

/** The pods of a namespace by each known value of a label. Indexes only the labels that selectors name. */
const byLabel = perSet((set) => {
  const found = new Map<string, ReadonlyMap<string, readonly PodView[]>>();
  return (namespace: string | undefined, key: string, value: unknown): readonly PodView[] => {
    const place = JSON.stringify([namespace ?? null, key]);
    let pods = found.get(place);
    if (!pods) found.set(place, (pods = grouped(podsIn(set, namespace).flatMap((pod) => valueOf(pod, key)))));
    return pods.get(String(value)) ?? [];
  };
});

/** A pod with the known value of its label; empty if it has none. */
function valueOf(pod: PodView, key: string): readonly (readonly [string, PodView])[] {
  const labels: Json = Object.hasOwn(pod.labels, key) ? pod.labels : addedLabels(pod);
  return Object.hasOwn(labels, key) ? [[String(labels[key]), pod]] : [];
}

/** The pods of a namespace with a label whose value is known only in the cluster. */
const byUnknownLabel = perSet((set) => {
  const found = new Map<string, ReadonlyMap<string, readonly PodView[]>>();
  return (namespace: string | undefined, key: string, value: unknown): readonly PodView[] => {
    const place = JSON.stringify([namespace ?? null, key]);
    // Cached, because a set can have many Services that each select the Jobs of one JobSet.
    const pods =
      found.get(place) ??
      grouped(
        podsIn(set, namespace)
          .filter((pod) => !(key in pod.labels) && labelOf(pod, key) === '?')
          .map((pod) => [(JOB_NAMES.includes(key) ? jobsOf(pod) : undefined) ?? '', pod]),
      );
    found.set(place, pods);
    return ['', ...(JOB_NAMES.includes(key) ? [withoutIndex(value)] : [])].flatMap(
      (one) => pods.get(one) ?? [],
    );
  };
});

const placeOf = perSet((set) => new Map(set.pods.map((pod, index) => [pod, index])));

/** The pods of a namespace, or of all, that a label selector selects, found by the first of its labels. */
function selectedIn(set: ManifestSet, namespace: string | undefined, selector: Json): readonly PodView[] {
  const [label] = Object.entries(record(selector, 'matchLabels'));
  if (label === undefined) return selected(podsIn(set, namespace), selector);
  const known = byLabel(set)(namespace, ...label);
  const unknown = byUnknownLabel(set)(namespace, ...label);
  const place = (pod: PodView): number => placeOf(set).get(pod) ?? 0;
  return [...selected([...known, ...unknown], selector)].sort((a, b) => place(a) - place(b));
}

/** The pods that an object selects by a label selector. */
export function selecting(
  set: ManifestSet,
  object: ManifestObject,
  selector: Json,
  pods?: readonly PodView[],
): Selecting {
  const all = pods ?? selectedIn(set, object.namespace, selector);
  return { object, selector, all, pods: all.filter((pod) => together(object, pod.object)) };
}

/** The pods of a namespace, or of all. */
const podsIn = (set: ManifestSet, namespace: string | undefined): readonly PodView[] =>
  namespace === undefined ? set.pods : (byNamespace(set).get(namespace) ?? []);

/** The objects of a kind in an API group. The group is needed because two groups can have a kind of the same name. */
export function ofGroup(set: ManifestSet, kind: string, group: string): readonly ManifestObject[] {
  const known = groupsOf(set);
  const place = `${kind}\n${group}`;
  let objects = known.get(place);
  if (!objects) {
    objects = set.ofKind(kind).filter(({ manifest }) => groupOf(text(manifest, 'apiVersion')) === group);
    known.set(place, objects);
  }
  return objects;
}

const groupsOf = perSet(() => new Map<string, readonly ManifestObject[]>());

/** The Services that select pods. */
export const servicesOf = perSet((set): readonly Selecting[] =>
  ofGroup(set, 'Service', '').flatMap((object) => {
    const selector = { matchLabels: record(object.manifest, 'spec', 'selector') };
    if (Object.keys(selector.matchLabels).length === 0) return [];
    if (text(object.manifest, 'spec', 'type') === 'ExternalName') return [];
    return [selecting(set, object, selector)];
  }),
);

/** The PodMonitorings and ClusterPodMonitorings. */
export const monitoringsOf = perSet((set): readonly Selecting[] =>
  (['PodMonitoring', 'ClusterPodMonitoring'] as const).flatMap((kind) =>
    ofGroup(set, kind, MONITORING_GROUP).map((object) => {
      const selector = record(object.manifest, 'spec', 'selector');
      return selecting(
        set,
        object,
        selector,
        kind === 'PodMonitoring' ? undefined : selectedIn(set, undefined, selector),
      );
    }),
  ),
);

const byPod = (some: readonly Selecting[]): ReadonlyMap<PodView, readonly Selecting[]> =>
  grouped(some.flatMap((one) => one.pods.map((pod): readonly [PodView, Selecting] => [pod, one])));
const servicesByPod = perSet((set) => byPod(servicesOf(set)));
const monitoringsByPod = perSet((set) => byPod(monitoringsOf(set)));

/** The Services that select a pod. */
export const servicesFor = (set: ManifestSet, pod: PodView): readonly Selecting[] =>
  servicesByPod(set).get(pod) ?? [];

/** The PodMonitorings that select a pod. */
export const monitoringsFor = (set: ManifestSet, pod: PodView): readonly Selecting[] =>
  monitoringsByPod(set).get(pod) ?? [];

const servicesByObject = perSet((set) => new Map(servicesOf(set).map((one) => [one.object, one.pods])));

/** The pods that one Service selects. */
export const selectedByService = (set: ManifestSet, service: ManifestObject): readonly PodView[] =>
  servicesByObject(set).get(service) ?? [];

/** The pods that a Service selects. */
export const servedPods = perSet((set) => takenBy(servicesOf(set)));

/** The Services by each of their labels, of one namespace and (`undefined`) of all. */
const servicesByLabel = perSet((set) =>
  grouped(
    servicesOf(set).flatMap((one) =>
      [one.object.namespace, undefined].flatMap((namespace) =>
        Object.entries(record(one.object.manifest, 'metadata', 'labels')).map(
          ([key, value]): readonly [string, Selecting] => [labelledAnywhere(namespace, key, value), one],
        ),
      ),
    ),
  ),
);

const labelledAnywhere = (namespace: string | undefined, key: string, value: unknown): string =>
  JSON.stringify([namespace ?? null, key, value]);

/** The Services of a namespace, or of all, whose labels a ServiceMonitor selects. */
function monitoredServices(
  set: ManifestSet,
  namespace: string | undefined,
  wanted: readonly (readonly [string, unknown])[],
): readonly Selecting[] {
  const [first, ...others] = wanted;
  if (first === undefined)
    return servicesOf(set).filter((one) => namespace === undefined || one.object.namespace === namespace);
  return (servicesByLabel(set).get(labelledAnywhere(namespace, ...first)) ?? []).filter(({ object }) => {
    const labels = record(object.manifest, 'metadata', 'labels');
    return others.every(([key, value]) => labels[key] === value);
  });
}

/** The pods that monitors of the Prometheus operator select: a PodMonitor directly, a ServiceMonitor by Services. */
const operatorMonitors = perSet((set): readonly PodView[] => {
  const inOwn = ({ manifest }: ManifestObject): boolean =>
    at(manifest, 'spec', 'namespaceSelector') === undefined;
  // Many monitors with one selector are one look-up.
  const selectorsOf = (kind: string): readonly (readonly [string | undefined, Json])[] => {
    const selectors = new Map<string, readonly [string | undefined, Json]>();
    for (const monitor of ofGroup(set, kind, PROMETHEUS_OPERATOR_GROUP)) {
      const namespace = inOwn(monitor) ? monitor.namespace : undefined;
      const selector = record(monitor.manifest, 'spec', 'selector');
      selectors.set(JSON.stringify([namespace ?? null, selector]), [namespace, selector]);
    }
    return [...selectors.values()];
  };
  return [
    ...selectorsOf('PodMonitor').flatMap(([namespace, selector]) => selectedIn(set, namespace, selector)),
    ...selectorsOf('ServiceMonitor').flatMap(([namespace, selector]) =>
      monitoredServices(set, namespace, Object.entries(record(selector, 'matchLabels'))).flatMap(
        ({ all }) => all,
      ),
    ),
  ];
});

/** The pods that metrics are collected from. */
export const monitoredPods = perSet(
  (set): ReadonlySet<PodView> => new Set([...takenBy(monitoringsOf(set)), ...operatorMonitors(set)]),
);

/** The PodDisruptionBudgets. */
const budgetsOf = perSet((set): readonly Selecting[] =>
  ofGroup(set, 'PodDisruptionBudget', 'policy').map((object) => {
    const selector = record(object.manifest, 'spec', 'selector');
    return selecting(set, object, selector);
  }),
);

/** The pods that a PodDisruptionBudget counts. */
export const budgetedPods = perSet((set) => takenBy(budgetsOf(set)));

const ingressPolicies = perSet((set) =>
  grouped(
    ofGroup(set, 'NetworkPolicy', NETWORKING_GROUP).flatMap((object) => {
      const types = list(object.manifest, 'spec', 'policyTypes');
      if (types.length > 0 && !types.includes('Ingress')) return [];
      return podsOfPolicy(set, object).map((pod): readonly [PodView, ManifestObject] => [pod, object]);
    }),
  ),
);

/** The NetworkPolicies that restrict connections to a pod. */
export const ingressPoliciesFor = (set: ManifestSet, pod: PodView): readonly ManifestObject[] =>
  ingressPolicies(set).get(pod) ?? [];

/** The pods that a NetworkPolicy selects. */
export const podsOfPolicy = (set: ManifestSet, { namespace, manifest }: ManifestObject): readonly PodView[] =>
  selectedIn(set, namespace, record(manifest, 'spec', 'podSelector'));

/** The HorizontalPodAutoscalers of a set. */
export const autoscalersOf = (set: ManifestSet): readonly ManifestObject[] =>
  ofGroup(set, 'HorizontalPodAutoscaler', 'autoscaling');

const named = (namespace: string, kind: string, name: string): string => [namespace, kind, name].join('\n');

const byName = perSet((set) =>
  grouped(set.objects.map((one) => [named(one.namespace, one.kind, one.name), one])),
);

/** Whether a set has an object with this kind and name. */
export const hasNamed = (set: ManifestSet, namespace: string, kind: string, name: string): boolean =>
  byName(set).has(named(namespace, kind, name));

/** The object with this kind and name that is applied together with `other`. */
export const objectNamed = (
  set: ManifestSet,
  other: ManifestObject,
  kind: string,
  name: string,
  namespace = other.namespace,
): ManifestObject | undefined =>
  byName(set)
    .get(named(namespace, kind, name))
    ?.find((one) => together(one, other));

const byObject = perSet((set) => grouped(set.pods.map((pod) => [pod.object, pod])));

/** The pod templates of an object. */
export const podsOfObject = (set: ManifestSet, object: ManifestObject): readonly PodView[] =>
  byObject(set).get(object) ?? [];

const selected = (pods: readonly PodView[], selector: Json): readonly PodView[] =>
  pods.filter((pod) => selects(selector, pod));

/** Whether an init container keeps running next to the other containers. */
export const isSidecar = ({ init, container }: ContainerView): boolean =>
  init && text(container, 'restartPolicy') === 'Always';

/** The ports that the containers of a pod declare. */
export function portsOf(pod: PodView): readonly PortView[] {
  const declared = pod.containers
    .filter((one) => !one.init || isSidecar(one))
    .flatMap(({ name: container, container: spec }) =>
      records(spec, 'ports').map((port) => ({
        container,
        name: text(port, 'name'),
        number: number(port, 'containerPort'),
      })),
    );
  // KubeRay adds the metrics port.
  return runsRay(pod) ? [...declared, { container: 'ray', name: 'metrics', number: 8080 }] : declared;
}

export const runsRay = (pod: PodView): boolean => pod.runs === 'RayHead' || pod.runs === 'RayWorkers';

export const isPort = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '');

/**
 * Whether one of `pods` has a port. A port name must be declared. A process can listen on a port number without a declaration, so the
 * result is `unknown` for a number if a pod declares no ports, or if the pods run Ray, whose proxies listen on every pod. It is also
 * `unknown` if Kustomize changes ports.
 */
export function findPort(
  pods: readonly PodView[],
  port: string | number,
): 'declared' | 'missing' | 'unknown' {
  if (pods.some(({ object }) => changesPorts(object))) return 'unknown';
  const ports = pods.map(portsOf);
  if (ports.flat().some(({ name, number: value }) => port === name || port === value)) return 'declared';
  return typeof port === 'number' && (pods.some(runsRay) || ports.some((own) => own.length === 0))
    ? 'unknown'
    : 'missing';
}

/** Whether a container names a port in its command or in a variable. It can then listen on the port without declaring it. */
export const namesPort = (pod: PodView, port: number): boolean =>
  pod.containers.some(
    (one) =>
      wordsOf(one).some((word) => new RegExp(`(^|[^\\d.])${String(port)}($|[^\\d.])`).test(word)) ||
      records(one.container, 'env').some((variable) => text(variable, 'value') === String(port)),
  );

/** Whether the containers of a pod declare ports other than the ports of the TPU runtime. */
export const declaresServerPorts = (pod: PodView): boolean =>
  portsOf(pod).some((one) => !isRuntimePort(one.number));

/** Ports in words, for example `8000 ('http' of container 'vllm')`. */
export function portsInWords(ports: readonly PortView[]): string {
  const words = ports.map(({ container, name, number: value }) => {
    const where = name === undefined ? `container '${container}'` : `'${name}' of container '${container}'`;
    return `${value === undefined ? 'no number' : String(value)} (${where})`;
  });
  return [...new Set(words)].join(' or ');
}

/** The pods that the objects select, alternatives included. */
export const takenBy = (some: readonly Selecting[]): ReadonlySet<PodView> =>
  new Set(some.flatMap(({ all }) => all));

/**
 * Returns the pod that a selector without a match was probably meant for: a pod with one of the labels, or with all of the keys and other
 * values. It also has the name of the object, or no other object of the kind selects it (`taken`) and it is the only candidate or similar
 * enough (`isMeant`).
 */
export function meantBy(
  set: ManifestSet,
  { object, selector }: Selecting,
  taken: ReadonlySet<PodView>,
): PodView | undefined {
  const wanted = Object.entries(record(selector, 'matchLabels'));
  if (wanted.length === 0) return undefined;
  const near = podsIn(set, object.namespace).filter((pod) => together(object, pod.object));
  const [first] = near;
  const isOnly = near.every((pod) => pod.object === first?.object);
  const equal = (pod: PodView): number => wanted.filter(([key, value]) => pod.labels[key] === value).length;
  const candidates = near.filter(
    (pod) =>
      (equal(pod) > 0 || wanted.every(([key]) => pod.labels[key] !== undefined)) &&
      (pod.object.name === object.name || (!taken.has(pod) && (isOnly || isMeant(wanted, pod)))),
  );
  return candidates.sort((a, b) => equal(b) - equal(a))[0];
}

/** Whether a selector was probably meant for a pod: each value is under another key, or is misspelled. */
const isMeant = (wanted: readonly (readonly [string, unknown])[], { labels }: PodView): boolean =>
  wanted.every(
    ([key, value]) =>
      Object.values(labels).includes(value) ||
      nearestWords(String(value), [text(labels, key) ?? '']).length > 0,
  );

/** Labels in words: `app: llama, tier: web`. */
export const labelsInWords = (labels: Json): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');

/** A label selector in words. */
export const selectorInWords = (selector: Json): string =>
  [
    labelsInWords(record(selector, 'matchLabels')),
    ...records(selector, 'matchExpressions').map((expression) =>
      [expression['key'], expression['operator'], ...list(expression, 'values')]
        .filter((word) => typeof word === 'string')
        .join(' '),
    ),
  ]
    .filter((words) => words !== '')
    .join(', ') || '{}';

/** The values that a pod has for the keys of some labels. */
export const sameKeys = (labels: Json, pod: PodView): Json =>
  Object.fromEntries(
    Object.keys(labels)
      .filter((key) => at(pod.labels, key) !== undefined)
      .map((key) => [key, pod.labels[key]]),
  );
