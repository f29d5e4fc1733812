import { readFileSync } from 'node:fs';
import path from 'node:path';
import { VLLM_METRICS } from '../lib/facts/metrics';
import { root } from './pages';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly datasource: { readonly type: string; readonly uid: string };
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
  readonly targets: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat: string;
  }[];
}

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query: string | { readonly query: string };
}

interface Dashboard {
  readonly title: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
}

const dashboard = JSON.parse(
  readFileSync(path.join(root, 'docs', 'grafana', 'vllm-tpu.json'), 'utf8'),
) as Dashboard;

const variables = dashboard.templating.list;
const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const queries = variables.map(({ query }) => (typeof query === 'string' ? query : query.query));

/** Metrics of an expression: the names before a selector or a comma that have a colon. */
const metricsIn = (expression: string): readonly string[] => expression.match(/\b\w+:\w+/g) ?? [];

/** The metric that a series belongs to: `x_bucket` belongs to histogram `x`. */
const metricOf = (series: string): string => series.replace(/_(bucket|sum|count)$/, '');

describe('the Grafana dashboard', () => {
  test('shows only metrics of the catalog, in the form of their types', () => {
    const series = [...new Set([...expressions, ...queries].flatMap(metricsIn))];
    expect(series.length).toBeGreaterThan(10);
    expect(series.filter((one) => !VLLM_METRICS.has(metricOf(one)))).toEqual([]);
    const histograms = series.filter((one) => VLLM_METRICS.get(metricOf(one)) === 'histogram');
    expect(histograms.filter((one) => !one.endsWith('_bucket'))).toEqual([]);
  });

  test('shows every metric of the catalog', () => {
    const shown = expressions.flatMap(metricsIn).map(metricOf);
    expect([...VLLM_METRICS.keys()].filter((metric) => !shown.includes(metric))).toEqual([]);
  });

  test('computes rates only of counters and histograms', () => {
    for (const expression of expressions) {
      const rated = [...expression.matchAll(/rate\((\w+:\w+)/g)].map(([, name = '']) => name);
      const growing = metricsIn(expression).filter((one) => VLLM_METRICS.get(metricOf(one)) !== 'gauge');
      expect([expression, rated]).toEqual([expression, growing]);
    }
  });

  test.each(dashboard.panels)(
    'the panel "$title" has a unit, a legend and the data source of the variable',
    (panel) => {
      expect(['stat', 'timeseries']).toContain(panel.type);
      expect(panel.datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
      expect(panel.fieldConfig.defaults.unit).toMatch(/./);
      expect(panel.targets.length).toBeGreaterThan(0);
      for (const { legendFormat } of panel.targets) expect(legendFormat).toMatch(/./);
      expect(new Set(panel.targets.map(({ refId }) => refId)).size).toBe(panel.targets.length);
    },
  );

  test('has balanced expressions that use only known variables', () => {
    const known = [...variables.map(({ name }) => name), '__rate_interval'];
    for (const expression of [...expressions, ...queries]) {
      for (const [open, close] of ['()', '{}', '[]'].map((pair) => pair.split('')))
        expect(expression.split(open ?? '').length).toBe(expression.split(close ?? '').length);
      const used = [...expression.matchAll(/\$(\w+)/g)].map(([, name = '']) => name);
      expect(used.filter((name) => !known.includes(name))).toEqual([]);
    }
  });

  test('starts with a variable for the data source', () => {
    expect(variables[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
  });

  test('has panels with different ids that do not overlap', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, i) => `${String(x + (i % w))},${String(y + Math.floor(i / w))}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...panels.map(({ gridPos: { w, x } }) => x + w))).toBeLessThanOrEqual(24);
  });
});
