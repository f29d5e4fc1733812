import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

// The cache of V8's code, in processes, as the package uses it.

const root = mkdtempSync(path.join(tmpdir(), 'code-cache-'));
const folder = path.join(root, 'node_modules', 'example');
const cache = path.join(
  root,
  'node_modules',
  '.cache',
  'cdk8s-tpu-serving',
  `${process.version}-${process.arch}`,
);
const [FIRST, SECOND] = ['a'.repeat(12), 'b'.repeat(12)];

/** Prints what two chunks return, loaded by a process of its own that uses some modules. */
function run(hash: string, env: Readonly<Record<string, string>> = {}, used: readonly number[] = []): string {
  const program = `const hashes = { one: '${hash}', 'one-more': '${hash}', all: '${hash}' };
    const { load, use } = require('./code-cache.js')(__dirname, hashes, require, 'index');
    console.log(load('one')?.of(1), load('one-more')?.of(1), load('none'));
    ${JSON.stringify(used)}.forEach((id) => use(id));`;
  writeFileSync(path.join(folder, 'main.js'), program);
  const { stdout, stderr } = spawnSync(process.execPath, [path.join(folder, 'main.js')], {
    encoding: 'utf8',
    env: { ...process.env, NODE_V8_COVERAGE: '', ...env },
  });
  return stdout + stderr;
}

const write = (sum: number): void => {
  for (const name of ['one', 'one-more'])
    writeFileSync(path.join(folder, `${name}.js`), `exports.of = (value) => value + ${String(sum)};\n`);
};

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  copyFileSync(path.join(__dirname, '..', 'scripts', 'code-cache.js'), path.join(folder, 'code-cache.js'));
});
afterAll(() => {
  rmSync(root, { recursive: true });
});
beforeEach(() => {
  rmSync(cache, { recursive: true, force: true });
  write(1);
});

const kept = (): readonly string[] => (existsSync(cache) ? readdirSync(cache).sort() : []);

test('keeps the code of the chunks next to the package, once', () => {
  expect(run(FIRST)).toBe('2 2 undefined\n');
  expect(kept()).toEqual([`index-all-${FIRST}`, `index-one-${FIRST}`, `index-one-more-${FIRST}`]);
  const times = kept().map((name) => statSync(path.join(cache, name)).ino);
  expect(run(FIRST)).toBe('2 2 undefined\n');
  expect(kept().map((name) => statSync(path.join(cache, name)).ino)).toEqual(times);
});

test('keeps the code again if an app uses more modules', () => {
  const numbers = (): readonly number[] => kept().map((name) => statSync(path.join(cache, name)).ino);
  run(FIRST, {}, [1, 2]);
  const first = numbers();
  run(FIRST, {}, [2]);
  expect(numbers()).toEqual(first);
  run(FIRST, {}, [3]);
  const grown = numbers();
  expect(grown).not.toEqual(first);
  run(FIRST, {}, [1, 2, 3]);
  expect(numbers()).toEqual(grown);
});

test('gives a chunk the path of its folder, like Node.js', () => {
  for (const name of ['one', 'one-more'])
    writeFileSync(path.join(folder, `${name}.js`), 'exports.of = () => [__dirname, __filename].join();\n');
  expect(run(FIRST)).toBe(
    `${['one', 'one-more'].map((name) => [folder, path.join(folder, `${name}.js`)].join()).join(' ')} undefined\n`,
  );
});

test('replaces the code of another version', () => {
  run(FIRST);
  write(2);
  expect(run(SECOND)).toBe('3 3 undefined\n');
  expect(kept()).toEqual([`index-all-${SECOND}`, `index-one-${SECOND}`, `index-one-more-${SECOND}`]);
});

test('replaces code that V8 does not accept', () => {
  run(FIRST);
  for (const name of kept()) writeFileSync(path.join(cache, name), 'nothing');
  expect(run(FIRST)).toBe('2 2 undefined\n');
  for (const name of kept().filter((one) => one.includes('one')))
    expect(statSync(path.join(cache, name)).size).toBeGreaterThan(100);
});

test('ignores a folder that cannot be written', () => {
  mkdirSync(path.dirname(cache), { recursive: true });
  writeFileSync(cache, '');
  expect(run(FIRST)).toBe('2 2 undefined\n');
});

test.each(['NODE_DISABLE_COMPILE_CACHE', 'NODE_V8_COVERAGE'])('keeps nothing with %s', (name) => {
  expect(run(FIRST, { [name]: path.join(root, 'coverage') })).toBe('undefined undefined undefined\n');
  expect(kept()).toEqual([]);
});

type CodeCache = (
  folder: string,
  hashes: Readonly<Record<string, string>>,
  load: NodeJS.Require,
  entry: string,
) => { readonly load: (name: string) => unknown };

test('does not change how modules load in a program that runs them in its own context, like this test', () => {
  const codeCache = jest.requireActual<CodeCache>('../scripts/code-cache');
  expect(codeCache(folder, { one: FIRST }, require, 'index').load('one')).toBeUndefined();
});
