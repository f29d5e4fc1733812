import { Chart, Testing } from 'cdk8s';
import { lauxlib, lua, lualib, type LuaState, to_luastring } from 'fengari';
import { ARGO_HEALTH_CHECKS, ArgoHealthChecks } from '../../lib';

interface Health {
  readonly status: string;
  readonly message: string;
}

/** A JSON value on Lua's stack. */
function push(state: LuaState, value: unknown): void {
  if (typeof value === 'string') lua.lua_pushstring(state, to_luastring(value));
  else if (typeof value === 'number') lua.lua_pushinteger(state, value);
  else if (typeof value === 'object' && value !== null) {
    lua.lua_createtable(state, 0, 0);
    for (const [key, child] of Object.entries(value)) {
      push(state, child);
      if (Array.isArray(value)) lua.lua_seti(state, -2, Number(key) + 1);
      else lua.lua_setfield(state, -2, to_luastring(key));
    }
  } else lua.lua_pushnil(state);
}

/** The result of a check, in a Lua that has only its base library: Argo CD opens few others. */
function health(check: keyof typeof ARGO_HEALTH_CHECKS, obj: object): Health {
  const state = lauxlib.luaL_newstate();
  lauxlib.luaL_requiref(state, to_luastring('_G'), lualib.luaopen_base, 1);
  push(state, obj);
  lua.lua_setglobal(state, to_luastring('obj'));
  if (lauxlib.luaL_dostring(state, to_luastring(ARGO_HEALTH_CHECKS[check])))
    throw new Error(lua.lua_tojsstring(state, -1));
  const field = (key: string): string => {
    lua.lua_getfield(state, -1, to_luastring(key));
    const value = lua.lua_tojsstring(state, -1);
    lua.lua_pop(state, 1);
    return value;
  };
  return { status: field('status'), message: field('message') };
}

const condition = (type: string, status: string, reason: string, message: string): object => ({
  type,
  status,
  reason,
  message,
});

describe('a RayService', () => {
  const of = (status?: object): Health =>
    health('resource.customizations.health.ray.io_RayService', { spec: {}, status });
  const upgrade = (status: string): object =>
    condition('UpgradeInProgress', status, 'BothActivePendingClustersExist', 'two clusters');

  test.each<[string, object | undefined, Health]>([
    ['that KubeRay has not seen', undefined, { status: 'Progressing', message: 'waiting for KubeRay' }],
    ['without conditions', { serviceStatus: '' }, { status: 'Progressing', message: 'waiting for KubeRay' }],
    [
      'that starts',
      {
        conditions: [
          condition('Ready', 'False', 'Initializing', 'starting'),
          condition('UpgradeInProgress', 'False', 'Initializing', 'starting'),
        ],
      },
      { status: 'Progressing', message: 'starting' },
    ],
    [
      'that serves',
      {
        conditions: [upgrade('False'), condition('Ready', 'True', 'NonZeroServeEndpoints', 'serving')],
      },
      { status: 'Healthy', message: 'serving' },
    ],
    [
      'that serves, while its next cluster starts',
      {
        conditions: [condition('Ready', 'True', 'NonZeroServeEndpoints', 'serving'), upgrade('True')],
      },
      { status: 'Progressing', message: 'two clusters' },
    ],
    [
      'that has stopped serving',
      { conditions: [condition('Ready', 'False', 'ZeroServeEndpoints', 'none left')] },
      { status: 'Degraded', message: 'none left' },
    ],
    [
      'that took too long',
      { conditions: [condition('Ready', 'False', 'InitializingTimeout', 'too long')] },
      { status: 'Degraded', message: 'too long' },
    ],
  ])('%s', (_, status, expected) => {
    expect(of(status)).toEqual(expected);
  });
});

describe('a LeaderWorkerSet', () => {
  const of = (status?: object, replicas?: number): Health =>
    health('resource.customizations.health.leaderworkerset.x-k8s.io_LeaderWorkerSet', {
      metadata: { generation: 2 },
      spec: { replicas },
      status,
    });
  const seen = (type: string, observedGeneration?: number): object => ({
    ...condition(type, 'True', type, type),
    observedGeneration,
  });

  test.each<[string, object | undefined, number | undefined, Health]>([
    [
      'that its controller has not seen',
      undefined,
      1,
      { status: 'Progressing', message: 'waiting for the LeaderWorkerSet controller' },
    ],
    [
      'that starts',
      { readyReplicas: 1, conditions: [seen('Progressing', 2)] },
      3,
      { status: 'Progressing', message: '1 of 3 groups ready' },
    ],
    [
      'that is updated',
      { readyReplicas: 2, conditions: [seen('UpdateInProgress', 2), seen('Progressing', 2)] },
      3,
      { status: 'Progressing', message: '2 of 3 groups ready' },
    ],
    [
      'that is available',
      { readyReplicas: 1, conditions: [seen('Available', 2)] },
      undefined,
      { status: 'Healthy', message: '1 of 1 groups ready' },
    ],
    [
      'that was available before it changed',
      { readyReplicas: 1, conditions: [seen('Available', 1)] },
      1,
      { status: 'Progressing', message: '1 of 1 groups ready' },
    ],
    [
      'of a release without observedGeneration',
      { readyReplicas: 1, conditions: [seen('Available')] },
      1,
      { status: 'Healthy', message: '1 of 1 groups ready' },
    ],
    [
      'that has become unavailable',
      { conditions: [{ ...seen('Available', 2), status: 'False' }, seen('Progressing', 2)] },
      1,
      { status: 'Progressing', message: '0 of 1 groups ready' },
    ],
  ])('%s', (_, status, replicas, expected) => {
    expect(of(status, replicas)).toEqual(expected);
  });
});

describe('a JobSet', () => {
  const of = (status?: object): Health =>
    health('resource.customizations.health.jobset.x-k8s.io_JobSet', {
      spec: { replicatedJobs: [{ name: 'workers', replicas: 2 }, { name: 'one' }] },
      status,
    });
  const jobs = (workers: number, one: number): object[] => [
    { name: 'workers', ready: workers, active: 2, failed: 0, succeeded: 0, suspended: 0 },
    { name: 'one', ready: one, active: 1, failed: 0, succeeded: 0, suspended: 0 },
  ];

  test.each<[string, object | undefined, Health]>([
    [
      'that its controller has not seen',
      undefined,
      { status: 'Progressing', message: 'waiting for the JobSet controller' },
    ],
    [
      'without counts',
      { conditions: [condition('Suspended', 'False', 'ResumeJobs', 'resumed')] },
      { status: 'Progressing', message: 'waiting for the JobSet controller' },
    ],
    [
      'that starts or restarts',
      { restarts: 1, replicatedJobsStatus: jobs(1, 1) },
      { status: 'Progressing', message: '2 of 3 jobs ready' },
    ],
    [
      'all of whose hosts are ready',
      {
        conditions: [condition('Suspended', 'False', 'ResumeJobs', 'resumed')],
        replicatedJobsStatus: jobs(2, 1),
      },
      { status: 'Healthy', message: '3 of 3 jobs ready' },
    ],
    [
      'that failed',
      {
        terminalState: 'Failed',
        conditions: [condition('Failed', 'True', 'ReachedMaxRestarts', 'no restart left')],
        replicatedJobsStatus: jobs(2, 1),
      },
      { status: 'Degraded', message: 'no restart left' },
    ],
    [
      'that has completed',
      {
        terminalState: 'Completed',
        conditions: [condition('Completed', 'True', 'AllJobsCompleted', 'done')],
        replicatedJobsStatus: jobs(0, 0),
      },
      { status: 'Healthy', message: 'done' },
    ],
    [
      'that waits in a queue',
      { conditions: [condition('Suspended', 'True', 'SuspendedJobs', 'suspended')] },
      { status: 'Suspended', message: 'suspended' },
    ],
  ])('%s', (_, status, expected) => {
    expect(of(status)).toEqual(expected);
  });
});

describe('a RayCluster', () => {
  const of = (status?: object): Health =>
    health('resource.customizations.health.ray.io_RayCluster', { metadata: { generation: 2 }, status });
  const workers = (ready: number): object => ({ readyWorkerReplicas: ready, desiredWorkerReplicas: 4 });

  test.each<[string, object | undefined, Health]>([
    ['that KubeRay has not seen', undefined, { status: 'Progressing', message: 'waiting for KubeRay' }],
    ['that starts', workers(1), { status: 'Progressing', message: '1 of 4 workers ready' }],
    [
      'all of whose workers are ready',
      { state: 'ready', observedGeneration: 2, ...workers(4) },
      { status: 'Healthy', message: '4 of 4 workers ready' },
    ],
    [
      'of a release that counts available workers only',
      { state: 'ready', availableWorkerReplicas: 4, desiredWorkerReplicas: 4 },
      { status: 'Healthy', message: '4 of 4 workers ready' },
    ],
    [
      'that has lost a worker',
      { state: 'ready', observedGeneration: 2, ...workers(3) },
      { status: 'Progressing', message: '3 of 4 workers ready' },
    ],
    [
      'that was ready before it changed',
      { state: 'ready', observedGeneration: 1, ...workers(4) },
      { status: 'Progressing', message: '4 of 4 workers ready' },
    ],
    [
      'whose pods cannot be created',
      { conditions: [condition('ReplicaFailure', 'True', 'FailedCreateWorkerPod', 'quota')] },
      { status: 'Degraded', message: 'quota' },
    ],
    [
      'that waits in a queue',
      { state: 'suspended', ...workers(0) },
      { status: 'Suspended', message: 'suspended' },
    ],
  ])('%s', (_, status, expected) => {
    expect(of(status)).toEqual(expected);
  });
});

describe('a RayJob', () => {
  const of = (status?: object): Health =>
    health('resource.customizations.health.ray.io_RayJob', { metadata: { generation: 1 }, status });

  test.each<[string, object | undefined, Health]>([
    ['that KubeRay has not seen', undefined, { status: 'Progressing', message: 'waiting for KubeRay' }],
    [
      'that runs',
      { jobDeploymentStatus: 'Running', jobStatus: 'RUNNING' },
      { status: 'Progressing', message: 'Running' },
    ],
    [
      'that is retried',
      { jobDeploymentStatus: 'Retrying', jobStatus: 'FAILED' },
      { status: 'Progressing', message: 'Retrying' },
    ],
    [
      'that has completed',
      { jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED', message: 'done' },
      { status: 'Healthy', message: 'done' },
    ],
    [
      'that failed',
      { jobDeploymentStatus: 'Failed', jobStatus: 'FAILED', message: 'exit code 1' },
      { status: 'Degraded', message: 'exit code 1' },
    ],
    [
      'that failed, with a release that says Complete',
      { jobDeploymentStatus: 'Complete', jobStatus: 'FAILED' },
      { status: 'Degraded', message: 'Complete' },
    ],
    [
      'that KubeRay finds invalid',
      { jobDeploymentStatus: 'ValidationFailed' },
      { status: 'Degraded', message: 'ValidationFailed' },
    ],
    [
      'that waits in a queue',
      { jobDeploymentStatus: 'Suspended' },
      { status: 'Suspended', message: 'Suspended' },
    ],
  ])('%s', (_, status, expected) => {
    expect(of(status)).toEqual(expected);
  });
});

describe('an InferencePool', () => {
  const of = (...conditions: readonly object[]): Health =>
    health('resource.customizations.health.inference.networking.k8s.io_InferencePool', {
      metadata: { generation: 2 },
      status: { parents: [{ parentRef: { name: 'gateway' }, conditions }] },
    });

  test.each<[string, readonly object[], Health]>([
    ['that no Gateway has seen', [], { status: 'Progressing', message: 'waiting for a Gateway' }],
    [
      'that its Gateway accepts',
      [condition('Accepted', 'True', 'Accepted', 'ok'), condition('ResolvedRefs', 'True', 'ok', 'ok')],
      { status: 'Healthy', message: 'accepted' },
    ],
    [
      'whose endpoint picker is missing',
      [
        condition('Accepted', 'True', 'Accepted', 'ok'),
        condition('ResolvedRefs', 'False', 'InvalidExtensionRef', 'no such Service'),
      ],
      { status: 'Degraded', message: 'no such Service' },
    ],
    [
      'that was accepted before it changed',
      [{ ...condition('Accepted', 'True', 'Accepted', 'ok'), observedGeneration: 1 }],
      { status: 'Progressing', message: 'waiting for a Gateway' },
    ],
  ])('%s', (_, conditions, expected) => {
    expect(of(...conditions)).toEqual(expected);
  });

  test('without a status waits for a Gateway', () => {
    expect(
      health('resource.customizations.health.inference.networking.k8s.io_InferencePool', {
        metadata: { generation: 1 },
      }),
    ).toEqual({ status: 'Progressing', message: 'waiting for a Gateway' });
  });
});

test('renders a ConfigMap in the namespace of the chart', () => {
  const charts = [undefined, 'argo'].map((namespace) => new Chart(Testing.app(), 'argo', { namespace }));
  const rendered = charts.map((chart) => {
    new ArgoHealthChecks(chart, 'health-checks');
    return Testing.synth(chart);
  });
  const configMap = (namespace: string): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'argocd-cm',
      namespace,
      labels: { 'app.kubernetes.io/name': 'argocd-cm', 'app.kubernetes.io/part-of': 'argocd' },
    },
    data: ARGO_HEALTH_CHECKS,
  });
  expect(rendered).toEqual([[configMap('argocd')], [configMap('argo')]]);
});
