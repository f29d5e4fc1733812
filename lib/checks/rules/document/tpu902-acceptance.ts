import { ACCEPT } from '../../acceptance';
import { defineRule } from '../../rule';
import { acceptancesOf } from './common';

export const TPU902 = defineRule({
  code: 'TPU902',
  title: 'an annotation that accepts a finding names a rule and a reason',
  severities: ['warning'],
  kinds: ['any'],
  check: function* ({ objects }, { codes }) {
    for (const object of objects)
      for (const { path, code, reason } of acceptancesOf(object)) {
        if (!codes.has(code))
          yield {
            object,
            path,
            message: `unknown rule '${code}', so this annotation accepts nothing`,
            fix: `use the code of a rule, like ${ACCEPT}TPU101`,
          };
        else if (reason === '')
          yield {
            object,
            path,
            message: `the annotation for ${code} has no reason, so it accepts nothing`,
            fix: 'set its value to the reason',
          };
      }
  },
});
