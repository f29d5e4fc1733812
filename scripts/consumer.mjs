// Packs the library and uses the tarball the way users do: in blank projects of other compilers, module systems and peer versions.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const main = readFileSync(new URL('consumer.ts', import.meta.url), 'utf8');
const template = new URL('../node_modules/cdk8s-cli/templates/typescript-app/', import.meta.url);
const templateFile = (file) => readFileSync(new URL(file, template), 'utf8');
const newest = { cdk8s: '^2', 'cdk8s-plus-29': '^2', constructs: '^10' };
const oldest = { cdk8s: '2.68.12', 'cdk8s-plus-29': '2.5.6', constructs: '10.3.0' };
const compiled = [
  ['npx', '--no', 'tsc'],
  ['node', 'out/main.js'],
];
const projects = [
  // The files that `cdk8s init typescript-app` writes, with the oldest Node types that it allows.
  {
    name: 'cdk8s-init',
    type: 'commonjs',
    peers: newest,
    tools: {
      typescript: '5.9.3',
      'ts-node': '^10',
      jest: '^29',
      'ts-jest': '^29',
      '@types/jest': '^29',
      '@types/node': '^14',
      'cdk8s-cli': '^2',
    },
    options: JSON.parse(templateFile('tsconfig.json')).compilerOptions,
    files: {
      'jest.config.js': templateFile('jest.config.js'),
      'main.test.ts': [
        "import { Testing } from 'cdk8s';",
        "import { chart } from './main';",
        "test('renders', () => {",
        '  expect(Testing.synth(chart).length).toBeGreaterThan(9);',
        '});',
      ].join('\n'),
      'cdk8s.yaml': [
        'language: typescript',
        'app: npx --no ts-node main.ts',
        'validations:',
        '  - package: ./node_modules/cdk8s-tpu-serving/plugin',
        '    version: 0.1.0',
        '    class: TpuServingValidation',
      ].join('\n'),
    },
    steps: [
      ['npx', '--no', 'tsc', '--noEmit'],
      ['npx', '--no', 'cdk8s', 'synth', '--no-check-upgrade'],
      ['npx', '--no', 'jest', '--silent'],
    ],
  },
  {
    name: 'cjs-ts6-oldest-peers',
    type: 'commonjs',
    peers: oldest,
    tools: { typescript: '6.0.3' },
    options: { module: 'node16', target: 'es2022' },
    steps: compiled,
  },
  {
    name: 'esm-ts7',
    type: 'module',
    peers: newest,
    tools: { typescript: '7.0.2' },
    options: { module: 'nodenext', target: 'es2022', verbatimModuleSyntax: true },
    steps: compiled,
  },
];

const initOptions = ['--server=vllm', '--namespace=serving', '--bucket=my-models'];

const root = mkdtempSync(path.join(tmpdir(), 'consumer-'));
const run = (cwd, file, ...args) =>
  execFileSync(file, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
try {
  const [{ filename, size }] = JSON.parse(
    run('.', 'npm', 'pack', '--json', '--silent', '--pack-destination', root),
  );
  console.log(`${filename}: ${Math.round(size / 1000)} kB`);
  if (size > 600_000) throw new Error('the package is larger than 600 kB');
  for (const { name, type, peers, tools, options, files = {}, steps } of projects) {
    const dir = path.join(root, name);
    mkdirSync(dir);
    const write = (file, value) =>
      writeFileSync(path.join(dir, file), typeof value === 'string' ? value : JSON.stringify(value));
    write('package.json', {
      private: true,
      type,
      dependencies: { ...peers, 'cdk8s-tpu-serving': `file:../${filename}` },
      devDependencies: tools,
    });
    write('tsconfig.json', {
      compilerOptions: { strict: true, skipLibCheck: false, ...options, outDir: 'out', rootDir: '.' },
      include: ['*.ts'],
    });
    write('main.ts', main);
    for (const [file, text] of Object.entries(files)) write(file, text);
    run(dir, 'npm', 'install', '--prefer-offline', '--no-audit', '--ignore-scripts');
    for (const [command, ...args] of steps) run(dir, command, ...args);
    run(dir, 'npx', '--no', 'cdk8s-tpu-serving', 'check', 'dist');
    run(dir, 'node', '--eval', 'new (require("cdk8s-tpu-serving/plugin").TpuServingValidation)()');
    console.log(`${name}: ${readdirSync(path.join(dir, 'dist')).join(', ')}`);
  }
  // the examples, rendered by the package as it is published
  const rendering = path.join(root, projects[0].name, 'render');
  for (const name of ['main.ts', 'examples']) cpSync(name, path.join(rendering, name), { recursive: true });
  mkdirSync(path.join(rendering, 'lib'));
  writeFileSync(path.join(rendering, 'lib', 'index.ts'), "export * from 'cdk8s-tpu-serving';\n");
  run(rendering, process.execPath, '--import', import.meta.resolve('tsx'), 'main.ts');
  run('.', 'git', 'diff', '--no-index', '--exit-code', 'dist', path.join(rendering, 'dist'));
  console.log('examples: as in dist/');
  // Node prints an uncaught error with the line that throws it.
  const { stderr } = spawnSync(
    process.execPath,
    [
      '--eval',
      'const { App, Chart } = require("cdk8s"); new (require("cdk8s-tpu-serving").TpuServer)(new Chart(new App(), "c"), "s", {});',
    ],
    { cwd: rendering, encoding: 'utf8' },
  );
  if (!stderr.includes('slice: required') || stderr.split('\n').some((line) => line.length > 300))
    throw new Error(`an error that is hard to read:\n${stderr}`);
  // The commands of a new user. The written package.json depends on the tarball.
  run(
    root,
    'npm',
    'exec',
    '--yes',
    `--package=./${filename}`,
    '--',
    'cdk8s-tpu-serving',
    'init',
    'new',
    ...initOptions,
  );
  const dir = path.join(root, 'new');
  run(dir, 'npm', 'install', '--prefer-offline', '--no-audit', '--ignore-scripts');
  for (const script of ['typecheck', 'test', 'synth', 'check']) run(dir, 'npm', 'run', script);
  run(dir, 'npx', '--no', 'cdk8s', 'synth', '--no-check-upgrade');
  console.log(`init: ${readdirSync(path.join(dir, 'dist')).join(', ')}`);
} finally {
  rmSync(root, { recursive: true });
}
