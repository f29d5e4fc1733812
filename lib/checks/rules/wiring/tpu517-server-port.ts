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
  title: 'a server listens where its container says, and where it is asked',
  severities: ['error', 'warning'],
  kinds: ['pods', 'ClusterPodMonitoring', 'PodMonitoring', 'Service'],
  check: eachPod(function* (pod, set) {
    for (const one of pod.containers) {
      const server = modelServerOf(one);
      const flag = server?.flag('--port') ?? '';
      // what runs beside it may be what listens
      if (!server?.alone || !/^\d+$/.test(flag)) continue;
      const listens = Number(flag);
      const declared = portsOf(pod).filter(
        ({ container, number: port }) => container === one.name && !isRuntimePort(port),
      );
      const isDeclared = declared.some((port) => port.number === listens);
      // Saxml's own health checks and metrics are not known to be elsewhere, or not to be
      const asked = server.software === 'vllm' ? askedPorts(set, pod, one, declared) : [];
      // whoever asks the port of --port as well knows both: a Service with a further port
      const right = new Set(asked.filter(({ port }) => port === listens).map(({ who }) => who));
      const astray = asked.filter(({ port, who }) => port !== listens && !right.has(who));
      if (declared.length > 0 && !isDeclared)
        yield {
          object: pod.object,
          path: `${one.path}.args`,
          message: `container '${one.name}' listens on port ${flag}, which --port says, and declares ${portsInWords(declared)}${astray.length > 0 ? `, which ${astray.map(({ who }) => who).join(' and ')} ask${astray.length > 1 ? '' : 's'}` : ''}`,
          fix: `set --port to the containerPort, or the containerPort to ${flag}`,
          // what nobody asks is information
          ...(astray.length === 0 && { severity: 'warning' as const }),
        };
      else
        for (const { object, path, who, port } of astray)
          yield {
            object,
            path,
            message: `${who} asks port ${String(port)}, and --port of container '${one.name}' has the server listen on ${flag}`,
            fix: `ask port ${flag}, or set --port to ${String(port)}`,
          };
    }
  }),
});

/** A port of a container that something asks. */
interface AskedPort {
  readonly object: ManifestObject;
  readonly path: string;
  readonly who: string;
  readonly port: number;
}

const whoIs = ({ kind, name }: ManifestObject): string => `the ${kind} '${name}'`;

/** The ports of a container that its own probes, Services and monitoring ask, as far as they are numbers in the end. */
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
  // an undeclared number can only mean the one container there is
  const alone = pod.containers.filter((one) => !one.init || isSidecar(one)).length === 1;
  const isDeclared = (port: unknown): boolean =>
    port !== undefined && declared.some((one) => one.name === port || one.number === port);
  const isOwn = (port: unknown): boolean =>
    isDeclared(port) || (alone && declared.length === 0 && typeof port === 'number');
  return [
    ...(['startupProbe', 'readinessProbe', 'livenessProbe'] as const).flatMap((probe) =>
      (['httpGet', 'tcpSocket'] as const).flatMap((action) => {
        const port = at(container, probe, action, 'port');
        // the kubelet asks the address of the pod, where others may listen
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
