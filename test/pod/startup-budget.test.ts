import fc from '../fast-check';
import { type StartupConditions, startupEstimate, TpuSlice } from '../../lib';
import { modelSizeByName } from '../../lib/pod/startup-budget';

const v6e = TpuSlice.of('ct6e-standard-8t');

/** Times that users measured, in seconds, and their conditions. */
describe('the estimate is within a factor of two of measurements', () => {
  const size8B = '16G';
  const size70B = '141G';
  test.each([
    [
      '8B through Cloud Storage FUSE without a cache: one hour',
      3600,
      { modelSize: size8B, uncachedFuse: true, warmWeights: true, warmCompileCache: true },
    ],
    ['8B with a cache: 1 m 37 s', 97, { modelSize: size8B, warmWeights: true, warmCompileCache: true }],
    ['70B with a cache: 14 minutes', 840, { modelSize: size70B, warmWeights: true, warmCompileCache: true }],
    ['8B, nothing compiled: 357 s', 357, { modelSize: size8B, warmWeights: true }],
    ['8B, compiled before: 154 s', 154, { modelSize: size8B, warmWeights: true, warmCompileCache: true }],
  ])('%s', (_, measured, conditions) => {
    const { totalSeconds, budgetSeconds } = startupEstimate({ slice: v6e, ...conditions });
    expect(totalSeconds).toBeGreaterThan(measured / 2);
    expect(totalSeconds).toBeLessThan(measured * 2);
    expect(budgetSeconds).toBeGreaterThan(measured);
  });

  test('a first compile takes 10 to 30 minutes, and a later one 1 to 3', () => {
    const cold = startupEstimate({ slice: v6e, modelSize: size70B }).compileSeconds;
    const warm = startupEstimate({ slice: v6e, modelSize: size70B, warmCompileCache: true }).compileSeconds;
    expect(cold).toBeGreaterThan(600);
    expect(cold).toBeLessThan(1800);
    expect(warm).toBeGreaterThan(60);
    expect(warm).toBeLessThan(180);
  });
});

test('a missing size counts as the memory of the slice', () => {
  const { loadSeconds } = startupEstimate({ slice: v6e });
  expect(loadSeconds).toBe(startupEstimate({ slice: v6e, modelSize: '256Gi' }).loadSeconds);
});

describe('for any', () => {
  const gigabytes = fc.integer({ min: 1, max: 2000 });
  const conditions = fc.record({
    warmWeights: fc.boolean(),
    warmCompileCache: fc.boolean(),
    uncachedFuse: fc.boolean(),
  });

  test('model, the time grows with its size, and the budget does not decrease', () => {
    fc.assert(
      fc.property(gigabytes, gigabytes, conditions, (a, b, given) => {
        const [small, large] = [Math.min(a, b), Math.max(a, b)].map((size) =>
          startupEstimate({ slice: v6e, modelSize: `${String(size)}G`, ...given }),
        );
        expect(large?.totalSeconds).toBeGreaterThanOrEqual(small?.totalSeconds ?? Infinity);
        expect(large?.budgetSeconds).toBeGreaterThanOrEqual(small?.budgetSeconds ?? Infinity);
      }),
    );
  });

  test('model, warm caches take less time, and a budget of up to four hours covers twice the estimate', () => {
    fc.assert(
      fc.property(gigabytes, conditions, (size, given) => {
        const of = (more: object): ReturnType<typeof startupEstimate> =>
          startupEstimate({ slice: v6e, modelSize: `${String(size)}G`, ...given, ...more });
        const cold = of({ warmWeights: false, warmCompileCache: false });
        for (const warm of [of({ warmWeights: true }), of({ warmCompileCache: true })]) {
          expect(warm.totalSeconds).toBeLessThanOrEqual(cold.totalSeconds);
          expect(warm.budgetSeconds).toBeLessThanOrEqual(cold.budgetSeconds);
          expect(warm.budgetSeconds).toBeGreaterThanOrEqual(Math.min(14_400, warm.totalSeconds * 2 - 2));
          expect(warm.budgetSeconds).toBeLessThanOrEqual(14_400);
        }
        expect(of({ warmWeights: true, warmCompileCache: true }).totalSeconds).toBeLessThan(
          of({ warmWeights: false, warmCompileCache: false }).totalSeconds,
        );
      }),
    );
  });
});

test.each([
  ['meta-llama/Llama-3.1-70B', '142G'],
  ['Qwen/Qwen3-4B-Instruct-2507', '8G'],
  ['Qwen/Qwen3-32B-FP8', '33G'],
  ['google/gemma-7b-it', '14G'],
  ['/data/model', undefined],
  ['mistralai/Mixtral-8x7B', undefined],
])('guesses from the name %s the size %s', (model, size) => {
  expect(modelSizeByName(model)).toBe(size);
});

test('rejects a size that is not a quantity', () => {
  expect(() => startupEstimate({ slice: v6e, modelSize: '70B' })).toThrow(
    "modelSize: '70B' is not a quantity; use a number with a suffix, for example '20Gi'",
  );
});

test('rejects unknown and missing conditions', () => {
  const loose = (conditions: object): unknown => startupEstimate(conditions as StartupConditions);
  expect(() => loose({ slice: v6e, warmWeigths: true })).toThrow(
    "warmWeigths: unknown property; did you mean 'warmWeights'?",
  );
  expect(() => loose({})).toThrow("slice: required, for example TpuSlice.of('ct6e-standard-8t')");
});
