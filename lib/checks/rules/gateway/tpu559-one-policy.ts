import { policiesFor, poolsIn } from '../../../manifest/inference';
import { defineRule } from '../../rule';

export const TPU559 = defineRule({
  code: 'TPU559',
  title: 'an InferencePool has one policy of a kind',
  severities: ['warning'],
  kinds: ['HealthCheckPolicy', 'GCPBackendPolicy'],
  check: function* (set) {
    for (const pool of poolsIn(set))
      for (const kind of ['HealthCheckPolicy', 'GCPBackendPolicy'] as const) {
        const [first, ...others] = policiesFor(set, pool, kind);
        for (const object of others)
          yield {
            object,
            path: 'spec.targetRef.name',
            message: `another policy, ${String(first?.id)}, is for InferencePool '${pool.object.name}' too, and GKE takes one of them`,
            fix: 'put both into one policy',
          };
      }
  },
});
