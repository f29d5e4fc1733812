import { PROVISIONING_SECONDS } from '../../../facts/durations';
import { number, record, text } from '../../../manifest/manifest';
import { scaledObject, scalersOf } from '../../../manifest/scalers';
import { podsOfObject } from '../../../manifest/selection';
import { tpuContainers } from '../../../manifest/slices';
import { defineRule } from '../../rule';

/** https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#default-behavior */
const DEFAULT_WINDOW_SECONDS = 300;

export const TPU533 = defineRule({
  code: 'TPU533',
  title: 'an autoscaler removes TPU servers slowly',
  severities: ['note'],
  kinds: ['HorizontalPodAutoscaler', 'ScaledObject'],
  check: function* (set) {
    for (const scaler of scalersOf(set)) {
      const { object, max } = scaler;
      const target = scaledObject(set, scaler);
      if (!target || max < 2) continue;
      if (!podsOfObject(set, target).some((pod) => tpuContainers(pod).length > 0)) continue;
      const path =
        object.kind === 'ScaledObject'
          ? ['spec', 'advanced', 'horizontalPodAutoscalerConfig', 'behavior', 'scaleDown']
          : ['spec', 'behavior', 'scaleDown'];
      const rules = record(object.manifest, ...path);
      const given = number(rules, 'stabilizationWindowSeconds');
      const window = given ?? DEFAULT_WINDOW_SECONDS;
      if (text(rules, 'selectPolicy') === 'Disabled' || window >= PROVISIONING_SECONDS) continue;
      const field = 'stabilizationWindowSeconds';
      yield {
        object,
        path: given === undefined ? 'spec' : `${path.join('.')}.${field}`,
        message: `the autoscaler removes TPU servers after ${String(window)} seconds of lower load${given === undefined ? ' (the default)' : ''}, but a new server needs longer than that to start`,
        fix: `set ${path.slice(1).join('.')}.${field} to 1800 or more`,
      };
    }
  },
});
