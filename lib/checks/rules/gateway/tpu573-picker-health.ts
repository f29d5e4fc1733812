import { ENDPOINT_PICKER_PORTS, GKE_NETWORKING_GROUP } from '../../../facts/gateway';
import { isOnGke, pickersOf, poolsIn } from '../../../manifest/inference';
import { text } from '../../../manifest/manifest';
import { ofGroup } from '../../../manifest/selection';
import { defineRule } from '../../rule';

const USUAL = String(ENDPOINT_PICKER_PORTS.health);

/** https://github.com/llm-d/llm-d-router/tree/v0.10.0/config/charts (the HealthCheckPolicy of the picker) */
export const TPU573 = defineRule({
  code: 'TPU573',
  title: 'an endpoint picker answers the health checks of GKE',
  severities: ['warning'],
  kinds: ['pods'],
  check: function* (set) {
    const policies = ofGroup(set, 'HealthCheckPolicy', GKE_NETWORKING_GROUP);
    for (const pool of poolsIn(set)) {
      const { object, pickerName } = pool;
      const hasPolicy = policies.some(
        ({ manifest, namespace }) =>
          namespace === object.namespace &&
          text(manifest, 'spec', 'targetRef', 'kind') === 'Service' &&
          text(manifest, 'spec', 'targetRef', 'name') === pickerName,
      );
      if (hasPolicy || !isOnGke(set, pool)) continue;
      for (const { pod, container, flag } of pickersOf(set, pool)) {
        const port = flag('--grpc-health-port') ?? USUAL;
        if (port !== USUAL)
          yield {
            object: pod.object,
            path: `${container.path}.args`,
            message: `the load balancer checks the health of endpoint pickers on port ${USUAL}, but this one answers on port ${port}`,
            fix: `set --grpc-health-port ${USUAL}, or add a HealthCheckPolicy of type GRPC for Service '${String(pickerName)}'`,
          };
      }
    }
  },
});
