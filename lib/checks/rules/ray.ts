import { dnsLabel, quoted } from '../../problems/validators';
import {
  amount,
  at,
  isRecord,
  type Json,
  list,
  type ManifestObject,
  number,
  record,
  text,
} from '../../manifest/manifest';
import { ACCELERATOR, type PodView, records, TOPOLOGY } from '../../manifest/pods';
import { remark, rule, type Rule } from '../rule';
import { type ManifestSet } from '../../manifest/set';
import { ofGroup, podsOfObject, runsRay, selects } from '../../manifest/selection';
import { parseYaml } from '../../manifest/serve-config';
import { onlyByAffinity, sliceOf, specPath, tpuContainers } from '../../manifest/slices';

/** Labels that KubeRay sets on its pods unless they are set already, and their values. */
const KUBERAY_LABELS = {
  'app.kubernetes.io/name': 'kuberay',
  'app.kubernetes.io/created-by': 'kuberay-operator',
} as const;

/** Longest name that KubeRay accepts: it appends to it for the objects that it makes. */
const MAX_NAME = new Map([
  ['RayService', 47],
  ['RayJob', 47],
  ['RayCluster', 53],
]);

const DNS_NAME = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/;

/** Kinds whose pods no API server checks before a controller makes them. */
const EMBEDS_PODS = ['RayService', 'RayJob', 'RayCluster', 'JobSet', 'LeaderWorkerSet'];

/** What KubeRay and the TPU webhook of Ray ask of a cluster. */
export const RAY_RULES: readonly Rule[] = [
  rule('TPU601', 'error', "Ray's TPU pods keep the labels that KubeRay sets", function* ({ pods }) {
    for (const pod of pods) {
      if (!runsRay(pod) || tpuContainers(pod).length === 0) continue;
      for (const [label, value] of Object.entries(KUBERAY_LABELS)) {
        const own = at(pod.labels, label);
        if (own === undefined || own === value) continue;
        yield {
          object: pod.object,
          path: `${pod.path}.metadata.labels[${label}]`,
          message: `${label} is ${quoted(own)}, so that the pods are not those of KubeRay and its TPU webhook passes them by`,
          fix: `remove ${label}, and use a label of another name, like app`,
        };
      }
    }
  }),

  rule('TPU602', 'error', 'a container in a custom resource has an image', function* ({ pods }) {
    for (const { object, containers } of pods) {
      if (!EMBEDS_PODS.includes(object.kind)) continue;
      for (const { container, name, path } of containers)
        if ((text(container, 'image') ?? '').trim() === '')
          yield {
            object,
            path: `${path}.image`,
            message: `container '${name}' has no image, which is found out only when its pod is made`,
            fix: 'set image to REPOSITORY:TAG',
          };
    }
  }),

  rule('TPU603', 'error', 'the name of a Ray object is one that KubeRay accepts', function* ({ objects }) {
    for (const object of objects) {
      const max = MAX_NAME.get(object.kind);
      const name = text(object.manifest, 'metadata', 'name');
      // what no object may be named is another finding
      const problem =
        max === undefined || name === undefined || !DNS_NAME.test(name)
          ? undefined
          : dnsLabel('name', name, max);
      const [message, nearest] = problem?.split('; nearest: ') ?? [];
      if (message !== undefined)
        yield {
          object,
          path: 'metadata.name',
          message: `${message}, as KubeRay names other objects after it`,
          fix: `shorten or rename it, like ${nearest ?? ''}`,
        };
    }
  }),

  rule('TPU604', 'error', 'the serveConfigV2 of a RayService names applications', function* (set) {
    const read = new Map<unknown, readonly ServeProblem[]>();
    for (const object of set.ofKind('RayService')) {
      const config = at(object.manifest, 'spec', 'serveConfigV2');
      const problems = read.get(config) ?? serveProblems(config);
      read.set(config, problems);
      for (const { path = '', message, fix } of problems)
        yield { object, path: `spec.serveConfigV2${path}`, message, fix };
    }
  }),

  rule('TPU605', 'error', 'the replicas of a worker group are within its bounds', function* ({ pods }) {
    for (const { object, runs, owner, ownerPath } of pods) {
      if (runs !== 'RayWorkers') continue;
      const min = number(owner, 'minReplicas') ?? 0;
      const max = number(owner, 'maxReplicas') ?? Infinity;
      const replicas = number(owner, 'replicas');
      if (max < min)
        yield {
          object,
          path: `${ownerPath}.maxReplicas`,
          message: `maxReplicas is ${String(max)} and minReplicas ${String(min)}, which is more`,
          fix: `set maxReplicas to at least ${String(min)}`,
        };
      else if (replicas !== undefined && (replicas < min || replicas > max))
        yield {
          object,
          path: `${ownerPath}.replicas`,
          message: `replicas is ${String(replicas)}, but KubeRay keeps to ${replicas < min ? `minReplicas, ${String(min)}` : `maxReplicas, ${String(max)}`}`,
          fix: `set replicas to ${String(replicas < min ? min : max)}, or change the bound`,
          severity: 'warning',
        };
    }
  }),

  remark(
    'TPU606',
    'warning',
    "a group of several hosts leaves affinity to Ray's TPU webhook",
    function* ({ pods }) {
      for (const pod of pods) {
        if (pod.runs !== 'RayWorkers' || (sliceOf(pod).hosts ?? 1) < 2) continue;
        if (!Object.values(record(pod.spec, 'affinity')).some(isRecord)) continue;
        // that they are selected by affinity is a finding of its own
        if ([ACCELERATOR, TOPOLOGY].some((label) => onlyByAffinity(pod, label))) continue;
        yield {
          object: pod.object,
          path: `${specPath(pod)}.affinity`,
          message:
            "affinity is set, which releases of Ray's TPU webhook replace to keep the hosts of a slice together",
          fix: 'remove affinity, and select nodes with nodeSelector',
        };
      }
    },
  ),

  remark(
    'TPU607',
    'warning',
    'the Ray version of a cluster is that of its images',
    function* ({ objects, pods }) {
      const images = rayImages(pods);
      for (const object of objects) {
        const { path, cluster } = clusterOf(object) ?? {};
        const version = amount(cluster, 'rayVersion');
        const used = images.get(object) ?? [];
        const others = used.filter((one) => version !== undefined && one.version !== version);
        const [first] = others;
        if (path === undefined || version === undefined || first === undefined) continue;
        const versions = [...new Set(used.map((one) => one.version))];
        yield {
          object,
          path: `${path}.rayVersion`,
          message: `rayVersion is ${quoted(version)}, but the image of container '${first.container}' is Ray ${first.version}`,
          fix:
            versions.length > 1
              ? 'use images of one Ray version, and set rayVersion to it'
              : `set rayVersion to '${first.version}'`,
        };
      }
    },
  ),

  rule('TPU608', 'error', 'a NetworkPolicy lets the pods of a Ray cluster reach each other', function* (set) {
    for (const object of ofGroup(set, 'NetworkPolicy', 'networking.k8s.io')) {
      const spec = record(object.manifest, 'spec');
      const types = list(spec, 'policyTypes');
      if (types.length > 0 && !types.includes('Ingress')) continue;
      const shut = set.pods.find(
        (pod) =>
          runsRay(pod) &&
          pod.object.namespace === object.namespace &&
          selects(record(spec, 'podSelector'), pod) &&
          !policiesOf(set, pod).some((policy) => letsIn(policy, podsOfObject(set, pod.object))),
      );
      if (!shut) continue;
      yield {
        object,
        path: 'spec.ingress',
        message: `the pods of ${shut.object.id} are selected, and no rule lets them reach each other on every port, so that workers never join the head`,
        fix: 'add a rule without ports whose from has a podSelector with labels of the pods themselves',
      };
    }
  }),
];

/** The rules by which NetworkPolicies let others reach a pod. */
const policiesOf = (set: ManifestSet, pod: PodView): readonly ManifestObject[] =>
  ofGroup(set, 'NetworkPolicy', 'networking.k8s.io').filter(
    ({ manifest, namespace }) =>
      namespace === pod.object.namespace && selects(record(manifest, 'spec', 'podSelector'), pod),
  );

/** Whether a policy lets any of some pods of its namespace in, on every port or on a range of them: which Ray uses may be set. */
const letsIn = ({ manifest, namespace }: ManifestObject, pods: readonly PodView[]): boolean =>
  records(record(manifest, 'spec'), 'ingress').some((ingress) => {
    const [from, ports] = [list(ingress, 'from'), list(ingress, 'ports')];
    return (
      (ports.length === 0 ||
        ports.some((one) => at(one, 'port') === undefined || at(one, 'endPort') !== undefined)) &&
      (from.length === 0 || from.some((peer) => pods.some((pod) => isPeer(peer, namespace, pod))))
    );
  });

/** The label that every namespace has: https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-metadata-name */
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/** Whether a pod of a namespace may be meant by a peer of a policy: its address and other labels of the namespace are not known. */
function isPeer(peer: unknown, namespace: string, pod: PodView): boolean {
  if (isRecord(at(peer, 'ipBlock'))) return true;
  const [pods, namespaces] = [at(peer, 'podSelector'), at(peer, 'namespaceSelector')];
  const name = at(namespaces, 'matchLabels', NAMESPACE_NAME);
  return (
    (isRecord(pods) || isRecord(namespaces)) &&
    (name === undefined || namespace === '' || name === namespace) &&
    selects(record(pods), pod)
  );
}

interface ServeProblem {
  /** Place within the configuration. */
  readonly path?: string;
  readonly message: string;
  readonly fix: string;
}

/** What is wrong with a Serve configuration. */
function serveProblems(config: unknown): readonly ServeProblem[] {
  const fix =
    'name at least one application with its import_path: `applications: [{name: NAME, import_path: MODULE:APP}]`';
  if (config !== undefined && typeof config !== 'string')
    return [{ message: 'serveConfigV2 is no text', fix: 'write it as a block of text, `serveConfigV2: |`' }];
  const { value, problem } = parseYaml(config ?? '');
  if (problem !== undefined)
    return [
      {
        message: `serveConfigV2 is no YAML, so that its applications never start: ${problem}`,
        fix: 'correct the YAML within serveConfigV2',
      },
    ];
  const applications = list(value, 'applications');
  if (applications.length === 0)
    return [{ message: 'serveConfigV2 names no application, so that the cluster serves nothing', fix }];
  return applications.flatMap((application, index) => {
    const name = text(application, 'name') ?? String(index);
    return (text(application, 'import_path') ?? '') === ''
      ? [
          {
            path: `.applications[${name}]`,
            message: `application '${name}' has no import_path`,
            fix: 'set import_path to MODULE:APP',
          },
        ]
      : [];
  });
}

/** A Ray cluster in an object, and where it stands. */
function clusterOf({
  kind,
  manifest,
}: ManifestObject): { readonly path: string; readonly cluster: Json } | undefined {
  switch (kind) {
    case 'RayService':
      return { path: 'spec.rayClusterConfig', cluster: record(manifest, 'spec', 'rayClusterConfig') };
    case 'RayJob':
      return { path: 'spec.rayClusterSpec', cluster: record(manifest, 'spec', 'rayClusterSpec') };
    case 'RayCluster':
      return { path: 'spec', cluster: record(manifest, 'spec') };
    default:
      return undefined;
  }
}

interface RayImage {
  readonly container: string;
  readonly version: string;
}

/** Images of the Ray project that say their version. */
function rayImages(pods: readonly PodView[]): ReadonlyMap<ManifestObject, readonly RayImage[]> {
  const images = new Map<ManifestObject, RayImage[]>();
  for (const pod of pods.filter(runsRay))
    for (const { name, container } of pod.containers) {
      const [, version] =
        /(?:^|\/)rayproject\/[^/:@]+:(\d+\.\d+\.\d+)(?![\d.])/.exec(text(container, 'image') ?? '') ?? [];
      if (version !== undefined)
        images.set(pod.object, [...(images.get(pod.object) ?? []), { container: name, version }]);
    }
  return images;
}
