import { expect, it } from 'vitest';
import { readResources } from '../../../electron/build/steps/ptxas-report.mjs';

/** As CUDA 13.0 prints it, with the lines of other passes between. */
const LOG = `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'sweep' for 'sm_100'
ptxas info    : Function properties for sweep
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 16 bytes cumulative stack size, 49152 bytes smem
ptxas info    : Compile time = 31.532 ms
ptxas info    : 0 bytes gmem, 64 bytes cmem[3]
ptxas info    : Compiling entry function 'sweep' for 'sm_80'
ptxas info    : Function properties for sweep
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 0 barriers, 380 bytes cmem[0], 4 bytes cmem[2]
ptxas info    : Compiling entry function 'empty' for 'sm_90a'
ptxas info    : Function properties for empty
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers
`;

const PTX = `.visible .entry sweep(
	.param .u64 sweep_param_0
)
.maxntid 128, 2, 1
.minnctapersm 4
{
	ret;
}
.visible .entry empty()
{
	ret;
}
`;

it('reads registers, shared memory, constants, stack, spills and launch bounds of each kernel and architecture', () => {
  const none = {
    shared_bytes: 0,
    constant_bytes: 0,
    stack_bytes: 0,
    spill_store_bytes: 0,
    spill_load_bytes: 0,
    barriers: 0,
    max_threads: null,
  };
  expect(readResources(LOG, { 80: PTX, 90: PTX.replace('.maxntid 128', '.maxntid 64') })).toEqual([
    { ...none, name: 'empty', architecture: 'sm_90a', registers: 4 },
    { ...none, name: 'sweep', architecture: 'sm_80', registers: 40, constant_bytes: 384, max_threads: 256 },
    {
      ...none,
      name: 'sweep',
      architecture: 'sm_100',
      registers: 255,
      shared_bytes: 49152,
      stack_bytes: 16,
      spill_store_bytes: 8,
      spill_load_bytes: 12,
      barriers: 1,
      // Its launch bounds are those of its generation.
      max_threads: 128,
    },
  ]);
  expect(readResources('nvcc warning : nothing to report', {})).toEqual([]);
});
