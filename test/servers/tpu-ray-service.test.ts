import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Testing, Yaml } from 'cdk8s';
import fc from 'fast-check';
import { RayStableDiffusion } from '../../examples/ray-stable-diffusion';
import {
  Capacity,
  GcsFuseVolume,
  HuggingFaceToken,
  InvalidInputError,
  type JsonValue,
  MACHINE_TYPES,
  startupEstimate,
  type RayServeApplication,
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

/** A service of one application on one group of slices of four hosts. */
function propsOf(
  changes: Partial<TpuRayServiceProps> = {},
  group: Partial<TpuRayWorkerGroup> = {},
): TpuRayServiceProps {
  return {
    serveConfig: { applications: [{ name: 'app', importPath: 'pkg.mod:app' }] },
    workerGroups: [{ groupName: 'tpu', slice: SLICE, cpu: '20', memory: '200Gi', ...group }],
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

/** vLLM on slices of four hosts beside a group of single hosts, scaled by Ray. */
const SEVERAL: TpuRayServiceProps = {
  labels: { 'ai.gke.io/inference-server': 'vllm' },
  image: 'us-docker.pkg.dev/my-project/my-repo/vllm-ray:v1',
  rayVersion: '2.46.0',
  serviceAccountName: 'ray',
  enableInTreeAutoscaling: true,
  idleTimeoutSeconds: 600,
  upgradeStrategy: 'NewCluster',
  spareSlices: 3,
  monitoring: { interval: '30s' },
  head: {
    cpu: '4',
    memory: '16Gi',
    ephemeralStorage: '50Gi',
    rayStartParams: { 'num-cpus': '0' },
    fragments: [CACHE],
  },
  workerGroups: [
    {
      groupName: 'slices',
      slice: SLICE,
      cpu: '20',
      memory: '200Gi',
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
      cpu: '100',
      memory: '800Gi',
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

test('the tutorial: Stable Diffusion on single hosts of TPU v4', () => {
  expect(Testing.synth(new RayStableDiffusion(Testing.app()))).toMatchSnapshot();
});

test('several groups, several hosts, autoscaled, with a bucket and a token', () => {
  const chart = Testing.chart();
  new TpuRayService(chart, 'ray', SEVERAL);
  expect(Testing.synth(chart)).toMatchSnapshot();
});

test('a slice of several hosts, nothing else', () => {
  const chart = Testing.chart();
  new TpuRayService(chart, 'ray', propsOf({ monitoring: false }));
  expect(Testing.synth(chart)).toMatchSnapshot();
});

// ---- what the rest of the world relies on ------------------------------------------------------------------------

test('one image and one version for the head and all workers', () => {
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
])('the version of %s is %s', (image, version) => {
  expect(render({ image }).rayClusterConfig.rayVersion).toBe(version);
});

test('the head has the ports that KubeRay knows by name, and every worker its metrics', () => {
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

describe('pods end', () => {
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

  test('after they left their Services, and Ray ended their replicas', () => {
    expect(endings()).toEqual([
      ['30', '20', 60],
      ['30', '20', 60],
    ]);
  });

  test('as slowly as the slowest deployment says', () => {
    expect(endings(slow)).toEqual([
      ['30', '91', 131],
      ['30', '91', 131],
    ]);
  });

  test('after as long as each group says', () => {
    expect(endings({ head: { drainSeconds: 0 } }, { drainSeconds: 120 })).toEqual([
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

test('groups have a priority', () => {
  const spec = render({ head: { priorityClassName: 'heads' } }, { priorityClassName: 'serving' });
  expect(podsIn(spec).map(({ priorityClassName }) => priorityClassName)).toEqual(['heads', 'serving']);
});

test.each<[string, Partial<TpuRayWorkerGroup>, unknown]>([
  ['single hosts, over node pools', { slice: TpuSlice.of('ct6e-standard-8t'), maxReplicas: 2 }, 'tpu'],
  ['one host alone', { slice: TpuSlice.of('ct6e-standard-8t') }, undefined],
  ['slices of several hosts, each a node pool', { maxReplicas: 2 }, undefined],
])('spread: %s', (_, group, spread) => {
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

  test('has its own timeout where no size is known', () => {
    expect(timeouts({})).toEqual([undefined, undefined]);
  });

  test('is given as long as is said, on the head too', () => {
    expect(timeouts({ startupSeconds: 777 })).toEqual(['777', '777']);
  });

  test('is given what a start of its size takes, more without a file cache', () => {
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

  test('is there only with clients', () => {
    expect(policyOf({})).toBeUndefined();
  });

  test('lets in clients, the collector, the cluster itself and its operator', () => {
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

  test('without clients and metrics lets in the cluster and its operator alone', () => {
    expect(policyOf({ allowedClients: [], monitoring: false })).toHaveProperty('ingress', [own, operator]);
  });

  test('takes the operator from where it is', () => {
    const operatorPeers = [
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ray-system' } } },
    ];
    expect(policyOf({ allowedClients: [], monitoring: false, operatorPeers })).toHaveProperty('ingress', [
      own,
      { from: operatorPeers, ports: ports(8265, 8000) },
    ]);
  });
});

test('metrics are collected from the pods of this service alone', () => {
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

test('the Services have the names that KubeRay gives them', () => {
  const { headServiceName, serveServiceName } = make(propsOf());
  expect([headServiceName, serveServiceName]).toEqual(['ray-head-svc', 'ray-serve-svc']);
});

test('nothing changes the running cluster unless asked to', () => {
  expect(render().upgradeStrategy).toEqual({ type: 'None' });
  expect(render({ upgradeStrategy: 'NewCluster', spareSlices: 1 }).upgradeStrategy).toEqual({
    type: 'NewCluster',
  });
});

test.each<[string, Partial<TpuRayWorkerGroup>, boolean, [number, number, number]]>([
  ['nothing given', {}, false, [1, 1, 1]],
  ['replicas alone are fixed', { replicas: 3 }, false, [3, 3, 3]],
  ['the range bounds replicas', { replicas: 2, minReplicas: 1, maxReplicas: 10 }, false, [2, 1, 10]],
  ['the fewest are what is there', { minReplicas: 2, maxReplicas: 10 }, false, [2, 2, 10]],
  ['scaled down to nothing', { replicas: 0 }, false, [0, 0, 1]],
  ['an autoscaler starts with the fewest', { minReplicas: 2, maxReplicas: 10 }, true, [2, 2, 10]],
  ['an autoscaler may start with none', { minReplicas: 0, maxReplicas: 10 }, true, [0, 0, 10]],
  ['an autoscaler keeps one unless told otherwise', { maxReplicas: 10 }, true, [1, 1, 10]],
])('slices: %s', (_, group, enableInTreeAutoscaling, expected) => {
  const { replicas, minReplicas, maxReplicas } = groupOf({ enableInTreeAutoscaling }, group);
  expect([replicas, minReplicas, maxReplicas]).toEqual(expected);
});

test('without an autoscaler nothing about one is rendered', () => {
  expect(render({ enableInTreeAutoscaling: false }).rayClusterConfig).not.toHaveProperty(
    'enableInTreeAutoscaling',
  );
});

// ---- serveConfigV2 -----------------------------------------------------------------------------------------------

const serveConfigText = (serveConfig: RayServeConfig, rayVersion = '2.46.0'): string =>
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

test('fields are in snake case', () => {
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

test.each(['2.9.3', '1.13.0'])('fields have their old names in Ray %s', (rayVersion) => {
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

/** What users write; YAML 1.1 reads `<<` as more than a key, and JSON knows no -0. */
const json = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => JSON.stringify(value))
  .filter((text) => !/"(<<|__proto__)":/.test(text))
  .map((text) => JSON.parse(text) as JsonValue);
const variable = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]*$/);
const line = fc.string({ minLength: 1 }).filter((text) => /^[^\s].*$/.test(text));

const own = fc.record({
  map: fc.dictionary(variable, json, { noNullPrototype: true }),
  envVars: fc.dictionary(variable, fc.string(), { noNullPrototype: true }),
  pip: fc.array(line),
});

test('what is the user’s own arrives as it is, whatever its keys and texts look like', () => {
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

test('hosts, chips and selectors of any legal slice agree, and a second apply finds no difference', () => {
  fc.assert(
    fc.property(slices, fc.integer({ min: 1, max: 5 }), fc.boolean(), (slice, replicas, autoscaled) => {
      const { headGroupSpec, workerGroupSpecs } = render(
        { enableInTreeAutoscaling: autoscaled },
        {
          slice,
          cpu: '10',
          memory: '20G',
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

/** What comes of it: the whole message, each line after the path of the construct. */
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
    "name 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' has 48 characters, expected at most 47, since KubeRay names its cluster and Services after it; nearest: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'",
  ],
  [
    of({ name: '1st' }),
    "name '1st' is not a DNS label, expected lower-case letters, digits and '-', first a letter; nearest: 'st'",
  ],
  [
    of({ image: 'Ray:2.9.0' }),
    "image 'Ray:2.9.0' is not an image reference, expected REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
    "rayVersion is missing and cannot be read from image 'Ray:2.9.0', expected that of its Ray, like '2.9.0'",
  ],
  [
    of({ image: 'us-docker.pkg.dev/my-project/my-repo/vllm:v1' }),
    "rayVersion is missing and cannot be read from image 'us-docker.pkg.dev/my-project/my-repo/vllm:v1', expected that of its Ray, like '2.9.0'",
  ],
  [
    of({ image: 'my-repo/ray-vllm:1.4.2' }),
    "rayVersion is missing and cannot be read from image 'my-repo/ray-vllm:1.4.2', expected that of its Ray, like '2.9.0'",
  ],
  [
    of({ image: 'rayproject/ray:2.46.0-py310', rayVersion: '2.9.0' }),
    "rayVersion '2.9.0' contradicts image 'rayproject/ray:2.46.0-py310', expected the version of the image; nearest: '2.46.0'",
  ],
  [
    of({ rayVersion: '2.9' }),
    "rayVersion '2.9' is not a version, expected MAJOR.MINOR.PATCH; nearest: '2.9.0'",
  ],
  [
    of({ serviceAccountName: 'My_SA' }),
    "serviceAccountName 'My_SA' is not a DNS name, expected at most 253 lower-case letters, digits, '-' and '.' between them; nearest: 'my-sa'",
  ],
  [
    of({ monitoring: { interval: '15 seconds' } }),
    "monitoring interval '15 seconds' is not a duration, expected one like '15s' or '1m'; nearest: '15s'",
  ],
  [
    of({ labels: { 'app.kubernetes.io/name': 'x' } }),
    "labels 'app.kubernetes.io/name' is set to 'x', expected none: KubeRay and the TPU webhook write it, and know their pods by it",
  ],
  [
    of({ labels: { app: 'x' } }),
    "labels 'app' is set to 'x', expected none: it is the name of the RayService, which its pods are selected by",
  ],
  [
    of({ idleTimeoutSeconds: 600 }),
    "idleTimeoutSeconds '600' is set without an autoscaler, expected enableInTreeAutoscaling: true",
  ],
  [
    propsOf({ idleTimeoutSeconds: -1, enableInTreeAutoscaling: true }, { maxReplicas: 2 }),
    "idleTimeoutSeconds '-1' is not a whole number of at least 0; nearest: 0",
  ],
  // upgrades
  [
    of({ upgradeStrategy: 'NewCluster' }),
    "upgradeStrategy 'NewCluster' starts a second cluster of 1 slice beside the first, expected spareSlices of at least that, got 'none'; nearest: 1, or upgradeStrategy 'None'",
  ],
  [
    propsOf({ upgradeStrategy: 'NewCluster', spareSlices: 1 }, { replicas: 2 }),
    "upgradeStrategy 'NewCluster' starts a second cluster of 2 slices beside the first, expected spareSlices of at least that, got '1'; nearest: 2, or upgradeStrategy 'None'",
  ],
  [
    of({ spareSlices: 1 }),
    "spareSlices '1' is set with upgradeStrategy 'None', which uses none, expected upgradeStrategy 'NewCluster'",
  ],
  // groups
  [
    of({ workerGroups: [] }),
    'workerGroups is empty, expected at least one, with groupName, slice, cpu and memory',
  ],
  [
    of({ workerGroups: [...propsOf().workerGroups, ...propsOf().workerGroups] }),
    "groupName 'tpu' is there twice, expected a different one for each worker group",
  ],
  [
    group({ groupName: 'TPU group' }),
    "groupName 'TPU group' is not a DNS label, expected lower-case letters, digits and '-', first a letter; nearest: 'tpu-group'",
  ],
  [
    group({ groupName: 'a'.repeat(58) }),
    "groupName 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' has 58 characters, expected at most 57, since slices and hosts are named after it; nearest: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'",
  ],
  [
    group({ groupName: 'a'.repeat(57), maxReplicas: 10_000 }),
    "groupName 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' has 57 characters, expected at most 56, since slices and hosts are named after it; nearest: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'",
  ],
  [
    group({ groupName: 'headgroup' }),
    "groupName 'headgroup' is what KubeRay calls the head, expected another; nearest: 'tpu-group'",
  ],
  [
    of({ head: { memory: '8GB' } }),
    "head memory '8GB' is not a quantity, expected a number with a suffix like '500m', '20Gi' or '8G'; nearest: '8G'",
  ],
  [
    group({ cpu: '20 cores' }),
    "worker group 'tpu' cpu '20 cores' is not a quantity, expected a number with a suffix like '500m', '20Gi' or '8G'; nearest: '20'",
  ],
  [
    group({ cpu: '180' }),
    "worker group 'tpu' cpu '180' does not fit on a ct6e-standard-4t, expected less than its 180; nearest: '179'",
  ],
  [
    group({ memory: '720Gi' }),
    "worker group 'tpu' memory '720Gi' does not fit on a ct6e-standard-4t, expected less than its 720 GB; nearest: '719G'",
  ],
  [
    group({ ephemeralStorage: '20gb' }),
    "worker group 'tpu' ephemeralStorage '20gb' is not a quantity, expected a number with a suffix like '500m', '20Gi' or '8G'; nearest: '20G'",
  ],
  [
    of({ head: { rayStartParams: { '--num-cpus': '0' } } }),
    "head rayStartParams '--num-cpus' is not a flag without its dashes, expected one like 'num-cpus'",
  ],
  [
    of({ head: { rayStartParams: { 'dashboard-port': '80' } } }),
    "head rayStartParams 'dashboard-port' is '80', expected '8265', where the pod has that port, or none",
  ],
  [
    group({ rayStartParams: { labels: 'a=b' } }),
    "worker group 'tpu' rayStartParams 'labels' is refused by KubeRay, expected none: labels of pods go into labels or a fragment",
  ],
  [
    group({ replicas: 11, maxReplicas: 10 }),
    "worker group 'tpu' replicas '11' is not a whole number from 0 to 10; nearest: 10",
  ],
  [
    group({ replicas: 1, minReplicas: 2 }),
    "worker group 'tpu' replicas '1' is not a whole number of at least 2; nearest: 2",
  ],
  [
    group({ replicas: 1.5 }),
    "worker group 'tpu' replicas '1.5' is not a whole number of at least 0; nearest: 2",
  ],
  [
    group({ minReplicas: 3, maxReplicas: 2 }),
    "worker group 'tpu' maxReplicas '2' is below minReplicas '3', expected at least as many; nearest: 3",
  ],
  [
    group({ minReplicas: -1 }),
    "worker group 'tpu' minReplicas '-1' is not a whole number of at least 0; nearest: 0",
  ],
  [
    group({ maxReplicas: 0 }),
    "worker group 'tpu' maxReplicas '0' is not a whole number of at least 1; nearest: 1",
  ],
  [
    propsOf({ enableInTreeAutoscaling: true }, { replicas: 2, maxReplicas: 4 }),
    "worker group 'tpu' replicas '2' is set beside enableInTreeAutoscaling, expected minReplicas and maxReplicas alone: a cluster starts with the fewest, and the autoscaler decides from there",
  ],
  [
    of({ enableInTreeAutoscaling: true }),
    "worker group 'tpu' maxReplicas is missing beside enableInTreeAutoscaling, expected the most slices that the autoscaler may start",
  ],
  [
    group({ slice: TpuSlice.of('ct4p-hightpu-4t'), capacity: Capacity.flexStart() }),
    "worker group 'tpu' capacity flex-start is not offered for machine type 'ct4p-hightpu-4t', expected a slice of v5e, v5p, v6e or tpu7x, or Capacity.onDemand()",
  ],
  [
    group({ slice: TpuSlice.of('ct6e-standard-4t', '2x4'), modelSize: '800G' }),
    "worker group 'tpu' slice 'ct6e-standard-4t/2x4' has 256 GiB of HBM, expected at least 745.1 GiB for 800 GB of weights (KV cache not counted); nearest: 'ct6e-standard-4t/4x8' (8 hosts, 1024 GiB)",
  ],
  [
    group({ modelSize: 'large' }),
    "worker group 'tpu' modelSize 'large' is not a quantity, expected a number with a suffix like '500m', '20Gi' or '8G'; nearest: '20Gi'",
  ],
  // operation
  [
    group({ drainSeconds: 1.5 }),
    "worker group 'tpu' drainSeconds '1.5' is not a whole number of at least 0; nearest: 2",
  ],
  [
    group({ drainSeconds: 11, capacity: Capacity.spot() }),
    "worker group 'tpu' drainSeconds '11' is longer than spot nodes wait, which give pods 15 seconds in all, expected at most 10; nearest: 10",
  ],
  [
    of({ head: { drainSeconds: -1, priorityClassName: 'Heads' } }),
    "head priorityClassName 'Heads' is not a DNS name, expected at most 253 lower-case letters, digits, '-' and '.' between them; nearest: 'heads'",
    "head drainSeconds '-1' is not a whole number of at least 0; nearest: 0",
  ],
  [
    of({ operatorPeers: [{ namespaceSelector: {} }] }),
    'operatorPeers is set without allowedClients, expected both: without them there is no NetworkPolicy',
  ],
  [
    of({ allowedClients: [], operatorPeers: [] }),
    'operatorPeers is empty, which would let in everybody, expected at least one: without its operator nothing is deployed',
  ],
  [
    group({ startupSeconds: 0 }),
    "worker group 'tpu' startupSeconds '0' is not a whole number of at least 1; nearest: 1",
  ],
  [
    group({ modelSize: '141 GB' }),
    "worker group 'tpu' modelSize '141 GB' is not a quantity, expected a number with a suffix like '500m', '20Gi' or '8G'; nearest: '141G'",
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
    "worker group 'tpu' modelCache cache of '100Gi' is smaller than the weights, '141G', and what does not fit is read from the bucket at every start, expected at least their size; nearest: '132Gi'",
  ],
  [
    group({
      modelCache: new GcsFuseVolume({
        bucketName: 'b-1',
        mountPath: '/data',
        cache: { medium: 'ram', sizeLimit: '1Ti' },
      }),
    }),
    "worker group 'tpu' volumes in memory 'gke-gcsfuse-cache' (1Ti) hold more than a ct6e-standard-4t has, expected at most 603Gi together of its 720 GB, or a cache on disk",
  ],
  [
    group({ compileCachePath: '/data/xla', fragments: [CACHE] }),
    "worker group 'tpu' compileCachePath '/data/xla' is on a volume that 4 hosts would write at once, expected a folder that each has for itself; nearest: '/tmp/vllm_xla_cache'",
  ],
  [
    group({ compileCachePath: '/tmp/xla', slice: TpuSlice.of('ct6e-standard-8t') }),
    "worker group 'tpu' compileCachePath '/tmp/xla' is on no volume and lost at every restart, expected a path under the mountPath of a modelCache",
  ],
  [
    group({ modelCache: { mountPath: '/data' } }),
    "worker group 'tpu' modelCache mountPath '/data' is on no volume, expected one of its volumeMounts there",
  ],
  // fragments
  [
    group({ fragments: [{ pod: { affinity: {} } }] }),
    "worker group 'tpu' affinity is set on pods of a slice of 4 hosts, expected none: the TPU webhook writes its own over it, which keeps the hosts of a slice together",
  ],
  [
    group({ fragments: [{ env: [{ name: 'TPU_WORKER_ID', value: '0' }] }] }),
    "worker group 'tpu' env 'TPU_WORKER_ID' is set, expected none: the TPU webhook gives each host its own",
  ],
  [
    group({ fragments: [{ labels: { 'app.kubernetes.io/created-by': 'me' } }] }),
    "worker group 'tpu' label 'app.kubernetes.io/created-by' is set to 'me', expected none: KubeRay and the TPU webhook write it, and know their pods by it",
  ],
  [
    of({ head: { fragments: [{ labels: { 'ray.io/cluster': 'x' } }] } }),
    "head label 'ray.io/cluster' is set to 'x', expected none: KubeRay and the TPU webhook write it, and know their pods by it",
  ],
  [
    of({ head: { fragments: [{ pod: { hostNetwork: false } }] } }),
    "head hostNetwork 'false' is the default, expected none: it is not stored, and every later apply would find it different",
  ],
  [
    group({ fragments: [{ resources: { limits: { 'google.com/tpu': '8' } } }] }),
    `worker group 'tpu' container 'ray-worker' resources limits google.com/tpu is set to '4' and to '8', expected one value`,
  ],
  [
    group({ fragments: [{ nodeSelector: { 'cloud.google.com/gke-tpu-topology': '2x4' } }] }),
    `worker group 'tpu' pod nodeSelector cloud.google.com/gke-tpu-topology is set to '4x4' and to '2x4', expected one value`,
  ],
  [
    group({ fragments: [{ container: { image: 'other:1' } }] }),
    `worker group 'tpu' container 'ray-worker' image is set to 'rayproject/ray-ml:2.9.0-py310' and to 'other:1', expected one value`,
  ],
  // applications
  [
    of({ serveConfig: { applications: [] } }),
    'serveConfig has no applications, expected at least one with name and importPath',
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
    "serveConfig applications name 'a' is there twice, expected a different one for each",
    "serveConfig applications routePrefix '/' is there twice, expected a different one for each",
  ],
  [
    of({
      serveConfig: {
        ...propsOf().serveConfig,
        httpOptions: { requestTimeoutS: 0, keepAliveTimeoutS: 1.5, rootPath: '/a/' },
      },
    }),
    "serveConfig httpOptions requestTimeoutS '0' is not a number above 0; nearest: 1",
    "serveConfig httpOptions keepAliveTimeoutS '1.5' is not a whole number of at least 0; nearest: 2",
    "serveConfig httpOptions rootPath '/a/' is not a route, expected a path that starts with '/', does not end with it and has no '{' and '}'; nearest: '/a'",
  ],
  [application({ name: '' }), "serveConfig applications name '' is empty, expected one like 'my-model'"],
  [
    application({ importPath: 'app' }),
    "application 'app' importPath 'app' is not an import path, expected 'package.module:variable'",
  ],
  [
    application({ routePrefix: 'sd/' }),
    "application 'app' routePrefix 'sd/' is not a route, expected a path that starts with '/', does not end with it and has no '{' and '}'; nearest: '/sd'",
  ],
  [
    application({ runtimeEnv: { workingDir: './src', pyModules: ['http://x/y.zip'] } }),
    "application 'app' runtimeEnv workingDir './src' is not a remote URI, expected one like 'https://…/main.zip' or 'gs://…/app.zip'",
    "application 'app' runtimeEnv pyModules 'http://x/y.zip' is not a remote URI, expected one like 'https://…/main.zip' or 'gs://…/app.zip'",
  ],
  [
    application({ runtimeEnv: { pip: [''], config: { setupTimeoutSeconds: 0 } } }),
    "application 'app' runtimeEnv pip '' is not a requirement, expected one like 'flax' or 'jax==0.4.11'",
    "application 'app' runtimeEnv setupTimeoutSeconds '0' is not a whole number of at least 1; nearest: 1",
  ],
  [
    application({ runtimeEnv: { envVars: { 'A-B': 'x', HF: 'hf_abcdefghijklmnop' } } }),
    "application 'app' runtimeEnv envVars 'A-B' is not a variable name, expected letters, digits and '_', first no digit",
    "application 'app' runtimeEnv envVars 'HF' holds a Hugging Face token, expected HuggingFaceToken.fromSecret(…).asEnv() among the fragments of the worker group",
  ],
  [
    application({ deployments: [{ name: 'D' }, { name: 'D' }] }),
    "application 'app' deployments name 'D' is there twice, expected a different one for each",
  ],
  // deployments
  [
    deployment({ numReplicas: 0 }),
    "application 'app' deployment 'D' numReplicas '0' is not a whole number of at least 1; nearest: 1",
  ],
  [
    deployment({ numReplicas: 2, autoscalingConfig: { maxReplicas: 2 } }),
    "application 'app' deployment 'D' numReplicas '2' is set beside autoscalingConfig, expected one of them; nearest: 'auto'",
  ],
  [
    deployment({ numReplicas: 'auto', maxQueuedRequests: 10 }),
    "application 'app' deployment 'D' numReplicas 'auto' is unknown to Ray 2.9.0, expected an image of Ray 2.10.0 or later",
    "application 'app' deployment 'D' maxQueuedRequests '10' is unknown to Ray 2.9.0, expected an image of Ray 2.10.0 or later",
  ],
  [
    deployment({
      autoscalingConfig: { minReplicas: 3, maxReplicas: 2, upscaleDelayS: -1, targetOngoingRequests: 0 },
    }),
    "application 'app' deployment 'D' autoscalingConfig targetOngoingRequests '0' is not a number above 0; nearest: 1",
    "application 'app' deployment 'D' autoscalingConfig upscaleDelayS '-1' is not a number of at least 0; nearest: 0",
    "application 'app' deployment 'D' autoscalingConfig maxReplicas '2' is below minReplicas '3', expected at least as many; nearest: 3",
  ],
  [
    deployment({ autoscalingConfig: { minReplicas: 1, maxReplicas: 2, initialReplicas: 3 } }),
    "application 'app' deployment 'D' autoscalingConfig initialReplicas '3' is not a whole number from 1 to 2; nearest: 2",
  ],
  [
    deployment({
      maxOngoingRequests: 0,
      maxReplicasPerNode: 101,
      healthCheckTimeoutS: 0,
      gracefulShutdownTimeoutS: -1,
    }),
    "application 'app' deployment 'D' maxOngoingRequests '0' is not a whole number of at least 1; nearest: 1",
    "application 'app' deployment 'D' maxReplicasPerNode '101' is not a whole number from 1 to 100; nearest: 100",
    "application 'app' deployment 'D' gracefulShutdownTimeoutS '-1' is not a number of at least 0; nearest: 0",
    "application 'app' deployment 'D' healthCheckTimeoutS '0' is not a number above 0; nearest: 1",
  ],
  [
    deployment({ rayActorOptions: { numCpus: -1, memory: 0.5, runtimeEnv: { workingDir: '/app' } } }),
    "application 'app' deployment 'D' numCpus '-1' is not a number of at least 0; nearest: 0",
    "application 'app' deployment 'D' memory '0.5' is not a whole number of at least 0; nearest: 1",
    "application 'app' deployment 'D' runtimeEnv workingDir '/app' is not a remote URI, expected one like 'https://…/main.zip' or 'gs://…/app.zip'",
  ],
  [
    deployment({ rayActorOptions: { resources: { TPU: 16 } } }),
    "application 'app' deployment 'D' resources TPU '16' does not fit on a host, expected a whole number, at most its 4 chips; nearest: 4, with placementGroupBundles of one a host where a model needs several",
  ],
  [
    deployment({ numReplicas: 5, rayActorOptions: { resources: { TPU: 4 } } }),
    'serveConfig deployments ask for 20 TPU chips, expected at most the 16 of all worker groups: Ray would wait for the others forever',
  ],
  [
    deployment({ placementGroupBundles: [{ TPU: 4 }, { TPU: 4 }, { TPU: 4 }, { TPU: 4 }, { TPU: 4 }] }),
    'serveConfig deployments ask for 20 TPU chips, expected at most the 16 of all worker groups: Ray would wait for the others forever',
  ],
  [
    deployment({
      rayActorOptions: { resources: { TPU: 4 } },
      placementGroupBundles: [{ CPU: 1 }, { TPU: 4 }],
      maxReplicasPerNode: 1,
    }),
    "application 'app' deployment 'D' maxReplicasPerNode '1' is set beside placementGroupBundles, expected one of them",
    "application 'app' deployment 'D' resources TPU '4' is not in the first of placementGroupBundles, which the replica runs in, expected at most 0",
  ],
  // everything at once
  [
    propsOf(
      { name: 'Ray', image: 'ray', spareSlices: 1, head: { cpu: 'two' }, serveConfig: { applications: [] } },
      {
        groupName: 'TPU',
        cpu: '500',
        maxReplicas: 0,
        fragments: [{ pod: { hostname: 'x', subdomain: 'y' } }],
      },
    ),
    "name 'Ray' is not a DNS label, expected lower-case letters, digits and '-', first a letter; nearest: 'ray'",
    "image 'ray' is not an image reference, expected REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
    "rayVersion is missing and cannot be read from image 'ray', expected that of its Ray, like '2.9.0'",
    "head cpu 'two' is not a quantity, expected a number with a suffix like '500m', '20Gi' or '8G'; nearest: '8'",
    "groupName 'TPU' is not a DNS label, expected lower-case letters, digits and '-', first a letter; nearest: 'tpu'",
    "worker group 'TPU' cpu '500' does not fit on a ct6e-standard-4t, expected less than its 180; nearest: '179'",
    "worker group 'TPU' maxReplicas '0' is not a whole number of at least 1; nearest: 1",
    "worker group 'TPU' hostname is set on pods of a slice of 4 hosts, expected none: the TPU webhook writes its own over it, which keeps the hosts of a slice together",
    "worker group 'TPU' subdomain is set on pods of a slice of 4 hosts, expected none: the TPU webhook writes its own over it, which keeps the hosts of a slice together",
    "spareSlices '1' is set with upgradeStrategy 'None', which uses none, expected upgradeStrategy 'NewCluster'",
    'serveConfig has no applications, expected at least one with name and importPath',
  ],
])('refused: %#', (props, ...sentences) => {
  expect(refusal(props)).toBe(sentences.map((sentence) => `test/ray: ${sentence}`).join('\n'));
});
