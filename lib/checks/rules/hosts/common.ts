import { modelServerOf } from '../../../manifest/model-servers';
import {
  JOBSET_EXCLUSIVE_ANNOTATION,
  LWS_EXCLUSIVE_ANNOTATION,
  LWS_SUBGROUP_EXCLUSIVE_ANNOTATION,
  PODSET_ANNOTATION_PREFIX,
  SLICE_TOPOLOGY_ANNOTATION,
} from '../../../facts/labels';
import { at, isRecord, type ManifestObject, number, record, text } from '../../../manifest/manifest';
import { ofGroup, selects } from '../../../manifest/selection';
import {
  isOnSliceOfWorkers,
  isProvisioned,
  sliceOf,
  subgroupsOf,
  tpuContainers,
} from '../../../manifest/slices';
import { type ManifestSet } from '../../../manifest/set';
import { type PodView, records } from '../../../manifest/pods';

/** Longest DNS label, and so the longest hostname. */
export const MAX_LABEL = 63;

/** Whether the pods of a Job, or several Pods, are meant to talk to each other. */
export const isTogether = (pod: PodView): boolean =>
  pod.object.kind === 'JobSet' || (text(pod.spec, 'subdomain') ?? '') !== '';

/** Whether the pods of a Job have an index. JobSet creates Indexed Jobs. */
export const isIndexed = (pod: PodView): boolean =>
  (at(pod.owner, 'completionMode') ?? (pod.object.kind === 'JobSet' ? 'Indexed' : undefined)) === 'Indexed';

/** How many pods with chips have to find each other; 1 if their controller connects them. */
export function podsTogether(pod: PodView): number {
  if (tpuContainers(pod).length === 0) return 0;
  const { hosts = 1 } = sliceOf(pod);
  switch (pod.runs) {
    case 'Job':
      return Math.max(hosts, isTogether(pod) ? (number(pod.owner, 'parallelism') ?? 1) : 1);
    case 'StatefulSet':
      return pod.slices === hosts ? hosts : 1;
    case 'Pod':
      return isTogether(pod) ? hosts : 1;
    case 'LeaderWorkerSet':
      return hosts;
    default:
      return 1;
  }
}

export const isLabel = (name: string): boolean =>
  name.length <= MAX_LABEL && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name);

export const onHostNetwork = (pod: PodView): boolean => at(pod.spec, 'hostNetwork') === true;

/** The Service that names the pods; empty if they name none, undefined if a controller creates it. */
export function serviceNameOf(pod: PodView): string | undefined {
  if (pod.runs === 'StatefulSet') return text(pod.owner, 'serviceName') ?? '';
  return ['Job', 'CronJob', 'Pod'].includes(pod.object.kind)
    ? (text(pod.spec, 'subdomain') ?? '')
    : undefined;
}

export const servicesByName = (set: ManifestSet): ReadonlyMap<string, ManifestObject> =>
  new Map(ofGroup(set, 'Service', '').map((service) => [`${service.namespace}/${service.name}`, service]));

export const keyOfService = ({ object }: PodView, name: string): string => `${object.namespace}/${name}`;

export const isHeadless = ({ manifest }: ManifestObject): boolean =>
  at(manifest, 'spec', 'clusterIP') === 'None';

export const selectsPod = ({ manifest }: ManifestObject, pod: PodView): boolean => {
  const matchLabels = record(manifest, 'spec', 'selector');
  return Object.keys(matchLabels).length > 0 && selects({ matchLabels }, pod);
};

interface Named {
  readonly service: ManifestObject;
  readonly pods: readonly PodView[];
}

/** The Services that give pods the names by which they find each other. */
export function servicesBehind(set: ManifestSet): readonly Named[] {
  const services = servicesByName(set);
  const named = new Map<ManifestObject, PodView[]>();
  for (const pod of set.pods) {
    if (podsTogether(pod) < 2) continue;
    const service = services.get(keyOfService(pod, serviceNameOf(pod) ?? ''));
    if (service) named.set(service, [...(named.get(service) ?? []), pod]);
  }
  return [...named].map(([service, pods]) => ({ service, pods }));
}

export const idsOf = (pods: readonly PodView[]): string =>
  [...new Set(pods.map(({ object }) => object.id))].join(' and ');

/** Completes a message about pods that get names when they are ready. Model servers with a probe never become ready. */
export function whenReady(
  pods: readonly PodView[],
  message: string,
): { readonly message: string; readonly severity: 'error' | 'warning' | 'note' } {
  const held = pods.filter(({ containers }) =>
    containers.some(
      ({ container }) => isRecord(container['readinessProbe']) || isRecord(container['startupProbe']),
    ),
  );
  if (held.some(({ containers }) => containers.some((one) => modelServerOf(one) !== undefined)))
    return {
      message: `${message}, but their probes pass only after they found each other`,
      severity: 'error',
    };
  return held.length > 0
    ? {
        message: `${message}, but their probes may pass only after they found each other`,
        severity: 'warning',
      }
    : { message: `${message}, which may be too late for them to find each other`, severity: 'note' };
}

interface ObjectPods {
  readonly object: ManifestObject;
  readonly pods: readonly PodView[];
}

export function podsByObject(set: ManifestSet): readonly ObjectPods[] {
  const pods = new Map<ManifestObject, PodView[]>();
  for (const pod of set.pods) {
    const same = pods.get(pod.object);
    if (same) same.push(pod);
    else pods.set(pod.object, [pod]);
  }
  return [...pods].map(([object, own]) => ({ object, pods: own }));
}

/** An object whose controller can place each slice in a separate node pool. */
export interface PlacedPods extends ObjectPods {
  /** Annotation that requests separate node pools. */
  readonly key: string;
}

export const groupsWithPlacement = (set: ManifestSet): readonly PlacedPods[] =>
  podsByObject(set).flatMap(({ object, pods }) => {
    const key = { JobSet: JOBSET_EXCLUSIVE_ANNOTATION, LeaderWorkerSet: LWS_EXCLUSIVE_ANNOTATION }[
      object.kind
    ];
    return key === undefined ? [] : [{ object, pods, key }];
  });

/** Topology domain that each slice of a pod has to itself; undefined if no annotation that the controller reads requests one. */
export function placementOf({ object, pods, key }: PlacedPods, pod: PodView): string | undefined {
  const own = record(object.manifest, 'metadata', 'annotations');
  const job = records(object.manifest, 'spec', 'replicatedJobs')[pods.indexOf(pod)];
  return (
    text(own, key) ??
    (object.kind === 'JobSet' ? text(pod.annotations, key) : undefined) ??
    text(job, 'template', 'metadata', 'annotations', key) ??
    (key === LWS_EXCLUSIVE_ANNOTATION
      ? (text(own, LWS_SUBGROUP_EXCLUSIVE_ANNOTATION) ??
        // the webhook of each pod reads this one: https://github.com/kubernetes-sigs/lws/blob/v0.10.0/pkg/webhooks/pod_webhook.go
        text(pod.annotations, LWS_SUBGROUP_EXCLUSIVE_ANNOTATION))
      : undefined)
  );
}

/** Number of multi-host slices whose pods may run on the nodes of another slice with the same shape. */
export function slicesThatMix(
  group: PlacedPods,
  replicasOf = (pod: PodView): number => pod.slices ?? 1,
): number {
  const several = group.pods
    .filter((pod) => !isOnSliceOfWorkers(pod, group.pods))
    .filter((pod) => (sliceOf(pod).hosts ?? 1) > 1)
    .map((pod) => {
      const { accelerator, topology } = sliceOf(pod);
      return {
        pod,
        slices: replicasOf(pod) * subgroupsOf(pod),
        shape: `${accelerator ?? ''} ${topology ?? ''}`,
      };
    });
  return several
    .filter(({ pod }) => placementOf(group, pod) === undefined && !isPlacedOtherwise(pod))
    .filter(({ shape }) => several.reduce((sum, one) => sum + (one.shape === shape ? one.slices : 0), 0) > 1)
    .reduce((sum, { slices }) => sum + slices, 0);
}

/** Whether pod affinity, a dynamic slice or Kueue's topology-aware scheduling keeps the pods of a slice together. */
const isPlacedOtherwise = (pod: PodView): boolean =>
  text(pod.annotations, SLICE_TOPOLOGY_ANNOTATION) !== undefined ||
  isProvisioned(pod) ||
  ['podAffinity', 'podAntiAffinity'].some((key) => isRecord(at(pod.spec, 'affinity', key))) ||
  Object.keys(pod.annotations).some((key) => key.startsWith(PODSET_ANNOTATION_PREFIX));

/** Whether the webhook of LeaderWorkerSet reads an annotation on each pod, of leaders and workers. */
const isReadOnPods = ({ kind }: ManifestObject, key: string, path: string): boolean =>
  kind === 'LeaderWorkerSet' && key === LWS_SUBGROUP_EXCLUSIVE_ANNOTATION && path.startsWith('spec.');

/** The annotations of exclusive topologies that no controller reads because they are in the wrong place. */
export function misplaced(
  object: ManifestObject,
  pods: readonly PodView[],
): readonly { readonly key: string; readonly path: string }[] {
  const own = record(object.manifest, 'metadata');
  // controllers copy the annotation to the objects that they create
  if (
    Object.keys(record(own, 'labels')).some((key) => /^(jobset|leaderworkerset)\.sigs\.k8s\.io\//.test(key))
  )
    return [];
  const read = {
    JobSet: [JOBSET_EXCLUSIVE_ANNOTATION],
    LeaderWorkerSet: [LWS_EXCLUSIVE_ANNOTATION, LWS_SUBGROUP_EXCLUSIVE_ANNOTATION],
  }[object.kind];
  const inAnnotations = record(own, 'annotations');
  const jobs = records(object.manifest, 'spec', 'replicatedJobs');
  const places = [
    { path: 'metadata.labels', values: record(own, 'labels') },
    // JobSet copies its annotation to the pods and reads it there: https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/webhooks/pod_webhook.go
    ...(object.kind === 'JobSet' ? [] : pods).map((pod) => ({
      path: `${pod.path}.metadata.annotations`,
      values: pod.annotations,
    })),
    ...jobs.flatMap((job, index) => {
      const path = `spec.replicatedJobs[${text(job, 'name') ?? String(index)}]`;
      return [
        { path: `${path}.annotations`, values: record(job, 'annotations') },
        { path: `${path}.metadata.annotations`, values: record(job, 'metadata', 'annotations') },
      ];
    }),
  ];
  return [JOBSET_EXCLUSIVE_ANNOTATION, LWS_EXCLUSIVE_ANNOTATION, LWS_SUBGROUP_EXCLUSIVE_ANNOTATION].flatMap(
    (key) => {
      const isRead = read?.includes(key) === true;
      if (key in inAnnotations) return isRead ? [] : [{ key, path: `metadata.annotations[${key}]` }];
      return places
        .filter(({ values, path }) => key in values && !isReadOnPods(object, key, path))
        .map(({ path }) => ({ key, path: `${path}[${key}]` }));
    },
  );
}
