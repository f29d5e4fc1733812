import { type Problem } from '../problems/problems';
import { either } from '../problems/shown';
import { GENERATIONS, type TpuGeneration } from './generations';
import {
  GIB,
  memoryFit,
  type MemoryFit,
  type MemoryModel,
  type MemoryOptions,
  type MemorySlice,
} from './memory';
import { type WeightFormat } from './models';
import { bySize, type MemoryShape, smallestShape } from './shapes';
import { count } from './topology';
import { BYTES_PER_PARAMETER } from './weights';

/** The problem of a model on a slice, or a warning. */
export interface MemoryFindings {
  /** The model cannot start. */
  readonly problem?: Problem;
  /** The model may not start: the lower bound fits, but the expected memory does not. */
  readonly warning?: Problem;
}

/**
 * Returns the problem of a model on a slice. A problem is certain: the weights do not fit, or leave too little memory for one sequence of
 * `maxModelLen`.
 *
 * @param name - the name of the model in messages
 */
export function memoryFindings(
  slice: MemorySlice,
  name: string,
  model: MemoryModel,
  options: MemoryOptions = {},
): MemoryFindings {
  const fit = memoryFit(slice, model, options);
  if (fit.verdict === 'fits') return {};
  const certain = fit.verdict === 'too large';
  const [weights, cache, has] = certain
    ? [fit.weights.least, fit.cache?.least, fit.available.most]
    : [fit.weights.expected, fit.cache?.expected, fit.available.expected];
  const uses = options.gpuMemoryUtilization === 1 ? 'a server can use' : 'vLLM uses';
  const numbers: Numbers = { name, slice, certain, uses, weights, cache: cache ?? 0, has };
  const ways = waysOut(slice, model, options, fit);
  const found = weights > has ? weightsProblem(numbers, ways) : cacheProblem(numbers, options, fit, ways);
  return certain ? { problem: found } : { warning: found };
}

interface Numbers {
  readonly name: string;
  readonly slice: MemorySlice;
  readonly certain: boolean;
  /** Describes who uses the HBM. */
  readonly uses: string;
  readonly weights: number;
  readonly cache: number;
  readonly has: number;
}

/** Rounds up, so that the memory that is needed does not look equal to the memory of the slice. */
const needed = (bytes: number): string => `${String(Math.ceil((bytes / GIB) * 10) / 10)} GiB`;
const there = (bytes: number): string => `${String(Math.floor((bytes / GIB) * 10) / 10)} GiB`;

const shape = (slice: MemorySlice): string => `'${slice.toString()}'`;

function weightsProblem({ name, slice, certain, uses, weights, has }: Numbers, ways: WaysOut): Problem {
  const need = certain ? 'need at least' : 'are expected to need';
  const others = [ways.devices, ways.slice, ways.format].filter((way) => way !== undefined);
  return {
    path: 'slice',
    value: slice.toString(),
    problem: `is too small for ${name}: the weights ${need} ${needed(weights)}, and ${uses} ${there(has)} of its HBM, ${needed(weights - has)} too little`,
    ...(others.length > 0 && { use: either(others) }),
  };
}

function cacheProblem(
  { name, slice, certain, uses, weights, cache, has }: Numbers,
  options: MemoryOptions,
  fit: MemoryFit,
  ways: WaysOut,
): Problem {
  const tokens = `${String(fit.maxModelLen ?? 0)} tokens`;
  const subject =
    options.maxModelLen === undefined ? `is not set, and the ${tokens} of the model's own context` : 'tokens';
  const need = certain ? 'need at least' : 'are expected to need';
  const others = [ways.context, ways.cache, ways.devices, ways.slice, ways.format].filter(
    (way) => way !== undefined,
  );
  return {
    path: 'maxModelLen',
    ...(options.maxModelLen !== undefined && { value: options.maxModelLen }),
    problem: `${subject} ${need} ${needed(cache)} of KV cache in addition to ${needed(weights)} of weights of ${name}, and ${uses} ${there(has)} of the HBM of ${shape(slice)}, ${needed(weights + cache - has)} too little`,
    ...(others.length > 0 && { use: either(others) }),
  };
}

// ---- fixes ---------------------------------------------------------------------------------------------------

interface WaysOut {
  /** A shorter context. */
  readonly context?: string | undefined;
  /** A smaller KV cache. */
  readonly cache?: string | undefined;
  /** More devices of the same slice. */
  readonly devices?: string | undefined;
  /** A larger slice. */
  readonly slice?: string | undefined;
  /** Smaller weights. */
  readonly format?: string | undefined;
}

/**
 * Weight formats that are recommended for each generation, or known to run: fp8 runs on v6e, although v6e has no fp8 type.
 *
 * @see https://github.com/vllm-project/tpu-inference (support_matrices/release)
 * @see https://github.com/GoogleCloudPlatform/accelerated-platforms
 */
const WEIGHT_FORMATS: Readonly<Record<TpuGeneration, readonly WeightFormat[]>> = {
  v4: [],
  v5e: ['int8', 'int4'],
  v5p: ['int8', 'int4'],
  v6e: ['int8', 'int4', 'fp8'],
  tpu7x: ['fp8', 'mxfp4'],
};

/** Generations that store keys and values in 8 bits: tpu_inference of v0.27.0 stores fp8 as fp8_e5m2 on v6e. */
export const FP8_CACHE_GENERATIONS: readonly TpuGeneration[] = ['v6e', 'tpu7x'];

function waysOut(slice: MemorySlice, model: MemoryModel, options: MemoryOptions, fit: MemoryFit): WaysOut {
  const fits = (changed: MemoryOptions): boolean =>
    memoryFit(slice, model, { ...options, ...changed }).verdict === 'fits';
  const tokens = largestContext(slice, model, options, fit);
  const { generation } = slice;
  const stored = options.weightFormat ?? storedFormat(model);
  const smaller = WEIGHT_FORMATS[generation].filter(
    (one) =>
      stored !== undefined &&
      BYTES_PER_PARAMETER[one] < BYTES_PER_PARAMETER[stored] &&
      fits({ weightFormat: one }),
  );
  const next = nextSlice(slice, model, options);
  // If not all devices are in use, the next slice can be the same one.
  const isSame = next?.toString() === slice.toString();
  const larger = isSame ? undefined : next;
  return {
    context: tokens > 0 ? `at most ${String(tokens)} tokens` : undefined,
    cache:
      FP8_CACHE_GENERATIONS.includes(generation) && fits({ kvCacheDtype: 'fp8' })
        ? "kvCacheDtype 'fp8'"
        : undefined,
    devices: isSame ? `tensorParallelSize ${String(slice.devices)}` : undefined,
    slice: larger && `${shape(larger)} (${count(larger.hosts, 'host')}, ${String(larger.hbmGiB)} GiB)`,
    format: smaller.length > 0 ? `weights quantized to ${either(smaller)}` : undefined,
  };
}

/** Returns how the weights of a model are stored; undefined if that is not known. */
const storedFormat = (model: MemoryModel): WeightFormat | undefined =>
  'guess' in model || ('bytes' in model && model.bytes !== undefined) ? undefined : (model.weights ?? 'bf16');

/** Returns the longest sequence that fits, in steps of 128 tokens; 0 if none fits or the KV cache is not known. */
function largestContext(
  slice: MemorySlice,
  model: MemoryModel,
  options: MemoryOptions,
  fit: MemoryFit,
): number {
  if (fit.cache === undefined || fit.maxModelLen === undefined) return 0;
  let [low, high] = [0, Math.ceil(fit.maxModelLen / STEP)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const fits = memoryFit(slice, model, { ...options, maxModelLen: middle * STEP }).verdict === 'fits';
    if (fits) low = middle;
    else high = middle;
  }
  return low * STEP;
}

const STEP = 128;

/** Returns the next larger slice that holds the model. Prefers slices of the same generation. */
function nextSlice(slice: MemorySlice, model: MemoryModel, options: MemoryOptions): MemoryShape | undefined {
  const here = smallestShape(model, slice.generation, options);
  if (here) return here;
  const [elsewhere] = (Object.keys(GENERATIONS) as TpuGeneration[])
    .flatMap((generation) => smallestShape(model, generation, options) ?? [])
    .sort(bySize);
  return elsewhere;
}
