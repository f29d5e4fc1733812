import fc from 'fast-check';
import {
  absolutePath,
  bucketName,
  dnsLabel,
  dnsSubdomain,
  image,
  integer,
  isUnder,
  labelKey,
  labelValue,
  looksLikeToken,
  holdsToken,
  oneOf,
  podLabel,
  port,
  portName,
  quantity,
  quantityOf,
  quoted,
  room,
} from '../../lib/problems/validators';

const a = (count: number): string => 'a'.repeat(count);
/** A bucket's name of parts of 63 letters. */
const dotted = (count: number): string => a(count).replace(/a{64}(?=a)/g, `${a(63)}.`);

describe('what Kubernetes and Cloud Storage accept', () => {
  test.each<[string, (prop: string, value: string) => string | undefined, readonly string[]]>([
    ['DNS labels', dnsLabel, ['a', 'a1', 'vllm-llama3-70b', 'a--b', a(63)]],
    ['labels of pods', podLabel, ['70b', '0', 'a-1', a(63)]],
    ['DNS names', dnsSubdomain, ['a', '1.b', 'my-sa.team', a(253)]],
    ['names of ports', portName, ['http', '8080-tcp', 'a', a(15)]],
    ['keys of labels', labelKey, ['app', 'a.b/C_d', `${a(253)}/${a(63)}`]],
    ['label values', labelValue, ['', '0', 'Llama-3.1_70B', a(63)]],
    [
      'quantities',
      quantity,
      ['0', '1', '0.5', '500m', '1.05Gi', '200G', '128Ki', '9Ei', '1e3', '1E-3', '.5Gi', '5.', '1n', '1u'],
    ],
    ['paths', absolutePath, ['/data', '/data/', '/var/lib/my-models_2', '/.cache']],
    ['buckets', bucketName, ['abc', '0-0', 'my_models', 'models.example.com', a(63), dotted(222)]],
    [
      'images',
      image,
      [
        'vllm/vllm-tpu:v0.12.0',
        'us-docker.pkg.dev/my-project/my_repo/vllm.tpu:V1',
        `localhost:5000/vllm@sha256:${'0'.repeat(64)}`,
        'v:1',
        `vllm:V${a(127)}`,
        `vllm/vllm-tpu:v0.12.0@sha256:${a(64)}`,
      ],
    ],
  ])('%s', (_, rule, values) => {
    expect(values.filter((value) => rule('it', value) !== undefined)).toEqual([]);
  });

  test('whole numbers and ports, both ends', () => {
    expect([integer('it', 0, 0), integer('it', 9, 0, 9), port('it', 1), port('it', 65535)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('what is refused, and what is said', () => {
  const label = "is not a DNS label, expected lower-case letters, digits and '-', first a letter";
  const amount = "is not a quantity, expected a number with a suffix like '500m', '20Gi' or '8G'";
  const path = "is not an absolute path without ':' and spaces";
  const bucket = "is not a bucket name, expected 3 to 63 lower-case letters, digits, '-', '_' and '.'";
  const reference = 'is not an image reference, expected REPOSITORY:TAG or REPOSITORY@sha256:DIGEST';
  const value = "is not a label value, expected at most 63 letters, digits, '.', '_' and '-'";

  test.each<[string | undefined, string]>([
    [dnsLabel('it', 'Llama_70B'), `it 'Llama_70B' ${label}; nearest: 'llama-70b'`],
    [dnsLabel('it', '70b-llama-'), `it '70b-llama-' ${label}; nearest: 'b-llama'`],
    [dnsLabel('it', a(64)), `it '${a(64)}' has 64 characters, expected at most 63; nearest: '${a(63)}'`],
    [
      dnsLabel('it', 'llama-70b-server', 15),
      "it 'llama-70b-server' has 16 characters, expected at most 15; nearest: 'llama-70b-serve'",
    ],
    [labelValue('it', 'meta-llama/Llama'), `it 'meta-llama/Llama' ${value}; nearest: 'meta-llama-Llama'`],
    [
      podLabel('it', '-70b'),
      "it '-70b' is not a DNS label, expected lower-case letters, digits and '-' between them; nearest: '70b'",
    ],
    [podLabel('it', a(64)), `it '${a(64)}' has 64 characters, expected at most 63; nearest: '${a(63)}'`],
    [
      dnsSubdomain('it', 'A..b-'),
      "it 'A..b-' is not a DNS name, expected at most 253 lower-case letters, digits, '-' and '.' between them; nearest: 'a.b'",
    ],
    [
      portName('it', '8080'),
      "it '8080' is not the name of a port, expected at most 15 lower-case letters, digits and '-' between them; nearest: 'x'",
    ],
    [
      portName('it', 'a--b'),
      "it 'a--b' is not the name of a port, expected at most 15 lower-case letters, digits and '-' between them; nearest: 'a-b'",
    ],
    [oneOf('it', 'c', ['a', 'b']), "it 'c' is not known, expected one of 'a', 'b'"],
    [integer('it', NaN, 1), "it 'NaN' is not a whole number of at least 1; nearest: 1"],
    [
      integer('it', JSON.parse('"4096"') as number, 1),
      "it '4096' is a string, expected a whole number of at least 1; nearest: 4096",
    ],
    [
      integer('it', JSON.parse('"24h"') as number, 600, 604800),
      "it '24h' is a string, expected a whole number from 600 to 604800",
    ],
    [
      integer('it', JSON.parse('" "') as number, 0),
      "it ' ' is a string, expected a whole number of at least 0",
    ],
    [
      integer('it', 2 ** 31, 0),
      "it '2147483648' is not a whole number from 0 to 2147483647; nearest: 2147483647",
    ],
    [quantity('it', '160GB'), `it '160GB' ${amount}; nearest: '160G'`],
    [quantity('it', '5 kb'), `it '5 kb' ${amount}; nearest: '5k'`],
    [quantity('it', '16GiB'), `it '16GiB' ${amount}; nearest: '16Gi'`],
    [quantity('cpu', 'two'), `cpu 'two' ${amount}; nearest: '8'`],
    [quantity('cpu', '500 m'), `cpu '500 m' ${amount}; nearest: '500m'`],
    [room('it', '16'), "it '16' is less than 1M, expected bytes with their suffix; nearest: '16G'"],
    [room('it', '100m'), "it '100m' is less than 1M, expected bytes with their suffix; nearest: '100M'"],
    [room('it', '0'), "it '0' is less than 1M, expected bytes with their suffix; nearest: '1G'"],
    [room('it', '0.0001'), "it '0.0001' is less than 1M, expected bytes with their suffix; nearest: '1G'"],
    [room('it', '0.5m'), "it '0.5m' is less than 1M, expected bytes with their suffix; nearest: '1M'"],
    [room('it', '141'), "it '141' is less than 1M, expected bytes with their suffix; nearest: '141G'"],
    [absolutePath('it', '/'), "it '/' is the root of the file system, expected a folder; nearest: '/data'"],
    [
      absolutePath('it', '/a/../b'),
      "it '/a/../b' leaves folders by '..', expected a path without; nearest: '/b'",
    ],
    [bucketName('it', 'My-Bucket'), `it 'My-Bucket' ${bucket}; nearest: 'my-bucket'`],
    [bucketName('it', 'gs://'), "it 'gs://' is a URL, expected the bucket's name alone: 'my-bucket'"],
    [
      bucketName('it', 'goog-models'),
      "it 'goog-models' is not a bucket name, expected none that begins with 'goog' or holds 'google'; nearest: 'my-models'",
    ],
    [
      bucketName('it', 'a..b'),
      "it 'a..b' is not a bucket name, expected no '.' or '-' beside a '.'; nearest: 'a.b'",
    ],
    [
      bucketName('it', 'ab.-c'),
      "it 'ab.-c' is not a bucket name, expected no '.' or '-' beside a '.'; nearest: 'ab.c'",
    ],
    [
      bucketName('it', '10.0.0.1'),
      "it '10.0.0.1' is not a bucket name, expected no IP address; nearest: '10-0-0-1'",
    ],
    [image('it', 'vllm/vllm-tpu'), `it 'vllm/vllm-tpu' ${reference}`],
    [image('it', 'a:'), `it 'a:' ${reference}`],
    [image('it', 'a//b:1'), `it 'a//b:1' ${reference}`],
    [image('it', 'https://x.io/y:1'), `it 'https://x.io/y:1' ${reference}; nearest: 'x.io/y:1'`],
    [labelValue('it', '-a'), `it '-a' ${value}; nearest: 'a'`],
    [labelValue('it', a(64)), `it '${a(64)}' ${value}; nearest: '${a(63)}'`],
    [integer('it', 1.5, 1), "it '1.5' is not a whole number of at least 1; nearest: 2"],
    [integer('it', -3, 0, 9), "it '-3' is not a whole number from 0 to 9; nearest: 0"],
    [port('it', 65536), "it '65536' is not a whole number from 1 to 65535; nearest: 65535"],
    [quantity('it', '1.05gb'), `it '1.05gb' ${amount}; nearest: '1.05G'`],
    [quantity('it', '16 gb'), `it '16 gb' ${amount}; nearest: '16G'`],
    [quantity('it', 'lots'), `it 'lots' ${amount}; nearest: '20Gi'`],
    [absolutePath('it', 'my data'), `it 'my data' ${path}; nearest: '/my-data'`],
    [absolutePath('it', '/data:ro'), `it '/data:ro' ${path}; nearest: '/data-ro'`],
    [bucketName('it', 'ab'), `it 'ab' ${bucket}; nearest: 'ab-bucket'`],
    [bucketName('it', ''), `it '' ${bucket}; nearest: 'my-bucket'`],
    [bucketName('it', a(64)), `it '${a(64)}' ${bucket}; nearest: '${a(63)}'`],
    [bucketName('it', `${a(64)}.b`), `it '${a(64)}.b' ${bucket}; nearest: '${a(63)}'`],
    [bucketName('it', dotted(223)), `it '${dotted(223).slice(0, 77)}...' ${bucket}; nearest: '${a(63)}'`],
    [bucketName('it', 'gs://a-b/c'), "it 'gs://a-b/c' is a URL, expected the bucket's name alone: 'a-b'"],
    [image('it', 'Vllm:v1'), `it 'Vllm:v1' ${reference}`],
    [image('it', 'vllm:v1 '), `it 'vllm:v1 ' ${reference}; nearest: 'vllm:v1'`],
    [image('it', 'vllm@sha256:abc'), `it 'vllm@sha256:abc' ${reference}`],
    [image('it', `vllm:V${a(128)}`), `it 'vllm:V${a(71)}...' ${reference}`],
  ])('%s', (said, expected) => {
    expect(said).toBe(expected);
  });
});

test.each<[string, number]>([
  ['1', 1],
  ['250m', 0.25],
  ['1.05k', 1050],
  ['2M', 2e6],
  ['8G', 8e9],
  ['3T', 3e12],
  ['3P', 3e15],
  ['3E', 3e18],
  ['1e3', 1000],
  ['.5Gi', 2 ** 29],
  ['2n', 2e-9],
  ['5Ki', 5 * 1024],
  ['5Mi', 5 * 1024 ** 2],
  ['20Gi', 20 * 1024 ** 3],
  ['1Ti', 1024 ** 4],
  ['1Pi', 1024 ** 5],
  ['1Ei', 1024 ** 6],
  ['a lot', NaN],
])('%s is %d', (text, amount) => {
  expect(quantityOf(text)).toBe(amount);
});

test.each<[string, string, boolean]>([
  ['/data', '/data', true],
  ['/data/models', '/data', true],
  ['/data/models', '/data/', true],
  ['/data', '/data/', true],
  ['/database', '/data', false],
  ['/', '/data', false],
])('%s under %s: %s', (path, folder, expected) => {
  expect(isUnder(path, folder)).toBe(expected);
});

test.each<[unknown, string]>([
  ['a', "'a'"],
  [undefined, "'undefined'"],
  [8, "'8'"],
  [a(80), `'${a(80)}'`],
  [a(81), `'${a(77)}...'`],
])('%j is quoted as %s', (value, text) => {
  expect(quoted(value)).toBe(text);
});

test('tokens are told from names of tokens', () => {
  expect(['hf_AbCdEfGhIj', `hf_${a(34)}`].map(looksLikeToken)).toEqual([true, true]);
  expect(['hf_api_token', 'hf-secret', 'hf_short', ''].map(looksLikeToken)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test('a token is found in an argument, and no name is taken for one', () => {
  expect([`--token=hf_${a(34)}`, `hf_${a(12)}`].map(holdsToken)).toEqual([true, true]);
  expect([`--model=org/hf_${a(12)}`, `my_hf_${a(34)}`].map(holdsToken)).toEqual([false, false]);
});

describe('for any text', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'abzAZ019-_. /:=é\n'.split('')), maxLength: 90 }),
    fc.string({ unit: 'binary' }),
  );

  test.each<[string, (prop: string, value: string) => string | undefined]>([
    ['a DNS label', dnsLabel],
    ['a short DNS label', (prop, value) => dnsLabel(prop, value, 15)],
    ['a DNS label of a pod', podLabel],
    ['a DNS name', dnsSubdomain],
    ['the name of a port', portName],
    ['room', room],
    ['a label value', labelValue],
    ['a quantity', quantity],
    ['a path', absolutePath],
    ['a bucket', bucketName],
  ])('%s: the sentence names prop and value, and what it calls nearest is legal', (_, rule) => {
    fc.assert(
      fc.property(text, (value) => {
        const said = rule('it', value);
        fc.pre(said !== undefined);
        expect(said.startsWith(`it ${quoted(value)} `)).toBe(true);
        const [, nearest] = /; nearest: '([^]*)'$/.exec(said) ?? [];
        expect(nearest).toBeDefined();
        expect(rule('it', nearest ?? '')).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test('a DNS label is one exactly where the letters say so', () => {
    const [letters, others] = ['abcdefghijklmnopqrstuvwxyz', '0123456789-'];
    fc.assert(
      fc.property(
        fc.oneof(text, fc.string({ unit: fc.constantFrom('a', 'b', '9', '-'), maxLength: 70 })),
        (value) => {
          const legal =
            value.length > 0 &&
            value.length <= 63 &&
            value.split('').every((letter) => (letters + others).includes(letter)) &&
            letters.includes(value.charAt(0)) &&
            !value.endsWith('-');
          expect(dnsLabel('it', value) === undefined).toBe(legal);
        },
      ),
    );
  });
});
