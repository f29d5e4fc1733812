import { DEFAULT_VLLM_RELEASE, releaseOf } from '../../../facts/vllm-releases';
import { text } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { ofServers, runsVllm } from './common';

export const TPU336 = defineRule({
  code: 'TPU336',
  title: 'the image of vLLM names a known release',
  severities: ['note'],
  kinds: ['pods'],
  check: ofServers((_, main) => {
    const image = text(main.container, 'image') ?? '';
    const { recognized, tag } = releaseOf(image);
    return !runsVllm(main) || image === '' || recognized
      ? undefined
      : {
          path: `${main.path}.image`,
          message: `image '${image}' of container '${main.name}' names no known release of vLLM, so its flags and variables count as those of ${tag}, and none is refused because of its release`,
          fix: `use a release, like 'vllm/vllm-tpu:${DEFAULT_VLLM_RELEASE}', if its flags and variables should be checked`,
        };
  }),
});
