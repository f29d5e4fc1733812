// The navigation of the site, from the lists that the project keeps anyway: docs/README.md lists the pages by task, and the README of
// docs/constructs/ and of docs/rules/ list theirs by group.
import path from 'node:path';
import { placeOf } from './source';

/** A page in the navigation. */
interface Entry {
  readonly text: string;
  /** Path on the site, from its root. */
  readonly link: string;
}

/** A group of pages under one heading. */
export interface Group {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: readonly Entry[];
}

/** The path by which the site's navigation names a page. */
export const linkOf = (file: string): string =>
  `/${placeOf(file)
    .replace(/\bindex\.md$/, '')
    .replace(/\.md$/, '.html')}`;

/** The sections of a page with their links, each at the start of a row of a table or of an item of a list. */
function sections(file: string, text: string): readonly (Group & { readonly codes: readonly string[] })[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const rows = [...section.matchAll(/^(?:- |\| )\[([^\]]*)\]\(([^)#]*\.md)\)(.*)$/gm)];
      const linked = rows.map(([, name = '', to = '', rest = '']) => ({
        text: name,
        link: linkOf(path.posix.join(path.posix.dirname(file), to)),
        rest,
      }));
      return {
        text: section.split('\n')[0] ?? '',
        collapsed: false,
        codes: linked.map(({ text: name }) => name),
        items: linked.map(({ text: name, link, rest }) => ({
          text: /^TPU\d/.test(name) ? `${name}: ${ruleIn(rest)}` : name,
          link,
        })),
      };
    })
    .filter(({ items }) => items.length > 0);
}

/** The last cell of a row. */
const ruleIn = (row: string): string => row.split('|').at(-2)?.trim() ?? '';

/** The files whose lists are the navigation. */
const LISTS = {
  tasks: 'docs/README.md',
  constructs: 'docs/constructs/README.md',
  rules: 'docs/rules/README.md',
};

/** The navigation of the site: the sidebar by the start of a page's path, the longest that fits. */
export function sidebar(read: (file: string) => string): Readonly<Record<string, readonly Group[]>> {
  const of = (file: string): ReturnType<typeof sections> => sections(file, read(file));
  const overview = (text: string, file: string): Group => ({
    text,
    collapsed: false,
    items: [{ text: 'Overview', link: linkOf(file) }],
  });
  return {
    '/': [
      overview('Documentation', LISTS.tasks),
      ...of(LISTS.tasks).map(({ text, items }) => ({ text, collapsed: false, items })),
    ],
    '/constructs/': [
      overview('The constructs', LISTS.constructs),
      ...of(LISTS.constructs).map(({ text, items }) => ({ text, collapsed: false, items })),
    ],
    '/rules/': [
      overview('The rules', LISTS.rules),
      ...of(LISTS.rules).map(({ text, items, codes }) => ({
        text: `${hundreds(codes)} ${text}`,
        collapsed: true,
        items,
      })),
    ],
  };
}

/** The numbers of a group of rules, by their hundreds. */
function hundreds(codes: readonly string[]): string {
  const all = [...new Set(codes.map((code) => code.replace(/\d\d$/, 'xx')))];
  return all.length === 1 ? (all[0] ?? '') : `${all[0] ?? ''}–${all.at(-1) ?? ''}`;
}
