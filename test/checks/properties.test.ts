import { App, Chart } from 'cdk8s';
import fc from '../fast-check';
import { errorsIn, type Finding, findingsIn } from '../../lib/checks/check';
import { isRecord, manifestObject } from '../../lib/manifest/manifest';
import { CONSTRUCTS, type Legal, names } from './generators';
import { throws } from './manifests';

/** An app with some charts of constructs with unique names. */
function appOf(charts: readonly (readonly { readonly name: string; readonly legal: Legal }[])[]): App {
  const app = new App();
  for (const [index, constructs] of charts.entries()) {
    const chart = new Chart(app, `chart-${String(index)}`);
    for (const { name, legal } of constructs) legal.add(chart, name);
  }
  return app;
}

/** Errors and warnings in all manifests of an app. */
const found = (app: App): readonly Finding[] =>
  findingsIn(
    app.charts.flatMap((chart) =>
      (chart.toJson() as readonly unknown[]).filter(isRecord).map((manifest) => manifestObject(manifest)),
    ),
  ).filter(({ severity }) => severity !== 'note');

const codes = (findings: readonly Finding[]): readonly string[] =>
  // these props do not set a model cache
  [
    ...new Set(
      findings.filter(({ code }) => code !== 'TPU405').map(({ code, severity }) => `${code} ${severity}`),
    ),
  ].sort();

const expected = (constructs: readonly Legal[]): readonly string[] =>
  [...new Set(constructs.flatMap(({ warnings }) => warnings.map((code) => `${code} warning`)))].sort();

describe('any legal props', () => {
  test.each(Object.entries(CONSTRUCTS))('render only the expected findings: %s', (_, of) => {
    fc.assert(
      fc.property(of, names, (legal, name) => {
        const app = appOf([[{ name, legal }]]);
        // a synth stops at errors
        app.synthYaml();
        expect(codes(found(app))).toEqual(expected([legal]));
      }),
      { numRuns: 40 },
    );
  });

  test('render no errors with several constructs in one app', () => {
    const constructs = fc
      .uniqueArray(names, { minLength: 2, maxLength: 6 })
      .chain((all) =>
        fc.tuple(
          ...all.map((name) =>
            fc.record({ name: fc.constant(name), legal: fc.oneof(...Object.values(CONSTRUCTS)) }),
          ),
        ),
      );
    fc.assert(
      fc.property(constructs, fc.nat(5), (all, first) => {
        const app = appOf([all.slice(0, first), all.slice(first)]);
        app.synthYaml();
        expect(codes(found(app))).toEqual(expected(all.map(({ legal }) => legal)));
      }),
      { numRuns: 40 },
    );
  });
});

describe('input that is not a manifest', () => {
  const KINDS = [
    'Deployment',
    'StatefulSet',
    'Job',
    'CronJob',
    'Pod',
    'Service',
    'Secret',
    'JobSet',
    'RayService',
    'RayCluster',
    'RayJob',
    'LeaderWorkerSet',
    'PodMonitoring',
    'HorizontalPodAutoscaler',
    'PodDisruptionBudget',
    'ComputeClass',
    'PersistentVolume',
  ] as const;
  const KEYS = [
    ...['metadata', 'spec', 'template', 'containers', 'initContainers', 'volumes', 'name', 'namespace'],
    ...[
      'labels',
      'annotations',
      'nodeSelector',
      'selector',
      'matchLabels',
      'matchExpressions',
      'ports',
      'port',
    ],
    ...['env', 'value', 'resources', 'limits', 'requests', 'google.com/tpu', 'replicas', 'replicatedJobs'],
    ...['rayClusterConfig', 'headGroupSpec', 'workerGroupSpecs', 'leaderWorkerTemplate', 'workerTemplate'],
    ...['cloud.google.com/gke-tpu-accelerator', 'cloud.google.com/gke-tpu-topology', 'affinity', 'metrics'],
    ...[
      'startupProbe',
      'httpGet',
      'emptyDir',
      'csi',
      'volumeMounts',
      'serveConfigV2',
      'endpoints',
      'priorities',
    ],
    ...['__proto__', 'constructor', 'toString'],
  ];
  const scalar = fc.oneof(
    fc.anything({ maxDepth: 0 }),
    fc.constantFrom(
      '4',
      '2x4',
      'tpu-v6e-slice',
      '-1',
      '1e999',
      'gs://',
      'true',
      '',
      '::',
      'applications: [{',
    ),
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof({ maxDepth: 6 }, scalar, fc.array(tie('json'), { maxLength: 3 }), tie('map')),
    map: fc.dictionary(fc.constantFrom(...KEYS), tie('json'), { maxKeys: 6 }),
  }));
  const manifest = fc.record(
    {
      apiVersion: fc.constantFrom('v1', 'apps/v1', 'ray.io/v1', 7, null),
      kind: fc.constantFrom(...KINDS),
      metadata: json,
      spec: json,
    },
    { requiredKeys: ['kind'] },
  );

  test('never makes a rule throw', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(manifest, fc.object()), { maxLength: 4 }), (all) => {
        // all types of JSON and YAML
        const read = (JSON.parse(JSON.stringify(all, plain)) as readonly unknown[]).filter(isRecord);
        expect(() => findingsIn(read.map((one) => manifestObject(one)))).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });

  test('never makes a rule throw in place of any part of a rendered manifest', () => {
    const somewhere = fc.oneof(...Object.values(CONSTRUCTS)).chain((legal) => {
      const [chart] = appOf([[{ name: 'server', legal }]]).charts;
      const rendered = JSON.stringify(chart?.toJson());
      const size = places(JSON.parse(rendered)).length;
      return fc.tuple(fc.constant(rendered), fc.nat(size - 1), scalar);
    });
    fc.assert(
      fc.property(somewhere, ([rendered, place, value]) => {
        const all: unknown = JSON.parse(rendered);
        const [owner, key] = places(all)[place] ?? [{}, ''];
        Object.assign(owner, { [key]: (JSON.parse(JSON.stringify([value], plain)) as unknown[])[0] });
        const objects = (Array.isArray(all) ? all : []).filter(isRecord).map((one) => manifestObject(one));
        expect(throws(() => findingsIn(objects))).toBe(false);
        // a synth skips only the rules that report no errors
        expect(errorsIn(objects)).toEqual(
          findingsIn(objects).filter(
            ({ severity, accepted }) => severity === 'error' && accepted === undefined,
          ),
        );
      }),
      { numRuns: 200 },
    );
  });
});

/** Every place in a value: its parent and its key. */
const places = (value: unknown): (readonly [owner: object, key: string])[] =>
  value === null || typeof value !== 'object'
    ? []
    : Object.entries(value).flatMap(([key, child]) => [[value, key] as const, ...places(child)]);

/** A number that JSON cannot represent. */
const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);
