import { COMPILE_CACHE, foldersOf, hostsOf, mountOf, RUN_ONCE } from './common';
import { JAX_COMPILE_CACHE } from '../../../facts/variables';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { quoted } from '../../../problems/validators';
import { records } from '../../../manifest/pods';
import { text } from '../../../manifest/manifest';
import { tpuContainers } from '../../../manifest/slices';

export const TPU405 = defineRule({
  code: 'TPU405',
  title: 'weights and compiled programs of a TPU server lie on a volume',
  severities: ['warning'],
  kinds: ['pods'],
  check: eachPod(function* (pod) {
    // What runs once has nothing to find again.
    if (RUN_ONCE.includes(pod.object.kind)) return;
    for (const container of tpuContainers(pod))
      for (const { what, path, folder } of foldersOf(container)) {
        const compiled = COMPILE_CACHE.some((name) => name === what);
        const bucket = folder.startsWith('gs://');
        if (bucket && what === JAX_COMPILE_CACHE) continue;
        // Hosts of one slice that write the same programs get in each other's way: there a local folder is right.
        if (!bucket && (mountOf(container, folder) || (compiled && hostsOf(pod) > 1))) continue;
        const mounts = records(container.container, 'volumeMounts').flatMap(
          (mount) => text(mount, 'mountPath') ?? [],
        );
        yield {
          object: pod.object,
          path,
          message: bucket
            ? `the ${what} '${folder}' is a URL where a folder of the container is expected, and nothing is found there again`
            : `the ${what} '${folder}' of container '${container.name}' is on no volume and lost at every restart`,
          fix: `set a folder on a volume${mounts.length > 0 ? `, under ${mounts.map(quoted).join(' or ')}` : `, and mount one at '${bucket ? '/data' : folder}'`}`,
        };
      }
  }),
});
