import { type Problem, textOf } from '../../lib/problems/problems';
import { Chart, Testing } from 'cdk8s';
import fc from '../fast-check';
import {
  FlexStartJob,
  InvalidInputError,
  MACHINE_TYPES,
  SaxCell,
  type TpuMachineType,
  TpuRayService,
  TpuSlice,
} from '../../lib';
import { modelSizeProblem, namedModelProblem, weightsProblem } from '../../lib/pod/model-fit';
import { topologiesOf } from '../../lib/tpu/topology';

const slices = fc.constantFrom(
  ...(Object.keys(MACHINE_TYPES) as TpuMachineType[]).flatMap((type) =>
    topologiesOf(type)
      .slice(0, 12)
      .map((topology) => TpuSlice.parse(`${type}/${topology}`)),
  ),
);
/** A problem as text; nothing if there is none. */
const said = (problem: Problem | undefined): string => (problem ? textOf(problem) : '');

const gigabytes = fc.integer({ min: 1, max: 20_000 });

test('weights fit where all hosts together have as much memory, and what is named otherwise holds them', () => {
  fc.assert(
    fc.property(slices, gigabytes, fc.constantFrom<'one' | 'any'>('one', 'any'), (slice, gb, hosts) => {
      const wrong = weightsProblem(slice, gb * 1e9, { hosts });
      expect(wrong === undefined).toBe(gb * 1e9 <= slice.hbmGiB * 2 ** 30);
      const named = [...(wrong?.use ?? '').matchAll(/'([^']+)' \(/g)].map(([, text = '']) =>
        TpuSlice.parse(text),
      );
      for (const next of named) expect(weightsProblem(next, gb * 1e9)).toBeUndefined();
      expect(named.length > 0).toBe(wrong?.use !== undefined);
    }),
  );
});

test('a stated size is taken as it is, and a name for 4 bits a parameter', () => {
  const slice = TpuSlice.of('ct6e-standard-1t'); // 34.4 GB
  expect(modelSizeProblem(slice, undefined)).toBeUndefined();
  expect(modelSizeProblem(slice, '32Gi')).toBeUndefined();
  expect(said(modelSizeProblem(slice, '33Gi'))).toBe(
    "slice: 'ct6e-standard-1t/1x1' is too small for the model: the weights need at least 33 GiB, and a server can use 32 GiB of its HBM, 1 GiB too little; use 'ct6e-standard-4t/2x2' (1 host, 128 GiB)",
  );
  expect(said(modelSizeProblem(slice, '5E'))).toBe(
    "slice: 'ct6e-standard-1t/1x1' is too small for the model: the weights need at least 4656612873.1 GiB, and a server can use 32 GiB of its HBM, 4656612841.1 GiB too little",
  );
  expect(namedModelProblem(slice, 'x-68b')).toBeUndefined();
  expect(namedModelProblem(slice, 'my-model')).toBeUndefined();
  expect(said(namedModelProblem(slice, 'x-70b'))).toContain('the weights need at least 32.6 GiB');
});

test('every construct reports the same for the same slice and size', () => {
  const saidBy = (make: (chart: Chart) => unknown): string => {
    try {
      make(new Chart(Testing.app(), 'chart'));
      return '';
    } catch (error) {
      if (error instanceof InvalidInputError) return error.problems.map(textOf).join('\n');
      throw error;
    }
  };
  const group = { groupName: 'g', resources: { requests: { cpu: '4', memory: '8G' } } };
  const stacks: readonly ((slice: TpuSlice, modelSize: string) => string)[] = [
    (slice, modelSize) =>
      saidBy(
        (chart) =>
          new SaxCell(chart, 'x', {
            slice,
            modelSize,
            bucketName: 'my-sax',
            serviceAccountName: 'sax',
            platformChip: 'tpuv5e',
          }),
      ),
    (slice, modelSize) =>
      saidBy(
        (chart) =>
          new TpuRayService(chart, 'x', {
            serveConfig: { applications: [{ name: 'app', importPath: 'my.module:app' }] },
            workerGroups: [{ ...group, slice, modelSize }],
          }),
      ).replace('workerGroups[0].', ''),
    (slice, modelSize) =>
      saidBy((chart) => new FlexStartJob(chart, 'x', { slice, modelSize, image: 'a/b:v1' })),
  ];
  fc.assert(
    fc.property(
      slices.filter(({ flexStart }) => flexStart),
      gigabytes,
      (slice, gb) => {
        const expected = said(weightsProblem(slice, gb * 1e9));
        for (const stack of stacks) expect(stack(slice, `${String(gb)}G`)).toBe(expected);
      },
    ),
    { numRuns: 40 },
  );
});
