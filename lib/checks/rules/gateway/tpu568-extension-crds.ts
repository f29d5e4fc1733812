import { EXPERIMENTAL_INFERENCE_GROUP, LLM_D_GROUP } from '../../../facts/gateway';
import { ofGroup } from '../../../manifest/selection';
import { defineRule } from '../../rule';

const PLURALS = {
  InferenceObjective: 'inferenceobjectives',
  InferenceModelRewrite: 'inferencemodelrewrites',
} as const;

const SOURCES = {
  [LLM_D_GROUP]: 'the llm-d router',
  [EXPERIMENTAL_INFERENCE_GROUP]: 'your release of the Gateway API Inference Extension',
} as const;

export const TPU568 = defineRule({
  code: 'TPU568',
  title: 'the CRDs of InferenceObjective and InferenceModelRewrite are installed',
  severities: ['note'],
  kinds: ['InferenceObjective', 'InferenceModelRewrite'],
  check: function* (set) {
    const installed = set.ofKind('CustomResourceDefinition').map(({ name }) => name);
    for (const [kind, plural] of Object.entries(PLURALS))
      for (const group of [LLM_D_GROUP, EXPERIMENTAL_INFERENCE_GROUP] as const) {
        const [object] = ofGroup(set, kind, group);
        const definition = `${plural}.${group}`;
        if (object && !installed.includes(definition))
          yield {
            object,
            path: 'apiVersion',
            message: `the CRD '${definition}' is not part of GKE`,
            fix: `install the CRD from ${SOURCES[group]} before you apply this object`,
          };
      }
  },
});
