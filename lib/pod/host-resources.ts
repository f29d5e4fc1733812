import { TPU_RESOURCE } from '../facts/labels';
import { quantityOf } from '../problems/grammar';
import { below, type Problem, type Problems } from '../problems/problems';
import { type TpuSlice } from '../tpu/slice';
import { type PodFragment, type ResourceRequirements } from './fragment';
import { type PodTemplate } from './template';

/** Share of a host that its pod requests; the rest is for GKE itself, system pods and sidecars. Chosen, not measured. */
const SHARE = 0.8;

/**
 * CPU and memory of one host of a slice as requests, with room for system pods and the Cloud Storage FUSE sidecar. There are no limits:
 * no other workload on the host needs protection by them.
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

/** Share of a host's memory that volumes in memory can use; the server itself needs some, too. */
const MEMORY_VOLUMES_SHARE = 0.9;

interface Containers {
  readonly containers: readonly { readonly name: string; readonly resources?: ResourceRequirements }[];
}

/** Records what a pod requests beyond one host of its slice. */
export function checkHost(slice: TpuSlice, { spec }: PodTemplate, problems: Problems): void {
  const { containers } = spec as unknown as Containers;
  const { machineType, memoryGBPerHost, vCpusPerHost } = slice;
  for (const [resource, has, said] of [
    ['cpu', vCpusPerHost, `${String(vCpusPerHost)} vCPUs`],
    // GB or GiB, the sources do not say; the larger
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

/** Requests of a resource; a limit without a request is both. */
const amountsOf = (containers: Containers['containers'], resource: string): readonly string[] =>
  containers.flatMap(
    ({ resources }) => resources?.requests?.[resource] ?? resources?.limits?.[resource] ?? [],
  );

const sumOf = (amounts: readonly string[]): number =>
  amounts.reduce((sum, amount) => sum + quantityOf(amount), 0);

/** The containers of a pod share the chips of a host. */
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

/** Records volumes in memory for which a host of a slice has too little of it. `at` is the path of the pod's props. */
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
