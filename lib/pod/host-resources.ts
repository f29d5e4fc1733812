import { TPU_RESOURCE } from '../facts/labels';
import { quantityOf } from '../problems/grammar';
import { below, type Problem, type Problems } from '../problems/problems';
import { type TpuSlice } from '../tpu/slice';
import { type PodFragment, type ResourceRequirements } from './fragment';
import { type PodTemplate } from './template';

/** Share of a host that its pod requests. The rest is for GKE, system pods and sidecars. Not measured. */
const SHARE = 0.8;

/**
 * Requests for CPU and memory of one host of a slice, with room for system pods and the Cloud Storage FUSE sidecar. Sets no limits,
 * because no other workload runs on the host.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes
 */
export const hostResources = (slice: TpuSlice): PodFragment => ({
  resources: {
    requests: {
      cpu: String(Math.floor(slice.vCpusPerHost * SHARE)),
      memory: `${String(Math.floor(slice.memoryGBPerHost * SHARE))}G`,
    },
  },
});

/** Share of a host's memory that volumes in memory can use. The server needs the rest. */
const MEMORY_VOLUMES_SHARE = 0.9;

interface Containers {
  readonly containers: readonly { readonly name: string; readonly resources?: ResourceRequirements }[];
}

/** Records requests of a pod that exceed one host of its slice. */
export function checkHost(slice: TpuSlice, { spec }: PodTemplate, problems: Problems): void {
  const { containers } = spec as unknown as Containers;
  const { machineType, memoryGBPerHost, vCpusPerHost } = slice;
  for (const [resource, has, said] of [
    ['cpu', vCpusPerHost, `${String(vCpusPerHost)} vCPUs`],
    // The sources do not say whether they mean GB or GiB. GiB is larger.
    ['memory', memoryGBPerHost * 2 ** 30, `${String(memoryGBPerHost)} GB`],
  ] as const) {
    const amounts = amountsOf(containers, resource);
    if (sumOf(amounts) >= has)
      problems.add({
        path: `resources.requests[${resource}]`,
        value: amounts.join(' + '),
        problem: `does not fit on a ${machineType}, which has ${said}`,
        use: 'less',
        nearest: hostResources(slice).resources?.requests?.[resource] ?? '',
      });
  }
  checkChips(slice, containers, problems);
  checkMemoryVolumes(slice, { spec }, problems);
}

/** Returns the requests of a resource. A limit without a request is also the request. */
const amountsOf = (containers: Containers['containers'], resource: string): readonly string[] =>
  containers.flatMap(
    ({ resources }) => resources?.requests?.[resource] ?? resources?.limits?.[resource] ?? [],
  );

const sumOf = (amounts: readonly string[]): number =>
  amounts.reduce((sum, amount) => sum + quantityOf(amount), 0);

/** Records a pod whose containers request more chips than a host has. */
function checkChips(
  { chipsPerHost, machineType }: TpuSlice,
  containers: Containers['containers'],
  problems: Problems,
): void {
  const chips = amountsOf(containers, TPU_RESOURCE);
  if (chips.some((amount) => quantityOf(amount) < 1) || sumOf(chips) > chipsPerHost)
    problems.add({
      path: 'sidecars',
      problem: `request all chips of a ${machineType}, which has ${String(chipsPerHost)}`,
      use: 'fewer chips for sidecars: the main container requests the rest',
    });
}

/** Records volumes in memory that are too large for a host. `at` is the path of the pod's props. */
function checkMemoryVolumes(
  { machineType, memoryGBPerHost }: TpuSlice,
  { spec }: Pick<PodTemplate, 'spec'>,
  problems: Problems,
  at = '',
): void {
  const { volumes = [] } = spec as {
    readonly volumes?: readonly {
      readonly name: string;
      readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string };
    }[];
  };
  const inMemory = volumes
    .filter(({ emptyDir }) => emptyDir?.medium === 'Memory')
    .map(({ name, emptyDir }) => ({ name, limit: emptyDir?.sizeLimit ?? '0' }));
  const room = memoryGBPerHost * 1e9 * MEMORY_VOLUMES_SHARE;
  const problem: Problem = {
    path: below(at, 'volumes'),
    problem: `need too much of the ${String(memoryGBPerHost)} GB of memory of a ${machineType}: ${inMemory.map(({ name, limit }) => `'${name}' (${limit})`).join(', ')}`,
    use: `at most ${String(Math.floor(room / 2 ** 30))}Gi together, or a cache on disk`,
  };
  if (sumOf(inMemory.map(({ limit }) => limit)) > room) problems.add(problem);
}
