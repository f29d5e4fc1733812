import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { App, Testing, Yaml } from 'cdk8s';
import { addExamples } from '../examples';
import { addArgoCd } from '../examples/argocd';
import { addEnvironments } from '../examples/environments';
import { addGateway } from '../examples/gateway';
import { addLeaderWorkerSets } from '../examples/lws';
import { addPlatform } from '../examples/platform';
import { writeRunbooks } from '../lib';
import { manifestSet } from '../lib/manifest/set';
import { readPaths } from '../lib/manifest/read';
import { RULES } from '../lib/checks/rules';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const root = path.join(__dirname, '..');

/** The files of a folder and of those below it, by their path. */
const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      // what `cdk8s synth` leaves for its validations is not a manifest
      .filter((name) => statSync(path.join(folder, name)).isFile())
      .map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  );

/** What `npm run synth` writes, by file name. */
function rendered(): Record<string, string> {
  const app = Testing.app();
  addExamples(app);
  const below = (folder: string): App => new App({ outdir: path.join(app.outdir, folder) });
  const platform = below('platform');
  addPlatform(platform);
  const gateway = below('gateway');
  addGateway(gateway);
  const lws = below('lws');
  addLeaderWorkerSets(lws);
  const apps = { '.': app, platform, gateway, lws, ...addEnvironments(below) };
  const argo = below('argocd');
  addArgoCd(argo, apps);
  for (const one of [...Object.values(apps), argo]) {
    one.synth();
    writeRunbooks(one);
  }
  const files = filesIn(app.outdir);
  rmSync(app.outdir, { recursive: true });
  return files;
}

describe('dist/', () => {
  const files = rendered();

  test('is fresh: when this fails, run npm run synth and commit dist/', () => {
    expect(filesIn(path.join(root, 'dist'))).toEqual(files);
  });

  test('names each object once, so that it can be applied as a whole', () => {
    const names = Object.keys(files)
      .filter((name) => name.endsWith('.yaml'))
      .flatMap((name) => Yaml.load(path.join(root, 'dist', name)) as Manifest[])
      .map(({ kind, metadata: { name, namespace = '' } }) => `${namespace} ${kind}/${name}`);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test('does not need the LeaderWorkerSet controller if only the top folder is applied', () => {
    const top = Object.entries(files).filter(([name]) => !name.includes(path.sep));
    expect(top.length).toBeGreaterThan(0);
    expect(top.filter(([, text]) => /^kind: LeaderWorkerSet$/m.test(text))).toEqual([]);
    expect(Object.keys(files).filter((name) => name.startsWith(`lws${path.sep}`))).not.toEqual([]);
  });

  test('has a runbook next to the manifest of each chart that needs one', () => {
    const names = Object.keys(files);
    const pages = names.filter((name) => name.endsWith('.md'));
    expect(pages).toEqual(
      expect.arrayContaining(['vllm-llama3-70b.md', path.join('platform', 'vllm-llama3-70b-flex.md')]),
    );
    expect(pages.filter((page) => !names.includes(page.replace(/\.md$/, '.k8s.yaml')))).toEqual([]);
  });

  test('pins every image, and has every TPU request as a string', () => {
    const text = Object.values(files).join('\n');
    expect(text).toMatch(/google\.com\/tpu: "\d+"/);
    expect(text).not.toMatch(/google\.com\/tpu: \d/);
  });
});

test('the drift rules find nothing in dist/, so a second apply changes nothing', () => {
  const set = manifestSet(readPaths([path.join(root, 'dist')]).objects);
  const drift = RULES.filter(({ code }) => code.startsWith('TPU8')).flatMap((rule) =>
    [...rule.check(set, { found: [], codes: new Set() })].map(
      ({ object, path: at }) => `${rule.code} ${object.id} ${at}`,
    ),
  );
  expect(set.objects.length).toBeGreaterThan(70);
  expect(drift).toEqual([]);
});

describe('npm run synth', () => {
  const script = path.join(root, 'scripts', 'synth.js');
  let project: string;

  beforeEach(() => {
    mkdirSync(path.join(root, 'temp'), { recursive: true });
    project = mkdtempSync(path.join(root, 'temp', 'synth-'));
    mkdirSync(path.join(project, 'dist'));
    writeFileSync(path.join(project, 'dist', 'old.k8s.yaml'), 'old: true\n');
  });
  afterEach(() => {
    rmSync(project, { recursive: true });
  });

  const synth = (main: string): number | null => {
    writeFileSync(path.join(project, 'main.ts'), main);
    return spawnSync(process.execPath, [script], { cwd: project }).status;
  };
  const app = (rest: string): string => `import { ApiObject, App, Chart } from 'cdk8s';
const app = new App();
new ApiObject(new Chart(app, 'new'), 'x', { apiVersion: 'v1', kind: 'ConfigMap' });
${rest}`;

  test('writes nothing when the app fails, even halfway', () => {
    expect(synth(app('app.synth(); throw new Error("too late");'))).toBe(1);
    expect(readdirSync(path.join(project, 'dist'))).toEqual(['old.k8s.yaml']);
    expect(readdirSync(project).sort()).toEqual(['dist', 'main.ts']);
  });

  test('runs sources unchanged: in UTF-8, with their own __dirname', () => {
    mkdirSync(path.join(project, 'names'));
    writeFileSync(
      path.join(project, 'names', 'index.ts'),
      "import path from 'node:path';\nconst __filename = 'mine';\nexport const NAME = `${path.basename(__dirname)}-${__filename}`;\n",
    );
    const described = app('app.synth();').replace(
      "'ConfigMap' }",
      "'ConfigMap', data: { a: 'Zürich ✓', b: NAME } }",
    );
    expect(synth(`import { NAME } from './names';\n${described}`)).toBe(0);
    expect(readFileSync(path.join(project, 'dist', 'new.k8s.yaml'), 'utf8')).toContain(
      'data:\n  a: Zürich ✓\n  b: names-mine\n',
    );
  });

  test('removes its temporary folder when it is stopped', () => {
    const stopped = "process.kill(process.pid, 'SIGTERM'); setTimeout(() => app.synth(), 60_000);";
    expect(synth(app(stopped))).toBe(143);
    expect(readdirSync(path.join(project, 'dist'))).toEqual(['old.k8s.yaml']);
    expect(readdirSync(project).sort()).toEqual(['dist', 'main.ts']);
  });

  test('can run several times at once', async () => {
    writeFileSync(path.join(project, 'main.ts'), app('app.synth();'));
    const one = (): Promise<number | null> =>
      new Promise((resolve) => {
        spawn(process.execPath, [script], { cwd: project }).on('exit', resolve);
      });
    expect(await Promise.all([one(), one(), one()])).toEqual([0, 0, 0]);
    expect(readdirSync(path.join(project, 'dist'))).toEqual(['new.k8s.yaml']);
    expect(readdirSync(project).sort()).toEqual(['dist', 'main.ts']);
    // A machine that is busy takes long to start three apps, and an app never ends if its folder is removed while it starts.
  }, 300_000);

  test('replaces folders, and files by folders', () => {
    const dist = path.join(project, 'dist');
    mkdirSync(path.join(dist, 'old', 'er'), { recursive: true });
    writeFileSync(path.join(dist, 'old', 'er', 'old.k8s.yaml'), '');
    writeFileSync(path.join(dist, 'sub'), '');
    const inFolder = "import path from 'node:path';\n" + app('app.synth();');
    expect(
      synth(
        inFolder.replace('new App()', "new App({ outdir: path.join(process.env.CDK8S_OUTDIR!, 'sub') })"),
      ),
    ).toBe(0);
    expect(readdirSync(dist, { recursive: true, encoding: 'utf8' }).sort()).toEqual([
      'sub',
      path.join('sub', 'new.k8s.yaml'),
    ]);
  });

  test('replaces the previous files when it succeeds', () => {
    expect(synth(app('app.synth();'))).toBe(0);
    expect(readdirSync(path.join(project, 'dist'))).toEqual(['new.k8s.yaml']);
  });
});
