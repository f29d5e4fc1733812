import { SOURCES } from './common';
import { amount, type ManifestObject, number, record, text } from '../../../manifest/manifest';
import { type ManifestSet } from '../../../manifest/set';
import { autoscalersOf } from '../../../manifest/selection';
import { KEDA_DEFAULTS, scalersOf } from '../../../manifest/scalers';
import { defineRule, type Violation } from '../../rule';
import { quantityOf } from '../../../problems/grammar';
import { shown } from '../../../problems/shown';
import { records } from '../../../manifest/pods';

type Found = Iterable<Violation<'error'>>;

export const TPU511 = defineRule({
  code: 'TPU511',
  title: 'the limits and targets of an autoscaler are valid',
  severities: ['error'],
  kinds: ['HorizontalPodAutoscaler', 'ScaledObject'],
  check: function* (set) {
    for (const object of autoscalersOf(set)) {
      yield* limits(object, 'minReplicas', 'maxReplicas', 1, 'the API server');
      yield* targets(object);
    }
    yield* ofKeda(set);
    for (const { object } of scalersOf(set)) yield* behavior(object);
  },
});

function* limits(object: ManifestObject, least: string, most: string, usual: number, by: string): Found {
  const min = number(object.manifest, 'spec', least) ?? usual;
  const max = number(object.manifest, 'spec', most);
  if (max !== undefined && (max < min || max < 1))
    yield {
      object,
      path: `spec.${most}`,
      message: `${most} '${String(max)}' is below ${max < 1 ? '1' : `${least} '${String(min)}'`}, which ${by} refuses`,
      fix: `set ${most}: ${String(Math.max(min, 1))} or more`,
    };
}

function* targets(object: ManifestObject): Found {
  for (const [index, metric] of records(object.manifest, 'spec', 'metrics').entries())
    for (const source of SOURCES)
      for (const key of ['averageValue', 'value', 'averageUtilization'] as const) {
        const value = amount(metric, source, 'target', key);
        if (value === undefined || !(Number(value) <= 0 || quantityOf(value) <= 0)) continue;
        yield {
          object,
          path: `spec.metrics[${String(index)}].${source}.target.${key}`,
          message: `${key} ${shown(value)} is not above 0, which the API server refuses`,
          fix: `set ${key} to a value above 0, like 10 waiting requests`,
        };
      }
}

/** https://github.com/kedacore/keda/blob/v2.20.2/apis/keda/v1alpha1/scaledobject_types.go */
function* ofKeda(set: ManifestSet): Found {
  for (const { object } of scalersOf(set)) {
    if (object.kind !== 'ScaledObject') continue;
    yield* limits(object, 'minReplicaCount', 'maxReplicaCount', KEDA_DEFAULTS.min, 'KEDA');
    const min = number(object.manifest, 'spec', 'minReplicaCount') ?? KEDA_DEFAULTS.min;
    const idle = number(object.manifest, 'spec', 'idleReplicaCount');
    if (idle !== undefined && idle >= min)
      yield {
        object,
        path: 'spec.idleReplicaCount',
        message: `idleReplicaCount '${String(idle)}' is not below minReplicaCount '${String(min)}', which KEDA refuses`,
        fix: min > 0 ? `set idleReplicaCount: 0, or remove it` : 'remove idleReplicaCount',
      };
    for (const [index, trigger] of records(object.manifest, 'spec', 'triggers').entries()) {
      const threshold = text(trigger, 'metadata', 'threshold');
      if (threshold === undefined || threshold.trim() === '' || !(Number(threshold) <= 0)) continue;
      yield {
        object,
        path: `spec.triggers[${String(index)}].metadata.threshold`,
        message: `threshold ${shown(threshold)} is not above 0, but KEDA's HorizontalPodAutoscaler needs a target above 0`,
        fix: 'set the target for each replica, like 10 waiting requests',
      };
    }
  }
}

/** https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/ */
const PERIOD = { least: 1, most: 1800 };
const WINDOW = { least: 0, most: 3600 };

/** The seconds of a behavior, which KEDA copies to its HorizontalPodAutoscaler. */
function* behavior(object: ManifestObject): Found {
  const path =
    object.kind === 'ScaledObject'
      ? ['spec', 'advanced', 'horizontalPodAutoscalerConfig', 'behavior']
      : ['spec', 'behavior'];
  for (const direction of ['scaleUp', 'scaleDown']) {
    const rules = record(object.manifest, ...path, direction);
    const place = [...path, direction].join('.');
    const seconds = [
      [`${place}.stabilizationWindowSeconds`, number(rules, 'stabilizationWindowSeconds'), WINDOW] as const,
      ...records(rules, 'policies').map(
        (policy, index) =>
          [
            `${place}.policies[${String(index)}].periodSeconds`,
            number(policy, 'periodSeconds'),
            PERIOD,
          ] as const,
      ),
    ];
    for (const [where, value, { least, most }] of seconds)
      if (value !== undefined && (value < least || value > most))
        yield {
          object,
          path: where,
          message: `${String(value)} seconds is not between ${String(least)} and ${String(most)}, which the API server refuses`,
          fix: `set a value of at ${value < least ? `least ${String(least)}` : `most ${String(most)}`}`,
        };
  }
}
