import { defineRule } from '../../rule';
import { nearestWords } from '../../../problems/nearest';
import { strays } from '../../../manifest/landed';

export const TPU913 = defineRule({
  code: 'TPU913',
  title: 'a list has the items that an override merges by name',
  severities: ['error'],
  kinds: ['any'],
  check: function* ({ objects }) {
    for (const object of objects)
      for (const patch of object.synth?.overrides ?? [])
        for (const { path, list, name, needed, others } of strays(
          object.manifest,
          object.synth?.rendered,
          patch,
        )) {
          const [nearest] = [...nearestWords(name, others), ...others];
          yield {
            object,
            path,
            message: `an override adds '${name}' without ${needed} to ${list}${others.length > 0 ? `, which has ${others.map((other) => `'${other}'`).join(', ')}` : ''}`,
            fix: `${nearest === undefined ? '' : `use '${nearest}', or `}add ${needed === 'image' ? 'an image' : `a ${needed}`}`,
          };
        }
  },
});
