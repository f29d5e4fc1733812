import { at, text } from '../../../manifest/manifest';
import { policiesIn } from '../../../manifest/inference';
import { defineRule } from '../../rule';

/** https://cloud.google.com/kubernetes-engine/docs/how-to/deploy-gke-inference-gateway */
export const TPU569 = defineRule({
  code: 'TPU569',
  title: 'the GCPBackendPolicy of an InferencePool sets no session affinity',
  severities: ['error'],
  kinds: ['GCPBackendPolicy'],
  check: function* (set) {
    for (const { object } of policiesIn(set, 'GCPBackendPolicy')) {
      const affinity = at(object.manifest, 'spec', 'default', 'sessionAffinity');
      if (affinity !== undefined && text(affinity, 'type') !== 'NONE')
        yield {
          object,
          path: 'spec.default.sessionAffinity',
          message: 'an InferencePool has no session affinity, because its endpoint picker chooses the server',
          fix: 'remove sessionAffinity, or add a session-affinity-scorer to the endpoint picker',
        };
    }
  },
});
