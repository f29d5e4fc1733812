import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Finding, findingsIn } from '../../lib/checks/check';
import { readManifests } from '../../lib/manifest/read';
import { RULES, SYNTH_RULES } from '../../lib/checks/rules';
import { CODES, ERROR_RULES } from '../../lib/checks/rules/errors';
import { expectPage, table } from '../pages';
import { expectFindingDeclared } from './declared';

const folder = path.join(__dirname, '..', '..', 'docs', 'rules');

function findings(yaml: string): readonly Finding[] {
  const { objects, unreadable } = readManifests(yaml, 'example.yaml');
  expect(unreadable).toEqual([]);
  const found = findingsIn(objects);
  for (const finding of found) expectFindingDeclared(finding, objects);
  return found;
}

/** An example with the code of a rule at the end of each line that the rule reports. */
function marked(yaml: string, code: string): string {
  const plain = yaml.replace(/ +# TPU\d{3}$/gm, '');
  const lines = new Set(findings(plain).flatMap((one) => (one.code === code ? [one.line] : [])));
  return plain
    .split('\n')
    .map((line, index) => (lines.has(index + 1) ? `${line} # ${code}` : line))
    .join('\n');
}

/** The sections of docs/rules/README.md, and the groups of rules in each. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  Slice: ['slice'],
  'Several hosts': ['hosts'],
  'Startup and rollout': ['startup', 'operations'],
  Storage: ['storage'],
  Wiring: ['wiring'],
  'An inference gateway': ['gateway'],
  Ray: ['ray'],
  'Hygiene and admission': ['hygiene', 'admission'],
  'Applying again': ['drift'],
  'The checks themselves': ['document'],
  'At synth alone': ['synth'],
};

describe('each rule', () => {
  test('has a unique code, and the rules are in the order of their codes', () => {
    const codes = RULES.map((rule) => rule.code);
    expect(codes).toEqual([...new Set(codes)].sort());
    for (const code of codes) expect(code).toMatch(/^TPU\d{3}$/);
  });

  test('has its own file, and each file is listed: if this fails, run npm run rules', () => {
    const rules = path.join(__dirname, '..', '..', 'lib', 'checks', 'rules');
    const files = readdirSync(rules, { recursive: true, encoding: 'utf8' })
      .map((file) => /tpu\d{3}(?=-[a-z0-9-]+\.ts$)/.exec(file)?.[0].toUpperCase())
      .filter((code) => code !== undefined);
    expect(files.sort()).toEqual([...RULES, ...SYNTH_RULES].map(({ code }) => code).sort());
  });

  test('stops a synth if it can report an error: if this fails, run npm run rules', () => {
    const all = [...SYNTH_RULES, ...RULES];
    expect([...CODES]).toEqual(all.map(({ code }) => code));
    expect(ERROR_RULES.map(({ load }) => load())).toEqual(
      all.filter(({ severities }) => severities.includes('error')),
    );
    for (const { kinds, load } of ERROR_RULES) expect(kinds).toEqual(load().kinds);
  });

  test('is listed in docs/rules/README.md: if this fails, run npm run docs', () => {
    const rules = path.join(__dirname, '..', '..', 'lib', 'checks', 'rules');
    const groups = readdirSync(rules).filter((group) => !group.endsWith('.ts'));
    expect(Object.values(SECTIONS).flat().sort()).toEqual(groups.sort());
    const sections = Object.entries(SECTIONS).map(([heading, folders]) => {
      const files = folders.flatMap((group) => readdirSync(path.join(rules, group)));
      const rows = [...RULES, ...SYNTH_RULES]
        .filter(({ code }) => files.some((file) => file.startsWith(`${code.toLowerCase()}-`)))
        .map((rule) => [`[${rule.code}](${rule.code}.md)`, rule.severities[0], rule.title]);
      return `## ${heading}\n\n${table(['Code', 'Severity', 'Rule'], rows)}\n`;
    });
    expectPage('docs/rules/README.md', (now) =>
      [now.split(/(?=## Slice\n)/)[0], sections.join('\n')].join(''),
    );
  });

  test('has a page, and each page a rule', () => {
    const pages = readdirSync(folder).filter((name) => name !== 'README.md');
    expect(pages.sort()).toEqual([...RULES, ...SYNTH_RULES].map((rule) => `${rule.code}.md`));
  });

  test.each(SYNTH_RULES)('$code has its title and severity on its page', ({ code, title, severities }) => {
    const page = readFileSync(path.join(folder, `${code}.md`), 'utf8');
    expect(page).toContain(`# ${code}: ${title}\n\nSeverity: ${severities.join(' or ')}\n`);
  });

  describe.each(RULES)('$code: $title', ({ code, severities: [severity, ...others], title }) => {
    const file = path.join(folder, `${code}.md`);
    const page = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const examples = (heading: string): string[] =>
      [
        ...(page.split(`\n## ${heading}\n`)[1]?.split(/\n## /)[0] ?? '').matchAll(
          /^```yaml\n([\s\S]*?)^```$/gm,
        ),
      ].map(([, yaml = '']) => yaml);

    test('its page says what it is', () => {
      const rarely = others.length > 0 ? ` (sometimes ${others.join(' or ')})` : '';
      expect(page).toContain(`# ${code}: ${title}\n\nSeverity: ${severity}${rarely}\n`);
    });

    test('fires on every wrong example', () => {
      const wrong = examples('Wrong');
      expect(wrong.length).toBeGreaterThan(0);
      for (const yaml of wrong) {
        const found = findings(yaml).filter((finding) => finding.code === code);
        expect(found.length).toBeGreaterThan(0);
        for (const { message, fix, path: place } of found) {
          expect(message).toMatch(/^[^A-Z\n]/);
          expect(message).not.toMatch(/[.\n]$/);
          expect(fix).toMatch(/^[^A-Z\n].*[^.]$/);
          expect(place).not.toBe('');
        }
      }
    });

    test('its page marks the lines that it reports: if this fails, run npm run docs', () => {
      expectPage(path.join('docs', 'rules', `${code}.md`), (now) => {
        const [before = '', wrong = '', ...after] = now.split(/(?=\n## )/);
        const examples = wrong.replace(
          /^(```yaml\n)([\s\S]*?)^```$/gm,
          (_, fence: string, yaml: string) => `${fence}${marked(yaml, code)}\`\`\``,
        );
        return [before, examples, ...after].join('');
      });
      for (const yaml of examples('Wrong')) expect(yaml).toContain(` # ${code}\n`);
    });

    test('is silent on every right example', () => {
      const right = examples('Right');
      expect(right.length).toBeGreaterThan(0);
      for (const yaml of right) expect(findings(yaml).filter((finding) => finding.code === code)).toEqual([]);
    });
  });
});
