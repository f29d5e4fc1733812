// Packs the library and uses the tarball the way users do: in blank projects of other compilers, module systems and peer versions.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const main = readFileSync(new URL('consumer.ts', import.meta.url), 'utf8');
const newest = { cdk8s: '^2', 'cdk8s-plus-29': '^2', constructs: '^10' };
const oldest = { cdk8s: '2.68.12', 'cdk8s-plus-29': '2.5.6', constructs: '10.3.0' };
const projects = [
  // what `cdk8s init typescript-app` writes
  {
    name: 'cjs-ts5',
    typescript: '5.9.3',
    type: 'commonjs',
    peers: newest,
    options: { module: 'commonjs', target: 'es2017', lib: ['es2020'], types: [] },
  },
  {
    name: 'cjs-ts6-oldest-peers',
    typescript: '6.0.3',
    type: 'commonjs',
    peers: oldest,
    options: { module: 'node16', target: 'es2022' },
  },
  {
    name: 'esm-ts7',
    typescript: '7.0.2',
    type: 'module',
    peers: newest,
    options: { module: 'nodenext', target: 'es2022', verbatimModuleSyntax: true },
  },
];

const root = mkdtempSync(path.join(tmpdir(), 'consumer-'));
const run = (cwd, file, ...args) =>
  execFileSync(file, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
try {
  const [{ filename }] = JSON.parse(
    run('.', 'npm', 'pack', '--json', '--silent', '--pack-destination', root),
  );
  for (const { name, typescript, type, peers, options } of projects) {
    const dir = path.join(root, name);
    mkdirSync(dir);
    const write = (file, value) =>
      writeFileSync(path.join(dir, file), typeof value === 'string' ? value : JSON.stringify(value));
    write('package.json', {
      private: true,
      type,
      dependencies: { ...peers, 'cdk8s-tpu-serving': `file:../${filename}` },
      devDependencies: { typescript },
    });
    write('tsconfig.json', {
      compilerOptions: { strict: true, skipLibCheck: false, outDir: 'out', rootDir: '.', ...options },
      files: ['main.ts'],
    });
    write('main.ts', main);
    run(dir, 'npm', 'install', '--prefer-offline', '--no-audit', '--ignore-scripts');
    run(dir, path.join(dir, 'node_modules', '.bin', 'tsc'));
    run(dir, process.execPath, 'out/main.js');
    console.log(`${name}: ${readdirSync(path.join(dir, 'dist')).join(', ')}`);
  }
} finally {
  rmSync(root, { recursive: true });
}
