import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Chart, Testing } from 'cdk8s';
import { parseAllDocuments } from 'yaml';
import { expectPage, table } from '../pages';
import { CASES, functionOf, rebuild } from './cases';
import { differences, type KubernetesObject } from './compare';

// Public manifests, rebuilt from typed props: every value of them is rendered, except those that a case names.

const PAGE = 'docs/public-manifests.md';

const manifestOf = (name: string): string =>
  readFileSync(path.join(__dirname, 'manifests', `${name}.yaml`), 'utf8');
const objectsIn = (yaml: string): KubernetesObject[] =>
  parseAllDocuments(yaml).map((document) => document.toJS() as KubernetesObject);

/** Lines that say something: no blank ones and no comments. */
const linesOf = (text: string): number =>
  text.split('\n').filter((line) => line.trim() !== '' && !/^\s*(#|\/\/)/.test(line)).length;

const SOURCES = ['jobs', 'ray', 'servers']
  .map((name) => readFileSync(path.join(__dirname, `${name}.ts`), 'utf8'))
  .join('\n');
/** The function that rebuilds a manifest, without its first and last line. */
const codeOf = (name: string): string =>
  new RegExp(`^export function ${functionOf(name)}\\(.*\\n([^]*?)^}$`, 'm').exec(SOURCES)?.[1] ?? '';

test('every manifest is a case', () => {
  const files = readdirSync(path.join(__dirname, 'manifests'));
  expect(CASES.map(({ name }) => `${name}.yaml`).sort()).toEqual(files.sort());
  expect(CASES.length).toBeGreaterThanOrEqual(20);
});

test('every kind of the corpus is among the cases', () => {
  const kinds = new Set(CASES.flatMap(({ name }) => objectsIn(manifestOf(name)).map(({ kind }) => kind)));
  expect([...kinds].sort()).toEqual([
    'ConfigMap',
    'Deployment',
    'Job',
    'JobSet',
    'LeaderWorkerSet',
    'PersistentVolumeClaim',
    'Pod',
    'RayCluster',
    'RayJob',
    'RayService',
    'ResourceClaimTemplate',
    'Service',
  ]);
});

test('the cases are rebuilt without overrides and without objects of any kind', () => {
  expect(SOURCES).not.toMatch(/override|ApiObject|JsonPatch|\bas (any|never|unknown)\b/);
});

test.each(CASES)('$name is rendered value by value', ({ name, namespace, names = {}, cannot = {} }) => {
  const chart = new Chart(Testing.app(), 'chart', { namespace });
  rebuild(name, chart);
  const different = differences(
    objectsIn(manifestOf(name)),
    Testing.synth(chart) as KubernetesObject[],
    names,
  );
  const ends = Object.keys(cannot);
  const covers = (end: string, at: string): boolean => at.endsWith(end) || at.includes(`${end}[`);
  expect(different.filter((at) => !ends.some((end) => covers(end, at)))).toEqual([]);
  // Everything that a case names as different is different.
  expect(ends.filter((end) => !different.some((at) => covers(end, at)))).toEqual([]);
});

test('docs/public-manifests.md has the lines of each: npm run docs', () => {
  const rows = CASES.map(({ name, construct, cannot = {} }) => {
    const yaml = manifestOf(name);
    const [url = ''] = /https:\/\/\S+/.exec(yaml) ?? [];
    const [, repository = '', file = ''] =
      /github\.com\/([^/]+\/[^/]+)\/blob\/[^/]+\/(?:.*\/)?([^/]+)$/.exec(url) ?? [];
    const kinds = [...new Set(objectsIn(yaml).map(({ kind }) => kind))].join(', ');
    const reasons = Object.values(cannot).filter((reason) => reason !== '');
    return [
      `[${file}](${url}) of ${repository}`,
      kinds,
      `\`${construct}\``,
      String(linesOf(yaml)),
      String(linesOf(codeOf(name))),
      reasons.join('; ') || '-',
    ];
  });
  const sum = (column: number): string => String(rows.reduce((total, row) => total + Number(row[column]), 0));
  expectPage(
    PAGE,
    () => `# Public manifests

This page lists published TPU manifests that are rebuilt from typed props only. \`test/rebuilt\` has each manifest and its chart, and compares
them value by value.

The line counts exclude comments, blank lines, and imports of TypeScript. They also exclude the values that a chart adds, like probes, requests,
labels and a security context. Names of containers, volumes and ports can differ. ConfigMaps and claims are constructs of cdk8s-plus.

${table(
  ['manifest', 'kinds', 'construct', 'lines of YAML', 'lines of TypeScript', 'without a prop'],
  [...rows, ['all', '', '', sum(3), sum(4), '']],
)}
`,
  );
});
