import { Testing } from 'cdk8s';
import { addExamples } from '../../examples';
import { addPlatform } from '../../examples/platform';
import { type Json, manifestObject, record, text } from '../../lib/manifest/manifest';
import { podsOf } from '../../lib/manifest/pods';

// The recommended labels of Kubernetes are on every object and every pod template of every example.

const NAME = 'app.kubernetes.io/name';
const LABELS = [NAME, 'app.kubernetes.io/instance', 'app.kubernetes.io/component'];

const app = Testing.app();
addExamples(app);
addPlatform(app);
const objects = app.charts
  .flatMap((chart) => Testing.synth(chart) as Json[])
  .map((manifest) => manifestObject(manifest))
  // the example writes this object itself
  .filter(({ id }) => !id.startsWith('ServiceAccount/vllm-qwen3-32b-'));

/** Names of the RayServices, RayClusters and RayJobs. */
const RAY = objects.filter(({ kind }) => kind.startsWith('Ray')).map(({ name }) => name);

/** The name is KubeRay's on Ray pods, and the PodMonitoring of these pods has their labels. */
const belongsToRay = (labels: Json): boolean =>
  RAY.includes(text(labels, 'app.kubernetes.io/instance') ?? '');

test.each(objects.map((object) => [object.id, object] as const))('%s', (_, object) => {
  for (const labels of [
    record(object.manifest, 'metadata', 'labels'),
    ...podsOf(object).map((p) => p.labels),
  ])
    expect(LABELS.filter((label) => text(labels, label) === undefined)).toEqual(
      belongsToRay(labels) ? [NAME] : [],
    );
});

test('labels are on these kinds of objects', () => {
  const kinds = [...new Set(objects.map(({ kind }) => kind))];
  expect(kinds.sort().join(' ')).toBe(
    'AdmissionCheck ClusterQueue ComputeClass ContainerCluster ContainerNodePool Deployment HorizontalPodAutoscaler IAMPolicyMember IAMServiceAccount Job JobSet LocalQueue PodDisruptionBudget PodMonitoring ProvisioningRequestConfig RayCluster RayJob RayService ResourceFlavor Service ServiceAccount StorageBucket',
  );
});
