import { defineRule } from '../../rule';
import { shown } from '../../../problems/shown';
import { text } from '../../../manifest/manifest';

/** Longest names that KubeRay accepts: it appends suffixes for the objects that it creates. */
const MAX_NAME = new Map([
  ['RayService', 47],
  ['RayJob', 47],
  ['RayCluster', 53],
]);

/** KubeRay's validation, which is stricter than the API server's: https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/controllers/ray/utils/validation.go */
const DNS_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

const DNS_NAME = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/;

export const TPU603 = defineRule({
  code: 'TPU603',
  title: 'KubeRay accepts the name of a Ray object',
  severities: ['error'],
  kinds: ['any'],
  check: function* ({ objects }) {
    for (const object of objects) {
      const max = MAX_NAME.get(object.kind);
      const name = text(object.manifest, 'metadata', 'name');
      // TPU713 reports names that no object can have
      if (max === undefined || name === undefined || !DNS_NAME.test(name)) continue;
      if (name.length <= max && DNS_LABEL.test(name)) continue;
      const near = name
        .replaceAll('.', '-')
        .replace(/^[^a-z]+/, '')
        .slice(0, max)
        .replace(/-+$/, '');
      yield {
        object,
        path: 'metadata.name',
        message: `name ${shown(name)} is not a name that KubeRay accepts for a ${object.kind}, because it derives the names of other objects from it`,
        fix: `use at most ${String(max)} lowercase letters, digits and dashes, starting with a letter${near === '' ? '' : `, for example '${near}'`}`,
      };
    }
  },
});
