import { isKustomization } from '../../../manifest/kustomize';
import { at, text } from '../../../manifest/manifest';
import { defineRule } from '../../rule';

export const TPU901 = defineRule({
  code: 'TPU901',
  title: 'what is checked is a Kubernetes object',
  severities: ['note'],
  kinds: ['any'],
  check: function* ({ objects }) {
    for (const object of objects) {
      const missing = (['apiVersion', 'kind'] as const).filter((key) => !text(object.manifest, key));
      const [first] = missing;
      // a kustomization may leave both out
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
        message: `it is not a Kubernetes object, since it has no ${missing.join(' and no ')}: no rule looked at it`,
        fix: isEmpty ? 'leave it out of what is checked' : `write its ${missing.join(' and ')}`,
      };
    }
  },
});
