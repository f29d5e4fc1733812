import { JAX_COMPILE_CACHE, VLLM_COMPILE_CACHE } from '../../../facts/variables';
import { text } from '../../../manifest/manifest';
import { type PodView } from '../../../manifest/pods';
import { defineRule } from '../../rule';
import { envOf, isOneHost, ofServers, runsVllm } from './common';

/** Whether the Serve configuration sets a cache folder for its replicas. */
const setsInRay = ({ object }: PodView): boolean =>
  [VLLM_COMPILE_CACHE, JAX_COMPILE_CACHE].some(
    (name) => text(object.manifest, 'spec', 'serveConfigV2')?.includes(name) === true,
  );

export const TPU326 = defineRule({
  code: 'TPU326',
  title: 'compiled programs are cached across restarts',
  severities: ['note'],
  kinds: ['pods'],
  check: ofServers((pod, main) =>
    !runsVllm(main) ||
    envOf(main, VLLM_COMPILE_CACHE) !== undefined ||
    envOf(main, JAX_COMPILE_CACHE) !== undefined ||
    setsInRay(pod)
      ? undefined
      : {
          path: `${main.path}.env[${VLLM_COMPILE_CACHE}]`,
          message: `container '${main.name}' compiles at every start, which can take 10 to 30 minutes`,
          fix: `set ${VLLM_COMPILE_CACHE} to a folder on a volume${isOneHost(pod) ? '' : ' that hosts do not share'}`,
        },
  ),
});
