import { type KubernetesObject } from './api';
import { api } from './context';
import { podsIn } from './nodes';
import { eventually } from './wait';

// When the controllers have done all that an object asks of them.

const conditionOf = ({ status }: KubernetesObject, type: string): string | undefined =>
  ((status?.conditions ?? []) as { type: string; status: string }[]).find((one) => one.type === type)?.status;

const replicasOf = (object: KubernetesObject): number => Number(object['spec'].replicas ?? 1);

/** Throws, with what is there, unless all pods of a workload run. */
async function allRun(namespace: string, selector: string, count: number): Promise<void> {
  const pods = await podsIn(namespace, selector);
  const running = pods.filter((pod) => pod.running).length;
  if (running !== count || pods.length !== count)
    throw new Error(
      `${selector}: ${String(running)} of ${String(count)} pods run\n${pods.map(({ name, object }) => `${name} ${JSON.stringify(object['status'].conditions)}`).join('\n')}`,
    );
}

interface ReplicatedJob {
  readonly name: string;
  readonly replicas?: number;
  readonly template: { readonly spec: { readonly parallelism?: number } };
}

interface WorkerGroup {
  readonly groupName: string;
  readonly replicas?: number;
  readonly numOfHosts?: number;
}

/** Throws until a cluster that KubeRay knows as ready has all pods of its head and worker groups. */
async function rayRuns(
  cluster: KubernetesObject | undefined,
  name: string,
  namespace: string,
  groups: readonly WorkerGroup[],
): Promise<void> {
  if (cluster?.['status']?.state !== 'ready')
    throw new Error(`RayCluster of ${name}: ${JSON.stringify(cluster?.['status'])}`);
  const selector = `ray.io/cluster=${cluster.metadata.name}`;
  await allRun(namespace, `${selector},ray.io/node-type=head`, 1);
  for (const { groupName, replicas = 1, numOfHosts = 1 } of groups)
    await allRun(namespace, `${selector},ray.io/group=${groupName}`, replicas * numOfHosts);
}

/** The RayCluster that KubeRay created for a RayService or RayJob. */
async function rayClusterOf(
  { metadata: { name } }: KubernetesObject,
  namespace: string,
): Promise<KubernetesObject | undefined> {
  const selector = `ray.io/originated-from-cr-name=${name}`;
  const [cluster] = await api.list('ray.io/v1', 'RayCluster', namespace, selector);
  return cluster;
}

/** By kind: throws until an object is up. */
const UP: Readonly<Record<string, (live: KubernetesObject, namespace: string) => Promise<void>>> = {
  Deployment: (live) => {
    const { availableReplicas = 0, updatedReplicas = 0, observedGeneration = 0 } = live['status'];
    if (
      observedGeneration !== live.metadata.generation ||
      availableReplicas !== replicasOf(live) ||
      updatedReplicas !== replicasOf(live)
    )
      throw new Error(`Deployment ${live.metadata.name}: ${JSON.stringify(live['status'])}`);
    return Promise.resolve();
  },
  Job: (live, namespace) =>
    allRun(
      namespace,
      `batch.kubernetes.io/job-name=${live.metadata.name}`,
      Number(live['spec'].parallelism ?? 1),
    ),
  JobSet: (live, namespace) => {
    const jobs = live['spec'].replicatedJobs as ReplicatedJob[];
    const count = jobs.reduce(
      (sum, { replicas = 1, template }) => sum + replicas * (template.spec.parallelism ?? 1),
      0,
    );
    return allRun(namespace, `jobset.sigs.k8s.io/jobset-name=${live.metadata.name}`, count);
  },
  LeaderWorkerSet: async (live, namespace) => {
    if (conditionOf(live, 'Available') !== 'True')
      throw new Error(`LeaderWorkerSet ${live.metadata.name}: ${JSON.stringify(live['status'])}`);
    const size = Number(live['spec'].leaderWorkerTemplate.size ?? 1);
    await allRun(
      namespace,
      `leaderworkerset.sigs.k8s.io/name=${live.metadata.name}`,
      replicasOf(live) * size,
    );
  },
  RayCluster: (live, namespace) =>
    rayRuns(live, live.metadata.name, namespace, live['spec'].workerGroupSpecs as WorkerGroup[]),
  RayJob: async (live, namespace) => {
    const { workerGroupSpecs } = live['spec'].rayClusterSpec as { workerGroupSpecs: WorkerGroup[] };
    await rayRuns(await rayClusterOf(live, namespace), live.metadata.name, namespace, workerGroupSpecs);
  },
  RayService: async (live, namespace) => {
    const { workerGroupSpecs } = live['spec'].rayClusterConfig as { workerGroupSpecs: WorkerGroup[] };
    await rayRuns(await rayClusterOf(live, namespace), live.metadata.name, namespace, workerGroupSpecs);
  },
};

/** Whether an object has pods. */
export const isWorkload = ({ kind }: KubernetesObject): boolean => kind in UP;

/** Waits until autoscalers have set the least number of replicas. */
export async function untilScaled(objects: readonly KubernetesObject[], namespace: string): Promise<void> {
  for (const { kind, metadata, spec } of objects)
    if (kind === 'HorizontalPodAutoscaler')
      await eventually(async () => {
        const { apiVersion, kind: target, name } = spec.scaleTargetRef as Record<string, string>;
        const live = await api.get(
          apiVersion ?? '',
          target ?? '',
          name ?? '',
          metadata.namespace ?? namespace,
        );
        if (replicasOf(live) < Number(spec.minReplicas)) throw new Error(`${String(name)} is not scaled yet`);
      });
}

/** Waits until all workloads among objects are up. */
export async function untilUp(objects: readonly KubernetesObject[], namespace: string): Promise<void> {
  await untilScaled(objects, namespace);
  for (const object of objects.filter(isWorkload)) {
    const { apiVersion, kind, metadata } = object;
    const home = metadata.namespace ?? namespace;
    await eventually(async () => {
      await UP[kind]?.(await api.get(apiVersion, kind, metadata.name, home), home);
    });
  }
}
