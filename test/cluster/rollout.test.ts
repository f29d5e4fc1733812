import { isSuccess, type KubernetesObject, messageOf } from './harness/api';
import { createAll, serverSideApply } from './harness/apply';
import { api, isServed } from './harness/context';
import { STARTING } from './harness/kwok';
import { createNamespace, deleteNamespaces } from './harness/namespaces';
import { cordonPools, createCpuPool, createTpuPool, deletePools, podsIn, type Pool } from './harness/nodes';
import {
  CELL_SLICE,
  saxCell,
  saxCellForAddresses,
  SERVER_SLICE,
  vllm,
  vllmForAddresses,
  vllmScaledBy,
  vllmWithMaxUnavailable,
} from './harness/samples';
import { untilUp } from './harness/systems';
import { eventually } from './harness/wait';

// What happens to a system after it has come up: rolling updates, drains, autoscaling, evictions.

let namespace: string;
let pools: readonly Pool[] = [];

beforeEach(async () => {
  namespace = await createNamespace();
});

afterEach(async () => {
  await deleteNamespaces(namespace);
  await deletePools(...pools);
  pools = [];
});

/** As many slices for the server as given. */
async function createServerPools(count: number): Promise<void> {
  pools = await Promise.all(
    Array.from({ length: count }, (_, index) => createTpuPool(`server-${String(index)}`, SERVER_SLICE)),
  );
}

const isDeployment = ({ kind }: KubernetesObject): boolean => kind === 'Deployment';

/** The objects with a change of the Deployment's pod template. */
const withTemplate = (
  objects: readonly KubernetesObject[],
  change: (template: KubernetesObject) => void,
): readonly KubernetesObject[] =>
  structuredClone(objects)
    .filter(isServed)
    .map((object) => {
      if (isDeployment(object)) change(object['spec'].template as KubernetesObject);
      return object;
    });

const annotated = (objects: readonly KubernetesObject[], annotation: string): readonly KubernetesObject[] =>
  withTemplate(objects, ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, [annotation]: 'true' };
  });

const applyAll = async (objects: readonly KubernetesObject[]): Promise<void> => {
  for (const object of objects) await serverSideApply(object, namespace);
};

/** Waits until so many pods of the latest template are ready. */
async function expectUpdated(name: string, ready: number): Promise<void> {
  await eventually(
    () => api.get('apps/v1', 'Deployment', name, namespace),
    ({ metadata, status }) => {
      const { observedGeneration, readyReplicas, updatedReplicas, replicas } = status;
      expect({ observedGeneration, readyReplicas, updatedReplicas }).toEqual({
        observedGeneration: metadata.generation,
        readyReplicas: ready,
        updatedReplicas: replicas,
      });
    },
  );
}

describe('a rolling update without a free slice', () => {
  test('replaces every replica of a full pool', async () => {
    const objects = annotated(vllm({ replicas: 2 }), 'version/one');
    await createServerPools(2);
    await applyAll(objects);
    await untilUp(objects, namespace);

    await applyAll(annotated(objects, 'version/two'));
    await expectUpdated('vllm', 2);
  });

  test('continues while one replica is Pending if maxUnavailable allows it', async () => {
    const objects = annotated(vllmWithMaxUnavailable(3, 2), 'version/one');
    await createServerPools(2);
    await applyAll(objects);
    await expectUpdated('vllm', 2);

    await applyAll(annotated(objects, 'version/two'));
    await eventually(
      () => podsIn(namespace),
      (pods) => {
        const running = pods.filter((pod) => pod.running);
        expect(running).toHaveLength(2);
        for (const { object } of running) expect(object.metadata.annotations).toHaveProperty(['version/two']);
      },
    );
  });
});

describe('a drain', () => {
  /** Requests the eviction of a pod, as a drain does. */
  const evict = (pod: string): Promise<string> =>
    api
      .send('POST', `/api/v1/namespaces/${namespace}/pods/${pod}/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: pod, namespace },
      })
      .then((answer) => (isSuccess(answer) ? 'evicted' : messageOf(answer)));

  /** Waits until the budget counts two pods and so many of them as healthy. */
  async function expectBudget(healthy: number): Promise<void> {
    await eventually(
      () => api.get('policy/v1', 'PodDisruptionBudget', 'vllm', namespace),
      ({ status, metadata }) => {
        const { observedGeneration, expectedPods, currentHealthy } = status;
        expect({ observedGeneration, expectedPods, currentHealthy }).toEqual({
          observedGeneration: metadata.generation,
          expectedPods: 2,
          currentHealthy: healthy,
        });
      },
    );
  }

  test('continues while all replicas start', async () => {
    await createServerPools(2);
    await applyAll(annotated(vllm({ replicas: 2 }), STARTING));
    const pods = await eventually(
      () => podsIn(namespace),
      (found) => {
        expect(found.filter(({ running }) => running)).toHaveLength(2);
      },
    );
    await expectBudget(0);
    for (const { name } of pods) expect(await evict(name)).toBe('evicted');
  });

  test('waits for the second of two healthy replicas', async () => {
    const objects = annotated(vllm({ replicas: 2 }), 'version/one');
    await createServerPools(2);
    await applyAll(objects);
    await untilUp(objects, namespace);
    await expectBudget(2);
    // A replacement that starts at once would be healthy before the second eviction.
    await cordonPools(...pools);

    const [first, second] = await podsIn(namespace);
    expect(await evict(first?.name ?? '')).toBe('evicted');
    expect(await evict(second?.name ?? '')).toContain('violate the pod');
  });
});

describe('an autoscaler', () => {
  test.each([
    ['a HorizontalPodAutoscaler', undefined],
    ['KEDA', { keda: { projectId: 'my-project' } }],
  ])('keeps its number of replicas when the manifest is applied again: %s', async (_, scaler) => {
    const objects = vllmScaledBy(scaler).filter(isServed);
    await createServerPools(3);
    await applyAll(objects);
    await untilUp(objects, namespace);

    for (const replicas of [3, 2]) {
      await api.scale(`/apis/apps/v1/namespaces/${namespace}/deployments/vllm/scale`, replicas);
      await applyAll(objects);
      const { spec } = await api.get('apps/v1', 'Deployment', 'vllm', namespace);
      expect(spec.replicas).toBe(replicas);
      await expectUpdated('vllm', replicas);
    }
  });
});

describe('a Saxml cell', () => {
  const modelServers = 'jobset.sigs.k8s.io/jobset-name=sax';

  const createCell = async (cell: readonly KubernetesObject[]): Promise<void> => {
    const objects = cell.filter(isServed);
    pools = await Promise.all([createTpuPool('cell', CELL_SLICE), createCpuPool('front', 2)]);
    await createAll(objects, namespace);
    await untilUp(objects, namespace);
  };

  test('survives more evictions of a host than the tutorial allows failures', async () => {
    await createCell(saxCell());
    for (let eviction = 1; eviction <= 6; eviction++) {
      const before = await podsIn(namespace, modelServers);
      const [{ name } = { name: '' }] = before;
      await api.demand('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}`);
      const gone = before.map(({ object }) => object.metadata.uid);
      await eventually(
        () => podsIn(namespace, modelServers),
        (pods) => {
          const fresh = pods.filter(({ running, object }) => running && object.metadata.uid !== gone[0]);
          expect(fresh).toHaveLength(CELL_SLICE.hosts);
        },
      );
    }
    const { status } = await api.get('jobset.x-k8s.io/v1alpha2', 'JobSet', 'sax', namespace);
    expect(status.terminalState).toBeUndefined();
  });

  test('has a NetworkPolicy for every pod if only some clients may call it', async () => {
    await createCell(saxCellForAddresses());
    const policies = await api.list('networking.k8s.io/v1', 'NetworkPolicy', namespace);
    const selects = (labels: Readonly<Record<string, string>>): boolean =>
      policies.some(({ spec }) =>
        Object.entries((spec.podSelector.matchLabels ?? {}) as Record<string, string>).every(
          ([key, value]) => labels[key] === value,
        ),
      );
    const pods = await podsIn(namespace);
    expect(pods.length).toBe(CELL_SLICE.hosts + 2);
    expect(pods.filter(({ labels }) => !selects(labels)).map(({ name }) => name)).toEqual([]);
  });
});

test('a load balancer for some addresses keeps the address of the client', async () => {
  await createAll(vllmForAddresses().filter(isServed), namespace);
  const { spec } = await api.get('v1', 'Service', 'vllm', namespace);
  expect(spec).toMatchObject({ type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
  expect(spec.healthCheckNodePort).toBeGreaterThan(0);
});
