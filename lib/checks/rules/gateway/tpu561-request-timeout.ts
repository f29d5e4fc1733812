import { GKE_NETWORKING_GROUP } from '../../../facts/gateway';
import { number, text } from '../../../manifest/manifest';
import { isOnGke, policiesFor, poolsIn } from '../../../manifest/inference';
import { ofGroup } from '../../../manifest/selection';
import { defineRule } from '../../rule';

/** What the load balancer waits for unless a policy says otherwise, in seconds. */
const DEFAULT_SECONDS = 30;
const FIX = 'write 3600, or the time of the longest answer';

export const TPU561 = defineRule({
  code: 'TPU561',
  title: 'the load balancer gives a long answer time',
  severities: ['warning'],
  kinds: ['InferencePool', 'GCPBackendPolicy'],
  check: function* (set) {
    for (const pool of poolsIn(set)) {
      if (!isOnGke(set, pool)) continue;
      const policies = [
        ...policiesFor(set, pool, 'GCPBackendPolicy'),
        // With preferred backends, the policies are those of the pickers' Services.
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
            message: `the load balancer ends a request after ${String(stated ?? DEFAULT_SECONDS)} seconds, in the middle of a long answer`,
            fix: stated === undefined ? 'add timeoutSec: 3600, or the time of the longest answer' : FIX,
          }
        : {
            object: pool.object,
            path: 'metadata.name',
            message: `no GCPBackendPolicy is for this pool, and the load balancer ends a request after ${String(DEFAULT_SECONDS)} seconds`,
            fix: 'add a GCPBackendPolicy with timeoutSec',
          };
    }
  },
});
