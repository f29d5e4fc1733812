import { attachment } from '../../lib/problems/attached';
import { brand, isBranded } from '../../lib/problems/brand';
import { nearestWords } from '../../lib/problems/nearest';
import {
  below,
  InvalidInputError,
  isInvalidInput,
  type Problem,
  Problems,
  textOf,
} from '../../lib/problems/problems';
import { either, shown, shownApart } from '../../lib/problems/shown';

const circle: Record<string, unknown> = {};
circle['itself'] = circle;

describe('a value in a message', () => {
  test.each<[unknown, string]>([
    ['a', "'a'"],
    ['', "''"],
    [1, "'1'"],
    [null, "'null'"],
    [undefined, "'undefined'"],
    [true, "'true'"],
    [{ a: [1] }, `'{"a":[1]}'`],
    [['a'], `'["a"]'`],
    [() => 1, 'a function'],
    [circle, "'[object Object]'"],
    ['x'.repeat(80), `'${'x'.repeat(80)}'`],
    ['x'.repeat(81), `'${'x'.repeat(77)}...'`],
  ])('%p', (value, text) => {
    expect(shown(value)).toBe(text);
  });

  test.each<[string, string, string, string]>([
    ['ab', 'ac', "'ab'", "'ac'"],
    ['a', 'a', "'a'", "'a'"],
    [`${'x'.repeat(90)}a`, `${'x'.repeat(90)}b`, `'...${'x'.repeat(40)}a'`, `'...${'x'.repeat(40)}b'`],
    [`${'x'.repeat(80)}a`, 'x', `'${'x'.repeat(77)}...'`, "'x'"],
    ['x', `${'x'.repeat(80)}a`, "'x'", `'${'x'.repeat(77)}...'`],
    [`${'x'.repeat(90)}a`, 'x'.repeat(50), `'...${'x'.repeat(74)}...'`, `'...${'x'.repeat(40)}'`],
    ['x'.repeat(80), `${'x'.repeat(79)}y`, `'${'x'.repeat(80)}'`, `'${'x'.repeat(79)}y'`],
  ])('shows where %s and %s differ', (left, right, ...texts) => {
    expect(shownApart(left, right)).toEqual(texts);
  });

  test.each<[readonly string[], string]>([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a or b'],
    [['a', 'b', 'c'], 'a, b or c'],
  ])('joins the alternatives %j', (words, text) => {
    expect(either(words)).toBe(text);
  });
});

describe('the closest known words', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['maxModelLenght', ['maxModelLen', 'model', 'modelCache'], ['maxModelLen']],
    ['REPLICAS', ['replicas', 'slice'], ['replicas']],
    ['replicas', ['REPLICAS'], ['REPLICAS']],
    ['aa', ['ab', 'ac', 'xyz'], ['ab', 'ac']],
    ['v6', ['v4', 'v5e', 'v6e'], ['v6e', 'v4']],
    ['abcd', ['abxy'], ['abxy']],
    ['abcd', ['axyz'], []],
    ['aX', ['ab', 'aX'], ['aX']],
    ['a', [], []],
    [`${'a'.repeat(63)}${'b'.repeat(99)}`, ['a'.repeat(63)], ['a'.repeat(63)]],
  ])('%s resembles in %j', (word, words, nearest) => {
    expect(nearestWords(word, words)).toEqual(nearest);
  });
});

describe('a problem as text', () => {
  test.each<[Problem, string]>([
    [{ path: '', problem: 'is wrong' }, 'is wrong'],
    [{ path: 'a.b', problem: 'is missing' }, 'a.b: is missing'],
    [{ path: 'a', value: 'x', problem: 'is wrong' }, "a: 'x' is wrong"],
    [{ path: '', value: 0, problem: 'is wrong' }, "'0' is wrong"],
    [{ path: 'a', problem: 'is missing', use: 'b' }, 'a: is missing; use b'],
    [{ path: 'a', problem: 'is twice', use: 'to omit one' }, 'a: is twice; omit one'],
    [{ path: 'a', value: 'x', problem: 'is wrong', nearest: 'y' }, "a: 'x' is wrong; did you mean 'y'?"],
    [
      { path: 'a', value: 2, problem: 'is wrong', use: 'b', nearest: 3 },
      "a: '2' is wrong; use b, for example 3",
    ],
  ])('%j', (problem, text) => {
    expect(textOf(problem)).toBe(text);
  });

  test.each([
    ['', '', ''],
    ['a', '', 'a'],
    ['', 'b', 'b'],
    ['a', 'b', 'a.b'],
    ['a', '[0]', 'a[0]'],
  ])('joins the paths %j and %j', (path, part, joined) => {
    expect(below(path, part)).toBe(joined);
  });
});

describe('collected problems', () => {
  const missing = { path: 'a', problem: 'is missing' };

  test('are thrown together, each once, after the path of the construct', () => {
    const problems = new Problems();
    problems.add(missing, undefined, { ...missing });
    expect([
      problems.check(true, missing),
      problems.check(false, () => ({ path: '', problem: 'it is wrong' })),
    ]).toEqual([true, false]);
    expect(problems.check(false, missing)).toBe(false);
    expect(problems.count).toBe(4);
    expect(() => {
      problems.throwIfAny('chart/llama');
    }).toThrow(new InvalidInputError([missing, { path: '', problem: 'it is wrong' }], 'chart/llama'));
    expect(() => {
      problems.throwIfAny('chart/llama');
    }).toThrow('chart/llama a: is missing\nchart/llama: it is wrong');
    expect(() => {
      problems.throwIfAny();
    }).toThrow(/^a: is missing\nit is wrong$/);
    expect(() => {
      problems.throwIfAny('');
    }).toThrow(/^a: is missing\nit is wrong$/);
  });

  test('do not throw if there are none', () => {
    const problems = new Problems();
    expect(problems.settle(3, 'chart')).toBe(3);
    expect(() => {
      problems.throwIfAny('chart');
    }).not.toThrow();
  });

  test('include the problems that attempt() catches, below a path, but no other errors', () => {
    const problems = new Problems();
    const refuse = (): number => {
      throw new InvalidInputError([missing]);
    };
    expect(problems.attempt(() => 1)).toBe(1);
    expect([problems.attempt(refuse), problems.attempt(refuse, 'groups[0]')]).toEqual([undefined, undefined]);
    expect(() => {
      problems.throwIfAny();
    }).toThrow(/^a: is missing\ngroups\[0\]\.a: is missing$/);
    expect(() => {
      problems.attempt(() => {
        throw new RangeError('another');
      });
    }).toThrow(RangeError);
  });
});

describe('two copies of the package', () => {
  test('recognize instances of a branded class, but not the class', () => {
    class Value {
      readonly text = 'a';
    }
    expect(isBranded(new Value(), 'Value')).toBe(false);
    brand(Value, 'Value');
    expect([new Value(), Object.create(Value.prototype)].map((one) => isBranded(one, 'Value'))).toEqual([
      true,
      true,
    ]);
    expect([{}, null, undefined, 'Value', Value].map((one) => isBranded(one, 'Value'))).toEqual(
      Array(5).fill(false),
    );
    expect(isBranded(new Value(), 'Other')).toBe(false);
    expect(Symbol.for('cdk8s-tpu-serving.Value') in new Value()).toBe(true);
    expect([isInvalidInput(new InvalidInputError([])), isInvalidInput(new Error())]).toEqual([true, false]);
  });

  test('share a value that is attached to an object once, as a hidden property', () => {
    const [first, second] = [attachment<number>('count'), attachment<number>('count')];
    const object = { a: 1 };
    expect(second.of(object)).toBeUndefined();
    first.attach(object, 2);
    expect([first.of(object), second.of(object), second.of({})]).toEqual([2, 2, undefined]);
    expect(object).toEqual({ a: 1 });
    expect(Reflect.ownKeys(object)).toContain(Symbol.for('cdk8s-tpu-serving.count'));
    expect(() => {
      second.attach(object, 3);
    }).toThrow(TypeError);
  });
});
