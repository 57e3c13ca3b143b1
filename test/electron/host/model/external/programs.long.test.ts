/** `numpy_transport.py` with what `programs.test.ts` leaves out. */
import { test } from 'vitest';
import { type Case, expectDose } from './python-programs.ts';

const cases: readonly Case[] = [
  ['numpy-array', 'attenuation and two materials, fp64', { physics: { nuclear: 'attenuation' } }, 'fp64', 1e-12],
  // Their detour is so long that rows in depth are widened.
  ['numpy-array', 'many angles, fp64', { beam: { energy_MeV: 20, angle_sigma_mrad: 200 } }, 'fp64', 1e-12],
  [
    'numpy-array',
    'an energy spread within a bin, fp64',
    { beam: { energy_MeV: 30, energy_sigma_MeV: 0.1 } },
    'fp64',
    1e-12,
  ],
  ['numpy-array', 'along the other side, fp64', { beam: { energy_MeV: 30, x_mm: -4.8, x_sigma_mm: 1 } }, 'fp64', 1e-12],
  [
    'numpy-loop',
    'few cells, fp64',
    { beam: { energy_MeV: 10 }, geometry: { width_mm: 4, depth_mm: 2 } },
    'fp64',
    1e-12,
  ],
];

test.for(cases)('%s: %s: the engine’s dose, and a ledger that closes', expectDose);
