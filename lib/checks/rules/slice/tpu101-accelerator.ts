import { ACCELERATOR_LABEL } from '../../../facts/labels';
import { GENERATIONS, MACHINE_TYPES } from '../../../tpu/generations';
import { accelerators, generations } from './common';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { either, selected, selectorPath, isAccelerator } from '../../../manifest/slices';
import { machineTypes } from '../../../tpu/topology';
import { nearestWords } from '../../../problems/nearest';
import { shown } from '../../../problems/shown';

export const TPU101 = defineRule({
  code: 'TPU101',
  title: 'a pod selects an accelerator that GKE has',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const accelerator = selected(pod, ACCELERATOR_LABEL);
    if (accelerator === undefined || isAccelerator(accelerator)) return;
    yield {
      object: pod.object,
      path: selectorPath(pod, ACCELERATOR_LABEL),
      message: `no node has ${ACCELERATOR_LABEL} ${shown(accelerator)}`,
      fix: `select ${either(nearestAccelerators(accelerator))}`,
    };
  }),
});

/** The accelerators that the author most likely meant, by machine type, generation or spelling; otherwise all of them. */
function nearestAccelerators(wrong: string): readonly string[] {
  const value = wrong.toLowerCase().slice(0, 63);
  const machine = machineTypes().find((type) => value.includes(type));
  if (machine) return [GENERATIONS[MACHINE_TYPES[machine].generation].accelerator];
  const generation = generations.find(({ names }) => names.some((name) => value.includes(name)));
  if (generation) return [generation.accelerator];
  const [nearest] = nearestWords(value, accelerators);
  return nearest === undefined ? accelerators : [nearest];
}
