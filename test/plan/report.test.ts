import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '../../lib/cli';

const pod = (kind: string, name: string, selectors: string, chips: string, more = ''): string =>
  `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: ${name}${more}}, spec: {replicas: 2, selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {nodeSelector: {${selectors}}, containers: [{name: main, image: 'a/b:v1', command: [vllm, serve, x/y-8b], resources: {limits: {google.com/tpu: ${chips}}}}]}}}}\n`;
const V6E = 'cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice';
const ONE = pod('Deployment', 'llama', `${V6E}, cloud.google.com/gke-tpu-topology: 2x4`, '8');
const RESERVED = pod(
  'Deployment',
  'gemma',
  `${V6E}, cloud.google.com/gke-tpu-topology: 2x2, cloud.google.com/reservation-name: mine`,
  '4',
  ', namespace: serving, labels: {kueue.x-k8s.io/queue-name: q}',
);
const SEVERAL = pod('Deployment', 'wide', `${V6E}, cloud.google.com/gke-tpu-topology: 4x4`, '4');
const CLASS = pod('Deployment', 'any', 'cloud.google.com/compute-class: c', '8');
const DAEMONS = pod(
  'DaemonSet',
  'each',
  `${V6E}, cloud.google.com/gke-max-run-duration-seconds: '3600', cloud.google.com/gke-flex-start: 'true', cloud.google.com/gke-tpu-topology: 2x2`,
  '4',
);

/** What a call of the program writes. */
function call(argv: readonly string[], stdin = ''): { code: number; stdout: string; stderr: string } {
  const written = { stdout: '', stderr: '' };
  const code = run(argv, {
    stdin: () => Buffer.from(stdin),
    stdout: (text) => (written.stdout += text),
    stderr: (text) => (written.stderr += text),
  });
  return { code, ...written };
}
const plan = (stdin: string, ...options: readonly string[]): ReturnType<typeof call> =>
  call(['plan', '-', ...options], stdin);

test('prints a table of the workloads, their problems and their totals', () => {
  expect(plan([ONE, RESERVED, SEVERAL, CLASS, DAEMONS].join('---\n'))).toEqual({
    code: 0,
    stdout: `OBJECT                    MACHINE TYPE                          TOPOLOGY  SLICES  HOSTS  CHIPS  ALL    HBM  USED  CAPACITY
Deployment/llama          ct6e-standard-8t                      2x4            2      1      8   16  256Gi    6%  on demand
serving/Deployment/gemma  ct6e-standard-4t                      2x2            2      1      4    8  128Gi   12%  reservation mine, queue q
Deployment/wide           ct6e-standard-4t                      4x4            ?      4     16    ?  512Gi    3%  on demand
Deployment/any            ct5lp-hightpu-8t or ct6e-standard-8t  2x4            2      1      8   16      ?     ?  class c
DaemonSet/each            ct6e-standard-4t                      2x2            ?      1      4    ?  128Gi   12%  flex-start, 3600 s

NODE POOLS  MACHINE TYPE      TOPOLOGY  NODES EACH  CAPACITY
         1  ct6e-standard-8t  2x4                2  on demand
         1  ct6e-standard-4t  2x2                2  reservation mine

TPU  CAPACITY     CHIPS
v6e  on demand       16
v6e  reservation      8

Deployment/wide: TPU202: each replica of a Deployment runs on one host, but topology '4x4' is 4 hosts of 4 chips
DaemonSet/each: the number of slices of its pods is unknown
3 workloads not counted
see cdk8s-tpu-serving check for what to write
`,
    stderr: '',
  });
});

test('treats invalid counts as unknown and does not add them up', () => {
  const counts = ['-3', '1.5', '.nan', '1e300', "'2'"];
  const { stdout } = plan(
    counts
      .map((count, index) =>
        ONE.replace('llama', `a${String(index)}`).replace('replicas: 2', `replicas: ${count}`),
      )
      .join('---\n'),
  );
  const unknown = counts.map(
    (_, index) => `Deployment/a${String(index)}: the number of slices of its pods is unknown`,
  );
  expect(stdout.split('\n').slice(-8)).toEqual([
    ...unknown,
    '5 workloads not counted',
    'see cdk8s-tpu-serving check for what to write',
    '',
  ]);
  expect(stdout).not.toContain('NODE POOLS');
});

test('escapes line ends and control characters in names', () => {
  const named = ONE.replace('name: llama', String.raw`name: "a\n\e[31mb"`);
  for (const command of ['plan', 'check']) {
    const { stdout } = call([command, '-'], named);
    expect(stdout).toContain('Deployment/a\\n\\u001b[31mb');
    expect(stdout).not.toContain('\u{1b}');
  }
  expect(call(['plan', 'a\nb']).stderr).toBe('a\\nb: the file or folder does not exist\n');
});

test('states that no pods request chips', () => {
  expect(plan('{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}')).toEqual({
    code: 0,
    stdout: 'no pods that request TPU chips in 1 object\n',
    stderr: '',
  });
});

test('prints inference pools and the servers behind them', () => {
  const pool = (name: string, app: string): string =>
    `{apiVersion: inference.networking.k8s.io/v1, kind: InferencePool, metadata: {name: ${name}}, spec: {selector: {matchLabels: {app: ${app}}}}}\n`;
  const { stdout } = plan([ONE, pool('llama-pool', 'a'), pool('lost', 'b')].join('---\n'));
  expect(stdout).toContain(`
INFERENCE POOL            REPLICAS  SERVERS
InferencePool/llama-pool         2  Deployment/llama
InferencePool/lost               ?  ?
`);
  expect(plan(pool('lost', 'b')).stdout).toMatch(/^INFERENCE POOL/);
});

test('prints JSON with every field, null if it is unknown', () => {
  const exactly = (n: number): object => ({ min: n, max: n });
  const capacity = { type: 'on-demand', name: null, queue: null, maxRunDurationSeconds: null };
  const pools = {
    machineType: 'ct6e-standard-8t',
    topology: '2x4',
    capacity,
    pools: exactly(1),
    nodesPerPool: exactly(2),
  };
  const { code, stdout } = plan(`${ONE}---\n${SEVERAL}`, '--format', 'json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    workloads: [
      {
        object: 'Deployment/llama',
        namespace: '',
        part: null,
        file: 'stdin',
        machineTypes: ['ct6e-standard-8t'],
        topology: '2x4',
        slices: exactly(2),
        hostsPerSlice: 1,
        chipsPerSlice: 8,
        chips: exactly(16),
        hbmGiBPerSlice: 256,
        model: {
          name: 'x/y-8b',
          parameters: 8e9,
          source: 'name',
          weights: 'bf16',
          weightsGB: 16,
          hbmUse: 0.058,
          kvCacheRoomGiB: 220.619,
          maxModelLen: null,
          kvCacheGB: null,
          maxConcurrency: null,
        },
        capacity,
        nodePools: pools,
        problems: [],
      },
      {
        object: 'Deployment/wide',
        namespace: '',
        part: null,
        file: 'stdin',
        machineTypes: ['ct6e-standard-4t'],
        topology: '4x4',
        slices: null,
        hostsPerSlice: 4,
        chipsPerSlice: 16,
        chips: null,
        hbmGiBPerSlice: 512,
        model: {
          name: 'x/y-8b',
          parameters: 8e9,
          source: 'name',
          weights: 'bf16',
          weightsGB: 16,
          hbmUse: 0.029,
          kvCacheRoomGiB: 456.139,
          maxModelLen: null,
          kvCacheGB: null,
          maxConcurrency: null,
        },
        capacity,
        nodePools: null,
        problems: [
          "TPU202: each replica of a Deployment runs on one host, but topology '4x4' is 4 hosts of 4 chips",
        ],
      },
    ],
    inferencePools: [],
    totals: {
      chips: [{ generation: 'v6e', capacity: 'on-demand', ...exactly(16) }],
      nodePools: [pools],
      uncounted: 1,
    },
    unreadable: [],
  });
});

test('reports the files that it cannot read, and the other workloads', () => {
  const { code, stdout, stderr } = plan(`${ONE}---\na: 1\na: 2\n`);
  expect([code, stderr]).toEqual([2, "stdin:4:1: the key 'a' is duplicated\n"]);
  expect(stdout).toContain('Deployment/llama');
  const json = plan('a: 1\na: 2\n', '-f', 'json');
  expect([json.code, JSON.parse(json.stdout)]).toEqual([
    2,
    {
      workloads: [],
      inferencePools: [],
      totals: { chips: [], nodePools: [], uncounted: 0 },
      unreadable: [{ file: 'stdin', line: 2, column: 1, message: "the key 'a' is duplicated" }],
    },
  ]);
});

test('without a path it reads dist', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'plan-'));
  const before = process.cwd();
  try {
    process.chdir(folder);
    expect(call(['plan'])).toMatchObject({ code: 2, stderr: 'dist: the file or folder does not exist\n' });
    writeFileSync(path.join(folder, 'dist'), ONE);
    expect(call(['plan'])).toMatchObject({ code: 0, stderr: '' });
  } finally {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  }
});

test('an unknown format is refused', () => {
  const { code, stderr } = plan(ONE, '--format=yaml');
  expect(code).toBe(2);
  expect(stderr).toContain("argument 'yaml' is invalid. Allowed choices are table, json.");
});
