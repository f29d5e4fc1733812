import {
  GENERATIONS,
  MACHINE_TYPES,
  type TpuGenerationFacts,
  type TpuMachineFacts,
  type TpuMachineType,
} from './generations';

// ---- at run time ------------------------------------------------------------------------------------------------

/** Shapes of a 3D generation below 64 chips that several machines make. Larger ones follow the 3D rule. */
const SMALL_3D = ['2x2x2', '2x2x4', '2x4x4'] as const;
const CUBE = 4;
/** Largest number in a 3D shape: xpk's generator counts to 64 cubes in each direction. */
const MAX_DIMENSION = 256;

export const machineFacts = (machineType: TpuMachineType): TpuMachineFacts => MACHINE_TYPES[machineType];

export const generationFacts = (machineType: TpuMachineType): TpuGenerationFacts =>
  GENERATIONS[MACHINE_TYPES[machineType].generation];

/** `4x8` as numbers; undefined where it is not of that form. */
export function dimensionsOf(topology: string): readonly number[] | undefined {
  return /^[1-9]\d*(x[1-9]\d*){1,2}$/.test(topology) ? topology.split('x').map(Number) : undefined;
}

export const chipsOf = (topology: string): number =>
  (dimensionsOf(topology) ?? []).reduce((product, n) => product * n, 1);

const made = new Map<TpuMachineType, readonly string[]>();

/** Every topology that a machine type makes, smallest first. */
export function topologiesOf(machineType: TpuMachineType): readonly string[] {
  const known = made.get(machineType) ?? listTopologies(machineType);
  made.set(machineType, known);
  return known;
}

function listTopologies(machineType: TpuMachineType): readonly string[] {
  const { singleHostTopology, multiHostTopologies } = machineFacts(machineType);
  if (multiHostTopologies !== '3D rule') return [singleHostTopology, ...multiHostTopologies];
  const { maxCubes = 0 } = generationFacts(machineType);
  const large: string[] = [];
  for (let a = 1; a * a * a <= maxCubes; a++)
    for (let b = a; a * b * b <= maxCubes; b++)
      for (let c = b; a * b * c <= maxCubes && c * CUBE <= MAX_DIMENSION; c++)
        large.push([a, b, c].map((n) => n * CUBE).join('x'));
  large.sort((left, right) => chipsOf(left) - chipsOf(right));
  return [singleHostTopology, ...SMALL_3D, ...large];
}

/** How the topologies of a machine type are said in a sentence. */
function topologiesInWords(machineType: TpuMachineType): string {
  const { singleHostTopology, multiHostTopologies } = machineFacts(machineType);
  return multiHostTopologies === '3D rule'
    ? `${[singleHostTopology, ...SMALL_3D].join(', ')}, and AxBxC of multiples of 4 up to ${String(MAX_DIMENSION)} with A <= B <= C`
    : topologiesOf(machineType).join(', ');
}

/** A generation as it is said: `TPU v6e`, `tpu7x`. */
const tpuName = (machineType: TpuMachineType): string =>
  machineFacts(machineType).generation.replace(/^v/, 'TPU v');

/** What is wrong with a topology on a machine type; undefined where nothing is. */
export function topologyProblem(machineType: TpuMachineType, topology: string): string | undefined {
  const legal = topologiesOf(machineType);
  if (legal.includes(topology)) return undefined;

  const { chips: perHost, multiHostTopologies } = machineFacts(machineType);
  const { dimensions, maxCubes = 0 } = generationFacts(machineType);
  const got = `topology '${topology}'`;
  const hosts = (legalTopology: string): string => {
    return `'${legalTopology}' (${count(chipsOf(legalTopology) / perHost, 'host')})`;
  };

  const numbers = dimensionsOf(topology);
  const form = dimensions === 2 ? 'AxB' : 'AxBxC';
  if (!numbers) {
    const meant = topology.match(/\d+/g)?.join('x') ?? '';
    return `${got} is not a shape, expected ${form} like ${hosts(legal.includes(meant) ? meant : (legal[0] ?? ''))}`;
  }
  if (numbers.length !== dimensions)
    return `${got} has ${String(numbers.length)} dimensions, expected ${form} on ${tpuName(machineType)}; nearest: ${nearest(legal, chipsOf(topology)).map(hosts).join(', ')}`;

  const sorted = [...numbers].sort((a, b) => a - b).join('x');
  if (sorted !== topology && legal.includes(sorted))
    return `${got} is not in rising order, expected its numbers so: ${hosts(sorted)}`;

  const chips = chipsOf(topology);
  const near = nearest(legal, chips).map(hosts).join(', ');
  if (multiHostTopologies.length === 0) {
    const other = hostMachineFor(machineType, topology);
    return `${got} is not the ${count(perHost, 'chip')} of one ${machineType}, expected ${hosts(legal[0] ?? '')}, the only one it makes${other ? `; a '${other}' makes '${topology}'` : ''}`;
  }
  if (chips % perHost !== 0)
    return `${got} has ${count(chips, 'chip')}, expected a multiple of the ${String(perHost)} on a ${machineType}; nearest: ${near}`;
  if (dimensions === 3) {
    const cubes = chips / CUBE ** 3;
    if (cubes > maxCubes && numbers.every((n) => n % CUBE === 0))
      return `${got} has ${String(chips)} chips, expected at most ${String(maxCubes * CUBE ** 3)} on ${tpuName(machineType)}; nearest: ${near}`;
    return `${got} is not a shape of ${tpuName(machineType)}, expected ${topologiesInWords(machineType)}; nearest: ${near}`;
  }
  return `${got} is not a shape of ${tpuName(machineType)}, expected one of ${topologiesInWords(machineType)}; nearest: ${near}`;
}

/** `1 host`, `2 hosts`. */
export const count = (n: number, noun: string): string => `${String(n)} ${noun}${n === 1 ? '' : 's'}`;

/** A machine type of the same generation that makes the topology with several machines. */
function hostMachineFor(machineType: TpuMachineType, topology: string): TpuMachineType | undefined {
  return machineTypes().find(
    (other) =>
      machineFacts(other).generation === machineFacts(machineType).generation &&
      !machineFacts(other).onlyWhenNamed &&
      topologiesOf(other).includes(topology),
  );
}

/** The legal topologies next below and above a number of chips; an equal one alone. */
function nearest(legal: readonly string[], chips: number): readonly string[] {
  const equal = legal.filter((topology) => chipsOf(topology) === chips).slice(0, 2);
  if (equal.length > 0) return equal;
  const below = legal.filter((topology) => chipsOf(topology) < chips).slice(-1);
  const above = legal.filter((topology) => chipsOf(topology) > chips).slice(0, 1);
  return [...below, ...above];
}

export const machineTypes = (): readonly TpuMachineType[] => Object.keys(MACHINE_TYPES) as TpuMachineType[];

// ---- at compile time --------------------------------------------------------------------------------------------

type Machines = typeof MACHINE_TYPES;

/** A number of the 3D rule: a multiple of 4 by its last two digits. */
type MultipleOf4 = '0' | '4' | '8';
type Even = '0' | '2' | '4' | '6' | '8';
type Odd = '1' | '3' | '5' | '7' | '9';
type LastTwo = MultipleOf4 | `${Even}${MultipleOf4}` | `${Odd}2` | `${Odd}6`;
type Digit = Even | Odd;
type Padded<N extends string> = N extends Digit
  ? `00${N}`
  : N extends `${Digit}${Digit}`
    ? `0${N}`
    : N extends `${Digit}${Digit}${Digit}`
      ? N
      : never;
type FourFold<N extends string> =
  Padded<N> extends infer P extends `${Digit}${LastTwo}` ? (P extends '000' ? false : true) : false;

/** Whether the digits of `A` come no later than those of `B`; both padded to the same length. */
type NotAbove<A extends string, B extends string> = A extends `${infer HeadA}${infer TailA}`
  ? B extends `${infer HeadB}${infer TailB}`
    ? HeadA extends HeadB
      ? NotAbove<TailA, TailB>
      : '0123456789' extends `${string}${HeadA}${string}${HeadB}${string}`
        ? true
        : false
    : false
  : true;

type Follows3DRule<T extends string> = T extends `${infer A}x${infer B}x${infer C}`
  ? [FourFold<A>, FourFold<B>, FourFold<C>] extends [true, true, true]
    ? [NotAbove<Padded<A>, Padded<B>>, NotAbove<Padded<B>, Padded<C>>] extends [true, true]
      ? true
      : false
    : false
  : false;

type Several<M extends TpuMachineType> = Machines[M]['multiHostTopologies'] extends infer S extends
  readonly string[]
  ? S
  : typeof SMALL_3D;

type Joined<List extends readonly string[]> = List extends readonly [
  infer Head extends string,
  ...infer Tail extends readonly string[],
]
  ? `, ${Head}${Joined<Tail>}`
  : '';

type Rule<M extends TpuMachineType> = Machines[M]['multiHostTopologies'] extends '3D rule'
  ? ', and AxBxC of multiples of 4 up to 256 with A <= B <= C'
  : '';

/**
 * `T` itself where the machine type makes that topology; otherwise a type whose text says which it makes. Shapes of 64 and more
 * chips are checked by the 3D rule, but for its upper limit, which `TpuSlice.of` checks when it runs.
 */
export type TopologyOn<M extends TpuMachineType, T extends string> = string extends T
  ? `a topology that is not a literal goes through TpuSlice.parse('${M}/' + topology)`
  : T extends Machines[M]['singleHostTopology'] | Several<M>[number]
    ? T
    : [Machines[M]['multiHostTopologies'], Follows3DRule<T>] extends ['3D rule', true]
      ? T
      : `a ${M} makes no topology ${T}. It makes: ${Machines[M]['singleHostTopology']}${Joined<Several<M>>}${Rule<M>}`;
