import { expectDeclared } from './declared';
import { parseAllDocuments } from 'yaml';
import { manifestSet, type ManifestSet } from '../../lib/manifest/set';
import { isRecord, type Json, manifestObject } from '../../lib/manifest/manifest';
import { type Rule, severityOf, type Violation } from '../../lib/checks/rule';
import { RULES } from '../../lib/checks/rules';

/** The set of some YAML documents. */
export const setOf = (...documents: readonly string[]): ManifestSet =>
  manifestSet(
    parseAllDocuments(documents.join('\n---\n'))
      .map((document) => document.toJS() as unknown)
      .filter(isRecord)
      .map((manifest) => manifestObject(manifest)),
  );

/** The context of a rule that runs alone. */
export const NOTHING_FOUND = { found: [], codes: new Set<string>() };

/** The rules whose codes match. */
export const rulesOf = (codes: RegExp): readonly Rule[] => RULES.filter(({ code }) => codes.test(code));

/** The findings of some rules: code, severity, and the text that `tell` returns. */
export const found = (
  rules: readonly Rule[],
  set: ManifestSet,
  tell: (violation: Violation) => string,
): readonly string[] =>
  rules.flatMap((rule) =>
    [...rule.check(set, NOTHING_FOUND)].map((violation) => {
      expectDeclared({ rule, violation });
      return `${rule.code} ${severityOf({ rule, violation })} ${tell(violation)}`;
    }),
  );

const OTHERS: readonly unknown[] = [null, '', 'x', 0, -1, 0.5, true, [], [null], {}, { a: 1 }];

/** Every manifest that results from removing or replacing one part of a manifest. */
export const broken = (manifest: Json): readonly Json[] => [...variants(manifest)].filter(isRecord);

function* variants(value: unknown): Generator {
  yield* OTHERS;
  if (Array.isArray(value))
    for (const [index, part] of value.entries()) {
      yield value.filter((_, place) => place !== index);
      for (const other of variants(part))
        yield value.map((one: unknown, place) => (place === index ? other : one));
    }
  else if (isRecord(value))
    for (const [key, part] of Object.entries(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
      for (const other of variants(part)) yield { ...value, [key]: other };
    }
}
