import { defineRule } from '../../rule';
import { isSet } from './common';
import { ofGroup } from '../../../manifest/selection';
import { records } from '../../../manifest/pods';

export const TPU717 = defineRule({
  code: 'TPU717',
  title: 'every port of a Service with several ports has a name',
  severities: ['error'],
  kinds: ['Service'],
  check: function* (set) {
    for (const object of ofGroup(set, 'Service', '')) {
      const ports = records(object.manifest, 'spec', 'ports');
      const unnamed = ports.flatMap((port, index) => (isSet(port['name']) ? [] : [index]));
      if (ports.length < 2 || unnamed.length === 0) continue;
      yield {
        object,
        path: `spec.ports[${String(unnamed[0])}]`,
        message: `${String(unnamed.length)} of ${String(ports.length)} ports have no name, which the API server refuses`,
        fix: "name the ports, like 'http' and 'metrics'",
      };
    }
  },
});
