// What must compile, and run: test/mistakes.test.ts does both.
import { TpuSlice } from '../../lib';

// one machine: its topology follows
TpuSlice.of('ct4p-hightpu-4t');
TpuSlice.of('ct5lp-hightpu-1t');
TpuSlice.of('ct5lp-hightpu-4t');
TpuSlice.of('ct5lp-hightpu-8t');
TpuSlice.of('ct5p-hightpu-4t');
TpuSlice.of('ct6e-standard-1t');
TpuSlice.of('ct6e-standard-4t');
TpuSlice.of('ct6e-standard-8t');
TpuSlice.of('tpu7x-standard-1t');
TpuSlice.of('tpu7x-standard-4t');
TpuSlice.of('tpu7x-ultranet-4t');

// every 2D topology
TpuSlice.of('ct6e-standard-1t', '1x1');
TpuSlice.of('ct6e-standard-4t', '2x2');
TpuSlice.of('ct6e-standard-4t', '2x4');
TpuSlice.of('ct6e-standard-4t', '4x4');
TpuSlice.of('ct6e-standard-4t', '4x8');
TpuSlice.of('ct6e-standard-4t', '8x8');
TpuSlice.of('ct6e-standard-4t', '8x16');
TpuSlice.of('ct6e-standard-4t', '16x16');
TpuSlice.of('ct6e-standard-8t', '2x4');

// the 3D rule: small ones, one, two and three digits, the upper limits
TpuSlice.of('ct5p-hightpu-4t', '2x2x1');
TpuSlice.of('ct5p-hightpu-4t', '2x2x2');
TpuSlice.of('ct5p-hightpu-4t', '2x2x4');
TpuSlice.of('ct5p-hightpu-4t', '2x4x4');
TpuSlice.of('ct5p-hightpu-4t', '4x4x4');
TpuSlice.of('ct5p-hightpu-4t', '4x8x12');
TpuSlice.of('ct5p-hightpu-4t', '8x16x20');
TpuSlice.of('ct5p-hightpu-4t', '4x8x100');
TpuSlice.of('ct5p-hightpu-4t', '16x20x28');
TpuSlice.of('ct4p-hightpu-4t', '16x16x16');
TpuSlice.of('ct4p-hightpu-4t', '4x4x256');
TpuSlice.of('tpu7x-standard-4t', '16x24x24');

// names of one's own, unions, what other functions take
const topology = '4x8';
const tier: { readonly machineType: 'ct5lp-hightpu-4t'; readonly topology: '4x4' | '4x8' } = {
  machineType: 'ct5lp-hightpu-4t',
  topology,
};
const hostsOf = (slice: TpuSlice): number => slice.hosts;
const hosts: number = hostsOf(TpuSlice.of(tier.machineType, tier.topology));
const memory: number = TpuSlice.of('ct5lp-hightpu-4t', topology).memoryGBPerHost;

// from configuration
const fromConfiguration: string = ['ct6e-standard-4t', topology].join('/');
const slices: readonly TpuSlice[] = [TpuSlice.parse(fromConfiguration), TpuSlice.parse('v5p-16')];

export { hosts, memory, slices };
