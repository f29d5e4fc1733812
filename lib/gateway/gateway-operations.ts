import { PAYLOAD_PROCESSOR } from '../facts/gateway';
import { keyLine, kubectlIn, type Operations, type RunbookStep } from '../operations/operations';
import { ShellCommand, shellWord } from '../operations/shell-command';
import { poolDetails } from './details';
import { type InferenceGatewayProps, type InferenceRoute, routeName } from './gateway-props';

interface GatewayFacts {
  readonly name: string;
  readonly namespace: string;
  readonly props: InferenceGatewayProps;
}

const kubectlOf = ({ namespace }: GatewayFacts): ReturnType<typeof kubectlIn> => kubectlIn(namespace);

/** Returns the steps that create the Secrets of certificates, unless the chart renders them. */
const certificateSteps = (facts: GatewayFacts): readonly RunbookStep[] =>
  (facts.props.certificates ?? []).flatMap((secret) =>
    typeof secret === 'string'
      ? [
          {
            text: `Create Secret \`${secret}\` with the certificate of Gateway \`${facts.name}\` and its key.`,
            commands: [
              kubectlOf(facts)(
                'create',
                'secret',
                'tls',
                secret,
                '--cert=CERTIFICATE_FILE',
                '--key=KEY_FILE',
              ),
            ],
            placeholders: {
              CERTIFICATE_FILE: 'file with the certificate and its chain, in PEM format',
              KEY_FILE: 'file with the private key of the certificate, in PEM format',
            },
          },
        ]
      : [],
  );

/** Returns the step that installs the payload processor, if a route matches a model. */
function payloadProcessor(facts: GatewayFacts): readonly RunbookStep[] {
  const { name, namespace, props } = facts;
  const byModel = props.routes.filter(({ model }) => model !== undefined);
  if (byModel.length === 0) return [];
  const elsewhere = byModel.some(({ pool }) => pool.namespace !== namespace);
  return [
    {
      text: `Install the payload processor of llm-d, once for Gateway \`${name}\`. It reads the model from the body of a request and writes its base model into the header that the routes match.`,
      commands: [
        new ShellCommand([
          ...['helm', 'install', PAYLOAD_PROCESSOR.name, PAYLOAD_PROCESSOR.chart],
          ...['--version=PAYLOAD_PROCESSOR_VERSION', '--set=provider.name=gke'],
          `--set=inferenceGateway.name=${name}`,
          ...(elsewhere ? ['--set=payloadProcessor.multiNamespace=true'] : []),
          `--namespace=${namespace}`,
        ]),
      ],
      placeholders: { PAYLOAD_PROCESSOR_VERSION: "release of the payload processor's chart" },
    },
  ];
}

const withoutProcessor = ({ namespace, props }: GatewayFacts): readonly RunbookStep[] =>
  props.routes.some(({ model }) => model !== undefined)
    ? [
        {
          text: 'Remove the payload processor.',
          commands: [
            new ShellCommand(['helm', 'uninstall', PAYLOAD_PROCESSOR.name, `--namespace=${namespace}`]),
          ],
        },
      ]
    : [];

/** Returns the steps that check the gateway. */
const verify = (facts: GatewayFacts): readonly RunbookStep[] => [
  ...payloadProcessor(facts),
  {
    text: `Wait until Gateway \`${facts.name}\` has an address, which takes a few minutes.`,
    commands: [
      kubectlOf(facts)('wait', `gateway/${facts.name}`, '--for=condition=Programmed', '--timeout=900s'),
    ],
  },
  {
    text: 'Check that GKE has accepted the routes: `Accepted`, `ResolvedRefs` and `Reconciled` are `True`.',
    commands: facts.props.routes.map((route) =>
      kubectlIn(route.pool.namespace)(
        ...['get', 'httproute', routeName(route), '-o', 'jsonpath={.status.parents[*].conditions}'],
      ),
    ),
  },
];

/** Returns a host name that a route matches. */
const hostOf = ({ hostnames: [host] = [] }: InferenceRoute): string | undefined =>
  host?.replace(/^\*\./, 'www.');

const COMPLETIONS = '/v1/completions';

/** Returns a path of the server that a route matches. The server receives the path unchanged. */
const pathUnder = (start: string): string =>
  COMPLETIONS.startsWith(start) ? COMPLETIONS : `${start.replace(/\/+$/, '')}${COMPLETIONS}`;

/** Returns a request through the gateway to the model of a route. */
function request(route: InferenceRoute, { certificates, http }: InferenceGatewayProps): string {
  const { pool, path = '/', headers = {} } = route;
  const body = JSON.stringify({ model: pool.model ?? 'MODEL', prompt: 'San Francisco is a', max_tokens: 7 });
  const secure = certificates !== undefined && http !== true;
  const host = hostOf(route) ?? (secure ? 'HOST_NAME' : undefined);
  const all = { ...(host !== undefined && !secure && { Host: host }), ...headers };
  const where = pathUnder(path);
  return [
    secure ? `curl https://${String(host)}${where}` : `curl http://"$address"${where}`,
    ...(secure ? [`--resolve "${String(host)}:443:$address"`] : []),
    `--header 'Content-type: application/json'`,
    ...Object.entries(all).map(([name, value]) => `--header ${shellWord(`${name}: ${value}`)}`),
    ...(poolDetails.of(pool)?.apiKey ? ['--header "Authorization: Bearer $API_KEY"'] : []),
    `--data ${shellWord(body)}`,
  ].join(' \\\n    ');
}

/** Returns the steps that send a request to each model. */
function call(facts: GatewayFacts): readonly RunbookStep[] {
  const { name, props } = facts;
  const address = kubectlOf(facts)('get', 'gateway', name, '-o', 'jsonpath={.status.addresses[0].value}');
  const inNetwork = props.gatewayClassName === 'gke-l7-rilb';
  return [
    {
      text: `Look up the address of Gateway \`${name}\`${inNetwork ? ', which only the VPC network can reach' : ''}.`,
      commands: [`address=$(${address.toString()})`],
    },
    ...props.routes.map((route) => {
      const { pool } = route;
      const apiKey = poolDetails.of(pool)?.apiKey;
      return {
        text: `Send a request to \`${pool.poolName}\` through the gateway${inNetwork ? ', on a machine in the VPC network' : ''}.`,
        commands: [...(apiKey ? [keyLine(kubectlIn(pool.namespace), apiKey)] : []), request(route, props)],
        placeholders: {
          MODEL: 'name of the model on the servers',
          HOST_NAME: 'host name that the certificate is for',
        },
      };
    }),
  ];
}

/** Returns the steps that fix failures of a gateway. */
function troubleshoot(facts: GatewayFacts): readonly RunbookStep[] {
  const describeRoutes = facts.props.routes.map((route) =>
    kubectlIn(route.pool.namespace)('describe', 'httproute', routeName(route)),
  );
  return [
    {
      text: 'If requests fail with "fault filter abort", no route matches them, or the pool of the route is not ready. Compare host, path and headers of the request with the route, and read the conditions of the route.',
      commands: describeRoutes,
    },
    {
      text: 'If the condition `Reconciled` of a route is `False`, its message names the policy or reference that GKE rejects. Correct it in the chart, and apply again.',
      commands: [...describeRoutes, kubectlOf(facts)('describe', 'gateway', facts.name)],
    },
  ];
}

/** Returns the proxy-only subnet that a pool of the routes states. */
const subnetOf = ({ props: { routes } }: GatewayFacts): string | undefined =>
  routes.map(({ pool }) => poolDetails.of(pool)?.proxyOnlySubnet).find((range) => range !== undefined);

/** Returns the note about who can reach the gateway. */
function access({ name, props: { gatewayClassName, routes } }: GatewayFacts): string {
  if (gatewayClassName === 'gke-l7-rilb')
    return `Only clients in the VPC network can reach Gateway \`${name}\`.`;
  const open = routes.filter(({ pool }) => poolDetails.of(pool)?.apiKey === undefined);
  return open.length === 0
    ? `Everyone on the internet can reach Gateway \`${name}\`. The servers require an API key.`
    : `Everyone on the internet can reach Gateway \`${name}\`, and it does not authenticate clients: set \`apiKey\` on the servers.`;
}

/** Returns the requirements of a gateway, and the steps to call the models behind it. */
export const gatewayOperations = (facts: GatewayFacts) => (): Operations => ({
  gateway: { className: facts.props.gatewayClassName, proxyOnlySubnet: subnetOf(facts) },
  secrets: certificateSteps(facts),
  notes: [access(facts)],
  steps: {
    verify: verify(facts),
    call: call(facts),
    troubleshoot: troubleshoot(facts),
    'clean-up': withoutProcessor(facts),
  },
});
