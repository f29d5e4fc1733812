import { type Json, isRecord, type ManifestObject, record, text } from '../manifest/manifest';
import {
  ACCELERATOR_LABEL as ACCELERATOR,
  SLICE_TOPOLOGY_ANNOTATION,
  TOPOLOGY_LABEL as TOPOLOGY,
} from '../facts/labels';
import { podsOf, type PodView, records } from '../manifest/pods';
import { selects } from '../manifest/selection';
import { COMPUTE_CLASS_LABEL, QUEUE_LABEL } from '../facts/labels';
import { accountOf, bucketOf, secretKeysOf } from './needs';

/** Draws objects and their references as a Mermaid flowchart for GitHub. */
export function pictureOf(objects: readonly ManifestObject[]): string {
  const picture = new Picture();
  for (const object of objects) picture.node(object.kind, object.name);
  const pods = objects.flatMap(podsOf);
  for (const object of objects) {
    for (const pod of podsOf(object)) drawPod(picture, pod);
    drawReferences(picture, object, objects, pods);
  }
  return picture.toString();
}

/** Draws the references of pods. */
function drawPod(picture: Picture, pod: PodView): void {
  const { object, spec, volumes, nodeSelector } = pod;
  const from = picture.node(object.kind, object.name);
  if (text(spec, 'serviceAccountName') !== undefined)
    picture.edge(from, 'acts as', picture.node('ServiceAccount', accountOf(pod)));
  for (const { secretName } of secretKeysOf(pod))
    picture.edge(from, 'reads', picture.node('Secret', secretName));
  for (const volume of volumes) {
    const bucketName = bucketOf(volume);
    if (bucketName !== undefined) picture.edge(from, 'mounts', picture.node('bucket', bucketName));
    const claim = text(volume, 'persistentVolumeClaim', 'claimName');
    if (claim !== undefined) picture.edge(from, 'mounts', picture.node('PersistentVolumeClaim', claim));
  }
  // A server can use a bucket that it does not mount.
  for (const { container } of pod.containers) {
    const named = records(container, 'env').filter((variable) => variable['name'] === 'GSBUCKET');
    for (const bucket of [
      ...named.flatMap((variable) => text(variable, 'value') ?? []),
      ...textsIn([container['args'], container['command'], container['env']]).flatMap(
        (said) => /(?:^|=)gs:\/\/([a-z0-9][a-z0-9._-]+)/.exec(said)?.[1] ?? [],
      ),
    ])
      picture.edge(from, 'uses', picture.node('bucket', bucket));
  }
  const computeClass = text(nodeSelector, COMPUTE_CLASS_LABEL);
  if (computeClass !== undefined) picture.edge(from, 'runs on', picture.node('ComputeClass', computeClass));
  const accelerator = text(nodeSelector, ACCELERATOR);
  if (accelerator !== undefined)
    picture.edge(
      from,
      'runs on',
      picture.node(
        'TPU slices',
        `${accelerator} ${text(nodeSelector, TOPOLOGY) ?? text(pod.annotations, SLICE_TOPOLOGY_ANNOTATION) ?? ''}`.trim(),
      ),
    );
}

/** Draws the references of objects without pods. */
function drawReferences(
  picture: Picture,
  { kind, name, manifest }: ManifestObject,
  objects: readonly ManifestObject[],
  pods: readonly PodView[],
): void {
  const spec = record(manifest, 'spec');
  const from = picture.node(kind, name);
  const target = record(spec, 'scaleTargetRef');
  const targetName = text(target, 'name');
  if (targetName !== undefined)
    picture.edge(from, 'scales', picture.node(text(target, 'kind') ?? '', targetName));
  const selector = selectorOf(kind, spec);
  if (selector !== undefined)
    for (const pod of pods)
      if (selects(selector, pod))
        picture.edge(from, 'selects', picture.node(pod.object.kind, pod.object.name));
  const queue = text(manifest, 'metadata', 'labels', QUEUE_LABEL);
  const refersTo: readonly (readonly [string, string | undefined])[] = [
    ['LocalQueue', queue],
    ['ClusterQueue', text(spec, 'clusterQueue')],
    [text(spec, 'parameters', 'kind') ?? '', text(spec, 'parameters', 'name')],
    ['Service', text(spec, 'endpointPickerRef', 'name')],
    [text(spec, 'targetRef', 'kind') ?? '', text(spec, 'targetRef', 'name')],
    [text(spec, 'poolRef', 'kind') ?? '', text(spec, 'poolRef', 'name')],
    ...records(spec, 'parentRefs').map((parent) => ['Gateway', text(parent, 'name')] as const),
    ...records(spec, 'rules').flatMap((rule) =>
      records(rule, 'backendRefs').map(
        (backend) => [text(backend, 'kind') ?? 'Service', text(backend, 'name')] as const,
      ),
    ),
    ...records(spec, 'resourceGroups').flatMap((group) =>
      records(group, 'flavors').map((flavor) => ['ResourceFlavor', text(flavor, 'name')] as const),
    ),
    ...records(spec, 'admissionChecksStrategy', 'admissionChecks').map(
      (check) => ['AdmissionCheck', text(check, 'name')] as const,
    ),
  ];
  for (const [toKind, toName] of refersTo)
    if (objects.some((one) => one.kind === toKind && one.name === toName))
      picture.edge(
        from,
        toKind === 'LocalQueue' ? 'waits in' : 'refers to',
        picture.node(toKind, toName ?? ''),
      );
}

/** Returns the label selector of an object that selects pods; undefined for other objects. */
function selectorOf(kind: string, spec: Json): Json | undefined {
  // An empty selector selects all pods. The empty selector of a Service selects none.
  if (kind === 'Service') return isRecord(spec['selector']) ? { matchLabels: spec['selector'] } : undefined;
  const selectors: Readonly<Record<string, Json>> = {
    PodMonitoring: record(spec, 'selector'),
    InferencePool: record(spec, 'selector'),
    PodDisruptionBudget: record(spec, 'selector'),
    NetworkPolicy: record(spec, 'podSelector'),
  };
  return selectors[kind];
}

/** Returns all strings in a value. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** Nodes and edges without repetitions, in the order in which they were added. */
class Picture {
  private readonly nodes = new Map<string, string>();
  private readonly edges = new Set<string>();

  node(kind: string, name: string): string {
    const label = `${kind} ${name}`.trim();
    const known = this.nodes.get(label);
    if (known !== undefined) return known;
    const id = `n${String(this.nodes.size)}`;
    this.nodes.set(label, id);
    return id;
  }

  edge(from: string, what: string, to: string): void {
    this.edges.add(`${from} -->|"${what}"| ${to}`);
  }

  toString(): string {
    return [
      'flowchart LR',
      ...[...this.nodes].map(([label, id]) => `  ${id}["${label.replaceAll('"', '#quot;')}"]`),
      ...[...this.edges].map((edge) => `  ${edge}`),
    ].join('\n');
  }
}
