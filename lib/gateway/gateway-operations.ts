import { type Kubectl, type Operations, type RunbookStep } from '../operations/operations';
import { ShellCommand, shellWord } from '../operations/shell-command';
import { type InferenceGatewayProps, type InferenceRoute } from './gateway-props';

interface GatewayFacts {
  readonly name: string;
  readonly namespace: string;
  readonly props: InferenceGatewayProps;
}

/** What the region and the cluster need once, before the first Gateway. */
const before = (): readonly RunbookStep[] => [
  {
    text: 'Turn on the APIs of the load balancer.',
    commands: [
      new ShellCommand([
        'gcloud',
        'services',
        'enable',
        'compute.googleapis.com',
        'networkservices.googleapis.com',
      ]),
    ],
  },
  {
    text: 'Create the proxy-only subnet of the region, once for each VPC network.',
    commands: [
      'gcloud compute networks subnets create proxy-only --purpose=REGIONAL_MANAGED_PROXY --role=ACTIVE --region=REGION --network=NETWORK --range=PROXY_RANGE',
    ],
    placeholders: {
      NETWORK: 'VPC network of the cluster',
      PROXY_RANGE: 'free range of addresses for the load balancer, like 10.129.0.0/23',
    },
  },
  {
    text: 'Turn on the Gateway API on the cluster.',
    commands: ['gcloud container clusters update CLUSTER_NAME --location=LOCATION --gateway-api=standard'],
  },
];

/** A request through the gateway, to the model of a route. */
function request({ pool, path = '/', hostnames = [], headers = {} }: InferenceRoute, scheme: string): string {
  const body = JSON.stringify({ model: pool.model ?? 'MODEL', prompt: 'San Francisco is a', max_tokens: 7 });
  const [host] = hostnames;
  const all = { ...(host !== undefined && { Host: host }), ...headers };
  return [
    `curl ${scheme}://"$address"${path.replace(/\/+$/, '')}/v1/completions`,
    `--header 'Content-type: application/json'`,
    ...Object.entries(all).map(([name, value]) => `--header ${shellWord(`${name}: ${value}`)}`),
    `--data ${shellWord(body)}`,
  ].join(' \\\n    ');
}

/** What a gateway needs, and the steps to call the models behind it. */
export const gatewayOperations =
  ({ name, props }: GatewayFacts) =>
  (kubectl: Kubectl): Operations => {
    const { routes, certificates, gatewayClassName } = props;
    const address = kubectl('get', 'gateway', name, '-o', 'jsonpath={.status.addresses[0].value}').toString();
    const scheme = certificates === undefined ? 'http' : 'https';
    return {
      before: before(),
      notes: [
        gatewayClassName === 'gke-l7-rilb'
          ? `Only the VPC network reaches Gateway \`${name}\`.`
          : `Everyone on the internet reaches Gateway \`${name}\`, and it asks nobody who they are: give the servers an \`apiKey\`.`,
      ],
      steps: {
        verify: [
          {
            text: `Wait until Gateway \`${name}\` has an address. That takes some minutes.`,
            commands: [kubectl('wait', `gateway/${name}`, '--for=condition=Programmed', '--timeout=900s')],
          },
        ],
        call: [
          { text: `Look up the address of Gateway \`${name}\`.`, commands: [`address=$(${address})`] },
          ...routes.map((route) => ({
            text: `Send a request to \`${route.pool.poolName}\` through the gateway.`,
            commands: [request(route, scheme)],
          })),
        ],
        troubleshoot: troubleshoot(kubectl, name, routes),
      },
    };
  };

const troubleshoot = (
  kubectl: Kubectl,
  name: string,
  routes: readonly InferenceRoute[],
): readonly RunbookStep[] => [
  {
    text: 'If requests fail with "fault filter abort", no route matched them, or the route has no working pool.',
    commands: routes.map(
      ({ pool, name: route = pool.poolName }) =>
        new ShellCommand(['kubectl', 'describe', 'httproute', route, '-n', pool.namespace]),
    ),
  },
  {
    text: 'If the condition `Reconciled` of a route is `False`, its message names the policy or the reference that GKE refuses.',
    commands: [kubectl('describe', 'gateway', name)],
  },
];
