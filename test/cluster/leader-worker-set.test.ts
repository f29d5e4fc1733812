import { type KubernetesObject } from './harness/api';
import { serverSideApply } from './harness/apply';
import { api, isServed } from './harness/context';
import { createNamespace, deleteNamespaces } from './harness/namespaces';
import { createTpuPool, deletePools, type PlacedPod, podsIn, type Pool } from './harness/nodes';
import { GROUP_SLICE, vllmGroups, vllmGroupsWithAutoscaler } from './harness/samples';
import { untilUp } from './harness/systems';
import { eventually } from './harness/wait';

// A server on several hosts is a LeaderWorkerSet. Each of its groups comes up on its own slice.

const LWS = 'leaderworkerset.x-k8s.io/v1';
const { hosts } = GROUP_SLICE;

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

const createPools = async (count: number): Promise<void> => {
  pools = await Promise.all(
    Array.from({ length: count }, (_, index) => createTpuPool(`group-${String(index)}`, GROUP_SLICE)),
  );
};

const applyAll = async (objects: readonly KubernetesObject[]): Promise<void> => {
  for (const object of objects) await serverSideApply(object, namespace);
};

/** Brings a server up on as many slices as it has groups. */
async function bringUp(objects: readonly KubernetesObject[], slices: number): Promise<void> {
  await createPools(slices);
  await applyAll(objects);
  await untilUp(objects, namespace);
}

const live = (): Promise<KubernetesObject> => api.get(LWS, 'LeaderWorkerSet', 'vllm', namespace);

const groupOf = ({ labels }: PlacedPod): string => labels['leaderworkerset.sigs.k8s.io/group-index'] ?? '';
const indexOf = ({ labels }: PlacedPod): string => labels['leaderworkerset.sigs.k8s.io/worker-index'] ?? '';
const uidOf = ({ object }: PlacedPod): unknown => object.metadata.uid;

/** The objects with an annotation on every pod. */
const annotated = (objects: readonly KubernetesObject[], annotation: string): readonly KubernetesObject[] =>
  structuredClone(objects).map((object) => {
    if (object.kind !== 'LeaderWorkerSet') return object;
    const { leaderTemplate, workerTemplate } = object['spec'].leaderWorkerTemplate;
    for (const { metadata } of [leaderTemplate, workerTemplate] as KubernetesObject[])
      metadata.annotations = { ...metadata.annotations, [annotation]: 'true' };
    return object;
  });

/** Waits until so many groups run, with one pod on each host. */
async function untilRunning(
  groups: number,
  check: (pods: readonly PlacedPod[]) => void = () => undefined,
): Promise<readonly PlacedPod[]> {
  return eventually(
    () => podsIn(namespace),
    (pods) => {
      expect(pods.filter(({ running }) => running)).toHaveLength(groups * hosts);
      expect(pods).toHaveLength(groups * hosts);
      check(pods);
    },
  );
}

test('each group is on its own slice, and each host knows the others', async () => {
  await bringUp(vllmGroups({ replicas: 2 }), 2);
  const pods = await podsIn(namespace);
  expect(pods.map(({ node }) => node).sort()).toEqual(pools.flatMap(({ nodes }) => nodes).sort());
  expect(new Set(pods.map((pod) => `${groupOf(pod)} ${String(pod.pool)}`)).size).toBe(2);
  for (const pod of pods) {
    const [container] = pod.object['spec'].containers as {
      env: { name: string; value?: string }[];
    }[];
    const value = (name: string): string | undefined =>
      container?.env.find((one) => one.name === name)?.value;
    const group = groupOf(pod);
    expect(value('LWS_GROUP_SIZE')).toBe(String(hosts));
    expect(value('LWS_LEADER_ADDRESS')).toBe(`vllm-${group}.vllm.${namespace}`);
    expect(value('TPU_WORKER_ID')).toBe(indexOf(pod));
    expect(value('TPU_WORKER_HOSTNAMES')).toBe(`vllm-${group}.vllm,vllm-${group}-1.vllm`);
    expect(value('TPU_PROCESS_ADDRESSES')).toBe(`vllm-${group}.vllm:8476,vllm-${group}-1.vllm:8476`);
    expect(value('TPU_MULTIHOST_BACKEND')).toBe('ray');
  }
});

test('clients reach only the first hosts, and the hosts find each other through a headless Service', async () => {
  await bringUp(vllmGroups({ replicas: 2 }), 2);
  const slices = await eventually(
    () =>
      api.list('discovery.k8s.io/v1', 'EndpointSlice', namespace, 'kubernetes.io/service-name=vllm-leader'),
    (found) => {
      expect(found.flatMap((one) => (one['endpoints'] ?? []) as unknown[])).toHaveLength(2);
    },
  );
  const targets = slices.flatMap((one) => one['endpoints'] as { targetRef: { name: string } }[]);
  expect(targets.map(({ targetRef }) => targetRef.name).sort()).toEqual(['vllm-0', 'vllm-1']);
  const { spec } = await api.get('v1', 'Service', 'vllm', namespace);
  expect(spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
});

test('a second apply changes nothing', async () => {
  const objects = vllmGroups({ replicas: 2 });
  await bringUp(objects, 2);
  const { metadata, spec } = await live();
  await applyAll(objects);
  const again = await live();
  expect(again.metadata.generation).toBe(metadata.generation);
  expect(again['spec']).toEqual(spec);
  // nothing was filled in that the manifest does not say
  expect(spec).toEqual(objects.find(({ kind }) => kind === 'LeaderWorkerSet')?.['spec']);
});

test('a rolling update replaces both groups without a free slice', async () => {
  const objects = vllmGroups({ replicas: 2 });
  await bringUp(annotated(objects, 'version/one'), 2);
  await applyAll(annotated(objects, 'version/two'));
  await untilRunning(2, (pods) => {
    for (const { object } of pods) expect(object.metadata.annotations).toHaveProperty(['version/two']);
  });
  await eventually(live, ({ status }) => {
    expect(status).toMatchObject({ readyReplicas: 2, updatedReplicas: 2 });
  });
});

test('the loss of a host restarts its group and no other group', async () => {
  await bringUp(vllmGroups({ replicas: 2 }), 2);
  const before = await podsIn(namespace);
  await api.demand('DELETE', `/api/v1/namespaces/${namespace}/pods/vllm-1-1`);
  const old = (group: string): unknown[] => before.filter((pod) => groupOf(pod) === group).map(uidOf);
  const after = await untilRunning(2, (pods) => {
    const uids = pods.map(uidOf);
    for (const uid of old('1')) expect(uids).not.toContain(uid);
  });
  expect(after.map(uidOf)).toEqual(expect.arrayContaining(old('0')));
  await untilUp(vllmGroups({ replicas: 2 }), namespace);
});

test('an autoscaler scales through the scale subresource, and an apply keeps its number of replicas', async () => {
  const objects = vllmGroupsWithAutoscaler().filter(isServed);
  await createPools(2);
  await applyAll(objects);
  await untilRunning(1);
  const path = `/apis/${LWS}/namespaces/${namespace}/leaderworkersets/vllm/scale`;
  for (const replicas of [2, 1]) {
    const scale = await api.scale(path, replicas);
    // what an autoscaler averages over
    expect(scale['status'].selector).toContain('leaderworkerset.sigs.k8s.io/worker-index=0');
    await applyAll(objects);
    expect((await live())['spec'].replicas).toBe(replicas);
    await untilRunning(replicas);
  }
});

test('a drain can evict all hosts of one slice', async () => {
  await bringUp(vllmGroups({ replicas: 2 }), 2);
  await eventually(
    () => api.get('policy/v1', 'PodDisruptionBudget', 'vllm', namespace),
    ({ status }) => {
      expect(status).toMatchObject({ expectedPods: 2 * hosts, disruptionsAllowed: hosts });
    },
  );
});
