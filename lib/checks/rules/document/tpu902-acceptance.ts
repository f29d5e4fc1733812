import { ACCEPT } from '../../acceptance';
import { defineRule } from '../../rule';
import { acceptancesOf } from './common';

export const TPU902 = defineRule({
  code: 'TPU902',
  title: 'what accepts a finding names its rule and a reason',
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
  },
});
