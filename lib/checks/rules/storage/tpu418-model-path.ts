import { text } from '../../../manifest/manifest';
import { modelServerOf } from '../../../manifest/model-servers';
import { records } from '../../../manifest/pods';
import { tpuContainers } from '../../../manifest/slices';
import { isUnder, quoted } from '../../../problems/validators';
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
  title: 'a path among the arguments lies on the volume beside it',
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
        // a path in the image is right, unless a volume is mounted in the same tree
        const top = `/${path.split('/')[1] ?? ''}/`;
        const beside = mounts.filter((mount) => `${mount}/`.startsWith(top));
        if (beside.length === 0) continue;
        yield {
          object: pod.object,
          path: `${one.path}.args`,
          message: `${name} '${path}' of container '${one.name}' is on no volume, and ${beside.map(quoted).join(' and ')} ${beside.length > 1 ? 'are mounted' : 'is mounted'} beside it`,
          fix: `name a path under ${beside.map(quoted).join(' or ')}, or mount the volume higher up`,
        };
      }
    }
  }),
});
