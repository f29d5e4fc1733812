import { Testing } from 'cdk8s';
import { RayClusterV6e, RayJobV6e } from '../../examples/ray-jobs';
import {
  Capacity,
  InvalidInputError,
  Runbook,
  TpuRayCluster,
  type TpuRayClusterProps,
  TpuRayJob,
  type TpuRayJobProps,
  TpuRayService,
  TpuSlice,
} from '../../lib';

const workerGroups = [{ groupName: 'tpu', slice: TpuSlice.of('ct6e-standard-4t', '4x4') }];
const job = (props: Partial<TpuRayJobProps> = {}): TpuRayJob =>
  new TpuRayJob(Testing.chart(), 'ray', { workerGroups, entrypoint: 'python train.py', ...props });
const cluster = (props: Partial<TpuRayClusterProps> = {}): TpuRayCluster =>
  new TpuRayCluster(Testing.chart(), 'ray', { workerGroups, ...props });

function refusal(make: () => unknown): readonly string[] {
  try {
    make();
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message.split('\n');
    throw error;
  }
  throw new Error('it was accepted');
}

test.each([
  ['a cluster', RayClusterV6e],
  ['a job', RayJobV6e],
])('as YAML: %s', (_, Example) => {
  expect(Testing.synth(new Example(Testing.app()))).toMatchSnapshot();
});

test('a cluster, a job and a service of the same groups have the same workers', () => {
  interface Group {
    readonly template: { readonly spec: { readonly containers: readonly [{ readonly resources: unknown }] } };
  }
  const groupsOf = (spec: unknown): unknown =>
    (spec as { workerGroupSpecs: readonly Group[] }).workerGroupSpecs.map(({ template, ...group }) => ({
      ...group,
      resources: template.spec.containers[0].resources,
    }));
  const service = new TpuRayService(Testing.chart(), 'ray', {
    workerGroups,
    serveConfig: { applications: [{ name: 'app', importPath: 'a:b' }] },
  });
  const groups = groupsOf(service.rayService.toJson().spec.rayClusterConfig);
  expect(groupsOf(cluster().rayCluster.toJson().spec)).toEqual(groups);
  expect(groupsOf(job().rayJob.toJson().spec.rayClusterSpec)).toEqual(groups);
});

describe('a job', () => {
  const specOf = (props: Partial<TpuRayJobProps>): Record<string, unknown> =>
    job(props).rayJob.toJson().spec as Record<string, unknown>;

  test('frees its slices when it ends, unless it keeps its cluster', () => {
    expect(specOf({})['shutdownAfterJobFinishes']).toBe(true);
    expect(specOf({ shutdownAfterJobFinishes: false })['shutdownAfterJobFinishes']).toBe(false);
    expect(
      specOf({ ttlSecondsAfterFinished: 60, backoffLimit: 2, activeDeadlineSeconds: 600 }),
    ).toMatchObject({
      ttlSecondsAfterFinished: 60,
      backoffLimit: 2,
      activeDeadlineSeconds: 600,
    });
  });

  test('has its runtime environment as YAML, in snake case', () => {
    expect(specOf({ runtimeEnv: { pip: ['flax'], envVars: { camelCase: 'kept' } } })['runtimeEnvYAML']).toBe(
      'pip:\n  - flax\nenv_vars:\n  camelCase: kept\n',
    );
    expect(specOf({})).not.toHaveProperty('runtimeEnvYAML');
  });

  test('waits in the Kueue queue of its groups', () => {
    const capacity = Capacity.flexStartQueued({ queue: 'tpu', maxRunDurationSeconds: 3600 });
    const { metadata } = job({ workerGroups: workerGroups.map((group) => ({ ...group, capacity })) }).rayJob;
    expect(metadata.toJson()).toMatchObject({
      labels: { 'kueue.x-k8s.io/queue-name': 'tpu' },
      annotations: { 'provreq.kueue.x-k8s.io/maxRunDurationSeconds': '3600' },
    });
  });

  test('rejects props that contradict each other, and those of a service', () => {
    expect(refusal(() => job({ shutdownAfterJobFinishes: false, ttlSecondsAfterFinished: 60 }))).toEqual([
      "test/ray ttlSecondsAfterFinished: '60' is set, but shutdownAfterJobFinishes is false; use one of them",
    ]);
    const queued = {
      groupName: 'queued',
      slice: TpuSlice.of('ct6e-standard-8t'),
      capacity: Capacity.spot({ queue: 'tpu' }),
    };
    expect(refusal(() => job({ workerGroups: [...workerGroups, queued] }))).toEqual([
      "test/ray workerGroups[1].capacity: has queue 'tpu', and that of workerGroups[0] has none; use one queue for all groups, or none",
    ]);
    const untyped = JSON.parse('{ "allowedClients": [], "entrypoint": "" }') as Partial<TpuRayJobProps>;
    expect(refusal(() => job(untyped))).toEqual([
      'test/ray allowedClients: unknown property',
      "test/ray entrypoint: '' is empty; use a command, like 'python train.py'",
    ]);
  });
});

test('a service rejects a queue, because it never ends', () => {
  const capacity = Capacity.onDemand({ queue: 'tpu' });
  const props = {
    workerGroups: workerGroups.map((group) => ({ ...group, capacity })),
    serveConfig: { applications: [{ name: 'app', importPath: 'a:b' }] },
  };
  expect(refusal(() => new TpuRayService(Testing.chart(), 'ray', props))).toEqual([
    "test/ray workerGroups[0].capacity: 'on-demand' waits in Kueue queue 'tpu', which this construct does not support; use it without queue",
  ]);
});

describe('a cluster', () => {
  test('admits only its clients to the dashboard and the Ray client', () => {
    const client = { podSelector: { matchLabels: { app: 'notebook' } } };
    expect(cluster().networkPolicy).toBeUndefined();
    const policy = cluster({ allowedClients: [client], monitoring: false }).networkPolicy;
    expect((policy?.toJson() as { spec: { ingress: unknown } }).spec.ingress).toEqual([
      { from: [client], ports: [8265, 10001].map((port) => ({ protocol: 'TCP', port })) },
      { from: [{ podSelector: { matchLabels: { app: 'ray' } } }] },
    ]);
  });

  test('has pods with a minute to stop, and no preStop hook to wait for', () => {
    const { headGroupSpec } = cluster().rayCluster.toJson().spec as {
      headGroupSpec: { template: { spec: Record<string, unknown> & { containers: readonly object[] } } };
    };
    expect(headGroupSpec.template.spec['terminationGracePeriodSeconds']).toBe(60);
    expect(headGroupSpec.template.spec.containers[0]).not.toHaveProperty('lifecycle');
  });
});

test.each([
  [
    'a cluster',
    RayClusterV6e,
    'kubectl get raycluster ray-cluster-v6e',
    'kubectl delete raycluster ray-cluster-v6e',
  ],
  ['a job', RayJobV6e, 'kubectl get rayjob ray-job-v6e', 'kubectl delete rayjob ray-job-v6e'],
])('the runbook of %s watches and changes it', (_, Example, watch, change) => {
  const text = new Runbook(new Example(Testing.app())).toString();
  expect(text).toContain(watch);
  expect(text).toContain(change);
});
