import fc, { character } from '../fast-check';
import { InvalidInputError } from '../../lib/problems/problems';
import { MACHINE_TYPES, type TpuMachineType } from '../../lib/tpu/generations';
import { TpuSlice } from '../../lib/tpu/slice';
import { oneLine, shown } from '../../lib/problems/shown';
import { topologiesOf } from '../../lib/tpu/topology';

/** `TpuSlice.of` for strings that need not go together. */
const of = (machineType: string, topology?: string): TpuSlice =>
  TpuSlice.of(machineType as TpuMachineType, topology as never);

/** A text in quotes, as messages show it. */
const quoted = (text: string): string => oneLine(shown(text));

/** Returns the slice as text, or the error message. */
function outcome(make: () => TpuSlice): string {
  try {
    return make().toString();
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message;
    throw error;
  }
}

const fieldsOf = (slice: TpuSlice): Record<string, unknown> => Object.fromEntries(Object.entries(slice));

// ---- the facts, a second time ---------------------------------------------------------------------

// machine type, generation, accelerator, topology of one host, chips, HBM GiB, TensorCores, devices, vCPUs, GB, flex-start
const MACHINES = [
  ['ct4p-hightpu-4t', 'v4', 'tpu-v4-podslice', '2x2x1', 4, 128, 8, 4, 240, 407, false],
  ['ct5lp-hightpu-1t', 'v5e', 'tpu-v5-lite-podslice', '1x1', 1, 16, 1, 1, 24, 48, true],
  ['ct5lp-hightpu-4t', 'v5e', 'tpu-v5-lite-podslice', '2x2', 4, 64, 4, 4, 112, 192, true],
  ['ct5lp-hightpu-8t', 'v5e', 'tpu-v5-lite-podslice', '2x4', 8, 128, 8, 8, 224, 384, true],
  ['ct5p-hightpu-4t', 'v5p', 'tpu-v5p-slice', '2x2x1', 4, 380, 8, 4, 208, 448, true],
  ['ct6e-standard-1t', 'v6e', 'tpu-v6e-slice', '1x1', 1, 32, 1, 1, 44, 176, true],
  ['ct6e-standard-4t', 'v6e', 'tpu-v6e-slice', '2x2', 4, 128, 4, 4, 180, 720, true],
  ['ct6e-standard-8t', 'v6e', 'tpu-v6e-slice', '2x4', 8, 256, 8, 8, 180, 1440, true],
  ['tpu7x-standard-1t', 'tpu7x', 'tpu7x', '1x1x1', 1, 192, 2, 2, 56, 248, true],
  ['tpu7x-standard-4t', 'tpu7x', 'tpu7x', '2x2x1', 4, 768, 8, 8, 224, 992, true],
  ['tpu7x-ultranet-4t', 'tpu7x', 'tpu7x', '2x2x1', 4, 768, 8, 8, 224, 992, true],
] as const;
const TYPES = MACHINES.map(([machineType]) => machineType);
function factsOf(machineType: TpuMachineType): (typeof MACHINES)[number] {
  const facts = MACHINES.find(([known]) => known === machineType);
  if (!facts) throw new Error(`no facts about ${machineType}`);
  return facts;
}

/** Every topology of the machine types that do not follow the 3D rule. */
const LISTED: Partial<Record<TpuMachineType, string>> = {
  'ct5lp-hightpu-1t': '1x1',
  'ct5lp-hightpu-4t': '2x2 2x4 4x4 4x8 8x8 8x16 16x16',
  'ct5lp-hightpu-8t': '2x4',
  'ct6e-standard-1t': '1x1',
  'ct6e-standard-4t': '2x2 2x4 4x4 4x8 8x8 8x16 16x16',
  'ct6e-standard-8t': '2x4',
  'tpu7x-standard-1t': '1x1x1',
};
const MAX_CUBES: Partial<Record<TpuMachineType, number>> = {
  'ct4p-hightpu-4t': 64,
  'ct5p-hightpu-4t': 140,
  'tpu7x-standard-4t': 144,
  'tpu7x-ultranet-4t': 144,
};
/** Largest dimension of xpk's generator, which the numbers of shapes below come from. */
const LONGEST = 256;

/** The oracle: a predicate, while lib/ generates topologies. */
function isLegal(machineType: TpuMachineType, topology: string): boolean {
  const listed = LISTED[machineType]?.split(' ');
  if (listed) return listed.includes(topology);
  const [, a, b, c] = (/^([1-9]\d*)x([1-9]\d*)x([1-9]\d*)$/.exec(topology) ?? []).map(Number);
  return a !== undefined && b !== undefined && c !== undefined && follows3DRule(machineType, a, b, c);
}
function follows3DRule(machineType: TpuMachineType, a: number, b: number, c: number): boolean {
  if (a * b * c < 64) return ['2x2x1', '2x2x2', '2x2x4', '2x4x4'].includes([a, b, c].join('x'));
  const cubes = (a / 4) * (b / 4) * (c / 4);
  return (
    [a, b, c].every((n) => n % 4 === 0 && n <= LONGEST) &&
    a <= b &&
    b <= c &&
    cubes <= (MAX_CUBES[machineType] ?? 0)
  );
}

/** All valid topologies, found by trying every triple of 1, 2 and the multiples of 4. */
const LEGAL = TYPES.flatMap((machineType) => {
  const listed = LISTED[machineType]?.split(' ');
  if (listed) return listed.map((topology) => [machineType, topology] as const);
  const lengths = [1, 2, ...Array.from({ length: LONGEST / 4 + 2 }, (_, i) => (i + 1) * 4)];
  const most = 64 * (MAX_CUBES[machineType] ?? 0);
  const found: (readonly [TpuMachineType, string])[] = [];
  for (const a of lengths)
    for (const b of lengths)
      for (const c of lengths) {
        if (a * b * c > most) break;
        if (follows3DRule(machineType, a, b, c)) found.push([machineType, [a, b, c].join('x')]);
      }
  return found;
});

const chipsIn = (topology: string): number =>
  topology.split('x').reduce((product, n) => product * Number(n), 1);

/** Cloud TPU's names, and how many chips or TensorCores they count for one chip. */
const NAMES = {
  v4: [['v4'], 2],
  v5e: [['v5litepod', 'v5e'], 1],
  v5p: [['v5p'], 2],
  v6e: [['v6e'], 1],
  tpu7x: [['tpu7x'], 2],
} as const;

/** Every text that names at least one slice, with all slices that it names. */
const TEXTS = new Map<string, string[]>();
for (const [machineType, topology] of LEGAL) {
  const [, generation, accelerator, alone] = factsOf(machineType);
  const [names, perChip] = NAMES[generation];
  const slice = `${machineType}/${topology}`;
  const texts = [slice, ...(topology === alone ? [machineType] : [])];
  if (machineType !== 'tpu7x-ultranet-4t')
    texts.push(
      `${accelerator}/${topology}`,
      ...names.map((name) => `${name}-${String(chipsIn(topology) * perChip)}`),
    );
  for (const text of texts) TEXTS.set(text, [...(TEXTS.get(text) ?? []), slice]);
}

// ---- tables -----------------------------------------------------------------------------------------------------

describe('one machine', () => {
  test.each(TYPES)('%s', (type) => {
    const [
      machineType,
      generation,
      accelerator,
      topology,
      chips,
      hbmGiB,
      tensorCores,
      devices,
      vCpus,
      memory,
      flex,
    ] = factsOf(type);
    expect(fieldsOf(of(machineType))).toStrictEqual({
      machineType,
      topology,
      generation,
      accelerator,
      chips,
      chipsPerHost: chips,
      hosts: 1,
      multiHost: false,
      hbmGiB,
      tensorCores,
      devices,
      vCpusPerHost: vCpus,
      memoryGBPerHost: memory,
      flexStart: flex,
    });
  });

  test('has a row in the table for each machine type', () => {
    expect(Object.keys(MACHINE_TYPES)).toEqual(TYPES);
  });
});

describe('topologies', () => {
  // machine type, topology, chips, hosts
  test.each([
    ['ct5lp-hightpu-1t', '1x1', 1, 1],
    ['ct5lp-hightpu-4t', '2x2', 4, 1],
    ['ct5lp-hightpu-4t', '2x4', 8, 2],
    ['ct5lp-hightpu-4t', '4x4', 16, 4],
    ['ct5lp-hightpu-4t', '4x8', 32, 8],
    ['ct5lp-hightpu-4t', '8x8', 64, 16],
    ['ct5lp-hightpu-4t', '8x16', 128, 32],
    ['ct5lp-hightpu-4t', '16x16', 256, 64],
    ['ct5lp-hightpu-8t', '2x4', 8, 1],
    ['ct6e-standard-1t', '1x1', 1, 1],
    ['ct6e-standard-4t', '2x2', 4, 1],
    ['ct6e-standard-4t', '2x4', 8, 2],
    ['ct6e-standard-4t', '4x4', 16, 4],
    ['ct6e-standard-4t', '4x8', 32, 8],
    ['ct6e-standard-4t', '8x8', 64, 16],
    ['ct6e-standard-4t', '8x16', 128, 32],
    ['ct6e-standard-4t', '16x16', 256, 64],
    ['ct6e-standard-8t', '2x4', 8, 1],
    ['tpu7x-standard-1t', '1x1x1', 1, 1],
    ...['ct4p-hightpu-4t', 'ct5p-hightpu-4t', 'tpu7x-standard-4t', 'tpu7x-ultranet-4t'].flatMap(
      (machineType): [string, string, number, number][] => [
        [machineType, '2x2x1', 4, 1],
        [machineType, '2x2x2', 8, 2],
        [machineType, '2x2x4', 16, 4],
        [machineType, '2x4x4', 32, 8],
        [machineType, '4x4x4', 64, 16],
        [machineType, '4x4x8', 128, 32],
        [machineType, '4x8x8', 256, 64],
        [machineType, '8x8x8', 512, 128],
        [machineType, '8x8x16', 1024, 256],
        [machineType, '8x16x16', 2048, 512],
        [machineType, '16x16x16', 4096, 1024],
        // by the rule alone
        [machineType, '4x4x12', 192, 48],
        [machineType, '4x8x12', 384, 96],
        [machineType, '8x12x20', 1920, 480],
        [machineType, '12x12x24', 3456, 864],
        [machineType, '4x4x256', 4096, 1024],
      ],
    ),
    ['ct5p-hightpu-4t', '16x16x24', 6144, 1536],
    ['ct5p-hightpu-4t', '16x20x28', 8960, 2240],
    ['tpu7x-standard-4t', '4x8x256', 8192, 2048],
    ['tpu7x-standard-4t', '16x24x24', 9216, 2304],
  ])('%s/%s has %i chips on %i hosts', (machineType, topology, chips, hosts) => {
    const slice = of(machineType, topology);
    expect(slice).toMatchObject({ machineType, topology, chips, hosts, multiHost: hosts > 1 });
    expect(slice.hbmGiB).toBe(chips * (of(machineType).hbmGiB / of(machineType).chips));
  });

  test.each([
    ['ct4p-hightpu-4t', 182],
    ['ct5p-hightpu-4t', 410],
    ['tpu7x-standard-4t', 428],
    ['tpu7x-ultranet-4t', 428],
  ] as const)('%s has 4 topologies of less than 64 chips and %i others', (machineType, large) => {
    const all = topologiesOf(machineType);
    expect(all.filter((topology) => chipsIn(topology) >= 64)).toHaveLength(large);
    expect(all).toHaveLength(4 + large);
  });

  test.each(TYPES)('lists all topologies of %s, smallest first', (machineType) => {
    const all = topologiesOf(machineType);
    const expected = LEGAL.filter(([type]) => type === machineType).map(([, topology]) => topology);
    expect([...all].sort()).toEqual(expected.sort());
    expect(all.map(chipsIn)).toEqual(all.map(chipsIn).sort((left, right) => left - right));
  });
});

test('a slice is frozen', () => {
  const slice = of('ct5lp-hightpu-4t', '4x8');
  const before = fieldsOf(slice);
  expect(Object.isFrozen(slice)).toBe(true);
  expect(() => {
    (slice as { hosts: number }).hosts = 2;
  }).toThrow(TypeError);
  expect(() => Object.assign(slice, { zone: 'us-east5-b' })).toThrow(TypeError);
  expect(() => Reflect.deleteProperty(slice, 'chips')).not.toThrow();
  expect(fieldsOf(slice)).toEqual(before);
});

// ---- from text --------------------------------------------------------------------------------------------------

describe('parse', () => {
  test.each([
    // a machine type
    ['ct6e-standard-8t', 'ct6e-standard-8t/2x4'],
    ['ct5p-hightpu-4t', 'ct5p-hightpu-4t/2x2x1'],
    ['tpu7x-ultranet-4t', 'tpu7x-ultranet-4t/2x2x1'],
    // a machine type and a topology
    ['ct5lp-hightpu-4t/4x8', 'ct5lp-hightpu-4t/4x8'],
    ['ct6e-standard-4t/2x4', 'ct6e-standard-4t/2x4'],
    ['ct6e-standard-8t/2x4', 'ct6e-standard-8t/2x4'],
    ['tpu7x-ultranet-4t/2x2x2', 'tpu7x-ultranet-4t/2x2x2'],
    // an accelerator label and a topology
    ['tpu-v4-podslice/2x2x4', 'ct4p-hightpu-4t/2x2x4'],
    ['tpu-v5-lite-podslice/1x1', 'ct5lp-hightpu-1t/1x1'],
    ['tpu-v5-lite-podslice/2x2', 'ct5lp-hightpu-4t/2x2'],
    ['tpu-v5-lite-podslice/4x4', 'ct5lp-hightpu-4t/4x4'],
    ['tpu-v5p-slice/2x2x2', 'ct5p-hightpu-4t/2x2x2'],
    ['tpu-v6e-slice/16x16', 'ct6e-standard-4t/16x16'],
    ['tpu7x/1x1x1', 'tpu7x-standard-1t/1x1x1'],
    ['tpu7x/2x2x1', 'tpu7x-standard-4t/2x2x1'],
    ['tpu7x/4x4x4', 'tpu7x-standard-4t/4x4x4'],
    // Cloud TPU's names that count chips
    ['v5litepod-1', 'ct5lp-hightpu-1t/1x1'],
    ['v5litepod-4', 'ct5lp-hightpu-4t/2x2'],
    ['v5litepod-16', 'ct5lp-hightpu-4t/4x4'],
    ['v5litepod-256', 'ct5lp-hightpu-4t/16x16'],
    ['v5e-32', 'ct5lp-hightpu-4t/4x8'],
    ['v6e-1', 'ct6e-standard-1t/1x1'],
    ['v6e-4', 'ct6e-standard-4t/2x2'],
    ['v6e-128', 'ct6e-standard-4t/8x16'],
    // Cloud TPU's names that count TensorCores, two a chip
    ['v4-8', 'ct4p-hightpu-4t/2x2x1'],
    ['v4-128', 'ct4p-hightpu-4t/4x4x4'],
    ['v5p-8', 'ct5p-hightpu-4t/2x2x1'],
    ['v5p-16', 'ct5p-hightpu-4t/2x2x2'],
    ['v5p-384', 'ct5p-hightpu-4t/4x4x12'],
    ['tpu7x-2', 'tpu7x-standard-1t/1x1x1'],
    ['tpu7x-8', 'tpu7x-standard-4t/2x2x1'],
    ['tpu7x-64', 'tpu7x-standard-4t/2x4x4'],
  ])('reads %s as %s', (text, expected) => {
    const slice = TpuSlice.parse(text);
    expect(slice.toString()).toBe(expected);
    expect(slice).toEqual(of(...(expected.split('/') as [string, string])));
  });

  const forms = "use MACHINE_TYPE, MACHINE_TYPE/TOPOLOGY, ACCELERATOR/TOPOLOGY or a name like 'v5litepod-16'";
  const v5e = "'ct5lp-hightpu-4t/2x4' (2 hosts of 4 chips) or 'ct5lp-hightpu-8t/2x4' (1 host of 8 chips)";
  const v6e = "'ct6e-standard-4t/2x4' (2 hosts of 4 chips) or 'ct6e-standard-8t/2x4' (1 host of 8 chips)";

  test.each([
    // ambiguous
    ['v5litepod-8', `slice: 'v5litepod-8' is ambiguous; use ${v5e}`],
    ['v5e-8', `slice: 'v5e-8' is ambiguous; use ${v5e}`],
    ['tpu-v5-lite-podslice/2x4', `slice: 'tpu-v5-lite-podslice/2x4' is ambiguous; use ${v5e}`],
    ['v6e-8', `slice: 'v6e-8' is ambiguous; use ${v6e}`],
    ['tpu-v6e-slice/2x4', `slice: 'tpu-v6e-slice/2x4' is ambiguous; use ${v6e}`],
    [
      'v4-512',
      "slice: 'v4-512' is ambiguous; use 'ct4p-hightpu-4t/4x4x16' (64 hosts of 4 chips) or 'ct4p-hightpu-4t/4x8x8' (64 hosts of 4 chips)",
    ],
    [
      'tpu7x-1024',
      "slice: 'tpu7x-1024' is ambiguous; use 'tpu7x-standard-4t/4x4x32' (128 hosts of 4 chips), 'tpu7x-standard-4t/4x8x16' (128 hosts of 4 chips) or 'tpu7x-standard-4t/8x8x8' (128 hosts of 4 chips)",
    ],
    // a size that does not exist
    ['v6e-2', "slice: 'v6e-2' is not a slice, because no slice of v6e has 2 chips; use 'v6e-1' or 'v6e-4'"],
    [
      'v5litepod-0',
      "slice: 'v5litepod-0' is not a slice, because no slice of v5litepod has 0 chips; use 'v5litepod-1'",
    ],
    ['v5e-512', "slice: 'v5e-512' is not a slice, because no slice of v5e has 512 chips; use 'v5e-256'"],
    ['v5p-4', "slice: 'v5p-4' is not a slice, because no slice of v5p has 4 TensorCores; use 'v5p-8'"],
    [
      'tpu7x-4',
      "slice: 'tpu7x-4' is not a slice, because no slice of tpu7x has 4 TensorCores; use 'tpu7x-2' or 'tpu7x-8'",
    ],
    [
      'v4-16384',
      "slice: 'v4-16384' is not a slice, because no slice of v4 has 16384 TensorCores; use 'v4-8192'",
    ],
    // a label alone
    ['tpu-v5p-slice', "slice: 'tpu-v5p-slice' has no topology; use 'tpu-v5p-slice/2x2x1'"],
    ['tpu7x', "slice: 'tpu7x' has no topology; use 'tpu7x/2x2x1'"],
    // a label or machine type with a topology that it does not have
    [
      'tpu-v6e-slice/3x3',
      "slice: '3x3' is not a topology of ct6e-standard-4t; use '2x4' (2 hosts), '4x4' (4 hosts) or '4x8' (8 hosts)",
    ],
    [
      'ct6e-standard-8t/8x8',
      "slice: '8x8' is not a topology of ct6e-standard-8t; use '2x4' (1 host), or ct6e-standard-4t for '8x8'",
    ],
    ['ct6e-standard-8t/', "slice: '' is not a topology; use AxB, for example '2x4' (1 host)"],
    // an unknown machine type
    [
      'ct6e-standard-2t/2x4',
      "machineType: 'ct6e-standard-2t' is not a TPU machine type; use 'ct6e-standard-1t', 'ct6e-standard-4t' or 'ct6e-standard-8t'",
    ],
    // anything else
    [
      'ct6e-standard-2t',
      "slice: 'ct6e-standard-2t' is not a slice; use 'ct6e-standard-1t', 'ct6e-standard-4t' or 'ct6e-standard-8t'",
    ],
    ['tpu-v6-slice', "slice: 'tpu-v6-slice' is not a slice; use 'tpu-v6e-slice'"],
    ...['', 'v6e', 'v6e-', 'V6E-16', ' v6e-16', 'v6e-16 ', 'v6e-1e2', 'v6e--4', 'v3-8'].map(
      (text): [string, string] => [text, `slice: '${text}' is not a slice; ${forms}`],
    ),
    ['v6e-16\n', `slice: 'v6e-16\\n' is not a slice; ${forms}`],
    ['toString', `slice: 'toString' is not a slice; ${forms}`],
    ['__proto__-8', `slice: '__proto__-8' is not a slice; ${forms}`],
    ['tpu-v6e-slice/4x4/', `slice: 'tpu-v6e-slice/4x4/' is not a slice; ${forms}`],
    ['ct6e-standard-4t/4x4/2', `slice: 'ct6e-standard-4t/4x4/2' is not a slice; ${forms}`],
  ])('rejects %j', (text, message) => {
    expect(outcome(() => TpuSlice.parse(text))).toBe(message);
  });

  test.each<[{ readonly slice?: unknown }, string]>([
    [{}, 'required'],
    [{ slice: 8 }, "'8' is a number"],
  ])('rejects %j, which is not a string', (given, what) => {
    expect(outcome(() => TpuSlice.parse(given.slice as string))).toBe(
      `slice: ${what}; use a string like 'ct6e-standard-8t' or 'ct5lp-hightpu-4t/4x8'`,
    );
  });
});

// ---- what is refused --------------------------------------------------------------------------------------------

describe('errors', () => {
  const ALL_TYPES = TYPES.map((type) => `'${type}'`)
    .join(', ')
    .replace(/, ('[^']*')$/, ' or $1');
  const noShape = "is not a topology; use AxB, for example '2x2' (1 host)";

  test.each([
    // not a multiple of the chips of one machine
    [
      'ct6e-standard-4t',
      '3x3',
      "slice: '3x3' is not a topology of ct6e-standard-4t; use '2x4' (2 hosts), '4x4' (4 hosts) or '4x8' (8 hosts)",
    ],
    [
      'ct5p-hightpu-4t',
      '3x3x3',
      "slice: '3x3x3' is not a topology of ct5p-hightpu-4t; use '2x2x4' (4 hosts), '2x4x4' (8 hosts) or '4x4x4' (16 hosts)",
    ],
    // too many or too few dimensions
    [
      'ct6e-standard-4t',
      '2x2x2',
      "slice: '2x2x2' has 3 dimensions, and topologies of TPU v6e have 2; use '2x4' (2 hosts)",
    ],
    [
      'ct5p-hightpu-4t',
      '4x4',
      "slice: '4x4' has 2 dimensions, and topologies of TPU v5p have 3; use '2x2x4' (4 hosts)",
    ],
    // the wrong way round
    ['ct5lp-hightpu-4t', '4x2', "slice: '4x2' is not in ascending order; use '2x4' (2 hosts)"],
    ['ct4p-hightpu-4t', '8x4x4', "slice: '8x4x4' is not in ascending order; use '4x4x8' (32 hosts)"],
    // too large
    [
      'ct4p-hightpu-4t',
      '16x16x20',
      "slice: '16x16x20' has 5120 chips, and a slice of TPU v4 has at most 4096; use '16x16x16' (1024 hosts)",
    ],
    [
      'ct5p-hightpu-4t',
      '20x20x24',
      "slice: '20x20x24' has 9600 chips, and a slice of TPU v5p has at most 8960; use '16x20x28' (2240 hosts)",
    ],
    [
      'tpu7x-standard-4t',
      '16x24x28',
      "slice: '16x24x28' has 10752 chips, and a slice of tpu7x has at most 9216; use '16x24x24' (2304 hosts)",
    ],
    // off the grid
    [
      'ct6e-standard-4t',
      '32x32',
      "slice: '32x32' is not a topology of ct6e-standard-4t; use '16x16' (64 hosts)",
    ],
    ['ct5lp-hightpu-4t', '4x16', "slice: '4x16' is not a topology of ct5lp-hightpu-4t; use '8x8' (16 hosts)"],
    [
      'ct5lp-hightpu-4t',
      '2x6',
      "slice: '2x6' is not a topology of ct5lp-hightpu-4t; use '2x4' (2 hosts), '4x4' (4 hosts) or '4x8' (8 hosts)",
    ],
    [
      'ct4p-hightpu-4t',
      '2x2x8',
      "slice: '2x2x8' is not a topology of ct4p-hightpu-4t; use '2x4x4' (8 hosts)",
    ],
    [
      'ct5p-hightpu-4t',
      '4x4x6',
      "slice: '4x4x6' is not a topology of ct5p-hightpu-4t; use '4x4x4' (16 hosts), '4x4x8' (32 hosts) or '4x4x12' (48 hosts)",
    ],
    [
      'ct5p-hightpu-4t',
      '2x8x16',
      "slice: '2x8x16' is not a topology of ct5p-hightpu-4t; use '4x4x16' (64 hosts) or '4x8x8' (64 hosts)",
    ],
    // too long, although it has no more chips than the largest
    [
      'ct5p-hightpu-4t',
      '4x4x260',
      "slice: '4x4x260' is not a topology of ct5p-hightpu-4t; use '4x20x52' (1040 hosts)",
    ],
    [
      'tpu7x-standard-4t',
      '4x4x576',
      "slice: '4x4x576' is not a topology of tpu7x-standard-4t; use '4x12x192' (2304 hosts) or '4x16x144' (2304 hosts)",
    ],
    // machine types without multi-host topologies
    [
      'ct5lp-hightpu-8t',
      '4x4',
      "slice: '4x4' is not a topology of ct5lp-hightpu-8t; use '2x4' (1 host), or ct5lp-hightpu-4t for '4x4'",
    ],
    ['ct6e-standard-8t', '4x6', "slice: '4x6' is not a topology of ct6e-standard-8t; use '2x4' (1 host)"],
    [
      'tpu7x-standard-1t',
      '2x2x2',
      "slice: '2x2x2' is not a topology of tpu7x-standard-1t; use '1x1x1' (1 host), or tpu7x-standard-4t for '2x2x2'",
    ],
    // not a topology
    ...['', '4', 'x', '2x', 'x4', '02x4', '2x04', '0x4', '2.0x4', '2x4x4x4'].map(
      (topology): [string, string, string] => [
        'ct6e-standard-4t',
        topology,
        `slice: '${topology}' ${noShape}`,
      ],
    ),
    // misspelled topologies
    ...['2x4x', '-2x4', '2X4', ' 2x4', '2x4 ', '2x4\n', '2*4'].map((topology): [string, string, string] => [
      'ct6e-standard-4t',
      topology,
      `slice: ${quoted(topology)} is not a topology; use AxB, for example '2x4' (2 hosts)`,
    ]),
    ['tpu7x-standard-4t', 'cube', "slice: 'cube' is not a topology; use AxBxC, for example '2x2x1' (1 host)"],
    // not a machine type; the library does not support the -device types of GKE
    ...(
      [
        ['ct6e-standard-2t', "'ct6e-standard-1t', 'ct6e-standard-4t' or 'ct6e-standard-8t'"],
        ['CT6E-STANDARD-4T', "'ct6e-standard-4t'"],
        ['ct5l-hightpu-4t', "'ct5lp-hightpu-4t' or 'ct5p-hightpu-4t'"],
        ['tpu-v6e-slice', ALL_TYPES],
        ['v6e-8', "TpuSlice.parse('v6e-8')"],
        ['ct6e-standard-4t/2x4', "TpuSlice.parse('ct6e-standard-4t/2x4')"],
        ['', ALL_TYPES],
        ['toString', ALL_TYPES],
      ] as const
    ).map(([type, use]): [string, string, string] => [
      type,
      '2x4',
      `machineType: '${type}' is not a TPU machine type; use ${use}`,
    ]),
  ])('rejects %s with %j', (machineType, topology, message) => {
    expect(outcome(() => of(machineType, topology))).toBe(message);
  });

  test('have one problem as data', () => {
    const message = "slice: '' is not a topology; use AxBxC, for example '2x2x1' (1 host)";
    let error: unknown;
    try {
      of('tpu7x-standard-4t', '');
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toMatchObject({
      name: 'InvalidInputError',
      message,
      problems: [
        {
          path: 'slice',
          value: '',
          problem: 'is not a topology',
          use: "AxBxC, for example '2x2x1' (1 host)",
        },
      ],
    });
  });
});

// ---- properties -------------------------------------------------------------------------------------------------

describe('for any', () => {
  const machineType = fc.constantFrom(...TYPES);
  const legal = fc.constantFrom(...LEGAL);
  const length = fc.oneof(
    fc.integer({ min: 0, max: 20 }),
    fc.integer({ min: 1, max: 80 }).map((n) => n * 4),
    fc.integer({ min: 0, max: 12 }).map((n) => 2 ** n),
  );
  const shape = fc.oneof(
    legal.map(([, topology]) => topology),
    legal
      .chain(([, topology]) => fc.shuffledSubarray(topology.split('x'), { minLength: 1 }))
      .map((n) => n.join('x')),
    fc.array(length, { minLength: 1, maxLength: 4 }).map((numbers) => numbers.join('x')),
  );
  const mangled = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .tuple(text, fc.constantFrom(' ', '\n', 'x', 'x1', '/', '-', '.0', '\u0000', '×'), fc.boolean())
      .map(([base, extra, before]) => (before ? extra + base : base + extra));
  const anyText = fc.oneof(
    fc.string({ unit: character }),
    fc.constantFrom('__proto__', 'constructor', 'toString', 'undefined', 'null', 'NaN'),
  );

  test('valid slice, the numbers agree and parse() reads its text', () => {
    fc.assert(
      fc.property(legal, ([type, topology]) => {
        const slice = of(type, topology);
        const [, generation, accelerator, , perHost, hbm, cores, devices] = factsOf(type);
        const chips = chipsIn(topology);
        expect(slice).toMatchObject({ machineType: type, topology, generation, accelerator, chips });
        expect(slice.hosts * slice.chipsPerHost).toBe(chips);
        expect(slice.hosts).toBe(chips / perHost);
        expect(Number.isInteger(slice.hosts)).toBe(true);
        expect(slice.multiHost).toBe(slice.hosts > 1);
        expect(slice.hbmGiB).toBe((hbm / perHost) * chips);
        expect(slice.tensorCores).toBe((cores / perHost) * chips);
        expect(slice.devices).toBe((devices / perHost) * chips);
        expect(Object.isFrozen(slice)).toBe(true);
        expect(TpuSlice.parse(slice.toString())).toEqual(slice);
      }),
      { numRuns: 200 },
    );
  });

  test('machine type and topology, of() returns a slice if and only if the rules allow it', () => {
    fc.assert(
      fc.property(machineType, fc.oneof(shape, mangled(shape), anyText), (type, topology) => {
        const expected = isLegal(type, topology) ? `${type}/${topology}` : `slice: ${quoted(topology)} `;
        expect(outcome(() => of(type, topology)).slice(0, expected.length)).toBe(expected);
      }),
      { numRuns: 400 },
    );
  });

  test('other machine type, the message shows its name', () => {
    const other = fc
      .oneof(mangled(machineType), anyText)
      .filter((text) => !TYPES.some((type) => type === text));
    fc.assert(
      fc.property(other, fc.option(shape, { nil: undefined }), (type, topology) => {
        const start = `machineType: ${quoted(type)} is not a TPU machine type; use `;
        const message = outcome(() => of(type, topology));
        expect(message.slice(0, start.length)).toBe(start);
        const use = message.slice(start.length);
        const named = [...use.matchAll(/'(.+?)'/g)].map(([, near]) => near as TpuMachineType);
        expect(
          use === oneLine(`TpuSlice.parse('${type}')`) || named.every((near) => TYPES.includes(near)),
        ).toBe(true);
      }),
    );
  });

  const text = fc.constantFrom(...TEXTS.keys());
  const head = fc.constantFrom(...new Set(MACHINES.flatMap(([type, , accelerator]) => [type, accelerator])));
  const name = fc.constantFrom(...Object.values(NAMES).flatMap(([names]) => names));
  const read = fc.oneof(
    text,
    mangled(text),
    anyText,
    fc.tuple(head, shape).map((parts) => parts.join('/')),
    fc.tuple(name, fc.oneof(fc.nat(600), fc.nat(40_000))).map((parts) => parts.join('-')),
  );

  test('text, parse() returns its slice, lists the slices of an ambiguous text, and rejects all other texts', () => {
    fc.assert(
      fc.property(read, (from) => {
        const meant = TEXTS.get(from) ?? [];
        const said = outcome(() => TpuSlice.parse(from));
        const parts = [from, ...from.split('/')].map(quoted);
        expect({
          made: meant.includes(said),
          named: meant.filter((slice) => said.includes(`'${slice}' (`)).length,
          more: /or one of (\d+) more/.exec(said)?.[1],
          blamed: parts.some((part) => said.includes(part)),
        }).toEqual({
          made: meant.length === 1,
          named: meant.length > 1 ? Math.min(meant.length, 3) : 0,
          more: meant.length > 3 ? String(meant.length - 3) : undefined,
          blamed: meant.length !== 1,
        });
      }),
      { numRuns: 400 },
    );
  });
});
