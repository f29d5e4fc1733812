import { type ManifestObject, number, record, text } from '../../../manifest/manifest';
import { isOnGke, policiesFor, type PoolView, poolsIn } from '../../../manifest/inference';
import { modelServerOf } from '../../../manifest/model-servers';
import { type PodView } from '../../../manifest/pods';
import { findPort } from '../../../manifest/selection';
import { defineRule, type Violation } from '../../rule';
import { idsOf, portFix } from '../wiring/common';

const runsVllm = (pod: PodView): boolean =>
  pod.containers.some((one) => modelServerOf(one)?.software === 'vllm');

/** Paths and ports of a health check that no server of the pool answers. */
function* unanswered({ pods }: PoolView, object: ManifestObject): Iterable<Violation<'error'>> {
  const config = record(object.manifest, 'spec', 'default', 'config');
  if (text(config, 'type') !== 'HTTP') return;
  const path = 'spec.default.config.httpHealthCheck';
  if (pods.some(runsVllm) && (text(config, 'httpHealthCheck', 'requestPath') ?? '/') === '/')
    yield {
      object,
      path,
      message:
        'the health check requests GET /, which vLLM answers with 404, so the load balancer finds no healthy server',
      fix: 'use requestPath /health and the port of the server',
    };
  const port = number(config, 'httpHealthCheck', 'port');
  if (port !== undefined && findPort(pods, port) === 'missing')
    yield {
      object,
      path: `${path}.port`,
      message: `port ${String(port)} is not a port of the containers of ${idsOf(pods)}, so the load balancer finds no healthy server`,
      fix: portFix(pods),
    };
}

/** https://github.com/kubernetes-sigs/gateway-api-inference-extension/pull/1475 */
export const TPU560 = defineRule({
  code: 'TPU560',
  title: 'the health check of a pool uses a path and a port that its servers answer',
  severities: ['error', 'warning'],
  kinds: ['InferencePool', 'HealthCheckPolicy'],
  check: function* (set) {
    for (const pool of poolsIn(set)) {
      if (pool.pods.length === 0 || !isOnGke(set, pool)) continue;
      const policies = policiesFor(set, pool, 'HealthCheckPolicy');
      if (policies.length === 0 && pool.pods.some(runsVllm))
        yield {
          object: pool.object,
          path: 'metadata.name',
          message:
            'the pool has no HealthCheckPolicy, so the load balancer requests GET /, which vLLM answers with 404',
          fix: 'add a HealthCheckPolicy with requestPath /health and the port of the server',
          severity: 'warning',
        };
      for (const object of policies) yield* unanswered(pool, object);
    }
  },
});
