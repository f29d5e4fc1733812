/** The property that marks a value as an instance of a type. */
const symbolOf = (name: string): symbol => Symbol.for(`cdk8s-tpu-serving.${name}`);

/**
 * Marks all instances of a class. If the package is installed twice in one tree, each copy has its own classes: `instanceof` fails for
 * values of the other copy, but the mark works.
 */
export function brand(type: { readonly prototype: object }, name: string): void {
  Object.defineProperty(type.prototype, symbolOf(name), { value: true });
}

/** Whether a value is an instance of a marked class, whichever copy of the package made it. */
export const isBranded = (value: unknown, name: string): value is object =>
  typeof value === 'object' && value !== null && symbolOf(name) in value;
