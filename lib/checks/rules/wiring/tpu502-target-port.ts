import { defineRule } from '../../rule';
import { findPort, isPort, servicesOf, declaresServerPorts, namesPort } from '../../../manifest/selection';
import { idsOf, isHeadless, portFix } from './common';
import { records } from '../../../manifest/pods';
import { text } from '../../../manifest/manifest';

export const TPU502 = defineRule({
  code: 'TPU502',
  title: 'the targetPort of a Service is a port of its pods',
  severities: ['error', 'warning'],
  kinds: ['pods', 'Service'],
  nearTpus: true,
  check: function* (set) {
    for (const { object, pods } of servicesOf(set)) {
      if (pods.length === 0) continue;
      for (const [index, port] of records(object.manifest, 'spec', 'ports').entries()) {
        const target = port['targetPort'] ?? port['port'];
        // a headless Service does not translate ports
        if (!isPort(target) || (typeof target === 'number' && isHeadless(object))) continue;
        if (findPort(pods, target) !== 'missing') continue;
        // containers can listen on a number that they do not declare
        if (
          typeof target === 'number' &&
          pods.some((pod) => !declaresServerPorts(pod) || namesPort(pod, target))
        )
          continue;
        yield {
          object,
          path: `spec.ports[${text(port, 'name') ?? String(index)}].targetPort`,
          message: `targetPort '${String(target)}' is not a port of the containers of ${idsOf(pods)}`,
          fix: portFix(pods),
          ...(typeof target === 'number' && { severity: 'warning' as const }),
        };
      }
    }
  },
});
