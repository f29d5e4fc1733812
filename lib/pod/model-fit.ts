import { BYTES_PER_PARAMETER, fitProblem, modelByName, type ModelFitOptions } from '../tpu/sizing';
import { type TpuSlice } from '../tpu/slice';
import { quantityOf, room } from '../problems/grammar';
import { type Problem, problemOf } from '../problems/problems';

/** Where the arithmetic of a fit ends: `fitProblem` takes no more. */
const MAX_BYTES = 1e15;

/**
 * What is wrong with the weights of a model on a slice: they do not fit the memory of all its hosts together. KV cache and headroom are
 * not counted.
 *
 * @returns a problem that names the next slice; undefined if they fit, or if they are smaller than a megabyte
 */
export const weightsProblem = (
  slice: TpuSlice,
  bytes: number,
  options?: ModelFitOptions,
): Problem | undefined =>
  bytes >= 1e6 ? fitProblem(slice, { bytes: Math.min(bytes, MAX_BYTES), headroom: 0 }, options) : undefined;

/** What is wrong with a stated `modelSize`: it is no quantity, or does not fit the slice. */
export const modelSizeProblem = (
  slice: TpuSlice,
  modelSize: string | undefined,
  options?: ModelFitOptions,
): Problem | undefined =>
  modelSize === undefined
    ? undefined
    : (problemOf('modelSize', modelSize, room(modelSize)) ??
      weightsProblem(slice, quantityOf(modelSize), options));

/** What is wrong with a model by its name: names are guesses, so only where even 4 bits a parameter do not fit. */
export const namedModelProblem = (
  slice: TpuSlice,
  model: string,
  options?: ModelFitOptions,
): Problem | undefined =>
  weightsProblem(slice, (modelByName(model)?.parameters ?? 0) * BYTES_PER_PARAMETER.int4, options);
