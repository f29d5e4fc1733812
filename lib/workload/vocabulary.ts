// The props that servers, Ray worker groups and jobs share: one interface and one table of properties for each group. A construct has the
// groups that it supports. If a prop has another meaning on a construct, the construct documents it again.
import { PROVISIONING_SECONDS } from '../facts/durations';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Capacity, capacityProblem, capacityType } from '../pod/capacity';
import { type PodFragment, type ResourceRequirements, type SidecarContainer } from '../pod/fragment';
import { containerType, fragmentType, resourcesType } from '../pod/fragment-type';
import { type PodSecurityLevel } from '../pod/security';
import {
  dnsLabel,
  dnsSubdomain,
  image,
  INT32,
  labelKey,
  labelValue,
  portName,
  room,
  variableName,
} from '../problems/grammar';
import { type Problem } from '../problems/problems';
import {
  anyObject,
  either,
  essential,
  falseOr,
  integer,
  list,
  map,
  misfit,
  type NamedResource,
  object,
  oneOf,
  optional,
  port,
  resourceName,
  type Schema,
  string,
  type Type,
} from '../problems/schema';
import { sliceType, type TpuSlice } from '../tpu/slice';
import { peerType } from './network-policy';

/** A table with one entry for each prop of a group. */
type Words<P> = Schema<P>['properties'];

// ---- slice and capacity -------------------------------------------------------------------------------------------

/** The slice that pods run on, and how it is bought. */
export interface SliceProps {
  /** The TPU slice of each replica. */
  readonly slice: TpuSlice;
  /** How the slices are bought. @default - on demand */
  readonly capacity?: Capacity;
}

export const SLICE_PROPERTIES: Words<SliceProps> = {
  slice: essential(sliceType, "TpuSlice.of('ct6e-standard-8t')"),
  capacity: optional(capacityType),
};

/** Returns the problems of a capacity with its slice. `queues`: whether the pods can wait in a Kueue queue, like those of Jobs. */
export const sliceProblems = ({ slice, capacity }: SliceProps, queues = false): readonly Problem[] => {
  const wrong = capacityProblem(capacity, slice, queues);
  return wrong ? [wrong] : [];
};

// ---- image --------------------------------------------------------------------------------------------------------

/** The program of the main container. */
export interface ImageProps {
  /** Container image, with a tag or digest. @default - the release that the server pins */
  readonly image?: string;
  /** Secrets with the credentials of a private registry. @default - none */
  readonly imagePullSecrets?: readonly (string | NamedResource)[];
  /** Command of the main container. @default - the command of the server */
  readonly command?: readonly string[];
  /** Additional arguments of the main container. @default - none */
  readonly args?: readonly string[];
  /** Additional environment variables of the main container; `null` removes a default. @default - none */
  readonly env?: Readonly<Record<string, string | null>>;
}

/** A string, or `null` to remove a default. */
const stringOrNull: Type<string | null> = {
  what: 'a string',
  read: (value, path, problems) => (value === null ? null : string().read(value, path, problems)),
};

export const IMAGE_PROPERTIES: Words<ImageProps> = {
  image: optional(string(image)),
  imagePullSecrets: optional(list(resourceName(dnsSubdomain, 'Secret'), { what: 'a list of Secrets' })),
  command: optional(list(string(), { min: 1, what: 'a list of strings' })),
  args: optional(list(string(), { what: 'a list of strings' })),
  env: optional(map(stringOrNull, variableName, 'an object of names and values')),
};

// ---- pods ---------------------------------------------------------------------------------------------------------

/** Props of any pod. */
export interface PodProps {
  /** Labels of all objects and of the pods, in addition to those of the construct. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of all objects and of the pods. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /** ServiceAccount of the pods, which needs access to their buckets. @default - the namespace's default */
  readonly serviceAccountName?: string | NamedResource;
  /** CPU, memory and ephemeral storage of the main container. @default - requests for 80 % of the host, no limits */
  readonly resources?: ResourceRequirements;
  /** Size limit of `/dev/shm`, a volume in memory, as a quantity like `16Gi`. @default - the limit of the container runtime */
  readonly sharedMemory?: string;
  /** Additional containers of the pod. @default - none */
  readonly sidecars?: readonly SidecarContainer[];
  /** Fields of the pod and of its main container that no prop covers. @default - none */
  readonly fragments?: readonly PodFragment[];
  /**
   * Strictest level of the Pod Security Standards that admits the pods.
   *
   * @default 'baseline'
   * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
   */
  readonly podSecurityLevel?: PodSecurityLevel;
  /** PriorityClass of the pods. @default - the cluster's default */
  readonly priorityClassName?: string;
  /**
   * Time from the signal to stop until Kubernetes kills the pod, in seconds.
   *
   * @default - `preStopSeconds` and `shutdownSeconds` together
   */
  readonly terminationGracePeriodSeconds?: number;
}

export const POD_PROPERTIES: Words<PodProps> = {
  labels: optional(map(string(labelValue), labelKey)),
  annotations: optional(map(string(), labelKey)),
  serviceAccountName: optional(resourceName(dnsSubdomain, 'ServiceAccount')),
  resources: optional(resourcesType),
  sharedMemory: optional(string(room)),
  sidecars: optional(list(containerType, { what: 'a list of containers' })),
  fragments: optional(list(fragmentType, { what: 'a list of fragments' })),
  podSecurityLevel: optional(oneOf('restricted', 'baseline', 'privileged')),
  priorityClassName: optional(string(dnsSubdomain)),
  terminationGracePeriodSeconds: optional(integer(0)),
};

// ---- start and stop -----------------------------------------------------------------------------------------------

/** Timings and request of one probe; each field replaces the default of the same name. */
export interface ProbeProps extends Partial<Omit<k8s.Probe, 'httpGet'>> {
  /** The request over HTTP. @default - the server's health path and port */
  readonly httpGet?: Partial<k8s.HttpGetAction>;
}

/** Fields of the probes of a server. */
export interface ProbesProps {
  /** The startup probe. @default - calls the health path for `startupSeconds` */
  readonly startup?: ProbeProps | false;
  /** The readiness probe. @default - calls the health path every 10 seconds */
  readonly readiness?: ProbeProps | false;
  /** The liveness probe. @default - the server's, if it has one */
  readonly liveness?: ProbeProps | false;
}

/** How a server starts, and how it stops. */
export interface LifecycleProps {
  /**
   * Longest time from the container's start to its first answer, in seconds. The startup probe, the rollout's deadline and the server's
   * own timeouts follow from it.
   *
   * @default - twice the estimate of `startupEstimate` for a cold start, from half an hour to four hours; ten minutes more on several hosts
   */
  readonly startupSeconds?: number;
  /** Fields of the probes, which replace defaults; `false` removes a probe. @default - the server's probes */
  readonly probes?: ProbesProps;
  /** Time that a pod keeps serving after Services remove it, in seconds; at most 10 on spot. @default 30; 10 on spot */
  readonly preStopSeconds?: number;
  /** Time that the server then has to shut down, in seconds; at most 5 on spot. @default 30; 5 on spot */
  readonly shutdownSeconds?: number;
}

const PROBE: Schema<ProbeProps> = {
  properties: {
    exec: optional(anyObject<k8s.ExecAction>()),
    failureThreshold: optional(integer(1)),
    grpc: optional(anyObject<k8s.GrpcAction>()),
    httpGet: optional(anyObject<Partial<k8s.HttpGetAction>>()),
    initialDelaySeconds: optional(integer(0)),
    periodSeconds: optional(integer(1)),
    successThreshold: optional(integer(1)),
    tcpSocket: optional(anyObject<k8s.TcpSocketAction>()),
    terminationGracePeriodSeconds: optional(integer(1)),
    timeoutSeconds: optional(integer(1)),
  },
};

const probe = falseOr(object(PROBE, 'an object with fields of a probe'));

export const LIFECYCLE_PROPERTIES: Words<LifecycleProps> = {
  startupSeconds: optional(integer(1, INT32 - PROVISIONING_SECONDS)),
  probes: optional(
    object<ProbesProps>({
      properties: { startup: optional(probe), readiness: optional(probe), liveness: optional(probe) },
    }),
  ),
  preStopSeconds: optional(integer(0)),
  shutdownSeconds: optional(integer(0)),
};

// ---- replicas -----------------------------------------------------------------------------------------------------

/** A number of replicas, or a percentage of all replicas like `'25%'`. */
export type ReplicaCount = number | `${number}%`;

/** How many replicas of a server can be added or unavailable during a rolling update. */
export interface RollingUpdate {
  /** New replicas that start before old ones stop; each needs a free slice. Percentages are rounded up. @default 0 */
  readonly maxSurge?: ReplicaCount;
  /**
   * Replicas that can be unavailable during the update. Pending replicas count: if this many are Pending, the update waits. Percentages
   * are rounded down.
   *
   * @default 1; 0 with `maxSurge`
   */
  readonly maxUnavailable?: ReplicaCount;
}

/**
 * How many replicas a drain of nodes can evict. Set one of the two fields. Percentages are rounded up.
 *
 * @see https://kubernetes.io/docs/tasks/run-application/configure-pdb/
 */
export interface DisruptionBudgetProps {
  /** Replicas that can be unavailable because of drains. @default - as many as `minAvailable` allows */
  readonly maxUnavailable?: ReplicaCount;
  /** Replicas that remain available during drains. @default - as many as `maxUnavailable` requires */
  readonly minAvailable?: ReplicaCount;
}

/** How a server is replaced and scaled. */
export interface ReplicaProps {
  /**
   * Number of replicas, each on its own slice; not with `autoscaling`. `'external'` does not render a number, for an autoscaler that the
   * chart does not contain.
   *
   * @default 1
   */
  readonly replicas?: number | 'external';
  /**
   * How a new version replaces the old one. `'Recreate'` stops all replicas first, and is only for single-host slices.
   *
   * @default - maxSurge 0, maxUnavailable 1
   */
  readonly rollout?: RollingUpdate | 'Recreate';
  /**
   * Replicas that a drain of nodes can evict at a time, each with all of its hosts; `false` renders no PodDisruptionBudget.
   *
   * @default - 1 if there are several replicas
   */
  readonly disruptionBudget?: DisruptionBudgetProps | false;
}

const isString = (value: unknown): boolean => typeof value === 'string';
const required = <T>(type: Type<T>, example: string): { type: Type<T>; required: true; example: string } => ({
  type,
  required: true,
  example,
});

const COUNT = "a whole number, or a percentage like '25%'";

type Percentage = Exclude<ReplicaCount, number>;
const isPercentage = (text: string): text is Percentage => /^\d+%$/.test(text);
const percentIn = (text: Percentage): number => Number(text.slice(0, -1));

/** A number of replicas; `most` is the largest percentage. */
const replicaCount = (most = Infinity): Type<ReplicaCount> => ({
  what: COUNT,
  read: (value, path, problems) => {
    if (typeof value === 'number') return integer(0).read(value, path, problems);
    if (typeof value !== 'string') {
      problems.add(misfit(path, value, COUNT));
      return undefined;
    }
    if (!isPercentage(value)) problems.add({ path, value, problem: 'is not a percentage', use: COUNT });
    else if (percentIn(value) <= most) return value;
    else
      problems.add({
        path,
        value,
        problem: `is more than ${String(most)}%`,
        use: `at most '${String(most)}%'`,
      });
    return undefined;
  },
});

/** Returns the number of replicas of a count. */
export const replicasIn = (
  count: ReplicaCount,
  replicas: number,
  round: (value: number) => number,
): number => (typeof count === 'number' ? count : round((percentIn(count) * replicas) / 100));

/** Returns the two fields of a rolling update. By default, an update removes one replica first, because a new one needs a free slice. */
export function rollingUpdate({ maxSurge = 0, maxUnavailable }: RollingUpdate = {}): Required<RollingUpdate> {
  return { maxSurge, maxUnavailable: maxUnavailable ?? (isNone(maxSurge) ? 1 : 0) };
}

/** Returns the additional slices that an update of `replicas` replicas needs. */
export const surgeOf = (rollout: ReplicaProps['rollout'], replicas: number): number =>
  rollout === 'Recreate' ? 0 : replicasIn(rollout?.maxSurge ?? 0, replicas, Math.ceil);

const isNone = (count: ReplicaCount): boolean => replicasIn(count, 100, Math.ceil) === 0;

const ROLLING_UPDATE: Schema<RollingUpdate> = {
  properties: { maxSurge: optional(replicaCount()), maxUnavailable: optional(replicaCount(100)) },
  rules: [
    (props) => {
      const { maxSurge, maxUnavailable } = rollingUpdate(props);
      return [
        isNone(maxSurge) && isNone(maxUnavailable)
          ? {
              path: 'maxUnavailable',
              value: maxUnavailable,
              problem: `does not allow an update together with maxSurge ${String(maxSurge)}`,
              use: 'at least 1 in one of them',
            }
          : undefined,
      ];
    },
  ],
};

const DISRUPTION_BUDGET: Schema<DisruptionBudgetProps> = {
  properties: { maxUnavailable: optional(replicaCount(100)), minAvailable: optional(replicaCount(100)) },
  rules: [
    ({ maxUnavailable, minAvailable }, given) => [
      maxUnavailable !== undefined && minAvailable !== undefined
        ? {
            path: 'minAvailable',
            value: minAvailable,
            problem: 'is set together with maxUnavailable',
            use: 'one of them',
          }
        : undefined,
      given.maxUnavailable === undefined && given.minAvailable === undefined
        ? { path: 'maxUnavailable', problem: 'required without minAvailable, for example 1' }
        : undefined,
    ],
  ],
};

export const REPLICA_PROPERTIES: Words<ReplicaProps> = {
  replicas: optional(
    either((value) => isString(value) && Number.isNaN(Number(value)), oneOf('external'), integer(0)),
  ),
  rollout: optional(either(isString, oneOf('Recreate'), object(ROLLING_UPDATE))),
  disruptionBudget: optional(falseOr(object(DISRUPTION_BUDGET))),
};

// ---- access -------------------------------------------------------------------------------------------------------

/**
 * Clients that can reach a server: in the cluster (`ClusterIP`), in the VPC network (`InternalLoadBalancer`), or on the internet
 * (`ExternalLoadBalancer`). None of these types authenticates clients.
 */
export type ServiceType = 'ClusterIP' | 'InternalLoadBalancer' | 'ExternalLoadBalancer';

/** An additional port of a server's container and Service. */
export interface ExtraPort {
  /** Name of the port. */
  readonly name: string;
  /** Number of the port, from 1 to 65535. */
  readonly port: number;
}

/** Props that determine who can call a server. */
export interface AccessProps {
  /** Name of the Service. @default - the name of the server; on several hosts `NAME-leader` */
  readonly serviceName?: string;
  /** Additional ports of the container and of the Service. @default - none */
  readonly extraPorts?: readonly ExtraPort[];
  /** Type of the Service, which determines who can reach the server. @default 'ClusterIP' */
  readonly serviceType?: ServiceType;
  /**
   * Peers that can send requests. A NetworkPolicy blocks all other clients, except probes and the metrics collector.
   *
   * @default - no NetworkPolicy: all clients that reach the Service
   */
  readonly allowedClients?: readonly k8s.NetworkPolicyPeer[];
}

const EXTRA_PORT: Schema<ExtraPort> = {
  properties: { name: required(string(portName), "'grpc'"), port: required(port(), '9000') },
};

export const ACCESS_PROPERTIES: Words<AccessProps> = {
  serviceName: optional(string(dnsLabel())),
  extraPorts: optional(list(object(EXTRA_PORT, 'an object with name and port'), { what: 'a list of ports' })),
  serviceType: optional(oneOf('ClusterIP', 'InternalLoadBalancer', 'ExternalLoadBalancer')),
  allowedClients: optional(list(peerType, { what: 'a list of peers' })),
};
