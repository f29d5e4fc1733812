import { type PodFragment } from './fragment';

/** Seconds that a server has for its own shutdown once it is told to stop. */
const SHUTDOWN_SECONDS = 30;
/** Default drain of pods on demand, and of those on spot, whose nodes give them 15 seconds in all. */
export const DRAIN_SECONDS = 30;
export const SPOT_DRAIN_SECONDS = 10;
const SPOT_SHUTDOWN_SECONDS = 5;

/**
 * A graceful end: the pod is taken out of its Service while requests go on for `seconds`; then the server is told to stop. Before
 * v0.18 vLLM gives up its requests when it is told so, hence the wait before.
 *
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/concepts/spot-vms
 * @see https://github.com/vllm-project/vllm/pull/34730
 */
export function drain(seconds: number, spot: boolean): PodFragment {
  return {
    pod: { terminationGracePeriodSeconds: seconds + (spot ? SPOT_SHUTDOWN_SECONDS : SHUTDOWN_SECONDS) },
    container: { lifecycle: { preStop: { exec: { command: ['sleep', String(seconds)] } } } },
  };
}
