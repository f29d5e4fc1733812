import { GATEWAY_GROUP } from '../../../facts/gateway';
import { backendsIn, type ParentView, parentsOf } from '../../../manifest/inference';
import { type Json, type ManifestObject, number, record, text, together } from '../../../manifest/manifest';
import { records } from '../../../manifest/pods';
import { objectNamed, ofGroup } from '../../../manifest/selection';
import { nearestWords } from '../../../problems/nearest';
import { type ManifestSet } from '../../../manifest/set';
import { defineRule, type Violation } from '../../rule';

/** Whether a listener accepts routes of a namespace. A namespace that is not in the set counts as accepted. */
function accepts(set: ManifestSet, listener: Json, gateway: ManifestObject, namespace: string): boolean {
  const namespaces = record(listener, 'allowedRoutes', 'namespaces');
  switch (text(namespaces, 'from') ?? 'Same') {
    case 'Same':
      return gateway.namespace === namespace;
    case 'None':
      return false;
    case 'Selector': {
      const known = objectNamed(set, gateway, 'Namespace', namespace, '');
      const labels = record(known?.manifest, 'metadata', 'labels');
      const wanted = Object.entries(record(namespaces, 'selector', 'matchLabels'));
      return known === undefined || wanted.every(([label, value]) => labels[label] === value);
    }
    default:
      return true;
  }
}

/** Why a Gateway of the set does not accept a route that names it. */
function* refused(
  set: ManifestSet,
  object: ManifestObject,
  { path, sectionName, port }: ParentView,
  gateway: ManifestObject,
): Iterable<Violation<'error'>> {
  const listeners = records(gateway.manifest, 'spec', 'listeners');
  const named = listeners.filter(
    (one) =>
      (sectionName === undefined || text(one, 'name') === sectionName) &&
      (port === undefined || number(one, 'port') === port),
  );
  if (named.length === 0 && listeners.length > 0)
    yield {
      object,
      path: `${path}.${sectionName === undefined ? 'port' : 'sectionName'}`,
      message: `the Gateway '${gateway.name}' has no listener '${sectionName ?? String(port)}'`,
      fix: `use listener ${listeners.map((one) => `'${text(one, 'name') ?? ''}'`).join(' or ')}`,
    };
  else if (named.length > 0 && !named.some((one) => accepts(set, one, gateway, object.namespace)))
    yield {
      object,
      path: 'spec.parentRefs',
      message: `no listener of the Gateway '${gateway.name}' accepts routes from this namespace`,
      fix: 'set allowedRoutes.namespaces.from of a listener to All or Selector',
    };
}

/** A Gateway that is not in the set: a note, unless another Gateway is most likely meant. */
function missing(
  set: ManifestSet,
  object: ManifestObject,
  { path, name, namespace }: ParentView,
): Violation<'warning' | 'note'> {
  const gateways = ofGroup(set, 'Gateway', GATEWAY_GROUP).filter((one) => together(one, object));
  const own = gateways.filter((one) => one.namespace === namespace);
  const [word] = nearestWords(
    name,
    own.map((one) => one.name),
  );
  const meant = gateways.find((one) => one.name === name) ?? own.find((one) => one.name === word);
  if (!meant)
    return {
      object,
      path: `${path}.name`,
      message: `the Gateway '${name}' is not among the manifests`,
      fix: 'check the route together with its Gateway',
      severity: 'note',
    };
  const where = meant.namespace === '' ? 'default' : meant.namespace;
  return {
    object,
    path: `${path}.name`,
    message: `the Gateway '${name}' of namespace '${namespace === '' ? 'default' : namespace}' is not among the manifests, but Gateway '${meant.name}' of namespace '${where}' is`,
    fix: meant.name === name ? `set namespace: ${where}` : `set name: ${meant.name}`,
    severity: 'warning',
  };
}

export const TPU563 = defineRule({
  code: 'TPU563',
  title: 'a route names a Gateway that accepts it',
  severities: ['error', 'warning', 'note'],
  kinds: ['HTTPRoute'],
  check: function* (set) {
    const toPools = new Set(
      backendsIn(set).flatMap(({ kind, route }) => (kind === 'InferencePool' ? [route] : [])),
    );
    for (const route of toPools)
      for (const parent of parentsOf(set, route))
        if (parent.gateway) yield* refused(set, route, parent, parent.gateway);
        else yield missing(set, route, parent);
  },
});
