import { NODE_POOL_LABEL } from '../../../facts/labels';
import { defineRule } from '../../rule';
import { groupsWithPlacement, misplaced, podsByObject, slicesThatMix } from './common';

export const TPU213 = defineRule({
  code: 'TPU213',
  title: 'an exclusive topology stands where its controller reads it',
  severities: ['error', 'warning'],
  kinds: ['pods'],
  check: function* (set) {
    const groups = new Map(groupsWithPlacement(set).map((group) => [group.object, group]));
    for (const { object, pods } of podsByObject(set)) {
      const group = groups.get(object);
      for (const { key, path } of misplaced(object, pods))
        yield {
          object,
          path,
          message: `${key} stands where nothing reads it`,
          fix: group
            ? `annotate the ${object.kind} itself with ${group.key}: ${NODE_POOL_LABEL}`
            : 'remove it',
          severity: group && slicesThatMix(group) > 0 ? 'error' : 'warning',
        };
    }
  },
});
