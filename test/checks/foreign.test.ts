import { findingsIn } from '../../lib/checks/check';
import { type Json, manifestObject } from '../../lib/manifest/manifest';
import {
  apps,
  container,
  found,
  job,
  jobSet,
  leaderWorkerSet,
  object,
  pod,
  replicatedJob,
  said,
  service,
  template,
  tpu,
} from './manifests';

// Legal patterns from public YAML that must not be errors.

const server = (more: Json, nodes: Json = tpu('2x4'), chips = '8', spec: Json = {}): Json =>
  template(nodes, chips, { containers: [container(chips, more)], ...spec });
const vllm = (...words: readonly string[]): Json => ({ command: ['vllm', 'serve', 'a/b', ...words] });
const probe = (more: Json = {}): Json => ({
  httpGet: { path: '/health', port: 8000 },
  timeoutSeconds: 10,
  ...more,
});

describe('ports that are not declared', () => {
  const ports = [{ containerPort: 9000 }];
  const behind = (more: Json): readonly string[] =>
    found(
      /^TPU(303|502)/,
      apps('Deployment', server({ ports, readinessProbe: probe(), ...more })),
      service({ selector: { app: 'a' }, ports: [{ port: 80, targetPort: 8000 }] }),
    );

  test('still receive requests, so the rules only warn', () => {
    expect(behind({})).toEqual([
      'TPU303 warning spec.template.spec.containers[main].readinessProbe.httpGet.port',
      'TPU502 warning spec.ports[0].targetPort',
    ]);
  });

  test.each<[string, Json]>([
    ['an argument names them', { args: ['--port=8000'] }],
    ['a script names them', { command: ['sh', '-c', 'exec server --listen 0.0.0.0:8000'] }],
    ['a variable names them', { env: [{ name: 'PORT', value: '8000' }] }],
    [
      'only those of the TPU runtime are declared',
      { ports: [{ containerPort: 8471 }, { containerPort: 8431 }] },
    ],
  ])('are right if %s', (_, more) => {
    expect(behind(more)).toEqual([]);
  });

  test('do not match a longer number', () => {
    expect(behind({ args: ['--limit=80001', '--rate=1.8000'] })).toHaveLength(2);
  });
});

test('several probes of a container that check its sidecar are one note', () => {
  const sidecar = { name: 'http', image: 'example/http:v1', ports: [{ containerPort: 8000 }] };
  const main = container('8', {
    ports: [{ containerPort: 9000 }],
    startupProbe: probe(),
    livenessProbe: probe(),
  });
  const pods = template(tpu('2x4'), '8', { containers: [main, sidecar] });
  expect(found(/^TPU303/, apps('Deployment', pods))).toEqual([
    'TPU303 note spec.template.spec.containers[main].startupProbe.httpGet.port',
  ]);
});

describe('a liveness probe without a startup probe', () => {
  const killed = (initialDelaySeconds: number): readonly string[] =>
    found(
      /^TPU301/,
      apps('Deployment', server({ ...vllm(), livenessProbe: probe({ initialDelaySeconds }) })),
    );
  const path = 'spec.template.spec.containers[main].startupProbe';

  test.each([
    [0, [`TPU301 error ${path}`]],
    [240, [`TPU301 warning ${path}`]],
    [690, [`TPU301 warning ${path}`]],
    [2000, []],
  ])('after %d s', (seconds, wanted) => {
    expect(killed(seconds)).toEqual(wanted);
  });
});

describe('a Deployment on a multi-host slice', () => {
  const hosts = (spec: Json, env: readonly Json[] = []): readonly string[] =>
    found(/^TPU202/, apps('Deployment', server({ env }, tpu('2x2x2', 'tpu-v4-podslice'), '4'), spec)).map(
      (one) => one.split(' ')[1] ?? '',
    );

  test('is a warning with a replica for each host, or if it divides the slice itself', () => {
    expect(hosts({ replicas: 1 })).toEqual(['error']);
    expect(hosts({ replicas: 2 })).toEqual(['warning']);
    expect(hosts({ replicas: 3 })).toEqual(['error']);
    expect(hosts({ replicas: 1 }, [{ name: 'TPU_PROCESS_BOUNDS', value: '1,1,1' }])).toEqual(['warning']);
  });
});

describe('an unknown accelerator', () => {
  const wrong = (nodes: Json, chips: string): readonly string[] =>
    found(/^TPU1/, pod(nodes, chips)).map((one) => one.split(' spec')[0] ?? '');

  test('does not hide problems of every accelerator', () => {
    expect(wrong(tpu('4x4', 'tpu-v5-slice'), '16')).toEqual(['TPU101 error', 'TPU104 error']);
    expect(wrong(tpu('2x3', 'tpu-v6'), '4')).toEqual(['TPU101 error', 'TPU102 error']);
    expect(said('TPU102', pod(tpu('2x3', 'tpu-v6'), '4'))).toContain("'2x3' is not a topology of any TPU");
  });

  test('causes no other finding by itself', () => {
    expect(wrong(tpu('2x2', 'tpu-ironwood'), '4')).toEqual(['TPU101 error']);
  });

  test('can be of a later generation', () => {
    expect(wrong(tpu('2x2', 'tpu8-slice'), '4')).toEqual([]);
  });
});

describe('memory volumes', () => {
  const volumes = [{ name: 'shm', emptyDir: { medium: 'Memory' } }];
  const volumeMounts = [{ name: 'shm', mountPath: '/dev/shm' }];
  const of = (limits: Json): readonly string[] =>
    found(
      /^TPU406/,
      apps('Deployment', server({ volumeMounts, resources: { limits } }, tpu('2x4'), '8', { volumes })),
    ).map((one) => one.split(' ')[1] ?? '');

  test('are bounded by the memory limit of the containers that mount them', () => {
    expect(of({ 'google.com/tpu': '8' })).toEqual(['warning']);
    expect(of({ 'google.com/tpu': '8', memory: '300Gi' })).toEqual(['note']);
  });
});

describe('the host network', () => {
  const slices = (spec: Json): readonly string[] =>
    found(
      /^TPU705/,
      jobSet([replicatedJob(template(tpu('4x4'), '4', { hostNetwork: true, ...spec }), {})]),
    ).map((one) => one.split(' ')[1] ?? '');

  test('is a note if the guides use it', () => {
    expect(slices({ dnsPolicy: 'ClusterFirstWithHostNet' })).toEqual(['note']);
    expect(slices({})).toEqual(['warning']);
  });
});

describe('parallelism over several servers or slices', () => {
  const devices = (runs: (pods: Json) => Json, ...words: readonly string[]): readonly string[] =>
    found(/^TPU120/, runs(server(vllm(...words))));
  const deployment = (pods: Json): Json => apps('Deployment', pods);
  const group = (pods: Json): Json => leaderWorkerSet({ size: 1, workerTemplate: pods }, 2);

  test('is not compared with one slice', () => {
    expect(devices(deployment, '--tensor-parallel-size=8', '--data-parallel-size=4')).toHaveLength(1);
    expect(
      devices(
        deployment,
        '--tensor-parallel-size=8',
        '--data-parallel-size=4',
        '--data-parallel-size-local=1',
      ),
    ).toEqual([]);
    expect(devices(group, '--tensor-parallel-size=8', '--pipeline-parallel-size=2')).toEqual([]);
    expect(devices(deployment, '--tensor-parallel-size=8', '--pipeline-parallel-size=2')).toHaveLength(1);
  });
});

test("a pod that skips GKE's TPU webhook needs no topology", () => {
  const pods = {
    ...template(tpu(), '4'),
    metadata: { annotations: { 'cloud.google.com/skip-tpu-webhook-check': 'true' } },
  };
  expect(found(/^TPU106/, jobSet([replicatedJob(pods, {})]))).toEqual([]);
});

test('the rules ignore placeholders in single braces and single words', () => {
  const claim = object('v1', 'PersistentVolumeClaim', {
    accessModes: ['ReadWriteMany'],
    resources: { requests: { storage: '{CAPACITY}' } },
  });
  const image = pod(tpu('2x2'), '4', {
    containers: [container('4', { image: 'us-docker.pkg.dev/PROJECT/x:TAG' })],
  });
  expect(found(/^TPU71/, claim, image)).toEqual([]);
  expect(found(/^TPU904/, claim)).toHaveLength(1);
});

test('documents without rules have no note about placeholders', () => {
  const text = { description: 'ends with <digest>' };
  const definition = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
    names: { kind: '<kind>' },
  });
  expect(found(/^TPU904/, { paths: ['build/LAST_VERSION'], ...text }, definition)).toEqual([]);
  expect(found(/^TPU904/, { metadata: { name: '<name>' } })).toHaveLength(1);
});

test('controllers of unknown kinds can name containers, and ko replaces import paths with images', () => {
  const unnamed = { image: 'ko://example.com/cmd/server' };
  const knative = object('serving.knative.dev/v1', 'Service', {
    template: { spec: { containers: [unnamed] } },
  });
  expect(found(/^TPU713/, knative)).toEqual([]);
  const deployment = apps('Deployment', { spec: { containers: [unnamed, { name: 'A', image: 'a' }] } });
  expect(found(/^TPU713/, deployment)).toEqual([
    'TPU713 error spec.template.spec.containers[0].name',
    'TPU713 error spec.template.spec.containers[A].name',
  ]);
});

test('the same message about several containers of one object is one finding', () => {
  const containers = [{ image: 'a' }, { image: 'b' }, { name: 'A', image: 'c' }];
  const named = (name: string): Json => ({
    ...apps('Deployment', { spec: { containers } }),
    metadata: { name },
  });
  const messages = findingsIn([named('x'), named('y')].map((one) => manifestObject(one)))
    .filter(({ code }) => code === 'TPU713')
    .map(({ object: id, message }) => `${id}: ${message.slice(0, 33)}`);
  expect(messages).toEqual([
    'Deployment/x: a container has no name, which th',
    "Deployment/x: the name 'A' of a container is no",
    'Deployment/y: a container has no name, which th',
    "Deployment/y: the name 'A' of a container is no",
  ]);
});

describe('security notes', () => {
  test('need a security context, or an obstacle that no other rule reports', () => {
    const levels = (more: Json, spec: Json = {}): readonly string[] =>
      found(/^TPU706/, apps('Deployment', server(more, tpu('2x4'), '8', spec)));
    expect(levels({})).toEqual([]);
    expect(levels({ securityContext: { privileged: true } }, { hostNetwork: true })).toEqual([]);
    expect(levels({ securityContext: { allowPrivilegeEscalation: false } })).toHaveLength(1);
    expect(levels({}, { volumes: [{ name: 'tmp', hostPath: { path: '/tmp' } }] })).toHaveLength(1);
  });

  test('about tokens and labels are only for servers', () => {
    expect(found(/^TPU32[89]/, job({}, template(tpu('2x2'), '4')))).toEqual([]);
    const labelled = server(vllm(), tpu('2x4'), '8');
    const labels = { app: 'a', 'app.kubernetes.io/name': 'a' };
    expect(found(/^TPU32[89]/, apps('Deployment', { ...labelled, metadata: { labels } }))).toHaveLength(2);
  });
});
