import { JOBSET_GROUP, LWS_GROUP, RAY_GROUP } from '../../../facts/labels';
import { at, isRecord, type Json, type ManifestObject, record, text } from '../../../manifest/manifest';
import { type ManifestSet } from '../../../manifest/set';
import { type PodView, records } from '../../../manifest/pods';

// Rules about unchanged files that differ from the stored object: controllers fill in defaults, and some values are stored in another form.

export const JOBSET = JOBSET_GROUP;

const RAY = RAY_GROUP;

/** Kinds of custom resources that embed pods, and their groups. */
const EMBEDDING: Readonly<Record<string, string>> = {
  JobSet: JOBSET,
  RayService: RAY,
  RayCluster: RAY,
  RayJob: RAY,
  LeaderWorkerSet: LWS_GROUP,
};

/** A field that a controller fills in, with its value. */
interface Default {
  readonly keys: readonly string[];
  readonly value: string;
  /** The field is filled in only if this parent is set. */
  readonly of?: string;
}

export const isMissing = (value: unknown): boolean => value === undefined || value === null;

/** The defaults that a map does not set. */
const linesOf = (of: Json, defaults: readonly Default[]): readonly string[] =>
  defaults
    .filter((one) => (one.of === undefined || isRecord(of[one.of])) && isMissing(at(of, ...one.keys)))
    .map(({ keys, value }) => `${keys.join('.')}: ${value}`);

/** The custom resources that embed pods, with their pods. */
export function embedded({ pods }: ManifestSet): ReadonlyMap<ManifestObject, readonly PodView[]> {
  const byObject = new Map<ManifestObject, PodView[]>();
  for (const pod of pods) {
    const group = EMBEDDING[pod.object.kind];
    if (group === undefined || text(pod.object.manifest, 'apiVersion')?.startsWith(`${group}/`) !== true)
      continue;
    const own = byObject.get(pod.object);
    if (own) own.push(pod);
    else byObject.set(pod.object, [pod]);
  }
  return byObject;
}

/** Whether one of the pods of an object requests chips. The rules leave other workloads alone. */
export const useTpus = (pods: readonly PodView[]): boolean => pods.some(({ tpu }) => tpu.length > 0);

/** A value with its name and path. */
export interface Place {
  readonly path: string;
  readonly name: string;
  readonly value: unknown;
}

export const inWords = (places: readonly Place[]): string =>
  [...new Set(places.map(({ name, value }) => `${name}: ${JSON.stringify(value)}`))].join(', ');

/** Defaults that JobSet's webhook fills in: https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/webhooks/jobset_webhook.go */
const JOBSET_DEFAULTS: readonly Default[] = [
  { keys: ['network', 'enableDNSHostnames'], value: 'true' },
  { keys: ['network', 'publishNotReadyAddresses'], value: 'true' },
  { keys: ['startupPolicy', 'startupPolicyOrder'], value: 'AnyOrder' },
  { keys: ['successPolicy', 'operator'], value: 'All' },
  { keys: ['failurePolicy', 'restartStrategy'], value: 'Recreate', of: 'failurePolicy' },
];

const JOB_DEFAULTS: readonly Default[] = [
  { keys: ['groupName'], value: 'default' },
  { keys: ['template', 'spec', 'completionMode'], value: 'Indexed' },
  { keys: ['template', 'spec', 'template', 'spec', 'restartPolicy'], value: 'OnFailure' },
];

const WORKER_DEFAULTS: readonly Default[] = [
  { keys: ['scaleStrategy'], value: '{}' },
  { keys: ['template', 'metadata'], value: '{}' },
];

/** The fields that the KubeRay operator adds to the worker groups of a RayService, by the path of the group. */
export const missingWorkerDefaults = (
  pods: readonly PodView[],
): readonly { readonly path: string; readonly lines: readonly string[] }[] =>
  pods
    .filter(({ runs }) => runs === 'RayWorkers')
    .map(({ owner, ownerPath }) => ({ path: ownerPath, lines: linesOf(owner, WORKER_DEFAULTS) }))
    .filter(({ lines }) => lines.length > 0);

/** The fields that JobSet's webhook fills in, grouped by their parent. */
export const missingDefaults = ({
  manifest,
}: ManifestObject): readonly { readonly path: string; readonly lines: readonly string[] }[] => {
  const spec = record(manifest, 'spec');
  return [
    { path: 'spec', lines: linesOf(spec, JOBSET_DEFAULTS) },
    ...records(spec, 'replicatedJobs').map((job, index) => ({
      path: `spec.replicatedJobs[${text(job, 'name') ?? String(index)}]`,
      lines: linesOf(job, JOB_DEFAULTS),
    })),
  ].filter(({ lines }) => lines.length > 0);
};
