import { type TpuGeneration, type TpuMachineType } from './generations';
import {
  cacheConfiguration,
  GIB,
  memoryFit,
  type MemoryModel,
  type MemoryOptions,
  type MemorySlice,
  oddHeads,
  weightsOf,
} from './memory';
import { chipsOf, dimensionsOf, generationFacts, machineFacts, machineTypes, topologiesOf } from './topology';

/** A machine type with a topology. */
export interface MemoryShape extends MemorySlice {
  /** The machine type of every host. */
  readonly machineType: TpuMachineType;
  /** The topology in chips. */
  readonly topology: string;
}

const made = new Map<TpuGeneration, readonly MemoryShape[]>();

/** Returns the shapes of a generation, least HBM and fewest hosts first, without machine types that only a full name selects. */
export function shapesOf(generation: TpuGeneration): readonly MemoryShape[] {
  const known = made.get(generation) ?? listShapes(generation);
  made.set(generation, known);
  return known;
}

const listShapes = (generation: TpuGeneration): readonly MemoryShape[] =>
  machineTypes()
    .filter((type) => machineFacts(type).generation === generation && !machineFacts(type).onlyWhenNamed)
    .flatMap((machineType) =>
      topologiesOf(machineType).map((topology) => {
        const { hbmGiBPerChip, devicesPerChip } = generationFacts(machineType);
        const chips = chipsOf(topology);
        return {
          machineType,
          topology,
          generation,
          hosts: chips / machineFacts(machineType).chips,
          devices: chips * devicesPerChip,
          hbmGiB: chips * hbmGiBPerChip,
          toString: () => `${machineType}/${topology}`,
        };
      }),
    )
    .sort(bySize);

/** Sorts shapes: least HBM first, then fewest hosts, then the most compact topology. */
export const bySize = (a: MemoryShape, b: MemoryShape): number =>
  a.hbmGiB - b.hbmGiB || a.hosts - b.hosts || girth(a.topology) - girth(b.topology);

const girth = (topology: string): number => (dimensionsOf(topology) ?? []).reduce((sum, n) => sum + n, 0);

/**
 * Returns the smallest shape of a generation that holds the expected memory of a model on all of its devices; undefined if none does.
 * Leaves out shapes whose number of devices does not suit the KV heads of the model.
 */
export function smallestShape(
  model: MemoryModel,
  generation: TpuGeneration,
  options: MemoryOptions = {},
): MemoryShape | undefined {
  const { pipelineParallelSize = 1, dataParallelSize = 1, hosts } = options;
  const cached = cacheConfiguration(model);
  const weights = weightsOf(model, options.weightFormat).expected;
  return shapesOf(generation).find((one) => {
    if (one.hbmGiB * GIB < weights) return false;
    const tensorParallelSize = one.devices / (pipelineParallelSize * dataParallelSize);
    if ((hosts === 'one' && one.hosts > 1) || !Number.isInteger(tensorParallelSize)) return false;
    if (cached !== undefined && oddHeads(cached, tensorParallelSize) !== undefined) return false;
    return memoryFit(one, model, { ...options, tensorParallelSize }).verdict === 'fits';
  });
}
