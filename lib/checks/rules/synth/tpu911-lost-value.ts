import { defineRule } from '../../rule';
import { lost, valueInWords } from '../../../manifest/landed';

export const TPU911 = defineRule({
  code: 'TPU911',
  title: 'a construct renders the values that it gets',
  severities: ['error'],
  kinds: ['any'],
  check: function* ({ objects }) {
    for (const object of objects)
      if (object.synth)
        for (const { path, wanted, found } of lost(object.synth.held, object.synth.rendered))
          yield {
            object,
            path,
            message: `${valueInWords(wanted)} from a JSON patch or a prop is lost, because the construct renders ${valueInWords(found)} instead`,
            fix: 'set it with override(), which is merged over the rendered object',
          };
  },
});
