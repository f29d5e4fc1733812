import { AUTOSCALING_METRIC_GKE } from '../facts/autoscaling';
import { PROVISIONING_SECONDS } from '../facts/durations';
import { CONTROLLERS } from '../facts/controllers';
import { LWS_WORKER_INDEX_LABEL } from '../facts/labels';
import {
  type Kubectl,
  keyLine,
  type Operations,
  type RunbookStep,
  type SecretKeyRef,
} from '../operations/operations';
import { type ShellCommand, shellWord } from '../operations/shell-command';
import { type AutoscalingOptions } from '../workload/autoscaling';
import { kedaNeeds } from '../workload/keda';
import {
  type ReplicaProps,
  replicasIn,
  rollingUpdate,
  type ServiceType,
  type SliceProps,
} from '../workload/vocabulary';

/** How to reach a Service from outside the cluster. */
export interface Endpoint {
  readonly open: RunbookStep;
  /** Host and port, as text for a shell. */
  readonly url: string;
  /** Lines of shell that a script needs first. */
  readonly lines: readonly string[];
}

/** How a shell reaches a Service: through a forwarded port, or at the address of its load balancer. */
export function endpointOf(
  kubectl: Kubectl,
  service: { readonly name: string; readonly port: number; readonly type: ServiceType | undefined },
): Endpoint {
  const port = String(service.port);
  if ((service.type ?? 'ClusterIP') === 'ClusterIP')
    return {
      open: {
        text: `Forward the port of Service \`${service.name}\`, in a terminal of its own.`,
        commands: [kubectl('port-forward', `svc/${service.name}`, `${port}:${port}`)],
      },
      url: `localhost:${port}`,
      lines: [],
    };
  const address = kubectl(
    'get',
    'service',
    service.name,
    '-o',
    'jsonpath={.status.loadBalancer.ingress[0].ip}',
  );
  const lines = [`address=$(${address.toString()})`];
  const reach = service.type === 'InternalLoadBalancer' ? ', which only the VPC network can reach' : '';
  return {
    open: {
      text: `Look up the address of Service \`${service.name}\`${reach}. It is empty until the load balancer is ready.`,
      commands: lines,
    },
    url: `"$address":${port}`,
    lines,
  };
}

/** A request over HTTP, with a JSON body if there is one, as lines of shell. */
export const curl = (
  { url }: Pick<Endpoint, 'url'>,
  path: string,
  body: Readonly<Record<string, unknown>> | undefined,
  { method = 'POST', withKey = false }: { readonly method?: 'GET' | 'POST'; readonly withKey?: boolean } = {},
): string =>
  [
    `curl --request ${body === undefined ? 'GET' : method}`,
    ...(body === undefined ? [] : ["--header 'Content-type: application/json'"]),
    ...(withKey ? ['--header "Authorization: Bearer $API_KEY"'] : []),
    `-s ${url}${path}`,
    ...(body === undefined ? [] : [`--data ${shellWord(JSON.stringify(body))}`]),
  ].join(' \\\n    ');

/** A request to a server. */
interface ServerRequest {
  readonly path: string;
  /** @default - none: a GET */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** What to do before a model is downloaded from Hugging Face. */
export const licenceNote = (model: string): string =>
  `Accept the license of \`${model}\` on Hugging Face, if it has one.`;

/** A server's objects, as far as steps name them. */
export interface ServerNames {
  /** The Deployment or LeaderWorkerSet. */
  readonly workload: { readonly name: string; readonly kind: string };
  readonly service: { readonly name: string };
  readonly horizontalPodAutoscaler: { readonly name: string } | undefined;
  readonly scaledObject: { readonly name: string } | undefined;
}

/** Props of a server that its steps depend on. */
type ServerProps = SliceProps &
  ReplicaProps & {
    readonly autoscaling?: AutoscalingOptions;
    readonly serviceType?: ServiceType;
    readonly image?: string;
  };

/** Facts of a server that its props do not tell. */
interface ServerFacts {
  readonly port: number;
  readonly startupSeconds: number;
  /** Things that must happen before the pods can start. @default - none */
  readonly waitsFor?: readonly string[];
  /** Containers whose logs show the progress of the server. */
  readonly containers: readonly string[];
  readonly call: ServerRequest;
  /** A request that keeps the server busy. @default - none is known */
  readonly load?: ServerRequest | undefined;
  /** The key of a Secret that requests must send. @default - none */
  readonly apiKey?: SecretKeyRef | undefined;
}

/** Whether a server is a LeaderWorkerSet. */
const isGroup = ({ workload }: Pick<ServerNames, 'workload'>): boolean => workload.kind === 'LeaderWorkerSet';

/** A Deployment or LeaderWorkerSet as kubectl names it. */
const refOf = ({ kind, name }: ServerNames['workload']): string => `${kind.toLowerCase()}/${name}`;

/** Lines of shell that put the key of requests into `$API_KEY`. */
const keyLines = (kubectl: Kubectl, { apiKey }: ServerFacts): readonly string[] =>
  apiKey ? [keyLine(kubectl, apiKey)] : [];

/** Requirements and steps that all servers on TPU slices have. */
export function serverOperations(
  kubectl: Kubectl,
  server: ServerNames,
  props: ServerProps,
  facts: ServerFacts,
): Operations {
  const { autoscaling, image, serviceType: type } = props;
  const endpoint = endpointOf(kubectl, { name: server.service.name, port: facts.port, type });
  const key = keyLines(kubectl, facts);
  const withKey = key.length > 0;
  return {
    slices: [
      {
        slice: props.slice,
        capacity: props.capacity,
        replicas: mostReplicas(props) + rolloutOf(props).maxSurge,
        ...(autoscaling && { minReplicas: autoscaling.minReplicas ?? 1 }),
        ...(props.replicas === 'external' && { scaledFromOutside: server.workload.name }),
      },
    ],
    images: image === undefined ? [] : [image],
    ...(isGroup(server) && { controllers: [CONTROLLERS.leaderWorkerSet] }),
    ...(autoscaling?.scaler === 'AutoscalingMetric' && { gkeVersions: [AUTOSCALING_METRIC_GKE] }),
    ...(typeof autoscaling?.scaler === 'object' && {
      keda: kedaNeeds(server.workload.name, autoscaling.scaler.keda),
    }),
    steps: {
      verify: verify(kubectl, server, props, facts),
      call: [
        endpoint.open,
        {
          text: `Send a request to \`${server.workload.name}\`.`,
          commands: [...key, curl(endpoint, facts.call.path, facts.call.body, { withKey })],
        },
      ],
      load: load(kubectl, server, { ...endpoint, lines: [...endpoint.lines, ...key] }, facts),
      scale: scale(kubectl, server, props),
      troubleshoot: troubleshoot(kubectl, server, props),
    },
  };
}

const replicasOf = ({ replicas = 1 }: ReplicaProps): number => (replicas === 'external' ? 1 : replicas);

const mostReplicas = (props: Pick<ServerProps, 'replicas' | 'autoscaling'>): number =>
  props.autoscaling?.maxReplicas ?? replicasOf(props);

function rolloutOf(props: Pick<ServerProps, 'replicas' | 'rollout' | 'autoscaling'>): {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
} {
  const { rollout } = props;
  if (rollout === 'Recreate') return { maxSurge: 0, maxUnavailable: Infinity };
  const { maxSurge, maxUnavailable } = rollingUpdate(rollout);
  const replicas = mostReplicas(props);
  return {
    maxSurge: replicasIn(maxSurge, replicas, Math.ceil),
    maxUnavailable: replicasIn(maxUnavailable, replicas, Math.floor),
  };
}

/** Name of the HorizontalPodAutoscaler that scales a server; KEDA creates one with a name of its own. */
const autoscalerName = ({
  horizontalPodAutoscaler,
  scaledObject,
}: Pick<ServerNames, 'horizontalPodAutoscaler' | 'scaledObject'>): string | undefined =>
  horizontalPodAutoscaler?.name ?? (scaledObject && `keda-hpa-${scaledObject.name}`);

/** Ways to buy slices that can be out of stock for long. */
const SCARCE: readonly string[] = ['flex-start', 'spot', 'compute-class', 'dynamic-slice'];

function verify(
  kubectl: Kubectl,
  { workload }: ServerNames,
  { capacity, slice }: ServerProps,
  { startupSeconds, waitsFor = [], containers }: ServerFacts,
): readonly RunbookStep[] {
  const waits = [...(SCARCE.includes(capacity?.type ?? '') ? ['capacity'] : []), ...waitsFor];
  const early =
    waits.length > 0
      ? ` If its pods wait long for ${waits.join(' and ')}, the command gives up: run it again when they start.`
      : '';
  const timeout = `--timeout=${String(startupSeconds + PROVISIONING_SECONDS)}s`;
  const { name } = workload;
  const expect = `in about ${String(Math.ceil(startupSeconds / 120))} minutes at the first start, at most twice that; about ${String(PROVISIONING_SECONDS / 60)} minutes more if GKE creates the node`;
  const logs = (pod: string): readonly ShellCommand[] =>
    containers.map((container) => kubectl('logs', pod, '-f', '-c', container));
  if (!isGroup({ workload }))
    return [
      {
        text: `Wait until \`${name}\` is ready. It loads the model and compiles first.${early}`,
        commands: [kubectl('rollout', 'status', `deployment/${name}`, timeout)],
        expect: `\`successfully rolled out\`, ${expect}`,
      },
      { text: 'Follow its logs, in a terminal of its own.', commands: logs(`deploy/${name}`) },
    ];
  return [
    {
      text: `Wait until \`${name}\` is ready. The ${String(slice.hosts)} hosts of a slice find each other, load the model and compile first.${early}`,
      commands: [kubectl('wait', '--for=condition=Available', refOf(workload), timeout)],
      expect: `\`condition met\`, ${expect}`,
    },
    {
      text: 'Follow the logs of the first host of the first slice, in a terminal of its own. The other hosts are the pods with another number at the end.',
      commands: logs(`${name}-0`),
    },
  ];
}

function load(
  kubectl: Kubectl,
  server: ServerNames,
  endpoint: Endpoint,
  { load: asked, apiKey }: ServerFacts,
): readonly RunbookStep[] {
  if (!asked) return [];
  const { name } = server.workload;
  const autoscaler = autoscalerName(server);
  const request = curl(endpoint, asked.path, asked.body, { withKey: apiKey !== undefined });
  const script = [
    "cat > load.sh <<'end'",
    '#!/bin/bash',
    ...endpoint.lines,
    'for i in $(seq 1 PARALLEL_PROCESSES); do',
    '  while true; do',
    `    ${request.replaceAll('\n', '\n    ')}`,
    '  done &',
    'done',
    "trap 'kill $(jobs -p)' TERM",
    'wait',
    'end',
    'chmod +x load.sh',
    'nohup ./load.sh > load.log 2>&1 &',
    'echo $! > load.pid',
  ];
  return [
    {
      text: `Send requests to \`${name}\` without end, several at a time, through the endpoint above.`,
      commands: [script.join('\n')],
      placeholders: { PARALLEL_PROCESSES: 'number of requests that the load script sends at a time' },
    },
    ...(autoscaler !== undefined
      ? [
          {
            text: 'Watch the number of replicas. The metric is unknown until it has been collected for some minutes.',
            commands: [kubectl('get', 'hpa', autoscaler, '--watch')],
          },
        ]
      : []),
    { text: 'Stop the load.', commands: ['kill "$(cat load.pid)"'] },
  ];
}

function scale(
  kubectl: Kubectl,
  { workload }: ServerNames,
  { autoscaling, replicas }: ServerProps,
): readonly RunbookStep[] {
  const { name } = workload;
  if (autoscaling)
    return [
      {
        text: `${typeof autoscaling.scaler === 'object' ? 'KEDA' : 'A HorizontalPodAutoscaler'} keeps ${String(autoscaling.minReplicas ?? 1)} to ${String(autoscaling.maxReplicas)} replicas of \`${name}\`. Change \`autoscaling\` in the chart to change the limits.`,
        commands: [],
      },
    ];
  const text =
    replicas === 'external'
      ? `Each replica of \`${name}\` needs a slice. The number is not part of the manifest: an autoscaler sets it, or you do.`
      : `Each replica of \`${name}\` needs a slice. Change \`replicas\` in the chart too: the next apply sets the number that the chart has.`;
  return [
    {
      text,
      commands: [kubectl('scale', refOf(workload), '--replicas=REPLICAS')],
      placeholders: { REPLICAS: 'number of replicas, and so of slices, of the server' },
    },
  ];
}

/** A replica without a slice counts as unavailable, which stops a rolling update as soon as maxUnavailable is reached. */
function troubleshoot(kubectl: Kubectl, server: ServerNames, props: ServerProps): readonly RunbookStep[] {
  const { name } = server.workload;
  if (props.rollout === 'Recreate') return [];
  return [...(isGroup(server) ? [restarts(kubectl, name)] : []), hangs(kubectl, name, props)];
}

/** The hosts of a slice restart together, and the pods of the group that failed are gone. */
const restarts = (kubectl: Kubectl, name: string): RunbookStep => ({
  text: `If the hosts of \`${name}\` start again and again, find the pod that fails first: when one ends, the LeaderWorkerSet replaces all pods of its slice, and their logs with them. The events remain for an hour; follow the logs of each host while it starts.`,
  commands: [
    kubectl('get', 'pods', '-l', `app=${name}`, '-L', LWS_WORKER_INDEX_LABEL, '-o', 'wide'),
    kubectl('get', 'events', '--sort-by=.lastTimestamp'),
  ],
});

function hangs(kubectl: Kubectl, name: string, props: ServerProps): RunbookStep {
  const { maxSurge, maxUnavailable } = rolloutOf(props);
  const pending = kubectl('get', 'pods', '-l', `app=${name}`, '--field-selector=status.phase=Pending');
  const fewer = props.autoscaling ? 'lower `autoscaling.maxReplicas`' : 'lower `replicas`';
  return {
    text:
      maxSurge > 0
        ? `If a rolling update of \`${name}\` hangs, look for pods that are Pending. The update starts up to ${String(maxSurge)} new replicas before it stops old ones, and each needs a free slice: add slices, or set \`rollout\` to \`{ maxSurge: 0, maxUnavailable: 1 }\`.`
        : `If a rolling update of \`${name}\` hangs, look for pods that are Pending. A replica without a slice counts as unavailable, and the update waits when \`maxUnavailable\` (${String(maxUnavailable)}) is reached: add a slice for it, ${fewer}, or set \`rollout.maxUnavailable\` above the number of Pending replicas.`,
    commands: [pending],
  };
}
