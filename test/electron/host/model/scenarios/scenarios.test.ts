/**
 * The CSDA range along the beam's axis, compared with quadratures of the PSTAR tables by another program (mm). Files
 * next to a scenario are read only once, until they change. Also the warning before a run if energy bins widen the
 * beam, with the amount.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path, { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { materialNames, materialSummaries } from '../../../../../electron/contract/scenario/index.ts';
import { readText } from '../../../../../electron/host/io/text/read.ts';
import { createNamedFileReader, type ParseResult } from '../../../../../electron/host/model/scenarios/named-files.ts';
import { standardTable, stoppingAt } from '../../../../../electron/host/model/scenarios/stopping-table.ts';
import { type Override, parseOverride } from '../../../../../electron/host/workloads/scenarios/scenarios.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { addon, assetsFolder, checkBeam, issueLines, readYaml, scenarios } from './open.ts';
import { mixtureLengths } from './radiation-lengths.ts';

describe('ranges along the axis', () => {
  const slab = (material: string) => ({ regions: [{ material, x_mm: [-50, 50], z_mm: [40, 60] }], width_mm: 100 });

  test.each([
    ['water', {}, 157.746],
    ['lead', { geometry: { background: 'lead' } }, 28.934],
    ['20 mm of bone', { geometry: slab('bone-compact-icru') }, 143.324],
    ['20 mm of lung', { geometry: slab('lung') }, 172.602],
    ['20 mm of lead', { geometry: slab('lead') }, 68.627],
    ['bone behind the entrance', { geometry: slab('bone-compact-icru'), beam: { energy_MeV: 150, z_mm: 60 } }, 157.746],
    ['bone beside the axis', { geometry: slab('bone-compact-icru'), beam: { energy_MeV: 150, x_mm: 60 } }, 157.746],
    [
      'water of half the density all along',
      { geometry: { regions: [{ material: 'water', x_mm: [-50, 50], z_mm: [0, 400], density_scale: 0.5 }] } },
      315.492,
    ],
  ])('the range at 150 MeV is %s', async (_name, parts, expected_mm) => {
    const { range_mm } = await checkBeam(parts, 150);
    expect(Math.abs((range_mm ?? Number.NaN) - expected_mm), `${range_mm} mm`).toBeLessThan(0.02);
  });

  test('a tilted axis has a longer range inside a slab, and may leave the box through its side', async () => {
    // 20 mm of bone at 60° are 40 mm along the axis, after 80 mm of water: by quadrature the range is 28.716 mm
    // shorter.
    const beam = { energy_MeV: 150, angle_deg: 60 };
    const wide = { regions: [{ material: 'bone-compact-icru', x_mm: [-200, 200], z_mm: [40, 60] }], width_mm: 400 };
    const slabbed = (await checkBeam({ beam, geometry: wide }, 150)).range_mm ?? 0;
    expect(Math.abs(157.746 - 28.716 - slabbed)).toBeLessThan(0.02);
    const narrow = { regions: [{ material: 'bone-compact-icru', x_mm: [-200, 10], z_mm: [0, 200] }], width_mm: 400 };
    const aside = (await checkBeam({ beam, geometry: narrow }, 150)).range_mm ?? 0;
    // 10 mm in x are 11.547 mm along the axis: the range is 8.342 mm shorter.
    expect(Math.abs(157.746 - 8.342 - aside)).toBeLessThan(0.02);
  });

  test('pure water has the range of the table at every energy', async () => {
    for (let energy = 40; energy < 200; energy += 1.37) {
      const { range_mm, waterRange_mm } = await checkBeam({ grid: { dx_mm: 5 }, geometry: { width_mm: 100 } }, energy);
      expect(Math.abs((range_mm ?? 0) - (waterRange_mm ?? 1)), `${energy} MeV`).toBeLessThan(0.01);
    }
  });
});

describe('files next to a scenario', () => {
  const folder = scratchFolder('beside');

  test('are parsed again after a change, and their errors are cached like their values', async () => {
    const parse = vi.fn((text: string): ParseResult<number> => {
      const value = Number(text);
      return Number.isNaN(value) ? { ok: false, faults: [{ line: 1, message: 'no number' }] } : { ok: true, value };
    });
    const read = createNamedFileReader({
      task: 'read a number',
      path: ['file'],
      largest_bytes: 100,
      allowed: 'a number',
      parse,
    });
    const place = { name: path.join('runs', 'a.json'), folder };
    const file = path.join(folder, 'n.txt');
    await writeFile(file, '12');
    expect(await read('n.txt', place)).toEqual({ value: 12, faults: [], issues: [] });
    expect((await read('n.txt', place)).value).toBe(12);
    expect(parse).toHaveBeenCalledTimes(1);
    await writeFile(file, 'twelve');
    for (const _ of [1, 2]) {
      const { value, issues } = await read('n.txt', place);
      expect(value).toBeNull();
      expect(issues).toMatchObject([{ file: path.join('runs', 'n.txt'), path: 'file', line: 1, message: 'no number' }]);
    }
    expect(parse).toHaveBeenCalledTimes(2);
    await rm(file);
    expect((await read('n.txt', place)).faults).toMatchObject([{ path: ['file'] }]);
    await writeFile(file, '13');
    expect((await read('n.txt', place)).value).toBe(13);
  });

  test('are read in pieces up to the limit and no further', async () => {
    const file = path.join(folder, 'long.txt');
    const text = 'Å'.repeat(300_000);
    await writeFile(file, text);
    expect(await readText(file, 600_000)).toEqual({ ok: true, text });
    expect(await readText(file, 599_999)).toMatchObject({ ok: false });
  });
});

const smallBox = { width_mm: 4, depth_mm: 50 };
const acrylic = { name: 'acrylic', formula: 'C5H8O2', density_g_cm3: 1.19 };
const region = (material: string) => ({ material, x_mm: [-2, 2], z_mm: [1, 3] });

async function issuesIn(geometry: object): Promise<readonly string[]> {
  const reading = await checkBeam({ geometry: { ...smallBox, ...geometry } });
  return issueLines(reading).filter((line) => !line.startsWith('warning'));
}

describe('user materials in a scenario', () => {
  test('can fill regions and the background', async () => {
    const reading = await checkBeam({
      geometry: { ...smallBox, background: 'acrylic', materials: [acrylic], regions: [region('lung')] },
    });
    expect(issueLines(reading)).toEqual([]);
    const problem = reading.problem?.();
    expect(problem?.materials.map(({ name }) => name)).toEqual(['water', 'acrylic', 'lung']);
    expect(problem?.materials[1]).toMatchObject({ density_g_cm3: 1.19 });
    expect(problem?.materials[1]?.elements.map(({ symbol }) => symbol)).toEqual(['C', 'H', 'O']);
  });

  test('complete the grid for the background as built-in materials do', async () => {
    const [own, built] = [
      await checkBeam({ geometry: { background: 'acrylic', materials: [acrylic] } }),
      await checkBeam({ geometry: { background: 'pmma' } }),
    ];
    expect(own.scenario?.geometry.depth_mm).toBe(built.scenario?.geometry.depth_mm);
    expect(own.scenario?.grid.dz_mm).toBe(built.scenario?.grid.dz_mm);
    expect(Math.abs((own.range_mm ?? 0) / (built.range_mm ?? 1) - 1)).toBeLessThan(0.002);
  });

  test('are reported with similar names if unknown', async () => {
    const [line] = await issuesIn({ materials: [acrylic], regions: [region('acrilyc')] });
    expect(line).toContain('geometry.regions[0].material');
    expect(line).toContain('"acrilyc" is not known (did you mean acrylic?)');
  });

  test.each([
    [{ ...acrylic, name: 'water' }, 'is a built-in material'],
    [{ ...acrylic, formula: 'C5H8O2x' }, 'is not a chemical formula'],
    [{ ...acrylic, formula: undefined }, 'has neither formula nor composition'],
    [{ ...acrylic, composition: { H: 1 } }, 'cannot be combined with formula'],
    [{ name: 'a', composition: { H: 0.5, C: 0.4 }, density_g_cm3: 1 }, 'has mass fractions that sum to 0.9'],
    [{ name: 'a', composition: { Xy: 1 }, density_g_cm3: 1 }, 'is not the symbol of an element'],
    [{ name: 'a', composition: { H: -1 }, density_g_cm3: 1 }, 'materials[0].composition.H'],
    [{ ...acrylic, density_g_cm3: 0 }, 'is too small'],
    [{ ...acrylic, mean_excitation_eV: 5 }, 'is too small'],
    [{ ...acrylic, name: '1a' }, 'geometry.materials[0].name'],
  ])('%j is rejected', async (material, says) => {
    expect((await issuesIn({ materials: [material] })).join('\n')).toContain(says);
  });

  test('are rejected if two have the same name', async () => {
    expect(await issuesIn({ materials: [acrylic, acrylic] })).toEqual([
      expect.stringContaining('is used for two materials'),
    ]);
  });

  test('an error in a file is reported at its line', async () => {
    const reading = await readYaml(`kind: transport
version: 1
beam: { energy_MeV: 70 }
geometry:
  materials:
    - { name: brass, formula: Cu2Zx, density_g_cm3: 8.5 }
`);
    expect(issueLines(reading)[0]).toMatch(/^s\.yaml:6:\d+: geometry\.materials\[0\]\.formula/);
  });
});

function parseOverrides(...texts: readonly string[]): readonly Override[] {
  return texts.map((text) => {
    const override = parseOverride(text);
    if (typeof override === 'string') throw new Error(override);
    return override;
  });
}

const text = '{ "kind": "transport", "version": 1,\n"beam": { "energy_MeV": 70 } }';

function readWithOverrides(...texts: readonly string[]) {
  return scenarios.parse(text, { name: 's.json', folder: null }, { overrides: parseOverrides(...texts) });
}

describe('--set', () => {
  test('sets numbers, words, objects and entries of lists', async () => {
    const reading = await readWithOverrides(
      'beam.energy_MeV=120',
      'physics.scattering=off',
      'name=an "odd" name',
      'geometry.regions[0]={"material": "lead", "x_mm": [-1, 1], "z_mm": [0, 2]}',
      'geometry.regions[0].density_scale = 0.5',
    );
    expect(issueLines(reading)).toEqual([]);
    expect(reading.scenario?.beam.energy_MeV).toBe(120);
    expect(reading.scenario?.physics.scattering).toBe('off');
    expect(reading.scenario?.name).toBe('an "odd" name');
    expect(reading.scenario?.geometry.regions[0]).toMatchObject({ material: 'lead', density_scale: 0.5 });
    expect(reading.draft).toMatchObject({ beam: { energy_MeV: 120 } });
  });

  test('records the change in the name of the scenario, except for solver options', async () => {
    const named = text.replace('"version": 1,', '"version": 1, "name": "Water",');
    const name = async (...texts: readonly string[]) =>
      (await scenarios.parse(named, { name: 's.json', folder: null }, { overrides: parseOverrides(...texts) })).scenario
        ?.name;
    expect(await name('geometry.width_mm=200', 'grid.dx_mm=1')).toBe('Water (geometry.width_mm = 200, grid.dx_mm = 1)');
    expect(await name('solver.variant=window', 'solver.precision=fp64', 'output.keyframes=0')).toBe('Water');
    expect(await name('geometry.width_mm=200', 'name=Wide')).toBe('Wide');
    const swept = parseOverrides('grid.dx_mm=1').map((one) => ({ ...one, swept: true }));
    const place = { name: 's.json', folder: null };
    expect((await scenarios.parse(named, place, { overrides: swept })).scenario?.name).toBe('Water');
  });

  test('repairs an error in the file', async () => {
    const broken = text.replace('70', '-70');
    const place = { name: 's.json', folder: null };
    expect(issueLines(await scenarios.parse(broken, place))).toHaveLength(1);
    expect(
      issueLines(await scenarios.parse(broken, place, { overrides: parseOverrides('beam.energy_MeV=70') })),
    ).toEqual([]);
  });

  test('reports its own errors by option, and other errors by line', async () => {
    expect(issueLines(await readWithOverrides('beam.energy_MeV=900', 'beam.colour=red', 'grid.dx_mm=NaN'))).toEqual([
      '--set: beam.colour: is not a known key; allowed here: energy_MeV, range_mm, range_is, spots, energy_sigma_MeV, angle_deg, angle_sigma_mrad, x_mm, x_sigma_mm, x_sigma_is, y_sigma_mm, focus_mm, z_mm, weight',
      '--set: grid.dx_mm: "NaN" is not a number; allowed: 1e-5 to 100 mm',
      '--set: beam.energy_MeV: 900 MeV is above the stopping power table of water, NIST PSTAR (ICRU 49); allowed: at most 300 MeV',
    ]);
    expect(issueLines(await readWithOverrides('geometry.regions[1].material=lead'))).toEqual([
      '--set: geometry.regions[1]: "lead" does not exist: the list is shorter; allowed: entries 0 to 0',
    ]);
  });

  test.each([
    ['beam', `"beam" has no '='; allowed: path=value, such as beam.energy_MeV=120`],
    ['=3', '"" is not a path; allowed: names with dots, such as geometry.regions[0].material'],
    ['beam..x=3', '"beam..x" is not a path; allowed: names with dots, such as geometry.regions[0].material'],
  ])('%j is rejected', (given, message) => {
    expect(parseOverride(given)).toBe(message);
  });

  test('uses everything after the first equals sign', () => {
    expect(parseOverride('notes=a=b')).toEqual({ path: ['notes'], value: 'a=b' });
  });
});

describe('warnings about added spread', () => {
  const bins = (step_mm: number, solverStep_mm = 0.2) => ({
    geometry: { width_mm: 20, depth_mm: 50 },
    grid: { dx_mm: 0.5, dz_mm: solverStep_mm, energy: { kind: 'range', step_mm } },
    solver: { step_mm: solverStep_mm },
  });

  test('a step with an integer number of range bins adds no spread in water and gives no warning', async () => {
    for (const step of [0.1, 0.05]) expect(issueLines(await checkBeam(bins(step)))).toEqual([]);
  });

  test('bins that would affect the range are subdivided, and the run uses the result', async () => {
    const reading = await checkBeam(bins(0.2, 0.1));
    expect(issueLines(reading)).toEqual([
      'warning grid.energy.step_mm: 0.2 mm is divided into 2 parts of 0.1 mm: wider ones would affect the range and its falloff',
    ]);
    expect(reading.problem?.().grid.energy).toEqual({ kind: 'range', step_mm: 0.1 });
    // A step is a whole number of bins, but the bins are wide compared with the straggling, so they are divided.
    expect((await checkBeam(bins(0.5, 0.5))).problem?.().grid.energy).toEqual({ kind: 'range', step_mm: 0.1 });
    const pmma = await checkBeam({
      beam: { energy_MeV: 140 },
      geometry: { background: 'pmma', width_mm: 40, depth_mm: 140 },
      grid: { dz_mm: 0.5, energy: { kind: 'range', step_mm: 0.5 } },
      solver: { step_mm: 0.5 },
    });
    expect(pmma.problem?.().grid.energy).toEqual({ kind: 'range', step_mm: 0.5 / 5 });
    expect(issueLines(pmma).join()).not.toContain('range spread');
  });

  test('a tilted beam steps by full depth cells, with as many bins between planes as its paths need', async () => {
    const tilted = { beam: { energy_MeV: 150, angle_deg: 30 }, geometry: { width_mm: 200 }, grid: { dz_mm: 0.5 } };
    const path = await checkBeam(tilted);
    const way = 0.5 / Math.cos(Math.PI / 6);
    expect(path.scenario?.solver.step_mm).toBeCloseTo(way, 9);
    expect(issueLines(path)).toEqual([]);
    for (const angle_deg of [10, 30, 45]) {
      const beam = { energy_MeV: 150, angle_deg };
      expect(issueLines(await checkBeam({ ...tilted, beam, solver: { stepping: 'depth' } }))).toEqual([]);
    }
    const apart = issueLines(await checkBeam({ ...tilted, solver: { step_mm: 0.5 } })).join();
    expect(apart).toContain('0.5 mm at 30° is not a whole number of cells in depth');
  });

  test('a uniform grid reports the spread caused by splitting over two bins', async () => {
    const reading = await scenarios.read(join(assetsFolder, 'scenarios/uniform-grid-70MeV.json'));
    expect(issueLines(reading).join('\n')).toMatch(
      /grid\.energy\.step_MeV: 0\.2 MeV adds \d\.\d\d mm \(σ\) of range spread/,
    );
  });

  test('without straggling and energy spread, any added spread is reported', async () => {
    const [line = ''] = issueLines(await checkBeam({ ...bins(0.2, 0.1), physics: { straggling: 'off' } }));
    expect(line).toMatch(/this beam has no energy spread/);
    const spread = { beam: { energy_MeV: 70, energy_sigma_MeV: 10 } };
    // 10 MeV correspond to 10 mm of range, so the spread caused by the bins is negligible.
    expect(issueLines(await checkBeam({ ...bins(0.08, 0.1), ...spread }))).toEqual([]);
  });

  test('no shipped beam scenario on a range grid has this warning', async () => {
    const folder = join(assetsFolder, 'scenarios');
    for (const name of await readdir(folder)) {
      if (!name.endsWith('.json')) continue;
      const reading = await scenarios.read(join(folder, name));
      if (reading.scenario?.grid.energy.kind !== 'range') continue;
      expect(
        issueLines(reading).filter((line) => line.includes('range spread')),
        name,
      ).toEqual([]);
    }
  });

  test.each(['water', 'pmma', 'aluminium', 'copper', 'lead'])(
    '%s: the default bins are equally good when a file states them',
    async (background) => {
      for (const [stepping, angle_deg] of [
        ['depth', 0],
        ['path', 0],
        ['depth', 20],
      ] as const) {
        const beam = { energy_MeV: 100, angle_deg };
        const chosen = await checkBeam({ beam, geometry: { background }, solver: { stepping } });
        const again = await checkBeam({ ...chosen.scenario });
        expect(again.problem?.().grid.energy).toEqual(chosen.problem?.().grid.energy);
        expect(issueLines(again).filter((line) => line.includes('parts'))).toEqual([]);
      }
    },
  );
});

describe('shipped materials', () => {
  const { materials } = scenarios;

  describe.each(materialNames.map((name) => [name, materials[name]] as const))('%s', (name, material) => {
    test('is listed in the contract with the same values', () => {
      expect(materialSummaries[name]).toEqual({
        name,
        title: material.title,
        density_g_cm3: material.density_g_cm3,
        mean_excitation_eV: material.mean_excitation_eV,
        radiation_length_g_cm2: material.radiation_length_g_cm2,
        scattering_length_g_cm2: material.scattering_length_g_cm2,
      });
    });

    test('has lengths and Z/A that follow from its composition within 0.1 %', () => {
      const { x0, xs, zOverA, mass } = mixtureLengths(material.composition);
      expect(mass).toBeCloseTo(1, 5);
      expect(Math.abs(material.radiation_length_g_cm2 / x0 - 1)).toBeLessThan(1e-3);
      expect(Math.abs(material.scattering_length_g_cm2 / xs - 1)).toBeLessThan(1e-3);
      expect(Math.abs(material.z_over_a / zOverA - 1)).toBeLessThan(1e-3);
    });

    test('names the sources of composition, lengths and stopping power', () => {
      expect(Object.keys(material.sources).sort()).toEqual([
        'composition',
        'radiation_length',
        'scattering_length',
        'stopping_power',
      ]);
    });

    test('stops protons by the Bethe formula, within 1 % from 20 to 250 MeV', () => {
      // This formula omits the shell and density corrections, which are below 1 % in this energy range, except in
      // copper and lead.
      const [table, listed] = [standardTable(material), material.stopping_power[0]];
      const zOverA = mixtureLengths(material.composition).zOverA;
      for (const energy of [20, 70, 150, 250]) {
        const gamma = 1 + energy / 938.272;
        const beta2 = 1 - 1 / gamma ** 2;
        const logarithm = Math.log((2 * 510_998.95 * beta2 * gamma ** 2) / (listed?.mean_excitation_eV ?? 0)) - beta2;
        const bethe = ((0.307075 * zOverA) / beta2) * logarithm;
        const ratio = stoppingAt(addon.rangeTable, table, energy).stopping / bethe;
        const tolerance = name === 'lead' || name === 'copper' ? 0.04 : 0.01;
        expect(Math.abs(ratio - 1)).toBeLessThan(tolerance);
      }
    });
  });

  test('every table has a material, and every material file is listed', () => {
    const folder = join(assetsFolder, 'materials');
    const used = Object.values(materials).flatMap(({ stopping_power }) => stopping_power.map(({ file }) => file));
    const there = readdirSync(join(folder, 'stopping')).map((file) => `stopping/${file}`);
    expect([...new Set(used)].sort()).toEqual(there.sort());
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
    expect(files.sort()).toEqual(materialNames.map((name) => `${name}.json`).sort());
  });

  describe('ranges from the tables', () => {
    test.each(readdirSync(join(assetsFolder, 'materials/stopping')).filter((file) => file.includes('icru49')))(
      '%s: the integrated range agrees with the tabulated CSDA range within 0.1 % above 10 MeV',
      (file) => {
        const rows = readFileSync(join(assetsFolder, 'materials/stopping', file), 'utf8')
          .split('\n')
          .filter((line) => /^\d/.test(line))
          .map((line) => line.split(',').map(Number) as [number, number, number]);
        const energies = Float64Array.from(rows.map(([energy]) => energy));
        const stopping = Float64Array.from(rows.map(([, value]) => value));
        const { range_g_cm2 } = addon.rangeTable(energies, stopping, energies);
        for (const [index, [energy, , tabulated]] of rows.entries()) {
          if (energy < 10) continue;
          expect(Math.abs((range_g_cm2[index] ?? 0) / tabulated - 1)).toBeLessThan(1e-3);
        }
      },
    );

    test('ICRU 90 water has the published ranges within 0.1 %, 0.5 % longer than those of ICRU 49', () => {
      const icru90 = materials.water.tables.get('icru90');
      if (icru90 === undefined) throw new Error('no ICRU 90 table');
      const icru49 = standardTable(materials.water);
      for (const [energy, range] of [
        [10, 0.124],
        [50, 2.24],
        [70, 4.103],
        [100, 7.759],
        [150, 15.86],
        [200, 26.09],
        [250, 38.12],
      ] as const) {
        const found = stoppingAt(addon.rangeTable, icru90, energy).range;
        expect(Math.abs(found / range - 1)).toBeLessThan(1e-3);
        const longer = found / stoppingAt(addon.rangeTable, icru49, energy).range - 1;
        expect(longer).toBeGreaterThan(0.004);
        expect(longer).toBeLessThan(0.009);
      }
    });
  });
});
