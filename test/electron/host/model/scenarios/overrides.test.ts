import { describe, expect, test } from 'vitest';
import { type Override, parseOverride } from '../../../../../electron/host/workloads/scenarios/index.ts';
import { lines, scenarios } from './open.ts';

function overrides(...texts: readonly string[]): readonly Override[] {
  return texts.map((text) => {
    const override = parseOverride(text);
    if (typeof override === 'string') throw new Error(override);
    return override;
  });
}

const text = '{ "kind": "transport", "version": 1,\n"beam": { "energy_MeV": 70 } }';

function read(...texts: readonly string[]) {
  return scenarios.parse(text, { name: 's.json', folder: null }, { overrides: overrides(...texts) });
}

describe('--set', () => {
  test('sets numbers, words, objects and entries of lists', async () => {
    const reading = await read(
      'beam.energy_MeV=120',
      'physics.scattering=off',
      'name=an "odd" name',
      'geometry.regions[0]={"material": "lead", "x_mm": [-1, 1], "z_mm": [0, 2]}',
      'geometry.regions[0].density_scale = 0.5',
    );
    expect(lines(reading)).toEqual([]);
    expect(reading.scenario?.beam.energy_MeV).toBe(120);
    expect(reading.scenario?.physics.scattering).toBe('off');
    expect(reading.scenario?.name).toBe('an "odd" name');
    expect(reading.scenario?.geometry.regions[0]).toMatchObject({ material: 'lead', density_scale: 0.5 });
    expect(reading.draft).toMatchObject({ beam: { energy_MeV: 120 } });
  });

  test('a changed scenario says so in its name; how it is solved does not change what it is', async () => {
    const named = text.replace('"version": 1,', '"version": 1, "name": "Water",');
    const name = async (...texts: readonly string[]) =>
      (await scenarios.parse(named, { name: 's.json', folder: null }, { overrides: overrides(...texts) })).scenario
        ?.name;
    expect(await name('geometry.width_mm=200', 'grid.dx_mm=1')).toBe('Water (geometry.width_mm = 200, grid.dx_mm = 1)');
    expect(await name('solver.variant=window', 'solver.precision=fp64', 'output.keyframes=0')).toBe('Water');
    expect(await name('geometry.width_mm=200', 'name=Wide')).toBe('Wide');
    const swept = overrides('grid.dx_mm=1').map((one) => ({ ...one, swept: true }));
    const place = { name: 's.json', folder: null };
    expect((await scenarios.parse(named, place, { overrides: swept })).scenario?.name).toBe('Water');
  });

  test('repairs a fault in the file', async () => {
    const broken = text.replace('70', '-70');
    const place = { name: 's.json', folder: null };
    expect(lines(await scenarios.parse(broken, place))).toHaveLength(1);
    expect(lines(await scenarios.parse(broken, place, { overrides: overrides('beam.energy_MeV=70') }))).toEqual([]);
  });

  test('its faults name it, the others their line', async () => {
    expect(lines(await read('beam.energy_MeV=900', 'beam.colour=red', 'grid.dx_mm=NaN'))).toEqual([
      '--set: beam.colour: is not a known key; allowed here: energy_MeV, range_mm, range_is, spots, energy_sigma_MeV, angle_deg, angle_sigma_mrad, x_mm, x_sigma_mm, x_sigma_is, y_sigma_mm, focus_mm, z_mm, weight',
      '--set: grid.dx_mm: "NaN" is not a number; allowed: 1e-5 to 100 mm',
      '--set: beam.energy_MeV: 900 MeV is above the stopping power table of water, NIST PSTAR (ICRU 49); allowed: at most 300 MeV',
    ]);
    expect(lines(await read('geometry.regions[1].material=lead'))).toEqual([
      '--set: geometry.regions[1]: "lead" has no place: the list is shorter; allowed: entries 0 to 0',
    ]);
  });

  test.each([
    ['beam', `"beam" has no '='; allowed: path=value, such as beam.energy_MeV=120`],
    ['=3', '"" is not a path; allowed: names with dots, such as geometry.regions[0].material'],
    ['beam..x=3', '"beam..x" is not a path; allowed: names with dots, such as geometry.regions[0].material'],
  ])('%j is refused', (given, message) => {
    expect(parseOverride(given)).toBe(message);
  });

  test('keeps everything after the first equals sign', () => {
    expect(parseOverride('notes=a=b')).toEqual({ path: ['notes'], value: 'a=b' });
  });
});
