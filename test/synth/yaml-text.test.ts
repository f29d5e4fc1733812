import { Yaml } from 'cdk8s';
import fc, { character } from '../fast-check';
import { yamlText } from '../../lib/synth/yaml-text';

const expectSame = (document: unknown): void => {
  expect(yamlText(document)).toBe(Yaml.stringify(document));
};

describe('yamlText', () => {
  test.each([
    [
      'plain texts',
      ['a', 'a/b:v1', '/dev/shm', '--flag=1', 'a: b', 'a #b', 'a:', ':a', '-', '- a', 'a b', 'a  b', ' a'],
    ],
    [
      'words that are no text',
      ['y', 'Y', 'yes', 'No', 'TRUE', 'false', 'on', 'OFF', 'null', 'Null', '~', '', '<<', '='],
    ],
    [
      'numbers in words',
      ['1', '007', '1_0', '0x1f', '0b1', '1e3', '-1', '+1', '1.', '.5', '.inf', '.nan', '1:30', '4x8'],
    ],
    [
      'amounts and versions',
      [
        '8G',
        '20Gi',
        '2x2x1',
        '15s',
        '2.9.0',
        '0x4',
        '0s',
        '08G',
        '1E',
        '8e',
        '1.2',
        '1.2.3.4',
        '1x',
        '5k',
        '1_0s',
      ],
    ],
    [
      'flags',
      ['-m', '-e5', '--e5', '-', '--', '-y', '-true', '-.inf', '-f a', '-s=a', 'a:-1', 'a: -1', '-1', '-a:'],
    ],
    ['dates', ['2024-01-01', '2024-01-01T00:00:00Z', '2024-01-01 00:00:00 +1']],
    ['documents', ['---', '--- a', '...', '%YAML', '--', '---\na', 'a\n---\nb']],
    [
      'quotes',
      [
        '"',
        "'",
        `"'`,
        '"a"',
        "'a'",
        'a"b',
        '\\',
        '\\n',
        '{a}',
        '[a]',
        'a, b',
        '{"a": 1}',
        '`',
        '@',
        '|',
        '>',
      ],
    ],
    [
      'lines',
      [
        'a\nb',
        'a\n',
        'a\n\n',
        '\na',
        'a\n\nb',
        ' a\nb',
        'a\n b',
        'a \nb',
        'a\n \nb',
        'a\n ',
        '\n',
        '# a\nb',
        'a: b\nc',
      ],
    ],
    [
      'characters',
      [
        'é',
        '漢字',
        '\t',
        'a\tb',
        'a\nb\tc',
        '\r',
        'a\r\nb',
        '\0',
        '\u0085',
        '\u2028',
        '\ufeff',
        '😀',
        '\ud800',
      ],
    ],
    ['long texts', ['a'.repeat(300), 'a b '.repeat(80) + 'c', `${'a'.repeat(100)}\n${'b'.repeat(100)}`]],
    ['numbers', [0, -0, 1, -1, 1.5, 1e21, 1e-7, NaN, Infinity, Number.MAX_SAFE_INTEGER, 2 ** 60, 10n]],
    ['nothing', [null, undefined, [], {}, [[]], [{}], [undefined], { a: undefined }, { a: null }]],
    ['nested', [[['a', ['b']], [{ a: 1, b: [2] }]], { a: { b: { c: ['d\ne'] } } }]],
    ['values that are no plain data', [new Date(0), new Map([['a', 1]]), { toJSON: () => 1 }]],
  ])('writes %s as cdk8s does, alone, in lists and as values and keys', (_, values: readonly unknown[]) => {
    for (const value of values) {
      expectSame(value);
      expectSame([value, value]);
      expectSame({ key: value, nested: { list: [{ first: value, second: value }] } });
      if (typeof value === 'string') expectSame({ [value]: value, nested: [{ [value]: 1 }] });
    }
  });

  test('writes an alias for a value that occurs twice', () => {
    const shared = { a: [1] };
    const empty = {};
    expectSame({ one: shared, two: shared });
    expectSame({ one: empty, two: [empty] });
    expect(yamlText([shared, shared])).toContain('*');
  });

  test('writes any data as cdk8s does', () => {
    const word = fc.oneof(
      fc.string(),
      fc.string({ unit: character }),
      fc.string({
        unit: fc.constantFrom(...Array.from('aAyYnNoOeExX019_-+.:#, \n\t"\'[]{}&*!|>%@`~?/=<\\$')),
      }),
      fc.constantFrom('true', 'no', 'null', '0o7', '1e3', '12:30:45', '2001-12-14t21:59:43.10-05:00'),
    );
    const data = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        word,
        fc.integer(),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(word, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(fc.property(data.value, expectSame), { numRuns: 2000 });
  });
});
