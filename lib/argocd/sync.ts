import { ApiObject, App, Chart, type IResolver, type ResolutionContext } from 'cdk8s';
import {
  APP_COMPONENT_LABEL,
  ARGO_HOOK_ANNOTATION,
  ARGO_SYNC_OPTIONS_ANNOTATION,
  ARGO_SYNC_WAVE_ANNOTATION,
  CNRM_GROUP_SUFFIX,
  COMPUTE_CLASS_GROUP,
  JOBSET_GROUP,
  KUEUE_GROUP,
  MONITORING_GROUP,
  NETWORKING_GROUP,
  QUEUE_LABEL,
  RAY_GROUP,
} from '../facts/labels';
import { type Json, record, text } from '../manifest/manifest';
import { KEDA_DEFAULTS } from '../manifest/scalers';
import { attachment } from '../problems/attached';
import { textOf } from '../problems/problems';
import { overridesOf } from '../synth/overridden';
import { CHECKPOINT_CONVERTER } from '../workload/labels';

// Annotations and ignored fields for Argo CD, derived from the rendered objects: https://argo-cd.readthedocs.io/en/stable/user-guide/

/** Fields that Argo CD ignores, of one object or of all objects of a kind. */
export interface ArgoIgnoredDifference {
  /** API group of the objects. @default - the core group */
  readonly group?: string;
  /** Kind of the objects. */
  readonly kind: string;
  /** Name of one object. @default - all objects of the kind */
  readonly name?: string;
  /** Namespace of the objects. @default - all namespaces */
  readonly namespace?: string;
  /** JSON pointers to the fields, like `/spec/replicas`. @default - none */
  readonly jsonPointers?: readonly string[];
  /** jq paths to the fields, like `.spec.template.spec.containers[].image`. @default - none */
  readonly jqPathExpressions?: readonly string[];
  /** Field managers whose fields are ignored, like `kube-controller-manager`. @default - none */
  readonly managedFieldsManagers?: readonly string[];
}

/** Sync waves before wave 0, which contains the servers and all kinds that are not listed here. */
const BEFORE_ALL = '-2';
const BEFORE_SERVERS = '-1';

/**
 * API groups, and kinds of other groups, of the first wave: namespaces, definitions, identities, configuration, network policies,
 * monitoring, priorities, node capacity and queues.
 *
 * Argo CD waits until all objects of a wave are healthy. So it contains neither PersistentVolumeClaims, because some are bound only when a
 * pod of a later wave uses them, nor HorizontalPodAutoscalers, which are unhealthy without their Deployment.
 */
const FIRST: ReadonlySet<string> = new Set([
  'Namespace',
  'apiextensions.k8s.io',
  'ServiceAccount',
  'Secret',
  'ConfigMap',
  'rbac.authorization.k8s.io',
  `${NETWORKING_GROUP}/NetworkPolicy`,
  MONITORING_GROUP,
  'scheduling.k8s.io',
  COMPUTE_CLASS_GROUP,
  KUEUE_GROUP,
]);

const groupOf = (apiVersion = ''): string => /^(.*)\//.exec(apiVersion)?.[1] ?? '';

function comesFirst(group: string, kind: string): boolean {
  const qualified = group === '' ? kind : `${group}/${kind}`;
  return FIRST.has(qualified) || FIRST.has(group) || group.endsWith(CNRM_GROUP_SUFFIX);
}

/**
 * Kinds that run to completion and whose pods cannot be changed, with the paths of their pod templates: a JobSet's webhook rejects another
 * pod template, and KubeRay ignores changes of a RayJob.
 *
 * @see https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/webhooks/jobset_webhook.go
 */
const REPLACED: Readonly<Record<string, string>> = {
  'batch/Job': '.spec.template',
  [`${JOBSET_GROUP}/JobSet`]: '.spec.replicatedJobs[].template.spec.template',
  [`${RAY_GROUP}/RayJob`]: '.spec.rayClusterSpec.workerGroupSpecs[].template',
};

/** Returns the paths of the pod templates of a kind that Argo CD replaces; undefined for other kinds. */
const replaced = (group: string, kind: string): string | undefined => REPLACED[`${group}/${kind}`];

/**
 * Kinds whose finished objects are deleted after `ttlSecondsAfterFinished`.
 *
 * @see https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/api/jobset/v1alpha2/jobset_types.go
 */
const FINISHING: ReadonlySet<string> = new Set(['batch/Job', `${JOBSET_GROUP}/JobSet`]);

/** Kinds that show that a controller sets a field. */
const DECIDING: ReadonlySet<string> = new Set([
  'HorizontalPodAutoscaler',
  'ScaledObject',
  'Job',
  'JobSet',
  'RayJob',
]);

/**
 * Returns the annotations of an object for Argo CD. Jobs, JobSets and RayJobs cannot be changed, so Argo CD deletes the old object and
 * creates the new one.
 *
 * The checkpoint converter is not a hook: Argo CD deletes hooks before each sync, after they succeed, or, with `HookFailed`, when another
 * part of the sync fails. Each time, the conversion would run again for an hour.
 *
 * @see https://github.com/argoproj/argo-cd/blob/04c4b7215b9eb7d991df97d7cd8fea0c931adcc9/gitops-engine/pkg/sync/sync_context.go
 */
function annotationsFor(manifest: Json): Readonly<Record<string, string>> {
  const kind = text(manifest, 'kind') ?? '';
  const group = groupOf(text(manifest, 'apiVersion'));
  if (comesFirst(group, kind)) return { [ARGO_SYNC_WAVE_ANNOTATION]: BEFORE_ALL };
  if (replaced(group, kind) === undefined) return {};
  const options = { [ARGO_SYNC_OPTIONS_ANNOTATION]: 'Force=true,Replace=true' };
  return text(manifest, 'metadata', 'labels', APP_COMPONENT_LABEL) === CHECKPOINT_CONVERTER
    ? { ...options, [ARGO_SYNC_WAVE_ANNOTATION]: BEFORE_SERVERS }
    : options;
}

/** Returns the objects that a chart renders. */
const objectsOf = (chart: Chart): readonly ApiObject[] =>
  chart.node
    .findAll()
    .filter((one) => ApiObject.isApiObject(one))
    .filter((object) => Chart.of(object) === chart);

/** Marks charts that Argo CD applies, and apps whose objects are annotated. */
const argo = attachment<true>('argocd');

/**
 * Annotates the objects of a chart for Argo CD when they are rendered, and makes synth reject objects that Argo CD would create repeatedly.
 * Existing annotations and hooks remain unchanged.
 */
export function annotateForArgo(chart: Chart): void {
  if (argo.of(chart)) return;
  argo.attach(chart, true);
  chart.node.addValidation({ validate: () => objectsOf(chart).flatMap(runsAgain) });
  const app = App.of(chart);
  if (argo.of(app)) return;
  argo.attach(app, true);
  app.resolvers.unshift(new Annotator());
}

/** Annotates objects while cdk8s renders them, so objects can be added to the chart at any time. */
class Annotator implements IResolver {
  resolve(context: ResolutionContext): void {
    const { key, obj, value } = context as { key: string[]; obj: ApiObject; value: unknown };
    // cdk8s also resolves the metadata separately, without the kind of the object.
    if (key.length > 0 || text(value, 'kind') === undefined || !argo.of(Chart.of(obj))) return;
    const manifest = record(value);
    const own = record(manifest, 'metadata', 'annotations');
    const overrides = overridesOf(obj)?.patches ?? [];
    if (
      [own, ...overrides.map((patch) => record(patch, 'metadata', 'annotations'))].some(
        (one) => ARGO_HOOK_ANNOTATION in one,
      )
    )
      return;
    const annotations = { ...annotationsFor(manifest), ...own };
    if (Object.keys(annotations).length === Object.keys(own).length) return;
    context.replaceValue({ ...manifest, metadata: { ...record(manifest, 'metadata'), annotations } });
  }
}

function runsAgain(object: ApiObject): readonly string[] {
  const manifest = object.toJson() as Json;
  if (ARGO_HOOK_ANNOTATION in record(manifest, 'metadata', 'annotations')) return [];
  const { ttlSecondsAfterFinished: ttl } = record(manifest, 'spec');
  const kind = text(manifest, 'kind') ?? '';
  if (ttl === undefined || !FINISHING.has(`${groupOf(text(manifest, 'apiVersion'))}/${kind}`)) return [];
  const name = `${kind}/${text(manifest, 'metadata', 'name') ?? ''}`;
  return [
    textOf({
      path: `${name} spec.ttlSecondsAfterFinished`,
      value: ttl,
      problem: `deletes the finished ${kind}, which Argo CD then creates and runs again`,
      use: 'to omit it',
    }),
  ];
}

/**
 * Returns the fields that controllers set in the objects of a chart: the replicas of an autoscaler's target, and the suspension and node
 * placement of Jobs in a queue.
 *
 * A RayService has no such fields, because Ray's autoscaler changes the RayCluster that KubeRay creates. A field in a list of a custom
 * resource must not be ignored, because Argo CD would ignore the whole list.
 *
 * @see https://github.com/ray-project/kuberay/pull/1037
 * @see https://github.com/argoproj/argo-cd/issues/27480
 */
export function ignoredDifferences(chart: Chart): readonly ArgoIgnoredDifference[] {
  // Only these kinds, because the chart may contain the Application itself.
  const manifests = objectsOf(chart)
    .filter(({ kind }) => DECIDING.has(kind))
    .map((object) => object.toJson() as Json);
  return manifests.flatMap((manifest) => [...scaled(manifest), ...queued(manifest)]);
}

function scaled(manifest: Json): readonly ArgoIgnoredDifference[] {
  const kind = text(manifest, 'kind');
  if (kind !== 'HorizontalPodAutoscaler' && kind !== 'ScaledObject') return [];
  const target = record(manifest, 'spec', 'scaleTargetRef');
  const defaults = kind === 'ScaledObject' ? KEDA_DEFAULTS : { kind: '', apiVersion: '' };
  return [
    {
      group: groupOf(text(target, 'apiVersion') ?? defaults.apiVersion),
      kind: text(target, 'kind') ?? defaults.kind,
      name: text(target, 'name') ?? '',
      namespace: text(manifest, 'metadata', 'namespace'),
      jsonPointers: ['/spec/replicas'],
    },
  ];
}

/**
 * Returns the fields of a Job in a queue that Kueue sets to start it on its nodes: https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/
 *
 * The pod templates of a JobSet and a RayJob are in lists, which are ignored as a whole: delete the object to change its templates.
 * Otherwise Argo CD would replace the object each time that Kueue admits it.
 */
function queued(manifest: Json): readonly ArgoIgnoredDifference[] {
  const kind = text(manifest, 'kind') ?? '';
  const group = groupOf(text(manifest, 'apiVersion'));
  const template = replaced(group, kind);
  if (template === undefined || text(manifest, 'metadata', 'labels', QUEUE_LABEL) === undefined) return [];
  const fields = ['nodeSelector', 'tolerations'].map((field) => `${template}.spec.${field}`);
  const inList = template.includes('[]');
  return [
    {
      group,
      kind,
      name: text(manifest, 'metadata', 'name') ?? '',
      namespace: text(manifest, 'metadata', 'namespace'),
      jsonPointers: ['/spec/suspend', ...(inList ? [] : fields.map((field) => field.replaceAll('.', '/')))],
      ...(inList && { jqPathExpressions: fields }),
    },
  ];
}
