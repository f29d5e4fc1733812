import { GATEWAY_GCLOUD } from '../facts/gateway';
import { type Operations, type RunbookStep } from '../operations/operations';
import { command } from './commands';
import { type Contents } from './contents';
import { unique } from './needs';

/** Steps that prepare the project, the region and the cluster for Gateways, and install what GKE does not include. */
export function loadBalancer(contents: Contents): readonly RunbookStep[] {
  const gateways = contents.operations.flatMap((one) => one.gateway ?? []);
  return [
    ...(gateways.length > 0 ? [...network(contents, gateways), ...gatewayApi(contents, gateways)] : []),
    ...contents.operations.flatMap(({ crds = [] }) => crds),
  ];
}

type Gateways = readonly NonNullable<Operations['gateway']>[];

/** https://cloud.google.com/kubernetes-engine/docs/how-to/deploying-gateways */
function network({ region }: Contents, gateways: Gateways): readonly RunbookStep[] {
  const range = gateways.map((one) => one.proxyOnlySubnet).find((one) => one !== undefined) ?? 'PROXY_RANGE';
  return [
    {
      text: `Check that gcloud has version ${GATEWAY_GCLOUD} or later.`,
      commands: [command('gcloud', 'version')],
    },
    {
      text: 'Enable the APIs of the load balancer.',
      commands: [
        command('gcloud', 'services', 'enable', 'compute.googleapis.com', 'networkservices.googleapis.com'),
      ],
    },
    {
      text: 'Create the proxy-only subnet of the region if the list shows none for the VPC network of the cluster. All regional load balancers share it.',
      commands: [
        command(
          ...['gcloud', 'compute', 'networks', 'subnets', 'list'],
          '--filter=purpose=REGIONAL_MANAGED_PROXY',
        ),
        command(
          ...['gcloud', 'compute', 'networks', 'subnets', 'create', 'proxy-only'],
          ...['--purpose=REGIONAL_MANAGED_PROXY', '--role=ACTIVE', `--region=${region}`],
          ...['--network=NETWORK', `--range=${range}`],
        ),
      ],
      placeholders: {
        NETWORK: 'VPC network of the cluster',
        PROXY_RANGE: 'free range of addresses for the load balancer, like 10.129.0.0/23',
      },
    },
  ];
}

const gatewayApi = ({ cluster, location }: Contents, gateways: Gateways): readonly RunbookStep[] => [
  {
    text: 'Enable the Gateway API on the cluster. The cluster must be VPC-native and have the add-on HttpLoadBalancing, which are the defaults.',
    commands: [
      command(
        ...['gcloud', 'container', 'clusters', 'update', cluster],
        ...[`--location=${location}`, '--gateway-api=standard'],
      ),
    ],
  },
  {
    text: 'Check that the cluster has the GatewayClass and the CRD of InferencePools. Both can take some minutes to appear.',
    commands: [
      command('kubectl', 'get', 'gatewayclass', unique(gateways.map((one) => one.className))),
      command('kubectl', 'get', 'crd', 'inferencepools.inference.networking.k8s.io'),
    ],
  },
];
