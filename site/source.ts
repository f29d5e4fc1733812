// The Markdown that the site is built from: README.md, CHANGELOG.md and docs/, at other paths and with links to match. The files stay as
// GitHub and the package show them.
import path from 'node:path';
import { drawn } from './diagram';

/** Pages whose path on the site is not their path below docs/. */
const MOVED: Readonly<Record<string, string>> = {
  'README.md': 'index.md',
  'CHANGELOG.md': 'changelog.md',
  'docs/README.md': 'overview.md',
};

/** Whether a file of the project is a page of the site. */
export const isPage = (file: string): boolean =>
  file in MOVED || (file.startsWith('docs/') && file.endsWith('.md'));

/** Where a file of the project stands on the site. */
export const placeOf = (file: string): string =>
  MOVED[file] ?? file.replace(/^docs\//, '').replace(/\bREADME\.md$/, 'index.md');

/** The anchor that GitHub gives a heading, which the site gives it too. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** Applies a function to the text of a page outside its code. */
export const outsideCode = (text: string, change: (prose: string) => string): string =>
  text
    .split(/(^```[^]*?^```$|`[^`\n]*`)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');

/** A link of a page, with its text. */
const LINK = /\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)/g;

/** Links between pages of the site. Files that are not pages stand in the site's root, at their path below docs/. */
const relinked = (file: string, text: string): string =>
  outsideCode(text, (prose) =>
    prose.replace(LINK, (link: string, to: string, anchor: string | undefined = '') => {
      if (to === '') return link;
      const target = path.posix.join(path.posix.dirname(file), to);
      if (!isPage(target)) return `](/${placeOf(target)}${anchor})`;
      const relative = path.posix.relative(path.posix.dirname(placeOf(file)), placeOf(target));
      return `](${relative.startsWith('.') ? relative : `./${relative}`}${anchor})`;
    }),
  );

/** The files below docs/ that are not pages, to which a page links. */
export const attachments = (file: string, text: string): readonly string[] => {
  const found: string[] = [];
  outsideCode(text, (prose) =>
    prose.replace(LINK, (link: string, to: string) => {
      const target = path.posix.join(path.posix.dirname(file), to);
      if (to !== '' && !isPage(target)) found.push(target);
      return link;
    }),
  );
  return found;
};

/** The first lines of the home page: VitePress's hero, from the title and the first paragraph of README.md. */
function hero(title: string, tagline: string): string {
  const actions: readonly (readonly [string, string, string])[] = [
    ['brand', 'Your first server', '#your-first-server'],
    ['alt', 'Recipes', '/recipes'],
    ['alt', 'Size, render, check', '/page/'],
    ['alt', 'All pages', '/overview'],
  ];
  const plain = tagline.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\s+/g, ' ');
  return [
    '---',
    'layout: home',
    'hero:',
    `  name: ${JSON.stringify(title)}`,
    `  tagline: ${JSON.stringify(plain)}`,
    '  actions:',
    ...actions.map(
      ([theme, text, link]) =>
        `    - { theme: ${theme}, text: ${JSON.stringify(text)}, link: ${JSON.stringify(link)}${link === '/page/' ? ', target: _self' : ''} }`,
    ),
    '---',
  ].join('\n');
}

/** A page as the site has it: with the site's links, pictures instead of their source, and a hero on the home page. */
export function sitePage(file: string, text: string): string {
  const page = relinked(file, text)
    .replace(/^<!-- prettier-ignore -->\n/gm, '')
    .replace(/^```mermaid\n([^]*?)^```$/gm, (_, source: string) => drawn(source));
  if (file !== 'README.md') return page;
  const [, title = '', tagline = '', rest = ''] = /^# (.*)\n\n([^]*?)\n\n([^]*)$/.exec(page) ?? [];
  return `${hero(title, tagline)}\n\n${rest}`;
}
