/** Rows 9 to 14, 23 and 24 of the claim ledger: arithmetic, and what single instructions take. */
import { z } from 'zod';
import { elements, number, row } from './words.ts';

/** Images of many crystals, and a crystal fitted to its image. */
const pixels = number('Pixels', 'Of a side of the detector, which is 51.2 mm wide.', [1, 256, 4096]);
const cells = number('Cells', 'Of the crystal, along each edge.', [1, 5, 1000]);

export const imageSeriesSchema = row('image-series', 'Images of many crystals', {
  images: number('Images', 'Each of a crystal with its own orientation and cell.', [1, 10, 10_000]),
  pixels,
  cells,
});

export const refinementSchema = row('refinement', 'A crystal fitted to its image', {
  pixels,
  cells: number('Cells', 'Of the crystal, along each edge: the more, the sharper the spots.', [2, 5, 20]),
});

const degree = number('Degree', 'Of the polynomial. Low ones are bound by memory.', [1, 128, 4096]);

export const fmaSchema = row('fma', 'Fused multiply-add', { n: elements('Arguments.', 4_000_000), degree });

export const fp64Schema = row('fp64', 'FP64', { n: elements('Arguments.', 4_000_000, 250_000_000), degree });

export const divergenceSchema = row('divergence', 'Divergence', {
  n: elements('Each with a key that chooses one of eight branches.', 4_000_000, 250_000_000),
  work: number('Work', 'Steps within a branch.', [1, 64, 100_000]),
  pattern: z
    .enum(['same', 'warps', 'halves', 'lanes', 'random'])
    .meta({
      title: 'Pattern of keys',
      description: 'One key for all, one per warp, two per warp, eight per warp by lane, or any.',
    })
    .default('random'),
});

export const unrollingSchema = row('unrolling', 'Unrolling', {
  n: elements('Arguments.', 4_000_000),
  terms: number('Terms', 'Of the sum: rounds of the loop.', [1, 128, 4096]),
});

const size = (title: string, description: string) => number(title, description, [1, 1024, 16_384]);

export const gemmSchema = row('gemm', 'Tensor cores', {
  m: size('Rows', 'Of A and C.'),
  n: size('Columns', 'Of B and C.'),
  k: size('Depth', 'Columns of A, rows of B.'),
});

export const fewThreadsSchema = row('few-threads', 'Too few threads', {
  n: elements('Iterated by all threads together.', 1_000_000, 250_000_000),
  threads: number('Threads', 'Of the whole grid. The CPU uses its own.', [1, 1024, 1_000_000]),
  work: number('Work', 'Steps of an element.', [1, 64, 100_000]),
});

export const instructionLatencySchema = row('instruction-latency', 'Latency of instructions', {
  operations: number('Operations', 'Each waits for the one before.', [1, 10_000, 10_000_000]),
});
