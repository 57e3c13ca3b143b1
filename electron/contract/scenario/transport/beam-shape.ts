/** Values of a beam, each with its bounds: beams and spots have them alike. */
import { z } from 'zod';
import { quantity } from '../quantity.ts';

const rangeKinds = ['csda', 'r80', 'r90'] as const;

export const beamShape = {
  energy_MeV: quantity({
    title: 'Energy',
    description: 'Mean kinetic energy of the protons where they enter.',
    unit: 'MeV',
    min: 0.5,
    max: 1000,
  }),
  range_mm: quantity({
    title: 'Range in water',
    description: 'In place of the energy: the energy is found that has this range in water.',
    unit: 'mm',
    min: 0.05,
    max: 4000,
  }),
  range_is: z.enum(rangeKinds).meta({
    title: 'That range is',
    description:
      'csda: the way of a proton that slows down without straggling. r80, r90: the depth behind the peak where the dose has fallen to 80 or 90 %.',
  }),
  energy_sigma_MeV: quantity({
    title: 'Energy spread',
    description: 'Standard deviation of the energy at entry. 0 is one energy.',
    unit: 'MeV',
    min: 0,
    max: 100,
  }),
  angle_deg: quantity({
    title: 'Angle',
    description: 'Direction of the beam, from +z towards +x. The angle grid is centred on it.',
    unit: 'deg',
    min: -85,
    max: 85,
  }),
  angle_sigma_mrad: quantity({
    title: 'Angular spread',
    description: 'Standard deviation of the plane angle at entry. 0 is a parallel beam.',
    unit: 'mrad',
    min: 0,
    max: 500,
  }),
  x_mm: quantity({
    title: 'Position across',
    description: 'Where the beam axis enters, across the depth. 0 is the middle of the geometry.',
    unit: 'mm',
    min: -5000,
    max: 5000,
  }),
  x_sigma_mm: quantity({
    title: 'Beam width',
    description:
      'Standard deviation of the lateral profile at entry, along the entry plane: across the axis of a tilted beam it is this times cos(angle). 0 means as narrow as one cell.',
    unit: 'mm',
    min: 0,
    max: 1000,
  }),
  x_sigma_is: z.enum(['plane', 'axis']).meta({
    title: 'Width measured',
    description:
      'plane: along the entry plane. axis: across the beam axis; along the plane it is this over cos(angle).',
  }),
  y_sigma_mm: quantity({
    title: 'Width across y',
    description: 'Standard deviation across the other lateral axis at entry, for dose in Gy. Left out: the beam width.',
    unit: 'mm',
    min: 0,
    max: 1000,
  }),
  focus_mm: quantity({
    title: 'Focus',
    description:
      'Way from the entrance to where the beam is narrowest. Negative: it comes apart from a source that far in front. 0 leaves place and angle independent.',
    unit: 'mm',
    min: -10_000,
    max: 10_000,
  }),
  z_mm: quantity({
    title: 'Depth of entry',
    description: 'Depth at which the protons start.',
    unit: 'mm',
    min: 0,
    max: 5000,
  }),
  weight: quantity({
    title: 'Protons',
    description: 'Number of protons. Dose and ledger scale with it.',
    unit: '1',
    min: 1e-12,
    max: 1e18,
  }),
} as const;
