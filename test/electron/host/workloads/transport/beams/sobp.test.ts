/** Spread-out peaks over the real engine. */
import { describe, expect, test } from 'vitest';
import { sobpSpots } from '../../../../../../electron/contract/beams/sobp.ts';
import { buildSobp } from '../../../../../../electron/host/workloads/transport/beams/sobp.ts';
import { addon } from '../../../model/scenarios/open.ts';
import { built, check } from './build-peak.ts';

const withoutReactions = { nuclear: 'off' } as const;

/** The flatness of a peak needs longer: sobp.long.test.ts. */
describe('an SOBP', () => {
  test('over a width has spots whose ends are half a spacing inside it, of sum 1', async () => {
    const found = await built(
      { range_mm: 40, modulation_mm: 8, width_mm: 30 },
      { x_sigma_mm: 3, x_mm: 2 },
      withoutReactions,
    );
    expect(found.places_mm).toHaveLength(10);
    expect(found.places_mm[0]).toBeCloseTo(2 - 13.5, 9);
    expect(found.places_mm.at(-1)).toBeCloseTo(2 + 13.5, 9);
    const spots = sobpSpots(found);
    expect(spots).toHaveLength(10 * found.layers.length);
    expect(spots.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 4);
    const field = await check({ kind: 'transport', version: 1, beam: { x_sigma_mm: 3, spots } });
    expect(field.issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('has layers as far apart as the request says', async () => {
    const found = await built({ range_mm: 40, modulation_mm: 8, layer_spacing_mm: 2 }, {}, withoutReactions);
    // From 40 mm down to the plateau's beginning at 32 mm and two standard deviations of the range (0.44 mm) below it.
    expect(found.layers.length).toBeLessThanOrEqual(5);
    const [first, second] = found.layers.map(({ energy_MeV }) => energy_MeV);
    // Range goes as the 1.77th power of the energy: 2 mm of 40 mm are 2 MeV of 69.3 MeV.
    expect((first ?? 0) - (second ?? 0)).toBeCloseTo(2, 0);
    expect(found.plateau.r90_mm).toBeCloseTo(40, 1);
  });

  test.each([
    [
      { range_mm: 50, modulation_mm: 60 },
      {},
      'modulation_mm: 60 mm reaches the surface; allowed: at most 40 mm of this range',
    ],
    [{ range_mm: 50, modulation_mm: 10, width_mm: 20 }, {}, 'allowed: beam.x_sigma_mm above 0'],
    [{ range_mm: 50, modulation_mm: 10, width_mm: 20, spacing_mm: 8 }, { x_sigma_mm: 4 }, 'allowed: at most 6 mm'],
    [{ range_mm: 399, modulation_mm: 388 }, {}, 'modulation_mm: 388 mm takes more than'],
  ])('%j is refused', async (request, beam, says) => {
    await expect(built(request, beam)).rejects.toThrow(says);
  });

  test('ends when it is told to', async () => {
    const ended = new AbortController();
    ended.abort();
    const reading = await check({ kind: 'transport', version: 1, beam: { energy_MeV: 100 } });
    if (reading.scenario === null) throw new Error('no scenario');
    const going = buildSobp(
      { physics: {}, check, addon },
      reading.scenario,
      { range_mm: 50, modulation_mm: 10 },
      ended,
    );
    await expect(going).rejects.toThrow();
  });
});
