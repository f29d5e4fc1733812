import { Problems } from '../../lib/problems/problems';

test('attempt() passes on errors that are not about invalid input', () => {
  const problems = new Problems();
  const failed = new RangeError('another error');
  expect(() => {
    problems.attempt(() => {
      throw failed;
    });
  }).toThrow(failed);
  expect(() => {
    problems.throwIfAny();
  }).not.toThrow();
});
