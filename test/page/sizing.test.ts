import { knownModels } from '../../lib/tpu/models';
import { InvalidInputError, type TpuGeneration, TpuSlice } from '../../lib';
import { type Choice, START } from '../../site/page/choice';
import { fittingOf, sizingOf, slicesOf, whyNot } from '../../site/page/sizing';

const choice = (changes: Partial<Choice>): Choice => ({ ...START, ...changes });

/** The smallest slice that the library chooses; undefined if it has none. */
function smallest(model: string, generation: TpuGeneration): string | undefined {
  try {
    return TpuSlice.forModel(model, { generation, maxModelLen: 8192, sequences: 8 }).slice.toString();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInputError);
    return undefined;
  }
}

test('the first slice is the slice of TpuSlice.forModel, for every known model and every generation', () => {
  for (const model of knownModels())
    for (const { generation, fitting } of sizingOf(choice({ model })).groups)
      expect([model, fitting[0]]).toEqual([model, smallest(model, generation)]);
  for (const { generation, fitting } of sizingOf(choice({ generation: '' })).groups)
    expect([generation, fitting[0]]).toEqual([generation, smallest(START.model, generation)]);
});

test('every slice is in one of the two lists, and the others have a reason', () => {
  const given = choice({ model: 'meta-llama/Llama-3.3-70B-Instruct', generation: 'v6e' });
  const [group] = sizingOf(given).groups;
  expect(group?.fitting).toContain('ct6e-standard-8t/2x4');
  expect(group?.others).toContain('ct6e-standard-1t/1x1');
  for (const name of group?.others ?? []) expect(whyNot(name, given)).toContain(name);
});

test('the parts of the bar add up to the whole chip, and match ModelFit', () => {
  const { memory, fit, slice } = fittingOf('ct6e-standard-8t/2x4', START);
  const { weights, cache = 0, reserved, free, total } = memory;
  expect(total).toBe(32);
  expect(weights + cache + reserved + free).toBeCloseTo(total, 9);
  expect(weights * slice.chips).toBeCloseTo((fit.weightsGB * 1e9) / 2 ** 30, 9);
  expect(cache * slice.chips).toBeCloseTo(((fit.kvCacheGB ?? 0) * 1e9) / 2 ** 30, 9);
});

test('node pools and quota count all replicas', () => {
  const scaled = choice({ scaling: 'adapter', maxReplicas: '3' });
  expect(fittingOf('ct6e-standard-4t/2x4', scaled)).toMatchObject({ pools: 3, nodes: 2, quota: 24 });
  expect(fittingOf('ct6e-standard-8t/2x4', scaled)).toMatchObject({ pools: 1, nodes: 3, quota: 24 });
});

test('a warm start takes less time than a cold one', () => {
  const { warmSeconds, coldSeconds } = fittingOf('ct6e-standard-8t/2x4', START);
  expect(warmSeconds).toBeLessThan(coldSeconds);
});

test('the numbers of a known model give the same sizes as its name', () => {
  const byHand = choice({
    model: 'by-hand',
    parameters: '70.6e9',
    layers: '80',
    kvHeads: '8',
    headDim: '128',
  });
  const known = choice({ model: 'meta-llama/Llama-3.3-70B-Instruct' });
  expect(sizingOf(byHand).groups[0]?.fitting).toEqual(sizingOf(known).groups[0]?.fitting);
});

test('quantization makes the weights smaller, unless they are published that way', () => {
  const weights = (changes: Partial<Choice>): number => sizingOf(choice(changes)).weightsGB ?? 0;
  expect(weights({ quantization: 'fp8' })).toBeLessThan(0.6 * weights({}));
  const published = { model: 'by-hand', weights: 'fp8' };
  expect(weights({ ...published, quantization: 'tpu_int8' })).toBe(weights(published));
});

test('the chosen slice is kept, also if it is too small', () => {
  const { chosen, memory } = sizingOf(choice({ slice: 'ct6e-standard-1t/1x1' }));
  expect(chosen?.toString()).toBe('ct6e-standard-1t/1x1');
  expect(memory?.free).toBeLessThan(0);
});

test('JetStream is offered slices of one host', () => {
  const given = choice({ server: 'jetstream', model: 'google/gemma-7b', generation: 'v5e' });
  const [group] = sizingOf(given).groups;
  for (const name of group?.fitting ?? []) expect(TpuSlice.parse(name).multiHost).toBe(false);
  expect(whyNot('ct5lp-hightpu-4t/4x4', given)).toContain('one host');
});

test.each<[string, Partial<Choice>]>([
  ['maxModelLen', { maxModelLen: 'long' }],
  ['maxModelLen', { maxModelLen: '1e99' }],
  ['sequences', { sequences: '0' }],
  ['sequences', { sequences: '9'.repeat(400) }],
  ['parameters', { model: 'by-hand', parameters: '9e99' }],
  ['parameters', { model: 'by-hand', parameters: '' }],
  ['kvHeads', { model: 'by-hand', kvHeads: '' }],
  ['layers', { model: 'by-hand', layers: '1.5' }],
  ['generation', { model: 'by-hand', parameters: '900e12', generation: '' }],
])('a wrong %p is a problem of that path: %p', (path, changes) => {
  const { problems, groups } = sizingOf(choice(changes));
  expect(problems.map((problem) => problem.path)).toContain(path);
  expect(groups.flatMap(({ fitting }) => fitting)).toEqual([]);
});

test('replicas that are not a number count as one', () => {
  expect(slicesOf(choice({ replicas: 'x' }))).toBe(1);
  expect(slicesOf(choice({ replicas: '1e9' }))).toBe(1);
  expect(slicesOf(choice({ replicas: '5' }))).toBe(5);
});
