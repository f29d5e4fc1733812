import { records } from '../../../manifest/pods';
import { specPath } from '../../../manifest/slices';
import { type Json, type ManifestObject, record, text } from '../../../manifest/manifest';
import { type ManifestSet } from '../../../manifest/set';
import { type Violation } from '../../rule';

// Rules about values that the API server refuses.

/** Kinds whose names are known to be DNS names. Other kinds, like Role, have other rules. */
export const NAMED = new Set(
  (
    'Pod Deployment StatefulSet DaemonSet ReplicaSet Job CronJob Service ServiceAccount Secret ConfigMap ' +
    'PersistentVolume PersistentVolumeClaim HorizontalPodAutoscaler PodDisruptionBudget NetworkPolicy Ingress ' +
    'Namespace PriorityClass StorageClass JobSet RayService RayCluster RayJob LeaderWorkerSet PodMonitoring ' +
    'ClusterPodMonitoring ComputeClass Gateway HTTPRoute InferencePool LocalQueue ClusterQueue ResourceFlavor'
  ).split(' '),
);

export const SUBDOMAINS = {
  max: 253,
  pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  allowed: "letters, digits, '-' and '.'",
};

export type Problem = Pick<Violation, 'message' | 'fix'>;

export const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

export const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

export function inWords(value: unknown): string {
  if (typeof value === 'number') return `the number ${String(value)}`;
  if (typeof value === 'boolean') return `the boolean ${String(value)}`;
  return Array.isArray(value) ? 'a list' : 'a map';
}

/** A map of strings: labels, annotations, selectors or data. */
interface TextMap {
  readonly object: ManifestObject;
  readonly path: string;
  readonly what: 'label' | 'annotation' | 'selector' | 'data';
  readonly map: Json;
}

export interface Entry {
  readonly object: ManifestObject;
  readonly path: string;
  /** Name of the entry in a message. */
  readonly name: string;
  readonly value: unknown;
}

export const entriesOf = ({
  object,
  path,
  what,
  map,
}: TextMap): readonly (Entry & { readonly key: string })[] =>
  Object.entries(map).map(([key, value]) => ({
    object,
    path: `${path}[${key}]`,
    key,
    name: `${what} '${key}'`,
    value,
  }));

export function* mapsOf({ objects, pods }: ManifestSet): Generator<TextMap> {
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
