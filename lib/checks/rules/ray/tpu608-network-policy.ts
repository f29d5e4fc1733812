import { NAMESPACE_NAME_LABEL, NETWORKING_GROUP } from '../../../facts/labels';
import { at, isRecord, list, type ManifestObject, record } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import {
  ingressPoliciesFor,
  ofGroup,
  podsOfObject,
  podsOfPolicy,
  runsRay,
  selects,
} from '../../../manifest/selection';
import { type PodView, records } from '../../../manifest/pods';

export const TPU608 = defineRule({
  code: 'TPU608',
  title: 'a NetworkPolicy lets the pods of a Ray cluster reach each other',
  severities: ['error'],
  kinds: ['pods', 'NetworkPolicy'],
  check: function* (set) {
    for (const object of ofGroup(set, 'NetworkPolicy', NETWORKING_GROUP)) {
      const spec = record(object.manifest, 'spec');
      const types = list(spec, 'policyTypes');
      if (types.length > 0 && !types.includes('Ingress')) continue;
      const shut = podsOfPolicy(set, object).find(
        (pod) =>
          runsRay(pod) &&
          !ingressPoliciesFor(set, pod).some((policy) => letsIn(policy, podsOfObject(set, pod.object))),
      );
      if (!shut) continue;
      yield {
        object,
        path: 'spec.ingress',
        message: `the policy selects the pods of ${shut.object.id}, but no rule lets them reach each other on every port, so workers never join the head`,
        fix: 'add a rule without ports whose from has a podSelector for the pods of the cluster',
      };
    }
  },
});

/** Whether a policy admits any of some pods on all ports, or on a range of ports, because the ports of Ray can be configured. */
const letsIn = ({ manifest, namespace }: ManifestObject, pods: readonly PodView[]): boolean =>
  records(record(manifest, 'spec'), 'ingress').some((ingress) => {
    const [from, ports] = [list(ingress, 'from'), list(ingress, 'ports')];
    return (
      (ports.length === 0 ||
        ports.some((one) => at(one, 'port') === undefined || at(one, 'endPort') !== undefined)) &&
      (from.length === 0 || from.some((peer) => pods.some((pod) => isPeer(peer, namespace, pod))))
    );
  });

/** Whether a peer of a policy can match a pod. Its IP address and other labels of its namespace are not known. */
function isPeer(peer: unknown, namespace: string, pod: PodView): boolean {
  if (isRecord(at(peer, 'ipBlock'))) return true;
  const [pods, namespaces] = [at(peer, 'podSelector'), at(peer, 'namespaceSelector')];
  const name = at(namespaces, 'matchLabels', NAMESPACE_NAME_LABEL);
  return (
    (isRecord(pods) || isRecord(namespaces)) &&
    (name === undefined || namespace === '' || name === namespace) &&
    selects(record(pods), pod)
  );
}
