import { type Problem } from '../problems/problems';
import { type Capacity } from './capacity';
import { type ContainerFields, type PodFragment } from './fragment';

/** How long a pod keeps serving after Services stop sending requests to it, and how long its server then has to shut down. */
const PRE_STOP_SECONDS = 30;
const SHUTDOWN_SECONDS = 30;
/**
 * Pods on spot nodes have 15 seconds in total.
 *
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/concepts/spot-vms
 */
const SPOT_PRE_STOP_SECONDS = 10;
const SPOT_SHUTDOWN_SECONDS = 5;

/** The props that determine how a pod shuts down. */
export interface ShutdownProps {
  readonly capacity?: Capacity;
  readonly preStopSeconds?: number;
  readonly shutdownSeconds?: number;
  readonly terminationGracePeriodSeconds?: number;
  readonly fragments?: readonly PodFragment[];
}

/** Returns the problems of the props that determine how a pod shuts down. */
export function shutdownProblems(props: ShutdownProps): readonly Problem[] {
  const { capacity, preStopSeconds, shutdownSeconds, terminationGracePeriodSeconds: grace } = props;
  const spot = capacity?.preemptible === true;
  const problems: Problem[] = [];
  for (const [path, value, max] of [
    ['preStopSeconds', preStopSeconds, SPOT_PRE_STOP_SECONDS],
    ['shutdownSeconds', shutdownSeconds, SPOT_SHUTDOWN_SECONDS],
  ] as const)
    if (spot && value !== undefined && value > max)
      problems.push({
        path,
        value,
        problem: 'is too long for spot nodes, whose pods have 15 seconds in total',
        use: `at most ${String(max)}`,
      });
  if (grace !== undefined && preStopSeconds !== undefined && shutdownSeconds !== undefined) {
    const sum = preStopSeconds + shutdownSeconds;
    if (grace !== sum)
      problems.push({
        path: 'terminationGracePeriodSeconds',
        value: grace,
        problem: `differs from preStopSeconds and shutdownSeconds together, ${String(sum)}`,
        use: 'to set only two of the three',
      });
  } else if (grace !== undefined && preStopSeconds !== undefined && grace < preStopSeconds)
    problems.push({
      path: 'terminationGracePeriodSeconds',
      value: grace,
      problem: `ends before preStopSeconds, ${String(preStopSeconds)}`,
      use: 'more than preStopSeconds',
    });
  return problems;
}

/** How a pod shuts down, as fields of the pod. */
export interface Shutdown {
  readonly preStopSeconds: number;
  readonly terminationGracePeriodSeconds: number;
  /** The preStop hook, for every container that serves. */
  readonly hook: ContainerFields;
  readonly defaults: PodFragment;
  readonly given: PodFragment;
}

/**
 * Returns the fields for a graceful shutdown: Services stop sending requests to the pod, the pod keeps serving for a while, and then
 * Kubernetes stops the server. The pod waits because vLLM before v0.18 aborts its requests as soon as Kubernetes stops it.
 *
 * @param shutdownSeconds - the default of `shutdownSeconds`, except on spot
 * @see https://github.com/vllm-project/vllm/pull/34730
 */
export function gracefulShutdown(props: ShutdownProps, shutdownSeconds = SHUTDOWN_SECONDS): Shutdown {
  const spot = props.capacity?.preemptible === true;
  const grace = props.terminationGracePeriodSeconds ?? graceOf(props.fragments);
  const usual = spot ? SPOT_PRE_STOP_SECONDS : PRE_STOP_SECONDS;
  // The server gets half of a shorter grace period.
  const preStopSeconds =
    props.preStopSeconds ?? (grace === undefined ? usual : Math.min(usual, Math.floor(grace / 2)));
  const server = props.shutdownSeconds ?? (spot ? SPOT_SHUTDOWN_SECONDS : shutdownSeconds);
  const sum = preStopSeconds + server;
  const terminationGracePeriodSeconds =
    props.terminationGracePeriodSeconds ?? (props.shutdownSeconds === undefined ? (grace ?? sum) : sum);
  const hook = { lifecycle: { preStop: { exec: { command: ['sleep', String(preStopSeconds)] } } } };
  const period = { pod: { terminationGracePeriodSeconds } };
  const asked = props.terminationGracePeriodSeconds ?? props.shutdownSeconds;
  const given = {
    ...(props.preStopSeconds !== undefined && { container: hook }),
    ...(asked !== undefined && period),
  };
  return {
    preStopSeconds,
    terminationGracePeriodSeconds,
    hook,
    defaults: { container: hook, ...period },
    given,
  };
}

/** Returns the grace period that fragments set. */
const graceOf = (fragments: readonly PodFragment[] = []): number | undefined =>
  fragments
    .map(({ pod }) => pod?.terminationGracePeriodSeconds ?? undefined)
    .find((seconds) => seconds !== undefined);
