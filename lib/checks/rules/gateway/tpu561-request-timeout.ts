import { GKE_NETWORKING_GROUP } from '../../../facts/gateway';
import { number, text } from '../../../manifest/manifest';
import { isOnGke, policiesFor, poolsIn } from '../../../manifest/inference';
import { ofGroup } from '../../../manifest/selection';
import { defineRule } from '../../rule';

/** Default timeout of the load balancer, in seconds. */
const DEFAULT_SECONDS = 30;
const FIX = 'set 3600, or the time of the longest answer';

export const TPU561 = defineRule({
  code: 'TPU561',
  title: 'the request timeout of the load balancer allows long answers',
  severities: ['warning'],
  kinds: ['InferencePool', 'GCPBackendPolicy'],
  check: function* (set) {
    for (const pool of poolsIn(set)) {
      if (!isOnGke(set, pool)) continue;
      const policies = [
        ...policiesFor(set, pool, 'GCPBackendPolicy'),
        // with preferred backends, the policy targets the Service of the endpoint picker
        ...ofGroup(set, 'GCPBackendPolicy', GKE_NETWORKING_GROUP).filter(
          ({ manifest, namespace }) =>
            namespace === pool.object.namespace &&
            pool.pickerName !== undefined &&
            text(manifest, 'spec', 'targetRef', 'kind') === 'Service' &&
            text(manifest, 'spec', 'targetRef', 'name') === pool.pickerName,
        ),
      ];
      const [policy] = policies;
      const seconds = policies.map((one) => number(one.manifest, 'spec', 'default', 'timeoutSec'));
      if (seconds.some((one) => one !== undefined && one > DEFAULT_SECONDS)) continue;
      const stated = seconds.find((one) => one !== undefined);
      yield policy
        ? {
            object: policy,
            path: stated === undefined ? 'spec.default' : 'spec.default.timeoutSec',
            message: `the load balancer ends requests after ${String(stated ?? DEFAULT_SECONDS)} seconds, which cuts off long answers`,
            fix: stated === undefined ? 'add timeoutSec: 3600, or the time of the longest answer' : FIX,
          }
        : {
            object: pool.object,
            path: 'metadata.name',
            message: `the pool has no GCPBackendPolicy, so the load balancer ends requests after ${String(DEFAULT_SECONDS)} seconds`,
            fix: 'add a GCPBackendPolicy with timeoutSec',
          };
    }
  },
});
