import { defineRule } from '../../rule';
import { isHeadless } from './common';
import { list, text } from '../../../manifest/manifest';
import { ofGroup } from '../../../manifest/selection';

export const TPU516 = defineRule({
  code: 'TPU516',
  title: 'a Service that is not headless has ports',
  severities: ['error'],
  kinds: ['Service'],
  local: true,
  check: function* (set) {
    for (const object of ofGroup(set, 'Service', '')) {
      if (list(object.manifest, 'spec', 'ports').length > 0 || isHeadless(object)) continue;
      if (text(object.manifest, 'spec', 'type') === 'ExternalName') continue;
      yield {
        object,
        path: 'spec.ports',
        message: 'the Service has no ports, but the API server requires them unless the Service is headless',
        fix: 'add the port of the server to ports, or set clusterIP: None',
      };
    }
  },
});
