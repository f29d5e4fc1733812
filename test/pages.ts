import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

export const root = path.join(__dirname, '..');

/** README.md and every page of docs/, by their path in the project. */
export const pages = (): string[] => [
  'README.md',
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join('docs', ...name.split(path.sep)))
    .sort(),
];

export const textOf = (page: string): string => readFileSync(path.join(root, page), 'utf8');

/** The code of all files in lib/. */
export const sources = (): string =>
  readdirSync(path.join(root, 'lib'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(path.join(root, 'lib', name), 'utf8'))
    .join('\n');

/** The code blocks of a page in a language. */
export const blocksIn = (page: string, language: string): string[] =>
  [...textOf(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, code = '']) => code,
  );

/** A text without the padding of its tables. */
const plain = (text: string): string =>
  text.replace(/^\|.*$/gm, (row) => row.replace(/ +/g, ' ').replace(/-{3,}/g, '---'));

/** Expects the content of a page. `npm run docs` writes the expected content instead. */
export function expectPage(file: string, expected: (now: string) => string): void {
  const now = existsSync(path.join(root, file)) ? textOf(file) : '';
  const then = expected(now);
  if (process.env['UPDATE_DOCS'] !== undefined) writeFileSync(path.join(root, file), then);
  else expect(plain(now)).toBe(plain(then));
}

export const table = (head: readonly string[], body: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** The output of a program. */
export interface Rendered {
  /** The manifests, in the order of their files; empty if there are none. */
  readonly yaml: string;
  readonly printed: string;
}

/** Runs a TypeScript block in a new folder, as a reader would. */
export async function run(code: string): Promise<Rendered> {
  mkdirSync(path.join(root, 'temp'), { recursive: true });
  const folder = mkdtempSync(path.join(root, 'temp', 'page-'));
  const before = process.cwd();
  const printed = jest.spyOn(console, 'log').mockImplementation();
  try {
    process.chdir(folder);
    writeFileSync('main.ts', code.replace("'cdk8s-tpu-serving'", "'../../lib'"));
    await import(path.join(folder, 'main.ts'));
    const files = readdirSync('.', { recursive: true, encoding: 'utf8' });
    return {
      yaml: files
        .filter((name) => name.endsWith('.yaml'))
        .sort()
        .map((name) => readFileSync(name, 'utf8'))
        .join('---\n'),
      printed: printed.mock.calls.map((words) => `${words.join(' ')}\n`).join(''),
    };
  } finally {
    process.chdir(before);
    printed.mockRestore();
    rmSync(folder, { recursive: true });
  }
}
