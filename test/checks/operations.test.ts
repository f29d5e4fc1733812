import { type Json } from '../../lib/manifest/manifest';
import {
  apps,
  container,
  found,
  job,
  jobSet,
  mutilatedSets,
  object,
  rayCluster,
  rayService,
  replicatedJob,
  said,
  template,
  throws,
  tpu,
} from './manifests';

// The kinds that the operation rules check. test/defaults.test.ts shows that each rule finds its default missing.

const NOTES = /^TPU3(2\d|3\d)/;
const codes = (...manifests: readonly Json[]): readonly string[] =>
  found(NOTES, ...manifests).map((finding) => finding.split(' ')[0] ?? '');

const bare = template(tpu('2x2'), '4');
const several = template(tpu('4x4'), '4');
const withLabels = (labels: Json): Json => ({ ...bare, metadata: { labels } });
const saxml = template(tpu('4x4'), '4', {
  containers: [container('4', { image: 'example/sax-model-server:v1' })],
});

describe('the operation rules check', () => {
  test.each<[string, Json, readonly string[]]>([
    ['a Deployment', apps('Deployment', bare), ['TPU324', 'TPU331']],
    [
      'a Deployment with several replicas',
      apps('Deployment', bare, { replicas: 2 }),
      ['TPU321', 'TPU322', 'TPU324', 'TPU331'],
    ],
    ['a RayService', rayService(rayCluster(bare)), ['TPU320', 'TPU324', 'TPU327', 'TPU329', 'TPU331']],
    [
      'a RayService that can scale to several single-host slices',
      rayService(rayCluster(bare, { replicas: 1, maxReplicas: 2 })),
      ['TPU320', 'TPU322', 'TPU324', 'TPU327', 'TPU329', 'TPU331'],
    ],
    [
      'a RayService with multi-host slices',
      rayService(rayCluster(several, { replicas: 2, numOfHosts: 4 })),
      ['TPU320', 'TPU324', 'TPU327', 'TPU329', 'TPU331'],
    ],
    ['nothing in a RayCluster', object('ray.io/v1', 'RayCluster', rayCluster(bare)), []],
    ['a Job', job({}, bare), ['TPU324', 'TPU331']],
    ['a JobSet', jobSet([replicatedJob(bare, {})]), ['TPU324', 'TPU331']],
    [
      'a JobSet that runs Saxml',
      jobSet([replicatedJob(saxml, { backoffLimit: 0 }, { replicas: 2 })]),
      ['TPU320', 'TPU324', 'TPU329', 'TPU331', 'TPU334'],
    ],
    [
      'a JobSet that serves on several single-host slices',
      jobSet([replicatedJob(withLabels({ 'ai.gke.io/inference-server': 'mine' }), {}, { replicas: 2 })]),
      ['TPU320', 'TPU322', 'TPU324', 'TPU328', 'TPU331', 'TPU334'],
    ],
    ['nothing in pods without chips', job({}, template({})), []],
  ])('%s', (_, manifest, expected) => {
    expect(codes(manifest)).toEqual(expected);
  });
});

const running = (more: Json): Json =>
  apps('Deployment', template(tpu('2x2'), '4', { containers: [container('4', more)] }));

describe('the notes', () => {
  test('TPU320 ignores pods that get no requests', () => {
    const behind = object('v1', 'Service', { selector: { app: 'a' }, ports: [{ port: 80 }] });
    expect(codes(apps('Deployment', bare))).not.toContain('TPU320');
    expect(codes(apps('Deployment', bare), behind)).toContain('TPU320');
    expect(codes(running({ command: ['vllm', 'serve', 'a/b'] }))).toContain('TPU320');
  });

  test('TPU329 ignores programs that may use the API', () => {
    expect(codes(running({}))).not.toContain('TPU329');
    expect(codes(running({ command: ['vllm', 'serve', 'a/b'] }))).toContain('TPU329');
  });

  test('TPU330 ignores pods without a security context', () => {
    expect(codes(running({}))).not.toContain('TPU330');
    expect(codes(running({ securityContext: { allowPrivilegeEscalation: false } }))).toContain('TPU330');
  });

  test('TPU325 ignores servers that flush their logs', () => {
    const image = (name: string): Json => running({ image: `example/${name}:v1` });
    expect(codes(image('maxengine-server'))).not.toContain('TPU325');
    expect(codes(image('max-diffusion'))).not.toContain('TPU325');
    expect(codes(image('jetstream-pytorch-server'))).toContain('TPU325');
  });

  test('TPU326 ignores Serve configurations that set a cache folder', () => {
    const workers = template(tpu('2x2'), '4', {
      containers: [container('4', { image: 'example/vllm-tpu-ray:v0.23.0' })],
    });
    const serve = (variables: string): Json =>
      rayService(rayCluster(workers), {
        serveConfigV2: `applications: [{name: n, import_path: m:app, runtime_env: {env_vars: ${variables}}}]`,
      });
    expect(codes(serve('{}'))).toContain('TPU326');
    expect(codes(serve('{VLLM_XLA_CACHE_PATH: /data}'))).not.toContain('TPU326');
  });

  test('TPU324 names the consequence of missing requests', () => {
    const limited = (limits: Json): string =>
      said('TPU324', running({ resources: { limits: { 'google.com/tpu': '4', ...limits } } }));
    expect(limited({})).toContain(
      'does not request cpu or memory, so its pod is among the first that are evicted',
    );
    expect(limited({ memory: '1Gi' })).toContain(
      'does not request cpu, so other pods on the node get CPU first',
    );
    expect(limited({ cpu: '1', memory: '1Gi' })).toBe('');
  });
});

test.each<[string, Json, boolean]>([
  ['no backoffLimit', {}, true],
  ['a backoffLimit of 2', { backoffLimit: 2 }, true],
  ['a backoffLimit of 0', { backoffLimit: 0 }, false],
])('TPU332 checks a multi-host Job with %s', (_, spec, expected) => {
  const indexed = { completionMode: 'Indexed', completions: 4, parallelism: 4, ...spec };
  expect(codes(job(indexed, several)).includes('TPU332')).toBe(expected);
  expect(codes(jobSet([replicatedJob(several, indexed)])).includes('TPU332')).toBe(expected);
  expect(codes(job({ ...spec }, bare))).not.toContain('TPU332');
});

describe('TPU328', () => {
  const missing = (manifest: Json): string => said('TPU328', manifest).split(';')[0] ?? '';

  test('does not require the name label of Ray pods', () => {
    expect(missing(rayService(rayCluster(withLabels({ 'app.kubernetes.io/instance': 'a' }))))).toBe(
      "the pods of RayService/a do not have the label 'ai.gke.io/inference-server'",
    );
  });

  test('ignores pods that have none of the labels', () => {
    expect(missing(apps('Deployment', bare))).toBe('');
    expect(missing(apps('Deployment', withLabels({ 'app.kubernetes.io/name': 'a' })))).toContain(
      "'app.kubernetes.io/instance' and 'ai.gke.io/inference-server'",
    );
  });

  test('ignores Jobs', () => {
    expect(missing(job({}, bare))).toBe('');
  });
});

test.each([
  ['--prometheus_port=9090', ['TPU327']],
  ['-prometheus_port=1', ['TPU327']],
  ['--prometheus_port=0', []],
  ['--port=9000', []],
])('TPU327 checks JetStream with %s', (flag, expected) => {
  const pods = template(tpu('2x2'), '4', { containers: [container('4', { args: [flag] })] });
  expect(codes(apps('Deployment', pods)).filter((code) => code === 'TPU327')).toEqual(expected);
});

test('TPU331 ignores pods on the host network', () => {
  const pods = template(tpu('4x4'), '4', { hostNetwork: true });
  expect(codes(jobSet([replicatedJob(pods, {})]))).not.toContain('TPU331');
});

test('the operation rules never throw on a malformed manifest', () => {
  const manifests = [
    rayService(rayCluster(withLabels({ app: 'a' }), { replicas: 2 })),
    jobSet([replicatedJob(saxml, {}, { replicas: 2 })]),
  ];
  for (const set of mutilatedSets(manifests)) expect(throws(() => codes(...set))).toBe(false);
});

describe('TPU334', () => {
  const servers = (failurePolicy: Json, spec: Json = {}, more: Json = {}): Json =>
    jobSet(
      [replicatedJob(saxml, { parallelism: 4, completions: 4, ...more })],
      {},
      { failurePolicy, ...spec },
    );
  const restarts = (manifest: Json): readonly string[] => found(/^TPU334/, manifest);
  const finding = ['TPU334 warning spec.failurePolicy.maxRestarts'];

  test('reports a JobSet of servers whose restarts are counted', () => {
    expect(restarts(servers({ maxRestarts: 4 }))).toEqual(finding);
    expect(said('TPU334', servers({ maxRestarts: 4 }))).toContain(
      'maxRestarts is 4, and JobSet never resets the count',
    );
    expect(restarts(jobSet([replicatedJob(saxml, {})]))).toEqual(finding);
    expect(restarts(servers({ maxRestarts: 4, rules: [{ action: 'FailJobSet' }] }))).toEqual(finding);
  });

  test('accepts a rule that does not count, a high limit, and Jobs that ignore evictions', () => {
    expect(restarts(servers({ rules: [{ action: 'RestartJobSetAndIgnoreMaxRestarts' }] }))).toEqual([]);
    expect(restarts(servers({ maxRestarts: 10_000 }))).toEqual([]);
    const podFailurePolicy = {
      rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
    };
    expect(restarts(servers({ maxRestarts: 4 }, {}, { podFailurePolicy }))).toEqual([]);
  });

  test('ignores test runs, which a client ends, and training', () => {
    const client = replicatedJob({ spec: { containers: [container()] } }, {}, { name: 'client' });
    expect(restarts(jobSet([replicatedJob(saxml, {}), client]))).toEqual([]);
    expect(restarts(servers({}, { successPolicy: { targetReplicatedJobs: ['client'] } }))).toEqual([]);
    expect(restarts(jobSet([replicatedJob(several, {})], {}, { failurePolicy: { maxRestarts: 4 } }))).toEqual(
      [],
    );
  });
});

describe('TPU335', () => {
  const budget = (spec: Json): Json =>
    object('policy/v1', 'PodDisruptionBudget', { selector: { matchLabels: { app: 'a' } }, ...spec });
  const about = (...manifests: readonly Json[]): readonly string[] => found(/^TPU335/, ...manifests);

  test('reports a budget without unhealthyPodEvictionPolicy AlwaysAllow', () => {
    const servers = apps('Deployment', bare, { replicas: 2 });
    const finding = ['TPU335 warning spec.unhealthyPodEvictionPolicy'];
    expect(about(budget({ maxUnavailable: 1 }), servers)).toEqual(finding);
    expect(about(budget({ unhealthyPodEvictionPolicy: 'IfHealthyBudget' }), servers)).toEqual(finding);
    expect(about(budget({ unhealthyPodEvictionPolicy: 'AlwaysAllow' }), servers)).toEqual([]);
  });

  test('ignores budgets for pods that are not TPU servers', () => {
    expect(about(budget({}), apps('Deployment', template({})))).toEqual([]);
    expect(about(budget({}), job({}, bare))).toEqual([]);
  });
});
