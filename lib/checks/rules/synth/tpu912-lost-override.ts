import { defineRule } from '../../rule';
import { notLanded, valueInWords } from '../../../manifest/landed';

export const TPU912 = defineRule({
  code: 'TPU912',
  title: 'an override is in the manifest',
  severities: ['error'],
  kinds: ['any'],
  check: function* ({ objects }) {
    for (const object of objects)
      for (const patch of object.synth?.overrides ?? [])
        for (const { path, wanted, found } of notLanded(object.manifest, patch))
          yield {
            object,
            path,
            message:
              wanted === null
                ? `an override takes it out, and the manifest has ${valueInWords(found)} there`
                : `an override sets it to ${valueInWords(wanted)}, and the manifest has ${valueInWords(found)} there`,
            fix: 'remove what changes it later: another override, or a toJson of one of your own',
          };
  },
});
