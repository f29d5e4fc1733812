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
])('renders %s', (_, Example) => {
  expect(Testing.synth(new Example(Testing.app()))).toMatchSnapshot();
});

test('renders the same workers for a cluster, a job and a service of the same groups', () => {
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

  test('renders its runtime environment as YAML in snake case', () => {
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

  test('rejects contradictory props and props of a service', () => {
    expect(refusal(() => job({ shutdownAfterJobFinishes: false, ttlSecondsAfterFinished: 60 }))).toEqual([
      "test/ray ttlSecondsAfterFinished: '60' is set, but shutdownAfterJobFinishes is false; use one of them",
    ]);
    const queued = {
      groupName: 'queued',
      slice: TpuSlice.of('ct6e-standard-8t'),
      capacity: Capacity.spot({ queue: 'tpu' }),
    };
    expect(refusal(() => job({ workerGroups: [...workerGroups, queued] }))).toEqual([
      "test/ray workerGroups[1].capacity: has queue 'tpu', but the capacity of workerGroups[0] has none; use one queue for all groups, or none",
    ]);
    const untyped = JSON.parse('{ "allowedClients": [], "entrypoint": "" }') as Partial<TpuRayJobProps>;
    expect(refusal(() => job(untyped))).toEqual([
      'test/ray allowedClients: unknown property',
      "test/ray entrypoint: '' is empty; use a command, like 'python train.py'",
    ]);
  });
});

describe('in a Kueue queue', () => {
  const queued = workerGroups.map((group) => ({ ...group, capacity: Capacity.spot({ queue: 'tpu' }) }));

  test('rejects props that Kueue rejects', () => {
    const groups = queued.map((group) => ({ ...group, groupName: 'head', maxReplicas: 2 }));
    const props = { workerGroups: groups, enableInTreeAutoscaling: true, shutdownAfterJobFinishes: false };
    expect(refusal(() => job(props))).toEqual([
      "test/ray enableInTreeAutoscaling: 'true' is rejected by Kueue in a queue, unless the workload is elastic; use annotations: { 'kueue.x-k8s.io/elastic-job': 'true' }, or replicas",
      "test/ray workerGroups[0].groupName: 'head' is Kueue's name for the head, so Kueue rejects it in a queue; use another name, for example 'tpu-group'",
      "test/ray shutdownAfterJobFinishes: 'false' keeps the quota of queue 'tpu' after the job has ended, so Kueue rejects it; remove it",
    ]);
    const cpuWorkerGroups = Array.from({ length: 17 }, (_, index) => ({ groupName: `cpu-${String(index)}` }));
    expect(refusal(() => cluster({ workerGroups: queued, cpuWorkerGroups }))).toEqual([
      'test/ray workerGroups: and cpuWorkerGroups together have 18 groups, more than Kueue supports in a queue; use at most 17',
    ]);
  });

  test('an elastic job scales', () => {
    const { rayJob } = job({
      workerGroups: queued.map((group) => ({ ...group, maxReplicas: 2 })),
      enableInTreeAutoscaling: true,
      annotations: { 'kueue.x-k8s.io/elastic-job': 'true' },
    });
    expect(rayJob.toJson()).toMatchObject({
      metadata: { annotations: { 'kueue.x-k8s.io/elastic-job': 'true' } },
      spec: { rayClusterSpec: { enableInTreeAutoscaling: true } },
    });
  });
});

describe('workers without TPUs', () => {
  const groups = (props: Partial<TpuRayClusterProps>): readonly Record<string, unknown>[] =>
    (cluster(props).rayCluster.toJson() as { spec: { workerGroupSpecs: Record<string, unknown>[] } }).spec
      .workerGroupSpecs;

  test('follow the TPU workers, with one pod per replica and the resources of a head', () => {
    const [, cpu] = groups({ cpuWorkerGroups: [{ groupName: 'cpu', replicas: 3, env: { A: 'b' } }] });
    expect(cpu).toMatchObject({
      groupName: 'cpu',
      replicas: 3,
      minReplicas: 3,
      maxReplicas: 3,
      numOfHosts: 1,
    });
    const { containers, ...spec } = (cpu as { template: { spec: { containers: Record<string, unknown>[] } } })
      .template.spec;
    expect(spec).not.toHaveProperty('nodeSelector');
    expect(containers).toMatchObject([
      {
        name: 'ray-worker',
        env: [{ name: 'A', value: 'b' }],
        resources: { requests: { cpu: '2', memory: '8G' }, limits: { cpu: '2', memory: '8G' } },
      },
    ]);
  });

  test('have their own resources, names and numbers', () => {
    const cpuWorkerGroups = [{ groupName: 'cpu', resources: { requests: { cpu: '16' } }, minReplicas: 2 }];
    expect(groups({ cpuWorkerGroups })[1]).toMatchObject({
      template: { spec: { containers: [{ resources: { requests: { cpu: '16', memory: '8G' } } }] } },
    });
    expect(
      refusal(() =>
        cluster({
          cpuWorkerGroups: [{ groupName: 'tpu', minReplicas: 3, maxReplicas: 2 }, { groupName: 'headgroup' }],
        }),
      ),
    ).toEqual([
      "test/ray cpuWorkerGroups[0].maxReplicas: '2' is less than minReplicas (3); use at least 3",
      "test/ray cpuWorkerGroups[1].groupName: 'headgroup' is KubeRay's name for the head; use another name, for example 'tpu-group'",
      "test/ray cpuWorkerGroups[0].groupName: 'tpu' is also the groupName of workerGroups[0]; use a unique value",
    ]);
    const untyped = JSON.parse('{ "cpuWorkerGroups": [{ "groupName": "cpu", "slice": 1 }] }') as object;
    expect(refusal(() => cluster(untyped))).toEqual(['test/ray cpuWorkerGroups[0].slice: unknown property']);
  });

  test('need nodes without TPUs, which the runbook lists', () => {
    const chart = Testing.chart();
    new TpuRayCluster(chart, 'ray', {
      workerGroups,
      cpuWorkerGroups: [{ groupName: 'loaders', replicas: 4, resources: { requests: { cpu: '16' } } }],
    });
    expect(new Runbook(chart).toString()).toContain(
      'the head, which requests 2 CPU and 8G of memory, and 4 pods of group loaders, each of which requests 16 CPU and 8G of memory',
    );
  });
});

describe('slices that compute together', () => {
  const multislice = (props: object): Record<string, unknown>[] => {
    const groups = workerGroups.map((group) => ({ ...group, multislice: true, ...props }));
    const { spec } = cluster({ workerGroups: groups, monitoring: false }).rayCluster.toJson() as {
      spec: {
        workerGroupSpecs: { template: { spec: { containers: { env?: Record<string, unknown>[] }[] } } }[];
      };
    };
    return spec.workerGroupSpecs.flatMap(({ template }) => template.spec.containers[0]?.env ?? []);
  };

  test('know their number', () => {
    expect(multislice({ replicas: 2 })).toEqual([{ name: 'MEGASCALE_NUM_SLICES', value: '2' }]);
    expect(multislice({ replicas: 2, env: { MEGASCALE_NUM_SLICES: null } })).toEqual([]);
  });

  test('must be a fixed number of at least two, with separate ports', () => {
    expect(refusal(() => multislice({}))).toEqual([
      'test/ray workerGroups[0].multislice: has no effect on 1 slice; use at least 2 replicas, or remove it',
    ]);
    expect(refusal(() => multislice({ minReplicas: 1, maxReplicas: 4 }))).toEqual([
      'test/ray workerGroups[0].multislice: requires a fixed number of slices, but the group has 1 to 4; use replicas: 4 without minReplicas and maxReplicas',
    ]);
    const oneHost = { slice: TpuSlice.of('ct6e-standard-8t'), replicas: 2 };
    expect(refusal(() => multislice(oneHost))).toEqual([
      'test/ray workerGroups[0].multislice: requires multi-host slices: the TPU webhook makes the first pod of the group the coordinator, but sets host names only on multi-host slices; use another slice, or set env[MEGASCALE_COORDINATOR_ADDRESS]',
    ]);
    expect(multislice({ ...oneHost, env: { MEGASCALE_COORDINATOR_ADDRESS: 'first' } })).toHaveLength(2);
    const rayStartParams = { 'metrics-export-port': '8081' };
    expect(refusal(() => multislice({ replicas: 2, rayStartParams }))).toEqual([
      "test/ray workerGroups[0].rayStartParams[metrics-export-port]: '8081' is the port through which the slices communicate; use another port, like '8080'",
    ]);
    expect(multislice({ replicas: 2, rayStartParams, env: { MEGASCALE_PORT: '9915' } })).toContainEqual({
      name: 'MEGASCALE_PORT',
      value: '9915',
    });
  });
});

test('a nightly image has no version of Ray', () => {
  const spec = (props: object): unknown =>
    cluster({ image: 'rayproject/ray:nightly-py312-tpu', ...props }).rayCluster.toJson().spec;
  expect(spec({})).not.toHaveProperty('rayVersion');
  expect(spec({ rayVersion: '3.0.0.dev0' })).toHaveProperty('rayVersion', '3.0.0.dev0');
});

test('a service rejects a queue, because it never ends', () => {
  const capacity = Capacity.onDemand({ queue: 'tpu' });
  const props = {
    workerGroups: workerGroups.map((group) => ({ ...group, capacity })),
    serveConfig: { applications: [{ name: 'app', importPath: 'a:b' }] },
  };
  expect(refusal(() => new TpuRayService(Testing.chart(), 'ray', props))).toEqual([
    "test/ray workerGroups[0].capacity: 'on-demand' waits in Kueue queue 'tpu', which this construct does not support; use the capacity without queue",
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
])('explains in the runbook how to watch and change %s', (_, Example, watch, change) => {
  const text = new Runbook(new Example(Testing.app())).toString();
  expect(text).toContain(watch);
  expect(text).toContain(change);
});
