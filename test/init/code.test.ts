import { runInNewContext } from 'node:vm';
import { call, codeOf, Expression, quoted } from '../../lib/init/code';
import fc, { character } from '../fast-check';

/** What a literal means to the language itself. */
const valueOf = (code: string): unknown => runInNewContext(`(${code})`);

test('a quoted text evaluates to the same text, whatever characters it has', () => {
  fc.assert(
    fc.property(fc.string({ unit: character }), (text) => {
      expect(valueOf(quoted(text))).toBe(text);
      expect(quoted(text)).not.toContain('\n');
    }),
  );
});

test.each(["'", '"', '\\', "\\'", '\\"', '\n', '\u2028', '`${x}`', "'); process.exit(); ('"])(
  'quotes %j',
  (text) => {
    expect(valueOf(quoted(text))).toBe(text);
  },
);

test('short values have one line, long ones a line for each part', () => {
  const short = { a: 1, b: ['x', true], c: new Expression('c'), d: undefined };
  expect(codeOf(short)).toBe("{ a: 1, b: ['x', true], c }");
  expect(codeOf({ first: 'x'.repeat(60), list: ['y'.repeat(60), { z: call('f', 1, "it's") }] })).toBe(`{
  first: '${'x'.repeat(60)}',
  list: ['${'y'.repeat(60)}', { z: f(1, 'it\\'s') }],
}`);
  expect(codeOf(['a'.repeat(60), 'b'.repeat(60)], '  ')).toBe(`[
    '${'a'.repeat(60)}',
    '${'b'.repeat(60)}',
  ]`);
});
