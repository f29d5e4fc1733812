import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ApiObject, App, Chart, Testing, YamlOutputType } from 'cdk8s';
import { Construct } from 'constructs';
import fc from '../fast-check';
import { FlexStartQueued } from '../../examples/flex-start-queued';
import { GEMMA_7B_IT, JetStreamFromCheckpoint } from '../../examples/jetstream';
import { VllmLlama370b } from '../../examples/vllm-llama3-70b';
import {
  ArgoApplication,
  type ArgoApplicationProps,
  Capacity,
  FlexStartJob,
  override,
  SaxCell,
  TpuJob,
  TpuRayJob,
  TpuRayService,
  TpuSlice,
  WorkloadIdentity,
} from '../../lib';
import { type Json, record, text } from '../../lib/manifest/manifest';
import { refusal } from '../refusal';

const repoURL = 'https://github.com/my-org/my-repo.git';
const newChart = (id = 'llama', namespace?: string): Chart => new Chart(Testing.app(), id, { namespace });
const application = (chart: Chart, props: Partial<ArgoApplicationProps> = {}): ArgoApplication =>
  new ArgoApplication(new Chart(Testing.app(), 'applications'), 'app', {
    chart,
    repoURL,
    path: 'dist',
    ...props,
  });
const render = (props: Partial<ArgoApplicationProps> = {}, chart = newChart()): Json =>
  application(chart, props).application.toJson() as Json;

/** The annotations for Argo CD on each object of a chart. */
function said(chart: Chart): Record<string, unknown> {
  application(chart);
  return Object.fromEntries(
    (Testing.synth(chart) as Json[]).map((manifest) => [
      `${text(manifest, 'kind') ?? ''}/${text(manifest, 'metadata', 'name') ?? ''}`,
      Object.fromEntries(
        Object.entries(record(manifest, 'metadata', 'annotations'))
          .filter(([key]) => key.startsWith('argocd.'))
          .map(([key, value]) => [key.replace('argocd.argoproj.io/', ''), value]),
      ),
    ]),
  );
}

const REPLACED = { 'sync-options': 'Force=true,Replace=true' };
const object = (chart: Chart, apiVersion: string, kind: string, more: object = {}): ApiObject =>
  new ApiObject(chart, `${apiVersion}-${kind}`, { apiVersion, kind, metadata: { name: 'x' }, ...more });

describe('an Application', () => {
  test('renders this manifest', () => {
    const applications = new Chart(Testing.app(), 'applications', { namespace: 'argo' });
    new ArgoApplication(applications, 'llama', {
      chart: new VllmLlama370b(Testing.app()),
      project: 'serving',
      repoURL,
      path: 'dist',
      targetRevision: 'main',
      destination: { name: 'prod' },
      retry: { limit: 2, backoff: { duration: '1m', factor: 2, maxDuration: '10m' } },
      syncOptions: ['CreateNamespace=false', 'PruneLast=true'],
      ignoreDifferences: [
        { group: 'apps', kind: 'Deployment', managedFieldsManagers: ['kube-controller-manager'] },
      ],
    });
    expect(Testing.synth(applications)).toMatchSnapshot();
  });

  test('refers to the file into which cdk8s writes the chart', () => {
    mkdirSync('temp', { recursive: true });
    const outdir = mkdtempSync(path.join('temp', 'argo-'));
    const app = new App({ outdir, outputFileExtension: '.yml' });
    const charts = ['llama', 'With Spaces', 'x'.repeat(80)].map((id) => new Chart(app, id));
    const included = charts.map((chart) => text(render({}, chart), 'spec', 'source', 'directory', 'include'));
    app.synth();
    expect(readdirSync(outdir).sort()).toEqual([...included].sort());
    rmSync(outdir, { recursive: true });
  });

  test('targets the namespace of the chart', () => {
    expect(record(render(), 'spec', 'destination')).toEqual({
      server: 'https://kubernetes.default.svc',
      namespace: 'default',
    });
    expect(
      record(
        render({ destination: { server: 'https://10.0.0.1' } }, newChart('llama', 'prod')),
        'spec',
        'destination',
      ),
    ).toEqual({ server: 'https://10.0.0.1', namespace: 'prod' });
  });

  test('waits for manual syncs with automated: false', () => {
    const policy = (props: Partial<ArgoApplicationProps>): unknown =>
      record(render(props), 'spec', 'syncPolicy')['automated'];
    expect(policy({ automated: false })).toBeUndefined();
    expect(policy({})).toEqual({ prune: true, selfHeal: true });
    expect(policy({ automated: { prune: false, allowEmpty: true } })).toEqual({
      prune: false,
      selfHeal: true,
      allowEmpty: true,
    });
  });

  test('can apply a chart of Applications', () => {
    const applications = new Chart(Testing.app(), 'applications', { namespace: 'argocd' });
    new ArgoApplication(applications, 'llama', { chart: newChart(), repoURL, path: 'dist' });
    expect(record(render({ path: 'dist/argocd' }, applications), 'spec')).toMatchObject({
      source: { path: 'dist/argocd', directory: { include: 'applications.k8s.yaml' } },
      destination: { namespace: 'argocd' },
    });
    expect(said(applications)).toEqual({ 'Application/llama': {} });
  });

  test('can apply its own chart, and a chart with another Application', () => {
    const app = Testing.app();
    const [own, other] = [new Chart(app, 'own'), new Chart(app, 'other')];
    const made = [own, own, other].map(
      (scope, index) =>
        new ArgoApplication(scope, `app-${String(index)}`, {
          chart: index === 0 ? own : scope === own ? other : own,
          repoURL,
          path: 'dist',
        }),
    );
    object(own, 'autoscaling/v2', 'HorizontalPodAutoscaler', {
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'llama' } },
    });
    const ignored = [{ group: 'apps', kind: 'Deployment', name: 'llama', jsonPointers: ['/spec/replicas'] }];
    expect(made.map(({ application: one }) => record(one.toJson(), 'spec')['ignoreDifferences'])).toEqual([
      ignored,
      undefined,
      ignored,
    ]);
    expect(said(own)).toMatchObject({ 'Application/app-0': {}, 'Application/app-1': {} });
  });
});

describe('the ignored fields', () => {
  const ignored = (chart: Chart): unknown => record(render({}, chart), 'spec')['ignoreDifferences'];

  test('are the replicas of the target of a HorizontalPodAutoscaler', () => {
    expect(ignored(new VllmLlama370b(Testing.app()))).toEqual([
      { group: 'apps', kind: 'Deployment', name: 'vllm-llama3-70b', jsonPointers: ['/spec/replicas'] },
    ]);
  });

  test('are the suspension and node placement of a Job in a queue', () => {
    expect(ignored(new FlexStartQueued(Testing.app()))).toEqual([
      {
        group: 'batch',
        kind: 'Job',
        name: 'flex-start-queued',
        jsonPointers: [
          '/spec/suspend',
          '/spec/template/spec/nodeSelector',
          '/spec/template/spec/tolerations',
        ],
      },
    ]);
  });

  test('do not include a RayService, whose autoscaler changes the RayCluster', () => {
    const chart = newChart();
    new TpuRayService(chart, 'ray', {
      serveConfig: { applications: [{ name: 'app', importPath: 'app:deployment' }] },
      enableInTreeAutoscaling: true,
      workerGroups: [
        {
          groupName: 'tpu',
          slice: TpuSlice.of('ct6e-standard-4t'),
          maxReplicas: 3,
        },
      ],
    });
    expect(ignored(chart)).toBeUndefined();
  });

  test('are read when the chart is complete, in the namespace of each object', () => {
    const chart = newChart('llama', 'prod');
    const { application: made } = application(chart);
    object(chart, 'autoscaling/v2', 'HorizontalPodAutoscaler', {
      spec: { scaleTargetRef: { kind: 'ReplicationController', name: 'old' } },
    });
    object(chart, 'autoscaling/v2', 'HorizontalPodAutoscalerList', { spec: {} });
    expect(record(made.toJson(), 'spec')['ignoreDifferences']).toEqual([
      {
        group: '',
        kind: 'ReplicationController',
        name: 'old',
        namespace: 'prod',
        jsonPointers: ['/spec/replicas'],
      },
    ]);
  });
});

describe('the sync waves', () => {
  test('apply identity and monitoring first, then the converter, then the server', () => {
    const chart = new JetStreamFromCheckpoint(Testing.app(), 'gemma', GEMMA_7B_IT);
    expect(said(chart)).toEqual({
      'ServiceAccount/gemma': { 'sync-wave': '-2' },
      'PodMonitoring/gemma': { 'sync-wave': '-2' },
      'Job/gemma-converter': { ...REPLACED, 'sync-wave': '-1' },
      'Deployment/gemma': {},
      'Service/gemma': {},
      'PodDisruptionBudget/gemma': {},
    });
  });

  test('apply a queue before its Job, which is replaced', () => {
    expect(said(new FlexStartQueued(Testing.app()))).toEqual({
      'ResourceFlavor/flex-start-queued': { 'sync-wave': '-2' },
      'ProvisioningRequestConfig/flex-start-queued': { 'sync-wave': '-2' },
      'AdmissionCheck/flex-start-queued': { 'sync-wave': '-2' },
      'ClusterQueue/flex-start-queued': { 'sync-wave': '-2' },
      'LocalQueue/flex-start-queued': { 'sync-wave': '-2' },
      'Service/flex-start-queued': {},
      'Job/flex-start-queued': REPLACED,
    });
  });

  test.each([
    ['v1', 'Namespace', true],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', true],
    ['scheduling.k8s.io/v1', 'PriorityClass', true],
    ['v1', 'Secret', true],
    ['v1', 'ConfigMap', true],
    ['rbac.authorization.k8s.io/v1', 'Role', true],
    ['networking.k8s.io/v1', 'NetworkPolicy', true],
    ['cloud.google.com/v1', 'ComputeClass', true],
    ['storage.cnrm.cloud.google.com/v1beta1', 'StorageBucket', true],
    ['iam.cnrm.cloud.google.com/v1beta1', 'IAMPolicyMember', true],
    // bound when a pod requests it, or unhealthy without its Deployment
    ['v1', 'PersistentVolumeClaim', false],
    ['autoscaling/v2', 'HorizontalPodAutoscaler', false],
    ['networking.k8s.io/v1', 'Ingress', false],
    ['example.com/v1', 'Secret', false],
    ['example.com/v1', 'Job', false],
  ])('put %s %s first: %s', (apiVersion, kind, first) => {
    const chart = newChart();
    object(chart, apiVersion, kind);
    expect(said(chart)).toEqual({ [`${kind}/x`]: first ? { 'sync-wave': '-2' } : {} });
  });

  test('keep existing annotations and hooks', () => {
    const chart = newChart();
    const wave = { metadata: { name: 'wave', annotations: { 'argocd.argoproj.io/sync-wave': '-9' } } };
    new ApiObject(chart, 'wave', { apiVersion: 'v1', kind: 'ServiceAccount', ...wave });
    new ApiObject(chart, 'job', { apiVersion: 'batch/v1', kind: 'Job', ...wave });
    const hook = { metadata: { name: 'hook', annotations: { 'argocd.argoproj.io/hook': 'PreSync' } } };
    const spec = { ttlSecondsAfterFinished: 60 };
    new ApiObject(chart, 'hook', { apiVersion: 'batch/v1', kind: 'Job', ...hook, spec });
    expect(said(chart)).toEqual({
      'ServiceAccount/wave': { 'sync-wave': '-9' },
      'Job/wave': { ...REPLACED, 'sync-wave': '-9' },
      'Job/hook': { hook: 'PreSync' },
    });
  });

  test('include objects that are added later, but not charts without an Application', () => {
    const [chart, plain] = [newChart(), newChart()];
    application(chart);
    for (const one of [chart, plain])
      new WorkloadIdentity(one, 'late', { projectId: 'my-project', projectNumber: '123456789012' });
    expect(said(chart)).toEqual({ 'ServiceAccount/late': { 'sync-wave': '-2' } });
    expect(JSON.stringify(Testing.synth(plain))).not.toContain('argocd');
  });
});

const kindGroup = (name: string): string => (name.startsWith('Ray') ? 'ray.io' : 'jobset.x-k8s.io');

describe('an object that is replaced when it changes', () => {
  const slice = TpuSlice.of('ct6e-standard-4t', '2x4');
  const queued = Capacity.onDemand({ queue: 'tpu' });
  const image = 'rayproject/ray:2.55.0';
  const CHARTS: readonly [string, (chart: Chart) => unknown, string, string | undefined][] = [
    [
      'can be a JobSet',
      (chart) => new TpuJob(chart, 'x', { image: 'a/b:v1', slice, slices: 2, capacity: queued }),
      'JobSet/x',
      '.spec.replicatedJobs[].template.spec.template',
    ],
    [
      'can be a RayJob',
      (chart) =>
        new TpuRayJob(chart, 'x', {
          image,
          entrypoint: 'python train.py',
          workerGroups: [{ groupName: 'g', slice, capacity: queued }],
        }),
      'RayJob/x',
      '.spec.rayClusterSpec.workerGroupSpecs[].template',
    ],
    [
      'can be a Saxml cell on a multi-host slice',
      (chart) =>
        new SaxCell(chart, 'x', {
          slice: TpuSlice.of('ct5lp-hightpu-4t', '4x8'),
          bucketName: 'my-sax',
          serviceAccountName: 'sax',
        }),
      'JobSet/x',
      undefined,
    ],
  ];

  test.each(CHARTS)('is %s', (_, add, name, template) => {
    const chart = newChart();
    add(chart);
    expect(said(chart)).toMatchObject({ [name]: REPLACED });
    expect(record(render({}, chart), 'spec')['ignoreDifferences']).toEqual(
      template === undefined
        ? undefined
        : [
            {
              ...{ group: kindGroup(name), kind: name.replace('/x', ''), name: 'x' },
              jsonPointers: ['/spec/suspend'],
              jqPathExpressions: [`${template}.spec.nodeSelector`, `${template}.spec.tolerations`],
            },
          ],
    );
  });

  test.each(['RayService', 'RayCluster', 'LeaderWorkerSet'])(
    'is not a %s, which its controller updates',
    (kind) => {
      const chart = newChart();
      object(chart, kind.startsWith('Ray') ? 'ray.io/v1' : 'leaderworkerset.x-k8s.io/v1', kind);
      expect(said(chart)[`${kind}/x`]).toEqual({});
    },
  );
});

describe('the annotations', () => {
  test('are added when an object is rendered, not by a validation', () => {
    const chart = newChart();
    application(chart);
    const job = object(chart, 'batch/v1', 'Job', { spec: {} });
    chart.node.findAll().forEach((one) => one.node.validate());
    expect(record(job.metadata.toJson())['annotations']).toBeUndefined();
    expect(record(job.toJson(), 'metadata', 'annotations')).toEqual({
      'argocd.argoproj.io/sync-options': 'Force=true,Replace=true',
    });
  });

  test('omit an object that an override makes a hook', () => {
    const chart = newChart();
    application(chart);
    override(object(chart, 'batch/v1', 'Job', { spec: { ttlSecondsAfterFinished: 60 } }), {
      metadata: { annotations: { 'argocd.argoproj.io/hook': 'Sync' } },
    });
    expect(said(chart)).toEqual({ 'Job/x': { hook: 'Sync' } });
  });

  test('resolve once per object, also with two Applications of one chart', () => {
    const chart = newChart();
    application(chart);
    const { resolvers } = App.of(chart);
    const count = resolvers.length;
    application(chart);
    application(new Chart(chart, 'inner'));
    expect(resolvers).toHaveLength(count);
  });
});

describe('synth', () => {
  const job = (chart: Chart, ttlSecondsAfterFinished?: number): FlexStartJob =>
    new FlexStartJob(chart, 'train', {
      slice: TpuSlice.of('ct6e-standard-4t'),
      image: 'example/train:v1',
      ttlSecondsAfterFinished,
    });

  test('rejects a Job that deletes itself, once for several Applications', () => {
    const chart = newChart();
    job(chart, 0);
    Testing.synth(chart);
    application(chart);
    application(chart);
    expect(() => Testing.synth(chart)).toThrow(
      new Error(
        "Validation failed with the following errors:\n  [llama] Job/train spec.ttlSecondsAfterFinished: '0' deletes the finished Job, which Argo CD then creates and runs again; omit it",
      ),
    );
  });

  test('rejects a JobSet that deletes itself, but accepts the field in other groups', () => {
    const chart = newChart();
    const spec = { ttlSecondsAfterFinished: 60 };
    object(chart, 'jobset.x-k8s.io/v1alpha2', 'JobSet', { spec });
    object(chart, 'ray.io/v1', 'RayJob', { spec });
    application(chart);
    expect(chart.node.validate()).toEqual([
      "JobSet/x spec.ttlSecondsAfterFinished: '60' deletes the finished JobSet, which Argo CD then creates and runs again; omit it",
    ]);
  });

  const problems = (chart: Chart, props: Partial<ArgoApplicationProps> = {}): readonly string[] =>
    application(chart, props).node.validate();

  test.each([YamlOutputType.FILE_PER_APP, YamlOutputType.FILE_PER_RESOURCE])(
    'rejects a chart without its own file: %s',
    (yamlOutputType) => {
      const chart = new Chart(new App({ yamlOutputType }), 'llama');
      expect(problems(chart)).toEqual([
        "include: required for chart 'llama', because its app does not write one file per chart; use a pattern like '*.k8s.yaml'",
      ]);
      expect(problems(chart, { include: 'app.k8s.yaml' })).toEqual([]);
    },
  );

  const numbered =
    "include: required for chart 'llama', because its app numbers the files; use '*-llama.k8s.yaml', or its number in place of '*'";
  test.each<[string, (chart: Chart) => void, readonly string[]]>([
    ['charts that depend on each other', (chart) => new Chart(chart, 'inner'), [numbered]],
    [
      'objects that do',
      (chart) => {
        const other = new Chart(App.of(chart), 'other');
        object(other, 'v1', 'Secret').addDependency(object(chart, 'v1', 'Secret'));
      },
      [numbered],
    ],
    [
      'charts in the same construct',
      (chart) => {
        const stage = new Construct(App.of(chart), 'stage');
        new Chart(stage, 'one');
        new Chart(stage, 'two');
      },
      [],
    ],
    [
      'objects of one chart',
      (chart) => {
        object(chart, 'v1', 'Pod').addDependency(object(chart, 'v1', 'Secret'));
      },
      [],
    ],
  ])('ignores %s', (_, add, expected) => {
    const chart = newChart();
    add(chart);
    expect(problems(chart)).toEqual(expected);
    expect(problems(chart, { include: '*-llama.k8s.yaml' })).toEqual([]);
  });
});

describe('an Application with a mistake', () => {
  test.each<[string, Partial<ArgoApplicationProps>]>([
    [
      "name: 'My App' is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example 'my-app'",
      { name: 'My App' },
    ],
    [
      "project: '' is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example 'x'",
      { project: '' },
    ],
    [
      "repoURL: 'my-org/my-repo' is not the address of a repository; use an address, for example 'https://github.com/my-org/my-repo.git'",
      { repoURL: 'my-org/my-repo' },
    ],
    [
      "repoURL: 'https://me:***@github.com/my-org/my-repo.git' contains a password; use the address without the password; Argo CD reads credentials from Secrets",
      { repoURL: 'https://me:hunter2@github.com/my-org/my-repo.git' },
    ],
    [
      "path: '/dist/' is not a folder of the repository; use names separated by single '/', for example 'dist'",
      { path: '/dist/' },
    ],
    [
      "path: '../my dist' is not a folder of the repository; use names separated by single '/', for example 'my-dist'",
      { path: '../my dist' },
    ],
    [
      "path: '' is not a folder of the repository; use names separated by single '/', for example 'dist'",
      { path: '' },
    ],
    [
      "targetRevision: 'my branch' is not a branch, tag or commit; use one of them, for example 'main'",
      { targetRevision: 'my branch' },
    ],
    [
      "include: '/x' is not a file of the folder; use a file or a pattern, for example '*.k8s.yaml'",
      { include: '/x' },
    ],
    [
      "destination.server: '10.0.0.1' is not the address of a cluster; use an address, for example 'https://kubernetes.default.svc'",
      { destination: { server: '10.0.0.1' } },
    ],
    [
      "destination.name: ' ' is empty; use the name of a cluster in Argo CD, like 'in-cluster'",
      { destination: { name: ' ' } },
    ],
    ["retry.limit: '-2' is not a whole number of at least -1; use -1", { retry: { limit: -2 } }],
    [
      "retry.backoff.factor: '0' is not a whole number of at least 1; use 1",
      { retry: { backoff: { factor: 0 } } },
    ],
    [
      "retry.backoff.duration: '30' is not a duration; use a number with a unit, for example '30s'",
      { retry: { backoff: { duration: '30' } } },
    ],
    [
      "retry.backoff.maxDuration: 'long' is not a duration; use a number with a unit, for example '5s'",
      { retry: { backoff: { maxDuration: 'long' } } },
    ],
    [
      "syncOptions[0]: 'PruneLast' is not a sync option; use KEY=VALUE, for example 'PruneLast=true'",
      { syncOptions: ['PruneLast'] },
    ],
    [
      "syncOptions[2]: 'Prune=false' sets Prune again; keep one of them",
      { syncOptions: ['Prune=true', 'PruneLast=true', 'Prune=false'] },
    ],
    [
      "ignoreDifferences[0].kind: 'apps/Deployment' is not a kind; use a kind, for example 'Deployment'",
      { ignoreDifferences: [{ kind: 'apps/Deployment', jsonPointers: ['/spec'] }] },
    ],
    [
      "ignoreDifferences[0].namespace: 'A' is not a DNS label; use lower-case letters, digits and '-', starting and ending with a letter or digit, for example 'a'",
      { ignoreDifferences: [{ kind: '*', namespace: 'A', jqPathExpressions: ['.spec'] }] },
    ],
    [
      'ignoreDifferences[0]: names no field; use jsonPointers, jqPathExpressions or managedFieldsManagers',
      { ignoreDifferences: [{ kind: 'Deployment', jsonPointers: [] }] },
    ],
    [
      "ignoreDifferences[1].jsonPointers[0]: '.spec.replicas' is not a JSON pointer; use '/' before each key, for example '/spec/replicas'",
      {
        ignoreDifferences: [
          { kind: 'Job', managedFieldsManagers: ['x'] },
          { kind: 'Deployment', jsonPointers: ['.spec.replicas'] },
        ],
      },
    ],
  ])('rejects %s', (sentence, props) => {
    expect(refusal(() => application(newChart(), props))).toBe(`applications/app ${sentence}`);
  });

  test('lists all mistakes at once', () => {
    expect(refusal(() => application(newChart(), { repoURL: '', path: '/' })).split('\n')).toHaveLength(2);
  });

  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
  test('renders any legal props', () => {
    fc.assert(
      fc.property(
        fc.record({
          repoURL: fc.oneof(
            word.map((name) => `https://example.com/${name}.git`),
            word.map((name) => `git@example.com:org/${name}.git`),
            word.map((name) => `ssh://git@example.com/${name}`),
          ),
          path: fc.oneof(
            fc.constant('.'),
            fc.array(word, { minLength: 1, maxLength: 3 }).map((p) => p.join('/')),
          ),
          targetRevision: fc.oneof(word, fc.constantFrom('HEAD', 'v1.2.x', 'feature/x')),
          project: word,
          name: word,
        }),
        ({ name, project, ...source }) => {
          expect(render({ name, project, ...source })).toMatchObject({
            metadata: { name, namespace: 'argocd' },
            spec: { project, source },
          });
        },
      ),
    );
  });

  test('names the prop of any illegal value', () => {
    const odd = fc.constantFrom(' ', 'a b', '-', 'ü', 'a\n');
    const props = ['name', 'project', 'repoURL', 'path', 'targetRevision', 'include'] as const;
    fc.assert(
      fc.property(fc.constantFrom(...props), word, odd, (prop, start, end) => {
        const value = prop === 'path' || prop === 'targetRevision' || prop === 'include' ? ' ' : end;
        expect(refusal(() => application(newChart(), { [prop]: start + value + start + value }))).toMatch(
          new RegExp(`^applications/app ${prop}: `),
        );
      }),
    );
  });
});

test('two processes write the same files for any order of the charts', () => {
  const root = path.join(__dirname, '..', '..');
  mkdirSync(path.join(root, 'temp'), { recursive: true });
  const folder = mkdtempSync(path.join(root, 'temp', 'argo-'));
  writeFileSync(
    path.join(folder, 'main.ts'),
    `import { App } from 'cdk8s';
import { addArgoCd } from '../../examples/argocd';
import { GEMMA_7B_IT, JetStreamFromCheckpoint, LLAMA_3_8B } from '../../examples/jetstream';
import { VllmLlama370b } from '../../examples/vllm-llama3-70b';
import { refusal } from '../refusal';
const charts = [
  (app: App) => new VllmLlama370b(app),
  (app: App) => new JetStreamFromCheckpoint(app, 'gemma', GEMMA_7B_IT),
  (app: App) => new JetStreamFromCheckpoint(app, 'llama', LLAMA_3_8B),
];
if (process.argv[2] === 'reversed') charts.reverse();
const [app, argo] = ['dist', 'argocd'].map((name) => new App({ outdir: process.argv[3] + '/' + name })) as [App, App];
for (const add of charts) add(app);
addArgoCd(argo, { '.': app });
app.synth();
argo.synth();
`,
  );
  const written = ['straight', 'reversed'].map((order) => {
    const outdir = path.join(folder, order);
    const { stderr, status } = spawnSync(
      process.execPath,
      ['--import', 'tsx', path.join(folder, 'main.ts'), order, outdir],
      { cwd: root, encoding: 'utf8' },
    );
    expect([stderr, status]).toEqual(['', 0]);
    return readdirSync(outdir, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.yaml'))
      .sort()
      .map((name) => [name, readFileSync(path.join(outdir, name), 'utf8')]);
  });
  rmSync(folder, { recursive: true });
  expect(written[0]).toHaveLength(6);
  expect(written[1]).toEqual(written[0]);
});
