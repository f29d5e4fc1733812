import { at, type Json, type ManifestObject, record, text } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { embedded, inWords, missingDefaults, type Place, useTpus } from './common';
import { specPath } from '../../../manifest/slices';
import { type PodView } from '../../../manifest/pods';

export const TPU803 = defineRule({
  code: 'TPU803',
  title: 'quantities are strings if a controller stores them as strings',
  severities: ['warning'],
  kinds: ['pods'],
  nearTpus: true,
  check: function* (set) {
    for (const [object, pods] of embedded(set)) {
      if (!useTpus(pods)) continue;
      const numbers = pods.flatMap(numbersOf);
      const [first] = numbers;
      if (first === undefined || !isRewritten(object)) continue;
      yield {
        object,
        path: first.path,
        message: `${STORING[object.kind] ?? ''} stores these numbers as strings, so every apply changes the object and its generation: ${inWords(numbers)}`,
        fix: `put ${numbers.length > 1 ? 'them' : 'it'} in quotes, like ${first.name}: "${String(first.value)}"`,
      };
    }
  },
});

/**
 * The controllers that write every quantity of an object as a string. The API server does not change the quantities of custom resources,
 * and nothing writes a RayCluster again.
 */
const STORING: Readonly<Record<string, string>> = {
  JobSet: 'the webhook of JobSet, which also fills in missing defaults,',
  LeaderWorkerSet: 'the webhook of LeaderWorkerSet',
  RayService: 'the KubeRay operator',
  RayJob: 'the KubeRay operator',
};

/** Whether a controller writes an object again. JobSet's webhook does not if the object sets all defaults. */
const isRewritten = (object: ManifestObject): boolean =>
  object.kind in STORING && (object.kind !== 'JobSet' || missingDefaults(object).length > 0);

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
