import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Testing } from 'cdk8s';
import { type Container } from 'cdk8s-plus-29/lib/imports/k8s';
import {
  Capacity,
  findings,
  GcsFuseVolume,
  HuggingFaceToken,
  Runbook,
  TpuSlice,
  VllmServer,
  type VllmServerProps,
} from '../../lib';
import { refusal } from '../refusal';

const required = {
  name: 'llama',
  model: 'meta-llama/Llama-3.3-70B-Instruct',
  slice: TpuSlice.of('tpu7x-standard-4t', '2x2x2'),
  maxModelLen: 8192,
};

const server = (props: Partial<VllmServerProps> = {}): VllmServer =>
  new VllmServer(Testing.chart(), 'server', { ...required, ...props });

interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly [Container, ...Container[]];
    readonly serviceAccountName?: string;
    readonly terminationGracePeriodSeconds: number;
    readonly volumes: readonly { readonly name: string }[];
  };
}

interface Group {
  readonly size: number;
  readonly leaderTemplate: Pod;
  readonly workerTemplate: Pod;
}

const groupOf = ({ workload }: VllmServer): Group => workload.toJson().spec.leaderWorkerTemplate as Group;
const group = (props?: Partial<VllmServerProps>): Group => groupOf(server(props));

/** The main container of each host. */
const mains = (props?: Partial<VllmServerProps>): { leader: Container; worker: Container } => {
  const { leaderTemplate, workerTemplate } = group(props);
  return { leader: leaderTemplate.spec.containers[0], worker: workerTemplate.spec.containers[0] };
};

const valueOf = ({ env = [] }: Container, name: string): string | undefined =>
  env.find((one) => one.name === name)?.value;

test('a server on a multi-host slice renders these objects', () => {
  const chart = Testing.chart();
  new VllmServer(chart, 'server', {
    ...required,
    model: 'gs://my-models/Llama-3.3-70B-Instruct',
    servedModelName: 'llama',
    replicas: 2,
    serviceAccountName: 'vllm',
    allowedClients: [{ podSelector: { matchLabels: { app: 'web' } } }],
  });
  expect(Testing.synth(chart)).toMatchSnapshot();
});

describe('on a multi-host slice', () => {
  test('the first host serves, and only it has probes, arguments and the port of clients', () => {
    const { leader, worker } = mains();
    expect(leader).toMatchObject({ startupProbe: {}, readinessProbe: {} });
    expect(leader.args).toContain('--tensor-parallel-size=16');
    expect(leader.ports?.map(({ containerPort }) => containerPort)).toEqual([8000, 6379, 8431, 8471, 8476]);
    for (const field of ['startupProbe', 'readinessProbe', 'livenessProbe', 'args'])
      expect(worker).not.toHaveProperty(field);
    expect(worker.ports?.map(({ containerPort }) => containerPort)).toEqual([8431, 8471, 8476]);
  });

  test('props of the server apply to the first host', () => {
    const { leader, worker } = mains({
      args: ['--enable-expert-parallel'],
      command: ['vllm', 'serve'],
      probes: { liveness: { httpGet: { path: '/health' } } },
      extraPorts: [{ name: 'grpc', port: 9000 }],
      fragments: [{ container: { args: ['--seed=42'], imagePullPolicy: 'Always' } }],
    });
    expect(leader.args).toEqual(expect.arrayContaining(['--enable-expert-parallel', '--seed=42']));
    expect(leader.command?.slice(-2)).toEqual(['vllm', 'serve']);
    expect(leader).toHaveProperty('livenessProbe');
    expect(worker).not.toHaveProperty('args');
    expect(worker).not.toHaveProperty('livenessProbe');
    expect(worker.command?.[0]).toBe('bash');
    expect(JSON.stringify(worker.ports)).not.toContain('9000');
    expect([leader, worker]).toMatchObject([{ imagePullPolicy: 'Always' }, { imagePullPolicy: 'Always' }]);
  });

  test('each host has the account, the token, the volumes and its own compile cache', () => {
    const props: Partial<VllmServerProps> = {
      serviceAccountName: 'vllm',
      huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'),
      modelCache: new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data' }),
    };
    const { leaderTemplate, workerTemplate } = group(props);
    for (const { spec, metadata } of [leaderTemplate, workerTemplate]) {
      const [main] = spec.containers;
      expect(spec.serviceAccountName).toBe('vllm');
      expect(spec.volumes.map(({ name }) => name)).toContain('gcs-fuse');
      expect(main.volumeMounts?.map(({ mountPath }) => mountPath)).toContain('/data');
      expect(main.env?.map(({ name }) => name)).toContain('HF_TOKEN');
      expect(valueOf(main, 'TPU_MULTIHOST_BACKEND')).toBe('ray');
      expect(valueOf(main, 'VLLM_XLA_CACHE_PATH')).toBe('/tmp/vllm_xla_cache');
      expect(metadata).toMatchObject({ annotations: { 'gke-gcsfuse/volumes': 'true' } });
    }
  });

  test('each host can keep compiled programs on its own disk', () => {
    const disk = {
      volumes: [{ name: 'disk', emptyDir: {} }],
      volumeMounts: [{ name: 'disk', mountPath: '/disk' }],
    };
    const { leader, worker } = mains({ compileCachePath: '/disk/xla', fragments: [disk] });
    for (const main of [leader, worker]) expect(valueOf(main, 'VLLM_XLA_CACHE_PATH')).toBe('/disk/xla');
  });

  test('the other hosts wait until the first host has answered its last requests', () => {
    const { leaderTemplate, workerTemplate } = group({ preStopSeconds: 20, shutdownSeconds: 100 });
    const waits = ({ spec }: Pod): unknown => spec.containers[0].lifecycle?.preStop?.exec?.command;
    expect(waits(leaderTemplate)).toEqual(['sleep', '20']);
    expect(waits(workerTemplate)).toEqual(['sleep', '115']);
    for (const { spec } of [leaderTemplate, workerTemplate])
      expect(spec.terminationGracePeriodSeconds).toBe(120);
    expect(waits(group({ capacity: Capacity.spot() }).workerTemplate)).toEqual(['sleep', '10']);
  });

  test('a start has ten more minutes, in which the other hosts pull their images', () => {
    const budget = (slice: TpuSlice): number => {
      const { workload } = server({ slice, modelSize: '10G' });
      const { template, leaderWorkerTemplate } = workload.toJson().spec;
      const { startupProbe } = (template ?? leaderWorkerTemplate.leaderTemplate).spec.containers[0];
      return Number(startupProbe.failureThreshold) * Number(startupProbe.periodSeconds);
    };
    const oneHost = TpuSlice.of('tpu7x-standard-4t', '2x2x1');
    expect(budget(required.slice) - budget(oneHost)).toBe(600);
  });

  test('annotations name a dynamic slice, whose node pools are shared', () => {
    const made = server({ capacity: Capacity.dynamicSlice({ queue: 'tpu7x' }) });
    expect(made.workload.toJson().metadata).toMatchObject({
      labels: { 'kueue.x-k8s.io/queue-name': 'tpu7x' },
    });
    expect(made.workload.toJson().metadata).not.toHaveProperty('annotations');
    for (const { metadata } of [groupOf(made).leaderTemplate, groupOf(made).workerTemplate])
      expect(metadata).toMatchObject({
        annotations: { 'cloud.google.com/gke-tpu-slice-topology': '2x2x2' },
      });
  });

  test.each<[string, Partial<VllmServerProps>, string]>([
    ['a port of Ray', { port: 6379 }, "port: '6379' is a port of Ray on multi-host slices"],
    [
      'a further port of Ray',
      { extraPorts: [{ name: 'dashboard', port: 8265 }] },
      "extraPorts[0]: '8265' is already a port of the server",
    ],
    [
      'pipeline stages on a part of the hosts',
      { slice: TpuSlice.of('tpu7x-standard-4t', '2x2x4'), pipelineParallelSize: 2 },
      "pipelineParallelSize: '2' is neither 1 nor the number of hosts, 4; use 1",
    ],
    [
      'a name that is too long',
      { name: 'l'.repeat(40) },
      "name: 'llllllllllllllllllllllllllllllllllllllll' has 40 characters; use at most 39",
    ],
    [
      'a compile cache that the hosts share',
      {
        modelCache: new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data' }),
        compileCachePath: '/data/xla',
      },
      "compileCachePath: '/data/xla' is on a volume that 2 hosts would write at the same time",
    ],
    [
      'a queue that requests nodes',
      { capacity: Capacity.flexStartQueued({ queue: 'tpu' }) },
      "capacity: 'flex-start-queued' waits in Kueue queue 'tpu', which this construct does not support",
    ],
  ])('rejects %s', (_, props, message) => {
    expect(refusal(() => server(props))).toContain(message);
  });

  test('a name must leave room for the indices of all hosts', () => {
    expect(refusal(() => server({ name: 'l'.repeat(39), replicas: 11 }))).toContain('use at most 38');
    expect(() => server({ name: 'l'.repeat(39), replicas: 10 })).not.toThrow();
  });
});

describe('a generation without multi-host tests', () => {
  const notes = (slice: TpuSlice): readonly string[] => {
    const chart = Testing.chart();
    new VllmServer(chart, 'server', { ...required, slice });
    const found = findings(chart, { severity: 'note' }).filter(({ code }) => code === 'TPU123');
    expect(new Runbook(chart).toString().includes('No release of vLLM is tested on multi-host slices')).toBe(
      found.length > 0,
    );
    return found.map(({ severity, message }) => `${severity}: ${message}`);
  };

  test('has a note at synth and in the runbook', () => {
    expect(notes(TpuSlice.of('ct6e-standard-4t', '2x4'))).toEqual([
      "note: container 'vllm' runs vLLM on 2 hosts of v6e, but vLLM's support matrix has no passed multi-host test of this generation",
    ]);
    expect(notes(TpuSlice.of('tpu7x-standard-4t', '2x2x2'))).toEqual([]);
    expect(notes(TpuSlice.of('ct6e-standard-8t', '2x4'))).toEqual([]);
  });
});

describe('the commands', () => {
  let folder: string;

  /** Puts a program of this name before all others. */
  const program = (name: string, text: string): void => {
    const file = path.join(folder, name);
    writeFileSync(file, `#!/bin/bash\n${text}\n`);
    chmodSync(file, 0o755);
  };

  /** Runs the command of a container, and returns what its programs wrote. */
  const run = ({ command = [], args = [] }: Container, env: Readonly<Record<string, string>>): string => {
    const [first = '', ...rest] = [...command, ...args];
    execFileSync(first, rest, {
      env: { PATH: `${folder}:${process.env['PATH'] ?? ''}`, ...env },
      stdio: 'pipe',
    });
    return readFileSync(path.join(folder, 'log'), 'utf8');
  };

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'vllm-hosts-'));
    program('ray', `echo "ray $*" >> ${folder}/log`);
    program('sleep', 'exit 0');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('start Ray on the first host, wait for the other hosts, and then start the server', () => {
    program(
      'python3',
      `if [ "$1" = -c ]; then echo waits >> ${folder}/log; else echo "python3 $*" >> ${folder}/log; fi`,
    );
    const { leader } = mains({ args: ['--served-model-name2=a b'] });
    const lines = run(leader, { LWS_GROUP_SIZE: '2' }).trim().split('\n');
    expect(lines.slice(0, 2)).toEqual(['ray start --head --port=6379', 'waits']);
    expect(lines[2]).toMatch(/^python3 -m vllm\.entrypoints\.openai\.api_server --host=0\.0\.0\.0 .*=a b$/);
  });

  test('end on the first host if Ray does not start', () => {
    program('ray', 'exit 1');
    program('python3', `echo started >> ${folder}/log`);
    expect(() => run(mains().leader, {})).toThrow();
  });

  test('join the first host from the other hosts when it listens', () => {
    // `timeout` represents the connection: it fails twice
    program('timeout', `echo try >> ${folder}/log; [ "$(grep -c try ${folder}/log)" -gt 2 ]`);
    const address = 'llama-0.llama.default';
    expect(run(mains().worker, { LWS_LEADER_ADDRESS: address }).trim().split('\n')).toEqual([
      'try',
      'try',
      'try',
      `ray start --address=${address}:6379 --block`,
    ]);
  });
});
