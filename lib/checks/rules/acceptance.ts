import { type ManifestObject, record } from '../../manifest/manifest';
import { remark, rule, type Rule } from '../rule';

/** Annotation of an object that accepts what a rule finds on it; its value is the reason. */
export const ACCEPT = 'cdk8s-tpu-serving/accept-';

const NO_RULE = 'TPU902';
const NOTHING_FOUND = 'TPU903';

/** What accepts a finding must name its rule and a reason, and the finding must be there: after the rules that it is about. */
export function acceptanceRules(rules: readonly Rule[], synthRules: readonly Rule[]): readonly Rule[] {
  const judged = new Set(rules.map(({ code }) => code));
  const codes = new Set([...judged, ...synthRules.map(({ code }) => code), NO_RULE, NOTHING_FOUND]);
  return [
    rule(NO_RULE, 'warning', 'what accepts a finding names its rule and a reason', function* ({ objects }) {
      for (const object of objects)
        for (const { path, code, reason } of acceptancesOf(object)) {
          if (!codes.has(code))
            yield {
              object,
              path,
              message: `'${code}' is no rule, so this accepts nothing`,
              fix: `write the code of the finding, as in ${ACCEPT}TPU101`,
            };
          else if (reason === '')
            yield {
              object,
              path,
              message: `finding ${code} is accepted without a reason, so it is not accepted`,
              fix: 'write why it is right here',
            };
        }
    }),
    remark(NOTHING_FOUND, 'note', 'what is accepted is found', function* ({ objects }, found = []) {
      const codesOf = new Map<ManifestObject, Set<string>>();
      for (const { rule: one, violation } of found)
        codesOf.set(violation.object, (codesOf.get(violation.object) ?? new Set()).add(one.code));
      for (const object of objects)
        for (const { path, code, reason } of acceptancesOf(object))
          if (reason !== '' && judged.has(code) && codesOf.get(object)?.has(code) !== true)
            yield {
              object,
              path,
              message: `finding ${code} is accepted, but is not there`,
              fix: 'remove it',
            };
    }),
  ];
}

const acceptancesOf = (
  object: ManifestObject,
): readonly { readonly path: string; readonly code: string; readonly reason: string }[] =>
  Object.entries(record(object.manifest, 'metadata', 'annotations'))
    .filter(([key]) => key.startsWith(ACCEPT))
    .map(([key, value]) => ({
      path: `metadata.annotations[${key}]`,
      code: key.slice(ACCEPT.length),
      reason: typeof value === 'string' ? value.trim() : '',
    }));
