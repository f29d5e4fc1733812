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
  title: 'an endpoint picker does not use flags that the llm-d router removed',
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
          message: `v0.10.0 removed the flag '${one}', so the endpoint picker stops at startup`,
          fix: 'name the metrics in engineConfigs of the plugin core-metrics-extractor',
        };
    }
  },
});
