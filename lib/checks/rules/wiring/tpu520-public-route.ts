import { GCE_INGRESS_ANNOTATION } from '../../../facts/labels';
import { at, type ManifestObject, record, text } from '../../../manifest/manifest';
import { records } from '../../../manifest/pods';
import { objectNamed, ofGroup, servicesOf } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { isTpuPod } from '../../../manifest/slices';
import { defineRule } from '../../rule';
import { asksForKey } from './common';

export const TPU520 = defineRule({
  code: 'TPU520',
  title: 'a public Ingress or Gateway authenticates clients',
  severities: ['warning'],
  kinds: ['Ingress', 'Gateway', 'HTTPRoute'],
  check: function* (set) {
    for (const object of ofGroup(set, 'Ingress', 'networking.k8s.io')) {
      const served = backendsOf(object).find((name) => servesTpus(set, object, name));
      if (served === undefined || !isPublicIngress(object)) continue;
      yield {
        object,
        path: 'spec.rules',
        message: `the Ingress exposes Service '${served}' to the internet without authentication`,
        fix: `set the annotation ${GCE_INGRESS_ANNOTATION}: gce-internal, or enable Identity-Aware Proxy in a BackendConfig`,
      };
    }
    for (const route of ofGroup(set, 'HTTPRoute', 'gateway.networking.k8s.io')) {
      const gateway = records(route.manifest, 'spec', 'parentRefs')
        .map((parent) =>
          objectNamed(
            set,
            route,
            'Gateway',
            text(parent, 'name') ?? '',
            text(parent, 'namespace') ?? route.namespace,
          ),
        )
        .find((one) => one !== undefined && isPublicGateway(one));
      const served = routeBackends(route).find((name) => servesTpus(set, route, name));
      if (!gateway || served === undefined) continue;
      yield {
        object: route,
        path: 'spec.rules',
        message: `the Gateway '${gateway.name}' exposes Service '${served}' to the internet without authentication`,
        fix: 'use a GatewayClass for internal load balancers, or enable Identity-Aware Proxy in a GCPBackendPolicy',
      };
    }
  },
});

const backendsOf = ({ manifest }: ManifestObject): readonly string[] => [
  ...(text(manifest, 'spec', 'defaultBackend', 'service', 'name') === undefined
    ? []
    : [text(manifest, 'spec', 'defaultBackend', 'service', 'name') ?? '']),
  ...records(manifest, 'spec', 'rules').flatMap((rule) =>
    records(rule, 'http', 'paths').flatMap((path) => text(path, 'backend', 'service', 'name') ?? []),
  ),
];

const routeBackends = ({ manifest }: ManifestObject): readonly string[] =>
  records(manifest, 'spec', 'rules').flatMap((rule) =>
    records(rule, 'backendRefs').flatMap((ref) =>
      (text(ref, 'kind') ?? 'Service') === 'Service' ? (text(ref, 'name') ?? []) : [],
    ),
  );

/** Whether a Service selects TPU servers that do not authenticate clients. */
const servesTpus = (set: ManifestSet, { namespace }: ManifestObject, name: string): boolean =>
  servicesOf(set).some(
    ({ object, pods }) =>
      object.name === name &&
      object.namespace === namespace &&
      pods.some(isTpuPod) &&
      !pods.some(asksForKey) &&
      !hasPolicy(set, object),
  );

/** Whether a Service has a BackendConfig, or a GCPBackendPolicy in the set. */
const hasPolicy = (set: ManifestSet, service: ManifestObject): boolean =>
  Object.keys(record(service.manifest, 'metadata', 'annotations')).some((key) =>
    key.endsWith('/backend-config'),
  ) ||
  set
    .ofKind('GCPBackendPolicy')
    .some(({ manifest }) => text(manifest, 'spec', 'targetRef', 'name') === service.name);

/** Whether an Ingress is public: the default of GKE. Nothing is known about other Ingress controllers. */
function isPublicIngress({ manifest }: ManifestObject): boolean {
  const annotations = record(manifest, 'metadata', 'annotations');
  const name =
    text(annotations, GCE_INGRESS_ANNOTATION) ?? text(manifest, 'spec', 'ingressClassName') ?? 'gce';
  return name === 'gce' && !Object.keys(annotations).some((key) => /auth|iap/i.test(key));
}

/** GatewayClasses of external load balancers: https://cloud.google.com/kubernetes-engine/docs/concepts/gateway-api#gatewayclass */
const isPublicGateway = ({ manifest }: ManifestObject): boolean =>
  /^gke-l7-(global-external|regional-external|gxlb)/.test(text(manifest, 'spec', 'gatewayClassName') ?? '') &&
  at(manifest, 'spec', 'addresses') === undefined;
