import { type ManifestSet } from '../../../manifest/set';
import { type Severity, type Violation } from '../../rule';
import { eachPodThat } from '../each-pod';
import { at, isRecord, type Json, list, number } from '../../../manifest/manifest';
import { tpuContainers } from '../../../manifest/slices';
import { type ContainerView, type PodView } from '../../../manifest/pods';

export const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'] as const;

/** Kinds that keep a server running. The pods of a Job end, and KubeRay sets the probes of its pods. */
const SERVERS: readonly PodView['runs'][] = ['Deployment', 'StatefulSet', 'LeaderWorkerSet'];

/** The startup budget in the fixes: an 8B model without a cache took an hour, https://github.com/vllm-project/vllm/issues/23115 */
export const STARTUP_PROBE = 'periodSeconds: 10, timeoutSeconds: 10 and failureThreshold: 360 (one hour)';

/** Kubernetes' default. */
export const GRACE_SECONDS = 30;

/** Whether a pod runs a TPU server. If the leader of a LeaderWorkerSet has a separate template, its workers do not get requests. */
export const isServer = (pod: PodView): boolean =>
  SERVERS.includes(pod.runs) && mainContainers(pod).length > 0 && pod.role !== 'worker';

export const mainContainers = (pod: PodView): readonly ContainerView[] =>
  tpuContainers(pod).filter(({ init }) => !init);

export const hasChips = (pod: PodView): boolean => tpuContainers(pod).length > 0;

const hasProbe = ({ container }: ContainerView): boolean =>
  PROBES.some((probe) => isRecord(at(container, probe)));

/** The containers whose probes decide whether the server is ready: those with chips, or all if those have no probes. */
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

/** Total seconds that a hook sleeps; 0 if unknown. */
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
