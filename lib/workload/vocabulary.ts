// The words that servers, Ray worker groups and jobs share: one interface and one table of properties for each group of them. A construct
// takes the groups that it can honor; what it says differently, it documents again.
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Capacity } from '../pod/capacity';
import { type PodFragment, type ResourceRequirements, type SidecarContainer } from '../pod/fragment';
import { type PodSecurityLevel } from '../pod/security';
import { type NamedResource } from '../problems/schema';
import { type TpuSlice } from '../tpu/slice';

/** The slice that pods run on, and how it is bought. */
export interface SliceProps {
  /** The TPU slice of each replica. */
  readonly slice: TpuSlice;
  /** How the slices are bought. @default - on demand */
  readonly capacity?: Capacity;
}

/** What any pod can have. */
export interface PodProps {
  /** Labels of all objects and of the pods, beside those that the construct sets. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of all objects and of the pods. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /** ServiceAccount of the pods; it needs access to the buckets that they use. @default - the namespace's default */
  readonly serviceAccountName?: string | NamedResource;
  /** Secrets with the credentials of a private registry. @default - none */
  readonly imagePullSecrets?: readonly (string | NamedResource)[];
  /** Further environment variables of the main container. @default - none */
  readonly env?: Readonly<Record<string, string>>;
  /** CPU, memory and ephemeral storage of the main container. @default - requests for 80 % of the host, no limits */
  readonly resources?: ResourceRequirements;
  /** Size limit of `/dev/shm`, a volume in memory, as a quantity like `16Gi`. @default - that of the container runtime */
  readonly sharedMemory?: string;
  /** Further containers of the pod. @default - none */
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

/** Timings and paths of one probe; each field replaces the default of the same name. */
export type ProbeProps = Partial<k8s.Probe>;

/** How a server starts, and how it stops. */
export interface LifecycleProps {
  /**
   * Longest time from the container's start to its first answer, in seconds. The startup probe, the rollout's deadline and the server's
   * own timeouts follow from it.
   *
   * @default - twice what `startupEstimate` says of a cold start, from half an hour to four hours
   */
  readonly startupSeconds?: number;
  /** Fields of the probes, each of which replaces a default; `false` removes the probe. @default - those of the server */
  readonly probes?: {
    /** The startup probe. @default - asks the health path for `startupSeconds` */
    readonly startup?: ProbeProps | false;
    /** The readiness probe. @default - asks the health path every 10 seconds */
    readonly readiness?: ProbeProps | false;
    /** The liveness probe. @default - that of the server, if any */
    readonly liveness?: ProbeProps | false;
  };
  /** Time that a pod keeps serving after it has left its Services, in seconds; at most 10 on spot. @default 30; 10 on spot */
  readonly preStopSeconds?: number;
  /** Time that the server has for its own shutdown after that, in seconds; at most 5 on spot. @default 30; 5 on spot */
  readonly shutdownSeconds?: number;
}

/** How many pods of a server can be missing or added during a rolling update. */
export interface RollingUpdate {
  /** New replicas that start before old ones stop; each needs a free slice. @default 0 */
  readonly maxSurge?: number;
  /**
   * Replicas that can be unavailable during the update. A replica that is Pending counts: set it above the number of replicas that can
   * be Pending, or the update waits for them.
   *
   * @default 1; 0 with `maxSurge`
   */
  readonly maxUnavailable?: number;
}

/** How a server is replaced and scaled. */
export interface ReplicaProps {
  /**
   * Replicas, each on a slice of its own; not with `autoscaling`. `'external'` renders none, for a scaler that this chart does not
   * contain.
   *
   * @default 1
   */
  readonly replicas?: number | 'external';
  /** How a new version replaces the old one; `'Recreate'` stops all replicas first. @default - maxSurge 0, maxUnavailable 1 */
  readonly rollout?: RollingUpdate | 'Recreate';
  /** Replicas that a drain of nodes can evict at a time; `false` renders no PodDisruptionBudget. @default - 1 if there are several replicas */
  readonly disruptionBudget?: { readonly maxUnavailable: number } | false;
}

/**
 * Who can reach a server: `ClusterIP` the cluster, `InternalLoadBalancer` the VPC network, `ExternalLoadBalancer` the internet. None
 * of them authenticates clients.
 */
export type ServiceType = 'ClusterIP' | 'InternalLoadBalancer' | 'ExternalLoadBalancer';

/** A further port of a server's container and Service. */
export interface ExtraPort {
  /** Name of the port. */
  readonly name: string;
  /** Number of the port, from 1 to 65535. */
  readonly port: number;
}

/** Who can call a server. */
export interface AccessProps {
  /** Name of the Service. @default - the name of the server */
  readonly serviceName?: string;
  /** Who can reach the server. @default 'ClusterIP' */
  readonly serviceType?: ServiceType;
  /** Further ports of the container and of the Service. @default - none */
  readonly extraPorts?: readonly ExtraPort[];
  /**
   * Peers that can send requests. A NetworkPolicy then refuses all others, except probes and the metrics collector.
   *
   * @default - no NetworkPolicy: everyone who reaches the Service
   */
  readonly allowedClients?: readonly k8s.NetworkPolicyPeer[];
}
