import { backendsIn, poolsIn } from '../../../manifest/inference';
import { objectNamed, servicesOf } from '../../../manifest/selection';
import { defineRule } from '../../rule';

export const TPU564 = defineRule({
  code: 'TPU564',
  title: 'a route leads to the InferencePool, not around it',
  severities: ['warning'],
  kinds: ['HTTPRoute'],
  check: function* (set) {
    const pools = poolsIn(set);
    for (const { route, path, kind, name, namespace } of backendsIn(set)) {
      if (kind !== 'Service') continue;
      const service = objectNamed(set, namespace, 'Service', name);
      const pods = servicesOf(set).find((one) => one.object === service)?.pods ?? [];
      const pool = pools.find((one) => one.pods.some((pod) => pods.includes(pod)));
      if (pool)
        yield {
          object: route,
          path: `${path}.name`,
          message: `the Service '${name}' leads to the pods of InferencePool '${pool.object.name}', and no endpoint picker is asked`,
          fix: `write kind: InferencePool and name: ${pool.object.name}`,
        };
    }
  },
});
