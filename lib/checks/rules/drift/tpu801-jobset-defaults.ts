import { count } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { ofGroup } from '../../../manifest/selection';
import { JOBSET, missingDefaults } from './common';

export const TPU801 = defineRule({
  code: 'TPU801',
  title: 'a JobSet sets the fields that its webhook fills in',
  severities: ['warning'],
  kinds: ['JobSet'],
  nearTpus: true,
  check: function* (set) {
    for (const object of ofGroup(set, 'JobSet', JOBSET)) {
      const missing = missingDefaults(object);
      const [first] = missing;
      if (first === undefined) continue;
      yield {
        object,
        path: first.path,
        message: `a second kubectl apply fails ('field is immutable'), because it removes ${count(missing.flatMap(({ lines }) => lines).length, 'field')} that the webhook filled in`,
        fix: missing.map(({ path, lines }) => `in ${path}, set ${lines.join(', ')}`).join(', and '),
      };
    }
  },
});
