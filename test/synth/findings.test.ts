import { ApiObject, App as Cdk8sApp, Chart, Testing } from 'cdk8s';
import { acceptFinding, App, type Finding, findings, PvcVolume, TpuSlice, VllmServer } from '../../lib';

const serviceAccount = (chart: Chart, id: string, name = id): ApiObject =>
  new ApiObject(chart, id, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });

const codes = (found: readonly Finding[]): readonly string[] =>
  found.map(({ code, object }) => `${code} ${object}`);

describe('findings', () => {
  test.each([
    ['the App of cdk8s', Cdk8sApp],
    ['our App', App],
  ])('accepts an app, a chart or a construct: %s', (_, AppClass) => {
    const app = new AppClass();
    const [one, other] = [new Chart(app, 'one'), new Chart(app, 'one-more')];
    const wrong = serviceAccount(one, 'wrong', 'A');
    serviceAccount(other, 'wrong', 'B');
    serviceAccount(new Chart(one, 'inner'), 'wrong', 'C');
    expect(codes(findings(app))).toEqual([
      'TPU713 ServiceAccount/A',
      'TPU713 ServiceAccount/C',
      'TPU713 ServiceAccount/B',
    ]);
    expect(codes(findings(one))).toEqual(['TPU713 ServiceAccount/A', 'TPU713 ServiceAccount/C']);
    expect(codes(findings(other))).toEqual(['TPU713 ServiceAccount/B']);
    expect(findings(wrong)).toEqual([
      {
        code: 'TPU713',
        severity: 'error',
        object: 'ServiceAccount/A',
        namespace: '',
        path: 'metadata.name',
        message: expect.stringContaining("'A'"),
        fix: expect.stringContaining("'a'"),
        constructPath: 'one/wrong',
      },
    ]);
  });

  test('are errors and warnings by default; an option selects all or only errors', () => {
    const chart = Testing.chart();
    new VllmServer(chart, 'llama', {
      model: 'meta-llama/Llama-3.1-8B',
      slice: TpuSlice.of('ct6e-standard-1t'),
      maxModelLen: 8192,
      modelCache: new PvcVolume({ claimName: 'models', mountPath: '/data' }),
    });
    expect(findings(chart)).toEqual([]);
    expect(() => Testing.synth(chart)).not.toThrow();
    const privileged = { containers: [{ name: 'a', image: 'a:v1', securityContext: { privileged: true } }] };
    new ApiObject(chart, 'pod', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: privileged,
    });
    serviceAccount(chart, 'wrong', 'A');
    const severitiesOf = (severity?: 'note' | 'warning' | 'error'): readonly string[] =>
      [...new Set(findings(chart, { severity }).map((finding) => finding.severity))].sort();
    expect(severitiesOf()).toEqual(['error', 'warning']);
    expect(severitiesOf('warning')).toEqual(['error', 'warning']);
    expect(severitiesOf('note')).toEqual(['error', 'note', 'warning']);
    expect(severitiesOf('error')).toEqual(['error']);
  });

  test('do not include accepted findings', () => {
    const chart = Testing.chart();
    const wrong = serviceAccount(chart, 'wrong', 'A');
    expect(findings(chart)).toHaveLength(1);
    acceptFinding(wrong, 'TPU713', 'for a test');
    expect(findings(chart)).toEqual([]);
  });

  test('take objects of other charts into account', () => {
    const app = Testing.app();
    const [one, other] = [new Chart(app, 'one'), new Chart(app, 'other')];
    serviceAccount(other, 'same');
    expect(findings(other)).toEqual([]);
    serviceAccount(one, 'same');
    expect([codes(findings(one)), codes(findings(other))]).toEqual([[], ['TPU703 ServiceAccount/same']]);
  });

  test('are found even if a synth fails, also in a chart with its own toJson', () => {
    class Own extends Chart {
      override toJson(): unknown[] {
        return [
          ...(super.toJson() as unknown[]),
          { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'B' } },
        ];
      }
    }
    const chart = new Own(Testing.app(), 'own');
    new VllmServer(chart, 'llama', {
      model: 'meta-llama/Llama-3.1-8B',
      slice: TpuSlice.of('ct6e-standard-1t'),
      maxModelLen: 8192,
    });
    serviceAccount(chart, 'wrong', 'A');
    expect(() => chart.toJson()).toThrow('TPU713');
    const errors = findings(chart).filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code, object, constructPath }) => [code, object, constructPath])).toEqual([
      ['TPU713', 'ServiceAccount/A', 'own/wrong'],
      ['TPU713', 'ServiceAccount/B', 'own'],
    ]);
  });

  test('rejects a value that is not a construct, and an unknown severity', () => {
    const wrong = { severity: 'warn' } as unknown as { severity: 'warning' };
    expect(() => findings({} as unknown as Chart, wrong)).toThrow(
      [
        'scope: is not a construct; use an app, a chart or another construct',
        "severity: 'warn' is not known; use one of 'note', 'warning', 'error'",
      ].join('\n'),
    );
  });
});
