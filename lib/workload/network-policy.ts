import { type ApiObject } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
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

/** Ports of a rule. */
export const tcp = (...ports: readonly number[]): k8s.NetworkPolicyPort[] =>
  ports.map((port) => ({ protocol: 'TCP', port: k8s.IntOrString.fromNumber(port) }));
