import { at, type Json, record, text } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { embedded, inWords, type Place } from './common';
import { specPath } from '../../../manifest/slices';
import { type PodView } from '../../../manifest/pods';

export const TPU803 = defineRule({
  code: 'TPU803',
  title: 'the quantities of a custom resource are strings',
  severities: ['warning'],
  kinds: ['pods'],
  check: function* (set) {
    for (const [object, pods] of embedded(set)) {
      const numbers = pods.flatMap(numbersOf);
      const [first] = numbers;
      if (first === undefined) continue;
      yield {
        object,
        path: first.path,
        message: `the API server stores these numbers as strings, so each server-side apply changes the object and its generation: ${inWords(numbers)}`,
        fix: `write ${numbers.length > 1 ? 'them' : 'it'} in quotes, as in ${first.name}: "${String(first.value)}"`,
      };
    }
  },
});

/** Quantities that are numbers. */
function numbersOf(pod: PodView): readonly Place[] {
  const amounts = (values: Json, path: string): readonly Place[] =>
    Object.entries(values).map(([name, value]) => ({ path: `${path}[${name}]`, name, value }));
  return [
    ...pod.containers.flatMap(({ container, path }) =>
      ['requests', 'limits'].flatMap((key) =>
        amounts(record(container, 'resources', key), `${path}.resources.${key}`),
      ),
    ),
    ...pod.volumes.map((volume, index) => ({
      path: `${specPath(pod)}.volumes[${text(volume, 'name') ?? String(index)}].emptyDir.sizeLimit`,
      name: 'sizeLimit',
      value: at(volume, 'emptyDir', 'sizeLimit'),
    })),
    ...amounts(record(pod.spec, 'overhead'), `${specPath(pod)}.overhead`),
  ].filter(({ value }) => typeof value === 'number');
}
