/** Calls `read` once per object and returns the same result later, because most rules read the same parts of pods. */
export function remembered<K extends object, T>(read: (key: K) => T): (key: K) => T {
  const known = new WeakMap<K, { readonly value: T }>();
  return (key) => {
    let found = known.get(key);
    if (!found) known.set(key, (found = { value: read(key) }));
    return found.value;
  };
}
