import { describe, expect, test } from 'vitest';
import { addon, check, lines, scenarios } from './open.ts';

async function problem(parts: object) {
  return scenarios.resolve(await check(parts));
}

const small = { width_mm: 4, depth_mm: 5 };
const coarse = { dx_mm: 1, dz_mm: 1 };

describe('the problem for the engine', () => {
  test('has angles in radians, cells that fill the box and the memory limit', async () => {
    const found = await problem({
      beam: { energy_MeV: 70, angle_deg: 30, angle_sigma_mrad: 2, x_sigma_mm: 1, energy_sigma_MeV: 0.5, weight: 1e6 },
      grid: { dx_mm: 0.33333333, dz_mm: 0.2, dtheta_mrad: 10, theta_max_mrad: 300 },
      geometry: { width_mm: 120, depth_mm: 50 },
    });
    expect(found.beam).toEqual({
      energy_MeV: 70,
      energy_sigma_MeV: 0.5,
      angle_rad: Math.PI / 6,
      angle_sigma_rad: 0.002,
      x_mm: 0,
      x_sigma_mm: 1,
      y_sigma_mm: 1,
      focus_mm: 0,
      z_mm: 0,
      weight: 1e6,
    });
    expect(found.grid).toMatchObject({ nx: 360, nz: 250, ntheta: 61, dtheta_rad: 0.01, theta_centre_rad: Math.PI / 6 });
    expect(found.grid.dx_mm * found.grid.nx).toBeCloseTo(120, 12);
    expect(found.solver.memory_limit_bytes).toBe(2 ** 30);
  });

  test('a cell belongs to the last region that contains it', async () => {
    const found = await problem({
      geometry: {
        ...small,
        regions: [
          { material: 'lead', x_mm: [-1, 1], z_mm: [1, 3] },
          { material: 'air', x_mm: [0, 2], z_mm: [2, 4] },
          { material: 'lead', x_mm: [-2, -1], z_mm: [4, 5], density_scale: 0.5 },
        ],
      },
      grid: coarse,
    });
    expect(found.materials.map(({ name }) => name)).toEqual(['water', 'lead', 'air', 'lead, density × 0.5']);
    const rows = Array.from({ length: 5 }, (_, z) => [...found.map.slice(z * 4, z * 4 + 4)].join(' '));
    expect(rows).toEqual(['0 0 0 0', '0 1 1 0', '0 1 2 2', '0 0 2 2', '3 0 0 0']);
    expect(found.materials[3]?.density_g_cm3).toBeCloseTo(11.35 / 2, 12);
    expect(found.materials[3]?.stopping_MeV_cm2_g).toEqual(found.materials[1]?.stopping_MeV_cm2_g);
  });

  test('water comes first though nothing is made of it', async () => {
    const found = await problem({ geometry: { ...small, background: 'lung' }, grid: coarse });
    expect(found.materials.map(({ name }) => name)).toEqual(['water', 'lung']);
    expect(new Set(found.map)).toEqual(new Set([1]));
  });

  test('water of another density is another material', async () => {
    const found = await problem({
      geometry: { ...small, regions: [{ material: 'water', x_mm: [-2, 2], z_mm: [0, 5], density_scale: 1.1 }] },
      grid: coarse,
    });
    expect(found.materials.map(({ density_g_cm3 }) => density_g_cm3)).toEqual([1, 1.1]);
  });

  test('icru90 changes the table of water only', async () => {
    const parts = {
      geometry: { ...small, regions: [{ material: 'lead', x_mm: [-1, 1], z_mm: [1, 3] }] },
      grid: coarse,
    };
    const [standard, icru90] = [
      await problem(parts),
      await problem({ ...parts, physics: { stopping_power: 'icru90' } }),
    ];
    expect(icru90.materials[0]?.stopping_MeV_cm2_g).not.toEqual(standard.materials[0]?.stopping_MeV_cm2_g);
    expect(icru90.materials[1]).toEqual(standard.materials[1]);
  });
});

describe('the grid rules are those of the engine', () => {
  test('72 angle bins, 50 energy bins: dense-36M', async () => {
    const reading = await scenarios.read(`${import.meta.dirname}/../../../../../assets/scenarios/dense-36M.json`);
    const { plan } = addon.createTransport(scenarios.resolve(reading));
    expect([plan.ne, plan.ntheta, plan.nz, plan.nx]).toEqual([50, 72, 100, 100]);
    expect(reading.estimate).toMatchObject({ ne: 50, ntheta: 72, nz: 100, nx: 100, cells: 36_000_000 });
  });

  test.each([
    ['three lines', {}],
    ['a uniform energy grid', { grid: { energy: { kind: 'uniform' }, dtheta_mrad: 20 } }],
    ['an energy spread', { beam: { energy_MeV: 70, energy_sigma_MeV: 0.7 } }],
    ['bone', { geometry: { background: 'bone-compact-icru' } }],
    ['icru90', { physics: { stopping_power: 'icru90' } }],
  ])('estimated bins are those of the plan: %s', async (_name, parts) => {
    const reading = await check({ ...parts, solver: { stepping: 'depth' } });
    expect(lines(reading).filter((line) => !line.includes('range spread'))).toEqual([]);
    const { plan } = addon.createTransport(scenarios.resolve(reading));
    const { ne = 0, ...rest } = reading.estimate ?? {};
    expect(rest).toMatchObject({ ntheta: plan.ntheta, nz: plan.nz, nx: plan.nx });
    // The engine may add guard bins above the beam.
    expect(Math.abs(ne - plan.ne)).toBeLessThanOrEqual(2);
  });
});
