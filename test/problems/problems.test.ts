import { Problems } from '../../lib/problems/problems';

test('other errors are not taken for invalid input', () => {
  const problems = new Problems();
  const failed = new RangeError('of its own');
  expect(() => {
    problems.attempt(() => {
      throw failed;
    });
  }).toThrow(failed);
  expect(() => {
    problems.throwIfAny();
  }).not.toThrow();
});
