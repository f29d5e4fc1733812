import { defineRule } from '../../rule';
import { notLanded, valueInWords } from '../../../manifest/landed';

export const TPU912 = defineRule({
  code: 'TPU912',
  title: 'the manifest contains every override',
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
                ? `an override removes the field, but the manifest has ${valueInWords(found)} there`
                : `an override sets the field to ${valueInWords(wanted)}, but the manifest has ${valueInWords(found)} there`,
            fix: 'remove the code that changes it later: another override, or a custom toJson',
          };
  },
});
