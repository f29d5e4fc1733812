import { DEFAULT_VLLM_RELEASE, releaseOf } from '../../../facts/vllm-releases';
import { text } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { ofServers, runsVllm } from './common';

export const TPU336 = defineRule({
  code: 'TPU336',
  title: 'a vLLM image names a known release',
  severities: ['note'],
  kinds: ['pods'],
  check: ofServers((_, main) => {
    const image = text(main.container, 'image') ?? '';
    const { recognized, tag } = releaseOf(image);
    // TPU701 reports a tag that moves
    return !runsVllm(main) || image === '' || recognized || MOVES.test(image)
      ? undefined
      : {
          path: `${main.path}.image`,
          message: `image '${image}' of container '${main.name}' does not name a known release of vLLM, so the checks assume ${tag} and refuse no flag because of its release`,
          fix: `to have its flags and variables checked, use a release like 'vllm/vllm-tpu:${DEFAULT_VLLM_RELEASE}'`,
        };
  }),
});

/** An image without a tag, or with one that each release or night moves. */
const MOVES = /^[^:@]*$|:(latest|nightly)$|\/[^:@]*$/;
