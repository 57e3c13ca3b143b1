import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  elements,
  type MaterialName,
  materialNames,
  parseFormula,
} from '../../../../../electron/contract/scenario/index.ts';
import {
  halfDensityEffect,
  isMetal,
  type ReferenceSubstances,
} from '../../../../../electron/host/model/matter/corrections.ts';
import {
  additiveExcitation,
  completeUserMaterial,
  compoundExcitation,
  createRatioToWater,
  materialLengths,
  meanExcitation,
  referenceSubstances,
} from '../../../../../electron/host/model/matter/user-material.ts';
import { standardTable, stoppingAt } from '../../../../../electron/host/model/scenarios/stopping-table.ts';
import { addon, assetsFolder, scenarios } from '../scenarios/open.ts';

describe('density corrections of materials', () => {
  /** Kinetic energy of a proton at βγ, MeV. */
  const energyAt = (betaGamma: number): number => 938.272 * (Math.hypot(1, betaGamma) - 1);

  test.each([
    ['aluminium', 13, 0.1708, 0.12],
    ['copper', 29, -0.0254, 0.08],
    ['lead', 82, 0.3776, 0.14],
  ])('%s has δ₀ at x₀, and a hundredth of it at ten times that βγ', (_, z, x0, delta0) => {
    expect(halfDensityEffect(z, energyAt(10 ** x0))).toBeCloseTo(delta0 / 2, 10);
    expect(halfDensityEffect(z, energyAt(10 ** (x0 - 1)))).toBeCloseTo(delta0 / 200, 10);
  });

  test('a metal between listed ones is interpolated, and one beyond them uses the nearest', () => {
    const at = (z: number): number => halfDensityEffect(z, 200);
    expect(at(21)).toBeCloseTo((at(13) + at(29)) / 2, 10);
    expect(at(4)).toBe(at(13));
    expect(at(92)).toBe(at(82));
  });

  test('metals and alloys have a correction; oxides, tissue, plastics and semiconductors have none', () => {
    for (const metal of [{ Ti: 1 }, { Fe: 0.98, C: 0.02 }, { Al: 0.9, Cu: 0.04, Mg: 0.02, Si: 0.04 }]) {
      expect(isMetal(metal)).toBe(true);
    }
    for (const other of [{ Al: 0.529, O: 0.471 }, { H: 0.112, O: 0.888 }, { Si: 1 }, { Pb: 0.928, O: 0.072 }]) {
      expect(isMetal(other)).toBe(false);
    }
  });
});

const { materials } = scenarios;

describe('mean excitation energies', () => {
  test.each([
    ['H2O', 75],
    ['C5H8O2', 74],
    ['C2H4', 57.4],
    ['C8H8', 68.7],
    ['(C2F4)2', 99.1],
    ['O2Si', 139.2],
  ])('%s has the value of ICRU Reports 37 and 49', (formula, expected) => {
    expect(compoundExcitation(parseFormula(formula) ?? new Map())).toBe(expected);
  });

  test('the value of an unlisted formula follows from its elements', () => {
    const own = { name: 'lime', formula: 'Ca(OH)2', density_g_cm3: 2.2 };
    expect(meanExcitation(own).source).toContain('Bragg');
  });

  test('an explicit value is used unchanged', () => {
    expect(meanExcitation({ name: 'a', formula: 'H2O', density_g_cm3: 1, mean_excitation_eV: 78 }).eV).toBe(78);
  });

  test.each([
    ['water', 75],
    ['adipose-icrp', 63.2],
    ['muscle-skeletal', 75.3],
    ['bone-compact-icru', 91.9],
    ['bone-cortical-icrp', 106.4],
    ['a150', 65.1],
    ['air', 85.7],
  ] as const)("Bragg's rule agrees with the report's value of %s within 2 %%", (name, listed) => {
    const { composition, density_g_cm3 } = materials[name];
    expect(Math.abs(additiveExcitation(composition, density_g_cm3) / listed - 1)).toBeLessThan(0.02);
  });

  test.each([
    ['aluminium', 166],
    ['copper', 322],
    ['lead', 823],
  ] as const)('a pure element has its own value: %s', (name, expected) => {
    const { composition, density_g_cm3 } = materials[name];
    expect(additiveExcitation(composition, density_g_cm3)).toBeCloseTo(expected, 9);
  });
});

describe('user materials', () => {
  const { materials } = scenarios;
  const water = standardTable(materials.water);

  /** Energy, mass stopping power and range from a shipped table, as published. */
  function publishedTable(name: MaterialName): readonly (readonly number[])[] {
    const file = materials[name].stopping_power[0]?.file ?? '';
    const text = readFileSync(join(assetsFolder, 'materials', file), 'utf8');
    return text.split('\n').flatMap((line) => (/^\d/.test(line) ? [line.split(',').map(Number)] : []));
  }

  /** A user material with the composition of a built-in one. */
  const described = (name: MaterialName) =>
    completeUserMaterial(
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

  describe.each(materialNames)('%s as a user material, by composition, density and I', (name) => {
    const own = described(name);
    const table = standardTable(own);

    test('stops protons as in PSTAR within 0.2 % from 1 to 300 MeV', () => {
      let compared = 0;
      for (const [energy = 0, stopping = 0] of publishedTable(name)) {
        if (energy < 1) continue;
        const found = stoppingAt(addon.rangeTable, table, energy).stopping;
        expect(Math.abs(found / stopping - 1)).toBeLessThan(0.002);
        compared += 1;
      }
      expect(compared).toBeGreaterThan(20);
    });

    test('has the tabulated CSDA range within 0.3 % from 15 to 300 MeV, and within 1 % from 5 MeV', () => {
      for (const [energy = 0, , range = 0] of publishedTable(name)) {
        if (energy < 5) continue;
        expect(Math.abs(stoppingAt(addon.rangeTable, table, energy).range / range - 1)).toBeLessThan(
          energy < 15 ? 0.01 : 0.003,
        );
      }
    });

    test('scatters as the listed material within 0.1 %', () => {
      const listed = materials[name];
      expect(Math.abs(own.radiation_length_g_cm2 / listed.radiation_length_g_cm2 - 1)).toBeLessThan(1e-3);
      expect(Math.abs(own.scattering_length_g_cm2 / listed.scattering_length_g_cm2 - 1)).toBeLessThan(1e-3);
      expect(Math.abs(own.z_over_a / listed.z_over_a - 1)).toBeLessThan(1e-3);
    });
  });

  // The table of A-150 deviates from Bethe's formula between 1 and 0.7 MeV.
  test.each(materialNames)('%s stops protons as in PSTAR down to 0.5 MeV, and A-150 within 3.5 %', (name) => {
    const own = standardTable(described(name));
    const rows = publishedTable(name).filter(([energy = 0]) => energy >= 0.5 && energy < 1);
    expect(rows).toHaveLength(2);
    for (const [energy = 0, stopping = 0] of rows) {
      const found = stoppingAt(addon.rangeTable, own, energy).stopping;
      expect(Math.abs(found / stopping - 1)).toBeLessThan(name === 'a150' ? 0.035 : 0.002);
    }
  });

  /**
   * Largest relative deviation of computed stopping powers from the published table, above an energy. `changed`
   * replaces the reference substances of the model.
   */
  function largestDeviation(
    name: MaterialName,
    changed: (anchors: ReferenceSubstances) => ReferenceSubstances,
    from_MeV: number,
  ): number {
    const { composition, mean_excitation_eV } = materials[name];
    const rows = publishedTable(name).filter(([energy = 0]) => energy >= from_MeV);
    const energies = Float64Array.from(rows, ([energy = 0]) => energy);
    const ratio = createRatioToWater(
      changed(referenceSubstances(materials)),
      75,
      energies,
      addon.rangeTable,
    )({
      composition,
      ...materialLengths(composition),
      mean_excitation_eV,
    });
    const differences = rows.map(([energy = 0, stopping = 1], i) => {
      const ofWater = stoppingAt(addon.rangeTable, water, energy).stopping;
      return Math.abs(((ratio[i] ?? 0) * ofWater) / stopping - 1);
    });
    return Math.max(...differences);
  }

  /** Reference substances in which an element has no table, or that of another material. */
  const without =
    (symbol: string, other?: MaterialName) =>
    (anchors: ReferenceSubstances): ReferenceSubstances => ({
      ...anchors,
      elements: anchors.elements.flatMap(([each, anchor]) => {
        if (each !== symbol) return [[each, anchor] as const];
        if (other === undefined) return [];
        const { composition, mean_excitation_eV } = materials[other];
        const { z_over_a } = materialLengths(composition);
        return [[each, { composition, z_over_a, mean_excitation_eV, table: standardTable(materials[other]) }] as const];
      }),
      pureElements: Object.fromEntries(Object.entries(anchors.pureElements).filter(([each]) => each !== symbol)),
    });

  describe('a table not used for fitting the model agrees as well', () => {
    test.each([
      ['pmma', 'carbon from adipose tissue', without('C', 'adipose-icrp'), 1, 0.001],
      ['bone-compact-icru', 'calcium from cortical bone', without('Ca', 'bone-cortical-icrp'), 1, 0.001],
      ['air', 'nitrogen interpolated between carbon and oxygen', without('N'), 1, 0.002],
      ['aluminium', 'aluminium interpolated between oxygen and calcium', without('Al'), 1, 0.004],
      ['copper', 'copper interpolated between calcium and lead', without('Cu'), 10, 0.01],
    ] as const)('%s: %s', (name, _, changed, from_MeV, most) => {
      expect(largestDeviation(name, changed, from_MeV)).toBeLessThan(most);
    });
  });

  test('stopping power scales with the selected water table: ICRU 90 gives less, by the ratio of the two waters at its I', () => {
    const icru90 = materials.water.tables.get('icru90');
    if (icru90 === undefined) throw new Error('no ICRU 90 table');
    const own = completeUserMaterial(
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

  test('stopping power is positive and finite at every energy, for any material and any I', () => {
    const symbols = elements.map(({ symbol }) => symbol);
    const parts = fc.dictionary(fc.constantFrom(...symbols), fc.double({ min: 0.01, max: 1, noNaN: true }), {
      minKeys: 1,
      maxKeys: 6,
    });
    fc.assert(
      fc.property(parts, fc.double({ min: 10, max: 1000, noNaN: true }), (composition, mean_excitation_eV) => {
        const mine = { name: 'mine', composition, density_g_cm3: 1, mean_excitation_eV };
        const { stopping_MeV_cm2_g } = standardTable(completeUserMaterial(mine, materials, water, addon.rangeTable));
        expect(stopping_MeV_cm2_g.every((stopping) => stopping > 0 && stopping < 1e4)).toBe(true);
      }),
    );
  });
});
