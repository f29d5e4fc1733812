import { policiesFor, poolsIn } from '../../../manifest/inference';
import { defineRule } from '../../rule';

export const TPU559 = defineRule({
  code: 'TPU559',
  title: 'an InferencePool has one policy of each kind',
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
            message: `policy ${String(first?.id)} also applies to InferencePool '${pool.object.name}', and GKE uses only one policy`,
            fix: 'merge the policies',
          };
      }
  },
});
