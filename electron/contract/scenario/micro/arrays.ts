/** Rows of the claim ledger on arrays: memory access patterns, stencils, sparse products, launch shapes. */
import { z } from 'zod';
import { count, quantity } from '../common-fields.ts';

/** Number of elements of an array, FP32 unless stated otherwise. */
export const elements = (description: string, usual: number, max = 1_000_000_000) =>
  count({ title: 'Elements', description, min: 1, max }).default(usual);

/** A whole number with a default. */
export const number = (title: string, description: string, [min, usual, max]: readonly [number, number, number]) =>
  count({ title, description, min, max }).default(usual);

/** Scenario of one row of the claim ledger, from its parameters. */
export function row<K extends string, S extends z.core.$ZodLooseShape>(kind: K, title: string, shape: S) {
  return z.strictObject({ kind: z.literal(kind), ...shape }).meta({ title });
}

/** Row 7 of the claim ledger: weighted sums over neighbours, including those of transport over angles. */
const radius = (usual: number) =>
  number('Radius', 'Neighbours on each side; zeros lie beyond the edges.', [0, usual, 32]);

const matrix = z
  .enum(['diagonal', 'tridiagonal', 'five-point', 'power-law'])
  .meta({
    title: 'Matrix',
    description: 'power-law: n entries in a row with a chance of about n^-2, in random columns; the others are bands.',
  })
  .default('five-point');

const rows = (usual: number, most: number) =>
  number('Rows', 'Of the square matrix; of a five-point one rounded down to a square.', [1, usual, most]);

const footprint = (usual: number) =>
  z
    .int()
    .min(256)
    .max(2_000_000_000)
    .meta({ title: 'Footprint', description: 'Of the table that the chain runs through.', unit: '1' })
    .default(usual);

/** Rows about arrays and memory access patterns. */
export const arrayRows = [
  row('stencil-1d', 'Stencil along a line', {
    n: elements('Of the line.', 16_000_000),
    radius: radius(4),
  }),
  row('stencil-2d', 'Square stencil', {
    nx: number('Width', 'Points along x, which lie next to each other.', [1, 4096, 32_768]),
    ny: number('Height', 'Points along y.', [1, 4096, 32_768]),
    radius: radius(2),
  }),
  row('scattering', 'Scattering of angles', {
    angles: number('Angles', 'Of every column.', [2, 128, 4096]),
    cells: number('Cells', 'Columns, which lie next to each other.', [1, 65_536, 10_000_000]),
    reach: quantity({
      title: 'Reach',
      description: 'Of the kernel to each side, a share of the angles; at least one bin.',
      unit: '1',
      min: 0,
      max: 1,
    }).default(0.0625),
  }),
  row('spmv', 'Sparse matrix times vector', { rows: rows(1_000_000, 100_000_000), matrix }),
  row('spgemm', 'Sparse matrix times sparse matrix', {
    rows: rows(200_000, 10_000_000),
    matrix,
  }),
  row('changing-pattern', 'A sparse pattern that changes', {
    rows: number('Rows', 'Of the square matrix, another one in each call.', [1, 200_000, 10_000_000]),
    entries_per_row: number('Entries a row', 'On average, in random places.', [1, 5, 100]),
  }),
  row('elementwise', 'Elementwise', {
    n: elements('Of a, b and the result.', 1_000_000),
  }),
  row('grid-stride', 'Grid-stride loops', {
    n: elements('Of x and y.', 64_000_000),
    blocks_per_sm: number('Blocks per SM', 'Of 256 threads, in the grid that walks.', [1, 8, 256]),
  }),
  row('bounds', 'Check of the end', {
    n: elements('Of x and y. Multiples of 128 need no check.', 1_000_003),
  }),
  row('block-size', 'Block size', {
    n: elements('Results; of gemm rounded down to a square.', 16_000_000),
    kernel: z
      .enum(['axpy', 'stencil', 'gemm'])
      .meta({ title: 'Kernel', description: 'Bound by memory, by the caches, or by arithmetic.' })
      .default('axpy'),
  }),
  row('coalescing', 'Coalescing', {
    n: elements('Copied, each of element_bytes.', 4_000_000, 500_000_000),
    stride: number('Stride', 'Elements from one that is read to the next.', [1, 1, 64]),
    offset: number('Offset', 'Elements before the first that is read.', [0, 0, 31]),
    element_bytes: z
      .union([z.literal(4), z.literal(8), z.literal(16)])
      .meta({ title: 'Element size', description: 'Bytes that a thread loads at once.', unit: '1' })
      .default(4),
    order: z
      .enum(['forward', 'random'])
      .meta({ title: 'Order', description: 'forward: as they lie. random: through a table of indices.' })
      .default('forward'),
  }),
  row('layout', 'Layout of records', {
    n: elements('Records of eight FP32 fields, two of which are used.', 4_000_000, 250_000_000),
  }),
  row('latency', 'Latency by level', {
    footprint_bytes: footprint(16_384),
    hops: number('Hops', 'Loads, each of which waits for the one before.', [1, 10_000, 10_000_000]),
  }),
  row('bandwidth', 'Bandwidth by level', {
    n: elements('Of each of three arrays.', 64_000_000),
    passes: number('Passes', 'Over the same arrays.', [1, 10, 100_000]),
  }),
  row('transpose', 'Transpose', {
    rows: number('Rows', 'Of the input.', [1, 4096, 65_536]),
    columns: number('Columns', 'Of the input.', [1, 4096, 65_536]),
  }),
  row('bank-conflicts', 'Bank conflicts', {
    stride: number('Stride', 'Words of shared memory from one lane to the next.', [1, 32, 64]),
    reads: number('Reads', 'Of each thread.', [1, 1000, 1_000_000]),
  }),
  row('views', 'Strided views', {
    rows: number('Rows', 'Of the view.', [1, 4096, 32_768]),
    columns: number('Columns', 'Of the view.', [1, 4096, 32_768]),
    view: z
      .enum(['transposed', 'every-other'])
      .meta({
        title: 'View',
        description: 'transposed: of an array of columns × rows. every-other: column of one twice as wide.',
      })
      .default('transposed'),
  }),
] as const;
