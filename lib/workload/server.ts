import { type ApiObject } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { LOAD_BALANCER_TYPE_ANNOTATION } from '../facts/labels';
import { type Capacity } from '../pod/capacity';
import { type PodTemplate } from '../pod/template';
import { type Problem } from '../problems/problems';
import { type AutoscalerObjects, placeAutoscaler } from './autoscaler';
import { type AutoscalingOptions } from './autoscaling';
import { leadersOf, leaderWorkerSet } from './leader-worker-set';
import { type MonitoringOptions, podMonitoring } from './monitoring';
import { networkPolicy } from './network-policy';
import { deployment, object } from './objects';
import {
  type DisruptionBudgetProps,
  type ReplicaCount,
  type ReplicaProps,
  rollingUpdate,
  type ServiceType,
} from './vocabulary';
import { KINDS } from '../facts/rendered';
import { manifest, type Plain } from './plain';

/** A port of a server's Service. */
interface ServerPort {
  readonly name: string;
  /** Port of the Service, and of the container behind it. */
  readonly port: number;
}

/** The additional parts of a multi-host server. Its `template` is the pod of the first host, the leader. */
interface ServerGroup {
  /** Hosts of a slice, and pods of a group. */
  readonly hosts: number;
  /** The pods of the other hosts; their labels include the selector. */
  readonly worker: PodTemplate;
  /** How the slices are bought; dynamic slices share node pools. @default - on demand */
  readonly capacity?: Capacity | undefined;
}

/** The parts of a server; constructs derive them from their props. */
export interface ServerParts {
  /** Name of the Deployment or LeaderWorkerSet, and of the objects around it. */
  readonly name: string;
  /** Label that all objects use to select the pods. */
  readonly selector: Record<string, string>;
  /** Labels of the objects. @default - the selector */
  readonly labels?: Record<string, string>;
  /** Annotations of the objects. @default - none */
  readonly annotations?: Record<string, string> | undefined;
  /** The pods; their labels include the selector. */
  readonly template: PodTemplate;
  /** Parts of a LeaderWorkerSet. @default - none: the server is a Deployment */
  readonly group?: ServerGroup | undefined;
  /** Number of replicas; not rendered if an autoscaler sets it. @default 1 */
  readonly replicas?: ReplicaProps['replicas'];
  readonly rollout?: ReplicaProps['rollout'];
  /** Longest time without progress of a Deployment's rollout, in seconds. @default - Kubernetes' default */
  readonly progressDeadlineSeconds?: number | undefined;
  /** The Service, if any. @default - none */
  readonly service?: {
    /** @default - the name of the server; on several hosts `NAME-leader` */
    readonly name?: string | undefined;
    readonly type: ServiceType;
    readonly port: ServerPort;
    readonly extraPorts?: readonly ServerPort[] | undefined;
  };
  readonly disruptionBudget?: ReplicaProps['disruptionBudget'];
  /** Peers that can send requests. @default - no NetworkPolicy */
  readonly allowedClients?: readonly k8s.NetworkPolicyPeer[] | undefined;
  readonly monitoring?: (MonitoringOptions & { readonly port: number; readonly path: string }) | undefined;
  readonly autoscaling?: AutoscalingOptions | undefined;
  /** Estimated time from the start of a container to its first answer, in seconds, for the autoscaler. @default 1800 */
  readonly startSeconds?: number | undefined;
}

/** Startup time that makes an autoscaler as slow as possible. */
const SLOW_START_SECONDS = 1800;

/** The objects of a server. */
export interface ServerObjects extends AutoscalerObjects {
  /** The Deployment, or the LeaderWorkerSet on several hosts. */
  readonly workload: ApiObject;
  readonly service: ApiObject | undefined;
  readonly podMonitoring: ApiObject | undefined;
  readonly podDisruptionBudget: ApiObject | undefined;
  readonly networkPolicy: ApiObject | undefined;
}

/** Returns the label that selects the pods of a server. */
export const selectorOf = (name: string): Record<string, string> => ({ app: name });

/** Whether a server can have several replicas at a time, which is true if an autoscaler sets their number. */
export const hasSeveralReplicas = ({
  replicas = 1,
  autoscaling,
}: Pick<ServerParts, 'replicas' | 'autoscaling'>): boolean =>
  replicas === 'external' || (autoscaling?.maxReplicas ?? replicas) > 1;

/**
 * Returns the name of a server's Service. The headless Service of a LeaderWorkerSet has the name of the LeaderWorkerSet, and another Service
 * with that name would replace it.
 */
export const serviceNameOf = (name: string, hosts: number): string => (hosts > 1 ? `${name}-leader` : name);

/** Returns the problem of a restart policy that servers do not support. */
export function serverPolicyProblem({ spec }: PodTemplate, kind: string): Problem | undefined {
  const { restartPolicy = 'Always' } = spec;
  return restartPolicy === 'Always'
    ? undefined
    : {
        path: 'pod.restartPolicy',
        value: restartPolicy,
        problem: `is not possible in a ${kind}`,
        use: "'Always'",
      };
}

/** Places a Deployment or LeaderWorkerSet and the objects around it. */
export function placeServer<Parts extends ServerParts>(
  scope: Construct,
  parts: Parts,
): ServerObjects & (Parts extends { readonly service: object } ? { readonly service: ApiObject } : unknown);
export function placeServer(scope: Construct, parts: ServerParts): ServerObjects {
  const { name, annotations, autoscaling, monitoring, service, group } = parts;
  const metadata = { name, labels: parts.labels ?? parts.selector, annotations };
  const workload = placeWorkload(scope, metadata, parts);
  // Clients only call the first host of a group.
  const selector = group ? leadersOf(parts.selector) : parts.selector;
  const serviceName = service?.name ?? serviceNameOf(name, group?.hosts ?? 1);
  return {
    workload,
    service: service && placeService(scope, { ...metadata, name: serviceName }, { ...parts, selector }),
    podMonitoring:
      monitoring &&
      podMonitoring(scope, 'PodMonitoring', {
        metadata,
        selector,
        port: monitoring.port,
        path: monitoring.path,
        interval: monitoring.interval,
      }),
    ...placeAutoscaler(scope, autoscaling, {
      metadata,
      target: workload,
      selector,
      monitoring,
      startSeconds: parts.startSeconds ?? SLOW_START_SECONDS,
    }),
    podDisruptionBudget: placeDisruptionBudget(scope, metadata, parts),
    networkPolicy: placeNetworkPolicy(scope, metadata, parts),
  };
}

function placeWorkload(
  scope: Construct,
  metadata: k8s.ObjectMeta & { readonly name: string },
  parts: ServerParts,
): ApiObject {
  const { selector, autoscaling, template, group, rollout, replicas: wanted = 1 } = parts;
  const replicas = autoscaling !== undefined || wanted === 'external' ? undefined : wanted;
  if (group)
    return leaderWorkerSet(scope, 'Resource', {
      metadata,
      replicas,
      hosts: group.hosts,
      leader: template,
      worker: group.worker,
      rollout: rollingUpdate(rollout === 'Recreate' ? undefined : rollout),
      capacity: group.capacity,
    });
  return deployment(scope, 'Resource', metadata, {
    replicas,
    selector: { matchLabels: selector },
    strategy: strategyOf(rollout),
    progressDeadlineSeconds: parts.progressDeadlineSeconds,
    template,
  });
}

function placeNetworkPolicy(
  scope: Construct,
  metadata: k8s.ObjectMeta,
  { selector, service, allowedClients, monitoring, group }: ServerParts,
): ApiObject | undefined {
  if (!allowedClients) return undefined;
  return networkPolicy(scope, 'NetworkPolicy', {
    metadata,
    selector,
    ports: service ? portsOf(service).map(({ port }) => port) : [],
    clients: allowedClients,
    metricsPort: monitoring?.port,
    // The hosts of a slice communicate, also on ports that their programs choose.
    ...(group && { more: [{ from: [{ podSelector: { matchLabels: selector } }] }] }),
  });
}

function strategyOf(rollout: ReplicaProps['rollout']): Plain<k8s.DeploymentStrategy> {
  if (rollout === 'Recreate') return { type: 'Recreate' };
  const { maxSurge, maxUnavailable } = rollingUpdate(rollout);
  return {
    type: 'RollingUpdate',
    rollingUpdate: { maxSurge: maxSurge, maxUnavailable: maxUnavailable },
  };
}

/**
 * Limits how many replicas drains evict. A group counts as many pods as its slice has hosts: one of them that is evicted stops them all, so
 * the budget lets go of the others. It cannot keep two groups from losing one pod each. A replica that is not ready yet can always be evicted: otherwise it would block every drain
 * while it loads its model.
 *
 * @see https://kubernetes.io/docs/tasks/run-application/configure-pdb/#unhealthy-pod-eviction-policy
 */
function placeDisruptionBudget(
  scope: Construct,
  metadata: k8s.ObjectMeta,
  parts: ServerParts,
): ApiObject | undefined {
  const { selector, disruptionBudget, group } = parts;
  const usual: DisruptionBudgetProps | undefined = hasSeveralReplicas(parts)
    ? { maxUnavailable: 1 }
    : undefined;
  const budget = disruptionBudget ?? usual;
  if (budget === undefined || budget === false) return undefined;
  const { maxUnavailable, minAvailable } = budget;
  const pods = (count: ReplicaCount | undefined): ReplicaCount | undefined =>
    typeof count === 'number' ? count * (group?.hosts ?? 1) : count;
  return object(
    scope,
    'PodDisruptionBudget',
    manifest<k8s.KubePodDisruptionBudgetProps>(KINDS.PodDisruptionBudget, {
      metadata,
      spec: {
        maxUnavailable: pods(maxUnavailable),
        minAvailable: pods(minAvailable),
        selector: { matchLabels: selector },
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
      },
    }),
  );
}

const portsOf = ({ port, extraPorts = [] }: NonNullable<ServerParts['service']>): readonly ServerPort[] => [
  port,
  ...extraPorts,
];

function placeService(scope: Construct, metadata: k8s.ObjectMeta, parts: ServerParts): ApiObject | undefined {
  const { selector, service, allowedClients = [] } = parts;
  if (!service) return undefined;
  const { type } = service;
  const balanced = type !== 'ClusterIP';
  return object(
    scope,
    'Service',
    manifest<k8s.KubeServiceProps>(KINDS.Service, {
      metadata: {
        ...metadata,
        annotations:
          type === 'InternalLoadBalancer'
            ? { [LOAD_BALANCER_TYPE_ANNOTATION]: 'Internal', ...metadata.annotations }
            : metadata.annotations,
      },
      spec: {
        type: balanced ? 'LoadBalancer' : 'ClusterIP',
        // With the policy Cluster, a request has the address of a node, and no ipBlock of a NetworkPolicy matches it.
        externalTrafficPolicy:
          balanced && allowedClients.some(({ ipBlock }) => ipBlock !== undefined) ? 'Local' : undefined,
        selector,
        ports: portsOf(service).map(({ name, port }) => ({
          name,
          protocol: 'TCP',
          port,
          targetPort: port,
        })),
      },
    }),
  );
}
