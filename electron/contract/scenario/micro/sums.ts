/** Rows 9 and 10 of the claim ledger: sums, running sums, compaction, histograms, searches, contention. */
import { z } from 'zod';
import { quantity } from '../quantity.ts';
import { elements, number, row } from './words.ts';

export const reductionSchema = row('reduction', 'Reduction', { n: elements('Added up.', 16_000_000) });

export const scanSchema = row('scan', 'Running sums', { n: elements('Whose running sums are taken.', 16_000_000) });

export const compactionSchema = row('compaction', 'Compaction', {
  n: elements('Of which some are kept.', 16_000_000),
  kept: quantity({
    title: 'Share kept',
    description: 'Of the elements, about.',
    unit: '1',
    min: 0,
    max: 1,
  }).default(0.5),
});

export const histogramSchema = row('histogram', 'Histogram', {
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
});

export const earlyExitSchema = row('early-exit', 'Early exit', {
  rows: number('Rows', 'Each is searched for its first value above 1.', [1, 100_000, 10_000_000]),
  length: number('Length', 'Values of a row.', [1, 1024, 1_000_000]),
  place: quantity({
    title: 'Place of the hit',
    description: 'Share of the row before it, about; 1: there is none.',
    unit: '1',
    min: 0,
    max: 1,
  }).default(0.1),
});

export const contentionSchema = row('contention', 'Contention', {
  writers: number('Writers', 'Threads that add.', [1, 4096, 1_048_576]),
  additions: number('Additions', 'Of each thread, to the same address.', [1, 16, 10_000]),
  addresses: number('Addresses', 'That the threads take turns on; at most one a thread.', [1, 1, 1_048_576]),
});
