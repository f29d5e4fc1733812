import { isIP } from 'node:net';
import { type ApiObject } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { NAMESPACE_NAME_LABEL } from '../facts/labels';
import { type Grammar, labelKey, labelValue } from '../problems/grammar';
import {
  anyObject,
  list,
  map,
  object as objectType,
  optional,
  required,
  type Schema,
  string,
  type Type,
} from '../problems/schema';
import { object } from './objects';
import { KINDS } from '../facts/rendered';
import { manifest, type Plain } from './plain';

/**
 * Namespaces of the collectors of Managed Service for Prometheus: in GKE, and in a manual installation.
 *
 * @see https://cloud.google.com/stackdriver/docs/managed-prometheus/setup-managed
 */
export const COLLECTORS = ['gke-gmp-system', 'gmp-system'];

/**
 * Allows the given clients to call a server, and the metrics collector to read its metrics. Probes come from the node and are always allowed.
 */
export function networkPolicy(
  scope: Construct,
  id: string,
  options: {
    /** Name, labels and annotations of the NetworkPolicy. */
    readonly metadata: k8s.ObjectMeta;
    readonly selector: Record<string, string>;
    /** Ports that the clients can reach. */
    readonly ports: readonly number[];
    readonly clients: readonly k8s.NetworkPolicyPeer[];
    readonly metricsPort: number | undefined;
    /** Rules for the parts of the server itself. @default - none */
    readonly more?: readonly Plain<k8s.NetworkPolicyIngressRule>[];
  },
): ApiObject {
  const { metadata, selector, ports, clients, metricsPort, more = [] } = options;
  return object(
    scope,
    id,
    manifest<k8s.KubeNetworkPolicyProps>(KINDS.NetworkPolicy, {
      metadata,
      spec: {
        podSelector: { matchLabels: selector },
        policyTypes: ['Ingress'],
        ingress: [
          // An empty list of peers would allow all clients, so a rule without clients is omitted.
          ...(clients.length === 0 ? [] : [{ from: [...clients], ports: tcp(...ports) }]),
          ...(metricsPort === undefined
            ? []
            : [
                {
                  from: [
                    {
                      namespaceSelector: {
                        matchExpressions: [{ key: NAMESPACE_NAME_LABEL, operator: 'In', values: COLLECTORS }],
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

/** Lists in types of Kubernetes are not readonly. */
const items = <T>(item: Type<T>): Type<T[]> => ({
  what: 'a list',
  read: (value, path, problems) => list(item).read(value, path, problems)?.slice(),
});

const REQUIREMENT = "an object like { key: 'app', operator: 'Exists' }";
const LABEL_SELECTOR: Schema<k8s.LabelSelector> = {
  properties: {
    matchExpressions: optional(items(anyObject<k8s.LabelSelectorRequirement>(REQUIREMENT))),
    matchLabels: optional(map(string(labelValue), labelKey)),
  },
};
const selector = objectType(LABEL_SELECTOR, "an object like { matchLabels: { app: 'gateway' } }");

/** Ranges of addresses. */
export const cidr: Grammar = (value) => {
  const [, address = '', bits] = /^([^/]+)\/(\d{1,3})$/.exec(value) ?? [];
  return Number(bits) <= (isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : -1)
    ? undefined
    : { problem: 'is not a range of addresses', use: 'a range', nearest: '10.0.0.0/8' };
};
const IP_BLOCK: Schema<k8s.IpBlock> = {
  properties: {
    cidr: required(string(cidr), '10.0.0.0/8'),
    except: optional(items(string(cidr))),
  },
};

const PEER: Schema<k8s.NetworkPolicyPeer> = {
  properties: {
    ipBlock: optional(objectType(IP_BLOCK, "an object like { cidr: '10.0.0.0/8' }")),
    namespaceSelector: optional(selector),
    podSelector: optional(selector),
  },
};

/**
 * A peer of a NetworkPolicy: pods, namespaces or addresses.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/#behavior-of-to-and-from-selectors
 */
export const peerType: Type<k8s.NetworkPolicyPeer> = {
  what: 'a peer',
  read: (value, path, problems) => {
    const before = problems.count;
    const peer = objectType(PEER, 'an object with a podSelector, a namespaceSelector or an ipBlock').read(
      value,
      path,
      problems,
    );
    if (peer === undefined || problems.count > before) return undefined;
    const { ipBlock, namespaceSelector, podSelector } = peer;
    const selects = namespaceSelector !== undefined || podSelector !== undefined;
    if (!selects && ipBlock === undefined)
      problems.add({
        path,
        problem: 'selects no clients',
        use: 'a podSelector, a namespaceSelector or an ipBlock',
      });
    else if (selects && ipBlock !== undefined)
      problems.add({
        path,
        problem: 'has an ipBlock and selectors, but a peer is either an address range or a set of pods',
        use: 'two peers',
      });
    else return peer;
    return undefined;
  },
};

/** Ports of a rule. */
export const tcp = (...ports: readonly number[]): readonly Plain<k8s.NetworkPolicyPort>[] =>
  ports.map((port) => ({ protocol: 'TCP', port: port }));
