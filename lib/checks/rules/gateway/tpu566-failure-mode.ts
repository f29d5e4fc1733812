import { text } from '../../../manifest/manifest';
import { poolsIn } from '../../../manifest/inference';
import { defineRule } from '../../rule';

export const TPU566 = defineRule({
  code: 'TPU566',
  title: 'requests reach a server if the endpoint picker does not answer',
  severities: ['note'],
  kinds: ['InferencePool'],
  check: function* (set) {
    for (const { object } of poolsIn(set)) {
      const mode = text(object.manifest, 'spec', 'endpointPickerRef', 'failureMode');
      if (mode !== 'FailOpen')
        yield {
          object,
          path: 'spec.endpointPickerRef.failureMode',
          message: `failureMode is ${mode ?? 'FailClose (the default)'}, so all requests fail while the endpoint picker restarts`,
          fix: 'set failureMode: FailOpen, if any server may answer in the meantime',
        };
    }
  },
});
