import { COMPILE_CACHE, foldersOf, hostsOf, mountOf, nameOf, RUN_ONCE } from './common';
import { JAX_COMPILE_CACHE } from '../../../facts/variables';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { shown } from '../../../problems/shown';
import { isUnder } from '../../../problems/grammar';
import { type ContainerView, type PodView, records } from '../../../manifest/pods';
import { isRecord, list, text } from '../../../manifest/manifest';
import { modelServerOf } from '../../../manifest/model-servers';
import { parseYaml } from '../../../manifest/serve-config';
import { type Violation } from '../../rule';
import { tpuContainers } from '../../../manifest/slices';

export const TPU405 = defineRule({
  code: 'TPU405',
  title: 'a TPU server keeps weights and compiled programs on a volume',
  severities: ['warning'],
  kinds: ['pods'],
  check: eachPod(function* (pod) {
    // a pod that runs once does not restart from a cache
    if (RUN_ONCE.includes(pod.object.kind)) return;
    yield* downloads(pod);
    yield* ofServeConfig(pod);
    for (const container of tpuContainers(pod))
      for (const { what, path, folder } of foldersOf(container)) {
        const compiled = COMPILE_CACHE.some((name) => name === what);
        const bucket = folder.startsWith('gs://');
        if (bucket && what === JAX_COMPILE_CACHE) continue;
        // hosts of a slice that share a compile cache overwrite each other's programs, so a local folder is right for them
        if (!bucket && (mountOf(container, folder) || (compiled && hostsOf(pod) > 1))) continue;
        if (what === 'HF_HOME' && keepsWeights(container, folder)) continue;
        const mounts = records(container.container, 'volumeMounts').flatMap(
          (mount) => text(mount, 'mountPath') ?? [],
        );
        yield {
          object: pod.object,
          path,
          message: bucket
            ? `the ${what} '${folder}' is a URL instead of a folder of the container, so the server finds nothing there after a restart`
            : `the ${what} '${folder}' of container '${container.name}' is not on a volume, so its content is lost at every restart`,
          fix: `use a folder on a volume${mounts.length > 0 ? `, under ${mounts.map(shown).join(' or ')}` : `, and mount one at '${bucket ? '/data' : folder}'`}`,
        };
      }
  }),
});

/**
 * Whether a folder in `HF_HOME` is on a volume, as the folder of the weights can be: `hub`, unless a variable names another.
 *
 * @see https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
 */
const keepsWeights = (container: ContainerView, home: string): boolean =>
  records(container.container, 'volumeMounts').some((mount) =>
    isUnder(text(mount, 'mountPath') ?? '', home),
  ) ||
  records(container.container, 'env').some((one) =>
    ['HF_HUB_CACHE', 'HUGGINGFACE_HUB_CACHE'].includes(nameOf(one) ?? ''),
  );

/** Folders that do not hold weights. */
const OTHER_FOLDERS = /^\/(dev\/shm|tmp|run|var\/run|var\/log|etc|proc|sys)(\/|$)/;
const OTHER_VOLUMES = ['configMap', 'secret', 'downwardAPI', 'projected'] as const;
/** Names of models on Hugging Face. */
const MODEL_ID = /^[\w.-]+\/[\w.-]+$/;

/** Servers that download their model by name, in containers without a volume for it. */
function* downloads(pod: PodView): Generator<Violation<'warning'>> {
  if (!DOWNLOADING.includes(pod.runs)) return;
  for (const one of tpuContainers(pod)) {
    const server = modelServerOf(one);
    if (!server || one.init || !CACHING.has(server.software)) continue;
    const model = server.flag('--model', '--model-path', '--model-id') ?? server.served;
    // another loader may stream the weights
    if (model === undefined || !MODEL_ID.test(model) || server.flag('--load-format') !== undefined) continue;
    const keeps = records(one.container, 'volumeMounts').some((mount) => {
      const volume = pod.volumes.find((other) => nameOf(other) === nameOf(mount));
      return (
        !OTHER_FOLDERS.test(text(mount, 'mountPath') ?? '') &&
        !OTHER_VOLUMES.some((source) => isRecord(volume?.[source]))
      );
    });
    if (keeps || server.flag('--download-dir') !== undefined) continue;
    yield {
      object: pod.object,
      path: `${one.path}.${list(one.container, 'args').length > 0 ? 'args' : 'command'}`,
      message: `container '${one.name}' downloads '${model}' but has no volume for it, so it downloads the weights again at every restart`,
      fix: 'mount a volume with the weights and use its path as the model, or mount a volume for the Hugging Face cache',
    };
  }
}

/** Servers that keep downloads in the Hugging Face cache. */
const CACHING: ReadonlySet<string> = new Set(['vllm', 'sglang', 'tgi']);

/** Kinds that keep a server running. */
const DOWNLOADING: readonly PodView['runs'][] = ['Deployment', 'StatefulSet', 'LeaderWorkerSet'];

/** The compile cache that the Serve configuration sets for its replicas. */
function* ofServeConfig(pod: PodView): Generator<Violation<'warning'>> {
  const source = text(pod.object.manifest, 'spec', 'serveConfigV2') ?? '';
  if (pod.runs !== 'RayWorkers' || hostsOf(pod) > 1 || !COMPILE_CACHE.some((name) => source.includes(name)))
    return;
  const [container] = tpuContainers(pod);
  for (const application of records(parseYaml(source).value, 'applications'))
    for (const name of COMPILE_CACHE) {
      const folder = text(application, 'runtime_env', 'env_vars', name);
      if (!container || folder?.startsWith('/') !== true || mountOf(container, folder)) continue;
      yield {
        object: pod.object,
        path: 'spec.serveConfigV2',
        message: `the ${name} '${folder}' of application '${text(application, 'name') ?? ''}' is not on a volume of the workers, so its content is lost at every restart`,
        fix: `use a folder on a volume, or mount one at '${folder}'`,
      };
    }
}
