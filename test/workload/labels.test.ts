import { Testing } from 'cdk8s';
import { addExamples } from '../../examples';
import { FlexStartQueued } from '../../examples/flex-start-queued';
import { addPlatform } from '../../examples/platform';
import { type Json, manifestObject, record, text } from '../../lib/manifest/manifest';
import { podsOf } from '../../lib/manifest/pods';

// The recommended labels of Kubernetes are on every object and every pod template of every example.

const NAME = 'app.kubernetes.io/name';
const LABELS = [NAME, 'app.kubernetes.io/instance', 'app.kubernetes.io/component'];

const app = Testing.app();
addExamples(app);
addPlatform(app);
new FlexStartQueued(app);
const objects = app.charts
  .flatMap((chart) => Testing.synth(chart) as Json[])
  .map((manifest) => manifestObject(manifest))
  // the example writes this object itself
  .filter(({ id }) => !id.startsWith('ServiceAccount/vllm-qwen3-32b-'));

/** The name is KubeRay's on Ray pods, and the PodMonitoring of a RayService bears the labels of these. */
const belongsToRay = (labels: Json): boolean => text(labels, 'ai.gke.io/inference-server') === 'ray-serve';

test.each(objects.map((object) => [object.id, object] as const))('%s', (_, object) => {
  for (const labels of [
    record(object.manifest, 'metadata', 'labels'),
    ...podsOf(object).map((p) => p.labels),
  ])
    expect(LABELS.filter((label) => text(labels, label) === undefined)).toEqual(
      belongsToRay(labels) ? [NAME] : [],
    );
});

test('the kinds that they are on', () => {
  const kinds = [...new Set(objects.map(({ kind }) => kind))];
  expect(kinds.sort().join(' ')).toBe(
    'AdmissionCheck ClusterQueue ComputeClass ContainerCluster ContainerNodePool Deployment HorizontalPodAutoscaler IAMPolicyMember IAMServiceAccount Job JobSet LocalQueue PodDisruptionBudget PodMonitoring ProvisioningRequestConfig RayService ResourceFlavor Service ServiceAccount StorageBucket',
  );
});
