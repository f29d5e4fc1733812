import { type Construct } from 'constructs';
import fc from '../fast-check';
import {
  type AllowedRoutes,
  Capacity,
  JetStreamCheckpointConverter,
  type JetStreamCheckpointConverterProps,
  JetStreamCheckpoint,
  type EndpointPickerProps,
  FlexStartJob,
  GcsFuseVolume,
  HuggingFaceToken,
  InferenceGateway,
  InferencePool,
  JetStreamMetric,
  JetStreamServer,
  type JetStreamServerProps,
  MACHINE_TYPES,
  type MountedVolume,
  PvcVolume,
  SaxCell,
  type Scaler,
  type ServerMetric,
  type ServiceType,
  TpuJob,
  type TpuJobProps,
  type TpuMachineType,
  TpuRayCluster,
  type TpuRayClusterOptions,
  TpuRayJob,
  type TpuRayJobProps,
  TpuRayService,
  type TpuRayServiceProps,
  TpuServer,
  type TpuServerOptions,
  TpuSlice,
  VllmMetric,
  VllmServer,
  WorkloadIdentity,
} from '../../lib';
import { INFERENCE_GATEWAY_CLASSES, LONGEST_TIMEOUT_SECONDS } from '../../lib/facts/gateway';
import { isRuntimePort, RAY_PORTS } from '../../lib/facts/ports';
import { topologiesOf } from '../../lib/tpu/topology';

// Random legal props of every construct, with the warnings that they cause on purpose.

/** A construct with legal props. */
export interface Legal {
  /** The construct and its props, for the message of a failure. */
  readonly what: string;
  readonly add: (scope: Construct, name: string) => unknown;
  /** Codes of the warnings that the props cause. */
  readonly warnings: readonly string[];
}

/** Names that every construct accepts. */
export const names = fc.stringMatching(/^[a-z]([a-z0-9-]{0,16}[a-z0-9])?$/);

const optional = { requiredKeys: [] };
const count = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

const slices = (fits: (slice: TpuSlice) => boolean = () => true): fc.Arbitrary<TpuSlice> =>
  fc
    .constantFrom(
      ...(Object.keys(MACHINE_TYPES) as TpuMachineType[]).flatMap((type) => {
        const fitting = topologiesOf(type)
          .map((topology) => TpuSlice.parse(`${type}/${topology}`))
          .filter(fits);
        return fitting.length > 0 ? [fitting] : [];
      }),
    )
    .chain((ofType) => fc.constantFrom(...ofType));

const capacities = (slice: TpuSlice): fc.Arbitrary<Capacity> =>
  fc.oneof(
    fc.constant(Capacity.onDemand()),
    fc.constant(Capacity.spot()),
    fc.constant(Capacity.reservation('mine')),
    ...(slice.flexStart
      ? [
          fc.constant(Capacity.flexStart()),
          count(600, 604_800).map((maxRunDurationSeconds) => Capacity.flexStart({ maxRunDurationSeconds })),
        ]
      : []),
  );

const tokens = fc.constantFrom(
  HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'),
  HuggingFaceToken.fromSecret('huggingface', 'HUGGINGFACE_TOKEN'),
);
const serviceTypes = fc.constantFrom<ServiceType>(
  'ClusterIP',
  'InternalLoadBalancer',
  'ExternalLoadBalancer',
);
const intervals = fc.constantFrom({}, { interval: '15s' }, { interval: '1m' }, { interval: '500ms' });
const images = fc.constantFrom(
  'example.com/serving/server:v1.2.3',
  `registry:5000/server@sha256:${'0a'.repeat(32)}`,
);

const open = ({ serviceType }: { readonly serviceType?: ServiceType }): readonly string[] =>
  serviceType === 'ExternalLoadBalancer' ? ['TPU513'] : [];

/** Options of every server but its replicas. */
const serverOptions = (slice: TpuSlice): fc.Arbitrary<TpuServerOptions> =>
  fc
    .record(
      {
        capacity: capacities(slice),
        rollout: fc.oneof(
          // a LeaderWorkerSet has no other strategy than a rolling update
          ...(slice.multiHost ? [] : [fc.constant<'Recreate'>('Recreate')]),
          fc.record({ maxSurge: count(0, 2), maxUnavailable: count(1, 3) }, optional),
        ),
        preStopSeconds: count(0, 10),
        labels: fc.constant({ team: 'models' }),
        annotations: fc.constant({ note: 'serving' }),
        serviceAccountName: names,
        args: fc.constantFrom([], ['--seed=7']),
        env: fc.constantFrom<Record<string, string>>({}, { LOG_LEVEL: 'debug' }),
        serviceType: serviceTypes,
        allowedClients: fc.constantFrom([], [{ podSelector: { matchLabels: { app: 'gateway' } } }]),
        startupSeconds: count(1, 14_400),
        modelSize: fc.constantFrom('4G', '5Gi'),
        podSecurityLevel: fc.constantFrom<'baseline' | 'restricted'>('baseline', 'restricted'),
        resources: fc.constant({ requests: { cpu: '4', memory: '8Gi' } }),
        priorityClassName: fc.constant('serving'),
      },
      optional,
    )
    .map((options) => ({ slice, ...options }));

const scalers = fc.constantFrom<{ readonly scaler?: Scaler }>(
  {},
  { scaler: { keda: { projectId: 'my-project' } } },
  { scaler: { keda: { serverAddress: 'http://frontend:9090', pollingInterval: 15 } } },
);

/** Replicas, or what decides their number. */
const scaling = (
  metric: ServerMetric,
  monitored: boolean,
): fc.Arbitrary<Pick<TpuServerOptions, 'replicas' | 'autoscaling'>> =>
  fc.oneof(
    fc.record({ replicas: count(0, 5) }, optional),
    ...(monitored
      ? [
          fc
            .tuple(count(1, 4), count(0, 4), count(1, 100), scalers)
            .map(([minReplicas, further, averageValue, scaler]) => ({
              autoscaling: {
                minReplicas,
                maxReplicas: minReplicas + further,
                metric,
                averageValue,
                ...scaler,
              },
            })),
        ]
      : []),
  );

/** A surge is legal with free slices, and the rule warns about it. */
const serverWarnings = (options: TpuServerOptions): readonly string[] => [
  ...open(options),
  ...(typeof options.rollout === 'object' && options.rollout.maxSurge ? ['TPU305'] : []),
];

const caches: fc.Arbitrary<MountedVolume> = fc.oneof(
  fc
    .record(
      {
        readOnly: fc.boolean(),
        cache: fc.record({
          medium: fc.constantFrom<'ram' | 'disk'>('ram', 'disk'),
          sizeLimit: fc.constantFrom('8Gi', '20Gi'),
        }),
        sidecar: fc.constantFrom(GcsFuseVolume.UNLIMITED_SIDECAR, {
          memoryLimit: '30Gi',
          ephemeralStorageLimit: '50Gi',
        }),
        metadataPrefetch: fc.boolean(),
        name: fc.constant('weights'),
      },
      optional,
    )
    .map((props) => new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data', ...props })),
  fc
    .record({ readOnly: fc.boolean() }, optional)
    .map((props) => new PvcVolume({ claimName: 'models', mountPath: '/data', ...props })),
);

const legal = (what: string, props: object, rest: Omit<Legal, 'what'>): Legal => ({
  what: `${what} ${fc.stringify(props)}`,
  ...rest,
});

const anyServer: fc.Arbitrary<Legal> = fc
  .tuple(slices(), fc.option(intervals, { nil: false as const }))
  .chain(([slice, monitoring]) =>
    fc
      .tuple(
        serverOptions(slice),
        scaling({ name: 'my_queue_size', type: 'gauge' }, monitoring !== false),
        fc.record(
          {
            image: images,
            command: fc.constant(['python3', 'serve.py']),
            containerName: names,
            software: fc.constantFrom('tgi', 'sglang'),
            model: fc.constantFrom('my-org/my-model', '/data/my-model'),
            modelCache: caches,
            huggingFaceToken: tokens,
            port: count(1, 65_535).filter((port) => !isRuntimePort(port) && port !== 9100),
            healthPath: fc.constantFrom('/', '/ready?deep=1'),
            probes: fc.constantFrom({ liveness: {} }, { liveness: { httpGet: { path: '/live' } } }),
            sharedMemory: fc.constantFrom('1Gi', '16Gi'),
          },
          { requiredKeys: ['image'] },
        ),
        fc.constantFrom({}, { path: '/stats' }, { port: 9100 }),
      )
      .map(([options, replicas, own, metrics]) => {
        const props = {
          ...options,
          ...replicas,
          ...own,
          monitoring: monitoring && { ...monitoring, ...metrics },
        };
        return legal('TpuServer', props, {
          add: (scope, name) => new TpuServer(scope, name, props),
          warnings: serverWarnings(props),
        });
      }),
  );

/** Ports of Ray, by which the hosts of a slice find each other. */
const raysPorts = ({ multiHost }: TpuSlice): readonly number[] =>
  multiHost ? [RAY_PORTS.gcs, RAY_PORTS.dashboard, RAY_PORTS.client] : [];

const vllm = (fits: (slice: TpuSlice) => boolean): fc.Arbitrary<Legal> =>
  fc.tuple(slices(fits), fc.option(intervals, { nil: false as const })).chain(([slice, monitoring]) =>
    fc
      .tuple(
        serverOptions(slice),
        scaling(VllmMetric.REQUESTS_WAITING, monitoring !== false),
        fc.record(
          {
            modelCache: caches,
            huggingFaceToken: tokens,
            maxModelLen: count(1, 131_072),
            maxNumBatchedTokens: count(512, 8192),
            maxNumSeqs: count(1, 512),
            tensorParallelSize: fc.constantFrom(1, slice.devices),
            image: images,
            port: count(1024, 65_535).filter(
              (port) => !isRuntimePort(port) && !raysPorts(slice).includes(port),
            ),
            sharedMemory: fc.constantFrom('1Gi', '16Gi'),
          },
          optional,
        ),
        // the weights of others do not fit on one chip of each generation
        fc.constantFrom('my-org/my-model', 'google/gemma-3-1b-it', '/data/my-model'),
      )
      .map(([options, replicas, own, model]) => {
        const props = { ...options, ...replicas, ...own, model, monitoring };
        return legal('VllmServer', props, {
          add: (scope, name) => new VllmServer(scope, name, props),
          warnings: serverWarnings(props),
        });
      }),
  );

const converted = fc
  .record({ quantizeWeights: fc.boolean() }, optional)
  .map((props) =>
    JetStreamCheckpoint.at({ bucketName: 'my-models', path: 'gemma/2b', modelName: 'gemma', ...props }),
  );

/** Weights on a disk. */
const onDisk = fc
  .record(
    { path: fc.constantFrom('gemma', 'gemma/2b'), readOnly: fc.boolean(), quantizeWeights: fc.boolean() },
    optional,
  )
  .map(({ readOnly, ...props }) =>
    JetStreamCheckpoint.onVolume({
      volume: new PvcVolume({
        claimName: 'checkpoints',
        mountPath: '/models',
        ...(readOnly !== undefined && { readOnly }),
      }),
      modelName: 'gemma',
      ...props,
    }),
  );

const jetStreamNumbers = {
  size: fc.constant('2b'),
  batchSize: count(1, 128),
  maxCacheLength: count(1, 4096),
  quantizeKvCache: fc.boolean(),
};
const jetStreamWeights = {
  checkpoint: fc.record(
    {
      ...jetStreamNumbers,
      checkpoint: converted,
      modelCache: fc.constantFrom(
        { mountPath: '/weights' },
        { cache: { medium: 'disk' as const, sizeLimit: '10Gi' } },
        { cache: { medium: 'ram' as const, sizeLimit: '6Gi' } },
      ),
    },
    { requiredKeys: ['checkpoint', 'size'] },
  ),
  disk: fc.record(
    {
      ...jetStreamNumbers,
      checkpoint: onDisk,
      tokenizerPath: fc.constantFrom('/models/tokenizer.model', '/etc/tokenizer/tokenizer.model'),
    },
    { requiredKeys: ['checkpoint', 'size'] },
  ),
  model: fc.record(
    {
      model: fc.constant('google/gemma-2b-it'),
      huggingFaceToken: tokens,
      overrideBatchSize: count(1, 128),
      enableModelWarmup: fc.boolean(),
    },
    { requiredKeys: ['model', 'huggingFaceToken'] },
  ),
} as const;

const jetStream = (source: keyof typeof jetStreamWeights): fc.Arbitrary<Legal> =>
  fc
    .tuple(
      slices(({ multiHost }) => !multiHost),
      fc.option(intervals, { nil: false as const }),
    )
    .chain(([slice, monitoring]) =>
      fc
        .tuple(
          serverOptions(slice),
          scaling(JetStreamMetric.PREFILL_BACKLOG_SIZE, monitoring !== false),
          fc.record(
            {
              ownService: fc.boolean(),
              http: images,
              metricsPort: count(9100, 9200),
            },
            optional,
          ),
          jetStreamWeights[source],
          images,
        )
        .map(([options, replicas, { ownService, http, metricsPort }, weights, server]) => {
          const props: JetStreamServerProps = {
            ...options,
            ...replicas,
            // the published image for a model exports no metrics
            images: { ...(http !== undefined && { http }), ...(source === 'model' && { server }) },
            ...weights,
            monitoring: monitoring && {
              ...monitoring,
              ...(metricsPort !== undefined && { port: metricsPort }),
            },
          };
          return legal('JetStreamServer', props, {
            add: (scope, name) =>
              new JetStreamServer(scope, name, {
                ...props,
                ...(ownService === true && { serviceName: `${name}-requests` }),
              }),
            warnings: serverWarnings(props),
          });
        }),
    );

const converter: fc.Arbitrary<Legal> = slices(({ multiHost }) => !multiHost).chain((slice) =>
  fc
    .record(
      {
        quantizeWeights: fc.boolean(),
        capacity: capacities(slice),
        serviceAccountName: names,
        image: images,
        backoffLimit: count(0, 5),
        ttlSecondsAfterFinished: count(0, 3600),
      },
      optional,
    )
    .chain((own) =>
      tokens.map((huggingFaceToken) => {
        const props: JetStreamCheckpointConverterProps = {
          ...own,
          slice,
          huggingFaceToken,
          model: 'google/gemma-2b-it-pytorch',
          modelName: 'gemma',
          bucketName: 'my-models',
          path: 'gemma/2b',
        };
        return legal('JetStreamCheckpointConverter', props, {
          add: (scope, name) => new JetStreamCheckpointConverter(scope, name, props),
          warnings: [],
        });
      }),
    ),
);

const saxCell = (fits: (slice: TpuSlice) => boolean): fc.Arbitrary<Legal> =>
  slices(fits).chain((slice) =>
    fc
      .record(
        {
          replicas: count(1, 8),
          capacity: capacities(slice),
          saxCell: fc.constantFrom('/sax/test', '/sax/my-cell'),
          podSecurityLevel: fc.constantFrom<'privileged' | 'baseline'>('privileged', 'baseline'),
          hostNetwork: fc.boolean(),
          ofForm: slice.multiHost
            ? count(0, 10).map((maxRestarts) => ({ maxRestarts }))
            : fc.constantFrom({ disruptionBudget: false as const }, { rollout: 'Recreate' as const }),
          preStopSeconds: count(0, 10),
          priorityClassName: fc.constant('serving'),
          allowedClients: fc.constantFrom([], [{ podSelector: {} }]),
          serviceType: serviceTypes,
        },
        optional,
      )
      .map(({ ofForm, ...own }) => {
        const props = {
          ...own,
          ...ofForm,
          slice,
          platformChip: 'tpuv5e',
          bucketName: 'my-sax',
          serviceAccountName: 'sax-sa',
          ...(own.allowedClients &&
            (own.hostNetwork ?? slice.multiHost) && { nodePeers: [{ ipBlock: { cidr: '10.128.0.0/20' } }] }),
        };
        return legal('SaxCell', props, {
          add: (scope, name) => new SaxCell(scope, name, props),
          warnings: [
            ...(own.podSecurityLevel === 'baseline' ? [] : ['TPU704']),
            // on several hosts it is a note
            ...(own.hostNetwork === true && !slice.multiHost ? ['TPU705'] : []),
            // a limit ends the servers permanently
            ...('maxRestarts' in props ? ['TPU334'] : []),
            ...open(own),
          ],
        });
      }),
  );

const workerGroups = (autoscaled: boolean): fc.Arbitrary<TpuRayServiceProps['workerGroups']> =>
  fc.uniqueArray(
    slices().chain((slice) =>
      fc
        .record({
          groupName: names,
          own: fc.record(
            {
              rayStartParams: fc.constantFrom<Record<string, string>>({}, { 'num-cpus': '8' }),
              capacity: capacities(slice),
              modelCache: caches.filter(({ readOnly }) => readOnly !== true),
              compileCachePath: fc.constant(slice.multiHost ? '/tmp/xla' : undefined),
              modelSize: fc.constantFrom('4G', '5Gi'),
              startupSeconds: count(1, 14_400),
              preStopSeconds: count(0, 10),
              priorityClassName: fc.constant('serving'),
            },
            optional,
          ),
          scale: fc.tuple(count(0, 3), count(0, 3), count(1, 3)).map(([minReplicas, beside, further]) => {
            const maxReplicas = minReplicas + beside + further;
            if (autoscaled) return { minReplicas, maxReplicas };
            return beside > 1
              ? { replicas: beside, multislice: slice.multiHost && further > 1 }
              : { minReplicas, replicas: minReplicas + beside, maxReplicas };
          }),
        })
        .map(({ groupName, own, scale }) => ({
          groupName,
          slice,
          resources: { requests: { cpu: '8', memory: '20G' }, limits: { 'ephemeral-storage': '20Gi' } },
          ...own,
          ...scale,
        })),
    ),
    { minLength: 1, maxLength: 3, selector: ({ groupName }) => groupName },
  );

/** A cluster that every construct with one can have. */
const rayClusters: fc.Arbitrary<TpuRayClusterOptions> = fc.boolean().chain((enableInTreeAutoscaling) =>
  fc
    .tuple(
      workerGroups(enableInTreeAutoscaling),
      fc.record(
        {
          labels: fc.constant({ team: 'serving' }),
          head: fc.constantFrom(
            {},
            { resources: { limits: { cpu: '4', memory: '16G' } }, rayStartParams: { 'num-cpus': '0' } },
            { preStopSeconds: 5, priorityClassName: 'serving' },
          ),
          image: fc.constantFrom('rayproject/ray:2.9.0', 'rayproject/ray:2.44.1-py310'),
          serviceAccountName: names,
          monitoring: fc.oneof(fc.constant(false as const), intervals),
          cpuWorkerGroups: count(1, 4).map((maxReplicas) => [
            { groupName: 'data-loading-cpus', minReplicas: 1, maxReplicas, env: { LOG_LEVEL: 'debug' } },
          ]),
        },
        optional,
      ),
    )
    .map(([groups, own]) => ({ ...own, enableInTreeAutoscaling, workerGroups: groups })),
);

const rayClients = fc.record(
  { allowedClients: fc.constantFrom([], [{ podSelector: { matchLabels: { app: 'gateway' } } }]) },
  optional,
);

const rayService: fc.Arbitrary<Legal> = fc
  .tuple(rayClusters, rayClients, fc.boolean())
  .map(([cluster, clients, doubled]) => {
    const props: TpuRayServiceProps = {
      ...cluster,
      ...clients,
      serveConfig: { applications: [{ name: 'app', importPath: 'my.module:app' }] },
      ...(doubled && { upgradeStrategy: 'NewCluster' as const }),
    };
    return legal('TpuRayService', props, {
      add: (scope, name) => new TpuRayService(scope, name, props),
      // a second cluster is legal with free slices, and the rule warns about it
      warnings: doubled ? ['TPU306'] : [],
    });
  });

const rayCluster: fc.Arbitrary<Legal> = fc.tuple(rayClusters, rayClients).map(([cluster, clients]) => {
  const props = { ...cluster, ...clients };
  return legal('TpuRayCluster', props, {
    add: (scope, name) => new TpuRayCluster(scope, name, props),
    warnings: [],
  });
});

const rayJob: fc.Arbitrary<Legal> = fc
  .tuple(
    rayClusters,
    fc.record(
      {
        runtimeEnv: fc.constantFrom({ pip: ['flax'] }, { envVars: { LOG_LEVEL: 'debug' } }),
        ending: fc.constantFrom(
          { shutdownAfterJobFinishes: false },
          { ttlSecondsAfterFinished: 600 },
          { shutdownAfterJobFinishes: true, ttlSecondsAfterFinished: 0 },
        ),
        backoffLimit: count(0, 3),
        activeDeadlineSeconds: count(1, 86_400),
        queue: fc.constantFrom('tpu', 'research'),
      },
      optional,
    ),
  )
  .map(([cluster, { ending, queue, ...own }]) => {
    const inQueue = (given: TpuRayClusterOptions): TpuRayClusterOptions =>
      queue === undefined
        ? given
        : {
            ...given,
            workerGroups: given.workerGroups.map((group) => ({
              ...group,
              groupName: `${group.groupName}x`,
              capacity: Capacity.reservation('mine', { queue }),
            })),
            ...(given.enableInTreeAutoscaling === true && {
              annotations: { 'kueue.x-k8s.io/elastic-job': 'true' },
            }),
          };
    const props: TpuRayJobProps = {
      ...inQueue(cluster),
      ...own,
      ...(queue === undefined || ending?.shutdownAfterJobFinishes !== false ? ending : {}),
      entrypoint: 'python train.py',
    };
    return legal('TpuRayJob', props, {
      add: (scope, name) => new TpuRayJob(scope, name, props),
      warnings: [],
    });
  });

/** Options of every Job. */
const jobWords = {
  command: fc.constant(['python', 'train.py']),
  args: fc.constant(['--steps=10']),
  env: fc.constantFrom<Record<string, string>>({}, { LOG_LEVEL: 'debug' }),
  huggingFaceToken: tokens,
  serviceAccountName: names,
  podSecurityLevel: fc.constantFrom<'privileged' | 'baseline'>('privileged', 'baseline'),
  backoffLimit: count(0, 6),
  ttlSecondsAfterFinished: count(0, 3600),
  modelCache: caches,
  terminationGracePeriodSeconds: count(0, 3600),
  priorityClassName: fc.constant('training'),
  fragments: fc.constant([
    new GcsFuseVolume({ bucketName: 'my-data', mountPath: '/inputs', name: 'inputs' }),
  ]),
};

/** Capacities of Jobs, which can wait in a queue. */
const jobCapacities = (slice: TpuSlice): fc.Arbitrary<Capacity> =>
  fc.oneof(
    capacities(slice),
    fc.constantFrom(
      Capacity.onDemand({ queue: 'tpu' }),
      Capacity.spot({ queue: 'tpu' }),
      Capacity.reservation('mine', { queue: 'tpu' }),
      Capacity.computeClass('mine'),
      Capacity.computeClass('mine', { queue: 'tpu' }),
      ...(slice.flexStart ? [Capacity.flexStartQueued({ queue: 'tpu', maxRunDurationSeconds: 3600 })] : []),
    ),
  );

/** Props that only one form of a Job has. */
const ofJobForm = (slice: TpuSlice): fc.Arbitrary<Partial<TpuJobProps>> =>
  fc.oneof(
    fc.record(
      { slices: count(2, 4), maxRestarts: count(0, 10), ignoreDisruptions: fc.boolean() },
      { requiredKeys: ['slices'] },
    ),
    slice.multiHost
      ? fc.record({ activeDeadlineSeconds: count(1, 86_400) }, optional)
      : fc
          .record(
            {
              completions: count(1, 8),
              parallelism: count(1, 8),
              ignoreDisruptions: fc.boolean(),
              activeDeadlineSeconds: count(1, 86_400),
            },
            optional,
          )
          .map(({ parallelism, ...own }) => ({
            ...own,
            ...(parallelism !== undefined && { parallelism: Math.min(parallelism, own.completions ?? 1) }),
          })),
  );

const tpuJob: fc.Arbitrary<Legal> = slices().chain((slice) =>
  fc
    .tuple(images, fc.record({ ...jobWords, capacity: jobCapacities(slice) }, optional), ofJobForm(slice))
    .map(([image, own, ofForm]) => {
      const props: TpuJobProps = { slice, image, ...own, ...ofForm };
      return legal('TpuJob', props, {
        add: (scope, name) => new TpuJob(scope, name, props),
        warnings: own.podSecurityLevel === 'privileged' ? ['TPU704'] : [],
      });
    }),
);

const flexStart: fc.Arbitrary<Legal> = fc
  .record({
    slice: slices((slice) => slice.flexStart),
    image: images,
    own: fc.record({ ...jobWords, maxRunDurationSeconds: count(600, 604_800) }, optional),
  })
  .map(({ own, ...needed }) =>
    legal(
      'FlexStartJob',
      { ...needed, ...own },
      {
        add: (scope, name) => new FlexStartJob(scope, name, { ...needed, ...own }),
        warnings: own.podSecurityLevel === 'privileged' ? ['TPU704'] : [],
      },
    ),
  );

const identity: fc.Arbitrary<Legal> = fc
  .constantFrom(
    { projectNumber: '123456789012' },
    { iamServiceAccount: 'serving' },
    { projectNumber: '123456789012', iamServiceAccount: 'serving' },
  )
  .map((own) =>
    legal('WorkloadIdentity', own, {
      add: (scope, name) => new WorkloadIdentity(scope, name, { projectId: 'my-project', ...own }),
      warnings: [],
    }),
  );

const poolServers = fc
  .record(
    {
      port: count(1024, 65_535).filter((port) => !isRuntimePort(port)),
      replicas: count(1, 4),
      servedModelName: fc.constantFrom('qwen', 'my-org/other'),
      terminationGracePeriodSeconds: count(60, 900),
      allowedClients: fc.constant([]),
    },
    optional,
  )
  .chain((own) => slices(({ multiHost }) => !multiHost).map((slice) => ({ ...own, slice })));

const pickers = fc.record(
  {
    replicas: count(1, 3),
    scorers: fc.constantFrom<NonNullable<EndpointPickerProps['scorers']>>(
      [{ type: 'queue-scorer', weight: 0.5 }],
      [
        { type: 'lora-affinity-scorer', weight: 1 },
        { type: 'queue-scorer', name: 'queue', weight: 3, parameters: { threshold: 4 } },
      ],
    ),
    filters: fc.constantFrom<NonNullable<EndpointPickerProps['filters']>>(
      [],
      [{ type: 'label-selector-filter', parameters: { matchLabels: { team: 'models' } } }],
    ),
    picker: fc.constantFrom({ type: 'random-picker' as const }, { type: 'max-score-picker' as const }),
    podSecurityLevel: fc.constantFrom<'baseline' | 'restricted'>('baseline', 'restricted'),
    resources: fc.constant({ requests: { cpu: '500m', memory: '1Gi' } }),
    image: images,
    imagePullSecrets: fc.constant(['registry']),
  },
  optional,
);

const checks = fc
  .tuple(count(1, 300), count(1, 300))
  .map(([a, b]) => ({ checkIntervalSec: Math.max(a, b), timeoutSec: Math.min(a, b) }));

/** A pool and its server. */
interface LegalPool {
  readonly props: object;
  readonly add: (scope: Construct, name: string) => InferencePool;
}

const pools: fc.Arbitrary<LegalPool> = fc
  .tuple(
    poolServers,
    fc.record(
      {
        endpointPicker: pickers,
        requestTimeoutSeconds: count(31, LONGEST_TIMEOUT_SECONDS),
        failureMode: fc.constantFrom<'FailOpen' | 'FailClose'>('FailOpen', 'FailClose'),
        healthCheck: checks,
        logging: fc.boolean(),
        monitoring: fc.oneof(fc.constant(false as const), intervals),
        labels: fc.constant({ team: 'models' }),
        aliases: fc.boolean(),
        objectives: fc.dictionary(names, fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { maxKeys: 3 }),
        proxyOnlySubnet: fc.constant('10.129.0.0/23'),
      },
      optional,
    ),
  )
  .map(([server, { aliases = false, ...own }]) => {
    const model = server.servedModelName ?? 'my-org/my-model';
    const props = {
      ...own,
      ...(server.allowedClients && { proxyOnlySubnet: '10.129.0.0/23' }),
      ...(aliases && { modelRewrites: [{ model: 'support', targets: [{ model, weight: 3 }] }] }),
    };
    return {
      props: { server, ...props },
      add: (scope, name) =>
        new InferencePool(scope, `${name}-pool`, {
          ...props,
          servers: [
            new VllmServer(scope, name, {
              ...server,
              model: 'my-org/my-model',
              podSecurityLevel: 'baseline',
            }),
          ],
        }),
    };
  });

const inferencePool: fc.Arbitrary<Legal> = pools.map(({ props, add }) =>
  legal('InferencePool', props, { add, warnings: [] }),
);

const inferenceGateway: fc.Arbitrary<Legal> = fc
  .tuple(
    pools,
    fc.record(
      {
        certificates: fc.constantFrom(['tls'], ['tls', 'other-tls']),
        http: fc.constant(true),
        allowedRoutes: fc.constantFrom<AllowedRoutes>('Same', 'All', { matchLabels: { team: 'models' } }),
        labels: fc.constant({ team: 'models' }),
      },
      optional,
    ),
    fc.record(
      {
        hostnames: fc.constantFrom(['llm.example.com'], ['*.example.com', 'example.com']),
        path: fc.constantFrom('/', '/v1', '/v1/completions'),
        headers: fc.constantFrom<Record<string, string>>({ 'x-team': 'models' }, { 'x-a': '1', 'x-b': '2' }),
        adapters: fc.constantFrom([], ['review', 'support']),
      },
      optional,
    ),
    fc.constantFrom(...INFERENCE_GATEWAY_CLASSES),
    fc.boolean(),
  )
  .map(([{ props, add }, own, { adapters, ...route }, gatewayClassName, byModel]) =>
    legal(
      'InferenceGateway',
      { ...own, route, adapters, gatewayClassName, byModel, pool: props },
      {
        add: (scope, name) => {
          const pool = add(scope, name);
          return new InferenceGateway(scope, `${name}-gateway`, {
            ...own,
            gatewayClassName,
            routes: [
              {
                pool,
                ...route,
                ...(byModel &&
                  pool.model !== undefined && { model: pool.model, ...(adapters && { adapters }) }),
              },
            ],
          });
        },
        warnings: [],
      },
    ),
  );

/** Every construct, with legal props. */
export const CONSTRUCTS: Readonly<Record<string, fc.Arbitrary<Legal>>> = {
  TpuServer: anyServer,
  'VllmServer on one host': vllm(({ multiHost }) => !multiHost),
  'VllmServer on several hosts': vllm(({ multiHost }) => multiHost),
  'JetStreamServer with a checkpoint': jetStream('checkpoint'),
  'JetStreamServer with a checkpoint on a disk': jetStream('disk'),
  'JetStreamServer with a model of Hugging Face': jetStream('model'),
  JetStreamCheckpointConverter: converter,
  'SaxCell on one host': saxCell(({ multiHost }) => !multiHost),
  'SaxCell on several hosts': saxCell(({ multiHost }) => multiHost),
  TpuRayService: rayService,
  TpuRayCluster: rayCluster,
  TpuRayJob: rayJob,
  TpuJob: tpuJob,
  FlexStartJob: flexStart,
  WorkloadIdentity: identity,
  InferencePool: inferencePool,
  InferenceGateway: inferenceGateway,
};
