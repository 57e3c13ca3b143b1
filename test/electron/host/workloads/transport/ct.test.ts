/** Matter from a CT: exact expectations, and a beam through it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TransportScenario } from '../../../../../electron/contract/scenario/index.ts';
import { gammaIndex } from '../../../../../electron/host/model/fields/gamma.ts';
import { loadHuTable } from '../../../../../electron/host/model/matter/hu-table.ts';
import { materialLengths } from '../../../../../electron/host/model/matter/user-material.ts';
import { stoppingAt } from '../../../../../electron/host/model/scenarios/stopping-table.ts';
import { pencilDose } from '../../../../../electron/host/workloads/transport/beams/pencils.ts';
import { metricsOf } from '../../../../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { measuredRunOf, type RunData } from '../../../../../electron/host/workloads/transport/run-data.ts';
import { ctPicture, type PlacedCt } from '../../../../../electron/host/workloads/transport/scenario/placed-ct.ts';
import {
  dicomOf,
  ellipsePhantom,
  layeredPhantom,
  metaImageOf,
  nrrdOf,
  type Phantom,
  writeSeries,
} from '../../io/volumes/phantom.ts';
import { addon } from '../../model/scenarios/open.ts';
import { assetsFolder, openTestScenarios, runScenario } from '../../small-run.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ct-'));
  mkdirSync(path.join(folder, 'ct'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeVolume(name: string, phantom: Phantom): string {
  writeFileSync(path.join(folder, 'ct', name), name.endsWith('.mha') ? metaImageOf(phantom) : nrrdOf(phantom));
  return `ct/${name}`;
}

const scenarios = await openTestScenarios();
const read = (document: object) => scenarios.check(document, { name: 's', folder });
const run = (document: object): Promise<RunData> => runScenario(document, 2 ** 31, folder);

/** HU are labels in these tests: 0 is water, 1000 compact bone, -500 lung. */
const ctScenario = {
  density: [
    [-1000, 0.01],
    [-500, 0.26],
    [0, 1],
    [1000, 1.85],
  ],
  materials: [
    [-1000, 'lung'],
    [-250, 'water'],
    [500, 'bone-compact-icru'],
  ],
};
const quickScenario = {
  kind: 'transport',
  version: 1,
  beam: { energy_MeV: 60, x_sigma_mm: 2 },
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 10, theta_max_mrad: 400, energy: { kind: 'range', step_mm: 0.25 } },
};
const box = { width_mm: 40, depth_mm: 40 };

/** HU of rows of half a millimetre. */
const rows = (...parts: readonly (readonly [mm: number, hu: number])[]): readonly number[] =>
  parts.flatMap(([mm, hu]) => Array.from({ length: Math.round(mm * 2) }, () => hu));

function largestDifference(one: RunData, other: RunData): number {
  const peak = other.dose.reduce((most, value) => Math.max(most, value), 0);
  return one.dose.reduce((most, value, i) => Math.max(most, Math.abs(value - (other.dose[i] ?? 0)) / peak), 0);
}

describe('a CT equals the same matter in rectangles within 1e-6 of the peak', () => {
  test.each(['path', 'depth'])('in uniform water, with %s stepping', async (stepping) => {
    const file = writeVolume('water.mha', layeredPhantom(rows([40, 0]), 80, 0.5));
    const solver = { stepping };
    const [ct, rectangle] = [
      await run({ ...quickScenario, solver, geometry: { ...box, ct: { file, hu_table: ctScenario } } }),
      await run({ ...quickScenario, solver, geometry: box }),
    ];
    expect(largestDifference(ct, rectangle)).toBeLessThan(1e-6);
  });

  test('in slabs of bone and lung in water, with pixels of half a cell', async () => {
    const file = writeVolume(
      'slabs.nrrd',
      layeredPhantom(rows([5, 0], [4, 1000], [3, 0], [6, -500], [22, 0]), 80, 0.5),
    );
    const regions = [
      { material: 'bone-compact-icru', x_mm: [-20, 20], z_mm: [5, 9] },
      { material: 'lung', x_mm: [-20, 20], z_mm: [12, 18] },
    ];
    const [ct, slabs] = [
      await run({ ...quickScenario, geometry: { ...box, ct: { file, hu_table: ctScenario } } }),
      await run({ ...quickScenario, geometry: { ...box, regions } }),
    ];
    expect(largestDifference(ct, slabs)).toBeLessThan(1e-6);
  });

  test('when turned by a right angle with its beam, and when entered from the other side', async () => {
    const slab = layeredPhantom(rows([10, 0], [6, 1000], [24, 0]), 80, 0.5);
    const file = writeVolume('front.nrrd', slab);
    // The same slab along x, seen from the patient's left. There x points to the left, so that the beam travels against
    // x.
    const left = writeVolume('left.nrrd', {
      ...slab,
      origin_mm: [0.25, -19.75, 0],
      hu: (column, row) => slab.hu(row, 79 - column, 0),
    });
    const [front, aside] = [
      await read({ ...quickScenario, geometry: { ...box, ct: { file, hu_table: ctScenario } } }),
      await read({ ...quickScenario, geometry: { ...box, ct: { file: left, hu_table: ctScenario, angle_deg: 90 } } }),
    ];
    expect(aside.issues).toEqual(front.issues);
    expect(aside.problem?.().map).toEqual(front.problem?.().map);
    const back = await read({
      ...quickScenario,
      geometry: { ...box, ct: { file, hu_table: ctScenario, angle_deg: 180 } },
    });
    const turned = front.problem?.().map.slice().reverse();
    expect(back.problem?.().map).toEqual(turned);
  });
});

describe('the range behind lung and bone matches the water-equivalent thickness', () => {
  /** Thickness of water in mm that slows a beam of this energy as much as a layer does. Integrated in steps. */
  function waterEquivalent(
    energy_MeV: number,
    material: 'lung' | 'bone-compact-icru',
    density: number,
    mm: number,
  ): number {
    const { water, [material]: matter } = scenarios.materials;
    const table = (of: typeof water) => of.tables.get('icru49');
    let [energy, sum] = [energy_MeV, 0];
    for (let i = 0; i < 200; i += 1) {
      const own = stoppingAt(addon.rangeTable, table(matter) as never, energy).stopping * density * (mm / 2000);
      sum += own / (stoppingAt(addon.rangeTable, table(water) as never, energy).stopping / 10);
      energy -= own;
    }
    return sum;
  }

  test.each([
    ['lung', -500, 0.26, 30],
    ['bone-compact-icru', 1000, 1.85, 10],
  ] as const)('%s inside a CT', async (material, hu, density, mm) => {
    const file = writeVolume(`${material}.nrrd`, layeredPhantom(rows([5, 0], [mm, hu], [85 - mm, 0]), 80, 0.5));
    const parts = { ...quickScenario, beam: { energy_MeV: 80, x_sigma_mm: 2 } };
    const ct = { ...parts, geometry: { width_mm: 40, depth_mm: 90, ct: { file, hu_table: ctScenario } } };
    const water = { ...parts, geometry: { width_mm: 40, depth_mm: 90 } };
    const [behind, plainly] = [await run(ct), await run(water)].map(
      (each) => metricsOf(measuredRunOf(each)).r80_mm ?? 0,
    );
    // 5 mm of water before the layer reduce the energy by some 5 MeV.
    const before = 80 - 5 * 0.88;
    const expected = (plainly ?? 0) + mm - waterEquivalent(before, material, density, mm);
    expect(Math.abs((behind ?? 0) - expected)).toBeLessThan(0.1);
    const [inCt, inWater] = [await read(ct), await read(water)].map(({ range_mm }) => range_mm ?? 0);
    expect(Math.abs((inCt ?? 0) - (inWater ?? 0) - (mm - waterEquivalent(before, material, density, mm)))).toBeLessThan(
      0.05,
    );
  });
});

describe('a thorax converted by the shipped table', () => {
  test('fills the box from edge to edge, with the materials of Schneider', async () => {
    writeSeries(path.join(folder, 'ct/thorax'), ellipsePhantom(64));
    const reading = await read({
      kind: 'transport',
      version: 1,
      beam: { energy_MeV: 120, x_sigma_mm: 5 },
      grid: { dx_mm: 4, dz_mm: 2 },
      geometry: { ct: { file: 'ct/thorax' } },
    });
    expect(reading.issues.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(reading.scenario?.geometry.depth_mm).toBeCloseTo(410, -1);
    const problem = reading.problem?.();
    const names = problem?.materials.map(({ name }) => name.split(',')[0]) ?? [];
    for (const name of ['air', 'lung', 'soft-tissue', 'marrow-bone07', 'marrow-bone03']) {
      expect(names).toContain(`schneider-${name}`);
    }
    // The table's segment from -1000 to -739 HU, at -750 HU.
    const wanted = 0.001 + (250 / 261) * 0.279;
    const lungs = problem?.materials.filter(({ name }) => name.startsWith('schneider-lung')) ?? [];
    expect(lungs.some(({ density_g_cm3 }) => Math.abs(density_g_cm3 - wanted) < 1e-9)).toBe(true);
  });

  test('has materials whose radiation lengths agree with MCsquare within 1.5 %', async () => {
    const { compositions } = await loadHuTable(assetsFolder, 'schneider');
    const listed: Readonly<Record<string, number>> = {
      'schneider-air': 36.615902,
      'schneider-lung': 36.527682,
      'schneider-at-ag-si1': 42.080618,
      'schneider-at-ag-si2': 40.91068,
      'schneider-at-ag-si3': 39.746054,
      'schneider-at-ag-si4': 38.835438,
      'schneider-at-ag-si5': 38.153306,
      'schneider-soft-tissue': 36.809631,
      'schneider-connective-tissue': 37.288917,
      'schneider-marrow-bone01': 36.81301,
      'schneider-marrow-bone02': 35.451791,
      'schneider-marrow-bone03': 34.172057,
      'schneider-marrow-bone04': 33.099815,
      'schneider-marrow-bone05': 32.164932,
      'schneider-marrow-bone06': 31.333271,
      'schneider-marrow-bone07': 30.604426,
      'schneider-marrow-bone08': 29.911241,
      'schneider-marrow-bone09': 29.375014,
      'schneider-marrow-bone10': 28.868793,
      'schneider-marrow-bone11': 28.378297,
      'schneider-marrow-bone12': 27.984272,
      'schneider-marrow-bone13': 27.605448,
      'schneider-marrow-bone14': 27.241037,
      'schneider-marrow-bone15': 26.99482,
    };
    for (const { name, composition } of compositions) {
      const { radiation_length_g_cm2 } = materialLengths(composition ?? {});
      expect(Math.abs(radiation_length_g_cm2 / (listed[name] ?? 0) - 1), name).toBeLessThan(0.015);
    }
    expect(compositions).toHaveLength(24);
  });

  test('has more densities than the solver distinguishes, which are merged so that mass is conserved', async () => {
    const noisy: Phantom = { ...ellipsePhantom(64), hu: (i, j) => ((i * 37 + j * 101) % 1600) - 900 };
    const file = writeVolume('noise.nrrd', noisy);
    const grid = { dx_mm: 6.4, dz_mm: 6.4, dtheta_mrad: 20 };
    const reading = await read({
      ...quickScenario,
      grid,
      geometry: { width_mm: 409.6, depth_mm: 409.6, ct: { file } },
    });
    const problem = reading.problem?.();
    expect(problem?.materials.length).toBeLessThanOrEqual(201);
    const densities = problem?.materials.map(({ density_g_cm3 }) => density_g_cm3) ?? [];
    const mean = [...(problem?.map ?? [])].reduce((sum, m) => sum + (densities[m] ?? 0), 0) / 4096;
    expect(mean).toBeGreaterThan(0.8);
    expect(mean).toBeLessThan(1.2);
  });
});

describe('every CPU variant in a CT with many media', () => {
  const document = (stepping: string, variant: string, precision: string) => ({
    ...quickScenario,
    beam: { energy_MeV: 20, x_sigma_mm: 2 },
    grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, theta_max_mrad: 400, energy: { kind: 'uniform', step_MeV: 0.7 } },
    geometry: { width_mm: 16, depth_mm: 8, ct: { file: 'ct/many.nrrd' } },
    solver: { stepping, variant, precision },
  });
  const ids = addon
    .variants()
    .filter(({ device }) => device === 'cpu')
    .map(({ id }) => id);

  test.each(['path', 'depth'])('agrees with the reference within 1e-5 in FP32, with %s stepping', async (stepping) => {
    writeVolume('many.nrrd', {
      ...layeredPhantom(Array<number>(16).fill(0), 32, 0.5),
      hu: (i, j) => ((i * 37 + j * 101) % 900) - 300,
    });
    const reference = await run(document(stepping, 'reference', 'fp64'));
    expect(ids.length).toBeGreaterThan(4);
    for (const id of ids) {
      const reading = await read(document(stepping, id, 'fp32'));
      const outcome = await run(document(stepping, id, 'fp32')).catch((error: Error) => error.message);
      // The error of a variant that cannot solve the problem names the variant.
      if (typeof outcome === 'string') expect(outcome).toContain(id);
      else expect(largestDifference(outcome, reference), id).toBeLessThan(1e-5);
      if (id !== 'depth') expect(reading.problem?.().materials.length).toBeGreaterThan(stepping === 'path' ? 100 : 30);
    }
  });
});

describe('the picture of a CT', () => {
  test('shows the slice in Hounsfield units, with the box and the beam up to its range, in patient coordinates', async () => {
    const file = writeVolume('picture.nrrd', layeredPhantom(rows([5, 0], [4, 1000], [31, 0]), 80, 0.5));
    const place = { isocentre_mm: [3, 12], isocentre_depth_mm: 12 };
    const seen = async (ct: object, parts: object = {}) => {
      const reading = await read({
        ...quickScenario,
        ...parts,
        geometry: { ...box, ct: { file, hu_table: ctScenario, ...ct } },
      });
      if (reading.ct === null || reading.scenario === null) throw new Error('no CT');
      return { reading, picture: await ctPicture(reading.ct, reading.scenario, reading.range_mm, 512) };
    };
    const { reading, picture } = await seen(place);
    expect(picture.slice).toMatchObject({ unit: 'HU', min: 0, max: 1000 });
    expect([picture.slice.horizontal.name, picture.slice.vertical.name]).toEqual(['left', 'back']);
    expect(picture.slice.values[10 * 80]).toBe(1000);
    expect(picture.slice.values[20 * 80]).toBe(0);
    // From the front: x = 0 is 3 mm to the left, and z = 0 is 12 mm before the isocentre.
    expect(picture.box).toEqual([
      [-17, 0],
      [23, 0],
      [23, 40],
      [-17, 40],
    ]);
    const range = reading.range_mm ?? 0;
    expect(range).toBeGreaterThan(25);
    expect(picture.beams).toEqual([{ from: [3, 0], to: [3, range] }]);
    // From the left the beam runs to the right, and the transverse axis points to the back.
    const { picture: aside } = await seen({ ...place, angle_deg: 90, isocentre_depth_mm: 20 });
    expect(aside.beams[0]?.from).toEqual([23, 12]);
    expect(aside.beams[0]?.to[0]).toBeLessThan(0);
    expect(aside.box[1]).toEqual([23, 32]);
    // A range beyond the box must not be drawn as an end inside it.
    const { picture: fast } = await seen(place, { beam: { energy_MeV: 120, x_sigma_mm: 2 } });
    expect([picture.toRange, fast.toRange, fast.beams[0]?.to]).toEqual([true, false, [3, 40]]);
    const spots = [
      { energy_MeV: 60, x_mm: 2 },
      { energy_MeV: 50, x_mm: 2 },
      { energy_MeV: 60, x_mm: -4 },
    ];
    const { picture: field } = await seen(place, { beam: { x_sigma_mm: 2, spots } });
    expect(field.toRange).toBe(false);
    expect(field.beams.map(({ from, to }) => [from, to])).toEqual([
      [
        [5, 0],
        [5, 40],
      ],
      [
        [-1, 0],
        [-1, 40],
      ],
    ]);
    const small = await ctPicture(reading.ct as PlacedCt, reading.scenario as TransportScenario, range, 16);
    expect(small.slice.horizontal.count).toBeLessThanOrEqual(16);
  });
});

describe('errors of a CT scenario', () => {
  const geometry = (ct: object) => ({ ...quickScenario, geometry: { ct } });
  const messages = async (ct: object): Promise<string> =>
    (await read(geometry(ct))).issues
      .map(({ severity, path: at, message }) => `${severity} ${at}: ${message}`)
      .join('\n');

  test('include a CT that is missing, outside the folder or truncated', async () => {
    expect(await messages({ file: 'ct/nowhere' })).toContain(
      'error geometry.ct.file: "ct/nowhere" cannot be used: ct/nowhere: it cannot be found',
    );
    expect(await messages({ file: '../x' })).toContain('error geometry.ct.file');
    writeFileSync(path.join(folder, 'ct/cut.nrrd'), nrrdOf(layeredPhantom([0, 0], 2, 1)).slice(0, -1));
    expect(await messages({ file: 'ct/cut.nrrd' })).toContain('it is truncated');
    const unsaved = await scenarios.check(geometry({ file: 'ct/cut.nrrd' }), { name: 's', folder: null });
    expect(unsaved.issues.map(({ message }) => message).join()).toContain(
      'cannot be found before the scenario is saved',
    );
  });

  test('report several series at the field of the series, not of the file', async () => {
    const flat = layeredPhantom([0, 0], 2, 1);
    mkdirSync(path.join(folder, 'ct/two'), { recursive: true });
    for (const uid of ['1.1', '1.2']) {
      writeFileSync(path.join(folder, `ct/two/${uid}.dcm`), dicomOf(flat, 0, { '0020000e': ['UI', uid] }));
    }
    expect(await messages({ file: 'ct/two' })).toMatch(/^error geometry\.ct\.series: .*it contains 2 series/m);
    const other = await messages({ file: 'ct/two', series: '9.9' });
    expect(other).toMatch(/^error geometry\.ct\.series: "9\.9" does not select a series: .*no series matches "9\.9"/m);
    expect(other).not.toContain('geometry.ct.file');
  });

  test('report HU below air and above the table, which are clamped to its ends', async () => {
    const file = writeVolume('ends.nrrd', {
      ...layeredPhantom(rows([40, 0]), 80, 0.5),
      hu: (i) => [-3024, 9000, 0][i % 3] ?? 0,
    });
    const found = await messages({ file });
    expect(found).toContain('2160 pixels are below -1050 HU, where the table begins (lowest -3024)');
    expect(found).toContain('2160 pixels are above 5000 HU, where the table ends (highest 9000)');
    expect(found).not.toContain('error');
  });

  test('include unordered tables, unknown materials, empty tables, and an isocentre outside the image', async () => {
    const file = writeVolume('fine.nrrd', layeredPhantom(rows([40, 0]), 80, 0.5));
    const table = (parts: object) => messages({ file, hu_table: { ...ctScenario, ...parts } });
    expect(
      await table({
        density: [
          [0, 1],
          [-1, 2],
        ],
      }),
    ).toContain('is not in ascending order');
    expect(await table({ density: [[0, 1]] })).toContain('error');
    expect(await table({ materials: [[0, 'wood']] })).toContain('"wood" is not known');
    expect(await messages({ file, outside: 'nothing' })).toContain('geometry.ct.outside');
    expect(await messages({ file, isocentre_mm: [500, 0] })).toContain("puts the beam's axis outside of the image");
    expect(await messages({ file, at_mm: 90 })).toContain('it has no slice at 90 mm');
  });

  test('another version of the file counts as another CT', async () => {
    const parts = {
      ...quickScenario,
      geometry: {
        ...box,
        ct: { file: writeVolume('again.nrrd', layeredPhantom(rows([40, 0]), 80, 0.5)), hu_table: ctScenario },
      },
    };
    const first = (await read(parts)).problem?.();
    writeVolume('again.nrrd', layeredPhantom(rows([40, 1000]), 80, 0.5));
    const second = (await read(parts)).problem?.();
    expect(first?.materials).toHaveLength(1);
    expect(second?.materials).toHaveLength(2);
  });
});

describe('pencils traced along their axes', () => {
  const wide = {
    ...quickScenario,
    beam: { energy_MeV: 60, x_sigma_mm: 4 },
    solver: { stepping: 'depth', variant: 'depth' },
  };

  /** Dose of the pencils, and that of the plane solver. */
  async function solveBoth(document: object) {
    const { problem } = await read(document);
    if (problem === null) throw new Error('the scenario has errors');
    const { grid } = problem();
    const pencils = await pencilDose(addon, problem(), new AbortController().signal);
    const plane = await run(document);
    const at = (dose: Float64Array) => ({ dose, nz: grid.nz, nx: grid.nx, dz_mm: grid.dz_mm, dx_mm: grid.dx_mm });
    const { passed } = gammaIndex(at(plane.dose), at(pencils.dose), { dose: 0.01, distance_mm: 1 });
    return { ...pencils, plane: plane.dose, grid, passed };
  }
  const sum = (dose: Float64Array): number => dose.reduce((a, b) => a + b, 0);

  test('equal the plane solver in layers, with one column of matter', async () => {
    const regions = [{ material: 'bone-compact-icru', z_mm: [10, 15] }];
    const { pencils, columns, passed } = await solveBoth({ ...wide, geometry: { ...box, regions } });
    expect(columns).toBe(1);
    // Six standard deviations of the centres, √(4² − 1²) mm, on either side.
    expect(pencils).toBe(48);
    expect(passed).toBeGreaterThan(0.99);
  });

  test('stop 10 mm earlier behind 10 mm of water of twice the density, and keep the profile of the beam', async () => {
    const regions = [{ material: 'water', density_scale: 2, x_mm: [0, 20], z_mm: [5, 15] }];
    const geometry = { ...box, regions };
    const physics = { scattering: 'off', nuclear: 'off' };
    const { columns, dose, grid } = await solveBoth({ ...wide, physics, geometry });
    expect(columns).toBe(2);
    const cell = (row: number, x_mm: number): number => dose[row * grid.nx + Math.floor(x_mm + 20)] ?? 0;
    const peak = (x_mm: number): number => {
      const column = Array.from({ length: grid.nz }, (_, row) => cell(row, x_mm));
      // Dose in MeV per cell is twice as large in the dense water.
      return column.indexOf(Math.max(...column.slice(30))) * grid.dz_mm;
    };
    expect(Math.abs(peak(-5.5) - peak(5.5) - 10)).toBeLessThanOrEqual(grid.dz_mm);
    // Shares of a Gaussian of 4 mm in the cells from 5 to 6 mm and from 0 to 1 mm.
    expect(cell(2, 5.5) / cell(2, 0.5)).toBeCloseTo(0.038843 / 0.098706, 3);
  });

  test('leave out scattering across the border of a slab', async () => {
    const regions = [{ material: 'bone-compact-icru', x_mm: [0, 20], z_mm: [5, 15] }];
    const { columns, dose, plane, grid, passed } = await solveBoth({ ...wide, geometry: { ...box, regions } });
    expect(columns).toBe(2);
    expect(passed).toBeLessThan(0.99);
    const apart = dose.map((value, i) => Math.abs(value - (plane[i] ?? 0)));
    const worst = apart.indexOf(Math.max(...apart));
    // The largest difference is near the border, behind the slab.
    expect(Math.abs((worst % grid.nx) + 0.5 - 20)).toBeLessThan(4);
    expect(Math.floor(worst / grid.nx) * grid.dz_mm).toBeGreaterThan(10);
    expect(sum(dose) / sum(plane)).toBeCloseTo(1, 2);
  });

  test('see the matter of their own column in a CT', async () => {
    const water = layeredPhantom(rows([40, 0]), 80, 0.5);
    const inside = (column: number, row: number): boolean => ((column - 39.5) / 20) ** 2 + ((row - 30) / 12) ** 2 < 1;
    const file = writeVolume('lung.mha', { ...water, hu: (column, row) => (inside(column, row) ? -500 : 0) });
    const geometry = { ...box, ct: { file, hu_table: ctScenario } };
    const { columns, dose, plane, passed } = await solveBoth({ ...wide, geometry });
    expect(columns).toBeGreaterThan(5);
    expect(passed).toBeGreaterThan(0.5);
    expect(sum(dose) / sum(plane)).toBeCloseTo(1, 1);
  });

  test.each([
    [{ angle_deg: 10 }, 'beam.angle_deg = 10: pencils are traced along z; allowed: 0.'],
    [
      { focus_mm: -100, angle_sigma_mrad: 3 },
      'beam.focus_mm = -100: pencils of a focused beam are tilted relative to each other; allowed: 0.',
    ],
  ])('of a beam with %j are refused', async (beam, message) => {
    const { problem } = await read({ ...wide, geometry: box, beam: { ...wide.beam, ...beam } });
    if (problem === null) throw new Error('the scenario has errors');
    const traced = pencilDose(addon, problem(), new AbortController().signal);
    await expect(traced).rejects.toMatchObject({ code: 'unsupported', message });
  });
});
