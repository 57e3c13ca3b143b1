/** Benchmarks for published claims about arrays: memory access patterns, stencils, sparse products, launch shapes. */
import { z } from 'zod';
import { count, quantity } from '../common-fields.ts';

/** Schema of an array length. Elements are FP32 unless the description states otherwise. */
export const arrayLength = (description: string, usual: number, max = 1_000_000_000) =>
  count({ title: 'Elements', description, min: 1, max }).default(usual);

/** Schema of an integer with a default. */
export const integerField = (
  title: string,
  description: string,
  [min, usual, max]: readonly [number, number, number],
) => count({ title, description, min, max }).default(usual);

/** Schema of the problem for one row of the table of performance claims. */
export function claimRowSchema<K extends string, S extends z.core.$ZodLooseShape>(kind: K, title: string, shape: S) {
  return z.strictObject({ kind: z.literal(kind), ...shape }).meta({ title });
}

/** Schema of a stencil's radius. A stencil is a weighted sum over neighbours, as in transport over angles. */
const radius = (usual: number) =>
  integerField('Radius', 'Number of neighbours on each side; values beyond the edges are zero.', [0, usual, 32]);

const matrix = z
  .enum(['diagonal', 'tridiagonal', 'five-point', 'power-law'])
  .meta({
    title: 'Matrix',
    description:
      'power-law: a row has n entries with a probability of about n^-2, in random columns; the other matrices are banded.',
  })
  .default('five-point');

const rows = (usual: number, most: number) =>
  integerField('Rows', 'Rows of the square matrix; for five-point, rounded down to a square number.', [1, usual, most]);

const footprint = (usual: number) =>
  z
    .int()
    .min(256)
    .max(2_000_000_000)
    .meta({ title: 'Footprint', description: 'Size of the table traversed by the chain of loads.', unit: '1' })
    .default(usual);

/** Table rows about arrays and memory access patterns. */
export const arrayRows = [
  claimRowSchema('stencil-1d', 'Stencil along a line', {
    n: arrayLength('Number of points on the line.', 16_000_000),
    radius: radius(4),
  }),
  claimRowSchema('stencil-2d', 'Square stencil', {
    nx: integerField('Width', 'Points along x, adjacent in memory.', [1, 4096, 32_768]),
    ny: integerField('Height', 'Points along y.', [1, 4096, 32_768]),
    radius: radius(2),
  }),
  claimRowSchema('scattering', 'Scattering of angles', {
    angles: integerField('Angles', 'Number of angles in every column.', [2, 128, 4096]),
    cells: integerField('Cells', 'Number of columns, adjacent in memory.', [1, 65_536, 10_000_000]),
    reach: quantity({
      title: 'Reach',
      description: 'Half-width of the convolution kernel, as a fraction of the angles; at least one bin.',
      unit: '1',
      min: 0,
      max: 1,
    }).default(0.0625),
  }),
  claimRowSchema('spmv', 'Sparse matrix times vector', { rows: rows(1_000_000, 100_000_000), matrix }),
  claimRowSchema('spgemm', 'Sparse matrix times sparse matrix', {
    rows: rows(200_000, 10_000_000),
    matrix,
  }),
  claimRowSchema('changing-pattern', 'A sparse pattern that changes', {
    rows: integerField(
      'Rows',
      'Number of rows of the square matrix, whose pattern is different in each call.',
      [1, 200_000, 10_000_000],
    ),
    entries_per_row: integerField('Entries a row', 'Average number of entries per row, in random places.', [1, 5, 100]),
  }),
  claimRowSchema('elementwise', 'Elementwise', {
    n: arrayLength('Length of a, b and the result.', 1_000_000),
  }),
  claimRowSchema('grid-stride', 'Grid-stride loops', {
    n: arrayLength('Of x and y.', 64_000_000),
    blocks_per_sm: integerField(
      'Blocks per SM',
      'Number of blocks of 256 threads in the grid-stride loop.',
      [1, 8, 256],
    ),
  }),
  claimRowSchema('bounds', 'Bounds check', {
    n: arrayLength('Length of x and y. Multiples of 128 need no check.', 1_000_003),
  }),
  claimRowSchema('block-size', 'Block size', {
    n: arrayLength('Number of results; for gemm rounded down to a square number.', 16_000_000),
    kernel: z
      .enum(['axpy', 'stencil', 'gemm'])
      .meta({ title: 'Kernel', description: 'axpy is limited by memory, stencil by the caches, gemm by arithmetic.' })
      .default('axpy'),
  }),
  claimRowSchema('coalescing', 'Coalescing', {
    n: arrayLength('Number of copied elements, each of element_bytes.', 4_000_000, 500_000_000),
    stride: integerField('Stride', 'Distance in elements between two reads.', [1, 1, 64]),
    offset: integerField('Offset', 'Number of elements before the first read.', [0, 0, 31]),
    element_bytes: z
      .union([z.literal(4), z.literal(8), z.literal(16)])
      .meta({ title: 'Element size', description: 'Bytes per load of a thread.', unit: '1' })
      .default(4),
    order: z
      .enum(['forward', 'random'])
      .meta({ title: 'Order', description: 'forward: in memory order. random: through a table of indices.' })
      .default('forward'),
  }),
  claimRowSchema('layout', 'Layout of records', {
    n: arrayLength('Number of records with eight FP32 fields, two of which are used.', 4_000_000, 250_000_000),
  }),
  claimRowSchema('latency', 'Latency by level', {
    footprint_bytes: footprint(16_384),
    hops: integerField('Hops', 'Number of loads, each of which depends on the previous one.', [1, 10_000, 10_000_000]),
  }),
  claimRowSchema('bandwidth', 'Bandwidth by level', {
    n: arrayLength('Length of each of three arrays.', 64_000_000),
    passes: integerField('Passes', 'Number of passes over the same arrays.', [1, 10, 100_000]),
  }),
  claimRowSchema('transpose', 'Transpose', {
    rows: integerField('Rows', 'Size of the input.', [1, 4096, 65_536]),
    columns: integerField('Columns', 'Size of the input.', [1, 4096, 65_536]),
  }),
  claimRowSchema('bank-conflicts', 'Bank conflicts', {
    stride: integerField('Stride', 'Distance in words of shared memory between neighbouring lanes.', [1, 32, 64]),
    reads: integerField('Reads', 'Number of reads by each thread.', [1, 1000, 1_000_000]),
  }),
  claimRowSchema('views', 'Strided views', {
    rows: integerField('Rows', 'Size of the view.', [1, 4096, 32_768]),
    columns: integerField('Columns', 'Size of the view.', [1, 4096, 32_768]),
    view: z
      .enum(['transposed', 'every-other'])
      .meta({
        title: 'View',
        description:
          'transposed: view of an array of columns × rows. every-other: every other column of an array twice as wide.',
      })
      .default('transposed'),
  }),
] as const;
