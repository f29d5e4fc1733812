import { at, isRecord } from '../../../manifest/manifest';
import { count } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import {
  hasProbe,
  isServer,
  mainContainers,
  patience,
  probed,
  startsUnderProbe,
  STARTUP_PROBE,
} from './common';
import { isRuntimePort } from '../../../facts/ports';
import { portsOf, servedPods } from '../../../manifest/selection';

export const TPU301 = defineRule({
  code: 'TPU301',
  title: 'a TPU server has a startupProbe',
  severities: ['error'],
  kinds: ['pods'],
  check: function* (set) {
    const behindServices = servedPods(set);
    for (const pod of set.pods) {
      if (!isServer(pod) || startsUnderProbe(pod)) continue;
      const serves = portsOf(pod).some((port) => !isRuntimePort(port.number));
      const [container] = [...probed(pod), ...mainContainers(pod)];
      if (!container || !(serves || hasProbe(container) || behindServices.has(pod))) continue;
      const liveness = at(container.container, 'livenessProbe');
      const restarts = isRecord(liveness)
        ? `, and the livenessProbe of container '${container.name}' restarts it ${count(patience(liveness), 'second')} after its start`
        : '';
      yield {
        object: pod.object,
        path: `${container.path}.startupProbe`,
        message: `no container of the pod has a startupProbe, so nothing waits while the server loads and compiles${restarts}`,
        fix: `add a startupProbe to container '${container.name}' with the httpGet of the server's health path, ${STARTUP_PROBE}`,
      };
    }
  },
});
