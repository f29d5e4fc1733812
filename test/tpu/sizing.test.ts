import fc from 'fast-check';
import { InvalidInputError, textOf } from '../../lib/problems/problems';
import {
  GENERATIONS,
  MACHINE_TYPES,
  type TpuGeneration,
  type TpuMachineType,
} from '../../lib/tpu/generations';
import {
  BYTES_PER_PARAMETER,
  fitProblem,
  modelByName,
  modelFit,
  type ModelMemory,
  type ModelDtype,
  type ModelFacts,
  type ModelFit,
} from '../../lib/tpu/sizing';
import { TpuSlice } from '../../lib/tpu/slice';
import { topologiesOf } from '../../lib/tpu/topology';
import { refusal } from '../refusal';

const said = (...args: Parameters<typeof fitProblem>): string | undefined => {
  const problem = fitProblem(...args);
  return problem && textOf(problem);
};

const GB = 1e9;
const GIB = 2 ** 30;
const ALL = Object.keys(GENERATIONS) as TpuGeneration[];

const on = (generation: TpuGeneration, model: ModelFacts, hosts?: 'one' | 'any'): ModelFit =>
  TpuSlice.forModel(model, { generation, ...(hosts && { hosts }) });

// ---- models, from MaxText's src/MaxText/configs/models/*.yml ----------------------------------------------------

const LLAMA_8B = { layers: 32, kvHeads: 8, headDim: 128 };
const LLAMA_70B = { layers: 80, kvHeads: 8, headDim: 128 };
const QWEN3_32B = { layers: 64, kvHeads: 8, headDim: 128 };

const SHAPES: readonly (readonly [RegExp, typeof LLAMA_8B])[] = [
  [/llama-3.*8b/i, LLAMA_8B],
  [/llama-3.*70b/i, LLAMA_70B],
  [/qwen3-32b/i, QWEN3_32B],
  [/qwen3-coder-480b/i, { layers: 62, kvHeads: 8, headDim: 128 }],
  [/gemma-2b/i, { layers: 18, kvHeads: 1, headDim: 256 }],
  // most layers of Gemma 3 have a sliding window: this counts more than they keep
  [/gemma-3-4b/i, { layers: 34, kvHeads: 4, headDim: 256 }],
  [/gemma-3-27b/i, { layers: 62, kvHeads: 16, headDim: 128 }],
];

// ---- public deployments that are known to run -------------------------------------------------------------------

// From GoogleCloudPlatform/kubernetes-engine-samples and accelerated-platforms, AI-Hypercomputer/tpu-recipes, kubernetes-sigs/lws,
// substratusai/kubeai. Stack, model, thousands of millions of parameters, dtype, where it runs, its longest sequence, what is planned for it
const RECIPES = `
rayserve            Stable-Diffusion             -    bf16   ct4p-hightpu-4t/2x2x1    -       -
jetstream           gemma-7b-it                  7    bf16   ct5lp-hightpu-8t/2x4     -       ct5lp-hightpu-1t/1x1
jetstream           Meta-Llama-3-8B              8    bf16   ct5lp-hightpu-8t/2x4     -       ct5lp-hightpu-4t/2x2
saxml               LmCloudSpmd175B32Test        175  bf16   ct5lp-hightpu-4t/4x8     -       ct5lp-hightpu-4t/4x8
saxml               gemma-2b-it                  2    bf16   ct5lp-hightpu-1t/1x1     -       ct5lp-hightpu-1t/1x1
saxml               gemma-7b-it                  7    bf16   ct5lp-hightpu-4t/2x2     -       ct5lp-hightpu-1t/1x1
vllm                Llama-3.1-70B                70   bf16   ct6e-standard-8t/2x4     4096    ct6e-standard-8t/2x4
jetstream-pathways  Llama-3.1-405B               405  int8   ct6e-standard-4t/4x4     -       ct6e-standard-4t/4x4
jetstream-pathways  Llama-2-70B                  70   bf16   ct6e-standard-4t/2x4     -       ct6e-standard-8t/2x4
optimum-tgi         Meta-Llama-3-8B              8    bf16   ct5lp-hightpu-8t/2x4     8192    ct5lp-hightpu-4t/2x2
optimum-tgi         gemma-2b                     2    bf16   ct5lp-hightpu-8t/2x4     8192    ct5lp-hightpu-1t/1x1
maxdiffusion        SDXL                         -    bf16   ct5lp-hightpu-1t/1x1     -       -
maxdiffusion        SDXL                         -    bf16   ct6e-standard-1t/1x1     -       -
rayserve            gemma-4-31B-it               31   bf16   ct6e-standard-4t/4x4     8192    ct6e-standard-4t/2x2
rayserve            Qwen3-4B-Instruct-2507       4    bf16   ct6e-standard-8t/2x4     -       ct6e-standard-1t/1x1
vllm-lws            Llama-3.3-70B-Instruct       70   bf16   ct5lp-hightpu-4t/4x4     -       ct5lp-hightpu-4t/4x4
vllm                Llama-3.3-70B                70   bf16   ct6e-standard-8t/2x4     2048    ct6e-standard-8t/2x4
vllm                Llama-3.1-8B                 8    bf16   ct6e-standard-1t/1x1     -       ct6e-standard-1t/1x1
vllm                Qwen3-32B                    32   bf16   ct6e-standard-4t/2x2     4096    ct6e-standard-4t/2x2
vllm                Qwen3-4B                     4    bf16   ct6e-standard-1t/1x1     -       ct6e-standard-1t/1x1
vllm                Qwen2.5-32B                  32   bf16   ct6e-standard-4t/2x2     -       ct6e-standard-4t/2x2
vllm                Qwen2.5-VL-7B                7    bf16   ct6e-standard-1t/1x1     16384   ct6e-standard-1t/1x1
vllm                gemma-4-31B-it               31   bf16   ct6e-standard-8t/2x4     16384   ct6e-standard-4t/2x2
vllm                gemma-4-26B-A4B-it           26   bf16   ct6e-standard-8t/2x4     16384   ct6e-standard-4t/2x2
vllm                gemma-3-1b-it                1    bf16   ct5lp-hightpu-1t/1x1     1024    ct5lp-hightpu-1t/1x1
vllm                gemma-3-4b-it                4    bf16   ct5lp-hightpu-4t/2x2     1024    ct5lp-hightpu-1t/1x1
vllm                gemma-3-27b-it               27   bf16   ct5lp-hightpu-8t/2x4     1024    ct5lp-hightpu-4t/2x2
vllm                qwen3-32b                    32   bf16   ct5lp-hightpu-8t/2x4     32768   ct5lp-hightpu-8t/2x4
vllm                gemma-3-27b-it               27   bf16   ct6e-standard-8t/2x4     16384   ct6e-standard-4t/2x2
vllm                gemma-4-31b-it               31   bf16   ct6e-standard-4t/2x2     16384   ct6e-standard-4t/2x2
vllm                gemma-4-26B-A4B-it           26   bf16   ct6e-standard-4t/2x2     16384   ct6e-standard-4t/2x2
vllm                qwen3-32b                    32   bf16   ct6e-standard-4t/2x2     32768   ct6e-standard-4t/2x2
vllm-llmd           gemma-4-31b-it               31   bf16   ct6e-standard-8t/2x4     32768   ct6e-standard-4t/2x2
vllm-llmd           qwen3-32b-fp8                32   fp8    ct6e-standard-4t/2x2     32768   ct6e-standard-4t/2x2
vllm                gemma-4-31B-it               31   fp8    tpu7x-standard-4t/2x2x1  1524    tpu7x-standard-1t/1x1x1
vllm                Qwen3.5-397B-A17B-FP8        397  fp8    tpu7x-standard-4t/2x2x1  9216    tpu7x-standard-4t/2x2x1
vllm                gpt-oss-120b                 120  fp4    tpu7x-standard-4t/2x2x1  9216    tpu7x-standard-1t/1x1x1
vllm                Qwen3-32B                    32   bf16   tpu7x-standard-1t/1x1x1  9216    tpu7x-standard-1t/1x1x1
vllm                Qwen3-Coder-480B-A35B-FP8    480  fp8    tpu7x-standard-4t/2x2x1  10240   tpu7x-standard-4t/2x2x1
vllm                Qwen3-Embedding-8B           8    bf16   tpu7x-standard-4t/2x2x1  16384   tpu7x-standard-1t/1x1x1
kubeai              gemma-2b-it                  2    bf16   ct5lp-hightpu-1t/1x1     -       ct5lp-hightpu-1t/1x1
kubeai              llama-3.1-8b                 8    bf16   ct5lp-hightpu-4t/2x2     -       ct5lp-hightpu-4t/2x2
maxtext             Llama-3.1-70B                70   bf16   tpu7x-standard-4t/4x4x4  8192    tpu7x-standard-1t/1x1x1
maxtext             Llama-3.1-70B                70   bf16   tpu7x-standard-4t/4x8x8  8192    tpu7x-standard-1t/1x1x1
jax-train           Gemma3-fine-tune             -    bf16   ct6e-standard-4t/2x4     -       -
jax-train           Gemma3-fine-tune-multislice  -    bf16   ct6e-standard-4t/2x4     -       -
rayjob              DWS-Ray-job                  -    bf16   ct6e-standard-4t/4x4     -       -
flex-batch          flex-start-job               -    bf16   ct6e-standard-4t/4x4     -       -
`
  .trim()
  .split('\n')
  .map((line) => {
    const [stack = '', model = '', billions = '', dtype = '', runsOn = '', length = '', planned = ''] =
      line.split(/ +/);
    const parameters = Number(billions) * 1e9;
    return { stack, model, parameters, dtype: dtype as ModelDtype, runsOn, length: Number(length), planned };
  });

describe('deployments that are known to run', () => {
  // without a number of parameters there is nothing to plan; those that train keep gradients and optimizer states too
  const sized = RECIPES.filter(({ parameters }) => parameters > 0);

  test('are 48, of which 41 state their parameters', () => {
    expect([RECIPES.length, sized.length]).toEqual([48, 41]);
    expect(RECIPES.filter(({ planned }) => planned === '-')).toHaveLength(7);
  });

  test.each(sized)('$stack $model on $runsOn', ({ model, parameters, dtype, runsOn, length, planned }) => {
    const [, shape] = SHAPES.find(([name]) => name.test(model)) ?? [];
    const cache = length > 0 && shape ? { ...shape, maxModelLen: length } : undefined;
    const numbers: ModelFacts = { parameters, dtype, ...cache };
    const slice = TpuSlice.parse(runsOn);
    const fit = on(slice.generation, numbers);
    expect(fit.slice.toString()).toBe(planned);

    // never more than what runs
    expect(fit.slice.chips).toBeLessThanOrEqual(slice.chips);
    expect(fit.slice.hosts).toBeLessThanOrEqual(slice.hosts);
    expect(fitProblem(slice, numbers)).toBeUndefined();

    // never less than weights and KV cache at its length
    const { layers = 0, kvHeads = 0, headDim = 0, maxModelLen = 0 } = cache ?? {};
    const cached = 2 * layers * kvHeads * headDim * 2 * maxModelLen;
    expect(fit.kvCacheGB).toBe(cache && cached / GB);
    expect(fit.slice.hbmGiB * GIB).toBeGreaterThan(parameters * BYTES_PER_PARAMETER[dtype] + cached);
  });

  test('gemma-7b has room on 4 chips of v5e, but has 8.5e9 parameters: its name is not enough for one', () => {
    expect(on('v5e', { parameters: 8.5e9 })).toMatchObject({ minChips: 2, hbmGiB: 64 });
  });

  test('15 of them count the KV cache', () => {
    const counted = sized.filter(
      ({ model, length }) => length > 0 && SHAPES.some(([name]) => name.test(model)),
    );
    expect(counted).toHaveLength(15);
  });
});

describe('by hand', () => {
  test('Llama 3.1 70B of the vLLM tutorial: 2x4 of v6e has room for 79 sequences of 4096 tokens', () => {
    const model = { parameters: 70_553_706_496, dtype: 'bf16', ...LLAMA_70B, maxModelLen: 4096 } as const;
    const { slice, ...fit } = on('v6e', model);
    expect(slice.toString()).toBe('ct6e-standard-8t/2x4');
    expect(fit).toStrictEqual({
      fits: true,
      // 70,553,706,496 x 2
      weightsGB: 141.107412992,
      // 2 x 80 layers x 8 heads x 128 x 2 bytes = 327,680 a token, x 4096
      kvCacheGB: 1.34217728,
      headroom: 0.1,
      // (141,107,412,992 + 1,342,177,280) / 0.9 = 158,277,322,524 bytes
      neededGiB: expect.closeTo(147.4072, 4),
      // 4.6 chips of 32 GiB; slices have 1, 4, 8
      minChips: 5,
      hbmGiB: 256,
      use: expect.closeTo(0.5758, 4),
      // 0.9 x 274,877,906,944 - 141,107,412,992 = 106,282,703,258 bytes for 1,342,177,280 each
      maxConcurrency: 79,
      sentence:
        "141.1 GB of weights + 1.3 GB of KV cache (1 sequence of 4096 tokens) and 10% headroom need 147.5 GiB: 5 chips of 32 GiB; 'ct6e-standard-8t/2x4' has 256 GiB (8 chips on 1 host), of which they use 58%; room for 79 sequences of 4096 tokens",
    });

    // the tutorial's --max-num-seqs=128 is a limit: so many of full length would take the next slice
    expect(on('v6e', { ...model, maxNumSeqs: 79 }).slice.topology).toBe('2x4');
    expect(on('v6e', { ...model, maxNumSeqs: 80 }).slice.toString()).toBe('ct6e-standard-4t/4x4');
    expect(on('v6e', { ...model, maxNumSeqs: 128 }).kvCacheGB).toBe(171.79869184);
    expect(on('v6e', { ...model, maxNumSeqs: 128 }).slice.toString()).toBe('ct6e-standard-4t/4x4');
  });

  test('Qwen3-32B at 32768 tokens: 8 chips of v5e or 4 of v6e, with room for 6 sequences', () => {
    // 32.8e9 x 2 = 65.6 GB; 2 x 64 x 8 x 128 x 2 = 262,144 bytes a token, x 32768 = 8.59 GB; 74.19 / 0.9 = 82.4 GB = 76.8 GiB
    const model: ModelFacts = { parameters: 32.8e9, ...QWEN3_32B, maxModelLen: 32768 };
    const v5e = on('v5e', model);
    const v6e = on('v6e', model);
    expect([v5e.slice.toString(), v6e.slice.toString()]).toEqual([
      'ct5lp-hightpu-8t/2x4',
      'ct6e-standard-4t/2x2',
    ]);
    expect(v5e).toMatchObject({ weightsGB: 65.6, kvCacheGB: 8.589934592, minChips: 5, hbmGiB: 128 });
    expect(v6e).toMatchObject({ neededGiB: expect.closeTo(76.772, 3), minChips: 3, hbmGiB: 128 });
    // (0.9 x 137.44 - 65.6) / 8.59 = 6.76
    expect([v5e.maxConcurrency, v6e.maxConcurrency]).toEqual([6, 6]);
    expect(said(TpuSlice.of('ct5lp-hightpu-4t'), model)).toBe(
      "slice: 'ct5lp-hightpu-4t/2x2' has 64 GiB of HBM, less than the 76.8 GiB that 65.6 GB of weights + 8.6 GB of KV cache (1 sequence of 32768 tokens) and 10% headroom need; use 'ct5lp-hightpu-8t/2x4' (1 host, 128 GiB)",
    );
    // the recipe for tpu7x has one chip: (0.9 x 206.16 - 65.6) / 2.416 = 49.6 sequences of 9216 tokens
    expect(on('tpu7x', { ...model, maxModelLen: 9216 })).toMatchObject({ hbmGiB: 192, maxConcurrency: 49 });
  });

  test('Llama 3.1 8B: 16.06 GB are less than the 17.18 GB of a v5e chip, and leave it nothing to work with', () => {
    const model: ModelFacts = { parameters: 8_030_261_248, ...LLAMA_8B, maxModelLen: 8192 };
    // 2 x 32 x 8 x 128 x 2 = 131,072 bytes a token, x 8192 = 1.07 GB; (16.06 + 1.07) / 0.9 = 19.04 GB = 17.7 GiB
    expect(on('v5e', model).slice.toString()).toBe('ct5lp-hightpu-4t/2x2');
    // (0.9 x 68.72 - 16.06) / 1.0737 = 42.6
    expect(on('v5e', model)).toMatchObject({ kvCacheGB: 1.073741824, minChips: 2, maxConcurrency: 42 });
    // (0.9 x 34.36 - 16.06) / 1.0737 = 13.8
    expect(on('v6e', model).slice.toString()).toBe('ct6e-standard-1t/1x1');
    expect(on('v6e', model).maxConcurrency).toBe(13);
    expect(on('v5e', { ...model, dtype: 'int8' }).slice.toString()).toBe('ct5lp-hightpu-1t/1x1');
    // without headroom: 17.13 GB in 17.18
    expect(on('v5e', { ...model, headroom: 0 }).slice.toString()).toBe('ct5lp-hightpu-1t/1x1');
    expect(on('v5e', { ...model, headroom: 0, maxModelLen: 8600 }).slice.chips).toBe(4);
  });

  test('175B of the Saxml tutorial: 350 GB / 16 GB = 22 chips, so 4x8; in GiB and with headroom 23, and the same slice', () => {
    const fit = on('v5e', { parameters: 175e9, dtype: 'bf16' });
    expect(fit.weightsGB).toBe(350);
    expect(Math.ceil(fit.weightsGB / GENERATIONS.v5e.hbmGiBPerChip)).toBe(22);
    // 350e9 / 0.9 / 2^30 = 362.2 GiB; without headroom 326, which are the 21 chips that the tutorial writes
    expect(fit.minChips).toBe(23);
    expect(on('v5e', { parameters: 175e9, headroom: 0 }).minChips).toBe(21);
    expect([fit.slice.machineType, fit.slice.topology, fit.slice.hosts]).toEqual([
      'ct5lp-hightpu-4t',
      '4x8',
      8,
    ]);
    expect(fit.sentence).toBe(
      "350 GB of weights (KV cache not counted) and 10% headroom need 362.2 GiB: 23 chips of 16 GiB; 'ct5lp-hightpu-4t/4x8' has 512 GiB (32 chips on 8 hosts), of which they use 71%; the KV cache needs layers, kvHeads, headDim and maxModelLen",
    );
  });
});

describe('which slice', () => {
  // generation, GB of weights and KV cache and headroom together, slice
  test.each<readonly [TpuGeneration, number, string]>([
    ['v5e', 16, 'ct5lp-hightpu-1t/1x1'],
    ['v5e', 17, 'ct5lp-hightpu-4t/2x2'],
    ['v5e', 64, 'ct5lp-hightpu-4t/2x2'],
    // one host of 8 chips before two of 4
    ['v5e', 65, 'ct5lp-hightpu-8t/2x4'],
    ['v5e', 129, 'ct5lp-hightpu-4t/4x4'],
    ['v5e', 4096, 'ct5lp-hightpu-4t/16x16'],
    ['v6e', 33, 'ct6e-standard-4t/2x2'],
    ['v6e', 129, 'ct6e-standard-8t/2x4'],
    ['v4', 1, 'ct4p-hightpu-4t/2x2x1'],
    ['v4', 129, 'ct4p-hightpu-4t/2x2x2'],
    // the cube before the bar: 4x8x8 and 4x4x16 both have 256 chips
    ['v5p', 33 * 95, 'ct5p-hightpu-4t/4x4x4'],
    ['v5p', 193 * 95, 'ct5p-hightpu-4t/4x8x8'],
    ['tpu7x', 192, 'tpu7x-standard-1t/1x1x1'],
    ['tpu7x', 193, 'tpu7x-standard-4t/2x2x1'],
    ['tpu7x', 33 * 192, 'tpu7x-standard-4t/4x4x4'],
  ])('%s, %d GiB: %s', (generation, gib, slice) => {
    expect(on(generation, { bytes: gib * GIB, headroom: 0 }).slice.toString()).toBe(slice);
  });

  test('one of each generation, least HBM first, then fewest hosts', () => {
    const all = TpuSlice.forModel({ parameters: 70e9 });
    expect(all.map(({ slice, hbmGiB }) => [slice.toString(), hbmGiB])).toEqual([
      ['tpu7x-standard-1t/1x1x1', 192],
      ['ct6e-standard-8t/2x4', 256],
      ['ct4p-hightpu-4t/2x2x2', 256],
      ['ct5lp-hightpu-4t/4x4', 256],
      ['ct5p-hightpu-4t/2x2x1', 380],
    ]);
  });

  test('of some generations, those that have none left out', () => {
    const fits = TpuSlice.forModel(
      { parameters: 70e9 },
      { generations: ['v5e', 'v6e', 'v5e'], hosts: 'one' },
    );
    expect(fits.map(({ slice }) => slice.toString())).toEqual(['ct6e-standard-8t/2x4']);
  });

  test('a smaller KV cache where it is stored in fewer bytes', () => {
    const model: ModelFacts = { parameters: 8e9, ...LLAMA_8B, maxModelLen: 1000, maxNumSeqs: 3 };
    expect(on('v6e', model).kvCacheGB).toBe(0.393216);
    expect(on('v6e', { ...model, kvCacheDtype: 'fp8' }).kvCacheGB).toBe(0.196608);
  });

  test('a slice that is too small says so, and how many sequences it has room for', () => {
    const chip = TpuSlice.of('ct5lp-hightpu-1t');
    expect(modelFit(chip, { parameters: 8e9, ...LLAMA_8B, maxModelLen: 1 })).toMatchObject({
      fits: false,
      use: expect.closeTo(1.0348, 4),
      maxConcurrency: 0,
      sentence:
        "16 GB of weights + 0.00013 GB of KV cache (1 sequence of 1 token) and 10% headroom need 16.6 GiB: 2 chips of 16 GiB; 'ct5lp-hightpu-1t/1x1' has 16 GiB (1 chip on 1 host), of which they use 104%; room for 0 sequences of 1 token",
    });
  });
});

describe('where nothing fits', () => {
  test('the next shape of the generation', () => {
    expect(said(TpuSlice.of('ct5lp-hightpu-4t'), { parameters: 70e9 })).toBe(
      "slice: 'ct5lp-hightpu-4t/2x2' has 64 GiB of HBM, less than the 144.9 GiB that 140 GB of weights (KV cache not counted) and 10% headroom need; use 'ct5lp-hightpu-4t/4x4' (4 hosts, 256 GiB)",
    );
  });

  test('on one host: the next with more hosts, and of another generation', () => {
    expect(said(TpuSlice.of('ct5lp-hightpu-8t'), { parameters: 70e9 }, { hosts: 'one' })).toBe(
      "slice: 'ct5lp-hightpu-8t/2x4' has 128 GiB of HBM, less than the 144.9 GiB that 140 GB of weights (KV cache not counted) and 10% headroom need; use 'ct5lp-hightpu-4t/4x4' (4 hosts, 256 GiB) or 'tpu7x-standard-1t/1x1x1' (1 host, 192 GiB)",
    );
    expect(refusal(() => on('v5e', { parameters: 70e9 }, 'one'))).toBe(
      "generation: 'v5e' has at most 128 GiB of HBM on one host, less than the 144.9 GiB that 140 GB of weights (KV cache not counted) and 10% headroom need; use 'ct5lp-hightpu-4t/4x4' (4 hosts, 256 GiB) or 'tpu7x-standard-1t/1x1x1' (1 host, 192 GiB)",
    );
  });

  test('beyond the largest slice: another generation', () => {
    expect(refusal(() => on('v6e', { parameters: 10e12 }))).toBe(
      "generation: 'v6e' has at most 8192 GiB of HBM, less than the 20696.1 GiB that 20000 GB of weights (KV cache not counted) and 10% headroom need; use 'ct4p-hightpu-4t/4x4x44' (176 hosts, 22528 GiB)",
    );
  });

  test('beyond all: one line per generation', () => {
    const model: ModelFacts = { bytes: 1e15, headroom: 0.9 };
    expect(refusal(() => TpuSlice.forModel(model, { generations: ['v5e', 'tpu7x'] }))).toBe(
      [
        "generation: 'v5e' has at most 4096 GiB of HBM, less than the 9313225.8 GiB that 1000000 GB of weights (KV cache not counted) and 90% headroom need, and no TPU slice has as much",
        "generation: 'tpu7x' has at most 1769472 GiB of HBM, less than the 9313225.8 GiB that 1000000 GB of weights (KV cache not counted) and 90% headroom need, and no TPU slice has as much",
      ].join('\n'),
    );
  });
});

describe('wrong numbers', () => {
  test.each<readonly [string, Record<string, unknown>, string]>([
    ['nothing', {}, 'parameters: required; use a number like 70e9, or bytes'],
    ['billions', { parameters: 70 }, "parameters: '70' is not a number from 1e6 to 1e15; use 70e9"],
    [
      'a fraction of billions',
      { parameters: 0.5 },
      "parameters: '0.5' is not a number from 1e6 to 1e15; use 0.5e9",
    ],
    [
      'less than none',
      { parameters: -70e9 },
      "parameters: '-70000000000' is not a number from 1e6 to 1e15; use 1e6",
    ],
    ['no number', { parameters: NaN }, "parameters: 'NaN' is not a number; use a number"],
    ['gigabytes', { bytes: 140 }, "bytes: '140' is not a number from 1e6 to 1e15; use 140e9"],
    ['too many bytes', { bytes: Infinity }, "bytes: 'Infinity' is not a number from 1e6 to 1e15; use 1e15"],
    [
      'both',
      { parameters: 8e9, bytes: 16e9 },
      "parameters: '8000000000' is set beside bytes; use only one of them",
    ],
    [
      'a type of bytes',
      { bytes: 16e9, dtype: 'int8' },
      "dtype: 'int8' is set beside bytes; use only one of them",
    ],
    [
      'another name of a type',
      { parameters: 8e9, dtype: 'bfloat16' },
      "dtype: 'bfloat16' is not known; use one of 'float32', 'bf16', 'fp16', 'int8', 'fp8', 'int4', 'fp4', for example 'float32'",
    ],
    [
      "vLLM's auto",
      { parameters: 8e9, kvCacheDtype: 'auto' },
      "kvCacheDtype: 'auto' is not known; use one of 'float32', 'bf16', 'fp16', 'int8', 'fp8', 'int4', 'fp4'",
    ],
    [
      'half a shape',
      { parameters: 8e9, layers: 32, headDim: 128, maxModelLen: 4096 },
      'kvHeads: required for the KV cache; use layers, kvHeads, headDim and maxModelLen together',
    ],
    [
      'a shape without a length',
      { parameters: 8e9, ...LLAMA_8B },
      'maxModelLen: required for the KV cache; use layers, kvHeads, headDim and maxModelLen together',
    ],
    [
      'no layers',
      { parameters: 8e9, ...LLAMA_8B, maxModelLen: 1, layers: 0 },
      "layers: '0' is not a whole number of at least 1; use 1",
    ],
    [
      'a fraction of a sequence',
      { parameters: 8e9, maxNumSeqs: 7.6 },
      "maxNumSeqs: '7.6' is not a whole number of at least 1; use 8",
    ],
    [
      'no tokens',
      { parameters: 8e9, maxModelLen: -4096 },
      "maxModelLen: '-4096' is not a whole number of at least 1; use 1",
    ],
    ['percent', { parameters: 8e9, headroom: 15 }, "headroom: '15' is not a share from 0 to 0.9; use 0.15"],
    ['all of it', { parameters: 8e9, headroom: 1 }, "headroom: '1' is not a share from 0 to 0.9; use 0.9"],
    [
      'less than none free',
      { parameters: 8e9, headroom: -0.1 },
      "headroom: '-0.1' is not a share from 0 to 0.9; use 0",
    ],
    [
      'several at once',
      { bytes: 7, dtype: 'q4', kvHeads: 1.5, headroom: 10, maxNumSeqs: NaN },
      [
        "bytes: '7' is not a number from 1e6 to 1e15; use 7e9",
        "dtype: 'q4' is not known; use one of 'float32', 'bf16', 'fp16', 'int8', 'fp8', 'int4', 'fp4'",
        "kvHeads: '1.5' is not a whole number of at least 1; use 2",
        "maxNumSeqs: 'NaN' is not a whole number of at least 1; use 1",
        "headroom: '10' is not a share from 0 to 0.9; use 0.1",
        "dtype: 'q4' is set beside bytes; use only one of them",
        'layers: required for the KV cache; use layers, kvHeads, headDim and maxModelLen together',
        'headDim: required for the KV cache; use layers, kvHeads, headDim and maxModelLen together',
        'maxModelLen: required for the KV cache; use layers, kvHeads, headDim and maxModelLen together',
      ].join('\n'),
    ],
  ])('%s', (_, model, message) => {
    const facts = model as unknown as ModelFacts;
    expect(refusal(() => TpuSlice.forModel(facts))).toBe(message);
    expect(refusal(() => modelFit(TpuSlice.of('ct6e-standard-8t'), facts))).toBe(message);
    expect(refusal(() => fitProblem(TpuSlice.of('ct6e-standard-8t'), facts))).toBe(message);
  });

  test('of the choice, together with those of the model', () => {
    const options = { generations: ['v6e', 'v7'], hosts: 'two' } as unknown as { hosts: 'one' };
    expect(refusal(() => TpuSlice.forModel({ parameters: 8 }, options))).toBe(
      [
        "generations[1]: 'v7' is not known; use one of 'v4', 'v5e', 'v5p', 'v6e', 'tpu7x', for example 'v4'",
        "hosts: 'two' is not known; use one of 'one', 'any'",
        "parameters: '8' is not a number from 1e6 to 1e15; use 8e9",
      ].join('\n'),
    );
    expect(refusal(() => TpuSlice.forModel({ parameters: 8e9 }, { generations: [] }))).toBe(
      "generations: is empty; use a list like ['v5e', 'v6e']",
    );
  });
});

describe('by name', () => {
  test.each<readonly [string, number, ModelDtype]>([
    ['meta-llama/Llama-3.1-70B', 70e9, 'bf16'],
    ['meta-llama/Llama-2-7b-chat-hf', 7e9, 'bf16'],
    ['Qwen/Qwen3-4B-Instruct-2507', 4e9, 'bf16'],
    ['Qwen/Qwen2.5-0.5B', 0.5e9, 'bf16'],
    ['HuggingFaceTB/SmolLM2-135M', 135e6, 'bf16'],
    // all parameters, not those that one token goes through
    ['google/gemma-4-26B-A4B-it', 26e9, 'bf16'],
    ['Qwen3-Coder-480B-A35B-FP8', 480e9, 'fp8'],
    ['RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a8', 8e9, 'int8'],
    ['RedHatAI/Meta-Llama-3.1-70B-Instruct-quantized.w4a16', 70e9, 'int4'],
    ['my-org/llama-13b-quantized', 13e9, 'int8'],
    ['Qwen/Qwen2.5-32B-Instruct-GPTQ-Int8', 32e9, 'int8'],
    ['Qwen/Qwen2.5-72B-Instruct-AWQ', 72e9, 'int4'],
    ['nvidia/Llama-3.3-70B-Instruct-NVFP4', 70e9, 'fp4'],
    ['my-org/llama-8b-fp32', 8e9, 'float32'],
    // not what a folder is called
    ['/data/models/70b-instruct/llama-8b/', 8e9, 'bf16'],
  ])('%s', (name, parameters, dtype) => {
    expect(modelByName(name)).toEqual({ parameters, dtype });
  });

  test.each([
    // experts times parameters, parameters that one token goes through
    'mistralai/Mixtral-8x7B-v0.1',
    'meta-llama/Llama-4-Scout-17B-16E-Instruct',
    'saxml.server.pax.lm.params.lm_cloud.LmCloudSpmd175B32Test',
    'openai/gpt2',
    '/data/70b-models/llama',
    '',
  ])('nothing: %s', (name) => {
    expect(modelByName(name)).toBeUndefined();
  });
});

// ---- for any model ----------------------------------------------------------------------------------------------

const generations = fc.constantFrom(...ALL);
const hostsChoices = fc.constantFrom('one' as const, 'any' as const);
const dtypes = fc.constantFrom(...(Object.keys(BYTES_PER_PARAMETER) as ModelDtype[]));
const caches: fc.Arbitrary<ModelMemory> = fc.oneof(
  fc.constant({}),
  fc.record({
    layers: fc.integer({ min: 1, max: 128 }),
    kvHeads: fc.integer({ min: 1, max: 64 }),
    headDim: fc.constantFrom(64, 128, 256),
    maxModelLen: fc.integer({ min: 1, max: 200_000 }),
    maxNumSeqs: fc.integer({ min: 1, max: 64 }),
    kvCacheDtype: dtypes,
  }),
);
const headrooms = fc.double({ min: 0, max: 0.5, noNaN: true });
// small and large ones as often as each other
const counts = fc.double({ min: 6, max: 13, noNaN: true }).map((exponent) => Math.round(10 ** exponent));
const models = fc
  .tuple(counts, dtypes, caches, headrooms)
  .map(([parameters, dtype, cache, headroom]) => ({ parameters, dtype, headroom, ...cache }));

/** The oracle's own arithmetic: bytes of weights and KV cache. */
function bytesOf(model: ModelFacts & { readonly parameters: number; readonly dtype: ModelDtype }): number {
  const bits = (dtype: ModelDtype): number =>
    dtype === 'float32' ? 32 : dtype.endsWith('16') ? 16 : dtype.endsWith('8') ? 8 : 4;
  const {
    layers = 0,
    kvHeads = 0,
    headDim = 0,
    maxModelLen = 0,
    maxNumSeqs = 1,
    kvCacheDtype = 'bf16',
  } = model;
  const cached = layers * kvHeads * headDim * maxModelLen * maxNumSeqs * 2;
  return (model.parameters * bits(model.dtype) + cached * bits(kvCacheDtype)) / 8;
}

/** Every legal slice of a generation. */
const slicesOf = new Map(
  ALL.map((generation) => [
    generation,
    (Object.keys(MACHINE_TYPES) as TpuMachineType[])
      .filter((type) => MACHINE_TYPES[type].generation === generation && type !== 'tpu7x-ultranet-4t')
      .flatMap((type) => topologiesOf(type).map((topology) => TpuSlice.parse(`${type}/${topology}`))),
  ]),
);
/** What is planned; undefined where nothing fits. */
function planned(model: ModelFacts, generation: TpuGeneration, hosts?: 'one' | 'any'): ModelFit | undefined {
  try {
    return on(generation, model, hosts);
  } catch (error) {
    if (error instanceof InvalidInputError) return undefined;
    throw error;
  }
}
const chipsPlanned = (model: ModelFacts, generation: TpuGeneration): number =>
  planned(model, generation)?.slice.chips ?? Infinity;

describe('any model', () => {
  test('gets the smallest legal slice that has its bytes, or none has them', () => {
    fc.assert(
      fc.property(models, generations, hostsChoices, (model, generation, hosts) => {
        const bytes = bytesOf(model);
        const enough = (slicesOf.get(generation) ?? []).filter(
          (slice) =>
            slice.hbmGiB * GIB * (1 - model.headroom) >= bytes && (hosts === 'any' || slice.hosts === 1),
        );
        const least = (of: readonly TpuSlice[], by: 'chips' | 'hosts'): readonly TpuSlice[] => {
          const min = Math.min(...of.map((slice) => slice[by]));
          return of.filter((slice) => slice[by] === min);
        };
        const best = least(least(enough, 'chips'), 'hosts').map(String);
        const fit = planned(model, generation, hosts);
        expect(best.length === 0 ? ['none'] : best).toContain(fit?.slice.toString() ?? 'none');
        expect(fit?.fits ?? true).toBe(true);
        expect(fit?.use ?? 1).toBeLessThanOrEqual(1);
        expect(fit?.maxConcurrency ?? Infinity).toBeGreaterThanOrEqual(model.maxNumSeqs ?? 1);
      }),
      { numRuns: 500 },
    );
  });

  test('never gets less for more', () => {
    const factor = fc.double({ min: 1, max: 20, noNaN: true });
    fc.assert(
      fc.property(models, generations, factor, (model, generation, times) => {
        const chips = chipsPlanned(model, generation);
        const { maxModelLen, maxNumSeqs } = model;
        const larger: ModelFacts[] = [{ ...model, parameters: model.parameters * times }];
        if (maxModelLen !== undefined)
          larger.push({ ...model, maxModelLen: Math.round(maxModelLen * times) });
        if (maxNumSeqs !== undefined) larger.push({ ...model, maxNumSeqs: Math.round(maxNumSeqs * times) });
        for (const one of larger) expect(chipsPlanned(one, generation)).toBeGreaterThanOrEqual(chips);
      }),
    );
  });

  test('fits a slice, or is told the same next shape as forModel finds', () => {
    const slices = generations.chain((generation) => fc.constantFrom(...(slicesOf.get(generation) ?? [])));
    fc.assert(
      fc.property(models, slices, (model, slice) => {
        const problem = fitProblem(slice, model);
        expect(problem === undefined).toBe(modelFit(slice, model).fits);
        const next = planned(model, slice.generation)?.slice;
        if (!problem) return;
        const named = [...(problem.use ?? '').matchAll(/'(\S+)' \(/g)].map(([, text = '']) => text);
        expect(named).toEqual(next ? [next.toString()] : named);
        expect(named.every((text) => modelFit(TpuSlice.parse(text), model).fits)).toBe(true);
        expect(named.length > 0).toBe(!problem.problem.endsWith('and no TPU slice has as much'));
      }),
    );
  });
});
