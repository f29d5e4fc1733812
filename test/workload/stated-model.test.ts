import { ApiObject, Chart, Testing } from 'cdk8s';
import fc from '../fast-check';
import {
  acceptFinding,
  findings,
  FlexStartJob,
  HuggingFaceToken,
  JetStreamServer,
  MACHINE_TYPES,
  SaxCell,
  TpuJob,
  type TpuMachineType,
  TpuRayCluster,
  TpuRayJob,
  TpuRayService,
  TpuServer,
  TpuSlice,
  VllmServer,
} from '../../lib';
import { type Problem } from '../../lib/problems/problems';
import { memoryFindings } from '../../lib/tpu/memory-findings';
import { topologiesOf } from '../../lib/tpu/topology';
import { modelOfSize } from '../../lib/workload/stated-model';

// Every construct that accepts a modelSize states it in its manifest, where TPU119 and `plan` find it.

const image = 'example/image:v1';
const group = { groupName: 'g', resources: { requests: { cpu: '4', memory: '8G' } } };
const cluster = { image: 'rayproject/ray:2.55.0' };

type Make = (chart: Chart, props: { readonly slice: TpuSlice; readonly modelSize: string }) => unknown;

const CONSTRUCTS: Readonly<Record<string, Make>> = {
  TpuServer: (chart, props) => new TpuServer(chart, 'x', { ...props, image }),
  SaxCell: (chart, props) =>
    new SaxCell(chart, 'x', {
      ...props,
      bucketName: 'my-sax',
      serviceAccountName: 'sax',
      platformChip: 'tpuv5e',
    }),
  TpuRayService: (chart, props) =>
    new TpuRayService(chart, 'x', {
      ...cluster,
      serveConfig: { applications: [{ name: 'app', importPath: 'my.module:app' }] },
      workerGroups: [{ ...group, ...props }],
    }),
  TpuRayCluster: (chart, props) =>
    new TpuRayCluster(chart, 'x', { ...cluster, workerGroups: [{ ...group, ...props }] }),
  TpuRayJob: (chart, props) =>
    new TpuRayJob(chart, 'x', {
      ...cluster,
      entrypoint: 'python train.py',
      workerGroups: [{ ...group, ...props }],
    }),
  TpuJob: (chart, props) => new TpuJob(chart, 'x', { ...props, image }),
  'TpuJob on two slices': (chart, props) => new TpuJob(chart, 'x', { ...props, image, slices: 2 }),
  FlexStartJob: (chart, props) => new FlexStartJob(chart, 'x', { ...props, image }),
};

/** Servers that run on slices of one host, or that use a share of the memory. */
const OTHERS: Readonly<Record<string, Make>> = {
  VllmServer: (chart, props) => new VllmServer(chart, 'x', { ...props, model: 'my-org/my-model' }),
  JetStreamServer: (chart, props) =>
    new JetStreamServer(chart, 'x', {
      ...props,
      model: 'google/gemma-7b-it',
      huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'),
    }),
};

/** The findings of TPU119 of a construct's chart. */
const found = (chart: Chart): readonly string[] =>
  findings(chart)
    .filter(({ code }) => code === 'TPU119')
    .map(({ severity, message, fix }) => `${severity}: ${message}; ${fix}`);

test.each(Object.entries({ ...CONSTRUCTS, ...OTHERS }))(
  '%s: a model that is too large for the slice is a finding, which can be accepted',
  (_, make) => {
    const chartOf = (modelSize: string): Chart => {
      const chart = new Chart(Testing.app(), 'chart');
      make(chart, { slice: TpuSlice.of('ct6e-standard-4t', '2x2'), modelSize });
      return chart;
    };
    expect(found(chartOf('20G'))).toEqual([]);
    const large = chartOf('141G');
    expect(found(large)).toEqual([
      expect.stringMatching(
        /^error: slice 'ct6e-standard-4t\/2x2' is too small for .*: the weights need at least 131.4 GiB, .*use 'ct6e-standard-8t\/2x4' \(1 host, 256 GiB\), or a smaller model$/,
      ),
    ]);
    for (const object of large.node.findAll())
      if (ApiObject.isApiObject(object)) acceptFinding(object, 'TPU119', 'measured on this slice');
    expect(found(large)).toEqual([]);
  },
);

test('each worker group has its own model', () => {
  const chart = new Chart(Testing.app(), 'chart');
  const slice = TpuSlice.of('ct6e-standard-4t', '2x2');
  new TpuRayCluster(chart, 'x', {
    ...cluster,
    workerGroups: [
      { ...group, slice, modelSize: '20G' },
      { ...group, groupName: 'large', slice, modelSize: '300G' },
    ],
  });
  expect(
    findings(chart)
      .filter(({ code }) => code === 'TPU119')
      .map(({ path }) => path),
  ).toEqual(['spec.workerGroupSpecs[large].template.metadata.annotations[cdk8s-tpu-serving/model]']);
});

test('a size that no number of bytes states is rounded to the nearest one', () => {
  expect(['1', '141G', '5E'].map(modelOfSize)).toEqual([{ bytes: 1e6 }, { bytes: 141e9 }, { bytes: 1e15 }]);
  expect(modelOfSize(undefined)).toBeUndefined();
});

const slices = fc.constantFrom(
  ...(Object.keys(MACHINE_TYPES) as TpuMachineType[]).flatMap((type) =>
    topologiesOf(type)
      .slice(0, 12)
      .map((topology) => TpuSlice.parse(`${type}/${topology}`)),
  ),
);

test('weights fit if all hosts together have as much memory, and every slice that is named instead holds them', () => {
  const wrongWith = (slice: TpuSlice, bytes: number, hosts: 'one' | 'any'): Problem | undefined =>
    memoryFindings(slice, 'the model', { bytes }, { hosts, gpuMemoryUtilization: 1 }).problem;
  fc.assert(
    fc.property(
      slices,
      fc.integer({ min: 1, max: 20_000 }),
      fc.constantFrom<'one' | 'any'>('one', 'any'),
      (slice, gb, hosts) => {
        const wrong = wrongWith(slice, gb * 1e9, hosts);
        expect(wrong === undefined).toBe(gb * 1e9 <= slice.hbmGiB * 2 ** 30);
        const named = [...(wrong?.use ?? '').matchAll(/'([^']+)' \(/g)].map(([, text = '']) =>
          TpuSlice.parse(text),
        );
        for (const next of named) expect(wrongWith(next, gb * 1e9, hosts)).toBeUndefined();
        expect(named.filter((next) => hosts === 'one' && next.hosts > 1)).toEqual([]);
        expect(named.length > 0).toBe(wrong?.use !== undefined);
      },
    ),
  );
});
