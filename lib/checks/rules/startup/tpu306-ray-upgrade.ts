import { RAY_GROUP } from '../../../facts/labels';
import { defineRule } from '../../rule';
import { hasChips } from './common';
import { ofGroup } from '../../../manifest/selection';
import { text } from '../../../manifest/manifest';

export const TPU306 = defineRule({
  code: 'TPU306',
  title: 'an upgrade of a RayService needs no second cluster',
  severities: ['warning'],
  kinds: ['pods', 'RayService'],
  check: function* (set) {
    const withChips = new Set(set.pods.filter(hasChips).map(({ object }) => object));
    for (const object of ofGroup(set, 'RayService', RAY_GROUP)) {
      if (!withChips.has(object)) continue;
      const type = text(object.manifest, 'spec', 'upgradeStrategy', 'type');
      if (type !== undefined && !type.startsWith('NewCluster')) continue;
      yield {
        object,
        path: 'spec.upgradeStrategy.type',
        message: `upgradeStrategy '${type ?? 'NewCluster'}'${type === undefined ? ' (the default)' : ''} starts a second cluster in addition to the running one, and it waits until as many slices are free`,
        fix: "set upgradeStrategy.type: 'None', and delete and apply the RayService to change its cluster",
      };
    }
  },
});
