import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readPaths } from '../../lib/manifest/read';
import { planOf, type PlannedWorkload } from '../../lib/plan/plan';
import { type Drawing, drawingOf } from '../../site/page/drawing';
import { root } from '../pages';

const files = readdirSync(path.join(root, 'dist')).filter((name) => name.endsWith('.yaml'));
const workloads = files.flatMap(
  (name) => planOf(readPaths([path.join(root, 'dist', name)]).objects).workloads,
);
const workload = (changes: Partial<PlannedWorkload>): PlannedWorkload => {
  const [first] = workloads;
  if (first === undefined) throw new Error('dist/ has no workload');
  return { ...first, ...changes };
};

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const contains = (outer: Box, inner: Box): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;
const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function expectBoxes(outer: Box, boxes: readonly Box[]): void {
  expect(boxes.filter((box) => !contains(outer, box))).toEqual([]);
  expect(boxes.filter((a) => boxes.some((b) => a !== b && overlap(a, b)))).toEqual([]);
}

function expectDrawn(drawing: Drawing): void {
  expectBoxes({ x: 0, y: 0, width: drawing.width, height: drawing.height }, drawing.slices);
  for (const slice of drawing.slices) {
    expectBoxes(slice, slice.hosts);
    for (const host of slice.hosts)
      expectBoxes(
        host,
        host.chips.map(({ x, y, size }) => ({ x, y, width: size, height: size })),
      );
  }
}

test('every chip is in its host, every host in its slice, and none overlaps another', () => {
  const drawn = workloads.flatMap((one) => drawingOf(one) ?? []);
  expect(drawn.length).toBeGreaterThan(5);
  drawn.forEach(expectDrawn);
});

test('draws the hosts and chips of a slice', () => {
  const drawing = drawingOf(workload({ slices: { min: 1, max: 2 }, hostsPerSlice: 4, chipsPerSlice: 16 }));
  expect(drawing?.slices.map(({ certain }) => certain)).toEqual([true, false]);
  expect(drawing?.slices.map(({ hosts }) => hosts.map(({ chips }) => chips.length))).toEqual([
    [4, 4, 4, 4],
    [4, 4, 4, 4],
  ]);
  expect(drawing).toMatchObject({ all: 2, hidden: 0, hiddenHosts: 0 });
});

test('states how many slices and hosts it does not draw', () => {
  const drawing = drawingOf(
    workload({ slices: { min: 0, max: 500 }, hostsPerSlice: 64, chipsPerSlice: 256 }),
  );
  expect(drawing).toMatchObject({ all: 500, hidden: 488, hiddenHosts: 48 });
});

test('draws nothing for unknown slices or without slices', () => {
  expect(drawingOf(workload({ slices: undefined }))).toBeUndefined();
  expect(drawingOf(workload({ slices: { min: 0, max: 0 } }))).toBeUndefined();
});
