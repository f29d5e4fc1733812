import { type Capacity, type TpuSlice } from '../../../lib';
import { type KubernetesObject } from './api';
import { api } from './context';
import { eventually } from './wait';

// Nodes as GKE makes them, for KWOK to report as ready.

/** Labels that GKE gives the nodes of a pool, by where its capacity comes from. */
const CAPACITY_LABELS: Readonly<Partial<Record<Capacity['type'], Readonly<Record<string, string>>>>> = {
  'on-demand': {},
  spot: { 'cloud.google.com/gke-spot': 'true', 'cloud.google.com/gke-provisioning': 'spot' },
  'flex-start': { 'cloud.google.com/gke-flex-start': 'true' },
  'flex-start-queued': { 'cloud.google.com/gke-queued': 'true' },
};

export interface Pool {
  readonly name: string;
  readonly nodes: readonly string[];
}

interface NodeSpec {
  readonly pool: string;
  readonly index: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints?: readonly object[];
  readonly amounts: Readonly<Record<string, string>>;
}

async function createNode({ pool, index, labels, taints = [], amounts }: NodeSpec): Promise<string> {
  const name = `${pool}-${String(index)}`;
  const available = { pods: '110', 'ephemeral-storage': '47Gi', ...amounts };
  await api.demand('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/region': 'us-central1',
        'topology.kubernetes.io/zone': 'us-central1-a',
        'cloud.google.com/gke-nodepool': pool,
        ...labels,
      },
    },
    spec: { taints },
    status: { allocatable: available, capacity: available },
  });
  return name;
}

const isReady = async (name: string): Promise<void> => {
  await eventually(
    () => api.get('v1', 'Node', name),
    ({ status, spec }) => {
      const conditions = (status.conditions ?? []) as { type: string; status: string }[];
      const taints = (spec.taints ?? []) as { key: string }[];
      if (
        !conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True') ||
        taints.some(({ key }) => key === 'node.kubernetes.io/not-ready')
      )
        throw new Error(`node ${name} is not ready`);
    },
  );
};

/** A TPU node pool: one slice. */
export async function createTpuPool(
  name: string,
  slice: TpuSlice,
  capacity: Capacity['type'] = 'on-demand',
  labels: Readonly<Record<string, string>> = {},
): Promise<Pool> {
  const chips = String(slice.chipsPerHost);
  const nodes = await Promise.all(
    Array.from({ length: slice.hosts }, (_, index) =>
      createNode({
        pool: name,
        index,
        labels: {
          'node.kubernetes.io/instance-type': slice.machineType,
          'cloud.google.com/gke-tpu-accelerator': slice.accelerator,
          'cloud.google.com/gke-tpu-topology': slice.topology,
          'cloud.google.com/gke-accelerator-count': chips,
          ...CAPACITY_LABELS[capacity],
          ...labels,
        },
        taints: [{ key: 'google.com/tpu', value: 'present', effect: 'NoSchedule' }],
        amounts: {
          'google.com/tpu': chips,
          // about what GKE leaves of a machine of that size
          cpu: `${String(slice.vCpusPerHost * 1000 - 200)}m`,
          memory: `${String(Math.floor(slice.memoryGBPerHost * 0.97))}G`,
        },
      }),
    ),
  );
  await Promise.all(nodes.map(isReady));
  return { name, nodes };
}

/** A pool of machines without TPUs, for heads and front ends. */
export async function createCpuPool(name: string, count: number): Promise<Pool> {
  const nodes = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      createNode({ pool: name, index, labels: {}, amounts: { cpu: '15890m', memory: '58G' } }),
    ),
  );
  await Promise.all(nodes.map(isReady));
  return { name, nodes };
}

/** Keeps new pods off the nodes of pools, as a drain does before it evicts. */
export async function cordonPools(...pools: readonly Pool[]): Promise<void> {
  await Promise.all(
    pools.flatMap(({ nodes }) =>
      nodes.map((node) =>
        api.demand(
          'PATCH',
          `/api/v1/nodes/${node}`,
          { spec: { unschedulable: true } },
          'application/merge-patch+json',
        ),
      ),
    ),
  );
}

/** Deletes the nodes of pools. */
export async function deletePools(...pools: readonly Pool[]): Promise<void> {
  await Promise.all(
    pools.flatMap(({ nodes }) => nodes.map((node) => api.send('DELETE', `/api/v1/nodes/${node}`))),
  );
}

/** Where pods are: the pool, the node and the chips that each requests. */
export interface PlacedPod {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly pool: string | undefined;
  readonly node: string | undefined;
  readonly chips: number;
  readonly running: boolean;
  readonly object: KubernetesObject;
}

const chipsOf = (pod: KubernetesObject): number =>
  (pod['spec'].containers as { resources?: { requests?: Record<string, string> } }[])
    .map(({ resources }) => Number(resources?.requests?.['google.com/tpu'] ?? 0))
    .reduce((sum, chips) => sum + chips, 0);

/** The pods of a namespace that are not being deleted. */
export async function podsIn(namespace: string, selector = ''): Promise<readonly PlacedPod[]> {
  const pods = await api.list('v1', 'Pod', namespace, selector);
  const nodes = await api.list('v1', 'Node', namespace);
  const poolOf = new Map(
    nodes.map(({ metadata }) => [metadata.name, metadata.labels?.['cloud.google.com/gke-nodepool']]),
  );
  return pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((object) => {
      const node = object['spec'].nodeName as string | undefined;
      return {
        name: object.metadata.name,
        labels: object.metadata.labels ?? {},
        node,
        pool: node === undefined ? undefined : poolOf.get(node),
        chips: chipsOf(object),
        running: object['status'].phase === 'Running',
        object,
      };
    });
}
