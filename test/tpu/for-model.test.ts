import fc from '../fast-check';
import { InvalidInputError } from '../../lib/problems/problems';
import {
  GENERATIONS,
  MACHINE_TYPES,
  type TpuGeneration,
  type TpuMachineType,
} from '../../lib/tpu/generations';
import { modelFit, type ModelFit, type ModelFitOptions } from '../../lib/tpu/for-model';
import { type ModelFacts } from '../../lib/tpu/model-facts';
import { modelByName } from '../../lib/tpu/model-names';
import { knownModels, type WeightFormat } from '../../lib/tpu/models';
import { TpuSlice } from '../../lib/tpu/slice';
import { topologiesOf } from '../../lib/tpu/topology';
import { refusal } from '../refusal';

const GIB = 2 ** 30;
const ALL = Object.keys(GENERATIONS) as TpuGeneration[];

const on = (
  generation: TpuGeneration,
  model: ModelFacts | string,
  options: ModelFitOptions = {},
): ModelFit<TpuSlice> => TpuSlice.forModel(model, { generation, ...options });

// ---- public deployments that are known to run -------------------------------------------------------------------

// From GoogleCloudPlatform/kubernetes-engine-samples and accelerated-platforms, AI-Hypercomputer/tpu-recipes, kubernetes-sigs/lws,
// substratusai/kubeai. Stack, model, thousands of millions of parameters, dtype, its slice, its longest sequence, the slice that forModel returns
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
    const [stack = '', model = '', billions = '', weights = '', runsOn = '', length = '', planned = ''] =
      line.split(/ +/);
    const parameters = Number(billions) * 1e9;
    return {
      stack,
      model,
      parameters,
      weights: weights as WeightFormat,
      runsOn,
      length: Number(length),
      planned,
    };
  });

describe('deployments that are known to run', () => {
  // Leaves out rows without a number of parameters, and training, which also keeps gradients and optimizer states.
  const sized = RECIPES.filter(({ parameters }) => parameters > 0);
  const knownAs = (name: string): string | undefined =>
    knownModels().find((id) => id.toLowerCase().endsWith(`/${name.toLowerCase()}`));

  test('are 48, of which 41 state their parameters', () => {
    expect([RECIPES.length, sized.length]).toEqual([48, 41]);
  });

  test.each(sized)(
    'fit the same slice or a smaller one: $stack $model on $runsOn',
    ({ model, parameters, weights, runsOn, length, planned }) => {
      const known = length > 0 ? knownAs(model) : undefined;
      const slice = TpuSlice.parse(runsOn);
      const options = length > 0 ? { maxModelLen: length } : {};
      const fit = on(slice.generation, known ?? { parameters, weights }, options);
      expect(fit.slice.toString()).toBe(planned);

      // never more than what runs
      expect(fit.slice.chips).toBeLessThanOrEqual(slice.chips);
      expect(fit.slice.hosts).toBeLessThanOrEqual(slice.hosts);
      expect(modelFit(slice, known ?? { parameters, weights }, options).fits).toBe(true);
      expect(fit.kvCacheGB === undefined).toBe(known === undefined);
    },
  );

  test('gemma-7b has room on 4 chips of v5e, but has 8.5e9 parameters: its name is not enough for one', () => {
    expect(on('v5e', { parameters: 8.5e9 })).toMatchObject({ minChips: 2, hbmGiB: 64 });
  });

  test('include 21 known models, whose KV cache is counted', () => {
    expect(sized.filter(({ model, length }) => length > 0 && knownAs(model) !== undefined)).toHaveLength(21);
  });
});

describe('arithmetic checked by hand', () => {
  test('Llama 3.1 70B of the vLLM tutorial: 2x4 of v6e has room for 83 sequences of 4096 tokens', () => {
    const { slice, ...fit } = on('v6e', 'meta-llama/Llama-3.1-70B', { maxModelLen: 4096 });
    expect(slice.toString()).toBe('ct6e-standard-8t/2x4');
    expect(fit).toStrictEqual({
      fits: true,
      impossible: false,
      // 2 x 128256 x 8192 of embeddings and 80 x 8192 x (2 x 8192 + 2 x 1024 + 3 x 28672) of layers, x 2 bytes
      weightsGB: 141.104775168,
      // 2 x 80 layers x 8 heads x 128 x 2 bytes = 327,680 a token, x 4096
      kvCacheGB: 1.34217728,
      maxModelLen: 4096,
      gpuMemoryUtilization: 0.92,
      // (141,104,775,168 + 1,342,177,280) / 0.92 = 154,833,643,965 bytes
      neededGiB: expect.closeTo(144.2001, 3),
      // 4.5 chips of 32 GiB; slices have 1, 4, 8
      minChips: 5,
      hbmGiB: 256,
      use: expect.closeTo(0.5633, 3),
      // 0.92 x 274,877,906,944 - 141,104,775,168 = 111,782,899,220 bytes for 1,342,177,280 each
      maxConcurrency: 83,
      sentence:
        "141.1 GB of weights + 1.3 GB of KV cache (1 sequence of 4096 tokens) need 144.3 GiB of HBM at 92% utilization: 5 chips of 32 GiB; 'ct6e-standard-8t/2x4' has 256 GiB (8 chips on 1 host), and they need 57% of it; room for 83 sequences of 4096 tokens",
    });

    // the tutorial's --max-num-seqs=128 is a limit: so many of full length would take the next slice
    const sequences = (count: number): string =>
      on('v6e', 'meta-llama/Llama-3.1-70B', { maxModelLen: 4096, sequences: count }).slice.toString();
    expect(sequences(83)).toBe('ct6e-standard-8t/2x4');
    // 16 devices copy the 8 heads
    expect(sequences(84)).toBe('ct6e-standard-4t/4x4');
  });

  test('Llama 3.1 8B: 16.06 GB are less than the 17.18 GB of a v5e chip, and leave it nothing to work with', () => {
    const model = 'meta-llama/Llama-3.1-8B';
    // 131,072 bytes a token, x 8192 = 1.07 GB; (16.06 + 1.07) / 0.92 = 18.62 GB = 17.3 GiB
    const fit = on('v5e', model, { maxModelLen: 8192 });
    expect(fit.slice.toString()).toBe('ct5lp-hightpu-4t/2x2');
    // (0.92 x 68.72 - 16.06) / 1.0737 = 43.9
    expect(fit).toMatchObject({ kvCacheGB: 1.073741824, minChips: 2, maxConcurrency: 43 });
    // without a length it is the model's own, 131072 tokens of 17.2 GB
    expect(on('v6e', model).slice.toString()).toBe('ct6e-standard-4t/2x2');
    expect(on('v5e', model, { maxModelLen: 8192, weightFormat: 'int8' }).slice.toString()).toBe(
      'ct5lp-hightpu-1t/1x1',
    );
    expect(on('v5e', model, { maxModelLen: 8192, gpuMemoryUtilization: 1 }).slice.chips).toBe(1);
  });

  test('KV heads are copied when there are more devices than heads', () => {
    const fit = (slice: string): ModelFit =>
      modelFit(TpuSlice.parse(slice), 'Qwen/Qwen3-32B', { maxModelLen: 1000 });
    expect(fit('ct6e-standard-8t').kvCacheGB).toBe(0.262144);
    expect(fit('ct6e-standard-4t/4x4').kvCacheGB).toBe(2 * 0.262144);
  });

  test('175B of the Saxml tutorial: 350 GB / 16 GB = 22 chips, so 4x8; in GiB and at 92 % 23, and the same slice', () => {
    const fit = on('v5e', { parameters: 175e9, weights: 'bf16' });
    expect(fit.weightsGB).toBe(350);
    expect(Math.ceil(fit.weightsGB / GENERATIONS.v5e.hbmGiBPerChip)).toBe(22);
    // 350e9 / 0.92 / 2^30 = 354.3 GiB; all of it 326, which are the 21 chips that the tutorial writes
    expect(fit.minChips).toBe(23);
    expect(on('v5e', { parameters: 175e9 }, { gpuMemoryUtilization: 1 }).minChips).toBe(21);
    expect([fit.slice.machineType, fit.slice.topology, fit.slice.hosts]).toEqual([
      'ct5lp-hightpu-4t',
      '4x8',
      8,
    ]);
    expect(fit.sentence).toBe(
      "350 GB of weights (KV cache not counted) need 354.4 GiB of HBM at 92% utilization: 23 chips of 16 GiB; 'ct5lp-hightpu-4t/4x8' has 512 GiB (32 chips on 8 hosts), and they need 70% of it; the KV cache needs layers, kvHeads, headDim and maxModelLen",
    );
  });
});

describe('the numbers of an unknown model', () => {
  const qwen = {
    layers: 64,
    hiddenSize: 5120,
    intermediateSize: 25600,
    vocabulary: 151936,
    heads: 64,
    kvHeads: 8,
    headDim: 128,
    contextLength: 40960,
  } as const;

  test('can be a whole configuration, which counts like that of a known model', () => {
    expect(TpuSlice.forModel(qwen)).toEqual(TpuSlice.forModel('Qwen/Qwen3-32B'));
  });

  test('can be parameters or bytes, with the numbers of its KV cache', () => {
    const cache = { layers: 64, kvHeads: 8, headDim: 128 };
    const options = { maxModelLen: 8192 };
    expect(on('v6e', { parameters: 32.8e9, ...cache }, options)).toMatchObject({
      weightsGB: 65.6,
      kvCacheGB: 2.147483648,
    });
    expect(on('v6e', { bytes: 65.6e9, ...cache }, options)).toMatchObject({
      weightsGB: 65.6,
      kvCacheGB: 2.147483648,
    });
  });

  test.each<[string, Partial<ModelFacts>, number]>([
    [
      'a window, which one implementation on TPU does not use',
      { attention: ['sliding', 'full'], window: 128 },
      262144e3,
    ],
    [
      'latent attention',
      {
        attention: ['mla'],
        mla: {
          kvLoraRank: 512,
          queryLoraRank: 1536,
          ropeHeadDim: 64,
          noPositionHeadDim: 128,
          valueHeadDim: 128,
        },
      },
      // 512 + 128 numbers a token, on each of 4 devices
      64 * 640 * 2 * 4 * 1e3,
    ],
    [
      'linear attention: a state for each of 256 sequences and one more',
      { attention: ['linear'], linear: { keyHeads: 16, valueHeads: 32, headDim: 128, stateBytes: 4 } },
      64 * 257 * (32 * 128 * 128 * 4 + 3 * 64 * 128 * 2),
    ],
  ])('can have %s', (_, facts, bytes) => {
    const model = { parameters: 8e9, layers: 64, kvHeads: 8, headDim: 128, ...facts } as ModelFacts;
    const { kvCacheGB } = modelFit(TpuSlice.of('ct6e-standard-4t'), model, { maxModelLen: 1000 });
    expect(kvCacheGB).toBeCloseTo(bytes / 1e9, 6);
  });
});

describe('the smallest slice', () => {
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
    // the more compact topology: 4x8x8 and 4x4x16 both have 256 chips
    ['v5p', 33 * 95, 'ct5p-hightpu-4t/4x4x4'],
    ['v5p', 193 * 95, 'ct5p-hightpu-4t/4x8x8'],
    ['tpu7x', 192, 'tpu7x-standard-1t/1x1x1'],
    ['tpu7x', 193, 'tpu7x-standard-4t/2x2x1'],
    ['tpu7x', 33 * 192, 'tpu7x-standard-4t/4x4x4'],
  ])('on %s with %d GiB is %s', (generation, gib, slice) => {
    expect(on(generation, { bytes: gib * GIB }, { gpuMemoryUtilization: 1 }).slice.toString()).toBe(slice);
  });

  test('is listed for each generation, least HBM first, then fewest hosts', () => {
    const all = TpuSlice.forModel({ parameters: 70e9 });
    expect(all.map(({ slice, hbmGiB }) => [slice.toString(), hbmGiB])).toEqual([
      ['tpu7x-standard-1t/1x1x1', 192],
      ['ct6e-standard-8t/2x4', 256],
      ['ct4p-hightpu-4t/2x2x2', 256],
      ['ct5lp-hightpu-4t/4x4', 256],
      ['ct5p-hightpu-4t/2x2x1', 380],
    ]);
  });

  test('is missing for generations without one', () => {
    const fits = TpuSlice.forModel(
      { parameters: 70e9 },
      { generations: ['v5e', 'v6e', 'v5e'], hosts: 'one' },
    );
    expect(fits.map(({ slice }) => slice.toString())).toEqual(['ct6e-standard-8t/2x4']);
  });
});

describe('if no slice fits', () => {
  test('on one host, the error names a slice of another generation, not one with more hosts', () => {
    expect(refusal(() => on('v5e', { parameters: 70e9 }, { hosts: 'one' }))).toBe(
      "generation: 'v5e' has no slice on one host that holds the model: 140 GB of weights (KV cache not counted) need 141.8 GiB of HBM at 92% utilization, and the largest has 128 GiB; use 'tpu7x-standard-1t/1x1x1' (1 host, 192 GiB)",
    );
  });

  test('the error names another generation', () => {
    expect(refusal(() => on('v6e', { parameters: 10e12 }))).toBe(
      "generation: 'v6e' has no slice that holds the model: 20000 GB of weights (KV cache not counted) need 20246.2 GiB of HBM at 92% utilization, and the largest has 8192 GiB; use 'ct4p-hightpu-4t/4x8x20' (160 hosts, 20480 GiB)",
    );
  });

  test('because no number of devices suits the KV heads, the error says so', () => {
    expect(refusal(() => on('v6e', 'microsoft/phi-4'))).toBe(
      "generation: 'v6e' has no slice that holds the model: 29.3 GB of weights + 4 GB of KV cache (1 sequence of 16384 tokens) need 33.8 GiB of HBM at 92% utilization, and the largest has 8192 GiB, but its devices do not suit the KV heads of the model; use 'tpu7x-standard-1t/1x1x1' (1 host, 192 GiB)",
    );
  });

  test('in any generation, the error has one line per generation', () => {
    const model: ModelFacts = { bytes: 1e15 };
    const text = refusal(() =>
      TpuSlice.forModel(model, { generations: ['v5e', 'tpu7x'], gpuMemoryUtilization: 0.1 }),
    );
    expect(text.split('\n')).toEqual([
      expect.stringMatching(
        /^generation: 'v5e' has no slice that holds the model: .* the largest has 4096 GiB$/,
      ),
      expect.stringMatching(/^generation: 'tpu7x' has no slice that holds the model: /),
    ]);
  });

  test('modelFit() says that the slice is too small', () => {
    const chip = TpuSlice.of('ct5lp-hightpu-1t');
    expect(modelFit(chip, 'meta-llama/Llama-3.1-8B', { maxModelLen: 1 })).toMatchObject({
      fits: false,
      impossible: true,
      use: expect.closeTo(1.016, 3),
      maxConcurrency: 0,
    });
  });
});

describe('invalid numbers', () => {
  const configuration = { layers: 2, hiddenSize: 8, vocabulary: 8, heads: 1, kvHeads: 1, headDim: 8 };

  test.each<readonly [string, unknown, string]>([
    ['nothing', {}, 'parameters: required; use a number like 70e9, or bytes, or the numbers of config.json'],
    ['a number instead of an object', 7, "7' is a number; use an object"],
    [
      'an unknown property',
      'Qwen/Qwen3-33B',
      "model: 'Qwen/Qwen3-33B' is not a known model; use its numbers, like { parameters: 70e9 }, or a known model's Hugging Face id, for example 'Qwen/Qwen3-32B'",
    ],
    ['billions', { parameters: 70 }, "parameters: '70' is not a number from 1e6 to 1e15; use 70e9"],
    [
      'a fraction of billions',
      { parameters: 0.5 },
      "parameters: '0.5' is not a number from 1e6 to 1e15; use 0.5e9",
    ],
    ['a size in billions', { parameters: NaN }, "parameters: 'NaN' is not a number; use a number"],
    ['gigabytes', { bytes: 140 }, "bytes: '140' is not a number from 1e6 to 1e15; use 140e9"],
    ['too many bytes', { bytes: Infinity }, "bytes: 'Infinity' is not a number from 1e6 to 1e15; use 1e15"],
    [
      'both',
      { parameters: 8e9, bytes: 16e9 },
      "parameters: '8000000000' is set together with bytes; use only one of them",
    ],
    [
      'a format of bytes',
      { bytes: 16e9, weights: 'int8' },
      "weights: 'int8' is set together with bytes; use only one of them",
    ],
    [
      'a width beside parameters',
      { parameters: 8e9, hiddenSize: 4096 },
      "hiddenSize: '4096' is set together with parameters; use only one of them",
    ],
    [
      'another name of a format',
      { parameters: 8e9, weights: 'bfloat16' },
      "weights: 'bfloat16' is not known; use one of 'float32', 'bf16', 'fp16', 'int8', 'fp8', 'int4', 'fp4', 'mxfp4', for example 'float32'",
    ],
    [
      'half of the KV cache',
      { parameters: 8e9, layers: 32, headDim: 128 },
      'kvHeads: required for the KV cache; use layers, kvHeads and headDim together',
    ],
    [
      'half of a configuration',
      { ...configuration, heads: undefined },
      'heads: required without parameters or bytes',
    ],
    ['a configuration without a width', configuration, 'intermediateSize: required without experts'],
    [
      'no layers',
      { parameters: 8e9, layers: 0, kvHeads: 8, headDim: 128 },
      "layers: '0' is not a whole number of at least 1; use 1",
    ],
    [
      'an unknown kind of attention',
      { parameters: 8e9, attention: ['local'] },
      "attention[0]: 'local' is not known; use one of 'full', 'sliding', 'chunked', 'mla', 'linear'",
    ],
    [
      'a window without tokens',
      { parameters: 8e9, attention: ['sliding'] },
      "window: required for layers that are 'sliding'",
    ],
    [
      'MLA without numbers',
      { parameters: 8e9, attention: ['mla'] },
      "mla: required for layers that are 'mla'",
    ],
    [
      'a window without layers',
      { parameters: 8e9, window: 128 },
      "attention: has no layer with a window, but window is set; use a pattern like ['sliding', 'full']",
    ],
    [
      'linear attention without layers',
      { parameters: 8e9, linear: { keyHeads: 1, valueHeads: 1, headDim: 1, stateBytes: 2 } },
      "attention: has no layer that is 'linear', but linear is set; use a pattern with 'linear'",
    ],
    ['an unknown number', { parameters: 8e9, headroom: 0.1 }, 'headroom: unknown property'],
  ])('%s', (_, model, message) => {
    const facts = model as ModelFacts;
    expect(refusal(() => TpuSlice.forModel(facts))).toContain(message);
    expect(refusal(() => modelFit(TpuSlice.of('ct6e-standard-8t'), facts))).toContain(message);
  });

  test.each<readonly [Record<string, unknown>, string]>([
    [{ gpuMemoryUtilization: 92 }, "gpuMemoryUtilization: '92' is not above 0 and at most 1; use 0.92"],
    [{ gpuMemoryUtilization: 0 }, "gpuMemoryUtilization: '0' is not above 0 and at most 1; use 0.92"],
    [{ sequences: 7.6 }, "sequences: '7.6' is not a whole number of at least 1; use 8"],
    [{ maxModelLen: -4096 }, "maxModelLen: '-4096' is not a whole number of at least 1; use 1"],
    [{ kvCacheDtype: 'int8' }, "kvCacheDtype: 'int8' is not known"],
    [{ weightFormat: 'q4' }, "weightFormat: 'q4' is not known"],
  ])('are rejected in the options %j', (options, message) => {
    const given = options as ModelFitOptions;
    expect(refusal(() => TpuSlice.forModel({ parameters: 8e9 }, given))).toContain(message);
    expect(refusal(() => modelFit(TpuSlice.of('ct6e-standard-8t'), { parameters: 8e9 }, given))).toContain(
      message,
    );
  });

  test('in the options are reported together with those of the model', () => {
    const options = { generations: ['v6e', 'v7'], hosts: 'two' } as unknown as { hosts: 'one' };
    expect(refusal(() => TpuSlice.forModel({ parameters: 8 }, options))).toBe(
      [
        "parameters: '8' is not a number from 1e6 to 1e15; use 8e9",
        "hosts: 'two' is not known; use one of 'one', 'any'",
        "generations[1]: 'v7' is not known; use one of 'v4', 'v5e', 'v5p', 'v6e', 'tpu7x', for example 'v4'",
      ].join('\n'),
    );
    expect(refusal(() => TpuSlice.forModel({ parameters: 8e9 }, { generations: [] }))).toBe(
      "generations: is empty; use a list like ['v5e', 'v6e']",
    );
  });
});

describe('modelByName()', () => {
  test.each<readonly [string, number, WeightFormat]>([
    ['meta-llama/Llama-3.1-70B', 70e9, 'bf16'],
    ['meta-llama/Llama-2-7b-chat-hf', 7e9, 'bf16'],
    ['Qwen/Qwen3-4B-Instruct-2507', 4e9, 'bf16'],
    ['Qwen/Qwen2.5-0.5B', 0.5e9, 'bf16'],
    ['HuggingFaceTB/SmolLM2-135M', 135e6, 'bf16'],
    // all parameters, not the active ones
    ['google/gemma-4-26B-A4B-it', 26e9, 'bf16'],
    ['Qwen3-Coder-480B-A35B-FP8', 480e9, 'fp8'],
    ['RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a8', 8e9, 'int8'],
    ['RedHatAI/Meta-Llama-3.1-70B-Instruct-quantized.w4a16', 70e9, 'int4'],
    ['my-org/llama-13b-quantized', 13e9, 'int8'],
    ['Qwen/Qwen2.5-32B-Instruct-GPTQ-Int8', 32e9, 'int8'],
    ['Qwen/Qwen2.5-72B-Instruct-AWQ', 72e9, 'int4'],
    ['nvidia/Llama-3.3-70B-Instruct-NVFP4', 70e9, 'fp4'],
    ['my-org/llama-8b-fp32', 8e9, 'float32'],
    // not the name of a folder
    ['/data/models/70b-instruct/llama-8b/', 8e9, 'bf16'],
  ])('%s', (name, parameters, weights) => {
    expect(modelByName(name)).toEqual({ parameters, weights });
  });

  test.each([
    // experts times parameters, and active parameters
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
const BITS = { float32: 32, bf16: 16, fp16: 16, int8: 8, fp4: 4 } as const;
// small and large numbers are equally frequent
const counts = fc.double({ min: 6, max: 13, noNaN: true }).map((exponent) => Math.round(10 ** exponent));

interface AnyModel {
  readonly parameters: number;
  readonly weights: keyof typeof BITS;
  readonly layers: number;
  readonly kvHeads: number;
  readonly headDim: number;
}

const models: fc.Arbitrary<AnyModel> = fc.record({
  parameters: counts,
  weights: fc.constantFrom(...(Object.keys(BITS) as (keyof typeof BITS)[])),
  layers: fc.integer({ min: 1, max: 128 }),
  kvHeads: fc.constantFrom(1, 2, 4, 5, 8, 16),
  headDim: fc.constantFrom(128, 256),
});
const choices = fc.record({
  maxModelLen: fc.integer({ min: 1, max: 200_000 }),
  sequences: fc.integer({ min: 1, max: 64 }),
  gpuMemoryUtilization: fc.double({ min: 0.5, max: 1, noNaN: true }),
  hosts: fc.constantFrom('one' as const, 'any' as const),
});
type Choice = typeof choices extends fc.Arbitrary<infer T> ? T : never;

/** The oracle's arithmetic: bytes of the weights, and of a KV cache whose heads are copied to every device. */
function bytesOf(model: AnyModel, choice: Choice, devices: number): number {
  const token = model.layers * Math.max(model.kvHeads, devices) * model.headDim * 2 * 2;
  return (model.parameters * BITS[model.weights]) / 8 + token * choice.maxModelLen * choice.sequences;
}

/** Every valid slice of a generation. */
const slicesOf = new Map(
  ALL.map((generation) => [
    generation,
    (Object.keys(MACHINE_TYPES) as TpuMachineType[])
      .filter((type) => MACHINE_TYPES[type].generation === generation && type !== 'tpu7x-ultranet-4t')
      .flatMap((type) => topologiesOf(type).map((topology) => TpuSlice.parse(`${type}/${topology}`))),
  ]),
);

/** Returns the result of `forModel`; undefined if no slice fits. */
function planned(
  model: ModelFacts,
  generation: TpuGeneration,
  options: ModelFitOptions,
): ModelFit<TpuSlice> | undefined {
  try {
    return on(generation, model, options);
  } catch (error) {
    if (error instanceof InvalidInputError) return undefined;
    throw error;
  }
}

describe('any model', () => {
  test('gets the smallest valid slice that holds its bytes and can split its heads, or an error if there is none', () => {
    fc.assert(
      fc.property(models, generations, choices, (model, generation, choice) => {
        const enough = (slicesOf.get(generation) ?? []).filter(
          ({ hbmGiB, hosts, devices }) =>
            hbmGiB * GIB * choice.gpuMemoryUtilization >= bytesOf(model, choice, devices) &&
            (devices % model.kvHeads === 0 || model.kvHeads % devices === 0) &&
            (choice.hosts === 'any' || hosts === 1),
        );
        const least = (of: readonly TpuSlice[], by: 'chips' | 'hosts'): readonly TpuSlice[] => {
          const min = Math.min(...of.map((slice) => slice[by]));
          return of.filter((slice) => slice[by] === min);
        };
        const best = least(least(enough, 'chips'), 'hosts').map(String);
        const fit = planned(model, generation, choice);
        expect(best.length === 0 ? ['none'] : best).toContain(fit?.slice.toString() ?? 'none');
        expect(fit?.fits ?? true).toBe(true);
        expect(fit?.use ?? 1).toBeLessThanOrEqual(1);
        expect(fit?.maxConcurrency ?? Infinity).toBeGreaterThanOrEqual(choice.sequences);
      }),
      { numRuns: 150 },
    );
  });

  test('has room for maxConcurrency sequences, but not for one more', () => {
    fc.assert(
      fc.property(models, generations, choices, (model, generation, choice) => {
        const fit = planned(model, generation, choice);
        if (fit?.maxConcurrency === undefined) return;
        const fits = (sequences: number): boolean =>
          modelFit(fit.slice, model, { ...choice, sequences }).fits;
        expect([fits(fit.maxConcurrency), fits(fit.maxConcurrency + 1)]).toEqual([true, false]);
      }),
      { numRuns: 50 },
    );
  });
});
