import { pickersIn, pickersOf, poolsIn } from '../../../manifest/inference';
import { type ManifestObject, number } from '../../../manifest/manifest';
import { records } from '../../../manifest/pods';
import { servicesFor } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { defineRule } from '../../rule';

/** Names of the Services of the endpoint pickers that are configured for a pool. */
const servicesOfPickers = (set: ManifestSet, { name, namespace }: ManifestObject): readonly string[] =>
  pickersIn(set)
    .filter(({ pod, flag }) => flag('--pool-name') === name && pod.object.namespace === namespace)
    .flatMap(({ pod }) => servicesFor(set, pod).map((one) => one.object.name));

export const TPU553 = defineRule({
  code: 'TPU553',
  title: 'an InferencePool names the Service and the port of its endpoint picker',
  severities: ['error', 'note'],
  kinds: ['InferencePool', 'Service'],
  check: function* (set) {
    for (const pool of poolsIn(set)) {
      const { object, pickerName, pickerPort, pickerService } = pool;
      const path = 'spec.endpointPickerRef';
      if (pickerName === undefined) continue;
      const [meant] = servicesOfPickers(set, object);
      if (!pickerService && meant) {
        yield {
          object,
          path: `${path}.name`,
          message: `the Service '${pickerName}' is not among the manifests, but Service '${meant}' selects the endpoint picker of this pool`,
          fix: `set name: ${meant}`,
        };
        continue;
      }
      if (!pickerService) {
        yield {
          object,
          path: `${path}.name`,
          message: `the Service '${pickerName}' is not among the manifests`,
          fix: 'check the InferencePool together with its endpoint picker',
          severity: 'note',
        };
        continue;
      }
      const others = pickersOf(set, pool).flatMap(({ flag }) => flag('--pool-name') ?? object.name);
      if (others.length > 0 && !others.includes(object.name))
        yield {
          object,
          path: `${path}.name`,
          message: `the endpoint picker of Service '${pickerName}' is configured for InferencePool '${String(others[0])}'`,
          fix:
            meant === undefined
              ? `run an endpoint picker with --pool-name ${object.name}`
              : `set name: ${meant}`,
        };
      const ports = records(pickerService.manifest, 'spec', 'ports').flatMap(
        (port) => number(port, 'port') ?? [],
      );
      if (pickerPort === undefined)
        yield {
          object,
          path: `${path}.port`,
          message: `the port of Service '${pickerName}' is missing, and the API server requires it`,
          fix: `add port: { number: ${String(ports[0] ?? 9002)} }`,
        };
      else if (!ports.includes(pickerPort))
        yield {
          object,
          path: `${path}.port.number`,
          message: `port ${String(pickerPort)} is not a port of Service '${pickerName}'`,
          fix: ports.length === 0 ? 'add the port to the Service' : `use ${ports.join(' or ')}`,
        };
    }
  },
});
