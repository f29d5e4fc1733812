import { type Problem } from '../problems/problems';
import { either } from '../problems/shown';
import {
  GENERATIONS,
  MACHINE_TYPES,
  type TpuGenerationFacts,
  type TpuMachineFacts,
  type TpuMachineType,
} from './generations';
import { type SmallTopologies3D } from './topology-types';

const SMALL_3D: SmallTopologies3D = ['2x2x2', '2x2x4', '2x4x4'];
/** Chips on each side of a cube. */
const CUBE = 4;
/** Largest number in a 3D topology: xpk's generator counts to 64 cubes in each direction. */
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

/** Returns the topologies of a machine type, smallest first. */
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

/** The name of a generation in a sentence: `TPU v6e`, `tpu7x`. */
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

/** Returns a machine type of the same generation that has the topology on several hosts. */
function hostMachineFor(machineType: TpuMachineType, topology: string): TpuMachineType | undefined {
  return machineTypes().find(
    (other) =>
      machineFacts(other).generation === machineFacts(machineType).generation &&
      !machineFacts(other).onlyWhenNamed &&
      topologiesOf(other).includes(topology),
  );
}

/** Returns the valid topologies nearest to a number of chips: two with that number, otherwise the next smaller one and two larger ones. */
function nearest(legal: readonly string[], chips: number): readonly string[] {
  const equal = legal.filter((topology) => chipsOf(topology) === chips).slice(0, 2);
  if (equal.length > 0) return equal;
  const smaller = legal.filter((topology) => chipsOf(topology) < chips).slice(-1);
  const larger = legal.filter((topology) => chipsOf(topology) > chips).slice(0, 2);
  return [...smaller, ...larger];
}

export const machineTypes = (): readonly TpuMachineType[] => Object.keys(MACHINE_TYPES) as TpuMachineType[];
