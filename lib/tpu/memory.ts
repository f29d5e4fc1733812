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

/** The part of a model's configuration that determines its KV cache. */
type CacheConfiguration = Pick<
  ModelConfiguration,
  'layers' | 'kvHeads' | 'headDim' | 'attention' | 'window' | 'mla' | 'linear' | 'fullAttention' | 'reusing'
>;

/** How keys and values are stored: a value of vLLM's `--kv-cache-dtype`. */
export type KvCacheDtype = 'auto' | 'bfloat16' | 'fp8' | 'fp8_e4m3' | 'fp8_e5m2';

const kvBytes = (dtype: KvCacheDtype): 1 | 2 => (dtype === 'auto' || dtype === 'bfloat16' ? 2 : 1);

const roundedUp = (value: number, step: number): number => Math.ceil(value / step) * step;

/**
 * Returns the bytes of one token of one layer on all devices together. The kernels fill 32-bit words with numbers of several heads. They
 * pad a head to 128 numbers, except a head of 64, whose key and value are next to each other. If there are fewer heads than devices, the
 * heads are copied.
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

/** Options that determine the KV cache. */
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
  /** Whether attention is data parallel, so that fewer heads are copied, or none. @default false */
  readonly dpAttention?: boolean;
}

/** Default of `--max-num-seqs`: `vllm/engine/arg_utils.py`. */
const MAX_NUM_SEQS = 256;

/**
 * Returns the bytes of KV cache that vLLM needs to start: `sequences` of `maxModelLen`, and the states of layers with linear attention.
 *
 * Two implementations of a model exist on TPU. The JAX implementation keeps the whole sequence in every layer; vLLM's implementation
 * keeps the window of sliding layers. The lower bound assumes the window, one copy of MLA's latents, and the state of one request.
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
      // vLLM keeps one block of each layer empty.
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
 * Returns the problem of splitting a model's KV heads over devices. vLLM on TPU starts only if one of the two numbers divides the other.
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

/** Returns the number of KV heads of a layer that cannot be split over devices; undefined if all layers can. */
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

/** A model by its configuration, by its size, or by a guess of its size. */
export type MemoryModel = ModelFacts | GuessedModel;

/** The numbers of a slice that determine which models it holds. */
export interface MemorySlice {
  readonly generation: TpuGeneration;
  readonly hosts: number;
  readonly devices: number;
  readonly hbmGiB: number;
  toString(): string;
}

/** Options that determine how much memory a server needs and can use. */
export interface MemoryOptions {
  /** Longest sequence in tokens. @default - the model's own context */
  readonly maxModelLen?: number;
  /** How the weights are stored. @default - as they are published */
  readonly weightFormat?: WeightFormat;
  /** How keys and values are stored. @default 'auto' */
  readonly kvCacheDtype?: KvCacheDtype;
  /** Number of devices that every layer is split over. @default - all devices of the slice */
  readonly tensorParallelSize?: number;
  /** Number of stages that the layers are divided into. @default 1 */
  readonly pipelineParallelSize?: number;
  /** Number of copies of the model. @default 1 */
  readonly dataParallelSize?: number;
  /** Sequences of `maxModelLen` tokens that must fit at the same time. @default 1 */
  readonly sequences?: number;
  /** Most sequences of one step. @default 256 */
  readonly maxNumSeqs?: number;
  /** Whether attention is data parallel: `enable_dp_attention`. @default false */
  readonly dpAttention?: boolean;
  /** Share of the HBM that vLLM uses. @default 0.92 */
  readonly gpuMemoryUtilization?: number;
  /** `one` for servers that do not support multi-host slices. @default 'any' */
  readonly hosts?: 'one' | 'any';
}

/** How a model fits a slice, in bytes. */
export interface MemoryFit {
  /** `fits`: the expected memory fits. `tight`: only the lower bound fits. `too large`: the lower bound does not fit either. */
  readonly verdict: 'fits' | 'tight' | 'too large';
  /** Bytes of the weights on all devices together. */
  readonly weights: Bounds;
  /** Bytes of the KV cache of the sequences that must fit; undefined if they are not known. */
  readonly cache: Bounds | undefined;
  /** HBM that vLLM uses: `most` of all devices, `expected` of the devices of one copy of the model. */
  readonly available: { readonly most: number; readonly expected: number };
  /** Longest sequence that was counted; undefined if it is not known. */
  readonly maxModelLen: number | undefined;
  /** Devices that every layer is split over. */
  readonly devices: number;
}

/** Default of `--gpu-memory-utilization` since v0.20.0: `vllm/config/cache.py`. */
export const UTILIZATION = 0.92;

/** Computes how a model fits a slice. */
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

/** Returns the bytes of a model's weights; `format` is set if the server converts them when it loads them. */
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
  // The weights may be quantized already, or have two bytes per parameter.
  const { bytes } = model;
  return format === undefined
    ? { least: bytes, expected: bytes }
    : { least: Math.min(bytes, (bytes / 2) * LEAST_BYTES_PER_PARAMETER[format]), expected: bytes };
}

/**
 * Returns the number of sequences of `maxModelLen` tokens that are expected to fit next to the weights; undefined if the KV cache is not
 * known, or does not depend on the number of sequences.
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

/** Returns the part of a model that determines its KV cache; undefined if it is not known. */
export function cacheConfiguration(model: MemoryModel): CacheConfiguration | undefined {
  if ('guess' in model) return undefined;
  return isConfiguration(model) ? model : statedCache(model);
}

function statedCache({ layers, kvHeads, headDim, ...rest }: SizedModel): CacheConfiguration | undefined {
  return layers === undefined || kvHeads === undefined || headDim === undefined
    ? undefined
    : { ...rest, layers, kvHeads, headDim };
}
