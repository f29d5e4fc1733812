import { type ApiObject, Chart, Testing } from 'cdk8s';
import fc from '../fast-check';
import { Saxml175b } from '../../examples/saxml-175b';
import {
  Capacity,
  InvalidInputError,
  MACHINE_TYPES,
  Runbook,
  SaxCell,
  type SaxCellProps,
  sharedMemory,
  TpuSlice,
} from '../../lib';
import { topologiesOf } from '../../lib/tpu/topology';

const tutorial = {
  slice: TpuSlice.of('ct5lp-hightpu-4t', '4x8'),
  replicas: 2,
  bucketName: 'my-sax',
  serviceAccountName: 'sax-sa',
} as const satisfies SaxCellProps;
const oneHost = { ...tutorial, slice: TpuSlice.of('ct5lp-hightpu-4t') };

const cell = (props: SaxCellProps, id = 'sax'): SaxCell =>
  new SaxCell(new Chart(Testing.app(), 'chart'), id, props);

/** The one replicated job of a cell: its name, its slices and its Job. */
const replicatedJob = (props: SaxCellProps): Record<string, unknown> & { template: { spec: object } } =>
  cell(props).workload.toJson().spec.replicatedJobs[0] as never;
const jobOf = (props: SaxCellProps): Record<string, unknown> => replicatedJob(props).template.spec as never;
const podOf = (props: SaxCellProps): Record<string, unknown> => {
  const spec: unknown = props.slice.multiHost ? jobOf(props) : cell(props).workload.toJson().spec;
  return (spec as { template: { spec: Record<string, unknown> } }).template.spec;
};
const modelServer = (props: SaxCellProps): Record<string, unknown> =>
  (podOf(props) as { containers: Record<string, unknown>[] }).containers[0] ?? {};
const containerOf = (deployment: ApiObject): Record<string, unknown> =>
  deployment.toJson().spec.template.spec.containers[0] as Record<string, unknown>;

/** What is said about props that are refused. */
function refusal(props: SaxCellProps, id?: string): string {
  try {
    cell(props, id);
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

const EVERY_SLICE = Object.keys(MACHINE_TYPES).flatMap((type) =>
  topologiesOf(type as keyof typeof MACHINE_TYPES).map((topology) => TpuSlice.parse(`${type}/${topology}`)),
);

describe('the Saxml tutorial with two slices of eight hosts', () => {
  const { workload, adminDeployment, httpDeployment, httpService, saxRoot } = cell(tutorial);

  test('renders this manifest', () => {
    expect(Testing.synth(new Saxml175b(Testing.app()))).toMatchSnapshot();
  });

  test('renders each slice as a Job with one pod per host', () => {
    expect(replicatedJob(tutorial)).toMatchObject({ name: 'model-server', replicas: 2 });
    expect(jobOf(tutorial)).toMatchObject({ parallelism: 8, completions: 8, backoffLimit: 0 });
  });

  test('reserves a node pool for each slice', () => {
    expect(workload.toJson().metadata.annotations).toEqual({
      'alpha.jobset.sigs.k8s.io/exclusive-topology': 'cloud.google.com/gke-nodepool',
    });
  });

  test('renders the defaults of the JobSet controller, so that a second apply changes nothing', () => {
    expect(workload.toJson().spec).toMatchObject({
      network: { enableDNSHostnames: true, publishNotReadyAddresses: true },
      startupPolicy: { startupPolicyOrder: 'AnyOrder' },
      successPolicy: { operator: 'All' },
      failurePolicy: { restartStrategy: 'Recreate' },
    });
    expect(replicatedJob(tutorial)).toMatchObject({
      groupName: 'default',
      template: { metadata: {}, spec: { completionMode: 'Indexed' } },
    });
    expect(podOf(tutorial)['restartPolicy']).toBe('OnFailure');
  });

  test('has these model servers', () => {
    expect(podOf(tutorial)).toMatchObject({
      serviceAccountName: 'sax-sa',
      hostNetwork: true,
      dnsPolicy: 'ClusterFirstWithHostNet',
      nodeSelector: {
        'cloud.google.com/gke-tpu-accelerator': 'tpu-v5-lite-podslice',
        'cloud.google.com/gke-tpu-topology': '4x8',
      },
    });
    expect(modelServer(tutorial)).toMatchObject({
      args: ['--port=10001', '--sax_cell=/sax/test', '--platform_chip=tpuv5e'],
      ports: [
        { containerPort: 10001, protocol: 'TCP' },
        { containerPort: 8471, protocol: 'TCP' },
      ],
      securityContext: { privileged: true },
      resources: { requests: { 'google.com/tpu': '4' }, limits: { 'google.com/tpu': '4' } },
    });
  });

  test('passes the bucket to all servers, and leaves MEGASCALE_NUM_SLICES empty', () => {
    expect(saxRoot).toBe('gs://my-sax/sax-root');
    expect(modelServer(tutorial)['env']).toEqual([
      { name: 'SAX_ROOT', value: saxRoot },
      { name: 'MEGASCALE_NUM_SLICES' },
    ]);
    expect(containerOf(httpDeployment)['env']).toEqual([{ name: 'SAX_ROOT', value: saxRoot }]);
    expect(containerOf(adminDeployment)['env']).toEqual([
      { name: 'GSBUCKET', value: 'my-sax' },
      { name: 'SAX_CELL', value: '/sax/test' },
    ]);
  });

  test('makes only the model servers privileged', () => {
    const baseline = { allowPrivilegeEscalation: false };
    expect(containerOf(adminDeployment)['securityContext']).toEqual(baseline);
    expect(containerOf(httpDeployment)['securityContext']).toEqual(baseline);
  });

  test('probes the HTTP server, which only the cluster can reach', () => {
    expect(containerOf(httpDeployment)).toMatchObject({
      startupProbe: { httpGet: { path: '/', port: 8888 } },
      readinessProbe: { httpGet: { path: '/', port: 8888 } },
    });
    expect(httpService.toJson().spec).toEqual({
      type: 'ClusterIP',
      selector: httpDeployment.toJson().spec.selector.matchLabels,
      ports: [{ name: 'http', protocol: 'TCP', port: 8888, targetPort: 8888 }],
    });
  });

  test('derives all names from the name of the cell', () => {
    const named = cell({ ...tutorial, name: 'lm' });
    expect(
      [named.workload, named.adminDeployment, named.httpDeployment, named.httpService].map((o) => o.name),
    ).toEqual(['lm', 'lm-admin', 'lm-http', 'lm-http']);
  });
});

describe('a Saxml cell on a single-host slice', () => {
  test('renders this manifest with every prop', () => {
    const chart = new Chart(Testing.app(), 'chart');
    new SaxCell(chart, 'sax', {
      name: 'lm',
      slice: TpuSlice.of('ct6e-standard-8t'),
      replicas: 3,
      capacity: Capacity.spot(),
      bucketName: 'my-sax',
      serviceAccountName: 'sax-sa',
      saxCell: '/sax/lm_1',
      platformChip: 'tpuv6e',
      args: ['--jax_platforms=tpu'],
      env: { LOG_LEVEL: 'debug' },
      labels: { team: 'research' },
      podSecurityLevel: 'baseline',
      hostNetwork: true,
      rollout: { maxSurge: 1 },
      disruptionBudget: { maxUnavailable: 2 },
      preStopSeconds: 5,
      priorityClassName: 'serving',
      serviceType: 'InternalLoadBalancer',
      images: { adminServer: 'my/admin:1', modelServer: 'my/model:1', http: 'my/http:1' },
      fragments: [sharedMemory('16Gi')],
    });
    expect(Testing.synth(chart)).toMatchSnapshot();
  });

  test('runs the model servers in a Deployment, whose pods have their own network', () => {
    const { workload, podDisruptionBudget } = cell(oneHost);
    expect(workload.toJson()).toMatchObject({
      kind: 'Deployment',
      metadata: { name: 'sax' },
      spec: { replicas: 2, selector: { matchLabels: { app: 'sax' } } },
    });
    expect(workload.toJson().metadata).not.toHaveProperty('annotations');
    expect(podDisruptionBudget?.toJson().spec.maxUnavailable).toBe(1);
    for (const field of ['hostNetwork', 'dnsPolicy', 'restartPolicy'])
      expect(podOf(oneHost)).not.toHaveProperty(field);
  });

  test('updates the model servers according to rollout', () => {
    const spec = cell({ ...oneHost, rollout: 'Recreate', disruptionBudget: false });
    expect(spec.workload.toJson().spec.strategy).toEqual({ type: 'Recreate' });
    expect(spec.podDisruptionBudget).toBeUndefined();
  });

  test('rejects props for a JobSet, and a JobSet rejects props for a Deployment', () => {
    const fragments = [{ pod: { restartPolicy: 'OnFailure' as const } }];
    expect(refusal({ ...oneHost, maxRestarts: 3 })).toBe(
      'chart/sax maxRestarts: has no effect on the Deployment that single-host slices require; remove it',
    );
    expect(refusal({ ...oneHost, fragments })).toBe(
      "chart/sax pod.restartPolicy: 'OnFailure' is not possible in a Deployment; use 'Always'",
    );
    expect(refusal({ ...tutorial, rollout: 'Recreate', disruptionBudget: false }).split('\n')).toEqual([
      'chart/sax rollout: has no effect on the JobSet that multi-host slices require; remove it',
      'chart/sax disruptionBudget: has no effect on the JobSet that multi-host slices require; remove it',
    ]);
  });

  test('does not require the JobSet controller in the runbook', () => {
    const chart = new Chart(Testing.app(), 'chart');
    new SaxCell(chart, 'sax', oneHost);
    const text = new Runbook(chart).toString();
    expect(text).not.toMatch(/jobset/i);
    expect(text).toMatch(/-l app=sax\b/);
    expect(text).toMatch(/deployment\/sax\b(?!-)/);
  });
});

test('servers finish their requests before they end', () => {
  const ends = (props: SaxCellProps): unknown => [
    podOf(props)['terminationGracePeriodSeconds'],
    (modelServer(props) as { lifecycle: { preStop: { exec: { command: string[] } } } }).lifecycle.preStop.exec
      .command[1],
    cell(props).httpDeployment.toJson().spec.template.spec.terminationGracePeriodSeconds as unknown,
  ];
  expect(ends(tutorial)).toEqual([60, '30', 60]);
  expect(ends({ ...tutorial, preStopSeconds: 90 })).toEqual([120, '90', 120]);
  // the HTTP server is on an ordinary node
  expect(ends({ ...tutorial, capacity: Capacity.spot() })).toEqual([15, '10', 60]);
});

test('several single-host slices are spread over node pools', () => {
  const spread = (props: SaxCellProps): unknown => podOf(props)['topologySpreadConstraints'];
  expect(spread(oneHost)).toMatchObject([{ labelSelector: { matchLabels: { app: 'sax' } } }]);
  expect(spread({ ...oneHost, replicas: 1 })).toBeUndefined();
  expect(spread(tutorial)).toBeUndefined();
});

test("declares the port of the TPU runtime's metrics, except on the network of the node", () => {
  const ports = (props: SaxCellProps): unknown =>
    (modelServer(props)['ports'] as { containerPort: number }[]).map(({ containerPort }) => containerPort);
  expect(ports(oneHost)).toEqual([10001, 8431]);
  expect(ports(tutorial)).toEqual([10001, 8471]);
});

test('a cell has one slice by default', () => {
  const { slice, bucketName, serviceAccountName } = tutorial;
  expect(replicatedJob({ slice, bucketName, serviceAccountName })['replicas']).toBe(1);
});

test("Saxml's name for the v4 chip is the default on v4", () => {
  const slice = TpuSlice.of('ct4p-hightpu-4t', '2x2x2');
  expect(modelServer({ ...tutorial, slice })['args']).toContain('--platform_chip=tpuv4');
});

test('no restarts are rendered without a zero, which would not be stored', () => {
  expect(cell({ ...tutorial, maxRestarts: 0 }).workload.toJson().spec.failurePolicy).toEqual({
    restartStrategy: 'Recreate',
  });
});

test('a model fits on all hosts of its slice together', () => {
  // 512 GiB on 8 hosts; no host alone has half a model of 350 GB
  expect(() => cell({ ...tutorial, modelSize: '350G' })).not.toThrow();
});

describe('a Saxml cell with a mistake', () => {
  test.each<[string, Partial<SaxCellProps>]>([
    [
      "preStopSeconds: '30' is too long for spot nodes, whose pods have 15 seconds in total; use at most 10",
      { capacity: Capacity.spot(), preStopSeconds: 30 },
    ],
    [
      "priorityClassName: '-' is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example 'x'",
      { priorityClassName: '-' },
    ],
    [
      "name: 'a-cell-for-the-model-with-175b-parameters' has 41 characters; use at most 40 (the name of the last pod ends with '-model-server-1-7-xxxxx'), for example 'a-cell-for-the-model-with-175b-parameter'",
      { name: 'a-cell-for-the-model-with-175b-parameters' },
    ],
    [
      "name: 'Sax_Cell' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'sax-cell'",
      { name: 'Sax_Cell' },
    ],
    ["replicas: '0' is not a whole number of at least 1; use 1", { replicas: 0 }],
    ["replicas: '1.5' is not a whole number of at least 1; use 2", { replicas: 1.5 }],
    [
      "bucketName: 'gs://my-sax/sax-root' is a URL; use the bucket's name alone, for example 'my-sax'",
      { bucketName: 'gs://my-sax/sax-root' },
    ],
    [
      "serviceAccountName: 'Sax' is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example 'sax'",
      { serviceAccountName: 'Sax' },
    ],
    [
      "saxCell: 'test' is not the name of a cell; use '/sax/' and a name that starts with a letter and contains only lower-case letters, digits, '-' and '_', for example '/sax/test'",
      { saxCell: 'test' },
    ],
    [
      "saxCell: '/sax/My Cell/lm' is not the name of a cell; use '/sax/' and a name that starts with a letter and contains only lower-case letters, digits, '-' and '_', for example '/sax/lm'",
      { saxCell: '/sax/My Cell/lm' },
    ],
    [
      "saxCell: '' is not the name of a cell; use '/sax/' and a name that starts with a letter and contains only lower-case letters, digits, '-' and '_', for example '/sax/test'",
      { saxCell: '' },
    ],
    [
      "platformChip: required for slice 'ct6e-standard-4t/4x4', because Saxml's name for its chip is not known; use Saxml's name for the chip",
      { slice: TpuSlice.of('ct6e-standard-4t', '4x4') },
    ],
    [
      "platformChip: 'TPU v5e' is not the name of a chip; use lower-case letters and digits, like 'tpuv5e'",
      { platformChip: 'TPU v5e' },
    ],
    ["modelSize: '350' is less than 1 MB; use bytes with a suffix, for example '350G'", { modelSize: '350' }],
    ["maxRestarts: '-1' is not a whole number of at least 0; use 0", { maxRestarts: -1 }],
    [
      "images.http: 'sax http:v1' is not an image with a tag or digest; use REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
      { images: { http: 'sax http:v1' } },
    ],
    [
      "args[0]: '--sax_cell=/sax/lm' is set by the prop 'saxCell'; use that prop",
      { args: ['--sax_cell=/sax/lm'] },
    ],
    [
      "args[0]: '--port 1' is not a flag; use '--flag=value', or '--flag' and its values as separate items",
      { args: ['--port 1'] },
    ],
    [
      "capacity: 'flex-start' is not available on ct4p-hightpu-4t; use a slice of v5e, v5p, v6e or tpu7x, or another capacity",
      { slice: TpuSlice.of('ct4p-hightpu-4t', '2x2x2'), capacity: Capacity.flexStart() },
    ],
    [
      "fragments: set restartPolicy to 'Always', which Jobs do not support; use 'OnFailure' or 'Never'",
      { fragments: [{ pod: { restartPolicy: 'Always' } }] },
    ],
    [
      "nodePeers: required with allowedClients: the model servers reach the admin server from the addresses of their nodes; use a list like [{ ipBlock: { cidr: '10.128.0.0/20' } }]",
      { allowedClients: [] },
    ],
    [
      'nodePeers: has no effect without allowedClients and hostNetwork; remove it',
      { nodePeers: [{ ipBlock: { cidr: '10.128.0.0/20' } }] },
    ],
  ])('rejects %s', (message, wrong) => {
    expect(refusal({ ...tutorial, ...wrong })).toBe(`chart/sax ${message}`);
  });

  test('lists all mistakes at once', () => {
    expect(
      refusal(
        {
          slice: TpuSlice.of('ct5p-hightpu-4t'),
          replicas: -1,
          bucketName: 'B',
          serviceAccountName: '',
          saxCell: '/sax',
          maxRestarts: NaN,
          args: ['verbose'],
          fragments: [{ nodeSelector: { 'cloud.google.com/gke-tpu-topology': '4x4' } }],
        },
        'Sax',
      )
        .split('\n')
        .map((line) => line.replace(/^chart\/Sax (\S+): .*/, '$1'))
        .sort(),
    ).toEqual([
      'args[0]',
      'bucketName',
      'maxRestarts',
      'name',
      'nodeSelector[cloud.google.com/gke-tpu-topology]',
      'platformChip',
      'replicas',
      'saxCell',
      'serviceAccountName',
    ]);
  });

  test.each<[string, ...string[]]>([
    ['{ "privileged": false }', 'privileged: unknown property'],
    ['{ "drainSeconds": 5 }', "drainSeconds: unknown property; did you mean 'preStopSeconds'?"],
    ['{ "args": "--jax_platforms=tpu" }', "args: '--jax_platforms=tpu' is a string; use a list of strings"],
    [
      '{ "images": { "admin": "a:1" } }',
      "images.admin: unknown property; use one of 'adminServer', 'modelServer', 'http'",
    ],
  ])('rejects untyped props: %s', (json, ...messages) => {
    const wrong = JSON.parse(json) as Partial<SaxCellProps>;
    expect(refusal({ ...tutorial, ...wrong }).split('\n')).toEqual(messages.map((one) => `chart/sax ${one}`));
  });

  test('rejects missing props without a TypeError', () => {
    expect(refusal(JSON.parse('{}') as SaxCellProps).split('\n')).toEqual([
      "chart/sax slice: required, for example TpuSlice.of('ct6e-standard-8t')",
      "chart/sax bucketName: required, for example 'my-bucket'",
      "chart/sax serviceAccountName: required, for example 'sax-sa'",
    ]);
  });
});

describe('on any multi-host slice', () => {
  const slices = fc.constantFrom(...EVERY_SLICE.filter(({ multiHost }) => multiHost));
  const chip = 'tpuv0';

  test('chips, hosts, parallelism, completions and exclusive placement agree', () => {
    fc.assert(
      fc.property(slices, fc.integer({ min: 1, max: 20 }), (slice, replicas) => {
        const props = { ...tutorial, slice, replicas, platformChip: chip };
        const { parallelism, completions } = jobOf(props);
        const { requests, limits } = modelServer(props)['resources'] as Record<string, unknown>;
        expect(replicatedJob(props)['replicas']).toBe(replicas);
        expect(parallelism).toBe(slice.chips / slice.chipsPerHost);
        expect(completions).toBe(parallelism);
        expect(requests).toMatchObject({ 'google.com/tpu': String(slice.chipsPerHost) });
        expect(limits).toEqual({ 'google.com/tpu': String(slice.chipsPerHost) });
        expect(cell(props).workload.toJson().metadata).toHaveProperty('annotations');
      }),
    );
  });

  test("a name is rejected exactly if the last pod's name would exceed 63 characters", () => {
    fc.assert(
      fc.property(
        slices,
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1, max: 63 }),
        (slice, replicas, n) => {
          const props = { ...tutorial, slice, replicas, platformChip: chip, name: 'n'.repeat(n) };
          const lastPod = `${props.name}-model-server-${String(replicas - 1)}-${String(slice.hosts - 1)}-abcde`;
          const accepted = (): boolean => {
            try {
              return cell(props).workload.name === props.name;
            } catch {
              return false;
            }
          };
          expect(accepted()).toBe(lastPod.length <= 63);
        },
      ),
    );
  });
});

describe('the NetworkPolicies of a Saxml cell', () => {
  const client = { podSelector: { matchLabels: { app: 'gateway' } } };
  const nodes = { ipBlock: { cidr: '10.128.0.0/20' } };
  const ports = (port: number): unknown[] => [{ port, protocol: 'TCP' }];

  test('are not rendered without allowedClients', () => {
    const { networkPolicy, cellNetworkPolicy } = cell(tutorial);
    expect([networkPolicy, cellNetworkPolicy]).toEqual([undefined, undefined]);
  });

  test('admit only the clients to the HTTP server', () => {
    const { httpDeployment, networkPolicy } = cell({ ...oneHost, allowedClients: [client] });
    expect(networkPolicy?.toJson()).toMatchObject({
      metadata: { name: 'sax-http' },
      spec: {
        podSelector: httpDeployment.toJson().spec.selector,
        ingress: [{ from: [client], ports: ports(8888) }],
      },
    });
  });

  test('admit only servers of the cell to the admin and model servers', () => {
    const pods = (...values: readonly string[]): unknown => ({
      matchExpressions: [{ key: 'app', operator: 'In', values }],
    });
    const { cellNetworkPolicy } = cell({ ...oneHost, allowedClients: [client] });
    expect(cellNetworkPolicy?.toJson()).toMatchObject({
      metadata: { name: 'sax' },
      spec: {
        podSelector: pods('sax', 'sax-admin'),
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: pods('sax', 'sax-admin', 'sax-http') }] }],
      },
    });
  });

  test('admit model servers on the host network to the admin server from their nodes', () => {
    const { cellNetworkPolicy } = cell({ ...tutorial, allowedClients: [client], nodePeers: [nodes] });
    expect((cellNetworkPolicy?.toJson() as { spec: { ingress: unknown[] } }).spec.ingress[1]).toEqual({
      from: [nodes],
      ports: ports(10000),
    });
  });

  test("see the client's address behind a load balancer", () => {
    const policyOf = (allowedClients: SaxCellProps['allowedClients']): unknown =>
      cell({
        ...oneHost,
        serviceType: 'ExternalLoadBalancer',
        ...(allowedClients && { allowedClients }),
      }).httpService.toJson().spec.externalTrafficPolicy as unknown;
    expect(policyOf([{ ipBlock: { cidr: '203.0.113.0/24' } }])).toBe('Local');
    expect(policyOf([client])).toBeUndefined();
    expect(policyOf(undefined)).toBeUndefined();
  });
});

test('a model server survives any number of evictions, unless maxRestarts limits them', () => {
  const policy = (props: SaxCellProps): unknown =>
    cell(props).workload.toJson().spec.failurePolicy as unknown;
  expect(policy(tutorial)).toEqual({
    restartStrategy: 'Recreate',
    rules: [{ name: 'restartAfterEveryFailure', action: 'RestartJobSetAndIgnoreMaxRestarts' }],
  });
  expect(policy({ ...tutorial, maxRestarts: 4 })).toEqual({ restartStrategy: 'Recreate', maxRestarts: 4 });
});

test('accepts a ServiceAccount of cdk8s-plus in place of its name', () => {
  expect(podOf({ ...tutorial, serviceAccountName: { name: 'plus' } })['serviceAccountName']).toBe('plus');
});
