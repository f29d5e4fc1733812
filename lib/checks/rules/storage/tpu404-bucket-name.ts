import { defineRule } from '../../rule';
import { everyFuseVolume } from './common';

export const TPU404 = defineRule({
  code: 'TPU404',
  title: 'a Cloud Storage FUSE volume names a bucket',
  severities: ['error'],
  kinds: ['pods', 'PersistentVolume'],
  check: function* (set) {
    for (const { object, name, bucketPath: path, bucket } of everyFuseVolume(set)) {
      const url = typeof bucket === 'string' && bucket.startsWith('gs://') ? bucket : undefined;
      if (typeof bucket === 'string' && bucket !== '' && url === undefined) continue;
      yield {
        object,
        path,
        message:
          url === undefined
            ? `volume '${name}' does not name a bucket`
            : `volume '${name}' names the URL '${url}' instead of a bucket`,
        fix:
          url === undefined
            ? 'set the name of the bucket, without gs://'
            : `use '${url.slice('gs://'.length).split('/')[0] ?? ''}'`,
      };
    }
  },
});
