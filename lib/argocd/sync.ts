import { ApiObject, App, Chart, type IResolver, type ResolutionContext } from 'cdk8s';
import { type Json, record, text } from '../manifest/manifest';
import { QUEUE_LABEL } from '../facts/labels';
import { attachment } from '../problems/attached';
import { quoted } from '../problems/validators';
import { overridesOf } from '../synth/overridden';
import { CHECKPOINT_CONVERTER } from '../workload/labels';

// What Argo CD is told of objects, from what they render: https://argo-cd.readthedocs.io/en/stable/user-guide/

/** Fields that somebody else than Git decides on, of one kind of object or of one object. */
export interface ArgoIgnoredDifference {
  /** API group of the objects. @default - the core group */
  readonly group?: string;
  /** Their kind. */
  readonly kind: string;
  /** Name of the one object that is meant. @default - all of the kind */
  readonly name?: string;
  /** Its namespace. @default - any */
  readonly namespace?: string;
  /** The fields as JSON pointers, like `/spec/replicas`. @default - none */
  readonly jsonPointers?: readonly string[];
  /** The fields as jq paths, like `.spec.template.spec.containers[].image`. @default - none */
  readonly jqPathExpressions?: readonly string[];
  /** Field managers, all of whose fields are meant, like `kube-controller-manager`. @default - none */
  readonly managedFieldsManagers?: readonly string[];
}

/** https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/ */
const WAVE = 'argocd.argoproj.io/sync-wave';
const HOOK = 'argocd.argoproj.io/hook';
/** https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/ */
const SYNC_OPTIONS = 'argocd.argoproj.io/sync-options';

/** Waves before that of the servers, which is 0, as of all that is not mentioned here. */
const BEFORE_ALL = '-2';
const BEFORE_SERVERS = '-1';

/**
 * API groups, and kinds of others, that come first: where the others are and what defines them, who pods are, what they read and reach,
 * what nodes they get and before whom, and who watches them.
 *
 * Not a PersistentVolumeClaim, which may be bound only when a pod of a later wave asks for it, and not a HorizontalPodAutoscaler, which
 * is unhealthy without its Deployment: a wave waits until all of it is healthy.
 */
const FIRST: ReadonlySet<string> = new Set([
  'Namespace',
  'apiextensions.k8s.io',
  'ServiceAccount',
  'Secret',
  'ConfigMap',
  'rbac.authorization.k8s.io',
  'networking.k8s.io/NetworkPolicy',
  'monitoring.googleapis.com',
  'scheduling.k8s.io',
  'cloud.google.com',
  'kueue.x-k8s.io',
]);
const CONFIG_CONNECTOR = '.cnrm.cloud.google.com';

const groupOf = (apiVersion = ''): string => /^(.*)\//.exec(apiVersion)?.[1] ?? '';

function comesFirst(group: string, kind: string): boolean {
  const qualified = group === '' ? kind : `${group}/${kind}`;
  return FIRST.has(qualified) || FIRST.has(group) || group.endsWith(CONFIG_CONNECTOR);
}

const isJob = (group: string, kind: string): boolean => group === 'batch' && kind === 'Job';

/**
 * Kinds whose objects are deleted `ttlSecondsAfterFinished` after their end.
 *
 * @see https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/api/jobset/v1alpha2/jobset_types.go
 */
const FINISHING: ReadonlySet<string> = new Set(['batch/Job', 'jobset.x-k8s.io/JobSet']);

/** Kinds of objects that say what somebody else decides on. */
const DECIDING: ReadonlySet<string> = new Set(['HorizontalPodAutoscaler', 'Job']);

/**
 * What an object says to Argo CD. A Job cannot be changed, so a different one is deleted and created.
 *
 * The converter is no hook: Argo CD deletes hooks before each sync, or after they succeeded, or, with `HookFailed`, all of them when
 * anything else of the sync fails. An hour of conversion would begin again each time.
 *
 * @see https://github.com/argoproj/argo-cd/blob/04c4b7215b9eb7d991df97d7cd8fea0c931adcc9/gitops-engine/pkg/sync/sync_context.go
 */
function annotationsFor(manifest: Json): Readonly<Record<string, string>> {
  const kind = text(manifest, 'kind') ?? '';
  const group = groupOf(text(manifest, 'apiVersion'));
  if (comesFirst(group, kind)) return { [WAVE]: BEFORE_ALL };
  if (!isJob(group, kind)) return {};
  const replaced = { [SYNC_OPTIONS]: 'Force=true,Replace=true' };
  return text(manifest, 'metadata', 'labels', 'app.kubernetes.io/component') === CHECKPOINT_CONVERTER
    ? { ...replaced, [WAVE]: BEFORE_SERVERS }
    : replaced;
}

/** The objects that a chart renders. */
const objectsOf = (chart: Chart): readonly ApiObject[] =>
  chart.node
    .findAll()
    .filter((one) => ApiObject.isApiObject(one))
    .filter((object) => Chart.of(object) === chart);

/** Marks charts that Argo CD applies, and apps whose objects are annotated. */
const argo = attachment<true>('argocd');

/**
 * Annotates the objects of a chart for Argo CD whenever they are rendered, and makes every synth reject objects that Argo CD would create
 * again and again. Annotations that an object already has stay, and hooks are left alone.
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

/** Annotates objects as cdk8s renders them, so that it does not matter when an object is added to the chart. */
class Annotator implements IResolver {
  resolve(context: ResolutionContext): void {
    const { key, obj, value } = context as { key: string[]; obj: ApiObject; value: unknown };
    // The metadata is resolved by itself too, without the kind of the object.
    if (key.length > 0 || text(value, 'kind') === undefined || !argo.of(Chart.of(obj))) return;
    const manifest = record(value);
    const own = record(manifest, 'metadata', 'annotations');
    const overrides = overridesOf(obj)?.patches ?? [];
    if (
      [own, ...overrides.map((patch) => record(patch, 'metadata', 'annotations'))].some((one) => HOOK in one)
    )
      return;
    const annotations = { ...annotationsFor(manifest), ...own };
    if (Object.keys(annotations).length === Object.keys(own).length) return;
    context.replaceValue({ ...manifest, metadata: { ...record(manifest, 'metadata'), annotations } });
  }
}

function runsAgain(object: ApiObject): readonly string[] {
  const manifest = object.toJson() as Json;
  if (HOOK in record(manifest, 'metadata', 'annotations')) return [];
  const { ttlSecondsAfterFinished: ttl } = record(manifest, 'spec');
  const kind = text(manifest, 'kind') ?? '';
  if (ttl === undefined || !FINISHING.has(`${groupOf(text(manifest, 'apiVersion'))}/${kind}`)) return [];
  return [
    `ttlSecondsAfterFinished ${quoted(ttl)} is set on ${kind}/${text(manifest, 'metadata', 'name') ?? ''}, which Argo CD applies, expected none: it would find the deleted ${kind} missing and run it again, for ever`,
  ];
}

/**
 * What controllers decide on in the objects of a chart: the replicas of what a HorizontalPodAutoscaler scales, and whether and where a
 * Job of a queue runs.
 *
 * Nothing of a RayService: Ray's autoscaler changes the RayCluster that KubeRay makes. A field in a list of a custom resource would do
 * harm here, since Argo CD keeps the whole list with it.
 *
 * @see https://github.com/ray-project/kuberay/pull/1037
 * @see https://github.com/argoproj/argo-cd/issues/27480
 */
export function ignoredDifferences(chart: Chart): readonly ArgoIgnoredDifference[] {
  // no others: the Application that asks may be among them
  const manifests = objectsOf(chart)
    .filter(({ kind }) => DECIDING.has(kind))
    .map((object) => object.toJson() as Json);
  return manifests.flatMap((manifest) => [...scaled(manifest), ...queued(manifest)]);
}

function scaled(manifest: Json): readonly ArgoIgnoredDifference[] {
  if (text(manifest, 'kind') !== 'HorizontalPodAutoscaler') return [];
  const target = record(manifest, 'spec', 'scaleTargetRef');
  return [
    {
      group: groupOf(text(target, 'apiVersion')),
      kind: text(target, 'kind') ?? '',
      name: text(target, 'name') ?? '',
      namespace: text(manifest, 'metadata', 'namespace'),
      jsonPointers: ['/spec/replicas'],
    },
  ];
}

/** A Job in a queue goes, and to which nodes, as Kueue says: https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/ */
function queued(manifest: Json): readonly ArgoIgnoredDifference[] {
  const kind = text(manifest, 'kind') ?? '';
  const group = groupOf(text(manifest, 'apiVersion'));
  if (!isJob(group, kind) || text(manifest, 'metadata', 'labels', QUEUE_LABEL) === undefined) return [];
  return [
    {
      group,
      kind,
      name: text(manifest, 'metadata', 'name') ?? '',
      namespace: text(manifest, 'metadata', 'namespace'),
      jsonPointers: ['/spec/suspend', '/spec/template/spec/nodeSelector', '/spec/template/spec/tolerations'],
    },
  ];
}
