import { NODE_POOL_LABEL } from '../../pod/tpu';
import { quoted } from '../../problems/validators';
import { chipsOf, count, machineFacts } from '../../tpu/topology';
import { at, isRecord, type ManifestObject, number, record, text } from '../../manifest/manifest';
import { type PodView, records, type StatedHosts, TOPOLOGY } from '../../manifest/pods';
import { remark, rule, type Rule, type Severity } from '../rule';
import { type ManifestSet } from '../../manifest/set';
import { ofGroup, selects } from '../../manifest/selection';
import {
  selectorPath,
  sliceInWords,
  sliceOf,
  slicesOf,
  specPath,
  topologyOfHosts,
  tpuContainers,
} from '../../manifest/slices';

const JOBSET_EXCLUSIVE = 'alpha.jobset.sigs.k8s.io/exclusive-topology';
const LWS_EXCLUSIVE = 'leaderworkerset.sigs.k8s.io/exclusive-topology';
const LWS_SUBGROUP_EXCLUSIVE = 'leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology';
const HOSTNAME = 'kubernetes.io/hostname';

/** Length of a DNS label, and so of a hostname. */
const MAX_LABEL = 63;
/** What a Job's controller appends to the name of a pod, at its longest. */
const POD_SUFFIX = '-abcde';

/** What the pods of a slice of several hosts need to find each other, and to be placed on it together. */
export const HOST_RULES: readonly Rule[] = [
  rule('TPU201', 'error', 'the hosts that a workload states are those of its slice', function* ({ pods }) {
    for (const pod of pods) {
      const slice = sliceOf(pod);
      const { hosts, chips, machines } = slice;
      const stated = statedBy(pod);
      const wrong = stated.filter((one) => one.hosts !== hosts);
      const [first] = wrong;
      if (hosts === undefined || first === undefined) continue;
      // Pods of one host each may be as many as they like, unless they are made to work together.
      if (hosts === 1 && pod.runs === 'Job' && !(isTogether(pod) && first.hosts > 1)) continue;
      const keys = stated.map(keyOf).join(' and ');
      const other = wrong.every((one) => one.hosts === first.hosts)
        ? topologyOfHosts(machines, chips, first.hosts)
        : undefined;
      const leader = leadersOf(pod);
      yield {
        object: pod.object,
        path: first.path,
        message: `${wrong.map((one) => `${keyOf(one)} is ${keyOf(one) in pod.owner || keyOf(one) === 'subGroupSize' ? '' : 'not set, which means '}${String(one.hosts + leader)}`).join(' and ')}, but ${sliceInWords(slice)}${leader > 0 ? ' besides the leader' : ''}`,
        fix: `set ${keys} to ${String(hosts + leader)}${other === undefined ? '' : `, or select topology '${other}' (${count(first.hosts, 'host')})`}`,
        severity: hosts === 1 && pod.runs !== 'RayWorkers' ? 'warning' : 'error',
      };
    }
  }),

  rule('TPU202', 'error', 'a slice of several hosts is run as one pod for each host', function* ({ pods }) {
    for (const pod of pods) {
      const slice = sliceOf(pod);
      const { hosts = 1, topology = '', chips, machines, fitting } = slice;
      const says = runsOnePod(pod, hosts);
      if (hosts < 2 || says === undefined) continue;
      const oneHost = fitting
        .map((type) => machineFacts(type).chips)
        .find((size) => size === chipsOf(topology));
      const smaller = topologyOfHosts(machines, chips, 1);
      const alone =
        oneHost !== undefined
          ? `, or request all '${String(oneHost)}' chips of one host`
          : smaller !== undefined
            ? `, or select topology '${smaller}' (1 host)`
            : '';
      yield {
        object: pod.object,
        path: pod.runs === 'StatefulSet' ? `${pod.ownerPath}.replicas` : selectorPath(pod, TOPOLOGY),
        message: `${says}, but ${sliceInWords(slice)}`,
        fix: `${
          pod.runs === 'StatefulSet'
            ? `set replicas to ${String(hosts)}`
            : `run it as a LeaderWorkerSet of size ${String(hosts)}, or as a JobSet or Indexed Job of ${String(hosts)} completions`
        }${alone}`,
      };
    }
  }),

  rule('TPU203', 'error', 'a Job on a slice of several hosts is Indexed', function* ({ pods }) {
    for (const pod of pods) {
      const slice = sliceOf(pod);
      if (pod.runs !== 'Job' || (slice.hosts ?? 1) < 2 || isIndexed(pod)) continue;
      yield {
        object: pod.object,
        path: `${pod.ownerPath}.completionMode`,
        message: `completionMode is ${quoted(at(pod.owner, 'completionMode') ?? 'NonIndexed')}, so that the pods have no index, but ${sliceInWords(slice)}`,
        fix: 'set completionMode to Indexed',
      };
    }
  }),

  rule('TPU204', 'error', 'an Indexed Job states its completions', function* ({ pods }) {
    for (const pod of pods) {
      const parallelism = number(pod.owner, 'parallelism');
      if (pod.runs !== 'Job' || !isIndexed(pod) || parallelism === undefined) continue;
      if ((at(pod.owner, 'completions') ?? undefined) !== undefined) continue;
      yield {
        object: pod.object,
        path: `${pod.ownerPath}.completions`,
        message: 'an Indexed Job with parallelism has no completions, which the API server refuses',
        fix: `set completions to ${String(parallelism)}, its parallelism`,
      };
    }
  }),

  rule('TPU205', 'error', 'pods that wait for each other run all at once', function* ({ pods }) {
    for (const pod of pods) {
      const parallelism = number(pod.owner, 'parallelism') ?? 1;
      const completions = number(pod.owner, 'completions');
      if (pod.runs !== 'Job' || tpuContainers(pod).length === 0 || !isTogether(pod)) continue;
      // where the slice is known, its hosts decide
      if (completions === undefined || completions === parallelism || sliceOf(pod).hosts !== undefined)
        continue;
      const fewer = completions < parallelism;
      yield {
        object: pod.object,
        path: `${pod.ownerPath}.${fewer ? 'completions' : 'parallelism'}`,
        message: `completions is ${String(completions)} and parallelism ${String(parallelism)}, so that ${fewer ? 'fewer pods start than stated' : 'the first pods wait for some that never start'}`,
        fix: 'set both to the hosts of the slice',
        severity: fewer ? 'warning' : 'error',
      };
    }
  }),

  rule('TPU206', 'error', 'the restartPolicy of a Job is Never or OnFailure', function* ({ pods }) {
    for (const pod of pods) {
      const policy = at(pod.spec, 'restartPolicy') ?? undefined;
      if (pod.runs !== 'Job' || pod.containers.length === 0) continue;
      if (policy === 'Never' || policy === 'OnFailure') continue;
      // JobSet fills it in.
      if (policy === undefined && pod.object.kind === 'JobSet') continue;
      yield {
        object: pod.object,
        path: `${specPath(pod)}.restartPolicy`,
        message: `restartPolicy is ${policy === undefined ? "not set, which means 'Always'" : quoted(policy)}, which a Job refuses`,
        fix: 'set restartPolicy to Never, or to OnFailure',
      };
    }
  }),

  rule('TPU207', 'error', 'the names of indexed pods fit into a hostname', function* (set) {
    for (const { object, pods } of podsByObject(set)) {
      const jobs = records(object.manifest, 'spec', 'replicatedJobs');
      const longest = pods
        .map((pod, index) => longestPodName(object, pod, jobs[index]) ?? '')
        .reduce((one, other) => (other.length > one.length ? other : one), '');
      if (longest.length <= MAX_LABEL) continue;
      yield {
        object,
        path: 'metadata.name',
        message: `the last pod would be named ${quoted(longest)}, ${String(longest.length)} characters of which ${String(MAX_LABEL)} are accepted`,
        fix: `shorten the name${object.kind === 'JobSet' ? 's of the JobSet and of its job' : ''} by ${count(longest.length - MAX_LABEL, 'character')}`,
      };
    }
  }),

  rule('TPU208', 'error', 'a subdomain is the name of a Service alone', function* ({ pods }) {
    for (const pod of pods) {
      const subdomain = text(pod.spec, 'subdomain');
      if (subdomain === undefined || subdomain === '' || isLabel(subdomain)) continue;
      const nearest = subdomain.toLowerCase().split('.')[0]?.slice(0, MAX_LABEL) ?? '';
      yield {
        object: pod.object,
        path: `${specPath(pod)}.subdomain`,
        message: `subdomain ${quoted(subdomain)} is no DNS label, which the API server refuses`,
        fix: `set subdomain to the name of the headless Service${isLabel(nearest) ? `, '${nearest}'` : ''}`,
      };
    }
  }),

  rule('TPU209', 'error', 'the hosts of a slice find each other by name', function* (set) {
    const services = servicesByName(set);
    for (const pod of set.pods) {
      const together = podsTogether(pod);
      const name = serviceNameOf(pod);
      if (together < 2 || name === undefined) continue;
      const service = services.get(keyOfService(pod, name));
      if (name === '' ? onHostNetwork(pod) : service !== undefined || !isLabel(name)) continue;
      const field = pod.runs === 'StatefulSet' ? 'serviceName' : 'subdomain';
      const place = { object: pod.object, path: servicePath(pod) };
      const headless = [...services.values()].find(
        (one) => one.namespace === pod.object.namespace && isHeadless(one) && selectsPod(one, pod),
      );
      if (name === '')
        yield {
          ...place,
          message: `the ${String(together)} pods have no ${field}, and so no names to find each other by`,
          fix: `set ${field} to ${headless ? `'${headless.name}'` : 'the name of a headless Service that selects them'}`,
        };
      else if (headless)
        yield {
          ...place,
          message: `${field} '${name}' is no Service, while Service '${headless.name}' selects the pods`,
          fix: `set ${field} to '${headless.name}'`,
        };
      else
        yield {
          ...place,
          message: `${field} '${name}' is no Service of these manifests`,
          fix: `add a Service '${name}' with clusterIP None, publishNotReadyAddresses true and labels of the pods as selector, where the cluster has none`,
          severity: 'note',
        };
    }
    for (const { object, pods } of podsByObject(set)) {
      const path = ['spec', 'network', 'enableDNSHostnames'];
      if (object.kind !== 'JobSet' || at(object.manifest, ...path) !== false) continue;
      const nameless = pods.find((pod) => podsTogether(pod) > 1 && !onHostNetwork(pod));
      if (nameless)
        yield {
          object,
          path: path.join('.'),
          message: `enableDNSHostnames is false, so that the ${String(podsTogether(nameless))} pods of a job have no names`,
          fix: 'set enableDNSHostnames to true, its default',
        };
    }
  }),

  rule('TPU210', 'error', 'the Service behind a subdomain is headless and selects its pods', function* (set) {
    for (const { service, pods } of servicesBehind(set)) {
      const [first] = pods;
      if (!isHeadless(service))
        yield {
          object: service,
          path: 'spec.clusterIP',
          message: `the Service names the pods of ${idsOf(pods)} but has an address of its own, so that they have no names`,
          fix: 'set clusterIP to None',
        };
      const others = pods.filter((pod) => !selectsPod(service, pod));
      if (others.length > 0)
        yield {
          object: service,
          path: 'spec.selector',
          message: `the Service names the pods of ${idsOf(others)} but does not select them, so that they have no names`,
          fix: `select labels of the pods${first?.object.kind === 'Job' ? `, like job-name: ${first.object.name}` : ''}`,
        };
    }
  }),

  rule('TPU211', 'error', 'the hosts of a slice have names before they are ready', function* (set) {
    for (const { service, pods } of servicesBehind(set)) {
      if (!isHeadless(service) || at(service.manifest, 'spec', 'publishNotReadyAddresses') === true) continue;
      yield {
        object: service,
        path: 'spec.publishNotReadyAddresses',
        fix: 'set publishNotReadyAddresses to true',
        ...whenReady(pods, `the Service names the pods of ${idsOf(pods)} only when they are ready`),
      };
    }
    for (const { object, pods } of podsByObject(set)) {
      const path = ['spec', 'network', 'publishNotReadyAddresses'];
      if (object.kind !== 'JobSet' || at(object.manifest, ...path) !== false) continue;
      const waiting = pods.filter((pod) => podsTogether(pod) > 1 && !onHostNetwork(pod));
      if (waiting.length > 0)
        yield {
          object,
          path: path.join('.'),
          fix: 'set publishNotReadyAddresses to true, its default',
          ...whenReady(waiting, 'the pods have names only when they are ready'),
        };
    }
  }),

  rule('TPU212', 'error', 'each slice of several hosts has a node pool of its own', function* (set) {
    for (const group of groupsWithPlacement(set)) {
      const { object, key } = group;
      const slices = slicesThatMix(group);
      const byHostname = group.pods.find(
        (pod) => (sliceOf(pod).hosts ?? 1) > 1 && placementOf(group, pod) === HOSTNAME,
      );
      if (byHostname)
        yield {
          object,
          path: 'metadata.annotations',
          message: `${key} is '${HOSTNAME}', which wants all pods of a slice on one host`,
          fix: `set it to ${NODE_POOL_LABEL}`,
        };
      else if (slices > 0 && misplaced(object, group.pods).length === 0)
        yield {
          object,
          path: 'metadata.annotations',
          message: `${count(slices, 'slice')} of several hosts ${slices > 1 ? 'have' : 'has'} no node pool of ${slices > 1 ? 'their' : 'its'} own, so that pods of several slices mix`,
          fix: `annotate the ${object.kind} with ${key}: ${NODE_POOL_LABEL}`,
        };
    }
  }),

  rule('TPU213', 'error', 'an exclusive topology stands where its controller reads it', function* (set) {
    const groups = new Map(groupsWithPlacement(set).map((group) => [group.object, group]));
    for (const { object, pods } of podsByObject(set)) {
      const group = groups.get(object);
      for (const { key, path } of misplaced(object, pods))
        yield {
          object,
          path,
          message: `${key} stands where nothing reads it`,
          fix: group
            ? `annotate the ${object.kind} itself with ${group.key}: ${NODE_POOL_LABEL}`
            : 'remove it',
          severity: group && slicesThatMix(group) > 0 ? 'error' : 'warning',
        };
    }
  }),

  remark('TPU214', 'warning', 'slices of one host share a node pool', function* (set) {
    for (const group of groupsWithPlacement(set)) {
      const placed = group.pods.filter(
        (pod) => tpuContainers(pod).length > 0 && placementOf(group, pod) !== undefined,
      );
      const [first] = placed;
      if (!first || !placed.every((pod) => sliceOf(pod).hosts === 1 && podsTogether(pod) < 2)) continue;
      yield {
        object: group.object,
        path: 'metadata.annotations',
        message: `${group.key} gives each slice a node pool of its own, but ${sliceInWords(sliceOf(first))}`,
        fix: 'remove it: a pod that requests all chips of a host has the host to itself',
      };
    }
  }),

  rule('TPU215', 'error', 'a StatefulSet starts the hosts of a slice together', function* ({ pods }) {
    for (const pod of pods) {
      const policy = at(pod.owner, 'podManagementPolicy') ?? 'OrderedReady';
      if (pod.runs !== 'StatefulSet' || podsTogether(pod) < 2 || policy === 'Parallel') continue;
      yield {
        object: pod.object,
        path: `${pod.ownerPath}.podManagementPolicy`,
        fix: 'set podManagementPolicy to Parallel',
        ...whenReady(
          [pod],
          `podManagementPolicy is ${quoted(policy)}, so that each host starts when the one before is ready`,
        ),
      };
    }
  }),
];

/** The fields that state the hosts of a slice; a Job without parallelism runs one pod. */
function statedBy(pod: PodView): readonly StatedHosts[] {
  const path = `${pod.ownerPath}.parallelism`;
  return pod.runs === 'Job' && !pod.statedHosts.some((stated) => stated.path === path)
    ? [{ path, hosts: 1 }, ...pod.statedHosts]
    : pod.statedHosts;
}

const keyOf = ({ path }: StatedHosts): string => path.split('.').at(-1) ?? '';

/** Pods that a LeaderWorkerSet counts in its size and that have no chips. */
function leadersOf(pod: PodView): number {
  const [stated] = pod.statedHosts;
  return pod.runs === 'LeaderWorkerSet' && stated && keyOf(stated) === 'size'
    ? (number(pod.owner, 'size') ?? 1) - stated.hosts
    : 0;
}

/** Says that each replica is one pod; undefined where each host gets one. */
function runsOnePod(pod: PodView, hosts: number): string | undefined {
  switch (pod.runs) {
    case 'Deployment':
    case 'ReplicaSet':
      return `each replica of a ${pod.runs} runs on one host`;
    case 'DaemonSet':
      return 'a DaemonSet gives its pods no place in a slice';
    case 'Pod':
      // one of several, which are written by hand
      return isTogether(pod) ? undefined : 'a Pod runs on one host';
    case 'StatefulSet':
      return pod.slices === hosts ? undefined : `replicas is ${String(pod.slices ?? 1)}`;
    default:
      return undefined;
  }
}

/** Whether the pods of a Job, or some Pods, are made to talk to each other. */
const isTogether = (pod: PodView): boolean =>
  pod.object.kind === 'JobSet' || (text(pod.spec, 'subdomain') ?? '') !== '';

/** JobSet makes its Jobs Indexed. */
const isIndexed = (pod: PodView): boolean =>
  (at(pod.owner, 'completionMode') ?? (pod.object.kind === 'JobSet' ? 'Indexed' : undefined)) === 'Indexed';

/** Pods with chips that work together and find each other by themselves; what runs the others does it for them. */
function podsTogether(pod: PodView): number {
  if (tpuContainers(pod).length === 0) return 0;
  const { hosts = 1 } = sliceOf(pod);
  switch (pod.runs) {
    case 'Job':
      return Math.max(hosts, isTogether(pod) ? (number(pod.owner, 'parallelism') ?? 1) : 1);
    case 'StatefulSet':
      return pod.slices === hosts ? hosts : 1;
    case 'Pod':
      return isTogether(pod) ? hosts : 1;
    default:
      return 1;
  }
}

/** The longest name of a pod whose name has an index; undefined where it has none, or begins with one that is not known. */
function longestPodName(object: ManifestObject, pod: PodView, job: unknown): string | undefined {
  const name = text(object.manifest, 'metadata', 'name');
  const completions = number(pod.owner, 'completions') ?? 0;
  if (name === undefined || pod.runs !== 'Job' || !isIndexed(pod) || completions < 1) return undefined;
  if (object.kind === 'Job') return `${name}-${String(completions - 1)}`;
  const replicas = pod.slices ?? 1;
  return object.kind === 'JobSet' && replicas > 0
    ? `${name}-${text(job, 'name') ?? ''}-${String(replicas - 1)}-${String(completions - 1)}${POD_SUFFIX}`
    : undefined;
}

const isLabel = (name: string): boolean =>
  name.length <= MAX_LABEL && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name);

const onHostNetwork = (pod: PodView): boolean => at(pod.spec, 'hostNetwork') === true;

/** The Service that names the pods, empty where there is none; undefined where a controller makes one. */
function serviceNameOf(pod: PodView): string | undefined {
  if (pod.runs === 'StatefulSet') return text(pod.owner, 'serviceName') ?? '';
  return ['Job', 'CronJob', 'Pod'].includes(pod.object.kind)
    ? (text(pod.spec, 'subdomain') ?? '')
    : undefined;
}

const servicePath = (pod: PodView): string =>
  pod.runs === 'StatefulSet' ? `${pod.ownerPath}.serviceName` : `${specPath(pod)}.subdomain`;

const servicesByName = (set: ManifestSet): ReadonlyMap<string, ManifestObject> =>
  new Map(ofGroup(set, 'Service', '').map((service) => [`${service.namespace}/${service.name}`, service]));

const keyOfService = ({ object }: PodView, name: string): string => `${object.namespace}/${name}`;

const isHeadless = ({ manifest }: ManifestObject): boolean => at(manifest, 'spec', 'clusterIP') === 'None';

const selectsPod = ({ manifest }: ManifestObject, pod: PodView): boolean => {
  const matchLabels = record(manifest, 'spec', 'selector');
  return Object.keys(matchLabels).length > 0 && selects({ matchLabels }, pod);
};

interface Named {
  readonly service: ManifestObject;
  readonly pods: readonly PodView[];
}

/** The Services that name pods which find each other by them. */
function servicesBehind(set: ManifestSet): readonly Named[] {
  const services = servicesByName(set);
  const named = new Map<ManifestObject, PodView[]>();
  for (const pod of set.pods) {
    if (podsTogether(pod) < 2) continue;
    const service = services.get(keyOfService(pod, serviceNameOf(pod) ?? ''));
    if (service) named.set(service, [...(named.get(service) ?? []), pod]);
  }
  return [...named].map(([service, pods]) => ({ service, pods }));
}

const idsOf = (pods: readonly PodView[]): string =>
  [...new Set(pods.map(({ object }) => object.id))].join(' and ');

/** Pods that a probe holds back never find each other; others do after a while. */
function whenReady(
  pods: readonly PodView[],
  message: string,
): { readonly message: string; readonly severity: Severity } {
  const held = pods.some(({ containers }) =>
    containers.some(
      ({ container }) => isRecord(container['readinessProbe']) || isRecord(container['startupProbe']),
    ),
  );
  return held
    ? {
        message: `${message}, and their probes pass only after they found each other`,
        severity: 'error',
      }
    : { message: `${message}, which may be after they look for each other`, severity: 'warning' };
}

interface ObjectPods {
  readonly object: ManifestObject;
  readonly pods: readonly PodView[];
}

function podsByObject(set: ManifestSet): readonly ObjectPods[] {
  const pods = new Map<ManifestObject, PodView[]>();
  for (const pod of set.pods) {
    const same = pods.get(pod.object);
    if (same) same.push(pod);
    else pods.set(pod.object, [pod]);
  }
  return [...pods].map(([object, own]) => ({ object, pods: own }));
}

/** An object whose controller can give each slice a node pool of its own. */
interface PlacedPods extends ObjectPods {
  /** Annotation that asks for it. */
  readonly key: string;
}

const groupsWithPlacement = (set: ManifestSet): readonly PlacedPods[] =>
  podsByObject(set).flatMap(({ object, pods }) => {
    const key = { JobSet: JOBSET_EXCLUSIVE, LeaderWorkerSet: LWS_EXCLUSIVE }[object.kind];
    return key === undefined ? [] : [{ object, pods, key }];
  });

/** Topology that each slice of some pods has to itself; undefined where none is asked for where it is read. */
function placementOf({ object, pods, key }: PlacedPods, pod: PodView): string | undefined {
  const own = record(object.manifest, 'metadata', 'annotations');
  const job = records(object.manifest, 'spec', 'replicatedJobs')[pods.indexOf(pod)];
  return (
    text(own, key) ??
    text(job, 'template', 'metadata', 'annotations', key) ??
    (key === LWS_EXCLUSIVE ? text(own, LWS_SUBGROUP_EXCLUSIVE) : undefined)
  );
}

/** Slices of several hosts whose pods may land on the nodes of another one of their kind. */
function slicesThatMix(group: PlacedPods): number {
  const several = group.pods
    // a leader's template is one more of the same slice
    .filter((pod) => pod.runs !== 'LeaderWorkerSet' || pod.statedHosts.length > 0)
    .filter((pod) => (sliceOf(pod).hosts ?? 1) > 1)
    .map((pod) => {
      const { accelerator, topology } = sliceOf(pod);
      return { pod, slices: slicesOf(pod), shape: `${accelerator ?? ''} ${topology ?? ''}` };
    });
  return several
    .filter(({ pod }) => placementOf(group, pod) === undefined && !isPlacedOtherwise(pod))
    .filter(({ shape }) => several.reduce((sum, one) => sum + (one.shape === shape ? one.slices : 0), 0) > 1)
    .reduce((sum, { slices }) => sum + slices, 0);
}

/** Whether something else keeps the pods of a slice together: rules of the pod's own, or a queue of Kueue that knows topologies. */
const isPlacedOtherwise = (pod: PodView): boolean =>
  ['podAffinity', 'podAntiAffinity'].some((key) => isRecord(at(pod.spec, 'affinity', key))) ||
  Object.keys(pod.annotations).some((key) => key.startsWith('kueue.x-k8s.io/podset-'));

/** The annotations of exclusive topologies that stand where nothing reads them. */
function misplaced(
  object: ManifestObject,
  pods: readonly PodView[],
): readonly { readonly key: string; readonly path: string }[] {
  const own = record(object.manifest, 'metadata');
  // what a controller made carries the annotation along
  if (
    Object.keys(record(own, 'labels')).some((key) => /^(jobset|leaderworkerset)\.sigs\.k8s\.io\//.test(key))
  )
    return [];
  const read = {
    JobSet: [JOBSET_EXCLUSIVE],
    LeaderWorkerSet: [LWS_EXCLUSIVE, LWS_SUBGROUP_EXCLUSIVE],
  }[object.kind];
  const inAnnotations = record(own, 'annotations');
  const jobs = records(object.manifest, 'spec', 'replicatedJobs');
  const places = [
    { path: 'metadata.labels', values: record(own, 'labels') },
    ...pods.map((pod) => ({ path: `${pod.path}.metadata.annotations`, values: pod.annotations })),
    ...jobs.flatMap((job, index) => {
      const path = `spec.replicatedJobs[${text(job, 'name') ?? String(index)}]`;
      return [
        { path: `${path}.annotations`, values: record(job, 'annotations') },
        { path: `${path}.metadata.annotations`, values: record(job, 'metadata', 'annotations') },
      ];
    }),
  ];
  return [JOBSET_EXCLUSIVE, LWS_EXCLUSIVE, LWS_SUBGROUP_EXCLUSIVE].flatMap((key) => {
    const isRead = read?.includes(key) === true;
    if (key in inAnnotations) return isRead ? [] : [{ key, path: `metadata.annotations[${key}]` }];
    return places.filter(({ values }) => key in values).map(({ path }) => ({ key, path: `${path}[${key}]` }));
  });
}
