import { LLM_D_GROUP } from '../../../facts/gateway';
import { ofGroup } from '../../../manifest/selection';

const PLURALS = {
  InferenceObjective: 'inferenceobjectives',
  InferenceModelRewrite: 'inferencemodelrewrites',
} as const;

import { defineRule } from '../../rule';

export const TPU568 = defineRule({
  code: 'TPU568',
  title: 'GKE brings no CRDs for priorities and rewrites',
  severities: ['note'],
  kinds: ['InferenceObjective', 'InferenceModelRewrite'],
  check: function* (set) {
    const installed = set.ofKind('CustomResourceDefinition').map(({ name }) => name);
    for (const [kind, plural] of Object.entries(PLURALS)) {
      const [object] = ofGroup(set, kind, LLM_D_GROUP);
      const definition = `${plural}.${LLM_D_GROUP}`;
      if (object && !installed.includes(definition))
        yield {
          object,
          path: 'apiVersion',
          message: `the CRD '${definition}' does not come with GKE`,
          fix: 'install it from the llm-d router before this object',
        };
    }
  },
});
