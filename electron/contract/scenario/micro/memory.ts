/** Rows 4 to 6, 8 and 18 of the claim ledger: how memory is reached. */
import { z } from 'zod';
import { elements, number, row } from './words.ts';

export const coalescingSchema = row('coalescing', 'Coalescing', {
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
});

export const layoutSchema = row('layout', 'Layout of records', {
  n: elements('Records of eight FP32 fields, two of which are used.', 4_000_000, 250_000_000),
});

const footprint = (usual: number) =>
  z
    .int()
    .min(256)
    .max(2_000_000_000)
    .meta({ title: 'Footprint', description: 'Of the table that the chain runs through.', unit: '1' })
    .default(usual);

export const latencySchema = row('latency', 'Latency by level', {
  footprint_bytes: footprint(16_384),
  hops: number('Hops', 'Loads, each of which waits for the one before.', [1, 10_000, 10_000_000]),
});

export const bandwidthSchema = row('bandwidth', 'Bandwidth by level', {
  n: elements('Of each of three arrays.', 64_000_000),
  passes: number('Passes', 'Over the same arrays.', [1, 10, 100_000]),
});

export const transposeSchema = row('transpose', 'Transpose', {
  rows: number('Rows', 'Of the input.', [1, 4096, 65_536]),
  columns: number('Columns', 'Of the input.', [1, 4096, 65_536]),
});

export const bankConflictsSchema = row('bank-conflicts', 'Bank conflicts', {
  stride: number('Stride', 'Words of shared memory from one lane to the next.', [1, 32, 64]),
  reads: number('Reads', 'Of each thread.', [1, 1000, 1_000_000]),
});

export const viewsSchema = row('views', 'Strided views', {
  rows: number('Rows', 'Of the view.', [1, 4096, 32_768]),
  columns: number('Columns', 'Of the view.', [1, 4096, 32_768]),
  view: z
    .enum(['transposed', 'every-other'])
    .meta({
      title: 'View',
      description: 'transposed: of an array of columns × rows. every-other: column of one twice as wide.',
    })
    .default('transposed'),
});
