import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Testing, Yaml } from 'cdk8s';
import fc from '../fast-check';
import { RayStableDiffusion } from '../../examples/ray-stable-diffusion';
import {
  Capacity,
  GcsFuseVolume,
  HuggingFaceToken,
  InvalidInputError,
  MACHINE_TYPES,
  startupEstimate,
  type RayServeApplication,
  type ResourceRequirements,
  type RayServeConfig,
  type RayServeDeployment,
  TpuRayService,
  type TpuRayServiceProps,
  type TpuRayWorkerGroup,
  TpuSlice,
} from '../../lib';
import { topologiesOf } from '../../lib/tpu/topology';

// ---- what is rendered --------------------------------------------------------------------------------------------

interface Container {
  readonly name: string;
  readonly image: string;
  readonly ports: readonly {
    readonly name: string;
    readonly containerPort: number;
    readonly protocol: string;
  }[];
  readonly resources: Readonly<Record<'requests' | 'limits', Readonly<Record<string, unknown>>>>;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
}
interface Template {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly [Container];
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly serviceAccountName?: string;
    readonly priorityClassName?: string;
    readonly terminationGracePeriodSeconds?: number;
    readonly topologySpreadConstraints?: readonly {
      readonly labelSelector: { readonly matchLabels: Readonly<Record<string, string>> };
    }[];
  };
}
interface Group {
  readonly groupName: string;
  readonly replicas: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly numOfHosts: number;
  readonly rayStartParams: Readonly<Record<string, string>>;
  readonly scaleStrategy: unknown;
  readonly template: Template;
}
interface Service {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly serveConfigV2: string;
    readonly upgradeStrategy: { readonly type: string };
    readonly rayClusterConfig: {
      readonly rayVersion: string;
      readonly enableInTreeAutoscaling?: boolean;
      readonly autoscalerOptions?: unknown;
      readonly headGroupSpec: { readonly rayStartParams: unknown; readonly template: Template };
      readonly workerGroupSpecs: readonly [Group, ...Group[]];
    };
  };
}

const SLICE = TpuSlice.of('ct6e-standard-4t', '4x4');

/** The same requests and limits. */
const amounts = (
  cpu: string,
  memory: string,
  more: Readonly<Record<string, string>> = {},
): ResourceRequirements => {
  const both = { cpu, memory, ...more };
  return { requests: both, limits: both };
};

/** A service of one application on one group of slices of four hosts. */
function propsOf(
  changes: Partial<TpuRayServiceProps> = {},
  group: Partial<TpuRayWorkerGroup> = {},
): TpuRayServiceProps {
  return {
    serveConfig: { applications: [{ name: 'app', importPath: 'pkg.mod:app' }] },
    workerGroups: [{ groupName: 'tpu', slice: SLICE, resources: amounts('20', '200Gi'), ...group }],
    ...changes,
  };
}

const make = (props: TpuRayServiceProps): TpuRayService => new TpuRayService(Testing.chart(), 'ray', props);

function render(changes?: Partial<TpuRayServiceProps>, group?: Partial<TpuRayWorkerGroup>): Service['spec'] {
  return (make(propsOf(changes, group)).rayService.toJson() as Service).spec;
}

const groupOf = (changes?: Partial<TpuRayServiceProps>, group?: Partial<TpuRayWorkerGroup>): Group =>
  render(changes, group).rayClusterConfig.workerGroupSpecs[0];

/** What Ray reads from rendered configurations. */
function read(texts: readonly string[]): readonly unknown[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'serve-'));
  try {
    writeFileSync(path.join(folder, 'serve.yaml'), texts.join('---\n'));
    return Yaml.load(path.join(folder, 'serve.yaml')) as unknown[];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// ---- variants ----------------------------------------------------------------------------------------------------

const CACHE = new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data' });

/** vLLM on slices of four hosts and a group of single hosts, scaled by Ray. */
const SEVERAL: TpuRayServiceProps = {
  labels: { 'ai.gke.io/inference-server': 'vllm' },
  image: 'us-docker.pkg.dev/my-project/my-repo/vllm-ray:v1',
  rayVersion: '2.46.0',
  serviceAccountName: 'ray',
  enableInTreeAutoscaling: true,
  idleTimeoutSeconds: 600,
  upgradeStrategy: 'NewCluster',
  monitoring: { interval: '30s' },
  head: {
    resources: amounts('4', '16Gi', { 'ephemeral-storage': '50Gi' }),
    rayStartParams: { 'num-cpus': '0' },
    fragments: [CACHE],
  },
  workerGroups: [
    {
      groupName: 'slices',
      slice: SLICE,
      resources: amounts('20', '200Gi'),
      maxReplicas: 2,
      capacity: Capacity.spot(),
      fragments: [
        CACHE,
        HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token').asEnv(),
        { env: [{ name: 'JAX_PLATFORMS', value: 'tpu,cpu' }] },
      ],
    },
    {
      groupName: 'hosts',
      slice: TpuSlice.of('ct6e-standard-8t'),
      resources: amounts('100', '800Gi'),
      minReplicas: 2,
      maxReplicas: 4,
      rayStartParams: { resources: `'{"spare": 1}'` },
    },
  ],
  serveConfig: {
    httpOptions: { requestTimeoutS: 600, keepAliveTimeoutS: 30, rootPath: '/v1' },
    applications: [
      {
        name: 'llm',
        importPath: 'serve.vllm:deployment',
        args: { modelId: 'google/gemma', max_model_len: 8192, extra: [{ aB: null }] },
        runtimeEnv: {
          envVars: { VLLM_XLA_CACHE_PATH: '/data', camelCase: 'kept' },
          config: { setupTimeoutSeconds: 1800, eagerInstall: false },
        },
        deployments: [
          {
            name: 'VLLMDeployment',
            autoscalingConfig: {
              minReplicas: 1,
              maxReplicas: 2,
              targetOngoingRequests: 8,
              downscaleDelayS: 600,
            },
            placementGroupBundles: [{ CPU: 1 }, { TPU: 4 }, { TPU: 4 }, { TPU: 4 }, { TPU: 4 }],
            placementGroupStrategy: 'PACK',
            maxOngoingRequests: 62,
            maxQueuedRequests: -1,
            healthCheckTimeoutS: 60,
          },
        ],
      },
      {
        name: 'embeddings',
        importPath: 'serve.embeddings:app',
        routePrefix: '/embeddings',
        deployments: [
          {
            name: 'Embedder',
            numReplicas: 2,
            userConfig: { maxLength: 512 },
            rayActorOptions: { numCpus: 0.5, resources: { TPU: 8 }, runtimeEnv: { pip: ['flax'] } },
          },
        ],
      },
    ],
  },
};

test('renders the tutorial: Stable Diffusion on single hosts of TPU v4', () => {
  expect(Testing.synth(new RayStableDiffusion(Testing.app()))).toMatchSnapshot();
});

test('renders several autoscaled multi-host groups with a bucket and a token', () => {
  const chart = Testing.chart();
  new TpuRayService(chart, 'ray', SEVERAL);
  expect(Testing.synth(chart)).toMatchSnapshot();
});

test('renders a multi-host slice with required props only', () => {
  const chart = Testing.chart();
  new TpuRayService(chart, 'ray', propsOf({ monitoring: false }));
  expect(Testing.synth(chart)).toMatchSnapshot();
});

// ---- what the rest of the world relies on ------------------------------------------------------------------------

test('uses one image and one version for the head and all workers', () => {
  const { rayVersion, headGroupSpec, workerGroupSpecs } = render({
    image: 'rayproject/ray:2.46.0',
  }).rayClusterConfig;
  expect(rayVersion).toBe('2.46.0');
  expect(
    [headGroupSpec, ...workerGroupSpecs].map(({ template }) => template.spec.containers[0].image),
  ).toEqual(['rayproject/ray:2.46.0', 'rayproject/ray:2.46.0']);
});

test.each([
  ['rayproject/ray-ml:2.9.0-py310', '2.9.0'],
  ['rayproject/ray-llm:2.46.0-py311-cu124', '2.46.0'],
  ['us-docker.pkg.dev/my-project/rayproject/ray:2.52.1', '2.52.1'],
  [`rayproject/ray:2.10.0@sha256:${'0'.repeat(64)}`, '2.10.0'],
])('reads from image %s version %s', (image, version) => {
  expect(render({ image }).rayClusterConfig.rayVersion).toBe(version);
});

test("declares the head's ports by the names that KubeRay knows, and the metrics of every worker", () => {
  const { headGroupSpec, workerGroupSpecs } = render().rayClusterConfig;
  expect(
    headGroupSpec.template.spec.containers[0].ports.map(
      (port) => `${port.name} ${String(port.containerPort)}`,
    ),
  ).toEqual(['gcs 6379', 'dashboard 8265', 'client 10001', 'serve 8000', 'metrics 8080']);
  expect(workerGroupSpecs[0].template.spec.containers[0].ports).toEqual([
    { name: 'metrics', containerPort: 8080, protocol: 'TCP' },
    { containerPort: 8431, protocol: 'TCP' },
  ]);
});

// ---- operation ---------------------------------------------------------------------------------------------------

const podsIn = ({
  rayClusterConfig: { headGroupSpec, workerGroupSpecs },
}: Service['spec']): Template['spec'][] =>
  [headGroupSpec, ...workerGroupSpecs].map(({ template }) => template.spec);

const variablesOf = (pod: Template['spec']): Record<string, unknown> =>
  Object.fromEntries((pod.containers[0].env ?? []).map(({ name, value }) => [name, value]));

describe('pods shut down', () => {
  const endings = (changes?: Partial<TpuRayServiceProps>, group?: Partial<TpuRayWorkerGroup>): unknown =>
    podsIn(render(changes, group)).map((pod) => [
      pod.containers[0].lifecycle?.preStop.exec.command[1],
      variablesOf(pod)['RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S'],
      pod.terminationGracePeriodSeconds,
    ]);
  const deployments = [
    { name: 'A', gracefulShutdownTimeoutS: 90.5 },
    { name: 'B', gracefulShutdownTimeoutS: 5 },
    { name: 'C' },
  ];
  const slow = { serveConfig: { applications: [{ name: 'app', importPath: 'pkg.mod:app', deployments }] } };

  test('after they have left their Services and Ray has stopped their replicas', () => {
    expect(endings()).toEqual([
      ['30', '20', 60],
      ['30', '20', 60],
    ]);
  });

  test('no faster than the slowest deployment', () => {
    expect(endings(slow)).toEqual([
      ['30', '91', 131],
      ['30', '91', 131],
    ]);
  });

  test('after the time that each group sets', () => {
    expect(endings({ head: { preStopSeconds: 0 } }, { preStopSeconds: 120 })).toEqual([
      ['0', '20', 30],
      ['120', '20', 150],
    ]);
  });

  test('within the 15 seconds that spot nodes give them', () => {
    expect(endings(slow, { capacity: Capacity.spot() })).toEqual([
      ['30', '91', 131],
      ['10', '3', 15],
    ]);
  });
});

test('sets the priority of each group', () => {
  const spec = render({ head: { priorityClassName: 'heads' } }, { priorityClassName: 'serving' });
  expect(podsIn(spec).map(({ priorityClassName }) => priorityClassName)).toEqual(['heads', 'serving']);
});

test.each<[string, Partial<TpuRayWorkerGroup>, unknown]>([
  ['single-host slices over node pools', { slice: TpuSlice.of('ct6e-standard-8t'), maxReplicas: 2 }, 'tpu'],
  ['one single-host slice', { slice: TpuSlice.of('ct6e-standard-8t') }, undefined],
  ['multi-host slices, each in its own node pool', { maxReplicas: 2 }, undefined],
])('spreads pods of %s', (_, group, spread) => {
  const [, worker] = podsIn(render({}, group));
  const matchLabels = worker?.topologySpreadConstraints?.[0]?.labelSelector.matchLabels;
  expect(matchLabels?.['ray.io/group']).toBe(spread);
  expect(matchLabels?.['app']).toBe(spread && 'ray');
});

describe('vLLM on Ray', () => {
  const timeouts = (group: Partial<TpuRayWorkerGroup>): readonly unknown[] =>
    podsIn(render({}, group)).map((pod) => variablesOf(pod)['VLLM_ENGINE_READY_TIMEOUT_S']);
  const volume = (sizeLimit: string): GcsFuseVolume =>
    new GcsFuseVolume({ bucketName: 'b-1', mountPath: '/data', cache: { medium: 'ram', sizeLimit } });

  test('has its own timeout if no size is known', () => {
    expect(timeouts({})).toEqual([undefined, undefined]);
  });

  test('gets the given timeout, also on the head', () => {
    expect(timeouts({ startupSeconds: 777 })).toEqual(['777', '777']);
  });

  test('gets the estimated time for its size, and more without a file cache', () => {
    const budget = (uncachedFuse: boolean): string =>
      String(startupEstimate({ slice: SLICE, modelSize: '141G', uncachedFuse }).budgetSeconds);
    const none = new GcsFuseVolume({ bucketName: 'b-1', mountPath: '/data' });
    expect(timeouts({ modelSize: '141G' })).toEqual([budget(false), budget(false)]);
    expect(timeouts({ modelSize: '141G', modelCache: volume('160Gi') })[1]).toBe(budget(false));
    expect(timeouts({ modelSize: '141G', modelCache: none })[1]).toBe(budget(true));
  });

  test('keeps weights and compiled programs on a volume', () => {
    const kept = (group: Partial<TpuRayWorkerGroup>): unknown => {
      const [, worker] = podsIn(render({}, group));
      const { HF_HOME: weights, ...env } = worker ? variablesOf(worker) : {};
      return [weights, env['JAX_COMPILATION_CACHE_DIR'], env['VLLM_XLA_CACHE_PATH']];
    };
    const one = { slice: TpuSlice.of('ct6e-standard-8t'), modelCache: CACHE };
    expect(kept(one)).toEqual(['/data/huggingface', '/data', '/data']);
    expect(kept({ ...one, compileCachePath: '/data/xla' })).toEqual([
      '/data/huggingface',
      '/data/xla',
      '/data/xla',
    ]);
    expect(kept({ modelCache: CACHE })).toEqual(['/data/huggingface', undefined, undefined]);
    expect(kept({ modelCache: CACHE, compileCachePath: '/tmp/xla' })).toEqual([
      '/data/huggingface',
      '/tmp/xla',
      '/tmp/xla',
    ]);
    const readOnly = new GcsFuseVolume({ bucketName: 'b-1', mountPath: '/data', readOnly: true });
    expect(kept({ ...one, modelCache: readOnly })).toEqual([undefined, undefined, undefined]);
    expect(kept({})).toEqual([undefined, undefined, undefined]);
  });
});

describe('a NetworkPolicy', () => {
  const clients = [{ podSelector: { matchLabels: { app: 'gateway' } } }];
  const policyOf = (changes: Partial<TpuRayServiceProps>): unknown =>
    (make(propsOf(changes)).networkPolicy?.toJson() as { spec?: unknown } | undefined)?.spec;
  const ports = (...numbers: readonly number[]): unknown[] =>
    numbers.map((port) => ({ protocol: 'TCP', port }));
  const own = { from: [{ podSelector: { matchLabels: { app: 'ray' } } }] };
  const operator = {
    from: [
      {
        namespaceSelector: {},
        podSelector: { matchLabels: { 'app.kubernetes.io/component': 'kuberay-operator' } },
      },
    ],
    ports: ports(8265, 8000),
  };

  test('is rendered only with clients', () => {
    expect(policyOf({})).toBeUndefined();
  });

  test('admits clients, the collector, the cluster itself and its operator', () => {
    expect(policyOf({ allowedClients: clients })).toEqual({
      podSelector: { matchLabels: { app: 'ray' } },
      policyTypes: ['Ingress'],
      ingress: [
        { from: clients, ports: ports(8000) },
        { from: [{ namespaceSelector: expect.anything() as unknown }], ports: ports(8080) },
        own,
        operator,
      ],
    });
  });

  test('without clients and metrics admits only the cluster and its operator', () => {
    expect(policyOf({ allowedClients: [], monitoring: false })).toHaveProperty('ingress', [own, operator]);
  });

  test('admits the operator at the given peers', () => {
    const operatorPeers = [
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ray-system' } } },
    ];
    expect(policyOf({ allowedClients: [], monitoring: false, operatorPeers })).toHaveProperty('ingress', [
      own,
      { from: operatorPeers, ports: ports(8265, 8000) },
    ]);
  });
});

test('collects metrics only from the pods of this service', () => {
  const { rayService, podMonitoring } = make(propsOf({ name: 'mine' }));
  const { headGroupSpec, workerGroupSpecs } = (rayService.toJson() as Service).spec.rayClusterConfig;
  const selector = { app: 'mine' };
  expect((podMonitoring?.toJson() as { spec: unknown }).spec).toEqual({
    selector: { matchLabels: selector },
    endpoints: [{ port: 8080, path: '/metrics', interval: '15s' }],
  });
  expect([headGroupSpec, ...workerGroupSpecs].map(({ template }) => template.metadata.labels)).toMatchObject([
    selector,
    selector,
  ]);
});

test('names the Services as KubeRay does', () => {
  const { headServiceName, serveServiceName } = make(propsOf());
  expect([headServiceName, serveServiceName]).toEqual(['ray-head-svc', 'ray-serve-svc']);
});

test('does not change the running cluster by default', () => {
  expect(render().upgradeStrategy).toEqual({ type: 'None' });
  expect(render({ upgradeStrategy: 'NewCluster' }).upgradeStrategy).toEqual({
    type: 'NewCluster',
  });
});

test.each<[string, Partial<TpuRayWorkerGroup>, boolean, [number, number, number]]>([
  ['no numbers', {}, false, [1, 1, 1]],
  ['only replicas', { replicas: 3 }, false, [3, 3, 3]],
  ['replicas within their limits', { replicas: 2, minReplicas: 1, maxReplicas: 10 }, false, [2, 1, 10]],
  ['only minReplicas', { minReplicas: 2, maxReplicas: 10 }, false, [2, 2, 10]],
  ['no replicas', { replicas: 0 }, false, [0, 0, 1]],
  ['an autoscaler, which starts with minReplicas', { minReplicas: 2, maxReplicas: 10 }, true, [2, 2, 10]],
  ['an autoscaler that starts with no slice', { minReplicas: 0, maxReplicas: 10 }, true, [0, 0, 10]],
  ['an autoscaler, which keeps one slice by default', { maxReplicas: 10 }, true, [1, 1, 10]],
])('sets the number of slices with %s', (_, group, enableInTreeAutoscaling, expected) => {
  const { replicas, minReplicas, maxReplicas } = groupOf({ enableInTreeAutoscaling }, group);
  expect([replicas, minReplicas, maxReplicas]).toEqual(expected);
});

test('omits the fields of the autoscaler without one', () => {
  expect(render({ enableInTreeAutoscaling: false }).rayClusterConfig).not.toHaveProperty(
    'enableInTreeAutoscaling',
  );
});

// ---- serveConfigV2 -----------------------------------------------------------------------------------------------

const serveConfigText = (serveConfig: RayServeConfig, rayVersion: string | undefined = '2.46.0'): string =>
  render({ serveConfig, image: 'my-image:v1', rayVersion }).serveConfigV2;

const scaled: RayServeConfig = {
  applications: [
    {
      name: 'app',
      importPath: 'a.b',
      routePrefix: null,
      deployments: [
        {
          name: 'D',
          maxOngoingRequests: 5,
          autoscalingConfig: {
            targetOngoingRequests: 2,
            upscalingFactor: 1,
            downscalingFactor: 0.5,
            upscaleDelayS: 3,
          },
        },
      ],
    },
  ],
};

test('renders fields in snake case', () => {
  expect(read([serveConfigText(scaled)])).toEqual([
    {
      applications: [
        {
          name: 'app',
          import_path: 'a.b',
          route_prefix: null,
          deployments: [
            {
              name: 'D',
              max_ongoing_requests: 5,
              autoscaling_config: {
                target_ongoing_requests: 2,
                upscaling_factor: 1,
                downscaling_factor: 0.5,
                upscale_delay_s: 3,
              },
            },
          ],
        },
      ],
    },
  ]);
});

test.each(['2.9.3', '1.13.0'])('renders the old names of fields for Ray %s', (rayVersion) => {
  expect(read([serveConfigText(scaled, rayVersion)])).toMatchObject([
    {
      applications: [
        {
          deployments: [
            {
              max_concurrent_queries: 5,
              autoscaling_config: {
                target_num_ongoing_requests_per_replica: 2,
                upscale_smoothing_factor: 1,
                downscale_smoothing_factor: 0.5,
                upscale_delay_s: 3,
              },
            },
          ],
        },
      ],
    },
  ]);
});

/** What users write; YAML 1.1 reads `<<` as more than a key, and JSON does not support -0. */
const json = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => JSON.stringify(value))
  .filter((text) => !/"(<<|__proto__)":/.test(text))
  .map((text) => JSON.parse(text) as unknown);
const variable = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]*$/);
const line = fc.string({ minLength: 1 }).filter((text) => /^[^\s].*$/.test(text));

const own = fc.record({
  map: fc.dictionary(variable, json, { noNullPrototype: true }),
  envVars: fc.dictionary(variable, fc.string(), { noNullPrototype: true }),
  pip: fc.array(line),
});

test('renders the user’s own keys and values unchanged', () => {
  fc.assert(
    fc.property(fc.array(own, { minLength: 25, maxLength: 25 }), (owns) => {
      const texts = owns.map(({ map, envVars, pip }) =>
        serveConfigText({
          applications: [
            {
              name: 'app',
              importPath: 'a:b',
              args: map,
              runtimeEnv: { envVars, pip },
              deployments: [{ name: 'D', userConfig: map }],
            },
          ],
        }),
      );
      expect(read(texts)).toEqual(
        owns.map(({ map, envVars, pip }) => ({
          applications: [
            {
              name: 'app',
              import_path: 'a:b',
              args: map,
              runtime_env: { env_vars: envVars, pip },
              deployments: [{ name: 'D', user_config: map }],
            },
          ],
        })),
      );
    }),
    { numRuns: 4 }, // reading takes a process
  );
});

// ---- every legal slice -------------------------------------------------------------------------------------------

const machineTypes = Object.keys(MACHINE_TYPES) as (keyof typeof MACHINE_TYPES)[];
const slices = fc
  .constantFrom(...machineTypes)
  .chain((machineType) =>
    fc
      .constantFrom(...topologiesOf(machineType))
      .map((topology) => TpuSlice.parse(`${machineType}/${topology}`)),
  );

/** The formula of the TPU webhook: max(product of the topology / chips of a pod, 1). */
const webhookHosts = (topology: string, chipsPerHost: number): number =>
  Math.max(Math.trunc(topology.split('x').reduce((product, n) => product * Number(n), 1) / chipsPerHost), 1);

/** Every value below requests and limits. */
const amountsIn = (group: { readonly template: Template }): unknown[] =>
  Object.values(group.template.spec.containers[0].resources).flatMap((amounts) => Object.values(amounts));

test('renders matching hosts, chips and selectors for any legal slice, and a second apply finds no difference', () => {
  fc.assert(
    fc.property(slices, fc.integer({ min: 1, max: 5 }), fc.boolean(), (slice, replicas, autoscaled) => {
      const { headGroupSpec, workerGroupSpecs } = render(
        { enableInTreeAutoscaling: autoscaled },
        {
          slice,
          resources: amounts('10', '20G'),
          ...(autoscaled ? { minReplicas: 0, maxReplicas: replicas } : { replicas }),
        },
      ).rayClusterConfig;
      const [group] = workerGroupSpecs;
      const { nodeSelector, containers } = group.template.spec;
      const [{ resources }] = containers;

      expect(nodeSelector).toEqual({
        'cloud.google.com/gke-tpu-accelerator': slice.accelerator,
        'cloud.google.com/gke-tpu-topology': slice.topology,
      });
      const chips = Number(resources.limits['google.com/tpu']);
      expect(group.numOfHosts * chips).toBe(slice.chips);
      expect(group.numOfHosts).toBe(webhookHosts(slice.topology, chips));
      expect(resources.requests).toEqual(resources.limits);
      expect(group.replicas).toBeGreaterThanOrEqual(group.minReplicas);
      expect(group.replicas).toBeLessThanOrEqual(group.maxReplicas);

      expect(
        [...amountsIn(headGroupSpec), ...amountsIn(group)].every((amount) => typeof amount === 'string'),
      ).toBe(true);
      for (const { rayStartParams, template } of [headGroupSpec, group]) {
        expect(rayStartParams).toEqual({});
        expect(template.metadata).toMatchObject({ labels: { app: 'ray' } });
        expect(template.metadata.labels).not.toHaveProperty(['app.kubernetes.io/name']);
        expect(template.metadata.labels).not.toHaveProperty(['app.kubernetes.io/created-by']);
        expect(template.spec.containers[0].ports.map((port) => port.protocol)).not.toContain(undefined);
        expect(template.spec).not.toHaveProperty('hostNetwork');
      }
      expect(group.scaleStrategy).toEqual({});
      expect(group).not.toHaveProperty('priority');
    }),
  );
});

// ---- what is refused ---------------------------------------------------------------------------------------------

/** The whole error message, each line after the path of the construct. */
function refusal(props: TpuRayServiceProps): string {
  try {
    make(props);
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message;
    throw error;
  }
  throw new Error('nothing is refused');
}

const of = (changes: Partial<TpuRayServiceProps>): TpuRayServiceProps => propsOf(changes);
const group = (changes: Partial<TpuRayWorkerGroup>): TpuRayServiceProps => propsOf({}, changes);
const application = (changes: Partial<RayServeApplication>): TpuRayServiceProps =>
  of({ serveConfig: { applications: [{ name: 'app', importPath: 'pkg.mod:app', ...changes }] } });
const deployment = (changes: Partial<RayServeDeployment>): TpuRayServiceProps =>
  application({ deployments: [{ name: 'D', ...changes }] });

test.each<[TpuRayServiceProps, ...string[]]>([
  // the service
  [
    of({ name: 'a'.repeat(48) }),
    "name: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' has 48 characters; use at most 47 (KubeRay adds a suffix for clusters and Services), for example 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'",
  ],
  [
    of({ name: '1st' }),
    "name: '1st' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'st'",
  ],
  [
    of({ image: 'Ray:2.9.0' }),
    "image: 'Ray:2.9.0' is not an image with a tag or digest; use REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
  ],
  [
    of({ image: 'rayproject/ray:2.46.0-py310', rayVersion: '2.9.0' }),
    "rayVersion: '2.9.0' is not the version of image 'rayproject/ray:2.46.0-py310'; use '2.46.0', or omit rayVersion",
  ],
  [
    of({ rayVersion: '2.9' }),
    "rayVersion: '2.9' is not a version of Ray; use MAJOR.MINOR.PATCH, like '2.46.0'; omit it for a nightly image",
  ],
  [
    of({ serviceAccountName: 'My_SA' }),
    "serviceAccountName: 'My_SA' is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example 'my-sa'",
  ],
  [
    of({ monitoring: { interval: '15 seconds' } }),
    "monitoring.interval: '15 seconds' is not a duration; use a duration, for example '15s'",
  ],
  [
    of({ labels: { 'app.kubernetes.io/name': 'x' } }),
    'labels[app.kubernetes.io/name]: is reserved: KubeRay and the TPU webhook set this label and select pods by it; use a label with another name',
  ],
  [
    of({ labels: { app: 'x' } }),
    "labels[app]: 'x' is reserved: it selects the pods and always equals the name; use a label with another name",
  ],
  [
    of({ idleTimeoutSeconds: 600 }),
    "idleTimeoutSeconds: '600' has no effect without enableInTreeAutoscaling; use enableInTreeAutoscaling: true",
  ],
  [
    propsOf({ idleTimeoutSeconds: -1, enableInTreeAutoscaling: true }, { maxReplicas: 2 }),
    "idleTimeoutSeconds: '-1' is not a whole number of at least 0; use 0",
  ],
  // groups
  [
    of({ workerGroups: [] }),
    'workerGroups: is empty; use a list of at least one group, with groupName and slice',
  ],
  [
    of({ workerGroups: [...propsOf().workerGroups, ...propsOf().workerGroups] }),
    "workerGroups[1].groupName: 'tpu' is also the groupName of workerGroups[0]; use a unique value",
  ],
  [
    group({ groupName: 'TPU group' }),
    "workerGroups[0].groupName: 'TPU group' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'tpu-group'",
  ],
  [
    group({ groupName: 'a'.repeat(58) }),
    "workerGroups[0].groupName: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' has 58 characters; use at most 57 (the names of slices and hosts start with it), for example 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'",
  ],
  [
    group({ groupName: 'a'.repeat(57), maxReplicas: 10_000 }),
    "workerGroups[0].groupName: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' has 57 characters; use at most 56 (the names of slices and hosts start with it), for example 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'",
  ],
  [
    group({ groupName: 'headgroup' }),
    "workerGroups[0].groupName: 'headgroup' is KubeRay's name for the head; use another name, for example 'tpu-group'",
  ],
  [
    of({ head: { resources: { limits: { memory: '8GB' } } } }),
    "head.resources.limits[memory]: '8GB' is not a quantity; use a number with a suffix, for example '8G'",
  ],
  [
    group({ resources: { limits: { cpu: '20 cores' } } }),
    "workerGroups[0].resources.limits[cpu]: '20 cores' is not a quantity; use a number with a suffix, for example '20'",
  ],
  [
    group({ resources: amounts('180', '20G') }),
    "workerGroups[0].resources.requests[cpu]: '180' does not fit on a ct6e-standard-4t, which has 180 vCPUs; use less, for example '144'",
  ],
  [
    group({ resources: amounts('8', '720Gi') }),
    "workerGroups[0].resources.requests[memory]: '720Gi' does not fit on a ct6e-standard-4t, which has 720 GB; use less, for example '576G'",
  ],
  [
    group({ resources: { limits: { 'ephemeral-storage': '20gb' } } }),
    "workerGroups[0].resources.limits[ephemeral-storage]: '20gb' is not a quantity; use a number with a suffix, for example '20G'",
  ],
  [
    of({ head: { rayStartParams: { '--num-cpus': '0' } } }),
    "head.rayStartParams: '--num-cpus' is not a flag without leading dashes; use a flag like 'num-cpus'",
  ],
  [
    of({ head: { rayStartParams: { 'dashboard-port': '80' } } }),
    "head.rayStartParams[dashboard-port]: '80' is not the port that the pod declares; use '8265'",
  ],
  [
    group({ rayStartParams: { labels: 'a=b' } }),
    'workerGroups[0].rayStartParams[labels]: is a flag that KubeRay rejects; use the prop labels to set labels of the pods',
  ],
  [
    group({ replicas: 11, maxReplicas: 10 }),
    "workerGroups[0].replicas: '11' is more than maxReplicas (10); use at most 10",
  ],
  [
    group({ replicas: 1, minReplicas: 2 }),
    "workerGroups[0].replicas: '1' is less than minReplicas (2); use at least 2",
  ],
  [group({ replicas: 1.5 }), "workerGroups[0].replicas: '1.5' is not a whole number of at least 0; use 2"],
  [
    group({ minReplicas: 3, maxReplicas: 2 }),
    "workerGroups[0].maxReplicas: '2' is less than minReplicas (3); use at least 3",
  ],
  [
    group({ minReplicas: -1 }),
    "workerGroups[0].minReplicas: '-1' is not a whole number of at least 0; use 0",
  ],
  [group({ maxReplicas: 0 }), "workerGroups[0].maxReplicas: '0' is not a whole number of at least 1; use 1"],
  [
    propsOf({ enableInTreeAutoscaling: true }, { replicas: 2, maxReplicas: 4 }),
    "workerGroups[0].replicas: '2' is set together with enableInTreeAutoscaling, with which a cluster starts at minReplicas; use minReplicas and maxReplicas",
  ],
  [
    of({ enableInTreeAutoscaling: true }),
    'workerGroups[0].maxReplicas: required with enableInTreeAutoscaling, for example 4',
  ],
  [
    group({ slice: TpuSlice.of('ct4p-hightpu-4t'), capacity: Capacity.flexStart() }),
    "workerGroups[0].capacity: 'flex-start' is not available on ct4p-hightpu-4t; use a slice of v5e, v5p, v6e or tpu7x, or another capacity",
  ],
  [
    group({ modelSize: 'large' }),
    "workerGroups[0].modelSize: 'large' is not a quantity; use a number with a suffix, for example '20Gi'",
  ],
  // operation
  [
    group({ preStopSeconds: 1.5 }),
    "workerGroups[0].preStopSeconds: '1.5' is not a whole number of at least 0; use 2",
  ],
  [
    group({ preStopSeconds: 11, capacity: Capacity.spot() }),
    "workerGroups[0].preStopSeconds: '11' is too long for spot nodes, whose pods have 15 seconds in total; use at most 10",
  ],
  [
    of({ head: { preStopSeconds: -1, priorityClassName: 'Heads' } }),
    "head.priorityClassName: 'Heads' is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example 'heads'",
    "head.preStopSeconds: '-1' is not a whole number of at least 0; use 0",
  ],
  [
    of({ operatorPeers: [{ namespaceSelector: {} }] }),
    'operatorPeers: is set without allowedClients, so it has no NetworkPolicy to change; use both or neither',
  ],
  [of({ allowedClients: [], operatorPeers: [] }), 'operatorPeers: is empty; use a list of at least one peer'],
  [
    group({ startupSeconds: 0 }),
    "workerGroups[0].startupSeconds: '0' is not a whole number of at least 1; use 1",
  ],
  [
    group({ modelSize: '141 GB' }),
    "workerGroups[0].modelSize: '141 GB' is not a quantity; use a number with a suffix, for example '141G'",
  ],
  [
    group({
      modelSize: '141G',
      modelCache: new GcsFuseVolume({
        bucketName: 'b-1',
        mountPath: '/data',
        cache: { medium: 'ram', sizeLimit: '100Gi' },
      }),
    }),
    "workerGroups[0].modelCache.cache: '100Gi' is smaller than the weights, '141G': every start reads the rest from the bucket; use at least the size of the weights, for example '132Gi'",
  ],
  [
    group({
      modelCache: new GcsFuseVolume({
        bucketName: 'b-1',
        mountPath: '/data',
        cache: { medium: 'ram', sizeLimit: '1Ti' },
      }),
    }),
    "workerGroups[0].volumes: need too much of the 720 GB of memory of a ct6e-standard-4t: 'gke-gcsfuse-cache' (1Ti); use at most 603Gi together, or a cache on disk",
  ],
  [
    group({ compileCachePath: '/data/xla', fragments: [CACHE] }),
    "workerGroups[0].compileCachePath: '/data/xla' is on a volume that 4 hosts would write at the same time; use a local folder of each host, for example '/tmp/vllm_xla_cache'",
  ],
  [
    group({ compileCachePath: '/cache/xla', slice: TpuSlice.of('ct6e-standard-8t') }),
    "workerGroups[0].compileCachePath: '/cache/xla' is not on a volume: its files are lost at every restart; use a folder below the mountPath of a modelCache",
  ],
  [
    group({ modelCache: { mountPath: '/data' } }),
    "workerGroups[0].modelCache.mountPath: '/data' is not on a volume; use the mountPath of one of its volumeMounts",
  ],
  // fragments
  [
    group({ fragments: [{ pod: { affinity: {} } }] }),
    'workerGroups[0].fragments[0].pod.affinity: is set by the TPU webhook on the pods of a slice with 4 hosts; remove it',
  ],
  [
    group({ fragments: [{ env: [{ name: 'TPU_WORKER_ID', value: '0' }] }] }),
    'workerGroups[0].fragments[0].env[TPU_WORKER_ID]: is set by the TPU webhook on each host; remove it',
  ],
  [
    group({ fragments: [{ labels: { 'app.kubernetes.io/created-by': 'me' } }] }),
    'workerGroups[0].fragments[0].labels[app.kubernetes.io/created-by]: is reserved: KubeRay and the TPU webhook set this label and select pods by it; use a label with another name',
  ],
  [
    of({ head: { fragments: [{ labels: { 'ray.io/cluster': 'x' } }] } }),
    'head.fragments[0].labels[ray.io/cluster]: is reserved: KubeRay and the TPU webhook set this label and select pods by it; use a label with another name',
  ],
  [
    of({ head: { fragments: [{ pod: { hostNetwork: false } }] } }),
    "head.fragments[0].pod.hostNetwork: 'false' is the default, which is not stored, so every apply would find a difference; remove it",
  ],
  [
    group({ fragments: [{ resources: { limits: { 'google.com/tpu': '8' } } }] }),
    "workerGroups[0].resources.limits[google.com/tpu]: '8' differs from '4', which follows from the slice; use another slice, or override() on the rendered object",
  ],
  [
    group({ fragments: [{ nodeSelector: { 'cloud.google.com/gke-tpu-topology': '2x4' } }] }),
    "workerGroups[0].nodeSelector[cloud.google.com/gke-tpu-topology]: '2x4' differs from '4x4', which follows from the slice; use another slice, or override() on the rendered object",
  ],
  // applications
  [
    of({ serveConfig: { applications: [] } }),
    'serveConfig.applications: is empty; use a list of at least one application, with name and importPath',
  ],
  [
    of({
      serveConfig: {
        applications: [
          { name: 'a', importPath: 'a:b' },
          { name: 'a', importPath: 'a:c', routePrefix: '/' },
        ],
      },
    }),
    "serveConfig.applications[1].name: 'a' is also the name of applications[0]; use a unique value",
    "serveConfig.applications[1].routePrefix: '/' is also the routePrefix of applications[0]; use a unique value",
  ],
  [
    of({
      serveConfig: {
        ...propsOf().serveConfig,
        httpOptions: { requestTimeoutS: 0, keepAliveTimeoutS: 1.5, rootPath: '/a/' },
      },
    }),
    "serveConfig.httpOptions.requestTimeoutS: '0' is not a number above 0; use 1",
    "serveConfig.httpOptions.keepAliveTimeoutS: '1.5' is not a whole number of at least 0; use 2",
    "serveConfig.httpOptions.rootPath: '/a/' is not a route; use a path that starts with '/', does not end with '/' and contains neither '{', '}' nor spaces, for example '/a'",
  ],
  [application({ name: '' }), "serveConfig.applications[0].name: '' is empty; use a name, like 'my-model'"],
  [
    application({ importPath: 'app' }),
    "serveConfig.applications[0].importPath: 'app' is not an import path; use 'package.module:variable'",
  ],
  [
    application({ routePrefix: 'sd/' }),
    "serveConfig.applications[0].routePrefix: 'sd/' is not a route; use a path that starts with '/', does not end with '/' and contains neither '{', '}' nor spaces, for example '/sd'",
  ],
  [
    application({ runtimeEnv: { workingDir: './src', pyModules: ['http://x/y.zip'] } }),
    "serveConfig.applications[0].runtimeEnv.workingDir: './src' is not a remote URI; use a URI like 'https://…/main.zip' or 'gs://…/app.zip'",
    "serveConfig.applications[0].runtimeEnv.pyModules[0]: 'http://x/y.zip' is not a remote URI; use a URI like 'https://…/main.zip' or 'gs://…/app.zip'",
  ],
  [
    application({ runtimeEnv: { pip: [''], config: { setupTimeoutSeconds: 0 } } }),
    "serveConfig.applications[0].runtimeEnv.pip[0]: '' is not a pip requirement; use a requirement like 'flax' or 'jax==0.4.11'",
    "serveConfig.applications[0].runtimeEnv.config.setupTimeoutSeconds: '0' is not a whole number of at least 1; use 1",
  ],
  [
    application({ runtimeEnv: { envVars: { 'A-B': 'x', HF: 'hf_abcdefghijklmnop' } } }),
    "serveConfig.applications[0].runtimeEnv.envVars: 'A-B' is not a variable name; use letters, digits and '_', starting with a letter or '_'",
    "serveConfig.applications[0].runtimeEnv.envVars[HF]: contains a Hugging Face token; use the prop huggingFaceToken of the worker group: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token')",
  ],
  [
    application({ deployments: [{ name: 'D' }, { name: 'D' }] }),
    "serveConfig.applications[0].deployments[1].name: 'D' is also the name of deployments[0]; use a unique value",
  ],
  // deployments
  [
    deployment({ numReplicas: 0 }),
    "serveConfig.applications[0].deployments[0].numReplicas: '0' is not a whole number of at least 1; use 1",
  ],
  [
    deployment({ numReplicas: 2, autoscalingConfig: { maxReplicas: 2 } }),
    "serveConfig.applications[0].deployments[0].numReplicas: '2' is set together with autoscalingConfig; use one of them, or 'auto'",
  ],
  [
    deployment({ numReplicas: 'auto', maxQueuedRequests: 10 }),
    "serveConfig.applications[0].deployments[0].numReplicas: 'auto' needs Ray 2.10 or later; the image has 2.9.0",
    "serveConfig.applications[0].deployments[0].maxQueuedRequests: '10' needs Ray 2.10 or later; the image has 2.9.0",
  ],
  [
    deployment({
      autoscalingConfig: { minReplicas: 3, maxReplicas: 2, upscaleDelayS: -1, targetOngoingRequests: 0 },
    }),
    "serveConfig.applications[0].deployments[0].autoscalingConfig.targetOngoingRequests: '0' is not a number above 0; use 1",
    "serveConfig.applications[0].deployments[0].autoscalingConfig.upscaleDelayS: '-1' is not a number of at least 0; use 0",
    "serveConfig.applications[0].deployments[0].autoscalingConfig.maxReplicas: '2' is less than minReplicas (3); use at least 3",
  ],
  [
    deployment({ autoscalingConfig: { minReplicas: 1, maxReplicas: 2, initialReplicas: 3 } }),
    "serveConfig.applications[0].deployments[0].autoscalingConfig.initialReplicas: '3' is not between minReplicas and maxReplicas; use a number from 1 to 2",
  ],
  [
    deployment({
      maxOngoingRequests: 0,
      maxReplicasPerNode: 101,
      healthCheckTimeoutS: 0,
      gracefulShutdownTimeoutS: -1,
    }),
    "serveConfig.applications[0].deployments[0].maxOngoingRequests: '0' is not a whole number of at least 1; use 1",
    "serveConfig.applications[0].deployments[0].gracefulShutdownTimeoutS: '-1' is not a number of at least 0; use 0",
    "serveConfig.applications[0].deployments[0].healthCheckTimeoutS: '0' is not a number above 0; use 1",
    "serveConfig.applications[0].deployments[0].maxReplicasPerNode: '101' is not a whole number from 1 to 100; use 100",
  ],
  [
    deployment({ rayActorOptions: { numCpus: -1, memory: 0.5, runtimeEnv: { workingDir: '/app' } } }),
    "serveConfig.applications[0].deployments[0].rayActorOptions.numCpus: '-1' is not a number of at least 0; use 0",
    "serveConfig.applications[0].deployments[0].rayActorOptions.memory: '0.5' is not a whole number of at least 0; use 1",
    "serveConfig.applications[0].deployments[0].rayActorOptions.runtimeEnv.workingDir: '/app' is not a remote URI; use a URI like 'https://…/main.zip' or 'gs://…/app.zip'",
  ],
  [
    deployment({ rayActorOptions: { resources: { TPU: 16 } } }),
    "serveConfig.applications[0].deployments[0].rayActorOptions.resources[TPU]: '16' does not fit on a host with 4 chips; use a whole number up to 4, and placementGroupBundles with one bundle for each host if a model needs several hosts",
  ],
  [
    deployment({ numReplicas: 5, rayActorOptions: { resources: { TPU: 4 } } }),
    'serveConfig.applications: request 20 TPU chips, but the worker groups have 16; use fewer replicas or chips, or more slices',
  ],
  [
    deployment({ placementGroupBundles: [{ TPU: 4 }, { TPU: 4 }, { TPU: 4 }, { TPU: 4 }, { TPU: 4 }] }),
    'serveConfig.applications: request 20 TPU chips, but the worker groups have 16; use fewer replicas or chips, or more slices',
  ],
  [
    deployment({
      rayActorOptions: { resources: { TPU: 4 } },
      placementGroupBundles: [{ CPU: 1 }, { TPU: 4 }],
      maxReplicasPerNode: 1,
    }),
    "serveConfig.applications[0].deployments[0].maxReplicasPerNode: '1' is set together with placementGroupBundles; use one of them",
    "serveConfig.applications[0].deployments[0].rayActorOptions.resources[TPU]: '4' is more than placementGroupBundles[0] has, the bundle in which the replica runs; use at most 0",
  ],
  // everything at once
  [
    propsOf(
      { name: 'Ray', image: 'ray', head: { resources: { limits: { cpu: 'two' } } } },
      {
        groupName: 'TPU',
        resources: amounts('500', '20G'),
        maxReplicas: 0,
        fragments: [{ pod: { hostname: 'x', subdomain: 'y' } }],
      },
    ),
    "name: 'Ray' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'ray'",
    "image: 'ray' is not an image with a tag or digest; use REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
    "head.resources.limits[cpu]: 'two' is not a quantity; use a number with a suffix, for example '8'",
    "workerGroups[0].groupName: 'TPU' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'tpu'",
    "workerGroups[0].maxReplicas: '0' is not a whole number of at least 1; use 1",
    'workerGroups[0].fragments[0].pod.hostname: is set by the TPU webhook on the pods of a slice with 4 hosts; remove it',
    'workerGroups[0].fragments[0].pod.subdomain: is set by the TPU webhook on the pods of a slice with 4 hosts; remove it',
    "workerGroups[0].resources.requests[cpu]: '500' does not fit on a ct6e-standard-4t, which has 180 vCPUs; use less, for example '144'",
  ],
])('rejects mistake %#', (props, ...messages) => {
  expect(refusal(props).split('\n')).toEqual(messages.map((message) => `test/ray ${message}`));
});

describe('rejects untyped props', () => {
  const untyped = (json: string): string[] =>
    refusal(JSON.parse(json) as TpuRayServiceProps)
      .split('\n')
      .map((line) => line.replace(/^test\/ray /, ''));
  const serve = '"serveConfig": { "applications": [{ "name": "app", "importPath": "a:b" }] }';

  test('missing props, without a TypeError', () => {
    expect(untyped('{}')).toEqual([
      "workerGroups: required, for example [{ groupName: 'tpu-group', slice: TpuSlice.of('ct6e-standard-4t') }]",
      "serveConfig: required, for example { applications: [{ name: 'my-model', importPath: 'package.module:variable' }] }",
    ]);
    expect(untyped(`{ ${serve}, "workerGroups": [{}] }`)).toEqual([
      "workerGroups[0].slice: required, for example TpuSlice.of('ct6e-standard-8t')",
      "workerGroups[0].groupName: required, for example 'tpu-group'",
    ]);
    expect(untyped(`{ "workerGroups": {}, "serveConfig": {} }`)).toEqual([
      'workerGroups: is an object; use a list of at least one group, with groupName and slice',
      "serveConfig.applications: required, for example [{ name: 'my-model', importPath: 'package.module:variable' }]",
    ]);
  });

  test('unknown props, with the closest known name', () => {
    expect(
      untyped(`{ ${serve}, "workerGroups": [{ "cpu": "8", "drainSeconds": 5 }], "spareSlices": 1 }`),
    ).toEqual([
      'spareSlices: unknown property',
      'workerGroups[0].cpu: unknown property',
      "workerGroups[0].drainSeconds: unknown property; did you mean 'preStopSeconds'?",
      "workerGroups[0].slice: required, for example TpuSlice.of('ct6e-standard-8t')",
      "workerGroups[0].groupName: required, for example 'tpu-group'",
    ]);
  });

  test('values of other types', () => {
    const args = { since: new Date(0) };
    expect(refusal(application({ args }))).toBe(
      'test/ray serveConfig.applications[0].args[since]: is not a JSON value; use strings, numbers, booleans, lists and objects',
    );
    expect(refusal(application({ args: { a: [{ b: NaN }] } }))).toContain('args[a]: is not a JSON value');
  });

  test('mistakes of an application together with mistakes of the cluster', () => {
    expect(
      untyped(
        `{ "name": "Ray", "workerGroups": [{ "groupName": "tpu" }], "serveConfig": { "applications": [{ "name": 1 }] } }`,
      ),
    ).toEqual([
      "name: 'Ray' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'ray'",
      "workerGroups[0].slice: required, for example TpuSlice.of('ct6e-standard-8t')",
      "serveConfig.applications[0].name: '1' is a number; use a name, like 'my-model'",
      "serveConfig.applications[0].importPath: required, for example 'package.module:variable'",
    ]);
  });
});

describe('the version of Ray', () => {
  test('is not rendered for an image whose tag does not contain it, like a nightly image', () => {
    const nightly = render({ image: 'rayproject/ray:nightly-py312-tpu', serveConfig: scaled });
    expect(nightly.rayClusterConfig).not.toHaveProperty('rayVersion');
    expect(nightly.serveConfigV2).toContain('max_ongoing_requests: 5');
    expect(render({ image: 'my-repo/ray-vllm:1.4.2' }).rayClusterConfig).not.toHaveProperty('rayVersion');
  });

  test.each(['2.47.0rc1', '3.0.0.dev0'])('can be a pre-release: %s', (rayVersion) => {
    expect(render({ image: 'my-image:v1', rayVersion }).rayClusterConfig.rayVersion).toBe(rayVersion);
  });
});

describe('the port of the metrics', () => {
  const params = { 'metrics-export-port': '8082' };
  const portsIn = (spec: Service['spec']): unknown[] =>
    podsIn(spec).map(
      ({ containers: [{ ports }] }) => ports.find(({ name }) => name === 'metrics')?.containerPort,
    );

  test('can differ between groups without monitoring', () => {
    expect(portsIn(render({ monitoring: false }, { rayStartParams: params }))).toEqual([8080, 8082]);
  });

  test('can be changed in all groups with monitoring', () => {
    const props = propsOf({ head: { rayStartParams: params } }, { rayStartParams: params });
    expect((make(props).podMonitoring?.toJson() as { spec: unknown }).spec).toMatchObject({
      endpoints: [{ port: 8082 }],
    });
    expect(portsIn(render(props, { rayStartParams: params }))).toEqual([8082, 8082]);
  });

  test('must be the same in all groups with monitoring', () => {
    expect(refusal(group({ rayStartParams: params }))).toBe(
      "test/ray workerGroups[0].rayStartParams[metrics-export-port]: '8082' is not the port of the head's metrics (8080), but monitoring reads the same port of all pods; use the same port in all groups, or monitoring: false",
    );
  });
});

test('renders priority only for an operator that supports it', () => {
  expect(groupOf({})).not.toHaveProperty('priority');
  expect(groupOf({ kubeRayVersion: 'v1.6.2' })).not.toHaveProperty('priority');
  expect(groupOf({ kubeRayVersion: '1.7.0' })).toHaveProperty('priority', 0);
});

describe('props that servers share', () => {
  test('appear in the pods of their group or of the head', () => {
    const words = {
      labels: { team: 'serving' },
      annotations: { 'example.com/owner': 'me' },
      serviceAccountName: { name: 'of-group' },
      imagePullSecrets: ['registry'],
      env: { LOG_LEVEL: 'debug' },
      sharedMemory: '16Gi',
      sidecars: [{ name: 'proxy', image: 'proxy:v1' }],
      podSecurityLevel: 'privileged',
      shutdownSeconds: 90,
    } as const;
    const spec = render({ head: words, serviceAccountName: 'of-cluster' }, words);
    const { headGroupSpec, workerGroupSpecs } = spec.rayClusterConfig;
    for (const { template } of [headGroupSpec, workerGroupSpecs[0]]) {
      expect(template).toMatchObject({
        metadata: { labels: { team: 'serving', app: 'ray' }, annotations: { 'example.com/owner': 'me' } },
        spec: {
          serviceAccountName: 'of-group',
          imagePullSecrets: [{ name: 'registry' }],
          terminationGracePeriodSeconds: 120,
          containers: [{ securityContext: { privileged: true } }, { name: 'proxy' }],
          volumes: [{ name: 'dshm', emptyDir: { medium: 'Memory', sizeLimit: '16Gi' } }],
        },
      });
      expect(variablesOf(template.spec)).toMatchObject({
        LOG_LEVEL: 'debug',
        RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S: '80',
      });
    }
  });

  test('a group without resources requests most of its host', () => {
    expect(groupOf({}, { resources: undefined }).template.spec.containers[0].resources).toEqual({
      requests: { cpu: '144', memory: '576G', 'google.com/tpu': '4' },
      limits: { 'google.com/tpu': '4' },
    });
  });

  test('passes a token as an environment variable of the group', () => {
    const spec = groupOf({}, { huggingFaceToken: HuggingFaceToken.fromSecret('hf', 'key') }).template.spec;
    expect(spec.containers[0].env).toContainEqual({
      name: 'HF_TOKEN',
      valueFrom: { secretKeyRef: { name: 'hf', key: 'key' } },
    });
  });
});
