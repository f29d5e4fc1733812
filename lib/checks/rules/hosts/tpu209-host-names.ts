import { shown } from '../../../problems/shown';
import { type ManifestSet } from '../../../manifest/set';
import { sliceOf } from '../../../manifest/slices';
import { type Violation } from '../../rule';
import { at } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import {
  isHeadless,
  isLabel,
  keyOfService,
  onHostNetwork,
  podsByObject,
  podsTogether,
  selectsPod,
  serviceNameOf,
  servicesByName,
} from './common';
import { specPath } from '../../../manifest/slices';
import { type PodView } from '../../../manifest/pods';

export const TPU209 = defineRule({
  code: 'TPU209',
  title: 'the hosts of a slice find each other by name',
  severities: ['error', 'note'],
  kinds: ['pods', 'Service'],
  check: function* (set) {
    yield* onNodesDns(set);
    const services = servicesByName(set);
    for (const pod of set.pods) {
      const together = podsTogether(pod);
      const name = serviceNameOf(pod);
      if (together < 2 || name === undefined) continue;
      const service = services.get(keyOfService(pod, name));
      if (name === '' ? onHostNetwork(pod) : service !== undefined || !isLabel(name)) continue;
      const field = pod.runs === 'StatefulSet' ? 'serviceName' : 'subdomain';
      const place = { object: pod.object, path: servicePath(pod) };
      const headless = [...services.values()].find(
        (one) => one.namespace === pod.object.namespace && isHeadless(one) && selectsPod(one, pod),
      );
      if (name === '')
        yield {
          ...place,
          message: `the ${String(together)} pods have no ${field}, so they have no names by which to find each other`,
          fix: `set ${field} to ${headless ? `'${headless.name}'` : 'the name of a headless Service that selects the pods'}`,
        };
      else if (headless)
        yield {
          ...place,
          message: `${field} '${name}' does not name a Service, but headless Service '${headless.name}' selects the pods`,
          fix: `set ${field} to '${headless.name}'`,
        };
      else
        yield {
          ...place,
          message: `${field} '${name}' names a Service that is not among the manifests`,
          fix: `if the cluster does not have Service '${name}', add it with clusterIP None, publishNotReadyAddresses true and a selector for the pods`,
          severity: 'note',
        };
    }
    for (const { object, pods } of podsByObject(set)) {
      const path = ['spec', 'network', 'enableDNSHostnames'];
      if (object.kind !== 'JobSet' || at(object.manifest, ...path) !== false) continue;
      const nameless = pods.find((pod) => podsTogether(pod) > 1 && !onHostNetwork(pod));
      if (nameless)
        yield {
          object,
          path: path.join('.'),
          message: `enableDNSHostnames is false, so the ${String(podsTogether(nameless))} pods of a job have no names`,
          fix: 'set enableDNSHostnames to true, its default',
        };
    }
  },
});

/**
 * Pods on the host network use the DNS of their node, which does not know the names of the cluster.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#pod-s-dns-policy
 */
function* onNodesDns(set: ManifestSet): Generator<Violation<'error'>> {
  for (const pod of set.pods) {
    const policy = at(pod.spec, 'dnsPolicy') ?? 'ClusterFirst';
    if (!onHostNetwork(pod) || (sliceOf(pod).hosts ?? 1) < 2 || podsTogether(pod) < 2) continue;
    if (policy !== 'ClusterFirst' && policy !== 'Default') continue;
    // a Job without a Service finds its hosts in another way
    if (serviceNameOf(pod) === '') continue;
    if (at(pod.object.manifest, 'spec', 'network', 'enableDNSHostnames') === false) continue;
    yield {
      object: pod.object,
      path: `${specPath(pod)}.dnsPolicy`,
      message: `the pods use the host network with dnsPolicy ${shown(policy)}, so they query the node's DNS, which does not know the names of the ${String(sliceOf(pod).hosts)} pods`,
      fix: 'set dnsPolicy: ClusterFirstWithHostNet',
    };
  }
}

const servicePath = (pod: PodView): string =>
  pod.runs === 'StatefulSet' ? `${pod.ownerPath}.serviceName` : `${specPath(pod)}.subdomain`;
