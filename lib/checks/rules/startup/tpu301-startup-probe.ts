import { isRuntimePort } from '../../../facts/ports';
import { at, isRecord, number } from '../../../manifest/manifest';
import { modelServerOf } from '../../../manifest/model-servers';
import { type ContainerView, type PodView } from '../../../manifest/pods';
import { portsOf, servedPods } from '../../../manifest/selection';
import { count } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { isServer, mainContainers, patience, PROBES, startsUnderProbe, STARTUP_PROBE } from './common';

/**
 * A livenessProbe that waits less than this can restart a server that still starts: a first compilation takes 10 to 30 minutes.
 *
 * @see https://github.com/vllm-project/tpu-inference/issues/606
 */
const START_SECONDS = 1800;
/** A livenessProbe that waits less than this restarts every server: even a start from a compile cache takes minutes. */
const NEVER_SECONDS = 180;

export const TPU301 = defineRule({
  code: 'TPU301',
  title: 'a probe does not restart a TPU server while it starts',
  severities: ['error', 'warning', 'note'],
  kinds: ['pods', 'Service'],
  check: function* (set) {
    for (const pod of set.pods) {
      if (!isServer(pod) || startsUnderProbe(pod)) continue;
      const killer = pod.containers.find((one) => !one.init && isImpatient(one));
      if (killer) yield killed(pod, killer);
      // a probe in a template that leaders and workers share would also check the workers
      else if (!pod.containers.some(waits) && !isShared(pod)) yield* unready(pod, servedPods(set).has(pod));
    }
  },
});

const isShared = (pod: PodView): boolean =>
  pod.runs === 'LeaderWorkerSet' && pod.role === undefined && (number(pod.owner, 'size') ?? 1) > 1;

/** Whether any probe checks a container. A livenessProbe counts: it restarts a server that does not start. */
const waits = ({ container, init }: ContainerView): boolean =>
  !init && PROBES.some((probe) => isRecord(at(container, probe)));

const isImpatient = ({ container }: ContainerView): boolean => {
  const liveness = at(container, 'livenessProbe');
  return isRecord(liveness) && patience(liveness) < START_SECONDS;
};

/** The livenessProbe of a known server fails until the model has loaded. Other programs may answer earlier. */
function killed(
  pod: PodView,
  one: ContainerView,
): {
  object: PodView['object'];
  path: string;
  message: string;
  fix: string;
  severity: 'error' | 'warning';
} {
  const liveness = at(one.container, 'livenessProbe');
  const seconds = count(isRecord(liveness) ? patience(liveness) : 0, 'second');
  const certain =
    modelServerOf(one) !== undefined && isRecord(liveness) && patience(liveness) < NEVER_SECONDS;
  return {
    object: pod.object,
    path: `${one.path}.startupProbe`,
    message: `no startup probe: the livenessProbe of container '${one.name}' restarts the container ${seconds} after its start, ${certain ? 'before the model has loaded and compiled' : 'even if it is still starting'}`,
    fix: `add a startupProbe to container '${one.name}' with the handler of the livenessProbe, ${STARTUP_PROBE}`,
    severity: certain ? 'error' : 'warning',
  };
}

function* unready(
  pod: PodView,
  served: boolean,
): Generator<{
  object: PodView['object'];
  path: string;
  message: string;
  fix: string;
  severity: 'warning' | 'note';
}> {
  const [main] = mainContainers(pod);
  if (!main || !(served || portsOf(pod).some((port) => !isRuntimePort(port.number)))) return;
  yield {
    object: pod.object,
    path: `${main.path}.startupProbe`,
    message: `no container has a probe, so the pod becomes ready ${served ? 'and gets requests from its Service ' : ''}before the server has loaded and compiled`,
    fix: `add a readinessProbe and a startupProbe to container '${main.name}' with an httpGet of the server's health path, ${STARTUP_PROBE}`,
    severity: served ? 'warning' : 'note',
  };
}
