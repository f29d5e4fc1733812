import { ApiObject, App, Chart } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { acceptAnnotation, errorsIn } from './check';
import { merge } from './landed';
import { isRecord, type Json, type ManifestObject, manifestObject } from './manifest';
import { manifestIn } from './one-pass';

const CHECKED = Symbol.for('cdk8s-tpu-serving.checked');

/**
 * Has every synth of the app check what all its charts render. Errors that nobody accepted stop the synth, all in one list, each at
 * the construct that renders it. Every construct calls it; the first call of an app counts.
 */
export function checkAtSynth(scope: IConstruct): void {
  const app = App.of(scope);
  if (CHECKED in app) return;
  Object.defineProperty(app, CHECKED, { value: true });
  const errors = new Map<string, string[]>();
  const asked = new WeakSet<IConstruct>();
  const turn = new Turn(app);
  // cdk8s validates the root first: it finds everything, and each construct then says its own.
  app.node.addValidation({
    validate: () => {
      turn.take(() => {
        errors.clear();
        for (const { constructPath = '', ...finding } of errorsIn(renderedBy(app))) {
          const line = `${finding.code} ${finding.object} ${finding.path}: ${finding.message}; ${finding.fix}`;
          errors.set(constructPath, [...(errors.get(constructPath) ?? []), line]);
        }
        for (const construct of app.node.findAll()) {
          const { path } = construct.node;
          if (!errors.has(path) || asked.has(construct)) continue;
          asked.add(construct);
          construct.node.addValidation({ validate: () => errors.get(path) ?? [] });
        }
      });
      return [];
    },
  });
}

/** Whose turn it is to check: a synth validates once for itself and once more for each chart, and nothing changes in between. */
class Turn {
  private checking = false;
  private state: 'alone' | 'synth' | 'checked' = 'alone';

  constructor(app: App) {
    const once = <T>(synth: () => T): (() => T) => {
      return () => {
        this.state = 'synth';
        try {
          return synth();
        } finally {
          this.state = 'alone';
        }
      };
    };
    app.synth = once(app.synth.bind(app));
    app.synthYaml = once(app.synthYaml.bind(app));
  }

  take(check: () => void): void {
    // a chart is validated again when it is asked for what it renders
    if (this.checking || this.state === 'checked') return;
    this.checking = true;
    try {
      check();
    } finally {
      this.checking = false;
    }
    if (this.state === 'synth') this.state = 'checked';
  }
}

/** What an app renders, and by which construct. */
const renderedBy = (app: App): readonly ManifestObject[] =>
  app.node.findAll().flatMap((chart) => (chart instanceof Chart ? renderedByChart(chart) : []));

function renderedByChart(chart: Chart): readonly ManifestObject[] {
  const own = chart.node
    .findAll()
    .filter((one) => ApiObject.isApiObject(one))
    .filter((object) => Chart.of(object) === chart)
    .map((object) => ({ object, manifest: manifestIn(object) }));
  if (chart.toJson === Chart.prototype.toJson)
    return own.map(({ object, manifest }) => manifestOf(object, manifest));
  // a chart that renders in its own way may change, drop or add objects
  const rendered = (chart.toJson() as readonly unknown[]).filter(isRecord);
  const byIdentity = new Map(rendered.map((manifest) => [identityOf(manifest), manifest]));
  const known = own.flatMap(({ object, manifest }) => {
    const changed = byIdentity.get(identityOf(manifest));
    byIdentity.delete(identityOf(manifest));
    if (changed) return [manifestOf(object, changed)];
    // gone, and with it what was merged over it
    return overridden.has(object) ? [{ ...manifestOf(object, manifest), manifest: {} }] : [];
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

/** What an object renders, beside what it was given: the same for an object whose type renders all that it holds. */
function manifestOf(object: ApiObject, manifest: Json): ManifestObject {
  const constructPath = object.node.path;
  const { patches = [], rendered } = overridden.get(object) ?? {};
  if (rendered === undefined && object.toJson === ApiObject.prototype.toJson)
    return manifestObject(manifest, { constructPath });
  return manifestObject(manifest, {
    constructPath,
    synth: {
      held: ApiObject.prototype.toJson.call(object) as Json,
      rendered: rendered?.() ?? (object.toJson() as Json),
      overrides: patches,
    },
  });
}

/** The patches over an object, and what it renders without them. */
const overridden = new WeakMap<ApiObject, { readonly patches: Json[]; readonly rendered: () => Json }>();

/** Merges a patch over whatever an object renders, and has every synth look whether it is there. */
export function overrideAtSynth(object: ApiObject, patch: Json): void {
  const known = overridden.get(object);
  if (known) known.patches.push(patch);
  else {
    const rendered = object.toJson.bind(object) as () => Json;
    const patches = [patch];
    overridden.set(object, { patches, rendered });
    object.toJson = () => patches.reduce<unknown>((manifest, one) => merge(manifest, one), rendered());
  }
  checkAtSynth(object);
}

/**
 * Accepts on purpose what a rule finds on an object, with a reason that is rendered as an annotation.
 *
 * @param object - the object, like `server.deployment`
 * @param code - code of the rule, like `TPU503`
 * @param reason - why it is right here
 * @throws InvalidInputError when there is no such rule, or no reason
 */
export function acceptFinding(object: ApiObject, code: string, reason: string): void {
  object.metadata.addAnnotation(...acceptAnnotation(code, reason));
}
