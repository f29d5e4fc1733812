// The differences between a server on a multi-host slice and one on a single-host slice.
import { type PodFragment } from '../pod/fragment';
import { type Shutdown } from '../pod/shutdown';
import { type Problem } from '../problems/problems';
import { type AutoscalingOptions } from '../workload/autoscaling';
import { leaderWorkerSetName } from '../workload/leader-worker-set';
import { serviceNameOf } from '../workload/server';
import { type AccessProps, type ReplicaProps, surgeOf, type SliceProps } from '../workload/vocabulary';

/** Props that have another meaning on a multi-host slice. */
interface GroupProps extends Pick<SliceProps, 'slice'>, ReplicaProps, Pick<AccessProps, 'serviceName'> {
  readonly name?: string;
  readonly autoscaling?: AutoscalingOptions;
}

/** Returns the largest number of groups at a time; undefined if an external scaler sets it. */
function mostGroups({ replicas = 1, autoscaling, rollout }: GroupProps): number | undefined {
  if (replicas === 'external') return undefined;
  const most = autoscaling?.maxReplicas ?? replicas;
  return most + surgeOf(rollout, most);
}

/** Yields the problems of a server on a multi-host slice, which runs in a LeaderWorkerSet. */
export function* groupProblems(props: GroupProps): Iterable<Problem> {
  const { slice, name, serviceName, rollout } = props;
  if (!slice.multiHost || name === undefined) return;
  const tooLong = leaderWorkerSetName(mostGroups(props))(name);
  if (tooLong) yield { path: 'name', value: name, ...tooLong };
  if (serviceName === name)
    yield {
      path: 'serviceName',
      value: serviceName,
      problem: 'is the name of the headless Service through which the hosts of a slice find each other',
      use: 'another name',
      nearest: serviceNameOf(name, slice.hosts),
    };
  if (rollout === 'Recreate')
    yield {
      path: 'rollout',
      value: rollout,
      problem: 'is not possible in a LeaderWorkerSet, which a multi-host slice requires',
      use: '{ maxUnavailable: N }, where N is the number of replicas',
    };
}

const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'] as const;
const PROGRAM = ['command', 'args'] as const;

/**
 * Returns the first host's fragments for the other hosts: without probes, because only the first host answers, and without command and
 * arguments if the other hosts run their own program.
 */
export function onWorkers(fragments: readonly PodFragment[], ownProgram: boolean): readonly PodFragment[] {
  const dropped: readonly string[] = [...PROBES, ...(ownProgram ? PROGRAM : [])];
  return fragments.map((fragment) => {
    const { container } = fragment;
    if (!container || !dropped.some((field) => field in container)) return fragment;
    const kept = Object.entries(container).filter(([field]) => !dropped.includes(field));
    return { ...fragment, container: Object.fromEntries(kept) };
  });
}

/** Seconds between the end of a worker's preStop hook and the end of its grace period. */
const MARGIN_SECONDS = 5;

/** Returns how the other hosts shut down: they wait as long as the first host may need them for its last requests. */
export function workerShutdown({
  preStopSeconds,
  terminationGracePeriodSeconds: grace,
  ...rest
}: Shutdown): Shutdown {
  const seconds = Math.max(preStopSeconds, grace - MARGIN_SECONDS);
  const hook = { lifecycle: { preStop: { exec: { command: ['sleep', String(seconds)] } } } };
  const given = rest.given.container ? { ...rest.given, container: hook } : rest.given;
  return {
    preStopSeconds: seconds,
    terminationGracePeriodSeconds: grace,
    hook,
    defaults: { ...rest.defaults, container: hook },
    given,
  };
}
