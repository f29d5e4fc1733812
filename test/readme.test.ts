import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { blocksIn, pages, root } from './pages';

const compiler = path.join(path.dirname(require.resolve('@typescript/native/package.json')), 'bin', 'tsc');

/** The TypeScript blocks of README.md and docs/: each a whole program, as a reader would copy it. */
const snippets = pages().flatMap((page) =>
  blocksIn(page, 'ts').map((code, index) => ({
    name: `${page.replace(/\W+/g, '-')}-${String(index + 1)}`,
    code,
  })),
);

describe('the TypeScript in README.md and docs/', () => {
  let folder: string;
  beforeAll(() => {
    mkdirSync(path.join(root, 'temp'), { recursive: true });
    folder = mkdtempSync(path.join(root, 'temp', 'readme-'));
    for (const { name, code } of snippets)
      writeFileSync(path.join(folder, `${name}.ts`), `${code}\nexport {};\n`);
    const options = { noEmit: true, noUnusedLocals: true, rootDir: root, types: ['node'] };
    const paths = { 'cdk8s-tpu-serving': ['../../lib/index.ts'] };
    writeFileSync(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../tsconfig.json',
        compilerOptions: { ...options, paths },
        include: ['*.ts'],
      }),
    );
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test('compiles', () => {
    expect(snippets.length).toBeGreaterThan(0);
    const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
      encoding: 'utf8',
      cwd: folder,
    });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  test('the quickstart renders what the README says', () => {
    const [first] = snippets;
    const app = readFileSync(path.join(folder, `${first?.name ?? ''}.ts`), 'utf8').replace(
      "'cdk8s-tpu-serving'",
      "'../../lib'",
    );
    writeFileSync(path.join(folder, 'run.ts'), app);
    const { stderr, status } = spawnSync(process.execPath, ['--import', 'tsx', 'run.ts'], {
      encoding: 'utf8',
      cwd: folder,
      env: { ...process.env, CDK8S_OUTDIR: path.join(folder, 'out') },
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const yaml = readdirSync(path.join(folder, 'out')).map((name) =>
      readFileSync(path.join(folder, 'out', name), 'utf8'),
    );
    expect(yaml.join('---\n').match(/^kind: \w+$/gm)).toMatchSnapshot();
  });
});
