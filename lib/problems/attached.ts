/** Something that is kept on an object, under one name in every installed copy of the package. */
export interface Attachment<T> {
  /** The value that is kept on an object, if any. */
  readonly of: (object: object) => T | undefined;
  /** Keeps a value on an object, once. */
  readonly attach: (object: object, value: T) => void;
}

/**
 * A registry that lives on the objects themselves. If the package is installed twice in one tree, each copy has module variables of its
 * own: a `WeakMap` of one copy does not know the objects that the other one registered.
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
