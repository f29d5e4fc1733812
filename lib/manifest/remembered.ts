/** Returns what `read` returned for an object the first time: most rules ask the same of each pod and container. */
export function remembered<K extends object, T>(read: (key: K) => T): (key: K) => T {
  const known = new WeakMap<K, { readonly value: T }>();
  return (key) => {
    let found = known.get(key);
    if (!found) known.set(key, (found = { value: read(key) }));
    return found.value;
  };
}
