import { type Finding } from '../../lib/checks/check';
import { severityOf, type Found, type Rule } from '../../lib/checks/rule';
import { RULES, SYNTH_RULES } from '../../lib/checks/rules';
import { type ManifestObject } from '../../lib/manifest/manifest';
import { podsOf } from '../../lib/manifest/pods';

const BY_CODE = new Map([...RULES, ...SYNTH_RULES].map((rule): [string, Rule] => [rule.code, rule]));

function expectKinds(rule: Rule, objects: readonly ManifestObject[]): void {
  const declared = objects.some(
    (object) =>
      rule.kinds.includes('any') ||
      rule.kinds.includes(object.kind) ||
      (rule.kinds.includes('pods') && podsOf(object).length > 0),
  );
  expect(declared ? '' : `${rule.code} on ${objects.map(({ id }) => id).join()}`).toBe('');
}

/** Expects that a finding has a severity and a kind that its rule declares. */
export function expectDeclared(found: Found): void {
  expect(found.rule.severities).toContain(severityOf(found));
  expectKinds(found.rule, [found.violation.object]);
}

/** The same of a finding, whose object is one of some objects of that name. */
export function expectFindingDeclared(
  { code, severity, object: id }: Finding,
  objects: readonly ManifestObject[],
): void {
  const rule = BY_CODE.get(code);
  if (!rule) throw new Error(`no rule ${code}`);
  expect(rule.severities).toContain(severity);
  expectKinds(
    rule,
    objects.filter((object) => object.id === id),
  );
}
