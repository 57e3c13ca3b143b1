import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  divides,
  divisorNear,
  multipleAbove,
  roundedAbove,
  roundedBelow,
  roundedNear,
} from '../../../../../electron/host/model/scenarios/rounded.ts';
import { addon, checkBeam, issueLines, scenarios } from './open.ts';

async function completeParts(parts: object, energy_MeV = 70) {
  const { scenario } = await checkBeam(parts, energy_MeV);
  if (scenario === null) throw new Error('not completed');
  const { geometry, grid, solver } = scenario;
  return {
    width: geometry.width_mm,
    depth: geometry.depth_mm,
    dx: grid.dx_mm,
    dz: grid.dz_mm,
    dtheta: grid.dtheta_mrad,
    theta: grid.theta_max_mrad,
    cutoff: grid.cutoff_MeV,
    energy: grid.energy,
    step: solver.step_mm,
  };
}

const range = (step_mm: number) => ({ kind: 'range' as const, step_mm });

test('three lines at 70 MeV complete to water-70MeV', async () => {
  const shipped = await scenarios.read(`${import.meta.dirname}/../../../../../assets/scenarios/water-70MeV.json`);
  const three = (await checkBeam({})).scenario;
  expect({ ...three, $schema: null, name: '', notes: '' }).toEqual({
    ...shipped.scenario,
    $schema: null,
    name: '',
    notes: '',
  });
  expect(await completeParts({})).toEqual({
    width: 40,
    depth: 50,
    dx: 0.25,
    dz: 0.2,
    dtheta: 5,
    theta: 400,
    cutoff: 0.5,
    energy: range(0.1),
    step: 0.2,
  });
});

describe('the defaults of a scenario follow from the beam range', () => {
  test.each([
    [10, { width: 1, depth: 1.5, dx: 0.005, dz: 0.005, energy: range(0.0025) }],
    [100, { width: 75, depth: 95, dx: 0.25, dz: 0.25, energy: range(0.125) }],
    [150, { width: 150, depth: 200, dx: 0.5, dz: 0.5, energy: range(0.25) }],
    // A third of the distal falloff is 1.19 and 1.69 mm, but dz is at most 0.5 mm.
    [200, { width: 250, depth: 350, dx: 1, dz: 0.5, energy: range(0.5) }],
    [250, { width: 400, depth: 500, dx: 2, dz: 0.5, energy: range(0.5) }],
  ])('%d MeV', async (energy, expected) => {
    const found = await completeParts({}, energy);
    expect(found).toMatchObject({ ...expected, step: expected.dz, theta: 400 });
  });

  test('cells in lung are as long as those in water, by mass', async () => {
    // 0.75 mm of water corresponds to 2.9 mm of lung at 0.26 g/cm³, rounded down.
    const { dz } = await completeParts({ geometry: { background: 'lung' } }, 200);
    expect(dz).toBe(2.5);
  });

  test('angle bins and lateral cells are wider in metals because of scattering, and a foil does not change them', async () => {
    // Range of 100 MeV: 13.33 g/cm² in silver, 7.718 g/cm² in water. Scattering length: 9.90 and 46.88 g/cm². Angles
    // are √(1.346 / 0.1646) = 2.86 times those in water, so angle bins are 14 mrad. Over a range of 12.7 mm the beam
    // width is 0.285 mm in water and 0.81 mm in silver. Cells are width / 3.5, 0.23 mm. The falloff is that of water
    // with this range, 0.204 mm, and depth cells are a third of it.
    const silver = { name: 'silver', formula: 'Ag', density_g_cm3: 10.5 };
    expect(await completeParts({ geometry: { background: 'silver', materials: [silver] } }, 100)).toMatchObject({
      ...{ dtheta: 14, dx: 0.23, dz: 0.067 },
    });
    const gold = { name: 'gold', formula: 'Au', density_g_cm3: 19.32 };
    const foil = { material: 'gold', x_mm: [-20, 20], z_mm: [0, 0.01] };
    expect(await completeParts({ geometry: { materials: [gold], regions: [foil] } })).toMatchObject({
      dtheta: 5,
      theta: 400,
    });
  });

  test('air has range bins sized by straggling, and a box as wide as it is deep', async () => {
    // 100 MeV protons straggle by 0.86 mm in water, a variance of 0.74 mm². Half a metre of air is equivalent to 0.54
    // mm of water. Bins of 0.095 mm add 0.05 mm² there, a sixteenth of it: bins of 0.11 times the straggling are
    // enough.
    const found = await completeParts({ geometry: { background: 'air', depth_mm: 500 } }, 100);
    expect(found).toMatchObject({ width: 500, dx: 0.2 });
    expect(found.energy.kind === 'range' ? found.energy.step_mm : 0).toBeCloseTo(0.11 * 0.857, 3);
  });

  test('behind two metres of air, lateral cells in water follow the beam at its entrance', async () => {
    const air = { material: 'air', x_mm: [-60, 60], z_mm: [0, 2000] };
    const geometry = { width_mm: 120, depth_mm: 2100, regions: [air] };
    const reading = await checkBeam({ beam: { energy_MeV: 100, x_sigma_mm: 3 }, geometry }, 100);
    expect(issueLines(reading).filter((line) => !line.startsWith('warning'))).toEqual([]);
    // 1.7 mm at the end of the range in water and 3 mm at the entrance are 3.45 mm in quadrature, divided by 3.5.
    expect(reading.scenario?.grid.dx_mm).toBe(0.5);
  });

  test.each([
    [70, 200, 1],
    [70, 300, 1],
    [100, 200, 1],
  ])('behind two metres of air, a pencil beam of %d MeV in %d mm has suitable cells', async (energy, width, dx) => {
    const slab = { material: 'water', z_mm: [2000, 2100] };
    const geometry = { background: 'air', width_mm: width, depth_mm: 2100, regions: [slab] };
    const reading = await checkBeam({ beam: { energy_MeV: energy }, geometry }, energy);
    expect(issueLines(reading).filter((line) => !line.startsWith('warning'))).toEqual([]);
    expect(reading.scenario?.grid.dx_mm).toBe(dx);
  });

  test.each([
    [2, 4500],
    [3, 6500],
  ])('with %s m of air as the background before water, the cells are those of water', async (metres, planes) => {
    const slab = { material: 'water', z_mm: [1000 * metres, 1000 * metres + 250] };
    const geometry = { background: 'air', depth_mm: 1000 * metres + 250, regions: [slab] };
    const reading = await checkBeam({ beam: { energy_MeV: 150, x_sigma_mm: 3 }, geometry }, 150);
    expect(issueLines(reading).filter((line) => !line.startsWith('warning'))).toEqual([]);
    const { grid, geometry: box } = reading.scenario ?? {};
    // A third of the falloff in water, 2.22 mm, as without the gap; range bins are a sixth of a cell.
    expect(grid).toMatchObject({ dz_mm: 0.5, energy: { kind: 'range', step_mm: expect.closeTo(0.5 / 6, 6) } });
    expect(reading.estimate?.nz).toBe(planes);
    // The slab has no given width, so that it covers the box's width.
    const half = (box?.width_mm ?? 0) / 2;
    expect(box?.regions).toMatchObject([{ material: 'water', x_mm: [-half, half] }]);
    // The range of 150 MeV in water is 157.7 mm; a metre of air is equivalent to 1.06 mm of water.
    expect(reading.range_mm).toBeCloseTo(1000 * metres + 157.7 - 1.06 * metres, 0);
  });

  test('a beam that stops in a region of lead has three cells in the falloff there', async () => {
    const lead = { material: 'lead', x_mm: [-5, 5], z_mm: [10, 20] };
    const found = await completeParts({ geometry: { regions: [lead] } });
    const alone = await completeParts({ geometry: { background: 'lead' } });
    expect(found.dz).toBe(alone.dz);
    expect(found.dz).toBeLessThan(0.1);
    // The stopping power of tissue is close to that of water, so its cells are those of water.
    const bone = { material: 'bone-compact-icru', x_mm: [-5, 5], z_mm: [10, 40] };
    expect((await completeParts({ geometry: { regions: [bone] } })).dz).toBe(0.2);
  });

  test('every therapeutic energy has three cells in the falloff, 3.5 in the width at the end, and space beyond the range', async () => {
    const reference = [
      [70, 0.616, 0.906],
      [100, 1.13, 1.704],
      [150, 2.224, 3.462],
      [200, 3.557, 5.676],
      [250, 5.08, 8.268],
    ] as const;
    for (const [energy, falloff, width] of reference) {
      const found = await completeParts({}, energy);
      expect(found.dz).toBeLessThanOrEqual(falloff / 3);
      expect(found.dx).toBeLessThanOrEqual(width / 3.5);
    }
  });

  test('range bins are at most 0.22 of the straggling wide', async () => {
    for (const [energy, straggling] of [
      [70, 0.469],
      [100, 0.86],
      [150, 1.695],
      [200, 2.712],
      [250, 3.873],
    ] as const) {
      for (const parts of [{}, { geometry: { background: 'muscle-skeletal' } }, { solver: { stepping: 'depth' } }]) {
        const { energy: bins } = await completeParts(parts, energy);
        expect(bins.kind === 'range' ? bins.step_mm : 1).toBeLessThanOrEqual(0.22 * straggling);
      }
    }
  });

  test('any energy of the tables gives a valid scenario of a feasible size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 2.5, max: 300, noNaN: true }), async (energy) => {
        const reading = await checkBeam({}, energy);
        // The smallest allowed cutoff shortens the range of the slowest beams.
        const told =
          energy < 4 ? issueLines(reading).filter((line) => !line.includes('grid.cutoff_MeV')) : issueLines(reading);
        expect(told).toEqual([]);
        const { nx = 0, nz = 0 } = reading.estimate ?? {};
        expect(nx).toBeGreaterThanOrEqual(100);
        expect(nx).toBeLessThanOrEqual(500);
        expect(nz).toBeGreaterThanOrEqual(150);
        expect(nz).toBeLessThanOrEqual(1400);
      }),
      { numRuns: 60 },
    );
  });

  // Residual ranges at 0.3, 0.5, 1 and 2 MeV in water: 0.005, 0.009, 0.025, 0.076 mm. Straggling of 10, 20 and 50 MeV:
  // 0.017, 0.055, 0.27 mm.
  test.each([
    [10, {}, 0.2],
    [5, {}, 0.2],
    [20, {}, 0.3],
    [50, {}, 0.5],
    [200, {}, 0.5],
    [20, { grid: { energy: { kind: 'uniform', min_MeV: 1.5 } } }, 1.5],
  ])(
    'the cutoff at %d MeV leaves a tenth of the straggling, and never more than 0.5 MeV',
    async (energy, parts, expected) => {
      expect((await completeParts(parts, energy)).cutoff).toBe(expected);
    },
  );

  // σθ near the end of the range of 70 MeV (Fermi–Eyges with Gottschalk's scattering power): 57 mrad in compact bone,
  // 73 in aluminium, 204 in lead.
  test.each([
    ['bone-compact-icru', {}, 400],
    ['aluminium', {}, 435],
    ['lead', {}, 1185],
    ['lead', { solver: { stepping: 'depth' } }, 1045],
  ])('the angles in %s cover five widths', async (background, parts, expected) => {
    const found = await completeParts({ geometry: { background }, ...parts });
    expect(Math.abs(found.theta - expected)).toBeLessThan(40);
  });

  test.each(['air', 'lung', 'adipose-icrp', 'bone-cortical-icrp', 'lead'])(
    'the angles in the background cover five widths: %s',
    async (background) => {
      const reading = await checkBeam({ geometry: { background } }, 150);
      expect(issueLines(reading).filter((line) => !line.startsWith('warning'))).toEqual([]);
    },
  );
});

describe('explicit values override the defaults', () => {
  test.each([
    ['a width that no nice cell divides', { geometry: { width_mm: 41.3 } }, { width: 41.3, dx: 0.248795180723 }],
    [
      'a cell that the depth has to hold',
      { grid: { dz_mm: 0.3 } },
      { dz: 0.3, depth: 50.1, step: 0.3, energy: range(0.1) },
    ],
    [
      'a cell that is coarse beside the falloff',
      { grid: { dz_mm: 1 } },
      { dz: 1, depth: 50, step: 1, energy: range(0.1) },
    ],
    ['angle bins', { grid: { dtheta_mrad: 7 } }, { dtheta: 7, theta: 406 }],
    ['a solver step', { solver: { step_mm: 0.1 } }, { step: 0.1, energy: range(0.1), dz: 0.2 }],
    ['a range step', { grid: { energy: range(0.1) } }, { step: 0.2, energy: range(0.1) }],
    ['a coarse range step', { grid: { energy: range(0.3) } }, { step: 0.3, energy: range(0.3) }],
    ['an angle', { beam: { energy_MeV: 70, angle_deg: 45 } }, { width: 100, depth: 45 }],
    ['a place of entry', { beam: { energy_MeV: 70, x_mm: 10, z_mm: 20 } }, { width: 60, depth: 70 }],
    ['a wide beam', { beam: { energy_MeV: 70, x_sigma_mm: 5 } }, { width: 80 }],
    ['an angular spread', { beam: { energy_MeV: 70, angle_sigma_mrad: 50 } }, { theta: 600 }],
    [
      'regions further out',
      { geometry: { regions: [{ material: 'lead', x_mm: [-60, 0], z_mm: [30, 80] }] } },
      { width: 120, depth: 80 },
    ],
  ])('%s', async (_name, parts, expected) => {
    expect(await completeParts(parts)).toMatchObject(expected);
  });

  test.each([
    ['a foil of another material', { regions: [{ material: 'lead', x_mm: [-5, 5], z_mm: [10, 11] }] }, 0.2 / 3],
    [
      'a region of half the density, where two a step are whole',
      { regions: [{ material: 'water', x_mm: [-5, 5], z_mm: [10, 20], density_scale: 0.5 }] },
      0.2 / 2,
    ],
    [
      'a long region of a quarter of the density',
      { regions: [{ material: 'water', x_mm: [-5, 5], z_mm: [0, 100], density_scale: 0.25 }] },
      0.2 / 4,
    ],
    ['a region of the same', { regions: [{ material: 'water', x_mm: [-5, 5], z_mm: [10, 20] }] }, 0.2 / 2],
  ])('range bins with %s have a default', async (_name, geometry, step) => {
    const { energy } = await completeParts({ geometry });
    expect(energy.kind === 'range' ? energy.step_mm : 0).toBeCloseTo(step, 10);
  });

  test('range bins split no proton over more range than straggling spreads it', async () => {
    const region = { x_mm: [-4, 4], z_mm: [2, 4] };
    for (const geometry of [
      {},
      { background: 'lung' },
      { background: 'lead' },
      { regions: [{ ...region, material: 'bone-compact-icru' }] },
      { regions: [{ ...region, material: 'lung' }] },
    ]) {
      const reading = await checkBeam({ geometry, grid: { dtheta_mrad: 50 }, solver: { stepping: 'depth' } }, 30);
      const result = await addon.createTransport(scenarios.resolve(reading)).start(() => undefined);
      // The physical straggling of this beam is 0.1 mm. The grid adds the most straggling in lead, 0.04 mm, because the
      // stopping power of lead relative to water varies most.
      expect(result.extra_straggling_mm, JSON.stringify(geometry)).toBeLessThan(0.05);
    }
  });

  test('light regions enlarge the box for the longer range', async () => {
    const lung = { material: 'lung', x_mm: [-20, 20], z_mm: [10, 110] };
    expect((await completeParts({ geometry: { regions: [lung] } }, 150)).depth).toBe(300);
  });
});

describe('rounded numbers', () => {
  test('have few digits', () => {
    expect([0.0741, 0.205, 0.2, 0.24, 0.26, 0.7, 1, 9.99].map(roundedBelow)).toEqual([
      0.05, 0.2, 0.2, 0.2, 0.25, 0.5, 1, 5,
    ]);
    expect([40.8, 157.7, 77.2, 379].map(roundedNear)).toEqual([40, 150, 75, 400]);
    expect([48.96, 50, 189, 92.6].map(roundedAbove)).toEqual([50, 50, 200, 95]);
    expect(multipleAbove(50, 0.3)).toBe(50.1);
    expect(multipleAbove(50, 0.1)).toBe(50);
    expect([divisorNear(0.3, 40), divisorNear(0.25, 51.3), divisorNear(0.3, 1 / 3)]).toEqual([0.25, 0.1, 0.333333333]);
  });

  test('are tested for even division', () => {
    expect(divides(0.1, 0.3)).toBe(true);
    expect(divides(0.2, 50)).toBe(true);
    expect(divides(0.3, 50)).toBe(false);
    expect(divides(3, 2)).toBe(false);
    fc.assert(
      fc.property(
        fc.double({ min: 1e-4, max: 100, noNaN: true }),
        fc.integer({ min: 1, max: 20_000 }),
        (cell, count) => {
          expect(divides(cell, cell * count)).toBe(true);
          if (count < 10_000) expect(divides(cell, cell * (count + 0.3))).toBe(false);
        },
      ),
    );
  });
});
