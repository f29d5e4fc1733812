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

/** A shape of slices. */
export interface MemoryShape extends MemorySlice {
  /** The machine type of every host. */
  readonly machineType: TpuMachineType;
  /** The shape in chips. */
  readonly topology: string;
}

const made = new Map<TpuGeneration, readonly MemoryShape[]>();

/** Every shape of a generation, least HBM and fewest hosts first; without machine types that are only used when named. */
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

/** Least HBM first, then fewest hosts, then the most compact topology, whose chips are nearest to each other. */
export const bySize = (a: MemoryShape, b: MemoryShape): number =>
  a.hbmGiB - b.hbmGiB || a.hosts - b.hosts || girth(a.topology) - girth(b.topology);

const girth = (topology: string): number => (dimensionsOf(topology) ?? []).reduce((sum, n) => sum + n, 0);

/**
 * The smallest shape of a generation that holds a model as it is expected to be, on all of its devices; undefined if none does. Shapes
 * whose devices do not suit the KV heads of the model are left out.
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
