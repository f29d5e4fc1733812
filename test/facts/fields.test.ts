import { schemaOf, type FieldType } from '../../lib/facts/fields';

/** The type at a path of fields. */
const typeAt = (type: FieldType | undefined, ...path: readonly string[]): FieldType | undefined =>
  path.reduce<FieldType | undefined>((above, key) => above?.values ?? above?.get(key), type);

test('knows the fields of pods in every kind that runs pods', () => {
  const pods: readonly (readonly [string, string, ...string[]])[] = [
    ['v1', 'Pod', 'spec'],
    ['apps/v1', 'Deployment', 'spec', 'template', 'spec'],
    ['batch/v1', 'Job', 'spec', 'template', 'spec'],
    ['jobset.x-k8s.io/v1alpha2', 'JobSet', 'spec', 'replicatedJobs', 'template', 'spec', 'template', 'spec'],
    [
      'leaderworkerset.x-k8s.io/v1',
      'LeaderWorkerSet',
      'spec',
      'leaderWorkerTemplate',
      'workerTemplate',
      'spec',
    ],
    ['ray.io/v1', 'RayCluster', 'spec', 'workerGroupSpecs', 'template', 'spec'],
    ['ray.io/v1', 'RayJob', 'spec', 'rayClusterSpec', 'headGroupSpec', 'template', 'spec'],
    ['ray.io/v1', 'RayService', 'spec', 'rayClusterConfig', 'headGroupSpec', 'template', 'spec'],
  ];
  for (const [apiVersion, kind, ...path] of pods) {
    const pod = typeAt(schemaOf(apiVersion, kind)?.type, ...path);
    expect([kind, pod?.has('nodeSelector')]).toEqual([kind, true]);
    expect(typeAt(pod, 'containers')?.has('startupProbe')).toBe(true);
    // a field of an alpha feature
    expect(typeAt(pod, 'containers')?.has('restartPolicyRules')).toBe(true);
  }
});

test('accepts any key in open maps', () => {
  const metadata = typeAt(schemaOf('v1', 'ConfigMap')?.type, 'metadata');
  expect(metadata?.has('labels')).toBe(true);
  expect(metadata?.get('labels')).toBeUndefined();
  const head = typeAt(schemaOf('ray.io/v1', 'RayCluster')?.type, 'spec', 'headGroupSpec');
  expect(head?.has('rayStartParams')).toBe(true);
  expect(head?.get('rayStartParams')).toBeUndefined();
});

test('names the release of each schema', () => {
  expect(schemaOf('apps/v1', 'Deployment')?.release).toMatch(/^kubernetes v1\.\d+\.\d+$/);
  expect(schemaOf('jobset.x-k8s.io/v1alpha2', 'JobSet')?.release).toMatch(/^jobset v/);
});

test('has no schema of other kinds and versions', () => {
  expect(schemaOf('apps/v1beta1', 'Deployment')).toBeUndefined();
  expect(schemaOf('example.com/v1', 'Widget')).toBeUndefined();
});
