// Writes lib/checks/rules/index.ts: the list of every rule file, in the order of the codes.
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

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
