/** Rows 16, 17, 21 and 22 of the claim ledger: sparse products, elementwise work, shapes of launches. */
import { z } from 'zod';
import { quantity } from '../quantity.ts';
import { elements, number, row } from './words.ts';

/** Row 7 of the claim ledger: weighted sums over neighbours; and those of transport over angles. */
const radius = (usual: number) =>
  number('Radius', 'Neighbours on each side; zeros lie beyond the edges.', [0, usual, 32]);

export const stencil1dSchema = row('stencil-1d', 'Stencil along a line', {
  n: elements('Of the line.', 16_000_000),
  radius: radius(4),
});

export const stencil2dSchema = row('stencil-2d', 'Square stencil', {
  nx: number('Width', 'Points along x, which lie next to each other.', [1, 4096, 32_768]),
  ny: number('Height', 'Points along y.', [1, 4096, 32_768]),
  radius: radius(2),
});

export const scatteringSchema = row('scattering', 'Scattering of angles', {
  angles: number('Angles', 'Of every column.', [2, 128, 4096]),
  cells: number('Cells', 'Columns, which lie next to each other.', [1, 65_536, 10_000_000]),
  reach: quantity({
    title: 'Reach',
    description: 'Of the kernel to each side, a share of the angles; at least one bin.',
    unit: '1',
    min: 0,
    max: 1,
  }).default(0.0625),
});

const matrix = z
  .enum(['diagonal', 'tridiagonal', 'five-point', 'power-law'])
  .meta({
    title: 'Matrix',
    description: 'power-law: n entries in a row with a chance of about n^-2, in random columns; the others are bands.',
  })
  .default('five-point');

const rows = (usual: number, most: number) =>
  number('Rows', 'Of the square matrix; of a five-point one rounded down to a square.', [1, usual, most]);

export const spmvSchema = row('spmv', 'Sparse matrix times vector', { rows: rows(1_000_000, 100_000_000), matrix });

export const spgemmSchema = row('spgemm', 'Sparse matrix times sparse matrix', {
  rows: rows(200_000, 10_000_000),
  matrix,
});

export const changingPatternSchema = row('changing-pattern', 'A sparse pattern that changes', {
  rows: number('Rows', 'Of the square matrix, another one in each call.', [1, 200_000, 10_000_000]),
  entries_per_row: number('Entries a row', 'On average, in random places.', [1, 5, 100]),
});

export const elementwiseSchema = row('elementwise', 'Elementwise', {
  n: elements('Of a, b and the result.', 1_000_000),
});

export const gridStrideSchema = row('grid-stride', 'Grid-stride loops', {
  n: elements('Of x and y.', 64_000_000),
  blocks_per_sm: number('Blocks per SM', 'Of 256 threads, in the grid that walks.', [1, 8, 256]),
});

export const boundsSchema = row('bounds', 'Check of the end', {
  n: elements('Of x and y. Multiples of 128 need no check.', 1_000_003),
});

export const blockSizeSchema = row('block-size', 'Block size', {
  n: elements('Results; of gemm rounded down to a square.', 16_000_000),
  kernel: z
    .enum(['axpy', 'stencil', 'gemm'])
    .meta({ title: 'Kernel', description: 'Bound by memory, by the caches, or by arithmetic.' })
    .default('axpy'),
});
