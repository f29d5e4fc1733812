import { type Problem } from '../problems/problems';
import { either } from '../problems/shown';
import {
  GENERATIONS,
  MACHINE_TYPES,
  type TpuGenerationFacts,
  type TpuMachineFacts,
  type TpuMachineType,
} from './generations';

// ---- at run time ------------------------------------------------------------------------------------------------

/** Topologies of several hosts on a 3D generation, up to 32 chips. Larger ones follow the 3D rule. */
const SMALL_3D = ['2x2x2', '2x2x4', '2x4x4'] as const;
const CUBE = 4;
/** Largest number in a 3D shape: xpk's generator counts to 64 cubes in each direction. */
const MAX_DIMENSION = 256;

export const machineFacts = (machineType: TpuMachineType): TpuMachineFacts => MACHINE_TYPES[machineType];

export const generationFacts = (machineType: TpuMachineType): TpuGenerationFacts =>
  GENERATIONS[MACHINE_TYPES[machineType].generation];

/** Returns `4x8` as numbers; undefined if the text does not have that form. */
export function dimensionsOf(topology: string): readonly number[] | undefined {
  return /^[1-9]\d*(x[1-9]\d*){1,2}$/.test(topology) ? topology.split('x').map(Number) : undefined;
}

export const chipsOf = (topology: string): number =>
  (dimensionsOf(topology) ?? []).reduce((product, n) => product * n, 1);

const made = new Map<TpuMachineType, readonly string[]>();

/** Every topology of a machine type, smallest first. */
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

/** A generation in a sentence: `TPU v6e`, `tpu7x`. */
const tpuName = (machineType: TpuMachineType): string =>
  machineFacts(machineType).generation.replace(/^v/, 'TPU v');

/** Returns what is wrong with a topology on a machine type. */
export function topologyProblem(machineType: TpuMachineType, topology: string): Problem | undefined {
  const legal = topologiesOf(machineType);
  if (legal.includes(topology)) return undefined;

  const { chips: perHost, multiHostTopologies } = machineFacts(machineType);
  const { dimensions, maxCubes = 0 } = generationFacts(machineType);
  const wrong = (problem: string, use: string): Problem => ({ path: 'slice', value: topology, problem, use });
  const withHosts = (one: string): string => `'${one}' (${count(chipsOf(one) / perHost, 'host')})`;

  const numbers = dimensionsOf(topology);
  if (!numbers) {
    const meant = topology.match(/\d+/g)?.join('x') ?? '';
    const example = withHosts(legal.includes(meant) ? meant : (legal[0] ?? ''));
    return wrong('is not a topology', `${dimensions === 2 ? 'AxB' : 'AxBxC'}, for example ${example}`);
  }
  const chips = chipsOf(topology);
  const near = either(nearest(legal, chips).map(withHosts));
  if (numbers.length !== dimensions)
    return wrong(
      `has ${String(numbers.length)} dimensions, and topologies of ${tpuName(machineType)} have ${String(dimensions)}`,
      near,
    );
  const sorted = [...numbers].sort((a, b) => a - b).join('x');
  if (sorted !== topology && legal.includes(sorted))
    return wrong('is not in ascending order', withHosts(sorted));

  const isNone = `is not a topology of ${machineType}`;
  if (multiHostTopologies.length === 0) {
    const other = hostMachineFor(machineType, topology);
    return wrong(isNone, `${near}${other === undefined ? '' : `, or ${other} for '${topology}'`}`);
  }
  const most = maxCubes * CUBE ** 3;
  return dimensions === 3 && chips > most && numbers.every((n) => n % CUBE === 0)
    ? wrong(
        `has ${String(chips)} chips, and a slice of ${tpuName(machineType)} has at most ${String(most)}`,
        near,
      )
    : wrong(isNone, near);
}

/** `1 host`, `2 hosts`. */
export const count = (n: number, noun: string): string => `${String(n)} ${noun}${n === 1 ? '' : 's'}`;

/** Returns a machine type of the same generation that has the topology with several hosts. */
function hostMachineFor(machineType: TpuMachineType, topology: string): TpuMachineType | undefined {
  return machineTypes().find(
    (other) =>
      machineFacts(other).generation === machineFacts(machineType).generation &&
      !machineFacts(other).onlyWhenNamed &&
      topologiesOf(other).includes(topology),
  );
}

/** The legal topologies nearest to a number of chips: two of the same number, otherwise the next smaller and two larger. */
function nearest(legal: readonly string[], chips: number): readonly string[] {
  const equal = legal.filter((topology) => chipsOf(topology) === chips).slice(0, 2);
  if (equal.length > 0) return equal;
  const smaller = legal.filter((topology) => chipsOf(topology) < chips).slice(-1);
  const larger = legal.filter((topology) => chipsOf(topology) > chips).slice(0, 2);
  return [...smaller, ...larger];
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

/** Whether `A` is at most `B`; both are padded to the same length. */
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

/** A reason why a topology is not legal. No value has this type: the compiler prints its text. */
export interface NotATopology<Reason extends string> {
  readonly reason: Reason;
}

/** The topologies of a machine type that editors complete: all of a 2D generation, and the small ones of a 3D generation. */
export type SuggestedTopology<M extends TpuMachineType> =
  Machines[M]['singleHostTopology'] | Several<M>[number];

/**
 * `T` itself if the machine type has that topology; otherwise a type whose text lists the topologies that it has. Topologies of 64 and
 * more chips follow the 3D rule. Only `TpuSlice.of` checks its upper limit, when it runs.
 */
export type TopologyOn<M extends TpuMachineType, T extends string> = string extends T
  ? NotATopology<`a topology that is not a literal goes through TpuSlice.parse('${M}/' + topology)`>
  : T extends SuggestedTopology<M>
    ? T
    : [Machines[M]['multiHostTopologies'], Follows3DRule<T>] extends ['3D rule', true]
      ? T
      : NotATopology<`a ${M} has no topology ${T}. It has: ${Machines[M]['singleHostTopology']}${Joined<Several<M>>}${Rule<M>}`>;
