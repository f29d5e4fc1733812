import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from '../fast-check';
import { isRecord, type ManifestObject } from '../../lib/manifest/manifest';
import { readPlain } from '../../lib/manifest/plain-yaml';
import { readManifests } from '../../lib/manifest/read';

/** The paths of all values of a manifest. */
function* pathsIn(value: unknown, at = ''): Generator<string> {
  yield at;
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* pathsIn(item, `${at}[${String(index)}]`);
  else if (isRecord(value))
    for (const [key, child] of Object.entries(value)) yield* pathsIn(child, `${at}[${key}]`);
}

const withLines = ({ id, manifest, lineOf }: ManifestObject): unknown => ({
  id,
  manifest,
  lines: [...pathsIn(manifest)].map((one) => [one, lineOf?.(one)]),
});

/** What is read from a text, and how many problems it has. */
const reading = (yaml: string): unknown => {
  const { objects, unreadable } = readManifests(yaml, 'x.yaml');
  return { objects: objects.map(withLines), problems: unreadable.length };
};

const isPlain = (yaml: string): boolean => readPlain(yaml, 0, (text) => `?${text}`) !== undefined;

/** Compares with the parser, which reads each text with a carriage return. */
const expectSame = (yaml: string): void => {
  const text = yaml.endsWith('\n') ? yaml : `${yaml}\n`;
  if (text.split(/^(?=---\s)/m).some(isPlain)) expect(reading(text)).toEqual(reading(`${text}#\r\n`));
};

const dist = path.join(__dirname, '..', '..', 'dist');
const rendered = readdirSync(dist)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => readFileSync(path.join(dist, name), 'utf8'));

test('reads what the constructs render', () => {
  for (const yaml of rendered.filter((_, index) => index % 4 === 0)) expectSame(yaml);
  const documents = rendered.flatMap((yaml) => yaml.split(/^---\n/m));
  expect(documents.filter((one) => !isPlain(one)).length / documents.length).toBeLessThan(0.1);
});

describe('reads without the parser', () => {
  test.each([
    ['kind: A\nmetadata:\n  name: b\n'],
    ['---\n# Source: a\nkind: A\nspec:\n- a\n- b: c\n  d: e\n- f: g\n'],
    ['a: {b: c, "d": [1, true, \'e\']}\n'],
    ['a: |\n  b\n\n   c\n\nd: |-\n  e\n'],
    ['a: b # c\nd:  e\n# f\n\ng:\n'],
    ['{"kind":"A","items":[{"a":"b\\n"},{}]}\n'],
    ['a:\n  - - b\n    - c\n  - - {}\n'],
  ])('%j', (yaml) => {
    expect(isPlain(yaml)).toBe(true);
    expectSame(yaml);
  });
});

describe('leaves to the parser', () => {
  test.each([
    ['a: &b c\nd: *b\n'],
    ['a: b\n  c\n'],
    ['a: b\na: c\n'],
    ['a:\n\tb: c\n'],
    ['a: "b\n  c"\n'],
    ['a: >\n  b\n'],
    ['a: |\n\n  b\n'],
    ['a: !!str 1\n'],
    ['1: a\n'],
    ['yes: a\n'],
    ['a: b: c\n'],
    ['a: [b\n'],
    ['a: {b: c}}\n'],
    ['a: {b, c}\n'],
    ['  a: b\nc: d\n'],
    ['a:\n  b: c\n d: e\n'],
    ['%YAML 1.2\n---\na: 0o7\n'],
    ['a: "\\x41"\n'],
    ['- a\n-\n'],
    ['text\n'],
    [''],
  ])('%j', (yaml) => {
    expect(isPlain(yaml)).toBe(false);
  });
});

const LINES = [
  ...['a:', 'b: c', 'd: 1.5', '- e', '- f: g', '- - h', '# i', '', ' ', 'j: |', 'k: |-', '- |', 'l: "m # n"'],
  ...[
    "o: 'p''q' # r",
    's: {t: u, v: [w, 1]}',
    '- {x: y}',
    'z: 100Gi',
    'a: on',
    '---',
    'b: -e5',
    '- --e5',
    '- 1:2',
  ],
  ...[
    'c: a b  c',
    'd: {e:f}',
    '"g": h',
    'i: 0',
    'j: ~',
    'k: null',
    '- -1',
    'l: --- m',
    '...',
    'n:o',
    'p: [q,r]',
    's',
  ],
];

test('reads the same as the parser, or leaves a text to it', () => {
  const line = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom(...LINES));
  const text = fc
    .array(line, { maxLength: 6 })
    .map((lines) => lines.map(([indent, one]) => `${' '.repeat(indent)}${one}\n`).join(''));
  fc.assert(fc.property(text, expectSame));
});

test('reads scalars as the parser does', () => {
  const part = fc.constantFrom(
    ...'ayYeEnox019.-+_:/,#&*!|>%@`"\'{}[]?= \\~<é',
    'true',
    'null',
    '0x',
    'inf',
    '..',
  );
  const text = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (one) => {
      for (const yaml of [`a: ${one}`, `- ${one}`, `a: {b: ${one}}`, `a: [${one}, c]`, `${one}: a`])
        expectSame(yaml);
    }),
  );
});

test('reads changed manifests as the parser does', () => {
  const sources = rendered.map((yaml) => yaml.split(/^---\n/m)[0] ?? '').filter((yaml) => yaml.length < 2000);
  const change = fc.tuple(
    fc.nat(),
    fc.constantFrom('', ' ', '\n', '-', ':', '#', '"', '{', '|', '  '),
    fc.nat({ max: 2 }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...sources),
      fc.array(change, { minLength: 1, maxLength: 2 }),
      (source, changes) => {
        let yaml = source;
        for (const [place, inserted, removed] of changes) {
          const at = place % yaml.length;
          yaml = yaml.slice(0, at) + inserted + yaml.slice(at + removed);
        }
        expectSame(yaml);
      },
    ),
    { numRuns: 50 },
  );
});
