import { spawnSync } from 'node:child_process';
import fc from '../fast-check';
import {
  Capacity,
  InvalidInputError,
  MACHINE_TYPES,
  NodePool,
  type NodePoolProps,
  type Problem,
  ShellCommand,
  tpuResources,
  type TpuMachineType,
  TpuSlice,
} from '../../lib';
import { refusal } from '../refusal';
import { topologiesOf } from '../../lib/tpu/topology';

const EVERY_SLICE = Object.keys(MACHINE_TYPES).flatMap((type) =>
  topologiesOf(type as TpuMachineType).map((topology) => TpuSlice.parse(`${type}/${topology}`)),
);
const ONE_HOST = TpuSlice.of('ct6e-standard-8t');
const TWO_HOSTS = TpuSlice.of('ct6e-standard-4t', '2x4');

const pool = (props: Partial<NodePoolProps> = {}): NodePool =>
  new NodePool({ name: 'tpu', slice: ONE_HOST, cluster: 'serving', location: 'us-east5-b', ...props });

/** The problems of the props of a node pool. */
function problemsWith(props: Partial<NodePoolProps>): readonly Problem[] {
  try {
    pool(props);
    return [];
  } catch (error) {
    if (error instanceof InvalidInputError) return error.problems;
    throw error;
  }
}

/** The flags of a command; other words are under `NAME`. */
const flagsOf = (args: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    args.map((arg) => {
      const [, flag = 'NAME', value = ''] = /^(--[a-z-]+)(?:=(.*))?$/.exec(arg) ?? [undefined, 'NAME', arg];
      return [flag, value];
    }),
  );

// ---- the tutorials ----------------------------------------------------------------------------------------------

const TUTORIALS = 'https://cloud.google.com/kubernetes-engine/docs';

/** A tutorial's command, with its own values where it gives some; and the reason for each flag in which ours differs. */
const SEEDS: readonly {
  readonly page: string;
  readonly theirs: readonly string[];
  readonly ours: NodePool;
  readonly differs?: Readonly<Record<string, string>>;
}[] = [
  {
    page: `${TUTORIALS}/add-on/ray-on-gke/tutorials/deploy-ray-serve-stable-diffusion-tpu`,
    theirs: [
      'tpu-pool --location=us-central2-b --cluster=ray-cluster --machine-type=ct4p-hightpu-4t --num-nodes=1 --tpu-topology=2x2x1',
    ],
    ours: new NodePool({
      name: 'tpu-pool',
      slice: TpuSlice.of('ct4p-hightpu-4t'),
      cluster: 'ray-cluster',
      location: 'us-central2-b',
    }),
    differs: {
      '--tpu-topology':
        'one host of this machine type makes no other topology; the flag is for slices of several hosts, and leaving it out lets a pool have a node for each of several slices',
    },
  },
  {
    page: `${TUTORIALS}/tutorials/serve-gemma-tpu-jetstream`,
    theirs: [
      'tpu-nodepool --cluster=CLUSTER_NAME --machine-type=ct5lp-hightpu-8t --project=PROJECT_ID --num-nodes=2 --region=REGION --node-locations=LOCATION',
    ],
    ours: new NodePool({
      name: 'tpu-nodepool',
      slice: TpuSlice.of('ct5lp-hightpu-8t'),
      replicas: 2,
      cluster: 'CLUSTER_NAME',
      location: 'REGION',
      nodeLocations: ['LOCATION'],
      projectId: 'PROJECT_ID',
    }),
    differs: {
      '--region': 'gcloud takes a region as --location too',
      '--location': 'gcloud takes a region as --location too',
    },
  },
  {
    page: `${TUTORIALS}/tutorials/serve-multihost-tpu-saxml`,
    theirs: ['tpu1', 'tpu2'].map(
      (name) =>
        `${name} --location=CONTROL_PLANE_LOCATION --machine-type=ct5lp-hightpu-4t --tpu-topology=4x8 --num-nodes=8 --cluster=saxml`,
    ),
    ours: new NodePool({
      name: 'tpu',
      slice: TpuSlice.of('ct5lp-hightpu-4t', '4x8'),
      replicas: 2,
      cluster: 'saxml',
      location: 'CONTROL_PLANE_LOCATION',
    }),
    differs: {
      NAME: 'the pools of one value are numbered from 0, like the Jobs of the JobSet that runs on them',
    },
  },
  {
    page: `${TUTORIALS}/tutorials/serve-vllm-tpu`,
    theirs: [
      'tpunodepool --zone=ZONE --num-nodes=1 --machine-type=ct6e-standard-8t --cluster=CLUSTER_NAME --enable-autoscaling --total-min-nodes=1 --total-max-nodes=2',
    ],
    ours: new NodePool({
      name: 'tpunodepool',
      slice: TpuSlice.of('ct6e-standard-8t'),
      cluster: 'CLUSTER_NAME',
      location: 'ZONE',
      autoscaling: { minReplicas: 1, maxReplicas: 2 },
    }),
    differs: {
      '--zone': 'gcloud takes a zone as --location too',
      '--location': 'gcloud takes a zone as --location too',
    },
  },
  {
    page: `${TUTORIALS}/how-to/dws-flex-start-training-tpu (one host)`,
    theirs: [
      'flex --cluster=CLUSTER_NAME --location=LOCATION_NAME --node-locations=NODE_ZONES --machine-type=ct6e-standard-4t --reservation-affinity=none --enable-autoscaling --flex-start --num-nodes=0 --min-nodes=0 --max-nodes=1',
    ],
    ours: new NodePool({
      name: 'flex',
      slice: TpuSlice.of('ct6e-standard-4t'),
      capacity: Capacity.flexStart(),
      cluster: 'CLUSTER_NAME',
      location: 'LOCATION_NAME',
      nodeLocations: ['NODE_ZONES'],
    }),
  },
  {
    page: `${TUTORIALS}/how-to/dws-flex-start-training-tpu (several hosts)`,
    theirs: [
      'flex-0 --cluster=CLUSTER_NAME --location=LOCATION_NAME --node-locations=NODE_ZONES --machine-type=ct6e-standard-4t --tpu-topology=2x4 --flex-start --enable-autoscaling --num-nodes=0 --max-nodes=2 --reservation-affinity=none --no-enable-autorepair',
    ],
    ours: new NodePool({
      name: 'flex',
      slice: TWO_HOSTS,
      capacity: Capacity.flexStart(),
      cluster: 'CLUSTER_NAME',
      location: 'LOCATION_NAME',
      nodeLocations: ['NODE_ZONES'],
    }),
    differs: { '--min-nodes': 'the page asks for --min-nodes=0 below the command, which leaves it out' },
  },
];

describe('the commands of the tutorials', () => {
  test.each(SEEDS)('$page', ({ theirs, ours, differs = {} }) => {
    const commands = ours.commands.map(({ args }) => args);
    expect(commands).toHaveLength(theirs.length);
    const different = theirs.map((text, index) => {
      const [left, right] = [text.split(' '), commands[index]?.slice(4) ?? []].map(flagsOf);
      const names = Object.keys({ ...left, ...right });
      return names.filter((name) => left?.[name] !== right?.[name]).sort();
    });
    for (const names of different) expect(names).toEqual(Object.keys(differs).sort());
  });

  test("create four nodes for the page's example of a 4x4 on flex-start", () => {
    const [command] = pool({
      slice: TpuSlice.of('ct6e-standard-4t', '4x4'),
      capacity: Capacity.flexStart(),
    }).commands;
    expect(command?.args).toEqual(
      expect.arrayContaining([
        '--machine-type=ct6e-standard-4t',
        '--tpu-topology=4x4',
        '--enable-autoscaling',
        '--num-nodes=0',
        '--max-nodes=4',
      ]),
    );
  });
});

// ---- flags of each capacity --------------------------------------------------------------------------------

const FLEX = ['--flex-start', '--reservation-affinity=none', '--enable-autoscaling', '--min-nodes=0'];
const QUEUED = ['--enable-queued-provisioning', '--location-policy=ANY', '--no-enable-autorepair'];
const queued = (): Capacity => Capacity.flexStartQueued({ queue: 'tpu', maxRunDurationSeconds: 3600 });

describe('the flags of a capacity', () => {
  test.each<[string, Capacity, string, readonly string[], readonly string[]]>([
    ['on demand', Capacity.onDemand(), '3', [], []],
    ['spot', Capacity.spot(), '3', ['--spot'], ['--spot']],
    [
      'reservation',
      Capacity.reservation('tpus'),
      '3',
      ['--reservation-affinity=specific', '--reservation=tpus'],
      ['--reservation-affinity=specific', '--reservation=tpus'],
    ],
    [
      'flex-start',
      Capacity.flexStart(),
      '0',
      [...FLEX, '--max-nodes=3'],
      [...FLEX, '--max-nodes=2', '--no-enable-autorepair'],
    ],
    [
      'flex-start for an hour, set on the pool',
      Capacity.flexStart({ maxRunDurationSeconds: 3600 }),
      '0',
      [...FLEX, '--max-nodes=3', '--max-run-duration=3600s'],
      [...FLEX, '--max-nodes=2', '--max-run-duration=3600s', '--no-enable-autorepair'],
    ],
    [
      'queued flex-start for an hour, set on the Job',
      queued(),
      '0',
      [...FLEX, '--max-nodes=3', ...QUEUED],
      [...FLEX, '--max-nodes=2', ...QUEUED],
    ],
  ])('start and scale %s', (_, capacity, start, oneHost, severalHosts) => {
    const common = ['gcloud', 'container', 'node-pools', 'create'];
    const at = ['--cluster=serving', '--location=us-east5-b'];
    const one = pool({ capacity, replicas: 3 }).commands.map(({ args }) => args);
    expect(one).toEqual([
      [...common, 'tpu', ...at, '--machine-type=ct6e-standard-8t', `--num-nodes=${start}`, ...oneHost],
    ]);
    const several = pool({ capacity, replicas: 3, slice: TWO_HOSTS }).commands.map(({ args }) => args);
    const each = ['--machine-type=ct6e-standard-4t', '--tpu-topology=2x4'];
    const nodes = start === '0' ? '0' : '2';
    expect(several).toEqual(
      ['tpu-0', 'tpu-1', 'tpu-2'].map((name) => [
        ...[...common, name, ...at, ...each, `--num-nodes=${nodes}`],
        ...severalHosts,
      ]),
    );
  });

  test('multi-host tpu7x slices share a workload policy and have no topology', () => {
    const slice = TpuSlice.of('tpu7x-standard-4t', '2x2x2');
    const made = pool({ slice, replicas: 2, location: 'us-central1-c', projectId: 'my-project' });
    expect(made.commands.map(String)).toEqual([
      [
        'gcloud compute resource-policies create workload-policy tpu',
        '--project=my-project',
        '--region=us-central1',
        '--type=HIGH_THROUGHPUT',
        '--accelerator-topology=2x2x2',
      ].join(' \\\n    '),
      ...['tpu-0', 'tpu-1'].map((name) =>
        [
          `gcloud container node-pools create ${name}`,
          '--project=my-project',
          '--cluster=serving',
          '--location=us-central1-c',
          '--machine-type=tpu7x-standard-4t',
          '--placement-policy=tpu',
          '--num-nodes=2',
        ].join(' \\\n    '),
      ),
    ]);
    const [policy] = pool({ slice, location: 'ZONE' }).commands;
    expect(policy?.args).toContain('--region=REGION');
    expect(pool({ slice: TpuSlice.of('tpu7x-standard-4t') }).commands).toHaveLength(1);
  });
});

describe('zones', () => {
  const inZones = (props: Partial<NodePoolProps>): readonly string[] =>
    pool({ location: 'us-east5', nodeLocations: ['us-east5-a', 'us-east5-b'], ...props }).commands[0]?.args ??
    [];

  test('--num-nodes counts the nodes of each, --total-… all', () => {
    expect(inZones({ replicas: 4 })).toEqual(
      expect.arrayContaining([
        '--location=us-east5',
        '--node-locations=us-east5-a,us-east5-b',
        '--num-nodes=2',
      ]),
    );
    expect(inZones({ autoscaling: { minReplicas: 2, maxReplicas: 5 } })).toEqual(
      expect.arrayContaining(['--num-nodes=1', '--total-min-nodes=2', '--total-max-nodes=5']),
    );
    expect(inZones({ autoscaling: { minReplicas: 0, maxReplicas: 1 } })).toContain('--num-nodes=0');
  });

  test('are searched by flex-start for a whole slice in each', () => {
    const args = inZones({ slice: TWO_HOSTS, capacity: Capacity.flexStart() });
    expect(args).toEqual(expect.arrayContaining(['--num-nodes=0', '--max-nodes=2']));
  });

  test.each(['us-central1-ai1a', 'u-france-east1-a', 'northamerica-northeast1-b'])(
    'reject %s',
    (location) => {
      expect(pool({ location }).commands[0]?.args).toContain(`--location=${location}`);
    },
  );
});

test("nodes have the given boot disk, or GKE's default", () => {
  expect(pool({ diskSizeGb: 320 }).commands[0]?.args).toContain('--disk-size=320GB');
  expect(String(pool().commands[0])).not.toContain('disk');
});

test('a node pool is immutable, also through its props', () => {
  const nodeLocations = ['us-east5-a'];
  const autoscaling = { minReplicas: 1, maxReplicas: 2 };
  const made = pool({ nodeLocations, autoscaling });
  nodeLocations.push('us-east5-b');
  autoscaling.maxReplicas = 9;
  expect(made).toMatchObject({
    nodeLocations: ['us-east5-a'],
    autoscaling: { minReplicas: 1, maxReplicas: 2 },
    replicas: 2,
  });
  for (const value of [made, made.names, made.nodeLocations, made.autoscaling, made.commands[0]])
    expect(Object.isFrozen(value)).toBe(true);
});

// ---- commands in a shell ----------------------------------------------------------------------------------------

describe('a shell', () => {
  const bash = (...args: string[]): string => spawnSync('bash', args, { encoding: 'utf8' }).stdout;
  const CAPACITIES = [
    Capacity.onDemand(),
    Capacity.spot(),
    Capacity.reservation('tpus'),
    Capacity.flexStart({ maxRunDurationSeconds: 600 }),
    queued(),
  ];

  test('accepts every command', () => {
    const script = EVERY_SLICE.flatMap((slice) =>
      CAPACITIES.filter(({ type }) => slice.flexStart || !type.startsWith('flex')).flatMap((capacity) =>
        pool({ slice, capacity, replicas: 2, projectId: 'PROJECT_ID' }).commands.map(String),
      ),
    );
    expect(script.length).toBeGreaterThan(1000);
    const { status, stderr } = spawnSync('bash', ['-n'], { input: script.join('\n'), encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  test('reads each argument unchanged', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string().filter((word) => !word.includes('\0')),
          { minLength: 1 },
        ),
        (words) => {
          const line = new ShellCommand(['printf', '%s\\0', ...words]).toString();
          expect(bash('-c', line)).toBe(words.map((word) => `${word}\0`).join(''));
        },
      ),
      { numRuns: 40 },
    );
  });
});

// ---- what is refused --------------------------------------------------------------------------------------------

describe('a node pool with a mistake', () => {
  const label =
    "is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-'";
  const place = "is neither a zone nor a region; use a zone or region, for example 'us-west4-a'";
  const v4 = TpuSlice.of('ct4p-hightpu-4t');

  test.each<[string, Partial<NodePoolProps>, ...(readonly string[])]>([
    ['a name with capitals', { name: 'TPU' }, `name: 'TPU' ${label}, for example 'tpu'`],
    [
      'a name that is too long',
      { name: 'n'.repeat(41) },
      `name: '${'n'.repeat(41)}' has 41 characters; use at most 40, for example '${'n'.repeat(40)}'`,
    ],
    [
      'a name that is too long with its number',
      { name: 'n'.repeat(38), slice: TWO_HOSTS, replicas: 11 },
      `name: '${'n'.repeat(38)}' has 38 characters; use at most 37 (the last pool is named '${'n'.repeat(38)}-10'), for example '${'n'.repeat(37)}'`,
    ],
    [
      'a cluster with dots',
      { cluster: 'my.cluster' },
      `cluster: 'my.cluster' ${label}, for example 'my-cluster'`,
    ],
    [
      'a long cluster',
      { cluster: 'c'.repeat(41) },
      `cluster: '${'c'.repeat(41)}' has 41 characters; use at most 40, for example '${'c'.repeat(40)}'`,
    ],
    ['an invalid location', { location: 'Ohio' }, `location: 'Ohio' ${place}`],
    ['a shell variable', { location: '${ZONE}' }, `location: '\${ZONE}' ${place}`],
    [
      'a project number',
      { projectId: '123456789012' },
      "projectId: '123456789012' is not a project ID; use 6 to 30 lower-case letters, digits and '-', starting with a letter",
    ],
    ['no slice', { replicas: 0 }, "replicas: '0' is not a whole number from 1 to 1000; use 1"],
    ['half a slice', { replicas: 1.5 }, "replicas: '1.5' is not a whole number from 1 to 1000; use 2"],
    [
      'an impossible boot disk',
      { diskSizeGb: 9 },
      "diskSizeGb: '9' is not a whole number from 10 to 65536; use 10",
    ],
    [
      'a region without zones',
      { location: 'us-east5' },
      "nodeLocations: required, because location 'us-east5' is a region and GKE would create the nodes in each of its zones; use zones of the region that offer ct6e-standard-8t, like ['us-east5-a']",
    ],
    ['no zones', { nodeLocations: [] }, "nodeLocations: is empty; use a list of zones, like ['us-west4-a']"],
    [
      'a zone twice',
      { nodeLocations: ['us-east5-a', 'us-east5-a'], replicas: 2 },
      "nodeLocations: 'us-east5-a,us-east5-a' lists a zone twice; list each zone once",
    ],
    [
      'a region among the zones',
      { nodeLocations: ['us-east5'] },
      "nodeLocations[0]: 'us-east5' is a region; use one of its zones, for example 'us-east5-a'",
    ],
    [
      'an invalid zone',
      { nodeLocations: ['b'] },
      "nodeLocations[0]: 'b' is not a zone; use a zone, for example 'us-west4-a'",
    ],
    [
      'a zone of another region',
      { nodeLocations: ['us-west4-a'] },
      "nodeLocations[0]: 'us-west4-a' is not in region 'us-east5' of location 'us-east5-b'; use a zone of the region, like 'us-east5-a'",
    ],
    [
      'slices that the zones do not divide',
      { nodeLocations: ['us-east5-a', 'us-east5-b'], replicas: 3 },
      "replicas: '3' is not a multiple of the 2 nodeLocations; use 4",
    ],
    [
      'minReplicas that the zones do not divide',
      { nodeLocations: ['us-east5-a', 'us-east5-b'], autoscaling: { minReplicas: 1, maxReplicas: 2 } },
      "autoscaling.minReplicas: '1' is not a multiple of the 2 nodeLocations; use 2",
    ],
    [
      'a multi-host slice in several zones',
      { slice: TWO_HOSTS, nodeLocations: ['us-east5-a', 'us-east5-b'] },
      "nodeLocations: 'us-east5-a,us-east5-b' lists 2 zones, but all 2 hosts of slice 'ct6e-standard-4t/2x4' are in one zone; use one zone, like 'us-east5-a'",
    ],
    [
      'minReplicas above maxReplicas',
      { autoscaling: { minReplicas: 3, maxReplicas: 2 } },
      "autoscaling.maxReplicas: '2' is less than minReplicas '3'; use at least 3",
    ],
    [
      'invalid limits',
      { autoscaling: { minReplicas: -1, maxReplicas: 0 } },
      "autoscaling.minReplicas: '-1' is not a whole number from 0 to 1000; use 0",
      "autoscaling.maxReplicas: '0' is not a whole number from 1 to 1000; use 1",
    ],
    [
      'a fixed number together with autoscaling',
      { replicas: 2, autoscaling: { minReplicas: 1, maxReplicas: 2 } },
      "replicas: '2' is set together with autoscaling; use one of them; with autoscaling the pool starts with minReplicas",
    ],
    [
      'autoscaling of a multi-host slice',
      { slice: TWO_HOSTS, autoscaling: { minReplicas: 1, maxReplicas: 2 } },
      "autoscaling: is set for slice 'ct6e-standard-4t/2x4' of 2 hosts, whose node pool cannot scale, because it contains all nodes of the slice; use replicas",
    ],
    [
      'autoscaling of flex-start',
      { capacity: Capacity.flexStart(), autoscaling: { minReplicas: 0, maxReplicas: 2 } },
      'autoscaling: is set together with flex-start capacity, whose node pools start empty and always scale; use replicas for the largest number of slices',
    ],
    [
      'flex-start of v4',
      { slice: v4, capacity: Capacity.flexStart() },
      "capacity: 'flex-start' is not available on ct4p-hightpu-4t; use a slice of v5e, v5p, v6e or tpu7x, or another capacity",
    ],
    [
      'queued flex-start of v4',
      { slice: v4, capacity: queued() },
      "capacity: 'flex-start-queued' is not available on ct4p-hightpu-4t; use a slice of v5e, v5p, v6e or tpu7x, or another capacity",
    ],
    [
      'a ComputeClass',
      { capacity: Capacity.computeClass('tpu-v6e') },
      "capacity: 'compute-class' means that a ComputeClass creates the node pools; use another capacity, or TpuComputeClass without a NodePool",
    ],
    [
      'several mistakes at once',
      { name: '-', cluster: 'C.', location: 'x', projectId: 'p', replicas: -2 },
      "replicas: '-2' is not a whole number from 1 to 1000; use 1",
      `cluster: 'C.' ${label}, for example 'c'`,
      `location: 'x' ${place}`,
      "projectId: 'p' is not a project ID; use 6 to 30 lower-case letters, digits and '-', starting with a letter",
      `name: '-' ${label}, for example 'x'`,
    ],
  ])('rejects %s', (_, props, ...problems) => {
    expect(refusal(() => pool(props))).toBe(problems.join('\n'));
  });
});

// ---- what always holds ------------------------------------------------------------------------------------------

describe('any legal slice and capacity', () => {
  const capacities: fc.Arbitrary<Capacity> = fc.oneof(
    fc.constantFrom(Capacity.onDemand(), Capacity.spot(), Capacity.reservation('tpus'), queued()),
    fc
      .integer({ min: 600, max: 604_800 })
      .map((maxRunDurationSeconds) => Capacity.flexStart({ maxRunDurationSeconds })),
  );
  const cases = fc
    .record({
      slice: fc.constantFrom(...EVERY_SLICE),
      capacity: capacities,
      replicas: fc.integer({ min: 1, max: 12 }),
    })
    .filter(({ slice, capacity }) => slice.flexStart || !capacity.type.startsWith('flex'));
  const creations = ({ commands }: NodePool): Record<string, string>[] =>
    commands.filter(({ args }) => args[1] === 'container').map(({ args }) => flagsOf(args.slice(4)));

  test('has as many nodes as its chips require', () => {
    fc.assert(
      fc.property(cases, (props) => {
        const { slice, replicas } = props;
        const made = pool(props);
        const chips = creations(made)
          .map((flags) => Number(flags['--max-nodes'] ?? flags['--num-nodes']) * slice.chipsPerHost)
          .reduce((sum, one) => sum + one);
        expect(chips).toBe(slice.chips * replicas);
        expect(made.nodesPerPool * made.names.length).toBe(slice.hosts * replicas);
      }),
    );
  });

  test('has the nodes that pods of the same slice and capacity select', () => {
    fc.assert(
      fc.property(cases, (props) => {
        const { slice, capacity } = props;
        const { nodeSelector = {}, resources } = tpuResources(slice);
        const topology = nodeSelector['cloud.google.com/gke-tpu-topology'];
        const made = pool(props);
        const policy = made.commands.map(({ args }) => flagsOf(args)['--accelerator-topology']).find(Boolean);
        for (const flags of creations(made)) {
          expect(flags['--machine-type']).toBe(slice.machineType);
          const { chips, singleHostTopology } = MACHINE_TYPES[slice.machineType];
          expect(resources.limits?.['google.com/tpu']).toBe(String(chips));
          const connected = flags['--placement-policy'] === undefined ? flags['--tpu-topology'] : policy;
          expect(connected ?? singleHostTopology).toBe(topology);
          const labels = capacity.nodeSelector;
          expect('--spot' in flags).toBe('cloud.google.com/gke-spot' in labels);
          expect('--flex-start' in flags).toBe(
            'cloud.google.com/gke-flex-start' in labels || 'cloud.google.com/gke-queued' in labels,
          );
          expect('--enable-queued-provisioning' in flags).toBe('cloud.google.com/gke-queued' in labels);
          expect(flags['--reservation']).toBe(labels['cloud.google.com/reservation-name']);
          const seconds = labels['cloud.google.com/gke-max-run-duration-seconds'];
          expect(flags['--max-run-duration']).toBe(seconds && `${seconds}s`);
        }
      }),
    );
  });

  test('has either a topology or a placement policy if it is multi-host', () => {
    fc.assert(
      fc.property(cases, (props) => {
        for (const flags of creations(pool(props))) {
          const placed = [flags['--tpu-topology'], flags['--placement-policy']].filter(Boolean);
          expect(placed).toHaveLength(props.slice.multiHost ? 1 : 0);
        }
      }),
    );
  });

  test('has pools with unique names that GKE accepts', () => {
    const [first, rest] = ['az', 'az09-'].map((letters) => fc.constantFrom(...letters.split('')));
    if (!first || !rest) throw new Error('no letters');
    const name = fc.tuple(first, fc.string({ unit: rest, maxLength: 45 })).map((parts) => parts.join(''));
    fc.assert(
      fc.property(cases, name, (props, text) => {
        const [wrong] = problemsWith({ ...props, name: text });
        const right = String(wrong?.nearest ?? text);
        const { names } = pool({ ...props, name: right });
        expect(new Set(names).size).toBe(props.slice.multiHost ? props.replicas : 1);
        for (const one of names) expect(one).toMatch(/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/);
        expect(names[0]?.startsWith(right)).toBe(true);
      }),
    );
  });
});
