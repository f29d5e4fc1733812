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
  string,
} from '../problems/schema';
import { either } from '../problems/shown';
import { GENERATIONS, type TpuGeneration, type TpuMachineType } from './generations';
import {
  chipsOf,
  count,
  dimensionsOf,
  generationFacts,
  machineFacts,
  machineTypes,
  topologiesOf,
} from './topology';

/** How a number of a model is stored. */
export type ModelDtype = 'float32' | 'bf16' | 'fp16' | 'int8' | 'fp8' | 'int4' | 'fp4';

/**
 * Bytes of one parameter in each data type, without the scales of quantized weights.
 *
 * @see https://huggingface.co/docs/accelerate/usage_guides/model_size_estimator
 */
export const BYTES_PER_PARAMETER: Readonly<Record<ModelDtype, number>> = {
  float32: 4,
  bf16: 2,
  fp16: 2,
  int8: 1,
  fp8: 1,
  int4: 0.5,
  fp4: 0.5,
};

/** How large the weights are: by the number of parameters, or by the bytes of the checkpoint. */
export type ModelSize =
  | {
      /** Parameters of the model, including all experts of a mixture: `70e9` for 70B. */
      readonly parameters: number;
      /** How the weights are stored in memory. @default 'bf16' */
      readonly dtype?: ModelDtype;
      readonly bytes?: never;
    }
  | {
      /** Bytes of the weights as they are stored in memory. */
      readonly bytes: number;
      readonly parameters?: never;
      readonly dtype?: never;
    };

/**
 * Memory that a model needs besides its weights: KV cache and headroom. `layers`, `kvHeads` and `headDim` are in the model's `config.json`.
 * Set all of them and `maxModelLen`; otherwise the KV cache is not counted.
 */
export interface ModelMemory {
  /** Layers that keep keys and values of the whole sequence; those with a sliding window keep less. @default - KV cache not counted */
  readonly layers?: number;
  /**
   * Number of key-value heads in a layer. Servers keep at least one per device: if the slice has more devices than the model has such
   * heads, use the number of devices.
   *
   * @default - KV cache not counted
   * @see https://docs.vllm.ai/en/v0.15.0/api/vllm/model_executor/models/llama/
   */
  readonly kvHeads?: number;
  /** Size of one head. @default - KV cache not counted */
  readonly headDim?: number;
  /** Longest sequence in tokens, prompt and answer. @default - KV cache not counted */
  readonly maxModelLen?: number;
  /**
   * Number of sequences of `maxModelLen` tokens that must fit at the same time. An engine does not start without room for one. Its own
   * flag of this name is only an upper limit: while the cache is full, requests wait or are computed again.
   *
   * @default 1
   * @see https://docs.vllm.ai/en/stable/configuration/optimization/
   */
  readonly maxNumSeqs?: number;
  /** How keys and values are stored. @default 'bf16' */
  readonly kvCacheDtype?: ModelDtype;
  /**
   * Share of the HBM that stays free for activations, compiled programs and the runtime. The default is the share that vLLM's
   * `--gpu-memory-utilization` of 0.9 leaves; the runtime alone uses 0.25 GiB of a v5e chip's 16.
   *
   * @default 0.1
   * @see https://docs.vllm.ai/en/latest/models/engine_args.html
   * @see https://github.com/GoogleCloudPlatform/kubernetes-engine-samples/pull/1467
   */
  readonly headroom?: number;
}

/** The numbers of a model that determine which slices hold it. */
export type ModelFacts = ModelSize & ModelMemory;

/** Which slices are considered. */
export interface ModelFitOptions {
  /** `one` for servers that cannot use a slice of several hosts. @default 'any' */
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
  /** Hosts of the slice. */
  readonly hosts: number;
  /** High-bandwidth memory of the whole slice, in GiB. */
  readonly hbmGiB: number;
  /** Returns `MACHINE_TYPE/TOPOLOGY`. */
  toString(): string;
}

/** How a model fits a slice, with the arithmetic. GB are 10^9 bytes, the unit of weights; GiB are 2^30 bytes, the unit of HBM. */
export interface ModelFit<Slice extends SizedSlice = SizedSlice> {
  /** The slice. */
  readonly slice: Slice;
  /** Whether it holds weights, KV cache and headroom. */
  readonly fits: boolean;
  /** Weights in GB. */
  readonly weightsGB: number;
  /** KV cache of `maxNumSeqs` sequences in GB; undefined if it is not counted. */
  readonly kvCacheGB: number | undefined;
  /** Share of the HBM that stays free. */
  readonly headroom: number;
  /** HBM that weights, KV cache and headroom need together, in GiB. */
  readonly neededGiB: number;
  /** HBM of the slice in GiB. */
  readonly hbmGiB: number;
  /** Chips of this generation that hold the model; the slice can have more, since not every number of chips is a slice. */
  readonly minChips: number;
  /** `neededGiB` as a share of `hbmGiB`: at most 1 if the model fits. */
  readonly use: number;
  /** Number of sequences of `maxModelLen` tokens whose KV cache fits besides weights and headroom; undefined if it is not counted. */
  readonly maxConcurrency: number | undefined;
  /** All of this in one sentence. */
  readonly sentence: string;
}

const HEADROOM = 0.1;
const GB = 1e9;
const GIB = 2 ** 30;

/**
 * Returns how a model fits a slice, whether it does or not.
 *
 * @throws InvalidInputError if `slice` is not a slice; otherwise listing every number of the model that is out of range or missing
 */
export function modelFit<Slice extends SizedSlice>(slice: Slice, model: ModelFacts): ModelFit<Slice> {
  expectSlice(slice);
  return fitOf(slice, needOf(model));
}

function expectSlice(slice: unknown): void {
  if (!isObject(slice) || typeof slice['hbmGiB'] !== 'number')
    throw new InvalidInputError([
      misfit('slice', slice, "TpuSlice.of(…), like TpuSlice.of('ct6e-standard-8t')"),
    ]);
}

/**
 * Returns what is wrong with serving a model on a slice: its weights and KV cache do not fit. It names the smallest slice that holds
 * them: of the slice's generation, otherwise on more hosts and in other generations.
 *
 * @throws InvalidInputError if `slice` is not a slice; otherwise listing every number of the model that is out of range or missing
 */
export function fitProblem(
  slice: SizedSlice,
  model: ModelFacts,
  options: ModelFitOptions = {},
): Problem | undefined {
  expectSlice(slice);
  const need = needOf(model);
  if (fitOf(slice, need).fits) return undefined;
  return {
    path: 'slice',
    value: slice.toString(),
    ...tooSmall(`has ${String(slice.hbmGiB)} GiB of HBM`, need, slice.generation, options.hosts),
  };
}

/** Which generations and slices `TpuSlice.forModel` considers. */
export interface ModelFitChoice extends ModelFitOptions {
  readonly generation?: TpuGeneration;
  readonly generations?: readonly TpuGeneration[];
}

/**
 * Returns the smallest slice of each generation that holds the model, least HBM first, without generations that have none.
 *
 * @param sliceOf - makes the slice of a machine type and topology
 * @throws InvalidInputError if a number of the model is out of range or missing, or no generation has a slice that holds it
 */
export function smallestFits<Slice extends SizedSlice>(
  model: ModelFacts,
  choice: ModelFitChoice,
  sliceOf: (machineType: TpuMachineType, topology: string) => Slice,
): readonly ModelFit<Slice>[] {
  const problems = new Problems();
  const options = read(CHOICE, choice, problems);
  const facts = readModel(model, problems);
  problems.throwIfAny();

  const { generation, generations = GENERATION_NAMES, hosts = 'any' } = options ?? {};
  const wanted = generation === undefined ? generations : [generation];
  const need = needOf(problems.settle(facts));
  const found = [...new Set(wanted)].flatMap((one) => smallest(need, one, hosts) ?? []);
  if (found.length === 0) throw new InvalidInputError(wanted.map((one) => noneOf(need, one, hosts)));
  return found.sort(bySize).map((shape) => fitOf(sliceOf(shape.machineType, shape.topology), need));
}

/**
 * Returns parameters and data type as a model's name tells them: `meta-llama/Llama-3.1-70B` has 70e9 in bf16, `Qwen3-32B-FP8` 32e9 in
 * fp8. The result is a guess: names round (gemma-7b has 8.5e9), and a name without a quantization counts as bf16.
 *
 * @returns numbers for `TpuSlice.forModel`; undefined if the name has no number of parameters
 * @throws InvalidInputError if `model` is not a string
 */
export function modelByName(
  model: string,
): { readonly parameters: number; readonly dtype: ModelDtype } | undefined {
  const problems = new Problems();
  string().read(model, 'model', problems);
  problems.throwIfAny();
  // folders can have any name
  const name = model.replace(/\/+$/, '').replace(/^.*\//, '');
  const [, digits, unit = ''] = /(?:^|[-_])(\d+(?:\.\d+)?)([bm])(?=$|[-_])/i.exec(name) ?? [];
  if (digits === undefined || ACTIVE_ONLY.test(model)) return undefined;
  const [, dtype = 'bf16'] = DTYPE_NAMES.find(([name]) => name.test(model)) ?? [];
  return { parameters: Math.round(Number(digits) * (unit.toLowerCase() === 'b' ? 1e9 : 1e6)), dtype };
}

/** `Llama-4-Scout-17B-16E` has the active parameters of a token and the number of experts, not all parameters. */
const ACTIVE_ONLY = /[-_]\d+e(?=$|[-_])/i;

/** Data types in names; the first match counts. */
const DTYPE_NAMES: readonly (readonly [RegExp, ModelDtype])[] = [
  [/fp8/i, 'fp8'],
  [/int8|w8a|8bit/i, 'int8'],
  [/fp4/i, 'fp4'],
  [/int4|w4a|4bit|awq|gptq/i, 'int4'],
  [/quantized/i, 'int8'],
  [/fp32|float32/i, 'float32'],
];

// ---- what a model needs -----------------------------------------------------------------------------------------

/** Memory that a model needs, in bytes. */
interface Need {
  readonly weights: number;
  /** KV cache of one sequence; undefined if it is not counted. */
  readonly sequence: number | undefined;
  readonly sequences: number;
  readonly maxModelLen: number | undefined;
  readonly headroom: number;
  /** All together. */
  readonly total: number;
}

function needOf(given: ModelFacts | GivenFacts): Need {
  const problems = new Problems();
  const model = problems.settle(readModel(given, problems));
  const { parameters = 0, dtype = 'bf16', layers, kvHeads, headDim, maxModelLen } = model;
  const { maxNumSeqs = 1, kvCacheDtype = 'bf16', headroom = HEADROOM } = model;
  const weights = model.bytes ?? parameters * BYTES_PER_PARAMETER[dtype];
  const counted =
    layers !== undefined && kvHeads !== undefined && headDim !== undefined && maxModelLen !== undefined;
  // a key and a value
  const sequence = counted
    ? 2 * layers * kvHeads * headDim * BYTES_PER_PARAMETER[kvCacheDtype] * maxModelLen
    : undefined;
  const total = (weights + (sequence ?? 0) * maxNumSeqs) / (1 - headroom);
  return { weights, sequence, sequences: maxNumSeqs, maxModelLen, headroom, total };
}

/** Parameters or bytes. A small number is in billions. */
function amount(value: number): Complaint | undefined {
  if (value >= 1e6 && value <= 1e15) return undefined;
  const use = value > 0 && value < 1e4 ? `${String(value)}e9` : value > 1e15 ? '1e15' : '1e6';
  return { problem: 'is not a number from 1e6 to 1e15', use };
}

function share(value: number): Complaint | undefined {
  if (value >= 0 && value <= 0.9) return undefined;
  const use = value > 1 && value <= 90 ? value / 100 : value > 0.9 ? 0.9 : 0;
  return { problem: 'is not a share from 0 to 0.9', use: String(use) };
}

/** `ModelFacts` before it is known which of the two sizes is given. */
type GivenFacts = ModelMemory & {
  readonly parameters?: number;
  readonly bytes?: number;
  readonly dtype?: ModelDtype;
};

const GENERATION_NAMES = Object.keys(GENERATIONS) as readonly TpuGeneration[];
const dtypes = oneOf(...(Object.keys(BYTES_PER_PARAMETER) as ModelDtype[]));
const whole = integer(1, Number.MAX_SAFE_INTEGER);

const CHOICE: Schema<ModelFitChoice> = {
  properties: {
    generation: optional(oneOf(...GENERATION_NAMES)),
    generations: optional(list(oneOf(...GENERATION_NAMES), { min: 1, what: "a list like ['v5e', 'v6e']" })),
    hosts: optional(oneOf('one', 'any')),
  },
};

const FACTS: Schema<GivenFacts> = {
  properties: {
    parameters: optional(number(amount)),
    bytes: optional(number(amount)),
    dtype: optional(dtypes),
    layers: optional(whole),
    kvHeads: optional(whole),
    headDim: optional(whole),
    maxModelLen: optional(whole),
    maxNumSeqs: optional(whole),
    kvCacheDtype: optional(dtypes),
    headroom: optional(number(share)),
  },
  rules: [
    function* (_, given) {
      const has = (key: keyof GivenFacts): boolean => given[key] !== undefined;
      if (!has('parameters') && !has('bytes'))
        yield { path: 'parameters', problem: 'required', use: 'a number like 70e9, or bytes' };
      if (has('bytes'))
        for (const path of ['parameters', 'dtype'] as const)
          if (has(path))
            yield { path, value: given[path], problem: 'is set beside bytes', use: 'only one of them' };
      if (has('layers') || has('kvHeads') || has('headDim'))
        for (const path of ['layers', 'kvHeads', 'headDim', 'maxModelLen'] as const)
          if (!has(path))
            yield {
              path,
              problem: 'required for the KV cache',
              use: 'layers, kvHeads, headDim and maxModelLen together',
            };
    },
  ],
};

const CACHE_NEEDS = 'the KV cache needs layers, kvHeads, headDim and maxModelLen';

/** Records what is wrong with the numbers of a model. */
const readModel = (model: ModelFacts | GivenFacts, problems: Problems): GivenFacts | undefined =>
  read(FACTS, model, problems);

// ---- which slices have it ---------------------------------------------------------------------------------------

interface Shape {
  readonly machineType: TpuMachineType;
  readonly topology: string;
  readonly generation: TpuGeneration;
  readonly hosts: number;
  readonly hbmGiB: number;
}

/** Least HBM first, then fewest hosts, then the most compact topology, whose chips are nearest to each other. */
const bySize = (a: Shape, b: Shape): number =>
  a.hbmGiB - b.hbmGiB || a.hosts - b.hosts || girth(a.topology) - girth(b.topology);

const girth = (topology: string): number => (dimensionsOf(topology) ?? []).reduce((sum, n) => sum + n, 0);

const made = new Map<TpuGeneration, readonly Shape[]>();

/** Every slice of a generation, smallest first, without machine types that are only used by name. */
function shapesOf(generation: TpuGeneration): readonly Shape[] {
  const known = made.get(generation) ?? listShapes(generation);
  made.set(generation, known);
  return known;
}

const listShapes = (generation: TpuGeneration): readonly Shape[] =>
  machineTypes()
    .filter((type) => machineFacts(type).generation === generation && !machineFacts(type).onlyWhenNamed)
    .flatMap((machineType) =>
      topologiesOf(machineType).map((topology) => {
        const chips = chipsOf(topology);
        const hosts = chips / machineFacts(machineType).chips;
        const hbmGiB = chips * generationFacts(machineType).hbmGiBPerChip;
        return { machineType, topology, generation, hosts, hbmGiB };
      }),
    )
    .sort(bySize);

type Hosts = ModelFitOptions['hosts'];

const shapesOn = (generation: TpuGeneration, hosts: Hosts): readonly Shape[] =>
  shapesOf(generation).filter((shape) => hosts !== 'one' || shape.hosts === 1);

const smallest = (need: Need, generation: TpuGeneration, hosts: Hosts): Shape | undefined =>
  shapesOn(generation, hosts).find((shape) => need.total <= shape.hbmGiB * GIB);

function fitOf<Slice extends SizedSlice>(slice: Slice, need: Need): ModelFit<Slice> {
  const { hbmGiB } = slice;
  const perChip = GENERATIONS[slice.generation].hbmGiBPerChip;
  const neededGiB = need.total / GIB;
  const fits = neededGiB <= hbmGiB;
  const use = neededGiB / hbmGiB;
  const minChips = Math.ceil(neededGiB / perChip);
  const free = hbmGiB * GIB * (1 - need.headroom) - need.weights;
  const maxConcurrency =
    need.sequence === undefined ? undefined : Math.max(0, Math.floor(free / need.sequence));
  return {
    slice,
    fits,
    weightsGB: need.weights / GB,
    kvCacheGB: need.sequence === undefined ? undefined : (need.sequence * need.sequences) / GB,
    headroom: need.headroom,
    neededGiB,
    hbmGiB,
    minChips,
    use,
    maxConcurrency,
    sentence: [
      `${inWords(need)} need ${gibOf(need)} GiB: ${count(minChips, 'chip')} of ${String(perChip)} GiB`,
      `'${slice.toString()}' has ${String(hbmGiB)} GiB (${count(slice.chips, 'chip')} on ${count(slice.hosts, 'host')}), of which they use ${String(Math.ceil(use * 100))}%`,
      maxConcurrency === undefined
        ? CACHE_NEEDS
        : `room for ${count(maxConcurrency, 'sequence')} of ${count(need.maxModelLen ?? 0, 'token')}`,
    ].join('; '),
  };
}

// ---- in words ---------------------------------------------------------------------------------------------------

const rounded = (n: number): string => String(Number(n < 1 ? n.toPrecision(2) : n.toFixed(1)));

/** Rounded up, so that two different numbers do not look equal. */
const gibOf = (need: Need): string => String(Math.ceil((need.total / GIB) * 10) / 10);

function inWords({ weights, sequence, sequences, maxModelLen = 0, headroom }: Need): string {
  const cache =
    sequence === undefined
      ? '(KV cache not counted)'
      : `+ ${rounded((sequence * sequences) / GB)} GB of KV cache (${count(sequences, 'sequence')} of ${count(maxModelLen, 'token')})`;
  return `${rounded(weights / GB)} GB of weights ${cache}${headroom > 0 ? ` and ${rounded(headroom * 100)}% headroom` : ''}`;
}

function noneOf(need: Need, generation: TpuGeneration, hosts: Hosts): Problem {
  const shapes = shapesOn(generation, hosts);
  const most = Math.max(...shapes.map(({ hbmGiB }) => hbmGiB));
  const where = hosts === 'one' ? ' on one host' : '';
  return {
    path: 'generation',
    value: generation,
    ...tooSmall(`has at most ${String(most)} GiB of HBM${where}`, need, generation, hosts),
  };
}

/** Names the smallest slice of the generation that is large enough; otherwise one on more hosts, and one of any generation. */
function tooSmall(has: string, need: Need, generation: TpuGeneration, hosts: Hosts): Complaint {
  const [elsewhere] = GENERATION_NAMES.flatMap((other) => smallest(need, other, hosts) ?? []).sort(bySize);
  const here = smallest(need, generation, hosts);
  const near = (here ? [here] : [smallest(need, generation, 'any'), elsewhere])
    .filter((shape) => shape !== undefined)
    .map(inShort);
  const problem = `${has}, less than the ${gibOf(need)} GiB that ${inWords(need)} need`;
  return near.length === 0
    ? { problem: `${problem}, and no TPU slice has as much` }
    : { problem, use: either(near) };
}

const inShort = ({ machineType, topology, hosts, hbmGiB }: Shape): string =>
  `'${machineType}/${topology}' (${count(hosts, 'host')}, ${String(hbmGiB)} GiB)`;
