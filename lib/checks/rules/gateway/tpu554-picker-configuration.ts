import { record } from '../../../manifest/manifest';
import { configurationOf, pickersIn } from '../../../manifest/inference';
import { defineRule } from '../../rule';

export const TPU554 = defineRule({
  code: 'TPU554',
  title: 'the ConfigMap of an endpoint picker has the configuration that it reads',
  severities: ['error'],
  kinds: ['pods', 'ConfigMap'],
  check: function* (set) {
    for (const picker of pickersIn(set)) {
      const found = configurationOf(set, picker);
      if (!found || found.config !== undefined) continue;
      const keys = Object.keys(record(found.configMap.manifest, 'data'));
      yield {
        object: picker.pod.object,
        path: `${picker.container.path}.args`,
        message: `--config-file reads '${found.key}', which ConfigMap '${found.configMap.name}' does not have`,
        fix:
          keys.length === 0
            ? `add '${found.key}' to the ConfigMap`
            : `use ${keys.map((key) => `'${key}'`).join(' or ')}`,
      };
    }
  },
});
