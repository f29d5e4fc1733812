import {
  INT32,
  absolutePath,
  bare,
  bucketFolder,
  bucketName,
  bucketOfFolder,
  cores,
  dnsLabel,
  dnsSubdomain,
  holdsToken,
  hostName,
  image,
  integerProblem,
  isUnder,
  labelKey,
  labelValue,
  looksLikeToken,
  nearestLabel,
  podLabel,
  portName,
  quantity,
  quantityOf,
  room,
  singleLine,
  urlPath,
  variableName,
  type Grammar,
} from '../../lib/problems/grammar';

/** Texts that a grammar accepts; the problem and advice of others, each with the nearest valid text if there is one. */
interface Cases {
  readonly grammar: Grammar;
  readonly accepts: readonly string[];
  readonly refuses: readonly {
    readonly problem: string;
    readonly use: string;
    readonly texts: readonly (readonly [string, nearest?: string])[];
  }[];
}

const GRAMMARS: Readonly<Record<string, Cases>> = {
  dnsLabel: {
    grammar: dnsLabel(),
    accepts: ['a', 'a1-b', 'a'.repeat(63)],
    refuses: [
      { problem: 'has 64 characters', use: 'at most 63', texts: [['a'.repeat(64), 'a'.repeat(63)]] },
      {
        problem: 'is not a DNS label',
        use: "lower-case letters, digits and '-', starting with a letter and not ending with '-'",
        texts: [
          ['1a', 'a'],
          ['-a', 'a'],
          ['a-', 'a'],
          ['A', 'a'],
          ['My Model', 'my-model'],
          ['9-', 'x'],
          ['a.b', 'a-b'],
          ['ab\n', 'ab'],
          ['', 'x'],
        ],
      },
    ],
  },
  'dnsLabel(5)': {
    grammar: dnsLabel(5, 'pods get a suffix'),
    accepts: ['abcde'],
    refuses: [
      { problem: 'has 6 characters', use: 'at most 5 (pods get a suffix)', texts: [['abcd-e', 'abcd']] },
      { problem: 'has 8 characters', use: 'at most 5 (pods get a suffix)', texts: [['12ab--cd', 'ab--c']] },
      {
        problem: 'is not a DNS label',
        use: "lower-case letters, digits and '-', starting with a letter and not ending with '-'",
        texts: [['a/b', 'a-b']],
      },
    ],
  },
  podLabel: {
    grammar: podLabel,
    accepts: ['0', '0-a', 'a'.repeat(63)],
    refuses: [
      { problem: 'has 64 characters', use: 'at most 63', texts: [['a'.repeat(64), 'a'.repeat(63)]] },
      {
        problem: 'is not a DNS label',
        use: "lower-case letters, digits and '-', starting and ending with a letter or digit",
        texts: [
          ['a-', 'a'],
          ['-a', 'a'],
          ['A_b', 'a-b'],
          ['x\ny', 'x-y'],
          ['', 'x'],
        ],
      },
    ],
  },
  dnsSubdomain: {
    grammar: dnsSubdomain,
    accepts: ['a', '0.a-b.c', 'a'.repeat(253)],
    refuses: [
      {
        problem: 'is not a DNS name',
        use: "at most 253 lower-case letters, digits, '-' and '.'",
        texts: [
          ['a'.repeat(254), 'a'.repeat(253)],
          ['a..b', 'a.b'],
          ['A.-b', 'a.b'],
          ['.', 'x'],
          ['a.b-', 'a.b'],
          ['a_b.c', 'a-b.c'],
          ['a-.b', 'a.b'],
          ['-a.b', 'a.b'],
          ['..a', 'a'],
          ['', 'x'],
        ],
      },
    ],
  },
  portName: {
    grammar: portName,
    accepts: ['http', 'a1-b', '8http', 'aaaaaaaaaaaaaaa'],
    refuses: [
      {
        problem: 'is not the name of a port',
        use: "at most 15 lower-case letters, digits and single '-', with at least one letter",
        texts: [
          ['80', 'x'],
          ['a--b', 'a-b'],
          ['HTTP_API', 'http-api'],
          ['-a', 'a'],
          ['a-', 'a'],
          ['aaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaa'],
          ['1-2', 'x'],
          ['a b', 'a-b'],
        ],
      },
    ],
  },
  labelValue: {
    grammar: labelValue,
    accepts: ['', 'a', 'A.b_c-1', 'a'.repeat(63)],
    refuses: [
      {
        problem: 'is not a label value',
        use: "at most 63 letters, digits, '.', '_' and '-', starting and ending with a letter or digit",
        texts: [
          ['a'.repeat(64), 'a'.repeat(63)],
          ['-a', 'a'],
          ['a-', 'a'],
          ['a b', 'a-b'],
          ['a\n', 'a'],
          ['..', ''],
        ],
      },
    ],
  },
  labelKey: {
    grammar: labelKey,
    accepts: ['a', 'A.b_c', 'example.com/a', `${'x'.repeat(253)}/a`],
    refuses: [
      {
        problem: 'is not the key of a label',
        use: "NAME or DOMAIN/NAME of letters, digits, '.', '_' and '-'",
        texts: [
          ['example.com/', 'x'],
          ['/a', 'a'],
          ['a/b/c', 'c'],
          ['Example.com/a', 'a'],
          ['a b', 'a-b'],
          ['', 'x'],
          ['example.com/-', 'x'],
          [`${'x'.repeat(254)}/a`, 'a'],
          ['-a/b', 'b'],
        ],
      },
    ],
  },
  singleLine: {
    grammar: singleLine,
    accepts: ['a b', '', '\u00e9'],
    refuses: [
      {
        problem: 'contains a control character, like a line end',
        use: 'a single line',
        texts: [['a\nb'], ['a\u0000'], ['a\u0085']],
      },
    ],
  },
  variableName: {
    grammar: variableName,
    accepts: ['A', '_a', '-a', '.a', 'a1'],
    refuses: [
      {
        problem: 'is not a variable name',
        use: "letters, digits, '_', '-' and '.', not starting with a digit",
        texts: [['1a'], ['a b'], [''], ['A='], ['\u00e9']],
      },
    ],
  },
  cores: {
    grammar: cores,
    accepts: ['8', '500m', '.5', '1.', '1e3'],
    refuses: [
      {
        problem: 'is not a quantity',
        use: 'a number with a suffix',
        texts: [
          ['20 cores', '20'],
          ['500 m', '500m'],
          ['1.5 m', '1.5m'],
          ['eight', '8'],
          ['8 mb', '8'],
          ['-1', '1'],
        ],
      },
    ],
  },
  quantity: {
    grammar: quantity,
    accepts: ['20Gi', '1', '1.5G', '.5Gi', '1e6', '1E-3', '16Ki', '16k'],
    refuses: [
      {
        problem: 'is not a quantity',
        use: 'a number with a suffix',
        texts: [
          ['16K', '16k'],
          ['160GB', '160G'],
          ['16 gib', '16Gi'],
          [' 16 KB ', '16k'],
          ['1.5tib', '1.5Ti'],
          ['lots', '20Gi'],
          ['16Gib', '16Gi'],
          ['5 bytes', '20Gi'],
          ['-1', '20Gi'],
          ['', '20Gi'],
        ],
      },
    ],
  },
  room: {
    grammar: room,
    accepts: ['1M', '1e6'],
    refuses: [
      {
        problem: 'is less than 1 MB',
        use: 'bytes with a suffix',
        texts: [
          ['999999', '999999G'],
          ['20', '20G'],
          ['0', '1G'],
          ['20m', '20M'],
          ['1m', '1M'],
          ['500k', '500G'],
          ['0.5', '0.5G'],
          ['0', '1G'],
          ['1000000m', '1000000M'],
          ['0.5m', '1M'],
        ],
      },
      { problem: 'is not a quantity', use: 'a number with a suffix', texts: [['x', '20Gi']] },
    ],
  },
  absolutePath: {
    grammar: absolutePath,
    accepts: ['/a', '/a/b', '/a/', '/a/..b'],
    refuses: [
      {
        problem: 'is not an absolute path',
        use: "a path that starts with '/', without ':' and spaces",
        texts: [
          ['a', '/a'],
          ['a/b c', '/a/b-c'],
          ['/a b', '/a-b'],
          ['/a:b', '/a-b'],
          ['./a/./b', '/a/b'],
          ['../a', '/a'],
          ['', '/data'],
          [':', '/data'],
          ['a//b', '/a/b'],
          ['-/a', '/a'],
        ],
      },
      {
        problem: "contains '..'",
        use: "the path without '..'",
        texts: [
          ['/a/../b', '/b'],
          ['/..', '/data'],
        ],
      },
      {
        problem: 'is the root of the file system',
        use: 'a folder',
        texts: [
          ['/', '/data'],
          ['//', '/data'],
          ['/.', '/data'],
        ],
      },
    ],
  },
  image: {
    grammar: image,
    accepts: [
      'a:1',
      'a/b:v1.2-x_y',
      'gcr.io/a/b:1',
      'localhost:5000/a:1',
      `a@sha256:${'a'.repeat(64)}`,
      `a:1@sha256:${'a'.repeat(64)}`,
      `a:${'x'.repeat(128)}`,
      'a__b:1',
      'a---b:1',
      'a.b-c/d:1',
    ],
    refuses: [
      {
        problem: 'is not an image with a tag or digest',
        use: 'REPOSITORY:TAG or REPOSITORY@sha256:DIGEST',
        texts: [
          ['a'],
          ['a/b'],
          ['https://gcr.io/a:1', 'gcr.io/a:1'],
          [' a:1 ', 'a:1'],
          ['A:1'],
          ['a:'],
          ['a@sha256:abc'],
          [`a:${'x'.repeat(129)}`],
          ['a:-x'],
          ['a___b:1'],
          ['a..b:1'],
          ['a/:1'],
          ['/a:1'],
          [`a@sha256:${'a'.repeat(65)}`],
          ['x a:1'],
        ],
      },
    ],
  },
  bucketName: {
    grammar: bucketName,
    accepts: [
      'my-models',
      'a.b',
      'a_b',
      'abc',
      'a'.repeat(63),
      'a'.repeat(63) + `.${'b'.repeat(63)}`,
      '1.2.3',
      'agoog',
    ],
    refuses: [
      {
        problem: 'is not a bucket name',
        use: "3 to 63 lower-case letters, digits, '-', '_' and '.'",
        texts: [
          ['a1', 'a1-bucket'],
          ['ab', 'ab-bucket'],
          ['a'.repeat(64), 'a'.repeat(63)],
          ['A-b', 'a-b'],
          ['-ab', 'ab-bucket'],
          ['ab-', 'ab-bucket'],
          ['my models', 'my-models'],
          ['', 'my-bucket'],
          ['--goog-x', 'my-x'],
          ['a'.repeat(50) + `.${'b'.repeat(200)}`, `${'a'.repeat(50)}.bbbbbbbbbbbb`],
        ],
      },
      {
        problem: 'is not a bucket name',
        use: "a name without '.' or '-' next to a '.'",
        texts: [
          ['a..b', 'a.b'],
          ['a.-b', 'a.b'],
          ['a-.b', 'a.b'],
        ],
      },
      {
        problem: 'is not a bucket name',
        use: 'a name that is not an IP address',
        texts: [
          ['1.2.3.4', '1-2-3-4'],
          ['10.0.0.100', '10-0-0-100'],
        ],
      },
      {
        problem: 'is not a bucket name',
        use: "a name that does not start with 'goog' or contain 'google'",
        texts: [
          ['goog-models', 'my-models'],
          ['my-google', 'my-my'],
          ['google', 'my-bucket'],
        ],
      },
      {
        problem: 'is a URL',
        use: "the bucket's name alone",
        texts: [
          ['gs://my-models/a/b', 'my-models'],
          ['gs://My Models', 'my-models'],
          ['gs://', 'my-bucket'],
        ],
      },
    ],
  },
  hostName: {
    grammar: hostName,
    accepts: ['a', 'llm.example.com', '*.example.com', 'x'.repeat(253)],
    refuses: [
      {
        problem: 'is not a host name',
        use: 'a host name',
        texts: [
          ['*', 'llm.example.com'],
          ['*.', 'llm.example.com'],
          ['a*.b', 'llm.example.com'],
          ['A.b', 'llm.example.com'],
          ['a_b', 'llm.example.com'],
          ['-a', 'llm.example.com'],
          ['a-', 'llm.example.com'],
          ['a..b', 'llm.example.com'],
          ['a.b-', 'llm.example.com'],
          ['a.-b', 'llm.example.com'],
          ['x'.repeat(254), 'llm.example.com'],
          ['a:80', 'llm.example.com'],
          ['b.*.c', 'llm.example.com'],
          ['*.*.c', 'llm.example.com'],
        ],
      },
    ],
  },
  urlPath: {
    grammar: urlPath,
    accepts: ['/', '/v1', '/v1/models', "/a-._~!$&'()*+,;=:@%/", '/a/..b', '/.a', `/${'a'.repeat(1023)}`],
    refuses: [
      {
        problem: 'is not a path',
        use: 'an absolute path',
        texts: [
          ['v1', '/v1'],
          ['', '/v1'],
          ['//', '/v1'],
          ['/a//b', '/v1'],
          ['/./a', '/v1'],
          ['/../a', '/v1'],
          ['/a/..', '/v1'],
          ['/a/.', '/v1'],
          ['/a b', '/v1'],
          ['/\u00e9', '/v1'],
          ['/a?b', '/v1'],
          [`/${'a'.repeat(1024)}`, '/v1'],
        ],
      },
    ],
  },
  bucketFolder: {
    grammar: bucketFolder,
    accepts: ['gs://my-models/Qwen'],
    refuses: [
      {
        problem: 'is not a folder of a bucket',
        use: 'gs://BUCKET/FOLDER',
        texts: [
          ['gs://my-models', 'gs://my-models/Qwen3-32B'],
          ['gs://My-models/Qwen', 'gs://my-models/Qwen3-32B'],
          ['my-models/Qwen', 'gs://my-models/Qwen3-32B'],
        ],
      },
    ],
  },
};

describe.each(Object.entries(GRAMMARS))('%s', (_, { grammar, accepts, refuses }) => {
  test.each(accepts)('accepts %j', (text) => {
    expect(grammar(text)).toBeUndefined();
  });

  test.each(
    refuses.flatMap(({ texts, ...why }) =>
      texts.map(([text, nearest]) => ({ text, why: { ...why, ...(nearest !== undefined && { nearest }) } })),
    ),
  )('refuses $text', ({ text, why }) => {
    expect(grammar(text)).toEqual(why);
  });
});

describe('the nearest label', () => {
  test.each<[string, string | undefined]>([
    ['Qwen/Qwen3-32B', 'qwen-qwen3-32b'],
    ['3.5', 'x'],
    ['a'.repeat(64), 'a'.repeat(63)],
    [`${'a'.repeat(62)}-b`, 'a'.repeat(62)],
  ])('of %j is %j', (text, expected) => {
    expect(nearestLabel(text)).toBe(expected);
  });
});

describe('whether a text is a Hugging Face token', () => {
  test.each<[string, boolean]>([
    ['hf_abcdefghij', true],
    [' hf_abcdefghij\n', true],
    ['hf_abcdefghi', false],
    ['xhf_abcdefghij', false],
    ['hf_abcdefghij x', false],
    ['HF_abcdefghij', false],
    ['hf_abcdef-hij1', false],
  ])('%j: %p', (text, expected) => {
    expect(looksLikeToken(text)).toBe(expected);
  });
});

describe('whether a text holds a Hugging Face token', () => {
  test.each<[string, boolean]>([
    ['--hf-token=hf_abcdefghij', true],
    ['a:hf_abcdefghij', true],
    ['a hf_abcdefghij', true],
    ["'hf_abcdefghij'", true],
    ['hf_abcdefghij', true],
    ['ahf_abcdefghij', false],
    ['=hf_abcdefghi', false],
    ['=hf_abcdefghij-k', false],
    ['=hf_abcdefghij_k', false],
    [`x/hf_${'a'.repeat(30)}`, true],
    [`x/hf_${'a'.repeat(29)}`, false],
    [`xhf_${'a'.repeat(34)}`, false],
    [`_hf_${'a'.repeat(34)}`, false],
    ['hf_home', false],
    ['=hf_abcdefghij,b', true],
  ])('%j: %p', (text, expected) => {
    expect(holdsToken(text)).toBe(expected);
  });
});

describe('the bucket of a folder', () => {
  test.each<[string, string | undefined]>([
    ['gs://my-models/Qwen', 'my-models'],
    ['gs://my-models/a/b/', 'my-models'],
    ['gs://my-models', undefined],
    ['gs://my-models/', undefined],
    ['gs:///a', undefined],
    ['s3://a/b', undefined],
    ['gs://a/b?c', undefined],
    ['gs://a/b#c', undefined],
    ['xgs://a/b', undefined],
    ['gs://a/b//', 'a'],
  ])('of %j is %j', (text, expected) => {
    expect(bucketOfFolder(text)).toBe(expected);
  });
});

describe('a folder without slashes at its end', () => {
  test.each<[string, string | undefined]>([
    ['/a/', '/a'],
    ['/a//', '/a'],
    ['/', '/'],
    ['//', '/'],
    ['/a', '/a'],
    ['', ''],
  ])('of %j is %j', (text, expected) => {
    expect(bare(text)).toBe(expected);
  });
});

describe('a path below a folder', () => {
  test.each<[string, string, boolean]>([
    ['/a', '/a', true],
    ['/a/b', '/a', true],
    ['/a/b', '/a/', true],
    ['/ab', '/a', false],
    ['/b', '/a', false],
    ['/a', '/', true],
  ])('%s is below %s: %p', (path, folder, expected) => {
    expect(isUnder(path, folder)).toBe(expected);
  });
});

describe('the number of a quantity', () => {
  test.each<[string, number]>([
    ['1', 1],
    ['1.5', 1.5],
    ['.5', 0.5],
    ['500m', 0.5],
    ['2u', 2e-6],
    ['2n', 2e-9],
    ['2k', 2000],
    ['2M', 2e6],
    ['2G', 2e9],
    ['2T', 2e12],
    ['2P', 2e15],
    ['2E', 2e18],
    ['2Ki', 2 * 1024],
    ['2Mi', 2 * 1024 ** 2],
    ['2Gi', 2 * 1024 ** 3],
    ['2Ti', 2 * 1024 ** 4],
    ['2Pi', 2 * 1024 ** 5],
    ['2Ei', 2 * 1024 ** 6],
    ['2e3', 2000],
    ['2E+3', 2000],
    ['2e-1', 0.2],
    ['two', NaN],
    ['2K', NaN],
  ])('%s is %d', (quantity, expected) => {
    expect(quantityOf(quantity)).toBe(expected);
  });
});

describe('a whole number', () => {
  test.each<[number, number, number | undefined]>([
    [0, 0, 10],
    [10, 0, 10],
    [INT32, 1, undefined],
  ])('%d is in its range', (value, min, max) => {
    expect(integerProblem(value, min, max)).toBeUndefined();
  });

  test.each<[number, number, number | undefined, string, string]>([
    [-1, 0, 10, 'from 0 to 10', '0'],
    [11, 0, 10, 'from 0 to 10', '10'],
    [2.4, 0, 10, 'from 0 to 10', '2'],
    [2.6, 0, 10, 'from 0 to 10', '3'],
    [Infinity, 1, 10, 'from 1 to 10', '1'],
    [NaN, 1, 10, 'from 1 to 10', '1'],
    [0, 1, undefined, 'of at least 1', '1'],
    [NaN, 1, undefined, 'of at least 1', '1'],
    [INT32 + 1, 1, undefined, 'from 1 to 2147483647', '2147483647'],
    [0, 1, 1e9, 'from 1 to 1000000000', '1'],
  ])('%d is refused from %d to %p', (value, min, max, range, nearest) => {
    expect(integerProblem(value, min, max)).toEqual({
      problem: `is not a whole number ${range}`,
      use: nearest,
    });
  });
});
