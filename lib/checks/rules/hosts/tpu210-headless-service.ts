import { defineRule } from '../../rule';
import { idsOf, isHeadless, selectsPod, servicesBehind } from './common';

export const TPU210 = defineRule({
  code: 'TPU210',
  title: 'the Service behind a subdomain is headless and selects its pods',
  severities: ['error'],
  kinds: ['pods', 'Service'],
  check: function* (set) {
    for (const { service, pods } of servicesBehind(set)) {
      const [first] = pods;
      if (!isHeadless(service))
        yield {
          object: service,
          path: 'spec.clusterIP',
          message: `the Service must give names to the pods of ${idsOf(pods)}, but it has a cluster IP, so the pods have no names`,
          fix: 'set clusterIP to None',
        };
      const others = pods.filter((pod) => !selectsPod(service, pod));
      if (others.length > 0)
        yield {
          object: service,
          path: 'spec.selector',
          message: `the Service must give names to the pods of ${idsOf(others)}, but it does not select them, so they have no names`,
          fix: `set the selector to labels of the pods${first?.object.kind === 'Job' ? `, like job-name: ${first.object.name}` : ''}`,
        };
    }
  },
});
