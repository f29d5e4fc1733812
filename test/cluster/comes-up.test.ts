import { type Capacity, TpuSlice } from '../../lib';
import { type KubernetesObject } from './harness/api';
import { createAll } from './harness/apply';
import { MANIFESTS } from './harness/manifests';
import {
  createNamespace,
  createNamespacesOf,
  deleteNamedNamespaces,
  deleteNamespaces,
  deleteObjects,
} from './harness/namespaces';
import {
  createCpuPool,
  createTpuPool,
  deletePools,
  type PlacedPod,
  podsIn,
  type Pool,
} from './harness/nodes';
import { jetStreamOnDisk, saxCell, SERVER_SLICE } from './harness/samples';
import { isWorkload, untilUp } from './harness/systems';

// Every system of dist/, and some that no file of it shows, come up: the scheduler places all pods on the pools that they are meant for, one slice in one pool.

/** The node pools that a system is meant for. */
interface Expected {
  readonly slice: string;
  readonly capacity?: Capacity['type'];
  /** Node pools: as many as slices that serve or compute. */
  readonly pools: number;
  /** Labels that the nodes have besides. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The LocalQueue of Kueue that admits the workload. */
  readonly queue?: string;
}

/** A LocalQueue with room for a slice, and what it needs. */
const queueObjects = (name: string): readonly KubernetesObject[] => {
  const apiVersion = 'kueue.x-k8s.io/v1beta2';
  const quotas = { cpu: 1000, memory: '100Ti', 'google.com/tpu': 100 };
  return [
    { apiVersion, kind: 'ResourceFlavor', metadata: { name }, spec: {} },
    {
      apiVersion,
      kind: 'ClusterQueue',
      metadata: { name },
      spec: {
        namespaceSelector: {},
        resourceGroups: [
          {
            coveredResources: Object.keys(quotas),
            flavors: [
              {
                name,
                resources: Object.entries(quotas).map(([resource, nominalQuota]) => ({
                  name: resource,
                  nominalQuota,
                })),
              },
            ],
          },
        ],
      },
    },
    { apiVersion, kind: 'LocalQueue', metadata: { name }, spec: { clusterQueue: name } },
  ];
};

const V5E = { slice: 'ct5lp-hightpu-8t/2x4' };

const EXPECTED: Readonly<Record<string, Expected>> = {
  'environments/dev/llama-dev.k8s.yaml': { slice: 'ct6e-standard-4t/2x2', capacity: 'spot', pools: 1 },
  'environments/prod/llama-prod.k8s.yaml': {
    slice: 'ct6e-standard-8t/2x4',
    // as many as the autoscaler starts with
    pools: 2,
    labels: {
      'cloud.google.com/reservation-affinity': 'specific',
      'cloud.google.com/reservation-name': 'my-reservation',
    },
  },
  'flex-start-multi-host.k8s.yaml': { slice: 'ct6e-standard-4t/2x4', capacity: 'flex-start', pools: 1 },
  'flex-start-single-host.k8s.yaml': { slice: 'ct6e-standard-4t/2x2', capacity: 'flex-start', pools: 1 },
  'gateway/vllm-qwen3-32b-autoscaled.k8s.yaml': { slice: 'ct6e-standard-8t/2x4', pools: 1 },
  'gateway/vllm-qwen3-32b-gateway.k8s.yaml': { slice: 'ct6e-standard-8t/2x4', pools: 2 },
  'gateway/vllm-qwen3-32b-internal-gateway.k8s.yaml': { slice: 'tpu7x-standard-4t/2x2x1', pools: 2 },
  'jetstream-gemma-7b-it-hf.k8s.yaml': { ...V5E, pools: 2 },
  // one for the converter
  'jetstream-gemma-7b-it.k8s.yaml': { ...V5E, pools: 3 },
  'jetstream-llama-3-8b-hf.k8s.yaml': { ...V5E, pools: 2 },
  'jetstream-llama-3-8b.k8s.yaml': { ...V5E, pools: 3 },
  'lws/sglang-jax-multi-host.k8s.yaml': { slice: 'ct6e-standard-4t/4x4', pools: 1 },
  'lws/vllm-llama3-70b-v5e.k8s.yaml': { slice: 'ct5lp-hightpu-4t/4x4', pools: 2 },
  'lws/vllm-qwen3-coder-dynamic-slice.k8s.yaml': {
    slice: 'tpu7x-standard-4t/2x2x2',
    pools: 1,
    labels: { 'cloud.google.com/gke-tpu-partition-2x2x2-state': 'HEALTHY' },
    queue: 'tpu7x-subslice-lq',
  },
  'lws/vllm-qwen3-coder-tpu7x.k8s.yaml': { slice: 'tpu7x-standard-4t/2x2x2', pools: 1 },
  'job-on-spot.k8s.yaml': { slice: 'ct6e-standard-4t/2x2', capacity: 'spot', pools: 1 },
  'multislice-job.k8s.yaml': { slice: 'ct6e-standard-4t/4x4', pools: 2 },
  'maxdiffusion-sdxl.k8s.yaml': { slice: 'ct6e-standard-8t/2x4', pools: 1 },
  'platform/vllm-llama3-70b-flex.k8s.yaml': {
    slice: 'ct6e-standard-8t/2x4',
    pools: 1,
    labels: { 'cloud.google.com/compute-class': 'vllm-llama3-70b-flex' },
  },
  'ray-cluster-v6e.k8s.yaml': { slice: 'ct6e-standard-4t/2x2', pools: 1 },
  'ray-job-v6e.k8s.yaml': { slice: 'ct6e-standard-4t/2x2', pools: 1 },
  'ray-stable-diffusion.k8s.yaml': { slice: 'ct4p-hightpu-4t/2x2x1', pools: 1 },
  'vllm-ray-serve.k8s.yaml': { slice: 'ct6e-standard-4t/4x4', pools: 1 },
  'saxml-175b.k8s.yaml': { slice: 'ct5lp-hightpu-4t/4x8', pools: 2 },
  'sglang-jax-qwen3-8b.k8s.yaml': { slice: 'ct6e-standard-4t/2x2', pools: 1 },
  'vllm-llama3-70b.k8s.yaml': { slice: 'ct6e-standard-8t/2x4', pools: 1 },
  'vllm-qwen3-32b-tpu7x.k8s.yaml': { slice: 'tpu7x-standard-4t/2x2x1', pools: 2 },
  'vllm-qwen3-32b-v6e.k8s.yaml': { slice: 'ct6e-standard-8t/2x4', pools: 2 },
};

/** Pools with room that no pod of dist/ is meant for: each resembles one that is. */
const DECOYS: readonly string[] = [
  'ct6e-standard-1t/1x1',
  'ct6e-standard-4t/4x8',
  'ct5lp-hightpu-4t/2x2',
  'ct5lp-hightpu-4t/2x4',
  'ct4p-hightpu-4t/2x2x2',
  'ct5p-hightpu-4t/2x2x1',
];

/** Waits until its nodes are provisioned: `queue.test.ts` provisions them. */
const HELD = 'platform/flex-start-queued.k8s.yaml';

const SYSTEMS = MANIFESTS.filter(({ name, objects }) => name !== HELD && objects.some(isWorkload));

let shared: readonly Pool[];

beforeAll(async () => {
  const decoys = DECOYS.map((slice, index) => createTpuPool(`decoy-${String(index)}`, TpuSlice.parse(slice)));
  shared = await Promise.all([createCpuPool('default-pool', 4), ...decoys]);
});

afterAll(async () => {
  await deletePools(...shared);
});

/** Which slice a pod belongs to: the pods of one Job of several hosts, of one group. */
const sliceOf = ({ name, labels }: PlacedPod): string =>
  labels['jobset.sigs.k8s.io/job-key'] ??
  labels['leaderworkerset.sigs.k8s.io/group-key'] ??
  labels['ray.io/worker-group-replica-name'] ??
  (labels['batch.kubernetes.io/job-completion-index'] === undefined
    ? name
    : (labels['batch.kubernetes.io/job-name'] ?? name));

test('every system has an entry here', () => {
  expect(SYSTEMS.map(({ name }) => name).filter((name) => !(name in EXPECTED))).toEqual([]);
});

/** Systems that no file of dist/ shows. */
const SAMPLES: readonly (Expected & {
  readonly name: string;
  readonly objects: readonly KubernetesObject[];
})[] = [
  {
    name: 'JetStream with a checkpoint on a disk',
    objects: jetStreamOnDisk(),
    slice: SERVER_SLICE.toString(),
    pools: 2,
  },
  {
    name: 'Saxml on one host',
    objects: saxCell({ slice: TpuSlice.parse(V5E.slice), replicas: 2 }),
    ...V5E,
    pools: 2,
  },
];

const CASES = [
  ...SYSTEMS.flatMap(({ name, objects }) => {
    const expected = EXPECTED[name];
    return expected ? [{ name, objects, ...expected }] : [];
  }),
  ...SAMPLES,
];

describe.each(CASES)('$name', ({ objects, slice: text, capacity = 'on-demand', ...expected }) => {
  const { pools: count, labels, queue } = expected;
  const admitting = queue === undefined ? [] : queueObjects(queue);
  const slice = TpuSlice.parse(text);
  let namespace: string;
  let further: readonly string[];
  let pools: readonly Pool[];

  beforeAll(async () => {
    namespace = await createNamespace();
    further = await createNamespacesOf(objects);
    pools = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        createTpuPool(`tpu-${String(index)}`, slice, capacity, labels),
      ),
    );
  });

  afterAll(async () => {
    await deleteObjects([...objects, ...admitting], namespace);
    await deleteNamespaces(namespace);
    await deleteNamedNamespaces(...further);
    await deletePools(...pools);
  });

  test('comes up on the pools that it is meant for', async () => {
    await createAll([...admitting, ...objects], namespace);
    await untilUp(objects, namespace);

    const pods = (await Promise.all([namespace, ...further].map((one) => podsIn(one)))).flat();
    const withChips = pods.filter(({ chips }) => chips > 0);
    expect(new Set(withChips.map(({ chips }) => chips))).toEqual(new Set([slice.chipsPerHost]));
    expect(new Set(withChips.map(({ pool }) => pool))).toEqual(new Set(pools.map((pool) => pool.name)));
    // every host of every pool has one pod, and each slice has its own pool
    expect(withChips.map(({ node }) => node).sort()).toEqual(pools.flatMap(({ nodes }) => nodes).sort());
    const places = new Set(withChips.map((pod) => `${sliceOf(pod)} ${String(pod.pool)}`));
    expect(places.size).toBe(count);
  });
});
