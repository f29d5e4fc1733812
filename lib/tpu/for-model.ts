import { nearestWords } from '../problems/nearest';
import { type Complaint, InvalidInputError, type Problem, Problems } from '../problems/problems';
import {
  integer,
  isObject,
  list,
  misfit,
  number,
  oneOf,
  optional,
  read,
  type Schema,
} from '../problems/schema';
import { GENERATIONS, type TpuGeneration, type TpuMachineType } from './generations';
import { concurrencyOf, GIB, type KvCacheDtype, memoryFit, type MemoryOptions, UTILIZATION } from './memory';
import { type ModelFacts, readModelFacts } from './model-facts';
import { knownModels, modelNamed, type WeightFormat } from './models';
import { bySize, type MemoryShape, shapesOf, smallestShape } from './shapes';
import { count } from './topology';
import { WEIGHT_FORMATS } from './weights';

/** How a model is served: the options that change how much memory it needs. The names are the same as in vLLM. */
export interface ModelFitOptions {
  /** Longest sequence in tokens, prompt and answer. @default - the model's own context; without one, the KV cache is not counted */
  readonly maxModelLen?: number;
  /**
   * Number of sequences of `maxModelLen` tokens that must fit at the same time. vLLM does not start without room for one.
   *
   * @default 1
   * @see https://docs.vllm.ai/en/stable/configuration/optimization/
   */
  readonly sequences?: number;
  /** Largest number of sequences in one step; determines the state of layers with linear attention. @default 256 */
  readonly maxNumSeqs?: number;
  /** How the server stores the weights, if it quantizes them when it loads them. @default - as they are published */
  readonly weightFormat?: WeightFormat;
  /** How keys and values are stored. @default 'auto' */
  readonly kvCacheDtype?: KvCacheDtype;
  /**
   * Share of the HBM that vLLM uses, above 0 and at most 1; the rest is for the runtime.
   *
   * @default 0.92
   * @see https://docs.vllm.ai/en/latest/configuration/engine_args/
   */
  readonly gpuMemoryUtilization?: number;
  /** `one` for servers that do not support multi-host slices. @default 'any' */
  readonly hosts?: 'one' | 'any';
}

/** The numbers of a slice that determine which models it holds. */
export interface SizedSlice {
  /** The machine type of every host. */
  readonly machineType: TpuMachineType;
  /** The topology in chips. */
  readonly topology: string;
  /** The generation of the chips. */
  readonly generation: TpuGeneration;
  /** Chips of the whole slice. */
  readonly chips: number;
  /** Devices of the whole slice, which tensor parallelism counts. */
  readonly devices: number;
  /** Hosts of the slice. */
  readonly hosts: number;
  /** High-bandwidth memory of the whole slice, in GiB. */
  readonly hbmGiB: number;
  /** Returns `MACHINE_TYPE/TOPOLOGY`. */
  toString(): string;
}

/** How a model fits a slice, with the arithmetic. Weights are in GB, 10^9 bytes; HBM is in GiB, 2^30 bytes. */
export interface ModelFit<Slice extends SizedSlice = SizedSlice> {
  /** The slice. */
  readonly slice: Slice;
  /** Whether weights and KV cache are expected to fit. */
  readonly fits: boolean;
  /** Whether even the lower bound of weights and KV cache does not fit, so that the server cannot start. */
  readonly impossible: boolean;
  /** Expected weights in GB. */
  readonly weightsGB: number;
  /** Expected KV cache of `sequences` sequences in GB; undefined if it is not counted. */
  readonly kvCacheGB: number | undefined;
  /** Longest sequence that is counted, in tokens; undefined if it is not known. */
  readonly maxModelLen: number | undefined;
  /** Share of the HBM that the server uses. */
  readonly gpuMemoryUtilization: number;
  /** HBM that the slice needs, in GiB: weights and KV cache, divided by the share of the HBM that the server uses. */
  readonly neededGiB: number;
  /** HBM of the slice in GiB. */
  readonly hbmGiB: number;
  /** Chips of this generation with that much HBM. The slice can have more chips, because not every number of chips is a slice. */
  readonly minChips: number;
  /** `neededGiB` as a share of `hbmGiB`: at most 1 if the model fits. */
  readonly use: number;
  /** Number of sequences of `maxModelLen` tokens that are expected to fit next to the weights; undefined if the KV cache is not counted. */
  readonly maxConcurrency: number | undefined;
  /** The result in one sentence. */
  readonly sentence: string;
}

/** Which generations and slices `TpuSlice.forModel` considers. */
export interface ModelFitChoice extends ModelFitOptions {
  readonly generation?: TpuGeneration;
  readonly generations?: readonly TpuGeneration[];
}

const GB = 1e9;
const GENERATION_NAMES = Object.keys(GENERATIONS) as readonly TpuGeneration[];
const whole = optional(integer(1, Number.MAX_SAFE_INTEGER));

function share(value: number): Complaint | undefined {
  if (value > 0 && value <= 1) return undefined;
  return {
    problem: 'is not above 0 and at most 1',
    use: value > 1 && value <= 100 ? String(value / 100) : String(UTILIZATION),
  };
}

const OPTIONS: Schema<ModelFitOptions> = {
  properties: {
    maxModelLen: whole,
    sequences: whole,
    maxNumSeqs: whole,
    weightFormat: optional(oneOf(...WEIGHT_FORMATS)),
    kvCacheDtype: optional(oneOf('auto', 'bfloat16', 'fp8', 'fp8_e4m3', 'fp8_e5m2')),
    gpuMemoryUtilization: optional(number(share)),
    hosts: optional(oneOf('one', 'any')),
  },
};

const CHOICE: Schema<ModelFitChoice> = {
  properties: {
    ...OPTIONS.properties,
    generation: optional(oneOf(...GENERATION_NAMES)),
    generations: optional(list(oneOf(...GENERATION_NAMES), { min: 1, what: "a list like ['v5e', 'v6e']" })),
  },
};

/** Returns the numbers of a model. A known model can be given by its id. */
function modelOf(model: unknown, problems: Problems): ModelFacts | undefined {
  if (typeof model !== 'string') return readModelFacts(model, problems);
  const known = modelNamed(model);
  if (known !== undefined) return known;
  const [nearest] = nearestWords(model, knownModels());
  problems.add({
    path: 'model',
    value: model,
    problem: 'is not a known model',
    use: "its numbers, like { parameters: 70e9 }, or a known model's Hugging Face id",
    ...(nearest !== undefined && { nearest }),
  });
  return undefined;
}

/**
 * Computes whether a model fits a slice, and how much memory it needs.
 *
 * @param slice - the slice; the model is split over all of its devices
 * @param model - the Hugging Face id of a known model, or numbers
 * @throws InvalidInputError if `slice` is not a slice, or a number is out of range or missing
 */
export function modelFit<Slice extends SizedSlice>(
  slice: Slice,
  model: ModelFacts | string,
  options: ModelFitOptions = {},
): ModelFit<Slice> {
  expectSlice(slice);
  const problems = new Problems();
  const facts = modelOf(model, problems);
  const given = read(OPTIONS, options, problems);
  return fitOf(slice, problems.settle(facts), given ?? {});
}

function expectSlice(slice: unknown): void {
  if (!isObject(slice) || typeof slice['hbmGiB'] !== 'number')
    throw new InvalidInputError([
      misfit('slice', slice, "TpuSlice.of(…), like TpuSlice.of('ct6e-standard-8t')"),
    ]);
}

/**
 * Returns the smallest slice of each generation that holds the model, least HBM first. Leaves out generations without one.
 *
 * @param sliceOf - creates the slice of a machine type and topology
 * @throws InvalidInputError if a number is out of range or missing, or no generation has a slice that holds the model
 */
export function smallestFits<Slice extends SizedSlice>(
  model: ModelFacts | string,
  choice: ModelFitChoice,
  sliceOf: (machineType: TpuMachineType, topology: string) => Slice,
): readonly ModelFit<Slice>[] {
  const problems = new Problems();
  const facts = modelOf(model, problems);
  const { generation, generations = GENERATION_NAMES, ...options } = read(CHOICE, choice, problems) ?? {};
  const known = problems.settle(facts);
  const wanted = [...new Set(generation === undefined ? generations : [generation])];
  const found = wanted.flatMap((one) => smallestShape(known, one, options) ?? []);
  if (found.length === 0) throw new InvalidInputError(wanted.map((one) => noneOf(known, one, options)));
  return [...found]
    .sort(bySize)
    .map((shape) => fitOf(sliceOf(shape.machineType, shape.topology), known, options));
}

function fitOf<Slice extends SizedSlice>(
  slice: Slice,
  model: ModelFacts,
  options: MemoryOptions,
): ModelFit<Slice> {
  const fit = memoryFit(slice, model, options);
  const { hbmGiB } = slice;
  const { gpuMemoryUtilization = UTILIZATION, sequences = 1 } = options;
  const perChip = GENERATIONS[slice.generation].hbmGiBPerChip;
  const neededGiB = (fit.weights.expected + (fit.cache?.expected ?? 0)) / gpuMemoryUtilization / GIB;
  const minChips = Math.ceil(neededGiB / perChip);
  const numbers = {
    weightsGB: fit.weights.expected / GB,
    kvCacheGB: fit.cache && fit.cache.expected / GB,
    maxModelLen: fit.maxModelLen,
    gpuMemoryUtilization,
    neededGiB,
    minChips,
    use: neededGiB / hbmGiB,
    maxConcurrency: concurrencyOf(fit, model, options),
  };
  return {
    slice,
    fits: fit.verdict === 'fits',
    impossible: fit.verdict === 'too large',
    hbmGiB,
    ...numbers,
    sentence: [
      `${inWords(numbers, sequences)}: ${count(minChips, 'chip')} of ${String(perChip)} GiB`,
      `'${slice.toString()}' has ${String(hbmGiB)} GiB (${count(slice.chips, 'chip')} on ${count(slice.hosts, 'host')}), and they need ${String(Math.ceil(numbers.use * 100))}% of it`,
      numbers.kvCacheGB === undefined
        ? 'the KV cache needs layers, kvHeads, headDim and maxModelLen'
        : `room for ${count(numbers.maxConcurrency ?? sequences, 'sequence')} of ${count(fit.maxModelLen ?? 0, 'token')}`,
    ].join('; '),
  };
}

// ---- as text ---------------------------------------------------------------------------------------------------

const rounded = (n: number): string => String(Number(n < 1 ? n.toPrecision(2) : n.toFixed(1)));

/** Rounds up, so that the text does not understate the memory that is needed. */
const roundedUp = (gib: number): string => String(Math.ceil(gib * 10) / 10);

type Words = Pick<ModelFit, 'weightsGB' | 'kvCacheGB' | 'maxModelLen' | 'gpuMemoryUtilization' | 'neededGiB'>;

function inWords(fit: Words, sequences: number): string {
  const cache =
    fit.kvCacheGB === undefined
      ? '(KV cache not counted)'
      : `+ ${rounded(fit.kvCacheGB)} GB of KV cache (${count(sequences, 'sequence')} of ${count(fit.maxModelLen ?? 0, 'token')})`;
  const used = fit.gpuMemoryUtilization;
  const of = used === 1 ? '' : ` of HBM at ${rounded(used * 100)}% utilization`;
  return `${rounded(fit.weightsGB)} GB of weights ${cache} need ${roundedUp(fit.neededGiB)} GiB${of}`;
}

/** Returns the problem of a generation without a slice for a model, with the smallest slice of other generations. */
function noneOf(model: ModelFacts, generation: TpuGeneration, options: ModelFitOptions): Problem {
  const { hosts = 'any', gpuMemoryUtilization = UTILIZATION, sequences = 1 } = options;
  const shapes = shapesOf(generation).filter((one) => hosts === 'any' || one.hosts === 1);
  const [largest] = [...shapes].sort(bySize).reverse();
  const elsewhere = GENERATION_NAMES.flatMap((other) => smallestShape(model, other, options) ?? []);
  const [nearest] = [...elsewhere].sort(bySize);
  const where = hosts === 'one' ? ' on one host' : '';
  const most = String(largest?.hbmGiB ?? 0);
  const held = shapes.find((one) => memoryFit(one, model, options).verdict === 'fits') ?? largest;
  const fit = held && memoryFit(held, model, options);
  const expected = (fit?.weights.expected ?? 0) + (fit?.cache?.expected ?? 0);
  const words = inWords(
    {
      weightsGB: (fit?.weights.expected ?? 0) / GB,
      kvCacheGB: fit?.cache && fit.cache.expected / GB,
      maxModelLen: fit?.maxModelLen,
      gpuMemoryUtilization,
      neededGiB: expected / gpuMemoryUtilization / GIB,
    },
    sequences,
  );
  return {
    path: 'generation',
    value: generation,
    problem: `has no slice${where} that holds the model: ${words}, and the largest has ${most} GiB${fit?.verdict === 'fits' ? ', but its devices do not suit the KV heads of the model' : ''}`,
    ...(nearest !== undefined && { use: inShort(nearest) }),
  };
}

const inShort = (shape: MemoryShape): string =>
  `'${shape.toString()}' (${count(shape.hosts, 'host')}, ${String(shape.hbmGiB)} GiB)`;
