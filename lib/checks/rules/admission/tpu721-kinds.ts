import { KUBERNETES_KINDS, WORKLOAD_KINDS } from '../../../facts/kinds';
import { groupOf, type ManifestObject, text } from '../../../manifest/manifest';

import { nearestWords } from '../../../problems/nearest';
import { shown } from '../../../problems/shown';
import { defineRule } from '../../rule';

const KINDS = { ...KUBERNETES_KINDS, ...WORKLOAD_KINDS };

export const TPU721 = defineRule({
  code: 'TPU721',
  title: 'the API group of an object has its kind',
  severities: ['error'],
  kinds: ['any'],
  local: true,
  check: function* ({ objects }) {
    for (const object of objects) {
      const apiVersion = text(object.manifest, 'apiVersion');
      const group = groupOf(apiVersion);
      const kinds = group === undefined || !Object.hasOwn(KINDS, group) ? undefined : KINDS[group];
      if (
        !kinds ||
        object.kind === '' ||
        isKubeconfig(object) ||
        kinds.includes(object.kind) ||
        object.kind.endsWith('List')
      )
        continue;
      const elsewhere = Object.entries(KINDS).find(([, own]) => own.includes(object.kind));
      const [near] = nearestWords(object.kind, kinds);
      // a later release may have new kinds
      if (!elsewhere && near === undefined) continue;
      yield {
        object,
        path: elsewhere ? 'apiVersion' : 'kind',
        message: `${shown(apiVersion ?? '')} has no kind ${shown(object.kind)}`,
        fix: elsewhere
          ? `use an apiVersion of ${elsewhere[0] === '' ? "the core group, 'v1'" : `group '${elsewhere[0]}'`}`
          : `use '${near ?? ''}'`,
      };
    }
  },
});

/** Whether an object is a kubeconfig file: https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ */
const isKubeconfig = ({ kind, manifest }: ManifestObject): boolean =>
  kind === 'Config' && ['clusters', 'contexts', 'users'].some((key) => key in manifest);
