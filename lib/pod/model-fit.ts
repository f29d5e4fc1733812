import { quantityOf, room } from '../problems/grammar';
import { type Problem, problemOf } from '../problems/problems';
import { type MemoryOptions } from '../tpu/memory';
import { memoryFindings } from '../tpu/memory-findings';
import { modelByName } from '../tpu/model-names';
import { type TpuSlice } from '../tpu/slice';
import { LEAST_BYTES_PER_PARAMETER } from '../tpu/weights';

type Hosts = Pick<MemoryOptions, 'hosts'>;

/**
 * What is wrong with the weights of a model on a slice: they do not fit the memory of all its hosts together. KV cache is not counted.
 *
 * @returns a problem that names the next slice; undefined if they fit
 */
export const weightsProblem = (slice: TpuSlice, bytes: number, options?: Hosts): Problem | undefined =>
  memoryFindings(slice, 'the model', { bytes }, { ...options, gpuMemoryUtilization: 1 }).problem;

/** The problem with a stated `modelSize`: it is not a quantity, or does not fit the slice. */
export const modelSizeProblem = (
  slice: TpuSlice,
  modelSize: string | undefined,
  options?: Hosts,
): Problem | undefined =>
  modelSize === undefined
    ? undefined
    : (problemOf('modelSize', modelSize, room(modelSize)) ??
      weightsProblem(slice, quantityOf(modelSize), options));

/** What is wrong with a model by its name: names are guesses, so only where even 4 bits a parameter do not fit. */
export const namedModelProblem = (slice: TpuSlice, model: string, options?: Hosts): Problem | undefined =>
  weightsProblem(slice, (modelByName(model)?.parameters ?? 0) * LEAST_BYTES_PER_PARAMETER.int4, options);
