import { inspect } from 'node:util';
import { InvalidInputError, TpuSlice } from '../../lib';

/** Returns the error that `make` throws. */
function errorOf(make: () => unknown): InvalidInputError {
  try {
    make();
  } catch (error) {
    if (error instanceof InvalidInputError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('the stack trace of an InvalidInputError shows each problem once', () => {
  const error = errorOf(() => TpuSlice.of('ct6e-standard-4t', '9x9' as '2x2'));
  const [line = ''] = error.message.split('\n');
  expect(line).toContain('9x9');
  expect(inspect(error).split(line)).toHaveLength(2);
  expect(inspect(error)).not.toContain('problems:');
});

test('an InvalidInputError has its problems as data', () => {
  const error = errorOf(() => TpuSlice.of('ct6e-standard-4t', '9x9' as '2x2'));
  expect(error.problems).toHaveLength(1);
  expect(error.problems[0]).toHaveProperty('problem');
  expect(Object.keys(error)).not.toContain('problems');
});
