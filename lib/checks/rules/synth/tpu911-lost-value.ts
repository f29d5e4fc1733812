import { defineRule } from '../../rule';
import { lost, valueInWords } from '../../../manifest/landed';

export const TPU911 = defineRule({
  code: 'TPU911',
  title: 'a construct renders what it was given',
  severities: ['error'],
  kinds: ['any'],
  check: function* ({ objects }) {
    for (const object of objects)
      if (object.synth)
        for (const { path, wanted, found } of lost(object.synth.held, object.synth.rendered))
          yield {
            object,
            path,
            message: `${valueInWords(wanted)}, from a JSON patch or a prop, is lost: the type of the construct renders ${valueInWords(found)} there`,
            fix: 'write it with override(), which is merged over what the type renders',
          };
  },
});
