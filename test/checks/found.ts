import { parseAllDocuments } from 'yaml';
import { manifestSet, type ManifestSet } from '../../lib/manifest/set';
import { isRecord, type Json, manifestObject } from '../../lib/manifest/manifest';
import { type Rule, type Violation } from '../../lib/checks/rule';

/** The set of some YAML documents. */
export const setOf = (...documents: readonly string[]): ManifestSet =>
  manifestSet(
    parseAllDocuments(documents.join('\n---\n'))
      .map((document) => document.toJS() as unknown)
      .filter(isRecord)
      .map((manifest) => manifestObject(manifest)),
  );

/** What some rules find: the code, the severity, and what `tell` says of it. */
export const found = (
  rules: readonly Rule[],
  set: ManifestSet,
  tell: (violation: Violation) => string,
): readonly string[] =>
  rules.flatMap((rule) =>
    [...rule.check(set, [])].map((one) => `${rule.code} ${one.severity ?? rule.severity} ${tell(one)}`),
  );

const OTHERS: readonly unknown[] = [null, '', 'x', 0, -1, 0.5, true, [], [null], {}, { a: 1 }];

/** Every manifest that is made of one by leaving a part out, or putting something else in its place. */
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
