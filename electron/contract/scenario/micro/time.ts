/** Rows 15, 19 and 20 of the claim ledger: streams, timing, cold starts. */
import { elements, number, row } from './words.ts';

/** Rows 1 to 3 of the claim ledger: launches, graphs, loops on the host. */
const steps = number('Steps', 'Dependent y += a x, one launch each unless they are fused.', [1, 100, 10_000]);

export const launchSchema = row('launch', 'Launches and fusion', { n: elements('Of x and y.', 1_000_000), steps });

export const graphsSchema = row('graphs', 'CUDA graphs', { n: elements('Of x and y.', 1000), steps });

export const hostLoopSchema = row('host-loop', 'A loop on the host', {
  rows: number('Rows', 'Each is convolved by itself.', [1, 1000, 1_000_000]),
  length: number('Length', 'Values of a row.', [1, 1024, 1_000_000]),
  radius: number('Radius', 'Of the convolution: 2 radius + 1 taps.', [0, 4, 1024]),
});

const work = (usual: number) => number('Work', 'Steps of an element.', [1, usual, 1_000_000]);

export const overlapSchema = row('overlap', 'Copies beside kernels', {
  n: elements('Copied there, worked on and copied back.', 16_000_000, 500_000_000),
  work: work(64),
  pieces: number('Pieces', 'That the elements are cut into.', [1, 16, 1024]),
  streams: number('Streams', 'That the pieces take turns on.', [1, 4, 32]),
});

export const concurrentKernelsSchema = row('concurrent-kernels', 'Kernels beside kernels', {
  kernels: number('Kernels', 'Independent of each other.', [1, 2, 32]),
  blocks: number('Blocks', 'Of 256 threads, of each kernel.', [1, 16, 65_536]),
  work: work(100_000),
});

export const besideLibrarySchema = row('beside-library', 'A kernel beside a library', {
  size: number('Size', 'Of the square matrices that cuBLAS multiplies in FP32.', [1, 2048, 16_384]),
  blocks: number('Blocks', 'Of 256 threads, of the kernel beside the product.', [1, 16, 65_536]),
  work: work(100_000),
});

export const timingSchema = row('timing', 'Timing', { n: elements('Of a, b and the result.', 1_000_000) });

export const coldStartSchema = row('cold-start', 'Cold start', { n: elements('Of x and y.', 1_000_000) });
