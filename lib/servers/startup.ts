import { type StartupConditions, startupEstimate } from '../pod/startup-budget';
import { PROVISIONING_SECONDS } from '../facts/durations';

/** How long the start of a server can take, and notes for the runbook. */
export interface Startup {
  readonly startupSeconds: number;
  /** Expected duration of a start in seconds: half of the user's value, or the estimate. */
  readonly expectedSeconds: number;
  readonly notes: readonly string[];
}

const HOUR = 3600;
/** Largest default startup time, in seconds. */
const MAX_SECONDS = 4 * HOUR;

/**
 * Returns the user's startup time, or twice the estimate, at least `minimum`. On a multi-host slice, the first host also waits until the
 * other hosts have pulled their images. A note is added if the estimate exceeds the default.
 */
export function startupOf(given: number | undefined, conditions: StartupConditions, minimum = 0): Startup {
  if (given !== undefined) return { startupSeconds: given, expectedSeconds: given / 2, notes: [] };
  const { totalSeconds, budgetSeconds } = startupEstimate(conditions);
  const others = conditions.slice.multiHost ? PROVISIONING_SECONDS : 0;
  const startupSeconds = Math.min(MAX_SECONDS, Math.max(minimum, budgetSeconds) + others);
  const hours = (seconds: number): string => String(Math.round(seconds / HOUR));
  return {
    startupSeconds,
    expectedSeconds: totalSeconds,
    notes:
      totalSeconds <= startupSeconds
        ? []
        : [
            `The first start takes about ${hours(totalSeconds)} hours, ${conditions.uncachedFuse === true ? 'because the server reads the weights from the bucket without a cache' : 'because the weights are large'}. The startup probe allows ${hours(startupSeconds)} hours and then restarts the server: ${conditions.uncachedFuse === true ? 'add a `cache` to the volume, or ' : ''}set \`startupSeconds\`.`,
          ],
  };
}
