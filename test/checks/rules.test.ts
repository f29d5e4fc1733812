import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { type Finding, findingsIn } from '../../lib/checks/check';
import { isRecord, manifestObject } from '../../lib/manifest/manifest';
import { RULES } from '../../lib/checks/rules';

const folder = path.join(__dirname, '..', '..', 'docs', 'rules');

const findings = (yaml: string): readonly Finding[] =>
  findingsIn(
    parseAllDocuments(yaml)
      .map((document): unknown => document.toJS())
      .filter(isRecord)
      .map((manifest) => manifestObject(manifest)),
  );

describe('each rule', () => {
  test('has a code of its own, and comes in the order of the codes', () => {
    const codes = RULES.map((rule) => rule.code);
    expect(codes).toEqual([...new Set(codes)].sort());
    for (const code of codes) expect(code).toMatch(/^TPU\d{3}$/);
  });

  test('has a page, and each page a rule', () => {
    const pages = readdirSync(folder).filter((name) => name !== 'README.md');
    expect(pages.sort()).toEqual(RULES.map((rule) => `${rule.code}.md`));
  });

  describe.each(RULES)('$code: $title', ({ code, severity, title }) => {
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

    test('is silent on every right example', () => {
      const right = examples('Right');
      expect(right.length).toBeGreaterThan(0);
      for (const yaml of right) expect(findings(yaml).filter((finding) => finding.code === code)).toEqual([]);
    });
  });
});
