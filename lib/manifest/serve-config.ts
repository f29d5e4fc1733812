import { parseDocument } from 'yaml';
import { list, number } from './manifest';

// The configuration of Ray Serve: YAML in a text of a RayService.

/** YAML as data, and what is wrong with it in one line. */
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

/** Seconds that the deployments of a configuration may take to shut down at most, as far as it says. */
export function gracefulShutdownSeconds(config: unknown): number {
  // most say nothing, and are not read for that
  if (typeof config !== 'string' || !config.includes(GRACEFUL_SHUTDOWN)) return 0;
  return Math.max(
    0,
    ...list(parseYaml(config).value, 'applications')
      .flatMap((application) => list(application, 'deployments'))
      .map((deployment) => number(deployment, GRACEFUL_SHUTDOWN) ?? 0),
  );
}
