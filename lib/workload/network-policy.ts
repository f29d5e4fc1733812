import { isIP } from 'node:net';
import { type ApiObject } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { quoted } from '../problems/validators';
import { type Problems } from '../problems/problems';
import { object } from './objects';

/**
 * Namespaces that the collectors of Managed Service for Prometheus run in: GKE's own, and where it was set up by hand.
 *
 * @see https://cloud.google.com/stackdriver/docs/managed-prometheus/setup-managed
 */
const COLLECTORS = ['gke-gmp-system', 'gmp-system'];

/**
 * Lets nobody but the named clients reach the pods of a server, and nobody but the metrics collector its metrics. Probes come from the
 * node and are always let in.
 */
export function networkPolicy(
  scope: Construct,
  id: string,
  options: {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly selector: Record<string, string>;
    readonly port: number;
    readonly clients: readonly k8s.NetworkPolicyPeer[];
    readonly metricsPort: number | undefined;
    /** Rules for those that the server itself is made of. @default - none */
    readonly more?: readonly k8s.NetworkPolicyIngressRule[];
  },
): ApiObject {
  const { name, labels, selector, port, clients, metricsPort, more = [] } = options;
  return object(
    scope,
    id,
    k8s.KubeNetworkPolicy.manifest({
      metadata: { name, labels },
      spec: {
        podSelector: { matchLabels: selector },
        policyTypes: ['Ingress'],
        ingress: [
          // An empty list would be everybody: without clients the rule is left out.
          ...(clients.length === 0 ? [] : [{ from: [...clients], ports: tcp(port) }]),
          ...(metricsPort === undefined
            ? []
            : [
                {
                  from: [
                    {
                      namespaceSelector: {
                        matchExpressions: [
                          { key: 'kubernetes.io/metadata.name', operator: 'In', values: COLLECTORS },
                        ],
                      },
                    },
                  ],
                  ports: tcp(metricsPort),
                },
              ]),
          ...more,
        ],
      },
    }),
  );
}

/**
 * Records what is wrong with peers: which the API server would refuse.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/#behavior-of-to-and-from-selectors
 */
export function checkPeers(
  prop: string,
  peers: readonly k8s.NetworkPolicyPeer[] | undefined,
  problems: Problems,
): void {
  for (const [index, { ipBlock, namespaceSelector, podSelector }] of (peers ?? []).entries()) {
    const at = `${prop}[${String(index)}]`;
    const selects = namespaceSelector !== undefined || podSelector !== undefined;
    problems.check(
      selects || ipBlock !== undefined,
      `${at} names nobody, expected a podSelector, a namespaceSelector or an ipBlock`,
    );
    problems.check(
      !selects || ipBlock === undefined,
      `${at} has an ipBlock beside selectors, expected one of them: a peer is an address or a pod`,
    );
    const [, address = '', bits] = /^([^/]+)\/(\d{1,3})$/.exec(ipBlock?.cidr ?? '') ?? [];
    problems.check(
      ipBlock === undefined || Number(bits) <= (isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : -1),
      () =>
        `${at} ipBlock cidr ${quoted(ipBlock?.cidr)} is not a range of addresses, expected one like '10.0.0.0/8'`,
    );
  }
}

/** Ports of a rule. */
export const tcp = (...ports: readonly number[]): k8s.NetworkPolicyPort[] =>
  ports.map((port) => ({ protocol: 'TCP', port: k8s.IntOrString.fromNumber(port) }));
