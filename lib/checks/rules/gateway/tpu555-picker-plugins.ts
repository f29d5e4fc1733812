import { text } from '../../../manifest/manifest';
import { configurationOf, pickersIn } from '../../../manifest/inference';
import { records } from '../../../manifest/pods';
import { nearestWords } from '../../../problems/nearest';
import { defineRule } from '../../rule';

/** https://github.com/llm-d/llm-d-router/blob/v0.10.0/pkg/epp/config/loader/configloader.go */
export const TPU555 = defineRule({
  code: 'TPU555',
  title: 'the scheduling profiles of an endpoint picker name plugins that its configuration declares',
  severities: ['error'],
  kinds: ['ConfigMap'],
  check: function* (set) {
    for (const picker of pickersIn(set)) {
      const found = configurationOf(set, picker);
      if (!found) continue;
      const declared = records(found.config, 'plugins').map(
        (one) => text(one, 'name') ?? text(one, 'type') ?? '',
      );
      for (const profile of records(found.config, 'schedulingProfiles'))
        for (const plugin of records(profile, 'plugins')) {
          const name = text(plugin, 'pluginRef');
          if (name === undefined || declared.includes(name)) continue;
          const [nearest] = nearestWords(name, declared);
          yield {
            object: found.configMap,
            path: `data[${found.key}]`,
            message: `profile '${text(profile, 'name') ?? ''}' names plugin '${name}', which plugins does not declare, so the endpoint picker does not start`,
            fix: nearest === undefined ? `add { type: ${name} } to plugins` : `use '${nearest}'`,
          };
        }
    }
  },
});
