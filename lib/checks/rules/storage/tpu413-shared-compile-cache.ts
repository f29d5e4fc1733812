import { COMPILE_CACHE, foldersOf, fuseVolumes, hostsOf, mountOf, nameOf } from './common';
import { LOCAL_COMPILE_CACHE } from '../../../facts/variables';
import { count } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { text } from '../../../manifest/manifest';
import { tpuContainers } from '../../../manifest/slices';

export const TPU413 = defineRule({
  code: 'TPU413',
  title: 'the hosts of a slice do not share a compile cache on Cloud Storage FUSE',
  severities: ['warning'],
  kinds: ['pods', 'PersistentVolume', 'PersistentVolumeClaim'],
  check: eachPod(function* (pod, set) {
    const hosts = hostsOf(pod);
    if (hosts <= 1) return;
    const fuse = fuseVolumes(set, pod).map(({ name }) => name);
    for (const container of tpuContainers(pod))
      for (const { what, path, folder } of foldersOf(container)) {
        const mount = mountOf(container, folder);
        if (!COMPILE_CACHE.some((name) => name === what) || !mount || !fuse.includes(nameOf(mount) ?? ''))
          continue;
        if (text(mount, 'subPathExpr') !== undefined) continue;
        yield {
          object: pod.object,
          path,
          message: `the ${what} '${folder}' is in a bucket, and ${count(hosts, 'host')} that write to it at once overwrite each other's programs`,
          fix: `use a local folder, like '${LOCAL_COMPILE_CACHE}'`,
        };
      }
  }),
});
