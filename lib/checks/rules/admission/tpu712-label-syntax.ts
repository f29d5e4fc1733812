import { defineRule } from '../../rule';
import { entriesOf, mapsOf, SUBDOMAINS } from './common';
import { shown } from '../../../problems/shown';

const VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

const KEY = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

export const TPU712 = defineRule({
  code: 'TPU712',
  title: 'labels and annotations have valid keys and values',
  severities: ['error'],
  kinds: ['any'],
  local: true,
  check: function* (set) {
    for (const map of mapsOf(set)) {
      if (map.what === 'data') continue;
      const values = map.what === 'annotation' ? [] : Object.values(map.map);
      if (
        Object.keys(map.map).every(isKey) &&
        values.every((value) => typeof value === 'string' && isLabelValue(value))
      )
        continue;
      for (const { object, path, key, name, value } of entriesOf(map)) {
        if (!isKey(map.what === 'annotation' ? key.toLowerCase() : key))
          yield { object, path, message: `${name} does not have a valid key`, fix: KEY_FIX };
        else if (map.what !== 'annotation' && typeof value === 'string' && !isLabelValue(value))
          yield {
            object,
            path,
            message: `${name} has the value ${shown(value)}, but values have at most 63 letters, digits, '.', '_' and '-', with a letter or digit at both ends`,
            fix: `use '${nearestValue(value)}', or use an annotation`,
          };
      }
    }
  },
});

const KEY_FIX = "use at most 63 letters, digits, '.', '_' and '-', optionally after a DNS name and '/'";

const isLabelValue = (value: string): boolean => value.length <= 63 && VALUE.test(value);

const nearestValue = (value: string): string =>
  value
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 63)
    .replace(/[^A-Za-z0-9]+$/, '');

function isKey(key: string): boolean {
  const [name = '', prefix, ...rest] = key.split('/').reverse();
  return (
    rest.length === 0 &&
    name.length <= 63 &&
    KEY.test(name) &&
    (prefix === undefined || (prefix.length <= SUBDOMAINS.max && SUBDOMAINS.pattern.test(prefix)))
  );
}
