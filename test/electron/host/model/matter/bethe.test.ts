import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { materialNames } from '../../../../../electron/contract/scenario/index.ts';
import { type Anchor, ratiosToWater } from '../../../../../electron/host/model/matter/bethe.ts';
import { lengthsOf } from '../../../../../electron/host/model/matter/lengths.ts';
import { ownMaterial } from '../../../../../electron/host/model/matter/own-material.ts';
import { standardTable } from '../../../../../electron/host/model/scenarios/materials.ts';
import { stoppingAt } from '../../../../../electron/host/model/scenarios/stopping-table.ts';
import { addon, assetsFolder, scenarios } from '../scenarios/open.ts';

const { materials } = scenarios;
const water = standardTable(materials.water);

/** Energy, mass stopping power, range of a shipped table as published. */
function published(name: (typeof materialNames)[number]): readonly (readonly number[])[] {
  const file = materials[name].stopping_power[0]?.file ?? '';
  const text = readFileSync(join(assetsFolder, 'materials', file), 'utf8');
  return text.split('\n').flatMap((line) => (/^\d/.test(line) ? [line.split(',').map(Number)] : []));
}

/** The built-in material as one would describe it as an own one. */
const described = (name: (typeof materialNames)[number]) =>
  ownMaterial(
    {
      name: 'mine',
      composition: materials[name].composition,
      density_g_cm3: materials[name].density_g_cm3,
      mean_excitation_eV: materials[name].mean_excitation_eV,
    },
    materials,
    water,
    addon.rangeTable,
  );

describe.each(materialNames)('%s as an own material, by composition, density and I', (name) => {
  const own = described(name);
  const table = standardTable(own);

  test('stops protons as PSTAR says within 0.3 % from 5 to 300 MeV, and within 1 % from 1 MeV', () => {
    let compared = 0;
    for (const [energy = 0, stopping = 0] of published(name)) {
      if (energy < 1) continue;
      const found = stoppingAt(addon.rangeTable, table, energy).stopping;
      expect(Math.abs(found / stopping - 1)).toBeLessThan(energy < 5 ? 0.01 : 0.003);
      compared += energy < 5 ? 0 : 1;
    }
    expect(compared).toBeGreaterThan(12);
  });

  test('has its CSDA range within 0.3 % from 20 to 300 MeV, and within 0.6 % from 10 MeV', () => {
    for (const [energy = 0, , range = 0] of published(name)) {
      if (energy < 10) continue;
      expect(Math.abs(stoppingAt(addon.rangeTable, table, energy).range / range - 1)).toBeLessThan(
        energy < 20 ? 0.006 : 0.003,
      );
    }
  });

  test('scatters as listed within 0.1 %', () => {
    const listed = materials[name];
    expect(Math.abs(own.radiation_length_g_cm2 / listed.radiation_length_g_cm2 - 1)).toBeLessThan(1e-3);
    expect(Math.abs(own.scattering_length_g_cm2 / listed.scattering_length_g_cm2 - 1)).toBeLessThan(1e-3);
    expect(Math.abs(own.z_over_a / listed.z_over_a - 1)).toBeLessThan(1e-3);
  });
});

test('an element between those with tables: copper from aluminium and lead, 1.2 % at 10 MeV, 0.2 % from 100 MeV', () => {
  const anchor = (name: 'water' | 'aluminium' | 'lead'): Anchor => ({
    ...materials[name],
    ...lengthsOf(materials[name].composition),
    table: standardTable(materials[name]),
  });
  const energies = Float64Array.of(10, 100, 250);
  const elements = { Al: anchor('aluminium'), Pb: anchor('lead') };
  const ratio = ratiosToWater({ water: anchor('water'), elements }, energies, addon.rangeTable);
  const composition = { Cu: 1 };
  const found = ratio({ composition, ...lengthsOf(composition), mean_excitation_eV: 322 });
  const most = [0.012, 0.002, 0.002];
  energies.forEach((energy, i) => {
    const [own, ofWater] = [standardTable(materials.copper), water].map(
      (table) => stoppingAt(addon.rangeTable, table, energy).stopping,
    );
    expect(Math.abs(((found[i] ?? 0) * (ofWater ?? 0)) / (own ?? 1) - 1)).toBeLessThan(most[i] ?? 0);
  });
});

test('scales with the table of water in use: ICRU 90 stops less, by the ratio of the two waters at its I', () => {
  const icru90 = materials.water.tables.get('icru90');
  if (icru90 === undefined) throw new Error('no ICRU 90 table');
  const own = ownMaterial(
    { name: 'mine', formula: 'H2O', density_g_cm3: 1, mean_excitation_eV: 78 },
    materials,
    icru90,
    addon.rangeTable,
  );
  for (const energy of [5, 70, 200]) {
    const [found, wanted] = [standardTable(own), icru90].map(
      (table) => stoppingAt(addon.rangeTable, table, energy).stopping,
    );
    expect(Math.abs((found ?? 0) / (wanted ?? 1) - 1)).toBeLessThan(1e-3);
  }
});
