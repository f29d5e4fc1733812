// Measures the installed package: packs the library, installs it in an empty project, and measures whole processes in turn, as ratios of
// medians in one run. `npm run bench -- ROW …` measures only these rows.
//   HELM=FILE    the helm to compare with; otherwise the one on the PATH, and without one its rows are skipped
//   NODE=FILE    the Node.js to measure; otherwise the one that runs this
//   RUNS=N       runs of the small rows; the large ones take a fifth of them, and at least one
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { transformSync } from '@swc/core';
import { parseAllDocuments } from 'yaml';

const root = path.join(__dirname, '..');
const project = mkdtempSync(path.join(tmpdir(), 'bench-'));
const out = path.join(project, 'out');
const node = process.env['NODE'] ?? process.execPath;
const runs = Number(process.env['RUNS'] ?? 15);
const env: NodeJS.ProcessEnv = { ...process.env };
// Node 20 reads these certificates at every start, and the apps do not need them.
delete env['NODE_EXTRA_CA_CERTS'];

type Command = readonly [string, ...string[]];

interface Run {
  /** CPU time in seconds, which depends less on other load of the machine; NaN without GNU time, like the memory. */
  readonly cpu: number;
  readonly wall: number;
  /** Peak memory in MiB. */
  readonly memory: number;
}

function execute([file, ...args]: Command): string {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    cwd: project,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) throw error ?? new Error(`${[file, ...args].join(' ')}: ${String(status)}\n${stderr}`);
  return stdout;
}

const time = '/usr/bin/time';
const hasTime = existsSync(time);

function measured(command: Command): Run {
  rmSync(out, { recursive: true, force: true });
  const file = path.join(project, 'time');
  const start = performance.now();
  execute(hasTime ? [time, '-f', '%U %S %M', '-o', file, ...command] : command);
  const wall = (performance.now() - start) / 1000;
  const [user = NaN, system = NaN, memory = NaN] = hasTime
    ? readFileSync(file, 'utf8').trim().split(' ').map(Number)
    : [];
  return { wall, cpu: user + system, memory: memory / 1024 };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Runs commands in turn, each once before to warm up. */
function compare(count: number, ...commands: readonly Command[]): readonly Run[] {
  const all = commands.map((): Run[] => []);
  for (let round = -1; round < count; round++)
    for (const [index, command] of commands.entries()) {
      const run = measured(command);
      if (round >= 0) all[index]?.push(run);
    }
  return all.map((list) => ({
    cpu: median(list.map(({ cpu }) => cpu)),
    wall: median(list.map(({ wall }) => wall)),
    memory: median(list.map(({ memory }) => memory)),
  }));
}

/** The packed library in a project with cdk8s, and the apps compiled as a user compiles theirs. */
function install(): number {
  const [{ filename, size }] = JSON.parse(
    spawnSync('npm', ['pack', '--json', '--silent', '--pack-destination', project], {
      cwd: root,
      encoding: 'utf8',
    }).stdout,
  ) as [{ readonly filename: string; readonly size: number }];
  const dependencies = {
    ...{ cdk8s: '^2', 'cdk8s-plus-29': '^2', constructs: '^10', 'cdk8s-cli': '^2' },
    'cdk8s-tpu-serving': `file:${filename}`,
  };
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ private: true, dependencies }));
  execute(['npm', 'install', '--silent', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']);
  const compile = (folder: string): void => {
    mkdirSync(path.join(project, folder));
    for (const name of readdirSync(path.join(root, folder)).filter((one) => one.endsWith('.ts'))) {
      const { code } = transformSync(readFileSync(path.join(root, folder, name), 'utf8'), {
        filename: name,
        module: { type: 'commonjs' },
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      });
      const installed = code.replace(/require\("\.\.\/lib"\)/g, 'require("cdk8s-tpu-serving")');
      writeFileSync(path.join(project, folder, name.replace(/ts$/, 'js')), installed);
    }
  };
  compile('examples');
  compile('bench');
  writeFileSync(path.join(project, 'one-object.js'), ONE_OBJECT);
  writeFileSync(path.join(project, 'objects.js'), OBJECTS);
  writeFileSync(path.join(project, 'one-server.js'), ONE_SERVER);
  writeFileSync(path.join(project, 'load.js'), LOAD);
  writeFileSync(path.join(project, 'parse.js'), PARSE);
  return size;
}

const ONE_OBJECT = `
const { ApiObject, App, Chart } = require('cdk8s');
const app = new App();
new ApiObject(new Chart(app, 'one'), 'one', { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } });
app.synth();
`;
/** The floor of an app that uses cdk8s: the objects of the five systems, in as many charts, without constructs and checks. */
const OBJECTS = `
const { ApiObject, App, Chart } = require('cdk8s');
const app = new App();
for (const [name, objects] of require('./objects.json')) {
  const chart = new Chart(app, name);
  for (const [index, object] of objects.entries()) new ApiObject(chart, String(index), object);
}
app.synth();
`;
/** The server of the README. */
const ONE_SERVER = `
const { Chart } = require('cdk8s');
const { App, TpuSlice, VllmServer } = require('cdk8s-tpu-serving');
const app = new App();
new VllmServer(new Chart(app, 'qwen'), 'vllm', { model: 'Qwen/Qwen3-8B', slice: TpuSlice.of('ct6e-standard-8t') });
app.synth();
`;
const LOAD = `
const start = performance.now();
require('cdk8s');
const between = performance.now();
require('cdk8s-tpu-serving');
console.log((performance.now() - between) / (between - start));
`;
/** Parses each document separately, like a reader with bounded memory. */
const PARSE = `
const { readFileSync, readdirSync } = require('node:fs');
const { LineCounter, parseAllDocuments } = require('yaml');
for (const file of readdirSync(process.argv[2]))
  for (const part of readFileSync(process.argv[2] + '/' + file, 'utf8').split(/^---\\n/m))
    for (const one of parseAllDocuments(part, { version: '1.1', lineCounter: new LineCounter() })) one.toJS();
`;

const helm = process.env['HELM'] ?? 'helm';
const hasHelm = spawnSync(helm, ['version'], { stdio: 'ignore' }).status === 0;
const five = (copies: number): Command => [node, 'bench/app.js', 'ours', String(copies)];

/** Renders copies of the five systems, and writes them as a Helm chart. */
function rendered(copies: number): { readonly folder: string; readonly chart: string } {
  const folder = path.join(project, `rendered-${String(copies)}`);
  const chart = path.join(project, `helm-${String(copies)}`);
  if (existsSync(folder)) return { folder, chart };
  env['CDK8S_OUTDIR'] = folder;
  execute(five(copies));
  env['CDK8S_OUTDIR'] = out;
  mkdirSync(path.join(chart, 'templates'), { recursive: true });
  writeFileSync(path.join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: bench\nversion: 0.1.0\n');
  for (const name of readdirSync(folder))
    copyFileSync(path.join(folder, name), path.join(chart, 'templates', name));
  return { folder, chart };
}

/** The command of the floor, with the objects as data, so that it does not parse YAML. */
function floor(): Command {
  const { folder } = rendered(1);
  const charts = readdirSync(folder).map((name) => {
    const documents = parseAllDocuments(readFileSync(path.join(folder, name), 'utf8'), { version: '1.1' });
    return [name.replace(/\.k8s\.yaml$/, ''), [...documents].map((one): unknown => one.toJS())];
  });
  writeFileSync(path.join(project, 'objects.json'), JSON.stringify(charts));
  return [node, 'objects.js'];
}

type Row = readonly [string, goal: number | undefined, () => number | readonly number[] | undefined];

const ratio = (count: number, command: Command, base: Command): readonly number[] => {
  const [ours, other] = compare(count, command, base) as readonly [Run, Run];
  return [ours.wall / other.wall, ours.cpu / other.cpu, ours.memory / other.memory];
};
const against = (copies: number, count: number): readonly number[] | undefined =>
  hasHelm ? ratio(count, five(copies), [helm, 'template', 'bench', rendered(copies).chart]) : undefined;

const isNode20 = execute([node, '--version']).startsWith('v20.');
const few = Math.max(1, Math.floor(runs / 5));
const cdk8s = path.join('node_modules', 'cdk8s-cli', 'bin', 'cdk8s');
const synthOf = (app: string): Command => [
  ...([node, cdk8s, 'synth', '--no-check-upgrade', '--app'] as const),
  `${node} ${app}`,
];

const rows = (size: number): readonly Row[] => [
  [
    'one server ÷ one ApiObject',
    isNode20 ? 1.3 : 1.2,
    () => ratio(runs, [node, 'one-server.js'], [node, 'one-object.js']),
  ],
  [
    "require('cdk8s-tpu-serving') ÷ require('cdk8s')",
    0.25,
    () => median(Array.from({ length: runs }, () => Number(execute([node, 'load.js'])))),
  ],
  ['5 charts, 21 objects ÷ helm', isNode20 ? 2.4 : 2, () => against(1, runs)],
  [
    'cdk8s with the same 21 objects ÷ helm',
    undefined,
    () => (hasHelm ? ratio(runs, floor(), [helm, 'template', 'bench', rendered(1).chart]) : undefined),
  ],
  ['5 charts, 21 objects ÷ cdk8s with the same', undefined, () => ratio(runs, five(1), floor())],
  ['500 charts, 2,100 objects ÷ helm', 1.5, () => against(100, few)],
  ['5,000 charts, 21,000 objects ÷ helm', 1.2, () => against(1000, few)],
  [
    'check of 21,000 objects ÷ parsing them',
    2,
    () => {
      const { folder } = rendered(1000);
      const cli = path.join('node_modules', 'cdk8s-tpu-serving', 'build', 'lib', 'cli.js');
      return ratio(1, [node, cli, 'check', folder], [node, 'parse.js', folder]);
    },
  ],
  [
    'cdk8s synth of one server ÷ of one ApiObject',
    1.2,
    () => ratio(few, synthOf('one-server.js'), synthOf('one-object.js')),
  ],
  ['packed size in kB', 600, () => size / 1000],
];

try {
  const size = install();
  env['CDK8S_OUTDIR'] = out;
  const wanted = process.argv.slice(2).map(Number);
  console.log(
    `Node ${execute([node, '--version']).trim()}; helm: ${hasHelm ? execute([helm, 'version', '--short']).trim() : 'none: its rows are skipped'}\n`,
  );
  console.log('| | goal | time | CPU time | peak memory |\n|---|---|---|---|---|');
  for (const [index, [name, goal, measure]] of rows(size).entries()) {
    if (wanted.length > 0 && !wanted.includes(index + 1)) continue;
    const values = measure();
    const shown =
      values === undefined ? ['skipped'] : [values].flat().map((one) => one.toFixed(one > 100 ? 0 : 2));
    console.log(`| ${name} | ${String(goal ?? '')} | ${[...shown, '', '', ''].slice(0, 3).join(' | ')} |`);
  }
} finally {
  rmSync(project, { recursive: true, force: true });
}
