import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parametersOf, weightBytes } from '../../lib/tpu/weights';
import { attentionOf, knownModels, type LayerAttention, modelNamed } from '../../lib/tpu/models';

/** Published sizes: parameters, bytes of the published weights, and bytes in bf16. A cell is empty if no source states the number. */
const published = readFileSync(path.join(__dirname, 'models-published.tsv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'))
  .map(([id = '', parameters = '', bytes = '', bf16 = '']) => ({
    id,
    parameters: Number(parameters),
    bytes: Number(bytes),
    bf16: Number(bf16),
  }));

const total = (id: string): number => {
  const model = modelNamed(id);
  if (!model) throw new Error(`${id} is not in the table`);
  const { experts, projections, embeddings, vision } = parametersOf(model);
  return experts + projections + embeddings + vision;
};

const weights = (id: string, format?: 'bf16'): number => {
  const model = modelNamed(id);
  if (!model) throw new Error(`${id} is not in the table`);
  return weightBytes(model, format).expected;
};

describe('known models', () => {
  test('have published sizes to compare with', () => {
    expect(published).toHaveLength(47);
  });

  test.each(published.filter(({ bytes }) => bytes > 0))(
    '$id has published weights of $bytes bytes',
    ({ id, bytes }) => {
      expect(Math.abs(weights(id) / bytes - 1)).toBeLessThan(0.005);
    },
  );

  test.each(published.filter(({ bf16 }) => bf16 > 0))('$id has $bf16 bytes in bf16', ({ id, bf16 }) => {
    expect(Math.abs(weights(id, 'bf16') / bf16 - 1)).toBeLessThan(0.005);
  });

  test.each(published)('$id has $parameters parameters', ({ id, parameters }) => {
    expect(Math.abs(total(id) / parameters - 1)).toBeLessThan(0.005);
  });

  // Model cards and vLLM's recipes round these totals. The total of gemma-4-E2B includes an audio encoder.
  test.each([
    ['meta-llama/Llama-4-Scout-17B-16E-Instruct', 109e9],
    ['meta-llama/Llama-4-Maverick-17B-128E-Instruct', 400e9],
    ['deepseek-ai/DeepSeek-V3', 671026419200],
    ['deepseek-ai/DeepSeek-R1', 671026419200],
    ['moonshotai/Kimi-K2-Instruct', 1026408232448],
    ['openai/gpt-oss-120b', 116829156672],
    ['Qwen/Qwen3-Next-80B-A3B-Instruct', 80e9],
    ['Qwen/Qwen3.5-397B-A17B', 397e9],
    ['Qwen/Qwen3.5-35B-A3B', 35e9],
    ['Qwen/Qwen3.5-27B', 27e9],
    ['google/gemma-4-31B-it', 31e9],
    ['google/gemma-4-26B-A4B-it', 26e9],
    ['google/gemma-4-E2B-it', 5.1e9],
    ['google/gemma-4-E4B-it', 7.9e9],
    ['zai-org/GLM-4.5', 352797829024],
  ])('%s has about %d parameters', (id, parameters) => {
    expect(Math.abs(total(id) / parameters - 1)).toBeLessThan(0.07);
  });

  test.each([
    ['openai/gpt-oss-120b', 65.2e9],
    ['deepseek-ai/DeepSeek-R1', 673e9],
    ['meta-llama/Llama-3.1-405B-Instruct-FP8', 410e9],
  ])('%s has published weights of about %d bytes', (id, bytes) => {
    expect(Math.abs(weights(id) / bytes - 1)).toBeLessThan(0.01);
  });

  test('are found ignoring case, but not by paths or other names', () => {
    expect(modelNamed('qwen/qwen3-8b')).toBe(modelNamed('Qwen/Qwen3-8B'));
    expect(modelNamed('Qwen/Qwen3-8B')).toMatchObject({ layers: 36, contextLength: 40960 });
    for (const name of [
      '',
      'Qwen3-8B',
      '/models/Qwen/Qwen3-8B',
      'gs://bucket/Qwen3-8B',
      'toString',
      'me/mine',
    ])
      expect(modelNamed(name)).toBeUndefined();
  });

  test.each(knownModels())('%s has whole positive numbers', (id) => {
    const model = modelNamed(id);
    const numbers = [
      model?.layers,
      model?.hiddenSize,
      model?.vocabulary,
      model?.heads,
      model?.kvHeads,
      model?.headDim,
    ];
    expect(numbers.every((value) => Number.isInteger(value) && Number(value) > 0)).toBe(true);
  });

  const kinds = (id: string): Readonly<Partial<Record<LayerAttention, number>>> => {
    const model = modelNamed(id);
    const counts: Partial<Record<LayerAttention, number>> = {};
    for (let layer = 0; layer < (model?.layers ?? 0); layer++) {
      const kind = model ? attentionOf(model, layer) : 'full';
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return counts;
  };

  test.each([
    ['Qwen/Qwen3-32B', { full: 64 }],
    ['meta-llama/Llama-4-Scout-17B-16E-Instruct', { chunked: 36, full: 12 }],
    ['Qwen/Qwen3-Next-80B-A3B-Instruct', { linear: 36, full: 12 }],
    ['Qwen/Qwen3.5-397B-A17B', { linear: 45, full: 15 }],
    ['Qwen/Qwen3.5-35B-A3B', { linear: 30, full: 10 }],
    ['Qwen/Qwen3.5-27B', { linear: 48, full: 16 }],
    ['google/gemma-2-9b-it', { sliding: 21, full: 21 }],
    ['google/gemma-3-1b-it', { sliding: 22, full: 4 }],
    ['google/gemma-3-4b-it', { sliding: 29, full: 5 }],
    ['google/gemma-3-12b-it', { sliding: 40, full: 8 }],
    ['google/gemma-3-27b-it', { sliding: 52, full: 10 }],
    ['google/gemma-4-31B-it', { sliding: 50, full: 10 }],
    ['google/gemma-4-26B-A4B-it', { sliding: 25, full: 5 }],
    ['google/gemma-4-E2B-it', { sliding: 28, full: 7 }],
    ['google/gemma-4-E4B-it', { sliding: 35, full: 7 }],
    ['deepseek-ai/DeepSeek-R1', { mla: 61 }],
    ['openai/gpt-oss-20b', { sliding: 12, full: 12 }],
    ['microsoft/Phi-3-mini-4k-instruct', { sliding: 32 }],
  ])('%s has layers %j', (id, layers) => {
    expect(kinds(id)).toEqual(layers);
  });
});
