/** Rows 16, 17, 21 and 22 of the claim ledger: sparse products, elementwise work, shapes of launches. */
import { z } from 'zod';
import { elements, number, row } from './words.ts';

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
