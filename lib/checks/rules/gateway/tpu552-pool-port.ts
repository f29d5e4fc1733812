import { poolsIn } from '../../../manifest/inference';
import { findPort } from '../../../manifest/selection';
import { idsOf, portFix } from '../wiring/common';
import { defineRule } from '../../rule';

export const TPU552 = defineRule({
  code: 'TPU552',
  title: 'the targetPorts of an InferencePool are ports of its pods',
  severities: ['error'],
  kinds: ['pods', 'InferencePool'],
  check: function* (set) {
    for (const { object, pods, targetPorts } of poolsIn(set)) {
      if (pods.length === 0) continue;
      for (const [index, port] of targetPorts.entries())
        if (findPort(pods, port) === 'missing')
          yield {
            object,
            path: `spec.targetPorts[${String(index)}].number`,
            message: `port ${String(port)} is not a port of the containers of ${idsOf(pods)}`,
            fix: portFix(pods),
          };
    }
  },
});
