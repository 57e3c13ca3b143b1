/** Spread-out peaks of long ranges: up to sixty layers, on grids of a hundred million cells and more. */
import { test } from 'vitest';
import { peaks } from '../../../../../../electron/build/figures/programs.ts';
import { expectPeak } from './build-peak.ts';

test.each([
  [40, 28, {}, { nuclear: 'off' }, null],
  [100, 40, {}, {}, peaks[0] ?? null],
  [60, 45, {}, {}, peaks[2] ?? null],
  [150, 50, { energy_sigma_MeV: 0.8 }, { nuclear: 'attenuation' }, null],
])('of range %d mm and modulation %d mm comes out so, and flat, and as the handbook has it', expectPeak, 240_000);
