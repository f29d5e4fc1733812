/** Stores a value on objects, under the same name in every installed copy of the package. */
export interface Attachment<T> {
  /** Returns the value stored on an object, if any. */
  readonly of: (object: object) => T | undefined;
  /** Stores a value on an object. Can be called once per object. */
  readonly attach: (object: object, value: T) => void;
}

/**
 * Returns a registry that stores values on the objects themselves. If the package is installed twice in one tree, each copy has its own
 * module variables: a `WeakMap` of one copy does not contain the objects that the other copy registered.
 */
export function attachment<T>(name: string): Attachment<T> {
  const key = Symbol.for(`cdk8s-tpu-serving.${name}`);
  return {
    of: (object) => (object as Readonly<Record<symbol, T | undefined>>)[key],
    attach: (object, value) => {
      Object.defineProperty(object, key, { value });
    },
  };
}
