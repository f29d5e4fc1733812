import { placeholderIn } from '../../../manifest/placeholders';
import { at, type ManifestObject, text } from '../../../manifest/manifest';
import { shown } from '../../../problems/shown';
import { defineRule } from '../../rule';

/** Whether rules check the values of an object. They do not check definitions and documents that are not Kubernetes objects. */
const isChecked = ({ manifest, kind }: ManifestObject): boolean =>
  kind !== 'CustomResourceDefinition' &&
  (text(manifest, 'apiVersion') !== undefined || kind !== '' || at(manifest, 'metadata') !== undefined);

export const TPU904 = defineRule({
  code: 'TPU904',
  title: 'a manifest does not contain placeholders',
  severities: ['note'],
  kinds: ['any'],
  check: function* ({ objects }) {
    const files = new Set<string | undefined>();
    for (const object of objects) {
      if (files.has(object.file) || !isChecked(object)) continue;
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
