import { type Problem, textOf } from '../../lib/problems/problems';
import {
  cacheBytes,
  headsProblem,
  type KvCacheDtype,
  memoryFit,
  type MemoryModel,
  type MemoryOptions,
} from '../../lib/tpu/memory';
import { type MemoryFindings, memoryFindings } from '../../lib/tpu/memory-findings';
import { smallestShape } from '../../lib/tpu/shapes';
import { weightBytes } from '../../lib/tpu/weights';
import { knownModels, type ModelConfiguration, modelNamed } from '../../lib/tpu/models';
import { TpuSlice } from '../../lib/tpu/slice';

const GIB = 2 ** 30;

const known = (id: string): ModelConfiguration => {
  const model = modelNamed(id);
  if (!model) throw new Error(`${id} is not in the table`);
  return model;
};

const findings = (slice: string, id: string, options?: MemoryOptions): MemoryFindings =>
  memoryFindings(TpuSlice.parse(slice), id, known(id), options);

const verdict = (slice: string, id: string, options?: MemoryOptions): string =>
  memoryFit(TpuSlice.parse(slice), known(id), options).verdict;

const line = (problem: Problem | undefined): string | undefined => problem && textOf(problem);

describe('the KV cache of one token', () => {
  const perToken = (id: string, devices: number, kvCacheDtype: KvCacheDtype = 'auto'): unknown => {
    const { least, expected } = cacheBytes(known(id), { maxModelLen: 1, devices, kvCacheDtype });
    return [least, expected];
  };

  test.each([
    ['meta-llama/Llama-3.1-8B', 1, 131072],
    ['meta-llama/Llama-3.1-8B', 8, 131072],
    ['meta-llama/Llama-3.1-70B', 8, 327680],
    ['Qwen/Qwen3-32B', 8, 262144],
  ])('for %s on %d devices has %d bytes', (id, devices, bytes) => {
    expect(perToken(id, devices)).toEqual([bytes, bytes]);
  });

  test.each<[string, string, number, KvCacheDtype, number]>([
    ['copies heads if there are more devices', 'meta-llama/Llama-3.1-8B', 16, 'auto', 2 * 131072],
    ['takes half in fp8', 'meta-llama/Llama-3.1-8B', 4, 'fp8', 65536],
    ['takes all of it in fp8 if a device has one head', 'meta-llama/Llama-3.1-8B', 8, 'fp8_e5m2', 131072],
    ['pads a head of 96 to 128', 'microsoft/Phi-3.5-mini-instruct', 1, 'auto', 32 * 2 * 32 * 128 * 2],
    ['does not pad a head of 64', 'meta-llama/Llama-3.2-1B-Instruct', 1, 'auto', 16 * 2 * 8 * 64 * 2],
    [
      'doubles one head of 64 on a device',
      'meta-llama/Llama-3.2-1B-Instruct',
      8,
      'auto',
      2 * 16 * 2 * 8 * 64 * 2,
    ],
  ])('%s (%s on %d devices, %s)', (_, id, devices, dtype, bytes) => {
    expect(perToken(id, devices, dtype)).toEqual([bytes, bytes]);
  });

  test('can have fewer copies of heads with attention data parallelism', () => {
    expect(
      cacheBytes(known('meta-llama/Llama-3.1-8B'), { maxModelLen: 1, devices: 16, dpAttention: true }),
    ).toEqual({ least: 131072, expected: 2 * 131072 });
  });

  test('is one latent with MLA: one copy as the lower bound, padded copies on every device as expected', () => {
    expect(perToken('deepseek-ai/DeepSeek-R1', 8)).toEqual([70272, 78080 * 8]);
    expect(perToken('moonshotai/Kimi-K2-Instruct', 1)).toEqual([70272, 78080]);
  });
});

describe('the KV cache of one sequence', () => {
  const cache = (
    id: string,
    maxModelLen: number,
    more: Partial<MemoryOptions> = {},
  ): { least: number; expected: number } => cacheBytes(known(id), { maxModelLen, devices: 1, ...more });

  test('has the window of sliding and chunked layers as the lower bound, and the whole sequence as expected', () => {
    const token = 2 * 8 * 128 * 2;
    expect(cache('meta-llama/Llama-4-Scout-17B-16E-Instruct', 100_000)).toEqual({
      least: token * (12 * 100_000 + 36 * 8191),
      expected: token * 48 * 100_000,
    });
    expect(cache('google/gemma-2-9b-it', 8192)).toEqual({
      least: 2 * 8 * 256 * 2 * 21 * (8192 + 4095),
      expected: 2 * 8 * 256 * 2 * 42 * 8192,
    });
    expect(cache('google/gemma-2-9b-it', 100).least).toBe(cache('google/gemma-2-9b-it', 100).expected);
  });

  test('has heads of two sizes in Gemma 4, and no heads in layers that reuse the cache of others', () => {
    expect(cache('google/gemma-4-31B-it', 2000).expected).toBe(2000 * 2 * 2 * (50 * 16 * 256 + 10 * 4 * 512));
    // 12 sliding and 3 full layers have their own cache
    expect(cache('google/gemma-4-E2B-it', 2000).expected).toBe(2000 * 2 * 2 * (12 * 256 + 3 * 512));
  });

  test('has a state of fixed size for linear attention, for every sequence of a step', () => {
    const recurrent = 45 * 64 * 128 * 128 * 4;
    const { least, expected } = cache('Qwen/Qwen3.5-397B-A17B', 1, { maxNumSeqs: 9 });
    expect(least / (2 * recurrent)).toBeCloseTo(1, 1);
    expect(expected / (10 * recurrent)).toBeCloseTo(1, 1);
    const grown = cache('Qwen/Qwen3.5-397B-A17B', 1001, { maxNumSeqs: 9 });
    expect(grown.expected - expected).toBe(1000 * 15 * 2 * 2 * 256 * 2);
  });
});

describe('weights', () => {
  test('are smaller in a smaller format, but not below the lower bound', () => {
    for (const id of knownModels()) {
      const sizes = (['bf16', 'fp8', 'int8', 'int4'] as const).map((format) =>
        weightBytes(known(id), format),
      );
      expect(sizes.map(({ expected }) => expected)).toEqual(
        sizes.map(({ expected }) => expected).sort((a, b) => b - a),
      );
      for (const { least, expected } of [...sizes, weightBytes(known(id))])
        expect(least).toBeLessThanOrEqual(expected);
    }
  });

  test('are in mxfp4 only for the experts of gpt-oss', () => {
    const experts = 24 * 32 * 3 * 2880 * 2880;
    const model = known('openai/gpt-oss-20b');
    expect(weightBytes(model).expected - experts * 0.53125).toBe(
      weightBytes(model, 'bf16').expected - experts * 2,
    );
  });
});

describe('a model on a slice', () => {
  test.each<[string, string, MemoryOptions, string]>([
    ['ct6e-standard-8t', 'meta-llama/Llama-3.1-405B-Instruct', {}, 'too large'],
    ['ct6e-standard-8t', 'deepseek-ai/DeepSeek-R1', {}, 'too large'],
    ['ct6e-standard-8t', 'deepseek-ai/DeepSeek-R1', { maxModelLen: 1 }, 'too large'],
    ['ct6e-standard-1t', 'Qwen/Qwen3-32B', { maxModelLen: 1 }, 'too large'],
    ['ct6e-standard-1t', 'meta-llama/Llama-3.1-8B', {}, 'too large'],
    ['ct6e-standard-1t', 'meta-llama/Llama-3.1-8B', { maxModelLen: 8192 }, 'fits'],
    ['ct6e-standard-1t', 'meta-llama/Llama-3.1-8B', { weightFormat: 'int8' }, 'fits'],
    ['ct6e-standard-1t', 'meta-llama/Llama-3.1-8B', { kvCacheDtype: 'fp8' }, 'fits'],
    ['ct6e-standard-1t', 'Qwen/Qwen3-8B', {}, 'fits'],
    ['ct5lp-hightpu-1t', 'Qwen/Qwen3-8B', { maxModelLen: 1024 }, 'too large'],
    // https://github.com/llm-d/llm-d and https://github.com/GoogleCloudPlatform/accelerated-platforms serve these
    ['ct6e-standard-8t', 'Qwen/Qwen3-32B', { maxModelLen: 9216 }, 'fits'],
    ['ct6e-standard-4t/2x2', 'Qwen/Qwen3-32B', {}, 'fits'],
    ['tpu7x-standard-1t', 'Qwen/Qwen3-32B', {}, 'fits'],
    [
      'tpu7x-standard-4t/2x2x1',
      'Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8',
      { maxModelLen: 262144, maxNumSeqs: 64 },
      'fits',
    ],
    [
      'tpu7x-standard-4t/2x2x1',
      'Qwen/Qwen3.5-397B-A17B-FP8',
      { maxNumSeqs: 512, kvCacheDtype: 'fp8' },
      'fits',
    ],
    // The support matrix of v0.27.0: too large for the v6e host, and passing on tpu7x
    ['ct6e-standard-8t', 'Qwen/Qwen3-Coder-480B-A35B-Instruct', {}, 'too large'],
    ['ct6e-standard-8t', 'Qwen/Qwen3.5-397B-A17B', {}, 'too large'],
    ['ct6e-standard-8t', 'meta-llama/Llama-3.3-70B-Instruct', {}, 'fits'],
    ['tpu7x-standard-4t/2x2x1', 'openai/gpt-oss-120b', {}, 'fits'],
    ['tpu7x-standard-4t/2x2x1', 'deepseek-ai/DeepSeek-R1', { maxModelLen: 16384 }, 'fits'],
    ['ct6e-standard-8t', 'google/gemma-4-31B-it', {}, 'tight'],
    ['ct6e-standard-8t', 'google/gemma-4-31B-it', { maxModelLen: 8192 }, 'fits'],
    // Fewer devices than the slice has, or copies of the model
    [
      'ct6e-standard-8t',
      'meta-llama/Llama-3.3-70B-Instruct',
      { tensorParallelSize: 4, maxModelLen: 8192 },
      'too large',
    ],
    [
      'ct6e-standard-8t',
      'meta-llama/Llama-3.3-70B-Instruct',
      { tensorParallelSize: 4, pipelineParallelSize: 2 },
      'fits',
    ],
    [
      'ct6e-standard-8t',
      'meta-llama/Llama-3.3-70B-Instruct',
      { tensorParallelSize: 4, dataParallelSize: 2 },
      'tight',
    ],
    ['ct6e-standard-1t', 'Qwen/Qwen3-8B', { gpuMemoryUtilization: 0.5 }, 'too large'],
  ])('%s, %s, %j: %s', (slice, id, options, expected) => {
    expect(verdict(slice, id, options)).toBe(expected);
  });

  test('can be given by numbers', () => {
    const slice = TpuSlice.parse('ct6e-standard-1t');
    const fit = (model: MemoryModel, options?: MemoryOptions): string =>
      memoryFit(slice, model, options).verdict;
    expect(fit({ bytes: 29 * GIB })).toBe('fits');
    expect(fit({ bytes: 30 * GIB })).toBe('too large');
    expect(fit({ bytes: 16e9, layers: 32, kvHeads: 8, headDim: 128 })).toBe('fits');
    expect(fit({ bytes: 16e9, layers: 32, kvHeads: 8, headDim: 128 }, { maxModelLen: 131072 })).toBe(
      'too large',
    );
    expect(fit({ bytes: 16e9, layers: 32, kvHeads: 8, headDim: 128, contextLength: 131072 })).toBe(
      'too large',
    );
  });

  test('has no findings if it fits', () => {
    expect(findings('ct6e-standard-1t', 'Qwen/Qwen3-8B')).toEqual({});
  });

  test.each<[string, string, MemoryOptions, string]>([
    [
      'ct6e-standard-8t',
      'meta-llama/Llama-3.1-405B-Instruct',
      {},
      "slice: 'ct6e-standard-8t/2x4' is too small for meta-llama/Llama-3.1-405B-Instruct: the weights need at least 756 GiB, and vLLM uses 235.5 GiB of its HBM, 520.5 GiB too little; use 'ct6e-standard-4t/8x8' (16 hosts, 2048 GiB)",
    ],
    [
      'ct6e-standard-1t',
      'Qwen/Qwen3-32B',
      { hosts: 'one' },
      "slice: 'ct6e-standard-1t/1x1' is too small for Qwen/Qwen3-32B: the weights need at least 61.1 GiB, and vLLM uses 29.4 GiB of its HBM, 31.6 GiB too little; use 'ct6e-standard-4t/2x2' (1 host, 128 GiB) or weights quantized to int4",
    ],
    [
      'ct6e-standard-8t',
      'deepseek-ai/DeepSeek-R1',
      { hosts: 'one', maxModelLen: 8192 },
      "slice: 'ct6e-standard-8t/2x4' is too small for deepseek-ai/DeepSeek-R1: the weights need at least 625 GiB, and vLLM uses 235.5 GiB of its HBM, 389.5 GiB too little; use 'tpu7x-standard-4t/2x2x1' (1 host, 768 GiB)",
    ],
    [
      'ct6e-standard-1t',
      'meta-llama/Llama-3.1-8B',
      { hosts: 'one' },
      "maxModelLen: is not set, and the 131072 tokens of the model's own context need at least 16 GiB of KV cache in addition to 15 GiB of weights of meta-llama/Llama-3.1-8B, and vLLM uses 29.4 GiB of the HBM of 'ct6e-standard-1t/1x1', 1.6 GiB too little; use at most 118528 tokens, kvCacheDtype 'fp8', 'ct6e-standard-4t/2x2' (1 host, 128 GiB) or weights quantized to int8, int4 or fp8",
    ],
    [
      'ct5lp-hightpu-4t/2x2',
      'google/gemma-3-27b-it',
      { maxModelLen: 131072 },
      "maxModelLen: '131072' tokens need at least 10.5 GiB of KV cache in addition to 50.4 GiB of weights of google/gemma-3-27b-it, and vLLM uses 58.8 GiB of the HBM of 'ct5lp-hightpu-4t/2x2', 1.9 GiB too little; use at most 16384 tokens or 'ct5lp-hightpu-8t/2x4' (1 host, 128 GiB)",
    ],
  ])('has a problem if it cannot start: %s, %s, %j', (slice, id, options, text) => {
    const { problem, warning } = findings(slice, id, options);
    expect(line(problem)).toBe(text);
    expect(warning).toBeUndefined();
  });

  test('has a warning if it might not start', () => {
    const { problem, warning } = findings('ct6e-standard-8t', 'google/gemma-4-31B-it');
    expect(problem).toBeUndefined();
    expect(line(warning)).toBe(
      "maxModelLen: is not set, and the 262144 tokens of the model's own context are expected to need 240 GiB of KV cache in addition to 58 GiB of weights of google/gemma-4-31B-it, and vLLM uses 235.5 GiB of the HBM of 'ct6e-standard-8t/2x4', 62.5 GiB too little; use at most 193920 tokens, kvCacheDtype 'fp8' or 'ct6e-standard-4t/4x4' (4 hosts, 512 GiB)",
    );
  });

  test.each([
    ['ct6e-standard-1t', 'meta-llama/Llama-3.1-8B', 118528],
    ['ct5lp-hightpu-4t/2x2', 'google/gemma-3-27b-it', 16384],
    ['ct6e-standard-1t', 'microsoft/phi-4', 11136],
  ])('the context in the message fits, and the next longer one does not: %s, %s', (slice, id, tokens) => {
    expect(line(findings(slice, id).problem)).toContain(`at most ${String(tokens)} tokens`);
    expect(verdict(slice, id, { maxModelLen: tokens })).toBe('fits');
    expect(verdict(slice, id, { maxModelLen: tokens + 128 })).not.toBe('fits');
  });
});

describe('the smallest shape', () => {
  test.each([
    ['Qwen/Qwen3-32B', 'v6e', {}, 'ct6e-standard-4t/2x2'],
    ['Qwen/Qwen3-32B', 'v5e', {}, 'ct5lp-hightpu-8t/2x4'],
    ['Qwen/Qwen3-32B', 'tpu7x', {}, 'tpu7x-standard-1t/1x1x1'],
    ['meta-llama/Llama-3.1-8B', 'v6e', {}, 'ct6e-standard-4t/2x2'],
    ['meta-llama/Llama-3.1-8B', 'v6e', { maxModelLen: 8192 }, 'ct6e-standard-1t/1x1'],
    ['meta-llama/Llama-3.1-405B', 'v6e', { maxModelLen: 8192 }, 'ct6e-standard-4t/4x8'],
    ['meta-llama/Llama-3.1-405B', 'v6e', { maxModelLen: 8192, hosts: 'one' }, undefined],
    // 10 KV heads divide over 1 device or 2
    ['microsoft/phi-4', 'v6e', {}, undefined],
    ['microsoft/phi-4', 'tpu7x', {}, 'tpu7x-standard-1t/1x1x1'],
  ] as const)('for %s on %s, %j, is %s', (id, generation, options, shape) => {
    expect(smallestShape(known(id), generation, options)?.toString()).toBe(shape);
  });
});

describe('KV heads and devices', () => {
  test.each([
    ['meta-llama/Llama-3.1-8B', 1],
    ['meta-llama/Llama-3.1-8B', 8],
    ['meta-llama/Llama-3.1-8B', 32],
    ['google/gemma-4-31B-it', 8],
    ['deepseek-ai/DeepSeek-R1', 7],
  ])('%s can be split over %d devices', (id, devices) => {
    expect(headsProblem(known(id), devices)).toBeUndefined();
  });

  test.each([
    [
      'microsoft/phi-4',
      4,
      "tensorParallelSize: '4' neither divides the 10 KV heads of the model nor is a multiple of them; use 2",
    ],
    [
      'meta-llama/Llama-3.1-8B',
      6,
      "tensorParallelSize: '6' neither divides the 8 KV heads of the model nor is a multiple of them; use 4",
    ],
  ])('%s cannot be split over %d devices', (id, devices, text) => {
    expect(line(headsProblem(known(id), devices))).toBe(text);
  });
});
