import { type ApiObject } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { type Capacity } from '../pod/capacity';
import { drain, DRAIN_SECONDS, SPOT_DRAIN_SECONDS } from '../pod/drain';
import { type PodFragment, type Resources } from '../pod/fragment';
import { hostResources, memoryVolumesProblem } from '../pod/host-resources';
import { dnsLabel, integer, quantity } from '../pod/rules';
import { containerSecurity, podSecurity } from '../pod/security';
import { type MainContainer, podTemplate, type Sidecar } from '../pod/template';
import { tpuResources } from '../pod/tpu';
import { type Problems } from '../problems';
import { type TpuSlice } from '../tpu/slice';
import { type AutoscalingOptions } from './autoscaling';
import { serverLabels } from './labels';
import { type MonitoringOptions } from './monitoring';
import { networkPolicy } from './network-policy';
import { object } from './objects';
import { placeServer, selectorOf, type ServerObjects, type ServiceType } from './server';
import { checkArgs, checkEnv, checkScaling } from './server-rules';

/** Properties that every server on a TPU slice has. */
export interface TpuServerOptions {
  /** Name of the Deployment and of the objects around it. @default - the construct's id */
  readonly name?: string;
  /** The TPU slice of each replica; one host. */
  readonly slice: TpuSlice;
  /** How the slices are bought. @default - on demand */
  readonly capacity?: Capacity;
  /** Replicas, each on a slice of its own; not with `autoscaling`. @default 1 */
  readonly replicas?: number;
  /** Scales the replicas by a metric of the server; it needs `monitoring`. @default - a fixed number of replicas */
  readonly autoscaling?: AutoscalingOptions;
  /**
   * Slices beside those of the replicas that a rollout may use: that many new replicas start before old ones stop. Without one, an old
   * replica stops first; a new one would wait for its slice forever.
   *
   * @default 0
   */
  readonly spareSlices?: number;
  /** ServiceAccount of the pods; it needs access to the buckets that they mount. @default - the namespace's default */
  readonly serviceAccountName?: string;
  /** Further flags of the server, as `--flag=value`. @default - none */
  readonly args?: readonly string[];
  /** Further environment variables of the server. @default - none */
  readonly env?: Readonly<Record<string, string>>;
  /** Who can reach the server. @default 'ClusterIP' */
  readonly serviceType?: ServiceType;
  /**
   * Peers that may send requests; a NetworkPolicy then keeps all others away, but for probes and the metrics collector.
   *
   * @default - no NetworkPolicy: whoever reaches the Service
   */
  readonly allowedClients?: readonly k8s.NetworkPolicyPeer[];
  /**
   * Longest time from the container's start to its first answer, in seconds. The startup probe, the rollout's deadline and the server's
   * own timeouts follow from it.
   *
   * @default - twice what `startupEstimate` says of a cold start, at least half an hour
   */
  readonly startupSeconds?: number;
  /** Size of the weights as a quantity, like `141G`. @default - by the name of the model; else what the slice's memory holds */
  readonly modelSize?: string;
  /** Seconds that a pod goes on serving after it has left its Service. @default 30; 10 on spot, whose nodes give pods 15 seconds */
  readonly drainSeconds?: number;
  /**
   * Level of the Pod Security Standards that the pods keep. No source shows that an image of these servers runs at `restricted`.
   *
   * @default 'baseline'
   */
  readonly podSecurityLevel?: 'baseline' | 'restricted';
  /** CPU and memory of the main container. @default - requests for 80 % of the host, no limits */
  readonly resources?: Resources;
  /** PriorityClass of the pods. @default - the cluster's default */
  readonly priorityClassName?: string;
  /** What no prop covers. @default - none */
  readonly fragments?: readonly PodFragment[];
}

/** What a stack adds to the options of its server. */
export interface TpuServerParts {
  readonly name: string;
  /** The server's software, as labels name it. */
  readonly server: string;
  /** The model that is served. */
  readonly model: string | undefined;
  readonly container: MainContainer;
  readonly sidecars?: readonly Sidecar[];
  /** Variables that the user's own replace. @default - none */
  readonly env?: Readonly<Record<string, string>>;
  readonly fragments: readonly PodFragment[];
  readonly startupSeconds: number;
  readonly service: {
    readonly name?: string;
    readonly port: { readonly name: string; readonly port: number };
  };
  readonly monitoring: (MonitoringOptions & { readonly port: number; readonly path: string }) | undefined;
}

/** The objects of a server on TPU slices. */
export interface TpuServerObjects extends ServerObjects {
  readonly service: ApiObject;
  readonly podDisruptionBudget: ApiObject | undefined;
  readonly networkPolicy: ApiObject | undefined;
}

/** Image pull and the start of a node come on top of the server's own start. */
const PROVISIONING_SECONDS = 600;

/** Records what is wrong with the options that all servers share; `writers` names the prop behind each flag of the server. */
export function checkTpuServer(
  options: TpuServerOptions,
  name: string,
  monitoring: MonitoringOptions | undefined,
  writers: Readonly<Record<string, string>>,
  problems: Problems,
): void {
  const { slice, replicas, autoscaling, serviceAccountName, priorityClassName, modelSize } = options;
  problems.add(
    dnsLabel('name', name),
    serviceAccountName === undefined ? undefined : dnsLabel('serviceAccountName', serviceAccountName),
    priorityClassName === undefined ? undefined : dnsLabel('priorityClassName', priorityClassName),
    modelSize === undefined ? undefined : quantity('modelSize', modelSize),
    options.capacity?._problemOn(slice),
  );
  if (options.startupSeconds !== undefined)
    problems.add(integer('startupSeconds', options.startupSeconds, 1));
  if (options.spareSlices !== undefined) problems.add(integer('spareSlices', options.spareSlices, 0));
  if (options.drainSeconds !== undefined) problems.add(integer('drainSeconds', options.drainSeconds, 0));
  checkScaling({ replicas, autoscaling, monitoring }, problems);
  checkArgs(options.args, writers, problems);
  checkEnv(options.env, problems);
}

/** Places a server on TPU slices with everything around it; what is wrong with its pods is recorded and thrown with the rest. */
export function placeTpuServer(
  scope: Construct,
  options: TpuServerOptions,
  parts: TpuServerParts,
  problems: Problems,
): TpuServerObjects {
  const { slice, capacity, autoscaling } = options;
  const { name, monitoring } = parts;
  const selector = selectorOf(name);
  const labels = { ...selector, ...serverLabels(parts.server, name, parts.model) };
  const level = options.podSecurityLevel ?? 'baseline';
  const spot = capacity?.type === 'spot';
  const ending = drain(options.drainSeconds ?? (spot ? SPOT_DRAIN_SECONDS : DRAIN_SECONDS), spot);
  const several = (autoscaling?.maxReplicas ?? options.replicas ?? 1) > 1;

  problems.add(memoryVolumesProblem(slice, [...parts.fragments, ...(options.fragments ?? [])]));
  const template = problems.settle(
    problems.attempt(() =>
      podTemplate(
        parts.container,
        (parts.sidecars ?? []).map((sidecar) => ({
          ...sidecar,
          ...ending.container,
          ...containerSecurity(level),
        })),
        [
          { labels },
          {
            pod: {
              serviceAccountName: options.serviceAccountName,
              priorityClassName: options.priorityClassName,
              topologySpreadConstraints: several ? [overNodePools(selector)] : undefined,
            },
          },
          tpuResources(slice),
          options.resources ? { resources: options.resources } : hostResources(slice),
          ...(capacity ? [capacity] : []),
          podSecurity(level),
          ending,
          ...parts.fragments,
          // Logs of a Python server otherwise arrive when it has ended.
          { env: variables({ PYTHONUNBUFFERED: '1', ...parts.env, ...options.env }) },
          ...(options.fragments ?? []),
        ],
      ),
    ),
    scope.node.path,
  );

  const placed = placeServer(scope, {
    name,
    selector,
    labels,
    template,
    replicas: options.replicas ?? 1,
    maxSurge: options.spareSlices ?? 0,
    progressDeadlineSeconds: parts.startupSeconds + PROVISIONING_SECONDS,
    service: { ...parts.service, type: options.serviceType ?? 'ClusterIP' },
    monitoring,
    autoscaling,
  });
  return {
    ...placed,
    podDisruptionBudget: several
      ? object(
          scope,
          'PodDisruptionBudget',
          k8s.KubePodDisruptionBudget.manifest({
            metadata: { name, labels },
            spec: { maxUnavailable: k8s.IntOrString.fromNumber(1), selector: { matchLabels: selector } },
          }),
        )
      : undefined,
    networkPolicy:
      options.allowedClients &&
      networkPolicy(scope, 'NetworkPolicy', {
        name,
        labels,
        selector,
        port: parts.service.port.port,
        clients: options.allowedClients,
        metricsPort: monitoring?.port,
      }),
  };
}

const variables = (env: Readonly<Record<string, string>>): k8s.EnvVar[] =>
  Object.entries(env).map(([name, value]) => ({ name, value }));

/** Replicas go to different node pools where there are several: one of them may be drained or out of capacity. */
const overNodePools = (selector: Record<string, string>): k8s.TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: 'cloud.google.com/gke-nodepool',
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels: selector },
});
