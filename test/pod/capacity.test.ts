import { ApiObject, type Chart, Testing } from 'cdk8s';
import {
  Capacity,
  type CapacityOptions,
  type InvalidInputError,
  NodePool,
  podTemplate,
  tpuResources,
  TpuComputeClass,
  TpuQueue,
  TpuRayCluster,
  TpuSlice,
} from '../../lib';
import { capacityProblem, capacityType } from '../../lib/pod/capacity';
import { brand } from '../../lib/problems/brand';
import { Problems, textOf } from '../../lib/problems/problems';
import { refusal } from '../refusal';

const v6e = TpuSlice.of('ct6e-standard-8t');
const fieldsOf = (capacity: Capacity): object => Object.fromEntries(Object.entries(capacity));
const newChart = (): Chart => Testing.chart();

test.each<[Capacity, string, Readonly<Record<string, string>> | undefined]>([
  [Capacity.onDemand(), 'on-demand', undefined],
  [Capacity.spot(), 'spot', { 'cloud.google.com/gke-spot': 'true' }],
  [Capacity.flexStart(), 'flex-start', { 'cloud.google.com/gke-flex-start': 'true' }],
  ...[600, 604_800].map((seconds): [Capacity, string, Readonly<Record<string, string>>] => [
    Capacity.flexStart({ maxRunDurationSeconds: seconds }),
    'flex-start',
    {
      'cloud.google.com/gke-flex-start': 'true',
      'cloud.google.com/gke-max-run-duration-seconds': String(seconds),
    },
  ]),
  [
    Capacity.reservation('my-tpus'),
    'reservation',
    {
      'cloud.google.com/reservation-name': 'my-tpus',
      'cloud.google.com/reservation-affinity': 'specific',
    },
  ],
  [Capacity.computeClass('tpus'), 'compute-class', { 'cloud.google.com/compute-class': 'tpus' }],
])('%j is %s and selects its nodes', (capacity, type, nodeSelector) => {
  const { spec } = podTemplate({ container: { name: 'server', image: 'server:v1' }, given: [capacity] });
  expect(capacity.type).toBe(type);
  expect(spec['nodeSelector'] ?? {}).toEqual(nodeSelector ?? {});
  expect(capacity.jobMetadata).toEqual({});
  expect(Object.isFrozen(capacity)).toBe(true);
});

describe('a queue', () => {
  const made: readonly [string, (options: CapacityOptions) => Capacity, Capacity][] = [
    ['onDemand', (options) => Capacity.onDemand(options), Capacity.onDemand()],
    ['spot', (options) => Capacity.spot(options), Capacity.spot()],
    ['flexStart', (options) => Capacity.flexStart(options), Capacity.flexStart()],
    ['reservation', (options) => Capacity.reservation('r', options), Capacity.reservation('r')],
    ['computeClass', (options) => Capacity.computeClass('c', options), Capacity.computeClass('c')],
  ];

  test.each(made)('only adds a label to the Job with Capacity.%s', (_, make, without) => {
    const capacity = make({ queue: 'team' });
    expect(capacity.jobMetadata).toEqual({ labels: { 'kueue.x-k8s.io/queue-name': 'team' } });
    expect({ ...fieldsOf(capacity), queueName: undefined, jobMetadata: {} }).toEqual(fieldsOf(without));
  });

  test.each(made)('can be the object that renders it with Capacity.%s', (_, make) => {
    const queue = new ApiObject(newChart(), 'queue', {
      apiVersion: 'kueue.x-k8s.io/v1beta1',
      kind: 'LocalQueue',
      metadata: { name: 'team' },
    });
    expect(make({ queue }).queueName).toBe('team');
  });

  test.each(made)('rejects an invalid name and unknown options with Capacity.%s', (_, make) => {
    expect(refusal(() => make({ queue: 'Team A' }))).toBe(
      "queue: 'Team A' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'team-a'",
    );
    expect(refusal(() => make({ qeue: 'team' } as CapacityOptions))).toBe(
      "qeue: unknown property; did you mean 'queue'?",
    );
    expect(refusal(() => make('team' as CapacityOptions))).toBe("'team' is a string; use an object");
  });

  test('is rejected for objects that cannot wait in one', () => {
    const capacity = Capacity.reservation('r', { queue: 'team' });
    expect(capacityProblem(capacity, v6e, true)).toBeUndefined();
    expect(capacityProblem(capacity, v6e)).toEqual({
      path: 'capacity',
      value: 'reservation',
      problem: "waits in Kueue queue 'team', which this construct does not support",
      use: 'the capacity without queue',
    });
  });
});

describe('queued flex-start capacity', () => {
  test('has the slice of its queue', () => {
    const queue = new TpuQueue(newChart(), 'v6e', { slice: v6e });
    expect(Capacity.flexStartQueued({ queue })).toMatchObject({ queueName: 'v6e', slice: v6e });
    expect(Capacity.flexStartQueued({ queue: queue.localQueue })).toMatchObject({
      queueName: 'v6e',
      slice: undefined,
    });
  });

  test.each<[string, unknown, string]>([
    ['no options', undefined, 'required; use an object'],
    ['no queue', {}, "queue: required, for example 'tpu'"],
    ['a number as queue', { queue: 8 }, "queue: '8' is a number; use the name of a LocalQueue"],
    [
      'a queue without its slice',
      { queue: { queueName: 'tpu' } },
      "queue.slice: required; use TpuSlice.of(…), like TpuSlice.of('ct6e-standard-8t')",
    ],
  ])('with %s is rejected', (_, options, message) => {
    expect(refusal(() => Capacity.flexStartQueued(options as { queue: string }))).toBe(message);
  });
});

describe('a dynamic slice', () => {
  const capacity = Capacity.dynamicSlice({ queue: 'tpu7x' });
  const podOf = (
    machineType: 'tpu7x-standard-4t',
    topology: '2x2x1' | '2x2x2' | '4x4x4' | '4x4x8',
  ): object => {
    const { metadata, spec } = podTemplate({
      container: { name: 'server', image: 'server:v1' },
      facts: [tpuResources(TpuSlice.parse(`${machineType}/${topology}`), capacity)],
      given: [capacity],
    });
    return { ...metadata, nodeSelector: spec['nodeSelector'], tolerations: spec['tolerations'] };
  };

  test.each([
    ['2x2x1', '2x2x1'],
    ['2x2x2', '2x2x2'],
    ['4x4x4', '4x4x4'],
    ['4x4x8', '4x4x4'],
  ] as const)(
    'for %s is named by an annotation and selects healthy partitions of %s',
    (topology, partition) => {
      expect(podOf('tpu7x-standard-4t', topology)).toEqual({
        annotations: {
          'cloud.google.com/gke-tpu-slice-topology': topology,
          'cloud.google.com/skip-tpu-webhook-check': 'true',
        },
        nodeSelector: {
          'cloud.google.com/gke-tpu-accelerator': 'tpu7x',
          [`cloud.google.com/gke-tpu-partition-${partition}-state`]: 'HEALTHY',
        },
        tolerations: [{ key: 'google.com/tpu', operator: 'Exists', effect: 'NoSchedule' }],
      });
    },
  );

  test('is only for hosts of tpu7x with 4 chips', () => {
    const on = (machineType: string): unknown => capacityProblem(capacity, TpuSlice.parse(machineType), true);
    expect(on('tpu7x-standard-4t/2x4x4')).toBeUndefined();
    expect(on('tpu7x-standard-1t')).toMatchObject({ problem: 'is not available on tpu7x-standard-1t' });
    expect(on('ct6e-standard-4t/4x4')).toEqual({
      path: 'capacity',
      value: 'dynamic-slice',
      problem: 'is not available on ct6e-standard-4t',
      use: 'a slice of tpu7x-standard-4t, or another capacity',
    });
  });

  test('requires a queue, and an object that waits in one', () => {
    expect(capacity.jobMetadata).toEqual({ labels: { 'kueue.x-k8s.io/queue-name': 'tpu7x' } });
    expect(refusal(() => Capacity.dynamicSlice({} as { queue: string }))).toBe(
      "queue: required, for example 'tpu7x'",
    );
    expect(capacityProblem(capacity, TpuSlice.of('tpu7x-standard-4t'))).toMatchObject({
      use: 'another capacity, TpuJob, or a server on a multi-host slice',
    });
  });

  test('cannot be the capacity of a node pool, ComputeClass or Ray cluster', () => {
    const slice = TpuSlice.of('tpu7x-standard-4t', '2x2x2');
    expect(
      refusal(() => new NodePool({ name: 'p', slice, capacity, cluster: 'c', location: 'us-central1-c' })),
    ).toContain("capacity: 'dynamic-slice' consists of node pools of sub-blocks");
    expect(
      refusal(
        () =>
          new TpuComputeClass(newChart(), 'c', { slice, priorities: [capacity], placementPolicyName: 'p' }),
      ),
    ).toContain("refers to Kueue queue 'tpu7x', which a ComputeClass cannot use");
    expect(
      refusal(
        () =>
          new TpuRayCluster(newChart(), 'ray', {
            workerGroups: [{ groupName: 'tpu', slice, capacity }],
          }),
      ),
    ).toContain('workerGroups[0].capacity: is a dynamic slice, so the node selectors contain no topology');
  });
});

describe('a ComputeClass', () => {
  test('has its slice, and states whether it has spot nodes', () => {
    const computeClass = (priorities: readonly Capacity[]): TpuComputeClass =>
      new TpuComputeClass(newChart(), 'tpus', { slice: v6e, priorities });
    expect(Capacity.computeClass(computeClass([Capacity.onDemand(), Capacity.spot()]))).toMatchObject({
      slice: v6e,
      preemptible: true,
    });
    expect(Capacity.computeClass(computeClass([Capacity.onDemand()])).preemptible).toBe(false);
  });

  test.each<[string, unknown, string]>([
    ['none', undefined, 'computeClass: required; use a TpuComputeClass or the name of a ComputeClass'],
    ['a list', [], 'computeClass: is a list; use a TpuComputeClass or the name of a ComputeClass'],
    [
      'one that GKE defines',
      'autopilot',
      "computeClass: 'autopilot' is reserved by GKE; use another name, for example 'tpu-v6e-2x4'",
    ],
    [
      'one without priorities',
      { computeClassName: 'tpus', slice: v6e },
      'computeClass.priorities: required; use a list',
    ],
  ])('is rejected if it is %s', (_, given, message) => {
    expect(refusal(() => Capacity.computeClass(given as string))).toBe(message);
  });
});

test.each<[string, () => Capacity, string]>([
  [
    'nine minutes',
    () => Capacity.flexStart({ maxRunDurationSeconds: 540 }),
    "maxRunDurationSeconds: '540' is not a whole number from 600 to 604800; use 600",
  ],
  [
    'eight days',
    () => Capacity.flexStart({ maxRunDurationSeconds: 691_200 }),
    "maxRunDurationSeconds: '691200' is not a whole number from 600 to 604800; use 604800",
  ],
  [
    'a fraction of a second',
    () => Capacity.flexStart({ maxRunDurationSeconds: 3600.5 }),
    "maxRunDurationSeconds: '3600.5' is not a whole number from 600 to 604800; use 3601",
  ],
  [
    'a reservation with a capital',
    () => Capacity.reservation('My_TPUs'),
    "reservation: 'My_TPUs' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'my-tpus'",
  ],
  [
    'a reservation of 64 characters',
    () => Capacity.reservation('r'.repeat(64)),
    `reservation: '${'r'.repeat(64)}' has 64 characters; use at most 63, for example '${'r'.repeat(63)}'`,
  ],
])('rejects %s', (_, make, message) => {
  expect(refusal(make)).toBe(message);
});

test('all problems of a reservation and its queue are reported at once', () => {
  expect(
    refusal(() => Capacity.reservation('A', { queue: 'B' }))
      .split('\n')
      .map((line) => line.split(':')[0]),
  ).toEqual(['reservation', 'queue']);
});

describe('a prop capacity', () => {
  const read = (value: unknown): readonly string[] => {
    const problems = new Problems();
    capacityType.read(value, 'capacity', problems);
    try {
      problems.throwIfAny();
      return [];
    } catch (error) {
      return (error as InvalidInputError).problems.map(textOf);
    }
  };

  test('can come from another copy of the package', () => {
    const prototype = {};
    brand({ prototype }, 'Capacity');
    expect(read(Object.create(prototype))).toEqual([]);
    expect(read(Capacity.spot())).toEqual([]);
  });

  test('cannot be a string or an object that looks like one', () => {
    expect(read('spot')).toEqual([
      "capacity: 'spot' is a string; use a Capacity, like Capacity.onDemand() or Capacity.spot()",
    ]);
    expect(read(fieldsOf(Capacity.spot()))).toEqual([
      'capacity: is an object; use a Capacity, like Capacity.onDemand() or Capacity.spot()',
    ]);
  });
});

test('only machine types of v4 have no flex-start', () => {
  const others = ['ct5lp-hightpu-4t', 'ct5p-hightpu-4t', 'ct6e-standard-8t', 'tpu7x-standard-4t'];
  const kinds = [Capacity.onDemand(), Capacity.spot(), Capacity.flexStart(), Capacity.reservation('my-tpus')];
  const problems = (type: string): readonly (string | undefined)[] =>
    kinds.map((capacity) => {
      const problem = capacityProblem(capacity, TpuSlice.parse(type));
      return problem && textOf(problem);
    });
  expect(others.flatMap(problems)).toEqual(Array(16).fill(undefined));
  expect(problems('ct4p-hightpu-4t')).toEqual([
    undefined,
    undefined,
    "capacity: 'flex-start' is not available on ct4p-hightpu-4t; use a slice of v5e, v5p, v6e or tpu7x, or another capacity",
    undefined,
  ]);
});
