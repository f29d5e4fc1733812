// How long whole processes take and how much memory, in turn, as ratios of medians: `npm run bench` for 1, 10 and 100 copies of the five
// systems, `npm run bench -- COPIES …` for others. Where helm, kustomize or kubectl is on the PATH, of the same objects too.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Yaml } from 'cdk8s';

interface Run {
  readonly seconds: number;
  /** Peak memory in MiB; undefined where GNU time is not there to tell. */
  readonly memory: number | undefined;
}

const root = path.join(__dirname, '..');
const temp = path.join(root, 'temp');
mkdirSync(temp, { recursive: true });
const folder = mkdtempSync(path.join(temp, 'bench-'));
/** The app with the library, compiled file by file, as users compile theirs. */
const app = path.join(folder, 'bench', 'app.js');
const env = { ...process.env };
// Node 20 reads these certificates at every start, and no app here needs any.
delete env['NODE_EXTRA_CA_CERTS'];
const time = '/usr/bin/time';
const hasTime = existsSync(time);

function run(command: readonly string[], outdir: string): Run {
  const measured = hasTime ? [time, '-f', '%M', ...command] : command;
  const [program = '', ...args] = measured;
  const start = performance.now();
  const { status, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    env: { ...env, CDK8S_OUTDIR: outdir },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  const seconds = (performance.now() - start) / 1000;
  if (status !== 0) throw error ?? new Error(`${command.join(' ')}: exit code ${String(status)}\n${stderr}`);
  return { seconds, memory: hasTime ? Number(stderr.trim().split('\n').at(-1)) / 1024 : undefined };
}

const isThere = (...command: readonly [string, ...string[]]): boolean =>
  spawnSync(command[0], command.slice(1), { stdio: 'ignore' }).status === 0;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** The files of a folder, by name. */
const filesIn = (of: string): readonly string[] => readdirSync(of).sort();

function compile(): void {
  const tsc = path.join(root, 'node_modules', '.bin', 'tsc');
  const options = ['--noEmit', 'false', '--outDir', folder, '--rootDir', root, '--removeComments'];
  const project = path.join(folder, 'tsconfig.json');
  writeFileSync(
    project,
    JSON.stringify({ extends: '../../tsconfig.json', include: ['../../bench/app.ts'], exclude: [] }),
  );
  const { status, stdout } = spawnSync(tsc, ['-p', project, ...options], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stdout);
}

/** What the five systems render, by the name of each: what `objects` is made of. */
function writeObjects(): string {
  const outdir = path.join(folder, 'one');
  run([process.execPath, app, 'ours', 'constructs', '1'], outdir);
  const objects = filesIn(outdir).map((name) => [name.split('-')[0], Yaml.load(path.join(outdir, name))]);
  const file = path.join(folder, 'objects.json');
  writeFileSync(file, JSON.stringify(Object.fromEntries(objects)));
  return file;
}

/** The same objects as a chart of Helm and as a kustomization. */
function writeOthers(
  rendered: string,
  copies: number,
): { readonly helm: string; readonly kustomize: string } {
  const [helm, kustomize] = (['helm', 'kustomize'] as const).map((name) =>
    path.join(folder, `${name}-${String(copies)}`),
  ) as [string, string];
  mkdirSync(path.join(helm, 'templates'), { recursive: true });
  mkdirSync(kustomize);
  writeFileSync(path.join(helm, 'Chart.yaml'), 'apiVersion: v2\nname: bench\nversion: 0.1.0\n');
  for (const name of filesIn(rendered)) {
    copyFileSync(path.join(rendered, name), path.join(helm, 'templates', name));
    copyFileSync(path.join(rendered, name), path.join(kustomize, name));
  }
  writeFileSync(path.join(kustomize, 'kustomization.yaml'), Yaml.stringify({ resources: filesIn(rendered) }));
  return { helm, kustomize };
}

function bench(copies: number, objectsFile: string): void {
  const size = String(copies);
  const rendered = path.join(folder, `rendered-${size}`);
  const ours = (whose: string, kind: string): readonly string[] => [
    process.execPath,
    app,
    whose,
    kind,
    size,
    objectsFile,
  ];
  run(ours('ours', 'constructs'), rendered);
  const texts = filesIn(rendered).map((name) => readFileSync(path.join(rendered, name), 'utf8'));
  const objects = texts.join('\n').match(/^kind: /gm)?.length ?? 0;
  const others = writeOthers(rendered, copies);

  const commands = new Map<string, readonly string[]>([['bare node', [process.execPath, '-e', '0']]]);
  if (isThere('helm', 'version')) commands.set('helm template', ['helm', 'template', 'bench', others.helm]);
  // the time of these two grows with the square of the objects
  if (copies <= 10) {
    if (isThere('kustomize', 'version'))
      commands.set('kustomize build', ['kustomize', 'build', others.kustomize]);
    else if (isThere('kubectl', 'kustomize', '--help'))
      commands.set('kubectl kustomize', ['kubectl', 'kustomize', others.kustomize]);
  }
  commands.set('our App, our constructs', ours('ours', 'constructs'));
  commands.set('our App, L1 objects', ours('ours', 'objects'));
  // and of this with that of the charts
  if (copies <= 100) {
    commands.set("cdk8s' App, our constructs", ours('cdk8s', 'constructs'));
    commands.set("cdk8s' App, L1 objects", ours('cdk8s', 'objects'));
  }
  const runs = copies > 100 ? 3 : copies > 10 ? 5 : 15;
  const results = new Map([...commands.keys()].map((name) => [name, [] as Run[]]));
  for (let round = -1; round < runs; round++)
    for (const [name, command] of commands) {
      const outdir = path.join(folder, 'out');
      const result = run(command, outdir);
      rmSync(outdir, { recursive: true, force: true });
      if (round >= 0) results.get(name)?.push(result); // the first is a warm-up
    }

  const base = commands.has('helm template') ? 'helm template' : 'bare node';
  const medianOf = (name: string): number => median((results.get(name) ?? []).map(({ seconds }) => seconds));
  console.log(`\n${String(copies * 5)} charts, ${String(objects)} objects, medians of ${String(runs)}\n`);
  console.log(`| | ms | × ${base} | peak MiB |\n|---|---|---|---|`);
  for (const [name, all] of results) {
    const memory = median(all.map((one) => one.memory ?? NaN));
    const columns = [name, (medianOf(name) * 1000).toFixed(0), (medianOf(name) / medianOf(base)).toFixed(2)];
    console.log(`| ${[...columns, Number.isNaN(memory) ? '' : memory.toFixed(0)].join(' | ')} |`);
  }
}

try {
  const wanted = process.argv.slice(2).map(Number);
  compile();
  const objectsFile = writeObjects();
  for (const copies of wanted.length > 0 ? wanted : [1, 10, 100]) bench(copies, objectsFile);
} finally {
  rmSync(folder, { recursive: true });
}
