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

// Which kinds the rules of operation are about; that each finds its default missing is in test/defaults.test.ts.

const NOTES = /^TPU3(2\d|3\d)/;
const codes = (...manifests: readonly Json[]): readonly string[] =>
  found(NOTES, ...manifests).map((finding) => finding.split(' ')[0] ?? '');

const bare = template(tpu('2x2'), '4');
const several = template(tpu('4x4'), '4');
const withLabels = (labels: Json): Json => ({ ...bare, metadata: { labels } });
const saxml = template(tpu('4x4'), '4', {
  containers: [container('4', { image: 'example/sax-model-server:v1' })],
});

describe('what is asked of', () => {
  test.each<[string, Json, readonly string[]]>([
    ['a Deployment', apps('Deployment', bare), ['TPU324', 'TPU331']],
    [
      'a Deployment of several replicas',
      apps('Deployment', bare, { replicas: 2 }),
      ['TPU321', 'TPU322', 'TPU324', 'TPU331'],
    ],
    ['a RayService', rayService(rayCluster(bare)), ['TPU320', 'TPU324', 'TPU327', 'TPU329', 'TPU331']],
    [
      'a RayService that may have several slices of one host',
      rayService(rayCluster(bare, { replicas: 1, maxReplicas: 2 })),
      ['TPU320', 'TPU322', 'TPU324', 'TPU327', 'TPU329', 'TPU331'],
    ],
    [
      'a RayService of slices that are node pools',
      rayService(rayCluster(several, { replicas: 2, numOfHosts: 4 })),
      ['TPU320', 'TPU324', 'TPU327', 'TPU329', 'TPU331'],
    ],
    ['a cluster that serves nobody', object('ray.io/v1', 'RayCluster', rayCluster(bare)), []],
    ['a Job', job({}, bare), ['TPU324', 'TPU331']],
    ['a JobSet', jobSet([replicatedJob(bare, {})]), ['TPU324', 'TPU331']],
    [
      'a JobSet of Saxml',
      jobSet([replicatedJob(saxml, { backoffLimit: 0 }, { replicas: 2 })]),
      ['TPU320', 'TPU324', 'TPU329', 'TPU331', 'TPU334'],
    ],
    [
      'a JobSet that serves, of several slices of one host',
      jobSet([replicatedJob(withLabels({ 'ai.gke.io/inference-server': 'mine' }), {}, { replicas: 2 })]),
      ['TPU320', 'TPU322', 'TPU324', 'TPU328', 'TPU331', 'TPU334'],
    ],
    ['pods without chips', job({}, template({})), []],
  ])('%s', (_, manifest, expected) => {
    expect(codes(manifest)).toEqual(expected);
  });
});

const running = (more: Json): Json =>
  apps('Deployment', template(tpu('2x2'), '4', { containers: [container('4', more)] }));

describe('notes are left out', () => {
  test('TPU320: about pods that nobody sends requests to', () => {
    const behind = object('v1', 'Service', { selector: { app: 'a' }, ports: [{ port: 80 }] });
    expect(codes(apps('Deployment', bare))).not.toContain('TPU320');
    expect(codes(apps('Deployment', bare), behind)).toContain('TPU320');
    expect(codes(running({ command: ['vllm', 'serve', 'a/b'] }))).toContain('TPU320');
  });

  test('TPU329: about programs that may ask the API', () => {
    expect(codes(running({}))).not.toContain('TPU329');
    expect(codes(running({ command: ['vllm', 'serve', 'a/b'] }))).toContain('TPU329');
  });

  test('TPU330: about pods that nobody confines', () => {
    expect(codes(running({}))).not.toContain('TPU330');
    expect(codes(running({ securityContext: { allowPrivilegeEscalation: false } }))).toContain('TPU330');
  });

  test('TPU325: about servers that flush their logs', () => {
    const image = (name: string): Json => running({ image: `example/${name}:v1` });
    expect(codes(image('maxengine-server'))).not.toContain('TPU325');
    expect(codes(image('max-diffusion'))).not.toContain('TPU325');
    expect(codes(image('jetstream-pytorch-server'))).toContain('TPU325');
  });

  test('TPU326: about Ray Serve that gives its replicas a folder', () => {
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

  test('TPU324: names what missing requests lead to', () => {
    const limited = (limits: Json): string =>
      said('TPU324', running({ resources: { limits: { 'google.com/tpu': '4', ...limits } } }));
    expect(limited({})).toContain('no cpu and no memory, so it is the first to be evicted');
    expect(limited({ memory: '1Gi' })).toContain('no cpu, so other pods of its node get CPU first');
    expect(limited({ cpu: '1', memory: '1Gi' })).toBe('');
  });
});

test.each<[string, Json, boolean]>([
  ['no limit', {}, true],
  ['a limit', { backoffLimit: 2 }, true],
  ['none at all', { backoffLimit: 0 }, false],
])('failed hosts of a Job with %s', (_, spec, expected) => {
  const indexed = { completionMode: 'Indexed', completions: 4, parallelism: 4, ...spec };
  expect(codes(job(indexed, several)).includes('TPU332')).toBe(expected);
  expect(codes(jobSet([replicatedJob(several, indexed)])).includes('TPU332')).toBe(expected);
  expect(codes(job({ ...spec }, bare))).not.toContain('TPU332');
});

describe('labels', () => {
  const missing = (manifest: Json): string => said('TPU328', manifest).split(';')[0] ?? '';

  test('of Ray pods are all but the name', () => {
    expect(missing(rayService(rayCluster(withLabels({ 'app.kubernetes.io/instance': 'a' }))))).toBe(
      "the pods of RayService/a have no label 'ai.gke.io/inference-server'",
    );
  });

  test('of pods that have none of them are not missed', () => {
    expect(missing(apps('Deployment', bare))).toBe('');
    expect(missing(apps('Deployment', withLabels({ 'app.kubernetes.io/name': 'a' })))).toContain(
      "'app.kubernetes.io/instance', 'ai.gke.io/inference-server'",
    );
  });

  test("of Jobs are nobody's business", () => {
    expect(missing(job({}, bare))).toBe('');
  });
});

test.each([
  ['--prometheus_port=9090', ['TPU327']],
  ['-prometheus_port=1', ['TPU327']],
  ['--prometheus_port=0', []],
  ['--port=9000', []],
])('JetStream with %s exports metrics, or none', (flag, expected) => {
  const pods = template(tpu('2x2'), '4', { containers: [container('4', { args: [flag] })] });
  expect(codes(apps('Deployment', pods)).filter((code) => code === 'TPU327')).toEqual(expected);
});

test("a port on the node's own network is the node's", () => {
  const pods = template(tpu('4x4'), '4', { hostNetwork: true });
  expect(codes(jobSet([replicatedJob(pods, {})]))).not.toContain('TPU331');
});

test('no shape of a manifest breaks a rule', () => {
  const manifests = [
    rayService(rayCluster(withLabels({ app: 'a' }), { replicas: 2 })),
    jobSet([replicatedJob(saxml, {}, { replicas: 2 })]),
  ];
  for (const set of mutilatedSets(manifests)) expect(throws(() => codes(...set))).toBe(false);
});

describe('a JobSet of servers', () => {
  const servers = (failurePolicy: Json, spec: Json = {}, more: Json = {}): Json =>
    jobSet(
      [replicatedJob(saxml, { parallelism: 4, completions: 4, ...more })],
      {},
      { failurePolicy, ...spec },
    );
  const restarts = (manifest: Json): readonly string[] => found(/^TPU334/, manifest);
  const finding = ['TPU334 warning spec.failurePolicy.maxRestarts'];

  test('ends for good after a few evictions if its restarts are counted', () => {
    expect(restarts(servers({ maxRestarts: 4 }))).toEqual(finding);
    expect(said('TPU334', servers({ maxRestarts: 4 }))).toContain('maxRestarts is 4, and counts over');
    expect(restarts(jobSet([replicatedJob(saxml, {})]))).toEqual(finding);
    expect(restarts(servers({ maxRestarts: 4, rules: [{ action: 'FailJobSet' }] }))).toEqual(finding);
  });

  test('survives with a rule that does not count, a high limit, or Jobs that ignore evictions', () => {
    expect(restarts(servers({ rules: [{ action: 'RestartJobSetAndIgnoreMaxRestarts' }] }))).toEqual([]);
    expect(restarts(servers({ maxRestarts: 10_000 }))).toEqual([]);
    const podFailurePolicy = {
      rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
    };
    expect(restarts(servers({ maxRestarts: 4 }, {}, { podFailurePolicy }))).toEqual([]);
  });

  test('is a test run if something else of the JobSet ends it, and training is not about it', () => {
    const client = replicatedJob({ spec: { containers: [container()] } }, {}, { name: 'client' });
    expect(restarts(jobSet([replicatedJob(saxml, {}), client]))).toEqual([]);
    expect(restarts(servers({}, { successPolicy: { targetReplicatedJobs: ['client'] } }))).toEqual([]);
    expect(restarts(jobSet([replicatedJob(several, {})], {}, { failurePolicy: { maxRestarts: 4 } }))).toEqual(
      [],
    );
  });
});

describe('a PodDisruptionBudget', () => {
  const budget = (spec: Json): Json =>
    object('policy/v1', 'PodDisruptionBudget', { selector: { matchLabels: { app: 'a' } }, ...spec });
  const about = (...manifests: readonly Json[]): readonly string[] => found(/^TPU335/, ...manifests);

  test('blocks drains while servers start, unless it says otherwise', () => {
    const servers = apps('Deployment', bare, { replicas: 2 });
    const finding = ['TPU335 warning spec.unhealthyPodEvictionPolicy'];
    expect(about(budget({ maxUnavailable: 1 }), servers)).toEqual(finding);
    expect(about(budget({ unhealthyPodEvictionPolicy: 'IfHealthyBudget' }), servers)).toEqual(finding);
    expect(about(budget({ unhealthyPodEvictionPolicy: 'AlwaysAllow' }), servers)).toEqual([]);
  });

  test('of other pods is not about it', () => {
    expect(about(budget({}), apps('Deployment', template({})))).toEqual([]);
    expect(about(budget({}), job({}, bare))).toEqual([]);
  });
});
