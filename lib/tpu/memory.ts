import { type Problem } from '../problems/problems';
import { type TpuGeneration } from './generations';
import { isConfiguration, type ModelFacts, type SizedModel } from './model-facts';
import { layersByAttention, type ModelConfiguration, type WeightFormat } from './models';
import {
  type Bounds,
  BYTES_PER_PARAMETER,
  CONVOLUTION,
  LEAST_BYTES_PER_PARAMETER,
  weightBytes,
} from './weights';

export const GIB = 2 ** 30;

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
  /** Sequences of `maxModelLen` tokens. @default 1 */
  readonly sequences?: number;
  /** Most sequences of one step. @default 256 */
  readonly maxNumSeqs?: number;
  /** Whether attention is data parallel: it then copies fewer heads, or none. @default false */
  readonly dpAttention?: boolean;
}

/** Default of `--max-num-seqs`: `vllm/engine/arg_utils.py`. */
const MAX_NUM_SEQS = 256;

/**
 * Bytes of KV cache without which vLLM does not start: a sequence of `maxModelLen`, and the states of layers with linear attention.
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
    sequences = 1,
    maxNumSeqs = MAX_NUM_SEQS,
    dpAttention = false,
  } = options;
  const tokens = maxModelLen * sequences;
  const { layers, window = Infinity, mla, linear, fullAttention, reusing } = model;
  let least = 0;
  let expected = 0;
  for (const [kind, count] of layersByAttention(model, layers - (reusing?.layers ?? 0))) {
    if (kind === 'linear' && linear) {
      const state = linearState(linear) * count;
      // one block of each layer stays empty
      least += (sequences + 1) * state;
      expected += (Math.max(maxNumSeqs, sequences) + 1) * state;
    } else if (kind === 'mla' && mla) {
      const bytes = kvBytes(kvCacheDtype) * count;
      const padded = roundedUp(mla.kvLoraRank, 128) + roundedUp(mla.ropeHeadDim, 128);
      least += (mla.kvLoraRank + mla.ropeHeadDim) * bytes * tokens;
      expected += padded * bytes * tokens * devices;
    } else {
      const { kvHeads, headDim } = kind === 'full' && fullAttention ? fullAttention : model;
      const token = tokenBytes(kvHeads, headDim, kvCacheDtype, devices) * count;
      const one = dpAttention ? tokenBytes(kvHeads, headDim, kvCacheDtype, 1) * count : token;
      least += one * sequences * Math.min(maxModelLen, kind === 'full' ? Infinity : window - 1);
      expected += token * tokens;
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
  const odd = oddHeads(model, devices);
  if (odd === undefined) return undefined;
  const near = Array.from({ length: devices }, (_, index) => devices - index).find((one) => odd % one === 0);
  return {
    path: 'tensorParallelSize',
    value: devices,
    problem: `neither divides the ${String(odd)} KV heads of the model nor is a multiple of them`,
    ...(near !== undefined && { use: String(near) }),
  };
}

/** KV heads of a layer that cannot be split over devices; undefined if all can. */
export const oddHeads = (model: CacheConfiguration, devices: number): number | undefined =>
  [...layersByAttention(model, model.layers).keys()]
    .filter((kind) => kind !== 'mla' && kind !== 'linear')
    .map((kind) => (kind === 'full' && model.fullAttention ? model.fullAttention : model).kvHeads)
    .find((one) => one % devices !== 0 && devices % one !== 0);

// ---- a model on a slice -----------------------------------------------------------------------------------------

/** A model whose size is a guess. */
interface GuessedModel {
  /** Bytes of the weights. */
  readonly guess: Bounds;
}

/** A model whose memory is computed: from its configuration, from its size, or from a guess. */
export type MemoryModel = ModelFacts | GuessedModel;

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
  /** Sequences of `maxModelLen` tokens that must fit at the same time. @default 1 */
  readonly sequences?: number;
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
  /** The KV cache of the sequences that must fit; undefined if it is not known. */
  readonly cache: Bounds | undefined;
  /** HBM that vLLM uses: of all devices, and of those of one copy of the model. */
  readonly available: { readonly most: number; readonly expected: number };
  /** Longest sequence that was counted; undefined if it is not known. */
  readonly maxModelLen: number | undefined;
  /** Devices that every layer is split over. */
  readonly devices: number;
}

/** Default of `--gpu-memory-utilization` since v0.20.0: `vllm/config/cache.py`. */
export const UTILIZATION = 0.92;

/** How a model fits a slice. */
export function memoryFit(slice: MemorySlice, model: MemoryModel, options: MemoryOptions = {}): MemoryFit {
  const { pipelineParallelSize = 1, dataParallelSize = 1, gpuMemoryUtilization = UTILIZATION } = options;
  const devices =
    options.tensorParallelSize ??
    Math.max(1, Math.floor(slice.devices / (pipelineParallelSize * dataParallelSize)));
  const maxModelLen = options.maxModelLen ?? ('guess' in model ? undefined : model.contextLength);
  const weights = weightsOf(model, options.weightFormat);
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
  return { verdict, weights, cache, available, maxModelLen, devices };
}

/** Bytes of the weights of a model; `format` is what the server makes of them when it loads them. */
export function weightsOf(model: MemoryModel, format?: WeightFormat): Bounds {
  if ('guess' in model) return model.guess;
  if (isConfiguration(model)) return weightBytes(model, format);
  if (model.parameters !== undefined) {
    const stored = format ?? model.weights ?? 'bf16';
    return {
      least: model.parameters * LEAST_BYTES_PER_PARAMETER[stored],
      expected: model.parameters * BYTES_PER_PARAMETER[stored],
    };
  }
  // these bytes may be quantized already, or be two for each parameter
  const { bytes } = model;
  return format === undefined
    ? { least: bytes, expected: bytes }
    : { least: Math.min(bytes, (bytes / 2) * LEAST_BYTES_PER_PARAMETER[format]), expected: bytes };
}

/**
 * Sequences of `maxModelLen` tokens whose KV cache is expected to fit beside the weights; undefined if the KV cache is not known or does not
 * depend on their number.
 */
export function concurrencyOf(
  { available, weights, maxModelLen, devices }: MemoryFit,
  model: MemoryModel,
  options: MemoryOptions = {},
): number | undefined {
  const cached = cacheConfiguration(model);
  if (cached === undefined || maxModelLen === undefined) return undefined;
  const room = available.expected - weights.expected;
  const cacheOf = (sequences: number): number =>
    cacheBytes(cached, { ...options, sequences, maxModelLen, devices }).expected;
  if (cacheOf(2) === cacheOf(1)) return undefined;
  let [low, high] = [0, 1];
  while (cacheOf(high) <= room) [low, high] = [high, 2 * high];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (cacheOf(middle) <= room) low = middle;
    else high = middle;
  }
  return low;
}

/** What of a model decides the KV cache; undefined if it is not known. */
export function cacheConfiguration(model: MemoryModel): CacheConfiguration | undefined {
  if ('guess' in model) return undefined;
  return isConfiguration(model) ? model : statedCache(model);
}

function statedCache({ layers, kvHeads, headDim, ...rest }: SizedModel): CacheConfiguration | undefined {
  return layers === undefined || kvHeads === undefined || headDim === undefined
    ? undefined
    : { ...rest, layers, kvHeads, headDim };
}
