import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Finding, findingsIn } from '../../lib/checks/check';
import { readManifests } from '../../lib/manifest/read';
import { RULES, SYNTH_RULES } from '../../lib/checks/rules';
import { expectPage } from '../pages';
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

describe('each rule', () => {
  test('has a code of its own, and comes in the order of the codes', () => {
    const codes = RULES.map((rule) => rule.code);
    expect(codes).toEqual([...new Set(codes)].sort());
    for (const code of codes) expect(code).toMatch(/^TPU\d{3}$/);
  });

  test('has a file of its own, and each file is listed: if this fails, run npm run rules', () => {
    const rules = path.join(__dirname, '..', '..', 'lib', 'checks', 'rules');
    const files = readdirSync(rules, { recursive: true, encoding: 'utf8' })
      .map((file) => /tpu\d{3}(?=-[a-z0-9-]+\.ts$)/.exec(file)?.[0].toUpperCase())
      .filter((code) => code !== undefined);
    expect(files.sort()).toEqual([...RULES, ...SYNTH_RULES].map(({ code }) => code).sort());
  });

  test('has a page, and each page a rule', () => {
    const pages = readdirSync(folder).filter((name) => name !== 'README.md');
    expect(pages.sort()).toEqual(RULES.map((rule) => `${rule.code}.md`));
  });

  describe.each(RULES)('$code: $title', ({ code, severities: [severity], title }) => {
    const file = path.join(folder, `${code}.md`);
    const page = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const examples = (heading: string): string[] =>
      [
        ...(page.split(`\n## ${heading}\n`)[1]?.split(/\n## /)[0] ?? '').matchAll(
          /^```yaml\n([\s\S]*?)^```$/gm,
        ),
      ].map(([, yaml = '']) => yaml);

    test('its page says what it is', () => {
      expect(page).toContain(`# ${code}: ${title}\n\nSeverity: ${severity}\n`);
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
