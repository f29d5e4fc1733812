import { defineRule } from '../../rule';
import { findPort, isPort, monitoringsOf } from '../../../manifest/selection';
import { idsOf, portFix } from './common';
import { records } from '../../../manifest/pods';

export const TPU504 = defineRule({
  code: 'TPU504',
  title: 'the port of a PodMonitoring is a port of its pods',
  severities: ['error', 'warning'],
  kinds: ['pods', 'ClusterPodMonitoring', 'PodMonitoring'],
  check: function* (set) {
    for (const { object, pods } of monitoringsOf(set)) {
      if (pods.length === 0) continue;
      for (const [index, endpoint] of records(object.manifest, 'spec', 'endpoints').entries()) {
        const port = endpoint['port'];
        if (!isPort(port) || findPort(pods, port) !== 'missing') continue;
        yield {
          object,
          path: `spec.endpoints[${String(index)}].port`,
          message: `port '${String(port)}' is not a port of the containers of ${idsOf(pods)}, so its metrics are not collected`,
          fix: portFix(pods),
          // Managed Service for Prometheus also collects from a number that is not declared
          ...(typeof port === 'number' && { severity: 'warning' as const }),
        };
      }
    }
  },
});
