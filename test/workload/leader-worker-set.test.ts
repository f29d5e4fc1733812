import { Testing } from 'cdk8s';
import { Capacity, podTemplate, VllmMetric } from '../../lib';
import { leaderWorkerSetName } from '../../lib/workload/leader-worker-set';
import { placeServer, type ServerParts } from '../../lib/workload/server';

const selector = { app: 'llama' };
const pod = (name: string): ServerParts['template'] =>
  podTemplate({
    container: { name, image: 'example.com/server:v1' },
    facts: [{ labels: selector }],
  });

const PARTS: ServerParts = {
  name: 'llama',
  selector,
  template: pod('leader'),
  group: { hosts: 4, worker: pod('worker') },
  service: { type: 'ClusterIP', port: { name: 'http', port: 8000 } },
  monitoring: { port: 8000, path: '/metrics' },
};

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** The objects of a server by their kinds. */
function render(parts: Partial<ServerParts> = {}): Readonly<Record<string, Rendered>> {
  const chart = Testing.chart();
  placeServer(chart, { ...PARTS, ...parts });
  return Object.fromEntries((Testing.synth(chart) as Rendered[]).map((object) => [object.kind, object]));
}

const leaders = { ...selector, 'leaderworkerset.sigs.k8s.io/worker-index': '0' };

describe('a server on several hosts', () => {
  test('is a LeaderWorkerSet with every field that the API server or the webhook would fill in', () => {
    expect(render()['LeaderWorkerSet']).toEqual({
      apiVersion: 'leaderworkerset.x-k8s.io/v1',
      kind: 'LeaderWorkerSet',
      metadata: {
        name: 'llama',
        labels: selector,
        annotations: {
          'leaderworkerset.sigs.k8s.io/exclusive-topology': 'cloud.google.com/gke-nodepool',
        },
      },
      spec: {
        replicas: 1,
        startupPolicy: 'LeaderCreated',
        networkConfig: { subdomainPolicy: 'Shared' },
        rolloutStrategy: {
          type: 'RollingUpdate',
          rollingUpdateConfiguration: { partition: 0, maxUnavailable: 1, maxSurge: 0 },
        },
        leaderWorkerTemplate: {
          size: 4,
          restartPolicy: 'RecreateGroupOnPodRestart',
          leaderTemplate: PARTS.template,
          workerTemplate: PARTS.group?.worker,
        },
      },
    });
  });

  test('waits in the queue of its capacity, and shares node pools if its slices are dynamic', () => {
    const capacity = Capacity.dynamicSlice({ queue: 'tpu7x' });
    const { metadata } =
      render({ group: { hosts: 2, worker: pod('worker'), capacity } })['LeaderWorkerSet'] ?? {};
    expect(metadata).toEqual({
      name: 'llama',
      labels: { ...selector, 'kueue.x-k8s.io/queue-name': 'tpu7x' },
    });
  });

  test('has a Service with its own name that selects the first hosts', () => {
    expect(render()['Service']).toMatchObject({
      metadata: { name: 'llama-leader' },
      spec: { selector: leaders },
    });
  });

  test('collects metrics only from the first hosts', () => {
    expect(render()['PodMonitoring']?.spec).toMatchObject({ selector: { matchLabels: leaders } });
  });

  test('has a PodDisruptionBudget for all pods that allows the eviction of whole slices', () => {
    expect(render()['PodDisruptionBudget']).toBeUndefined();
    expect(render({ replicas: 3 })['PodDisruptionBudget']?.spec).toMatchObject({
      maxUnavailable: 4,
      selector: { matchLabels: selector },
    });
    const disruptionBudget = { maxUnavailable: 2 };
    expect(render({ replicas: 3, disruptionBudget })['PodDisruptionBudget']?.spec).toMatchObject({
      maxUnavailable: 8,
    });
  });

  test('is scaled through its scale subresource, and then renders no replicas', () => {
    const autoscaling = { maxReplicas: 2, metric: VllmMetric.REQUESTS_WAITING, averageValue: 10 };
    const scaled = render({ autoscaling });
    expect(scaled['HorizontalPodAutoscaler']?.spec).toMatchObject({
      scaleTargetRef: {
        apiVersion: 'leaderworkerset.x-k8s.io/v1',
        kind: 'LeaderWorkerSet',
        name: 'llama',
      },
    });
    expect(scaled['LeaderWorkerSet']?.spec).not.toHaveProperty('replicas');
    expect(render({ replicas: 'external' })['LeaderWorkerSet']?.spec).not.toHaveProperty('replicas');
  });

  test('admits its own hosts on every port if it admits only some clients', () => {
    const client = { podSelector: { matchLabels: { app: 'web' } } };
    const policy = render({ allowedClients: [client] })['NetworkPolicy'];
    expect(policy?.spec).toMatchObject({
      podSelector: { matchLabels: selector },
      ingress: [{ from: [client], ports: [{ port: 8000 }] }, { ports: [{ port: 8000 }] }, {}],
    });
    expect((policy?.spec['ingress'] as unknown[] | undefined)?.at(-1)).toEqual({
      from: [{ podSelector: { matchLabels: selector } }],
    });
  });
});

describe('the name of a LeaderWorkerSet', () => {
  const longest = (replicas?: number): number =>
    Array.from({ length: 63 }, (_, index) => index + 1).filter(
      (length) => leaderWorkerSetName(replicas)('a'.repeat(length)) === undefined,
    ).length;

  test('leaves room for the label that Kueue writes, with the index of the last group', () => {
    expect(longest(1)).toBe(39);
    expect(longest(10)).toBe(39);
    expect(longest(11)).toBe(38);
    expect(longest(0)).toBe(39);
  });

  test('leaves room for two digits if the number of groups is not known', () => {
    expect(longest()).toBe(38);
  });
});
