// The topologies of a machine type at compile time.
import { type MACHINE_TYPES, type TpuMachineType } from './generations';

/** The reason why a topology is not valid. No value has this type: the compiler prints its text in an error. */
export interface NotATopology<Reason extends string> {
  /** The reason, with the valid topologies. */
  readonly reason: Reason;
}

/** Multi-host topologies of 3D generations up to 32 chips. Larger ones follow the 3D rule. */
export type SmallTopologies3D = readonly ['2x2x2', '2x2x4', '2x4x4'];

/** The listed multi-host topologies of a machine type. */
export type MultiHostTopologies<M extends TpuMachineType> =
  (typeof MACHINE_TYPES)[M]['multiHostTopologies'] extends infer S extends readonly string[]
    ? S
    : SmallTopologies3D;

/** The topologies of a machine type that editors suggest: all of a 2D generation, and the small ones of a 3D generation. */
export type SuggestedTopology<M extends TpuMachineType> =
  (typeof MACHINE_TYPES)[M]['singleHostTopology'] | MultiHostTopologies<M>[number];

/**
 * `T` itself if the machine type has that topology; otherwise a type whose text lists the topologies of the machine type. Topologies of
 * 64 chips and more follow the 3D rule. Only `TpuSlice.of` checks the upper limit of the rule, at run time.
 */
export type TopologyOn<M extends TpuMachineType, T extends string> = string extends T
  ? NotATopology<`a topology that is not a literal goes through TpuSlice.parse('${M}/' + topology)`>
  : T extends SuggestedTopology<M>
    ? T
    : [(typeof MACHINE_TYPES)[M]['multiHostTopologies'], Follows3DRule<T>] extends ['3D rule', true]
      ? T
      : NotATopology<`a ${M} has no topology ${T}. It has: ${(typeof MACHINE_TYPES)[M]['singleHostTopology']}${Joined<MultiHostTopologies<M>>}${(typeof MACHINE_TYPES)[M]['multiHostTopologies'] extends '3D rule' ? ', and AxBxC of multiples of 4 up to 256 with A <= B <= C' : ''}`>;

/** The texts of a list, each with a comma before it. */
export type Joined<List extends readonly string[]> = List extends readonly [
  infer Head extends string,
  ...infer Tail extends readonly string[],
]
  ? `, ${Head}${Joined<Tail>}`
  : '';

/** Whether a topology consists of three multiples of 4 in ascending order. */
export type Follows3DRule<T extends string> = T extends `${infer A}x${infer B}x${infer C}`
  ? [IsMultipleOf4<A>, IsMultipleOf4<B>, IsMultipleOf4<C>] extends [true, true, true]
    ? [IsAtMost<Padded<A>, Padded<B>>, IsAtMost<Padded<B>, Padded<C>>] extends [true, true]
      ? true
      : false
    : false
  : false;

/** A digit. */
export type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

/** A number of at most three digits, padded to three digits with zeros. */
export type Padded<N extends string> = N extends Digit
  ? `00${N}`
  : N extends `${Digit}${Digit}`
    ? `0${N}`
    : N extends `${Digit}${Digit}${Digit}`
      ? N
      : never;

/** Whether a number of at most three digits is a multiple of 4, by its last two digits. */
export type IsMultipleOf4<N extends string> =
  Padded<N> extends infer P extends
    | `${Digit}${'0' | '2' | '4' | '6' | '8'}${'0' | '4' | '8'}`
    | `${Digit}${'1' | '3' | '5' | '7' | '9'}${'2' | '6'}`
    ? P extends '000'
      ? false
      : true
    : false;

/** Whether `A` is at most `B`; both have the same number of digits. */
export type IsAtMost<A extends string, B extends string> = A extends `${infer HeadA}${infer TailA}`
  ? B extends `${infer HeadB}${infer TailB}`
    ? HeadA extends HeadB
      ? IsAtMost<TailA, TailB>
      : '0123456789' extends `${string}${HeadA}${string}${HeadB}${string}`
        ? true
        : false
    : false
  : true;
