import { number } from '../../../manifest/manifest';
import { poolsIn } from '../../../manifest/inference';
import { records } from '../../../manifest/pods';
import { defineRule } from '../../rule';

export const TPU553 = defineRule({
  code: 'TPU553',
  title: 'an InferencePool names the Service and the port of its endpoint picker',
  severities: ['error', 'note'],
  kinds: ['InferencePool', 'Service'],
  check: function* (set) {
    for (const { object, pickerName, pickerPort, pickerService } of poolsIn(set)) {
      const path = 'spec.endpointPickerRef';
      if (pickerName === undefined) continue;
      if (!pickerService) {
        yield {
          object,
          path: `${path}.name`,
          message: `there is no Service '${pickerName}' in these manifests`,
          fix: 'check the pool together with its endpoint picker',
          severity: 'note',
        };
        continue;
      }
      const ports = records(pickerService.manifest, 'spec', 'ports').flatMap(
        (port) => number(port, 'port') ?? [],
      );
      if (pickerPort === undefined)
        yield {
          object,
          path: `${path}.port`,
          message: `the port of Service '${pickerName}' is missing, and the API server refuses the pool without it`,
          fix: `add port: { number: ${String(ports[0] ?? 9002)} }`,
        };
      else if (!ports.includes(pickerPort))
        yield {
          object,
          path: `${path}.port.number`,
          message: `port ${String(pickerPort)} is not a port of Service '${pickerName}'`,
          fix: ports.length === 0 ? 'add the port to the Service' : `write ${ports.join(' or ')}`,
        };
    }
  },
});
