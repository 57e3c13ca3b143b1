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
  }).default(20_000),
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
  let: z
    .boolean()
    .meta({
      title: 'LET',
      description:
        'Scores LET per cell, the spectra below and the RBE-weighted dose. On a GPU by cuda-window and cuda-depth.',
    })
    .default(false),
  spectra_mm: z
    .array(z.number().min(0).max(5000).meta({ unit: 'mm' }))
    .max(50)
    .meta({
      title: 'Spectra at',
      description: 'Depths (mm) whose energy spectrum of primary protons is kept, with LET.',
    })
    .default([]),
  gray: z
    .boolean()
    .meta({
      title: 'Gy of fields',
      description: 'Solves each kind of spot by itself afterwards, in wide columns, so that a field has dose in Gy.',
    })
    .default(false),
  alpha_beta_Gy: quantity({
    title: 'α/β',
    description: 'Of photons, for the RBE by McNamara, Wedenberg and Carabe.',
    unit: 'Gy',
    min: 0.1,
    max: 100,
  }).default(2),
  fraction_Gy: quantity({
    title: 'Fraction dose',
    description: 'Physical dose of a fraction where the depth dose is highest, for the RBE.',
    unit: 'Gy',
    min: 0.01,
    max: 100,
  }).default(2),
});
