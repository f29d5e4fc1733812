// Writes lib/checks/rules/index.ts, the list of every rule file in the order of the codes, and errors.ts, those that a synth runs.
// Needs tsx, because it asks each rule what it can report.
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = path.join('lib', 'checks', 'rules');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => /\/tpu\d{3}-[a-z0-9-]+\.ts$/.test(file))
  .map((file) => ({ file: file.replace(/\.ts$/, ''), code: /tpu\d{3}/.exec(file)[0].toUpperCase() }))
  .sort((a, b) => (a.code < b.code ? -1 : 1));
const listed = (wanted) =>
  files
    .filter(({ file }) => wanted(file))
    .map(({ code }) => `  ${code},\n`)
    .join('');

writeFileSync(
  path.join(folder, 'index.ts'),
  `// Written by \`npm run rules\`: run it after you add, rename or remove a rule.
import { type Rule } from '../rule';
${files.map(({ file, code }) => `import { ${code} } from './${file}';\n`).join('')}
/** Every rule over manifests, in the order of the codes. */
export const RULES: readonly Rule[] = [
${listed((file) => !file.startsWith('synth/'))}];

/** Every rule that needs to know what a construct was given. */
export const SYNTH_RULES: readonly Rule[] = [
${listed((file) => file.startsWith('synth/'))}];
`,
);

const rules = await Promise.all(
  files.map(async ({ file, code }) => {
    const { [code]: rule } = await import(pathToFileURL(path.resolve(folder, `${file}.ts`)).href);
    return { file, rule };
  }),
);
const quoted = (texts) => `[${texts.map((text) => `'${text}'`).join(', ')}]`;
// The order in which the checks run: first those that know what a construct was given.
const inOrder = [
  ...rules.filter(({ file }) => file.startsWith('synth/')),
  ...rules.filter(({ file }) => !file.startsWith('synth/')),
];
const errors = inOrder.filter(({ rule }) => rule.severities.includes('error'));

writeFileSync(
  path.join(folder, 'errors.ts'),
  `// Written by \`npm run rules\`: run it after you add, rename or remove a rule, or change its severities or kinds.
import { type Rule } from '../rule';
${errors
  .map(({ file, rule: { code } }) => `import { ${code} } from './${file}';\n`)
  .sort()
  .join('')}
/** The codes of all rules. */
export const CODES: ReadonlySet<string> = new Set(${quoted(inOrder.map(({ rule }) => rule.code))});

/** A rule that loads at its first use. */
interface WaitingRule {
  readonly kinds: Rule['kinds'];
  readonly load: () => Rule;
}

/** The rules that can report errors, on which alone a synth fails. In the package, each loads when an app renders one of its kinds. */
export const ERROR_RULES: readonly WaitingRule[] = [
${errors.map(({ rule: { code, kinds } }) => `  { kinds: ${quoted(kinds)}, load: () => ${code} },\n`).join('')}];
`,
);
