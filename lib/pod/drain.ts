import { type Capacity } from './capacity';
import { type ContainerFields, type PodFragment } from './fragment';
import { integer } from '../problems/validators';

/** Seconds that a server has for its own shutdown once it is told to stop. */
const SHUTDOWN_SECONDS = 30;
/** Default drain of pods on demand, and of those on spot, whose nodes give them 15 seconds in all. */
const DRAIN_SECONDS = 30;
const SPOT_DRAIN_SECONDS = 10;
const SPOT_SHUTDOWN_SECONDS = 5;

/** How a pod ends. */
export interface Ending {
  /** Seconds that it goes on serving after it has left its Services. @default 30; 10 on spot */
  readonly drainSeconds?: number | undefined;
  /** How its nodes are bought. @default - on demand */
  readonly capacity?: Capacity | undefined;
  /** Seconds that it has after that for its own shutdown; on spot always 5. @default 30 */
  readonly shutdownSeconds?: number;
}

/** What is wrong with a drain; undefined where nothing is. */
export function drainProblem(
  drainSeconds: number | undefined,
  capacity: Capacity | undefined,
): string | undefined {
  if (drainSeconds === undefined) return undefined;
  return capacity?.preemptible === true && drainSeconds > SPOT_DRAIN_SECONDS
    ? `drainSeconds '${String(drainSeconds)}' is longer than spot nodes wait, which give pods 15 seconds in all, expected at most ${String(SPOT_DRAIN_SECONDS)}; nearest: ${String(SPOT_DRAIN_SECONDS)}`
    : integer('drainSeconds', drainSeconds, 0);
}

/**
 * A graceful end: the pod is taken out of its Service while requests go on; then the server is told to stop. Before v0.18 vLLM gives up
 * its requests when it is told so, hence the wait before.
 *
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/concepts/spot-vms
 * @see https://github.com/vllm-project/vllm/pull/34730
 */
export function drain({ drainSeconds, capacity, shutdownSeconds = SHUTDOWN_SECONDS }: Ending): PodFragment & {
  readonly container: ContainerFields;
} {
  const spot = capacity?.preemptible === true;
  const seconds = drainSeconds ?? (spot ? SPOT_DRAIN_SECONDS : DRAIN_SECONDS);
  return {
    pod: { terminationGracePeriodSeconds: seconds + (spot ? SPOT_SHUTDOWN_SECONDS : shutdownSeconds) },
    container: { lifecycle: { preStop: { exec: { command: ['sleep', String(seconds)] } } } },
  };
}
