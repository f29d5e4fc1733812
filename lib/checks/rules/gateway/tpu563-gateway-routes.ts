import { GATEWAY_GROUP } from '../../../facts/gateway';
import { text } from '../../../manifest/manifest';
import { backendsIn, gatewaysOf } from '../../../manifest/inference';
import { records } from '../../../manifest/pods';
import { ofGroup } from '../../../manifest/selection';
import { defineRule } from '../../rule';

export const TPU563 = defineRule({
  code: 'TPU563',
  title: 'a Gateway accepts the routes that name it',
  severities: ['error'],
  kinds: ['HTTPRoute'],
  check: function* (set) {
    const toPools = new Set(
      backendsIn(set).flatMap(({ kind, route }) => (kind === 'InferencePool' ? [route] : [])),
    );
    for (const route of ofGroup(set, 'HTTPRoute', GATEWAY_GROUP)) {
      if (!toPools.has(route)) continue;
      for (const gateway of gatewaysOf(set, route)) {
        const listeners = records(gateway.manifest, 'spec', 'listeners');
        const closed = listeners.every(
          (listener) => (text(listener, 'allowedRoutes', 'namespaces', 'from') ?? 'Same') === 'Same',
        );
        if (gateway.namespace !== route.namespace && closed)
          yield {
            object: route,
            path: 'spec.parentRefs',
            message: `the Gateway '${gateway.name}' accepts only routes of its own namespace`,
            fix: 'set allowedRoutes.namespaces.from of its listeners to All or to a Selector',
          };
      }
    }
  },
});
