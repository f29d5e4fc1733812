import { type ApiObject } from 'cdk8s';
import { type Construct } from 'constructs';
import { PROVISIONING_SECONDS } from '../facts/durations';
import { TPU_RESOURCE } from '../facts/labels';
import { type MainContainer, type PodFragment, type SidecarContainer } from '../pod/fragment';
import { checkHost, hostResources } from '../pod/host-resources';
import { containerSecurity, podSecurity } from '../pod/security';
import { sharedMemory } from '../pod/shared-memory';
import { gracefulShutdown, shutdownProblems } from '../pod/shutdown';
import { overNodePools } from '../pod/spread';
import { podTemplate, type PodTemplate, type PodTemplateParts, withContainerDefaults } from '../pod/template';
import { slicePorts, tpuMetricsPort, tpuResources } from '../pod/tpu';
import { dnsLabel, quantityOf, room } from '../problems/grammar';
import { type Problem, Problems } from '../problems/problems';
import { optional, type Schema, string } from '../problems/schema';
import { type TpuSlice } from '../tpu/slice';
import { machineFacts, machineTypes } from '../tpu/topology';
import { type AutoscalingOptions, autoscalingType, scalerProblems } from '../workload/autoscaling';
import { serverLabels } from '../workload/labels';
import { type MonitoringOptions } from '../workload/monitoring';
import { givenFragments, givenSidecars, objectMetadata, variables } from '../workload/pod-words';
import { checkLevel } from '../workload/security-level';
import {
  hasSeveralReplicas,
  placeServer,
  selectorOf,
  serverPolicyProblem,
  type ServerObjects,
} from '../workload/server';
import {
  ACCESS_PROPERTIES,
  type AccessProps,
  IMAGE_PROPERTIES,
  type ImageProps,
  LIFECYCLE_PROPERTIES,
  type LifecycleProps,
  POD_PROPERTIES,
  type PodProps,
  REPLICA_PROPERTIES,
  type ReplicaProps,
  SLICE_PROPERTIES,
  sliceProblems,
  surgeOf,
  type SliceProps,
} from '../workload/vocabulary';
import { argsProblems, type ServerFlags } from './flags';
import { groupProblems, onWorkers, workerShutdown } from './group';
import { type Startup } from './startup';

/** Properties that every server on a TPU slice has. */
export interface TpuServerOptions
  extends SliceProps, Omit<ImageProps, 'image'>, PodProps, LifecycleProps, ReplicaProps, AccessProps {
  /** Name of the Deployment or LeaderWorkerSet, and of the objects around it. @default - the construct's id */
  readonly name?: string;
  /** The TPU slice of each replica. */
  readonly slice: TpuSlice;
  /** Scales the replicas by a metric of the server; requires `monitoring`. @default - a fixed number of replicas */
  readonly autoscaling?: AutoscalingOptions;
  /**
   * Size of the model weights as a quantity, like `141G`.
   *
   * @default - derived from the name of the model; otherwise the memory of the slice
   */
  readonly modelSize?: string;
}

/** Returns the properties of all servers. `metric` is TypeScript code for a metric of the server, for error messages. */
export const serverProperties = (metric: string): Schema<TpuServerOptions>['properties'] => ({
  name: optional(string(dnsLabel())),
  ...SLICE_PROPERTIES,
  ...POD_PROPERTIES,
  ...LIFECYCLE_PROPERTIES,
  ...REPLICA_PROPERTIES,
  ...ACCESS_PROPERTIES,
  imagePullSecrets: IMAGE_PROPERTIES.imagePullSecrets,
  command: IMAGE_PROPERTIES.command,
  args: IMAGE_PROPERTIES.args,
  env: IMAGE_PROPERTIES.env,
  autoscaling: optional(autoscalingType(metric)),
  modelSize: optional(string(room)),
});

/** Facts about a server that the rules for its props need. */
interface ServerFacts {
  /** The flags of the server's program. @default - not known, so arguments are not checked */
  readonly flags?: ServerFlags;
  /** Ports of the Service and of the metrics. Other ports of the container can be `extraPorts` of the Service. */
  readonly ports: readonly number[];
  /** Whether metrics are collected. */
  readonly monitored: boolean;
  /** Prefix of the names of the server's metrics. @default - any */
  readonly metricPrefix?: string;
  /** TypeScript code for a metric of the server, for error messages. */
  readonly metric: string;
  /** Why the server cannot run on a multi-host slice. @default - it can */
  readonly oneHost?: string;
}

/** Returns the problems of the properties that all servers share, except those of a single property. */
export function serverProblems(
  props: TpuServerOptions,
  facts: ServerFacts,
): readonly (Problem | undefined)[] {
  const { slice, labels, extraPorts = [] } = props;
  const names = extraPorts.map(({ name }) => name);
  return [
    ...sliceProblems(props, canQueue(props, facts)),
    ...(facts.oneHost === undefined ? groupProblems(props) : [singleHost(slice, facts.oneHost)]),
    ...shutdownProblems(props),
    ...scalingProblems(props, facts),
    ...scalerProblems({
      slice,
      autoscaling: props.autoscaling,
      maxSurge: surgeOf(props.rollout, props.autoscaling?.maxReplicas ?? 1),
    }),
    ...(facts.flags ? argsProblems(props, facts.flags) : []),
    labelProblem(labels),
    ...extraPorts.map(({ port, name }, index): Problem | undefined => {
      const path = `extraPorts[${String(index)}]`;
      const others = [...facts.ports, ...extraPorts.slice(0, index).map((one) => one.port)];
      if (others.includes(port))
        return { path, value: port, problem: 'is already a port of the server', use: 'another port' };
      return names.indexOf(name) < index
        ? { path, value: name, problem: 'is the name of another port', use: 'another name' }
        : undefined;
    }),
  ];
}

/** Kueue admits LeaderWorkerSets, but no source states whether it requests nodes for them. */
const canQueue = ({ slice, capacity }: TpuServerOptions, { oneHost }: ServerFacts): boolean =>
  slice.multiHost && oneHost === undefined && capacity?.type !== 'flex-start-queued';

/** The label `app` selects the pods, so it cannot have another value. */
export const labelProblem = (labels: PodProps['labels']): Problem | undefined =>
  labels?.['app'] === undefined
    ? undefined
    : {
        path: 'labels[app]',
        value: labels['app'],
        problem: 'selects the pods, so it always equals the name',
        use: "the prop 'name'",
      };

function scalingProblems(
  { replicas, autoscaling }: TpuServerOptions,
  { monitored, metricPrefix = '', metric }: ServerFacts,
): readonly (Problem | undefined)[] {
  if (!autoscaling) return [];
  const { name } = autoscaling.metric;
  return [
    replicas === undefined
      ? undefined
      : {
          path: 'replicas',
          value: replicas,
          problem: "is set together with autoscaling: each apply would undo the autoscaler's changes",
          use: 'one of them',
        },
    monitored
      ? undefined
      : {
          path: 'monitoring',
          problem: `is off, but the autoscaler needs it to read metric '${name}'`,
          use: 'monitoring: {}',
        },
    name.startsWith(metricPrefix)
      ? undefined
      : { path: 'autoscaling.metric', value: name, problem: 'is not a metric of this server', use: metric },
  ];
}

/** Returns the problem of a multi-host slice for a server that runs in one pod. The fix names the largest host of the generation. */
export function singleHost(slice: TpuSlice, because: string): Problem | undefined {
  if (!slice.multiHost) return undefined;
  const [largest] = machineTypes()
    .filter((type) => machineFacts(type).generation === slice.generation && !machineFacts(type).onlyWhenNamed)
    .sort((a, b) => machineFacts(b).chips - machineFacts(a).chips);
  const type = largest ?? slice.machineType;
  return {
    path: 'slice',
    value: slice.toString(),
    problem: `has ${String(slice.hosts)} hosts: ${because}`,
    use: `a single-host slice, like '${type}/${machineFacts(type).singleHostTopology}' (${String(machineFacts(type).chips)} chips)`,
  };
}

/** Returns the chips of the main container: the chips of the host except those that sidecars request. */
export function chipsOf({ slice, sidecars = [] }: Pick<TpuServerOptions, 'slice' | 'sidecars'>): number {
  const elsewhere = sidecars.map(({ resources: { limits, requests } = {} }) =>
    quantityOf(limits?.[TPU_RESOURCE] ?? requests?.[TPU_RESOURCE] ?? '0'),
  );
  return slice.chipsPerHost - elsewhere.reduce((sum, chips) => sum + chips, 0);
}

/** The program of all hosts of a slice except the first one. */
export interface WorkerProgram {
  readonly command: string[];
  readonly args?: string[];
  /** Ports of the container in addition to those of the TPU runtime. @default - none */
  readonly ports?: MainContainer['ports'];
}

/** The parts that a construct derives for its server. */
export interface TpuServerParts {
  /** Name of the server's software, used in labels. */
  readonly server: string;
  /** Name of the model, used in labels. */
  readonly model: string | undefined;
  readonly container: MainContainer;
  /** Program of the other hosts of a slice. @default - the program of the first host */
  readonly worker?: WorkerProgram | undefined;
  /** Sidecars that the construct adds, on the first host of each slice only. @default - none */
  readonly sidecars?: readonly SidecarContainer[];
  /** Fragments that the user's fragments and props override. @default - none */
  readonly defaults?: readonly PodFragment[];
  /** Fragments of props that only this server has. @default - none */
  readonly given?: readonly PodFragment[];
  /** Size of `/dev/shm` if the user does not set one. @default - the container runtime's default */
  readonly sharedMemory?: string;
  readonly startup: Startup;
  readonly port: { readonly name: string; readonly port: number };
  readonly monitoring: (MonitoringOptions & { readonly port: number; readonly path: string }) | undefined;
}

/** Props of a server, including its name. Servers with several images have the prop `images` in place of `image`. */
type PlacedProps = TpuServerOptions & { readonly name: string } & Pick<ImageProps, 'image'>;

/** The objects of a server on TPU slices. */
export interface TpuServerObjects extends ServerObjects {
  readonly service: ApiObject;
}

/** The pod of the first host of a slice, and the pod of the other hosts of a multi-host slice. */
interface ServerTemplates {
  readonly template: PodTemplate;
  readonly worker: PodTemplate | undefined;
}

/** The parts of a server, with its pods. */
export interface TpuServerWithPods extends Omit<TpuServerParts, 'worker'> {
  readonly pods: ServerTemplates;
}

/**
 * Adds the pods of a server on TPU slices to its parts.
 *
 * @throws InvalidInputError listing the problems of the pods
 */
export const withPods = (props: PlacedProps, parts: TpuServerParts): TpuServerWithPods => ({
  ...parts,
  pods: serverTemplates(props, parts, labelsOf(props, parts)),
});

const labelsOf = (
  { name }: Pick<PlacedProps, 'name'>,
  { server, model }: Pick<TpuServerParts, 'server' | 'model'>,
): Readonly<Record<string, string>> => serverLabels(server, name, model);

/** Renders a server on TPU slices, and the objects around it. */
export function placeTpuServer(
  scope: Construct,
  props: PlacedProps,
  parts: TpuServerWithPods,
): TpuServerObjects {
  const { name, slice } = props;
  const selector = selectorOf(name);
  const { labels, annotations } = objectMetadata(props, labelsOf(props, parts));
  const { template, worker } = parts.pods;
  return placeServer(scope, {
    name,
    selector,
    labels: { ...labels, ...selector },
    annotations,
    template,
    group: worker && { hosts: slice.hosts, worker, capacity: props.capacity },
    replicas: props.replicas,
    rollout: props.rollout,
    disruptionBudget: props.disruptionBudget,
    progressDeadlineSeconds: parts.startup.startupSeconds + PROVISIONING_SECONDS,
    service: {
      name: props.serviceName,
      type: props.serviceType ?? 'ClusterIP',
      port: parts.port,
      extraPorts: props.extraPorts,
    },
    allowedClients: props.allowedClients,
    monitoring: parts.monitoring,
    autoscaling: props.autoscaling,
    startSeconds: parts.startup.expectedSeconds,
  });
}

function serverTemplates(
  props: PlacedProps,
  parts: TpuServerParts,
  labels: Readonly<Record<string, string>>,
): ServerTemplates {
  const { slice } = props;
  const problems = new Problems();
  const template = problems.attempt(() => podTemplate(podParts(props, parts, labels)));
  if (template) {
    checkHost(slice, template, problems);
    problems.add(serverPolicyProblem(template, slice.multiHost ? 'LeaderWorkerSet' : 'Deployment'));
    checkLevel(template, props.podSecurityLevel, problems);
  }
  // The two pods differ in few fields, so their problems are the same.
  const worker =
    slice.multiHost && problems.count === 0
      ? problems.attempt(() => podTemplate(workerParts(props, parts, labels)))
      : undefined;
  return { template: problems.settle(template), worker };
}

/** Returns the parts of the first host's pod: facts of the slice, defaults, and the user's values. */
function podParts(
  props: PlacedProps,
  parts: TpuServerParts,
  labels: Readonly<Record<string, string>>,
  shutdown = gracefulShutdown(props),
): PodTemplateParts {
  const { slice, capacity, podSecurityLevel: level = 'baseline' } = props;
  const selector = selectorOf(props.name);
  const security = containerSecurity(level);
  return {
    container: parts.container,
    sidecars: [
      ...(parts.sidecars ?? []).map((one) => withContainerDefaults(one, { ...shutdown.hook, ...security })),
      ...givenSidecars(props, security),
    ],
    facts: [{ labels: selector }, tpuResources(slice, capacity, slice.chipsPerHost - chipsOf(props))],
    defaults: [
      { labels },
      hostResources(slice),
      podSecurity(level),
      shutdown.defaults,
      tpuMetricsPort(),
      ...(slice.multiHost ? [slicePorts()] : []),
      ...(hasSeveralReplicas(props) && !slice.multiHost ? [overNodePools(selector)] : []),
      ...(parts.sharedMemory === undefined ? [] : [sharedMemory(parts.sharedMemory)]),
      // Without it, a Python server can lose its last log lines when it ends.
      { env: variables({ PYTHONUNBUFFERED: '1' }) },
      ...(parts.defaults ?? []),
    ],
    given: [
      ...(capacity ? [capacity] : []),
      ...(parts.given ?? []),
      { container: { ports: undeclaredPorts(props, parts).map(extraPort) } },
      ...givenFragments(props),
      shutdown.given,
    ],
  };
}

/** Returns the parts of the other hosts' pods, to which no clients or probes connect. */
function workerParts(
  props: PlacedProps,
  { worker, ...parts }: TpuServerParts,
  labels: Readonly<Record<string, string>>,
): PodTemplateParts {
  const leaderOnly = {
    startupProbe: undefined,
    readinessProbe: undefined,
    livenessProbe: undefined,
    ports: undefined,
    ...(worker && { args: undefined }),
  };
  const folded = podParts(
    { ...props, extraPorts: [] },
    { ...parts, container: { ...parts.container, ...leaderOnly, ...worker }, sidecars: [] },
    labels,
    workerShutdown(gracefulShutdown(props)),
  );
  const { defaults = [], given = [] } = folded;
  return {
    ...folded,
    defaults: onWorkers(defaults, worker !== undefined),
    given: onWorkers(given, worker !== undefined),
  };
}

/** Returns the further ports that the container does not declare. */
const undeclaredPorts = (
  { extraPorts = [] }: PlacedProps,
  { container }: TpuServerParts,
): NonNullable<PlacedProps['extraPorts']> =>
  extraPorts.filter(({ port }) => !container.ports?.some(({ containerPort }) => containerPort === port));

const extraPort = ({
  name,
  port,
}: {
  name: string;
  port: number;
}): { name: string; containerPort: number; protocol: string } => ({
  name,
  containerPort: port,
  protocol: 'TCP',
});
