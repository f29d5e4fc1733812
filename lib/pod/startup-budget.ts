import { quantityOf, room } from '../problems/grammar';
import { boolean, essential, optional, readOrThrow, type Schema, string } from '../problems/schema';
import { modelByName } from '../tpu/model-names';
import { weightsOf } from '../tpu/memory';
import { modelNamed } from '../tpu/models';
import { sliceType, type TpuSlice } from '../tpu/slice';

/** Conditions that determine how long a server takes until its first answer. */
export interface StartupConditions {
  /** Size of the weights as a quantity, like `141G`. @default - the memory of the slice */
  readonly modelSize?: string;
  /** The slice that the model is loaded on. */
  readonly slice: TpuSlice;
  /** Whether the volume already contains the weights. Otherwise the server downloads them first. @default false */
  readonly warmWeights?: boolean;
  /** Whether the server streams the weights from a bucket, without a copy on a volume. @default false */
  readonly streamed?: boolean;
  /** Whether the volume already contains the compiled programs. @default false */
  readonly warmCompileCache?: boolean;
  /** Whether the server reads the weights through Cloud Storage FUSE without a file cache. @default false */
  readonly uncachedFuse?: boolean;
}

/** Estimated times until a server answers for the first time, in seconds. */
export interface StartupEstimate {
  /** Time to download and read the weights. */
  readonly loadSeconds: number;
  /** Time to compile programs, or to load compiled ones. */
  readonly compileSeconds: number;
  /** Sum of the two times. */
  readonly totalSeconds: number;
  /** Time that probes and rollouts allow: twice the sum, in whole minutes, from half an hour to four hours. */
  readonly budgetSeconds: number;
}

/** Measurements, each with its source. An estimate is within a factor of two of them, so the budget is twice the estimate. */
const STARTUP_FACTS = {
  /** Llama 3 70B (141 GB) through Cloud Storage FUSE with a file cache in 14 minutes: https://github.com/vllm-project/vllm/issues/23115 */
  cachedBytesPerSecond: 168e6,
  /** An 8B model (16 GB) through Cloud Storage FUSE without a file cache in an hour: https://github.com/vllm-project/vllm/issues/23115 */
  uncachedBytesPerSecond: 4.4e6,
  /**
   * Assumes that downloading weights takes as long as reading them, because no source measures it alone. A server that streams the weights
   * reads them once, at the rate of the file cache, because no source measures streaming on TPUs.
   */
  coldWeightsFactor: 2,
  /** An 8B model takes 357 s from start to answer, most of it compiling: https://github.com/vllm-project/tpu-inference/issues/606 */
  coldCompileSeconds: 240,
  coldCompileSecondsPerGB: 6,
  /** First compiles take 10 to 30 minutes. */
  coldCompileMaxSeconds: 1800,
  /** Later compiles take 1 to 3 minutes. */
  warmCompileSeconds: 60,
  warmCompileSecondsPerGB: 0.6,
  warmCompileMaxSeconds: 180,
  /** The longest first compile that was measured. */
  minimumBudgetSeconds: 1800,
  /** Limits how long a server that hangs waits for its restart. Longer starts need `startupSeconds`. */
  maximumBudgetSeconds: 14_400,
  budgetFactor: 2,
} as const;

const CONDITIONS: Schema<StartupConditions> = {
  properties: {
    modelSize: optional(string(room)),
    slice: essential(sliceType, "TpuSlice.of('ct6e-standard-8t')"),
    warmWeights: optional(boolean()),
    streamed: optional(boolean()),
    warmCompileCache: optional(boolean()),
    uncachedFuse: optional(boolean()),
  },
};

/**
 * Estimates how long a server takes from the start of its container to its first answer, and the time to allow for it.
 *
 * @throws InvalidInputError if `modelSize` is not a quantity of at least 1M
 */
export function startupEstimate(conditions: StartupConditions): StartupEstimate {
  const {
    slice,
    modelSize,
    warmWeights = false,
    streamed = false,
    warmCompileCache = false,
    uncachedFuse = false,
  } = readOrThrow(CONDITIONS, conditions);

  const facts = STARTUP_FACTS;
  const bytes = modelSize === undefined ? slice.hbmGiB * 2 ** 30 : quantityOf(modelSize);
  const gigabytes = bytes / 1e9;
  const rate = uncachedFuse ? facts.uncachedBytesPerSecond : facts.cachedBytesPerSecond;
  const loadSeconds = (bytes / rate) * (warmWeights || streamed ? 1 : facts.coldWeightsFactor);
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
    budgetSeconds: Math.min(
      facts.maximumBudgetSeconds,
      Math.max(facts.minimumBudgetSeconds, Math.ceil((totalSeconds * facts.budgetFactor) / 60) * 60),
    ),
  };
}

/**
 * Returns the size of a model's weights. Computes it from the configuration of a known model. Otherwise guesses it from the name, with two
 * bytes for each parameter, or fewer if the name has a quantization.
 *
 * @returns a quantity; undefined if the model is not known and its name has no number of parameters
 */
export function modelSizeByName(model: string): string | undefined {
  const named = modelNamed(model) ?? modelByName(model);
  return named && `${String(Math.ceil(weightsOf(named).expected / 1e9))}G`;
}
