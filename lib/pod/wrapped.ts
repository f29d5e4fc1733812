import { type IntOrString, type Quantity } from 'cdk8s-plus-29/lib/imports/k8s';

/** A `Quantity` or an `IntOrString`: an object around one value. */
type Wrapped = Quantity | IntOrString;

/**
 * Whether a value is a `Quantity` or an `IntOrString`. The classes can be those of another installed copy of cdk8s-plus, or those that
 * `cdk8s import k8s` generated, so their form decides.
 */
export function isWrapped(value: unknown): value is Wrapped {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (Object.getPrototypeOf(value) === Object.prototype || Object.keys(value).join() !== 'value')
    return false;
  return 'value' in value && (typeof value.value === 'string' || typeof value.value === 'number');
}

/** The property by which jsii, which cdk8s-plus is built with, names a class. */
const TYPE = Symbol.for('jsii.rtti');

/** Whether a value is a `Quantity`. */
export const isQuantity = (value: unknown): value is Quantity =>
  isWrapped(value) && /(^|\.)Quantity$/.test(classNameOf(value));

function classNameOf(value: object): string {
  const { constructor } = value;
  const { fqn } = (constructor as { readonly [TYPE]?: { readonly fqn?: string } })[TYPE] ?? {};
  return fqn ?? constructor.name;
}

/** Has the form of the classes of cdk8s-plus, so that fragments satisfy its types without loading its code. */
class IntOrStringValue {
  constructor(readonly value: string | number) {}
}

/** Its name ends with that of the class of cdk8s-plus, by which `isQuantity` recognizes it. */
class QuantityValue extends IntOrStringValue {
  static readonly [TYPE] = { fqn: 'cdk8s-tpu-serving.Quantity' };
}

/** Returns an amount as a `Quantity`. */
export function quantityValue(value: string): Quantity {
  const made: unknown = new QuantityValue(value);
  return made as Quantity;
}

/** Returns a number or a percentage as an `IntOrString`. */
export function intOrString(value: string | number): IntOrString {
  const made: unknown = new IntOrStringValue(value);
  return made as IntOrString;
}
