import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ApiObject, App as Cdk8sApp, type AppProps, Chart, Names, YamlOutputType } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { validateAndCheck, withoutChecks } from './at-synth';
import { inOnePass, manifestIn } from './one-pass';
import { yamlText } from './yaml-text';

/**
 * The `App` of cdk8s for many charts. It resolves, checks and renders everything once, while the `App` of cdk8s repeats this for each
 * chart. The files and the errors are the same, byte by byte.
 *
 * If dependencies form a cycle, or lead to a construct itself or into another app, the `App` of cdk8s does the work. A chart with its own
 * `toJson` renders itself. A `Lazy` is evaluated once per synth.
 *
 * @see https://cdk8s.io/docs/latest/reference/cdk8s/typescript/#app
 */
export class App extends Cdk8sApp {
  private readonly recordsMetadata: boolean;

  /** @param props - the props of the `App` of cdk8s */
  constructor(props: AppProps = {}) {
    super(props);
    this.recordsMetadata =
      props.recordConstructMetadata ?? process.env['CDK8S_RECORD_CONSTRUCT_METADATA'] === 'true';
  }

  /** Writes the manifests of all charts to the output folder. */
  override synth(): void {
    mkdirSync(this.outdir, { recursive: true });
    inOnePass(() => {
      withoutChecks(this, () => {
        validate(this);
        const synthesis = Synthesis.of(this);
        if (synthesis) this.write(synthesis);
        else super.synth();
      });
    });
  }

  /**
   * Renders the manifests of all charts.
   *
   * @returns the manifests of all charts as one YAML text
   */
  override synthYaml(): string {
    return inOnePass(() =>
      withoutChecks(this, () => {
        const synthesis = Synthesis.of(this);
        validate(this);
        if (!synthesis) return super.synthYaml();
        return yaml(synthesis.charts.flatMap((chart) => synthesis.documents(chart)));
      }),
    );
  }

  private write(synthesis: Synthesis): void {
    const { charts } = synthesis;
    const extension = this.outputFileExtension;
    const save = (name: string, documents: readonly unknown[]): void => {
      writeFileSync(path.join(this.outdir, name + extension), yaml(documents));
    };
    switch (this.yamlOutputType) {
      case YamlOutputType.FILE_PER_APP: {
        const documents = charts.flatMap((chart) => synthesis.documents(chart));
        if (charts.length > 0) save('app', documents);
        break;
      }
      case YamlOutputType.FILE_PER_CHART:
        for (const chart of charts) {
          const name = synthesis.nameOf(chart);
          save(name, synthesis.documents(chart));
        }
        break;
      case YamlOutputType.FILE_PER_RESOURCE:
        for (const chart of charts)
          for (const document of synthesis.documents(chart) as readonly (NamedManifest | undefined)[])
            if (document !== undefined) save(resourceName(document.kind, document.metadata.name), [document]);
        break;
      case YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE:
        for (const chart of charts) {
          const folder = synthesis.nameOf(chart);
          const objects = synthesis.objects(chart);
          mkdirSync(path.join(this.outdir, folder), { recursive: true });
          for (const object of objects)
            save(path.join(folder, resourceName(object.kind, object.metadata.name)), [manifestIn(object)]);
        }
        break;
    }
    if (this.recordsMetadata) {
      const objects = charts.flatMap((chart) => synthesis.objects(chart));
      const resources = Object.fromEntries(objects.map(({ name, node }) => [name, { path: node.path }]));
      const metadata = { version: '1.0.0', resources };
      writeFileSync(path.join(this.outdir, 'construct-metadata.json'), JSON.stringify(metadata));
    }
  }
}

interface NamedManifest {
  readonly kind: string;
  readonly metadata: { readonly name?: string };
}

const resourceName = (kind: string, name: string | undefined): string =>
  `${kind}.${String(name)}`.replace(/[^0-9a-zA-Z-_.]/g, '');

const yaml = (documents: readonly unknown[]): string => documents.map(yamlText).join('---\n');

function validate(app: Cdk8sApp): void {
  const errors = validateAndCheck(app);
  if (errors.length > 0)
    throw new Error(`Validation failed with the following errors:\n  ${errors.join('\n  ')}`);
}

/** The order in which an app renders. */
class Synthesis {
  /** Returns the order of an app; undefined if cdk8s has to find it. Adds dependencies between objects that follow from others. */
  static of(app: Cdk8sApp): Synthesis | undefined {
    const all = app.node.findAll();
    const nested = new Map<IConstruct, readonly ApiObject[]>();
    const objectsIn = (construct: IConstruct): readonly ApiObject[] => {
      const known = nested.get(construct);
      if (known) return known;
      const chart = Chart.of(construct);
      const objects = construct.node
        .findAll()
        .filter((one): one is ApiObject => ApiObject.isApiObject(one) && Chart.of(one) === chart);
      nested.set(construct, objects);
      return objects;
    };
    let hasDependantCharts = false;
    for (const parent of all) {
      if (!Chart.isChart(parent)) continue;
      for (const child of parent.node.children) {
        if (!Chart.isChart(child)) continue;
        parent.node.addDependency(child);
        hasDependantCharts = true;
      }
    }
    for (const [source, target] of dependencies(all)) {
      if (source === target || target.node.root !== app) return undefined;
      const [sourceChart, targetChart] = [Chart.of(source), Chart.of(target)];
      if (sourceChart === targetChart) continue;
      sourceChart.node.addDependency(targetChart);
      hasDependantCharts = true;
    }
    for (const [source, target] of dependencies(all))
      for (const object of objectsIn(target))
        for (const dependent of objectsIn(source))
          if (object !== dependent) dependent.node.addDependency(object);

    const targets = new Map(all.map((one) => [one, one.node.dependencies]));
    const order = sorted(all, targets);
    return order && new Synthesis(order, targets, hasDependantCharts);
  }

  readonly charts: readonly Chart[];
  private readonly numbers: ReadonlyMap<Chart, number> | undefined;

  private constructor(
    order: readonly IConstruct[],
    private readonly targets: Targets,
    hasDependantCharts: boolean,
  ) {
    this.charts = order.filter((one): one is Chart => Chart.isChart(one));
    if (hasDependantCharts) this.numbers = new Map(this.charts.map((chart, index) => [chart, index]));
  }

  /** Returns the name of a chart's file or folder, with a number if charts depend on each other. */
  nameOf(chart: Chart): string {
    const number = this.numbers?.get(chart);
    const name = Names.toDnsLabel(chart);
    return number === undefined ? name : `${String(number).padStart(4, '0')}-${name}`;
  }

  /** Returns the manifests of a chart. */
  documents(chart: Chart): readonly unknown[] {
    if (chart.toJson !== Chart.prototype.toJson) return Object.values(chart.toJson());
    return this.objects(chart).map(manifestIn);
  }

  /** Returns the objects of a chart in the order of their dependencies. */
  objects(chart: Chart): readonly ApiObject[] {
    return (sorted(chart.node.findAll(), this.targets) ?? []).filter(
      (one): one is ApiObject => ApiObject.isApiObject(one) && Chart.of(one) === chart,
    );
  }
}

const dependencies = (all: readonly IConstruct[]): readonly (readonly [IConstruct, IConstruct])[] =>
  all.flatMap((source) => source.node.dependencies.map((target) => [source, target] as const));

/** The dependencies of each construct. */
type Targets = ReadonlyMap<IConstruct, readonly IConstruct[]>;

/** Sorts constructs by their dependencies, and keeps the order otherwise; undefined for a cycle. */
function sorted(constructs: readonly IConstruct[], targets: Targets): readonly IConstruct[] | undefined {
  const all = numbersFirst(constructs);
  const known = new Set(all);
  const wanted = new Set(all.flatMap((one) => targets.get(one) ?? []));
  if (wanted.size === 0) return all;
  const state = new Map<IConstruct, 'open' | 'done'>();
  const order: IConstruct[] = [];
  const visit = (one: IConstruct): boolean => {
    if (state.has(one)) return state.get(one) === 'done';
    state.set(one, 'open');
    if (!(targets.get(one) ?? []).filter((target) => known.has(target)).every(visit)) return false;
    state.set(one, 'done');
    order.push(one);
    return true;
  };
  const roots = all.filter((one) => !wanted.has(one));
  return roots.every(visit) && order.length === all.length ? order : undefined;
}

/** Returns constructs in the order of cdk8s, which stores them by path: JavaScript sorts numeric keys first. */
function numbersFirst(all: readonly IConstruct[]): readonly IConstruct[] {
  if (!all.some(({ node: { id, path } }) => /^\d+$/.test(id) && id === path)) return all;
  return Object.values(Object.fromEntries(all.map((one) => [one.node.path, one])));
}
