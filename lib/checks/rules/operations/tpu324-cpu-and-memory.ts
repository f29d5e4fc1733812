import { amount } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { ofWorkloads } from './common';

export const TPU324 = defineRule({
  code: 'TPU324',
  title: 'a TPU workload requests CPU and memory',
  severities: ['note'],
  kinds: ['pods'],
  check: ofWorkloads((_, main) => {
    const missing = ['cpu', 'memory'].filter(
      (resource) =>
        amount(main.container, 'resources', 'requests', resource) === undefined &&
        amount(main.container, 'resources', 'limits', resource) === undefined,
    );
    return missing.length === 0
      ? undefined
      : {
          path: `${main.path}.resources.requests`,
          message: `container '${main.name}' does not request ${missing.join(' or ')}, ${
            // Kubernetes does not evict pods because of CPU
            missing.includes('memory')
              ? 'so its pod is among the first that are evicted when the node runs out of memory'
              : 'so other pods on the node get CPU first'
          }`,
          fix: `request most of the ${missing.join(' and ')} of the host: no other workload runs there`,
        };
  }),
});
