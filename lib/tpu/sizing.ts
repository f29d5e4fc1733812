import { InvalidInputError, Problems } from '../problems/problems';
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

/**
 * Bytes of one parameter in each data type; the scales that quantized weights bring along are not counted.
 *
 * @see https://huggingface.co/docs/accelerate/usage_guides/model_size_estimator
 */
export const BYTES_PER_PARAMETER = {
  float32: 4,
  bf16: 2,
  fp16: 2,
  int8: 1,
  fp8: 1,
  int4: 0.5,
  fp4: 0.5,
} as const;

/** How a number of a model is stored. */
export type ModelDtype = keyof typeof BYTES_PER_PARAMETER;

/** How large the weights are: by the number of parameters, or by the bytes of the checkpoint. */
export type ModelSize =
  | {
      /** Parameters of the model, all experts of a mixture included: `70e9` for 70B. */
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
 * What a model takes beside its weights: KV cache and headroom. `layers`, `kvHeads` and `headDim` stand in the model's `config.json`;
 * they and `maxModelLen` are given together, otherwise the KV cache is not counted, and the result says so.
 */
export interface ModelMemory {
  /** Layers that keep keys and values of the whole sequence; those with a sliding window keep less. @default - KV cache not counted */
  readonly layers?: number;
  /**
   * Heads of keys and values in a layer. Servers keep one at least per device: where the slice has more devices than the model has
   * such heads, give the number of devices.
   *
   * @default - KV cache not counted
   * @see https://docs.vllm.ai/en/v0.15.0/api/vllm/model_executor/models/llama/
   */
  readonly kvHeads?: number;
  /** Numbers of one head. @default - KV cache not counted */
  readonly headDim?: number;
  /** Longest sequence in tokens, prompt and answer. @default - KV cache not counted */
  readonly maxModelLen?: number;
  /**
   * Sequences of `maxModelLen` tokens that must fit at the same time. One is what an engine refuses to start without; its own
   * flag of this name is only an upper limit: requests wait, or are computed again, while the cache is full.
   *
   * @default 1
   * @see https://docs.vllm.ai/en/stable/configuration/optimization/
   */
  readonly maxNumSeqs?: number;
  /** How keys and values are stored. @default 'bf16' */
  readonly kvCacheDtype?: ModelDtype;
  /**
   * Share of the HBM that stays free for activations, compiled programs and the runtime. The default is what vLLM's
   * `--gpu-memory-utilization` of 0.9 leaves; the runtime alone takes 0.25 GiB of a v5e chip's 16.
   *
   * @default 0.1
   * @see https://docs.vllm.ai/en/latest/models/engine_args.html
   * @see https://github.com/GoogleCloudPlatform/kubernetes-engine-samples/pull/1467
   */
  readonly headroom?: number;
}

/** The numbers of a model that decide which slices hold it. Nothing is looked up: they are the caller's. */
export type ModelFacts = ModelSize & ModelMemory;

/** Which slices are looked at. */
export interface ModelFitOptions {
  /** `one` for servers that cannot use a slice of several hosts. @default 'any' */
  readonly hosts?: 'one' | 'any';
}

/** The numbers of a slice that decide what it holds. */
export interface SizedSlice {
  readonly machineType: TpuMachineType;
  readonly topology: string;
  readonly generation: TpuGeneration;
  readonly chips: number;
  readonly hosts: number;
  readonly hbmGiB: number;
  toString(): string;
}

/** How a model fits a slice, with the arithmetic. GB are 10^9 bytes, as weights are counted; GiB are 2^30, as HBM is. */
export interface ModelFit<Slice extends SizedSlice = SizedSlice> {
  /** The slice. */
  readonly slice: Slice;
  /** Whether it holds weights, KV cache and headroom. */
  readonly fits: boolean;
  /** Weights in GB. */
  readonly weightsGB: number;
  /** KV cache of `maxNumSeqs` sequences in GB; undefined where it is not counted. */
  readonly kvCacheGB: number | undefined;
  /** Share of the HBM that stays free. */
  readonly headroom: number;
  /** HBM that weights, KV cache and headroom need together, in GiB. */
  readonly neededGiB: number;
  /** HBM of the slice in GiB. */
  readonly hbmGiB: number;
  /** Chips of this generation that have what is needed; the slice may have more, as not every number makes a slice. */
  readonly minChips: number;
  /** `neededGiB` as a share of `hbmGiB`: up to 1 where it fits. */
  readonly use: number;
  /** Sequences of `maxModelLen` tokens whose KV cache fits beside weights and headroom; undefined where it is not counted. */
  readonly maxConcurrency: number | undefined;
  /** All of it in one sentence. */
  readonly sentence: string;
}

const HEADROOM = 0.1;
const GB = 1e9;
const GIB = 2 ** 30;

/**
 * How a model fits a slice, whether it does or not.
 *
 * @throws InvalidInputError listing every number of the model that is out of range or missing
 */
export const modelFit = <Slice extends SizedSlice>(slice: Slice, model: ModelFacts): ModelFit<Slice> =>
  fitOf(slice, needOf(model));

/**
 * What is wrong with serving a model on a slice: its weights and KV cache do not fit. Names the next shape that they do fit: of the
 * slice's generation, or where that has none, on more hosts and in other generations.
 *
 * @returns a sentence; undefined where the model fits
 * @throws InvalidInputError listing every number of the model that is out of range or missing
 */
export function fitProblem(
  slice: SizedSlice,
  model: ModelFacts,
  options: ModelFitOptions = {},
): string | undefined {
  const need = needOf(model);
  if (fitOf(slice, need).fits) return undefined;
  return `slice '${slice.toString()}' has ${String(slice.hbmGiB)} GiB of HBM, ${expected(need)}; ${nearest(need, slice.generation, options.hosts)}`;
}

/**
 * The smallest slice of each generation that holds the model, least HBM first; generations without one are left out.
 *
 * @param sliceOf - makes the slice of a machine type and topology
 * @throws InvalidInputError when a number of the model is out of range or missing, or no generation has a slice that holds it
 */
export function smallestFits<Slice extends SizedSlice>(
  model: ModelFacts,
  generations: readonly TpuGeneration[],
  { hosts = 'any' }: ModelFitOptions,
  sliceOf: (machineType: TpuMachineType, topology: string) => Slice,
): readonly ModelFit<Slice>[] {
  const problems = new Problems();
  const known = Object.keys(GENERATIONS);
  problems.check(
    generations.length > 0,
    `generations '[]' is empty, expected one or more of ${known.join(', ')}`,
  );
  for (const generation of generations)
    problems.check(
      known.includes(generation),
      `generation '${generation}' is not a TPU generation, expected one of ${known.join(', ')}`,
    );
  problems.check(
    ['one', 'any'].includes(hosts),
    `hosts '${hosts}' is not a choice of hosts, expected one of one, any`,
  );
  checkModel(model, problems);
  problems.throwIfAny();

  const need = needOf(model);
  const found = [...new Set(generations)].flatMap((generation) => smallest(need, generation, hosts) ?? []);
  if (found.length === 0)
    throw new InvalidInputError(generations.map((generation) => tooSmall(need, generation, hosts)));
  return found.sort(bySize).map((shape) => fitOf(sliceOf(shape.machineType, shape.topology), need));
}

/**
 * Parameters and data type as a model's name tells them: `meta-llama/Llama-3.1-70B` has 70e9 in bf16, `Qwen3-32B-FP8` 32e9 in fp8.
 * A guess: names round (gemma-7b has 8.5e9), and a name that says nothing of quantization is taken for bf16.
 *
 * @returns numbers for `TpuSlice.forModel`; undefined where the name has no number of parameters
 */
export function modelByName(
  model: string,
): { readonly parameters: number; readonly dtype: ModelDtype } | undefined {
  // folders before it may be named after anything
  const name = model.replace(/\/+$/, '').replace(/^.*\//, '');
  const [, digits, unit = ''] = /(?:^|[-_])(\d+(?:\.\d+)?)([bm])(?=$|[-_])/i.exec(name) ?? [];
  if (digits === undefined || ACTIVE_ONLY.test(model)) return undefined;
  const [, dtype = 'bf16'] = DTYPE_NAMES.find(([name]) => name.test(model)) ?? [];
  return { parameters: Math.round(Number(digits) * (unit.toLowerCase() === 'b' ? 1e9 : 1e6)), dtype };
}

/** `Llama-4-Scout-17B-16E`: parameters that one token goes through, and experts; not all parameters. */
const ACTIVE_ONLY = /[-_]\d+e(?=$|[-_])/i;

/** How names tell a data type; the first that matches counts. */
const DTYPE_NAMES: readonly (readonly [RegExp, ModelDtype])[] = [
  [/fp8/i, 'fp8'],
  [/int8|w8a|8bit/i, 'int8'],
  [/fp4/i, 'fp4'],
  [/int4|w4a|4bit|awq|gptq/i, 'int4'],
  [/quantized/i, 'int8'],
  [/fp32|float32/i, 'float32'],
];

// ---- what a model needs -----------------------------------------------------------------------------------------

/** What a model needs, in bytes. */
interface Need {
  readonly weights: number;
  /** KV cache of one sequence; undefined where it is not counted. */
  readonly sequence: number | undefined;
  readonly sequences: number;
  readonly maxModelLen: number | undefined;
  readonly headroom: number;
  /** All together. */
  readonly total: number;
}

function needOf(model: ModelFacts): Need {
  const problems = new Problems();
  checkModel(model, problems);
  problems.throwIfAny();
  const { parameters, dtype = 'bf16', bytes, layers, kvHeads, headDim, maxModelLen } = model;
  const { maxNumSeqs = 1, kvCacheDtype = 'bf16', headroom = HEADROOM } = model;
  const weights = parameters === undefined ? bytes : parameters * BYTES_PER_PARAMETER[dtype];
  const counted =
    layers !== undefined && kvHeads !== undefined && headDim !== undefined && maxModelLen !== undefined;
  // a key and a value
  const sequence = counted
    ? 2 * layers * kvHeads * headDim * BYTES_PER_PARAMETER[kvCacheDtype] * maxModelLen
    : undefined;
  const total = (weights + (sequence ?? 0) * maxNumSeqs) / (1 - headroom);
  return { weights, sequence, sequences: maxNumSeqs, maxModelLen, headroom, total };
}

function checkModel(model: ModelFacts, problems: Problems): void {
  const size: { readonly parameters?: number; readonly bytes?: number; readonly dtype?: string } = model;
  const { parameters, bytes, dtype } = size;
  const { layers, kvHeads, headDim, maxModelLen, maxNumSeqs, kvCacheDtype, headroom = HEADROOM } = model;

  if (parameters !== undefined) problems.add(amount('parameters', parameters));
  else if (bytes === undefined) problems.add('parameters is missing, expected a number like 70e9, or bytes');
  if (bytes !== undefined) {
    problems.add(amount('bytes', bytes));
    for (const [prop, value] of Object.entries({ parameters, dtype }))
      problems.check(
        value === undefined,
        `${prop} '${String(value)}' is given with bytes, expected one or the other`,
      );
  }
  const dtypes = Object.keys(BYTES_PER_PARAMETER);
  for (const [prop, value] of Object.entries({ dtype, kvCacheDtype }))
    problems.check(
      value === undefined || dtypes.includes(value),
      `${prop} '${String(value)}' is not a data type, expected one of ${dtypes.join(', ')}`,
    );

  const cache = { layers, kvHeads, headDim, maxModelLen };
  const counted = [layers, kvHeads, headDim].some((value) => value !== undefined);
  for (const [prop, value] of Object.entries({ ...cache, maxNumSeqs })) {
    if (value !== undefined) problems.add(whole(prop, value));
    else if (counted && prop in cache)
      problems.add(`${prop} is missing, expected a whole number: ${CACHE_TAKES}`);
  }

  problems.check(headroom >= 0 && headroom <= 0.9, () => {
    const near = headroom > 1 && headroom <= 90 ? headroom / 100 : headroom > 0.9 ? 0.9 : 0;
    return `headroom '${String(headroom)}' is not a share from 0 to 0.9; nearest: ${String(near)}`;
  });
}

const CACHE_TAKES = 'the KV cache takes layers, kvHeads, headDim and maxModelLen';

/** Parameters or bytes, where a small number means thousands of millions. */
function amount(prop: string, value: number): string | undefined {
  if (value >= 1e6 && value <= 1e15) return undefined;
  const near = value > 0 && value < 1e4 ? `${String(value)}e9` : value > 1e15 ? '1e15' : '1e6';
  return `${prop} '${String(value)}' is not a number from 1e6 to 1e15, like 70e9; nearest: ${near}`;
}

function whole(prop: string, value: number): string | undefined {
  if (Number.isSafeInteger(value) && value >= 1) return undefined;
  const near = value > 1 && value <= Number.MAX_SAFE_INTEGER ? Math.round(value) : 1;
  return `${prop} '${String(value)}' is not a whole number of at least 1; nearest: ${String(near)}`;
}

// ---- which slices have it ---------------------------------------------------------------------------------------

interface Shape {
  readonly machineType: TpuMachineType;
  readonly topology: string;
  readonly generation: TpuGeneration;
  readonly hosts: number;
  readonly hbmGiB: number;
}

/** Least HBM first, then fewest hosts, then the most compact: its chips are nearest to each other. */
const bySize = (a: Shape, b: Shape): number =>
  a.hbmGiB - b.hbmGiB || a.hosts - b.hosts || girth(a.topology) - girth(b.topology);

const girth = (topology: string): number => (dimensionsOf(topology) ?? []).reduce((sum, n) => sum + n, 0);

const made = new Map<TpuGeneration, readonly Shape[]>();

/** Every slice of a generation, smallest first; without machine types that are only used when named. */
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
      `${inWords(need)} need ${gibOf(need)} GiB, ${count(minChips, 'chip')} of ${String(perChip)} GiB`,
      `'${slice.toString()}' has ${String(hbmGiB)} GiB (${count(slice.chips, 'chip')} on ${count(slice.hosts, 'host')}), of which they take ${String(Math.ceil(use * 100))}%`,
      maxConcurrency === undefined
        ? CACHE_TAKES
        : `room for ${count(maxConcurrency, 'sequence')} of ${count(need.maxModelLen ?? 0, 'token')}`,
    ].join('; '),
  };
}

// ---- in words ---------------------------------------------------------------------------------------------------

const rounded = (n: number): string => String(Number(n < 1 ? n.toPrecision(2) : n.toFixed(1)));

/** Rounded up, so that what does not fit is not said to be equal. */
const gibOf = (need: Need): string => String(Math.ceil((need.total / GIB) * 10) / 10);

function inWords({ weights, sequence, sequences, maxModelLen = 0, headroom }: Need): string {
  const cache =
    sequence === undefined
      ? '(KV cache not counted)'
      : `+ ${rounded((sequence * sequences) / GB)} GB of KV cache (${count(sequences, 'sequence')} of ${count(maxModelLen, 'token')})`;
  return `${rounded(weights / GB)} GB of weights ${cache}${headroom > 0 ? ` and ${rounded(headroom * 100)}% headroom` : ''}`;
}

const expected = (need: Need): string => `expected at least ${gibOf(need)} GiB for ${inWords(need)}`;

function tooSmall(need: Need, generation: TpuGeneration, hosts: Hosts): string {
  const shapes = shapesOn(generation, hosts);
  const most = Math.max(...shapes.map(({ hbmGiB }) => hbmGiB));
  const [largest] = shapes.filter(({ hbmGiB }) => hbmGiB === most).map(inShort);
  return `generation '${generation}' has at most ${String(largest)}, ${expected(need)}; ${nearest(need, generation, hosts)}`;
}

/** The smallest slice of the generation that has what is needed; else that on any number of hosts, and that of any generation. */
function nearest(need: Need, generation: TpuGeneration, hosts: Hosts): string {
  const [elsewhere] = (Object.keys(GENERATIONS) as TpuGeneration[])
    .flatMap((other) => smallest(need, other, hosts) ?? [])
    .sort(bySize);
  const here = smallest(need, generation, hosts);
  const near = (here ? [here] : [smallest(need, generation, 'any'), elsewhere])
    .filter((shape) => shape !== undefined)
    .map(inShort);
  return near.length === 0 ? 'no TPU slice has as much' : `nearest: ${near.join(', ')}`;
}

const inShort = ({ machineType, topology, hosts, hbmGiB }: Shape): string =>
  `'${machineType}/${topology}' (${count(hosts, 'host')}, ${String(hbmGiB)} GiB)`;
