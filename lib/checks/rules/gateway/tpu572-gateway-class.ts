import { INFERENCE_GATEWAY_CLASSES } from '../../../facts/gateway';
import { backendsIn, gatewaysOf } from '../../../manifest/inference';
import { type ManifestObject, text } from '../../../manifest/manifest';
import { defineRule } from '../../rule';

const CLASSES: readonly string[] = INFERENCE_GATEWAY_CLASSES;

/** https://cloud.google.com/kubernetes-engine/docs/how-to/deploy-gke-inference-gateway */
export const TPU572 = defineRule({
  code: 'TPU572',
  title: 'a GKE Gateway in front of an InferencePool has a regional class',
  severities: ['warning'],
  kinds: ['Gateway'],
  check: function* (set) {
    const gateways = new Set<ManifestObject>(
      backendsIn(set)
        .filter(({ kind }) => kind === 'InferencePool')
        .flatMap(({ route }) => gatewaysOf(set, route)),
    );
    for (const object of gateways) {
      const name = text(object.manifest, 'spec', 'gatewayClassName') ?? '';
      if (name.startsWith('gke-') && !CLASSES.includes(name))
        yield {
          object,
          path: 'spec.gatewayClassName',
          message: `class '${name}' is not a GatewayClass for which Google documents InferencePools`,
          fix: `use ${CLASSES.join(' or ')}`,
        };
    }
  },
});
