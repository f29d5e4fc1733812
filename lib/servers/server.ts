import { type ApiObject } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { type Capacity, capacityProblem } from '../pod/capacity';
import { drain, drainProblem } from '../pod/drain';
import {
  type MainContainer,
  type PodFragment,
  type ResourceRequirements,
  type SidecarContainer,
} from '../pod/fragment';
import { checkHost, hostResources } from '../pod/host-resources';
import { dnsSubdomain, INT32, integer, oneOf, quoted, room } from '../problems/validators';
import { containerSecurity, podSecurity } from '../pod/security';
import { overNodePools } from '../pod/spread';
import { podTemplate } from '../pod/template';
import { tpuMetricsPort, tpuResources } from '../pod/tpu';
import { type Problems } from '../problems/problems';
import { type TpuSlice } from '../tpu/slice';
import { machineFacts, machineTypes } from '../tpu/topology';
import { type AutoscalingOptions } from '../workload/autoscaling';
import { serverLabels } from '../workload/labels';
import { type MonitoringOptions } from '../workload/monitoring';
import { checkPeers, networkPolicy } from '../workload/network-policy';
import { object } from '../workload/objects';
import {
  placeServer,
  selectorOf,
  type ServerObjects,
  serviceTypeProblem,
  type ServiceType,
} from '../workload/server';
import { checkArgs, checkScaling, type ServerFlags } from './flags';

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
  /** Seconds that a pod goes on serving after it has left its Service; at most 10 on spot, whose nodes give pods 15. @default 30; 10 on spot */
  readonly drainSeconds?: number;
  /**
   * Level of the Pod Security Standards that the pods keep. No source shows that an image of these servers runs at `restricted`.
   *
   * @default 'baseline'
   */
  readonly podSecurityLevel?: 'baseline' | 'restricted';
  /** CPU and memory of the main container. @default - requests for 80 % of the host, no limits */
  readonly resources?: ResourceRequirements;
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
  readonly sidecars?: readonly SidecarContainer[];
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
export const PROVISIONING_SECONDS = 600;

/** Records what is wrong with the options that all servers share, but for the name. */
export function checkTpuServer(
  options: TpuServerOptions,
  monitoring: MonitoringOptions | undefined,
  flags: ServerFlags,
  problems: Problems,
): void {
  const { slice, capacity, replicas, autoscaling, serviceAccountName, priorityClassName, modelSize } =
    options;
  const { startupSeconds, spareSlices, drainSeconds } = options;
  problems.add(
    serviceAccountName === undefined ? undefined : dnsSubdomain('serviceAccountName', serviceAccountName),
    priorityClassName === undefined ? undefined : dnsSubdomain('priorityClassName', priorityClassName),
    modelSize === undefined ? undefined : room('modelSize', modelSize),
    capacityProblem(capacity, slice),
    serviceTypeProblem(options.serviceType),
    oneOf('podSecurityLevel', options.podSecurityLevel ?? 'baseline', ['baseline', 'restricted']),
  );
  checkPeers('allowedClients', options.allowedClients, problems);
  if (startupSeconds !== undefined)
    problems.add(integer('startupSeconds', startupSeconds, 1, INT32 - PROVISIONING_SECONDS));
  if (spareSlices !== undefined) problems.add(integer('spareSlices', spareSlices, 0));
  problems.add(drainProblem(drainSeconds, capacity));
  checkScaling({ replicas, autoscaling, monitoring }, problems);
  checkArgs(options, flags, problems);
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
  const ending = drain(options);
  const several = (autoscaling?.maxReplicas ?? options.replicas ?? 1) > 1;

  const folded = problems.attempt(() =>
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
          },
        },
        ...(several ? [overNodePools(selector)] : []),
        tpuResources(slice, capacity),
        tpuMetricsPort(),
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
  );
  if (folded) {
    checkHost(slice, folded, problems);
    const { restartPolicy = 'Always' } = folded.spec;
    problems.check(
      restartPolicy === 'Always',
      `pod restartPolicy ${quoted(restartPolicy)} is none that a Deployment takes, expected none; nearest: 'Always'`,
    );
  }
  const template = problems.settle(folded, scope.node.path);

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

/** What is wrong with a slice for something that runs in one pod; undefined where nothing is. It names the largest host of the generation. */
export function singleHost(slice: TpuSlice, because: string): string | undefined {
  if (!slice.multiHost) return undefined;
  const [largest] = machineTypes()
    .filter((type) => machineFacts(type).generation === slice.generation && !machineFacts(type).onlyWhenNamed)
    .sort((a, b) => machineFacts(b).chips - machineFacts(a).chips);
  const type = largest ?? slice.machineType;
  return `slice '${slice.toString()}' has ${String(slice.hosts)} hosts, expected one: ${because}; nearest: '${type}/${machineFacts(type).singleHostTopology}' (${String(machineFacts(type).chips)} chips)`;
}
