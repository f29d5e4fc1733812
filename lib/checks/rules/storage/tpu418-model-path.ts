import { text } from '../../../manifest/manifest';
import { modelServerOf } from '../../../manifest/model-servers';
import { records } from '../../../manifest/pods';
import { tpuContainers } from '../../../manifest/slices';
import { isUnder } from '../../../problems/grammar';
import { shown } from '../../../problems/shown';
import { defineRule } from '../../rule';
import { eachTpuPod } from '../each-pod';

/** Flags that name a file or folder with weights. */
const PATHS = [
  '--model',
  '--model-path',
  '--model-id',
  '--checkpoint_path',
  '--tokenizer_path',
  '--tokenizer',
] as const;

export const TPU418 = defineRule({
  code: 'TPU418',
  title: 'a model path is on a mounted volume',
  severities: ['warning'],
  kinds: ['pods'],
  check: eachTpuPod(function* (pod) {
    for (const one of tpuContainers(pod)) {
      const server = modelServerOf(one);
      if (!server) continue;
      const mounts = records(one.container, 'volumeMounts').flatMap(
        (mount) => text(mount, 'mountPath') ?? [],
      );
      for (const name of PATHS) {
        const path = server.flag(name) ?? (name === '--model' ? server.served : undefined);
        if (
          path?.startsWith('/') !== true ||
          mounts.some((mount) => isUnder(path, mount.replace(/(?<=.)\/+$/, '')))
        )
          continue;
        // a path in the image is legal, but unlikely if a volume is mounted in the same tree
        const top = `/${path.split('/')[1] ?? ''}/`;
        const beside = mounts.filter((mount) => `${mount}/`.startsWith(top));
        if (beside.length === 0) continue;
        yield {
          object: pod.object,
          path: `${one.path}.args`,
          message: `${name} '${path}' of container '${one.name}' is not on a volume, but ${beside.map(shown).join(' and ')} ${beside.length > 1 ? 'are mounted' : 'is mounted'} in the same tree`,
          fix: `use a path under ${beside.map(shown).join(' or ')}, or mount the volume at a parent folder`,
        };
      }
    }
  }),
});
