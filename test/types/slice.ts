// Each paragraph that starts with `mistake:` must give one compiler error; test/mistakes.test.ts keeps its words.
import { TpuSlice } from '../../lib';

declare const text: string;

// mistake: a machine type that does not exist
TpuSlice.of('ct6e-standard-2t');

// mistake: an accelerator label for the machine type
TpuSlice.of('tpu-v6e-slice', '2x4');

// mistake: both flags in one string
TpuSlice.of('ct5lp-hightpu-4t/4x8');

// mistake: the machine type is not a literal
TpuSlice.of(text);

// mistake: nothing at all
TpuSlice.of();

// mistake: a topology off the grid
TpuSlice.of('ct6e-standard-4t', '3x3');

// mistake: chips, not a topology
TpuSlice.of('ct6e-standard-4t', 8);

// mistake: several hosts of 8 chips
TpuSlice.of('ct6e-standard-8t', '4x4');

// mistake: several hosts of 1 chip
TpuSlice.of('tpu7x-standard-1t', '2x2x1');

// mistake: the largest number first, 2D
TpuSlice.of('ct5lp-hightpu-4t', '4x2');

// mistake: the largest number first, 3D
TpuSlice.of('ct4p-hightpu-4t', '8x4x4');

// mistake: three dimensions on a 2D generation
TpuSlice.of('ct6e-standard-4t', '2x2x2');

// mistake: two dimensions on a 3D generation
TpuSlice.of('ct5p-hightpu-4t', '4x4');

// mistake: not a multiple of 4
TpuSlice.of('ct5p-hightpu-4t', '4x4x6');

// mistake: not a shape
TpuSlice.of('tpu7x-standard-4t', '');

// mistake: the topology is not a literal
TpuSlice.of('ct6e-standard-4t', text);

// mistake: one of two topologies is not made
TpuSlice.of('ct5lp-hightpu-4t', text === '' ? '4x8' : '8x4');

// mistake: made by hand
new TpuSlice('ct6e-standard-4t', '3x3');

// mistake: changed
TpuSlice.of('ct6e-standard-4t').hosts = 2;

// mistake: a number of chips for a text
TpuSlice.parse(8);

// mistake: a generation that does not exist
TpuSlice.parse(text).generation === 'v6p';
