import { brand } from '../../lib/problems/brand';
import { dnsSubdomain } from '../../lib/problems/grammar';
import { Problems, textOf } from '../../lib/problems/problems';
import {
  anyObject,
  anything,
  boolean,
  either,
  falseOr,
  instance,
  integer,
  isObject,
  list,
  map,
  misfit,
  nameOf,
  nonEmpty,
  number,
  object,
  oneOf,
  optional,
  port,
  required,
  resourceName,
  string,
  type Type,
  unknownProperty,
} from '../../lib/problems/schema';

/** Reads any value. */
type Reads = Pick<Type<unknown>, 'what' | 'read'>;

/** What a type makes of a value: the part that can be used, and the problems. */
function outcome(
  type: Reads,
  value: unknown,
): { readonly usable: unknown; readonly said: readonly string[] } {
  const problems = new Problems();
  return { usable: type.read(value, 'it', problems), said: problems.all.map(textOf) };
}

class Server {
  readonly replicas = 1;
}
brand(Server, 'Server');

const short = (value: string): { problem: string } | undefined =>
  value.length < 5 ? undefined : { problem: 'is too long' };
const even = (value: number): { problem: string } | undefined =>
  value % 2 === 0 ? undefined : { problem: 'is odd' };
const NAMED = object({ properties: { name: required(string(), 'http') } });

/** Types, with the words that describe them, values that they accept unchanged, and other values with the message for each. */
const TYPES: Readonly<
  Record<
    string,
    {
      readonly type: Reads;
      readonly what: string;
      readonly accepts: readonly unknown[];
      readonly refuses: readonly (readonly [unknown, ...string[]])[];
    }
  >
> = {
  'string()': {
    type: string(),
    what: 'a string',
    accepts: ['', 'a'],
    refuses: [
      [1, "it: '1' is a number; use a string"],
      [undefined, 'it: required; use a string'],
      [null, 'it: is null; use a string'],
      [['a'], 'it: is a list; use a string'],
      [{}, 'it: is an object; use a string'],
      [() => 1, 'it: is a function; use a string'],
      [NaN, "it: 'NaN' is not a number; use a string"],
      [new Map(), 'it: is a Map; use a string'],
      [new Error('a'), 'it: is an Error; use a string'],
      [true, "it: 'true' is a boolean; use a string"],
    ],
  },
  'string(), with a grammar': {
    type: string(short, 'a short text'),
    what: 'a short text',
    accepts: ['four'],
    refuses: [
      ['longer', "it: 'longer' is too long"],
      [1, "it: '1' is a number; use a short text"],
    ],
  },
  'nonEmpty()': {
    type: nonEmpty(),
    what: 'a string',
    accepts: ['a', ' a'],
    refuses: [
      ['', "it: '' is empty; use a string"],
      [' ', "it: ' ' is empty; use a string"],
    ],
  },
  'nonEmpty(), with other words': {
    type: nonEmpty('a name'),
    what: 'a name',
    accepts: ['a'],
    refuses: [['', "it: '' is empty; use a name"]],
  },
  'boolean()': {
    type: boolean(),
    what: 'true or false',
    accepts: [true, false],
    refuses: [['true', "it: 'true' is a string; use true or false"]],
  },
  'integer()': {
    type: integer(),
    what: 'a whole number',
    accepts: [0, 2 ** 31 - 1],
    refuses: [
      [-1, "it: '-1' is not a whole number of at least 0; use 0"],
      ['4096', "it: '4096' is a string; use a whole number, for example 4096"],
    ],
  },
  'integer(), in a range': {
    type: integer(1, 8),
    what: 'a whole number',
    accepts: [1, 8],
    refuses: [[9, "it: '9' is not a whole number from 1 to 8; use 8"]],
  },
  'port()': {
    type: port(),
    what: 'a whole number',
    accepts: [1, 65535],
    refuses: [
      [0, "it: '0' is not a whole number from 1 to 65535; use 1"],
      [65536, "it: '65536' is not a whole number from 1 to 65535; use 65535"],
    ],
  },
  'number()': {
    type: number(),
    what: 'a number',
    accepts: [1.5, -1],
    refuses: [
      [NaN, "it: 'NaN' is not a number; use a number"],
      ['1', "it: '1' is a string; use a number"],
    ],
  },
  'number(), with a grammar': {
    type: number(even),
    what: 'a number',
    accepts: [2],
    refuses: [[3, "it: '3' is odd"]],
  },
  'oneOf(), one word': {
    type: oneOf('a'),
    what: "'a'",
    accepts: ['a'],
    refuses: [['b', "it: 'b' is not known; use 'a'"]],
  },
  'oneOf(), two words': {
    type: oneOf('a', 'b'),
    what: "'a' or 'b'",
    accepts: ['a', 'b'],
    refuses: [
      ['c', "it: 'c' is not known; use one of 'a', 'b'"],
      [1, "it: '1' is a number; use 'a' or 'b'"],
    ],
  },
  'oneOf(), four words': {
    type: oneOf('first', 'second', 'third', 'fourth'),
    what: "'first', 'second', 'third', 'fourth'",
    accepts: ['third'],
    refuses: [['thrid', "it: 'thrid' is not known; use one of 'first', 'second', 'third', 'fourth'"]],
  },
  'list()': {
    type: list(string(short)),
    what: 'a list',
    accepts: [[], ['a', 'b']],
    refuses: [
      ['a', "it: 'a' is a string; use a list"],
      [['a', 'longer', 1], "it[1]: 'longer' is too long", "it[2]: '1' is a number; use a string"],
    ],
  },
  'list(), not empty': {
    type: list(string(), { min: 1, what: 'at least one name' }),
    what: 'at least one name',
    accepts: [['a']],
    refuses: [[[], 'it: is empty; use at least one name']],
  },
  'object()': {
    type: NAMED,
    what: 'an object',
    accepts: [{ name: 'a' }],
    refuses: [
      ['a', "it: 'a' is a string; use an object"],
      [[], 'it: is a list; use an object'],
    ],
  },
  'object(), with a schema that is made later': {
    type: object<{ name?: string }>(() => ({ properties: { name: optional(string()) } }), 'a server'),
    what: 'a server',
    accepts: [{ name: 'a' }, {}],
    refuses: [[1, "it: '1' is a number; use a server"]],
  },
  'instance()': {
    type: instance('Server', 'new Server()'),
    what: 'new Server()',
    accepts: [new Server()],
    refuses: [
      [
        new (class Server {
          readonly replicas = 1;
        })(),
        'it: is an object; use new Server()',
      ],
      ['a', "it: 'a' is a string; use new Server()"],
    ],
  },
  'instance(), with code for a text': {
    type: instance('Server', 'new Server()', (text) => `Server.of('${text}')`),
    what: 'new Server()',
    accepts: [new Server()],
    refuses: [
      ['a', "it: 'a' is a string; use Server.of('a')"],
      [1, "it: '1' is a number; use new Server()"],
    ],
  },
  'falseOr()': {
    type: falseOr(string(short)),
    what: 'a string, or false',
    accepts: [false, 'a'],
    refuses: [
      [true, "it: 'true' is a boolean; use a string"],
      ['longer', "it: 'longer' is too long"],
    ],
  },
  'either()': {
    type: either((value) => typeof value === 'number', integer(0, 9), string(short)),
    what: 'a whole number or a string',
    accepts: [1, 'a'],
    refuses: [
      [10, "it: '10' is not a whole number from 0 to 9; use 9"],
      ['longer', "it: 'longer' is too long"],
    ],
  },
  'anyObject()': {
    type: anyObject(),
    what: 'an object',
    accepts: [{}, { a: 1 }],
    refuses: [
      [[], 'it: is a list; use an object'],
      [new Date(0), 'it: is a Date; use an object'],
      [null, 'it: is null; use an object'],
    ],
  },
  'anything()': {
    type: anything(),
    what: 'a value',
    accepts: [1, 'a', null, []],
    refuses: [],
  },
  'resourceName()': {
    type: resourceName(dnsSubdomain, 'Secret'),
    what: 'the name of a Secret, or a Secret of cdk8s-plus',
    accepts: ['a', { name: 'a' }, { kind: 'Secret', name: 'a' }],
    refuses: [
      [{ kind: 'ConfigMap', name: 'a' }, 'it: is a ConfigMap; use a Secret'],
      [{ kind: 1 }, 'it: is an object; use the name of a Secret'],
      [null, 'it: is null; use the name of a Secret'],
      [{ name: 1 }, "it: '1' is a number; use the name of a Secret"],
      [
        'A',
        "it: 'A' is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example 'a'",
      ],
    ],
  },
};

describe.each(Object.entries(TYPES))('%s', (_, { type, what, accepts, refuses }) => {
  test('is described', () => {
    expect(type.what).toBe(what);
  });

  test('accepts its values', () => {
    for (const value of accepts) expect(outcome(type, value)).toEqual({ usable: value, said: [] });
  });

  test('refuses other values', () => {
    expect(refuses.map(([value]) => outcome(type, value))).toEqual(
      refuses.map(([, ...said]) => ({ usable: undefined, said })),
    );
  });
});

describe('a whole number in quotes', () => {
  test.each<[unknown, number | undefined]>([
    ['4', 4],
    [' 4 ', 4],
    ['9', 8],
    ['0', 1],
    ['1.5', undefined],
    ['', undefined],
    [' ', undefined],
    ['24h', undefined],
    [true, undefined],
    [['4'], undefined],
  ])('%j means %j', (value, nearest) => {
    const problems = new Problems();
    integer(1, 8).read(value, 'it', problems);
    expect(problems.all).toEqual([expect.objectContaining({ path: 'it', use: 'a whole number' })]);
    expect(problems.all[0]?.nearest).toBe(nearest);
  });
});

describe('a word that resembles one of many', () => {
  const colors = oneOf('red', 'green', 'blue', 'yellow', 'black');

  test('is advised that word', () => {
    expect(outcome(colors, 'gren').said).toEqual([expect.stringContaining("'green'")]);
  });

  test('is advised no word if none is near', () => {
    const problems = new Problems();
    colors.read('transparent', 'it', problems);
    expect(problems.all).toEqual([
      {
        path: 'it',
        value: 'transparent',
        problem: 'is not known',
        use: "one of 'red', 'green', 'blue', 'yellow', 'black'",
      },
    ]);
  });
});

describe('a map', () => {
  const type = map(string(short), dnsSubdomain, 'names with texts');

  test('keeps its valid entries and leaves out missing ones', () => {
    expect(outcome(type, { a: 'x', b: undefined, c: 'longer', D: 'y' })).toEqual({
      usable: { a: 'x' },
      said: [
        "it[c]: 'longer' is too long",
        "it: 'D' is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example 'd'",
      ],
    });
  });

  test('is described by its own words', () => {
    expect(outcome(type, 'a').said).toEqual(["it: 'a' is a string; use names with texts"]);
    expect(map(string()).what).toBe('an object');
  });
});

describe('an unknown property', () => {
  const names = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, i) => `n${String(i)}`);

  test('is compared with the existing ones', () => {
    expect(unknownProperty('a.replica', 'replica', ['replicas', 'model'])).toEqual({
      path: 'a.replica',
      problem: 'unknown property',
      nearest: 'replicas',
    });
  });

  test('gets a list of up to twelve existing ones', () => {
    expect(unknownProperty('x', 'unheardOf', ['a', 'b'])).toEqual({
      path: 'x',
      problem: 'unknown property',
      use: "one of 'a', 'b'",
    });
    expect(unknownProperty('x', 'unheardOf', names(12)).use).toContain("'n11'");
    expect(unknownProperty('x', 'unheardOf', names(13))).toEqual({ path: 'x', problem: 'unknown property' });
  });
});

describe('a property', () => {
  test('that is required has an example and a stand-in', () => {
    const type = string();
    expect(required(type, 'a')).toEqual({ type, required: true, example: "'a'", standIn: 'a' });
    expect(required(integer(), 1)).toMatchObject({ required: true, example: '1', standIn: 1 });
  });
});

describe('an object', () => {
  test.each<[unknown, boolean]>([
    [{}, true],
    [Object.create(null), true],
    [[], false],
    [null, false],
    ['a', false],
    [() => 1, false],
    [new Set(), false],
  ])('is not any value: %p %p', (value, expected) => {
    expect(isObject(value)).toBe(expected);
  });

  test('is not shown in a message, because it may contain a secret', () => {
    expect(misfit('it', { token: 'hf_a' }, 'a string')).toEqual({
      path: 'it',
      problem: 'is an object',
      use: 'a string',
    });
  });
});

describe('the name of a resource', () => {
  test.each<[string | { readonly name: string }, string]>([
    ['a', 'a'],
    [{ name: 'b' }, 'b'],
  ])('%j is %j', (resource, name) => {
    expect(nameOf(resource)).toBe(name);
  });
});
