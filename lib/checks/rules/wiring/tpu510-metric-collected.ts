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
  title: 'a PodMonitoring collects the metrics that an autoscaler reads',
  severities: ['note'],
  kinds: ['pods', 'HorizontalPodAutoscaler', 'ScaledObject'],
  check: function* (set) {
    const monitored = monitoredPods(set);
    for (const scaler of scalersOf(set)) {
      const { object } = scaler;
      const target = scaledObject(set, scaler);
      const own = target ? podsOfObject(set, target) : [];
      // other metrics adapters use other names
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
          message: `the pods of ${first.object.id} export metric '${metric.name}', but no PodMonitoring among the manifests selects them`,
          fix: `add a PodMonitoring that selects '${labelsInWords(first.labels)}'`,
        };
      }
    }
  },
});

/** The pods that are known to export a metric: the pods of the target, or the endpoint pickers. */
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
