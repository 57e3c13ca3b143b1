import { describe, expect, test } from 'vitest';
import { peaks } from '../../../../../../electron/build/figures/programs.ts';
import { commission } from '../../../../../../electron/host/workloads/transport/beams/commission.ts';
import { topasBeam, topasEnergies_MeV } from '../../../../../../renderer/data/topas.ts';
import { addon } from '../../../model/scenarios/open.ts';
import { expectPeak } from './build-peak.ts';
import { check, expectRecovered, signal } from './find-again.ts';

describe('commissioning (long cases)', () => {
  test.each([
    [150, 1.2, 0.01, 2],
    [150, 0.5, 0.003, 3],
  ])('recovers %d MeV, a spread of %d MeV and a noise of %d within three stated errors', expectRecovered, 60_000);

  test('recovers energies of Monte Carlo beams to 0.2 %, with no more spread than W80–20 allows', async () => {
    expect(topasEnergies_MeV).toHaveLength(8);
    const physics = { nuclear: 'icru63', stopping_power: 'icru90' } as const;
    for (const energy of topasEnergies_MeV) {
      const found = await commission({ physics, check, addon }, topasBeam(energy), signal);
      expect(Math.abs(found.energy_MeV / energy - 1), `${energy} MeV`).toBeLessThan(0.002);
      expect(found.energy_sigma_MeV, `${energy} MeV`).toBeLessThan(0.0035 * energy);
    }
  }, 240_000);
});

describe('an SOBP', () => {
  test.each([
    [40, 28, {}, { nuclear: 'off' }, null],
    [100, 40, {}, {}, peaks[0] ?? null],
    [60, 45, {}, {}, peaks[2] ?? null],
    [150, 50, { energy_sigma_MeV: 0.8 }, { nuclear: 'attenuation' }, null],
  ])(
    'has the requested extent and the flatness stated in the handbook (range %d mm, modulation %d mm)',
    expectPeak,
    240_000,
  );
});
