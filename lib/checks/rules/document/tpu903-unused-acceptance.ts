import { type ManifestObject } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { acceptancesOf } from './common';

/** Rules that need a synth, and rules about acceptances. */
const NOT_JUDGED = /^TPU9(0[23]|1\d)$/;

export const TPU903 = defineRule({
  code: 'TPU903',
  title: 'an object has the findings that it accepts',
  severities: ['note'],
  kinds: ['any'],
  check: function* ({ objects }, { found, codes }) {
    const codesOf = new Map<ManifestObject, Set<string>>();
    for (const { rule, violation } of found)
      codesOf.set(violation.object, (codesOf.get(violation.object) ?? new Set()).add(rule.code));
    for (const object of objects)
      for (const { path, code, reason } of acceptancesOf(object))
        if (
          reason !== '' &&
          codes.has(code) &&
          !NOT_JUDGED.test(code) &&
          codesOf.get(object)?.has(code) !== true
        )
          yield {
            object,
            path,
            message: `the annotation accepts ${code}, but the object does not have this finding`,
            fix: 'remove the annotation',
          };
  },
});
