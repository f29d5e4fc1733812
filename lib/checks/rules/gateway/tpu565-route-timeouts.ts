import { at } from '../../../manifest/manifest';
import { backendsIn, isOnGke, poolsIn } from '../../../manifest/inference';
import { records } from '../../../manifest/pods';
import { defineRule } from '../../rule';

/** The chart of the llm-d router renders no timeouts on GKE: https://github.com/llm-d/llm-d-router/tree/v0.10.0/config/charts */
export const TPU565 = defineRule({
  code: 'TPU565',
  title: 'on GKE, the GCPBackendPolicy of a pool sets its request timeout',
  severities: ['warning'],
  kinds: ['HTTPRoute'],
  check: function* (set) {
    const pools = poolsIn(set);
    const seen = new Set<string>();
    for (const { route, rule, kind, name, namespace } of backendsIn(set)) {
      const pool = pools.find(({ object }) => object.name === name && object.namespace === namespace);
      const path = `spec.rules[${String(rule)}].timeouts`;
      const one = records(route.manifest, 'spec', 'rules')[rule];
      if (kind !== 'InferencePool' || !pool || at(one, 'timeouts') === undefined || !isOnGke(set, pool))
        continue;
      if (seen.has(`${route.id} ${path}`)) continue;
      seen.add(`${route.id} ${path}`);
      yield {
        object: route,
        path,
        message:
          'the load balancer reads the timeout of a pool from its GCPBackendPolicy, not from the route',
        fix: `set timeoutSec in a GCPBackendPolicy for InferencePool '${name}'`,
      };
    }
  },
});
