import { TOKEN_NAMES } from '../../../facts/variables';
import { text } from '../../../manifest/manifest';
import { modelServerOf } from '../../../manifest/model-servers';
import { type ContainerView, records } from '../../../manifest/pods';
import { tpuContainers } from '../../../manifest/slices';
import { modelNamed } from '../../../tpu/models';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';

export const TPU122 = defineRule({
  code: 'TPU122',
  title: 'a server of a gated model has a Hugging Face token',
  severities: ['note'],
  kinds: ['pods'],
  check: eachPod(function* (pod) {
    for (const one of tpuContainers(pod)) {
      const name = gatedModelOf(one);
      if (name === undefined || canHaveToken(one)) continue;
      yield {
        object: pod.object,
        path: `${one.path}.env`,
        message: `container '${one.name}' has no Hugging Face token, but only accounts that accepted the license can download model '${name}'`,
        fix: 'set HF_TOKEN from a Secret with valueFrom.secretKeyRef',
      };
    }
  }),
});

/** The model of vLLM, if it is known to be gated. */
function gatedModelOf(one: ContainerView): string | undefined {
  const server = modelServerOf(one);
  if (server?.software !== 'vllm') return undefined;
  const name = server.flag('--model') ?? server.served;
  return name !== undefined && modelNamed(name)?.gated === true ? name : undefined;
}

/** Variables that hold a token, name a folder that can hold one, or turn downloads off. */
const VARIABLES: readonly string[] = [
  ...TOKEN_NAMES,
  'HF_TOKEN_PATH',
  'HF_HOME',
  'HF_HUB_OFFLINE',
  'HF_ENDPOINT',
];

const canHaveToken = (one: ContainerView): boolean =>
  records(one.container, 'envFrom').length > 0 ||
  records(one.container, 'env').some((variable) => VARIABLES.includes(text(variable, 'name') ?? '')) ||
  modelServerOf(one)?.flag('--hf-token') !== undefined;
