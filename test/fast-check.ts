import fc from 'fast-check';

// The same values in every run, so that a change is judged by what it changed. `FAST_CHECK_SEED=random npm test` looks for new ones; a
// failure prints its seed, which the same variable takes.
const { FAST_CHECK_SEED: seed = '20261122', FAST_CHECK_TIME_LIMIT: limit } = process.env;
fc.configureGlobal({
  ...(seed === 'random' ? {} : { seed: Number(seed) }),
  // Milliseconds after which a property that holds so far passes: Stryker runs each property once per mutant.
  ...(limit === undefined ? {} : { plugins: [fc.interruptAfterTimeLimit(Number(limit))] }),
});

/** Any character of Unicode. fast-check's own unit `binary` does the same, but takes a second to load. */
export const character = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point));

export default fc;
