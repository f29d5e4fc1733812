import { RETIRED_METRICS, SERVER_GAUGES } from '../../facts/metrics';
import { quantityOf, quoted } from '../../problems/validators';
import {
  amount,
  at,
  type Json,
  list,
  type ManifestObject,
  number,
  record,
  text,
} from '../../manifest/manifest';
import { modelServerOf } from '../../manifest/model-servers';
import { type ContainerView, type PodView, records } from '../../manifest/pods';
import { remark, rule, type Rule, type Violation } from '../rule';
import { type ManifestSet } from '../../manifest/set';
import {
  autoscalersOf,
  findPort,
  groupOf,
  isPort,
  isRuntimePort,
  isSidecar,
  labelsInWords,
  meantBy,
  monitoredPods,
  monitoringsFor,
  monitoringsOf,
  objectNamed,
  ofGroup,
  podsOfObject,
  portsInWords,
  portsOf,
  type PortView,
  sameKeys,
  type Selecting,
  selectorInWords,
  servicesFor,
  servicesOf,
  takenBy,
} from '../../manifest/selection';
import { specPath } from '../../manifest/slices';

/** What the names of Managed Service for Prometheus start with in an autoscaler: `prometheus.googleapis.com|NAME|TYPE`. */
const PROMETHEUS = 'prometheus.googleapis.com';
const TYPES: readonly string[] = ['gauge', 'counter', 'histogram', 'summary', 'unknown', 'unknown:counter'];

/** A Prometheus duration: https://prometheus.io/docs/prometheus/latest/configuration/configuration/#configuration-file */
const DURATION = /^(?=\d)(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?$/;

const INTERNAL = 'networking.gke.io/load-balancer-type';
const INTERNAL_BEFORE = 'cloud.google.com/load-balancer-type';
const EVERYWHERE: readonly unknown[] = ['0.0.0.0/0', '::/0'];

/** Kinds that make a Secret, and where they say its name; their own name where they say none. */
const SECRET_MAKERS: Readonly<Record<string, readonly string[]>> = {
  Secret: [],
  SealedSecret: ['spec', 'template', 'metadata', 'name'],
  ExternalSecret: ['spec', 'target', 'name'],
  Certificate: ['spec', 'secretName'],
};

/** A metric that an autoscaler reads. */
interface Metric {
  readonly path: string;
  readonly kind: string;
  /** As it is written. */
  readonly written: string;
  /** The parts of a name of Managed Service for Prometheus; undefined for others. */
  readonly name: string | undefined;
  readonly type: string | undefined;
}

/** What refers to something else: Services, monitoring, autoscalers, Secrets. */
export const WIRING_RULES: readonly Rule[] = [
  rule('TPU501', 'error', 'the selector of a Service selects pods', function* (set) {
    const services = servicesOf(set);
    const taken = takenBy(services);
    for (const service of services)
      if (service.pods.length === 0) yield unselected(set, service, taken, 'spec.selector', 'Service');
  }),

  rule(
    'TPU502',
    'error',
    'the targetPort of a Service is a port of the pods that it selects',
    function* (set) {
      for (const { object, pods } of servicesOf(set)) {
        if (pods.length === 0) continue;
        for (const [index, port] of records(object.manifest, 'spec', 'ports').entries()) {
          const target = port['targetPort'] ?? port['port'];
          // Behind a headless Service nobody translates ports.
          if (!isPort(target) || (typeof target === 'number' && isHeadless(object))) continue;
          if (findPort(pods, target) !== 'missing') continue;
          yield {
            object,
            path: `spec.ports[${text(port, 'name') ?? String(index)}].targetPort`,
            message: `targetPort '${String(target)}' is no port of the containers of ${idsOf(pods)}`,
            fix: portFix(pods),
          };
        }
      }
    },
  ),

  rule('TPU503', 'error', 'the selector of a PodMonitoring selects pods', function* (set) {
    const monitorings = monitoringsOf(set);
    const taken = takenBy(monitorings);
    for (const monitoring of monitorings)
      if (monitoring.pods.length === 0)
        yield unselected(set, monitoring, taken, 'spec.selector', monitoring.object.kind);
  }),

  rule(
    'TPU504',
    'error',
    'the port of a PodMonitoring is a port of the pods that it selects',
    function* (set) {
      for (const { object, pods } of monitoringsOf(set)) {
        if (pods.length === 0) continue;
        for (const [index, endpoint] of records(object.manifest, 'spec', 'endpoints').entries()) {
          const port = endpoint['port'];
          if (!isPort(port) || findPort(pods, port) !== 'missing') continue;
          yield {
            object,
            path: `spec.endpoints[${String(index)}].port`,
            message: `port '${String(port)}' is no port of the containers of ${idsOf(pods)}, so nothing is collected and nothing says so`,
            fix: portFix(pods),
            // a number is asked all the same, and may answer
            ...(typeof port === 'number' && { severity: 'warning' as const }),
          };
        }
      }
    },
  ),

  rule('TPU505', 'error', 'the interval of a PodMonitoring is a duration', function* (set) {
    for (const { object } of monitoringsOf(set))
      for (const [index, endpoint] of records(object.manifest, 'spec', 'endpoints').entries()) {
        const interval = endpoint['interval'];
        if (typeof interval === 'string' && DURATION.test(interval)) continue;
        const near = /^\s*(\d+)\s*(ms|[smhd])?/i.exec(
          typeof interval === 'number' ? String(interval) : (text(interval) ?? ''),
        );
        yield {
          object,
          path: `spec.endpoints[${String(index)}].interval`,
          message:
            interval === undefined
              ? 'interval is missing, and the API server refuses a PodMonitoring without it'
              : `interval ${quoted(interval)} is accepted and is not a duration, so nothing is collected`,
          fix: `set interval: ${near?.[1] ?? '15'}${near?.[2]?.toLowerCase() ?? 's'}`,
        };
      }
  }),

  rule('TPU506', 'error', 'the target of an autoscaler is here', function* (set) {
    const targeted = new Set(autoscalersOf(set).map((object) => targetOf(set, object)));
    for (const object of autoscalersOf(set)) {
      const { kind, name, apiVersion } = reference(object);
      const target = targetOf(set, object);
      const path = 'spec.scaleTargetRef';
      const wanted = `${kind}/${name}`;
      if (kind === '' || name === '') continue;
      if (target) {
        const group = groupOf(text(target.manifest, 'apiVersion'));
        if (group === undefined || (groupOf(apiVersion) ?? '') === group) continue;
        const expected = text(target.manifest, 'apiVersion') ?? '';
        yield {
          object,
          path: `${path}.apiVersion`,
          message: `apiVersion '${apiVersion ?? ''}' of the target is not that of ${wanted}, '${expected}'`,
          fix: `set apiVersion: ${expected}`,
        };
        continue;
      }
      const near = set.objects.filter(
        (one) => one.namespace === object.namespace && SCALABLE.includes(one.kind),
      );
      const namesake = near.find((one) => one.name === name);
      const free = near.find((one) => one.kind === kind && !targeted.has(one));
      const meant = namesake ?? free;
      yield {
        object,
        path: meant && meant === namesake ? `${path}.kind` : `${path}.name`,
        message: meant
          ? `target '${wanted}' is not here, and ${meant.id} is`
          : `target '${wanted}' is not among the manifests`,
        fix: meant
          ? `set ${meant === namesake ? `kind: ${meant.kind}` : `name: ${meant.name}`}`
          : `check it together with ${wanted}`,
        ...(!meant && { severity: 'note' as const }),
      };
    }
  }),

  rule('TPU507', 'error', 'the name of an autoscaler metric can be looked up', function* (set) {
    for (const object of autoscalersOf(set))
      for (const { path, written, name, type } of metricsOf(object)) {
        const slash = written.includes('/');
        if (!slash && (name === undefined || (type !== undefined && TYPES.includes(type)))) continue;
        yield {
          object,
          path,
          message: slash
            ? `metric '${written}' has a slash, which the API server refuses`
            : `metric '${written}' ${type === undefined ? 'names no type' : `names the type '${type}', which is none`}`,
          fix: `write ${quoted(name === undefined ? written.replaceAll('/', '|') : `${PROMETHEUS}|${name === '' ? 'NAME' : name}|${TYPES.find((one) => one === type) ?? 'gauge'}`)}`,
        };
      }
  }),

  rule('TPU508', 'error', 'an autoscaler metric is one that servers still export', function* (set) {
    for (const object of autoscalersOf(set))
      for (const { path, written, name } of metricsOf(object)) {
        const retired = name ?? written;
        const successor = RETIRED_METRICS.get(retired);
        if (successor === undefined) continue;
        yield {
          object,
          path,
          message: `metric '${retired}' is no longer exported`,
          fix: `write ${quoted(written.replace(retired, successor))}`,
        };
      }
  }),

  rule('TPU509', 'error', 'an autoscaler metric is a gauge', function* (set) {
    for (const object of autoscalersOf(set))
      for (const { path, name, type } of metricsOf(object)) {
        if (name === undefined || type === undefined || type === 'gauge' || !TYPES.includes(type)) continue;
        const known = SERVER_GAUGES.has(name);
        yield {
          object,
          path,
          message: known
            ? `metric '${name}' is a gauge, and no metric is found under the type '${type}'`
            : `metric '${name}' is read as a ${type}, and only what rises and falls can be averaged over replicas`,
          fix: `write '${PROMETHEUS}|${known ? name : 'NAME'}|gauge'${known ? '' : ' of a metric that is one'}`,
          ...(!known && { severity: 'warning' as const }),
        };
      }
  }),

  remark(
    'TPU510',
    'note',
    'an autoscaler metric is collected from the pods that are scaled',
    function* (set) {
      const monitored = monitoredPods(set);
      for (const object of autoscalersOf(set)) {
        const target = targetOf(set, object);
        const pods = target ? podsOfObject(set, target) : [];
        const [first] = pods;
        if (!target || !first || pods.some((pod) => monitored.has(pod))) continue;
        for (const { path, kind, name } of metricsOf(object)) {
          if (kind !== 'pods' || name === undefined) continue;
          yield {
            object,
            path,
            message: `metric '${name}' is read from the pods of ${target.id}, and no PodMonitoring here collects from them`,
            fix: `add a PodMonitoring that selects '${labelsInWords(first.labels)}'`,
          };
        }
      }
    },
  ),

  rule('TPU511', 'error', 'the numbers of an autoscaler leave it something to do', function* (set) {
    for (const object of autoscalersOf(set)) {
      const min = number(object.manifest, 'spec', 'minReplicas') ?? 1;
      const max = number(object.manifest, 'spec', 'maxReplicas');
      if (max !== undefined && (max < min || max < 1))
        yield {
          object,
          path: 'spec.maxReplicas',
          message: `maxReplicas '${String(max)}' is below ${max < 1 ? '1' : `minReplicas '${String(min)}'`}, which the API server refuses`,
          fix: `set maxReplicas: ${String(Math.max(min, 1))} or more`,
        };
      for (const [index, metric] of records(object.manifest, 'spec', 'metrics').entries())
        for (const source of SOURCES)
          for (const key of ['averageValue', 'value', 'averageUtilization'] as const) {
            const value = amount(metric, source, 'target', key);
            if (value === undefined || !(Number(value) <= 0 || quantityOf(value) <= 0)) continue;
            yield {
              object,
              path: `spec.metrics[${String(index)}].${source}.target.${key}`,
              message: `${key} ${quoted(value)} is not above 0, which the API server refuses`,
              fix: `set the ${key} to aim at, like 10 requests that wait`,
            };
          }
    }
  }),

  remark('TPU512', 'warning', 'the target of an autoscaler has no fixed number of replicas', function* (set) {
    for (const object of autoscalersOf(set)) {
      const target = targetOf(set, object);
      const replicas = number(target?.manifest, 'spec', 'replicas');
      if (!target || replicas === undefined) continue;
      yield {
        object: target,
        path: 'spec.replicas',
        message: `replicas '${String(replicas)}' is fixed and ${object.id} scales it, so each apply undoes what the autoscaler did`,
        fix: 'leave replicas out',
      };
    }
  }),

  remark('TPU513', 'warning', 'a server without authentication is not open to the internet', function* (set) {
    for (const { object, pods } of servicesOf(set)) {
      const [pod] = pods;
      if (!pod || !isExternal(object)) continue;
      const ranges = list(object.manifest, 'spec', 'loadBalancerSourceRanges');
      const restricted = ranges.length > 0 && !ranges.some((range) => EVERYWHERE.includes(range));
      yield {
        object,
        path: 'spec.type',
        message: `a LoadBalancer gives ${idsOf(pods)} an address on the internet, and ${restricted ? `only ${ranges.map(quoted).join(', ')} may connect, but ` : ''}nobody is asked who they are`,
        fix: `set type: ClusterIP behind something that authenticates, or the annotation ${INTERNAL}: Internal`,
        ...(restricted && { severity: 'note' as const }),
      };
    }
    for (const pod of set.pods)
      if (
        pod.runs === 'RayHead' &&
        text(pod.owner, 'serviceType') === 'LoadBalancer' &&
        !isInternal(headServiceAnnotations(pod))
      )
        yield {
          object: pod.object,
          path: `${pod.ownerPath}.serviceType`,
          message:
            "a LoadBalancer gives Ray's head and dashboard an address on the internet, and nobody is asked who they are",
          fix: 'set serviceType: ClusterIP',
        };
  }),

  remark('TPU514', 'note', 'the ServiceAccount of a pod is created here', function* (set) {
    const accounts = new Set(
      ofGroup(set, 'ServiceAccount', '').map(({ namespace, name }) => keyOf(namespace, name)),
    );
    const isFirst = firsts();
    for (const pod of set.pods) {
      const { object, spec } = pod;
      const name = text(spec, 'serviceAccountName') ?? text(spec, 'serviceAccount') ?? '';
      if (name === '' || name === 'default' || accounts.has(keyOf(object.namespace, name))) continue;
      if (!isFirst(object, name)) continue;
      yield {
        object,
        path: `${specPath(pod)}.serviceAccountName`,
        message: `the ServiceAccount '${name}' is created by nothing here, and without it there are no pods`,
        fix: `create it first: kubectl create serviceaccount ${name}${inNamespace(object)}`,
      };
    }
  }),

  rule('TPU515', 'note', 'the Secrets of a pod are created here', function* (set) {
    const secrets = secretsOf(set);
    const isFirst = firsts();
    for (const pod of set.pods)
      for (const { name, key, path, type } of secretsOfPod(pod)) {
        const { object } = pod;
        const keys = secrets.get(keyOf(object.namespace, name));
        if (keys && (key === undefined || keys.length === 0 || keys.includes(key))) continue;
        if (!isFirst(object, keys ? `${name}/${key ?? ''}` : name)) continue;
        if (keys)
          yield {
            object,
            path,
            message: `the Secret '${name}' has no key '${key ?? ''}', so the container is never created`,
            fix: `name one of its keys: ${keys.map(quoted).join(', ')}`,
            severity: 'error',
          };
        else
          yield {
            object,
            path,
            message: `the Secret '${name}' is created by nothing here, and without it the pod does not start`,
            fix: `create it first: kubectl create secret ${type} ${name}${key === undefined ? '' : ` --from-literal=${key}=…`}${inNamespace(object)}`,
          };
      }
  }),

  rule('TPU516', 'error', 'a Service that is not headless has ports', function* (set) {
    for (const object of ofGroup(set, 'Service', '')) {
      if (list(object.manifest, 'spec', 'ports').length > 0 || isHeadless(object)) continue;
      if (text(object.manifest, 'spec', 'type') === 'ExternalName') continue;
      yield {
        object,
        path: 'spec.ports',
        message: 'the Service has no ports, which the API server refuses unless it is headless',
        fix: 'add the port of the server to ports, or set clusterIP: None',
      };
    }
  }),

  rule(
    'TPU517',
    'error',
    'a server listens where its container says, and where it is asked',
    function* (set) {
      for (const pod of set.pods)
        for (const one of pod.containers) {
          const server = modelServerOf(one);
          const flag = server?.flag('--port') ?? '';
          // what runs beside it may be what listens
          if (!server?.alone || !/^\d+$/.test(flag)) continue;
          const listens = Number(flag);
          const declared = portsOf(pod).filter(
            ({ container, number: port }) => container === one.name && !isRuntimePort(port),
          );
          const isDeclared = declared.some((port) => port.number === listens);
          // Saxml's own health checks and metrics are not known to be elsewhere, or not to be
          const asked = server.software === 'vllm' ? askedPorts(set, pod, one, declared) : [];
          const astray = asked.filter(({ port }) => port !== listens);
          if (declared.length > 0 && !isDeclared)
            yield {
              object: pod.object,
              path: `${one.path}.args`,
              message: `container '${one.name}' listens on port ${flag}, which --port says, and declares ${portsInWords(declared)}${astray.length > 0 ? `, which ${astray.map(({ who }) => who).join(' and ')} ask${astray.length > 1 ? '' : 's'}` : ''}`,
              fix: `set --port to the containerPort, or the containerPort to ${flag}`,
              // what nobody asks is information
              ...(astray.length === 0 && { severity: 'warning' as const }),
            };
          else
            for (const { object, path, who, port } of astray)
              yield {
                object,
                path,
                message: `${who} asks port ${String(port)}, and --port of container '${one.name}' has the server listen on ${flag}`,
                fix: `ask port ${flag}, or set --port to ${String(port)}`,
              };
        }
    },
  ),
];

/** A port of a container that something asks. */
interface AskedPort {
  readonly object: ManifestObject;
  readonly path: string;
  readonly who: string;
  readonly port: number;
}

const whoIs = ({ kind, name }: ManifestObject): string => `the ${kind} '${name}'`;

/** The ports of a container that its own probes, Services and monitoring ask, as far as they are numbers in the end. */
function askedPorts(
  set: ManifestSet,
  pod: PodView,
  { container, name, path }: ContainerView,
  declared: readonly PortView[],
): readonly AskedPort[] {
  const numberOf = (port: unknown): number | undefined => {
    if (typeof port === 'number') return port;
    return typeof port === 'string' ? declared.find((one) => one.name === port)?.number : undefined;
  };
  const asked = (object: ManifestObject, place: string, who: string, port: unknown): readonly AskedPort[] => {
    const found = numberOf(port);
    return found === undefined ? [] : [{ object, path: place, who, port: found }];
  };
  // an undeclared number can only mean the one container there is
  const alone = pod.containers.filter((one) => !one.init || isSidecar(one)).length === 1;
  const isDeclared = (port: unknown): boolean =>
    port !== undefined && declared.some((one) => one.name === port || one.number === port);
  const isOwn = (port: unknown): boolean =>
    isDeclared(port) || (alone && declared.length === 0 && typeof port === 'number');
  return [
    ...(['startupProbe', 'readinessProbe', 'livenessProbe'] as const).flatMap((probe) =>
      (['httpGet', 'tcpSocket'] as const).flatMap((action) => {
        const port = at(container, probe, action, 'port');
        // the kubelet asks the address of the pod, where others may listen
        return at(container, probe, action, 'host') === undefined && (alone || isDeclared(port))
          ? asked(pod.object, `${path}.${probe}.${action}.port`, `the ${probe} of container '${name}'`, port)
          : [];
      }),
    ),
    ...servicesFor(set, pod).flatMap(({ object }) =>
      records(object.manifest, 'spec', 'ports').flatMap((port, index) => {
        const target = port['targetPort'] ?? port['port'];
        const place = `spec.ports[${text(port, 'name') ?? String(index)}].targetPort`;
        return isOwn(target) ? asked(object, place, whoIs(object), target) : [];
      }),
    ),
    ...monitoringsFor(set, pod).flatMap(({ object }) =>
      records(object.manifest, 'spec', 'endpoints').flatMap(({ port }, index) =>
        isOwn(port) ? asked(object, `spec.endpoints[${String(index)}].port`, whoIs(object), port) : [],
      ),
    ),
  ];
}

/** Kinds that can be scaled. */
const SCALABLE: readonly string[] = ['Deployment', 'StatefulSet', 'ReplicaSet', 'LeaderWorkerSet'];
const SOURCES = ['pods', 'external', 'object', 'resource', 'containerResource'] as const;

const idsOf = (pods: readonly PodView[]): string =>
  [...new Set(pods.map(({ object }) => object.id))].join(' and ');

const isHeadless = ({ manifest }: ManifestObject): boolean => text(manifest, 'spec', 'clusterIP') === 'None';

function unselected(
  set: ManifestSet,
  selecting: Selecting,
  taken: ReadonlySet<PodView>,
  path: string,
  kind: string,
): Violation {
  const { object, selector } = selecting;
  const meant = meantBy(set, selecting, taken);
  const words = selectorInWords(selector);
  return {
    object,
    path,
    message: meant
      ? `the selector '${words}' selects no pod, and those of ${meant.object.id} have the labels '${labelsInWords(meant.labels)}'`
      : `the selector '${words}' selects no pod of these manifests`,
    fix: meant
      ? `select '${labelsInWords(sameKeys(record(selector, 'matchLabels'), meant))}'`
      : `check the ${kind} together with what runs its pods`,
    ...(!meant && { severity: 'note' as const }),
  };
}

function portFix(pods: readonly PodView[]): string {
  const words = portsInWords(pods.flatMap(portsOf));
  return words === '' ? 'declare the port in ports of the container that listens on it' : `write ${words}`;
}

function reference({ manifest }: ManifestObject): {
  readonly kind: string;
  readonly name: string;
  readonly apiVersion: string | undefined;
} {
  const target = record(manifest, 'spec', 'scaleTargetRef');
  return {
    kind: text(target, 'kind') ?? '',
    name: text(target, 'name') ?? '',
    apiVersion: text(target, 'apiVersion'),
  };
}

/** The object that an autoscaler scales, where the set has it. */
function targetOf(set: ManifestSet, autoscaler: ManifestObject): ManifestObject | undefined {
  const { kind, name } = reference(autoscaler);
  return objectNamed(set, autoscaler.namespace, kind, name);
}

function metricsOf({ manifest }: ManifestObject): readonly Metric[] {
  return records(manifest, 'spec', 'metrics').flatMap((metric, index) =>
    SOURCES.flatMap((kind) => {
      const written = text(metric, kind, 'metric', 'name');
      if (written === undefined) return [];
      const [prefix, name, ...type] = written.split(/[|/]/);
      return [
        {
          path: `spec.metrics[${String(index)}].${kind}.metric.name`,
          kind,
          written,
          name: prefix === PROMETHEUS ? (name ?? '') : undefined,
          type: prefix === PROMETHEUS && type.length > 0 ? type.join('|') : undefined,
        },
      ];
    }),
  );
}

/** Whether a Service has an address on the internet. */
function isExternal({ manifest }: ManifestObject): boolean {
  const balancer = text(manifest, 'spec', 'loadBalancerClass');
  return (
    text(manifest, 'spec', 'type') === 'LoadBalancer' &&
    (balancer === undefined || balancer.includes('external')) &&
    !isInternal(record(manifest, 'metadata', 'annotations'))
  );
}

const isInternal = (annotations: Json): boolean =>
  [INTERNAL, INTERNAL_BEFORE].some((key) => text(annotations, key)?.toLowerCase() === 'internal');

/** The annotations that KubeRay gives the Service of a head. */
function headServiceAnnotations({ object, owner, ownerPath }: PodView): Json {
  const cluster = at(object.manifest, ...ownerPath.split('.').slice(0, -1));
  return {
    ...record(cluster, 'headServiceAnnotations'),
    ...record(owner, 'headService', 'metadata', 'annotations'),
  };
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

const inNamespace = ({ namespace }: ManifestObject): string =>
  namespace === '' ? '' : ` --namespace ${namespace}`;

/** Answers whether it is asked about an object and a word for the first time. */
function firsts(): (object: ManifestObject, word: string) => boolean {
  const seen = new Map<ManifestObject, Set<string>>();
  return (object, word) => {
    const words = seen.get(object) ?? new Set();
    seen.set(object, words);
    const first = !words.has(word);
    words.add(word);
    return first;
  };
}

/** The Secrets that a set makes, with their keys; no keys where only the cluster knows them. */
function secretsOf(set: ManifestSet): ReadonlyMap<string, readonly string[]> {
  const secrets = new Map<string, readonly string[]>();
  for (const [kind, path] of Object.entries(SECRET_MAKERS))
    for (const { manifest, name, namespace } of set.ofKind(kind))
      secrets.set(keyOf(namespace, (path.length > 0 ? text(manifest, ...path) : undefined) ?? name), [
        ...Object.keys(record(manifest, 'data')),
        ...Object.keys(record(manifest, 'stringData')),
      ]);
  for (const { manifest, namespace } of set.ofKind('SecretProviderClass'))
    for (const secret of records(manifest, 'spec', 'secretObjects'))
      secrets.set(keyOf(namespace, text(secret, 'secretName') ?? ''), []);
  return secrets;
}

/** A Secret that a pod cannot start without. */
interface SecretUse {
  readonly name: string;
  readonly key: string | undefined;
  readonly path: string;
  /** What `kubectl create secret` calls it. */
  readonly type: 'generic' | 'docker-registry';
}

function secretsOfPod(pod: PodView): readonly SecretUse[] {
  const path = specPath(pod);
  const use = (
    reference: unknown,
    nameKey: string,
    place: string,
    key?: string,
    type: SecretUse['type'] = 'generic',
  ): readonly SecretUse[] => {
    const name = text(reference, nameKey);
    return name === undefined || name === '' || at(reference, 'optional') === true
      ? []
      : [{ name, key, path: place, type }];
  };
  return [
    ...pod.containers.flatMap(({ container, path: place }) => [
      ...records(container, 'env').flatMap((variable) => {
        const reference = at(variable, 'valueFrom', 'secretKeyRef');
        return use(
          reference,
          'name',
          `${place}.env[${text(variable, 'name') ?? ''}].valueFrom.secretKeyRef`,
          text(reference, 'key'),
        );
      }),
      ...records(container, 'envFrom').flatMap((source, index) =>
        use(at(source, 'secretRef'), 'name', `${place}.envFrom[${String(index)}].secretRef`),
      ),
    ]),
    ...pod.volumes.flatMap((volume) => {
      const place = `${path}.volumes[${text(volume, 'name') ?? ''}]`;
      const keys = records(volume, 'secret', 'items').map((item) => text(item, 'key'));
      return [
        ...(keys.length > 0 ? keys : [undefined]).flatMap((key) =>
          use(at(volume, 'secret'), 'secretName', `${place}.secret`, key),
        ),
        ...records(volume, 'projected', 'sources').flatMap((source) =>
          use(at(source, 'secret'), 'name', `${place}.projected`),
        ),
      ];
    }),
    ...records(pod.spec, 'imagePullSecrets').flatMap((reference, index) =>
      use(reference, 'name', `${path}.imagePullSecrets[${String(index)}]`, undefined, 'docker-registry'),
    ),
  ];
}
