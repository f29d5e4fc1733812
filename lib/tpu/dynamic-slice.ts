import { type TpuMachineType } from './generations';
import { type TpuSlice } from './slice';
import { chipsOf, dimensionsOf } from './topology';

// Slices that GKE forms when a workload is scheduled, from nodes that are provisioned as sub-blocks of 64 chips.

/**
 * The sub-block that dynamic slices are formed from: one node pool.
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

/** Whether GKE forms a slice of this shape dynamically: a part of a sub-block, or several whole ones. */
export const isDynamic = ({ machineType }: TpuSlice): boolean => machineType === SUB_BLOCK.machineType;

/** The topology of the partitions that a slice is formed from: its own if it is a part of a sub-block, and the sub-block's otherwise. */
export const partitionOf = (topology: string): string =>
  (dimensionsOf(topology) ?? []).every((length) => length % 4 === 0) ? SUB_BLOCK.topology : topology;

/** The smallest number of sub-blocks with so many chips: parts of a sub-block fill it without a gap, because their sizes divide it. */
export const subBlocksOf = (chips: number): number => Math.ceil(chips / chipsOf(SUB_BLOCK.topology));
