import { GIB, memoryVolumes } from './common';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { machineFacts } from '../../../tpu/topology';
import { quantityOf } from '../../../problems/grammar';
import { sliceOf, specPath } from '../../../manifest/slices';

export const TPU408 = defineRule({
  code: 'TPU408',
  title: 'volumes in memory fit in the memory of the machine',
  severities: ['warning'],
  kinds: ['pods'],
  check: eachPod(function* (pod) {
    const { machines, chips } = sliceOf(pod);
    const fitting = machines.map(machineFacts).filter((facts) => facts.chips === chips);
    const memoryGB = Math.max(...fitting.map((facts) => facts.memoryGB));
    const volumes = memoryVolumes(pod).filter(({ sizeLimit }) => sizeLimit !== undefined);
    const bytes = volumes.reduce((sum, { sizeLimit }) => sum + quantityOf(sizeLimit ?? ''), 0);
    const [first] = volumes;
    // reads the GB of a machine type as GiB, the larger unit, so that volumes that may fit are not reported
    if (!first || fitting.length === 0 || !(bytes > memoryGB * GIB)) return;
    yield {
      object: pod.object,
      path: `${specPath(pod)}.volumes`,
      message: `volumes in memory can hold ${volumes.map(({ name, sizeLimit }) => `'${sizeLimit ?? ''}' (${name})`).join(' and ')}, more than the ${String(memoryGB)} GB of the machine`,
      fix: `set sizeLimits of less than ${String(memoryGB)}Gi in total, and leave memory for the server`,
    };
  }),
});
