import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as cdk8s from 'cdk8s';
import { type ApiObject } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import * as constructs from 'constructs';
import type * as environments from '../../examples/environments';
import type * as examples from '../../examples';
import type * as platform from '../../examples/platform';
import * as ours from '../../lib';

// A package manager installs the package twice in one tree if two packages of the tree require different versions of it. The tree
// has one copy of the peer dependencies, including cdk8s.

type Library = typeof ours;

/** Loads modules that no other test has loaded, except for the peer dependencies. */
function loaded(module: string, library?: Library): unknown {
  let exported: unknown;
  jest.isolateModules(() => {
    jest.doMock('cdk8s', () => cdk8s);
    jest.doMock('constructs', () => constructs);
    jest.doMock('cdk8s-plus-29/lib/imports/k8s', () => k8s);
    if (library) jest.doMock('../../lib', () => library);
    exported = jest.requireActual(module);
    jest.dontMock('../../lib');
  });
  return exported;
}

const theirs = loaded('../../lib') as Library;

const isConstruct = (value: unknown): boolean =>
  typeof value === 'function' && value.prototype instanceof constructs.Construct;

/** A library with the exports of both copies. */
const mixed = (isTheirs: (name: string, index: number) => boolean): Library =>
  Object.fromEntries(
    Object.keys(ours)
      .sort()
      .map((name, index) => [name, (isTheirs(name, index) ? theirs : ours)[name as keyof Library]]),
  ) as unknown as Library;

/** The manifests and runbooks of all examples, made with a library. */
function rendered(library: Library): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'copies-'));
  const app = (name: string): cdk8s.App => new library.App({ outdir: path.join(folder, name) });
  const apps = [app('examples'), app('platform')] as const;
  (loaded('../../examples', library) as typeof examples).addExamples(apps[0]);
  (loaded('../../examples/platform', library) as typeof platform).addPlatform(apps[1]);
  const others = (loaded('../../examples/environments', library) as typeof environments).addEnvironments(app);
  const texts = [...apps, ...Object.values(others)].flatMap((one) => [
    one.synthYaml(),
    ...one.charts.map((chart) => String(new library.Runbook(chart))),
  ]);
  rmSync(folder, { recursive: true });
  return texts;
}

test('the second copy is a copy', () => {
  expect(Object.keys(theirs)).toEqual(Object.keys(ours));
  expect(theirs.TpuSlice).not.toBe(ours.TpuSlice);
  expect(new theirs.App()).toBeInstanceOf(cdk8s.App);
});

describe('the examples are the same', () => {
  const expected = rendered(ours);

  test.each<[string, (name: string, index: number) => boolean]>([
    ['values', (name) => !isConstruct(ours[name as keyof Library])],
    ['constructs', (name) => isConstruct(ours[name as keyof Library])],
    ['every second export', (_, index) => index % 2 === 0],
    ['every other second export', (_, index) => index % 2 === 1],
  ])('with %s of the second copy', (_, isTheirs) => {
    expect(rendered(mixed(isTheirs))).toEqual(expected);
  });
});

type VolumeOptions = ConstructorParameters<typeof ours.GcsFuseVolume>[0];

function server(
  library: Library,
  values: Library,
  chart: cdk8s.Chart,
  options: Partial<VolumeOptions> = {},
): ours.VllmServer {
  return new library.VllmServer(chart, chart.node.id, {
    model: 'meta-llama/Llama-3.1-8B',
    slice: values.TpuSlice.of('ct6e-standard-4t'),
    modelCache: new values.GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data', ...options }),
  });
}

test.each<[string, Partial<VolumeOptions>]>([
  ['without a cache', {}],
  ['with a cache', { cache: { medium: 'ram', sizeLimit: '40Gi' } }],
  ['with a cache that is too small', { cache: { medium: 'ram', sizeLimit: '1Gi' } }],
])('a server has the same time to load its model from a volume of the second copy, %s', (_, options) => {
  const [expected, actual] = [ours, theirs].map((values) => {
    const chart = cdk8s.Testing.chart();
    try {
      server(ours, values, chart, options);
      return JSON.stringify(cdk8s.Testing.synth(chart));
    } catch (error) {
      return String(error);
    }
  });
  expect(actual).toBe(expected);
});

describe.each([
  ['the App of cdk8s', cdk8s.App],
  ['the App of the first copy', ours.App],
  ['the App of the second copy', theirs.App],
])('with constructs of both copies, %s', (_, AppClass) => {
  const build = (): {
    app: cdk8s.App;
    charts: [cdk8s.Chart, cdk8s.Chart];
    objects: [ApiObject, ApiObject];
  } => {
    const app = new AppClass();
    const charts = [new cdk8s.Chart(app, 'first'), new cdk8s.Chart(app, 'second')] as const;
    const [first, second] = charts;
    const objects = [server(ours, ours, first).workload, server(theirs, theirs, second).workload] as const;
    return { app, charts: [...charts], objects: [...objects] };
  };

  /** The lines of the error that a synth throws. */
  const said = (app: cdk8s.App): readonly string[] => {
    try {
      app.synthYaml();
      return [];
    } catch (error) {
      return String(error).split('\n').slice(1);
    }
  };

  test('reports each error once', () => {
    const { app, objects } = build();
    for (const object of objects) object.metadata.addLabel('team', '-');
    expect(said(app).map((line) => line.replace(/:.*/, ''))).toEqual(
      objects.map(({ node, name }) => `  [${node.path}] TPU712 Deployment/${name} metadata.labels[team]`),
    );
  });

  test('renders for the checks as often as with one copy', () => {
    const { app, objects } = build();
    let times = 0;
    const [object] = objects;
    const render = object.toJson.bind(object) as () => unknown;
    object.toJson = () => {
      times += 1;
      return render();
    };
    app.synthYaml();
    expect(times).toBeLessThanOrEqual(3);
  });

  test('merges overrides of both copies over one object, and checks both', () => {
    const { app, objects } = build();
    const [object] = objects;
    ours.override(object, { spec: { paused: true, minReadySeconds: 1 } });
    theirs.override(object, { spec: { minReadySeconds: 2 } });
    expect(object.toJson()).toMatchObject({ spec: { paused: true, minReadySeconds: 2 } });
    expect(said(app)).toEqual([expect.stringMatching(/TPU912 Deployment\/first spec\.minReadySeconds/)]);
    for (const library of [ours, theirs])
      expect(library.findings(object).map(({ code }) => code)).toContain('TPU912');
  });

  test('annotates for Argo CD once', () => {
    const { app, charts } = build();
    const props = { chart: charts[0], repoURL: 'https://example.com/a.git', path: 'dist' };
    const { length } = app.resolvers;
    const applications = new cdk8s.Chart(cdk8s.Testing.app(), 'applications');
    new ours.ArgoApplication(applications, 'ours', props);
    new theirs.ArgoApplication(applications, 'theirs', props);
    expect(app.resolvers).toHaveLength(length + 1);
  });

  test('has the same runbook from both copies', () => {
    const { charts } = build();
    const pages = charts.map((chart) => [ours, theirs].map(({ Runbook }) => String(new Runbook(chart))));
    expect(pages.map(([first]) => first)).toEqual([
      expect.stringContaining('deployment/first'),
      expect.stringContaining('deployment/second'),
    ]);
    expect(pages.map(([first, second]) => first === second)).toEqual([true, true]);
  });
});

describe('a second copy of cdk8s-plus', () => {
  let other = k8s;
  jest.isolateModules(() => {
    other = jest.requireActual<typeof k8s>('cdk8s-plus-29/lib/imports/k8s');
  });

  /** A class that `cdk8s import k8s` generates. */
  class IntOrString {
    constructor(readonly value: number | string) {}
  }

  const rendered = (fields: ours.PodFragment, more: ours.PodFragment = {}): unknown =>
    ours.podTemplate({ container: { name: 'main', image: 'main:v1' }, given: [fields, more] }).spec;

  const fragment = ({
    Quantity,
    IntOrString: Port,
  }: Pick<typeof k8s, 'Quantity' | 'IntOrString'>): ours.PodFragment => ({
    volumes: [{ name: 'scratch', emptyDir: { sizeLimit: Quantity.fromNumber(8) } }],
    volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
    container: { readinessProbe: { tcpSocket: { port: Port.fromNumber(8080) } } },
  });

  test('is a copy', () => {
    expect(other.Quantity).not.toBe(k8s.Quantity);
  });

  test('renders the same as the first', () => {
    expect(rendered(fragment(other))).toEqual(rendered(fragment(k8s)));
    expect(rendered(fragment(other))).toMatchObject({ volumes: [{ emptyDir: { sizeLimit: '8' } }] });
  });

  test('agrees with the first', () => {
    expect(rendered(fragment(other), fragment(k8s))).toEqual(rendered(fragment(k8s)));
    expect(() =>
      rendered(fragment(k8s), {
        container: { readinessProbe: { tcpSocket: { port: other.IntOrString.fromNumber(9) } } },
      }),
    ).toThrow("container.readinessProbe.tcpSocket.port: has two values, '8080' and '9'; use one of them");
  });

  test('can be generated by `cdk8s import`', () => {
    const generated = { container: { readinessProbe: { tcpSocket: { port: new IntOrString(8080) } } } };
    expect(rendered(generated as object)).toMatchObject({
      containers: [{ readinessProbe: { tcpSocket: { port: 8080 } } }],
    });
  });
});
