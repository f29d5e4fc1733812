import { Testing } from 'cdk8s';
import fc from '../fast-check';
import {
  Capacity,
  podTemplate,
  TpuServer,
  type TpuServerProps,
  TpuSlice,
  VllmMetric,
  VllmServer,
  type ServerMetric,
  type VllmServerProps,
} from '../../lib';
import { isRuntimePort } from '../../lib/facts/ports';
import { refusal } from '../refusal';
import { placeServer, selectorOf, type ServerParts } from '../../lib/workload/server';

type Kind =
  | 'Deployment'
  | 'LeaderWorkerSet'
  | 'Service'
  | 'PodMonitoring'
  | 'HorizontalPodAutoscaler'
  | 'PodDisruptionBudget'
  | 'NetworkPolicy';

/** The objects of a server by their kinds. */
function render(props: Partial<VllmServerProps> = {}): Partial<Record<Kind, object>> {
  const chart = Testing.chart();
  const slice = TpuSlice.of('ct6e-standard-8t');
  new VllmServer(chart, 'server', { model: 'google/gemma-2b', slice, ...props });
  return Object.fromEntries(Testing.synth(chart).map((object) => [object.kind as string, object as object]));
}

/** The objects of a server of four replicas on two hosts each. */
function renderGroups(props: Partial<TpuServerProps>): Partial<Record<Kind, object>> {
  const chart = Testing.chart();
  const slice = TpuSlice.of('ct6e-standard-4t', '2x4');
  new TpuServer(chart, 'server', { image: 'example.com/server:v1', slice, replicas: 4, ...props });
  return Object.fromEntries(Testing.synth(chart).map((object) => [object.kind as string, object as object]));
}

const autoscaling = { maxReplicas: 2, metric: VllmMetric.REQUESTS_WAITING, averageValue: 10 };

describe('with any name and port,', () => {
  const name = fc
    .tuple(
      fc.constantFrom('a', 'vllm', 'x9'),
      fc.string({ unit: fc.constantFrom('b', '7', '-'), maxLength: 50 }),
    )
    .map(([head, tail]) => `${head}${tail}0`);
  const metric = fc.constantFrom(
    VllmMetric.REQUESTS_WAITING,
    VllmMetric.REQUESTS_RUNNING,
    VllmMetric.KV_CACHE_USAGE,
  );
  const interval = fc.constantFrom('5s', '1m', '1m30s');

  test('every object has the name, and all selectors find the pods and their port', () => {
    fc.assert(
      fc.property(
        name,
        fc.integer({ min: 1, max: 65535 }).filter((port) => !isRuntimePort(port)),
        metric,
        interval,
        (called, port, watched, every) => {
          const pods = { app: called };
          const probe = { httpGet: { path: '/health', port } };
          const metadata = { name: called, labels: pods };
          expect(
            render({
              name: called,
              port,
              monitoring: { interval: every },
              allowedClients: [{ podSelector: {} }],
              autoscaling: { ...autoscaling, metric: watched, averageValue: 0.5 },
            }),
          ).toMatchObject({
            Deployment: {
              metadata,
              spec: {
                selector: { matchLabels: pods },
                template: {
                  metadata: { labels: pods },
                  spec: {
                    containers: [
                      {
                        args: expect.arrayContaining([`--port=${String(port)}`]) as unknown,
                        ports: [{ containerPort: port }, { containerPort: 8431 }],
                        startupProbe: probe,
                        readinessProbe: probe,
                      },
                    ],
                  },
                },
              },
            },
            Service: { metadata, spec: { selector: pods, ports: [{ port, targetPort: port }] } },
            PodMonitoring: {
              metadata,
              spec: {
                selector: { matchLabels: pods },
                endpoints: [{ port, path: '/metrics', interval: every }],
              },
            },
            HorizontalPodAutoscaler: {
              metadata,
              spec: {
                scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: called },
                metrics: [{ pods: { metric: { name: `prometheus.googleapis.com|${watched.name}|gauge` } } }],
              },
            },
          });
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('the Service', () => {
  test.each([
    [undefined, 'ClusterIP', undefined],
    ['ClusterIP', 'ClusterIP', undefined],
    ['InternalLoadBalancer', 'LoadBalancer', { 'networking.gke.io/load-balancer-type': 'Internal' }],
    ['ExternalLoadBalancer', 'LoadBalancer', undefined],
  ] as const)('%s is of type %s', (serviceType, type, annotations) => {
    const { Service } = render({ serviceType });
    expect(Service).toMatchObject({
      metadata: { name: 'server' },
      spec: { type, selector: { app: 'server' } },
    });
    expect((Service as { metadata: { annotations?: unknown } }).metadata.annotations).toEqual(annotations);
  });
});

describe('the autoscaler', () => {
  test('is the only object that sets replicas', () => {
    const { Deployment, HorizontalPodAutoscaler } = render({ autoscaling });
    expect(Deployment).not.toHaveProperty('spec.replicas');
    expect(HorizontalPodAutoscaler).toHaveProperty('spec', {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'server' },
      minReplicas: 1,
      maxReplicas: 2,
      behavior: expect.anything(),
      metrics: [
        {
          type: 'Pods',
          pods: {
            metric: { name: 'prometheus.googleapis.com|vllm:num_requests_waiting|gauge' },
            target: { type: 'AverageValue', averageValue: '10' },
          },
        },
      ],
    });
  });

  test.each([
    [10, '10'],
    [1, '1'],
    [0.8, '800m'],
    [1.5, '1500m'],
    [0.001, '1m'],
  ])('has target %d as the API server stores it: %s', (averageValue, stored) => {
    expect(render({ autoscaling: { ...autoscaling, averageValue } }).HorizontalPodAutoscaler).toHaveProperty(
      'spec.metrics.0.pods.target.averageValue',
      stored,
    );
  });

  test('is rendered only with autoscaling; otherwise, the replicas are fixed', () => {
    const { Deployment, HorizontalPodAutoscaler } = render();
    expect(HorizontalPodAutoscaler).toBeUndefined();
    expect(Deployment).toHaveProperty('spec.replicas', 1);
    expect(render({ replicas: 0 }).Deployment).toHaveProperty('spec.replicas', 0);
  });
});

describe('a rollout', () => {
  test.each([
    [undefined, { maxSurge: 0, maxUnavailable: 1 }],
    [{ maxSurge: 2 }, { maxSurge: 2, maxUnavailable: 0 }],
    [{ maxUnavailable: 3 }, { maxSurge: 0, maxUnavailable: 3 }],
    [
      { maxSurge: 1, maxUnavailable: 1 },
      { maxSurge: 1, maxUnavailable: 1 },
    ],
    [{ maxSurge: '25%' as const }, { maxSurge: '25%', maxUnavailable: 0 }],
    [{ maxSurge: '0%' as const }, { maxSurge: '0%', maxUnavailable: 1 }],
    [{ maxUnavailable: '50%' as const }, { maxSurge: 0, maxUnavailable: '50%' }],
  ])('%j is a rolling update with %j', (rollout, rollingUpdate) => {
    expect(render({ rollout }).Deployment).toHaveProperty('spec.strategy', {
      type: 'RollingUpdate',
      rollingUpdate,
    });
  });

  test('on several hosts can have percentages', () => {
    expect(renderGroups({ rollout: { maxUnavailable: '50%' } }).LeaderWorkerSet).toHaveProperty(
      'spec.rolloutStrategy.rollingUpdateConfiguration',
      { partition: 0, maxSurge: 0, maxUnavailable: '50%' },
    );
  });

  test.each<[object, string]>([
    [
      { maxSurge: '25' },
      "rollout.maxSurge: '25' is not a percentage; use a whole number, or a percentage like '25%'",
    ],
    [{ maxSurge: 0.5 }, "rollout.maxSurge: '0.5' is not a whole number of at least 0; use 1"],
    [{ maxUnavailable: '150%' }, "rollout.maxUnavailable: '150%' is more than 100%; use at most '100%'"],
    [
      { maxUnavailable: true },
      "rollout.maxUnavailable: 'true' is a boolean; use a whole number, or a percentage like '25%'",
    ],
    [
      { maxSurge: '0%', maxUnavailable: '0%' },
      "rollout.maxUnavailable: '0%' does not allow an update together with maxSurge 0%; use at least 1 in one of them",
    ],
  ])('is refused with %j', (rollout, problem) => {
    expect(refusal(() => render({ rollout })).replace(/^\S+ /, '')).toBe(problem);
  });

  test('can stop all replicas first', () => {
    expect(render({ rollout: 'Recreate' }).Deployment).toHaveProperty('spec.strategy', { type: 'Recreate' });
  });

  test('waits as long as a start may take, and ten minutes for the node', () => {
    expect(render({ startupSeconds: 1795 }).Deployment).toMatchObject({
      spec: {
        progressDeadlineSeconds: 2395,
        template: { spec: { containers: [{ startupProbe: { failureThreshold: 180, periodSeconds: 10 } }] } },
      },
    });
  });

  test.each([
    [{}, 30, 60],
    [{ preStopSeconds: 5 }, 5, 35],
    [{ capacity: Capacity.spot() }, 10, 15],
    [{ capacity: Capacity.spot(), preStopSeconds: 0 }, 0, 5],
    [{ shutdownSeconds: 120 }, 30, 150],
    [{ terminationGracePeriodSeconds: 600 }, 30, 600],
    [{ terminationGracePeriodSeconds: 20 }, 10, 20],
    [{ fragments: [{ pod: { terminationGracePeriodSeconds: 20 } }] }, 10, 20],
  ])('with %j lets requests end for %i of %i seconds', (props, seconds, all) => {
    expect(render(props).Deployment).toMatchObject({
      spec: {
        template: {
          spec: {
            terminationGracePeriodSeconds: all,
            containers: [{ lifecycle: { preStop: { exec: { command: ['sleep', String(seconds)] } } } }],
          },
        },
      },
    });
  });
});

describe('several replicas', () => {
  test.each<[Partial<VllmServerProps>, boolean]>([
    [{}, false],
    [{ replicas: 0 }, false],
    [{ replicas: 2 }, true],
    [{ autoscaling }, true],
    [{ replicas: 'external' }, true],
    [{ autoscaling: { ...autoscaling, maxReplicas: 1 } }, false],
  ])('%j can be drained one at a time: %s', (props, several) => {
    const { Deployment, PodDisruptionBudget } = render(props);
    const spec = {
      maxUnavailable: 1,
      selector: { matchLabels: { app: 'server' } },
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    };
    expect(PodDisruptionBudget ?? {}).toMatchObject(several ? { spec } : {});
    expect([
      PodDisruptionBudget !== undefined,
      JSON.stringify(Deployment).includes('topologySpreadConstraints'),
    ]).toEqual([several, several]);
  });
});

describe('a PodDisruptionBudget', () => {
  test('can let drains evict more replicas, and can be omitted', () => {
    const budget = (disruptionBudget: VllmServerProps['disruptionBudget']): object | undefined =>
      render({ replicas: 4, disruptionBudget }).PodDisruptionBudget;
    expect(budget({ maxUnavailable: 2 })).toHaveProperty('spec.maxUnavailable', 2);
    expect(budget(false)).toBeUndefined();
    expect(render({ disruptionBudget: { maxUnavailable: 0 } }).PodDisruptionBudget).toHaveProperty(
      'spec.maxUnavailable',
      0,
    );
    expect(budget({ maxUnavailable: '25%' })).toHaveProperty('spec.maxUnavailable', '25%');
    expect(budget({ minAvailable: 3 })).toMatchObject({ spec: { minAvailable: 3 } });
    expect(budget({ minAvailable: '50%' })).not.toHaveProperty('spec.maxUnavailable');
  });

  test('counts the hosts of each slice', () => {
    const budget = (disruptionBudget: VllmServerProps['disruptionBudget']): object | undefined =>
      renderGroups({ disruptionBudget }).PodDisruptionBudget;
    expect(budget({ minAvailable: 3 })).toHaveProperty('spec.minAvailable', 6);
    expect(budget({ maxUnavailable: '25%' })).toHaveProperty('spec.maxUnavailable', '25%');
  });

  test.each<[object, string]>([
    [{}, 'disruptionBudget.maxUnavailable: required without minAvailable, for example 1'],
    [
      { maxUnavailable: 1, minAvailable: 1 },
      "disruptionBudget.minAvailable: '1' is set together with maxUnavailable; use one of them",
    ],
    [{ minAvailable: '101%' }, "disruptionBudget.minAvailable: '101%' is more than 100%; use at most '100%'"],
  ])('is refused with %j', (disruptionBudget, problem) => {
    expect(refusal(() => render({ disruptionBudget })).replace(/^\S+ /, '')).toBe(problem);
  });
});

test('an autoscaler outside the chart sets the replicas', () => {
  expect(render({ replicas: 'external' }).Deployment).not.toHaveProperty('spec.replicas');
});

test('all objects and the pods have the labels and annotations that the user adds', () => {
  const objects = render({
    labels: { team: 'models', 'app.kubernetes.io/name': 'my-vllm' },
    annotations: { owner: 'search' },
    replicas: 2,
    allowedClients: [],
  });
  const metadata = {
    labels: { team: 'models', 'app.kubernetes.io/name': 'my-vllm' },
    annotations: { owner: 'search' },
  };
  expect(Object.keys(objects)).toHaveLength(5);
  for (const object of Object.values(objects)) expect(object).toMatchObject({ metadata });
  expect(objects.Deployment).toMatchObject({ spec: { template: { metadata } } });
});

describe('further ports', () => {
  const extraPorts = [{ name: 'grpc', port: 9000 }];

  test('are ports of the container, of the Service and of the NetworkPolicy', () => {
    const { Deployment, Service, NetworkPolicy } = render({
      extraPorts,
      allowedClients: [{ podSelector: {} }],
    });
    expect(Deployment).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                ports: [
                  { name: 'http', containerPort: 8000 },
                  { name: 'grpc', containerPort: 9000 },
                  { containerPort: 8431 },
                ],
              },
            ],
          },
        },
      },
    });
    expect(Service).toHaveProperty('spec.ports', [
      { name: 'http', port: 8000, protocol: 'TCP', targetPort: 8000 },
      { name: 'grpc', port: 9000, protocol: 'TCP', targetPort: 9000 },
    ]);
    expect(NetworkPolicy).toMatchObject({
      spec: { ingress: [{ ports: [{ port: 8000 }, { port: 9000 }] }, {}] },
    });
  });
});

describe('clients by address', () => {
  const byAddress = [{ ipBlock: { cidr: '10.0.0.0/8' } }];

  test.each([
    ['InternalLoadBalancer', byAddress, 'Local'],
    ['ExternalLoadBalancer', byAddress, 'Local'],
    ['ExternalLoadBalancer', [{ podSelector: {} }], undefined],
    ['ExternalLoadBalancer', undefined, undefined],
    ['ClusterIP', byAddress, undefined],
  ] as const)('behind %s, for %j: externalTrafficPolicy %s', (serviceType, allowedClients, policy) => {
    const { Service } = render({ serviceType, allowedClients });
    expect((Service as { spec: { externalTrafficPolicy?: string } }).spec.externalTrafficPolicy).toBe(policy);
  });
});

test('only the allowed clients, and the collector of metrics, reach a server', () => {
  const allowedClients = [{ podSelector: { matchLabels: { app: 'gateway' } } }];
  const from = (monitoring: false | undefined): unknown =>
    render({ allowedClients, monitoring, port: 9000 }).NetworkPolicy;
  const ports = [{ protocol: 'TCP', port: 9000 }];
  const clients = { from: allowedClients, ports };
  const key = 'kubernetes.io/metadata.name';
  const values = ['gke-gmp-system', 'gmp-system'];
  const collector = {
    from: [{ namespaceSelector: { matchExpressions: [{ key, operator: 'In', values }] } }],
    ports,
  };
  const spec = { podSelector: { matchLabels: { app: 'server' } }, policyTypes: ['Ingress'] };
  expect(from(undefined)).toHaveProperty('spec', { ...spec, ingress: [clients, collector] });
  expect(from(false)).toHaveProperty('spec', { ...spec, ingress: [clients] });
  expect(render().NetworkPolicy).toBeUndefined();
});

test('an empty list of clients admits no client', () => {
  expect(render({ allowedClients: [], monitoring: false }).NetworkPolicy).toHaveProperty('spec.ingress', []);
  const { ingress } = (render({ allowedClients: [] }).NetworkPolicy as { spec: { ingress: object[] } }).spec;
  expect(ingress).toEqual([
    expect.objectContaining({ from: [{ namespaceSelector: expect.anything() as unknown }] }),
  ]);
});

test.each(['1d', '1h30m', '500ms', '1w2d'])('metrics may be collected every %s', (interval) => {
  expect(render({ monitoring: { interval } }).PodMonitoring).toHaveProperty(
    'spec.endpoints.0.interval',
    interval,
  );
});

test('metrics are collected every 15 seconds, or not at all', () => {
  expect(render().PodMonitoring).toHaveProperty('spec.endpoints', [
    { port: 8000, path: '/metrics', interval: '15s' },
  ]);
  expect(render({ monitoring: {} }).PodMonitoring).toEqual(render().PodMonitoring);
  expect(render({ monitoring: false }).PodMonitoring).toBeUndefined();
});

test('a server can have no Service, no monitoring, or a Service with another name', () => {
  const place = (parts: Partial<ServerParts>): readonly string[] => {
    const chart = Testing.chart();
    const selector = selectorOf('server');
    const template = podTemplate({
      container: { name: 'server', image: 'server:v1' },
      given: [{ labels: selector }],
    });
    placeServer(chart, { name: 'server', selector, template, ...parts });
    return Testing.synth(chart).map((object) => `${String(object.kind)}/${String(object.metadata.name)}`);
  };
  const service = { name: 'front', type: 'ClusterIP', port: { name: 'grpc', port: 9000 } } as const;
  expect(place({})).toEqual(['Deployment/server']);
  expect(place({ service })).toEqual(['Deployment/server', 'Service/front']);
});

describe('metrics by name', () => {
  test.each([VllmMetric.REQUESTS_WAITING, VllmMetric.REQUESTS_RUNNING, VllmMetric.KV_CACHE_USAGE])(
    '$name',
    (metric) => {
      expect(VllmMetric.of(metric.name)).toBe(metric);
      expect(metric.type).toBe('gauge');
    },
  );

  test.each([
    [
      'vllm:gpu_cache_usage_perc',
      "metric: 'vllm:gpu_cache_usage_perc' is a metric that current releases of the server do not export; use its successor 'vllm:kv_cache_usage_perc'",
    ],
    [
      'toString',
      "metric: 'toString' is not known; use one of 'vllm:num_requests_waiting', 'vllm:num_requests_running', 'vllm:kv_cache_usage_perc'",
    ],
    [
      'num_requests_waiting',
      "metric: 'num_requests_waiting' is not known; use one of 'vllm:num_requests_waiting', 'vllm:num_requests_running', 'vllm:kv_cache_usage_perc'",
    ],
  ])('do not include %s', (name, problem) => {
    expect((): ServerMetric => VllmMetric.of(name)).toThrow(new Error(problem));
  });
});
