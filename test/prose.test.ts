import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { root } from './pages';

interface Rule {
  readonly pattern: string;
  readonly use: string;
  readonly before: string;
  readonly after: string;
  /** Whether the rule applies only to headings and to names of tests. @default false */
  readonly titles?: boolean;
}

const rules = parse(readFileSync(path.join(root, 'scripts', 'prose.yaml'), 'utf8')) as readonly Rule[];

/** Files of a project in a folder, each with its text. */
type Files = Readonly<Record<string, string>>;

/** The lines that `npm run prose` prints for some files. */
function read(files: Files): { readonly lines: readonly string[]; readonly status: number | null } {
  mkdirSync(path.join(root, 'temp'), { recursive: true });
  const folder = mkdtempSync(path.join(root, 'temp', 'prose-'));
  try {
    const names = Object.entries(files).map(([name, text]) => {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
      return path.relative(root, path.join(folder, name));
    });
    const { stdout, status } = spawnSync(
      process.execPath,
      [path.join(root, 'scripts', 'prose.mjs'), ...names],
      { encoding: 'utf8' },
    );
    const prefix = `${path.relative(root, folder)}${path.sep}`;
    return { lines: stdout.split('\n').map((line) => line.replace(prefix, '')), status };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the rules for English', () => {
  test.each(rules)(
    '$pattern finds its first sentence and accepts its second',
    ({ pattern, before, after }) => {
      const text = (sentence: string): string => sentence.replace(/`[^`]*`/g, 'x');
      expect(text(before)).toMatch(new RegExp(pattern, 'i'));
      expect(rules.filter((rule) => new RegExp(rule.pattern, 'i').test(text(after)))).toEqual([]);
    },
  );

  test('apply to Markdown, comments, messages and names of tests, but not to code', () => {
    const { lines, status } = read({
      'page.md':
        '# A page\n\nText with `is no` code.\n\n- A list that\n  is no table.\n\n```sh\necho this is no text\n```\n',
      'code.ts': [
        '/**',
        ' * A value that is',
        ' * no string.',
        ' */',
        'export const problem = (name: string): string => `the value ${name} is no number`;',
        "export const key = 'is no';",
      ].join('\n'),
      'test/code.ts':
        "describe('what a pod needs', () => { test('what a slice has', () => expect('it is no text').toBe('')); });",
    });
    expect(lines.slice(0, -1)).toEqual([
      expect.stringMatching(/^page\.md:6:3 "is no": /),
      expect.stringMatching(/^code\.ts:2:17 "is\s+no": /),
      expect.stringMatching(/^code\.ts:5:69 "is no": /),
      expect.stringMatching(/^test\/code\.ts:1:44 "what": /),
      '',
      '4 phrases to write in plain English',
    ]);
    expect(status).toBe(1);
  });
});
