import { GATEWAY_GROUP } from '../../../facts/gateway';
import { type ManifestObject, text } from '../../../manifest/manifest';
import { backendsIn, namespaceOf, policiesIn, poolsIn } from '../../../manifest/inference';
import { records } from '../../../manifest/pods';
import { ofGroup } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { defineRule } from '../../rule';

const inWords = (namespace: string): string => `'${namespace === '' ? 'default' : namespace}'`;

/** Whether a ReferenceGrant lets routes of a namespace refer to pools of another. */
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
          message: `the InferencePool '${target}' is in namespace ${inWords(pool.namespace)}, but a policy applies only to pools in its own namespace`,
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
          message: `the InferencePool '${name}' is in namespace ${inWords(pool.namespace)}, not in ${inWords(namespace)}`,
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
          message: `the InferencePool '${name}' is in namespace ${inWords(namespace)}, but no ReferenceGrant there allows routes of ${inWords(route.namespace)}`,
          fix: `move the route to namespace ${inWords(namespace)}`,
        };
    }
  },
});
