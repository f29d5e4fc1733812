import { PICKER_PREFIXES } from '../../../facts/metrics';
import { API_KEY_FLAGS, API_KEY_VARIABLES } from '../../../facts/servers';
import { wordsOf } from '../../../manifest/command-line';
import {
  labelsInWords,
  meantBy,
  portsInWords,
  portsOf,
  sameKeys,
  type Selecting,
  selectorInWords,
} from '../../../manifest/selection';
import { type ManifestObject, record, text } from '../../../manifest/manifest';
import { type ManifestSet } from '../../../manifest/set';
import { type PodView, records } from '../../../manifest/pods';
import { type Violation } from '../../rule';

/** Prefix of Managed Service for Prometheus in the metric names of an autoscaler: `prometheus.googleapis.com|NAME|TYPE`. */
export const PROMETHEUS = 'prometheus.googleapis.com';

export const TYPES: readonly string[] = [
  'gauge',
  'counter',
  'histogram',
  'summary',
  'unknown',
  'unknown:counter',
];

/** A metric that an autoscaler reads. */
interface Metric {
  readonly path: string;
  readonly kind: string;
  /** The name as the manifest writes it. */
  readonly written: string;
  /** The parts of a name of Managed Service for Prometheus; undefined for others. */
  readonly name: string | undefined;
  readonly type: string | undefined;
}

export const SOURCES = ['pods', 'external', 'object', 'resource', 'containerResource'] as const;

export const idsOf = (pods: readonly PodView[]): string =>
  [...new Set(pods.map(({ object }) => object.id))].join(' and ');

export const isHeadless = ({ manifest }: ManifestObject): boolean =>
  text(manifest, 'spec', 'clusterIP') === 'None';

/** Whether Kustomize adds a label of a selector. */
export const selectsAddedLabels = ({ object, selector }: Selecting): boolean =>
  Object.keys(record(selector, 'matchLabels')).some((key) => object.kustomized?.labels.has(key));

export function unselected(
  set: ManifestSet,
  selecting: Selecting,
  taken: ReadonlySet<PodView>,
  path: string,
  kind: string,
): Violation<'error' | 'note'> {
  const { object, selector } = selecting;
  const meant = meantBy(set, selecting, taken);
  const words = selectorInWords(selector);
  return {
    object,
    path,
    message: meant
      ? `the selector '${words}' selects no pod, but the pods of ${meant.object.id} have the labels '${labelsInWords(meant.labels)}'`
      : `the selector '${words}' selects no pod among the manifests`,
    fix: meant
      ? `select '${labelsInWords(sameKeys(record(selector, 'matchLabels'), meant))}'`
      : `check the ${kind} together with the manifests of its pods`,
    ...(!meant && { severity: 'note' as const }),
  };
}

export function portFix(pods: readonly PodView[]): string {
  const words = portsInWords(pods.flatMap(portsOf));
  return words === '' ? 'declare the port in the ports of the container that listens on it' : `use ${words}`;
}

export function metricsOf({ manifest }: ManifestObject): readonly Metric[] {
  return records(manifest, 'spec', 'metrics').flatMap((metric, index) =>
    SOURCES.flatMap((kind) => {
      const written = text(metric, kind, 'metric', 'name');
      if (written === undefined) return [];
      const [prefix, name, ...type] = written.split(/[|/]/);
      return [
        {
          path: `spec.metrics[${String(index)}].${kind}.metric.name`,
          kind,
          written,
          name: prefix === PROMETHEUS ? (name ?? '') : undefined,
          type: prefix === PROMETHEUS && type.length > 0 ? type.join('|') : undefined,
        },
      ];
    }),
  );
}

/** A metric by its Prometheus name, as an autoscaler reads it. */
export interface ReadMetric {
  readonly path: string;
  /** The source of a HorizontalPodAutoscaler's metric, or `trigger` for a query of KEDA. */
  readonly kind: string;
  readonly name: string;
  /** The metric name or query that contains the name. */
  readonly written: string;
}

/** The metrics that a HorizontalPodAutoscaler or a ScaledObject reads. In a query, every word that can be a name counts. */
export function metricsRead(object: ManifestObject): readonly ReadMetric[] {
  if (object.kind !== 'ScaledObject')
    return metricsOf(object).map((metric) => ({ ...metric, name: metric.name ?? metric.written }));
  return triggersOf(object).flatMap(({ path, query }) => {
    const words = query.replace(/"[^"]*"|'[^']*'/g, '').match(/[a-zA-Z_:][\w:]*/g) ?? [];
    return [...new Set(words)].map((name) => ({ path, kind: 'trigger', name, written: query }));
  });
}

/** The queries of a ScaledObject, with their paths. */
export const triggersOf = ({
  manifest,
}: ManifestObject): readonly { readonly path: string; readonly query: string }[] =>
  records(manifest, 'spec', 'triggers').flatMap((trigger, index) => {
    const query = text(trigger, 'metadata', 'query');
    return text(trigger, 'type') === 'prometheus' && query !== undefined
      ? [{ path: `spec.triggers[${String(index)}].metadata.query`, query }]
      : [];
  });

/** Whether the endpoint picker exports a metric. */
export const isOfPicker = (metric: string): boolean =>
  PICKER_PREFIXES.some((prefix) => metric.startsWith(prefix));

export const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

export const inNamespace = ({ namespace }: ManifestObject): string =>
  namespace === '' ? '' : ` --namespace ${namespace}`;

/** Returns a function that tells whether it gets an object and a word for the first time. */
export function firsts(): (object: ManifestObject, word: string) => boolean {
  const seen = new Map<ManifestObject, Set<string>>();
  return (object, word) => {
    const words = seen.get(object) ?? new Set();
    seen.set(object, words);
    const first = !words.has(word);
    words.add(word);
    return first;
  };
}

/** Whether a server of a pod requires an API key. */
export const asksForKey = (pod: PodView): boolean =>
  pod.containers.some(
    (one) =>
      wordsOf(one).some((word) => API_KEY_FLAGS.includes(word.split('=')[0] ?? '')) ||
      records(one.container, 'env').some((variable) =>
        API_KEY_VARIABLES.includes(text(variable, 'name') ?? ''),
      ),
  );
