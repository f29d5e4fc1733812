import { isKustomization } from '../../../manifest/kustomize';
import { at, text } from '../../../manifest/manifest';
import { defineRule } from '../../rule';

export const TPU901 = defineRule({
  code: 'TPU901',
  title: 'a checked document is a Kubernetes object',
  severities: ['note'],
  kinds: ['any'],
  check: function* ({ objects }) {
    for (const object of objects) {
      const missing = (['apiVersion', 'kind'] as const).filter((key) => !text(object.manifest, key));
      const [first] = missing;
      // both are optional in a kustomization
      if (
        first === undefined ||
        object.partOf !== undefined ||
        (object.file !== undefined && isKustomization(object.file))
      )
        continue;
      const isEmpty = missing.length === 2 && at(object.manifest, 'metadata') === undefined;
      yield {
        object,
        path: first,
        message: `the document has no ${missing.join(' and no ')}, so no rule checked it`,
        fix: isEmpty ? 'do not pass it to the checks' : `add ${missing.join(' and ')}`,
      };
    }
  },
});
