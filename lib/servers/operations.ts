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
  /** Host and port, quoted for a shell. */
  readonly url: string;
  /** Shell lines that must run before the URL is used. */
  readonly lines: readonly string[];
}

/** Returns how a shell reaches a Service: through a forwarded port, or at the address of its load balancer. */
export function endpointOf(
  kubectl: Kubectl,
  service: { readonly name: string; readonly port: number; readonly type: ServiceType | undefined },
): Endpoint {
  const port = String(service.port);
  if ((service.type ?? 'ClusterIP') === 'ClusterIP')
    return {
      open: {
        text: `Forward the port of Service \`${service.name}\` in a separate terminal.`,
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

/** Returns a `curl` command over several lines, with a JSON body if `body` is set. */
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

/** Returns the note about the license of a model on Hugging Face. */
export const licenceNote = (model: string): string =>
  `Accept the license of \`${model}\` on Hugging Face, if it has one.`;

/** The objects of a server that runbook steps name. */
export interface ServerNames {
  /** The Deployment or LeaderWorkerSet. */
  readonly workload: { readonly name: string; readonly kind: string };
  readonly service: { readonly name: string };
  readonly horizontalPodAutoscaler: { readonly name: string } | undefined;
  readonly scaledObject: { readonly name: string } | undefined;
}

/** Props of a server that its runbook steps depend on. */
type ServerProps = SliceProps &
  ReplicaProps & {
    readonly autoscaling?: AutoscalingOptions;
    readonly serviceType?: ServiceType;
    readonly image?: string;
  };

/** Facts about a server that its props do not contain. */
interface ServerFacts {
  readonly port: number;
  readonly startupSeconds: number;
  /** Preconditions for the start of the pods, for example the checkpoint. @default - none */
  readonly waitsFor?: readonly string[];
  /** Containers whose logs show the progress of the server. */
  readonly containers: readonly string[];
  readonly call: ServerRequest;
  /** A request for the load test. @default - none: no load test */
  readonly load?: ServerRequest | undefined;
  /** The key of a Secret with the API key that requests must send. @default - none */
  readonly apiKey?: SecretKeyRef | undefined;
}

/** Whether a server is a LeaderWorkerSet. */
const isGroup = ({ workload }: Pick<ServerNames, 'workload'>): boolean => workload.kind === 'LeaderWorkerSet';

/** Returns the kubectl name of a workload, like `deployment/llama`. */
const refOf = ({ kind, name }: ServerNames['workload']): string => `${kind.toLowerCase()}/${name}`;

/** Returns shell lines that read the API key into `$API_KEY`. */
const keyLines = (kubectl: Kubectl, { apiKey }: ServerFacts): readonly string[] =>
  apiKey ? [keyLine(kubectl, apiKey)] : [];

/** Returns the requirements and runbook steps that all servers on TPU slices share. */
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

/** Returns the name of the HorizontalPodAutoscaler that scales a server. KEDA names the one that it creates. */
const autoscalerName = ({
  horizontalPodAutoscaler,
  scaledObject,
}: Pick<ServerNames, 'horizontalPodAutoscaler' | 'scaledObject'>): string | undefined =>
  horizontalPodAutoscaler?.name ?? (scaledObject && `keda-hpa-${scaledObject.name}`);

/** Types of capacity that can be unavailable for a long time. */
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
      ? ` If the pods wait long for ${waits.join(' and ')}, the command times out: run it again when the pods start.`
      : '';
  const timeout = `--timeout=${String(startupSeconds + PROVISIONING_SECONDS)}s`;
  const { name } = workload;
  const expect = `after about ${String(Math.ceil(startupSeconds / 120))} minutes for the first start, at most twice that time; if GKE creates the node, about ${String(PROVISIONING_SECONDS / 60)} minutes later`;
  const logs = (pod: string): readonly ShellCommand[] =>
    containers.map((container) => kubectl('logs', pod, '-f', '-c', container));
  if (!isGroup({ workload }))
    return [
      {
        text: `Wait until \`${name}\` is ready. The server first loads and compiles the model.${early}`,
        commands: [kubectl('rollout', 'status', `deployment/${name}`, timeout)],
        expect: `\`successfully rolled out\`, ${expect}`,
      },
      { text: `Follow the logs of \`${name}\` in a separate terminal.`, commands: logs(`deploy/${name}`) },
    ];
  return [
    {
      text: `Wait until \`${name}\` is ready. The ${String(slice.hosts)} hosts of a slice first find each other, then load and compile the model.${early}`,
      commands: [kubectl('wait', '--for=condition=Available', refOf(workload), timeout)],
      expect: `\`condition met\`, ${expect}`,
    },
    {
      text: "Follow the logs of the first host of the first slice in a separate terminal. The names of the other hosts' pods end in other numbers.",
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
      text: `Send requests to \`${name}\` continuously, several at a time, through the endpoint above.`,
      commands: [script.join('\n')],
      placeholders: { PARALLEL_PROCESSES: 'number of parallel requests of the load script' },
    },
    ...(autoscaler !== undefined
      ? [
          {
            text: 'Watch the number of replicas. The metric is unknown for the first few minutes.',
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
      ? `Each replica of \`${name}\` needs a slice. The manifest does not contain the number of replicas: an autoscaler sets it, or you do.`
      : `Each replica of \`${name}\` needs a slice. Also change \`replicas\` in the chart, because the next apply sets the number from the chart.`;
  return [
    {
      text,
      commands: [kubectl('scale', refOf(workload), '--replicas=REPLICAS')],
      placeholders: { REPLICAS: 'number of replicas; each needs a slice' },
    },
  ];
}

/** A replica without a slice counts as unavailable, and a rolling update stops when maxUnavailable is reached. */
function troubleshoot(kubectl: Kubectl, server: ServerNames, props: ServerProps): readonly RunbookStep[] {
  const { name } = server.workload;
  if (props.rollout === 'Recreate') return [];
  return [...(isGroup(server) ? [restarts(kubectl, name)] : []), hangs(kubectl, name, props)];
}

/** The hosts of a slice restart together, which deletes the pods of the failed group. */
const restarts = (kubectl: Kubectl, name: string): RunbookStep => ({
  text: `If the hosts of \`${name}\` keep restarting, find the pod that fails first. When one pod ends, the LeaderWorkerSet replaces all pods of its slice, and their logs are lost. Kubernetes keeps the events for an hour. Follow the logs of each host while it starts.`,
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
        ? `If a rolling update of \`${name}\` hangs, look for Pending pods. The update starts up to ${String(maxSurge)} new replicas before it stops old ones, and each needs a free slice: add slices, or set \`rollout\` to \`{ maxSurge: 0, maxUnavailable: 1 }\`.`
        : `If a rolling update of \`${name}\` hangs, look for Pending pods. A replica without a slice counts as unavailable, and the update waits when \`maxUnavailable\` (${String(maxUnavailable)}) is reached: add a slice for it, ${fewer}, or set \`rollout.maxUnavailable\` above the number of Pending replicas.`,
    commands: [pending],
  };
}
