import { at, type ManifestObject, text } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isRuntimePort } from '../../../facts/ports';
import {
  isSidecar,
  monitoringsFor,
  portsInWords,
  portsOf,
  type PortView,
  servicesFor,
} from '../../../manifest/selection';
import { modelServerOf } from '../../../manifest/model-servers';
import { type ContainerView, type PodView, records } from '../../../manifest/pods';
import { type ManifestSet } from '../../../manifest/set';

export const TPU517 = defineRule({
  code: 'TPU517',
  title: 'a server listens on the port that its container declares and that its clients use',
  severities: ['error', 'warning'],
  kinds: ['pods', 'ClusterPodMonitoring', 'PodMonitoring', 'Service'],
  check: eachPod(function* (pod, set) {
    for (const one of pod.containers) {
      const server = modelServerOf(one);
      const flag = server?.flag('--port') ?? '';
      // another program in the container may listen on the other port
      if (!server?.alone || !/^\d+$/.test(flag)) continue;
      const listens = Number(flag);
      const declared = portsOf(pod).filter(
        ({ container, number: port }) => container === one.name && !isRuntimePort(port),
      );
      const isDeclared = declared.some((port) => port.number === listens);
      // the ports of Saxml's health checks and metrics are not known
      const asked = server.software === 'vllm' ? askedPorts(set, pod, one, declared) : [];
      // a client that also uses the port of --port is right: a Service with a second port
      const right = new Set(asked.filter(({ port }) => port === listens).map(({ who }) => who));
      const astray = asked.filter(({ port, who }) => port !== listens && !right.has(who));
      if (declared.length > 0 && !isDeclared)
        yield {
          object: pod.object,
          path: `${one.path}.args`,
          message: `container '${one.name}' listens on port ${flag} (--port), but declares ${portsInWords(declared)}${astray.length > 0 ? `, which ${astray.map(({ who }) => who).join(' and ')} use${astray.length > 1 ? '' : 's'}` : ''}`,
          fix: `set --port to the containerPort, or the containerPort to ${flag}`,
          // without clients, the declared port is only documentation
          ...(astray.length === 0 && { severity: 'warning' as const }),
        };
      else
        for (const { object, path, who, port } of astray)
          yield {
            object,
            path,
            message: `${who} uses port ${String(port)}, but container '${one.name}' listens on port ${flag} (--port)`,
            fix: `use port ${flag}, or set --port to ${String(port)}`,
          };
    }
  }),
});

/** A port of a container that a probe, a Service or monitoring uses. */
interface AskedPort {
  readonly object: ManifestObject;
  readonly path: string;
  readonly who: string;
  readonly port: number;
}

const whoIs = ({ kind, name }: ManifestObject): string => `the ${kind} '${name}'`;

/** The ports of a container that its probes, Services and monitoring use, if they are numbers or names of declared ports. */
function askedPorts(
  set: ManifestSet,
  pod: PodView,
  { container, name, path }: ContainerView,
  declared: readonly PortView[],
): readonly AskedPort[] {
  const numberOf = (port: unknown): number | undefined => {
    if (typeof port === 'number') return port;
    return typeof port === 'string' ? declared.find((one) => one.name === port)?.number : undefined;
  };
  const asked = (object: ManifestObject, place: string, who: string, port: unknown): readonly AskedPort[] => {
    const found = numberOf(port);
    return found === undefined ? [] : [{ object, path: place, who, port: found }];
  };
  // in a pod with one container, an undeclared number belongs to that container
  const alone = pod.containers.filter((one) => !one.init || isSidecar(one)).length === 1;
  const isDeclared = (port: unknown): boolean =>
    port !== undefined && declared.some((one) => one.name === port || one.number === port);
  const isOwn = (port: unknown): boolean =>
    isDeclared(port) || (alone && declared.length === 0 && typeof port === 'number');
  return [
    ...(['startupProbe', 'readinessProbe', 'livenessProbe'] as const).flatMap((probe) =>
      (['httpGet', 'tcpSocket'] as const).flatMap((action) => {
        const port = at(container, probe, action, 'port');
        // the kubelet connects to the IP address of the pod, on which other containers may listen
        return at(container, probe, action, 'host') === undefined && (alone || isDeclared(port))
          ? asked(pod.object, `${path}.${probe}.${action}.port`, `the ${probe} of container '${name}'`, port)
          : [];
      }),
    ),
    ...servicesFor(set, pod).flatMap(({ object }) =>
      records(object.manifest, 'spec', 'ports').flatMap((port, index) => {
        const target = port['targetPort'] ?? port['port'];
        const place = `spec.ports[${text(port, 'name') ?? String(index)}].targetPort`;
        return isOwn(target) ? asked(object, place, whoIs(object), target) : [];
      }),
    ),
    ...monitoringsFor(set, pod).flatMap(({ object }) =>
      records(object.manifest, 'spec', 'endpoints').flatMap(({ port }, index) =>
        isOwn(port) ? asked(object, `spec.endpoints[${String(index)}].port`, whoIs(object), port) : [],
      ),
    ),
  ];
}
