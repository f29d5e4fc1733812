import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  ApiObject,
  App as Cdk8sApp,
  type AppProps,
  Chart,
  type ChartProps,
  Include,
  JsonPatch,
  Lazy,
  type ResolutionContext,
  YamlOutputType,
} from 'cdk8s';
import { Construct } from 'constructs';
import fc from '../fast-check';
import { addExamples } from '../../examples';
import { addPlatform } from '../../examples/platform';
import { App, override, TpuSlice, VllmServer } from '../../lib';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'app-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The files below a folder, by their path; folders too, as `undefined`. */
const filesIn = (root: string): Record<string, string | undefined> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => {
      const file = path.join(root, name);
      return [name, statSync(file).isDirectory() ? undefined : readFileSync(file, 'utf8')];
    }),
  );

/** What it throws, or what it gives. */
function outcome<T>(run: () => T): { readonly value: T } | { readonly error: string } {
  try {
    return { value: run() };
  } catch (error) {
    return { error: String(error) };
  }
}

/** What an app of a class does: the files it writes, the error it throws, and the text of its manifests. */
function resultOf(AppClass: typeof Cdk8sApp, props: AppProps, add: (app: Cdk8sApp) => void): unknown {
  const outdir = mkdtempSync(path.join(folder, 'dist-'));
  const app = new AppClass({ ...props, outdir });
  const built = outcome(() => {
    add(app);
  });
  if ('error' in built) return built;
  const written = outcome(() => {
    app.synth();
  });
  const files = filesIn(outdir);
  rmSync(outdir, { recursive: true });
  return { written, files, text: outcome(() => app.synthYaml()) };
}

const OUTPUTS = [
  YamlOutputType.FILE_PER_APP,
  YamlOutputType.FILE_PER_CHART,
  YamlOutputType.FILE_PER_RESOURCE,
  YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE,
] as const;

function expectSame(add: (app: Cdk8sApp) => void, props: AppProps = {}): unknown {
  const ours = resultOf(App, props, add);
  expect(ours).toEqual(resultOf(Cdk8sApp, props, add));
  return ours;
}

/** What cdk8s writes, for each way to divide it into files; or the error that it throws. */
const expectSameFiles = (add: (app: Cdk8sApp) => void, error?: string): void => {
  const written = error === undefined ? { value: undefined } : { error: expect.stringContaining(error) };
  for (const yamlOutputType of OUTPUTS)
    expect(expectSame(add, { yamlOutputType })).toMatchObject({ written });
  const props = { recordConstructMetadata: true, outputFileExtension: '.yaml' };
  expect(expectSame(add, props)).toMatchObject({ written });
};

const configMap = (scope: Construct, id: string, data: unknown = {}): ApiObject =>
  new ApiObject(scope, id, { apiVersion: 'v1', kind: 'ConfigMap', data });

describe('App', () => {
  test.each([
    ['the examples', addExamples],
    ['the platform', addPlatform],
    ['nothing', () => undefined],
    ['a chart without objects', (app: Cdk8sApp) => new Chart(app, 'empty')],
  ])('writes the same files as the App of cdk8s: %s', (_, add) => {
    expectSameFiles((app) => {
      add(app);
    });
  });

  test('orders by dependencies of objects, constructs and charts as cdk8s does', () => {
    expectSameFiles((app) => {
      const [one, two, three] = ['one', '2', '10'].map((id) => new Chart(app, id)) as [Chart, Chart, Chart];
      const nested = new Chart(two, 'nested', { labels: { tier: 'web' }, namespace: 'team' });
      const group = new Construct(nested, 'group');
      const [a, b, c] = ['a', '7', '3'].map((id) => configMap(group, id)) as [
        ApiObject,
        ApiObject,
        ApiObject,
      ];
      a.addDependency(b);
      b.addDependency(c);
      configMap(one, 'x').addDependency(configMap(three, 'y'));
      one.addDependency(nested);
      configMap(three, 'z').node.addDependency(group);
    });
  });

  test.each([
    [['20', '30']],
    [['2', '3']],
    [['20', '03', '3']],
    [['chart', '30']],
    [['20', '30', '25', 'chart']],
  ])('orders charts in constructs with numbers as names as cdk8s does: %j', (ids) => {
    // JavaScript puts keys that are numbers first, so cdk8s renders chart 30 before the chart in construct 20.
    for (const isLinked of [false, true])
      expectSameFiles((app) => {
        const charts = ids.map((id, index) =>
          index % 2 === 0 ? new Chart(new Construct(app, id), 'inner') : new Chart(app, id),
        );
        for (const chart of charts) configMap(chart, 'object');
        const [first, second] = charts;
        if (isLinked && first && second) configMap(second, '6').addDependency(configMap(first, '5'));
      });
  });

  test('does not slow down along a chain of charts', () => {
    const app = new App({ outdir: mkdtempSync(path.join(folder, 'chain-')) });
    let before: Chart | undefined;
    // cdk8s would take longer than anybody waits: twice as long for each chart
    for (let index = 0; index < 60; index++) {
      const chart = new Chart(app, `chart-${String(index)}`);
      configMap(chart, 'object');
      if (before) chart.addDependency(before);
      before = chart;
    }
    app.synth();
    expect(readdirSync(app.outdir).sort().at(-1)).toBe('0059-chart-59.k8s.yaml');
  });

  test('lets cdk8s handle dependencies without an order: cycles, dependencies on itself and on another app', () => {
    const cycle = expectSame((app) => {
      const chart = new Chart(app, 'chart');
      const [a, b, c] = ['a', 'b', 'c'].map((id) => configMap(chart, id)) as [
        ApiObject,
        ApiObject,
        ApiObject,
      ];
      a.addDependency(b);
      b.addDependency(c);
      c.addDependency(a);
    });
    expect(cycle).toMatchObject({
      written: { error: 'Error: Dependency cycle detected: chart/a => chart/b => chart/c => chart/a' },
    });
    expectSame((app) => {
      const outer = new Chart(app, 'outer');
      configMap(new Chart(outer, 'inner'), 'a').addDependency(configMap(outer, 'b'));
    });
    expectSameFiles((app) => {
      const object = configMap(new Chart(app, 'chart'), 'itself');
      object.addDependency(object);
      configMap(object.chart, 'other');
    });
    expectSameFiles((app) => {
      const other = new Chart(new Cdk8sApp(), 'chart');
      configMap(new Chart(app, 'chart'), 'here').addDependency(
        configMap(other, 'here'),
        configMap(other, 'there'),
      );
    });
    expectSame((app) => {
      new Chart(app, 'chart').node.addDependency(app);
    });
  });

  test('renders charts, objects and values that render themselves', () => {
    class Own extends Chart {
      override toJson(): unknown[] {
        return [
          ...(super.toJson() as unknown[]),
          { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'own' } },
          undefined,
        ];
      }
    }
    const patched = { deep: { list: [1, { two: null }] } };
    expectSameFiles((app) => {
      const chart = new Own(app, 'own');
      configMap(chart, 'lazy', { at: Lazy.any({ produce: () => String(chart.node.children.length) }) });
      const object = configMap(new Chart(app, 'chart'), 'patched', { date: '2024-01-01', text: 'a\n b\n' });
      object.addJsonPatch(JsonPatch.add('/one', patched), JsonPatch.add('/two', patched));
      override(object, { three: patched });
    });
    class Upper {
      resolve(context: ResolutionContext): void {
        if (context.value === 'loud') context.replaceValue('LOUD');
      }
    }
    expectSame((app) => configMap(new Chart(app, 'chart'), 'object', { a: 'loud' }), {
      resolvers: [new Upper()],
    });
  });

  test('renders included manifests', () => {
    const url = path.join(folder, 'included.yaml');
    writeFileSync(url, 'kind: A\napiVersion: v1\nmetadata: {name: a}\n---\nkind: B\napiVersion: v1\n');
    expectSame((app) => new Include(new Chart(app, 'chart'), 'include', { url }));
  });

  test('reports the same errors as cdk8s, and leaves the same files', () => {
    expectSameFiles((app) => {
      const chart = new Chart(app, 'chart');
      configMap(chart, 'fine');
      chart.node.addValidation({ validate: () => ['one thing', 'another'] });
      app.node.addValidation({ validate: () => ['a third'] });
    }, 'a third');
    expectSameFiles((app) => {
      configMap(new Chart(app, 'first'), 'fine');
      configMap(new Chart(app, 'second'), 'broken', { no: new Map() });
    }, "can't render non-simple object");
    expectSame((app) => [new Chart(app, 'same'), new Chart(app, 'same')]);
  });

  test('checks once, with the findings of every synth', () => {
    const add = (app: Cdk8sApp): void => {
      const { workload } = new VllmServer(new Chart(app, 'chart'), 'server', {
        model: 'google/gemma-2b',
        slice: TpuSlice.of('ct6e-standard-1t'),
      });
      override(workload, { spec: { template: { spec: { nodeSelector: null } } } });
    };
    expect(expectSame(add)).toMatchObject({ written: { error: expect.stringContaining('[chart/server') } });
  });

  test('renders the changes of a validation, and checks them', () => {
    const labelled = (key: string) => (app: Cdk8sApp) => {
      const chart = new Chart(app, 'chart');
      const { workload } = new VllmServer(chart, 'llama', {
        model: 'meta-llama/Llama-3.1-8B',
        slice: TpuSlice.of('ct6e-standard-4t'),
      });
      chart.node.addValidation({
        validate: () => {
          workload.metadata.addLabel(key, 'red');
          return ['said once'];
        },
      });
    };
    expect(JSON.stringify(resultOf(App, {}, labelled('a_label-')))).toContain(
      '[chart] said once\\n  [chart/llama/Resource] TPU712 Deployment/llama metadata.labels[a_label-]:',
    );
    expectSame((app) => {
      const chart = new Chart(app, 'chart');
      const object = new ApiObject(chart, 'object', { apiVersion: 'v1', kind: 'ConfigMap' });
      chart.node.addValidation({
        validate: () => {
          object.metadata.addLabel('team', 'red');
          if (chart.node.tryFindChild('added') === undefined)
            new ApiObject(chart, 'added', { apiVersion: 'v1', kind: 'ConfigMap' });
          return [];
        },
      });
      new VllmServer(chart, 'llama', {
        model: 'meta-llama/Llama-3.1-8B',
        slice: TpuSlice.of('ct6e-standard-4t'),
      });
    });
  });

  test('renders one text without an earlier synth', () => {
    const textOf = (app: Cdk8sApp): string => {
      addExamples(app);
      return app.synthYaml();
    };
    expect(textOf(new App())).toBe(textOf(new Cdk8sApp()));
  });

  test('renders each object once, for the checks and for its file', () => {
    const app = new App({ outdir: mkdtempSync(path.join(folder, 'once-')) });
    addExamples(app);
    let asked = 0;
    configMap(new Chart(app, 'chart'), 'object', { at: Lazy.any({ produce: () => String(++asked) }) });
    app.synth();
    expect(asked).toBe(1);
  });

  test('writes nothing if no folder can be made', () => {
    const outdir = path.join(folder, 'a-file');
    writeFileSync(outdir, '');
    expect(() => {
      new App({ outdir }).synth();
    }).toThrow('EEXIST');
    expect(existsSync(path.join(outdir, 'app.k8s.yaml'))).toBe(false);
  });

  const ID = fc.oneof(
    fc.constantFrom('a', 'b', '1', '02', '10', 'Resource', 'default', 'A b'),
    fc.string({ minLength: 1, maxLength: 3 }),
  );
  const NODE = fc.record({
    kind: fc.constantFrom('chart', 'construct', 'object', 'object'),
    parent: fc.nat(),
    id: ID,
    props: fc.record<ChartProps>(
      {
        labels: fc.constant({ a: 'b' }),
        namespace: fc.constant('n'),
        disableResourceNameHashes: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    data: fc.jsonValue({ maxDepth: 2 }),
  });

  test('writes the same files as the App of cdk8s for any content', () => {
    const tree = fc.record({
      nodes: fc.array(NODE, { minLength: 1, maxLength: 9 }),
      edges: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 4 }),
      yamlOutputType: fc.constantFrom(...OUTPUTS),
      recordConstructMetadata: fc.boolean(),
    });
    fc.assert(
      fc.property(tree, ({ nodes, edges, ...props }) => {
        expectSame((app) => {
          const scopes: Construct[] = [new Chart(app, 'root')];
          for (const [index, { kind, parent, id: wanted, props: chartProps, data }] of nodes.entries()) {
            const given = scopes[parent % scopes.length] ?? app;
            const scope = kind === 'chart' && parent % 3 === 0 ? app : given;
            // two of one name are refused, and tested above
            const id = scope.node.tryFindChild(wanted) ? `${wanted}${String(index)}` : wanted;
            if (kind === 'chart') scopes.push(new Chart(scope, id, chartProps));
            else if (kind === 'construct') scopes.push(new Construct(scope, id));
            else scopes.push(configMap(scope, id, data));
          }
          for (const [from, to] of edges)
            scopes[from % scopes.length]?.node.addDependency(scopes[to % scopes.length] ?? app);
        }, props);
      }),
      { numRuns: 150 },
    );
  });
});
