/**
 * Contents of cells that region borders cut, and the mixtures made from them. Also diffraction scenarios: issues with
 * path, value and allowed values.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatIssue, type TransportScenario } from '../../../../../electron/contract/scenario/index.ts';
import { readHkl } from '../../../../../electron/host/workloads/diffraction/scenario/hkl.ts';
import { problemOf } from '../../../../../electron/host/workloads/scenarios/scenarios.ts';
import { cellContents } from '../../../../../electron/host/workloads/transport/scenario/cell-contents.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { renderDocument } from '../../workloads/image.ts';
import { smallImage } from '../../workloads/small-image.ts';
import { addon, checkBeam, issueLines, scenarios } from './open.ts';

async function scenarioOf(regions: readonly object[], box = { width_mm: 4, depth_mm: 5 }): Promise<TransportScenario> {
  const reading = await checkBeam({ geometry: { ...box, regions }, grid: { dx_mm: 1, dz_mm: 1 } });
  if (reading.scenario === null) throw new Error(issueLines(reading).join('\n'));
  return reading.scenario;
}

/** The content of each cell as text, such as `lead 0.25 + water 0.75`. */
async function cellTexts(regions: readonly object[]): Promise<readonly (readonly string[])[]> {
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

describe('cells cut by region borders', () => {
  test('contain each material by its share; a thin foil inside a cell keeps its thickness', async () => {
    const rows = await cellTexts([{ material: 'lead', x_mm: [-2, 2], z_mm: [2.3, 2.4] }]);
    expect(rows.map((row) => new Set(row))).toEqual([
      new Set(['water']),
      new Set(['water']),
      new Set(['lead 0.1 + water 0.9']),
      new Set(['water']),
      new Set(['water']),
    ]);
  });

  test('handle corners, and areas covered by the last region', async () => {
    expect(
      await cellTexts([
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

  test('combine overlapping pieces in one cell into one mixture', async () => {
    const scenario = await scenarioOf([
      { material: 'lead', x_mm: [-2, 2], z_mm: [1.5, 1.75] },
      { material: 'lead', x_mm: [-2, 2], z_mm: [3.1, 3.2] },
      { material: 'lead', x_mm: [-2, 2], z_mm: [3.4, 3.55] },
    ]);
    const { list, map, roundedTo } = cellContents(scenario, { ct: null }, 5, 4);
    expect([list.length, new Set(map()), roundedTo]).toEqual([2, new Set([0, 1]), null]);
  });

  test('round shares, with a warning, only if there are more mixtures than indices', async () => {
    const foils = (count: number) =>
      Array.from({ length: count }, (_, i) => ({
        material: i % 2 === 0 ? 'lead' : 'copper',
        x_mm: [-2, 2],
        z_mm: [i / 4, i / 4 + 0.05 + i * 1e-4],
      }));
    const of = async (regions: readonly object[]) =>
      await checkBeam({ geometry: { width_mm: 4, depth_mm: 60, regions }, grid: { dx_mm: 1, dz_mm: 0.25 } });
    expect(issueLines(await of(foils(200)))).toEqual([]);
    const walls = foils(199).map((one, i) => ({ ...one, x_mm: [-1.3 - i * 1e-3, 1.2 + i * 1e-3] }));
    const reading = await of(walls);
    expect(issueLines(reading)).toEqual([
      'warning geometry.regions: boundaries cut cells into more than 255 different mixtures: shares of a cell are rounded to 1/64; boundaries between cells need no rounding',
    ]);
    const { materials, map } = scenarios.resolve(reading);
    expect(materials.length).toBeLessThanOrEqual(255);
    expect(Math.max(...map)).toBeLessThan(materials.length);
    // Lead and copper together: rounding cell by cell preserves the total mass to a hundredth.
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
  test('has its densities by volume and all other properties by mass, exact in each cell', async () => {
    const reading = await checkBeam({
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

async function problemWith(parts: object) {
  return scenarios.resolve(await checkBeam(parts));
}

const smallBox = { width_mm: 4, depth_mm: 5 };
const coarse = { dx_mm: 1, dz_mm: 1 };

describe('the problem for the engine', () => {
  test('has angles in radians, cells that fill the box and the memory limit', async () => {
    const found = await problemWith({
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
    const found = await problemWith({
      geometry: {
        ...smallBox,
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

  test('water is the first material even if the scenario contains none', async () => {
    const found = await problemWith({ geometry: { ...smallBox, background: 'lung' }, grid: coarse });
    expect(found.materials.map(({ name }) => name)).toEqual(['water', 'lung']);
    expect(new Set(found.map)).toEqual(new Set([1]));
  });

  test('water of a different density is a separate material', async () => {
    const found = await problemWith({
      geometry: { ...smallBox, regions: [{ material: 'water', x_mm: [-2, 2], z_mm: [0, 5], density_scale: 1.1 }] },
      grid: coarse,
    });
    expect(found.materials.map(({ density_g_cm3 }) => density_g_cm3)).toEqual([1, 1.1]);
  });

  test('icru90 changes only the water table', async () => {
    const parts = {
      geometry: { ...smallBox, regions: [{ material: 'lead', x_mm: [-1, 1], z_mm: [1, 3] }] },
      grid: coarse,
    };
    const [standard, icru90] = [
      await problemWith(parts),
      await problemWith({ ...parts, physics: { stopping_power: 'icru90' } }),
    ];
    expect(icru90.materials[0]?.stopping_MeV_cm2_g).not.toEqual(standard.materials[0]?.stopping_MeV_cm2_g);
    expect(icru90.materials[1]).toEqual(standard.materials[1]);
  });
});

describe('the grid rules match the engine', () => {
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
  ])('the estimated bins equal those of the plan: %s', async (_name, parts) => {
    const reading = await checkBeam({ ...parts, solver: { stepping: 'depth' } });
    expect(issueLines(reading).filter((line) => !line.includes('range spread'))).toEqual([]);
    const { plan } = addon.createTransport(scenarios.resolve(reading));
    const { ne = 0, ...rest } = reading.estimate ?? {};
    expect(rest).toMatchObject({ ntheta: plan.ntheta, nz: plan.nz, nx: plan.nx });
    // The engine may add guard bins above the beam.
    expect(Math.abs(ne - plan.ne)).toBeLessThanOrEqual(2);
  });
});

describe('diffraction scenarios', () => {
  const folder = scratchFolder('hkl');

  async function parseDocument(document: object) {
    return scenarios.any.parse(JSON.stringify(document), { name: path.join(folder, 's.json'), folder });
  }

  async function issueTexts(document: object): Promise<readonly string[]> {
    const { issues: found } = await parseDocument(document);
    return found.map((issue) => `${issue.severity}: ${issue.path}: ${issue.message}`);
  }

  const crystal = (parts: object) => ({ ...smallImage, crystal: { ...smallImage.crystal, ...parts } });

  test('only the lattice is required', async () => {
    expect(await issueTexts({ kind: 'diffraction', version: 1 })).toEqual([
      expect.stringMatching(/^error: crystal: is missing; needed: /),
    ]);
    expect(await issueTexts(smallImage)).toEqual([]);
  });

  test('the beam centre is in the middle by default, with X along the slow axis', async () => {
    const reading = await parseDocument(smallImage);
    if (reading.kind !== 'diffraction') throw new Error('not a diffraction scenario');
    expect(reading.scenario.detector).toMatchObject({ beam_x_mm: 1.25, beam_y_mm: 1.65 });
  });

  test.each([
    [
      'directions and wavelengths',
      { ...smallImage, beam: { divergence_h_steps: 1000, divergence_v_steps: 60, dispersion_steps: 1000 } },
      /^error: beam\.divergence_h_steps: 1000 makes 1000 x 60 x 1000 = 60000000 directions and wavelengths; allowed: at most 100000$/,
    ],
    [
      'orientations',
      { ...crystal({ mosaic_domains: 10_000 }), rotation: { steps: 1000 } },
      /^error: crystal\.mosaic_domains: 10000 makes 10000 x 1000 = 10000000 orientations; allowed: at most 100000$/,
    ],
    [
      'cells',
      crystal({ cells: { a: 0, b: 1, c: 1 } }),
      /^error: crystal\.cells\.a: 0 is too small; allowed: a whole number, 1 to 100000$/,
    ],
    [
      'angles',
      crystal({ lattice: { kind: 'cell', a_A: 70, b_A: 80, c_A: 90, alpha_deg: 120, beta_deg: 120, gamma_deg: 125 } }),
      /^error: crystal\.lattice\.alpha_deg: 120 ° gives no closed cell with beta 120° and gamma 125°; allowed: each angle below/,
    ],
    [
      'flat matrix',
      crystal({
        lattice: {
          kind: 'matrix',
          a_star: { x: 1, y: 0, z: 0 },
          b_star: { x: 0, y: 1, z: 0 },
          c_star: { x: 1, y: 1, z: 0 },
        },
      }),
      /^error: crystal\.lattice\.c_star: .* is in one plane/,
    ],
    [
      'wavelength',
      { ...smallImage, beam: { wavelength_A: 0 } },
      /^error: beam\.wavelength_A: 0 Å is too small; allowed: 0\.01 to 100 Å$/,
    ],
    [
      'a variant',
      { ...smallImage, solver: { variant: 'diffraction-fp46' } },
      /^error: solver\.variant: "diffraction-fp46" is not known \(did you mean diffraction-fp64\?\)/,
    ],
    ['a key', { ...smallImage, detectr: {} }, /^error: detectr: is not a known key \(did you mean detector\?\)/],
    ['an idle range', crystal({ mosaic_spread_deg: 1 }), /^warning: crystal\.mosaic_spread_deg: has no effect/],
    [
      'nothing to see',
      { ...smallImage, structure_factors: {} },
      /^warning: structure_factors\.default_electrons: leaves the image empty/,
    ],
  ] as const)('%s is invalid', async (_name, document, expected) => {
    expect(await issueTexts(document)).toEqual([expect.stringMatching(expected)]);
  });

  describe('lists of reflections', () => {
    const list = (file: string) => ({ ...smallImage, structure_factors: { default_electrons: 0, file } });

    test('are read, and produce only their own spots', async () => {
      await writeFile(path.join(folder, 'one.hkl'), '# h k l F\n0 0 1 250\n\n0,0,-1,125.5\n');
      const reading = await parseDocument(list('one.hkl'));
      if (reading.kind !== 'diffraction') throw new Error('not a diffraction scenario');
      expect(reading.reflections).toBe(2);
      expect([...problemOf(reading).structure_factors.reflections]).toEqual([0, 0, 1, 250, 0, 0, -1, 125.5]);
      const image = await renderDocument(
        { ...list('one.hkl'), detector: { width: 200, height: 1, pixel_mm: 0.1 } },
        folder,
      );
      // Reflections along the spindle axis are 6.2 mm apart: pixels 39 and 163 of the row.
      const at = (fast: number): number => image.image[fast] ?? 0;
      expect(at(163)).toBeGreaterThan(10);
      expect(at(163) / at(39)).toBeCloseTo((250 / 125.5) ** 2, 0);
      expect(at(101)).toBe(0);
    });

    test('are rejected if they are missing or lie outside the folder', async () => {
      expect(await issueTexts(list('none.hkl'))).toEqual([
        expect.stringMatching(/^error: structure_factors\.file: .*cannot be used/),
      ]);
      expect(await issueTexts(list('../s.hkl'))).toEqual([expect.stringMatching(/^error: structure_factors\.file: /)]);
    });

    test('have their invalid lines named', async () => {
      await writeFile(path.join(folder, 'bad.hkl'), '1 2 3 4\n1 2 3\n1.5 2 3 4\n1 2 3 five\n1 2 3 9\n');
      const { issues: found } = await parseDocument(list('bad.hkl'));
      expect(found.map((issue) => formatIssue(issue))).toEqual([
        expect.stringMatching(/bad\.hkl:2: .*"1 2 3" has 3 values; needed: h k l F$/),
        expect.stringMatching(/bad\.hkl:3: .*h = 1\.5 is not an index; allowed: whole numbers from -100000 to 100000$/),
        expect.stringMatching(/bad\.hkl:4: .*F = five is not allowed; allowed: -1e9 to 1e9 electrons$/),
        expect.stringMatching(/bad\.hkl:5: .*1 2 3 has F = 9, but F = 4 in line 1$/),
      ]);
    });

    test('are rejected without a reflection, and hostile ones fail quickly', () => {
      expect(readHkl('# nothing\n')).toEqual({
        ok: false,
        faults: [{ line: 1, message: 'contains no reflection; needed: h k l F' }],
      });
      const lines = 'x\n'.repeat(100_000);
      const found = readHkl(`h k l F\n${lines}`);
      expect(found.ok ? 0 : found.faults.length).toBe(20);
      // Without a header line, the first line that is not a reflection decides for the file.
      expect(readHkl(lines)).toEqual({
        ok: false,
        faults: [{ line: 1, message: '"x" has 1 value; needed: h k l F' }],
      });
    });
  });

  test('transport code rejects a diffraction scenario by its kind', async () => {
    const reading = await scenarios.check(smallImage, { name: 's', folder: null });
    expect(reading.problem).toBeNull();
    expect(reading.issues.map(({ path: at, message }) => `${at}: ${message}`)).toEqual([
      'kind: "diffraction" is another workload; allowed: transport',
    ]);
  });

  test('the engine rejects by name the options that a variant does not support', async () => {
    const reading = await parseDocument({
      ...crystal({ cells: { a: 50, b: 5, c: 5 } }),
      solver: { variant: 'diffraction-chebyshev' },
    });
    if (reading.kind !== 'diffraction') throw new Error('not a diffraction scenario');
    expect(() => addon.createDiffraction(problemOf(reading))).toThrow(
      'solver.variant = diffraction-chebyshev: crystal.cells has 50 along an edge; the recurrence is efficient for at most 16',
    );
  });
});
