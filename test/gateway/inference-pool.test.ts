import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type ApiObject, Chart, Testing } from 'cdk8s';
import { parse } from 'yaml';
import {
  InferencePool,
  type InferencePoolProps,
  TpuSlice,
  VllmServer,
  type VllmServerProps,
} from '../../lib';
import { GATEWAY_RELEASES } from '../../lib/facts/gateway';
import { type Json, record, text } from '../../lib/manifest/manifest';
import { refusal } from '../refusal';

const slice = TpuSlice.of('ct6e-standard-8t');

const newChart = (namespace?: string): Chart => new Chart(Testing.app(), 'chart', { namespace });
const server = (chart: Chart, id = 'qwen', props: Partial<VllmServerProps> = {}): VllmServer =>
  new VllmServer(chart, id, { model: 'Qwen/Qwen3-32B', slice, replicas: 2, ...props });
function newPool(props: Partial<InferencePoolProps> = {}, of: Partial<VllmServerProps> = {}): InferencePool {
  const chart = newChart();
  return new InferencePool(chart, 'pool', { servers: [server(chart, 'qwen', of)], ...props });
}

const specOf = (object: ApiObject): Json => record(object.toJson(), 'spec');
const rendered = (of: InferencePool): readonly Json[] =>
  of.node.findAll().flatMap((one) => ('toJson' in one ? [(one as ApiObject).toJson() as Json] : []));
const find = (of: InferencePool, kind: string, name: string): Json => {
  const found = rendered(of).find((one) => one['kind'] === kind && text(one, 'metadata', 'name') === name);
  if (!found) throw new Error(`no ${kind}/${name}`);
  return found;
};
const configOf = (of: InferencePool): Json =>
  parse(String(record(find(of, 'ConfigMap', 'pool-epp'), 'data')['default-plugins.yaml'])) as Json;
const containerOf = (of: InferencePool): Json => {
  const spec = record(specOf(of.endpointPicker), 'template', 'spec');
  return (spec['containers'] as Json[])[0] ?? {};
};

test('renders a pool with all options', () => {
  const chart = newChart('serving');
  new InferencePool(chart, 'pool', {
    labels: { team: 'search' },
    servers: [server(chart, 'qwen', { allowedClients: [] })],
    requestTimeoutSeconds: 600,
    failureMode: 'FailClose',
    endpointPicker: {
      image: 'example.com/epp:v1',
      imagePullSecrets: ['registry'],
      replicas: 2,
      scorers: [{ type: 'queue-scorer', weight: 1 }],
      filters: [{ type: 'label-selector-filter', name: 'own', parameters: { matchLabels: { app: 'qwen' } } }],
      picker: { type: 'random-picker' },
      resources: { requests: { cpu: '1', memory: '2Gi' } },
      podSecurityLevel: 'restricted',
      fragments: [{ nodeSelector: { 'cloud.google.com/gke-nodepool': 'cpu' } }],
    },
    healthCheck: { checkIntervalSec: 10, timeoutSec: 5 },
    logging: false,
    monitoring: { interval: '30s' },
    modelRewrites: [
      {
        model: 'support',
        targets: [
          { model: 'lora-a', weight: 9 },
          { model: 'lora-b', weight: 1 },
        ],
      },
    ],
    objectives: { batch: -1, chat: 10 },
    proxyOnlySubnet: '10.129.0.0/23',
  });
  expect(Testing.synth(chart)).toMatchSnapshot();
});

describe('a pool reads from its servers', () => {
  test('port, path and labels', () => {
    const pool = newPool({}, { port: 9000, probes: { readiness: { httpGet: { path: '/ready' } } } });
    expect(specOf(pool.pool)).toMatchObject({
      selector: { matchLabels: { app: 'qwen' } },
      targetPorts: [{ number: 9000 }],
    });
    expect(record(specOf(pool.healthCheckPolicy), 'default', 'config')).toEqual({
      type: 'HTTP',
      httpHealthCheck: { requestPath: '/ready', port: 9000, portSpecification: 'USE_FIXED_PORT' },
    });
  });

  test('the name of the model in requests', () => {
    expect(newPool({}, { servedModelName: 'qwen' }).model).toBe('qwen');
    expect(newPool().model).toBe('Qwen/Qwen3-32B');
  });

  test('the longest grace period', () => {
    const chart = newChart();
    const servers = [server(chart, 'a'), server(chart, 'b', { terminationGracePeriodSeconds: 600 })];
    const pool = new InferencePool(chart, 'pool', { servers });
    expect(record(specOf(pool.endpointPicker), 'template', 'spec')['terminationGracePeriodSeconds']).toBe(
      600,
    );
  });

  test('only leaders of servers on multi-host slices', () => {
    const chart = newChart();
    const servers = [
      new VllmServer(chart, 'llama', {
        model: 'meta-llama/Llama-3.1-8B',
        maxModelLen: 8192,
        slice: TpuSlice.of('ct6e-standard-4t', '4x4'),
      }),
    ];
    const pool = new InferencePool(chart, 'pool', { servers });
    expect(record(specOf(pool.pool), 'selector', 'matchLabels')).toEqual({
      app: 'llama',
      'leaderworkerset.sigs.k8s.io/worker-index': '0',
    });
  });

  test('labels that several servers share', () => {
    const chart = newChart();
    const servers = ['a', 'b'].map((id) => server(chart, id, { labels: { pool: 'qwen' } }));
    const pool = new InferencePool(chart, 'pool', { servers });
    const labels = record(specOf(pool.pool), 'selector', 'matchLabels');
    expect(labels).toMatchObject({ pool: 'qwen' });
    expect(labels).not.toHaveProperty('app');
  });
});

describe('an endpoint picker', () => {
  test('has the scorers of the chart by default', () => {
    expect(configOf(newPool())).toMatchObject({
      apiVersion: 'llm-d.ai/v1alpha1',
      schedulingProfiles: [
        {
          plugins: [
            { pluginRef: 'queue-scorer', weight: 2 },
            { pluginRef: 'kv-cache-utilization-scorer', weight: 2 },
            { pluginRef: 'prefix-cache-scorer', weight: 3 },
          ],
        },
      ],
    });
  });

  test('declares every plugin that a profile names', () => {
    const config = configOf(
      newPool({
        endpointPicker: {
          scorers: [
            { type: 'queue-scorer', weight: 1 },
            { type: 'queue-scorer', name: 'again', weight: 2 },
          ],
          filters: [{ type: 'decode-filter' }],
          picker: { type: 'max-score-picker' },
        },
      }),
    );
    const declared = (config['plugins'] as { type: string; name?: string }[]).map(
      ({ name, type }) => name ?? type,
    );
    const named = (config['schedulingProfiles'] as { plugins: { pluginRef: string }[] }[]).flatMap(
      ({ plugins }) => plugins.map(({ pluginRef }) => pluginRef),
    );
    expect(named).toEqual(['decode-filter', 'queue-scorer', 'again', 'max-score-picker']);
    expect(declared).toEqual(expect.arrayContaining(named));
  });

  test('restarts when its configuration changes', () => {
    const annotations = (pool: InferencePool): Json =>
      record(specOf(pool.endpointPicker), 'template', 'metadata', 'annotations');
    const other = newPool({ endpointPicker: { scorers: [{ type: 'queue-scorer', weight: 1 }] } });
    expect(annotations(newPool())).toEqual(annotations(newPool()));
    expect(annotations(other)).not.toEqual(annotations(newPool()));
  });

  test('elects a leader only among several pickers', () => {
    const several = newPool({ endpointPicker: { replicas: 2 } });
    expect(containerOf(several)['args']).toContain('--ha-enable-leader-election');
    expect(containerOf(several)).toHaveProperty('readinessProbe.grpc.service', 'readiness');
    expect(find(several, 'Role', 'pool-epp-leader-election')).toHaveProperty('rules.0.resources', ['leases']);
    expect(containerOf(newPool())['args']).not.toContain('--ha-enable-leader-election');
    expect(containerOf(newPool())).toHaveProperty('readinessProbe.grpc.service', 'inference-extension');
    expect(() => find(newPool(), 'Role', 'pool-epp-leader-election')).toThrow('no Role');
  });
});

test("puts every object in the namespace of the pool, or the namespace in the object's name", () => {
  const made = rendered(newPool()) as { kind: string; metadata: Json }[];
  const ofCluster = made.filter(({ kind }) => kind.startsWith('Cluster'));
  const inNamespace = made.filter((one) => !ofCluster.includes(one));
  expect(ofCluster.map(({ metadata }) => metadata['namespace'])).toEqual(ofCluster.map(() => undefined));
  expect(ofCluster.map(({ metadata }) => String(metadata['name']).startsWith('default-'))).toEqual(
    ofCluster.map(() => true),
  );
  expect(inNamespace.map(({ metadata }) => metadata['namespace'])).toEqual(inNamespace.map(() => 'default'));
});

describe('the picker is limited', () => {
  const rulesOf = (kind: string, name: string): unknown => find(newPool(), kind, name)['rules'];

  test('to token reviews in the cluster, and only the reader can read the metrics', () => {
    expect(rulesOf('ClusterRole', 'default-pool-epp')).toEqual([
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ]);
    expect(rulesOf('ClusterRole', 'default-pool-metrics-reader')).toEqual([
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    ]);
    expect(rulesOf('Role', 'pool-metrics-reader-secret-read')).toMatchObject([
      { resourceNames: ['pool-metrics-reader-secret'] },
    ]);
  });

  test('to reading pods in its namespace', () => {
    expect(rulesOf('Role', 'pool-epp-sa')).toEqual([
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'watch', 'list'] },
    ]);
  });

  test.each(['baseline', 'restricted'] as const)('to Pod Security %s', (podSecurityLevel) => {
    const pool = newPool({ endpointPicker: { podSecurityLevel } });
    const restricted = podSecurityLevel === 'restricted';
    expect(record(specOf(pool.endpointPicker), 'template', 'spec', 'securityContext')).toEqual({
      ...(restricted && { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 }),
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(containerOf(pool)['securityContext']).toEqual({
      allowPrivilegeEscalation: false,
      ...(restricted && { capabilities: { drop: ['ALL'] } }),
    });
  });

  test('in CPU and memory', () => {
    expect(containerOf(newPool())['resources']).toEqual({
      requests: { cpu: '4', memory: '8Gi' },
      limits: { memory: '16Gi' },
    });
  });
});

test('uses the releases of the imported types and of the docs', () => {
  const root = path.join(__dirname, '..', '..');
  const [crds, page] = ['scripts/crds.tsv', 'docs/systems/gateway.md'].map((file) =>
    readFileSync(path.join(root, file), 'utf8'),
  );
  const rows = (crds ?? '').split('\n').map((line) => line.split('\t'));
  const releaseOf = (file: string): string | undefined => rows.find(([name]) => name === file)?.[2];
  expect(GATEWAY_RELEASES).toEqual({
    endpointPicker: releaseOf('llm-d.ai_inferenceobjectives.yaml'),
    inferencePool: releaseOf('inference.networking.k8s.io_inferencepools.yaml'),
    gatewayApi: releaseOf('gateway.networking.k8s.io_httproutes.yaml'),
  });
  for (const release of Object.values(GATEWAY_RELEASES)) expect(page).toContain(`| ${release} `);
});

describe('the collection of metrics', () => {
  test('lets the collector read the token in both namespaces', () => {
    const binding = find(newPool(), 'RoleBinding', 'pool-metrics-reader-secret-read');
    expect(binding['subjects']).toEqual(
      ['gke-gmp-system', 'gmp-system'].map((namespace) => ({
        kind: 'ServiceAccount',
        name: 'collector',
        namespace,
      })),
    );
  });

  test('can be turned off', () => {
    const pool = newPool({ monitoring: false });
    expect(pool.podMonitoring).toBeUndefined();
    expect(rendered(pool).map((one) => one['kind'])).not.toContain('Secret');
  });
});

describe('NetworkPolicies', () => {
  test('admit the load balancer, its health checks and the picker', () => {
    const pool = newPool({ proxyOnlySubnet: '10.129.0.0/23' }, { allowedClients: [] });
    const from = ['10.129.0.0/23', '35.191.0.0/16', '130.211.0.0/22'].map((cidr) => ({ ipBlock: { cidr } }));
    expect(find(pool, 'NetworkPolicy', 'pool-gateway')).toHaveProperty('spec', {
      podSelector: { matchLabels: { app: 'qwen' } },
      policyTypes: ['Ingress'],
      ingress: [
        { from, ports: [{ port: 8000, protocol: 'TCP' }] },
        {
          from: [{ podSelector: { matchLabels: { app: 'pool-epp' } } }],
          ports: [{ port: 8000, protocol: 'TCP' }],
        },
      ],
    });
    expect(find(pool, 'NetworkPolicy', 'pool-epp')).toHaveProperty('spec.ingress.0.from', from);
  });

  test('require the range of the proxy-only subnet if a server admits only some clients', () => {
    expect(refusal(() => newPool({}, { allowedClients: [] }))).toContain(
      "proxyOnlySubnet: required, because 'qwen' admits only its allowedClients",
    );
  });
});

describe('a pool with a mistake', () => {
  test.each<[string, Partial<InferencePoolProps>, string]>([
    ['no servers', { servers: [] }, 'servers: is empty'],
    ['a text as a server', { servers: ['qwen' as never] }, "servers[0]: 'qwen' is a string"],
    ['an unknown prop', { timeoutSec: 3 } as never, 'timeoutSec: unknown property'],
    ['a name that leaves no room', { name: 'a'.repeat(60) }, 'name: '],
    [
      'an unknown scorer',
      { endpointPicker: { scorers: [{ type: 'queue' as never, weight: 1 }] } },
      'scorers[0].type',
    ],
    [
      'a scorer without weight',
      { endpointPicker: { scorers: [{ type: 'queue-scorer' } as never] } },
      'weight: required',
    ],
    ['a weight of 0', { endpointPicker: { scorers: [{ type: 'queue-scorer', weight: 0 }] } }, 'weight'],
    ['no scorers', { endpointPicker: { scorers: [] } }, 'scorers: is empty'],
    [
      'two plugins of one name',
      { endpointPicker: { scorers: [1, 2].map((weight) => ({ type: 'queue-scorer', weight })) } },
      "scorers[1]: 'queue-scorer' is the name of another plugin",
    ],
    ['a check longer than its interval', { healthCheck: { timeoutSec: 9 } }, 'healthCheck.timeoutSec'],
    [
      'a rewrite without targets',
      { modelRewrites: [{ model: 'a', targets: [] }] },
      'modelRewrites[0].targets: is empty',
    ],
    [
      'a weight for only some targets',
      { modelRewrites: [{ model: 'a', targets: [{ model: 'b', weight: 1 }, { model: 'c' }] }] },
      'modelRewrites[0].targets: have a weight only in part',
    ],
    ['a timeout that is too long', { requestTimeoutSeconds: 2 ** 31 }, 'requestTimeoutSeconds'],
    ['a priority that is too high', { objectives: { chat: 2 ** 31 } }, 'objectives'],
    ['an invalid range', { proxyOnlySubnet: '10.0.0.1' }, 'proxyOnlySubnet'],
    ['the name of its server', { name: 'qwen' }, "name: 'qwen' is the name of a server"],
  ])('rejects %s', (_, props, message) => {
    expect(refusal(() => newPool(props))).toContain(message);
  });

  test('rejects servers in another namespace', () => {
    const chart = newChart();
    expect(
      refusal(() => new InferencePool(chart, 'pool', { namespace: 'serving', servers: [server(chart)] })),
    ).toContain(
      "servers[0]: 'qwen' is in namespace 'default', but a pool selects only pods in its own namespace, 'serving'",
    );
  });

  test('rejects servers with other ports and models', () => {
    const chart = newChart();
    const servers = [server(chart, 'a'), server(chart, 'b', { port: 9000, servedModelName: 'other' })];
    const message = refusal(() => new InferencePool(chart, 'pool', { servers }));
    expect(message).toContain("servers[1]: 'b' listens on port 9000, but 'a' on 8000");
    expect(message).toContain("servers[1]: 'b' serves 'other', but 'a' serves 'Qwen/Qwen3-32B'");
  });

  test('rejects servers that share no distinguishing label', () => {
    const chart = newChart();
    const servers = ['a', 'b'].map((id) => server(chart, id, { servedModelName: 'x'.repeat(70) }));
    expect(refusal(() => new InferencePool(chart, 'pool', { servers }))).toContain(
      'servers: share no label that distinguishes them from other servers',
    );
  });
});
