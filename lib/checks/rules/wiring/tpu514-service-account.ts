import { defineRule } from '../../rule';
import { firsts, inNamespace, keyOf } from './common';
import { ofGroup } from '../../../manifest/selection';
import { specPath } from '../../../manifest/slices';
import { text } from '../../../manifest/manifest';

export const TPU514 = defineRule({
  code: 'TPU514',
  title: 'the ServiceAccount of a pod is among the manifests',
  severities: ['note'],
  kinds: ['pods', 'ServiceAccount'],
  nearTpus: true,
  check: function* (set) {
    const accounts = new Set(
      ofGroup(set, 'ServiceAccount', '').map(({ namespace, name }) => keyOf(namespace, name)),
    );
    const isFirst = firsts();
    for (const pod of set.pods) {
      const { object, spec } = pod;
      const name = text(spec, 'serviceAccountName') ?? text(spec, 'serviceAccount') ?? '';
      if (name === '' || name === 'default' || accounts.has(keyOf(object.namespace, name))) continue;
      if (!isFirst(object, name)) continue;
      yield {
        object,
        path: `${specPath(pod)}.serviceAccountName`,
        message: `the ServiceAccount '${name}' is not among the manifests, and Kubernetes does not create the pods without it`,
        fix: `if the cluster does not have it, create it first: kubectl create serviceaccount ${name}${inNamespace(object)}`,
      };
    }
  },
});
