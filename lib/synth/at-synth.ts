import { isDeepStrictEqual } from 'node:util';
import { App, type Chart } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { errorsIn } from '../checks/check';
import { type ManifestObject } from '../manifest/manifest';
import { attachment } from '../problems/attached';
import { oneLine } from '../problems/shown';
import { renderedBy } from './rendered';

/**
 * Makes every synth of an app check everything that the app renders. An error that is not accepted stops the synth. All errors are
 * reported at once, each at the construct that renders the object. Every construct calls this; only the first call in an app matters.
 */
export function checkAtSynth(scope: IConstruct): void {
  const app = App.of(scope);
  if (checkOf.of(app) === undefined) checkOf.attach(app, new SynthCheck(app));
}

/** Calls `run` without the checks of the app's validations, because the caller does the checks. */
export function withoutChecks<T>(app: IConstruct, run: () => T): T {
  const check = checkOf.of(app);
  return check ? check.pause(run) : run();
}

/**
 * Validates all constructs of an app, and then checks what it renders, because a validation may change that.
 *
 * @returns the errors of each construct, in the order in which cdk8s reports them
 */
export function validateAndCheck(app: App): readonly string[] {
  const all = app.node.findAll();
  const validated = all.map((construct) => ({ construct, own: construct.node.validate() }));
  const found = checkOf.of(app)?.errors();
  return validated.flatMap(({ construct: { node }, own }) =>
    [...own, ...(found?.get(node.path) ?? [])].map((error) => `[${node.path}] ${error}`),
  );
}

/** Errors by the path of the construct. */
type Errors = ReadonlyMap<string, readonly string[]>;

/** The check of an app, as shared with other copies of the package. */
interface CheckOfApp {
  pause<T>(run: () => T): T;
  errors(): Errors;
}

const checkOf = attachment<CheckOfApp>('check');

/**
 * Checks an app once per synth, as a validation.
 *
 * cdk8s validates the app first, and once more before each chart that it renders, and no hook distinguishes these validations. But
 * `synth` and `synthYaml` iterate over `app.charts` after the first validation. The only change to an app is therefore that this list
 * reports an iteration.
 */
class SynthCheck implements CheckOfApp {
  private found: Errors = new Map();
  private readonly reporting = new WeakSet<IConstruct>();
  /** The objects that the first validation of a synth checked, until cdk8s reads the charts. */
  private checked: readonly ManifestObject[] | undefined;
  /** `validate`: a validation checks. `compare`: it checks if something has changed since then. `rest`: it does not check. */
  private state: 'validate' | 'compare' | 'rest' = 'validate';

  constructor(private readonly app: App) {
    // cdk8s validates the app first, which finds the errors. Each construct then reports its own errors.
    app.node.addValidation({
      validate: () => {
        this.validate();
        return [];
      },
    });
    const type = Object.getPrototypeOf(app) as object;
    Object.defineProperty(app, 'charts', {
      configurable: true,
      get: () => this.watched(Reflect.get(type, 'charts', app) as Chart[]),
    });
  }

  pause<T>(run: () => T): T {
    const before = this.state;
    this.state = 'rest';
    this.found = new Map();
    try {
      return run();
    } finally {
      this.state = before;
    }
  }

  errors(): Errors {
    return errorsByConstruct(this.rendered());
  }

  private rendered(): readonly ManifestObject[] {
    // A chart that overrides `toJson` validates the app again.
    return this.pause(() => renderedBy(this.app));
  }

  private validate(): void {
    if (this.state === 'rest') return;
    const objects = this.rendered();
    const isSame = this.state === 'compare' && isDeepStrictEqual(objects, this.checked);
    if (this.state === 'compare') this.state = 'rest';
    if (isSame) return;
    this.found = errorsByConstruct(objects);
    this.checked = objects;
    for (const construct of this.app.node.findAll()) {
      const { path } = construct.node;
      if (!this.found.has(path) || this.reporting.has(construct)) continue;
      this.reporting.add(construct);
      construct.node.addValidation({ validate: () => [...(this.found.get(path) ?? [])] });
    }
  }

  /** The charts, in a list that reports when cdk8s iterates over it right after a validation. */
  private watched(charts: Chart[]): Chart[] {
    const { checked } = this;
    this.checked = undefined;
    if (checked === undefined || this.state === 'rest') return charts;
    return Object.defineProperty([...charts], Symbol.iterator, {
      value: () => this.through(charts, checked),
    });
  }

  private *through(charts: readonly Chart[], checked: readonly ManifestObject[]): Generator<Chart> {
    const before = this.state;
    this.state = 'compare';
    this.checked = checked;
    try {
      yield* charts;
    } finally {
      this.state = before;
      this.checked = undefined;
    }
  }
}

function errorsByConstruct(objects: readonly ManifestObject[]): Errors {
  const errors = new Map<string, string[]>();
  for (const { constructPath = '', ...finding } of errorsIn(objects)) {
    const line = oneLine(
      `${finding.code} ${finding.object} ${finding.path}: ${finding.message}; ${finding.fix}`,
    );
    errors.set(constructPath, [...(errors.get(constructPath) ?? []), line]);
  }
  return errors;
}
