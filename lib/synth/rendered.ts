import { ApiObject, Chart } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { isRecord, type Json, type ManifestObject, manifestObject } from '../manifest/manifest';
import { manifestIn } from './one-pass';
import { overridesOf } from './overridden';

/** Returns everything that an app renders, with the construct of each object. */
export const renderedBy = (app: IConstruct): readonly ManifestObject[] =>
  app.node.findAll().flatMap((chart) => (Chart.isChart(chart) ? renderedByChart(chart) : []));

function renderedByChart(chart: Chart): readonly ManifestObject[] {
  const own = chart.node
    .findAll()
    .filter((one) => ApiObject.isApiObject(one))
    .filter((object) => Chart.of(object) === chart)
    .map((object) => ({ object, manifest: manifestIn(object) }));
  if (chart.toJson === Chart.prototype.toJson)
    return own.map(({ object, manifest }) => manifestOf(object, manifest, manifest));
  // A chart that overrides `toJson` can change, drop or add objects.
  const rendered = (chart.toJson() as readonly unknown[]).filter(isRecord);
  const byIdentity = new Map(rendered.map((manifest) => [identityOf(manifest), manifest]));
  const known = own.flatMap(({ object, manifest }) => {
    const changed = byIdentity.get(identityOf(manifest));
    byIdentity.delete(identityOf(manifest));
    if (changed) return [manifestOf(object, manifest, changed)];
    // The chart dropped the object, and its overrides with it.
    return overridesOf(object) ? [{ ...manifestOf(object, manifest, manifest), manifest: {} }] : [];
  });
  const { path: constructPath } = chart.node;
  return [
    ...known,
    ...[...byIdentity.values()].map((manifest) => manifestObject(manifest, { constructPath })),
  ];
}

function identityOf(manifest: Json): string {
  const { id, namespace } = manifestObject(manifest);
  return `${namespace}/${id}`;
}

/** Returns the manifest of an object in a chart. Adds the object's input if its type renders only a part of it. */
function manifestOf(object: ApiObject, own: Json, manifest: Json): ManifestObject {
  const constructPath = object.node.path;
  const { patches = [], rendered } = overridesOf(object) ?? {};
  if (rendered === undefined && object.toJson === ApiObject.prototype.toJson)
    return manifestObject(manifest, { constructPath });
  return manifestObject(manifest, {
    constructPath,
    synth: {
      held: ApiObject.prototype.toJson.call(object) as Json,
      rendered: rendered?.() ?? own,
      overrides: patches,
    },
  });
}
