import { type Problem } from '../problems/problems';
import { type Capacity } from './capacity';
import { type ContainerFields, type PodFragment } from './fragment';

/** Seconds that a pod keeps serving after it has left its Services, and that its server then has for its own shutdown. */
const PRE_STOP_SECONDS = 30;
const SHUTDOWN_SECONDS = 30;
/**
 * Pods on spot nodes have 15 seconds in all.
 *
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/concepts/spot-vms
 */
const SPOT_PRE_STOP_SECONDS = 10;
const SPOT_SHUTDOWN_SECONDS = 5;

/** The words that decide how a pod shuts down. */
export interface ShutdownProps {
  readonly capacity?: Capacity;
  readonly preStopSeconds?: number;
  readonly shutdownSeconds?: number;
  readonly terminationGracePeriodSeconds?: number;
  readonly fragments?: readonly PodFragment[];
}

/** What is wrong with the words that decide how a pod shuts down. */
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
        problem: 'is longer than spot nodes wait: their pods have 15 seconds in all',
        use: `at most ${String(max)}`,
      });
  if (grace !== undefined && preStopSeconds !== undefined && shutdownSeconds !== undefined) {
    const sum = preStopSeconds + shutdownSeconds;
    if (grace !== sum)
      problems.push({
        path: 'terminationGracePeriodSeconds',
        value: grace,
        problem: `differs from preStopSeconds and shutdownSeconds together, ${String(sum)}`,
        use: 'two of the three',
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

/** How a pod shuts down, in the layers of a pod. */
export interface Shutdown {
  readonly preStopSeconds: number;
  readonly terminationGracePeriodSeconds: number;
  /** The hook, for every container that serves. */
  readonly hook: ContainerFields;
  readonly defaults: PodFragment;
  readonly given: PodFragment;
}

/**
 * A graceful shutdown: the pod leaves its Services and keeps serving for a while; then the server is told to stop. Before v0.18 vLLM
 * aborts its requests when it is told to stop, which is why the pod waits before that.
 *
 * @param shutdownSeconds - the default of `shutdownSeconds`, except on spot
 * @see https://github.com/vllm-project/vllm/pull/34730
 */
export function gracefulShutdown(props: ShutdownProps, shutdownSeconds = SHUTDOWN_SECONDS): Shutdown {
  const spot = props.capacity?.preemptible === true;
  const grace = props.terminationGracePeriodSeconds ?? graceOf(props.fragments);
  const usual = spot ? SPOT_PRE_STOP_SECONDS : PRE_STOP_SECONDS;
  // A shorter grace period leaves half of itself to the server.
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

/** The grace period of some fragments. */
const graceOf = (fragments: readonly PodFragment[] = []): number | undefined =>
  fragments
    .map(({ pod }) => pod?.terminationGracePeriodSeconds ?? undefined)
    .find((seconds) => seconds !== undefined);
