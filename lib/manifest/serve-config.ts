import { parseDocument } from 'yaml';
import { isRecord, list, number } from './manifest';

// The Ray Serve configuration: YAML in a string field of a RayService.

/** Data of texts that constructs of this package wrote, because loading the YAML library takes longer than checking a small app. */
const written = new Map<string, unknown>();
/** Largest number of texts, which limits memory for large apps. */
const MOST = 1000;

/** Remembers that a text is the YAML of a value, so that `parseYaml` does not have to load the YAML library. */
export function rememberYaml(source: string, value: unknown): void {
  if (!isPlain(value) || written.has(source)) return;
  if (written.size >= MOST) written.clear();
  written.set(source, value);
}

/** Texts that YAML 1.1, which cdk8s writes, and YAML 1.2, which `parseYaml` reads, both read as the same text. */
const TEXT = /^(?:-{0,2}[A-Za-z/][\x20-\x7e]*)?$/;
const KEY = /^[A-Za-z_][\w./-]*$/;

/** Whether YAML certainly returns an equal value. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return TEXT.test(value);
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (Array.isArray(value)) return value.every(isPlain);
  if (isRecord(value))
    return Object.entries(value).every(
      ([key, item]) => key !== '__proto__' && KEY.test(key) && isPlain(item),
    );
  return value === null || typeof value === 'boolean';
}

/** Parses YAML; if it is not valid, returns the problem in one line. */
export function parseYaml(source: string): { readonly value?: unknown; readonly problem?: string } {
  if (written.has(source)) return { value: written.get(source) };
  try {
    const document = parseDocument(source, { uniqueKeys: false, merge: true, logLevel: 'silent' });
    const [error] = document.errors;
    return error ? { problem: firstLine(error) } : { value: document.toJS() as unknown };
  } catch (error) {
    return { problem: firstLine(error) };
  }
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]?.replace(/[.:]+$/, '') ?? '';

const GRACEFUL_SHUTDOWN = 'graceful_shutdown_timeout_s';

/** The longest graceful shutdown timeout of the deployments of a configuration, in seconds; 0 if none sets one. */
export function gracefulShutdownSeconds(config: unknown): number {
  // Most configurations do not set it, and parsing is slow.
  if (typeof config !== 'string' || !config.includes(GRACEFUL_SHUTDOWN)) return 0;
  return Math.max(
    0,
    ...list(parseYaml(config).value, 'applications')
      .flatMap((application) => list(application, 'deployments'))
      .map((deployment) => number(deployment, GRACEFUL_SHUTDOWN) ?? 0),
  );
}
