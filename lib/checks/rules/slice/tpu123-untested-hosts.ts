import { MULTI_HOST_GENERATIONS } from '../../../facts/vllm-platform';
import { modelServerOf } from '../../../manifest/model-servers';
import { sliceOf, tpuContainers } from '../../../manifest/slices';
import { machineFacts } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';

/** https://github.com/vllm-project/tpu-inference (support_matrices/release) */
export const TPU123 = defineRule({
  code: 'TPU123',
  title: 'vLLM is tested on multi-host slices of the generation',
  severities: ['note'],
  kinds: ['pods'],
  check: eachPod(function* (pod) {
    const { machines, hosts = 1 } = sliceOf(pod);
    const [machine] = machines;
    const generation = machine && machineFacts(machine).generation;
    if (generation === undefined || hosts < 2 || MULTI_HOST_GENERATIONS.includes(generation)) return;
    for (const one of tpuContainers(pod))
      if (!one.init && modelServerOf(one)?.software === 'vllm')
        yield {
          object: pod.object,
          path: `${one.path}.command`,
          message: `container '${one.name}' runs vLLM on ${String(hosts)} hosts of ${generation}, but vLLM's support matrix has no passed multi-host test of this generation`,
          fix: `test it before you rely on it, or use ${MULTI_HOST_GENERATIONS.join(' or ')}, where the tests pass`,
        };
  }),
});
