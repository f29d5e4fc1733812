import { existsSync } from 'node:fs';
import path from 'node:path';
import { drawn } from '../site/diagram';
import { deadLinks } from '../site/links';
import { linkOf, sidebar } from '../site/navigation';
import { attachments, isPage, outsideCode, placeOf, sitePage } from '../site/source';
import { pages, root, textOf } from './pages';

// The site itself is built by npm run site. These tests know what it is built from.

const all = [...pages(), 'CHANGELOG.md'];
const made = new Map(all.map((page) => [placeOf(page), sitePage(page, textOf(page))]));

describe('the sidebar', () => {
  const bars = sidebar(textOf);
  const links = Object.values(bars).flatMap((groups) =>
    groups.flatMap(({ items }) => items.map(({ link }) => link)),
  );

  test('has each page once; only the home page and the changes have no group', () => {
    const places = all.map(linkOf).filter((link) => !['/', '/changelog.html'].includes(link));
    // The overviews of constructs and rules are in the sidebar of the docs, and lead their own.
    expect([...links].sort()).toEqual([...places, '/constructs/', '/rules/'].sort());
  });

  test('of a page lists the page', () => {
    for (const link of all.map(linkOf).filter((one) => !['/', '/changelog.html'].includes(one))) {
      const [bar = ''] = Object.keys(bars)
        .filter((prefix) => link.startsWith(prefix))
        .sort((a, b) => b.length - a.length);
      expect(bars[bar]?.flatMap(({ items }) => items.map((item) => item.link))).toContain(link);
    }
  });

  test('groups the rules by number', () => {
    const groups = bars['/rules/']?.slice(1) ?? [];
    expect(groups.map(({ text }) => text)).toContain('TPU3xx Startup and rollout');
    for (const { text, items } of groups)
      for (const item of items) expect(text).toContain(/^TPU\d/.exec(item.text)?.[0]);
  });
});

describe('the pages of the site', () => {
  test.each([...made])('%s links only to existing pages and anchors', (page, text) => {
    const targets: string[] = [];
    outsideCode(text, (prose) => {
      for (const [, to = ''] of prose.matchAll(/\]\((?!https?:)([^)#\s]+)/g)) targets.push(to);
      return prose;
    });
    const dead = targets.filter((to) =>
      to.startsWith('/')
        ? !existsSync(path.join(root, 'docs', to))
        : !made.has(path.posix.join(path.posix.dirname(page), to)),
    );
    expect(dead).toEqual([]);
  });

  test('contain nothing outside code that Vue reads as an expression or a component', () => {
    const known = /^(details|summary|br|div|svg|rect|text|line|polyline|polygon)$/;
    for (const [page, text] of made)
      outsideCode(text, (prose) => {
        const tags = [...prose.matchAll(/<\/?([\w-]+)(?=[\s/>])/g)].map(([, tag = '']) => tag);
        expect({ page, tags: tags.filter((tag) => !known.test(tag)) }).toEqual({ page, tags: [] });
        expect({ page, braces: prose.includes('{{') }).toEqual({ page, braces: false });
        return prose;
      });
  });

  test('include the files that they link to', () => {
    expect(attachments('docs/dashboard.md', textOf('docs/dashboard.md'))).toContain(
      'docs/grafana/vllm-tpu.json',
    );
  });

  test('have links that match their new locations', () => {
    const page = 'See [all](../README.md#rules), [one](TPU101.md), [home](../../README.md), `[a](b.md)`.';
    expect(sitePage('docs/rules/README.md', page)).toBe(
      'See [all](../overview.md#rules), [one](./TPU101.md), [home](../index.md), `[a](b.md)`.',
    );
    expect(isPage('docs/grafana/vllm-tpu.json')).toBe(false);
  });

  test('start with a hero on the home page, from the title and the first paragraph', () => {
    const home = sitePage('README.md', '# name\n\nA [link](https://cdk8s.io)\nand "more".\n\n## Next\n');
    expect(home).toContain('  tagline: "A link and \\"more\\"."');
    expect(home).toMatch(/---\n\n## Next\n$/);
  });
});

describe('a picture', () => {
  test('shows the boxes, arrows and groups of a flowchart', () => {
    const svg = drawn(
      'flowchart LR\n  a["one<br/>1 < 2"] -->|"to"| b[("two")] -.-> s\n  subgraph s["group"]\n    c["three"]\n  end\n',
    );
    expect(svg).toContain('aria-label="one, 1 &lt; 2 → two (to); two → group"');
    expect(svg.match(/class="node"/g)).toHaveLength(3);
    expect(svg.match(/class="group"/g)).toHaveLength(1);
    expect(svg.match(/class="edge( dotted)?"/g)).toEqual(['class="edge"', 'class="edge dotted"']);
    expect(svg).not.toContain('\n');
  });

  test('that is wide runs from top to bottom', () => {
    const chain = 'abcdefgh'.split('').map((name) => `${name}["a box with a long name"]`);
    const [, width = '', height = ''] =
      /width="(\d+)" height="(\d+)"/.exec(drawn(`flowchart LR\n${chain.join(' --> ')}`)) ?? [];
    expect(Number(width)).toBeLessThan(Number(height));
  });

  test('shows the tasks of a Gantt chart in time', () => {
    const svg = drawn('gantt\n  section Load\n  waits :crit, 01:00, 60m\n  serves :02:00, 5m\n');
    expect(svg).toContain(
      'aria-label="Load: waits from 01:00, 60 minutes; Load: serves from 02:00, 5 minutes"',
    );
    expect(svg.match(/class="task \w+"/g)).toEqual(['class="task crit"', 'class="task plain"']);
  });

  test.each(['pie', 'flowchart LR\n  a --- b', 'gantt\n  waits :01:00, 1d'])('refuses %j', (source) => {
    expect(() => drawn(source)).toThrow(/^cannot /);
  });
});

describe('dead links', () => {
  const site = (links: string): ReadonlyMap<string, string> =>
    new Map([
      ['index.html', links],
      ['rules/TPU101.html', '<h2 id="wrong">'],
      ['api/index.html', ''],
      ['logo.png', ''],
    ]);

  test.each([
    ['/base/rules/TPU101.html#wrong', true],
    ['rules/TPU101', true],
    ['./api/', true],
    ['/base/logo.png?v=1', true],
    ['https://cdk8s.io/missing', true],
    ['#top', true],
    ['rules/TPU101.html#right', false],
    ['rules/TPU102.html', false],
    ['/rules/TPU101.html', false],
    ['../outside.html', false],
    ['#bottom', false],
  ])('%s exists: %s', (link, there) => {
    expect(deadLinks(site(`<a id="top" href="${link}">`), '/base/')).toEqual(
      there ? [] : [`index.html: ${link}`],
    );
  });

  test('are not searched in scripts', () => {
    expect(deadLinks(site('<script>"<a href=\\"x.html\\">"</script>'), '/')).toEqual([]);
  });
});
