import { runInNewContext } from 'node:vm';
import { InvalidInputError, Problems, textOf } from '../../lib/problems/problems';
import {
  anyObject,
  integer,
  list,
  map,
  object,
  optional,
  read,
  readAndMake,
  required,
  type Schema,
  string,
} from '../../lib/problems/schema';
import { refusal } from '../refusal';

interface Port {
  readonly name: string;
  readonly port: number;
}

interface Props {
  readonly name?: string;
  readonly ports?: readonly Port[];
  readonly image: string;
}

const PORT: Schema<Port> = {
  properties: { name: required(string(), 'http'), port: required(integer(1, 65535), 80) },
};
const lower = (value: string): { problem: string } | undefined =>
  value === value.toLowerCase() ? undefined : { problem: 'has capitals' };

const PROPS: Schema<Props> = {
  properties: {
    name: optional(string(lower)),
    ports: optional(list(object(PORT))),
    image: required(string(lower), 'server:v1'),
  },
  rules: [
    function* ({ ports = [] }) {
      for (const [index, { port }] of ports.entries())
        if (port < 1024) yield { path: `ports[${String(index)}].port`, value: port, problem: 'is reserved' };
    },
  ],
};

const problemsOf = (given: unknown): readonly string[] => {
  const problems = new Problems();
  read(PROPS, given, problems);
  return refusal(() => {
    problems.throwIfAny();
  }).split('\n');
};

describe('a list', () => {
  test('has problems with the index of their item', () => {
    expect(
      problemsOf({
        image: 'a',
        ports: [
          { name: 'a', port: 8080 },
          { name: 'b', port: 80 },
        ],
      }),
    ).toEqual(["ports[1].port: '80' is reserved"]);
  });

  test('is invalid if one item is, because the other items would get other indexes', () => {
    expect(problemsOf({ image: 'a', ports: ['80', { name: 'b', port: 80 }] })).toEqual([
      "ports[0]: '80' is a string; use an object",
    ]);
  });
});

describe('an object', () => {
  const problemsOfBoth = (given: unknown): readonly string[] => {
    const problems = new Problems();
    map(string()).read(given, 'labels', problems);
    anyObject().read(given, 'resources', problems);
    return problems.all.map(textOf);
  };

  test.each<[string, unknown, string]>([
    ['a Map', new Map([['team', 'search']]), 'a Map'],
    ['a Set', new Set(['team']), 'a Set'],
    ['a Date', new Date(0), 'a Date'],
    ['an Error', new Error('wrong'), 'an Error'],
    ['a list', ['team'], 'a list'],
  ])('cannot be %s, whose contents are not properties', (_, given, what) => {
    expect(problemsOfBoth(given)).toEqual([
      `labels: is ${what}; use an object`,
      `resources: is ${what}; use an object`,
    ]);
  });

  test.each<[string, unknown]>([
    ['without a prototype', Object.create(null)],
    [
      'of a class',
      new (class Labels {
        team = 'search';
      })(),
    ],
    ['of another realm', runInNewContext('({})')],
  ])('can be one %s', (_, given) => {
    expect(problemsOfBoth(given)).toEqual([]);
  });
});

describe('a construct', () => {
  const node = { id: 'My-Server', path: 'chart/My-Server' };
  const made: Props[] = [];
  const make = (props: Props): object => {
    made.push(props);
    if (props.ports?.length === 1) throw new InvalidInputError([{ path: 'pod', problem: 'has no volume' }]);
    return props;
  };
  beforeEach(() => {
    made.length = 0;
  });

  test('is named after its id', () => {
    expect(readAndMake(PROPS, { image: 'a' }, { id: 'it', path: 'chart/it' }, make)).toEqual({
      props: { name: 'it', image: 'a' },
      made: { name: 'it', image: 'a' },
    });
  });

  test('reports the problems of its props and of make() at once, with stand-ins for invalid props', () => {
    const props = { image: 'A', ports: [{ name: 'a', port: 8080 }] };
    expect(refusal(() => readAndMake(PROPS, props, node, make)).split('\n')).toEqual([
      "chart/My-Server name: 'My-Server' has capitals",
      "chart/My-Server image: 'A' has capitals",
      'chart/My-Server pod: has no volume',
    ]);
    expect(made).toEqual([{ ...props, name: 'my-server', image: 'server:v1' }]);
  });

  test.each([['text'], [8], [null], [undefined], [['x']]])('rejects %j as props', (props) => {
    expect(refusal(() => readAndMake(PROPS, props as never, node, make))).toMatch(
      /^chart\/My-Server: .*use an object$/,
    );
    expect(made).toEqual([]);
  });

  test('passes on other errors', () => {
    const fail = (): object => {
      throw new TypeError('a mistake in the package');
    };
    expect(() => readAndMake(PROPS, { image: 'a' }, node, fail)).toThrow(TypeError);
  });
});

test.each<[unknown, string, string]>([
  ['a\nb', 'is wrong', String.raw`it: 'a\nb' is wrong`],
  ['a\r\n\tb', 'is wrong', String.raw`it: 'a\r\n\tb' is wrong`],
  ['a\u{1b}[31mb', 'is wrong', String.raw`it: 'a\u001b[31mb' is wrong`],
  ['a\u{2028}b', 'is wrong', String.raw`it: 'a\u2028b' is wrong`],
  ['a\u{202e}b', 'is wrong', String.raw`it: 'a\u202eb' is wrong`],
  [undefined, 'differs from\nit', String.raw`it: differs from\nit`],
])('the text of a problem with the value %j is one line', (value, problem, line) => {
  expect(textOf({ path: 'it', value, problem })).toBe(line);
});

test('the path of a problem is one line', () => {
  const error = new InvalidInputError([{ path: 'labels[a\nb]', problem: 'is wrong' }], 'a\nb.yaml');
  expect(error.message).toBe(String.raw`a\nb.yaml labels[a\nb]: is wrong`);
});
