import { type TpuMachineType } from './generations';
import { type TpuSlice } from './slice';
import { chipsOf, dimensionsOf } from './topology';

// Slices that GKE forms from sub-blocks of 64 chips when it schedules a workload.

/**
 * The sub-block that GKE forms dynamic slices from. It is one node pool.
 *
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/concepts/dynamic-slicing
 */
export const SUB_BLOCK = {
  machineType: 'tpu7x-standard-4t',
  topology: '4x4x4',
  hosts: 16,
} as const satisfies {
  readonly machineType: TpuMachineType;
  readonly topology: string;
  readonly hosts: number;
};

/** Whether GKE can form this slice dynamically, as a part of a sub-block or as several whole sub-blocks. */
export const isDynamic = ({ machineType }: TpuSlice): boolean => machineType === SUB_BLOCK.machineType;

/** Returns the topology of a slice's partitions: its own if the slice is part of a sub-block, otherwise that of the sub-block. */
export const partitionOf = (topology: string): string =>
  (dimensionsOf(topology) ?? []).every((length) => length % 4 === 0) ? SUB_BLOCK.topology : topology;

/** Returns the smallest number of sub-blocks with `chips` chips. The sizes of partitions divide a sub-block, so none of its chips is left over. */
export const subBlocksOf = (chips: number): number => Math.ceil(chips / chipsOf(SUB_BLOCK.topology));
