import { spawnSync } from 'node:child_process';
import { Chart, Testing } from 'cdk8s';
import {
  InferenceGateway,
  type InferenceGatewayProps,
  InferencePool,
  type InferencePoolProps,
  type InferenceRoute,
  Runbook,
  type RunbookOptions,
  TpuSlice,
  VllmServer,
  type VllmServerProps,
} from '../../lib';
import { scriptOf } from '../runbook/commands';

interface Given {
  readonly server?: Partial<VllmServerProps>;
  readonly pool?: Partial<InferencePoolProps>;
  readonly route?: Partial<InferenceRoute>;
  readonly gateway?: Partial<InferenceGatewayProps>;
  readonly options?: RunbookOptions;
}

function runbookOf({ server = {}, pool = {}, route = {}, gateway = {}, options = {} }: Given = {}): Runbook {
  const chart = new Chart(Testing.app(), 'chart', { namespace: 'serving' });
  const qwen = new VllmServer(chart, 'qwen', {
    model: 'Qwen/Qwen3-32B',
    slice: TpuSlice.of('ct6e-standard-8t'),
    replicas: 2,
    ...server,
  });
  const ofQwen = new InferencePool(chart, 'pool', { servers: [qwen], ...pool });
  new InferenceGateway(chart, 'gateway', {
    gatewayClassName: 'gke-l7-regional-external-managed',
    routes: [{ pool: ofQwen, ...route }],
    ...gateway,
  });
  return new Runbook(chart, options);
}

const lineOf = (text: string): string => text.replaceAll(/ \\\n\s*/g, ' ');

/** The commands of a section, one a line. */
const commands = (runbook: Runbook, title: string): string =>
  runbook.sections
    .filter((section) => section.title === title)
    .flatMap(({ steps }) => steps.flatMap((step) => step.commands.map((one) => lineOf(String(one)))))
    .join('\n');

/** The instructions of a section. */
const instructions = (runbook: Runbook, title: string): string =>
  runbook.sections
    .filter((section) => section.title === title)
    .flatMap(({ steps }) => steps.map(({ text }) => text))
    .join('\n');

const ALL: Given = {
  server: {
    apiKey: { secretName: 'vllm-api-key', key: 'api.key' },
    allowedClients: [],
    servedModelName: 'qwen',
  },
  pool: {
    namespace: 'serving',
    objectives: { chat: 1 },
    modelRewrites: [{ model: 'support', targets: [{ model: 'qwen' }] }],
    proxyOnlySubnet: '10.129.0.0/23',
    endpointPicker: { replicas: 3 },
  },
  route: {
    hostnames: ['*.example.com'],
    path: '/v1',
    headers: { 'x-team': 'search' },
    model: 'qwen',
    adapters: ['lora'],
  },
  gateway: {
    namespace: 'edge',
    allowedRoutes: 'All',
    certificates: ['tls'],
    gatewayClassName: 'gke-l7-rilb',
  },
};

describe.each<[string, Given]>([
  ['by default', {}],
  ['with all options', ALL],
  ['over HTTP and HTTPS', { gateway: { certificates: ['tls'], http: true } }],
])('the runbook %s', (_, given) => {
  test('uses commands that a shell accepts', () => {
    const { status, stderr } = spawnSync('bash', ['-n'], {
      input: scriptOf(runbookOf(given)),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  });

  test('lists every placeholder', () => {
    const runbook = runbookOf(given);
    const words = scriptOf(runbook).match(/\b[A-Z][A-Z]+(?:_[A-Z]+)+\b/g) ?? [];
    const listed = runbook.placeholders.map(({ name }) => name);
    // a constant of gcloud, and a variable that a step exports
    const known = ['REGIONAL_MANAGED_PROXY', 'API_KEY', ...listed];
    expect([...new Set(words)].filter((word) => !known.includes(word))).toEqual([]);
  });
});

describe('the runbook before the first Gateway', () => {
  test('enables the APIs, the subnet, the Gateway API and the class', () => {
    expect(commands(runbookOf(), 'Load balancer').split('\n')).toEqual([
      'gcloud version',
      'gcloud services enable compute.googleapis.com networkservices.googleapis.com',
      'gcloud compute networks subnets list --filter=purpose=REGIONAL_MANAGED_PROXY',
      'gcloud compute networks subnets create proxy-only --purpose=REGIONAL_MANAGED_PROXY --role=ACTIVE --region=REGION --network=NETWORK --range=PROXY_RANGE',
      'gcloud container clusters update CLUSTER_NAME --location=LOCATION --gateway-api=standard',
      'kubectl get gatewayclass gke-l7-regional-external-managed',
      'kubectl get crd inferencepools.inference.networking.k8s.io',
    ]);
  });

  test('uses the given cluster, region and range', () => {
    const options = { cluster: 'tpus', location: 'us-east5-b' };
    const text = commands(
      runbookOf({ pool: { proxyOnlySubnet: '10.129.0.0/23' }, options }),
      'Load balancer',
    );
    expect(text).toContain('clusters update tpus --location=us-east5-b');
    expect(text).toContain('--region=us-east5 --network=NETWORK --range=10.129.0.0/23');
  });

  test('installs the CRDs that GKE does not install, if the pool needs them', () => {
    const text = commands(runbookOf(ALL), 'Load balancer');
    expect(text).toContain('v0.10.0/config/crd/bases/llm-d.ai_inferencemodelrewrites.yaml');
    expect(text).toContain('v0.10.0/config/crd/bases/llm-d.ai_inferenceobjectives.yaml');
    expect(commands(runbookOf(), 'Load balancer')).not.toContain('config/crd');
  });

  test('states the version of GKE', () => {
    const needed = runbookOf().prerequisites.filter(({ what }) => what === 'GKE');
    expect(needed.map((one) => one.needed)).toContain(
      '1.34.0-gke.1626000 or later: it includes the InferencePool CRD and its controller',
    );
  });

  test('requires nodes with room for the endpoint pickers', () => {
    expect(instructions(runbookOf(ALL), 'Cluster')).toContain(
      'Its own nodes run 3 endpoint pickers of `pool`, each of which requests 4 CPU and 8Gi of memory.',
    );
    const small = { endpointPicker: { resources: { requests: { cpu: '1', memory: '2Gi' } } } };
    expect(instructions(runbookOf({ pool: small }), 'Cluster')).toContain('requests 1 CPU and 2Gi of memory');
  });

  test('creates the Secrets of certificates in the namespace of the Gateway', () => {
    expect(commands(runbookOf(ALL), 'Namespace and Secrets')).toContain(
      'kubectl create secret tls tls --cert=CERTIFICATE_FILE --key=KEY_FILE -n edge',
    );
  });
});

describe('the payload processor', () => {
  test('is installed if routes match models, and watches other namespaces if they contain pools', () => {
    expect(commands(runbookOf(ALL), 'Verify')).toContain(
      'helm install payload-processor oci://ghcr.io/llm-d/charts/payload-processor --version=PAYLOAD_PROCESSOR_VERSION --set=provider.name=gke --set=inferenceGateway.name=gateway --set=payloadProcessor.multiNamespace=true --namespace=edge',
    );
    expect(commands(runbookOf(ALL), 'Clean up')).toContain(
      'helm uninstall payload-processor --namespace=edge',
    );
    const near = commands(runbookOf({ route: { model: 'qwen' } }), 'Verify');
    expect(near).toContain('helm install');
    expect(near).not.toContain('multiNamespace');
  });

  test('is omitted otherwise', () => {
    expect(scriptOf(runbookOf())).not.toContain('helm');
  });
});

describe('a request through the gateway', () => {
  test('names the model as on the servers', () => {
    expect(commands(runbookOf({ server: { servedModelName: 'qwen' } }), 'Call')).toContain(
      `curl http://"$address"/v1/completions --header 'Content-type: application/json' --data '{"model":"qwen",`,
    );
  });

  test('matches its route, resolves the name of the certificate and sends the key', () => {
    const text = commands(runbookOf(ALL), 'Call');
    expect(text).toContain('address=$(kubectl get gateway gateway -o');
    expect(text).toContain('jsonpath={.data.api\\.key}');
    expect(text).toContain(
      `curl https://www.example.com/v1/completions --resolve "www.example.com:443:$address" --header 'Content-type: application/json' --header 'x-team: search' --header "Authorization: Bearer $API_KEY" --data`,
    );
    expect(instructions(runbookOf(ALL), 'Call')).toContain('on a machine in the VPC network');
  });

  test.each([
    ['/', '/v1/completions'],
    ['/v1', '/v1/completions'],
    ['/v1/completions', '/v1/completions'],
    ['/qwen/', '/qwen/v1/completions'],
  ])('has a path under %s', (path, asked) => {
    expect(commands(runbookOf({ route: { path } }), 'Call')).toContain(`curl http://"$address"${asked} `);
  });
});

describe('troubleshooting', () => {
  test.each([
    ['"no healthy upstream"', 'kubectl get healthcheckpolicy pool -o'],
    ['"fault filter abort"', 'kubectl describe httproute pool -n serving'],
    ['`Reconciled` of a route is `False`', 'kubectl describe gateway gateway -n serving'],
    ['long answers end early', 'kubectl get gcpbackendpolicy pool -o'],
    ['fails with 404', 'kubectl get --raw=/api/v1/namespaces/serving/services/qwen:8000/proxy/v1/models'],
    ['requests wait although', 'kubectl logs deploy/pool-epp --tail=100 -n serving'],
  ])('explains %s', (sign, command) => {
    const step = runbookOf()
      .sections.find(({ title }) => title === 'Troubleshooting')
      ?.steps.find(({ text }) => text.includes(sign));
    expect(step?.commands.map((one) => lineOf(String(one))).join('\n')).toContain(command);
  });
});

describe('who can reach the gateway', () => {
  const notes = (given: Given): string =>
    runbookOf(given)
      .prerequisites.filter(({ what }) => what === 'Note')
      .map(({ needed }) => needed)
      .join('\n');

  test.each<[string, Given, string]>([
    ['everyone', {}, 'set `apiKey` on the servers'],
    [
      'everyone with the key',
      { server: { apiKey: { secretName: 's', key: 'k' } } },
      'The servers require an API key.',
    ],
    [
      'the VPC network',
      { gateway: { gatewayClassName: 'gke-l7-rilb' } },
      'Only clients in the VPC network can reach',
    ],
  ])('is %s', (_, given, note) => {
    expect(notes(given)).toContain(note);
  });
});

test('waits for one of several endpoint pickers', () => {
  expect(commands(runbookOf(ALL), 'Verify')).not.toContain('rollout status deployment/pool-epp');
  expect(commands(runbookOf(ALL), 'Verify')).toContain('kubectl get pods -l app=pool-epp -n serving');
  expect(commands(runbookOf(), 'Verify')).toContain('rollout status deployment/pool-epp');
});
