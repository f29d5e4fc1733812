import { TPU_RESOURCE } from '../../../facts/labels';
import { chipsOf, count, machineFacts } from '../../../tpu/topology';
import { chipsOfContainer, sliceOf, tpuContainers } from '../../../manifest/slices';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isAmbiguous, isUneven, mainContainers } from './common';

export const TPU108 = defineRule({
  code: 'TPU108',
  title: 'the requested chips match a host of the topology',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const { accelerator = '', topology, fitting } = sliceOf(pod);
    if (topology === undefined || !isAmbiguous(topology, fitting)) return;
    const shapes = fitting
      .map((type) => ({
        chips: machineFacts(type).chips,
        hosts: chipsOf(topology) / machineFacts(type).chips,
      }))
      .sort((a, b) => a.hosts - b.hosts);
    for (const one of tpuContainers(pod)) {
      const chips = chipsOfContainer(one);
      if (chips === undefined || isUneven(one.container) || shapes.some((shape) => shape.chips === chips))
        continue;
      if (mainContainers(pod).length > 1 && !one.init) continue;
      yield {
        object: pod.object,
        path: `${one.path}.resources`,
        message: `topology '${topology}' of ${accelerator} is ${shapes.map((shape) => `${count(shape.hosts, 'host')} of ${String(shape.chips)} chips`).join(' or ')}, but container '${one.name}' requests '${String(chips)}' ${TPU_RESOURCE}, which match neither`,
        fix: `set ${TPU_RESOURCE} to ${shapes.map((shape) => `'${String(shape.chips)}' for ${count(shape.hosts, 'host')}`).join(', or to ')}`,
      };
    }
  }),
});
