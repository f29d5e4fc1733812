import { record, text } from '../../../manifest/manifest';
import { isOnGke, policiesFor, poolsIn } from '../../../manifest/inference';
import { modelServerOf } from '../../../manifest/model-servers';
import { type PodView } from '../../../manifest/pods';

const runsVllm = (pod: PodView): boolean =>
  pod.containers.some((one) => modelServerOf(one)?.software === 'vllm');

const FIX = 'ask /health on the port of the server';

import { defineRule } from '../../rule';

/** https://github.com/kubernetes-sigs/gateway-api-inference-extension/pull/1475 */
export const TPU560 = defineRule({
  code: 'TPU560',
  title: 'the load balancer asks vLLM for its health on a path that it answers',
  severities: ['error', 'warning'],
  kinds: ['InferencePool', 'HealthCheckPolicy'],
  check: function* (set) {
    for (const pool of poolsIn(set)) {
      if (!pool.pods.some(runsVllm) || !isOnGke(set, pool)) continue;
      const policies = policiesFor(set, pool, 'HealthCheckPolicy');
      if (policies.length === 0)
        yield {
          object: pool.object,
          path: 'metadata.name',
          message:
            'no HealthCheckPolicy is for this pool, and GKE then asks for GET /, which vLLM answers with 404',
          fix: 'add a HealthCheckPolicy that asks /health on the port of the server',
          severity: 'warning',
        };
      for (const object of policies) {
        const config = record(object.manifest, 'spec', 'default', 'config');
        const type = text(config, 'type');
        if (type !== 'HTTP') continue;
        const path = text(config, 'httpHealthCheck', 'requestPath') ?? '/';
        if (path === '/')
          yield {
            object,
            path: 'spec.default.config.httpHealthCheck',
            message:
              'the load balancer asks for GET /, which vLLM answers with 404, so it finds no healthy server',
            fix: FIX,
          };
      }
    }
  },
});
