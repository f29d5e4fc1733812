import { App, Chart, Testing } from 'cdk8s';
import fc from '../fast-check';
import { PlatformV5eSaxml } from '../../examples/platform-v5e-saxml';
import { Saxml175b } from '../../examples/saxml-175b';
import {
  Capacity,
  ContainerCluster,
  type ContainerClusterProps,
  ContainerNodePools,
  IamPolicyMember,
  type IamPolicyMemberProps,
  IamServiceAccount,
  type IamServiceAccountProps,
  MACHINE_TYPES,
  NodePool,
  type NodePoolProps,
  StorageBucket,
  type StorageBucketProps,
  type TpuMachineType,
  TpuSlice,
  WorkloadIdentity,
  WorkloadRoles,
  type WorkloadRolesProps,
} from '../../lib';
import { refusal } from '../refusal';
import { topologiesOf } from '../../lib/tpu/topology';

interface Manifest<Spec = unknown> {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: Spec;
}
interface PoolSpec {
  readonly clusterRef: { readonly external: string };
  readonly location: string;
  readonly nodeCount: number;
  readonly nodeConfig: {
    readonly machineType: string;
    readonly spot?: boolean;
    readonly reservationAffinity?: { readonly values: readonly string[] };
  };
  readonly placementPolicy?: { readonly tpuTopology: string };
}
interface GrantSpec {
  readonly member: string;
  readonly role: string;
  readonly resourceRef: { readonly name: string };
}
interface JobSetSpec {
  readonly replicatedJobs: readonly {
    readonly replicas: number;
    readonly template: {
      readonly spec: {
        readonly parallelism: number;
        readonly template: {
          readonly spec: {
            readonly serviceAccountName: string;
            readonly hostNetwork: boolean;
            readonly nodeSelector: Readonly<Record<string, string>>;
            readonly containers: unknown;
          };
        };
      };
    };
  }[];
}

const EVERY_SLICE = Object.keys(MACHINE_TYPES).flatMap((type) =>
  topologiesOf(type as TpuMachineType).map((topology) => TpuSlice.parse(`${type}/${topology}`)),
);
const PROJECT = { projectId: 'my-project' };

const nodePool = (props: Partial<NodePoolProps> = {}): NodePool =>
  new NodePool({
    name: 'tpu',
    slice: TpuSlice.of('ct6e-standard-8t'),
    cluster: 'serving',
    location: 'us-east5-b',
    ...props,
  });
const cluster = (props: Partial<ContainerClusterProps> = {}, chart = Testing.chart()): ContainerCluster =>
  new ContainerCluster(chart, 'serving', { ...PROJECT, location: 'us-east5-b', ...props });
/** The spec of what a construct renders first. */
const specOf = (make: (chart: Chart) => unknown): Record<string, unknown> => {
  const chart = Testing.chart();
  make(chart);
  return Testing.synth(chart)[0].spec;
};

describe('platform-v5e-saxml', () => {
  const objects = Testing.synth(new PlatformV5eSaxml(Testing.app())) as Manifest[];
  const saxml = Testing.synth(new Saxml175b(Testing.app())) as Manifest[];
  function named<Spec>(list: readonly Manifest[], kind: string, name: string): Manifest<Spec> {
    const found = list.find((object) => object.kind === kind && object.metadata.name === name);
    if (!found) throw new Error(`no ${kind}/${name}`);
    return found as Manifest<Spec>;
  }
  const [job] = named<JobSetSpec>(saxml, 'JobSet', 'saxml-175b').spec.replicatedJobs;
  if (!job) throw new Error('no replicated job');
  const pods = job.template.spec.template.spec;

  test('renders this manifest', () => {
    expect(objects).toMatchSnapshot();
  });

  test('has a node pool for each slice of saxml-175b', () => {
    const pools = objects.filter(({ kind }) => kind === 'ContainerNodePool') as Manifest<PoolSpec>[];
    expect(pools).toHaveLength(job.replicas);
    for (const { spec } of pools) {
      expect(spec.nodeCount).toBe(job.template.spec.parallelism);
      expect(spec.placementPolicy?.tpuTopology).toBe(pods.nodeSelector['cloud.google.com/gke-tpu-topology']);
    }
  });

  test("lets the ServiceAccount of saxml-175b use that chart's bucket", () => {
    const { metadata } = named(saxml, 'ServiceAccount', pods.serviceAccountName);
    const grant = named<GrantSpec>(objects, 'IAMPolicyMember', 'saxml-175b-storage-admin').spec;
    const email = metadata.annotations['iam.gke.io/gcp-service-account'] ?? '';
    expect(grant.member).toBe(`serviceAccount:${email}`);
    const actsAs = named<GrantSpec>(objects, 'IAMPolicyMember', 'saxml-175b-workload-identity-user').spec;
    expect(actsAs.member).toBe(`serviceAccount:my-project.svc.id.goog[default/${metadata.name}]`);
    expect(email.split('@')[0]).toBe(actsAs.resourceRef.name);
    const bucket = named<{ resourceID: string }>(objects, 'StorageBucket', grant.resourceRef.name).spec;
    expect(JSON.stringify(pods.containers)).toContain(`gs://${bucket.resourceID}/`);
  });

  test('lets the nodes of saxml-175b use the bucket, because its pods are on the network of the nodes', () => {
    expect(pods.hostNetwork).toBe(true);
    const grant = named<GrantSpec>(objects, 'IAMPolicyMember', 'saxml-nodes-storage-admin').spec;
    const pods175b = named<GrantSpec>(objects, 'IAMPolicyMember', 'saxml-175b-storage-admin').spec;
    expect(grant.member).toBe('serviceAccount:123456789012-compute@developer.gserviceaccount.com');
    expect([grant.role, grant.resourceRef]).toEqual([pods175b.role, pods175b.resourceRef]);
  });
});

describe('a cluster', () => {
  test('starts with three nodes and Workload Identity', () => {
    expect(cluster().cluster.toJson()).toEqual({
      apiVersion: 'container.cnrm.cloud.google.com/v1beta1',
      kind: 'ContainerCluster',
      metadata: {
        name: 'serving',
        labels: {
          'app.kubernetes.io/name': 'config-connector',
          'app.kubernetes.io/instance': 'serving',
          'app.kubernetes.io/component': 'infrastructure',
        },
        annotations: {
          'cnrm.cloud.google.com/project-id': 'my-project',
          'cnrm.cloud.google.com/state-into-spec': 'absent',
        },
      },
      spec: {
        location: 'us-east5-b',
        initialNodeCount: 3,
        nodeConfig: { workloadMetadataConfig: { mode: 'GKE_METADATA' } },
        workloadIdentityConfig: { workloadPool: 'my-project.svc.id.goog' },
      },
    });
  });

  test('accepts the values of the tutorials', () => {
    const made = cluster({
      name: 'vllm',
      minMasterVersion: '1.31.2-gke.1115000',
      releaseChannel: 'RAPID',
      initialNodeCount: 2,
      machineType: 'e2-standard-4',
      gcsFuseCsiDriver: true,
      workloadPoolDomain: 's3ns.svc.id.goog',
    });
    expect(made).toMatchObject({ clusterName: 'vllm', projectId: 'my-project', autopilot: false });
    expect(made.cluster.toJson()).toMatchObject({
      metadata: { name: 'vllm' },
      spec: {
        minMasterVersion: '1.31.2-gke.1115000',
        releaseChannel: { channel: 'RAPID' },
        initialNodeCount: 2,
        nodeConfig: { machineType: 'e2-standard-4' },
        addonsConfig: { gcsFuseCsiDriverConfig: { enabled: true } },
        workloadIdentityConfig: { workloadPool: 'my-project.s3ns.svc.id.goog' },
      },
    });
  });

  test('does not describe nodes in Autopilot mode', () => {
    const made = cluster({ enableAutopilot: true, location: 'us-east5', releaseChannel: 'RAPID' });
    expect(made.autopilot).toBe(true);
    expect(made.cluster.toJson().spec).toEqual({
      location: 'us-east5',
      enableAutopilot: true,
      releaseChannel: { channel: 'RAPID' },
    });
  });
});

describe('node pools', () => {
  const poolSpec = (props: Partial<NodePoolProps>): Record<string, unknown> =>
    specOf((chart) => new ContainerNodePools(chart, 'tpu', { nodePool: nodePool({ ...PROJECT, ...props }) }));

  test('refer to an existing cluster by its full name', () => {
    expect(poolSpec({})).toEqual({
      clusterRef: { external: 'projects/my-project/locations/us-east5-b/clusters/serving' },
      location: 'us-east5-b',
      nodeCount: 1,
      nodeConfig: { machineType: 'ct6e-standard-8t' },
      management: { autoRepair: true, autoUpgrade: true },
    });
  });

  test('wait for a cluster that Config Connector creates', () => {
    const chart = Testing.chart();
    const { nodePools } = new ContainerNodePools(chart, 'tpu', {
      cluster: cluster({}, chart),
      nodePool: nodePool({ slice: TpuSlice.of('ct6e-standard-4t', '2x4'), replicas: 3 }),
    });
    expect(nodePools.map(({ node }) => node.id)).toEqual(['Resource', 'Resource-1', 'Resource-2']);
    expect(nodePools.map(({ name }) => name)).toEqual(['tpu-0', 'tpu-1', 'tpu-2']);
    for (const pool of nodePools)
      expect(pool.toJson().spec).toEqual({
        clusterRef: { name: 'serving' },
        location: 'us-east5-b',
        nodeCount: 2,
        nodeConfig: {
          machineType: 'ct6e-standard-4t',
          workloadMetadataConfig: { mode: 'GKE_METADATA' },
        },
        placementPolicy: { type: 'COMPACT', tpuTopology: '2x4' },
        management: { autoRepair: true, autoUpgrade: true },
      });
  });

  test('have the boot disk of the commands', () => {
    expect(poolSpec({ diskSizeGb: 320 })['nodeConfig']).toEqual({
      machineType: 'ct6e-standard-8t',
      diskSizeGb: 320,
    });
  });

  test('have limits instead of a node count if they scale', () => {
    const zones = { location: 'us-east5', nodeLocations: ['us-east5-a', 'us-east5-b'] };
    const spec = poolSpec({ ...zones, autoscaling: { minReplicas: 2, maxReplicas: 5 } });
    expect(spec).toMatchObject({
      nodeLocations: ['us-east5-a', 'us-east5-b'],
      initialNodeCount: 1,
      autoscaling: { totalMinNodeCount: 2, totalMaxNodeCount: 5 },
    });
    expect(spec).not.toHaveProperty('nodeCount');
  });

  test('are bought as the pods require', () => {
    expect(poolSpec({ capacity: Capacity.spot() })['nodeConfig']).toEqual({
      machineType: 'ct6e-standard-8t',
      spot: true,
    });
    expect(poolSpec({ capacity: Capacity.reservation('tpus') })['nodeConfig']).toEqual({
      machineType: 'ct6e-standard-8t',
      reservationAffinity: {
        consumeReservationType: 'SPECIFIC_RESERVATION',
        key: 'compute.googleapis.com/reservation-name',
        values: ['tpus'],
      },
    });
  });

  test('are the same as those of the commands, for any slice', () => {
    const made = EVERY_SLICE.filter((slice) => !(slice.multiHost && slice.generation === 'tpu7x'));
    const capacities = [Capacity.onDemand(), Capacity.spot(), Capacity.reservation('tpus')];
    fc.assert(
      fc.property(
        fc.record({
          slice: fc.constantFrom(...made),
          capacity: fc.constantFrom(...capacities),
          replicas: fc.integer({ min: 1, max: 4 }),
        }),
        (props) => {
          const pool = nodePool({ ...PROJECT, ...props });
          const chart = Testing.chart();
          new ContainerNodePools(chart, 'tpu', { nodePool: pool });
          const flags = (Testing.synth(chart) as Manifest<PoolSpec>[]).map(({ metadata, spec }) => [
            ...['gcloud', 'container', 'node-pools', 'create', metadata.name],
            `--project=${metadata.annotations['cnrm.cloud.google.com/project-id'] ?? ''}`,
            `--cluster=${spec.clusterRef.external.split('/').pop() ?? ''}`,
            `--location=${spec.location}`,
            `--machine-type=${spec.nodeConfig.machineType}`,
            ...(spec.placementPolicy ? [`--tpu-topology=${spec.placementPolicy.tpuTopology}`] : []),
            `--num-nodes=${String(spec.nodeCount)}`,
            ...(spec.nodeConfig.spot === true ? ['--spot'] : []),
            ...(spec.nodeConfig.reservationAffinity
              ? [
                  '--reservation-affinity=specific',
                  `--reservation=${spec.nodeConfig.reservationAffinity.values.join()}`,
                ]
              : []),
          ]);
          expect(flags).toEqual(pool.commands.map(({ args }) => args));
        },
      ),
    );
  });
});

describe('a bucket', () => {
  test('leaves access control to IAM', () => {
    expect(
      specOf((chart) => new StorageBucket(chart, 'my-models', { ...PROJECT, bucketName: 'my-models' })),
    ).toEqual({
      uniformBucketLevelAccess: true,
    });
  });

  test('can have a name that is not valid for an object', () => {
    const props = {
      ...PROJECT,
      bucketName: 'my_models',
      location: 'us-west4',
      uniformBucketLevelAccess: false,
    };
    expect(specOf((chart) => new StorageBucket(chart, 'models', props))).toEqual({
      resourceID: 'my_models',
      location: 'us-west4',
      uniformBucketLevelAccess: false,
    });
  });
});

describe('the roles of a workload', () => {
  const rolesOf = (props: Partial<WorkloadRolesProps>, chart = Testing.chart()): WorkloadRoles =>
    new WorkloadRoles(chart, 'vllm', { ...PROJECT, roles: ['roles/storage.objectUser'], ...props });
  const DIRECT = { projectNumber: '123456789012' };
  const LINKED = { iamServiceAccount: 'wi-jetstream' };

  test('are derived from the model that a server streams', () => {
    const chart = Testing.chart();
    new WorkloadRoles(chart, 'vllm', { ...PROJECT, ...DIRECT, model: 'gs://my-models/Qwen3-32B' });
    expect(Testing.synth(chart)).toMatchObject([
      {
        metadata: { name: 'vllm-model-storage-object-viewer' },
        spec: { role: 'roles/storage.objectViewer', resourceRef: { external: 'my-models' } },
      },
    ]);
    const both = Testing.chart();
    rolesOf({ ...DIRECT, model: 'gs://my-models/Qwen3-32B' }, both);
    expect(Testing.synth(both)).toMatchObject([
      { spec: { role: 'roles/storage.objectUser', resourceRef: { external: 'projects/my-project' } } },
      { spec: { role: 'roles/storage.objectViewer', resourceRef: { external: 'my-models' } } },
    ]);
  });

  test('are granted to the ServiceAccount directly, on an existing bucket', () => {
    const chart = Testing.chart();
    const made = rolesOf({ ...DIRECT, namespace: 'serving', on: { bucketName: 'my-models' } }, chart);
    expect(Testing.synth(chart)).toEqual([
      {
        apiVersion: 'iam.cnrm.cloud.google.com/v1beta1',
        kind: 'IAMPolicyMember',
        metadata: {
          name: 'vllm-storage-object-user',
          labels: {
            'app.kubernetes.io/name': 'config-connector',
            'app.kubernetes.io/instance': 'vllm-storage-object-user',
            'app.kubernetes.io/component': 'infrastructure',
          },
        },
        spec: {
          member:
            'principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/my-project.svc.id.goog/subject/ns/serving/sa/vllm',
          role: 'roles/storage.objectUser',
          resourceRef: {
            apiVersion: 'storage.cnrm.cloud.google.com/v1beta1',
            kind: 'StorageBucket',
            external: 'my-models',
          },
        },
      },
    ]);
    expect([made.iamServiceAccount, made.workloadIdentityUser]).toEqual([undefined, undefined]);
  });

  test('are granted to the IAM service account, both roles of the JetStream tutorial on the project', () => {
    const chart = Testing.chart();
    const roles = ['roles/storage.objectUser', 'roles/storage.insightsCollectorService'];
    rolesOf({ ...LINKED, name: 'default', roles }, chart);
    expect(Testing.synth(chart)).toMatchSnapshot();
  });

  test.each([DIRECT, LINKED])('match the commands of WorkloadIdentity with the same props: %j', (way) => {
    const props = {
      ...PROJECT,
      ...way,
      name: 'reader',
      namespace: 'serving',
      workloadPoolDomain: 's3ns.svc.id.goog',
      serviceAccountDomain: 's3ns.iam.gserviceaccount.com',
    };
    const identity = new WorkloadIdentity(Testing.chart(), 'identity', props);
    const made = rolesOf({ ...props, on: { bucketName: 'my-models' } });
    const text = identity.bindingCommands('my-models').join('\n');
    const grants = [...made.policyMembers, made.workloadIdentityUser].filter((one) => one !== undefined);
    expect(grants.map((one) => one.toJson().spec.member)).toEqual(
      [...text.matchAll(/--member "([^"]*)"/g)].map(([, member]) => member),
    );
    expect(grants.map((one) => one.toJson().spec.role)).toEqual(
      [...text.matchAll(/--role "?([^" ]*)/g)].map(([, role]) => role),
    );
  });
});

describe('a mistake', () => {
  const label =
    "is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-'";
  const project =
    "is not a project ID; use 6 to 30 lower-case letters, digits and '-', starting with a letter";
  const place = "is neither a zone nor a region; use a zone or region, for example 'us-west4-a'";
  const domain = "is not a domain; use a domain, for example 's3ns.svc.id.goog'";
  const account =
    "is not the name of an IAM service account; use 6 to 30 lower-case letters, digits and '-', without the part after '@'";
  const role = "is not a role; use a role like 'roles/storage.objectViewer'";
  const subdomain = "is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.'";

  const lines = (id: string, problems: readonly string[]): string =>
    problems.map((problem) => `test/${id} ${problem}`).join('\n');

  test.each<[string, Partial<ContainerClusterProps>, ...(readonly string[])]>([
    ['a name with capitals', { name: 'Saxml' }, `name: 'Saxml' ${label}, for example 'saxml'`],
    [
      'a long name',
      { name: 'c'.repeat(41) },
      `name: '${'c'.repeat(41)}' has 41 characters; use at most 40, for example '${'c'.repeat(40)}'`,
    ],
    ['a placeholder', { projectId: 'PROJECT_ID' }, `projectId: 'PROJECT_ID' ${project}`],
    ['a multi-region', { location: 'US' }, `location: 'US' ${place}`],
    ['a pool without dots', { workloadPoolDomain: 'goog' }, `workloadPoolDomain: 'goog' ${domain}`],
    [
      'a channel in lower-case letters',
      { releaseChannel: 'rapid' as 'RAPID' },
      "releaseChannel: 'rapid' is not known; use one of 'RAPID', 'REGULAR', 'STABLE'",
    ],
    ['no nodes', { initialNodeCount: 0 }, "initialNodeCount: '0' is not a whole number of at least 1; use 1"],
    [
      'latest',
      { minMasterVersion: 'latest' },
      "minMasterVersion: 'latest' is not a GKE version; use a GKE version, for example '1.31.2-gke.1115000'",
    ],
    [
      'a machine',
      { machineType: 'big one' },
      "machineType: 'big one' is not a machine type; use a machine type, for example 'e2-standard-4'",
    ],
    [
      'nodes of Autopilot',
      { enableAutopilot: true, initialNodeCount: 4, machineType: 'e2-standard-4', gcsFuseCsiDriver: true },
      "initialNodeCount: '4' is set, but Autopilot manages it; omit it",
      "machineType: 'e2-standard-4' is set, but Autopilot manages it; omit it",
      "gcsFuseCsiDriver: 'true' is set, but Autopilot manages it; omit it",
    ],
    [
      'several mistakes at once',
      { name: '1', projectId: 'p', location: 'x' },
      `name: '1' ${label}, for example 'x'`,
      `projectId: 'p' ${project}`,
      `location: 'x' ${place}`,
    ],
  ])('a cluster rejects %s', (_, props, ...problems) => {
    expect(refusal(() => cluster(props))).toBe(lines('serving', problems));
  });

  test.each<
    [string, Partial<NodePoolProps>, Partial<ContainerClusterProps> | undefined, ...(readonly string[])]
  >([
    [
      'flex-start',
      { ...PROJECT, capacity: Capacity.flexStart() },
      undefined,
      "nodePool.capacity: 'flex-start' has no field in Config Connector; use the commands of the NodePool, or a TpuComputeClass",
    ],
    [
      'queued flex-start',
      { ...PROJECT, capacity: Capacity.flexStartQueued({ queue: 'tpu' }) },
      undefined,
      "nodePool.capacity: 'flex-start-queued' has no field in Config Connector; use the commands of the NodePool, or a TpuComputeClass",
    ],
    [
      'a workload policy',
      { ...PROJECT, slice: TpuSlice.of('tpu7x-standard-4t', '2x2x2') },
      undefined,
      "nodePool.slice: 'tpu7x-standard-4t/2x2x2' needs a workload policy, which has no field in Config Connector; use the commands of the NodePool",
    ],
    [
      'an existing cluster without a project',
      {},
      undefined,
      "nodePool.projectId: required unless cluster is set; use the project of cluster 'serving'",
    ],
    [
      'placeholders',
      { cluster: 'CLUSTER_NAME', location: 'REGION', nodeLocations: ['ZONE'], projectId: 'PROJECT_ID' },
      undefined,
      "nodePool.cluster: 'CLUSTER_NAME' is a placeholder; use the actual value",
      "nodePool.location: 'REGION' is a placeholder; use the actual value",
      "nodePool.nodeLocations[0]: 'ZONE' is a placeholder; use the actual value",
      "nodePool.projectId: 'PROJECT_ID' is a placeholder; use the actual value",
    ],
    [
      'an Autopilot cluster',
      {},
      { enableAutopilot: true },
      "cluster: 'serving' is an Autopilot cluster, in which GKE creates the nodes; use a cluster without enableAutopilot, or no ContainerNodePools",
    ],
    [
      'another cluster',
      { cluster: 'saxml', location: 'us-west4-a', projectId: 'other-project' },
      {},
      "nodePool.cluster: 'saxml' differs from the cluster; use 'serving'",
      "nodePool.location: 'us-west4-a' differs from the cluster; use 'us-east5-b'",
      "nodePool.projectId: 'other-project' differs from the cluster; use 'my-project'",
    ],
  ])('node pools reject %s', (_, pool, of, ...problems) => {
    const chart = Testing.chart();
    const made = of && cluster(of, chart);
    const make = (): ContainerNodePools =>
      new ContainerNodePools(chart, 'tpu', { nodePool: nodePool(pool), ...(made && { cluster: made }) });
    expect(refusal(make)).toBe(lines('tpu', problems));
  });

  test.each<[string, Partial<StorageBucketProps>, ...(readonly string[])]>([
    [
      'a URL',
      { bucketName: 'gs://my-models' },
      "bucketName: 'gs://my-models' is a URL; use the bucket's name alone, for example 'my-models'",
    ],
    ['a name with a space', { name: 'my models' }, `name: 'my models' ${subdomain}, for example 'my-models'`],
    ['no project', { projectId: '' }, `projectId: '' ${project}`],
    [
      'a zone',
      { location: 'us-west4-a' },
      "location: 'us-west4-a' is neither a region nor a multi-region; use a location, for example 'us-west4'",
    ],
  ])('a bucket rejects %s', (_, props, ...problems) => {
    const make = (): StorageBucket =>
      new StorageBucket(Testing.chart(), 'bucket', { ...PROJECT, bucketName: 'my-models', ...props });
    expect(refusal(make)).toBe(lines('bucket', problems));
  });

  test.each<[string, Partial<IamServiceAccountProps>, ...(readonly string[])]>([
    ['a short name', { name: 'vllm' }, `name: 'vllm' ${account}`],
    [
      'an e-mail address in an invalid project',
      { name: 'a@b.iam.gserviceaccount.com', projectId: 'x' },
      `name: 'a@b.iam.gserviceaccount.com' ${account}`,
      `projectId: 'x' ${project}`,
    ],
  ])('an account rejects %s', (_, props, ...problems) => {
    const make = (): IamServiceAccount =>
      new IamServiceAccount(Testing.chart(), 'account', { ...PROJECT, ...props });
    expect(refusal(make)).toBe(lines('account', problems));
  });

  const member =
    "is not a member; use a member like 'principal://…', 'serviceAccount:…', 'group:…' or 'user:…'";
  test.each<[string, Partial<IamPolicyMemberProps>, ...(readonly string[])]>([
    ['everybody', { member: 'allUsers' }, `member: 'allUsers' ${member}`],
    ['two members', { member: 'user:a@b.c user:d@e.f' }, `member: 'user:a@b.c user:d@e.f' ${member}`],
    ['a principal with one slash', { member: 'principal:/x' }, `member: 'principal:/x' ${member}`],
    ['a role without roles/', { role: 'storage.admin' }, `role: 'storage.admin' ${role}`],
    [
      'an invalid bucket',
      { resource: { bucketName: 'B' } },
      "resource.bucketName: 'B' is not a bucket name; use 3 to 63 lower-case letters, digits, '-', '_' and '.', for example 'b-bucket'",
    ],
    ['an invalid project', { resource: { projectId: 'P' } }, `resource.projectId: 'P' ${project}`],
    [
      'several mistakes at once',
      { name: 'A_B', member: '', role: '' },
      `name: 'A_B' ${subdomain}, for example 'a-b'`,
      `member: '' ${member}`,
      `role: '' ${role}`,
    ],
  ])('a grant rejects %s', (_, props, ...problems) => {
    const valid = { member: 'group:ml@example.com', role: 'roles/storage.admin', resource: PROJECT };
    const make = (): IamPolicyMember => new IamPolicyMember(Testing.chart(), 'grant', { ...valid, ...props });
    expect(refusal(make)).toBe(lines('grant', problems));
  });

  test.each<[string, Partial<WorkloadRolesProps>, ...(readonly string[])]>([
    ['no roles', { roles: [] }, "roles: is empty; use a list of roles, like ['roles/storage.objectUser']"],
    [
      'neither roles nor a model',
      { roles: undefined },
      "roles: required, for example ['roles/storage.objectUser']; use roles, or the model that a server streams, like 'gs://my-models/Qwen3-32B'",
    ],
    [
      'a model that is not in a bucket',
      { model: 'Qwen/Qwen3-32B' },
      "model: 'Qwen/Qwen3-32B' is not a folder of a bucket; use gs://BUCKET/FOLDER, for example 'gs://my-models/Qwen3-32B'",
    ],
    [
      'a role twice',
      { roles: ['roles/storage.admin', 'roles/storage.admin'] },
      "roles: 'roles/storage.admin, roles/storage.admin' lists a role twice; list each role once",
    ],
    ['an invalid role', { roles: ['admin'] }, `roles[0]: 'admin' ${role}`],
    [
      'neither number nor account',
      { iamServiceAccount: undefined },
      "projectNumber: required for roles that are granted directly to the ServiceAccount; use the number of project 'my-project', or iamServiceAccount",
    ],
    [
      'several mistakes at once',
      { namespace: '-', iamServiceAccount: 'a', on: { bucketName: 'B' } },
      "namespace: '-' is not a DNS label; use lower-case letters, digits and '-', starting and ending with a letter or digit, for example 'x'",
      `iamServiceAccount: 'a' ${account}`,
      "on.bucketName: 'B' is not a bucket name; use 3 to 63 lower-case letters, digits, '-', '_' and '.', for example 'b-bucket'",
    ],
  ])('roles reject %s', (_, props, ...problems) => {
    const valid = { ...PROJECT, iamServiceAccount: 'wi-jetstream', roles: ['roles/storage.admin'] };
    const make = (): WorkloadRoles => new WorkloadRoles(Testing.chart(), 'roles', { ...valid, ...props });
    expect(refusal(make)).toBe(lines('roles', problems));
  });
});

test('objects for Config Connector are in the namespace of the chart, not of the workload', () => {
  const chart = new Chart(new App(), 'chart', { namespace: 'config-connector' });
  new WorkloadRoles(chart, 'vllm', {
    ...PROJECT,
    projectNumber: '123456789012',
    roles: ['roles/monitoring.viewer'],
  });
  expect(Testing.synth(chart)).toMatchObject([
    {
      metadata: { name: 'vllm-monitoring-viewer', namespace: 'config-connector' },
      spec: {
        member: expect.stringMatching(/\/subject\/ns\/default\/sa\/vllm$/),
        resourceRef: { kind: 'Project', external: 'projects/my-project' },
      },
    },
  ]);
});
