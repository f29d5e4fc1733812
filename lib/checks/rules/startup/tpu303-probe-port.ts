import { isRuntimePort } from '../../../facts/ports';
import { PROBES } from './common';
import { defineRule, type Violation } from '../../rule';
import { eachTpuPod } from '../each-pod';
import {
  isPort,
  portsInWords,
  portsOf,
  type PortView,
  runsRay,
  namesPort,
} from '../../../manifest/selection';
import { record } from '../../../manifest/manifest';
import { type PodView } from '../../../manifest/pods';

export const TPU303 = defineRule({
  code: 'TPU303',
  title: 'a probe checks a port of its own container',
  severities: ['error', 'warning', 'note'],
  kinds: ['pods'],
  local: true,
  check: eachTpuPod(function* (pod) {
    for (const { container, name, path, init } of pod.containers)
      for (const probe of PROBES)
        for (const action of ['httpGet', 'tcpSocket', 'grpc'] as const) {
          const asked = record(container, probe, action);
          const port = asked['port'];
          if (init || !isPort(port) || asked['host'] !== undefined) continue;
          const wrong = wrongPort(pod, name, port);
          if (wrong)
            yield {
              object: pod.object,
              path: `${path}.${probe}.${action}.port`,
              ...wrong,
              message: `${wrong.severity === 'note' ? 'a probe' : `the ${probe}`} of container '${name}' checks port '${String(port)}', ${wrong.message}`,
            };
        }
  }),
});

/** Why a probe of a container should not check a port; undefined if the container declares the port, or may listen on it. */
function wrongPort(
  pod: PodView,
  container: string,
  port: string | number,
): Pick<Violation<'error' | 'warning' | 'note'>, 'message' | 'fix' | 'severity'> | undefined {
  const isIt = ({ name, number: value }: PortView): boolean => port === name || port === value;
  const ports = portsOf(pod);
  const own = ports.filter((one) => one.container === container);
  const owner = ports.find(isIt);
  if (own.some(isIt) || (runsRay(pod) && (owner || typeof port === 'number'))) return undefined;
  if (owner)
    return typeof port === 'number'
      ? {
          // it works: a probe connects to the IP address of the pod, and a sidecar may answer for its server
          severity: 'note',
          message: `which container '${owner.container}' declares, so the answers come from another container`,
          fix: `move the probe to container '${owner.container}'`,
        }
      : {
          message: `which only container '${owner.container}' declares, but Kubernetes looks up the name only in the probed container`,
          fix: `move the probe to container '${owner.container}'`,
        };
  if (typeof port === 'number' && (!own.some((one) => !isRuntimePort(one.number)) || namesPort(pod, port)))
    return undefined;
  return {
    message: 'which no container of the pod declares',
    fix:
      own.length > 0
        ? `check ${portsInWords(own)}, or declare the port`
        : `declare the port in the ports of container '${container}'`,
    // a server may listen on a port that it does not declare
    ...(typeof port === 'number' && { severity: 'warning' as const }),
  };
}
