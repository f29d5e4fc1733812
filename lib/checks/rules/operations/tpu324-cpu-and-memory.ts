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
          message: `container '${main.name}' requests no ${missing.join(' and no ')}, ${
            // nothing is evicted because of CPU
            missing.includes('memory')
              ? 'so it is the first to be evicted when its node runs short of memory'
              : 'so other pods of its node get CPU first'
          }`,
          fix: `request ${missing.join(' and ')} for most of the host: nothing else runs there`,
        };
  }),
});
