import { type Problem } from '../problems/problems';
import { GENERATIONS, type TpuGeneration, type TpuMachineType } from './generations';
import { attentionOf, type ModelConfiguration, type WeightFormat } from './models';
import { chipsOf, count, generationFacts, machineFacts, machineTypes, topologiesOf } from './topology';

const GIB = 2 ** 30;

// ---- weights ----------------------------------------------------------------------------------------------------

/**
 * Bytes of one parameter, scales included: one float32 for 128x128 numbers in fp8, one of 16 bits and 4 bits for 128 numbers in int4,
 * one byte for 32 numbers in mxfp4.
 *
 * @see https://github.com/deepseek-ai/DeepSeek-V3 (README_WEIGHTS.md)
 * @see https://github.com/openai/gpt-oss (gpt_oss/torch/weights.py)
 */
const BYTES: Readonly<Record<WeightFormat, number>> = {
  bf16: 2,
  int8: 1,
  fp8: 1 + 4 / 128 ** 2,
  int4: 0.5 + 2.5 / 128,
  mxfp4: 0.5 + 1 / 32,
};

/** The same without scales: no checkpoint is smaller. */
const LEAST_BYTES: Readonly<Record<WeightFormat, number>> = {
  bf16: 2,
  int8: 1,
  fp8: 1,
  int4: 0.5,
  mxfp4: 0.5,
};

/** Parameters of a model, by what is quantized together. Norms and biases, below 0.1 %, are left out. */
export interface Parameters {
  /** Weights of the routed experts. */
  readonly experts: number;
  /** Projections of attention and MLP, and shared experts. */
  readonly projections: number;
  /** Embeddings of tokens, the output matrix and routers: quantized checkpoints keep them in bf16. */
  readonly embeddings: number;
  /** The encoder of images. */
  readonly vision: number;
}

/** Gated MLPs have three matrices. */
const mlp = (hiddenSize: number, intermediateSize: number): number => 3 * hiddenSize * intermediateSize;

function attentionParameters(model: ModelConfiguration, layer: number): number {
  const { hiddenSize, heads, mla, linear, fullAttention, outputGate } = model;
  const kind = attentionOf(model, layer);
  if (kind === 'mla' && mla) {
    const { kvLoraRank, queryLoraRank, ropeHeadDim, noPositionHeadDim, valueHeadDim } = mla;
    return (
      hiddenSize * (queryLoraRank + kvLoraRank + ropeHeadDim) +
      queryLoraRank * heads * (noPositionHeadDim + ropeHeadDim) +
      kvLoraRank * heads * (noPositionHeadDim + valueHeadDim) +
      heads * valueHeadDim * hiddenSize
    );
  }
  if (kind === 'linear' && linear) {
    const [keys, values] = [linear.keyHeads * linear.headDim, linear.valueHeads * linear.headDim];
    return hiddenSize * (2 * keys + 3 * values + 2 * linear.valueHeads) + CONVOLUTION * (2 * keys + values);
  }
  const { kvHeads, headDim } = kind === 'full' && fullAttention ? fullAttention : model;
  const queries = heads * headDim * (outputGate === true ? 2 : 1);
  const projections = kind === 'full' && fullAttention?.keyIsValue === true ? 1 : 2;
  return hiddenSize * (queries + heads * headDim + projections * kvHeads * headDim);
}

/** `linear_conv_kernel_dim` of the known models. */
const CONVOLUTION = 4;

/** Parameters of a model from its configuration. */
export function parametersOf(model: ModelConfiguration): Parameters {
  const { layers, hiddenSize, intermediateSize = 0, vocabulary, tied = false, experts, vision } = model;
  const { perLayerEmbedding = 0, reusing } = model;
  let routed = 0;
  let projections = 0;
  let embeddings = vocabulary * hiddenSize * (tied ? 1 : 2) + layers * vocabulary * perLayerEmbedding;
  for (let layer = 0; layer < layers; layer++) {
    projections += attentionParameters(model, layer) + 3 * hiddenSize * perLayerEmbedding;
    const sparse =
      experts !== undefined &&
      layer >= (experts.denseLayers ?? 0) &&
      layer % (experts.every ?? 1) === (experts.every ?? 1) - 1;
    if (sparse) {
      routed += experts.count * mlp(hiddenSize, experts.intermediateSize);
      projections += mlp(hiddenSize, experts.sharedIntermediateSize ?? 0);
      embeddings += experts.count * hiddenSize;
    }
    if (!sparse || experts.besideDense === true) {
      const reuses = layer >= layers - (reusing?.layers ?? 0);
      projections += mlp(hiddenSize, reuses ? (reusing?.intermediateSize ?? 0) : intermediateSize);
    }
  }
  const images = vision
    ? vision.layers * (4 * vision.hiddenSize ** 2 + 2 * vision.hiddenSize * vision.intermediateSize)
    : 0;
  return { experts: routed, projections, embeddings, vision: images };
}

/** Bytes between a bound that nothing can be below, and what is most likely. */
export interface Bounds {
  /** Nothing can be below it. */
  readonly least: number;
  /** What is expected. */
  readonly expected: number;
}

/**
 * Bytes of the weights of a model.
 *
 * @param format - how they are stored; default: as they are published
 */
export function weightBytes(
  model: ModelConfiguration,
  format: WeightFormat = model.weights ?? 'bf16',
): Bounds {
  const { experts, projections, embeddings, vision } = parametersOf(model);
  // gpt-oss has only its experts in mxfp4
  const others = format === 'mxfp4' ? 'bf16' : format;
  return {
    least: experts * LEAST_BYTES[format] + (projections + embeddings) * LEAST_BYTES[others],
    expected: experts * BYTES[format] + projections * BYTES[others] + (embeddings + vision) * BYTES.bf16,
  };
}

// ---- KV cache ---------------------------------------------------------------------------------------------------

/** What of a configuration decides the KV cache. */
type CacheConfiguration = Pick<
  ModelConfiguration,
  'layers' | 'kvHeads' | 'headDim' | 'attention' | 'window' | 'mla' | 'linear' | 'fullAttention' | 'reusing'
>;

/** How keys and values are stored, as vLLM's `--kv-cache-dtype` says it. */
export type KvCacheDtype = 'auto' | 'bfloat16' | 'fp8' | 'fp8_e4m3' | 'fp8_e5m2';

const kvBytes = (dtype: KvCacheDtype): 1 | 2 => (dtype === 'auto' || dtype === 'bfloat16' ? 2 : 1);

const roundedUp = (value: number, step: number): number => Math.ceil(value / step) * step;

/**
 * Bytes that one token of one layer takes on all devices together. The kernels fill 32-bit words with numbers of several heads, and pad
 * a head to 128 numbers, except one of 64, whose key and value stand side by side. Heads are copied if there are fewer than devices.
 *
 * @see https://github.com/vllm-project/tpu-inference (tpu_inference/kernels/ragged_paged_attention/v3, tpu_inference/utils.py)
 */
function tokenBytes(kvHeads: number, headDim: number, dtype: KvCacheDtype, devices: number): number {
  const bytes = kvBytes(dtype);
  const packing = 4 / bytes;
  const heads = Math.ceil(kvHeads / devices);
  const perDevice =
    headDim === 64
      ? roundedUp(heads, packing) * 128 * bytes
      : roundedUp(2 * heads, packing) * roundedUp(headDim, 128) * bytes;
  return perDevice * devices;
}

/** What decides the KV cache of one sequence. */
export interface CacheOptions {
  /** Longest sequence in tokens. */
  readonly maxModelLen: number;
  /** Devices that one copy of the model is split over. */
  readonly devices: number;
  /** How keys and values are stored. @default 'auto' */
  readonly kvCacheDtype?: KvCacheDtype;
  /** Most sequences of one step. @default 256 */
  readonly maxNumSeqs?: number;
  /** Whether attention is data parallel: it then copies fewer heads, or none. @default false */
  readonly dpAttention?: boolean;
}

/** Default of `--max-num-seqs`: `vllm/engine/arg_utils.py`. */
const MAX_NUM_SEQS = 256;

/**
 * Bytes of KV cache without which vLLM does not start: one sequence of `maxModelLen`, and the states of layers with linear attention.
 *
 * Two implementations of a model exist on TPU. That in JAX keeps the whole sequence in every layer; that of vLLM keeps the window of
 * sliding layers. The lower bound assumes the window, one copy of MLA's latents, and the state of one request.
 *
 * @see https://github.com/vllm-project/tpu-inference (tpu_inference/runner/kv_cache_manager.py)
 */
export function cacheBytes(model: CacheConfiguration, options: CacheOptions): Bounds {
  const {
    maxModelLen,
    devices,
    kvCacheDtype = 'auto',
    maxNumSeqs = MAX_NUM_SEQS,
    dpAttention = false,
  } = options;
  const { layers, window = Infinity, mla, linear, fullAttention, reusing } = model;
  let least = 0;
  let expected = 0;
  for (let layer = 0; layer < layers - (reusing?.layers ?? 0); layer++) {
    const kind = attentionOf(model, layer);
    if (kind === 'linear' && linear) {
      const state = linearState(linear);
      // one block of each layer stays empty
      least += 2 * state;
      expected += (maxNumSeqs + 1) * state;
    } else if (kind === 'mla' && mla) {
      const latent = (mla.kvLoraRank + mla.ropeHeadDim) * kvBytes(kvCacheDtype);
      const padded =
        (roundedUp(mla.kvLoraRank, 128) + roundedUp(mla.ropeHeadDim, 128)) * kvBytes(kvCacheDtype);
      least += latent * maxModelLen;
      expected += padded * maxModelLen * devices;
    } else {
      const { kvHeads, headDim } = kind === 'full' && fullAttention ? fullAttention : model;
      const token = tokenBytes(kvHeads, headDim, kvCacheDtype, devices);
      const one = dpAttention ? tokenBytes(kvHeads, headDim, kvCacheDtype, 1) : token;
      least += one * Math.min(maxModelLen, kind === 'full' ? Infinity : window - 1);
      expected += token * maxModelLen;
    }
  }
  return { least, expected };
}

const linearState = (linear: NonNullable<ModelConfiguration['linear']>): number => {
  const { keyHeads, valueHeads, headDim, stateBytes } = linear;
  const convolution = (CONVOLUTION - 1) * (2 * keyHeads + valueHeads) * headDim * 2;
  return valueHeads * headDim ** 2 * stateBytes + convolution;
};

/**
 * What is wrong with splitting the KV heads of a model over devices: vLLM on TPU only starts if one number divides the other.
 *
 * @see https://github.com/vllm-project/tpu-inference (tpu_inference/utils.py, get_padded_num_heads)
 */
export function headsProblem(model: CacheConfiguration, devices: number): Problem | undefined {
  const heads = new Set<number>();
  for (let layer = 0; layer < model.layers; layer++) {
    const kind = attentionOf(model, layer);
    if (kind !== 'mla' && kind !== 'linear')
      heads.add((kind === 'full' && model.fullAttention ? model.fullAttention : model).kvHeads);
  }
  const odd = [...heads].find((one) => one % devices !== 0 && devices % one !== 0);
  if (odd === undefined) return undefined;
  const near = Array.from({ length: devices }, (_, index) => devices - index).find((one) => odd % one === 0);
  return {
    path: 'tensorParallelSize',
    value: devices,
    problem: `neither divides the ${String(odd)} KV heads of the model nor is a multiple of them`,
    ...(near !== undefined && { use: String(near) }),
  };
}

// ---- a model on a slice -----------------------------------------------------------------------------------------

/** A model that is stated by numbers. `layers`, `kvHeads` and `headDim` are given together; without them the KV cache is not counted. */
interface StatedModel {
  /** Bytes of the weights as they are stored in HBM. */
  readonly bytes: number;
  /** Layers that keep keys and values of the whole sequence. @default - KV cache not counted */
  readonly layers?: number;
  /** `num_key_value_heads`. @default - KV cache not counted */
  readonly kvHeads?: number;
  /** `head_dim`. @default - KV cache not counted */
  readonly headDim?: number;
  /** `max_position_embeddings`. @default - not known */
  readonly contextLength?: number;
}

/** A model whose memory is computed: from its configuration, or from stated numbers. */
export type MemoryModel = ModelConfiguration | StatedModel;

/** The numbers of a slice that decide what it holds. */
export interface MemorySlice {
  readonly generation: TpuGeneration;
  readonly hosts: number;
  readonly devices: number;
  readonly hbmGiB: number;
  toString(): string;
}

/** What decides how much memory a server needs, and has. */
export interface MemoryOptions {
  /** Longest sequence in tokens. @default - the model's own context */
  readonly maxModelLen?: number;
  /** How the weights are stored. @default - as they are published */
  readonly weightFormat?: WeightFormat;
  /** How keys and values are stored. @default 'auto' */
  readonly kvCacheDtype?: KvCacheDtype;
  /** Devices that every layer is split over. @default - all of the slice */
  readonly tensorParallelSize?: number;
  /** Stages that the layers are divided into. @default 1 */
  readonly pipelineParallelSize?: number;
  /** Copies of the model. @default 1 */
  readonly dataParallelSize?: number;
  /** Most sequences of one step. @default 256 */
  readonly maxNumSeqs?: number;
  /** Whether attention is data parallel: `enable_dp_attention`. @default false */
  readonly dpAttention?: boolean;
  /** Share of the HBM that vLLM uses. @default 0.92 */
  readonly gpuMemoryUtilization?: number;
  /** `one` for servers that cannot use a slice of several hosts. @default 'any' */
  readonly hosts?: 'one' | 'any';
}

/** How a model fits a slice, in bytes. */
export interface MemoryFit {
  /** `fits`: even what is expected does. `too large`: not even the lower bound does. `tight`: between the two. */
  readonly verdict: 'fits' | 'tight' | 'too large';
  /** The weights, all devices together. */
  readonly weights: Bounds;
  /** The KV cache of one sequence; undefined if it is not known. */
  readonly cache: Bounds | undefined;
  /** HBM that vLLM uses: of all devices, and of those of one copy of the model. */
  readonly available: { readonly most: number; readonly expected: number };
  /** Longest sequence that was counted; undefined if it is not known. */
  readonly maxModelLen: number | undefined;
}

/** Default of `--gpu-memory-utilization` since v0.20.0: `vllm/config/cache.py`. */
const UTILIZATION = 0.92;

/** How a model fits a slice. */
export function memoryFit(slice: MemorySlice, model: MemoryModel, options: MemoryOptions = {}): MemoryFit {
  const { pipelineParallelSize = 1, dataParallelSize = 1, gpuMemoryUtilization = UTILIZATION } = options;
  const devices =
    options.tensorParallelSize ??
    Math.max(1, Math.floor(slice.devices / (pipelineParallelSize * dataParallelSize)));
  const maxModelLen = options.maxModelLen ?? model.contextLength;
  const weights =
    'bytes' in model
      ? { least: model.bytes, expected: model.bytes }
      : weightBytes(model, options.weightFormat);
  const cached = cacheConfiguration(model);
  const cache =
    cached === undefined || maxModelLen === undefined
      ? undefined
      : cacheBytes(cached, { ...options, maxModelLen, devices });
  const perDevice = (slice.hbmGiB / slice.devices) * GIB * gpuMemoryUtilization;
  const one = Math.min(slice.devices, devices * pipelineParallelSize);
  const available = {
    most: perDevice * Math.min(slice.devices, one * dataParallelSize),
    expected: perDevice * one,
  };
  const verdict =
    weights.least + (cache?.least ?? 0) > available.most
      ? 'too large'
      : weights.expected + (cache?.expected ?? 0) > available.expected
        ? 'tight'
        : 'fits';
  return { verdict, weights, cache, available, maxModelLen };
}

function cacheConfiguration(model: MemoryModel): CacheConfiguration | undefined {
  if (!('bytes' in model)) return model;
  const { layers, kvHeads, headDim } = model;
  return layers === undefined || kvHeads === undefined || headDim === undefined
    ? undefined
    : { layers, kvHeads, headDim };
}

/** What is wrong, or may be, with a model on a slice. */
export interface MemoryFindings {
  /** The model cannot start. */
  readonly problem?: Problem;
  /** The model may not start: the lower bound fits, and what is expected does not. */
  readonly warning?: Problem;
}

/**
 * What is wrong with a model on a slice. A problem is certain: the weights do not fit, or no sequence of `maxModelLen` does beside them.
 *
 * @param name - how messages name the model
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
  const numbers: Numbers = { name, slice, certain, weights, cache: cache ?? 0, has };
  const ways = waysOut(slice, model, options, fit);
  const found = weights > has ? weightsProblem(numbers, ways) : cacheProblem(numbers, options, fit, ways);
  return certain ? { problem: found } : { warning: found };
}

interface Numbers {
  readonly name: string;
  readonly slice: MemorySlice;
  readonly certain: boolean;
  readonly weights: number;
  readonly cache: number;
  readonly has: number;
}

/** Rounded up: what does not fit must not look equal to what is there. */
const needed = (bytes: number): string => `${String(Math.ceil((bytes / GIB) * 10) / 10)} GiB`;
const there = (bytes: number): string => `${String(Math.floor((bytes / GIB) * 10) / 10)} GiB`;

const shape = (slice: MemorySlice): string => `'${slice.toString()}'`;

function weightsProblem({ name, slice, certain, weights, has }: Numbers, ways: WaysOut): Problem {
  const need = certain ? 'need at least' : 'are expected to need';
  const others = [ways.slice, ways.format].filter((way) => way !== undefined);
  return {
    path: 'slice',
    value: slice.toString(),
    problem: `is too small for ${name}: the weights ${need} ${needed(weights)}, and vLLM uses ${there(has)} of its HBM, ${needed(weights - has)} too little`,
    ...(others.length > 0 && { use: alternatives(others) }),
  };
}

function cacheProblem(
  { name, slice, certain, weights, cache, has }: Numbers,
  options: MemoryOptions,
  fit: MemoryFit,
  ways: WaysOut,
): Problem {
  const tokens = `${String(fit.maxModelLen ?? 0)} tokens`;
  const subject =
    options.maxModelLen === undefined ? `is not set, and the ${tokens} of the model's own context` : 'tokens';
  const need = certain ? 'need at least' : 'are expected to need';
  const others = [ways.context, ways.cache, ways.slice, ways.format].filter((way) => way !== undefined);
  return {
    path: 'maxModelLen',
    ...(options.maxModelLen !== undefined && { value: options.maxModelLen }),
    problem: `${subject} ${need} ${needed(cache)} of KV cache beside ${needed(weights)} of weights of ${name}, and vLLM uses ${there(has)} of the HBM of ${shape(slice)}, ${needed(weights + cache - has)} too little`,
    ...(others.length > 0 && { use: alternatives(others) }),
  };
}

/** `a`, `a or b`, `a, b or c`. */
const alternatives = (ways: readonly string[]): string =>
  [ways.slice(0, -1).join(', '), ...ways.slice(-1)].filter((part) => part !== '').join(' or ');

// ---- ways out ---------------------------------------------------------------------------------------------------

interface WaysOut {
  /** A shorter context. */
  readonly context?: string | undefined;
  /** A smaller KV cache. */
  readonly cache?: string | undefined;
  /** A larger slice. */
  readonly slice?: string | undefined;
  /** Smaller weights. */
  readonly format?: string | undefined;
}

/**
 * Formats of weights that each generation is recommended for, or known to run: fp8 runs on v6e although v6e has no such type.
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
  const smaller = (
    'bytes' in model
      ? []
      : WEIGHT_FORMATS[generation].filter(
          (one) => BYTES[one] < BYTES[options.weightFormat ?? model.weights ?? 'bf16'],
        )
  ).filter((weightFormat) => fits({ weightFormat }));
  const larger = nextSlice(slice, model, options);
  return {
    context: tokens > 0 ? `at most ${String(tokens)} tokens` : undefined,
    cache:
      FP8_CACHE_GENERATIONS.includes(generation) && fits({ kvCacheDtype: 'fp8' })
        ? "kvCacheDtype 'fp8'"
        : undefined,
    slice: larger && `${shape(larger)} (${count(larger.hosts, 'host')}, ${String(larger.hbmGiB)} GiB)`,
    format: smaller.length > 0 ? `weights quantized to ${alternatives(smaller)}` : undefined,
  };
}

/** Longest sequence that fits, in steps of 128 tokens; 0 if none does or the cache is not known. */
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

/** A shape of slices. */
export interface MemoryShape extends MemorySlice {
  /** The machine type of every host. */
  readonly machineType: TpuMachineType;
  /** The shape in chips. */
  readonly topology: string;
}

const made = new Map<TpuGeneration, readonly MemoryShape[]>();

/** Every shape of a generation, least HBM and fewest hosts first; without machine types that are only used when named. */
function shapesOf(generation: TpuGeneration): readonly MemoryShape[] {
  const known = made.get(generation) ?? listShapes(generation);
  made.set(generation, known);
  return known;
}

const listShapes = (generation: TpuGeneration): readonly MemoryShape[] =>
  machineTypes()
    .filter((type) => machineFacts(type).generation === generation && !machineFacts(type).onlyWhenNamed)
    .flatMap((machineType) =>
      topologiesOf(machineType).map((topology) => {
        const { hbmGiBPerChip, devicesPerChip } = generationFacts(machineType);
        const chips = chipsOf(topology);
        return {
          machineType,
          topology,
          generation,
          hosts: chips / machineFacts(machineType).chips,
          devices: chips * devicesPerChip,
          hbmGiB: chips * hbmGiBPerChip,
          toString: () => `${machineType}/${topology}`,
        };
      }),
    )
    .sort((a, b) => a.hbmGiB - b.hbmGiB || a.hosts - b.hosts);

/**
 * The smallest shape of a generation that holds a model as it is expected to be, on all of its devices; undefined if none does. Shapes
 * whose devices do not suit the KV heads of the model are left out.
 */
export function smallestShape(
  model: MemoryModel,
  generation: TpuGeneration,
  options: MemoryOptions = {},
): MemoryShape | undefined {
  const { pipelineParallelSize = 1, dataParallelSize = 1, hosts } = options;
  const cached = cacheConfiguration(model);
  return shapesOf(generation).find((one) => {
    const tensorParallelSize = one.devices / (pipelineParallelSize * dataParallelSize);
    if ((hosts === 'one' && one.hosts > 1) || !Number.isInteger(tensorParallelSize)) return false;
    if (cached !== undefined && headsProblem(cached, tensorParallelSize) !== undefined) return false;
    return memoryFit(one, model, { ...options, tensorParallelSize }).verdict === 'fits';
  });
}

/** The next larger slice: of the same generation, else of any; with as many hosts as it takes if one is not enough. */
function nextSlice(slice: MemorySlice, model: MemoryModel, options: MemoryOptions): MemoryShape | undefined {
  const here = smallestShape(model, slice.generation, options);
  if (here) return here;
  const [elsewhere] = (Object.keys(GENERATIONS) as TpuGeneration[])
    .flatMap((generation) => smallestShape(model, generation, options) ?? [])
    .sort((a, b) => a.hbmGiB - b.hbmGiB);
  return (
    elsewhere ?? (options.hosts === 'one' ? nextSlice(slice, model, { ...options, hosts: 'any' }) : undefined)
  );
}
