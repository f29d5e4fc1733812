import { type Kind } from '../facts/rendered';

/** The name of a field in a manifest; never for the index signature of a type with any field. */
type FieldName<K, V> = string extends K
  ? 0 extends 1 & V
    ? never // any field, in addition to the fields with a type
    : K
  : K extends `${infer Start}Ip`
    ? `${Start}IP`
    : K extends `${infer Start}Url`
      ? `${Start}URL`
      : K extends keyof Renamed
        ? Renamed[K]
        : K;

/** Other fields that the constructs set and that the generated types write in another case. */
interface Renamed {
  readonly resourceId: 'resourceID';
  readonly enableDnsHostnames: 'enableDNSHostnames';
}

/**
 * Properties of a generated type, with plain values in place of its enums and of its classes around a number or a text: only the types
 * are loaded, and none of their code.
 */
export type Plain<T> = 0 extends 1 & T
  ? unknown
  : T extends string
    ? `${T}`
    : T extends readonly (infer Item)[]
      ? readonly Plain<Item>[]
      : T extends Date
        ? T
        : [keyof T] extends ['value']
          ? T['value' & keyof T]
          : T extends object
            ? { readonly [K in keyof T as FieldName<K, T[K]>]: Plain<T[K]> }
            : T;

/** An object of a kind with the properties of its generated type. */
export const manifest = <Props>(kind: Kind, props: Plain<Props>): Kind & Plain<Props> =>
  Object.assign({}, kind, props);
