import { GATEWAY_GROUP } from '../../../facts/gateway';
import { type ManifestObject, text } from '../../../manifest/manifest';
import { backendsIn, namespaceOf, policiesIn, poolsIn } from '../../../manifest/inference';
import { records } from '../../../manifest/pods';
import { ofGroup } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { defineRule } from '../../rule';

const inWords = (namespace: string): string => `'${namespace === '' ? 'default' : namespace}'`;

/** Whether routes of a namespace may refer to pools of another one. */
const isGranted = (set: ManifestSet, from: ManifestObject, namespace: string): boolean =>
  ofGroup(set, 'ReferenceGrant', GATEWAY_GROUP).some(
    (grant) =>
      grant.namespace === namespace &&
      records(grant.manifest, 'spec', 'from').some(
        (one) => namespaceOf(text(one, 'namespace'), grant) === from.namespace,
      ),
  );

export const TPU558 = defineRule({
  code: 'TPU558',
  title: 'policies and routes are in the namespace of their InferencePool',
  severities: ['error'],
  kinds: ['HealthCheckPolicy', 'GCPBackendPolicy', 'HTTPRoute'],
  check: function* (set) {
    const pools = poolsIn(set).map(({ object }) => object);
    const elsewhere = (name: string, namespace: string): ManifestObject | undefined => {
      const named = pools.filter((one) => one.name === name);
      return named.some((one) => one.namespace === namespace) ? undefined : named[0];
    };
    for (const { object, target } of [
      ...policiesIn(set, 'HealthCheckPolicy'),
      ...policiesIn(set, 'GCPBackendPolicy'),
    ]) {
      const pool = elsewhere(target, object.namespace);
      if (pool)
        yield {
          object,
          path: 'spec.targetRef.name',
          message: `the pool '${target}' is in namespace ${inWords(pool.namespace)}, and a policy reaches only those of its own`,
          fix: `move the policy to namespace ${inWords(pool.namespace)}`,
        };
    }
    for (const { route, path, kind, name, namespace } of backendsIn(set)) {
      if (kind !== 'InferencePool') continue;
      const pool = elsewhere(name, namespace);
      if (pool)
        yield {
          object: route,
          path: `${path}.name`,
          message: `there is no InferencePool '${name}' in namespace ${inWords(namespace)}; there is one in ${inWords(pool.namespace)}`,
          fix: `move the route to namespace ${inWords(pool.namespace)}`,
        };
      else if (
        namespace !== route.namespace &&
        pools.some((one) => one.name === name) &&
        !isGranted(set, route, namespace)
      )
        yield {
          object: route,
          path: `${path}.namespace`,
          message: `the pool is in namespace ${inWords(namespace)}, and no ReferenceGrant there allows routes of ${inWords(route.namespace)}`,
          fix: `move the route to namespace ${inWords(namespace)}`,
        };
    }
  },
});
