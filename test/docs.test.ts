import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { anchorOf } from '../site/source';
import { blocksIn, expectPage, pages, root, run, textOf } from './pages';

const INDEX = 'docs/README.md';

/** The pages by the task that they are for, in the order of docs/README.md. */
const TASKS: Readonly<Record<string, readonly string[]>> = {
  'Serve a model': [
    'recipes',
    'systems/vllm',
    'systems/vllm-hosts',
    'systems/weights',
    'systems/servers',
    'systems/other-servers',
    'systems/ray',
    'systems/ray-vllm',
    'systems/jetstream',
    'systems/saxml',
  ],
  'Run a job': ['systems/jobs', 'systems/flex-start'],
  'Get TPUs': ['slices', 'systems/capacity', 'systems/platform', 'plan'],
  'Route, scale and watch': [
    'systems/gateway',
    'systems/gateway-models',
    'autoscaling',
    'autoscaling-pools',
    'dashboard',
  ],
  'Ship and operate': [
    'supported',
    'pod-security',
    'runbooks',
    'troubleshooting',
    'test-an-app',
    'ci',
    'environments',
    'argocd',
  ],
  'Adapt and migrate': [
    'defaults',
    'overrides',
    'own-constructs',
    'migration',
    'deviations',
    'upgrading',
    'public-manifests',
    'performance',
    'testing',
  ],
};

/** The name of a page below docs/, without its extension. */
const nameOf = (page: string): string => page.replace(/^docs\/|\.md$/g, '');

/** The prose of a page, without code blocks and without the brackets in code, which are not links. */
const prose = (page: string): string =>
  textOf(page)
    .replace(/^```[^]*?^```$/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''));

/** Links of a page to files of the project: from the root, and the anchor. */
const linksIn = (page: string): { readonly target: string; readonly anchor: string }[] =>
  [...prose(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(
    ([, to = '', anchor = '']) => ({
      target: to === '' ? page : path.posix.join(path.posix.dirname(page), to),
      anchor,
    }),
  );

/** The anchors of a page's headings. */
const anchorsOf = (page: string): string[] =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

describe('the pages', () => {
  test.each(['CONTRIBUTING.md', ...pages()])('%s links only to existing files and anchors', (page) => {
    const dead = linksIn(page).filter(
      ({ target, anchor }) =>
        !existsSync(path.join(root, target)) || (anchor !== '' && !anchorsOf(target).includes(anchor)),
    );
    expect(dead).toEqual([]);
  });

  test('README.md links to every page, directly or through other pages', () => {
    const reached = new Set(['README.md']);
    for (const page of reached)
      for (const { target } of linksIn(page)) if (pages().includes(target)) reached.add(target);
    expect(pages().filter((page) => !reached.has(page))).toEqual([]);
  });

  test.each(pages())('%s has only valid YAML', (page) => {
    const wrong = blocksIn(page, 'yaml').flatMap((yaml) =>
      parseAllDocuments(yaml).flatMap(({ errors }) => errors.map(({ message }) => message)),
    );
    expect(wrong).toEqual([]);
  });

  const programsIn = (page: string): readonly string[] =>
    blocksIn(page, 'ts').filter((code) => code.includes('app.synth()'));

  // recipes.test.ts runs the recipes
  test.each(pages().filter((page) => page !== 'docs/recipes.md' && programsIn(page).length > 0))(
    'the programs of %s render manifests',
    async (page) => {
      for (const code of programsIn(page)) expect((await run(code)).yaml).toMatch(/^kind: /m);
    },
  );

  test('docs/README.md lists the pages: when this fails, run npm run docs and commit it', () => {
    const row = (page: string): string => {
      const [, title = '', text = ''] = /^# (.*)\n\n([^]*?)\n\n/.exec(textOf(page)) ?? [];
      const plain = text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\s+/g, ' ');
      const sentence = /^.*?[^v\d](?=[.:](\s|$))/.exec(plain)?.[0] ?? plain;
      return `- [${title}](${path.posix.relative('docs', page)}): ${sentence}.`;
    };
    const listed = Object.values(TASKS).flat();
    const all = pages().filter((page) => ['docs', 'docs/systems'].includes(path.posix.dirname(page)));
    expect([...listed].sort()).toEqual(
      all
        .filter((page) => page !== INDEX)
        .map(nameOf)
        .sort(),
    );
    const index = Object.entries(TASKS).map(
      ([task, names]) => `## ${task}\n\n${names.map((name) => row(`docs/${name}.md`)).join('\n')}\n`,
    );
    expectPage(INDEX, (now) => now.replace(/## Serve[^]*?(?=\n## Look up)/, index.join('\n')));
  });
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** The objects that the first example of a page renders, as `Kind name`. */
const objectsOf = async (page: string): Promise<string[]> =>
  parseAllDocuments((await run(blocksIn(page, 'ts')[0] ?? '')).yaml)
    .map((document) => document.toJS() as Manifest)
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);

describe('the diagrams', () => {
  const drawn = pages().filter(
    (page) => page.startsWith('docs/systems/') && blocksIn(page, 'mermaid').length > 0,
  );

  test('exist for each system', () => {
    expect(drawn.map((page) => path.posix.basename(page, '.md'))).toEqual(
      expect.arrayContaining(['flex-start', 'jetstream', 'ray', 'saxml', 'vllm']),
    );
  });

  test.each(drawn)('the diagram of %s shows exactly the objects of the first example', async (page) => {
    const objects = await objectsOf(page);
    const kinds = new Set(objects.map((object) => object.split(' ')[0] ?? ''));
    const labels = [...(blocksIn(page, 'mermaid')[0] ?? '').matchAll(/\["([^"]*?)(?:<br\/>[^"]*)?"\]/g)]
      .map(([, label = '']) => label)
      .filter((label) => kinds.has(label.split(' ')[0] ?? ''));
    expect(labels.sort()).toEqual(objects.sort());
  });
});

test('the pages name the versions of CRDs that the types were generated from', () => {
  const known = readFileSync(path.join(root, 'scripts', 'crds.tsv'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
    .map(([, repository = '', release = '', commit = '', file = '']) =>
      [repository, release === 'HEAD' ? commit : release, file].join('/'),
    );
  const named = pages().flatMap((page) =>
    [...textOf(page).matchAll(/raw\.githubusercontent\.com\/(\S+\/crds?\/\S+\.yaml)/g)].map(([, url]) => url),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((url) => !known.includes(url ?? ''))).toEqual([]);
});
