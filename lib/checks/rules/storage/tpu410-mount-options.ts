import { REFUSED_OPTIONS } from '../../../facts/gcs-fuse';
import { defineRule } from '../../rule';
import { everyFuseVolume } from './common';

export const TPU410 = defineRule({
  code: 'TPU410',
  title: 'mount options are not ones that the Cloud Storage FUSE driver sets itself',
  severities: ['warning'],
  kinds: ['pods', 'PersistentVolume'],
  check: function* (set) {
    for (const { object, name, optionsPath: path, options } of everyFuseVolume(set))
      for (const option of options) {
        const key = option.split(/[:=]/)[0] ?? '';
        if (!REFUSED_OPTIONS.includes(key)) continue;
        yield {
          object,
          path,
          message: `mount option '${option}' of volume '${name}' has no effect: the driver sets '${key}' itself`,
          fix: `remove '${option}'`,
        };
      }
  },
});
