import { FlexStartQueued } from '../../examples/flex-start-queued';
import { App, TpuSlice } from '../../lib';
import { type KubernetesObject } from './harness/api';
import { createAll } from './harness/apply';
import { api } from './harness/context';
import { createNamespace, deleteNamespaces, deleteObjects } from './harness/namespaces';
import { createTpuPool, deletePools, podsIn, type Pool } from './harness/nodes';
import { untilUp } from './harness/systems';
import { eventually } from './harness/wait';

// Kueue holds a Job back until GKE has provisioned its nodes, which this test says in place of GKE's autoscaler.

const CLASS_DETAIL = 'ResizeRequestName';
const SLICE = TpuSlice.parse('ct6e-standard-4t/4x4');

const objects = new FlexStartQueued(new App()).toJson() as KubernetesObject[];
const [job, ...others] = [...objects].sort((one) => (one.kind === 'Job' ? -1 : 1));
if (job?.kind !== 'Job') throw new Error('the example has no Job');

let namespace: string;
let pool: Pool | undefined;

beforeAll(async () => {
  namespace = await createNamespace();
  await createAll(objects, namespace);
});

afterAll(async () => {
  await deleteObjects(others, namespace);
  await deleteNamespaces(namespace);
  if (pool) await deletePools(pool);
});

/** Writes what GKE's autoscaler reports when it has the nodes. */
async function provision(request: KubernetesObject): Promise<void> {
  const now = new Date().toISOString();
  const condition = (type: string): object => ({
    type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionTime: now,
  });
  const target = await api.pathOf(request);
  await api.demand(
    'PATCH',
    `${target?.object ?? ''}/status`,
    {
      status: {
        conditions: [condition('Accepted'), condition('Provisioned')],
        provisioningClassDetails: { [CLASS_DETAIL]: 'resize-1' },
      },
    },
    'application/merge-patch+json',
  );
}

test('a Job waits while its nodes are not provisioned', async () => {
  const [request] = await eventually(
    () => api.list('autoscaling.x-k8s.io/v1beta1', 'ProvisioningRequest', namespace),
    (requests) => {
      expect(requests).toHaveLength(1);
    },
  );
  expect(request?.['spec'].provisioningClassName).toBe('queued-provisioning.gke.io');
  expect((await api.get('batch/v1', 'Job', job.metadata.name, namespace))['spec'].suspend).toBe(true);
  expect(await podsIn(namespace)).toEqual([]);
});

test('the Job runs on the slice that GKE has provisioned', async () => {
  pool = await createTpuPool('queued', SLICE, 'flex-start-queued', {
    'autoscaling.gke.io/provisioning-request': 'resize-1',
  });
  const requests = await api.list('autoscaling.x-k8s.io/v1beta1', 'ProvisioningRequest', namespace);
  for (const request of requests) await provision(request);
  await eventually(
    () => api.get('batch/v1', 'Job', job.metadata.name, namespace),
    ({ spec }) => {
      expect(spec.suspend).toBe(false);
    },
  );
  await untilUp([job], namespace);
  const pods = await podsIn(namespace);
  expect(pods.map(({ node }) => node).sort()).toEqual([...(pool.nodes as string[])].sort());
});
