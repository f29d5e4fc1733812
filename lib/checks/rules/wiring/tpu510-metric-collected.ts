import { SERVER_GAUGES } from '../../../facts/metrics';
import { pickersIn } from '../../../manifest/inference';
import { scaledObject, scalersOf } from '../../../manifest/scalers';
import { labelsInWords, monitoredPods, podsOfObject } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { type PodView } from '../../../manifest/pods';
import { defineRule } from '../../rule';
import { isOfPicker, metricsOf, metricsRead, type ReadMetric } from './common';

export const TPU510 = defineRule({
  code: 'TPU510',
  title: 'an autoscaler metric is collected from the pods that export it',
  severities: ['note'],
  kinds: ['pods', 'HorizontalPodAutoscaler', 'ScaledObject'],
  check: function* (set) {
    const monitored = monitoredPods(set);
    for (const scaler of scalersOf(set)) {
      const { object } = scaler;
      const target = scaledObject(set, scaler);
      const own = target ? podsOfObject(set, target) : [];
      // Another adapter has names of its own for metrics.
      const ofPods = new Set(
        metricsOf(object).flatMap(({ path, name }) => (name === undefined ? [] : [path])),
      );
      for (const metric of metricsRead(object)) {
        const pods = exporters(set, metric, own, ofPods.has(metric.path));
        const [first] = pods;
        if (!first || pods.some((pod) => monitored.has(pod))) continue;
        yield {
          object,
          path: metric.path,
          message: `metric '${metric.name}' is read from the pods of ${first.object.id}, and no PodMonitoring here collects from them`,
          fix: `add a PodMonitoring that selects '${labelsInWords(first.labels)}'`,
        };
      }
    }
  },
});

/** The pods that export a metric, as far as they are known: those of the target, or the endpoint pickers. */
function exporters(
  set: ManifestSet,
  { name, kind }: ReadMetric,
  own: readonly PodView[],
  isPrometheus: boolean,
): readonly PodView[] {
  if (kind === 'pods') return isPrometheus ? own : [];
  if (isOfPicker(name)) return pickersIn(set).map(({ pod }) => pod);
  return kind === 'trigger' && SERVER_GAUGES.has(name) ? own : [];
}
