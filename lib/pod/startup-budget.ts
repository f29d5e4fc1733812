import { Problems } from '../problems/problems';
import { BYTES_PER_PARAMETER, modelByName } from '../tpu/sizing';
import { type TpuSlice } from '../tpu/slice';
import { quantityOf, room } from '../problems/validators';

/** What the time until a server answers for the first time depends on. */
export interface StartupConditions {
  /** Size of the weights as a quantity, like `141G`. @default - what the slice's memory can hold */
  readonly modelSize?: string;
  /** The slice that the model is loaded on. */
  readonly slice: TpuSlice;
  /** Whether the weights lie on the volume already; otherwise they are fetched first. @default false */
  readonly warmWeights?: boolean;
  /** Whether the compiled programs lie on the volume already. @default false */
  readonly warmCompileCache?: boolean;
  /** Whether the weights are read through Cloud Storage FUSE without a file cache. @default false */
  readonly uncachedFuse?: boolean;
}

/** Times in seconds until a server answers for the first time. */
export interface StartupEstimate {
  /** Time to fetch and read the weights. */
  readonly loadSeconds: number;
  /** Time to compile, or to load what was compiled before. */
  readonly compileSeconds: number;
  /** Both together. */
  readonly totalSeconds: number;
  /** What probes and rollouts allow: twice as long, in whole minutes, at least half an hour. */
  readonly budgetSeconds: number;
}

/**
 * What was measured, each constant with its source. An estimate is within a factor of two of it, so the budget is twice the estimate.
 */
export const STARTUP_FACTS = {
  /** Llama 3 70B (141 GB) through Cloud Storage FUSE with a file cache in 14 minutes: https://github.com/vllm-project/vllm/issues/23115 */
  cachedBytesPerSecond: 168e6,
  /** An 8B model (16 GB) through Cloud Storage FUSE without one in an hour: https://github.com/vllm-project/vllm/issues/23115 */
  uncachedBytesPerSecond: 4.4e6,
  /** Fetching weights costs as much again as reading them; an assumption, no source times it alone. */
  coldWeightsFactor: 2,
  /** An 8B model takes 357 s from start to answer, most of it compiling: https://github.com/vllm-project/tpu-inference/issues/606 */
  coldCompileSeconds: 240,
  coldCompileSecondsPerGB: 6,
  /** First compiles take 10 to 30 minutes. */
  coldCompileMaxSeconds: 1800,
  /** Later ones take 1 to 3 minutes. */
  warmCompileSeconds: 60,
  warmCompileSecondsPerGB: 0.6,
  warmCompileMaxSeconds: 180,
  /** No start is given less than the longest first compile that was measured. */
  minimumBudgetSeconds: 1800,
  /** How much longer than the estimate a start may take before it is given up. */
  budgetFactor: 2,
} as const;

/**
 * How long a server takes from the start of its container to its first answer, and how long it is given.
 *
 * @throws InvalidInputError when `modelSize` is not a quantity of at least 1M
 */
export function startupEstimate(conditions: StartupConditions): StartupEstimate {
  const {
    slice,
    modelSize,
    warmWeights = false,
    warmCompileCache = false,
    uncachedFuse = false,
  } = conditions;
  const problems = new Problems();
  if (modelSize !== undefined) problems.add(room('modelSize', modelSize));
  problems.throwIfAny();

  const facts = STARTUP_FACTS;
  const bytes = modelSize === undefined ? slice.hbmGiB * 2 ** 30 : quantityOf(modelSize);
  const gigabytes = bytes / 1e9;
  const rate = uncachedFuse ? facts.uncachedBytesPerSecond : facts.cachedBytesPerSecond;
  const loadSeconds = (bytes / rate) * (warmWeights ? 1 : facts.coldWeightsFactor);
  const compileSeconds = warmCompileCache
    ? Math.min(
        facts.warmCompileMaxSeconds,
        facts.warmCompileSeconds + facts.warmCompileSecondsPerGB * gigabytes,
      )
    : Math.min(
        facts.coldCompileMaxSeconds,
        facts.coldCompileSeconds + facts.coldCompileSecondsPerGB * gigabytes,
      );
  const totalSeconds = loadSeconds + compileSeconds;
  return {
    loadSeconds: Math.round(loadSeconds),
    compileSeconds: Math.round(compileSeconds),
    totalSeconds: Math.round(totalSeconds),
    budgetSeconds: Math.max(
      facts.minimumBudgetSeconds,
      Math.ceil((totalSeconds * facts.budgetFactor) / 60) * 60,
    ),
  };
}

/**
 * Size of a model's weights as its name tells it, at two bytes a parameter, fewer where the name says so: `Llama-3.1-70B` is 140G.
 *
 * @returns a quantity; undefined where the name has no number of parameters
 */
export function modelSizeByName(model: string): string | undefined {
  const named = modelByName(model);
  if (named === undefined) return undefined;
  return `${String(Math.ceil((named.parameters * BYTES_PER_PARAMETER[named.dtype]) / 1e9))}G`;
}
