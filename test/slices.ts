import { MACHINE_TYPES, TpuSlice } from '../lib';
import { topologiesOf } from '../lib/tpu/topology';

/** Every slice that a machine type can have. */
export const EVERY_SLICE: readonly TpuSlice[] = Object.keys(MACHINE_TYPES).flatMap((type) =>
  topologiesOf(type as keyof typeof MACHINE_TYPES).map((topology) => TpuSlice.parse(`${type}/${topology}`)),
);
