import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { startupEstimate, TpuSlice } from '../lib';
import { run as runCli } from '../lib/cli';
import { choiceOf } from '../site/page/choice';
import { typescriptOf } from '../site/page/render';
import { CHOICES } from './page/choices';
import { blocksIn, pages, root, run, textOf } from './pages';

const compiler = path.join(path.dirname(require.resolve('@typescript/native/package.json')), 'bin', 'tsc');

/** The TypeScript blocks of README.md and docs/, and what the page shows: each a whole program, as a reader would copy it. */
const snippets = [
  ...pages().flatMap((page) =>
    blocksIn(page, 'ts').map((code, index) => ({
      name: `${page.replace(/\W+/g, '-')}-${String(index + 1)}`,
      code,
    })),
  ),
  ...CHOICES.map((fragment, index) => ({
    name: `choice-${String(index + 1)}`,
    code: typescriptOf(choiceOf(fragment)),
  })),
];

let folder: string;
beforeAll(() => {
  mkdirSync(path.join(root, 'temp'), { recursive: true });
  folder = mkdtempSync(path.join(root, 'temp', 'readme-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('the TypeScript in README.md and docs/, and that of the page, compiles', () => {
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
  expect(snippets.length).toBeGreaterThan(0);
  const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
    encoding: 'utf8',
    cwd: folder,
  });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});

describe('README.md', () => {
  const readme = textOf('README.md');
  const [program = ''] = blocksIn('README.md', 'ts');
  const [, first = '', commands = ''] = blocksIn('README.md', 'sh');
  const [before = ''] = blocksIn('README.md', 'yaml');
  const [mistake = ''] = blocksIn('README.md', 'text');

  test('has at most 120 lines, and the quickstart on the first screen', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
    expect(readme.split('\n').slice(0, 20)).toContain('npm ci && npm run synth');
  });

  test('has a program of eight lines that renders the YAML above it, with ten numbered places', async () => {
    expect(program.split('\n').filter((line) => line.trim() !== '')).toHaveLength(8);
    const numbers = [...before.matchAll(/# (\d+)(?=:|$)/gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const rendered = parseAllDocuments((await run(program)).yaml).map(
      (one) => one.toJS() as { kind: string },
    );
    for (const document of parseAllDocuments(before)) {
      const excerpt = document.toJS() as { kind: string };
      expect(rendered.find(({ kind }) => kind === excerpt.kind)).toMatchObject(excerpt);
    }
    expect(rendered.map(({ kind }) => kind)).toEqual(['Deployment', 'Service', 'PodMonitoring']);
  });

  test('shows the error of synth for a mistake', async () => {
    const wrong = program.replace('ct6e-standard-4t', 'ct6e-standard-1t');
    expect(wrong).not.toBe(program);
    await expect(run(wrong)).rejects.toThrow(mistake.trim());
  });

  test('names the files, objects and times of the project that init writes', () => {
    const version = (JSON.parse(textOf('package.json')) as { readonly version: string }).version;
    const [, line = ''] = first.split('\n');
    expect(line).toContain(`--package=./cdk8s-tpu-serving-${version}.tgz -- cdk8s-tpu-serving init `);
    let said = '';
    const io = {
      stdin: () => Buffer.from(''),
      stdout: (text: string) => (said += text),
      stderr: (text: string) => (said += text),
    };
    expect(runCli(['init', path.join(folder, 'my-server')], io)).toBe(0);
    const main = readFileSync(path.join(folder, 'my-server', 'main.ts'), 'utf8');
    const [, machineType = '', name = '', model = ''] =
      /TpuSlice\.of\('([^']*)'\)[^]*new VllmServer\(chart, '([^']*)', \{\s*model: '([^']*)'/.exec(main) ?? [];
    expect(said).toContain('npm run synth\n  kubectl apply -f dist/\n');
    expect(commands).toContain(`--machine-type=${machineType} --num-nodes=1\nkubectl apply -f dist/\n`);
    expect(commands).toContain(`kubectl rollout status deployment/${name} `);
    expect(commands).toContain(`"model": "${model}"`);
    expect(readme).toContain(`\`dist/${name}.md\``);
    const slice = TpuSlice.parse(machineType);
    const { totalSeconds, budgetSeconds } = startupEstimate({ slice, modelSize: '9G' });
    expect(readme).toContain(
      `in about ${String(Math.round(totalSeconds / 60))} minutes: it downloads 8 GB and compiles. The startup probe waits up to ${String(budgetSeconds / 60)} minutes.`,
    );
  });
});
