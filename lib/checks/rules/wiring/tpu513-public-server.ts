import { type PodView } from '../../../manifest/pods';
import { LEGACY_LOAD_BALANCER_TYPE_ANNOTATION, LOAD_BALANCER_TYPE_ANNOTATION } from '../../../facts/labels';
import { at, type Json, list, type ManifestObject, record, text } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { asksForKey, idsOf } from './common';
import { shown } from '../../../problems/shown';
import { servicesOf } from '../../../manifest/selection';

const EVERYWHERE: readonly unknown[] = ['0.0.0.0/0', '::/0'];

export const TPU513 = defineRule({
  code: 'TPU513',
  title: 'a server without authentication is not reachable from the internet',
  severities: ['warning', 'note'],
  kinds: ['pods', 'Service'],
  nearTpus: true,
  check: function* (set) {
    for (const { object, pods } of servicesOf(set)) {
      const [pod] = pods;
      if (!pod || !isExternal(object) || pods.some(asksForKey)) continue;
      const ranges = list(object.manifest, 'spec', 'loadBalancerSourceRanges');
      const restricted = ranges.length > 0 && !ranges.some((range) => EVERYWHERE.includes(range));
      yield {
        object,
        path: 'spec.type',
        message: `the Service exposes ${idsOf(pods)} to the internet without authentication${restricted ? `, although only to ${ranges.map(shown).join(' and ')}` : ''}`,
        fix: `set type: ClusterIP and put a proxy that authenticates clients in front, or set the annotation ${LOAD_BALANCER_TYPE_ANNOTATION}: Internal`,
        ...(restricted && { severity: 'note' as const }),
      };
    }
    for (const pod of set.pods)
      if (
        pod.runs === 'RayHead' &&
        text(pod.owner, 'serviceType') === 'LoadBalancer' &&
        !isInternal(headServiceAnnotations(pod))
      )
        yield {
          object: pod.object,
          path: `${pod.ownerPath}.serviceType`,
          message:
            'the LoadBalancer exposes the Ray head and its dashboard to the internet without authentication',
          fix: 'set serviceType: ClusterIP',
        };
  },
});

/** Whether a Service has a public IP address. */
function isExternal({ manifest }: ManifestObject): boolean {
  const balancer = text(manifest, 'spec', 'loadBalancerClass');
  return (
    text(manifest, 'spec', 'type') === 'LoadBalancer' &&
    (balancer === undefined || balancer.includes('external')) &&
    !isInternal(record(manifest, 'metadata', 'annotations'))
  );
}

const isInternal = (annotations: Json): boolean =>
  [LOAD_BALANCER_TYPE_ANNOTATION, LEGACY_LOAD_BALANCER_TYPE_ANNOTATION].some(
    (key) => text(annotations, key)?.toLowerCase() === 'internal',
  );

/** The annotations that KubeRay sets on the Service of a Ray head. */
function headServiceAnnotations({ object, owner, ownerPath }: PodView): Json {
  const cluster = at(object.manifest, ...ownerPath.split('.').slice(0, -1));
  return {
    ...record(cluster, 'headServiceAnnotations'),
    ...record(owner, 'headService', 'metadata', 'annotations'),
  };
}
