// The site's generator: npm run site writes its pages to temp/site and starts it.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { sidebar } from '../navigation';
import { anchorOf } from '../source';

const read = (file) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const { name, description } = JSON.parse(read('package.json'));
const repository = process.env.SITE_REPOSITORY;

/** The search finds prose and tables: rendered manifests would answer every query. */
const withoutManifests = (text) =>
  text.replace(/^```yaml\n[^]*?^```$/gm, '').replace(/^<details>[^]*?^<\/details>$/gm, '');

/** Braces in code are not expressions of Vue. */
const literalCode = ({ renderer: { rules } }) => {
  const render = rules.code_inline;
  rules.code_inline = (tokens, index, ...rest) => {
    tokens[index].attrSet('v-pre', '');
    return render(tokens, index, ...rest);
  };
};

// Links to what the generator does not build open as pages of their own.
const target = '_self';

export default defineConfig({
  title: name,
  description,
  lang: 'en-US',
  base: process.env.SITE_BASE ?? '/',
  srcDir: '../temp/site',
  outDir: '../build/site',
  cacheDir: '../temp/vitepress',
  // npm run site checks these two after it has put them beside the pages.
  ignoreDeadLinks: [/^\/(api|page)\//],
  markdown: { anchor: { slugify: anchorOf }, config: literalCode },
  themeConfig: {
    nav: [
      { text: 'Docs', link: '/overview', activeMatch: '^/(?!constructs/|rules/|index|changelog|$)' },
      { text: 'Constructs', link: '/constructs/', activeMatch: '^/constructs/' },
      { text: 'Rules', link: '/rules/', activeMatch: '^/rules/' },
      { text: 'API', link: '/api/', target },
      ...(process.env.SITE_PAGE ? [{ text: 'Size, render, check', link: '/page/', target }] : []),
      { text: 'Changes', link: '/changelog' },
    ],
    sidebar: sidebar(read),
    outline: [2, 3],
    externalLinkIcon: true,
    search: {
      provider: 'local',
      options: {
        _render: (text, env, markdown) => markdown.render(withoutManifests(text), env),
        miniSearch: { searchOptions: { boost: { title: 4, text: 2, titles: 1 } } },
      },
    },
    ...(repository ? { socialLinks: [{ icon: 'github', link: repository }] } : {}),
    footer: { message: 'Apache-2.0' },
  },
});
