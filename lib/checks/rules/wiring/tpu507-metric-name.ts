import { autoscalersOf } from '../../../manifest/selection';
import { defineRule } from '../../rule';
import { metricsOf, PROMETHEUS, TYPES } from './common';
import { shown } from '../../../problems/shown';

export const TPU507 = defineRule({
  code: 'TPU507',
  title: 'the name of an autoscaler metric is valid',
  severities: ['error'],
  kinds: ['HorizontalPodAutoscaler'],
  local: true,
  check: function* (set) {
    for (const object of autoscalersOf(set))
      for (const { path, written, name, type } of metricsOf(object)) {
        const slash = written.includes('/');
        if (!slash && (name === undefined || (type !== undefined && TYPES.includes(type)))) continue;
        yield {
          object,
          path,
          message: slash
            ? `metric '${written}' contains a slash, which the API server refuses`
            : `metric '${written}' ${type === undefined ? 'does not name a type' : `names an unknown type '${type}'`}`,
          fix: `use ${shown(name === undefined ? written.replaceAll('/', '|') : `${PROMETHEUS}|${name === '' ? 'NAME' : name}|${TYPES.find((one) => one === type) ?? 'gauge'}`)}`,
        };
      }
  },
});
