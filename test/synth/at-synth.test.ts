import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiObject, App as Cdk8sApp, type AppProps, Chart, Lazy, Testing, YamlOutputType } from 'cdk8s';
import * as kplus from 'cdk8s-plus-29';
import { acceptFinding, App, findings, override } from '../../lib';
import { checkAtSynth } from '../../lib/synth/at-synth';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'at-synth-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const serviceAccount = (chart: Chart, id: string, name = id): ApiObject =>
  new ApiObject(chart, id, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });

/** An app of three charts, each with one object that the checks read. */
function appOf(
  AppClass: typeof Cdk8sApp,
  props: AppProps = {},
): { app: Cdk8sApp; charts: [Chart, Chart, Chart] } {
  const app = new AppClass({ outdir: mkdtempSync(path.join(folder, 'dist-')), ...props });
  const charts = ['a', 'b', 'c'].map((id) => new Chart(app, id)) as [Chart, Chart, Chart];
  for (const chart of charts) serviceAccount(chart, chart.node.id);
  checkAtSynth(app);
  return { app, charts };
}

/** The message of what a function throws, if it throws. */
function failureOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return String(error);
  }
  return undefined;
}

const OUTPUTS = [
  YamlOutputType.FILE_PER_APP,
  YamlOutputType.FILE_PER_CHART,
  YamlOutputType.FILE_PER_RESOURCE,
  YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE,
] as const;
const SYNTHS: readonly (readonly [string, (app: Cdk8sApp) => unknown])[] = [
  ['synthYaml', (app) => app.synthYaml()],
  ...OUTPUTS.map(
    (yamlOutputType) =>
      [
        `synth, output type ${String(yamlOutputType)}`,
        (app: Cdk8sApp) => {
          Reflect.set(app, 'yamlOutputType', yamlOutputType);
          app.synth();
        },
      ] as const,
  ),
];
const APPS = [
  ['the App of cdk8s', Cdk8sApp],
  ['our App', App],
] as const;

describe.each(APPS)('%s', (_, AppClass) => {
  test('keeps its methods', () => {
    const { app } = appOf(AppClass);
    expect([Object.hasOwn(app, 'synth'), Object.hasOwn(app, 'synthYaml')]).toEqual([false, false]);
    expect(Object.keys(app)).toEqual(Object.keys(new AppClass()));
  });

  test('lists its charts as before', () => {
    const { app, charts } = appOf(AppClass);
    charts[0].addDependency(charts[2]);
    const expected = [charts[2], charts[0], charts[1]];
    expect(app.charts).toEqual(expected);
    app.synth();
    Testing.synth(charts[0]);
    const list = app.charts;
    expect([list.length, [...list], [...list], list.map((chart) => chart)]).toEqual([
      3,
      expected,
      expected,
      expected,
    ]);
  });

  test.each(SYNTHS)('checks again after each change: %s', (__, synth) => {
    const { app, charts } = appOf(AppClass);
    let name = 'fine';
    new ApiObject(charts[2], 'lazy', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'lazy', labels: { team: Lazy.any({ produce: () => name }) as string } },
    });
    const typed = new kplus.ConfigMap(charts[1], 'typed', { metadata: { name: 'typed' } });
    const said = (): string | undefined => failureOf(() => synth(app));
    expect(said()).toBeUndefined();
    name = '-';
    expect(said()).toContain('[c/lazy] TPU712 ServiceAccount/lazy metadata.labels[team]');
    name = 'fine';
    expect(said()).toBeUndefined();
    typed.metadata.addLabel('tier', '-');
    expect(said()).toContain('[b/typed/Resource] TPU712 ConfigMap/typed metadata.labels[tier]');
    typed.metadata.addLabel('tier', 'web');
    expect(said()).toBeUndefined();
    const added = serviceAccount(charts[0], 'added', 'B');
    expect(said()).toContain('[a/added] TPU713 ServiceAccount/B');
    acceptFinding(added, 'TPU713', 'for a test');
    expect(said()).toBeUndefined();
  });

  test('checks each time that a chart renders its objects', () => {
    const { charts } = appOf(AppClass);
    const said = (index: 0 | 1 | 2): string | undefined => failureOf(() => Testing.synth(charts[index]));
    expect([said(0), said(1)]).toEqual([undefined, undefined]);
    const object = serviceAccount(charts[1], 'added', 'B');
    expect([said(0), said(1)]).toEqual([
      expect.stringContaining('TPU713'),
      expect.stringContaining('TPU713'),
    ]);
    override(object, { metadata: { name: 'b2' } });
    expect([said(0), said(1), said(2)]).toEqual([undefined, undefined, undefined]);
    override(object, { metadata: { name: 'C' } });
    expect(failureOf(() => charts[0].node.root.node.validate())).toBeUndefined();
    expect(said(2)).toContain('TPU713 ServiceAccount/C');
  });

  test('checks each time that a program iterates over the charts', () => {
    const { app, charts } = appOf(AppClass);
    const rendered = (): string | undefined =>
      failureOf(() => {
        for (const chart of app.charts) chart.toJson();
      });
    expect(rendered()).toBeUndefined();
    app.synth();
    serviceAccount(charts[2], 'added', 'B');
    expect(rendered()).toContain('[c/added] TPU713');
  });

  test('checks again after a synth that failed halfway', () => {
    const { app, charts } = appOf(AppClass);
    const broken = new ApiObject(charts[1], 'broken', { apiVersion: 'v1', kind: 'ConfigMap' });
    const render = broken.toJson.bind(broken) as () => unknown;
    // The App of cdk8s renders it twice for the checks and once for the file, ours once for both.
    let times = AppClass === App ? 2 : 0;
    broken.toJson = () => {
      times += 1;
      if (times === 3) throw new Error('it broke');
      return render();
    };
    const first = failureOf(() => {
      app.synth();
    });
    expect(first).toBe('Error: it broke');
    serviceAccount(charts[0], 'added', 'B');
    expect(
      failureOf(() => {
        app.synth();
      }),
    ).toContain('[a/added] TPU713');
  });

  test('checks the changes of a validation before it writes anything', () => {
    const { app, charts } = appOf(AppClass);
    const object = serviceAccount(charts[1], 'changed');
    charts[2].node.addValidation({
      validate: () => {
        object.metadata.addLabel('team', '-');
        return [];
      },
    });
    expect(
      failureOf(() => {
        app.synth();
      }),
    ).toBe(
      `Error: Validation failed with the following errors:\n  [b/changed] ${findings(object)
        .map(({ code, object: id, path: at, message, fix }) => `${code} ${id} ${at}: ${message}; ${fix}`)
        .join('\n')}`,
    );
    expect(existsSync(app.outdir) && readdirSync(app.outdir)).toEqual([]);
  });

  test('reports errors together with the errors of other validations', () => {
    const { app, charts } = appOf(AppClass);
    const object = serviceAccount(charts[1], 'wrong', 'B');
    object.node.addValidation({ validate: () => ['it is mine'] });
    app.node.addValidation({ validate: () => ['it is the app'] });
    const lines = failureOf(() => app.synthYaml())
      ?.split('\n')
      .slice(1);
    expect(lines).toEqual([
      '  [] it is the app',
      '  [b/wrong] it is mine',
      expect.stringContaining('[b/wrong] TPU713'),
    ]);
  });
});
