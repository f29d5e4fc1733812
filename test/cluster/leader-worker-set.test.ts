import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TpuSlice } from '../../lib';
import { createAll } from './harness/apply';
import { documentsIn } from './harness/install';
import { createNamespace, deleteNamespaces } from './harness/namespaces';
import { createTpuPool, deletePools, podsIn, type Pool } from './harness/nodes';
import { untilUp } from './harness/systems';

// The LeaderWorkerSet controller works in this cluster: a LeaderWorkerSet that is written by hand becomes available.

const OBJECTS = documentsIn(
  readFileSync(path.join(__dirname, 'manifests', 'leader-worker-set.yaml'), 'utf8'),
);
const SLICE = TpuSlice.parse('ct6e-standard-4t/2x4');

let namespace: string;
let pools: readonly Pool[];

beforeAll(async () => {
  namespace = await createNamespace();
  pools = await Promise.all(['lws-0', 'lws-1'].map((name) => createTpuPool(name, SLICE)));
});

afterAll(async () => {
  await deleteNamespaces(namespace);
  await deletePools(...pools);
});

test('a LeaderWorkerSet is available, with each group on a slice of its own', async () => {
  await createAll(OBJECTS, namespace);
  await untilUp(OBJECTS, namespace);
  const pods = await podsIn(namespace);
  const places = pods.map(
    ({ labels, pool }) => `${String(labels['leaderworkerset.sigs.k8s.io/group-key'])} ${String(pool)}`,
  );
  expect(new Set(pods.map(({ node }) => node)).size).toBe(4);
  expect(new Set(places).size).toBe(2);
});

test('its webhook tells every host of the others', async () => {
  const pods = await podsIn(namespace);
  for (const { object } of pods) {
    const env = (object['spec'].containers[0].env ?? []) as { name: string; value?: string }[];
    const hostnames = env.find(({ name }) => name === 'TPU_WORKER_HOSTNAMES')?.value ?? '';
    expect(hostnames.split(',')).toHaveLength(SLICE.hosts);
  }
});
