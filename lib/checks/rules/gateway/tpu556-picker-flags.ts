import { REMOVED_PICKER_FLAGS } from '../../../facts/gateway';
import { pickersIn } from '../../../manifest/inference';
import { imageNameOf } from '../../../manifest/model-servers';
import { text } from '../../../manifest/manifest';
import { type ContainerView } from '../../../manifest/pods';
import { defineRule } from '../../rule';

/** Whether the tag of an image is a release before v0.10.0. */
const isOlder = ({ container }: ContainerView): boolean => /:v0\.\d\./.test(text(container, 'image') ?? '');

/** https://github.com/llm-d/llm-d-router/blob/v0.10.0/pkg/epp/server/options.go */
export const TPU556 = defineRule({
  code: 'TPU556',
  title: 'an endpoint picker of the llm-d router, from v0.10.0, has none of the flags that were removed',
  severities: ['error'],
  kinds: ['pods'],
  check: function* (set) {
    for (const { pod, container, words, flag } of pickersIn(set)) {
      if (imageNameOf(container) !== 'llm-d-router-endpoint-picker' || isOlder(container)) continue;
      const removed = REMOVED_PICKER_FLAGS.filter(
        (one) => flag(one) !== undefined || words.includes(one) || words.includes(one.slice(1)),
      );
      for (const one of removed)
        yield {
          object: pod.object,
          path: `${container.path}.args`,
          message: `release v0.10.0 does not have the flag '${one}', and the picker stops at its start`,
          fix: 'name the metrics in engineConfigs of plugin core-metrics-extractor',
        };
    }
  },
});
