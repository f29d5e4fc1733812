import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { ENDPOINT_PICKER_PORTS, HEALTH_CHECK_RANGES } from '../facts/gateway';
import { networkPolicy, tcp } from '../workload/network-policy';
import { pickerName, pickerSelector } from './picker';

interface PolicyParts {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Record<string, string>;
  };
  /** Labels of the servers' pods. */
  readonly selector: Readonly<Record<string, string>>;
  readonly port: number;
  readonly proxyOnlySubnet: string;
  readonly monitored: boolean;
}

/**
 * Admits the load balancer and its health checks to the picker and to the servers, and the picker to the servers' metrics. NetworkPolicies
 * are additive, so these work together with the NetworkPolicies of the servers.
 */
export function placePolicies(
  scope: Construct,
  { metadata, selector, port, proxyOnlySubnet, monitored }: PolicyParts,
): void {
  const loadBalancer = [proxyOnlySubnet, ...HEALTH_CHECK_RANGES].map((cidr): k8s.NetworkPolicyPeer => ({
    ipBlock: { cidr },
  }));
  const { grpc, health, metrics } = ENDPOINT_PICKER_PORTS;
  networkPolicy(scope, 'PickerNetworkPolicy', {
    metadata: { ...metadata, name: pickerName(metadata.name) },
    selector: pickerSelector(metadata.name),
    ports: [grpc, health],
    clients: loadBalancer,
    metricsPort: monitored ? metrics : undefined,
  });
  networkPolicy(scope, 'NetworkPolicy', {
    metadata: { ...metadata, name: `${metadata.name}-gateway` },
    selector,
    ports: [port],
    clients: loadBalancer,
    metricsPort: undefined,
    more: [{ from: [{ podSelector: { matchLabels: pickerSelector(metadata.name) } }], ports: tcp(port) }],
  });
}
