import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Construct } from 'constructs';
import { parseAllDocuments } from 'yaml';
import * as lib from '../lib';
import { blocksIn, expectPage, pages, type Rendered, root, run, sources, table, textOf } from './pages';
import { isObject, propSections, SHARED_PAGE, sharedTables, WORDS } from './props';

// In docs/constructs/NAME.md the example and the line `More:` are written by hand; the rest comes from the class's own comment, from its
// props and from what the example renders: npm run docs.

const FOLDER = 'docs/constructs';
const NESTED = 'Types of props that several constructs share. The pages of the constructs link to them.';
/** Longer YAML is folded away. */
const MAX_LINES = 50;

const exported = Object.entries(lib).filter(([, value]) => typeof value === 'function');
const constructs = exported
  .filter(([, value]) => (value as { prototype?: unknown }).prototype instanceof Construct)
  .map(([name]) => name);
const pageOf = (name: string): string => `${FOLDER}/${name}.md`;
const documented = pages()
  .filter((page) => page.startsWith(`${FOLDER}/`))
  .map((page) => path.posix.basename(page, '.md'))
  .filter((name) => !['README', SHARED_PAGE].includes(name));

const library = sources();

/** What the comment of a class says, and the pages that it names with `@see`. */
function comment(name: string): { readonly text: string; readonly see: readonly string[] } {
  const found = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\nexport class ${name}\\b`).exec(library);
  const lines = (found?.[1] ?? '').split('\n').map((line) => line.replace(/^\s*\* ?/, '').trim());
  const tags = lines.findIndex((line) => line.startsWith('@'));
  return {
    text: lines
      .slice(0, tags < 0 ? lines.length : tags)
      .join('\n')
      .trim(),
    see: lines.filter((line) => line.startsWith('@see ')).map((line) => line.slice('@see '.length)),
  };
}

const kinds = (yaml: string): string =>
  [...new Set(parseAllDocuments(yaml).map((document) => String(document.get('kind'))))].join(', ');

const fence = (language: string, text: string): string =>
  `<!-- prettier-ignore -->\n\`\`\`${language}\n${text.trim()}\n\`\`\`\n`;

/** What an example prints, below it. */
const printedBy = ({ printed }: Rendered): string =>
  printed === '' ? '' : `It prints:\n\n${fence('text', printed)}\n`;

/** What an example renders, after the props: it is longer than they are. */
function renderedBy({ yaml }: Rendered): string {
  if (yaml === '') return '';
  const lines = yaml.trim().split('\n').length;
  const block = fence('yaml', yaml);
  const folded = `<details>\n<summary>${String(lines)} lines of YAML</summary>\n\n${block}\n</details>\n`;
  return `## Rendered objects\n\n${kinds(yaml)}:\n\n${lines > MAX_LINES ? folded : block}\n`;
}

describe(`${FOLDER}/`, () => {
  test('has a page for each construct, and for no other export', () => {
    const classes = exported.map(([name]) => name);
    expect(constructs.filter((name) => !documented.includes(name))).toEqual([]);
    expect(documented.filter((name) => !classes.includes(name))).toEqual([]);
  });

  test.each(documented)('%s.md is fresh: when this fails, run npm run docs and commit it', async (name) => {
    const { text, see } = comment(name);
    expect(text).not.toBe('');
    const [example = ''] = blocksIn(pageOf(name), 'ts');
    expect(example).toMatch(new RegExp(`\\b${name}\\b`));
    const more = /^More: .*\.$/m.exec(textOf(pageOf(name)))?.[0] ?? '';
    expect(more).not.toBe('');
    const rendered = await run(example);
    expect(`${rendered.yaml}${rendered.printed}`).not.toBe('');
    const upstream = see.length === 0 ? '' : `\nUpstream: ${see.map((url) => `<${url}>`).join(', ')}.\n`;
    expectPage(pageOf(name), () =>
      [
        `# ${name}\n\n${text}\n\n\`\`\`ts\n${example}\`\`\`\n\n`,
        printedBy(rendered),
        propSections(name, documented),
        renderedBy(rendered),
        `${more}\n${upstream}`,
      ].join(''),
    );
  });

  test(`${SHARED_PAGE}.md is fresh: when this fails, run npm run docs and commit it`, () => {
    expectPage(
      `${FOLDER}/${SHARED_PAGE}.md`,
      () => `# Nested props\n\n${NESTED}\n\n${sharedTables(documented)}`,
    );
  });

  describe('the props', () => {
    /** The props in the tables of a page, one list for each table. */
    const tablesOf = (name: string): readonly (readonly string[])[] =>
      textOf(pageOf(name))
        .split('| prop | type | default | meaning |')
        .slice(1)
        .map((text) =>
          [...text.replace(/\n\n[^]*/, '').matchAll(/^\| `(\w+)` \|/gm)].map(([, word = '']) => word),
        );
    const shared = Object.values(WORDS).flat();

    const systems = constructs.filter((name) => {
      const [words = []] = tablesOf(name);
      return (
        words.includes('serviceAccountName') && (words.includes('slice') || words.includes('workerGroups'))
      );
    });

    test('are on the pages of servers, Ray clusters and jobs', () => {
      const some = ['VllmServer', 'JetStreamServer', 'TpuServer', 'SaxCell', 'TpuRayService', 'TpuJob'];
      expect(systems).toEqual(
        expect.arrayContaining([...some, 'TpuRayCluster', 'TpuRayJob', 'FlexStartJob']),
      );
    });

    test.each(documented)('of %s start with the shared props, in the order of all pages', (name) => {
      for (const words of tablesOf(name)) {
        const expected = shared.filter((word) => words.includes(word));
        expect(words.slice(0, expected.length)).toEqual(expected);
      }
    });

    test('each have a type, a default or the word required, and a meaning', () => {
      for (const name of [...documented, SHARED_PAGE])
        for (const [row] of textOf(pageOf(name)).matchAll(/^\| `[\w.]+` \|.*$/gm))
          expect({
            name,
            row,
            empty: row
              .split(/(?<!\\)\|/)
              .slice(1, -1)
              .filter((cell) => cell.trim() === ''),
          }).toEqual({ name, row, empty: [] });
    });

    test('that are objects have their own table, on the same page or on another', () => {
      const all = [...documented, SHARED_PAGE].map((name) => textOf(pageOf(name)));
      const matches = (text: string, pattern: RegExp): string[] =>
        [...text.matchAll(pattern)].map((one) => one[1] ?? '');
      const tables = new Set(all.flatMap((text) => matches(text, /^###? (\w+)$/gm)));
      const types = all
        .flatMap((text) => matches(text, /^\| `[\w.]+` \| `([^`]*)`/gm))
        .flatMap((type) => matches(type, /\b([A-Z]\w+)/g));
      const objects = new Set(
        types.filter(isObject).filter((type) => !documented.includes(type.replace(/Props$/, ''))),
      );
      expect(objects.size).toBeGreaterThan(50);
      expect([...objects].filter((type) => !tables.has(type))).toEqual([]);
    });

    test('are shared props if several servers or jobs have them', () => {
      const pagesWith = new Map<string, number>();
      for (const name of systems)
        for (const word of new Set(tablesOf(name)[0])) pagesWith.set(word, (pagesWith.get(word) ?? 0) + 1);
      expect([...pagesWith].filter(([word, count]) => count > 1 && !shared.includes(word))).toEqual([]);
      const all = new Set(systems.flatMap((name) => tablesOf(name).flat()));
      expect(shared.filter((word) => !all.has(word))).toEqual([]);
    });
  });

  test('README.md lists them: when this fails, run npm run docs and commit it', () => {
    const groups = readFileSync(path.join(root, 'lib', 'index.ts'), 'utf8')
      .split(/^\/\/ /m)
      .slice(1);
    const listed = groups.flatMap((group) => {
      const [heading = ''] = group.split('\n');
      const names = documented.filter((name) => new RegExp(`(?<!type )\\b${name}\\b`).test(group));
      const rows = names.map((name) => [
        `[${name}](${name}.md)`,
        /^[^]*?\.(?=\s|$)/.exec(comment(name).text)?.[0].replace(/\s+/g, ' ') ?? '',
      ]);
      const title = `## ${heading.slice(0, 1).toUpperCase()}${heading.slice(1)}`;
      return rows.length === 0 ? [] : [`${title}\n\n${table(['name', 'what it is'], rows)}\n`];
    });
    const shared = `## Nested props\n\n- [Nested props](${SHARED_PAGE}.md): ${NESTED}\n`;
    expectPage(
      `${FOLDER}/README.md`,
      (now) => `${now.split('\n## ')[0] ?? ''}\n${[...listed, shared].join('\n')}`,
    );
  });
});
