import { modelServerOf } from '../../../manifest/model-servers';
import { at, isRecord, record } from '../../../manifest/manifest';
import { count } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isServer, mainContainers, patience, startsUnderProbe, STARTUP_PROBE } from './common';
import { runsRay } from '../../../manifest/selection';

/** A first compile takes 10 to 30 minutes: https://github.com/vllm-project/tpu-inference/issues/606 */
const COMPILE_SECONDS = 600;
/** A livenessProbe that waits less than this restarts every server: even a start from a compile cache takes minutes. */
const NEVER_SECONDS = 180;

export const TPU309 = defineRule({
  code: 'TPU309',
  title: 'a livenessProbe gives a TPU container time to start',
  severities: ['error', 'warning'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    // TPU301 reports servers without any startupProbe
    if (runsRay(pod) || (isServer(pod) && !startsUnderProbe(pod))) return;
    for (const one of mainContainers(pod)) {
      const { container, name, path } = one;
      const probe = record(container, 'livenessProbe');
      if (!isRecord(probe['httpGet']) && !isRecord(probe['grpc'])) continue;
      const seconds = patience(probe);
      if (isRecord(at(container, 'startupProbe')) || seconds >= COMPILE_SECONDS) continue;
      const isCertain = modelServerOf(one) !== undefined && seconds < NEVER_SECONDS;
      yield {
        object: pod.object,
        path: `${path}.livenessProbe`,
        message: `the livenessProbe of container '${name}' restarts the container ${count(seconds, 'second')} after its start, ${isCertain ? 'before the model has loaded and compiled' : 'even if it is still starting'}`,
        fix: `add a startupProbe to container '${name}' with the same httpGet or grpc, ${STARTUP_PROBE}: the livenessProbe starts after it`,
        // other programs may answer while they compile
        severity: isCertain ? 'error' : 'warning',
      };
    }
  }),
});
