import { Problems } from '../../lib/problems/problems';

test('what is no refusal of input is not taken for one', () => {
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
