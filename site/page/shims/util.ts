// `isDeepStrictEqual` of node:util for the plain objects of manifests.
export function isDeepStrictEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  const others = new Map(right);
  return (
    left.length === right.length &&
    left.every(([key, value]) => others.has(key) && isDeepStrictEqual(value, others.get(key)))
  );
}
