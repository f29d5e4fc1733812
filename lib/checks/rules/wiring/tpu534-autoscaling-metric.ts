import { AUTOSCALING_METRIC_GROUP } from '../../../facts/labels';
import { type ManifestObject, record, text } from '../../../manifest/manifest';
import { records } from '../../../manifest/pods';
import { autoscalersOf, objectNamed, ofGroup } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { shown } from '../../../problems/shown';
import { defineRule, type Violation } from '../../rule';
import { metricsOf } from './common';

type Found = Iterable<Violation<'error' | 'note'>>;

/** Names of gauges: https://docs.cloud.google.com/kubernetes-engine/docs/how-to/expose-custom-metrics-autoscaling */
const GAUGE_NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const MAX_NAME = 63;

export const TPU534 = defineRule({
  code: 'TPU534',
  title: 'the gauges of an AutoscalingMetric have names that autoscalers can read',
  severities: ['error', 'note'],
  kinds: ['AutoscalingMetric', 'HorizontalPodAutoscaler'],
  check: function* (set) {
    for (const object of ofGroup(set, 'AutoscalingMetric', AUTOSCALING_METRIC_GROUP))
      for (const { path, name, metric } of gaugesOf(object)) yield* named(object, path, name, metric);
    for (const object of autoscalersOf(set)) yield* readers(set, object);
  },
});

interface GaugeView {
  readonly path: string;
  readonly name: string | undefined;
  readonly metric: string | undefined;
}

const gaugesOf = ({ manifest }: ManifestObject): readonly GaugeView[] =>
  records(manifest, 'spec', 'metrics').flatMap((one, metric) =>
    records(one, 'pod', 'containers').flatMap((container, index) =>
      records(container, 'metrics').flatMap((entry, gauge) => {
        const found = record(entry, 'gauge');
        const path = `spec.metrics[${String(metric)}].pod.containers[${String(index)}].metrics[${String(gauge)}].gauge`;
        return Object.keys(found).length === 0
          ? []
          : [{ path, name: text(found, 'name'), metric: text(found, 'prometheusMetricName') }];
      }),
    ),
  );

/** A name that an autoscaler can read: the Prometheus name after its prefix. */
const nameFor = (metric: string): string =>
  metric
    .replace(/^[^:]*:/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, MAX_NAME)
    .replace(/-+$/, '');

function* named(
  object: ManifestObject,
  path: string,
  name: string | undefined,
  metric: string | undefined,
): Found {
  if (name === undefined) {
    if (metric === undefined || GAUGE_NAME.test(metric) || /^[a-z][a-z0-9_]*$/.test(metric)) return;
    yield {
      object,
      path,
      message: `metric ${shown(metric)} is not a name that an autoscaler can read, and the gauge has no other name`,
      fix: `add name: ${nameFor(metric)}`,
    };
  } else if (!GAUGE_NAME.test(name) || name.length > MAX_NAME)
    yield {
      object,
      path: `${path}.name`,
      message: `name ${shown(name)} is not valid for a gauge`,
      fix: `use at most ${String(MAX_NAME)} lowercase letters, digits and '-', for example '${nameFor(name)}'`,
    };
}

/** Checks the metrics that an autoscaler reads from AutoscalingMetrics: `autoscaling.gke.io|NAME|GAUGE`. */
function* readers(set: ManifestSet, object: ManifestObject): Found {
  for (const { path, written } of metricsOf(object)) {
    const [group, name = '', gauge] = written.split('|');
    if (group !== AUTOSCALING_METRIC_GROUP) continue;
    const source = objectNamed(set, object, 'AutoscalingMetric', name);
    const names = source ? gaugesOf(source).map((one) => one.name ?? one.metric ?? '') : [];
    if (source && names.length > 0 && !names.includes(gauge ?? ''))
      yield {
        object,
        path,
        message: `the AutoscalingMetric '${name}' has no gauge '${gauge ?? ''}'`,
        fix: `use ${names.map((one) => `'${group}|${name}|${one}'`).join(' or ')}`,
      };
    if (!source)
      yield {
        object,
        path,
        message: `metric '${written}' refers to AutoscalingMetric '${name}', which is not among the manifests of the namespace`,
        fix: 'check the autoscaler together with its AutoscalingMetric',
        severity: 'note',
      };
  }
}
