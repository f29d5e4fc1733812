import fc from 'fast-check';

// The same values in every run, so that a change is judged by what it changed. `FAST_CHECK_SEED=random npm test` looks for new ones; a
// failure prints its seed, which the same variable takes.
const { FAST_CHECK_SEED: seed = '20261122' } = process.env;
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });

export default fc;
