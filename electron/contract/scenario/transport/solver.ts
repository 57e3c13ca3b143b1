/** How it is computed, and what is kept of it. */
import { z } from 'zod';
import { count, quantity } from '../quantity.ts';
import { variantName } from '../variant-name.ts';

export const solverSchema = z.strictObject({
  stepping: z
    .enum(['path', 'depth'])
    .meta({
      title: 'Stepping',
      description: 'path: steps along the path, any direction. depth: plane by plane in z, less work, up to 60°.',
    })
    .default('path'),
  remap: z
    .enum(['high-order', 'linear'])
    .meta({
      title: 'Streaming',
      description: 'high-order keeps edges sharp. linear is the bilinear shift of the earlier solver, with its smear.',
    })
    .default('high-order'),
  step_mm: quantity({
    title: 'Step',
    description: 'Path length of one step. Left out: the cell size in depth.',
    unit: 'mm',
    min: 1e-5,
    max: 100,
  }).optional(),
  max_steps: count({
    title: 'Most steps',
    description: 'The run ends here even if protons are left.',
    min: 1,
    max: 10_000_000,
  }).default(5000),
  stop_weight: quantity({
    title: 'Stop at',
    description: 'The run ends when this fraction of the protons is still in flight.',
    unit: '1',
    min: 0,
    max: 0.5,
  }).default(1e-6),
  precision: z
    .enum(['fp32', 'fp64'])
    .meta({ title: 'Precision', description: 'Of the phase-space state. Sums and the ledger are always fp64.' })
    .default('fp32'),
  variant: variantName('auto picks the fastest that fits'),
  threads: count({
    title: 'Threads',
    description: 'CPU threads. 0 uses every core.',
    min: 0,
    max: 1024,
  }).default(0),
});

export const outputSchema = z.strictObject({
  keyframes: count({
    title: 'Keyframes',
    description: 'How many steps keep their phase-space slices in the run file.',
    min: 0,
    max: 2000,
  }).default(64),
});
