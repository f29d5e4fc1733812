import { ApiObject, App, Chart } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { acceptAnnotation, errorsIn } from '../checks/check';
import { merge } from '../manifest/landed';
import { isRecord, type Json, type ManifestObject, manifestObject } from '../manifest/manifest';
import { manifestIn } from './one-pass';

const CHECKED = Symbol.for('cdk8s-tpu-serving.checked');

/**
 * Has every synth of the app check what all its charts render. Errors that nobody accepted stop the synth, all in one list, each at
 * the construct that renders it. Every construct calls it; the first call of an app counts.
 */
export function checkAtSynth(scope: IConstruct): void {
  const app = App.of(scope);
  if (CHECKED in app) return;
  Object.defineProperty(app, CHECKED, { value: new SynthCheck(app) });
}

/**
 * Validates constructs of an app, and checks then what it renders: a validation may still change that.
 *
 * @returns the errors of each construct, in the order that cdk8s has them
 */
export function validateAndCheck(
  app: App & { readonly [CHECKED]?: unknown },
  all: readonly IConstruct[],
): readonly string[] {
  const check = app[CHECKED];
  const validated = (): (readonly [IConstruct, readonly string[]])[] =>
    all.map((construct) => [construct, construct.node.validate()]);
  const errors = check instanceof SynthCheck ? check.last(validated) : validated();
  return errors.flatMap(([{ node }, own]) => own.map((error) => `[${node.path}] ${error}`));
}

/** The check of an app: a synth validates once for itself and once more for each chart, and nothing changes in between. */
class SynthCheck {
  private readonly errors = new Map<string, string[]>();
  private readonly asked = new WeakSet<IConstruct>();
  private state: 'alone' | 'checking' | 'synth' | 'checked' = 'alone';

  constructor(private readonly app: App) {
    // cdk8s validates the root first: it finds everything, and each construct then says its own.
    app.node.addValidation({
      validate: () => {
        this.take();
        return [];
      },
    });
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

  /** Checks after the constructs have been validated, and puts the errors of each behind its own. */
  last(
    validate: () => readonly (readonly [IConstruct, readonly string[]])[],
  ): readonly (readonly [IConstruct, readonly string[]])[] {
    this.errors.clear();
    this.state = 'checked';
    const validated = validate();
    this.find();
    return validated.map(([construct, own]) => [
      construct,
      [...own, ...(this.errors.get(construct.node.path) ?? [])],
    ]);
  }

  private take(): void {
    // a chart is validated again when it is asked for what it renders
    if (this.state === 'checking' || this.state === 'checked') return;
    const { state } = this;
    this.state = 'checking';
    try {
      this.find();
    } finally {
      this.state = state;
    }
    for (const construct of this.app.node.findAll()) {
      const { path } = construct.node;
      if (!this.errors.has(path) || this.asked.has(construct)) continue;
      this.asked.add(construct);
      construct.node.addValidation({ validate: () => this.errors.get(path) ?? [] });
    }
    if (state === 'synth') this.state = 'checked';
  }

  private find(): void {
    this.errors.clear();
    for (const { constructPath = '', ...finding } of errorsIn(renderedBy(this.app))) {
      const line = `${finding.code} ${finding.object} ${finding.path}: ${finding.message}; ${finding.fix}`;
      this.errors.set(constructPath, [...(this.errors.get(constructPath) ?? []), line]);
    }
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
