import { Testing, Yaml } from 'cdk8s';
import * as yaml from 'yaml';
import { findings, TpuRayService, TpuSlice } from '../../lib';
import { parseYaml, rememberYaml } from '../../lib/manifest/serve-config';
import fc from '../fast-check';

jest.mock('yaml', () => {
  const actual = jest.requireActual<typeof yaml>('yaml');
  return { ...actual, parseDocument: jest.fn(actual.parseDocument) };
});
const reads = jest.mocked(yaml.parseDocument);
beforeEach(() => {
  reads.mockClear();
});

test('reads the configuration of a TpuRayService without the YAML library', () => {
  const chart = Testing.chart();
  new TpuRayService(chart, 'ray', {
    serveConfig: {
      applications: [
        {
          name: 'app',
          importPath: 'app:app',
          runtimeEnv: { workingDir: 'https://github.com/example/app/archive/refs/heads/main.zip' },
        },
      ],
    },
    image: 'registry.example.com/ray:v1',
    rayVersion: '2.46.0',
    workerGroups: [{ groupName: 'tpu', slice: TpuSlice.of('ct6e-standard-4t') }],
  });
  // TPU604 and TPU609 read the configuration.
  expect(findings(chart)).toMatchObject([{ code: 'TPU609', path: 'spec.serveConfigV2' }]);
  expect(reads).not.toHaveBeenCalled();
});

test('reads other texts with the YAML library', () => {
  expect(parseYaml('applications: [{name: other}]')).toEqual({
    value: { applications: [{ name: 'other' }] },
  });
  expect(reads).toHaveBeenCalledTimes(1);
});

const read = (source: string): unknown =>
  jest.requireActual<typeof yaml>('yaml').parseDocument(source, { uniqueKeys: false, merge: true }).toJS();

/** Texts that versions of YAML read in different ways, or that need quotes. */
const ODD = [
  '0o17',
  '017',
  '1_000',
  '1:30',
  '2001-12-14',
  'y',
  'no',
  'NULL',
  '~',
  '.inf',
  '-.NaN',
  '<<',
  '',
  '-',
];
const text = fc.oneof(
  fc.constantFrom(...ODD, 'a: b', 'a #b', '- a', '--flag', '-f x', 'a\nb', 'a ', '/a', '*a', '&a', '!a', 'é'),
  fc.string(),
);
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(text, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;

test('remembers only values that the YAML library would read from the text', () => {
  let fromMemory = 0;
  fc.assert(
    fc.property(value, (any) => {
      const source = Yaml.stringify(any);
      rememberYaml(source, any);
      reads.mockClear();
      const { value: found } = parseYaml(source);
      if (reads.mock.calls.length > 0) return;
      fromMemory++;
      expect(found).toEqual(read(source));
    }),
    { numRuns: 1000 },
  );
  expect(fromMemory).toBeGreaterThan(100);
});

test('forgets all texts when it has many, which limits memory', () => {
  const source = (index: number): string => `name: app-${String(index)}\n`;
  for (let index = 0; index <= 1000; index++) rememberYaml(source(index), { name: `app-${String(index)}` });
  expect(parseYaml(source(0))).toEqual({ value: { name: 'app-0' } });
  expect(reads).toHaveBeenCalledTimes(1);
});
