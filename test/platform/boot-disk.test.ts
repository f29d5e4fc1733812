import fc from '../fast-check';
import { bootDiskGb } from '../../lib/platform/boot-disk';

const GIB = 2 ** 30;

describe('the boot disk for the requests of pods', () => {
  // a node with 100 GB of which pods have 47060071478 bytes: https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes
  test("is GKE's default if that has enough room", () => {
    expect(bootDiskGb(0)).toBeUndefined();
    expect(bootDiskGb(20 * GIB)).toBeUndefined();
    expect(bootDiskGb(42 * GIB)).toBeUndefined();
    expect(bootDiskGb(47_060_071_478)).toBe(110);
  });

  test.each([
    [50, 120],
    // 314.4 GB: a tenth of its file system of 295.5 GiB, and 100 GiB, are not for pods, 165 GiB and one of system pods are
    [165, 320],
    [500, 720],
    [1000, 1310],
  ])('for %d GiB has %d GB', (requested, size) => {
    expect(bootDiskGb(requested * GIB)).toBe(size);
  });

  test('grows with the requests, and is larger than them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 20_000 }), (one, more) => {
        const [less = 100, size = 100] = [bootDiskGb(one * GIB), bootDiskGb((one + more) * GIB)];
        expect(size).toBeGreaterThanOrEqual(less);
        expect(size * 0.846).toBeGreaterThan(one + more);
      }),
    );
  });
});
