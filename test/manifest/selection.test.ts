import fc from '../fast-check';
import { manifestSet } from '../../lib/manifest/set';
import { type Json, manifestObject, record, text } from '../../lib/manifest/manifest';
import {
  budgetedPods,
  monitoredPods,
  monitoringsOf,
  objectNamed,
  selects,
  servicesOf,
} from '../../lib/manifest/selection';
import { scalersFor } from '../../lib/manifest/scalers';
import { apps, container, job, object, rayCluster, rayService } from '../checks/manifests';

// Pods are looked up by their labels: what that finds is what asking each pod finds.

const values = fc.constantFrom('a', 'b', 'c');
const keys = fc.constantFrom('app', 'tier', 'pod-template-hash', 'job-name', 'ray.io/is-ray-node');
const labels = fc.dictionary(keys, fc.oneof(values, fc.constant('yes')), { maxKeys: 3 });
const metadata = fc.record({ namespace: fc.constantFrom('', 'x') });

const pods = fc
  .tuple(fc.constantFrom('Deployment', 'Job', 'RayService'), labels, metadata, values)
  .map(([kind, own, meta, name]): Json => {
    const template = { metadata: { labels: own }, spec: { containers: [container('4')] } };
    const made =
      kind === 'Job'
        ? job({}, template, meta)
        : kind === 'Deployment'
          ? { ...apps('Deployment', template), metadata: meta }
          : rayService(rayCluster(template), {}, meta);
    return { ...made, metadata: { ...meta, name } };
  });
const selecting = fc
  .tuple(
    fc.constantFrom(
      'Service',
      'PodMonitoring',
      'ClusterPodMonitoring',
      'PodDisruptionBudget',
      'ServiceMonitor',
    ),
    labels,
    metadata,
    fc.boolean(),
  )
  .map(([kind, matchLabels, meta, exists]): Json => {
    const selector = {
      matchLabels,
      ...(exists && { matchExpressions: [{ key: 'app', operator: 'Exists' }] }),
    };
    switch (kind) {
      case 'Service':
        return object('v1', kind, { selector: matchLabels }, { ...meta, labels: matchLabels });
      case 'ServiceMonitor':
        return object(
          'monitoring.coreos.com/v1',
          kind,
          { selector: { matchLabels }, ...(exists && { namespaceSelector: { any: true } }) },
          meta,
        );
      case 'PodDisruptionBudget':
        return object('policy/v1', kind, { selector }, meta);
      default:
        return object('monitoring.googleapis.com/v1', kind, { selector }, meta);
    }
  });
const autoscalers = fc
  .tuple(fc.constantFrom('Deployment', 'Job', undefined), fc.option(values, { nil: undefined }), metadata)
  .map(([kind, name, meta]) =>
    object('autoscaling/v2', 'HorizontalPodAutoscaler', { scaleTargetRef: { kind, name } }, meta),
  );

test('the index finds the same pods and objects as a search of each of them', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(pods, selecting, autoscalers), { maxLength: 12 }), (manifests) => {
      const set = manifestSet(manifests.map((one) => manifestObject(one)));
      for (const { object: one, selector, pods: found } of [...servicesOf(set), ...monitoringsOf(set)])
        expect(found).toEqual(
          set.pods.filter(
            (pod) =>
              (one.kind === 'ClusterPodMonitoring' || pod.object.namespace === one.namespace) &&
              selects(selector, pod),
          ),
        );
      const monitored = servicesOf(set).filter((service) =>
        set
          .ofKind('ServiceMonitor')
          .some(
            ({ manifest, namespace }) =>
              ('namespaceSelector' in record(manifest, 'spec') || namespace === service.object.namespace) &&
              Object.entries(record(manifest, 'spec', 'selector', 'matchLabels')).every(
                ([key, value]) => record(service.object.manifest, 'metadata', 'labels')[key] === value,
              ),
          ),
      );
      for (const pod of set.pods)
        expect(monitoredPods(set).has(pod)).toBe(
          [...monitored, ...monitoringsOf(set)].some(({ all }) => all.includes(pod)),
        );
      for (const pod of set.pods)
        expect(budgetedPods(set).has(pod)).toBe(
          set
            .ofKind('PodDisruptionBudget')
            .some(
              ({ manifest, namespace }) =>
                namespace === pod.object.namespace && selects(record(manifest, 'spec', 'selector'), pod),
            ),
        );
      for (const one of set.objects) {
        expect(objectNamed(set, one, one.kind, one.name)).toBe(
          set
            .ofKind(one.kind)
            .find(({ name, namespace }) => name === one.name && namespace === one.namespace),
        );
        expect(scalersFor(set, one).map(({ object }) => object)).toEqual(
          set
            .ofKind('HorizontalPodAutoscaler')
            .filter(
              ({ manifest, namespace }) =>
                namespace === one.namespace &&
                text(manifest, 'spec', 'scaleTargetRef', 'kind') === one.kind &&
                text(manifest, 'spec', 'scaleTargetRef', 'name') === one.name,
            ),
        );
      }
    }),
    { numRuns: 300 },
  );
});
