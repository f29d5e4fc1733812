import { nearestWords } from '../../problems/nearest';
import { lost, notLanded, strays, valueInWords } from '../../manifest/landed';
import { rule, type Rule } from '../rule';

/** What only a synth can find: what constructs were given and do not render. */
export const SYNTH_RULES: readonly Rule[] = [
  rule('TPU911', 'error', 'a construct renders what it was given', function* ({ objects }) {
    for (const object of objects)
      if (object.synth)
        for (const { path, wanted, found } of lost(object.synth.held, object.synth.rendered))
          yield {
            object,
            path,
            message: `${valueInWords(wanted)}, from a JSON patch or a prop, is lost: the type of the construct renders ${valueInWords(found)} there`,
            fix: 'write it with override(), which is merged over what the type renders',
          };
  }),
  rule('TPU912', 'error', 'an override is in the manifest', function* ({ objects }) {
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
  }),
  rule('TPU913', 'error', 'what an override merges by name is there', function* ({ objects }) {
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
            message: `an override adds '${name}' to ${list}, without ${needed}${others.length > 0 ? `, beside ${others.map((other) => `'${other}'`).join(', ')}` : ''}`,
            fix: `${nearest === undefined ? '' : `write '${nearest}', or `}give it ${needed === 'image' ? 'an image' : `a ${needed}`}`,
          };
        }
  }),
];
