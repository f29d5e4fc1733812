import { type Kubectl, type Operations, type RunbookStep } from '../operations/operations';
import { type ServiceType } from '../workload/server';
import { shellWord } from '../operations/shell-command';
import { PROVISIONING_SECONDS, type TpuServerObjects, type TpuServerOptions } from './server';

/** Where a Service is reached from outside of the cluster, and how that comes about. */
export interface Endpoint {
  readonly open: RunbookStep;
  /** Host and port as a shell reads them. */
  readonly url: string;
  /** Lines of shell that a script needs first. */
  readonly lines: readonly string[];
}

/** How a Service is reached from a shell: through a forwarded port, or by the address of its load balancer. */
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
  return {
    open: {
      text: `Ask for the address of Service \`${service.name}\`${service.type === 'InternalLoadBalancer' ? ', which answers inside the VPC network alone' : ''}. It is empty until there is one.`,
      commands: lines,
    },
    url: `"$address":${port}`,
    lines,
  };
}

/** A request over HTTP with a JSON body, as lines of shell. */
export const curl = (
  { url }: Pick<Endpoint, 'url'>,
  path: string,
  body: Readonly<Record<string, unknown>>,
  method: 'GET' | 'POST' = 'POST',
): string =>
  [
    `curl --request ${method}`,
    "--header 'Content-type: application/json'",
    `-s ${url}${path}`,
    `--data ${shellWord(JSON.stringify(body))}`,
  ].join(' \\\n    ');

/** A request: what is asked of a server under load, and of one that is called by hand. */
interface ServerRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What is to be done for a model that is downloaded from Hugging Face. */
export const licenceNote = (model: string): string =>
  `Sign the licence of \`${model}\` on Hugging Face, where it has one.`;

/** Ways to buy slices in which nobody knows when there are some. */
const MAY_BE_OUT: readonly string[] = ['flex-start', 'spot', 'compute-class'];

/** What the servers on TPU slices have in common. */
export function serverOperations(
  kubectl: Kubectl,
  server: Pick<TpuServerObjects, 'deployment' | 'service' | 'horizontalPodAutoscaler'>,
  options: TpuServerOptions & { readonly image?: string },
  facts: {
    readonly port: number;
    readonly startupSeconds: number;
    /** What comes only after the pods do. @default - nothing */
    readonly waitsFor?: readonly string[];
    /** Containers whose logs say how far the server is. */
    readonly containers: readonly string[];
    readonly call: ServerRequest;
    readonly load: ServerRequest;
  },
): Operations {
  const { name } = server.deployment;
  const endpoint = endpointOf(kubectl, {
    name: server.service.name,
    port: facts.port,
    type: options.serviceType,
  });
  const { autoscaling, spareSlices = 0 } = options;
  const replicas = autoscaling?.maxReplicas ?? options.replicas ?? 1;
  const waits = [
    ...(MAY_BE_OUT.includes(options.capacity?.type ?? '') ? ['capacity'] : []),
    ...(facts.waitsFor ?? []),
  ];
  const request = curl(endpoint, facts.load.path, facts.load.body);
  return {
    slices: [
      {
        slice: options.slice,
        capacity: options.capacity,
        replicas: replicas + spareSlices,
        ...(autoscaling && { minReplicas: autoscaling.minReplicas ?? 1 }),
      },
    ],
    images: options.image === undefined ? [] : [options.image],
    steps: {
      verify: [
        {
          text: `Wait until \`${name}\` serves: it loads the model and compiles first.${waits.length > 0 ? ` Where its pods wait long for ${waits.join(' and ')} this ends before: run it again when they start.` : ''}`,
          commands: [
            kubectl(
              'rollout',
              'status',
              `deployment/${name}`,
              `--timeout=${String(facts.startupSeconds + PROVISIONING_SECONDS)}s`,
            ),
          ],
        },
        {
          text: 'See how far it is, in a terminal of its own.',
          commands: facts.containers.map((container) =>
            kubectl('logs', `deploy/${name}`, '-f', '-c', container),
          ),
        },
      ],
      call: [
        endpoint.open,
        {
          text: `Ask \`${name}\`.`,
          commands: [curl(endpoint, facts.call.path, facts.call.body)],
        },
      ],
      load: [
        {
          text: `Send requests to \`${name}\` without end, several at a time, by the endpoint above.`,
          commands: [
            [
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
            ].join('\n'),
          ],
          placeholders: { PARALLEL_PROCESSES: 'how many requests the load script keeps going at a time' },
        },
        ...(server.horizontalPodAutoscaler
          ? [
              {
                text: 'Watch the replicas follow. The metric is unknown until it was collected for some minutes.',
                commands: [kubectl('get', 'hpa', server.horizontalPodAutoscaler.name, '--watch')],
              },
            ]
          : []),
        { text: 'Stop the load.', commands: ['kill "$(cat load.pid)"'] },
      ],
      scale: autoscaling
        ? [
            {
              text: `Between ${String(autoscaling.minReplicas ?? 1)} and ${String(autoscaling.maxReplicas)} replicas of \`${name}\` its HorizontalPodAutoscaler decides; change \`autoscaling\` in the chart for others.`,
              commands: [],
            },
          ]
        : [
            {
              text: `Each replica of \`${name}\` needs a slice. Change \`replicas\` in the chart as well: the next apply sets what stands there.`,
              commands: [kubectl('scale', `deployment/${name}`, '--replicas=REPLICAS')],
              placeholders: { REPLICAS: 'how many replicas, and so slices, the server is to have' },
            },
          ],
    },
  };
}
