import { TPU_RESOURCE } from '../facts/labels';
import { amount, at, isRecord, type Json, list, type ManifestObject, number, record, text } from './manifest';

/** A container of a pod template, and its path. */
export interface ContainerView {
  readonly container: Json;
  readonly name: string;
  /** Path in the manifest, like `spec.template.spec.containers[vllm]`. */
  readonly path: string;
  /** Chips in its requests or limits; undefined if it requests none. */
  readonly chips: string | undefined;
  readonly init: boolean;
}

/** A number of hosts that a manifest states, in a field that must agree with the slice. */
export interface StatedHosts {
  readonly path: string;
  readonly hosts: number;
}

/** A pod template in an object of any kind. */
export interface PodView {
  readonly object: ManifestObject;
  /** Path of the template in the manifest, like `spec.template`. */
  readonly path: string;
  /** Path of the pod's spec, like `spec.template.spec`. */
  readonly specPath: string;
  /** Path of the part that embeds the template and sets its replicas: `spec`, a replicated job or a worker group. */
  readonly ownerPath: string;
  /** The part that embeds the template: a Deployment's spec, a Job's spec, a worker group. */
  readonly owner: Json;
  /** Kind of the object that runs the pods: a replicated job of a JobSet is a `Job`. */
  readonly runs:
    | 'Deployment'
    | 'StatefulSet'
    | 'DaemonSet'
    | 'ReplicaSet'
    | 'Job'
    | 'Pod'
    | 'RayHead'
    | 'RayWorkers'
    | 'LeaderWorkerSet'
    | 'Other';
  /** Role of the pods in a LeaderWorkerSet; undefined if all pods of a group are equal, and for other kinds. */
  readonly role: 'leader' | 'worker' | undefined;
  readonly template: Json;
  readonly spec: Json;
  readonly labels: Json;
  readonly annotations: Json;
  readonly nodeSelector: Json;
  readonly containers: readonly ContainerView[];
  readonly volumes: readonly Json[];
  /** Containers that request TPU chips. */
  readonly tpu: readonly ContainerView[];
  /** Slices that run at the same time: the replicas, if each of them is a slice. */
  readonly slices: number | undefined;
  /** Every field that states how many hosts a slice has. */
  readonly statedHosts: readonly StatedHosts[];
}

/** Returns the pod templates of an object. */
export function podsOf(object: ManifestObject): readonly PodView[] {
  const { manifest, kind } = object;
  const spec = record(manifest, 'spec');
  switch (kind) {
    case 'Pod':
      return [view(object, 'Pod', manifest, '', manifest, '', undefined, [])];
    case 'Deployment':
    case 'StatefulSet':
    case 'DaemonSet':
    case 'ReplicaSet':
      return [
        view(
          object,
          kind,
          record(spec, 'template'),
          'spec.template',
          spec,
          'spec',
          number(spec, 'replicas') ?? 1,
          [],
        ),
      ];
    case 'Job':
      return [jobPods(object, spec, 'spec', 1)];
    case 'CronJob':
      return [jobPods(object, record(spec, 'jobTemplate', 'spec'), 'spec.jobTemplate.spec', 1)];
    case 'JobSet':
      return records(spec, 'replicatedJobs').map((job, index) =>
        jobPods(
          object,
          record(job, 'template', 'spec'),
          `spec.replicatedJobs[${text(job, 'name') ?? String(index)}].template.spec`,
          number(job, 'replicas') ?? 1,
        ),
      );
    case 'RayService':
      return rayPods(object, record(spec, 'rayClusterConfig'), 'spec.rayClusterConfig');
    case 'RayJob':
      return rayPods(object, record(spec, 'rayClusterSpec'), 'spec.rayClusterSpec');
    case 'RayCluster':
      return rayPods(object, spec, 'spec');
    case 'LeaderWorkerSet':
      return leaderWorkerPods(object, spec);
    default:
      return KIND_WITHOUT_PODS.test(kind) ? [] : [...podsWithin(object, spec, 'spec')];
  }
}

/** Kinds that can contain text like a pod template but do not run it: definitions, policies. */
const KIND_WITHOUT_PODS =
  /^(|CustomResourceDefinition|ConfigMap|Secret|List|Kustomization|.*Policy|Application|ApplicationSet)$/;

/** Finds the pods in an object of an unknown kind by their structure: a template with containers, or containers. */
function* podsWithin(object: ManifestObject, value: Json, path: string, depth = 8): Generator<PodView> {
  const inner = record(value, 'spec');
  const other = (template: Json, at: string): PodView =>
    view(object, 'Other', template, at, value, path, undefined, []);
  if (isContainers(inner['containers'])) {
    yield other(value, path);
    return;
  }
  // KServe and others have the fields of a pod without a template around them.
  if (isContainers(value['containers']) && !path.endsWith('.spec')) {
    yield view(object, 'Other', { spec: value }, path, value, path, undefined, [], path);
    return;
  }
  if (depth === 0) return;
  for (const [key, child] of Object.entries(value)) {
    if (isRecord(child)) yield* podsWithin(object, child, `${path}.${key}`, depth - 1);
    else if (Array.isArray(child))
      for (const [index, item] of child.entries())
        if (isRecord(item))
          yield* podsWithin(
            object,
            item,
            `${path}.${key}[${text(item, 'name') ?? String(index)}]`,
            depth - 1,
          );
  }
}

const isContainers = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((one) => isRecord(one) && ('image' in one || 'resources' in one));

function jobPods(object: ManifestObject, job: Json, path: string, slices: number): PodView {
  const stated = (['parallelism', 'completions'] as const).flatMap((key) => {
    const hosts = number(job, key);
    return hosts === undefined ? [] : [{ path: `${path}.${key}`, hosts }];
  });
  return view(object, 'Job', record(job, 'template'), `${path}.template`, job, path, slices, stated);
}

function rayPods(object: ManifestObject, cluster: Json, path: string): readonly PodView[] {
  const head = record(cluster, 'headGroupSpec');
  const headPath = `${path}.headGroupSpec`;
  return [
    view(object, 'RayHead', record(head, 'template'), `${headPath}.template`, head, headPath, undefined, []),
    ...records(cluster, 'workerGroupSpecs').map((group, index) => {
      const at = `${path}.workerGroupSpecs[${text(group, 'groupName') ?? String(index)}]`;
      const hosts = number(group, 'numOfHosts') ?? 1;
      return view(
        object,
        'RayWorkers',
        record(group, 'template'),
        `${at}.template`,
        group,
        at,
        number(group, 'replicas'),
        [{ path: `${at}.numOfHosts`, hosts }],
      );
    }),
  ];
}

function leaderWorkerPods(object: ManifestObject, spec: Json): readonly PodView[] {
  const path = 'spec.leaderWorkerTemplate';
  const group = record(spec, 'leaderWorkerTemplate');
  const size = number(group, 'size') ?? 1;
  const slices = number(spec, 'replicas') ?? 1;
  // A group in subgroups has a slice for each.
  const subgroup = number(group, 'subGroupPolicy', 'subGroupSize');
  const of = (key: string, stated: readonly StatedHosts[]): PodView =>
    view(object, 'LeaderWorkerSet', record(group, key), `${path}.${key}`, group, path, slices, stated);
  const statedAs = (hosts: number): readonly StatedHosts[] => [
    subgroup === undefined
      ? { path: `${path}.size`, hosts }
      : { path: `${path}.subGroupPolicy.subGroupSize`, hosts: subgroup },
  ];
  if (!isRecord(at(group, 'leaderTemplate'))) return [of('workerTemplate', statedAs(size))];
  const roles = [
    { role: 'leader', pod: of('leaderTemplate', []), replicas: 1 },
    { role: 'worker', pod: of('workerTemplate', []), replicas: size - 1 },
  ] as const;
  // The size also counts pods without chips, like a leader on a node without TPUs.
  const withChips = roles.filter(({ pod }) => pod.tpu.length > 0);
  const hosts = withChips.reduce((sum, { replicas }) => sum + replicas, 0);
  return roles.map(({ role, pod }) => ({
    ...pod,
    role,
    statedHosts: pod.tpu.length > 0 ? statedAs(hosts) : [],
  }));
}

function view(
  object: ManifestObject,
  runs: PodView['runs'],
  template: Json,
  path: string,
  owner: Json,
  ownerPath: string,
  slices: number | undefined,
  statedHosts: readonly StatedHosts[],
  specAt = path === '' ? 'spec' : `${path}.spec`,
): PodView {
  const spec = record(template, 'spec');
  const containers = (['containers', 'initContainers'] as const).flatMap((key) =>
    records(spec, key).map((container, index) => {
      const name = text(container, 'name') ?? String(index);
      return {
        container,
        name,
        path: `${specAt}.${key}[${name}]`,
        chips:
          amount(container, 'resources', 'limits', TPU_RESOURCE) ??
          amount(container, 'resources', 'requests', TPU_RESOURCE),
        init: key === 'initContainers',
      };
    }),
  );
  return {
    object,
    path,
    specPath: specAt,
    ownerPath,
    owner,
    runs,
    role: undefined,
    template,
    spec,
    labels: record(template, 'metadata', 'labels'),
    annotations: record(template, 'metadata', 'annotations'),
    nodeSelector: record(spec, 'nodeSelector'),
    containers,
    volumes: records(spec, 'volumes'),
    tpu: containers.filter((one) => one.chips !== undefined),
    slices,
    statedHosts,
  };
}

export const records = (value: unknown, ...keys: readonly string[]): readonly Json[] =>
  list(value, ...keys).filter(isRecord);
