/** Contents of cells that borders cut, and the mixtures made from them. */
import { describe, expect, test } from 'vitest';
import type { TransportScenario } from '../../../../../electron/contract/scenario/index.ts';
import { cellContents } from '../../../../../electron/host/workloads/transport/scenario/cell-contents.ts';
import { check, lines, scenarios } from './open.ts';

async function scenarioOf(regions: readonly object[], box = { width_mm: 4, depth_mm: 5 }): Promise<TransportScenario> {
  const reading = await check({ geometry: { ...box, regions }, grid: { dx_mm: 1, dz_mm: 1 } });
  if (reading.scenario === null) throw new Error(lines(reading).join('\n'));
  return reading.scenario;
}

/** One text a cell, as `lead 0.25 + water 0.75`. */
async function cells(regions: readonly object[]): Promise<readonly (readonly string[])[]> {
  const { list, map } = cellContents(await scenarioOf(regions), { ct: null }, 5, 4);
  const texts = list.map((contents) =>
    contents
      .map(({ medium, share }) => `${medium.material}${contents.length > 1 ? ` ${Number(share.toFixed(9))}` : ''}`)
      .sort()
      .join(' + '),
  );
  const found = map();
  return Array.from({ length: 5 }, (_, z) => Array.from({ length: 4 }, (_, x) => texts[found[z * 4 + x] ?? -1] ?? ''));
}

describe('cells that borders cut', () => {
  test('hold what lies in them by its share: a foil inside of one cell counts as thick as it is', async () => {
    const rows = await cells([{ material: 'lead', x_mm: [-2, 2], z_mm: [2.3, 2.4] }]);
    expect(rows.map((row) => new Set(row))).toEqual([
      new Set(['water']),
      new Set(['water']),
      new Set(['lead 0.1 + water 0.9']),
      new Set(['water']),
      new Set(['water']),
    ]);
  });

  test('corners, and what the last region covers', async () => {
    expect(
      await cells([
        { material: 'lead', x_mm: [-1.5, 2], z_mm: [1.5, 3] },
        { material: 'air', x_mm: [0.75, 2], z_mm: [2, 4.25] },
      ]),
    ).toEqual([
      ['water', 'water', 'water', 'water'],
      ['lead 0.25 + water 0.75', 'lead 0.5 + water 0.5', 'lead 0.5 + water 0.5', 'lead 0.5 + water 0.5'],
      ['lead 0.5 + water 0.5', 'lead', 'air 0.25 + lead 0.75', 'air'],
      ['water', 'water', 'air 0.25 + water 0.75', 'air'],
      ['water', 'water', 'air 0.0625 + water 0.9375', 'air 0.25 + water 0.75'],
    ]);
  });

  test('what lies twice on the same place, or in pieces of the same cell, is one mixture', async () => {
    const scenario = await scenarioOf([
      { material: 'lead', x_mm: [-2, 2], z_mm: [1.5, 1.75] },
      { material: 'lead', x_mm: [-2, 2], z_mm: [3.1, 3.2] },
      { material: 'lead', x_mm: [-2, 2], z_mm: [3.4, 3.55] },
    ]);
    const { list, map, roundedTo } = cellContents(scenario, { ct: null }, 5, 4);
    expect([list.length, new Set(map()), roundedTo]).toEqual([2, new Set([0, 1]), null]);
  });

  test('shares are rounded only where there are more mixtures than indices, and a warning says so', async () => {
    const foils = (count: number) =>
      Array.from({ length: count }, (_, i) => ({
        material: i % 2 === 0 ? 'lead' : 'copper',
        x_mm: [-2, 2],
        z_mm: [i / 4, i / 4 + 0.05 + i * 1e-4],
      }));
    const of = async (regions: readonly object[]) =>
      await check({ geometry: { width_mm: 4, depth_mm: 60, regions }, grid: { dx_mm: 1, dz_mm: 0.25 } });
    expect(lines(await of(foils(200)))).toEqual([]);
    const walls = foils(199).map((one, i) => ({ ...one, x_mm: [-1.3 - i * 1e-3, 1.2 + i * 1e-3] }));
    const reading = await of(walls);
    expect(lines(reading)).toEqual([
      'warning geometry.regions: cut cells into more than 255 different mixtures: shares of a cell are rounded to 1/64; borders on those of the cells need none',
    ]);
    const { materials, map } = scenarios.resolve(reading);
    expect(materials.length).toBeLessThanOrEqual(255);
    expect(Math.max(...map)).toBeLessThan(materials.length);
    // Lead and copper together: what is rounded cell by cell keeps the whole to a hundredth.
    const density = [...map].reduce((sum, index) => sum + (materials[index]?.density_g_cm3 ?? 0), 0) / 4;
    const wanted = walls.reduce(
      (sum, { material, x_mm: [from = 0, to = 0], z_mm: [near = 0, far = 0] }) =>
        sum + (to - from) * (far - near) * ((material === 'lead' ? 11.35 : 8.96) - 1),
      4 * 60,
    );
    expect(Math.abs(density / (wanted * 1) - 1)).toBeLessThan(0.01);
  });
});

describe('the material of a mixture', () => {
  test('has the densities by volume and the rest by mass, exact in each cell', async () => {
    const reading = await check({
      geometry: {
        width_mm: 4,
        depth_mm: 5,
        regions: [{ material: 'lead', x_mm: [-2, 2], z_mm: [2, 2.25], density_scale: 0.5 }],
      },
      grid: { dx_mm: 1, dz_mm: 1 },
    });
    const { materials } = scenarios.resolve(reading);
    const [water, mixed] = materials;
    const lead = scenarios.materials.lead;
    expect(materials.map(({ name }) => name)).toEqual(['water', '75 % water + 25 % lead, density × 0.5']);
    const density = 0.75 + 0.25 * 0.5 * lead.density_g_cm3;
    const w = (0.25 * 0.5 * lead.density_g_cm3) / density;
    expect(mixed?.density_g_cm3).toBeCloseTo(density, 12);
    expect(mixed?.z_over_a).toBeCloseTo((1 - w) * (water?.z_over_a ?? 0) + w * lead.z_over_a, 12);
    expect(1 / (mixed?.x0_g_cm2 ?? 0)).toBeCloseTo(
      (1 - w) / (water?.x0_g_cm2 ?? 0) + w / lead.radiation_length_g_cm2,
      12,
    );
    expect(1 / (mixed?.xs_g_cm2 ?? 0)).toBeCloseTo(
      (1 - w) / (water?.xs_g_cm2 ?? 0) + w / lead.scattering_length_g_cm2,
      12,
    );
    const own = [...lead.tables.values()][0];
    own?.energies_MeV.forEach((energy, i) => {
      const inWater = water?.stopping_MeV_cm2_g[water.energies_MeV.indexOf(energy)] ?? Number.NaN;
      const found = mixed?.stopping_MeV_cm2_g[mixed.energies_MeV.indexOf(energy)] ?? 0;
      expect(found / ((1 - w) * inWater + w * (own.stopping_MeV_cm2_g[i] ?? 0))).toBeCloseTo(1, 10);
    });
  });
});
