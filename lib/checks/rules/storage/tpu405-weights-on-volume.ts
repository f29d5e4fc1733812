import { COMPILE_CACHE, foldersOf, hostsOf, mountOf, nameOf, RUN_ONCE } from './common';
import { JAX_COMPILE_CACHE } from '../../../facts/variables';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { quoted } from '../../../problems/validators';
import { type PodView, records } from '../../../manifest/pods';
import { isRecord, list, text } from '../../../manifest/manifest';
import { modelServerOf } from '../../../manifest/model-servers';
import { parseYaml } from '../../../manifest/serve-config';
import { type Violation } from '../../rule';
import { tpuContainers } from '../../../manifest/slices';

export const TPU405 = defineRule({
  code: 'TPU405',
  title: 'weights and compiled programs of a TPU server lie on a volume',
  severities: ['warning'],
  kinds: ['pods'],
  check: eachPod(function* (pod) {
    // what runs once has nothing to find again
    if (RUN_ONCE.includes(pod.object.kind)) return;
    yield* downloads(pod);
    yield* ofServeConfig(pod);
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

/** Folders whose volumes are for other things than weights. */
const OTHER_FOLDERS = /^\/(dev\/shm|tmp|run|var\/run|var\/log|etc|proc|sys)(\/|$)/;
const OTHER_VOLUMES = ['configMap', 'secret', 'downwardAPI', 'projected'] as const;
/** Names of models on Hugging Face. */
const MODEL_ID = /^[\w.-]+\/[\w.-]+$/;

/** Servers that download their model by name, in containers without any volume that could keep it. */
function* downloads(pod: PodView): Generator<Violation<'warning'>> {
  if (!DOWNLOADING.includes(pod.runs)) return;
  for (const one of tpuContainers(pod)) {
    const server = modelServerOf(one);
    if (!server || one.init || !CACHING.has(server.software)) continue;
    const model = server.flag('--model', '--model-path', '--model-id') ?? server.served;
    // how the weights are read is the loader's business
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
      message: `container '${one.name}' downloads '${model}' and has no volume to keep it on, so it downloads the weights again at each restart`,
      fix: 'mount a volume with the weights and name its path, or mount one for the cache of Hugging Face',
    };
  }
}

/** Servers that keep what they download in the cache of Hugging Face. */
const CACHING: ReadonlySet<string> = new Set(['vllm', 'sglang', 'tgi']);

/** Kinds that keep a server running. */
const DOWNLOADING: readonly PodView['runs'][] = ['Deployment', 'StatefulSet', 'LeaderWorkerSet'];

/** The compile cache that Ray Serve tells its replicas to use. */
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
        message: `the ${name} '${folder}' of application '${text(application, 'name') ?? ''}' is on no volume of the workers and lost at every restart`,
        fix: `set a folder on a volume, or mount one at '${folder}'`,
      };
    }
}
