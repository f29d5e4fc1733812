import { modelServerOf } from '../../../manifest/model-servers';
import { type PodView } from '../../../manifest/pods';
import { possibleSlices, sliceOf, slicesLike, tpuContainers } from '../../../manifest/slices';
import { count } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { eachTpuPod } from '../each-pod';

/** Flags of vLLM whose product is the number of devices that it uses: https://docs.vllm.ai/en/latest/serving/parallelism_scaling/ */
const VLLM = [
  ['--tensor-parallel-size', '-tp'],
  ['--data-parallel-size', '-dp'],
  ['--pipeline-parallel-size', '-pp'],
] as const;
/** Flags that distribute data parallelism over several servers: https://docs.vllm.ai/en/latest/serving/data_parallel_deployment/ */
const DISTRIBUTED = [
  '--data-parallel-size-local',
  '-dpl',
  '--data-parallel-rank',
  '-dpn',
  '--data-parallel-start-rank',
  '-dpr',
  '--data-parallel-address',
  '-dpa',
  '--data-parallel-hybrid-lb',
  '--data-parallel-external-lb',
] as const;
/** SGLang splits only the attention by `--dp-size`: https://github.com/sgl-project/sglang-jax/blob/main/docs/cookbook/base/launch-flags-reference.md */
const SGLANG = [['--tp-size', '--tensor-parallel-size', '--tp']] as const;

export const TPU120 = defineRule({
  code: 'TPU120',
  title: 'the parallelism of a server equals the number of devices of its slice',
  severities: ['error', 'note'],
  kinds: ['pods'],
  local: true,
  check: eachTpuPod(function* (pod) {
    for (const one of tpuContainers(pod)) {
      const server = modelServerOf(one);
      if (!server || !(server.software === 'vllm' || server.software === 'sglang')) continue;
      const given = (server.software === 'vllm' ? VLLM : SGLANG).flatMap((names) => {
        const size = Number(server.flag(...names) ?? NaN);
        return Number.isInteger(size) && size > 0 ? [{ name: names[0], size }] : [];
      });
      // each server of a distributed group, and each slice of a pipeline, has a part of the devices
      if (DISTRIBUTED.some((name) => server.flag(name) !== undefined)) continue;
      if (pod.runs !== 'Deployment' && Number(server.flag('--pipeline-parallel-size', '-pp') ?? 1) > 1)
        continue;
      const devices = devicesOf(pod);
      if (given.length === 0 || devices === undefined) continue;
      const product = given.reduce((all, { size }) => all * size, 1);
      // fewer devices are legal for one of several programs in a container; in SGLang, 1 means all
      if (product === devices || (product < devices && (!server.alone || product === 1))) continue;
      yield {
        object: pod.object,
        path: `${one.path}.args`,
        message: `container '${one.name}' uses ${count(product, 'device')} (${given.map(({ name, size }) => `${name} ${String(size)}`).join(', ')}), but its slice has ${String(devices)}`,
        fix: `set ${given[0]?.name ?? ''} so that the product is ${String(devices)}`,
        severity: product > devices ? 'error' : 'note',
      };
    }
  }),
});

/** The devices of a pod's slice; undefined if its fields leave a choice. A Deployment whose topology is invalid can use one host. */
function devicesOf(pod: PodView): number | undefined {
  const { fitting, machines, chips } = sliceOf(pod);
  const slices =
    fitting.length === 0 && pod.runs === 'Deployment' && chips !== undefined
      ? slicesLike(machines, undefined, chips).filter(({ hosts }) => hosts === 1)
      : possibleSlices(pod);
  const [devices, ...others] = new Set(slices.map((slice) => slice.devices));
  return others.length > 0 ? undefined : devices;
}
