import { type Scaler } from '../../lib';
import { isSuccess, type KubernetesObject, messageOf } from './harness/api';
import { serverSideApply } from './harness/apply';
import { api, applyWithKubectl, isServed } from './harness/context';
import { createNamespace, deleteNamespaces, deleteObjects } from './harness/namespaces';
import { scaledPool, type ScaledSample, scaledServer } from './harness/samples';

// What an autoscaler did stays when the manifest is applied again: for each way to scale, each target and each way to apply. The node pools
// are missing on purpose: the number of replicas does not wait for pods.

const KEDA: Scaler = { keda: { projectId: 'my-project' } };
const ONE = { hosts: 'one' } as const;
const SEVERAL = { hosts: 'several' } as const;

interface Sample {
  readonly name: string;
  readonly objects: (namespace: string) => readonly KubernetesObject[];
}

const server = (name: string, sample: ScaledSample): Sample => ({
  name,
  objects: () => scaledServer(sample),
});
const pool = (name: string, sample: Parameters<typeof scaledPool>[0]): Sample => ({
  name,
  objects: (namespace) => scaledPool(sample, namespace),
});

const SAMPLES: readonly Sample[] = [
  server('a Deployment by a HorizontalPodAutoscaler', { ...ONE, scaler: 'CustomMetricsAdapter' }),
  server('a Deployment by an AutoscalingMetric', { ...ONE, scaler: 'AutoscalingMetric' }),
  server('a Deployment by KEDA', { ...ONE, scaler: KEDA }),
  server('a LeaderWorkerSet by a HorizontalPodAutoscaler', { ...SEVERAL, scaler: 'CustomMetricsAdapter' }),
  server('a LeaderWorkerSet by KEDA', { ...SEVERAL, scaler: KEDA }),
  pool('a pool of a Deployment by a HorizontalPodAutoscaler', { ...ONE, scaler: 'CustomMetricsAdapter' }),
  pool('a pool of a Deployment by KEDA', { ...ONE, scaler: KEDA }),
  pool('a pool of a LeaderWorkerSet by a HorizontalPodAutoscaler', {
    ...SEVERAL,
    scaler: 'CustomMetricsAdapter',
  }),
  pool('a pool of a LeaderWorkerSet by KEDA', { ...SEVERAL, scaler: KEDA }),
];

const isTarget = ({ kind, metadata }: KubernetesObject): boolean =>
  ['Deployment', 'LeaderWorkerSet'].includes(kind) && metadata.name === 'vllm';

/** Sets the number of replicas as an autoscaler does. */
async function scale(target: KubernetesObject, namespace: string, replicas: number): Promise<void> {
  const place = await api.pathOf(target, namespace);
  const manager = 'fieldManager=kube-controller-manager';
  await api.demand(
    'PATCH',
    `${place?.object ?? ''}/scale?${manager}`,
    { spec: { replicas } },
    'application/merge-patch+json',
  );
}

describe.each(['client-side', 'server-side'] as const)('%s apply', (way) => {
  let namespace: string;
  let objects: readonly KubernetesObject[] = [];

  beforeEach(async () => {
    namespace = await createNamespace();
  });

  afterEach(async () => {
    await deleteObjects(objects, namespace);
    await deleteNamespaces(namespace);
  });

  async function apply(): Promise<void> {
    if (way === 'server-side') for (const object of objects) await serverSideApply(object, namespace);
    else {
      const { status, stderr } = await applyWithKubectl(objects, namespace);
      if (status !== 0) throw new Error(stderr);
    }
  }

  test.each(SAMPLES)('keeps the replicas of $name', async (sample) => {
    objects = sample.objects(namespace).filter(isServed);
    for (const object of objects) {
      const answer = await api.create(object, namespace, 'dryRun=All&fieldValidation=Strict');
      if (!isSuccess(answer)) throw new Error(`${object.kind}: ${messageOf(answer)}`);
    }
    await apply();
    const target = objects.find(isTarget);
    if (!target) throw new Error('no target');
    for (const replicas of [3, 2]) {
      await scale(target, namespace, replicas);
      await apply();
      const { spec } = await api.get(target.apiVersion, target.kind, 'vllm', namespace);
      expect(spec.replicas).toBe(replicas);
    }
  });
});

if (process.env['CRD_DIR'] !== undefined)
  test('every kind except AutoscalingMetric has a CRD', () => {
    const left = SAMPLES.flatMap(({ objects }) => objects('default').filter((one) => !isServed(one)));
    expect(new Set(left.map(({ kind }) => kind))).toEqual(new Set(['AutoscalingMetric']));
  });
