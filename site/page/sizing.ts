import { QUOTA_NAMES } from '../../lib/facts/quota';
import { QUANTIZED } from '../../lib/manifest/model-memory';
import { poolsOf } from '../../lib/platform/node-pool';
import { startupEstimate } from '../../lib/pod/startup-budget';
import { isInvalidInput, type Problem, Problems, textOf } from '../../lib/problems/problems';
import { type ModelFit, modelFit, type ModelFitOptions } from '../../lib/tpu/for-model';
import { GENERATIONS, type TpuGeneration } from '../../lib/tpu/generations';
import { cacheConfiguration, GIB, headsProblem, memoryFit, oddHeads, weightsOf } from '../../lib/tpu/memory';
import { memoryFindings } from '../../lib/tpu/memory-findings';
import { type ModelFacts } from '../../lib/tpu/model-facts';
import { modelNamed, type WeightFormat } from '../../lib/tpu/models';

import { type MemoryShape, shapesOf } from '../../lib/tpu/shapes';
import { TpuSlice } from '../../lib/tpu/slice';
import { BY_HAND, type Choice, numberIn } from './choice';

export const GENERATION_NAMES = Object.keys(GENERATIONS) as readonly TpuGeneration[];

/** Parts of one chip's HBM, in GiB. */
export interface ChipMemory {
  readonly total: number;
  readonly weights: number;
  /** Undefined if the KV cache is not counted. */
  readonly cache: number | undefined;
  /** What the server leaves to the runtime. */
  readonly reserved: number;
  readonly free: number;
}

/** A slice that holds the model, with everything that it takes. */
export interface Fitting {
  readonly slice: TpuSlice;
  readonly fit: ModelFit<TpuSlice>;
  readonly memory: ChipMemory;
  /** Node pools and nodes of each, for all replicas. */
  readonly pools: number;
  readonly nodes: number;
  /** Chips that the quota has to allow, for all replicas. */
  readonly quota: number;
  readonly coldSeconds: number;
  readonly warmSeconds: number;
}

/** The slices of a generation, by their names. */
export interface SlicesOfGeneration {
  readonly generation: TpuGeneration;
  readonly hbmGiBPerChip: number;
  readonly quotaName: string | undefined;
  /** Slices that hold the model, the smallest first. */
  readonly fitting: readonly string[];
  /** Slices that do not hold the model, the largest first. */
  readonly others: readonly string[];
}

/** What a choice says about slices. */
export interface Sizing {
  readonly problems: readonly Problem[];
  readonly groups: readonly SlicesOfGeneration[];
  /** The slice that is rendered: the chosen one, or the smallest that fits. */
  readonly chosen: TpuSlice | undefined;
  /** Memory of the chosen slice, whether the model fits it or not. */
  readonly memory: ChipMemory | undefined;
  /** Expected weights in GB; undefined if the size of the model is not known. */
  readonly weightsGB: number | undefined;
}

/** The numbers of the model, by the names of the library's options. Without a number of parameters, the library says that one is missing. */
export const numbersOf = (choice: Choice): Readonly<Record<string, number | string>> => {
  const { parameters, weights, layers, kvHeads, headDim, contextLength } = choice;
  const numbers = Object.entries({ layers, kvHeads, headDim, contextLength }).flatMap(([key, text]) => {
    const value = numberIn(text);
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    parameters: numberIn(parameters) ?? '',
    ...(weights !== 'bf16' && { weights }),
    ...Object.fromEntries(numbers),
  };
};

/** The model of a choice: an id of the table, or numbers, which are not checked yet. */
const modelOf = (choice: Choice): ModelFacts | string =>
  choice.model === BY_HAND ? (numbersOf(choice) as unknown as ModelFacts) : choice.model;

/** How the server stores the weights; undefined as they are published. A checkpoint that is smaller already stays as it is. */
function weightFormatOf({ model, weights, quantization }: Choice): WeightFormat | undefined {
  const published = model === BY_HAND ? weights : (modelNamed(model)?.weights ?? 'bf16');
  return published === 'bf16' ? QUANTIZED[quantization] : undefined;
}

function optionsOf(choice: Choice): ModelFitOptions {
  const maxModelLen = numberIn(choice.maxModelLen);
  const sequences = numberIn(choice.sequences);
  const weightFormat = weightFormatOf(choice);
  // the schema of the library says what is wrong with a text
  return {
    ...(maxModelLen !== undefined && { maxModelLen }),
    ...(sequences !== undefined && { sequences }),
    ...(weightFormat !== undefined && { weightFormat }),
    ...(choice.kvCacheDtype !== 'auto' && { kvCacheDtype: choice.kvCacheDtype }),
    ...(choice.server === 'jetstream' && { hosts: 'one' }),
  } as ModelFitOptions;
}

function perChip(fit: ModelFit<TpuSlice>): ChipMemory {
  const { chips } = fit.slice;
  const total = fit.hbmGiB / chips;
  const inGiB = (gigabytes: number): number => (gigabytes * 1e9) / GIB / chips;
  const weights = inGiB(fit.weightsGB);
  const cache = fit.kvCacheGB === undefined ? undefined : inGiB(fit.kvCacheGB);
  const reserved = total * (1 - fit.gpuMemoryUtilization);
  return { total, weights, cache, reserved, free: total - weights - (cache ?? 0) - reserved };
}

/** Most replicas that are counted: as many slices as a node pool can have. */
const MOST_REPLICAS = 1000;

/** Slices that the largest number of replicas takes. */
export function slicesOf({ scaling, replicas, maxReplicas }: Choice): number {
  const count = numberIn(scaling === 'fixed' ? replicas : maxReplicas);
  const isCount = typeof count === 'number' && Number.isInteger(count) && count > 0 && count <= MOST_REPLICAS;
  return isCount ? count : 1;
}

/** The size of some weights as a quantity, at least the smallest one that the library accepts. */
export const sizeText = (gigabytes: number): string => `${String(Math.max(1, Math.ceil(gigabytes)))}G`;

/** What a slice that holds the model of a choice takes. */
export function fittingOf(name: string, choice: Choice): Fitting {
  const slice = TpuSlice.parse(name);
  const fit = modelFit(slice, modelOf(choice), optionsOf(choice));
  const count = slicesOf(choice);
  const { pools, nodes } = poolsOf(slice, count);
  const start = { slice, modelSize: sizeText(fit.weightsGB), streamed: choice.loading === 'stream' };
  return {
    slice,
    fit,
    memory: perChip(fit),
    pools,
    nodes,
    quota: slice.chips * count,
    coldSeconds: startupEstimate(start).totalSeconds,
    warmSeconds: startupEstimate({ ...start, warmWeights: true, warmCompileCache: true }).totalSeconds,
  };
}

const UNKNOWN: Sizing = {
  problems: [],
  groups: [],
  chosen: undefined,
  memory: undefined,
  weightsGB: undefined,
};

/** Everything that the page says about the slices of a choice. */
export function sizingOf(choice: Choice): Sizing {
  const options = optionsOf(choice);
  try {
    const model = factsOf(choice, options);
    const groups = GENERATION_NAMES.filter(
      (one) => choice.generation === '' || one === choice.generation,
    ).map((generation) => groupOf(generation, choice, model, options));
    return {
      problems: noneFits(groups, choice, options),
      groups,
      ...chosenOf(groups, choice, model, options),
    };
  } catch (error) {
    if (!isInvalidInput(error)) throw error;
    return { ...UNKNOWN, problems: error.problems };
  }
}

/** The numbers of the model of a choice, after the library has checked them and the options. */
function factsOf(choice: Choice, options: ModelFitOptions): ModelFacts {
  const model = modelOf(choice);
  modelFit(TpuSlice.of('ct6e-standard-1t'), model, options);
  const facts = typeof model === 'string' ? modelNamed(model) : model;
  return facts ?? { bytes: 1 };
}

function groupOf(
  generation: TpuGeneration,
  choice: Choice,
  model: ModelFacts,
  options: ModelFitOptions,
): SlicesOfGeneration {
  const cached = cacheConfiguration(model);
  const holds = (shape: MemoryShape): boolean =>
    (options.hosts !== 'one' || shape.hosts === 1) &&
    (cached === undefined || oddHeads(cached, shape.devices) === undefined) &&
    memoryFit(shape, model, options).verdict === 'fits';
  const shapes = shapesOf(generation);
  const fitting = shapes.filter(holds);
  const { onDemand, preemptible } = QUOTA_NAMES[generation] ?? {};
  const isPreemptible = choice.capacity === 'spot' || choice.capacity === 'flex-start';
  return {
    generation,
    hbmGiBPerChip: GENERATIONS[generation].hbmGiBPerChip,
    quotaName: isPreemptible ? preemptible : onDemand,
    fitting: fitting.map(String),
    others: shapes
      .filter((shape) => !fitting.includes(shape))
      .map(String)
      .reverse(),
  };
}

function chosenOf(
  groups: readonly SlicesOfGeneration[],
  choice: Choice,
  model: ModelFacts,
  options: ModelFitOptions,
): Pick<Sizing, 'chosen' | 'memory' | 'weightsGB'> {
  const weightsGB = weightsOf(model, options.weightFormat).expected / 1e9;
  const every = groups.flatMap(({ fitting, others }) => [...fitting, ...others]);
  const [smallest] = groups
    .flatMap(({ fitting: [first] }) => (first === undefined ? [] : [TpuSlice.parse(first)]))
    .reverse()
    .sort((a, b) => a.hbmGiB - b.hbmGiB);
  const chosen = every.includes(choice.slice) ? TpuSlice.parse(choice.slice) : smallest;
  return { chosen, memory: chosen && perChip(modelFit(chosen, modelOf(choice), options)), weightsGB };
}

/** What the library says of each generation that has no slice for the model, if none has one. */
function noneFits(
  groups: readonly SlicesOfGeneration[],
  choice: Choice,
  options: ModelFitOptions,
): readonly Problem[] {
  if (groups.some(({ fitting }) => fitting.length > 0)) return [];
  const problems = new Problems();
  problems.attempt(() =>
    TpuSlice.forModel(modelOf(choice), {
      ...options,
      generations: groups.map(({ generation }) => generation),
    }),
  );
  return problems.all;
}

/** Why a slice does not hold the model of a choice, in one line. */
export function whyNot(name: string, choice: Choice): string {
  const options = optionsOf(choice);
  const model = factsOf(choice, options);
  const slice = TpuSlice.parse(name);
  if (options.hosts === 'one' && slice.multiHost)
    return `JetStream runs on one host, and this slice has ${String(slice.hosts)}`;
  const { problem, warning } = memoryFindings(
    slice,
    choice.model === BY_HAND ? 'the model' : choice.model,
    model,
    options,
  );
  const cached = cacheConfiguration(model);
  const found = problem ?? warning ?? (cached && headsProblem(cached, slice.devices));
  return found === undefined ? '' : textOf(found);
}
