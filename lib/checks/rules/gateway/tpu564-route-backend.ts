import { INFERENCE_POOL_GROUP } from '../../../facts/gateway';
import { together } from '../../../manifest/manifest';
import { backendsIn, poolsIn } from '../../../manifest/inference';
import { hasNamed, objectNamed, servicesOf } from '../../../manifest/selection';
import { defineRule } from '../../rule';

export const TPU564 = defineRule({
  code: 'TPU564',
  title: 'a route names the InferencePool, not the Service of its pods',
  severities: ['warning', 'error'],
  kinds: ['HTTPRoute'],
  check: function* (set) {
    const pools = poolsIn(set);
    for (const { route, path, group, kind, name, namespace } of backendsIn(set)) {
      const own = pools.find(
        ({ object }) => object.name === name && object.namespace === namespace && together(object, route),
      );
      if (own && kind === 'InferencePool' && group === '')
        yield {
          object: route,
          path,
          message: 'the backend has no group, but InferencePool is not a kind of the core group',
          fix: `add group: ${INFERENCE_POOL_GROUP}`,
          severity: 'error',
        };
      if (kind !== 'Service') continue;
      if (own && !hasNamed(set, namespace, 'Service', name)) {
        yield {
          object: route,
          path,
          message: `'${name}' is an InferencePool, but the kind of the backend is Service`,
          fix: `add group: ${INFERENCE_POOL_GROUP} and kind: InferencePool`,
          severity: 'error',
        };
        continue;
      }
      const service = objectNamed(set, route, 'Service', name, namespace);
      const pods = servicesOf(set).find((one) => one.object === service)?.pods ?? [];
      const pool = pools.find((one) => one.pods.some((pod) => pods.includes(pod)));
      if (pool)
        yield {
          object: route,
          path: `${path}.name`,
          message: `the Service '${name}' sends requests to the pods of InferencePool '${pool.object.name}' without its endpoint picker`,
          fix: `set kind: InferencePool and name: ${pool.object.name}`,
        };
    }
  },
});
