import { quantityOf, quoted } from '../../problems/validators';
import { at, type Json, list, type ManifestObject, record, text } from '../../manifest/manifest';
import { type PodView, records, TPU } from '../../manifest/pods';
import { rule, type Rule, type Violation } from '../rule';
import { type ManifestSet } from '../../manifest/set';
import { groupOf, labelsInWords, ofGroup, selects } from '../../manifest/selection';
import { specPath } from '../../manifest/slices';

// What the API server refuses: a schema sees some of it, and none sees it before the cluster does.

/** Kinds whose names are known to be DNS names: roles, for one, have other rules. */
const NAMED = new Set(
  (
    'Pod Deployment StatefulSet DaemonSet ReplicaSet Job CronJob Service ServiceAccount Secret ConfigMap ' +
    'PersistentVolume PersistentVolumeClaim HorizontalPodAutoscaler PodDisruptionBudget NetworkPolicy Ingress ' +
    'Namespace PriorityClass StorageClass JobSet RayService RayCluster RayJob LeaderWorkerSet PodMonitoring ' +
    'ClusterPodMonitoring ComputeClass Gateway HTTPRoute InferencePool LocalQueue ClusterQueue ResourceFlavor'
  ).split(' '),
);
/** Those of them whose names are one part of a DNS name. */
const IS_LABEL = new Set(['Service', 'Namespace']);
const LABELS = { max: 63, pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, allowed: "letters, digits and '-'" };
const SUBDOMAINS = {
  max: 253,
  pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  allowed: "letters, digits, '-' and '.'",
};
const VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
const KEY = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const PORT_NAME = /^(?!.*--)(?=.*[a-z])[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/;
const QUANTITY = /^([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$/;

export const ADMISSION_RULES: readonly Rule[] = [
  rule(
    'TPU711',
    'error',
    'labels, annotations, selectors, arguments and environment values are texts',
    function* (set) {
      const maps = [...mapsOf(set)].filter(({ map }) => Object.values(map).some(isNoText));
      for (const { object, path, name, value } of [...maps.flatMap(entriesOf), ...textsOf(set, isNoText)])
        if (isNoText(value))
          yield {
            object,
            path,
            message: `${name} is ${inWords(value)}, which the API server refuses`,
            fix: isScalar(value) ? `write it in quotes, as in "${String(value)}"` : 'write a text',
          };
    },
  ),
  rule('TPU712', 'error', 'labels and annotations have names and values that are allowed', function* (set) {
    for (const map of mapsOf(set)) {
      if (map.what === 'data') continue;
      const values = map.what === 'annotation' ? [] : Object.values(map.map);
      if (
        Object.keys(map.map).every(isKey) &&
        values.every((value) => typeof value === 'string' && isLabelValue(value))
      )
        continue;
      for (const { object, path, key, name, value } of entriesOf(map)) {
        if (!isKey(map.what === 'annotation' ? key.toLowerCase() : key))
          yield { object, path, message: `${name} has a name that is refused`, fix: KEY_FIX };
        else if (map.what !== 'annotation' && typeof value === 'string' && !isLabelValue(value))
          yield {
            object,
            path,
            message: `${name} has the value ${quoted(value)}, which is refused: it is not made of at most 63 letters, digits, '.', '_' and '-' with a letter or digit at both ends`,
            fix: `write '${nearestValue(value)}', or make it an annotation`,
          };
      }
    }
  }),
  rule('TPU713', 'error', 'objects, containers and volumes have names that are allowed', function* (set) {
    for (const object of set.objects) {
      const { manifest, kind } = object;
      if (!NAMED.has(kind)) continue;
      const metadata = record(manifest, 'metadata');
      if (isSet(metadata['name']) || !isSet(metadata['generateName'])) {
        const problem = nameProblem(kind, metadata['name'], IS_LABEL.has(kind) ? LABELS : SUBDOMAINS);
        if (problem) yield { object, path: 'metadata.name', ...problem };
        else if (kind === 'Service' && /^[0-9]/.test(object.name))
          yield {
            object,
            path: 'metadata.name',
            message: `the name '${object.name}' of a Service starts with a digit, which some releases of Kubernetes refuse`,
            fix: `start it with a letter, as in 's${object.name}'`,
            severity: 'warning',
          };
      }
      const problem = isSet(metadata['namespace'])
        ? nameProblem('namespace', metadata['namespace'], LABELS)
        : undefined;
      if (problem) yield { object, path: 'metadata.namespace', ...problem };
    }
    for (const pod of set.pods)
      for (const { what, path, value } of [
        ...pod.containers.map(({ path: place, container }) => ({
          what: 'container',
          path: `${place}.name`,
          value: container['name'],
        })),
        ...pod.volumes.map((volume, index) => ({
          what: 'volume',
          path: `${specPath(pod)}.volumes[${text(volume, 'name') ?? String(index)}].name`,
          value: volume['name'],
        })),
      ]) {
        const problem = nameProblem(what, value, LABELS);
        if (problem) yield { object: pod.object, path, ...problem };
      }
  }),
  rule('TPU714', 'error', 'quantities are whole and well written', function* (set) {
    for (const { object, path, resource, value } of quantitiesOf(set)) {
      const problem = quantityProblem(resource, value);
      if (problem) yield { object, path, ...problem };
    }
  }),
  rule('TPU715', 'error', 'a name is there once in its list', function* (set) {
    for (const { object, path, names, say } of namesOf(set))
      for (const name of repeated(names))
        yield {
          object,
          path: `${path}[${name}]`,
          message: `${say(name)} is there twice, which is refused`,
          fix: 'rename one of the two, or remove it',
        };
  }),
  rule('TPU716', 'error', 'ports have names and numbers that are allowed', function* (set) {
    for (const { object, path, key, value } of portsOf(set)) {
      const problem = portProblem(key, value);
      if (problem) yield { object, path: `${path}.${key}`, ...problem };
    }
  }),
  rule('TPU717', 'error', 'each of several ports of a Service has a name', function* (set) {
    for (const object of ofGroup(set, 'Service', '')) {
      const ports = records(object.manifest, 'spec', 'ports');
      const unnamed = ports.flatMap((port, index) => (isSet(port['name']) ? [] : [index]));
      if (ports.length < 2 || unnamed.length === 0) continue;
      yield {
        object,
        path: `spec.ports[${String(unnamed[0])}]`,
        message: `${String(unnamed.length)} of ${String(ports.length)} ports have no name, which the API server refuses`,
        fix: `name them, as in 'http' and 'metrics'`,
      };
    }
  }),
  rule('TPU718', 'error', 'a selector matches the labels of its own pods', function* ({ pods }) {
    for (const pod of pods) {
      const { object, owner, labels, runs } = pod;
      if (!SELECTING.has(runs) || groupOf(text(object.manifest, 'apiVersion')) !== 'apps') continue;
      const selector = record(owner, 'selector');
      const isEmpty =
        Object.keys(record(selector, 'matchLabels')).length === 0 &&
        list(selector, 'matchExpressions').length === 0;
      if (isEmpty)
        yield {
          object,
          path: 'spec.selector',
          message: `the ${runs} selects no pods, which the API server refuses`,
          fix: `write spec.selector.matchLabels with the labels of the template${
            Object.keys(labels).length > 0 ? `, ${labelsInWords(labels)}` : ', and those labels'
          }`,
        };
      // labels that are no texts are another finding
      else if (
        !selects(
          { ...selector, matchLabels: texts(record(selector, 'matchLabels')) },
          { ...pod, labels: texts(labels) },
        )
      )
        yield {
          object,
          path: 'spec.selector',
          message: `the selector (${labelsInWords(record(selector, 'matchLabels')) || 'matchExpressions'}) does not match the labels of the template (${labelsInWords(labels) || 'none'}), which the API server refuses`,
          fix: 'write the same labels in spec.selector and spec.template.metadata.labels',
        };
    }
  }),
];

const SELECTING = new Set<PodView['runs']>(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet']);

type Problem = Pick<Violation, 'message' | 'fix'>;

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
const texts = (values: Json): Json =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, isScalar(value) ? String(value) : value]),
  );
const repeated = (names: readonly string[]): readonly string[] => {
  const seen = new Set<string>();
  return [...new Set(names.filter((name) => seen.size === seen.add(name).size))];
};

function inWords(value: unknown): string {
  if (typeof value === 'number') return `the number ${String(value)}`;
  if (typeof value === 'boolean') return `the boolean ${String(value)}`;
  return Array.isArray(value) ? 'a list' : 'a map';
}

/** A map of texts: labels, annotations, selectors, data. */
interface TextMap {
  readonly object: ManifestObject;
  readonly path: string;
  readonly what: 'label' | 'annotation' | 'selector' | 'data';
  readonly map: Json;
}

interface Entry {
  readonly object: ManifestObject;
  readonly path: string;
  /** What it is called in a sentence. */
  readonly name: string;
  readonly value: unknown;
}

const entriesOf = ({ object, path, what, map }: TextMap): readonly (Entry & { readonly key: string })[] =>
  Object.entries(map).map(([key, value]) => ({
    object,
    path: `${path}[${key}]`,
    key,
    name: `${what} '${key}'`,
    value,
  }));

function* mapsOf({ objects, pods }: ManifestSet): Generator<TextMap> {
  for (const object of objects) {
    const { manifest, kind } = object;
    if (kind === '') continue;
    yield* metadataOf(object, manifest, 'metadata');
    const spec = record(manifest, 'spec');
    if (kind === 'ConfigMap') yield { object, path: 'data', what: 'data', map: record(manifest, 'data') };
    if (kind === 'Secret')
      for (const path of ['data', 'stringData'] as const)
        yield { object, path, what: 'data', map: record(manifest, path) };
    if (kind === 'Service')
      yield { object, path: 'spec.selector', what: 'selector', map: record(spec, 'selector') };
    else if (NAMED.has(kind))
      yield {
        object,
        path: 'spec.selector.matchLabels',
        what: 'selector',
        map: record(spec, 'selector', 'matchLabels'),
      };
    if (kind === 'JobSet')
      for (const [index, job] of records(spec, 'replicatedJobs').entries())
        yield* metadataOf(
          object,
          record(job, 'template'),
          `spec.replicatedJobs[${text(job, 'name') ?? String(index)}].template.metadata`,
        );
  }
  for (const pod of pods) {
    const { object, template, path, nodeSelector } = pod;
    if (path !== '') yield* metadataOf(object, template, `${path}.metadata`);
    yield { object, path: `${specPath(pod)}.nodeSelector`, what: 'selector', map: nodeSelector };
  }
}

function* metadataOf(object: ManifestObject, of: Json, path: string): Generator<TextMap> {
  yield { object, path: `${path}.labels`, what: 'label', map: record(of, 'metadata', 'labels') };
  yield {
    object,
    path: `${path}.annotations`,
    what: 'annotation',
    map: record(of, 'metadata', 'annotations'),
  };
}

const isNoText = (value: unknown): boolean =>
  value !== null && value !== undefined && typeof value !== 'string';

function* textsOf({ pods }: ManifestSet, wanted: (value: unknown) => boolean): Generator<Entry> {
  for (const { object, containers } of pods)
    for (const { container, name, path } of containers) {
      for (const [index, entry] of records(container, 'env').entries()) {
        if (!wanted(entry['value'])) continue;
        const key = text(entry, 'name') ?? String(index);
        yield {
          object,
          path: `${path}.env[${key}].value`,
          name: `variable '${key}' of container '${name}'`,
          value: entry['value'],
        };
      }
      for (const key of ['command', 'args'] as const)
        for (const [index, value] of list(container, key).entries())
          if (wanted(value))
            yield {
              object,
              path: `${path}.${key}[${String(index)}]`,
              name: `${key}[${String(index)}] of container '${name}'`,
              value,
            };
    }
}

const KEY_FIX =
  "write at most 63 letters, digits, '.', '_' and '-', after a DNS name and '/' where it has a prefix";

const isLabelValue = (value: string): boolean => value.length <= 63 && VALUE.test(value);
const nearestValue = (value: string): string =>
  value
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 63)
    .replace(/[^A-Za-z0-9]+$/, '');

function isKey(key: string): boolean {
  const [name = '', prefix, ...rest] = key.split('/').reverse();
  return (
    rest.length === 0 &&
    name.length <= 63 &&
    KEY.test(name) &&
    (prefix === undefined || (prefix.length <= SUBDOMAINS.max && SUBDOMAINS.pattern.test(prefix)))
  );
}

/** What is wrong with the name of something. */
function nameProblem(
  what: string,
  name: unknown,
  { max, pattern, allowed }: typeof LABELS,
): Problem | undefined {
  if (!isSet(name)) return { message: `a ${what} has no name, which is refused`, fix: 'write its name' };
  if (typeof name !== 'string')
    return {
      message: `the name of a ${what} is ${inWords(name)}, which is refused`,
      fix: isScalar(name) ? `write it in quotes, as in "${String(name)}"` : 'write a text',
    };
  const near = name
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/\./g, max === LABELS.max ? '-' : '.')
    .slice(0, max)
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
  const fix = `write '${pattern.test(near) ? near : 'x'}'`;
  if (name.length > max)
    return {
      message: `the name ${quoted(name)} of a ${what} has ${String(name.length)} characters, more than ${String(max)}, and is refused`,
      fix,
    };
  return pattern.test(name)
    ? undefined
    : {
        message: `the name ${quoted(name)} of a ${what} is not made of lower-case ${allowed} with a letter or digit at both ends, and is refused`,
        fix,
      };
}

function* quantitiesOf({ objects, pods }: ManifestSet): Generator<{
  readonly object: ManifestObject;
  readonly path: string;
  readonly resource: string;
  readonly value: unknown;
}> {
  const amounts = function* (
    object: ManifestObject,
    resources: Json,
    path: string,
  ): ReturnType<typeof quantitiesOf> {
    for (const key of ['requests', 'limits'] as const)
      for (const [resource, value] of Object.entries(record(resources, key)))
        // chips are another rule's
        if (resource !== TPU) yield { object, path: `${path}.${key}[${resource}]`, resource, value };
  };
  const claim = (object: ManifestObject, claimed: Json, path: string): ReturnType<typeof quantitiesOf> =>
    amounts(object, record(claimed, 'spec', 'resources'), `${path}spec.resources`);
  for (const pod of pods) {
    for (const { container, path } of pod.containers)
      yield* amounts(pod.object, record(container, 'resources'), `${path}.resources`);
    for (const [index, volume] of pod.volumes.entries()) {
      const path = `${specPath(pod)}.volumes[${text(volume, 'name') ?? String(index)}]`;
      const value = at(volume, 'emptyDir', 'sizeLimit');
      yield { object: pod.object, path: `${path}.emptyDir.sizeLimit`, resource: 'memory', value };
      yield* claim(
        pod.object,
        record(volume, 'ephemeral', 'volumeClaimTemplate'),
        `${path}.ephemeral.volumeClaimTemplate.`,
      );
    }
  }
  for (const object of objects) {
    if (object.kind === 'PersistentVolumeClaim') yield* claim(object, object.manifest, '');
    if (object.kind === 'StatefulSet')
      for (const [index, template] of records(object.manifest, 'spec', 'volumeClaimTemplates').entries())
        yield* claim(object, template, `spec.volumeClaimTemplates[${String(index)}].`);
  }
}

const BYTES = new Set(['memory', 'ephemeral-storage', 'storage']);

/** What is wrong with a quantity of a resource. */
function quantityProblem(resource: string, value: unknown): Problem | undefined {
  if (value === undefined || value === null) return undefined;
  const written = typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  if (written === undefined || !QUANTITY.test(written))
    return {
      message: `${resource} ${quoted(value)} is not a quantity, which is refused`,
      fix: nearestQuantity(written ?? ''),
    };
  const amount = amountOf(written);
  if (amount < 0)
    return {
      message: `${resource} '${written}' is less than nothing, which is refused`,
      fix: 'write 0 or more',
    };
  if (Number.isInteger(amount)) return undefined;
  if (BYTES.has(resource))
    return {
      message: `${resource} '${written}' is a part of a byte`,
      fix: `write '${written.replace(/m$/, 'Mi')}'`,
    };
  return resource.includes('/') || resource.startsWith('hugepages-')
    ? {
        message: `${resource} '${written}' is not a whole number, which is refused`,
        fix: `write '${String(Math.ceil(amount))}'`,
      }
    : undefined;
}

function amountOf(written: string): number {
  const [, sign, digits = '', suffix = ''] = QUANTITY.exec(written) ?? [];
  const factor = /^[eE]/.test(suffix) ? Number(`1${suffix}`) : (SMALL[suffix] ?? quantityOf(`1${suffix}`));
  return Number(digits) * factor * (sign === '-' ? -1 : 1);
}

const SMALL: Readonly<Record<string, number>> = { n: 1e-9, u: 1e-6 };

function nearestQuantity(written: string): string {
  const [, digits, unit = '', rest = ''] =
    /^\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgtpe]?)(i?b?)\s*$/i.exec(written) ?? [];
  if (digits === undefined) return "write a number with a suffix, as in '500m', '20Gi' or '8G'";
  if (/^i/i.test(rest)) return `write '${digits}${unit.toUpperCase()}i'`;
  return `write '${digits}${/k/i.test(unit) || rest === '' ? unit.toLowerCase() : unit.toUpperCase()}'`;
}

interface Names {
  readonly object: ManifestObject;
  readonly path: string;
  readonly names: readonly string[];
  readonly say: (name: string) => string;
}

const textsAt = (items: readonly Json[], key: string): readonly string[] =>
  items.flatMap((item) => text(item, key) ?? []);

function* namesOf(set: ManifestSet): Generator<Names> {
  for (const pod of set.pods) {
    const { object } = pod;
    const containers = pod.containers.map(({ container }) => container);
    yield {
      object,
      path: `${specPath(pod)}.containers`,
      names: textsAt(containers, 'name'),
      say: (name) => `container '${name}'`,
    };
    yield {
      object,
      path: `${specPath(pod)}.volumes`,
      names: textsAt(pod.volumes, 'name'),
      say: (name) => `volume '${name}'`,
    };
    for (const { container, name: own, path } of pod.containers)
      for (const [list, key, what] of [
        ['env', 'name', 'variable'],
        ['ports', 'name', 'port'],
        ['volumeMounts', 'mountPath', 'mount path'],
      ] as const)
        yield {
          object,
          path: `${path}.${list}`,
          names: textsAt(records(container, list), key),
          say: (name) => `${what} '${name}' of container '${own}'`,
        };
  }
  for (const object of ofGroup(set, 'Service', ''))
    yield {
      object,
      path: 'spec.ports',
      names: textsAt(records(object.manifest, 'spec', 'ports'), 'name'),
      say: (name) => `port '${name}'`,
    };
  for (const object of set.ofKind('JobSet'))
    yield {
      object,
      path: 'spec.replicatedJobs',
      names: textsAt(records(object.manifest, 'spec', 'replicatedJobs'), 'name'),
      say: (name) => `replicated job '${name}'`,
    };
}

function* portsOf(set: ManifestSet): Generator<{
  readonly object: ManifestObject;
  readonly path: string;
  readonly key: 'name' | 'containerPort' | 'port' | 'targetPort';
  readonly value: unknown;
}> {
  for (const { object, containers } of set.pods)
    for (const { container, path } of containers)
      for (const [index, port] of records(container, 'ports').entries())
        for (const key of ['name', 'containerPort'] as const)
          yield { object, path: `${path}.ports[${nameOr(port, index)}]`, key, value: port[key] };
  for (const object of ofGroup(set, 'Service', ''))
    for (const [index, port] of records(object.manifest, 'spec', 'ports').entries())
      for (const key of ['port', 'targetPort'] as const)
        yield { object, path: `spec.ports[${nameOr(port, index)}]`, key, value: port[key] };
}

const nameOr = (item: Json, index: number): string => text(item, 'name') ?? String(index);

/** What is wrong with the name or number of a port. */
function portProblem(key: string, value: unknown): Problem | undefined {
  if (!isSet(value)) return undefined;
  if (key === 'name' || (key === 'targetPort' && typeof value === 'string')) {
    if (typeof value === 'string' && PORT_NAME.test(value)) return undefined;
    if (typeof value === 'string' && /^[0-9]+$/.test(value) && key !== 'name')
      return { message: `${key} '${value}' is a text, which is refused`, fix: `write the number ${value}` };
    const words = typeof value === 'string' ? value : '';
    return {
      message: `port name ${quoted(value)} is not at most 15 lower-case letters, digits and '-', and is refused`,
      fix: `write '${nearestPortName(words)}'`,
    };
  }
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65535) return undefined;
  return {
    message: `${key} ${quoted(value)} is not a number from 1 to 65535, which is refused`,
    fix:
      typeof value === 'string' && /^[0-9]+$/.test(value)
        ? `write the number ${value} without quotes`
        : 'write a number from 1 to 65535',
  };
}

const nearestPortName = (name: string): string => {
  const near = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 15)
    .replace(/-+$/, '');
  return PORT_NAME.test(near) ? near : 'http';
};
