import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ApiObject, Chart, Testing } from 'cdk8s';
import fc from '../fast-check';
import { addExamples } from '../../examples';
import { addGateway } from '../../examples/gateway';
import { addPlatform } from '../../examples/platform';
import { VllmLlama370b } from '../../examples/vllm-llama3-70b';
import {
  Capacity,
  JetStreamCheckpointConverter,
  FlexStartJob,
  GcsFuseVolume,
  HuggingFaceToken,
  InvalidInputError,
  JetStreamServer,
  type KedaOptions,
  PvcVolume,
  Runbook,
  type RunbookOptions,
  SaxCell,
  TpuComputeClass,
  TpuJob,
  TpuQueue,
  TpuRayCluster,
  TpuRayJob,
  TpuRayService,
  TpuSlice,
  VllmMetric,
  VllmServer,
  WorkloadIdentity,
} from '../../lib';
import { CONTROLLERS } from '../../lib/facts/controllers';
import { expectedOf } from '../../lib/runbook/expected';
import { commandsOf, partsOf, scriptOf, wordsOf } from './commands';

const V6E = TpuSlice.of('ct6e-standard-8t');
const V5E_HOSTS = TpuSlice.of('ct5lp-hightpu-4t', '4x8');
const TOKEN = HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token');

const chartIn = (name = 'chart', namespace?: string): Chart =>
  new Chart(Testing.app(), name, namespace === undefined ? {} : { namespace });

/** Every chart that there is an example of. */
function exampleCharts(): readonly Chart[] {
  const app = Testing.app();
  addExamples(app);
  addPlatform(app);
  addGateway(app);
  return app.charts;
}

const EXAMPLES = exampleCharts().flatMap((chart) =>
  (['standard', 'autopilot'] as const).map((mode) => ({
    name: `${chart.node.id}, ${mode}`,
    chart,
    runbook: new Runbook(chart, { mode }),
  })),
);

/** The commands of a section. */
const sectionOf = (runbook: Runbook, title: string): string =>
  runbook.sections
    .filter((section) => section.title === title)
    .flatMap(({ steps }) => steps.flatMap(({ commands }) => commands.map(String)))
    .join('\n')
    .replaceAll(/ \\\n\s*/g, ' ');

const needs = (runbook: Runbook, what: string): readonly string[] =>
  runbook.prerequisites.filter((one) => one.what === what).map(({ needed }) => needed);

const problemWith = (chart: Chart, options: RunbookOptions): string | undefined => {
  try {
    new Runbook(chart, options);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message;
    throw error;
  }
};

// ---- every runbook ------------------------------------------------------------------------------------

/** Words in capitals that are not placeholders. */
const NO_PLACEHOLDERS = [
  'POST',
  'GET',
  'ACTIVE',
  'REGIONAL_MANAGED_PROXY',
  'TERM',
  'ANY',
  'HIGH_THROUGHPUT',
  'HUGGINGFACE_TOKEN',
  'HF_TOKEN',
  'San',
];

describe.each(EXAMPLES)('$name', ({ runbook }) => {
  test('a shell can parse every command', () => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: scriptOf(runbook), encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  test('lists exactly the placeholders of its commands', () => {
    const words = new Set(scriptOf(runbook).match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\b/g) ?? []);
    const placeholders = [...words].filter((word) => word.length > 2 && !NO_PLACEHOLDERS.includes(word));
    expect(runbook.placeholders.map(({ name }) => name).sort()).toEqual(placeholders.sort());
  });

  test('each step with commands has an expected output and a duration', () => {
    const expected = runbook.sections
      .flatMap(({ steps }) => steps)
      .filter(({ commands }) => commands.length > 0)
      .map((step) => expectedOf(step) ?? step.text);
    const duration = /within|after|minutes|until you stop|when the work is done/;
    expect(expected.filter((one) => !duration.test(one))).toEqual([]);
  });

  test('its commands in Markdown only read variables that it exports', () => {
    const blocks = [...runbook.toString().matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
      ([, block = '']) => block,
    );
    const script = blocks.join('');
    const { status, stderr } = spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    const exported = new Set([...script.matchAll(/\bexport ([A-Z_0-9]+)=/g)].map(([, name = '']) => name));
    const read = [...script.matchAll(/\$([A-Z][A-Z_0-9]+)/g)].map(([, name = '']) => name);
    expect(read.filter((name) => !exported.has(name))).toEqual([]);
    // A placeholder stands only on the right side of its export.
    const rest = blocks.slice(runbook.placeholders.length > 0 ? 1 : 0).join('');
    for (const { name } of runbook.placeholders)
      expect(rest).not.toMatch(new RegExp(`(?<![$\\w])${name}(?![\\w=])`));
  });

  test('is valid Markdown: whole tables, closed blocks, no HTML', () => {
    const text = runbook.toString();
    expect(text.match(/^```/gm)?.length).toBe(2 * (text.match(/^```(?:sh|mermaid)\n/gm)?.length ?? 0));
    const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '');
    expect(prose).not.toMatch(/[<>]/);
    const rows = prose.split('\n').filter((line) => line.startsWith('|'));
    expect(rows.filter((row) => row.split(/(?<!\\)\|/).length !== 4)).toEqual([]);
    expect(rows.length).toBeGreaterThan(3);
  });

  test('has a picture that Mermaid can read', () => {
    const [head, ...lines] = runbook.picture.split('\n');
    expect(head).toBe('flowchart LR');
    const nodes = lines.flatMap((line) => /^ {2}(n\d+)\["[^"]+"\]$/.exec(line)?.[1] ?? []);
    const edges = lines.flatMap((line) => {
      const [, from, to] = /^ {2}(n\d+) -->\|"[a-z ]+"\| (n\d+)$/.exec(line) ?? [];
      return from === undefined || to === undefined ? [] : [[from, to]];
    });
    expect(nodes.length + edges.length).toBe(lines.length);
    expect(edges.flat().filter((one) => !nodes.includes(one))).toEqual([]);
  });
});

test('a fence in a text does not end its block', () => {
  const chart = chartIn();
  new ApiObject(chart, 'pod', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'pod' },
    spec: {
      containers: [
        { name: 'a', env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'a\n```\nb', key: 'k' } } }] },
      ],
    },
  });
  const page = new Runbook(chart).toString();
  const opened = page.match(/^`{3,}(?=sh$|mermaid$)/gm) ?? [];
  expect(opened).toContain('````');
  expect(page.match(/^`{4}$/gm)).toHaveLength(opened.filter((fence) => fence === '````').length);
});

test('the same chart gives the same runbook', () => {
  const text = (): string => new Runbook(new VllmLlama370b(Testing.app())).toString();
  expect(text()).toBe(text());
});

// ---- names ----------------------------------------------------------------------------------------------------

/** Kinds by the words that kubectl knows them by. */
const KINDS: Readonly<Record<string, string>> = {
  deploy: 'Deployment',
  deployment: 'Deployment',
  job: 'Job',
  jobs: 'Job',
  jobset: 'JobSet',
  svc: 'Service',
  service: 'Service',
  hpa: 'HorizontalPodAutoscaler',
  raycluster: 'RayCluster',
  rayjob: 'RayJob',
  rayservice: 'RayService',
  computeclass: 'ComputeClass',
  clusterqueue: 'ClusterQueue',
};

/** Objects that kubectl commands name, except those from elsewhere. */
const namedIn = ({ sections }: Runbook): readonly string[] =>
  commandsOf({
    sections: sections.filter(({ title }) => ['Verify', 'Call', 'Load', 'Scale'].includes(title)),
  })
    .map((line) => /(kubectl .*?)\)?$/.exec(line)?.[1])
    .filter((line) => line !== undefined)
    .flatMap((line) => {
      const words = wordsOf(line).flatMap((word) => word.replace(/^--for=/, '').split('/'));
      return words.flatMap((word, index) => {
        const kind = KINDS[word];
        const name = words[index + 1];
        // `$cluster` is the name that the command before it reads.
        return kind === undefined || name === undefined || /^[-$]/.test(name) ? [] : [`${kind} ${name}`];
      });
    });

/** Objects of a chart, and the objects that KubeRay creates for them. */
const objectsIn = (chart: Chart): readonly string[] =>
  (Testing.synth(chart) as { kind: string; metadata: { name: string } }[]).flatMap(({ kind, metadata }) => [
    `${kind} ${metadata.name}`,
    ...(kind === 'RayService' || kind === 'RayCluster' ? [`Service ${metadata.name}-head-svc`] : []),
    ...(kind === 'RayService' ? [`Service ${metadata.name}-serve-svc`] : []),
  ]);

describe('the names in commands', () => {
  test.each(EXAMPLES)('match the objects of $name', ({ chart, runbook }) => {
    const named = namedIn(runbook);
    const objects = objectsIn(chart);
    expect(named.filter((one) => !objects.includes(one))).toEqual([]);
  });

  test('match the objects for any names and any namespace', () => {
    const slices = ['ct6e-standard-8t', 'ct5lp-hightpu-4t', 'ct5lp-hightpu-8t'] as const;
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,8})?$/),
        fc.option(fc.stringMatching(/^[a-z][a-z0-9]{2,10}$/), { nil: undefined }),
        fc.constantFrom(...slices),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('ClusterIP', 'InternalLoadBalancer', 'ExternalLoadBalancer'),
        fc.constantFrom('vllm', 'jetstream', 'sax', 'ray', 'flex'),
        (name, namespace, machineType, replicas, serviceType, server) => {
          const chart = chartIn('any', namespace);
          const slice = TpuSlice.of(machineType);
          const common = { name, slice, replicas, serviceType } as const;
          if (server === 'vllm') new VllmServer(chart, 's', { ...common, model: 'google/gemma-3-1b-it' });
          if (server === 'jetstream')
            new JetStreamServer(chart, 's', {
              ...common,
              model: 'google/gemma-7b-it',
              huggingFaceToken: TOKEN,
            });
          if (server === 'sax')
            new SaxCell(chart, 's', {
              ...common,
              bucketName: 'my-sax',
              serviceAccountName: 'sax',
              platformChip: 'tpuv5e',
            });
          if (server === 'ray')
            new TpuRayService(chart, 's', {
              name,
              serveConfig: { applications: [{ name: 'app', importPath: 'app:deployment' }] },
              workerGroups: [{ groupName: 'tpu', slice, replicas }],
            });
          if (server === 'flex') new FlexStartJob(chart, 's', { name, slice, image: 'example/train:v1' });
          const runbook = new Runbook(chart);
          const named = namedIn(runbook);
          expect(named.length).toBeGreaterThan(0);
          const objects = objectsIn(chart);
          expect(named.filter((one) => !objects.includes(one))).toEqual([]);
          const where = commandsOf(runbook)
            .filter((line) => /^kubectl (apply -f any|logs|port-forward|get pods)/.test(line))
            .map((line) => partsOf(line)['--namespace']);
          expect(where.length).toBeGreaterThan(1);
          expect(where.filter((one) => one !== namespace)).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  });
});

// ---- what is shared, and what is read from the chart ------------------------------------------------------------

describe('things that the constructs of a chart share', () => {
  const chart = chartIn();
  const { serviceAccountName } = new WorkloadIdentity(chart, 'account', {
    projectId: 'my-project',
    projectNumber: '123456789012',
  });
  const modelCache = new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data' });
  for (const name of ['one', 'two'])
    new VllmServer(chart, name, {
      model: 'google/gemma-3-27b-it',
      slice: V6E,
      modelCache,
      huggingFaceToken: TOKEN,
      serviceAccountName,
      ...(name === 'two' && {
        autoscaling: { minReplicas: 2, maxReplicas: 3, metric: VllmMetric.REQUESTS_WAITING, averageValue: 5 },
      }),
    });
  new VllmServer(chart, 'spot', {
    model: 'google/gemma-3-27b-it',
    slice: V6E,
    capacity: Capacity.spot(),
    rollout: { maxSurge: 1 },
  });
  const runbook = new Runbook(chart);
  const all = scriptOf(runbook);

  test.each([
    ['cluster', /gcloud container clusters create /g, 1],
    ['Secret', /kubectl create secret generic hf-secret/g, 1],
    ['bucket', /gcloud storage buckets create gs:\/\/my-models/g, 1],
    ['role', /gcloud storage buckets add-iam-policy-binding/g, 1],
    ['metrics adapter', /kubectl apply -f \S*adapter_new_resource_model/g, 1],
    ['node pool of each capacity', /gcloud container node-pools create/g, 2],
  ])('are created once: %s', (_, command, count) => {
    expect(all.match(command)).toHaveLength(count);
  });

  test('a pool has room for the smallest and largest number of replicas of all servers', () => {
    expect(sectionOf(runbook, 'Node pools').split('\n')).toEqual([
      expect.stringMatching(
        / create tpu-v6e-2x4 .* --num-nodes=3 .*--total-min-nodes=3 --total-max-nodes=4$/,
      ),
      expect.stringMatching(/ create tpu-v6e-2x4-2 .* --num-nodes=2 --spot$/),
    ]);
    expect(needs(runbook, 'Quota')).toEqual([
      '32 chips of TPU v6e, on-demand quota',
      '16 chips of TPU v6e, preemptible quota (spot)',
    ]);
  });

  test('the runbook resizes node pools without autoscaling only', () => {
    expect(sectionOf(runbook, 'Scale').match(/--node-pool=\S+/g)).toEqual(['--node-pool=tpu-v6e-2x4-2']);
  });
});

describe('requirements of a chart', () => {
  const server = (
    chart: Chart,
    props: Partial<ConstructorParameters<typeof VllmServer>[2]> = {},
  ): VllmServer => new VllmServer(chart, 'server', { model: 'google/gemma-3-27b-it', slice: V6E, ...props });

  test('the runbook creates a ServiceAccount that no manifest contains, and grants roles to it directly', () => {
    const chart = chartIn();
    server(chart, {
      serviceAccountName: 'vllm',
      modelCache: new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data', readOnly: true }),
    });
    const runbook = new Runbook(chart, { namespace: 'serving', workloadPoolDomain: 's3ns.svc.id.goog' });
    const [bucket, account, binding] = sectionOf(runbook, 'Buckets and access').split('\n');
    expect(bucket).toMatch(/^gcloud storage buckets create gs:\/\/my-models --location=REGION/);
    expect(account).toBe('kubectl create serviceaccount vllm -n serving');
    expect(binding).toBe(
      'gcloud storage buckets add-iam-policy-binding gs://my-models --member=principal://iam.googleapis.com/projects/PROJECT_NUMBER/locations/global/workloadIdentityPools/PROJECT_ID.s3ns.svc.id.goog/subject/ns/serving/sa/vllm --role=roles/storage.objectViewer',
    );
    expect(sectionOf(runbook, 'Project')).toContain('gcloud projects describe PROJECT_ID');
    expect(needs(runbook, 'ServiceAccount')).toEqual(['`vllm`']);
  });

  test('an account of another chart is not created, but gets its roles', () => {
    const app = Testing.app();
    const { serviceAccountName } = new WorkloadIdentity(new Chart(app, 'accounts'), 'vllm', {
      projectId: 'my-project',
      iamServiceAccount: 'vllm-account',
    });
    const chart = new Chart(app, 'servers');
    server(chart, {
      serviceAccountName,
      modelCache: new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data' }),
    });
    const runbook = new Runbook(chart);
    expect(needs(runbook, 'ServiceAccount')).toEqual([
      '`vllm`, which chart `accounts` renders: apply that chart first',
    ]);
    const commands = sectionOf(runbook, 'Buckets and access');
    expect(commands).toContain('--member=serviceAccount:vllm-account@my-project.iam.gserviceaccount.com');
    expect(commands).not.toContain('create serviceaccount');
  });

  test('an unknown Secret, claim and kind are listed', () => {
    const chart = chartIn();
    server(chart, {
      modelCache: new PvcVolume({ claimName: 'weights', mountPath: '/data' }),
      fragments: [
        { env: [{ name: 'API_KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'api.key' } } }] },
        { volumes: [{ name: 'certificates', secret: { secretName: 'tls' } }] },
      ],
    });
    new ApiObject(chart, 'certificate', { apiVersion: 'cert-manager.io/v1', kind: 'Certificate' });
    const runbook = new Runbook(chart);
    expect(sectionOf(runbook, 'Namespace and Secrets')).toBe(
      'kubectl create secret generic keys --from-literal=api.key=VALUE_OF_API_KEY',
    );
    expect(runbook.placeholders).toContainEqual({
      name: 'VALUE_OF_API_KEY',
      meaning: 'value of key `api.key` of Secret `keys`',
    });
    expect(needs(runbook, 'PersistentVolumeClaim')).toEqual(['`weights`']);
    expect(needs(runbook, 'CRD')).toContain(
      '`Certificate` of `cert-manager.io/v1`, from your own controller',
    );
    expect(runbook.picture).toContain('["PersistentVolumeClaim weights"]');
  });

  test('a Secret and a Namespace that the chart renders are not created', () => {
    const chart = chartIn('chart', 'serving');
    server(chart, { huggingFaceToken: TOKEN });
    new ApiObject(chart, 'secret', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hf-secret' } });
    new ApiObject(chart, 'namespace', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'serving' } });
    expect(sectionOf(new Runbook(chart), 'Namespace and Secrets')).toBe('');
  });

  describe('local disk', () => {
    const DISK = new GcsFuseVolume({
      bucketName: 'my-models',
      mountPath: '/data',
      cache: { medium: 'disk', sizeLimit: '160Gi' },
    });
    const flagsOf = (runbook: Runbook): readonly string[] =>
      sectionOf(runbook, 'Node pools').match(/--disk-size=\S+/g) ?? [];

    test('makes the boot disks larger if it exceeds the default boot disk', () => {
      const chart = chartIn();
      server(chart, { modelCache: DISK });
      new VllmServer(chart, 'small', {
        model: 'google/gemma-3-4b-it',
        slice: TpuSlice.of('ct6e-standard-1t'),
      });
      const runbook = new Runbook(chart);
      expect(flagsOf(runbook)).toEqual(['--disk-size=320GB']);
      expect(sectionOf(runbook, 'Node pools')).toMatch(/create tpu-v6e-2x4 .* --disk-size=320GB /);
      expect(needs(runbook, 'Boot disk')).toEqual([
        '320 GB on TPU nodes: pods of `Deployment server` request 165Gi of it and stay Pending on nodes with 100 GB',
      ]);
      expect(needs(new Runbook(chart, { mode: 'autopilot' }), 'Boot disk')).toEqual([]);
    });

    test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
      ['as a request', { 'gke-gcsfuse/ephemeral-storage-request': '50Gi' }, ['--disk-size=120GB']],
      ['as a limit alone', { 'gke-gcsfuse/ephemeral-storage-limit': '50Gi' }, ['--disk-size=120GB']],
      ['without either', { 'gke-gcsfuse/ephemeral-storage-limit': '0' }, []],
    ])('includes the sidecar %s', (_, annotations, expected) => {
      const chart = chartIn();
      const modelCache = new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data' });
      server(chart, { modelCache, fragments: [{ annotations }] });
      expect(flagsOf(new Runbook(chart))).toEqual(expected);
    });

    test('includes containers with only a request or only a limit', () => {
      for (const kind of ['requests', 'limits'] as const) {
        const chart = chartIn();
        server(chart, { fragments: [{ resources: { [kind]: { 'ephemeral-storage': '50Gi' } } }] });
        expect(flagsOf(new Runbook(chart))).toEqual(['--disk-size=120GB']);
      }
    });

    test('does not change node pools for a ComputeClass', () => {
      const chart = chartIn();
      server(chart, { modelCache: DISK, capacity: Capacity.computeClass('tpu-v6e') });
      expect(needs(new Runbook(chart), 'Boot disk')).toHaveLength(1);
    });
  });

  test.each<[string, ConstructorParameters<typeof GcsFuseVolume>[0], readonly string[]]>([
    ['no feature', { bucketName: 'my-models', mountPath: '/data' }, []],
    [
      'a file cache',
      { bucketName: 'my-models', mountPath: '/data', mountOptions: { fileCache: { maxSizeMb: 10 } } },
      ['1.27.12-gke.1190000 or later: the file cache of Cloud Storage FUSE'],
    ],
    [
      'a file cache that is filled in parallel, and metadata prefetch',
      {
        bucketName: 'my-models',
        mountPath: '/data',
        cache: { medium: 'ram', sizeLimit: '60Gi' },
        metadataPrefetch: true,
      },
      [
        '1.32.1-gke.1357001 or later: metadata prefetch of Cloud Storage FUSE',
        '1.29.6-gke.1254000 or later: parallel downloads of Cloud Storage FUSE; in 1.30, 1.30.2-gke.1394000 or later',
        '1.27.12-gke.1190000 or later: the file cache of Cloud Storage FUSE',
      ],
    ],
  ])('the GKE version that supports a volume with %s', (_, volume, expected) => {
    const chart = chartIn();
    server(chart, { modelCache: new GcsFuseVolume(volume) });
    expect(needs(new Runbook(chart), 'GKE').filter((one) => one.includes('FUSE'))).toEqual(expected);
  });

  test('the runbook checks for a field that older Ray operators reject, and installs JobSet', () => {
    const ray = exampleCharts().find(({ node }) => node.id === 'ray-stable-diffusion');
    expect(ray && sectionOf(new Runbook(ray), 'Controllers')).toBe(
      'kubectl explain rayservices.spec.upgradeStrategy',
    );
    const sax = exampleCharts().find(({ node }) => node.id === 'saxml-175b');
    expect(sax && sectionOf(new Runbook(sax), 'Controllers')).toContain('kubectl apply --server-side');
  });

  describe('the code of a Ray workload', () => {
    const cluster = { image: 'rayproject/ray:2.55.0', workerGroups: [{ groupName: 'tpu', slice: V6E }] };
    const service = (chart: Chart, ...files: readonly string[]): unknown =>
      new TpuRayService(chart, 'service', {
        ...cluster,
        serveConfig: {
          applications: files.map((workingDir, index) => ({
            name: `app-${String(index)}`,
            importPath: 'app:app',
            routePrefix: `/${String(index)}`,
            runtimeEnv: { workingDir },
          })),
        },
      });
    const job = (chart: Chart): unknown =>
      new TpuRayJob(chart, 'job', {
        ...cluster,
        serviceAccountName: 'trainer',
        head: { serviceAccountName: 'head' },
        entrypoint: 'python train.py',
        runtimeEnv: { workingDir: 'gs://code/train.zip', pyModules: ['gs://more/a.zip'] },
      });

    test.each<[string, (chart: Chart) => unknown, readonly string[]]>([
      ['a job', job, ['gs://code head', 'gs://code trainer', 'gs://more head', 'gs://more trainer']],
      ['a service', (chart) => service(chart, 'gs://code/a.zip', 'gs://code/b.zip'), ['gs://code default']],
      ['a service with code elsewhere', (chart) => service(chart, 'https://example.com/a.zip'), []],
    ])('has a role on its buckets in %s', (_, add, expected) => {
      const chart = chartIn();
      add(chart);
      const runbook = new Runbook(chart);
      const commands = expected.length > 0 ? sectionOf(runbook, 'Buckets and access') : '';
      const grants = [
        ...commands.matchAll(
          /add-iam-policy-binding (\S+) \S*\/sa\/(\S+) --role=roles\/storage.objectViewer/g,
        ),
      ].map(([, bucket = '', account = '']) => `${bucket} ${account}`);
      expect(grants.sort()).toEqual(expected);
      expect(runbook.sections.some(({ title }) => title === 'Buckets and access')).toBe(expected.length > 0);
    });
  });

  describe('the release of KubeRay that a chart needs is the newest that one of its objects needs', () => {
    const cluster = { image: 'rayproject/ray:2.55.0', workerGroups: [{ groupName: 'tpu', slice: V6E }] };
    const service = (chart: Chart): unknown =>
      new TpuRayService(chart, 'service', {
        ...cluster,
        serveConfig: { applications: [{ name: 'chat', importPath: 'chat:app' }] },
      });
    const alone = (chart: Chart): unknown => new TpuRayCluster(chart, 'cluster', cluster);
    const job = (chart: Chart): unknown =>
      new TpuRayJob(chart, 'job', { ...cluster, entrypoint: 'python train.py' });
    const retried = (chart: Chart): unknown =>
      new TpuRayJob(chart, 'retried', { ...cluster, entrypoint: 'python train.py', backoffLimit: 2 });

    test.each<[string, readonly ((chart: Chart) => unknown)[], string, string]>([
      ['RayService', [service], 'v1.3.0', 'rayservices.spec.upgradeStrategy'],
      ['RayCluster', [alone], 'v1.1.0', 'rayclusters.spec.workerGroupSpecs.numOfHosts'],
      ['RayJob', [job], 'v1.1.0', 'rayjobs.spec.rayClusterSpec.workerGroupSpecs.numOfHosts'],
      ['RayJob with retries', [retried], 'v1.2.0', 'rayjobs.spec.backoffLimit'],
      ['all of them', [alone, job, service, retried], 'v1.3.0', 'rayservices.spec.upgradeStrategy'],
    ])('%s', (_, objects, version, field) => {
      const chart = chartIn();
      for (const add of objects) add(chart);
      const runbook = new Runbook(chart);
      expect(sectionOf(runbook, 'Controllers')).toBe(`kubectl explain ${field}`);
      expect(needs(runbook, 'Controller')).toEqual([
        `KubeRay operator ${version} or later, for \`${field.slice(field.indexOf('.') + 1)}\``,
      ]);
    });
  });

  test('each additional multi-host slice needs another node pool', () => {
    const sax = exampleCharts().find(({ node }) => node.id === 'saxml-175b');
    const scale = sax && sectionOf(new Runbook(sax), 'Scale').split('\n');
    expect(scale).toEqual([
      'gcloud container node-pools create tpu-2 --cluster=CLUSTER_NAME --location=LOCATION --machine-type=ct5lp-hightpu-4t --tpu-topology=4x8 --num-nodes=8',
    ]);
  });

  test('kubectl follows the logs of more than five pods', () => {
    const logs = (topology: '4x4' | '4x8'): string => {
      const chart = chartIn();
      new FlexStartJob(chart, 'train', {
        slice: TpuSlice.of('ct6e-standard-4t', topology),
        image: 'example/train:v1',
      });
      return sectionOf(new Runbook(chart), 'Verify');
    };
    expect(logs('4x4')).not.toContain('--max-log-requests');
    expect(logs('4x8')).toContain('kubectl logs -l job-name=train -f --prefix --max-log-requests=8');
  });

  test('a rollout that waits for capacity or a checkpoint can take longer than the command', () => {
    const text = (props: Partial<ConstructorParameters<typeof VllmServer>[2]>): string => {
      const chart = chartIn();
      server(chart, props);
      return new Runbook(chart).toString();
    };
    const early = 'the command times out: run it again when the pods start.';
    expect(text({})).not.toContain(early);
    for (const capacity of [Capacity.spot(), Capacity.flexStart(), Capacity.computeClass('tpu-v6e')])
      expect(text({ capacity })).toContain(`If the pods wait long for capacity, ${early}`);
    const jetStream = exampleCharts().find(({ node }) => node.id === 'jetstream-gemma-7b-it');
    expect(jetStream && new Runbook(jetStream).toString()).toContain(
      `If the pods wait long for the checkpoint, ${early}`,
    );
  });

  test('weights in a bucket are uploaded, unless a construct of the app writes them', () => {
    const chart = chartIn();
    server(chart, { model: 'gs://my-models/Qwen3-8B', servedModelName: 'qwen', modelSize: '16G' });
    const access = sectionOf(new Runbook(chart), 'Buckets and access');
    expect(access).toContain('gcloud storage rsync MODEL_FOLDER gs://my-models/Qwen3-8B --recursive');
    expect(access.indexOf('buckets create')).toBeLessThan(access.indexOf('storage rsync'));
    const converted = exampleCharts().find(({ node }) => node.id === 'jetstream-gemma-7b-it');
    expect(converted && String(new Runbook(converted))).not.toContain('storage rsync');
  });

  test('KEDA is installed, and gets its role if it reads metrics with its own credentials', () => {
    const text = (keda: KedaOptions): string => {
      const chart = chartIn();
      server(chart, {
        autoscaling: {
          maxReplicas: 2,
          metric: VllmMetric.REQUESTS_WAITING,
          averageValue: 10,
          scaler: { keda },
        },
      });
      return new Runbook(chart, { projectNumber: '123456789012' }).toString().replaceAll(/ \\\n\s*/g, ' ');
    };
    const role = (verb: string): string =>
      `gcloud projects ${verb}-iam-policy-binding metrics-project --role=roles/monitoring.viewer --member="principal://iam.googleapis.com/projects/$PROJECT_NUMBER/locations/global/workloadIdentityPools/$PROJECT_ID.svc.id.goog/subject/ns/keda/sa/keda-operator"`;
    const google = text({ projectId: 'metrics-project' });
    expect(google).toContain('kubectl rollout status deployment/keda-operator -n keda');
    expect(google).toContain(role('add'));
    expect(google).toContain(role('remove'));
    for (const keda of [
      { serverAddress: 'http://frontend:9090' },
      { projectId: 'metrics-project', authenticationRef: 'google' },
    ]) {
      expect(text(keda)).toContain('Install KEDA, which scales `server`');
      expect(text(keda)).not.toContain('roles/monitoring.viewer');
    }
  });

  test('a flex-start node pool is created without nodes', () => {
    const chart = chartIn();
    server(chart, { capacity: Capacity.flexStart() });
    const text = new Runbook(chart).toString();
    expect(text).toContain('The pool has no nodes until pods request them.');
    expect(text).toContain('Expected: a table with the node pool and 0 nodes, after some minutes;');
    expect(text).not.toContain('after about ten minutes if there is capacity');
  });

  test('custom images, and the license of a model', () => {
    const chart = chartIn();
    server(chart, { image: 'us-docker.pkg.dev/my-project/servers/vllm:v1', huggingFaceToken: TOKEN });
    const runbook = new Runbook(chart);
    expect(needs(runbook, 'Your image')).toEqual([
      '`us-docker.pkg.dev/my-project/servers/vllm:v1`, which the nodes must be able to pull',
    ]);
    expect(needs(runbook, 'Note')).toEqual([
      'Accept the license of `google/gemma-3-27b-it` on Hugging Face, if it has one.',
      expect.stringMatching(/^The image tag of `server` is not a known release of vLLM\. /),
    ]);
  });

  test('the address of an internal load balancer is looked up', () => {
    const chart = chartIn();
    server(chart, { serviceType: 'InternalLoadBalancer' });
    const runbook = new Runbook(chart);
    expect(sectionOf(runbook, 'Call')).toMatch(/^address=\$\(kubectl get service server /);
    expect(runbook.toString()).toContain('which only the VPC network can reach');
    expect(scriptOf(runbook)).not.toContain('port-forward');
  });

  test('the machine type for a larger Ray head is a placeholder', () => {
    const chart = chartIn();
    new TpuRayService(chart, 'ray', {
      serveConfig: { applications: [{ name: 'app', importPath: 'app:deployment' }] },
      head: { resources: { requests: { cpu: '30' } } },
      image: 'rayproject/ray:2.55.1-py312',
      workerGroups: [{ groupName: 'tpu', slice: V6E, minReplicas: 1, maxReplicas: 4 }],
      enableInTreeAutoscaling: true,
    });
    const runbook = new Runbook(chart);
    expect(sectionOf(runbook, 'Cluster')).toContain('--machine-type=MACHINE_TYPE');
    expect(runbook.placeholders).toContainEqual({
      name: 'MACHINE_TYPE',
      meaning:
        "machine type of the cluster's own nodes, with room for the head, which requests 30 CPU and 8G of memory",
    });
    expect(sectionOf(runbook, 'Node pools')).toMatch(/--total-min-nodes=1 --total-max-nodes=4$/);
    expect(sectionOf(runbook, 'Scale')).toMatch(/^kubectl get rayclusters --watch\n/);
    expect(sectionOf(new Runbook(chart, { mode: 'autopilot' }), 'Cluster')).toContain(
      '--enable-ray-operator',
    );
  });

  test('the model of a Saxml cell that is too small for the test model is a placeholder', () => {
    const chart = chartIn();
    new SaxCell(chart, 'sax', {
      slice: TpuSlice.of('ct5lp-hightpu-4t'),
      bucketName: 'my-sax',
      serviceAccountName: 'sax',
      images: { http: 'example/http:v1' },
    });
    const runbook = new Runbook(chart);
    expect(runbook.placeholders.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['MODEL_NAME', 'MODEL_PATH', 'CHECKPOINT']),
    );
    expect(needs(runbook, 'Your image')).toEqual(['`example/http:v1`, which the nodes must be able to pull']);
    expect(sectionOf(runbook, 'Buckets and access')).not.toContain('NODE_SERVICE_ACCOUNT');
  });

  test('the runbook says that Autopilot rejects privileged pods', () => {
    const chart = chartIn();
    new SaxCell(chart, 'sax', { slice: V5E_HOSTS, bucketName: 'my-sax', serviceAccountName: 'sax' });
    expect(needs(new Runbook(chart, { mode: 'autopilot' }), 'Note')).toContain(
      'Autopilot rejects privileged pods and hostNetwork: it does not run JobSet sax as rendered',
    );
    expect(needs(new Runbook(chart), 'Note').join()).not.toContain('Autopilot');
  });

  test('multi-host slices of tpu7x need a workload policy for a node pool and for a ComputeClass', () => {
    const slice = TpuSlice.of('tpu7x-standard-4t', '2x2x2');
    const job = chartIn('job');
    new FlexStartJob(job, 'train', { slice, image: 'example/train:v1' });
    const runbook = new Runbook(job, { location: 'us-central1-c' });
    expect(sectionOf(runbook, 'Node pools')).toMatch(
      /^gcloud compute resource-policies create workload-policy tpu --region=us-central1 /,
    );
    expect(sectionOf(runbook, 'Clean up')).toContain(
      'gcloud compute resource-policies delete tpu --region=us-central1',
    );
    // the buckets may be elsewhere
    const elsewhere = new Runbook(job, { region: 'europe-west4', location: 'us-central1-c' });
    expect(sectionOf(elsewhere, 'Clean up')).toContain(
      'gcloud compute resource-policies delete tpu --region=us-central1',
    );
    expect(new Runbook(job, { region: 'europe-west4' }).placeholders).toContainEqual({
      name: 'REGION',
      meaning: 'region of the cluster',
    });
    const ladder = chartIn('ladder');
    new TpuComputeClass(ladder, 'ladder', {
      slice,
      priorities: [Capacity.onDemand()],
      placementPolicyName: 'cube',
      nodePoolAutoCreation: false,
    });
    expect(sectionOf(new Runbook(ladder), 'Node pools')).toContain(
      'create workload-policy cube --region=REGION',
    );
  });

  test.each([
    ['2x2x4', '1.36.0-gke.3712000 or later: dynamic slices that are parts of a sub-block'],
    ['4x4x4', '1.35.2-gke.1842000 or later: dynamic slices of whole sub-blocks'],
  ] as const)('dynamic slices of %s need a version of GKE, but not a node pool', (topology, version) => {
    const chart = chartIn();
    new TpuJob(chart, 'a', {
      slice: TpuSlice.of('tpu7x-standard-4t', topology),
      image: 'train:v1',
      capacity: Capacity.dynamicSlice({ queue: 'q' }),
    });
    const runbook = new Runbook(chart);
    expect(needs(runbook, 'GKE')).toContain(version);
    expect(needs(runbook, 'Quota')[0]).toContain('a reservation in All Capacity mode');
    expect(runbook.toString()).not.toContain('node-pools create');
  });

  test('the quota of a ComputeClass from elsewhere is unknown', () => {
    const chart = chartIn();
    server(chart, { capacity: Capacity.computeClass('tpu-v6e') });
    const runbook = new Runbook(chart);
    expect(needs(runbook, 'Quota')).toEqual(['8 chips of TPU v6e, the quota of its ComputeClass']);
    expect(sectionOf(runbook, 'Node pools')).toBe('');
  });

  test('a queue that the chart does not render is a prerequisite', () => {
    const queues = (make: (chart: Chart) => void): readonly string[] => {
      const chart = new Chart(Testing.app(), 'train');
      make(chart);
      return new Runbook(chart).prerequisites
        .filter(({ what }) => what === 'LocalQueue')
        .map(({ needed }) => needed);
    };
    const slice = TpuSlice.of('ct6e-standard-4t', '2x4');
    const image = 'a/b:v1';
    const job = (chart: Chart, id: string): TpuJob =>
      new TpuJob(chart, id, { slice, slices: 2, image, capacity: Capacity.onDemand({ queue: 'research' }) });
    expect(queues((chart) => [job(chart, 'a'), job(chart, 'b')])).toEqual([
      '`research`, a queue of Kueue in the namespace of its workloads',
    ]);
    const queued = (chart: Chart): void => {
      const queue = new TpuQueue(chart, 'research', { slice });
      new TpuJob(chart, 'a', { slice, image, capacity: Capacity.flexStartQueued({ queue }) });
    };
    expect(queues(queued)).toEqual([]);
  });

  test('queued Jobs of any duration share a pool; reservations have their own', () => {
    const chart = chartIn();
    for (const seconds of [3600, 7200])
      new FlexStartJob(chart, `job-${String(seconds)}`, {
        slice: V6E,
        image: 'example/train:v1',
        queue: 'tpu',
        maxRunDurationSeconds: seconds,
      });
    server(chart, { capacity: Capacity.reservation('tpus') });
    const runbook = new Runbook(chart);
    expect(sectionOf(runbook, 'Node pools').match(/node-pools create \S+/g)).toEqual([
      'node-pools create tpu-v6e-2x4',
      'node-pools create tpu-v6e-2x4-2',
    ]);
    expect(needs(runbook, 'Quota')).toEqual([
      '16 chips of TPU v6e, preemptible quota (flex-start)',
      '8 chips of TPU v6e, a reservation',
    ]);
  });

  test('a custom image of a JetStream converter is listed', () => {
    const chart = chartIn();
    new JetStreamCheckpointConverter(chart, 'converter', {
      model: 'google/gemma-7b-it-pytorch',
      modelName: 'gemma',
      bucketName: 'my-models',
      path: 'gemma',
      huggingFaceToken: TOKEN,
      slice: TpuSlice.of('ct5lp-hightpu-1t'),
      image: 'example/converter:v1',
    });
    const runbook = new Runbook(chart);
    expect(needs(runbook, 'Your image')).toHaveLength(1);
    expect(needs(runbook, 'Quota')).toEqual(['1 chip of TPU v5e, on-demand quota']);
    expect(sectionOf(runbook, 'Buckets and access')).toContain('/subject/ns/default/sa/default');
  });
});

test('the runbook installs the release of a controller that the types are generated from', () => {
  const sources = readFileSync(path.join(__dirname, '..', '..', 'scripts', 'crds.tsv'), 'utf8');
  const releases = Object.values(CONTROLLERS).flatMap((one) =>
    'install' in one ? [one.install.release] : [],
  );
  expect(releases.length).toBeGreaterThan(0);
  for (const { install, minimumVersion } of [CONTROLLERS.jobSet, CONTROLLERS.kueue]) {
    const [, repository = ''] = /github\.com\/([^/]+\/[^/]+)/.exec(install.manifests) ?? [];
    expect(sources).toContain(`\t${repository}\t${install.release}\t`);
    const [major, minor] = [install.release, minimumVersion].map((one) => Number(one.split('.')[1]));
    expect(major).toBeGreaterThanOrEqual(minor ?? Infinity);
  }
});

// ---- the picture ------------------------------------------------------------------------------------------------

/** What refers to what in a picture: `Service train selects Job train`. */
const edgesOf = ({ picture }: Runbook): readonly string[] => {
  const names = new Map(
    [...picture.matchAll(/^ {2}(n\d+)\["(.*)"\]$/gm)].map(([, id, label]) => [id, label]),
  );
  return [...picture.matchAll(/^ {2}(n\d+) -->\|"(.*)"\| (n\d+)$/gm)].map(
    ([, from, what = '', to]) => `${names.get(from) ?? ''} ${what} ${names.get(to) ?? ''}`,
  );
};

test.each<[string, readonly string[]]>([
  [
    'flex-start-queued',
    [
      'AdmissionCheck flex-start-queued refers to ProvisioningRequestConfig flex-start-queued',
      'ClusterQueue flex-start-queued refers to ResourceFlavor flex-start-queued',
      'ClusterQueue flex-start-queued refers to AdmissionCheck flex-start-queued',
      'LocalQueue flex-start-queued refers to ClusterQueue flex-start-queued',
      'Service flex-start-queued selects Job flex-start-queued',
      'Job flex-start-queued runs on TPU slices tpu-v6e-slice 4x4',
      'Job flex-start-queued waits in LocalQueue flex-start-queued',
    ],
  ],
  [
    'vllm-llama3-70b-flex',
    [
      'Deployment vllm-llama3-70b-flex acts as ServiceAccount vllm-llama3-70b-flex',
      'Deployment vllm-llama3-70b-flex reads Secret hf-secret',
      'Deployment vllm-llama3-70b-flex mounts bucket my-models',
      'Deployment vllm-llama3-70b-flex runs on ComputeClass vllm-llama3-70b-flex',
      'Service vllm-llama3-70b-flex selects Deployment vllm-llama3-70b-flex',
      'PodMonitoring vllm-llama3-70b-flex selects Deployment vllm-llama3-70b-flex',
    ],
  ],
  [
    'saxml-175b',
    [
      'JobSet saxml-175b acts as ServiceAccount saxml-175b',
      'JobSet saxml-175b uses bucket my-sax',
      'JobSet saxml-175b runs on TPU slices tpu-v5-lite-podslice 4x8',
      'Deployment saxml-175b-admin acts as ServiceAccount saxml-175b',
      'Deployment saxml-175b-admin uses bucket my-sax',
      'Deployment saxml-175b-http acts as ServiceAccount saxml-175b',
      'Deployment saxml-175b-http uses bucket my-sax',
      'Service saxml-175b-http selects Deployment saxml-175b-http',
    ],
  ],
])('the picture of %s', (name, edges) => {
  const chart = exampleCharts().find(({ node }) => node.id === name);
  expect(chart && edgesOf(new Runbook(chart))).toEqual(edges);
});

test('the picture shows what an autoscaler scales and what a policy guards', () => {
  const chart = chartIn();
  new VllmServer(chart, 'server', {
    model: 'google/gemma-3-27b-it',
    slice: V6E,
    monitoring: {},
    autoscaling: { maxReplicas: 2, metric: VllmMetric.REQUESTS_WAITING, averageValue: 5 },
    allowedClients: [{ podSelector: {} }],
  });
  new ApiObject(chart, 'outside', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'outside' },
    spec: { type: 'ExternalName', externalName: 'example.com' },
  });
  expect(edgesOf(new Runbook(chart)).join('\n')).not.toContain('outside');
  expect(edgesOf(new Runbook(chart))).toEqual(
    expect.arrayContaining([
      'HorizontalPodAutoscaler server scales Deployment server',
      'PodDisruptionBudget server selects Deployment server',
      'NetworkPolicy server selects Deployment server',
    ]),
  );
});

// ---- what is refused --------------------------------------------------------------------------------------------

describe('the options of a runbook', () => {
  const IMAGE = 'us-docker.pkg.dev/my-project/servers/vllm:v1';
  const build = {
    image: IMAGE,
    repository: 'https://github.com/vllm-project/vllm',
    commit: 'cd34029e91ad2d38a58d190331a65f9096c0b157',
  };
  const chart = (): Chart => {
    const made = chartIn('servers');
    const { serviceAccountName } = new WorkloadIdentity(made, 'vllm', {
      namespace: 'serving',
      projectId: 'my-project',
      projectNumber: '123456789012',
    });
    new VllmServer(made, 'server', {
      model: 'google/gemma-3-27b-it',
      slice: V6E,
      serviceAccountName,
      image: IMAGE,
    });
    return made;
  };

  test.each<[string, RunbookOptions, ...(readonly string[])]>([
    [
      'an unknown mode',
      { mode: 'serverless' as 'standard' },
      "mode: 'serverless' is not known; use one of 'standard', 'autopilot'",
    ],
    [
      'an unknown release channel',
      { releaseChannel: 'beta' as 'rapid' },
      "releaseChannel: 'beta' is not known; use one of 'rapid', 'regular', 'stable', 'extended'",
    ],
    [
      'the project of another identity',
      { projectId: 'other-project' },
      "projectId: 'other-project' differs from 'my-project' in the chart; use one value",
    ],
    [
      'an empty manifest',
      { manifest: '' },
      "manifest: '' is not a path; use a path, for example 'dist/llama.k8s.yaml'",
    ],
    [
      'a manifest like a flag',
      { manifest: '-' },
      "manifest: '-' is not a path; use a path, for example 'dist/llama.k8s.yaml'",
    ],
    [
      'a manifest with a tab',
      { manifest: 'dist/llama.yaml\treboot' },
      "manifest: 'dist/llama.yaml\\treboot' is not a path; use a path, for example 'dist/llama.k8s.yaml'",
    ],
    [
      'a malformed project number',
      { projectId: 'my-project', projectNumber: 'twelve' },
      "projectNumber: 'twelve' is not a project number; use the digits that this command prints: gcloud projects describe PROJECT_ID --format='value(projectNumber)'",
    ],
    [
      'another namespace',
      { namespace: 'default' },
      "namespace: 'default' differs from 'serving' in the chart; use one value",
    ],
    [
      'a malformed domain',
      { workloadPoolDomain: 's3ns' },
      "workloadPoolDomain: 's3ns' is not a domain; use a domain, for example 's3ns.svc.id.goog'",
    ],
    [
      'a zone as region',
      { region: 'us-east5-b' },
      "region: 'us-east5-b' is a zone; use its region, for example 'us-east5'",
    ],
    [
      'a malformed version',
      { clusterVersion: '1.31.x' },
      "clusterVersion: '1.31.x' is not a GKE version; use a GKE version, for example '1.31.2-gke.1115000'",
    ],
    [
      'a version that is too old',
      { clusterVersion: '1.31.2-gke.1000000' },
      "clusterVersion: '1.31.2-gke.1000000' is older than the version that TPU v6e needs; use '1.31.2-gke.1115000' or later",
    ],
    [
      'a malformed machine type',
      { machineType: 'big' },
      "machineType: 'big' is not a machine type; use a machine type, for example 'e2-standard-4'",
    ],
    ['no nodes', { numNodes: 0 }, "numNodes: '0' is not a whole number of at least 1; use 1"],
    [
      'a region without zones',
      { location: 'us-east5' },
      "nodeLocations: required, because location 'us-east5' is a region and GKE would create the nodes in each of its zones; use zones of the region that offer ct6e-standard-8t, like ['us-east5-a']",
    ],
    [
      'a malformed location, once',
      { location: 'us-east-5b' },
      "location: 'us-east-5b' is neither a zone nor a region; use a zone or region, for example 'us-east5-b'",
    ],
    [
      'options that Autopilot does not have',
      { mode: 'autopilot', location: 'us-east5-b', nodePoolName: 'tpu', numNodes: 2 },
      "numNodes: is set together with mode 'autopilot', where GKE creates the nodes; omit it",
      "nodePoolName: is set together with mode 'autopilot', where GKE creates the nodes; omit it",
      "location: 'us-east5-b' is a zone, but Autopilot clusters have a region; use 'us-east5'",
    ],
    [
      'an image without a tag',
      { builds: [{ ...build, image: 'vllm' }] },
      "builds[0].image: 'vllm' is not an image with a tag or digest; use REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
    ],
    [
      'a malformed build',
      {
        builds: [
          { ...build, image: 'example/vllm:v1', commit: 'main', repository: 'vllm', dockerfile: '/x' },
        ],
      },
      "builds[0].image: 'example/vllm:v1' is not in Artifact Registry; use an image in Artifact Registry with a tag, for example 'us-docker.pkg.dev/my-project/my-repository/server:v1'",
      "builds[0].repository: 'vllm' is not a Git repository; use its HTTPS address, for example 'https://github.com/vllm-project/vllm'",
      "builds[0].commit: 'main' is not a commit; use 7 to 40 hexadecimal digits",
      "builds[0].dockerfile: '/x' is not a path in the repository; use a path, for example 'Dockerfile.tpu'",
    ],
    [
      'a build that the chart does not run',
      { builds: [{ ...build, image: 'us-docker.pkg.dev/my-project/servers/other:v1' }] },
      `builds[0].image: 'us-docker.pkg.dev/my-project/servers/other:v1' is not an image of the chart; use one of '${IMAGE}'`,
    ],
    [
      'an unknown option',
      JSON.parse('{ "clusterVersoin": "1.33" }') as RunbookOptions,
      "clusterVersoin: unknown property; did you mean 'clusterVersion'?",
    ],
  ])('reject %s', (_, options, ...messages) => {
    expect(problemWith(chart(), options)?.split('\n')).toEqual(messages.map((one) => `servers ${one}`));
  });

  test('reject two identities of different projects', () => {
    const made = chart();
    new WorkloadIdentity(made, 'other', { projectId: 'other-project', iamServiceAccount: 'other-account' });
    expect(problemWith(made, {})?.split('\n')).toContain(
      "servers projectId: has several values in the chart: 'my-project' and 'other-project'; use one value",
    );
  });

  test.each<[string, RunbookOptions]>([
    ['nothing', {}],
    [
      'the values of the chart',
      { projectId: 'my-project', projectNumber: '123456789012', namespace: 'serving' },
    ],
    [
      'placeholders',
      { cluster: 'MY_CLUSTER', location: 'MY_ZONE', clusterVersion: 'VERSION', machineType: 'TYPE' },
    ],
    ['the oldest supported version', { clusterVersion: '1.31' }],
    ['a newer version', { clusterVersion: '1.33.1' }],
    ['the latest version', { clusterVersion: 'latest' }],
    ['a region with zones', { location: 'us-east5', nodeLocations: ['us-east5-b'] }],
    ['placeholders for zones', { location: 'us-east5', nodeLocations: ['ZONE'] }],
    ['a build', { builds: [build] }],
  ])('accept %s', (_, options) => {
    expect(problemWith(chart(), options)).toBeUndefined();
    const runbook = new Runbook(chart(), options);
    const own = Object.values(options)
      .flat()
      .filter((value) => typeof value === 'string' && /^[A-Z_]+$/.test(value));
    expect(runbook.placeholders.map(({ name }) => name)).toEqual(expect.arrayContaining(own));
  });
});
