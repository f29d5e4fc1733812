import { Chart, Testing } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import {
  MaxDiffusionSdxl,
  SglangJaxMultiHost,
  SglangJaxQwen38b,
  TgiGemma2b,
  TorchTpuNightly,
} from '../../examples/servers';
import {
  App,
  Capacity,
  findings,
  PvcVolume,
  Runbook,
  TpuServer,
  type TpuServerProps,
  TpuSlice,
} from '../../lib';
import { refusal } from './refusal';

type Manifests = ReturnType<typeof Testing.synth>;
type Manifest = Manifests[number];

const required = { image: 'example.com/my-server:v1', slice: TpuSlice.of('ct6e-standard-4t') };
const metric = { name: 'tgi_queue_size', type: 'gauge' } as const;
const autoscaling = { maxReplicas: 2, metric, averageValue: 10 };

function render(props: Partial<TpuServerProps> = {}): Manifests {
  const chart = Testing.chart();
  new TpuServer(chart, 'server', { ...required, ...props });
  return Testing.synth(chart);
}

const kindsOf = (props: Partial<TpuServerProps>): readonly string[] => render(props).map(({ kind }) => kind);
const podOf = (props: Partial<TpuServerProps>): Manifest => render(props)[0].spec.template.spec;
const runbookOf = (props: Partial<TpuServerProps>): string => {
  const chart = new Chart(new App(), 'chart');
  new TpuServer(chart, 'server', { ...required, ...props });
  return new Runbook(chart).toString();
};

describe('a server with any image', () => {
  test('is a Deployment and a Service', () => {
    expect(render()).toMatchSnapshot();
  });

  test('accepts all props that servers share', () => {
    const manifests = render({
      name: 'stories',
      labels: { team: 'models' },
      annotations: { note: 'serving' },
      serviceName: 'requests',
      serviceAccountName: 'stories',
      capacity: Capacity.spot(),
      imagePullSecrets: ['registry'],
      command: ['python3', 'serve.py'],
      args: ['--seed=7'],
      env: { LOG_LEVEL: 'debug', PYTHONUNBUFFERED: null },
      containerName: 'main',
      software: 'story-server',
      model: 'my-org/stories-7b',
      modelCache: new PvcVolume({ claimName: 'models', mountPath: '/data' }),
      resources: { requests: { cpu: '4', memory: '8Gi' } },
      sharedMemory: '16Gi',
      sidecars: [{ name: 'proxy', image: 'example.com/proxy:v1' }],
      startupSeconds: 1200,
      probes: { liveness: { httpGet: { path: '/live' } } },
      preStopSeconds: 5,
      shutdownSeconds: 5,
      rollout: { maxUnavailable: 2 },
      disruptionBudget: { maxUnavailable: 2 },
      port: 9000,
      extraPorts: [{ name: 'grpc', port: 9001 }],
      serviceType: 'InternalLoadBalancer',
      allowedClients: [{ podSelector: { matchLabels: { app: 'gateway' } } }],
      podSecurityLevel: 'restricted',
      priorityClassName: 'serving',
      healthPath: '/ready',
      monitoring: { path: '/stats', port: 9002, interval: '30s' },
      autoscaling,
    });
    expect(manifests).toMatchSnapshot();
  });

  test('probes the health path when it starts and before it receives requests', () => {
    const [container] = podOf({ port: 30000, healthPath: '/ping' }).containers;
    expect(container.startupProbe.httpGet).toEqual({ path: '/ping', port: 30000 });
    expect(container.readinessProbe.httpGet).toEqual({ path: '/ping', port: 30000 });
    expect(container.livenessProbe).toBeUndefined();
  });

  test('has the given liveness probe', () => {
    const probe = (liveness: NonNullable<TpuServerProps['probes']>['liveness']): unknown =>
      podOf({ probes: { liveness } }).containers[0].livenessProbe;
    const timings = { periodSeconds: 10, timeoutSeconds: 10, failureThreshold: 30 };
    expect(probe({})).toEqual({ httpGet: { path: '/health', port: 8000 }, ...timings });
    expect(probe({ httpGet: { path: '/live' } })).toEqual({
      httpGet: { path: '/live', port: 8000 },
      ...timings,
    });
    expect(probe({ tcpSocket: { port: k8s.IntOrString.fromNumber(8000) } })).toEqual({
      tcpSocket: { port: 8000 },
      ...timings,
    });
    expect(probe(false)).toBeUndefined();
  });

  test('collects metrics only if configured, because the path depends on the image', () => {
    expect(kindsOf({})).toEqual(['Deployment', 'Service']);
    expect(kindsOf({ monitoring: {} })).toEqual(['Deployment', 'Service', 'PodMonitoring']);
  });

  test('is labeled with the name of its image unless it names its software', () => {
    const label = (props: Partial<TpuServerProps>): string =>
      render(props)[0].metadata.labels['app.kubernetes.io/name'];
    expect(label({})).toBe('my-server');
    expect(label({ image: 'localhost:5000/a/b@sha256:' + '0a'.repeat(32) })).toBe('b');
    expect(label({ image: `example.com/${'long-'.repeat(13)}x:v1` })).toBe('server');
    expect(label({ software: 'tgi' })).toBe('tgi');
  });

  test('keeps weights and compiled programs on its volume', () => {
    const [container] = podOf({
      modelCache: new PvcVolume({ claimName: 'models', mountPath: '/data' }),
    }).containers;
    expect(container.env).toEqual(
      expect.arrayContaining([
        { name: 'HF_HOME', value: '/data/huggingface' },
        { name: 'JAX_COMPILATION_CACHE_DIR', value: '/data' },
      ]),
    );
  });

  test('does not check the arguments of an unknown program', () => {
    const args = ['serve', '--x=1', '--x=2', 'a b'];
    expect(podOf({ args }).containers[0].args).toEqual(args);
  });
});

describe('a server with any image on a multi-host slice', () => {
  const slice = TpuSlice.of('ct6e-standard-4t', '4x4');
  /** The pods of the first host and of the others. */
  const pods = (props: Partial<TpuServerProps>): Readonly<Record<'leader' | 'worker', Manifest>> => {
    const { leaderTemplate, workerTemplate } = render({ slice, ...props })[0].spec.leaderWorkerTemplate;
    return { leader: leaderTemplate.spec.containers[0], worker: workerTemplate.spec.containers[0] };
  };

  test('is a LeaderWorkerSet', () => {
    expect(render({ slice })).toMatchSnapshot();
  });

  test('runs one program on all hosts, and probes only the first one', () => {
    const { leader, worker } = pods({ command: ['serve'], args: ['--rank=$(LWS_WORKER_INDEX)'] });
    expect(worker.command).toEqual(leader.command);
    expect(worker.args).toEqual(leader.args);
    expect(leader.startupProbe).toBeDefined();
    expect([worker.startupProbe, worker.readinessProbe]).toEqual([undefined, undefined]);
  });

  test('runs a given program on the other hosts', () => {
    const { leader, worker } = pods({
      command: ['serve'],
      args: ['--port=8000'],
      worker: { command: ['join'], args: ['$(LWS_LEADER_ADDRESS)'] },
    });
    expect([leader.command, leader.args]).toEqual([['serve'], ['--port=8000']]);
    expect([worker.command, worker.args]).toEqual([['join'], ['$(LWS_LEADER_ADDRESS)']]);
  });

  test('does not keep compiled programs on a volume that the hosts share', () => {
    const { leader } = pods({ modelCache: new PvcVolume({ claimName: 'models', mountPath: '/data' }) });
    const names = (leader.env as { name: string }[]).map(({ name }) => name);
    expect(names).toContain('HF_HOME');
    expect(names).not.toContain('JAX_COMPILATION_CACHE_DIR');
  });
});

describe('a server with any image and a mistake', () => {
  test.each<[string, Partial<TpuServerProps>, ...(readonly string[])]>([
    [
      'an image without a tag',
      { image: 'server' },
      "image: 'server' is not an image with a tag or digest; use REPOSITORY:TAG or REPOSITORY@sha256:DIGEST",
    ],
    [
      'a URL in place of a path',
      { healthPath: 'http://localhost:8000/health' },
      "healthPath: 'http://localhost:8000/health' is not a request path; use a path that starts with '/' and contains neither spaces nor '#', for example '/health'",
    ],
    [
      'a port of the TPU runtime',
      { port: 8471 },
      "port: '8471' is a port of the TPU runtime; use another port, for example 8472",
    ],
    [
      'a second use of a port',
      { extraPorts: [{ name: 'more', port: 8000 }] },
      "extraPorts[0]: '8000' is already a port of the server; use another port",
    ],
    [
      'autoscaling without metrics',
      { autoscaling },
      "monitoring: is off, but the autoscaler needs it to read metric 'tgi_queue_size'; use monitoring: {}",
    ],
    [
      'a folder for programs on no volume',
      { compileCachePath: '/programs' },
      "compileCachePath: '/programs' is not on a volume: its files are lost at every restart; use a folder below the mountPath of a modelCache",
    ],
    [
      'a software name that is not a label',
      { software: 'my server' },
      "software: 'my server' is not a label value; use at most 63 letters, digits, '.', '_' and '-', starting and ending with a letter or digit, for example 'my-server'",
    ],
    [
      'a worker program on a single-host slice',
      { worker: { command: ['join'] } },
      "worker: is set for single-host slice 'ct6e-standard-4t/2x2'; use a multi-host slice, or command and args",
    ],
    [
      'an unknown property',
      { helthPath: '/' } as never,
      "helthPath: unknown property; did you mean 'healthPath'?",
    ],
  ])('rejects %s', (_, props, ...problems) => {
    expect(() => render(props)).toThrow(refusal('test/server', ...problems));
  });
});

describe('its runbook', () => {
  test('calls the server with the request', () => {
    const text = runbookOf({ request: { path: '/generate', body: { prompt: 'Hello' } } });
    expect(text).toContain('--data \'{"prompt":"Hello"}\'');
    expect(text).toContain('-s localhost:8000/generate');
    expect(text).toContain('load.sh');
  });

  test('requests the health path if no request is given, and has no load test', () => {
    const text = runbookOf({});
    expect(text).toContain('curl --request GET \\\n    -s localhost:8000/health\n');
    expect(text).not.toContain('load.sh');
  });
});

describe('the examples', () => {
  test.each([MaxDiffusionSdxl, SglangJaxMultiHost, SglangJaxQwen38b, TgiGemma2b, TorchTpuNightly])(
    '%p',
    (Example) => {
      const chart = new Example(new App(), undefined);
      expect(findings(chart)).toEqual([]);
      expect(Testing.synth(chart)).toMatchSnapshot();
    },
  );
});
