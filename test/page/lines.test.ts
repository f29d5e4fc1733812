import { Lines } from '../../site/page/lines';
import fc from '../fast-check';

test('splits a text into the same lines as split', () => {
  const words = fc.array(fc.constantFrom('a', 'bc', '\n', '\r', ''), { maxLength: 30 });
  fc.assert(
    fc.property(words, (parts) => {
      const text = parts.join('');
      const lines = new Lines(text);
      const all = Array.from({ length: lines.count }, (_, index) => lines.line(index + 1, Infinity));
      expect(all).toEqual(text.split('\n'));
      for (const [index, line] of all.entries()) expect(text.slice(...lines.range(index + 1))).toBe(line);
    }),
  );
});

test('a line that is too long is cut, and a line number after the end means the last line', () => {
  const lines = new Lines('one\nthe second');
  expect(lines.line(2, 3)).toBe('the');
  expect(lines.range(9)).toEqual([4, 14]);
});
