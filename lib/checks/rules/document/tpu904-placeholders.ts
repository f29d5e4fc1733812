import { placeholderIn } from '../../../manifest/placeholders';
import { shown } from '../../../problems/shown';
import { defineRule } from '../../rule';

export const TPU904 = defineRule({
  code: 'TPU904',
  title: 'a manifest does not contain placeholders',
  severities: ['note'],
  kinds: ['any'],
  check: function* ({ objects }) {
    const files = new Set<string | undefined>();
    for (const object of objects) {
      if (files.has(object.file)) continue;
      const found = placeholderIn(object.manifest);
      if (!found) continue;
      files.add(object.file);
      yield {
        object,
        path: found.path,
        message: `${shown(found.value)} is a placeholder, and the checks ignore placeholders`,
        fix: 'fill in the values, and check the manifests again',
      };
    }
  },
});
