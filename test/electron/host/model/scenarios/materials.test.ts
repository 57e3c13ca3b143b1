import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { materialNames, materialSummaries } from '../../../../../electron/contract/scenario/index.ts';
import { standardTable } from '../../../../../electron/host/model/scenarios/materials.ts';
import { stoppingAt } from '../../../../../electron/host/model/scenarios/stopping-table.ts';
import { addon, assetsFolder, scenarios } from './open.ts';
import { ofMixture } from './radiation-lengths.ts';

const { materials } = scenarios;

describe.each(materialNames.map((name) => [name, materials[name]] as const))('%s', (name, material) => {
  test('is listed in the contract with the same numbers', () => {
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
    const { x0, xs, zOverA, mass } = ofMixture(material.composition);
    expect(mass).toBeCloseTo(1, 5);
    expect(Math.abs(material.radiation_length_g_cm2 / x0 - 1)).toBeLessThan(1e-3);
    expect(Math.abs(material.scattering_length_g_cm2 / xs - 1)).toBeLessThan(1e-3);
    expect(Math.abs(material.z_over_a / zOverA - 1)).toBeLessThan(1e-3);
  });

  test('names the source of composition, lengths and stopping power', () => {
    expect(Object.keys(material.sources).sort()).toEqual([
      'composition',
      'radiation_length',
      'scattering_length',
      'stopping_power',
    ]);
  });

  test('stops protons as Bethe says, within 1 % from 20 to 250 MeV', () => {
    // Without shell and density corrections: they are below 1 % here, lead excepted.
    const [table, listed] = [standardTable(material), material.stopping_power[0]];
    const zOverA = ofMixture(material.composition).zOverA;
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

test('every table has its material, and every material file is listed', () => {
  const folder = join(assetsFolder, 'materials');
  const used = Object.values(materials).flatMap(({ stopping_power }) => stopping_power.map(({ file }) => file));
  const there = readdirSync(join(folder, 'stopping')).map((file) => `stopping/${file}`);
  expect([...new Set(used)].sort()).toEqual(there.sort());
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  expect(files.sort()).toEqual(materialNames.map((name) => `${name}.json`).sort());
});

describe('ranges that the tables give', () => {
  test.each(readdirSync(join(assetsFolder, 'materials/stopping')).filter((file) => file.includes('icru49')))(
    '%s: integrated range meets the tabulated CSDA range within 0.1 % above 10 MeV',
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

  test('ICRU 90 water: the published ranges within 0.1 %, 0.5 % longer than ICRU 49', () => {
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
