/**
 * Scenarios of the small workloads that each measure one published claim: parameters by row of the claim ledger. This
 * file has the rows about arithmetic, sums, launches and streams.
 */
import { z } from 'zod';
import { quantity } from '../common-fields.ts';
import { taskSchema, taskWorkload } from '../task/workload.ts';
import { arrayRows, elements, number, row } from './arrays.ts';

/** Rows on images of many crystals, and on a crystal fitted to its image. */
const pixels = number('Pixels', 'Of a side of the detector, which is 51.2 mm wide.', [1, 256, 4096]);
const cells = number('Cells', 'Of the crystal, along each edge.', [1, 5, 1000]);

const degree = number('Degree', 'Of the polynomial. Low ones are bound by memory.', [1, 128, 4096]);

const size = (title: string, description: string) => number(title, description, [1, 1024, 16_384]);

/** Rows 1 to 3 of the claim ledger: launches, graphs, loops on the host. */
const steps = number('Steps', 'Dependent y += a x, one launch each unless they are fused.', [1, 100, 10_000]);

const work = (usual: number) => number('Work', 'Steps of an element.', [1, usual, 1_000_000]);

/** Rows about arithmetic, reductions and launches. */
const arithmeticRows = [
  row('image-series', 'Images of many crystals', {
    images: number('Images', 'Each of a crystal with its own orientation and cell.', [1, 10, 10_000]),
    pixels,
    cells,
  }),
  row('refinement', 'A crystal fitted to its image', {
    pixels,
    cells: number('Cells', 'Of the crystal, along each edge: the more, the sharper the spots.', [2, 5, 20]),
  }),
  row('fma', 'Fused multiply-add', { n: elements('Arguments.', 4_000_000), degree }),
  row('fp64', 'FP64', { n: elements('Arguments.', 4_000_000, 250_000_000), degree }),
  row('divergence', 'Divergence', {
    n: elements('Each with a key that chooses one of eight branches.', 4_000_000, 250_000_000),
    work: number('Work', 'Steps within a branch.', [1, 64, 100_000]),
    pattern: z
      .enum(['same', 'warps', 'halves', 'lanes', 'random'])
      .meta({
        title: 'Pattern of keys',
        description: 'One key for all, one per warp, two per warp, eight per warp by lane, or any.',
      })
      .default('random'),
  }),
  row('unrolling', 'Unrolling', {
    n: elements('Arguments.', 4_000_000),
    terms: number('Terms', 'Of the sum: rounds of the loop.', [1, 128, 4096]),
  }),
  row('gemm', 'Tensor cores', {
    m: size('Rows', 'Of A and C.'),
    n: size('Columns', 'Of B and C.'),
    k: size('Depth', 'Columns of A, rows of B.'),
  }),
  row('few-threads', 'Too few threads', {
    n: elements('Iterated by all threads together.', 1_000_000, 250_000_000),
    threads: number('Threads', 'Of the whole grid. The CPU uses its own.', [1, 1024, 1_000_000]),
    work: number('Work', 'Steps of an element.', [1, 64, 100_000]),
  }),
  row('instruction-latency', 'Latency of instructions', {
    operations: number('Operations', 'Each waits for the one before.', [1, 10_000, 10_000_000]),
  }),
  row('reduction', 'Reduction', { n: elements('Added up.', 16_000_000) }),
  row('scan', 'Running sums', { n: elements('Whose running sums are taken.', 16_000_000) }),
  row('compaction', 'Compaction', {
    n: elements('Elements before compaction.', 16_000_000),
    kept: quantity({
      title: 'Share retained',
      description: 'Of the elements, about.',
      unit: '1',
      min: 0,
      max: 1,
    }).default(0.5),
  }),
  row('histogram', 'Histogram', {
    n: elements('Added, each to the bin of its key.', 4_000_000, 500_000_000),
    bins: number('Bins', 'Which keys choose among.', [1, 256, 10_000_000]),
    distribution: z
      .enum(['uniform', 'zipf'])
      .meta({
        title: 'Distribution',
        description: 'uniform: every key as often. zipf: key k about 1 / (k + 1) as often as key 0.',
      })
      .default('uniform'),
    weights: z
      .enum(['int', 'fp32', 'fp64'])
      .meta({ title: 'Weights', description: 'What is added, and in which type.' })
      .default('fp32'),
  }),
  row('early-exit', 'Early exit', {
    rows: number('Rows', 'Each is searched for its first value above 1.', [1, 100_000, 10_000_000]),
    length: number('Length', 'Values of a row.', [1, 1024, 1_000_000]),
    place: quantity({
      title: 'Place of the hit',
      description: 'Share of the row before it, about; 1: there is none.',
      unit: '1',
      min: 0,
      max: 1,
    }).default(0.1),
  }),
  row('contention', 'Contention', {
    writers: number('Writers', 'Threads that add.', [1, 4096, 1_048_576]),
    additions: number('Additions', 'Of each thread, to the same address.', [1, 16, 10_000]),
    addresses: number('Addresses', 'That the threads take turns on; at most one a thread.', [1, 1, 1_048_576]),
  }),
  row('launch', 'Launches and fusion', { n: elements('Of x and y.', 1_000_000), steps }),
  row('graphs', 'CUDA graphs', { n: elements('Of x and y.', 1000), steps }),
  row('host-loop', 'A loop on the host', {
    rows: number('Rows', 'Each is convolved by itself.', [1, 1000, 1_000_000]),
    length: number('Length', 'Values of a row.', [1, 1024, 1_000_000]),
    radius: number('Radius', 'Of the convolution: 2 radius + 1 taps.', [0, 4, 1024]),
  }),
  row('overlap', 'Copies overlapping kernels', {
    n: elements('Copied there, worked on and copied back.', 16_000_000, 500_000_000),
    work: work(64),
    pieces: number('Pieces', 'That the elements are cut into.', [1, 16, 1024]),
    streams: number('Streams', 'That the pieces take turns on.', [1, 4, 32]),
  }),
  row('concurrent-kernels', 'Concurrent kernels', {
    kernels: number('Kernels', 'Independent of each other.', [1, 2, 32]),
    blocks: number('Blocks', 'Of 256 threads, of each kernel.', [1, 16, 65_536]),
    work: work(100_000),
  }),
  row('beside-library', 'A kernel concurrent with a library', {
    size: number('Size', 'Of the square matrices that cuBLAS multiplies in FP32.', [1, 2048, 16_384]),
    blocks: number('Blocks', 'Of 256 threads, of the kernel concurrent with the product.', [1, 16, 65_536]),
    work: work(100_000),
  }),
  row('timing', 'Timing', { n: elements('Of a, b and the result.', 1_000_000) }),
  row('cold-start', 'Cold start', { n: elements('Of x and y.', 1_000_000) }),
] as const;

const rowSchema = z.discriminatedUnion('kind', [...arithmeticRows, ...arrayRows]).meta({
  title: 'Benchmark',
  description: 'Which row of the claim ledger, and its parameters.',
});

const microSchema = taskSchema('micro', 'Small workloads', 'one row of the ledger of published claims', rowSchema);

export const micro = taskWorkload({
  kind: 'micro',
  title: 'Small workloads',
  schema: microSchema,
  standIns: [{ path: ['problem'], value: { kind: 'launch' } }],
  fresh: { problem: { kind: 'launch' } },
  sweepExample: 'problem.steps=10,100,1000',
});
