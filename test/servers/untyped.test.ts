import { App, Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import {
  JetStreamCheckpointConverter,
  type JetStreamCheckpointConverterProps,
  FlexStartJob,
  type FlexStartJobProps,
  JetStreamServer,
  type JetStreamServerProps,
  SaxCell,
  type SaxCellProps,
  TpuRayService,
  type TpuRayWorkerGroup,
  VllmServer,
  type VllmServerProps,
} from '../../lib';

const ray = (scope: Construct, given: object): TpuRayService =>
  new TpuRayService(scope, 'it', {
    serveConfig: { applications: [{ name: 'app', importPath: 'a:b' }] },
    workerGroups: [{ groupName: 'tpu', cpu: '100', memory: '200G', ...given } as TpuRayWorkerGroup],
  });

describe.each<[string, string, (scope: Construct, given: object) => Construct]>([
  ['VllmServer', '', (scope, given) => new VllmServer(scope, 'it', given as VllmServerProps)],
  ['JetStreamServer', '', (scope, given) => new JetStreamServer(scope, 'it', given as JetStreamServerProps)],
  [
    'JetStreamCheckpointConverter',
    '',
    (scope, given) =>
      new JetStreamCheckpointConverter(scope, 'it', given as JetStreamCheckpointConverterProps),
  ],
  ['SaxCell', '', (scope, given) => new SaxCell(scope, 'it', given as SaxCellProps)],
  ['FlexStartJob', '', (scope, given) => new FlexStartJob(scope, 'it', given as FlexStartJobProps)],
  ['TpuRayService', "worker group 'tpu' ", ray],
])('%s', (_, at, make) => {
  test.each<[object, string]>([
    [
      { slice: 'ct6e-standard-4t' },
      "slice 'ct6e-standard-4t' is a string, expected TpuSlice.of(…), or TpuSlice.parse('ct6e-standard-4t')",
    ],
    [{ slice: 8 }, "slice is a number, expected TpuSlice.of(…), like TpuSlice.of('ct6e-standard-8t')"],
    [{}, "slice is missing, expected TpuSlice.of(…), like TpuSlice.of('ct6e-standard-8t')"],
  ])('says of %j what a slice is', (given, sentence) => {
    const chart = new Chart(new App(), 'chart');
    expect(() => make(chart, given)).toThrow(
      expect.objectContaining({ message: `chart/it: ${at}${sentence}` }) as Error,
    );
  });
});
