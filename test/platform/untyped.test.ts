import { Chart, Testing } from 'cdk8s';
import fc from '../fast-check';
import * as lib from '../../lib';
import { InvalidInputError } from '../../lib';
import { refusal } from '../refusal';

// What JavaScript and unchecked TypeScript can write.

const slice = lib.TpuSlice.of('ct6e-standard-8t');
const project = { projectId: 'my-project' };
const nodePool = new lib.NodePool({
  name: 'tpu',
  slice,
  cluster: 'serving',
  location: 'us-west4-a',
  ...project,
});

/** Everything in lib/platform, lib/argocd and lib/pod that takes an object, each with legal properties, most of them set. */
const MAKERS: Readonly<
  Record<string, readonly [make: (props: never, chart: Chart) => unknown, legal: object]>
> = {
  NodePool: [
    (props) => new lib.NodePool(props),
    {
      name: 'tpu',
      slice,
      capacity: lib.Capacity.spot(),
      cluster: 'serving',
      location: 'us-west4-a',
      nodeLocations: ['us-west4-a'],
      projectId: 'my-project',
      autoscaling: { minReplicas: 1, maxReplicas: 2 },
      diskSizeGb: 100,
    },
  ],
  TpuComputeClass: [
    (props, chart) => new lib.TpuComputeClass(chart, 'x', props),
    {
      name: 'tpus',
      slice,
      priorities: [lib.Capacity.reservation('r'), lib.Capacity.flexStart()],
      nodePoolAutoCreation: true,
      whenUnsatisfiable: 'DoNotScaleUp',
      optimizeRulePriority: true,
      nodeRecyclingLeadTimeSeconds: 600,
      bootDiskSize: 100,
    },
  ],
  TpuQueue: [(props, chart) => new lib.TpuQueue(chart, 'x', props), { name: 'tpu', slice, slices: 2 }],
  ContainerCluster: [
    (props, chart) => new lib.ContainerCluster(chart, 'x', props),
    {
      ...project,
      location: 'us-west4-a',
      minMasterVersion: '1.33',
      releaseChannel: 'REGULAR',
      initialNodeCount: 1,
      machineType: 'e2-standard-4',
      gcsFuseCsiDriver: true,
      workloadPoolDomain: 's3ns.svc.id.goog',
    },
  ],
  ContainerNodePools: [(props, chart) => new lib.ContainerNodePools(chart, 'x', props), { nodePool }],
  StorageBucket: [
    (props, chart) => new lib.StorageBucket(chart, 'x', props),
    { ...project, bucketName: 'my-models', location: 'US', uniformBucketLevelAccess: true },
  ],
  IamServiceAccount: [
    (props, chart) => new lib.IamServiceAccount(chart, 'account', props),
    { ...project, name: 'my-account', displayName: 'Reader' },
  ],
  IamPolicyMember: [
    (props, chart) => new lib.IamPolicyMember(chart, 'x', props),
    { member: 'group:a@example.com', role: 'roles/storage.admin', resource: { bucketName: 'my-models' } },
  ],
  WorkloadIdentity: [
    (props, chart) => new lib.WorkloadIdentity(chart, 'x', props),
    { ...project, name: 'vllm', namespace: 'serving', projectNumber: '123456789012' },
  ],
  WorkloadRoles: [
    (props, chart) => new lib.WorkloadRoles(chart, 'x', props),
    {
      ...project,
      iamServiceAccount: 'my-account',
      serviceAccountDomain: 'example.com',
      roles: ['roles/storage.admin'],
      on: { projectId: 'my-project' },
    },
  ],
  ArgoApplication: [
    (props, chart) => new lib.ArgoApplication(chart, 'x', props),
    {
      chart: new Chart(Testing.app(), 'llama'),
      repoURL: 'https://example.com/repo.git',
      path: 'dist',
      project: 'default',
      targetRevision: 'main',
      include: '*.yaml',
      destination: { name: 'in-cluster' },
      automated: { prune: false },
      retry: { limit: 1, backoff: { duration: '5s', factor: 2, maxDuration: '3m' } },
      syncOptions: ['PruneLast=true'],
      ignoreDifferences: [{ kind: 'Job', jsonPointers: ['/spec'] }],
    },
  ],
  GcsFuseVolume: [
    (props) => new lib.GcsFuseVolume(props),
    {
      bucketName: 'my-models',
      mountPath: '/data',
      name: 'models',
      readOnly: true,
      mountOptions: { implicitDirs: true, uid: 1000, fileCache: { maxSizeMb: -1 }, other: ['max-conns=1'] },
      cache: { medium: 'ram', sizeLimit: '1Gi' },
      sidecar: { cpuLimit: '4' },
      metadataPrefetch: true,
    },
  ],
  PvcVolume: [
    (props) => new lib.PvcVolume(props),
    { claimName: 'models', mountPath: '/data', name: 'models', readOnly: true },
  ],
  'Capacity.flexStart': [
    (props) => lib.Capacity.flexStart(props),
    { queue: 'team', maxRunDurationSeconds: 600 },
  ],
  'Capacity.flexStartQueued': [
    (props) => lib.Capacity.flexStartQueued(props),
    { queue: { queueName: 'tpu', slice }, maxRunDurationSeconds: 600 },
  ],
  Runbook: [
    (props, chart) => {
      new lib.WorkloadIdentity(chart, 'identity', { ...project, projectNumber: '123456789012' });
      return new lib.Runbook(chart, props);
    },
    {
      mode: 'standard',
      ...project,
      cluster: 'serving',
      location: 'us-west4',
      nodeLocations: ['us-west4-a'],
      region: 'us-west4',
      clusterVersion: 'latest',
      releaseChannel: 'rapid',
      machineType: 'e2-standard-4',
      numNodes: 2,
      nodePoolName: 'tpu',
      builds: [],
      manifest: 'dist/x.k8s.yaml',
    },
  ],
};

const make = (name: string, props: unknown): unknown => MAKERS[name]?.[0](props as never, Testing.chart());

/** What the properties of `name` are refused with; undefined if they are not. Any other error fails the test. */
function said(name: string, props: unknown): string | undefined {
  try {
    make(name, props);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message;
    throw error;
  }
}

describe.each(Object.entries(MAKERS))('%s', (name, [, legal]) => {
  test('accepts its legal properties', () => {
    expect(said(name, legal)).toBeUndefined();
  });

  test.each([null, 'text', 8, true, []])('rejects %j in place of properties', (props) => {
    expect(said(name, props)).toMatch(/use an object$/);
  });

  test('names an unknown property, and the closest known property', () => {
    const [key = ''] = Object.keys(legal);
    expect(said(name, { ...legal, [`${key}s`]: 1 })).toContain(`${key}s: unknown property; did you mean '`);
  });

  test('rejects or accepts any value of any property, and never fails otherwise', () => {
    const keys = Object.keys(legal);
    fc.assert(
      fc.property(fc.constantFrom(...keys), fc.anything(), (key, value) => {
        const message = said(name, { ...legal, [key]: value });
        expect(message ?? `${key}: accepted`).toContain(key);
      }),
      { numRuns: 150 },
    );
  });
});

test.each<[string, () => unknown, string]>([
  [
    'a NodePool with a string as slice',
    () => make('NodePool', { ...MAKERS['NodePool']?.[1], slice: 'ct6e-standard-8t' }),
    "slice: 'ct6e-standard-8t' is a string; use TpuSlice.parse('ct6e-standard-8t')",
  ],
  [
    'a ComputeClass with itself as priority',
    () => {
      const chart = Testing.chart();
      const made = new lib.TpuComputeClass(chart, 'a', { slice, priorities: [lib.Capacity.spot()] });
      return new lib.TpuComputeClass(chart, 'b', { slice, priorities: [made as never] });
    },
    'test/b priorities[0]: is an object; use a Capacity, like Capacity.onDemand() or Capacity.spot()',
  ],
  [
    'TpuSlice.of without a machine type',
    () => (lib.TpuSlice.of as () => unknown)(),
    "machineType: required; use a machine type, like 'ct6e-standard-8t'",
  ],
  [
    'TpuSlice.forModel without a model',
    () => (lib.TpuSlice.forModel as () => unknown)(),
    'required; use an object',
  ],
  [
    'TpuSlice.forModel with unknown numbers',
    () => lib.TpuSlice.forModel({ parameters: 8e9, heads: 8 }, { generation: 'v6' as 'v6e' }),
    "heads: '8' is set together with parameters; use only one of them\ngeneration: 'v6' is not known; use one of 'v4', 'v5e', 'v5p', 'v6e', 'tpu7x', for example 'v6e'",
  ],
  [
    'a queue without its slice',
    () => make('TpuQueue', {}),
    "test/x slice: required, for example TpuSlice.of('ct6e-standard-8t')",
  ],
])('rejects %s', (_, wrong, message) => {
  expect(refusal(wrong)).toBe(message);
});

test('accepts values of another copy of the package, and recognizes its errors', () => {
  jest.isolateModules(() => {
    const other = jest.requireActual<typeof lib>('../../lib');
    expect(other.TpuSlice).not.toBe(lib.TpuSlice);
    const foreign = { slice: other.TpuSlice.of('ct6e-standard-8t'), capacity: other.Capacity.spot() };
    const pool = new lib.NodePool({ name: 'tpu', cluster: 'serving', location: 'us-west4-a', ...foreign });
    expect(pool.commands.join('\n')).toContain('--machine-type=ct6e-standard-8t');
    const chart = Testing.chart();
    const bucket = new other.StorageBucket(chart, 'bucket', { ...project, bucketName: 'my-models' });
    const { policyMember } = new lib.IamPolicyMember(chart, 'member', {
      member: 'group:a@example.com',
      role: 'roles/storage.admin',
      resource: bucket,
    });
    expect(policyMember.toJson()).toMatchObject({
      spec: { resourceRef: { kind: 'StorageBucket', name: 'bucket' } },
    });
  });
});
