import { CACHE_VOLUME } from '../../../facts/gcs-fuse';
import { amount, type Json, list } from '../../../manifest/manifest';
import { fuseVolumes, GIB, MIB, nameOf, RUN_ONCE } from './common';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { modelSizeByName } from '../../../pod/startup-budget';
import { quantityOf } from '../../../problems/grammar';
import { records } from '../../../manifest/pods';
import { specPath, tpuContainers } from '../../../manifest/slices';

export const TPU415 = defineRule({
  code: 'TPU415',
  title: 'the file cache of a TPU server holds the model weights',
  severities: ['note'],
  kinds: ['pods', 'PersistentVolume', 'PersistentVolumeClaim'],
  check: eachPod(function* (pod, set) {
    if (RUN_ONCE.includes(pod.object.kind)) return;
    const volume = pod.volumes.find((one) => nameOf(one) === CACHE_VOLUME);
    const sizeLimit = amount(volume, 'emptyDir', 'sizeLimit');
    if (sizeLimit === undefined) return;
    const mounts = tpuContainers(pod).flatMap(({ container }) =>
      records(container, 'volumeMounts').map(nameOf),
    );
    const cached = fuseVolumes(set, pod).filter(
      ({ name, cacheMiB: held }) => held > 0 && mounts.includes(name),
    );
    if (cached.length === 0) return;
    const model = tpuContainers(pod).flatMap(({ container }) => modelOf(container) ?? [])[0];
    const size = modelSizeByName(model ?? '');
    if (model === undefined || size === undefined) return;
    const held = Math.min(quantityOf(sizeLimit), ...cached.map(({ cacheMiB: mib }) => mib * MIB));
    if (!(held < quantityOf(size))) return;
    yield {
      object: pod.object,
      path: `${specPath(pod)}.volumes[${CACHE_VOLUME}].emptyDir.sizeLimit`,
      message: `the cache holds ${String(Math.floor(held / GIB))} GiB, but the weights of '${model}' are about '${size}', so every start reads weights from the bucket`,
      fix: `set sizeLimit to '${String(Math.ceil(quantityOf(size) / GIB))}Gi' or more, and file-cache:max-size-mb:-1`,
    };
  }),
});

/** The model that vLLM serves. */
function modelOf(container: Json): string | undefined {
  const words = [...list(container, 'command'), ...list(container, 'args')]
    .filter((word) => typeof word === 'string')
    .join(' ');
  return /(?:--model[= ]|\bvllm serve )["']?([^\s"']+)/.exec(words)?.[1];
}
