import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { Testing, type Chart } from 'cdk8s';
import { FlexStartJob, JetStreamServer, SaxCell, TpuRayCluster, TpuSlice, VllmServer } from '../lib';
import { refusal } from './refusal';
import { blocksIn, expectPage, root, run, sources, table, textOf } from './pages';

const PAGE = 'docs/migration.md';
const UPGRADING = 'docs/upgrading.md';
const DEVIATIONS = 'docs/deviations.md';
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

/** The section of the page for a tutorial. */
const sectionOf = (system: string): string =>
  textOf(PAGE).split(`\n## ${system}\n`)[1]?.split('\n## ')[0] ?? '';

/** The rows of the tables in a text that have the given number of cells. */
const rowsOf = (text: string, cells: number): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter((row) => row.length === cells && !/^(tutorial|of|-+)$/.test(row[0] ?? ''));

test('the constructs accept the new name of each renamed prop and reject the old name', () => {
  const slice = TpuSlice.of('ct5lp-hightpu-8t');
  const refused = (name: string, prop: string): boolean => {
    const props = { slice, [prop]: 8 };
    const problems = refusal(() => MAKERS[name]?.(Testing.chart(), props as never));
    return problems.includes(`${prop}: unknown property`);
  };
  const renamed = rowsOf(textOf(UPGRADING), 3)
    .map((row) => row.map((cell) => cell.replaceAll('`', '')))
    .filter(([of = '']) => of in MAKERS);
  expect(new Set(renamed.map(([of]) => of)).size).toBe(Object.keys(MAKERS).length);
  expect(renamed.filter(([of = '', before = '']) => !refused(of, before))).toEqual([]);
  expect(renamed.filter(([of = '', , now = '']) => refused(of, now.split('.')[0] ?? ''))).toEqual([]);
});

describe('docs/migration.md', () => {
  test.each(systems)('states the effect of an apply on each object of the %s tutorial', async (system) => {
    const before = objectsIn(
      TUTORIALS[system]
        .map((name) => readFileSync(path.join(__dirname, 'checks', 'tutorials', `${name}.yaml`), 'utf8'))
        .join('---\n'),
    );
    const example = blocksIn(PAGE, 'ts')[systems.indexOf(system)] ?? '';
    const after = objectsIn((await run(example)).yaml);
    const selectorOf = (object?: Manifest): string => JSON.stringify(object?.spec?.selector ?? null);
    /** The effect of an apply if one object replaces another. */
    const applied = (tutorial: string, here: string): string => {
      if (after.get(here)?.kind !== before.get(tutorial)?.kind) return 'nothing';
      if (tutorial !== here) return 'creates another';
      if (/^Job(Set)? /.test(here)) return 'fails while the old one exists';
      return selectorOf(after.get(here)) === selectorOf(before.get(tutorial)) ? 'changes it' : 'is refused';
    };
    const rows = rowsOf(sectionOf(system), 3);
    expect(rows.map(([tutorial]) => tutorial).sort()).toEqual([...before.keys()].sort());
    expect(rows).toEqual(rows.map(([tutorial = '', here = '']) => [tutorial, here, applied(tutorial, here)]));
  });

  test.each(systems)('names only existing props for the fields of the %s tutorial', (system) => {
    const props = rowsOf(sectionOf(system), 2).flatMap(([, here = '']) =>
      [...here.matchAll(/`([a-z]\w+)`/gi)].map(([, prop = '']) => prop),
    );
    expect(props.length).toBeGreaterThan(3);
    const library = sources();
    const unknown = props.filter(
      (prop) => !/^[A-Z_]+$/.test(prop) && !new RegExp(`readonly ${prop}\\b`).test(library),
    );
    expect(unknown).toEqual([]);
  });

  test('docs/deviations.md lists all reasons: when this fails, run npm run docs and commit it', () => {
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
      DEVIATIONS,
      (now) =>
        `${now.slice(0, now.indexOf('\n| tutorial '))}\n${table(['tutorial', 'field', 'reason'], rows)}\n`,
    );
  });
});
