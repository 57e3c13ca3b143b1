/** The phase-space grid: position, plane angle, energy. */
import { z } from 'zod';
import { quantity } from '../quantity.ts';

const rangeGrid = z
  .strictObject({
    kind: z.literal('range'),
    step_mm: quantity({
      title: 'Range step',
      description:
        'Spacing of the energy bins in residual range in water. Left out: the solver step, so that slowing down in water is an exact shift.',
      unit: 'mm',
      min: 1e-5,
      max: 100,
    }).optional(),
  })
  .meta({ title: 'Uniform in residual range' });

const uniformGrid = z
  .strictObject({
    kind: z.literal('uniform'),
    step_MeV: quantity({
      title: 'Energy step',
      description: 'Width of the energy bins. Splitting between two bins adds straggling of its own.',
      unit: 'MeV',
      min: 0.001,
      max: 50,
    }).default(0.2),
    min_MeV: quantity({
      title: 'Lowest energy',
      description: 'Lower edge of the lowest energy bin.',
      unit: 'MeV',
      min: 0.1,
      max: 500,
    }).default(1),
  })
  .meta({ title: 'Uniform in energy' });

export const gridSchema = z.strictObject({
  dx_mm: quantity({
    title: 'Cell across',
    description: 'Lateral cell size. Left out: about a quarter of the beam width at the end of its range.',
    unit: 'mm',
    min: 1e-5,
    max: 100,
  }).optional(),
  dz_mm: quantity({
    title: 'Cell in depth',
    description: 'Cell size in depth. Left out: a third of the distal falloff or less.',
    unit: 'mm',
    min: 1e-5,
    max: 100,
  }).optional(),
  dtheta_mrad: quantity({
    title: 'Angle bin',
    description: 'Width of the angle bins. Left out: 5 mrad, and more for metals.',
    unit: 'mrad',
    min: 0.01,
    max: 500,
  }).optional(),
  theta_max_mrad: quantity({
    title: 'Largest angle',
    description:
      'Centre of the outermost angle bin, from the beam angle. There are 2 · theta_max / dtheta + 1 bins. Left out: 400 mrad, and more for metals.',
    unit: 'mrad',
    min: 0.01,
    max: 3140,
  }).optional(),
  energy: z
    .discriminatedUnion('kind', [rangeGrid, uniformGrid])
    .meta({ title: 'Energy grid', description: 'Where the energy bins lie.' })
    .prefault({ kind: 'range' }),
  cutoff_MeV: quantity({
    title: 'Cutoff',
    description:
      'Below this energy a proton stops and leaves what energy it has where it is. Left out: 0.5 MeV, less for slow beams, and up to 2 MeV in metals.',
    unit: 'MeV',
    min: 0.2,
    max: 500,
  }).optional(),
});

export const initialSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('beam') }).meta({ title: 'The beam at entry' }),
  z
    .strictObject({
      kind: z.literal('filled'),
      seed: z
        .int()
        .min(0)
        .max(0xffff_ffff)
        .meta({ title: 'Seed', description: 'Of the random numbers.', unit: '1' })
        .default(1),
    })
    .meta({ title: 'Every cell filled at random, for timing kernels' }),
]);
