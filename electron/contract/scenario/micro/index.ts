/**
 * Scenarios of the small workloads, each of which measures one published claim. There is a parameter set for each row
 * of the table of performance claims. Rows about arithmetic, sums, launches and streams are in this file.
 */
import { z } from 'zod';
import { quantity } from '../common-fields.ts';
import { taskSchema, taskWorkload } from '../task/workload.ts';
import { arrayLength, arrayRows, claimRowSchema, integerField } from './arrays.ts';

/** Parameters that the benchmarks for images of many crystals and for refinement share. */
const pixels = integerField('Pixels', 'Pixels along a side of the detector, which is 51.2 mm wide.', [1, 256, 4096]);
const cells = integerField('Cells', 'Number of unit cells along each edge of the crystal.', [1, 5, 1000]);

const degree = integerField('Degree', 'Degree of the polynomial. Low degrees are limited by memory.', [1, 128, 4096]);

const size = (title: string, description: string) => integerField(title, description, [1, 1024, 16_384]);

/** Number of launches in the benchmarks of kernel launches, CUDA graphs and host loops. */
const steps = integerField(
  'Steps',
  'Number of dependent operations y += a x, one launch each unless fused.',
  [1, 100, 10_000],
);

const work = (usual: number) => integerField('Work', 'Iterations per element.', [1, usual, 1_000_000]);

/** Table rows about arithmetic, reductions and launches. */
const arithmeticRows = [
  claimRowSchema('image-series', 'Images of many crystals', {
    images: integerField(
      'Images',
      'Number of images, each of a crystal with its own orientation and cell.',
      [1, 10, 10_000],
    ),
    pixels,
    cells,
  }),
  claimRowSchema('refinement', 'A crystal fitted to its image', {
    pixels,
    cells: integerField(
      'Cells',
      'Number of unit cells along each edge of the crystal: more cells give sharper spots.',
      [2, 5, 20],
    ),
  }),
  claimRowSchema('fma', 'Fused multiply-add', { n: arrayLength('Arguments.', 4_000_000), degree }),
  claimRowSchema('fp64', 'FP64', { n: arrayLength('Arguments.', 4_000_000, 250_000_000), degree }),
  claimRowSchema('divergence', 'Divergence', {
    n: arrayLength('Number of elements, each with a key that selects one of eight branches.', 4_000_000, 250_000_000),
    work: integerField('Work', 'Iterations within a branch.', [1, 64, 100_000]),
    pattern: z
      .enum(['same', 'warps', 'halves', 'lanes', 'random'])
      .meta({
        title: 'Pattern of keys',
        description:
          'Distribution of the keys: one key for all elements, one per warp, two per warp, eight per warp by lane, or random.',
      })
      .default('random'),
  }),
  claimRowSchema('unrolling', 'Unrolling', {
    n: arrayLength('Arguments.', 4_000_000),
    terms: integerField('Terms', 'Terms of the sum: iterations of the loop.', [1, 128, 4096]),
  }),
  claimRowSchema('gemm', 'Tensor cores', {
    m: size('Rows', 'Of A and C.'),
    n: size('Columns', 'Of B and C.'),
    k: size('Depth', 'Columns of A, rows of B.'),
  }),
  claimRowSchema('few-threads', 'Too few threads', {
    n: arrayLength('Number of elements, processed by all threads together.', 1_000_000, 250_000_000),
    threads: integerField(
      'Threads',
      'Total number of threads. CPU variants choose their own number.',
      [1, 1024, 1_000_000],
    ),
    work: integerField('Work', 'Iterations per element.', [1, 64, 100_000]),
  }),
  claimRowSchema('instruction-latency', 'Latency of instructions', {
    operations: integerField(
      'Operations',
      'Number of operations, each of which depends on the previous one.',
      [1, 10_000, 10_000_000],
    ),
  }),
  claimRowSchema('reduction', 'Reduction', { n: arrayLength('Added up.', 16_000_000) }),
  claimRowSchema('scan', 'Running sums', { n: arrayLength('Number of elements in the prefix sum.', 16_000_000) }),
  claimRowSchema('compaction', 'Compaction', {
    n: arrayLength('Number of elements before compaction.', 16_000_000),
    kept: quantity({
      title: 'Share retained',
      description: 'Approximate share of the elements that is retained.',
      unit: '1',
      min: 0,
      max: 1,
    }).default(0.5),
  }),
  claimRowSchema('histogram', 'Histogram', {
    n: arrayLength('Number of elements, each added to the bin of its key.', 4_000_000, 500_000_000),
    bins: integerField('Bins', 'Number of bins that the keys select from.', [1, 256, 10_000_000]),
    distribution: z
      .enum(['uniform', 'zipf'])
      .meta({
        title: 'Distribution',
        description: 'uniform: all keys are equally frequent. zipf: key k is about 1 / (k + 1) as frequent as key 0.',
      })
      .default('uniform'),
    weights: z
      .enum(['int', 'fp32', 'fp64'])
      .meta({ title: 'Weights', description: 'Values that are added, and their type.' })
      .default('fp32'),
  }),
  claimRowSchema('early-exit', 'Early exit', {
    rows: integerField(
      'Rows',
      'Number of rows; each is searched for its first value above 1.',
      [1, 100_000, 10_000_000],
    ),
    length: integerField('Length', 'Number of values in a row.', [1, 1024, 1_000_000]),
    place: quantity({
      title: 'Position of the hit',
      description: 'Approximate fraction of the row before the hit; 1: there is no hit.',
      unit: '1',
      min: 0,
      max: 1,
    }).default(0.1),
  }),
  claimRowSchema('contention', 'Contention', {
    writers: integerField('Writers', 'Number of threads that add.', [1, 4096, 1_048_576]),
    additions: integerField('Additions', 'Additions by each thread, to the same address.', [1, 16, 10_000]),
    addresses: integerField(
      'Addresses',
      'Number of addresses that the threads share; at most one per thread.',
      [1, 1, 1_048_576],
    ),
  }),
  claimRowSchema('launch', 'Launches and fusion', { n: arrayLength('Of x and y.', 1_000_000), steps }),
  claimRowSchema('graphs', 'CUDA graphs', { n: arrayLength('Of x and y.', 1000), steps }),
  claimRowSchema('host-loop', 'A loop on the host', {
    rows: integerField('Rows', 'Number of rows; each is convolved separately.', [1, 1000, 1_000_000]),
    length: integerField('Length', 'Number of values in a row.', [1, 1024, 1_000_000]),
    radius: integerField('Radius', 'Radius of the convolution: 2 radius + 1 taps.', [0, 4, 1024]),
  }),
  claimRowSchema('overlap', 'Copies overlapping kernels', {
    n: arrayLength(
      'Number of elements that are copied to the GPU, processed and copied back.',
      16_000_000,
      500_000_000,
    ),
    work: work(64),
    pieces: integerField('Pieces', 'Number of pieces that the elements are divided into.', [1, 16, 1024]),
    streams: integerField('Streams', 'Number of streams that the pieces are distributed over.', [1, 4, 32]),
  }),
  claimRowSchema('concurrent-kernels', 'Concurrent kernels', {
    kernels: integerField('Kernels', 'Number of independent kernels.', [1, 2, 32]),
    blocks: integerField('Blocks', 'Blocks of 256 threads per kernel.', [1, 16, 65_536]),
    work: work(100_000),
  }),
  claimRowSchema('beside-library', 'A kernel concurrent with a library', {
    size: integerField('Size', 'Size of the square matrices that cuBLAS multiplies in FP32.', [1, 2048, 16_384]),
    blocks: integerField(
      'Blocks',
      'Number of blocks of 256 threads in the kernel that runs concurrently with the product.',
      [1, 16, 65_536],
    ),
    work: work(100_000),
  }),
  claimRowSchema('timing', 'Timing', { n: arrayLength('Length of a, b and the result.', 1_000_000) }),
  claimRowSchema('cold-start', 'Cold start', { n: arrayLength('Of x and y.', 1_000_000) }),
] as const;

const rowSchema = z.discriminatedUnion('kind', [...arithmeticRows, ...arrayRows]).meta({
  title: 'Benchmark',
  description: 'Benchmark of a published claim, and its parameters.',
});

const microSchema = taskSchema('micro', 'Small workloads', 'a benchmark of one published claim', rowSchema);

export const micro = taskWorkload({
  kind: 'micro',
  title: 'Small workloads',
  schema: microSchema,
  standIns: [{ path: ['problem'], value: { kind: 'launch' } }],
  fresh: { problem: { kind: 'launch' } },
  sweepExample: 'problem.steps=10,100,1000',
});
