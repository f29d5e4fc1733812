import { GKE_NETWORKING_GROUP } from '../../../facts/gateway';
import { number } from '../../../manifest/manifest';
import { ofGroup } from '../../../manifest/selection';
import { defineRule } from '../../rule';

/** https://cloud.google.com/load-balancing/docs/health-check-concepts: both are 5 seconds by default. */
const DEFAULT_SECONDS = 5;

export const TPU570 = defineRule({
  code: 'TPU570',
  title: 'the timeout of a health check is at most its interval',
  severities: ['error'],
  kinds: ['HealthCheckPolicy'],
  check: function* (set) {
    for (const object of ofGroup(set, 'HealthCheckPolicy', GKE_NETWORKING_GROUP)) {
      const [timeout, interval] = ['timeoutSec', 'checkIntervalSec'].map(
        (field) => number(object.manifest, 'spec', 'default', field) ?? DEFAULT_SECONDS,
      );
      if (timeout !== undefined && interval !== undefined && timeout > interval)
        yield {
          object,
          path: 'spec.default.timeoutSec',
          message: `timeoutSec '${String(timeout)}' is above checkIntervalSec '${String(interval)}', which the load balancer refuses`,
          fix: `set at most ${String(interval)}, or increase checkIntervalSec`,
        };
    }
  },
});
