import { attentionOf, type ModelConfiguration, type WeightFormat } from './models';

/**
 * Bytes of one parameter, scales included: one float32 for 128x128 numbers in fp8, one of 16 bits and 4 bits for 128 numbers in int4,
 * one byte for 32 numbers in mxfp4. The value of fp4 includes no scales.
 *
 * @see https://github.com/deepseek-ai/DeepSeek-V3 (README_WEIGHTS.md)
 * @see https://github.com/openai/gpt-oss (gpt_oss/torch/weights.py)
 */
export const BYTES_PER_PARAMETER: Readonly<Record<WeightFormat, number>> = {
  float32: 4,
  bf16: 2,
  fp16: 2,
  int8: 1,
  fp8: 1 + 4 / 128 ** 2,
  int4: 0.5 + 2.5 / 128,
  fp4: 0.5,
  mxfp4: 0.5 + 1 / 32,
};

export const WEIGHT_FORMATS = Object.keys(BYTES_PER_PARAMETER) as readonly WeightFormat[];

/** Bytes of one parameter without scales, the lower bound of all checkpoints. */
export const LEAST_BYTES_PER_PARAMETER: Readonly<Record<WeightFormat, number>> = {
  float32: 4,
  bf16: 2,
  fp16: 2,
  int8: 1,
  fp8: 1,
  int4: 0.5,
  fp4: 0.5,
  mxfp4: 0.5,
};

/** Parameters of a model, grouped by what is quantized together. Leaves out norms and biases, which are below 0.1 %. */
export interface Parameters {
  /** Weights of the routed experts. */
  readonly experts: number;
  /** Projections of attention and MLP, and shared experts. */
  readonly projections: number;
  /** Token embeddings, the output matrix and routers, which quantized checkpoints keep in bf16. */
  readonly embeddings: number;
  /** The image encoder. */
  readonly vision: number;
}

/** Parameters of a gated MLP, which has three matrices. */
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
export const CONVOLUTION = 4;

/** Computes the parameters of a model from its configuration. */
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

/** Returns the number of parameters of a model. */
export function parameterCount(model: ModelConfiguration): number {
  const { experts, projections, embeddings, vision } = parametersOf(model);
  return experts + projections + embeddings + vision;
}

/** A lower bound and an expected value, in bytes. */
export interface Bounds {
  /** The lower bound. */
  readonly least: number;
  /** The expected value. */
  readonly expected: number;
}

/**
 * Returns the bytes of a model's weights.
 *
 * @param format - how they are stored; default: as they are published
 */
export function weightBytes(
  model: ModelConfiguration,
  format: WeightFormat = model.weights ?? 'bf16',
): Bounds {
  const { experts, projections, embeddings, vision } = parametersOf(model);
  // gpt-oss stores only its experts in mxfp4.
  const others = format === 'mxfp4' ? 'bf16' : format;
  const kept = Math.max(BYTES_PER_PARAMETER.bf16, BYTES_PER_PARAMETER[format]);
  return {
    least:
      experts * LEAST_BYTES_PER_PARAMETER[format] +
      (projections + embeddings) * LEAST_BYTES_PER_PARAMETER[others],
    expected:
      experts * BYTES_PER_PARAMETER[format] +
      projections * BYTES_PER_PARAMETER[others] +
      (embeddings + vision) * kept,
  };
}
