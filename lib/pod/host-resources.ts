import { type Problems } from '../problems/problems';
import { type TpuSlice } from '../tpu/slice';
import { type PodFragment, type ResourceRequirements } from './fragment';
import { quantityOf } from '../problems/validators';
import { type PodTemplate } from './template';

/** Share of a host that its pod asks for; the rest is for what GKE keeps for itself, system pods and sidecars. Chosen, not measured. */
const SHARE = 0.8;

/**
 * CPU and memory of one host of a slice as requests, with room left for system pods and the Cloud Storage FUSE sidecar. There are no
 * limits: nothing else runs on the host that could be protected by them.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes
 */
export function hostResources(slice: TpuSlice): PodFragment {
  return {
    resources: {
      requests: {
        cpu: String(Math.floor(slice.vCpusPerHost * SHARE)),
        memory: `${String(Math.floor(slice.memoryGBPerHost * SHARE))}G`,
      },
    },
  };
}

/** Share of a host's memory that volumes in memory may take; the server itself needs some, too. */
const MEMORY_VOLUMES_SHARE = 0.9;

/** Records what a host of a slice has too little of for a pod. */
export function checkHost(slice: TpuSlice, { spec }: PodTemplate, problems: Problems): void {
  const { containers } = spec as {
    readonly containers: readonly { readonly resources?: ResourceRequirements }[];
  };
  const { machineType, memoryGBPerHost } = slice;
  const defaults = hostResources(slice).resources?.requests ?? {};
  for (const [resource, has] of [
    ['cpu', slice.vCpusPerHost],
    // GB or GiB, the sources do not say; the larger
    ['memory', memoryGBPerHost * 2 ** 30],
  ] as const) {
    const amounts = containers.flatMap(
      ({ resources }) => resources?.requests?.[resource] ?? resources?.limits?.[resource] ?? [],
    );
    problems.check(
      amounts.reduce((sum, amount) => sum + quantityOf(amount), 0) < has,
      `containers request ${amounts.map((amount) => `'${amount}'`).join(' and ')} ${resource}, expected less than a ${machineType} has, ${resource === 'cpu' ? String(has) : `${String(memoryGBPerHost)} GB`}; nearest: '${defaults[resource] ?? ''}'`,
    );
  }

  checkMemoryVolumes(slice, { spec }, problems);
}

/** Records what a host of a slice has too little memory for among a pod's volumes. */
export function checkMemoryVolumes(
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
  const bytes = inMemory.reduce((sum, { limit }) => sum + quantityOf(limit), 0);
  const room = memoryGBPerHost * 1e9 * MEMORY_VOLUMES_SHARE;
  problems.check(
    bytes <= room,
    `${at}volumes in memory ${inMemory.map(({ name, limit }) => `'${name}' (${limit})`).join(' and ')} hold more than a ${machineType} has, expected at most ${String(Math.floor(room / 2 ** 30))}Gi together of its ${String(memoryGBPerHost)} GB, or a cache on disk`,
  );
}
