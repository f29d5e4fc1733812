import { type StartupConditions, startupEstimate } from '../pod/startup-budget';
import { PROVISIONING_SECONDS } from '../facts/durations';

/** The time that a server has for its start, and what its user should know about it. */
export interface Startup {
  readonly startupSeconds: number;
  /** How long a start is expected to take, in seconds: half of what was given, or the estimate. */
  readonly expectedSeconds: number;
  readonly notes: readonly string[];
}

const HOUR = 3600;
/** The longest start that a default allows. */
const MAX_SECONDS = 4 * HOUR;

/**
 * The time that was given for a start, or twice the estimate, at least `minimum`. On several hosts, the first one also waits until the
 * others have their images. A start that takes longer than its default gets a note.
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
