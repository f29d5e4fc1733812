import { readdirSync } from 'node:fs';
import path from 'node:path';
import { Chart, Testing } from 'cdk8s';
import { type Construct } from 'constructs';
import fc from '../fast-check';
import {
  Capacity,
  FlexStartJob,
  MACHINE_TYPES,
  NodePool,
  SaxCell,
  TpuComputeClass,
  type TpuMachineType,
  TpuRayService,
  TpuSlice,
  VllmMetric,
  VllmServer,
} from '../../lib';
import { type Json, manifestObject } from '../../lib/manifest/manifest';
import { readPaths } from '../../lib/manifest/read';
import { type Plan, planOf, type PlannedWorkload } from '../../lib/plan/plan';
import { planTable } from '../../lib/plan/report';
import { topologiesOf } from '../../lib/tpu/topology';
import {
  apps,
  container,
  job,
  jobSet,
  leaderWorkerSet,
  mutilatedSets,
  object,
  pod,
  rayCluster,
  rayService,
  replicatedJob,
  template,
  tpu,
} from '../checks/manifests';

const dist = path.join(__dirname, '..', '..', 'dist');

describe.each(['', 'platform'])('dist/%s', (folder) => {
  test.each(readdirSync(path.join(dist, folder)).filter((name) => name.endsWith('.k8s.yaml')))(
    '%s',
    (file) => {
      const { objects, unreadable } = readPaths([path.join(dist, folder, file)]);
      expect(unreadable).toEqual([]);
      const lines = planTable(planOf(objects), objects.length);
      expect(lines).toMatchSnapshot();
      // the name of a ComputeClass or of a queue is a column more
      for (const line of lines.replaceAll(/(class|, queue) .*/g, '').split('\n'))
        expect(line.length).toBeLessThanOrEqual(120);
    },
  );
});

const plan = (...manifests: readonly Json[]): Plan =>
  planOf(manifests.map((manifest) => manifestObject(manifest)));
const range = (values: { readonly min: number; readonly max: number } | undefined): string =>
  values
    ? values.min === values.max
      ? String(values.max)
      : `${String(values.min)}-${String(values.max)}`
    : '?';

/** A workload in one line: machine types, topology, slices x hosts x chips, capacity, pools x nodes. */
const inShort = (one: PlannedWorkload): string =>
  [
    `${one.object}${one.part === undefined ? '' : ` ${one.part}`}:`,
    one.machineTypes.join('|') || 'none',
    one.topology ?? '?',
    `${range(one.slices)}x${String(one.hostsPerSlice ?? '?')}`,
    `chips ${range(one.chips)}`,
    [one.capacity.type, one.capacity.name, one.capacity.queue, one.capacity.maxRunDurationSeconds]
      .filter((word) => word !== undefined)
      .join('/'),
    one.nodePools ? `pools ${range(one.nodePools.pools)}x${range(one.nodePools.nodesPerPool)}` : 'no pools',
    ...one.problems,
  ].join(' ');
const lines = (...manifests: readonly Json[]): readonly string[] => plan(...manifests).workloads.map(inShort);

const on = (topology: string | undefined, chips: string, more: Json = {}, accelerator?: string): Json =>
  template({ ...tpu(topology, accelerator), ...more }, chips);
const gke = (label: string, value: string): Json => ({ [`cloud.google.com/${label}`]: value });
const autoscaler = (kind: string, spec: Json): Json =>
  object('autoscaling/v2', 'HorizontalPodAutoscaler', { ...spec, scaleTargetRef: { kind, name: 'a' } });
const queued = { labels: { 'kueue.x-k8s.io/queue-name': 'q' } };
const indexed = (hosts: number): Json => ({
  completionMode: 'Indexed',
  parallelism: hosts,
  completions: hosts,
});
/** A host of a slice that GKE forms when Kueue admits the workload. */
const dynamic = (topology: string): Json => ({
  ...template(gke('gke-tpu-accelerator', 'tpu7x'), '4'),
  metadata: { annotations: gke('gke-tpu-slice-topology', topology) },
});
const computeClass = (rules: readonly Json[]): Json =>
  object('cloud.google.com/v1', 'ComputeClass', { priorities: rules }, { name: 'c' });
const v6e = { tpu: { type: 'tpu-v6e-slice', count: 8, topology: '2x4' } };

test.each<[string, readonly Json[], readonly string[]]>([
  [
    'a Deployment',
    [apps('Deployment', on('2x4', '8'), { replicas: 3 })],
    ['Deployment/a: ct6e-standard-8t 2x4 3x1 chips 24 on-demand pools 1x3'],
  ],
  [
    'a Deployment that is scaled',
    [
      apps('Deployment', on('2x4', '8', gke('gke-spot', 'true'))),
      autoscaler('Deployment', { minReplicas: 2, maxReplicas: 5 }),
    ],
    ['Deployment/a: ct6e-standard-8t 2x4 2-5x1 chips 16-40 spot pools 1x2-5'],
  ],
  [
    'a Deployment that is scaled, from 1 and to no number',
    [apps('Deployment', on('2x4', '8')), autoscaler('Deployment', {})],
    ['Deployment/a: ct6e-standard-8t 2x4 1x1 chips 8 on-demand pools 1x1'],
  ],
  [
    'no replicas',
    [apps('Deployment', on('2x4', '8'), { replicas: 0 })],
    ['Deployment/a: ct6e-standard-8t 2x4 0x1 chips 0 on-demand pools 0x0'],
  ],
  [
    'a StatefulSet of servers, and one of hosts',
    [
      apps('StatefulSet', on('1x1', '1'), { replicas: 2 }),
      apps('StatefulSet', on('4x4', '4'), { replicas: 4 }),
    ],
    [
      'StatefulSet/a: ct6e-standard-1t 1x1 2x1 chips 2 on-demand pools 1x2',
      'StatefulSet/a: ct6e-standard-4t 4x4 1x4 chips 16 on-demand pools 1x4',
    ],
  ],
  [
    'Jobs: one pod, several pods of one host, hosts of a slice, and fewer pods than stated',
    [
      job({}, on('2x2', '4', gke('gke-provisioning', 'flex-start'))),
      job({ parallelism: 3 }, on('2x2', '4', gke('gke-provisioning', 'spot'))),
      job(indexed(4), on('4x4', '4', gke('reservation-name', 'mine'))),
      job({ parallelism: 3, completions: 1 }, on('2x2', '4', gke('gke-preemptible', 'true'))),
    ],
    [
      'Job/a: ct6e-standard-4t 2x2 1x1 chips 4 flex-start pools 1x1',
      'Job/a: ct6e-standard-4t 2x2 3x1 chips 12 spot pools 1x3',
      'Job/a: ct6e-standard-4t 4x4 1x4 chips 16 reservation/mine pools 1x4',
      'Job/a: ct6e-standard-4t 2x2 1x1 chips 4 spot pools 1x1',
    ],
  ],
  [
    'a Job that waits in a queue',
    [
      job({}, on('2x2', '4', gke('gke-queued', 'true')), {
        ...queued,
        annotations: { 'provreq.kueue.x-k8s.io/maxRunDurationSeconds': '3600' },
      }),
      job({}, on('2x2', '4', gke('gke-max-run-duration-seconds', 'soon')), queued),
    ],
    [
      'Job/a: ct6e-standard-4t 2x2 1x1 chips 4 flex-start-queued/q/3600 pools 1x1',
      // an invalid duration is another finding
      "Job/a: ct6e-standard-4t 2x2 1x1 chips 4 on-demand/q pools 1x1 TPU116: cloud.google.com/gke-max-run-duration-seconds is 'soon', but nodes run for 30 to 10368000 seconds",
    ],
  ],
  [
    'a JobSet of several Jobs, one without chips',
    [
      jobSet(
        [
          replicatedJob(on('4x8', '4', {}, 'tpu-v5-lite-podslice'), indexed(8), { name: 'x', replicas: 2 }),
          replicatedJob(on('2x2', '4'), {}, { name: 'y' }),
          replicatedJob(template({}), {}, { name: 'z' }),
        ],
        { annotations: { 'alpha.jobset.sigs.k8s.io/exclusive-topology': 'cloud.google.com/gke-nodepool' } },
      ),
    ],
    [
      'JobSet/a x: ct5lp-hightpu-4t 4x8 2x8 chips 64 on-demand pools 2x8',
      'JobSet/a y: ct6e-standard-4t 2x2 1x1 chips 4 on-demand pools 1x1',
    ],
  ],
  [
    'worker groups: a number, limits, an autoscaler, suspended',
    [
      rayService(rayCluster(on('2x2', '4'), { replicas: 3, minReplicas: 1, maxReplicas: 5 })),
      rayService(rayCluster(on('2x2', '4'), { replicas: 9, maxReplicas: 2 })),
      rayService(rayCluster(on('2x2', '4'), {})),
      rayService(
        rayCluster(
          on('4x4', '4'),
          { numOfHosts: 4, minReplicas: 1, maxReplicas: 3 },
          { enableInTreeAutoscaling: true },
        ),
      ),
      object(
        'ray.io/v1',
        'RayCluster',
        rayCluster(on('2x2', '4'), { minReplicas: 0, maxReplicas: 3 }, { enableInTreeAutoscaling: true }),
      ),
      rayService(rayCluster(on('2x2', '4'), { replicas: 3, suspend: true })),
    ],
    [
      'RayService/a g: ct6e-standard-4t 2x2 3x1 chips 12 on-demand pools 1x3',
      'RayService/a g: ct6e-standard-4t 2x2 2x1 chips 8 on-demand pools 1x2',
      'RayService/a g: ct6e-standard-4t 2x2 0x1 chips 0 on-demand pools 0x0',
      'RayService/a g: ct6e-standard-4t 4x4 1-3x4 chips 16-48 on-demand pools 1-3x4',
      'RayCluster/a g: ct6e-standard-4t 2x2 0-3x1 chips 0-12 on-demand pools 1x0-3',
      'RayService/a g: ct6e-standard-4t 2x2 0x1 chips 0 on-demand pools 0x0',
    ],
  ],
  [
    'a LeaderWorkerSet: alike, with a leader, in subgroups, scaled',
    [
      leaderWorkerSet({ size: 4, workerTemplate: on('4x4', '4') }, 2),
      leaderWorkerSet({ size: 4, leaderTemplate: on('4x4', '4'), workerTemplate: on('4x4', '4') }),
      leaderWorkerSet({ size: 5, leaderTemplate: template({}), workerTemplate: on('4x4', '4') }),
      leaderWorkerSet({ size: 8, subGroupPolicy: { subGroupSize: 4 }, workerTemplate: on('4x4', '4') }, 3),
      leaderWorkerSet({ size: 1, leaderTemplate: on('2x2', '4'), workerTemplate: template({}) }),
    ],
    [
      'LeaderWorkerSet/a: ct6e-standard-4t 4x4 2x4 chips 32 on-demand pools 2x4',
      'LeaderWorkerSet/a: ct6e-standard-4t 4x4 1x4 chips 16 on-demand pools 1x4',
      'LeaderWorkerSet/a: ct6e-standard-4t 4x4 1x4 chips 16 on-demand pools 1x4',
      'LeaderWorkerSet/a: ct6e-standard-4t 4x4 6x4 chips 96 on-demand pools 6x4',
      'LeaderWorkerSet/a: ct6e-standard-4t 2x2 1x1 chips 4 on-demand pools 1x1',
    ],
  ],
  [
    'dynamic slices: groups, Jobs and hosts of tpu7x, which share sub-blocks of 16 hosts',
    [
      leaderWorkerSet({ size: 2, leaderTemplate: dynamic('2x2x2'), workerTemplate: dynamic('2x2x2') }, 3),
      leaderWorkerSet({ size: 1, workerTemplate: dynamic('2x2x1') }, 4),
      job(indexed(32), dynamic('4x4x8'), queued),
    ],
    [
      'LeaderWorkerSet/a: tpu7x-standard-4t 2x2x2 3x2 chips 24 dynamic-slice pools 1x16',
      'LeaderWorkerSet/a: tpu7x-standard-4t 2x2x1 4x1 chips 16 dynamic-slice pools 1x16',
      'Job/a: tpu7x-standard-4t 4x4x8 1x32 chips 128 dynamic-slice/q pools 2x16',
    ],
  ],
  [
    'a ComputeClass that is here decides the slice; one that is not leaves its machine types',
    [
      computeClass([
        v6e,
        { ...v6e, machineType: 'ct6e-standard-8t', spot: true },
        { machineType: 'n2-standard-4' },
      ]),
      apps('Deployment', template(gke('compute-class', 'c'), '8')),
      apps('Deployment', template(gke('compute-class', 'other'), '8')),
      apps('Deployment', template({ ...tpu('2x4'), ...gke('compute-class', 'autopilot-spot') }, '8')),
    ],
    [
      'Deployment/a: ct6e-standard-8t 2x4 1x1 chips 8 compute-class/c no pools',
      'Deployment/a: ct5lp-hightpu-8t|ct6e-standard-8t 2x4 1x1 chips 8 compute-class/other no pools',
      'Deployment/a: ct6e-standard-8t 2x4 1x1 chips 8 spot pools 1x1',
    ],
  ],
  [
    'no topology: what runs the pods decides, or nothing does',
    [
      apps('Deployment', on(undefined, '4')),
      rayService(rayCluster(on(undefined, '4'), { numOfHosts: 4, replicas: 1 })),
      leaderWorkerSet({ size: 3, workerTemplate: on(undefined, '4') }),
      job({}, on(undefined, '4')),
      job({ parallelism: 2 }, on(undefined, '4')),
    ],
    [
      'Deployment/a: ct6e-standard-4t 2x2 1x1 chips 4 on-demand pools 1x1',
      "RayService/a g: ct6e-standard-4t 4x4 1x4 chips 16 on-demand pools 1x4 TPU106: container 'main' requests '4' google.com/tpu, but the pod does not select cloud.google.com/gke-tpu-topology",
      "LeaderWorkerSet/a: ct6e-standard-4t ? ?x? chips ? on-demand no pools TPU106: container 'main' requests '4' google.com/tpu, but the pod does not select cloud.google.com/gke-tpu-topology",
      'Job/a: ct6e-standard-4t 2x2 1x1 chips 4 on-demand pools 1x1',
      "Job/a: ct6e-standard-4t ? ?x? chips ? on-demand no pools TPU106: container 'main' requests '4' google.com/tpu, but the pod does not select cloud.google.com/gke-tpu-topology",
    ],
  ],
  [
    'what contradicts itself',
    [
      apps('Deployment', on('4x4', '4'), { replicas: 2 }),
      apps('Deployment', on('2x4', '3')),
      job(indexed(3), on('4x4', '4')),
      rayService(rayCluster(on('4x4', '4'), { numOfHosts: 2, replicas: 1 })),
      apps('Deployment', template({}, '4')),
    ],
    [
      "Deployment/a: ct6e-standard-4t 4x4 ?x4 chips ? on-demand no pools TPU202: each replica of a Deployment runs on one host, but topology '4x4' is 4 hosts of 4 chips",
      "Deployment/a: none 2x4 ?x? chips ? on-demand no pools TPU108: topology '2x4' of tpu-v6e-slice is 1 host of 8 chips or 2 hosts of 4 chips, but container 'main' requests '3' google.com/tpu, which match neither",
      "Job/a: ct6e-standard-4t 4x4 ?x4 chips ? on-demand no pools TPU201: parallelism is 3 and completions is 3, but topology '4x4' is 4 hosts of 4 chips",
      "RayService/a g: ct6e-standard-4t 4x4 ?x4 chips ? on-demand no pools TPU201: numOfHosts is 2, but topology '4x4' is 4 hosts of 4 chips",
      "Deployment/a: ct4p-hightpu-4t|ct5lp-hightpu-4t|ct5p-hightpu-4t|ct6e-standard-4t|tpu7x-standard-4t ? 1x1 chips 4 on-demand no pools TPU106: container 'main' requests '4' google.com/tpu, but the pod does not select cloud.google.com/gke-tpu-accelerator and cloud.google.com/gke-tpu-topology",
    ],
  ],
  [
    'what is not known',
    [
      apps('DaemonSet', on('2x2', '4')),
      pod(tpu('4x4'), '4', { subdomain: 'x' }),
      apps('StatefulSet', on('4x4', '4'), { replicas: 4, podManagementPolicy: 'Parallel' }),
      apps('Deployment', on('2x2', '4', {}, 'tpu-v3-slice')),
      pod(tpu('2x2'), '4'),
      rayService({ headGroupSpec: { template: on('2x2', '4') } }),
      jobSet([replicatedJob(template(gke('gke-nodepool', 'x'), '4'), { parallelism: 2 })]),
    ],
    [
      'DaemonSet/a: ct6e-standard-4t 2x2 ?x1 chips ? on-demand no pools the number of slices of its pods is unknown',
      'Pod/a: ct6e-standard-4t 4x4 ?x4 chips ? on-demand no pools the number of slices of its pods is unknown',
      'StatefulSet/a: ct6e-standard-4t 4x4 1x4 chips 16 on-demand pools 1x4',
      'Deployment/a: none 2x2 ?x? chips ? on-demand no pools no known machine type matches its pods',
      'Pod/a: ct6e-standard-4t 2x2 1x1 chips 4 on-demand pools 1x1',
      'RayService/a: ct6e-standard-4t 2x2 1x1 chips 4 on-demand pools 1x1',
      'JobSet/a j: ct4p-hightpu-4t|ct5lp-hightpu-4t|ct5p-hightpu-4t|ct6e-standard-4t|tpu7x-standard-4t ? ?x? chips ? on-demand no pools its pods do not show how many hosts a slice has',
    ],
  ],
  [
    'what something else of the set runs is not counted again',
    [
      apps('Deployment', on('2x4', '8')),
      {
        ...apps('ReplicaSet', on('2x4', '8')),
        metadata: { name: 'a-1', ownerReferences: [{ kind: 'Deployment', name: 'a' }] },
      },
      {
        ...pod(tpu('2x4'), '8'),
        metadata: { name: 'p', ownerReferences: [{ kind: 'ReplicaSet', name: 'gone' }, 7] },
      },
    ],
    [
      'Deployment/a: ct6e-standard-8t 2x4 1x1 chips 8 on-demand pools 1x1',
      'Pod/p: ct6e-standard-8t 2x4 1x1 chips 8 on-demand pools 1x1',
    ],
  ],
  [
    'nothing with chips',
    [apps('Deployment', template({})), pod(tpu('2x4')), object('v1', 'Service', {})],
    [],
  ],
])('%s', (_, manifests, expected) => {
  expect(lines(...manifests)).toEqual(expected);
});

test('totals: dynamic slices fill sub-blocks together', () => {
  const { totals } = plan(
    leaderWorkerSet({ size: 8, workerTemplate: dynamic('2x4x4') }),
    leaderWorkerSet({ size: 2, workerTemplate: dynamic('2x2x2') }, 5),
  );
  expect(totals.chips).toEqual([{ generation: 'tpu7x', capacity: 'dynamic-slice', min: 72, max: 72 }]);
  expect(totals.nodePools).toMatchObject([
    { machineType: 'tpu7x-standard-4t', topology: '4x4x4', pools: { min: 2, max: 2 } },
  ]);
});

describe('inference pools', () => {
  const labels = { app: 'llama' };
  const server = (kind: string, spec: Json): Json => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'llama', namespace: 'serving' },
    spec,
  });
  const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a:v1' }] } };
  const pool: Json = {
    apiVersion: 'inference.networking.k8s.io/v1',
    kind: 'InferencePool',
    metadata: { name: 'llama', namespace: 'serving' },
    spec: { selector: { matchLabels: labels }, targetPorts: [{ number: 8000 }] },
  };
  const scaler = server('HorizontalPodAutoscaler', {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'llama' },
    minReplicas: 2,
    maxReplicas: 5,
  });
  const autoscaling = { ...scaler, apiVersion: 'autoscaling/v2' };
  const group = {
    ...server('LeaderWorkerSet', {
      replicas: 3,
      leaderWorkerTemplate: { size: 4, leaderTemplate: template, workerTemplate: template },
    }),
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
  };
  test.each<[string, readonly Json[], readonly string[], unknown]>([
    ['no server', [], [], undefined],
    [
      'two replicas',
      [server('Deployment', { replicas: 2, template })],
      ['Deployment/llama'],
      { min: 2, max: 2 },
    ],
    [
      'an autoscaler',
      [server('Deployment', { template }), autoscaling],
      ['Deployment/llama'],
      { min: 2, max: 5 },
    ],
    ['the leaders of groups', [group], ['LeaderWorkerSet/llama'], { min: 3, max: 3 }],
    [
      'a number that is not one',
      [server('Deployment', { replicas: '2', template })],
      ['Deployment/llama'],
      undefined,
    ],
  ])('%s', (_, servers, names, replicas) => {
    const { inferencePools } = planOf([...servers, pool].map((manifest) => manifestObject(manifest)));
    expect(inferencePools).toEqual([
      { object: 'InferencePool/llama', namespace: 'serving', file: undefined, servers: names, replicas },
    ]);
  });
});

test('does not report an accepted error', () => {
  const accepted = {
    ...apps('Deployment', on('2x4', '8', gke('reservation-affinity', 'any'))),
    metadata: { name: 'a', annotations: { 'cdk8s-tpu-serving/accept-TPU118': 'a test' } },
  };
  expect(lines(accepted)).toEqual(['Deployment/a: ct6e-standard-8t 2x4 1x1 chips 8 on-demand pools 1x1']);
});

describe('the memory of a slice', () => {
  const vllm = (...args: readonly string[]): unknown =>
    plan(
      apps(
        'Deployment',
        template(tpu('2x4'), undefined, {
          containers: [container('8', { command: ['vllm', 'serve'], args })],
        }),
      ),
    ).workloads[0]?.model;
  const llama = { name: 'x/llama-70b', source: 'name', parameters: 70e9, weights: 'bf16' };

  test.each<[readonly string[], unknown]>([
    [['x/llama-70b'], { ...llama, weightsGB: 140, hbmUse: 0.509, kvCacheRoomGiB: 105.135 }],
    [
      ['x/llama-70b', '--quantization=fp8', '--gpu-memory-utilization', '0.5'],
      { ...llama, weights: 'fp8', weightsGB: 70.017, hbmUse: 0.255, kvCacheRoomGiB: 62.792 },
    ],
    [
      ['x/llama-70b', '--data-parallel-size=2', '--gpu-memory-utilization=most'],
      { ...llama, weightsGB: 280, hbmUse: 1.019, kvCacheRoomGiB: -25.25 },
    ],
    [
      ['x/llama-70b', '--data-parallel-size=many'],
      { ...llama, weightsGB: 140, hbmUse: 0.509, kvCacheRoomGiB: 105.135 },
    ],
    [
      ['Qwen/Qwen3-32B', '--max-model-len=32768'],
      {
        name: 'Qwen/Qwen3-32B',
        source: 'table',
        // embeddings and 64 layers: 2 x 151936 x 5120 + 64 x 5120 x (2 x 8192 + 2 x 1024 + 3 x 25600)
        parameters: 32761446400,
        weights: 'bf16',
        weightsGB: 65.523,
        hbmUse: 0.238,
        kvCacheRoomGiB: 174.497,
        maxModelLen: 32768,
        // 2 x 64 x 8 x 128 x 2 bytes for each token
        kvCacheGB: 8.59,
        maxConcurrency: 21,
      },
    ],
    [['x/llama-0b'], undefined],
    [['/data/model'], undefined],
  ])('%j', (args, expected) => {
    expect(vllm(...args)).toEqual(expected);
  });
});

test('totals: chips by generation and capacity, pools that are shared, and what is not counted', () => {
  const { totals } = plan(
    apps('Deployment', on('2x4', '8'), { replicas: 2 }),
    apps('Deployment', on('2x4', '8', gke('gke-spot', 'true')), { replicas: 1 }),
    { ...apps('Deployment', on('2x4', '8')), metadata: { name: 'b' } },
    {
      ...autoscaler('Deployment', { maxReplicas: 3 }),
      spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'b' } },
    },
    jobSet([replicatedJob(on('4x4', '4'), indexed(4), { replicas: 2 })]),
    job(indexed(4), on('4x4', '4'), queued),
    job(indexed(8), on('4x8', '4', {}, 'tpu-v5-lite-podslice')),
    apps('Deployment', on('4x4', '4')),
    apps('Deployment', on('2x4', '8'), { replicas: 0 }),
  );
  const capacity = { name: undefined, queue: undefined, maxRunDurationSeconds: undefined };
  const demand = { ...capacity, type: 'on-demand' };
  expect(totals).toEqual({
    chips: [
      { generation: 'v5e', capacity: 'on-demand', min: 32, max: 32 },
      { generation: 'v6e', capacity: 'on-demand', min: 72, max: 88 },
      { generation: 'v6e', capacity: 'spot', min: 8, max: 8 },
    ],
    nodePools: [
      {
        machineType: 'ct6e-standard-8t',
        topology: '2x4',
        capacity: demand,
        pools: { min: 1, max: 1 },
        nodesPerPool: { min: 3, max: 5 },
      },
      {
        machineType: 'ct6e-standard-8t',
        topology: '2x4',
        capacity: { ...capacity, type: 'spot' },
        pools: { min: 1, max: 1 },
        nodesPerPool: { min: 1, max: 1 },
      },
      {
        machineType: 'ct6e-standard-4t',
        topology: '4x4',
        capacity: demand,
        pools: { min: 3, max: 3 },
        nodesPerPool: { min: 4, max: 4 },
      },
      {
        machineType: 'ct5lp-hightpu-4t',
        topology: '4x8',
        capacity: demand,
        pools: { min: 1, max: 1 },
        nodesPerPool: { min: 8, max: 8 },
      },
    ],
    uncounted: 1,
  });
});

test('never throws on a malformed manifest', () => {
  const sets = [
    [
      apps('Deployment', on('2x4', '8', gke('compute-class', 'c')), { replicas: 2 }),
      autoscaler('Deployment', { minReplicas: 1, maxReplicas: 2 }),
      computeClass([v6e]),
    ],
    [
      rayService(
        rayCluster(on('4x4', '4'), { numOfHosts: 4, replicas: 1 }, { enableInTreeAutoscaling: true }),
      ),
    ],
    [leaderWorkerSet({ size: 8, subGroupPolicy: { subGroupSize: 4 }, workerTemplate: on('4x4', '4') }, 3)],
    [jobSet([replicatedJob(on('4x4', '4'), indexed(4))])],
  ];
  expect(() => {
    for (const manifests of sets)
      for (const one of mutilatedSets(manifests))
        planTable(plan(...one.map((manifest) => manifest)), one.length);
  }).not.toThrow();
});

// ---- what the constructs render -----------------------------------------------------------------------------------

const slices = fc.constantFrom(
  ...(Object.keys(MACHINE_TYPES) as TpuMachineType[])
    // the selectors of this one are those of tpu7x-standard-4t
    .filter((type) => type !== 'tpu7x-ultranet-4t')
    .flatMap((type) => topologiesOf(type).map((topology) => TpuSlice.parse(`${type}/${topology}`))),
);
const capacities = (slice: TpuSlice): fc.Arbitrary<Capacity> =>
  fc.oneof(
    fc.constantFrom(Capacity.onDemand(), Capacity.spot(), Capacity.reservation('mine')),
    ...(slice.flexStart
      ? [fc.constantFrom(Capacity.flexStart(), Capacity.flexStart({ maxRunDurationSeconds: 3600 }))]
      : []),
  );
const bought = slices.chain((slice) =>
  fc.tuple(fc.constant(slice), capacities(slice), fc.integer({ min: 1, max: 4 })),
);

/** What one construct renders, as a plan. */
function rendered(add: (scope: Construct) => unknown): Plan {
  const chart = new Chart(Testing.app(), 'chart');
  add(chart);
  return plan(...(Testing.synth(chart) as Json[]));
}

/** Expects one workload of as many slices, and the node pools that NodePool makes for them. */
function expectSlices(
  { workloads, totals }: Plan,
  slice: TpuSlice,
  capacity: Capacity,
  replicas: number,
): void {
  expect(workloads).toHaveLength(1);
  const exactly = (n: number): object => ({ min: n, max: n });
  expect(workloads[0]).toMatchObject({
    machineTypes: [slice.machineType],
    topology: slice.topology,
    slices: exactly(replicas),
    hostsPerSlice: slice.hosts,
    chipsPerSlice: slice.chips,
    chips: exactly(slice.chips * replicas),
    hbmGiBPerSlice: slice.hbmGiB,
    problems: [],
    capacity: {
      type: capacity.type,
      name: capacity.reservationName,
      maxRunDurationSeconds: capacity.maxRunDurationSeconds,
    },
  });
  const made = new NodePool({ name: 'p', slice, replicas, capacity, cluster: 'c', location: 'us-west4-a' });
  expect(totals.nodePools).toMatchObject([
    {
      machineType: slice.machineType,
      topology: slice.topology,
      pools: exactly(made.names.length),
      nodesPerPool: exactly(made.nodesPerPool),
    },
  ]);
  expect(totals.chips).toEqual([
    { generation: slice.generation, capacity: capacity.type, ...exactly(slice.chips * replicas) },
  ]);
}

describe('a plan matches the rendered objects for every legal slice and capacity', () => {
  test('VllmServer', () => {
    fc.assert(
      fc.property(
        bought.filter(([slice]) => !slice.multiHost),
        ([slice, capacity, replicas]) => {
          const props = { model: 'x/y-1b', slice, capacity };
          expectSlices(
            rendered((chart) => new VllmServer(chart, 'x', { ...props, replicas })),
            slice,
            capacity,
            replicas,
          );
          const scaling = {
            minReplicas: 1,
            maxReplicas: replicas,
            metric: VllmMetric.REQUESTS_WAITING,
            averageValue: 10,
          };
          const [workload] = rendered(
            (chart) => new VllmServer(chart, 'x', { ...props, autoscaling: scaling }),
          ).workloads;
          expect(workload).toMatchObject({ slices: { min: 1, max: replicas }, model: { parameters: 1e9 } });
        },
      ),
      { numRuns: 50 },
    );
  });

  test('SaxCell', () => {
    fc.assert(
      fc.property(bought, ([slice, capacity, replicas]) => {
        const props = {
          slice,
          capacity,
          replicas,
          bucketName: 'my-sax',
          serviceAccountName: 'sax',
          platformChip: 'tpuv5e',
        };
        expectSlices(
          rendered((chart) => new SaxCell(chart, 'x', props)),
          slice,
          capacity,
          replicas,
        );
      }),
      { numRuns: 50 },
    );
  });

  test('TpuRayService', () => {
    fc.assert(
      fc.property(bought, ([slice, capacity, replicas]) => {
        const group = { groupName: 'g', slice, capacity, replicas };
        const serveConfig = { applications: [{ name: 'app', importPath: 'my.module:app' }] };
        const service = rendered(
          (chart) => new TpuRayService(chart, 'x', { serveConfig, workerGroups: [group] }),
        );
        expectSlices(service, slice, capacity, replicas);
      }),
      { numRuns: 50 },
    );
  });

  test('FlexStartJob, queued and not', () => {
    fc.assert(
      fc.property(
        slices.filter(({ flexStart }) => flexStart),
        fc.boolean(),
        (slice, waits) => {
          const maxRunDurationSeconds = 3600;
          const queue = waits ? 'q' : undefined;
          const capacity =
            queue === undefined
              ? Capacity.flexStart({ maxRunDurationSeconds })
              : Capacity.flexStartQueued({ queue, maxRunDurationSeconds });
          const props = {
            slice,
            image: 'a/b:v1',
            maxRunDurationSeconds,
            ...(queue !== undefined && { queue }),
          };
          const one = rendered((chart) => new FlexStartJob(chart, 'x', props));
          expectSlices(one, slice, capacity, 1);
          expect(one.workloads[0]?.capacity.queue).toBe(queue);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('TpuComputeClass', () => {
    fc.assert(
      fc.property(
        slices.filter(({ multiHost }) => !multiHost),
        (slice) => {
          const { workloads } = rendered((chart) => {
            const computeClass = new TpuComputeClass(chart, 'c', {
              slice,
              priorities: [Capacity.spot(), Capacity.onDemand()],
            });
            return new VllmServer(chart, 'x', {
              model: 'x/y-1b',
              slice,
              capacity: Capacity.computeClass(computeClass),
            });
          });
          expect(workloads).toMatchObject([
            {
              machineTypes: [slice.machineType],
              topology: slice.topology,
              chips: { min: slice.chips, max: slice.chips },
              capacity: { type: 'compute-class', name: 'c' },
              nodePools: undefined,
              problems: [],
            },
          ]);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe('the share of memory that weights take', () => {
  const used = (flags: readonly string[], replicas = 1): number | undefined => {
    const manifest = {
      apiVersion: 'jobset.x-k8s.io/v1alpha2',
      kind: 'JobSet',
      metadata: { name: 'a' },
      spec: {
        replicatedJobs: [
          {
            name: 'j',
            replicas,
            template: {
              spec: {
                template: {
                  spec: {
                    nodeSelector: {
                      'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice',
                      'cloud.google.com/gke-tpu-topology': '2x4',
                    },
                    containers: [
                      {
                        name: 'vllm',
                        image: 'vllm/vllm-tpu:v0.12.0',
                        command: ['vllm', 'serve', 'x/y-70b', ...flags],
                        resources: { limits: { 'google.com/tpu': '8' } },
                      },
                    ],
                  },
                },
              },
            },
          },
        ],
      },
    };
    return planOf([manifestObject(manifest)]).workloads[0]?.model?.hbmUse;
  };

  test('is known if the server uses all of one slice', () => {
    expect(used([])).toBeCloseTo(0.509, 2);
    expect(used(['--tensor-parallel-size=8'])).toBeCloseTo(0.509, 2);
  });

  test.each([[['--tensor-parallel-size=4']], [['--pipeline-parallel-size=2']]])(
    'is not known with %j',
    (flags) => {
      expect(used(flags)).toBeUndefined();
    },
  );

  test('is not known of several slices', () => {
    expect(used([], 2)).toBeUndefined();
  });
});
