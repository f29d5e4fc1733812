/** How long a state may take. A bound that ends a test which would hang, and nothing that is asserted. */
const LIMIT_MS = 200_000;

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** The value, once it holds: asks until `holds` does not throw. */
export async function eventually<T>(
  ask: () => Promise<T>,
  holds: (value: T) => void = () => undefined,
  limitMs = LIMIT_MS,
): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    try {
      const value = await ask();
      holds(value);
      return value;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await pause(200);
    }
  }
}
