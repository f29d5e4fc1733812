import { parseDocument } from 'yaml';
import { list, number } from './manifest';

// The Ray Serve configuration: YAML in a string field of a RayService.

/** Parses YAML; if it is not valid, returns the problem in one line. */
export function parseYaml(source: string): { readonly value?: unknown; readonly problem?: string } {
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
