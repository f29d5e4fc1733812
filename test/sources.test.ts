import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..', 'lib');

/** The sites that `@see` may name: projects and standards that the library works with. */
const HOSTS: readonly string[] = [
  'argo-cd.readthedocs.io',
  'cdk8s.io',
  'cloud.google.com',
  'docs.cloud.google.com',
  'docs.github.com',
  'docs.jax.dev',
  'docs.oasis-open.org',
  'docs.ray.io',
  'docs.vllm.ai',
  'github.com',
  'huggingface.co',
  'jobset.sigs.k8s.io',
  'keda.sh',
  'ko.build',
  'kubernetes.io',
  'kueue.sigs.k8s.io',
  'llm-d.ai',
  'lws.sigs.k8s.io',
  'man7.org',
  'no-color.org',
  'nodejs.org',
];

/** The text of each `@see`, with its file: a URL, and sometimes the place in its repository. */
const sees = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) =>
    [...readFileSync(path.join(root, name), 'utf8').matchAll(/@see\b(.*)/g)].map(([, text = '']) => ({
      file: name,
      text: text.replace(/\*\/\s*$/, '').trim(),
    })),
  );

/** The problem of the text of an `@see`; undefined if it has none. */
function problemOf(text: string): string | undefined {
  const [, link = '', rest = ''] = /^(\S*)(.*)$/.exec(text) ?? [];
  if (!URL.canParse(link)) return 'not a URL';
  const { protocol, hostname, href, username } = new URL(link);
  if (protocol !== 'https:' || username !== '') return 'not an https URL';
  if (!HOSTS.includes(hostname)) return 'a host that is not in HOSTS';
  // a slash after the host may be left out
  if (href !== link && href !== `${link}/`) return `not in its normal form, ${href}`;
  return rest === '' || /^ \([^()]+\)$/.test(rest) ? undefined : 'more text than a place in parentheses';
}

test('each @see is the https URL of a known site', () => {
  expect(sees.length).toBeGreaterThan(150);
  expect(
    sees.flatMap(({ file, text }) => {
      const problem = problemOf(text);
      return problem === undefined ? [] : [`${file}: ${text}: ${problem}`];
    }),
  ).toEqual([]);
});

test('each known site is named', () => {
  const named = new Set(sees.map(({ text }) => new URL(text.split(' ')[0] ?? '').hostname));
  expect(HOSTS.filter((host) => !named.has(host))).toEqual([]);
});

test.each([
  ['the tutorial', 'not a URL'],
  ['http://kubernetes.io/docs/', 'not an https URL'],
  ['https://example.com/docs/', 'a host that is not in HOSTS'],
  ['https://KUBERNETES.io/docs/', 'not in its normal form, https://kubernetes.io/docs/'],
  ['https://kubernetes.io/docs/ and more', 'more text than a place in parentheses'],
])('%s is %s', (text, problem) => {
  expect(problemOf(text)).toBe(problem);
});
