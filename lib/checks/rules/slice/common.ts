import { GENERATIONS, type TpuMachineType } from '../../../tpu/generations';
import { TPU_RESOURCE } from '../../../facts/labels';
import { amount, type Json, text } from '../../../manifest/manifest';
import { machineFacts } from '../../../tpu/topology';
import { machinesOf, tpuContainers } from '../../../manifest/slices';
import { type ContainerView, type PodView, records } from '../../../manifest/pods';

export const generations = Object.values(GENERATIONS);

export const accelerators = generations.map(({ accelerator }) => accelerator);

export const resourcesOf = (
  container: Json,
): { readonly requested: string | undefined; readonly limit: string | undefined } => ({
  requested: amount(container, 'resources', 'requests', TPU_RESOURCE),
  limit: amount(container, 'resources', 'limits', TPU_RESOURCE),
});

export const isUneven = (container: Json): boolean => {
  const { requested, limit } = resourcesOf(container);
  return requested !== undefined && requested !== limit;
};

/** Chips of the machine types, each number once. */
export const sizesOf = (machines: readonly TpuMachineType[]): readonly number[] =>
  [...new Set(machines.map((type) => machineFacts(type).chips))].sort((a, b) => a - b);

/** Whether a topology is one host of one machine type and several hosts of another. */
export const isAmbiguous = (topology: string | undefined, fitting: readonly TpuMachineType[]): boolean =>
  topology !== undefined && sizesOf(fitting).length > 1;

/** The containers with chips that run at the same time: all except init containers. */
export const mainContainers = (pod: PodView): readonly ContainerView[] =>
  tpuContainers(pod).filter(({ init }) => !init);

export const containersInWords = (containers: readonly ContainerView[]): string =>
  `containers ${containers.map(({ name }) => `'${name}'`).join(' and ')}`;

/** Whether the containers of a pod can share the chips of a host: only on tpu7x, or if the accelerator is unknown. */
export const sharesHost = (accelerator: string | undefined): boolean =>
  machinesOf(accelerator).every((type) => machineFacts(type).generation === 'tpu7x');

/** The tolerations of one taint, without those of all taints. */
export const tolerationsOf = (pod: PodView, key: string): readonly Json[] =>
  records(pod.spec, 'tolerations').filter((toleration) => text(toleration, 'key') === key);
