import { at } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import {
  idsOf,
  isHeadless,
  onHostNetwork,
  podsByObject,
  podsTogether,
  servicesBehind,
  whenReady,
} from './common';

export const TPU211 = defineRule({
  code: 'TPU211',
  title: 'the hosts of a slice have names before they are ready',
  severities: ['error', 'warning', 'note'],
  kinds: ['pods', 'Service'],
  check: function* (set) {
    for (const { service, pods } of servicesBehind(set)) {
      if (!isHeadless(service) || at(service.manifest, 'spec', 'publishNotReadyAddresses') === true) continue;
      yield {
        object: service,
        path: 'spec.publishNotReadyAddresses',
        fix: 'set publishNotReadyAddresses to true',
        ...whenReady(pods, `the Service names the pods of ${idsOf(pods)} only when they are ready`),
      };
    }
    for (const { object, pods } of podsByObject(set)) {
      const path = ['spec', 'network', 'publishNotReadyAddresses'];
      if (object.kind !== 'JobSet' || at(object.manifest, ...path) !== false) continue;
      const waiting = pods.filter((pod) => podsTogether(pod) > 1 && !onHostNetwork(pod));
      if (waiting.length > 0)
        yield {
          object,
          path: path.join('.'),
          fix: 'set publishNotReadyAddresses to true, its default',
          ...whenReady(waiting, 'the pods have names only when they are ready'),
        };
    }
  },
});
