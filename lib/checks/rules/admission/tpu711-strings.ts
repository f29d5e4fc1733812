import { defineRule } from '../../rule';
import { entriesOf, type Entry, inWords, isScalar, mapsOf } from './common';
import { list, text } from '../../../manifest/manifest';
import { records } from '../../../manifest/pods';
import { type ManifestSet } from '../../../manifest/set';

export const TPU711 = defineRule({
  code: 'TPU711',
  title: 'labels, annotations, selectors, arguments and environment values are strings',
  severities: ['error'],
  kinds: ['any'],
  local: true,
  check: function* (set) {
    const maps = [...mapsOf(set)].filter(({ map }) => Object.values(map).some(isNoText));
    for (const { object, path, name, value } of [...maps.flatMap(entriesOf), ...textsOf(set, isNoText)])
      if (isNoText(value))
        yield {
          object,
          path,
          message: `${name} is ${inWords(value)}, which the API server refuses`,
          fix: isScalar(value) ? `put it in quotes: "${String(value)}"` : 'use a string',
        };
  },
});

const isNoText = (value: unknown): boolean =>
  value !== null && value !== undefined && typeof value !== 'string';

function* textsOf({ pods }: ManifestSet, wanted: (value: unknown) => boolean): Generator<Entry> {
  for (const { object, containers } of pods)
    for (const { container, name, path } of containers) {
      for (const [index, entry] of records(container, 'env').entries()) {
        if (!wanted(entry['value'])) continue;
        const key = text(entry, 'name') ?? String(index);
        yield {
          object,
          path: `${path}.env[${key}].value`,
          name: `variable '${key}' of container '${name}'`,
          value: entry['value'],
        };
      }
      for (const key of ['command', 'args'] as const)
        for (const [index, value] of list(container, key).entries())
          if (wanted(value))
            yield {
              object,
              path: `${path}.${key}[${String(index)}]`,
              name: `${key}[${String(index)}] of container '${name}'`,
              value,
            };
    }
}
