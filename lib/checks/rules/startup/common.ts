import { type ManifestSet } from '../../../manifest/set';
import { type Severity, type Violation } from '../../rule';
import { eachPodThat } from '../each-pod';
import { at, isRecord, type Json, list, number } from '../../../manifest/manifest';
import { tpuContainers } from '../../../manifest/slices';
import { type ContainerView, type PodView } from '../../../manifest/pods';

export const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'] as const;

/** Kinds that keep a server running; a Job's pods end, and Ray brings its own probes. */
const SERVERS: readonly PodView['runs'][] = ['Deployment', 'StatefulSet', 'LeaderWorkerSet'];

/** What the fixes give a start: an 8B model without a cache took an hour, https://github.com/vllm-project/vllm/issues/23115 */
export const STARTUP_PROBE = 'periodSeconds: 10, timeoutSeconds: 10 and failureThreshold: 360 (one hour)';

/** Kubernetes' defaults. */
export const GRACE_SECONDS = 30;

/** Whether a pod is that of a TPU server. The workers of a LeaderWorkerSet whose leader has its own template answer nobody. */
export const isServer = (pod: PodView): boolean =>
  SERVERS.includes(pod.runs) && mainContainers(pod).length > 0 && pod.role !== 'worker';

export const mainContainers = (pod: PodView): readonly ContainerView[] =>
  tpuContainers(pod).filter(({ init }) => !init);

export const hasChips = (pod: PodView): boolean => tpuContainers(pod).length > 0;

const hasProbe = ({ container }: ContainerView): boolean =>
  PROBES.some((probe) => isRecord(at(container, probe)));

/** The containers whose probes speak for the server: those with chips, or all if these have no probes. */
export function probed(pod: PodView): readonly ContainerView[] {
  const own = mainContainers(pod).filter(hasProbe);
  return own.length > 0 ? own : pod.containers.filter((one) => !one.init && hasProbe(one));
}

export const startsUnderProbe = (pod: PodView): boolean =>
  pod.containers.some(({ container }) => isRecord(at(container, 'startupProbe')));

/** Seconds until a probe has failed so often that the container is restarted. */
export const patience = (probe: Json): number =>
  (number(probe, 'initialDelaySeconds') ?? 0) +
  (number(probe, 'periodSeconds') ?? 10) * (number(probe, 'failureThreshold') ?? 3);

/** Seconds that a hook sleeps, in all; 0 if that cannot be told. */
export function sleepSeconds(hook: Json): number {
  const command = list(hook, 'exec', 'command').filter((word) => typeof word === 'string');
  const slept = [...command.join(' ').matchAll(/\bsleep\s+(\d+(?:\.\d+)?)([smh]?)(?![\w.])/g)].map(
    ([, seconds, unit]) => Number(seconds) * (unit === 'h' ? 3600 : unit === 'm' ? 60 : 1),
  );
  return (number(hook, 'sleep', 'seconds') ?? 0) + slept.reduce((sum, seconds) => sum + seconds, 0);
}

/** Checks each pod template of a TPU server. */
export const eachServer = <S extends Severity>(
  check: (pod: PodView, set: ManifestSet) => Iterable<Violation<S>>,
): ((set: ManifestSet) => Iterable<Violation<S>>) => eachPodThat(isServer, check);
