/**
 * Seconds that flex-start nodes can run: ten minutes to seven days.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/dws
 */
export const FLEX_START_RUN_SECONDS = { min: 600, max: 604_800 } as const;

/**
 * Seconds that nodes with `gke-max-run-duration-seconds` can run: 30 seconds to 120 days.
 *
 * @see https://cloud.google.com/compute/docs/instances/limit-vm-runtime
 */
export const RUN_SECONDS = { min: 30, max: 10_368_000 } as const;

/** Time that GKE can take to start a node and pull an image, in addition to the start of the server. */
export const PROVISIONING_SECONDS = 600;
