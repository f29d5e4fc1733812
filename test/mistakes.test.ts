import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// test/types is a project of its own: legal.ts must compile, and every other file is made of mistakes. A mistake is a paragraph
// that starts with `// mistake: what`; it gives one error, and the rest of the file none.
const LEGAL = 'legal.ts';
const folder = path.join(__dirname, 'types');
const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && file !== LEGAL);
const compiler = path.join(path.dirname(require.resolve('@typescript/native/package.json')), 'bin', 'tsc');
const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
  encoding: 'utf8',
  cwd: path.dirname(__dirname),
});

/** `FILE(LINE,COLUMN): error WORDS`, where further words are indented lines. */
const errors = stdout
  .split(/\r?\n(?=\S)/)
  .filter((entry) => entry !== '')
  .map((entry) => {
    const [, file, line, words] =
      /^test\/types\/(.+)\((\d+),\d+\): error ([^]+)$/.exec(entry.trimEnd()) ?? [];
    return { file, line: Number(line), words: words ?? entry };
  });

/** The paragraphs of a file, with what the compiler says about each. */
function paragraphsOf(
  file: string,
): readonly { text: string; isMistake: boolean; said: readonly string[] }[] {
  let end = 0;
  return readFileSync(path.join(folder, file), 'utf8')
    .split(/\n(?=\n)/)
    .map((text) => {
      const start = end;
      end += text.split('\n').length;
      return {
        text: text.trim(),
        isMistake: text.trim().startsWith('// mistake: '),
        said: errors
          .filter((error) => error.file === file && error.line > start && error.line <= end)
          .map(({ words }) => words),
      };
    });
}

describe.each(files)('test/types/%s', (file) => {
  const paragraphs = paragraphsOf(file);
  const mistakes = paragraphs.filter(({ isMistake }) => isMistake);

  test('every mistake causes one error, and nothing else causes an error', () => {
    expect(mistakes).not.toEqual([]);
    expect(paragraphs.filter(({ isMistake, said }) => said.length !== (isMistake ? 1 : 0))).toEqual([]);
  });

  test('the compiler reports these errors', () => {
    expect(mistakes.map(({ text, said }) => [text, ...said].join('\n')).join('\n\n')).toMatchSnapshot();
  });
});

test('legal code compiles, and so does everything that the mistakes use', () => {
  expect(errors.filter(({ file }) => file === undefined || !files.includes(file))).toEqual([]);
});

test('legal code runs', () => {
  expect(() => {
    jest.requireActual(path.join(folder, LEGAL));
  }).not.toThrow();
});
