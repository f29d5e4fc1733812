import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { Testing, type Chart } from 'cdk8s';
import { FlexStartJob, JetStreamServer, SaxCell, TpuRayCluster, TpuSlice, VllmServer } from '../lib';
import { refusal } from './refusal';
import { blocksIn, expectPage, root, run, sources, table, textOf } from './pages';

const PAGE = 'docs/migration.md';
const TUTORIALS = {
  vLLM: ['vllm-server', 'vllm-monitoring', 'vllm-autoscaler'],
  JetStream: ['jetstream-converter', 'jetstream-checkpoint'],
  Saxml: ['saxml-admin', 'saxml-model-servers', 'saxml-http'],
  'Ray Serve': ['ray'],
  'Flex-start': ['flex-start-multi-host'],
} as const;
const systems = Object.keys(TUTORIALS) as (keyof typeof TUTORIALS)[];

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly selector?: unknown };
}

const objectsIn = (yaml: string): Map<string, Manifest> =>
  new Map(
    parseAllDocuments(yaml)
      .map((document) => document.toJS() as Manifest)
      .map((object) => [`${object.kind} ${object.metadata.name}`, object]),
  );

/** Types of the table of renamed props, and constructs that have such props. */
const MAKERS: Readonly<Record<string, (chart: Chart, props: never) => unknown>> = {
  VllmServerProps: (chart, props) => new VllmServer(chart, 'it', props),
  JetStreamServerProps: (chart, props) => new JetStreamServer(chart, 'it', props),
  SaxCellProps: (chart, props) => new SaxCell(chart, 'it', props),
  FlexStartJobProps: (chart, props) => new FlexStartJob(chart, 'it', props),
  RayHeadGroup: (chart, head) => new TpuRayCluster(chart, 'it', { head, workerGroups: [] }),
  TpuRayWorkerGroup: (chart, group) => new TpuRayCluster(chart, 'it', { workerGroups: [group] }),
};

/** The rows of the tables of a system that have as many cells. */
const rowsOf = (system: string, cells: number): string[][] =>
  (textOf(PAGE).split(`\n## ${system}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter((row) => row.length === cells && !/^(tutorial|of|-+)$/.test(row[0] ?? ''));

test('each renamed prop has its new name, and not the old one', () => {
  const slice = TpuSlice.of('ct5lp-hightpu-8t');
  const refused = (name: string, prop: string): boolean => {
    const props = { slice, [prop]: 8 };
    const problems = refusal(() => MAKERS[name]?.(Testing.chart(), props as never));
    return problems.includes(`${prop}: unknown property`);
  };
  const renamed = rowsOf('Renamed props', 3)
    .map((row) => row.map((cell) => cell.replaceAll('`', '')))
    .filter(([of = '']) => of in MAKERS);
  expect(new Set(renamed.map(([of]) => of)).size).toBe(Object.keys(MAKERS).length);
  expect(renamed.filter(([of = '', before = '']) => !refused(of, before))).toEqual([]);
  expect(renamed.filter(([of = '', , now = '']) => refused(of, now.split('.')[0] ?? ''))).toEqual([]);
});

describe('docs/migration.md', () => {
  test.each(systems)('says what an apply does to each object of the %s tutorial', async (system) => {
    const before = objectsIn(
      TUTORIALS[system]
        .map((name) => readFileSync(path.join(__dirname, 'checks', 'tutorials', `${name}.yaml`), 'utf8'))
        .join('---\n'),
    );
    const example = blocksIn(PAGE, 'ts')[systems.indexOf(system)] ?? '';
    const after = objectsIn((await run(example)).yaml);
    const selectorOf = (object?: Manifest): string => JSON.stringify(object?.spec?.selector ?? null);
    /** What an apply does where one object takes the place of another. */
    const applied = (tutorial: string, here: string): string => {
      if (after.get(here)?.kind !== before.get(tutorial)?.kind) return 'nothing: there is none';
      if (tutorial !== here) return 'makes another';
      if (/^Job(Set)? /.test(here)) return 'is refused while the old one is there';
      return selectorOf(after.get(here)) === selectorOf(before.get(tutorial)) ? 'changes it' : 'is refused';
    };
    const rows = rowsOf(system, 3);
    expect(rows.map(([tutorial]) => tutorial).sort()).toEqual([...before.keys()].sort());
    expect(rows).toEqual(rows.map(([tutorial = '', here = '']) => [tutorial, here, applied(tutorial, here)]));
  });

  test.each(systems)(
    'says where each field of the %s tutorial went, in props that its construct has',
    (system) => {
      const props = rowsOf(system, 2).flatMap(([, here = '']) =>
        [...here.matchAll(/`([a-z]\w+)`/gi)].map(([, prop = '']) => prop),
      );
      expect(props.length).toBeGreaterThan(3);
      const library = sources();
      const unknown = props.filter(
        (prop) => !/^[A-Z_]+$/.test(prop) && !new RegExp(`readonly ${prop}\\b`).test(library),
      );
      expect(unknown).toEqual([]);
    },
  );

  test('what is different on purpose is fresh: when this fails, run npm run docs and commit it', () => {
    const cases = parse(readFileSync(path.join(root, 'test', 'parity', 'cases.yaml'), 'utf8')) as readonly {
      readonly reference: string;
      readonly deviations?: readonly { readonly at: string; readonly reason: string }[];
    }[];
    const fields = new Map<string, Set<string>>();
    for (const { reference, deviations = [] } of cases)
      for (const { at, reason } of deviations) {
        const [object = '', place = ''] = at.split(' ');
        // a command can be a whole script
        const short =
          /containers\[[^\]]*\]\.(command|args|[^.]*)/.exec(place)?.[0] ?? place.split('.').at(-1) ?? '';
        const system = /^\.\.\/peers\/(\w+)/.exec(reference)?.[1] ?? reference.replace(/(-v.*)?\/.*/, '');
        const key = `${system}|${reason}`;
        fields.set(key, (fields.get(key) ?? new Set()).add(`${object.split('/')[0] ?? ''} \`${short}\``));
      }
    const rows = [...fields].map(([key, places]) => {
      const [system = '', reason = ''] = key.split('|');
      return [system, [...places].join(', '), reason];
    });
    expectPage(
      PAGE,
      (now) =>
        `${(/^[^]*\n## What is different on purpose\n\n.*\n.*\n/.exec(now) ?? [now])[0]}\n${table(['tutorial', 'field', 'reason'], rows)}\n`,
    );
  });
});
