import { defineRule } from '../../rule';
import { embedded, inWords, type Place } from './common';
import { specPath } from '../../../manifest/slices';
import { text } from '../../../manifest/manifest';
import { type ContainerView, type PodView, records } from '../../../manifest/pods';

export const TPU804 = defineRule({
  code: 'TPU804',
  title: 'a custom resource does not set values that its controller removes',
  severities: ['warning'],
  kinds: ['pods'],
  nearTpus: true,
  check: function* (set) {
    for (const [object, pods] of embedded(set)) {
      const unset = [
        ...(object.kind === 'JobSet' || object.kind === 'RayService'
          ? pods.flatMap((pod) => pod.containers.flatMap(emptyValuesOf))
          : []),
        ...(object.kind === 'RayService' ? pods.flatMap(falseOf) : []),
      ];
      const [first] = unset;
      if (first === undefined) continue;
      yield {
        object,
        path: first.path,
        message: `the controller removes these values when it stores the object, so every apply changes the object: ${inWords(unset)}`,
        fix: unset
          .map(({ name, value }) => (value === '' ? `remove the value of ${name}` : `remove ${name}`))
          .join(', '),
      };
    }
  },
});

const emptyValuesOf = ({ container, path }: ContainerView): readonly Place[] =>
  records(container, 'env')
    .filter((entry) => entry['value'] === '')
    .map((entry) => {
      const name = text(entry, 'name') ?? '';
      return { path: `${path}.env[${name}].value`, name, value: '' };
    });

const falseOf = (pod: PodView): readonly Place[] =>
  pod.spec['hostNetwork'] === false
    ? [{ path: `${specPath(pod)}.hostNetwork`, name: 'hostNetwork', value: false }]
    : [];
