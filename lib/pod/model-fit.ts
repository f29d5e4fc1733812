import { BYTES_PER_PARAMETER, fitProblem, modelByName, type ModelFitOptions } from '../tpu/sizing';
import { type TpuSlice } from '../tpu/slice';
import { quantityOf, room } from '../problems/validators';

/** Where the arithmetic of a fit ends: `fitProblem` takes no more. */
const MAX_BYTES = 1e15;

/**
 * What is wrong with the weights of a model on a slice: they do not fit the memory of all its hosts together. KV cache and headroom are
 * not counted.
 *
 * @returns a sentence that names the next slice; undefined where they fit, and of less than a megabyte
 */
export const weightsProblem = (
  slice: TpuSlice,
  bytes: number,
  options?: ModelFitOptions,
): string | undefined =>
  bytes >= 1e6 ? fitProblem(slice, { bytes: Math.min(bytes, MAX_BYTES), headroom: 0 }, options) : undefined;

/** What is wrong with a stated `modelSize`: it is no quantity, or does not fit the slice. */
export const modelSizeProblem = (
  slice: TpuSlice,
  modelSize: string | undefined,
  options?: ModelFitOptions,
): string | undefined =>
  modelSize === undefined
    ? undefined
    : (room('modelSize', modelSize) ?? weightsProblem(slice, quantityOf(modelSize), options));

/** What is wrong with a model by its name: names are guesses, so only where even 4 bits a parameter do not fit. */
export const namedModelProblem = (
  slice: TpuSlice,
  model: string,
  options?: ModelFitOptions,
): string | undefined =>
  weightsProblem(slice, (modelByName(model)?.parameters ?? 0) * BYTES_PER_PARAMETER.int4, options);
